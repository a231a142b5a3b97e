//! Cholesky's factorisation of Hermitian positive definite matrices, and what is made of its factor.

use faer::traits::pulp::{Simd, WithSimd};
use faer::{MatMut, MatRef};

use super::blocks::STRIP;
use super::lanes::{Columns, Lanes, dispatch};
use super::scratch::with_lower;
use super::triangular::{as_lower, lauum, middle, trtri};
use super::{Info, among_threads};
use crate::host::gemm::pack::with_panel;
use crate::host::level3::gemmt;
use crate::host::threads::{self, both};
use crate::host::{gemm, trsm};
use crate::options::{Diagonal, Op, Side, Symmetry, Triangle};
use crate::scalar::Scalar;

/// Order that is factorised column by column.
const LEAF: usize = 32;
/// Columns of a panel, the least number of panels that are worth it, and the largest order that is factorised by them: larger
/// ones do not stay in the caches from panel to panel.
const PANEL: usize = 128;
const LEAST_PANELS: usize = 3;
const BLOCK: usize = 1024;

/// A = L Lᴴ or Uᴴ U in the place of the triangle named (LAPACK: xPOTRF); the other one is not touched. The info is the order of
/// the first leading minor that is not positive; then the columns before it are factorised.
pub(crate) fn potrf<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>) -> Info {
    // Of A's transpose, U's is the lower factor.
    among_threads(a.nrows(), || factor(as_lower(triangle, a)))
}

/// By halves, which leave all but a few passes over the matrix to large products, down to blocks.
fn factor<T: Scalar>(mut a: MatMut<'_, T>) -> Info {
    let n = a.nrows();
    if n <= LEAF {
        return with_lower(a, |columns| dispatch::<T, _>(Leaf { columns, order: n }));
    }
    if (LEAST_PANELS * PANEL..=BLOCK).contains(&n) {
        return by_panels(a);
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

/// By panels: while the next one is factorised, which keeps one thread busy at a time, the columns after it are brought up to date.
fn by_panels<T: Scalar>(mut a: MatMut<'_, T>) -> Info {
    let n = a.nrows();
    let mut info = panel(a.as_mut().subcols_mut(0, PANEL));
    let mut first = 0;
    while info.is_none() && first + PANEL < n {
        let (_, _, l21, mut right) =
            a.as_mut().submatrix_mut(first, first, n - first, n - first).split_at_mut(PANEL, PANEL);
        let next = PANEL.min(right.ncols());
        first += PANEL;
        // L21's adjoint, whose columns are contiguous: each strip meets some of them.
        let adjoint = if T::KIND.is_complex() { Op::Conjugate } else { Op::Keep };
        with_panel(l21.as_ref().transpose(), threads::available(), |turned| {
            let (l21, turned) = (l21.as_ref(), (adjoint, turned));
            let (mut near, far) = right.as_mut().split_at_col_mut(next);
            subtract(l21, turned, near.as_mut());
            let rest = l21.nrows() - next;
            let (l_far, turned, far) =
                (l21.subrows(next, rest), (adjoint, turned.1.subcols(next, rest)), far.subrows_mut(next, rest));
            let (found, ()) = both(rest > 0, || panel(near), || in_strips(l_far, turned, far));
            info = found.map(|index| first + index);
        });
    }
    info
}

/// A panel: the triangle that it begins with, and the rows below.
fn panel<T: Scalar>(a: MatMut<'_, T>) -> Info {
    let width = a.ncols();
    let (mut top, below) = a.split_at_row_mut(width);
    let info = factor(top.as_mut());
    if info.is_none() {
        trsm(Side::Right, Triangle::Lower, Op::Adjoint, Diagonal::Stored, T::ONE, top.as_ref(), below);
    }
    info
}

/// C := C - L Lᴴ below C's diagonal, by strips of columns, which the threads take as they become free.
fn in_strips<T: Scalar>(l: MatRef<'_, T>, turned: (Op, MatRef<'_, T>), c: MatMut<'_, T>) {
    let columns = c.ncols();
    if columns <= STRIP {
        return subtract(l, turned, c);
    }
    let middle = (columns / 2).next_multiple_of(STRIP);
    let (left, right) = c.split_at_col_mut(middle);
    let (_, right) = right.split_at_row_mut(middle);
    let (l_right, turned_right) = (l.subrows(middle, l.nrows() - middle), turned.1.subcols(middle, columns - middle));
    both(true, || in_strips(l, turned, left), || in_strips(l_right, (turned.0, turned_right), right));
}

/// The same of a few columns, which begin with a triangle.
fn subtract<T: Scalar>(l: MatRef<'_, T>, (op, turned): (Op, MatRef<'_, T>), c: MatMut<'_, T>) {
    let order = c.ncols();
    let turned = turned.subcols(0, order);
    let (triangle, below) = c.split_at_row_mut(order);
    let (l_triangle, l_below) = l.split_at_row(order);
    let target = (Triangle::Lower, Symmetry::Hermitian);
    gemmt(target, (Op::Keep, l_triangle), (op, turned), -T::ONE, T::ONE, triangle);
    gemm(Op::Keep, op, -T::ONE, l_below, turned, T::ONE, below);
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
