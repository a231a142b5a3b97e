//! Matrix-vector operations.

mod arguments;
pub mod product;
pub mod solve;
#[cfg(test)]
mod testing;
pub mod update;

pub use affinimath_core::problem::Stored;
pub use product::{gbmv_on, gemv_on, hbmv_on, hemv_on, hpmv_on, sbmv_on, spmv_on, symv_on, tbmv_on, tpmv_on, trmv_on};
pub use solve::{tbsv_on, tpsv_on, trsv_on};
pub use update::{ger_on, gerc_on, her_on, her2_on, hpr_on, hpr2_on, spr_on, spr2_on, syr_on, syr2_on};
