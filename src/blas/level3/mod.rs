//! Matrix-matrix operations.

pub mod gemm;
