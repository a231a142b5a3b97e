//! What was measured on a machine, kept for the next process.

pub mod database;
