//! Tuning: models of what calls cost on a machine, spaces of parameters and searches in them, and the database of
//! measurements. [`tuner::Tuner`] searches for the parameters of any workload.
//!
//! This is an inner crate: the library and its program use it.

pub mod database;
pub mod exchange;
pub mod kernels;
pub mod lines;
pub mod machine;
pub mod model;
pub mod probe;
pub mod search;
pub mod space;
pub mod stencils;
pub mod t1;
pub mod tuned;
pub mod tuner;
