//! What calls cost on a machine: a model, and what was measured, kept for the next process.

pub mod database;
pub mod model;
