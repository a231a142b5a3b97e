//! Level 2 on any memory.

mod product;

pub use product::{gbmv, gemv, hbmv, hemv, hpmv, sbmv, spmv, symv, tbmv, tpmv, trmv};
