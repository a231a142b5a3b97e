//! Matrix-vector operations.

pub mod solve;
mod stored;
#[cfg(test)]
mod testing;
pub mod update;

pub use stored::{ColumnStarts, Stored};
