//! Products brought into the one form that plans, kernels and the host know.

use super::Stored;
use crate::error::{Error, Result};
use crate::options::{Diag, Op, Symmetry, Triangle};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{BandRef, MatrixRef, Memory, PackedRef, VectorMut, VectorRef, VectorShape, View};

/// How the matrix follows from what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// It is the stored elements, and zeros.
    General {
        /// True for the transpose of the stored matrix.
        transpose: bool,
    },
    /// The stored triangle, read with a diagonal of ones, or as it is. The product takes x's place.
    Triangular {
        /// True for the transpose of the stored matrix.
        transpose: bool,
        /// True for a unit diagonal, which is not read.
        unit: bool,
    },
    /// The stored triangle and its mirror image.
    Symmetric(Symmetry),
}

/// y := alpha op(A) x + beta y, without the memory and the scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductProblem {
    /// The element type.
    pub kind: ScalarKind,
    /// The stored matrix.
    pub stored: Stored,
    /// General, triangular, symmetric or Hermitian.
    pub structure: Structure,
    /// True if stored elements are conjugated where they stand. In a Hermitian matrix those in the mirrored places are
    /// when these are not.
    pub conjugate: bool,
    /// The factor; in place, the same as y.
    pub x: VectorShape,
    /// The result.
    pub y: VectorShape,
}

impl ProductProblem {
    /// True if an element of the result is a sum along a stored row.
    #[inline]
    pub const fn along_row(&self) -> bool {
        match self.structure {
            Structure::General { transpose } | Structure::Triangular { transpose, .. } => !transpose,
            Structure::Symmetric(_) => true,
        }
    }

    /// True if an element of the result is a sum along a stored column. A symmetric matrix has both.
    #[inline]
    pub const fn along_column(&self) -> bool {
        match self.structure {
            Structure::General { transpose } | Structure::Triangular { transpose, .. } => transpose,
            Structure::Symmetric(_) => true,
        }
    }

    /// True if the result overwrites x.
    #[inline]
    pub const fn in_place(&self) -> bool {
        matches!(self.structure, Structure::Triangular { .. })
    }

    /// True if the matrix is Hermitian.
    #[inline]
    pub const fn hermitian(&self) -> bool {
        matches!(self.structure, Structure::Symmetric(Symmetry::Hermitian))
    }

    /// The diagonals above and below the main one of the elements that are multiplied where they stand. -1 leaves out
    /// the main one: ones are not read, and a symmetric matrix's diagonal has no mirrored place.
    #[inline]
    pub fn diagonals(&self) -> (isize, isize) {
        let (above, below) = (self.stored.above as isize, self.stored.below as isize);
        match self.structure {
            Structure::Triangular { unit: true, .. } | Structure::Symmetric(_) => {
                (if above == 0 { -1 } else { above }, if below == 0 { -1 } else { below })
            }
            _ => (above, below),
        }
    }

    /// True if every element of the matrix is stored.
    #[inline]
    pub const fn is_full(&self) -> bool {
        let Stored { rows, columns, above, below, .. } = self.stored;
        above + 1 >= columns && below + 1 >= rows
    }

    /// True if every element of the matrix is stored, and multiplied as it is: of the smallest triangles the diagonal
    /// may be ones.
    #[inline]
    pub const fn is_whole(&self) -> bool {
        self.is_full() && matches!(self.structure, Structure::General { .. })
    }

    /// Most stored elements of a column.
    #[inline]
    pub fn longest_column(&self) -> usize {
        let diagonals = self.stored.above.saturating_add(self.stored.below).saturating_add(1);
        diagonals.min(self.stored.rows)
    }

    /// About how many elements are stored.
    #[inline]
    pub fn elements(&self) -> usize {
        let Stored { rows, columns, above, below, .. } = self.stored;
        let whole = self.longest_column().saturating_mul(columns);
        if above.min(below) == 0 && above.max(below) >= rows.min(columns) { whole.div_ceil(2) } else { whole }
    }
}

/// A product with its operands: what one call asks for.
pub struct Product<'a, T> {
    pub problem: ProductProblem,
    pub alpha: T,
    pub a: Memory<'a, T>,
    pub x: Memory<'a, T>,
    pub beta: T,
    pub y: Memory<'a, T>,
}

/// A matrix in its one form, whether it was stored by rows, and its memory.
type Matrix<'a, T> = ((Stored, bool), Memory<'a, T>);

impl<'a, T: Scalar> Product<'a, T> {
    pub fn gemv(
        op: Op,
        alpha: T,
        a: MatrixRef<'a, T>,
        x: VectorRef<'a, T>,
        beta: T,
        y: VectorMut<'a, T>,
    ) -> Result<Self> {
        Self::general(op, alpha, (Stored::full(a.shape()), a.memory()), x, beta, y)
    }

    pub fn gbmv(
        op: Op,
        alpha: T,
        a: BandRef<'a, T>,
        x: VectorRef<'a, T>,
        beta: T,
        y: VectorMut<'a, T>,
    ) -> Result<Self> {
        Self::general(op, alpha, (Stored::band(a.shape()), a.memory()), x, beta, y)
    }

