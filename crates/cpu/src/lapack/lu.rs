//! LU with partial pivoting: getrf, and routines that use its factors.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::blocks::{Inverses, STRIP, subtract};
use super::lanes::{Columns, Lanes, STEP, divide};
use super::triangular::trtri;
use super::workspace::{Workspace, by_columns, columns};
use super::{Info, among_threads};
use crate::gemm::pack::with_panel;
use crate::prefetch::prefetch;
use crate::simd::dispatch;
use crate::threads::{self, both};
use crate::{gemm, trsm};
use affinimath_core::options::{Diag, Op, PivotOrder, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// Columns of a panel that are factorised one by one; more for short ones, which stay in the L1 cache.
const LEAF: usize = 8;
const SHORT_LEAF: usize = 32;
/// Rows of a short panel.
const SHORT: usize = 64;
/// Columns of a panel, which one thread factorises while others apply the trailing update (look-ahead).
const PANEL: usize = 128;
/// Columns that are factorised panel by panel.
const BLOCK: usize = 512;
/// Columns per strip of the update that all threads need before the next panel.
const NEAR_STRIP: usize = 64;

/// P A = L U with partial pivoting, in place (LAPACK: xGETRF). L is unit lower trapezoidal. Row i was interchanged with
/// row `pivots[i]`, counted from 1. The info is the first zero pivot; the factorisation is complete, but U is singular.
///
/// Recursive LU (Toledo, *Locality of reference in LU decomposition with partial pivoting*, SIAM J. Matrix Anal. Appl.
/// 18, 1997) down to blocks of columns. Within these, a right-looking loop with look-ahead factorises the next panel
/// during the trailing update. Panels are factorised recursively too, in a copy with contiguous columns.
#[instances]
pub fn getrf<T: Scalar>(mut a: MatMut<'_, T>, pivots: &mut [i32]) -> Info {
    let order = a.nrows().min(a.ncols());
    if order == 0 {
        return None; // LAPACK: there is nothing to factorise, however long the other side is.
    }
    let pivots = &mut pivots[..order];
    let (mut left, rest) = a.as_mut().split_at_col_mut(order);
    if order > PANEL || !by_columns(&left) {
        return among_threads(order, || {
            let info = recursive(left.as_mut(), pivots);
            if rest.ncols() > 0 {
                Update::new(left.as_ref(), pivots).in_strips(rest, STRIP);
            }
            info
        });
    }
    let info = panel(left.as_mut(), pivots);
    update(left.as_ref(), pivots, rest);
    info
}

/// Recursive LU of a matrix with no more columns than rows, down to blocks: it reads and writes the trailing columns
/// only a few times.
fn recursive<T: Scalar>(mut a: MatMut<'_, T>, pivots: &mut [i32]) -> Info {
    let (m, n) = (a.nrows(), a.ncols());
    if n <= BLOCK {
        return blocked(a, pivots);
    }
    let middle = (n / 2).next_multiple_of(PANEL);
    let (above, below) = pivots.split_at_mut(middle);
    let (mut left, mut right) = a.as_mut().split_at_col_mut(middle);
    let info = recursive(left.as_mut(), above);
    Update::new(left.as_ref(), above).in_strips(right.as_mut(), STRIP);
    let found = recursive(right.subrows_mut(middle, m - middle), below);
    interchange(left.subrows_mut(middle, m - middle), below, PivotOrder::Forward);
    absolute(below, middle);
    info.or(found.map(|index| middle + index))
}

/// Right-looking LU by panels with look-ahead.
fn blocked<T: Scalar>(mut a: MatMut<'_, T>, pivots: &mut [i32]) -> Info {
    let (m, order) = (a.nrows(), pivots.len());
    let panel_width = PANEL.min(order);
    let mut current = Workspace::new(m, panel_width);
    let mut other = Workspace::new(m, if order > panel_width { panel_width } else { 0 });
    let mut info = factor(a.as_mut().subcols_mut(0, panel_width), &mut current, &mut pivots[..panel_width]);
    for first in (0..order).step_by(panel_width) {
        let (rows, width) = (m - first, panel_width.min(order - first));
        let next = panel_width.min(order - first - width);
        let (done, coming) = pivots[first..].split_at_mut(width);
        let factors = current.block_ref(rows, width);
        let right = a.as_mut().subrows_mut(first, rows).split_at_col_mut(first + width).1;
        let (mut near, far) = right.split_at_col_mut(next);
        let update = Update::new(factors, done);
        update.in_strips(near.as_mut(), NEAR_STRIP);
        let (found, ()) = both(
            next > 0,
            || factor(near.subrows_mut(width, rows - width), &mut other, &mut coming[..next]),
            || update.in_strips(far, STRIP),
        );
        info = info.or(found.map(|index| first + width + index));
        absolute(done, first);
        std::mem::swap(&mut current, &mut other);
    }
    interchange_left(a.subcols_mut(0, order), 0, panel_width, pivots);
    info
}

/// Applies later panels' interchanges to the columns left of them, all at once, so that each column is fetched once.
/// `a` has the columns from `first` on.
fn interchange_left<T: Scalar>(a: MatMut<'_, T>, first: usize, width: usize, pivots: &[i32]) {
    let columns = a.ncols();
    if columns > width {
        let middle = (columns / 2).next_multiple_of(width);
        let (left, right) = a.split_at_col_mut(middle);
        both(
            true,
            || interchange_left(left, first, width, pivots),
            || interchange_left(right, first + middle, width, pivots),
        );
    } else {
        let below = first + columns;
        laswp(a, below, &pivots[below..], PivotOrder::Forward);
    }
}

/// Makes pivots count from the matrix's first row instead of the panel's.
fn absolute(pivots: &mut [i32], first: usize) {
    pivots.iter_mut().for_each(|pivot| *pivot += first as i32);
}

/// Factorises a panel through a copy, which keeps the factors.
fn factor<T: Scalar>(mut a: MatMut<'_, T>, workspace: &mut Workspace<T>, pivots: &mut [i32]) -> Info {
    let mut copy = workspace.block(a.nrows(), a.ncols());
    copy.copy_from(a.as_ref());
    let info = panel(copy.as_mut(), pivots);
    a.copy_from(copy);
    info
}

/// Factors of a panel, for the update of the columns right of it.
struct Update<'a, T> {
    pivots: &'a [i32],
    /// L11, with inverted blocks; L21 follows.
    upper: Inverses<'a, T>,
    below: MatRef<'a, T>,
}

