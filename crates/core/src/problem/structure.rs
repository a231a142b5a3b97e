//! Structures of operands, and the part of C that a product computes.

use super::gemm::Operand;
use crate::options::{Diag, Symmetry, Triangle};

/// A triangle of a matrix that may begin anywhere in it: the upper one has the elements (i, j) with
/// `i - j <= diagonal`, the lower one those with `i - j >= diagonal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trapezoid {
    /// On which side of the diagonal.
    pub triangle: Triangle,
    /// Offset of the diagonal: 0 for that of a whole matrix.
    pub diagonal: isize,
}

impl Trapezoid {
    /// A whole matrix's triangle.
    pub const fn of(triangle: Triangle) -> Self {
        Trapezoid { triangle, diagonal: 0 }
    }

    /// The same elements in the matrix from its element (i, j) on.
    pub const fn shifted(self, i: usize, j: usize) -> Self {
        Trapezoid { diagonal: self.diagonal + j as isize - i as isize, ..self }
    }

    pub const fn transposed(self) -> Self {
        Trapezoid { triangle: self.triangle.transposed(), diagonal: -self.diagonal }
    }

    pub const fn is_upper(&self) -> bool {
        matches!(self.triangle, Triangle::Upper)
    }
}

/// Which elements of an operand are stored, and what the others are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// All are stored.
    General,
    /// A triangle is stored. The other one mirrors it: conjugated, and with a real diagonal, for Hermitian matrices.
    Mirrored(Trapezoid, Symmetry),
    /// A triangle is stored (its diagonal is not read if it is all ones), and the rest is zero.
    Triangular(Trapezoid, Diag),
    /// All are stored, and those outside a triangle are zeros: the tensor family leaves out depths at which a tile has
    /// no others.
    Filled(Trapezoid),
}

impl Structure {
    pub const fn shifted(self, i: usize, j: usize) -> Self {
        match self {
            Structure::General => self,
            Structure::Mirrored(trapezoid, symmetry) => Structure::Mirrored(trapezoid.shifted(i, j), symmetry),
            Structure::Triangular(trapezoid, diagonal) => Structure::Triangular(trapezoid.shifted(i, j), diagonal),
            Structure::Filled(trapezoid) => Structure::Filled(trapezoid.shifted(i, j)),
        }
    }

    pub const fn transposed(self) -> Self {
        match self {
            Structure::General => self,
            Structure::Mirrored(trapezoid, symmetry) => Structure::Mirrored(trapezoid.transposed(), symmetry),
            Structure::Triangular(trapezoid, diagonal) => Structure::Triangular(trapezoid.transposed(), diagonal),
            Structure::Filled(trapezoid) => Structure::Filled(trapezoid.transposed()),
        }
    }

    /// Its number in the kernels (cl/blas/level3/gemm/structure.cl).
    pub const fn code(&self) -> i64 {
        match self {
            Structure::General | Structure::Filled(_) => 0,
            Structure::Mirrored(_, Symmetry::Symmetric) => 1,
            Structure::Mirrored(_, Symmetry::Hermitian) => 2,
            Structure::Triangular(_, Diag::NonUnit) => 3,
            Structure::Triangular(_, Diag::Unit) => 4,
        }
    }

    pub const fn is_triangular(&self) -> bool {
        matches!(self, Structure::Triangular(..))
    }

    pub const fn trapezoid(&self) -> Option<&Trapezoid> {
        match self {
            Structure::General => None,
            Structure::Mirrored(trapezoid, _) | Structure::Triangular(trapezoid, _) | Structure::Filled(trapezoid) => {
                Some(trapezoid)
            }
        }
    }
}

/// Which elements of C are computed; the others are neither read nor written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// All of them.
    Whole,
    /// A triangle. A Hermitian one has a real diagonal: its imaginary parts are not read, and written as zeros.
    Triangle(Trapezoid, Symmetry),
}

impl Target {
    pub const fn shifted(self, i: usize, j: usize) -> Self {
        match self {
            Target::Whole => self,
            Target::Triangle(trapezoid, symmetry) => Target::Triangle(trapezoid.shifted(i, j), symmetry),
        }
    }

