//! Products of a sparse matrix and a vector.

mod dense;
mod narrow;
mod plan;
mod run;
mod space;
#[cfg(test)]
mod tests;

use super::{CsrRef, RowPointer};
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef};

pub(crate) use dense::{CsrDenseProduct, Segments, dense_product_on};
pub(crate) use narrow::Narrowing;
pub(crate) use plan::{ProductParameters, ProductPlan};
pub(crate) use run::{PreparedProduct, product_on, product_step_on};
pub(crate) use space::class_of;

/// y := alpha A x + beta y, with sizes that agree. What transposes A has been taken care of.
#[derive(Debug)]
pub(crate) struct CsrProduct<'a, T, P> {
    pub(crate) matrix: CsrRef<'a, T, P>,
    /// Whether it is conj(A).
    pub(crate) conjugate: bool,
    pub(crate) alpha: T,
    pub(crate) x: VectorRef<'a, T>,
    pub(crate) beta: T,
    pub(crate) y: VectorMut<'a, T>,
}

impl<'a, T: Scalar, P: RowPointer> CsrProduct<'a, T, P> {
    /// The product of these operands.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`].
    pub(crate) fn new(
        matrix: CsrRef<'a, T, P>,
        conjugate: bool,
        alpha: T,
        x: VectorRef<'a, T>,
        beta: T,
        y: VectorMut<'a, T>,
    ) -> Result<Self> {
        let CsrRef { rows, columns, .. } = matrix;
        if x.length() != columns || y.length() != rows {
            let (x, y) = (x.length(), y.length());
            return Err(Error::ShapeMismatch(format!("op(A) is {rows} x {columns}, x has {x} elements, y has {y}")));
        }
        Ok(CsrProduct { matrix, conjugate: conjugate && T::KIND.is_complex(), alpha, x, beta, y })
    }

    /// Whether y stays as it is.
    pub(crate) fn changes_nothing(&self) -> bool {
        self.matrix.rows == 0 || (self.alpha == T::ZERO && self.beta == T::ONE)
    }
}