impl<'a, T: Scalar> Update<'a, T> {
    fn new(factors: MatRef<'a, T>, pivots: &'a [i32]) -> Self {
        let (l11, below) = factors.split_at_row(factors.ncols());
        Update { pivots, upper: Inverses::new(l11), below }
    }

    /// Updates strips of columns, which threads take dynamically. A strip stays in a core's cache from its interchanges
    /// to its product.
    fn in_strips(&self, a: MatMut<'_, T>, strip: usize) {
        let columns = a.ncols();
        if columns > strip {
            let (left, right) = a.split_at_col_mut((columns / 2).next_multiple_of(strip));
            both(true, || self.in_strips(left, strip), || self.in_strips(right, strip));
        } else if columns > 0 {
            self.strip(a);
        }
    }

    fn strip(&self, mut a: MatMut<'_, T>) {
        interchange_alone(a.as_mut(), 0, self.pivots, PivotOrder::Forward);
        let (mut top, bottom) = a.split_at_row_mut(self.pivots.len());
        self.upper.solve(top.as_mut());
        with_panel(top.as_ref(), 1, |u| subtract(self.below, u, bottom));
    }
}

/// Trailing update of columns right of a panel: interchanges, U12 := L11⁻¹ A12, A22 -= L21 U12.
fn update<T: Scalar>(factors: MatRef<'_, T>, pivots: &[i32], mut a: MatMut<'_, T>) {
    if a.ncols() == 0 {
        return;
    }
    interchange(a.as_mut(), pivots, PivotOrder::Forward);
    let (l11, l21) = factors.split_at_row(factors.ncols());
    let (mut top, bottom) = a.split_at_row_mut(factors.ncols());
    trsm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::Unit, T::ONE, l11, top.as_mut());
    gemm(Op::NoTrans, Op::NoTrans, -T::ONE, l21, top.as_ref(), T::ONE, bottom);
}

/// Recursive LU of a panel with contiguous columns and no more columns than rows.
fn panel<T: Scalar>(mut a: MatMut<'_, T>, pivots: &mut [i32]) -> Info {
    let (m, n) = (a.nrows(), a.ncols());
    if n <= if m <= SHORT { SHORT_LEAF } else { LEAF } {
        return dispatch(Leaf { columns: columns(&mut a), rows: m, pivots });
    }
    let middle = (n / 2).next_multiple_of(LEAF);
    let (above, below) = pivots.split_at_mut(middle);
    let (mut left, mut right) = a.split_at_col_mut(middle);
    let info = panel(left.as_mut(), above);
    update(left.as_ref(), above, right.as_mut());
    let found = panel(right.subrows_mut(middle, m - middle), below);
    interchange(left.subrows_mut(middle, m - middle), below, PivotOrder::Forward);
    absolute(below, middle);
    info.or(found.map(|index| middle + index))
}

/// A few columns, factorised left-looking, one by one.
struct Leaf<'a, T> {
    columns: Columns<T>,
    rows: usize,
    pivots: &'a mut [i32],
}

