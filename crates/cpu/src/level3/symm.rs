//! Products with a symmetric or Hermitian matrix.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::mirrored;
use crate::gemm;
use affinimath_core::options::{Op, Side, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// Rows of C that are computed at a time.
const BLOCK: usize = 256;

/// C := alpha A B + beta C or alpha B A + beta C for a symmetric or Hermitian A (BLAS: xSYMM, xHEMM). One triangle of A
/// is read. Sizes have been checked.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's symm")]
#[instances]
pub fn symm<T: Scalar>(
    symmetry: Symmetry,
    side: Side,
    triangle: Triangle,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
) {
    match side {
        Side::Left => from_left(symmetry, triangle, alpha, a, b, beta, c),
        Side::Right => {
            // The transposed equation: Aᵀ is symmetric, or Hermitian, like A.
            let (a, b, c) = (a.transpose(), b.transpose(), c.transpose_mut());
            from_left(symmetry, triangle.transposed(), alpha, a, b, beta, c);
        }
    }
}

fn from_left<T: Scalar>(
    symmetry: Symmetry,
    triangle: Triangle,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    mut c: MatMut<'_, T>,
) {
    if alpha == T::ZERO {
        return gemm(Op::NoTrans, Op::NoTrans, alpha, a, b, beta, c); // BLAS: A and B are not read.
    }
    let mirror = if symmetry == Symmetry::Hermitian { Op::ConjTrans } else { Op::Trans };
    let order = a.nrows();
    for first in (0..order).step_by(BLOCK) {
        let size = BLOCK.min(order - first);
        let (end, rest) = (first + size, order - first - size);
        let stored = |row, column, rows, columns| (Op::NoTrans, a.submatrix(row, column, rows, columns));
        let mirrored_from = |row, column, rows, columns| (mirror, a.submatrix(row, column, rows, columns));
        // Blocks left and right of the diagonal block.
        let (left, right) = match triangle {
            Triangle::Lower => (stored(first, 0, size, first), mirrored_from(end, first, rest, size)),
            Triangle::Upper => (mirrored_from(0, first, first, size), stored(first, end, size, rest)),
        };
        let diagonal = mirrored(a.submatrix(first, first, size, size), triangle, symmetry);
        let mut c = c.as_mut().subrows_mut(first, size);
        gemm(Op::NoTrans, Op::NoTrans, alpha, diagonal.as_ref(), b.subrows(first, size), beta, c.as_mut());
        gemm(left.0, Op::NoTrans, alpha, left.1, b.subrows(0, first), T::ONE, c.as_mut());
        gemm(right.0, Op::NoTrans, alpha, right.1, b.subrows(end, rest), T::ONE, c);
    }
}
