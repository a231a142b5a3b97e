//! Cholesky factorisation of Hermitian positive definite matrices, and routines that use the factor.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::lanes::{Columns, Lanes};
use super::triangular::{as_lower, lauum, middle, trtri};
use super::workspace::with_lower;
use super::{Info, among_threads};
use crate::gemm::pack::with_panel;
use crate::level3::gemmt;
use crate::simd::dispatch;
use crate::threads::{available, both};
use crate::{gemm, trsm};
use affinimath_core::options::{Diag, Op, Side, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// Order that is factorised column by column.
const LEAF: usize = 32;
/// Columns of a panel. Its diagonal block is factorised while the trailing update of the previous panel continues
/// (look-ahead).
const PANEL: usize = 128;
/// Columns that are factorised panel by panel.
const BLOCK: usize = 1024;

/// The triangle that is worked on.
const LOWER: (Triangle, Symmetry) = (Triangle::Lower, Symmetry::Hermitian);

/// A = L Lᴴ or Uᴴ U in place of the stored triangle (LAPACK: xPOTRF); the other one is not touched. The info is the
/// order of the first leading minor that is not positive; the columns before it are factorised.
///
/// Recursive down to blocks of columns, which are factorised by panels with look-ahead.
#[instances]
pub fn potrf<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>) -> Info {
    // Of A's transpose, U's is the lower factor.
    among_threads(a.nrows(), || recursive(as_lower(triangle, a)))
}

/// Recursive factorisation of the first columns of a matrix, as many as `a` has, with all their rows.
fn recursive<T: Scalar>(mut a: MatMut<'_, T>) -> Info {
    let (m, n) = (a.nrows(), a.ncols());
    if n <= BLOCK {
        return by_panels(a);
    }
    let middle = (n / 2).next_multiple_of(PANEL);
    let (mut left, right) = a.as_mut().split_at_col_mut(middle);
    if let Some(index) = recursive(left.as_mut()) {
        return Some(index);
    }
    let (l, mut right) = (left.as_ref().subrows(middle, m - middle), right.subrows_mut(middle, m - middle));
    let (square, below) = right.as_mut().split_at_row_mut(n - middle);
    let (l_square, l_below) = l.split_at_row(n - middle);
    both(
        true,
        || gemmt(LOWER, (Op::NoTrans, l_square), (Op::ConjTrans, l_square), -T::ONE, T::ONE, square),
        || gemm(Op::NoTrans, Op::ConjTrans, -T::ONE, l_below, l_square, T::ONE, below),
    );
    recursive(right).map(|index| middle + index)
}

/// Right-looking factorisation by panels, with the same operands.
fn by_panels<T: Scalar>(mut a: MatMut<'_, T>) -> Info {
    let (m, n) = (a.nrows(), a.ncols());
    let panel_width = PANEL.min(n);
    let mut info = square(a.as_mut().submatrix_mut(0, 0, panel_width, panel_width));
    for first in (0..n).step_by(PANEL) {
        if info.is_some() {
            return info;
        }
        let width = PANEL.min(n - first);
        let (panel, right) = a.as_mut().submatrix_mut(first, first, m - first, n - first).split_at_col_mut(width);
        let (diagonal, mut l) = panel.split_at_row_mut(width);
        trsm(Side::Right, Triangle::Lower, Op::ConjTrans, Diag::NonUnit, T::ONE, diagonal.as_ref(), l.as_mut());
        let found = update(l.as_ref(), right.subrows_mut(width, m - first - width));
        info = found.map(|index| first + width + index);
    }
    info
}

/// Trailing update C := C - L Lᴴ of the lower triangle, with look-ahead: the first panel's diagonal block is
/// factorised while other threads update the rest.
fn update<T: Scalar>(l: MatRef<'_, T>, c: MatMut<'_, T>) -> Info {
    let columns = c.ncols();
    let mut info = None;
    if columns == 0 {
        return info;
    }
    // Everything reads this, which would be strided.
    with_panel(l.subrows(0, columns).transpose(), available(), |transposed| {
        let next = PANEL.min(columns);
        let (near, far) = transposed.split_at_col(next);
        let (l_next, l_rest) = l.split_at_row(next);
        let (mut diagonal, _, left, right) = c.split_at_mut(next, next);
        let (far_square, far_below) = right.split_at_row_mut(columns - next);
        let (l_square, l_below) = l_rest.split_at_row(columns - next);
        let look_ahead = || {
            subtract_triangle(l_next, near, diagonal.as_mut());
            square(diagonal)
        };
        let rest = || {
            let below = || both(true, || subtract(l_rest, near, left), || subtract(l_below, far, far_below));
            both(true, || subtract_triangle(l_square, far, far_square), below)
        };
        info = both(true, look_ahead, rest).0;
    });
    info
}

