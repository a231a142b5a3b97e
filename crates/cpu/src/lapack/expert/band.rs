//! Triangular band systems (LAPACK: xTBTRS).

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use crate::lapack::Info;
use affinimath_core::division::quotient;
use affinimath_core::options::{Diag, Op, Triangle};
use affinimath_core::scalar::Scalar;

/// Solves op(A) X = B of a triangular A with `kd` off-diagonals; X overwrites B. A's diagonals are the
/// rows of `ab`, as LAPACK stores them. The info is the index of an element of the diagonal that is zero: then B is not
/// changed.
#[instances]
pub fn tbtrs<T: Scalar>(
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    kd: usize,
    ab: MatRef<'_, T>,
    mut b: MatMut<'_, T>,
) -> Info {
    let n = b.nrows();
    let main = if triangle == Triangle::Upper { kd } else { 0 };
    if diagonal == Diag::NonUnit
        && let Some(zero) = (0..n).find(|j| ab[(main, *j)] == T::ZERO)
    {
        return Some(zero + 1);
    }
    let of = |i: usize, j: usize| {
        let element = ab[(main + i - j, j)];
        if op.conjugates() { element.conjugate() } else { element }
    };
    // Rows of column j off the diagonal.
    let rows = |j: usize| match triangle {
        Triangle::Upper => j.saturating_sub(kd)..j,
        Triangle::Lower => j + 1..n.min(j + kd + 1),
    };
    let forward = (triangle == Triangle::Lower) != op.transposes();
    for column in 0..b.ncols() {
        let mut x = b.as_mut().col_mut(column);
        for step in 0..n {
            let j = if forward { step } else { n - 1 - step };
            if op.transposes() {
                let sum = rows(j).fold(x[j], |sum, i| sum - of(i, j) * x[i]);
                x[j] = if diagonal == Diag::NonUnit { quotient(sum, of(j, j)) } else { sum };
                continue;
            }
            if diagonal == Diag::NonUnit {
                x[j] = quotient(x[j], of(j, j));
            }
            let pivot = x[j];
            rows(j).for_each(|i| x[i] -= of(i, j) * pivot);
        }
    }
    None
}
