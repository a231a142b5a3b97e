//! Cholesky's factorisation of Hermitian positive definite matrices, and what is made of its factor.

use faer::traits::pulp::{Simd, WithSimd};
use faer::{MatMut, MatRef};

use super::lanes::{Columns, Lanes, dispatch};
use super::scratch::with_lower;
use super::triangular::{as_lower, lauum, middle, trtri};
use super::{Info, among_threads};
use crate::host::level3::gemmt;
use crate::host::trsm;
use crate::options::{Diagonal, Op, Side, Symmetry, Triangle};
use crate::scalar::Scalar;

/// Order that is factorised column by column.
const LEAF: usize = 32;

/// A = L Lᴴ or Uᴴ U in the place of the triangle named (LAPACK: xPOTRF); the other one is not touched. The info is the order of
/// the first leading minor that is not positive; then the columns before it are factorised.
pub(crate) fn potrf<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>) -> Info {
    // Of A's transpose, U's is the lower factor.
    among_threads(a.nrows(), || factor(as_lower(triangle, a)))
}

fn factor<T: Scalar>(mut a: MatMut<'_, T>) -> Info {
    let n = a.nrows();
    if n <= LEAF {
        return with_lower(a, |columns| dispatch::<T, _>(Leaf { columns, order: n }));
    }
    let middle = middle(n);
    let (mut first, _, mut below, mut last) = a.as_mut().split_at_mut(middle, middle);
    if let Some(index) = factor(first.as_mut()) {
        return Some(index);
    }
    trsm(Side::Right, Triangle::Lower, Op::Adjoint, Diagonal::Stored, T::ONE, first.as_ref(), below.as_mut());
    let (target, l21) = ((Triangle::Lower, Symmetry::Hermitian), below.as_ref());
    gemmt(target, (Op::Keep, l21), (Op::Adjoint, l21), -T::ONE, T::ONE, last.as_mut());
    factor(last).map(|index| middle + index)
}

struct Leaf<T> {
    columns: Columns<T>,
    order: usize,
}

impl<T: Scalar> WithSimd for Leaf<T> {
    type Output = Info;

    /// Column by column: each is brought up to date with those before it, and divided by the root of its diagonal.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Info {
        let lanes = Lanes::<T, S>::new(simd);
        let Leaf { columns, order } = self;
        for j in 0..order {
            // SAFETY: rows and columns are those of the matrix, and column j is not among those before it.
            unsafe {
                let column = columns.at(j, j);
                lanes.add_columns(order - j, column, columns.from(j, 0), j, |k| -(*columns.at(j, k)).conjugate());
                let pivot = T::from_parts((*column).re(), 0.0);
                *column = pivot;
                // Of a NaN neither is true.
                if !matches!(pivot.re().partial_cmp(&0.0), Some(std::cmp::Ordering::Greater)) {
                    return Some(j + 1);
                }
                let root = T::from_parts(pivot.re().sqrt(), 0.0);
                *column = root;
                lanes.scale(order - j - 1, column.add(1), T::ONE / root);
            }
        }
        None
    }
}

/// Solves A X = B with potrf's factor, X in B's place (LAPACK: xPOTRS).
pub(crate) fn potrs<T: Scalar>(triangle: Triangle, factor: MatRef<'_, T>, mut b: MatMut<'_, T>) {
    let ops = if triangle == Triangle::Lower { [Op::Keep, Op::Adjoint] } else { [Op::Adjoint, Op::Keep] };
    for op in ops {
        trsm(Side::Left, triangle, op, Diagonal::Stored, T::ONE, factor, b.as_mut());
    }
}

/// Solves A X = B: potrf, and potrs where it succeeds (LAPACK: xPOSV).
pub(crate) fn posv<T: Scalar>(triangle: Triangle, mut a: MatMut<'_, T>, b: MatMut<'_, T>) -> Info {
    let info = potrf(triangle, a.as_mut());
    if info.is_none() {
        potrs(triangle, a.as_ref(), b);
    }
    info
}

/// The triangle named of A⁻¹ from potrf's factor, in its place (LAPACK: xPOTRI). Where an element of the factor's diagonal is
/// zero, the first is the info, and nothing is changed.
pub(crate) fn potri<T: Scalar>(triangle: Triangle, mut a: MatMut<'_, T>) -> Info {
    let info = trtri(triangle, Diagonal::Stored, a.as_mut());
    if info.is_none() {
        lauum(triangle, a);
    }
    info
}