impl<T: Scalar> WithSimd for Leaf<'_, T> {
    type Output = Info;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Info {
        let lanes = Lanes::<T, S>::new(simd);
        let mut info = None;
        for j in 0..self.pivots.len() {
            // SAFETY: the panel has at least as many rows as columns, and has these columns.
            unsafe { self.apply_updates(lanes, j) };
            let column = self.columns.from(j, j).start;
            let length = self.rows - j;
            // SAFETY: column j has `length` elements from the diagonal on.
            let pivot = j + largest(unsafe { std::slice::from_raw_parts(column, length) });
            self.pivots[j] = (pivot + 1) as i32;
            // SAFETY: rows j and `pivot` and column j are the panel's.
            unsafe {
                if *self.columns.at(pivot, j) == T::ZERO {
                    info = info.or(Some(j + 1));
                    continue;
                }
                if pivot != j {
                    (0..=j).for_each(|k| self.columns.at(j, k).swap(self.columns.at(pivot, k)));
                }
                divide(lanes, length - 1, column.add(1), *column);
            }
        }
        info
    }
}

impl<T: Scalar> Leaf<'_, T> {
    /// Left-looking update of column j: apply the interchanges of the columns before it, solve with their unit lower
    /// triangle, `STEP` rows at a time, and subtract their product.
    ///
    /// # Safety
    /// The panel must have column j.
    #[inline(always)]
    unsafe fn apply_updates<S: Simd>(&self, lanes: Lanes<T, S>, j: usize) {
        let Leaf { columns, rows, pivots } = self;
        let column = columns.at(0, j);
        // SAFETY: rows and columns up to j are the panel's.
        unsafe {
            for (i, pivot) in pivots[..j].iter().enumerate() {
                column.add(i).swap(column.add(*pivot as usize - 1));
            }
            for first in (0..j).step_by(STEP) {
                let end = (first + STEP).min(j);
                for k in first..end {
                    let factor = *column.add(k);
                    (k + 1..end).for_each(|i| *column.add(i) -= *columns.at(i, k) * factor);
                }
                let below = columns.from(end, first);
                lanes.add_columns(rows - end, column.add(end), below, end - first, |k| -*column.add(first + k));
            }
        }
    }
}

/// Index of the first element with the largest |re| + |im| in a non-empty column (BLAS: ixAMAX). A NaN counts only in
/// the first element, like in the reference.
#[inline(always)]
fn largest<T: Scalar>(column: &[T]) -> usize {
    const LANES: usize = 8;
    let first = column[0].sum_of_moduli();
    let mut best = [first; LANES];
    let (chunks, rest) = column.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            let key = chunk[lane].sum_of_moduli();
            best[lane] = if key > best[lane] { key } else { best[lane] };
        }
    }
    let larger = |best, key| if key > best { key } else { best };
    let key = rest.iter().map(|x| x.sum_of_moduli()).fold(best.into_iter().fold(first, larger), larger);
    // If the first element is NaN, nothing is larger than it or equal to it.
    column.iter().position(|x| x.sum_of_moduli() == key).unwrap_or(0)
}

/// Interchanges row i of A with row `pivots[i]`, counted from 1, one after another.
fn interchange<T: Scalar>(a: MatMut<'_, T>, pivots: &[i32], order: PivotOrder) {
    laswp(a, 0, pivots, order);
}

/// Maximum interchanges whose rows are prefetched.
const MAX_PREFETCHED: usize = 2048;
/// Elements from which interchanges are shared among threads.
const PARALLEL_MIN: usize = 1 << 16;

/// Interchanges row `first + i` of A with row `pivots[i]`, counted from 1, one after another (LAPACK: xLASWP).
#[instances]
pub fn laswp<T: Scalar>(a: MatMut<'_, T>, first: usize, pivots: &[i32], order: PivotOrder) {
    let columns = a.ncols();
    if pivots.is_empty() {
        return; // Else each of the columns would be visited for nothing.
    }
    if columns >= 2 && columns * pivots.len() >= PARALLEL_MIN && threads::available() > 1 {
        let (left, right) = a.split_at_col_mut(columns / 2);
        threads::join(|| laswp(left, first, pivots, order), || laswp(right, first, pivots, order));
        return;
    }
    interchange_alone(a, first, pivots, order);
}

