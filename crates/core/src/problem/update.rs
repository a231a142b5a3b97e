//! Rank-one and rank-two updates, in the one form that plans, kernels and the host know.

use super::Stored;
use crate::error::{Error, Result};
use crate::options::{Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, Memory, PackedMut, VectorRef, VectorShape, View};

/// A := A + alpha x yᵀ, or A := A + alpha x yᵀ + beta y xᵀ, on the stored elements of A.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a, T: Scalar> {
    /// The memory of A.
    pub a: Memory<'a, T>,
    /// Which elements of A are stored, and where.
    pub stored: Stored,
    /// The vector with an element for each row; in an update of rank two, both have one for each row and column.
    pub x: VectorRef<'a, T>,
    /// The vector with an element for each column.
    pub y: VectorRef<'a, T>,
    /// The factor of x yᵀ.
    pub alpha: T,
    /// The factor of y xᵀ, in an update of rank two.
    pub beta: Option<T>,
    /// Which factor of the products is conjugated.
    pub conjugated: Conjugated,
    /// True if the imaginary part of the diagonal is set to 0.
    pub real_diagonal: bool,
}

/// Which factor of an update's products is conjugated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conjugated {
    /// None.
    Neither,
    /// The one that belongs to the element's row.
    Rows,
    /// The one that belongs to the element's column.
    Columns,
}

impl<'a, T: Scalar> Update<'a, T> {
    /// A := A + alpha x yᵀ, or A := A + alpha x yᴴ.
    pub fn ger(adjoint: bool, alpha: T, x: VectorRef<'a, T>, y: VectorRef<'a, T>, a: MatrixMut<'a, T>) -> Result<Self> {
        check_length("x", x.shape(), a.rows(), "rows")?;
        check_length("y", y.shape(), a.columns(), "columns")?;
        let (stored, by_rows) = Stored::full(a.shape());
        // A row-major matrix is the transpose of a column-major one: Aᵀ + alpha y xᵀ, where y keeps its conjugation.
        let (x, y) = if by_rows { (y, x) } else { (x, y) };
        let conjugated = Conjugated::where_y_is(adjoint, by_rows);
        Ok(Update { a: a.memory(), stored, x, y, alpha, beta: None, conjugated, real_diagonal: false })
    }

    /// A := A + alpha x xᵀ, or A := A + alpha x xᴴ with a real alpha, on a triangle.
    pub fn syr(
        symmetry: Symmetry,
        triangle: Triangle,
        alpha: T,
        x: VectorRef<'a, T>,
        a: MatrixMut<'a, T>,
    ) -> Result<Self> {
        check_square(&a)?;
        Self::symmetric(symmetry, alpha, None, [x, x], a.memory(), Stored::triangle(a.shape(), triangle))
    }

    /// The same on a packed triangle.
    pub fn spr(symmetry: Symmetry, alpha: T, x: VectorRef<'a, T>, a: PackedMut<'a, T>) -> Result<Self> {
        Self::symmetric(symmetry, alpha, None, [x, x], a.memory(), Stored::packed(a.shape()))
    }

    /// A := A + alpha x yᵀ + alpha y xᵀ, or A := A + alpha x yᴴ + conj(alpha) y xᴴ, on a triangle.
    pub fn syr2(
        symmetry: Symmetry,
        triangle: Triangle,
        alpha: T,
        x: VectorRef<'a, T>,
        y: VectorRef<'a, T>,
        a: MatrixMut<'a, T>,
    ) -> Result<Self> {
        check_square(&a)?;
        let beta = Some(mirrored(symmetry, alpha));
        Self::symmetric(symmetry, alpha, beta, [x, y], a.memory(), Stored::triangle(a.shape(), triangle))
    }

    /// The same on a packed triangle.
    pub fn spr2(
        symmetry: Symmetry,
        alpha: T,
        x: VectorRef<'a, T>,
        y: VectorRef<'a, T>,
        a: PackedMut<'a, T>,
    ) -> Result<Self> {
        let beta = Some(mirrored(symmetry, alpha));
        Self::symmetric(symmetry, alpha, beta, [x, y], a.memory(), Stored::packed(a.shape()))
    }

    fn symmetric(
        symmetry: Symmetry,
        alpha: T,
        beta: Option<T>,
        [x, y]: [VectorRef<'a, T>; 2],
        a: Memory<'a, T>,
        (stored, by_rows): (Stored, bool),
    ) -> Result<Self> {
        check_length("x", x.shape(), stored.rows, "rows")?;
        check_length("y", y.shape(), stored.rows, "rows")?;
        let hermitian = symmetry == Symmetry::Hermitian;
        let conjugated = Conjugated::where_y_is(hermitian, by_rows);
        // The transpose of alpha x yᴴ + conj(alpha) y xᴴ is conj(alpha) conj(x) yᵀ + alpha conj(y) xᵀ.
        let (alpha, beta) = match beta {
            Some(beta) if by_rows => (beta, Some(alpha)),
            beta => (alpha, beta),
        };
        Ok(Update { a, stored, x, y, alpha, beta, conjugated, real_diagonal: hermitian })
    }

    /// Real operations, counted as multiplications and additions of the stored elements.
    #[inline]
    pub fn operations(&self) -> u64 {
        let Stored { rows, columns, above, below, .. } = self.stored;
        let elements = (rows as u64).saturating_mul(columns as u64) / if above == 0 || below == 0 { 2 } else { 1 };
        let terms = if self.beta.is_some() { 2 } else { 1 };
        elements.saturating_mul(terms * T::KIND.multiply_add_operations())
    }

    /// BLAS: with an empty matrix or alpha = 0 nothing changes, not even the diagonal.
    #[inline]
    pub fn changes_nothing(&self) -> bool {
        self.stored.rows == 0 || self.stored.columns == 0 || self.alpha == T::ZERO
    }
}

impl Conjugated {
    /// The conjugation of a y that belongs to columns, or in the transpose to rows.
    #[inline]
    const fn where_y_is(conjugated: bool, by_rows: bool) -> Self {
        match (conjugated, by_rows) {
            (false, _) => Conjugated::Neither,
            (true, false) => Conjugated::Columns,
            (true, true) => Conjugated::Rows,
        }
    }
}

/// The factor of the second product of a rank-two update, which mirrors the first.
fn mirrored<T: Scalar>(symmetry: Symmetry, alpha: T) -> T {
    if symmetry == Symmetry::Hermitian { alpha.conjugate() } else { alpha }
}

fn check_square<T: Scalar>(a: &MatrixMut<'_, T>) -> Result<()> {
    if a.rows() == a.columns() {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("A is {} x {}, and would have to be square", a.rows(), a.columns())))
}

fn check_length(name: &str, vector: &VectorShape, expected: usize, what: &str) -> Result<()> {
    if vector.length() == expected {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{name} has {} elements, A has {expected} {what}", vector.length())))
}
