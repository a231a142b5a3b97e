//! Products and triangular solves of matrices in compressed rows.

use super::{CsrRef, RowPointer};
use crate::error::{Error, Result};
use crate::options::{Diag, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut, VectorRef};

/// y := alpha A x + beta y, with sizes that agree. What transposes A has been taken care of.
#[derive(Debug)]
pub struct CsrProduct<'a, T, P> {
    pub matrix: CsrRef<'a, T, P>,
    /// True if it is conj(A).
    pub conjugate: bool,
    pub alpha: T,
    pub x: VectorRef<'a, T>,
    pub beta: T,
    pub y: VectorMut<'a, T>,
}

impl<'a, T: Scalar, P: RowPointer> CsrProduct<'a, T, P> {
    /// The product of these operands.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`].
    pub fn new(
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

    /// True if y stays as it is.
    pub fn changes_nothing(&self) -> bool {
        self.matrix.rows == 0 || (self.alpha == T::ZERO && self.beta == T::ONE)
    }
}

/// C := alpha A B + beta C, with sizes that agree. What transposes A has been taken care of.
#[derive(Debug)]
pub struct CsrDenseProduct<'a, T, P> {
    pub matrix: CsrRef<'a, T, P>,
    /// True if it is conj(A).
    pub conjugate: bool,
    pub alpha: T,
    pub b: MatrixRef<'a, T>,
    pub beta: T,
    pub c: MatrixMut<'a, T>,
}

impl<'a, T: Scalar, P: RowPointer> CsrDenseProduct<'a, T, P> {
    /// The product of these operands.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`].
    pub fn new(
        matrix: CsrRef<'a, T, P>,
        conjugate: bool,
        alpha: T,
        b: MatrixRef<'a, T>,
        beta: T,
        c: MatrixMut<'a, T>,
    ) -> Result<Self> {
        let CsrRef { rows, columns, .. } = matrix;
        if b.rows() != columns || c.rows() != rows || b.columns() != c.columns() {
            let sizes = [b.rows(), b.columns(), c.rows(), c.columns()].map(|size| size.to_string());
            let [b_rows, b_columns, c_rows, c_columns] = sizes;
            return Err(Error::ShapeMismatch(format!(
                "op(A) is {rows} x {columns}, B is {b_rows} x {b_columns}, C is {c_rows} x {c_columns}"
            )));
        }
        Ok(CsrDenseProduct { matrix, conjugate: conjugate && T::KIND.is_complex(), alpha, b, beta, c })
    }

    /// True if C stays as it is.
    pub fn changes_nothing(&self) -> bool {
        self.matrix.rows == 0 || self.c.columns() == 0 || (self.alpha == T::ZERO && self.beta == T::ONE)
    }
}

/// x := T^-1 x, for a triangle T of a square matrix or its conjugate.
#[derive(Debug)]
pub struct TriangleSolve<'a, T, P> {
    pub matrix: CsrRef<'a, T, P>,
    pub triangle: Triangle,
    pub diagonal: Diag,
    /// True if it is conj(T).
    pub conjugate: bool,
    pub x: VectorMut<'a, T>,
}