/// Applies the interchanges on this thread.
fn interchange_alone<T: Scalar>(a: MatMut<'_, T>, first: usize, pivots: &[i32], order: PivotOrder) {
    let columns = a.ncols();
    let (row, column) = (a.row_stride(), a.col_stride());
    let start = a.as_ptr_mut();
    // Interchanged rows are at addresses that hardware prefetchers do not predict. Those of the next column are
    // prefetched, unless there are too many for the cache.
    let prefetches = pivots.len() <= MAX_PREFETCHED;
    let ask = |j: usize, i: usize| {
        if prefetches {
            prefetch(start.wrapping_offset((pivots[i] as isize - 1) * row + j as isize * column));
        }
    };
    let swap = |j: usize, i: usize| {
        let (to, from) = ((first + i) as isize * row, (pivots[i] as isize - 1) * row);
        let start = start.wrapping_offset(j as isize * column);
        // SAFETY: pivots are rows of A: getrf computes such, and callers have checked others.
        unsafe { start.offset(to).swap(start.offset(from)) };
    };
    let rows = 0..pivots.len();
    // In the order of the memory: down a column, or along rows.
    let along_rows = column.unsigned_abs() < row.unsigned_abs();
    match (along_rows, order) {
        (true, PivotOrder::Forward) => rows.for_each(|i| (0..columns).for_each(|j| swap(j, i))),
        (true, PivotOrder::Backward) => rows.rev().for_each(|i| (0..columns).for_each(|j| swap(j, i))),
        (false, PivotOrder::Forward) => (0..columns).for_each(|j| {
            rows.clone().for_each(|i| ask(j + 1, i));
            rows.clone().for_each(|i| swap(j, i));
        }),
        (false, PivotOrder::Backward) => (0..columns).for_each(|j| {
            rows.clone().for_each(|i| ask(j + 1, i));
            rows.clone().rev().for_each(|i| swap(j, i));
        }),
    }
}

/// Solves op(A) X = B with getrf's factors (LAPACK: xGETRS). X overwrites B.
#[instances]
pub fn getrs<T: Scalar>(op: Op, factors: MatRef<'_, T>, pivots: &[i32], mut b: MatMut<'_, T>) {
    let lower = (Triangle::Lower, Diag::Unit);
    let upper = (Triangle::Upper, Diag::NonUnit);
    let solve = |(triangle, diagonal), b: &mut MatMut<'_, T>| {
        trsm(Side::Left, triangle, op, diagonal, T::ONE, factors, b.as_mut());
    };
    if op.transposes() {
        solve(upper, &mut b);
        solve(lower, &mut b);
        interchange(b, pivots, PivotOrder::Backward);
    } else {
        interchange(b.as_mut(), pivots, PivotOrder::Forward);
        solve(lower, &mut b);
        solve(upper, &mut b);
    }
}

/// Solves A X = B: getrf, and getrs unless a pivot is zero (LAPACK: xGESV).
#[instances]
pub fn gesv<T: Scalar>(mut a: MatMut<'_, T>, pivots: &mut [i32], b: MatMut<'_, T>) -> Info {
    let info = getrf(a.as_mut(), pivots);
    if info.is_none() {
        getrs(Op::NoTrans, a.as_ref(), pivots, b);
    }
    info
}

/// Columns of the inverse that are found at a time.
const INVERSE_COLUMNS: usize = 64;

/// A⁻¹ from getrf's factors, in place (LAPACK: xGETRI). If a pivot is zero, its index is the info, and nothing is
/// changed.
///
/// X L = U⁻¹ is solved by blocks of columns, from the last to the first, with a copy of their part of L.
#[instances]
pub fn getri<T: Scalar>(mut a: MatMut<'_, T>, pivots: &[i32]) -> Info {
    let n = a.nrows();
    let info = trtri(Triangle::Upper, Diag::NonUnit, a.as_mut());
    if info.is_some() {
        return info;
    }
    among_threads(n, || inverse_of_lower(a.as_mut()));
    // A⁻¹ = X P: columns are interchanged in reverse order.
    interchange(a.transpose_mut(), &pivots[..n], PivotOrder::Backward);
    None
}

/// U⁻¹ L⁻¹ in place of U⁻¹ and L.
fn inverse_of_lower<T: Scalar>(mut a: MatMut<'_, T>) {
    let n = a.nrows();
    let mut workspace = Workspace::new(n, INVERSE_COLUMNS.min(n));
    for first in (0..n).step_by(INVERSE_COLUMNS).rev() {
        let width = INVERSE_COLUMNS.min(n - first);
        let rows = n - first;
        let mut lower = workspace.block(rows, width);
        let (mut x, after) = a.as_mut().split_at_col_mut(first).1.split_at_col_mut(width);
        for j in 0..width {
            for i in j + 1..rows {
                lower[(i, j)] = x[(first + i, j)];
                x[(first + i, j)] = T::ZERO;
            }
        }
        let (l11, l21) = workspace.block_ref(rows, width).split_at_row(width);
        gemm(Op::NoTrans, Op::NoTrans, -T::ONE, after.as_ref(), l21, T::ONE, x.as_mut());
        trsm(Side::Right, Triangle::Lower, Op::NoTrans, Diag::Unit, T::ONE, l11, x);
    }
}
