//! Matrix-matrix operations.

pub mod batched;
pub mod gemm;
pub mod trsm;
