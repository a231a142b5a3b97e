//! BLAS level 3.

pub(crate) mod gemm;
