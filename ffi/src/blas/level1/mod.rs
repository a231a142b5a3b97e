//! BLAS level 1.

pub(crate) mod axpby;
pub(crate) mod axpy;
pub(crate) mod copy;
pub(crate) mod scal;
pub(crate) mod scal_real;
pub(crate) mod swap;
