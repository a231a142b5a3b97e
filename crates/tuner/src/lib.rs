//! What calls cost on a machine, and which parameters its devices are fast with: models, spaces and searches, and what was
//! measured, kept for the next process.

pub mod database;
pub mod exchange;
pub mod lines;
pub mod machine;
pub mod model;
pub mod search;
pub mod space;
pub mod tuned;
