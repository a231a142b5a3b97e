//! Level 3 on a device: products of matrices.
//!
//! [`gemm`] has the kernels. A routine that reads or writes only a triangle is a product with a structure or a target.

pub mod batched;
pub mod gemm;
pub mod gemmt;
pub mod rank_k;
pub mod symm;
pub mod trmm;
pub mod trsm;

#[cfg(test)]
mod tests;

pub use gemmt::gemmt_on;
pub use rank_k::{her2k_on, herk_on, syr2k_on, syrk_on};
pub use symm::{hemm_on, symm_on};
pub use trmm::trmm_on;

use crate::error::{Error, Result};
use crate::view::MatrixShape;

/// The order of a square matrix.
///
/// # Errors
/// [`Error::ShapeMismatch`] when it is not square.
pub(crate) fn square(shape: &MatrixShape, name: &str) -> Result<usize> {
    if shape.rows() == shape.columns() {
        return Ok(shape.rows());
    }
    Err(Error::ShapeMismatch(format!("{name} is {} x {}, and must be square", shape.rows(), shape.columns())))
}
