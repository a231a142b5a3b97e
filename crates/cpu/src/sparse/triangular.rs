//! Triangular systems on the host: substitution, row by row.

use affinimath_macros::instances;

use super::slice;
use crate::level1::RawVector;
use affinimath_core::division::quotient;
use affinimath_core::options::{Diag, Triangle};
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{RowPointer, TriangleSolve};
use affinimath_core::view::{Memory, View};

/// x := T^-1 x.
#[instances]
pub fn solve<T: Scalar, P: RowPointer>(solve: &TriangleSolve<'_, T, P>) {
    let Memory::Host(start, _) = solve.x.memory() else { unreachable!("the host works on the host's memory") };
    // SAFETY: the view holds its vector exclusively.
    let x = unsafe { RawVector::new(start, solve.x.shape()) };
    match solve.triangle {
        Triangle::Lower => (0..solve.matrix.rows).for_each(|row| solve_row(solve, x, row)),
        Triangle::Upper => (0..solve.matrix.rows).rev().for_each(|row| solve_row(solve, x, row)),
    }
}

#[inline(always)]
fn solve_row<T: Scalar, P: RowPointer>(solve: &TriangleSolve<'_, T, P>, x: RawVector<T>, row: usize) {
    let matrix = &solve.matrix;
    let (row_ptr, col_indices, values) = (slice(&matrix.row_ptr), slice(&matrix.col_indices), slice(&matrix.values));
    // SAFETY: the matrix is square and its indices are columns, of which x has as many elements.
    let element = |i: usize| unsafe { &mut *x.at(i) };
    let (mut sum, mut diagonal) = (*element(row), T::ZERO);
    for entry in row_ptr[row].count()..row_ptr[row + 1].count() {
        let (column, value) = (col_indices[entry] as usize, values[entry]);
        let value = if solve.conjugate { value.conjugate() } else { value };
        let needed = match solve.triangle {
            Triangle::Lower => column < row,
            Triangle::Upper => column > row,
        };
        if needed {
            sum -= value * *element(column);
        } else if column == row {
            diagonal += value;
        }
    }
    *element(row) = if solve.diagonal == Diag::Unit { sum } else { quotient(sum, diagonal) };
}
