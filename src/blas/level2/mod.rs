//! Matrix-vector operations.

mod stored;

pub use stored::{ColumnStarts, Stored};