/// C := C - L conj(X).
fn subtract<T: Scalar>(l: MatRef<'_, T>, x: MatRef<'_, T>, c: MatMut<'_, T>) {
    gemm(Op::NoTrans, Op::ConjNoTrans, -T::ONE, l, x, T::ONE, c);
}

/// C := C - L X for the lower triangle of a Hermitian C.
fn subtract_triangle<T: Scalar>(l: MatRef<'_, T>, x: MatRef<'_, T>, c: MatMut<'_, T>) {
    gemmt(LOWER, (Op::NoTrans, l), (Op::ConjNoTrans, x), -T::ONE, T::ONE, c);
}

/// Recursive factorisation of a small square block.
fn square<T: Scalar>(mut a: MatMut<'_, T>) -> Info {
    let n = a.nrows();
    if n <= LEAF {
        return with_lower(a, |columns| dispatch(Leaf { columns, order: n }));
    }
    let middle = middle(n);
    let (mut first, _, mut below, mut last) = a.as_mut().split_at_mut(middle, middle);
    if let Some(index) = square(first.as_mut()) {
        return Some(index);
    }
    trsm(Side::Right, Triangle::Lower, Op::ConjTrans, Diag::NonUnit, T::ONE, first.as_ref(), below.as_mut());
    gemmt(LOWER, (Op::NoTrans, below.as_ref()), (Op::ConjTrans, below.as_ref()), -T::ONE, T::ONE, last.as_mut());
    square(last).map(|index| middle + index)
}

struct Leaf<T> {
    columns: Columns<T>,
    order: usize,
}

impl<T: Scalar> WithSimd for Leaf<T> {
    type Output = Info;

    /// Left-looking, column by column: apply the columns before it, then divide by the root of its diagonal.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Info {
        let lanes = Lanes::<T, S>::new(simd);
        let Leaf { columns, order } = self;
        for j in 0..order {
            // SAFETY: indices are below the matrix's order, and column j is not among the columns that are read with
            // it.
            unsafe {
                let column = columns.at(j, j);
                lanes.add_columns(order - j, column, columns.from(j, 0), j, |k| -(*columns.at(j, k)).conjugate());
                let pivot = T::from_parts((*column).re(), 0.0);
                *column = pivot;
                // Of a NaN neither is true.
                if !matches!(pivot.re().partial_cmp(&0.0), Some(std::cmp::Ordering::Greater)) {
                    return Some(j + 1);
                }
                let root = pivot.re().sqrt();
                *column = T::from_parts(root, 0.0);
                lanes.scale(order - j - 1, column.add(1), T::from_parts(root.recip(), 0.0));
            }
        }
        None
    }
}

/// Solves A X = B with potrf's factor (LAPACK: xPOTRS). X overwrites B.
#[instances]
pub fn potrs<T: Scalar>(triangle: Triangle, factor: MatRef<'_, T>, mut b: MatMut<'_, T>) {
    let ops = if triangle == Triangle::Lower { [Op::NoTrans, Op::ConjTrans] } else { [Op::ConjTrans, Op::NoTrans] };
    for op in ops {
        trsm(Side::Left, triangle, op, Diag::NonUnit, T::ONE, factor, b.as_mut());
    }
}

/// Solves A X = B by potrf and, if that succeeds, potrs (LAPACK: xPOSV).
#[instances]
pub fn posv<T: Scalar>(triangle: Triangle, mut a: MatMut<'_, T>, b: MatMut<'_, T>) -> Info {
    let info = potrf(triangle, a.as_mut());
    if info.is_none() {
        potrs(triangle, a.as_ref(), b);
    }
    info
}

/// A⁻¹ from potrf's factor, in place of the stored triangle (LAPACK: xPOTRI). If an element of the factor's diagonal
/// is zero, its index is the info, and nothing is changed.
#[instances]
pub fn potri<T: Scalar>(triangle: Triangle, mut a: MatMut<'_, T>) -> Info {
    let info = trtri(triangle, Diag::NonUnit, a.as_mut());
    if info.is_none() {
        lauum(triangle, a);
    }
    info
}