    pub fn symv(
        symmetry: Symmetry,
        triangle: Triangle,
        alpha: T,
        a: MatrixRef<'a, T>,
        x: VectorRef<'a, T>,
        beta: T,
        y: VectorMut<'a, T>,
    ) -> Result<Self> {
        Self::symmetric(symmetry, alpha, (Stored::triangle(a.shape(), triangle), a.memory()), x, beta, y)
    }

    pub fn sbmv(
        symmetry: Symmetry,
        triangle: Triangle,
        alpha: T,
        a: BandRef<'a, T>,
        x: VectorRef<'a, T>,
        beta: T,
        y: VectorMut<'a, T>,
    ) -> Result<Self> {
        Self::symmetric(symmetry, alpha, (Stored::band_triangle(a.shape(), triangle), a.memory()), x, beta, y)
    }

    pub fn spmv(
        symmetry: Symmetry,
        alpha: T,
        a: PackedRef<'a, T>,
        x: VectorRef<'a, T>,
        beta: T,
        y: VectorMut<'a, T>,
    ) -> Result<Self> {
        Self::symmetric(symmetry, alpha, (Stored::packed(a.shape()), a.memory()), x, beta, y)
    }

    pub fn trmv(triangle: Triangle, op: Op, diagonal: Diag, a: MatrixRef<'a, T>, x: VectorMut<'a, T>) -> Result<Self> {
        Self::triangular(op, diagonal, (Stored::triangle(a.shape(), triangle), a.memory()), x)
    }

    pub fn tbmv(triangle: Triangle, op: Op, diagonal: Diag, a: BandRef<'a, T>, x: VectorMut<'a, T>) -> Result<Self> {
        Self::triangular(op, diagonal, (Stored::band_triangle(a.shape(), triangle), a.memory()), x)
    }

    pub fn tpmv(op: Op, diagonal: Diag, a: PackedRef<'a, T>, x: VectorMut<'a, T>) -> Result<Self> {
        Self::triangular(op, diagonal, (Stored::packed(a.shape()), a.memory()), x)
    }

    fn general(
        op: Op,
        alpha: T,
        ((stored, by_rows), a): Matrix<'a, T>,
        x: VectorRef<'a, T>,
        beta: T,
        y: VectorMut<'a, T>,
    ) -> Result<Self> {
        let transpose = op.transposes() != by_rows;
        let (rows, columns) = if transpose { (stored.columns, stored.rows) } else { (stored.rows, stored.columns) };
        check_sizes((rows, columns), x.shape(), y.shape())?;
        let problem = ProductProblem {
            kind: T::KIND,
            stored,
            structure: Structure::General { transpose },
            conjugate: op.conjugates(),
            x: *x.shape(),
            y: *y.shape(),
        };
        Ok(Product { problem, alpha, a, x: x.memory(), beta, y: y.memory() })
    }

    fn symmetric(
        symmetry: Symmetry,
        alpha: T,
        ((stored, by_rows), a): Matrix<'a, T>,
        x: VectorRef<'a, T>,
        beta: T,
        y: VectorMut<'a, T>,
    ) -> Result<Self> {
        check_square(&stored)?;
        check_sizes((stored.rows, stored.columns), x.shape(), y.shape())?;
        let hermitian = symmetry == Symmetry::Hermitian;
        let problem = ProductProblem {
            kind: T::KIND,
            stored,
            structure: Structure::Symmetric(symmetry),
            // The transpose of a Hermitian matrix is its conjugate.
            conjugate: hermitian && by_rows,
            x: *x.shape(),
            y: *y.shape(),
        };
        Ok(Product { problem, alpha, a, x: x.memory(), beta, y: y.memory() })
    }

    /// A diagonal of ones is the product with the rest of the triangle, added to x.
    fn triangular(op: Op, diagonal: Diag, ((stored, by_rows), a): Matrix<'a, T>, x: VectorMut<'a, T>) -> Result<Self> {
        check_square(&stored)?;
        check_sizes((stored.rows, stored.columns), x.shape(), x.shape())?;
        let unit = diagonal == Diag::Unit;
        let problem = ProductProblem {
            kind: T::KIND,
            stored,
            structure: Structure::Triangular { transpose: op.transposes() != by_rows, unit },
            conjugate: op.conjugates(),
            x: *x.shape(),
            y: *x.shape(),
        };
        let beta = if unit { T::ONE } else { T::ZERO };
        Ok(Product { problem, alpha: T::ONE, a, x: x.memory(), beta, y: x.memory() })
    }

    /// True if the call changes nothing at all. BLAS: gemv of an empty matrix leaves y as it is, whatever beta.
    #[inline]
    pub fn changes_nothing(&self) -> bool {
        let Stored { rows, columns, .. } = self.problem.stored;
        rows == 0 || columns == 0 || (self.alpha == T::ZERO && self.beta == T::ONE)
    }
}

fn check_square(stored: &Stored) -> Result<()> {
    if stored.rows == stored.columns {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("A is {}x{}, and should be square", stored.rows, stored.columns)))
}

fn check_sizes((rows, columns): (usize, usize), x: &VectorShape, y: &VectorShape) -> Result<()> {
    if x.length() == columns && y.length() == rows {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("op(A) is {rows}x{columns}, x has {} elements, y has {}", x.length(), y.length())))
}
