//! Level 2 on any memory.

mod product;
mod solve;
mod update;

pub use product::{gbmv, gemv, hbmv, hemv, hpmv, sbmv, spmv, symv, tbmv, tpmv, trmv};
pub use solve::{tbsv, tpsv, trsv};
pub use update::{ger, gerc, her, her2, hpr, hpr2, spr, spr2, syr, syr2};
