//! Patterns of stored elements: general, mirrored or triangular.

use std::ops::Range;

use crate::options::{Diag, Symmetry, Triangle};

/// Which elements of a matrix are stored, and what the others are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// All are stored.
    General,
    /// A triangle is stored, and the other one mirrors it.
    Mirrored(Triangle, Symmetry),
    /// A triangle or trapezoid is stored, and the rest is zero.
    Triangular(Triangle, Diag),
}

/// Values of the elements on a diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// Elements like any others, among the rest of their column.
    Any,
    /// Stored values.
    Stored,
    /// Their real parts.
    Real,
    /// Ones, which are not read.
    Ones,
}

impl Pattern {
    /// That of the transpose.
    pub const fn transposed(self) -> Self {
        match self {
            Pattern::General => self,
            Pattern::Mirrored(triangle, symmetry) => Pattern::Mirrored(triangle.transposed(), symmetry),
            Pattern::Triangular(triangle, diagonal) => Pattern::Triangular(triangle.transposed(), diagonal),
        }
    }

    /// The triangle that is stored, if not all is.
    pub const fn triangle(self) -> Option<Triangle> {
        match self {
            Pattern::General => None,
            Pattern::Mirrored(triangle, _) | Pattern::Triangular(triangle, _) => Some(triangle),
        }
    }

    /// True if an element beside the diagonal stands for two.
    pub const fn is_mirrored(self) -> bool {
        matches!(self, Pattern::Mirrored(..))
    }

    pub const fn corner(self) -> Corner {
        match self {
            Pattern::General => Corner::Any,
            Pattern::Mirrored(_, Symmetry::Hermitian) => Corner::Real,
            Pattern::Mirrored(_, Symmetry::Symmetric) | Pattern::Triangular(_, Diag::NonUnit) => Corner::Stored,
            Pattern::Triangular(_, Diag::Unit) => Corner::Ones,
        }
    }

    /// The rows of column j that are read as they are stored: all, or those beside the diagonal.
    pub fn rows_of_column(self, rows: usize, j: usize) -> Range<usize> {
        match self.triangle() {
            None => 0..rows,
            Some(Triangle::Upper) => 0..j.min(rows),
            Some(Triangle::Lower) => (j + 1).min(rows)..rows,
        }
    }
}