    pub const fn transposed(self) -> Self {
        match self {
            Target::Whole => self,
            Target::Triangle(trapezoid, symmetry) => Target::Triangle(trapezoid.transposed(), symmetry),
        }
    }

    /// The same part where partial products are kept, whose diagonals may be anything.
    pub const fn of_parts(self) -> Self {
        match self {
            Target::Whole => self,
            Target::Triangle(trapezoid, _) => Target::Triangle(trapezoid, Symmetry::Symmetric),
        }
    }

    /// Its number in the kernels (cl/blas/level3/gemm/structure.cl).
    pub const fn code(&self) -> i64 {
        match self {
            Target::Whole => 0,
            Target::Triangle(_, Symmetry::Symmetric) => 1,
            Target::Triangle(_, Symmetry::Hermitian) => 2,
        }
    }

    pub const fn trapezoid(&self) -> Option<&Trapezoid> {
        match self {
            Target::Whole => None,
            Target::Triangle(trapezoid, _) => Some(trapezoid),
        }
    }
}

impl Operand {
    /// The same elements, with a mirrored operand's stored triangle below the diagonal: an upper one, read with the
    /// strides exchanged, is the transpose's lower one.
    pub const fn stored_below(self) -> Self {
        match self.structure {
            Structure::Mirrored(Trapezoid { triangle: Triangle::Upper, diagonal }, symmetry) => {
                let apart = self.row_stride as isize - self.column_stride as isize;
                Operand {
                    // Element (0, 0) need not be stored, and may lie before the memory's first.
                    offset: self.offset.wrapping_add_signed(diagonal * apart),
                    row_stride: self.column_stride,
                    column_stride: self.row_stride,
                    conjugate: self.conjugate != matches!(symmetry, Symmetry::Hermitian),
                    structure: Structure::Mirrored(Trapezoid { triangle: Triangle::Lower, diagonal }, symmetry),
                }
            }
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wedge_holds_the_same_elements_wherever_its_matrix_begins() {
        let holds = |trapezoid: &Trapezoid, i: isize, j: isize| match trapezoid.triangle {
            Triangle::Upper => i - j <= trapezoid.diagonal,
            Triangle::Lower => i - j >= trapezoid.diagonal,
        };
        for triangle in Triangle::ALL {
            let whole = Trapezoid::of(*triangle);
            for (row, column) in [(0, 0), (3, 1), (2, 6)] {
                let part = whole.shifted(row, column);
                for (i, j) in [(0, 0), (2, 3), (4, 1), (1, 3), (5, 1)] {
                    let in_whole = holds(&whole, i + row as isize, j + column as isize);
                    assert_eq!(holds(&part, i, j), in_whole);
                    assert_eq!(holds(&part.transposed(), j, i), in_whole);
                }
            }
        }
    }

    #[test]
    fn a_mirrored_operand_can_be_read_from_below_its_diagonal() {
        for triangle in Triangle::ALL {
            let whole = Operand {
                offset: 100,
                row_stride: 1,
                column_stride: 10,
                conjugate: true,
                structure: Structure::Mirrored(Trapezoid::of(*triangle), Symmetry::Hermitian),
            };
            let operand = whole.shifted(2, 3).stored_below();
            let Structure::Mirrored(trapezoid, Symmetry::Hermitian) = operand.structure else { panic!("{operand:?}") };
            assert_eq!(trapezoid, Trapezoid { triangle: Triangle::Lower, diagonal: 1 });
            for (i, j) in [(1, 0), (2, 0), (5, 2)] {
                let offset =
                    operand.offset as isize + i * operand.row_stride as isize + j * operand.column_stride as isize;
                let [row, column] = [i + 2, j + 3];
                let upper = *triangle == Triangle::Upper;
                let stored = if upper { (column, row) } else { (row, column) };
                assert_eq!(offset, 100 + stored.0 + 10 * stored.1);
                assert_eq!(operand.conjugate, !upper);
            }
        }
    }
}
