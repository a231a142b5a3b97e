//! BLAS level 3.

pub(crate) mod batched;
pub(crate) mod gemm;
pub(crate) mod trsm;
