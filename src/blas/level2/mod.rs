//! Matrix-vector operations.

pub mod product;
mod stored;

pub use product::{gbmv_on, gemv_on, hbmv_on, hemv_on, hpmv_on, sbmv_on, spmv_on, symv_on, tbmv_on, tpmv_on, trmv_on};
pub use stored::{ColumnStarts, Stored};
