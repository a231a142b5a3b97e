//! The factorisation by panels: each column is brought up to date when it may become a pivot, the trailing matrix after
//! a panel (LAPACK: xLASYF, xLAHEF).

use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::super::Info;
use super::super::lanes::{Columns, Lanes};
use super::super::workspace::{Workspace, columns};
use super::Pivoting;
use crate::level3::gemmt;
use crate::simd::dispatch;
use affinimath_core::division::quotient;
use affinimath_core::options::{Op, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// Columns of a panel.
const PANEL: usize = 48;

/// (1 + √17) / 8: a diagonal element of at least so much of its column's largest is a pivot. Growth is then the same
/// with blocks of order 1 and 2.
const ALPHA: f64 = 0.640_388_203_202_208;

/// Factorises the lower triangle of a matrix of order n.
pub(super) fn factor<T: Scalar, const HERMITIAN: bool, const ROOK: bool>(
    a: Columns<T>,
    n: usize,
    pivots: &mut [i32],
) -> Info {
    let mut workspace = Workspace::new(n, PANEL + 1);
    let (mut first, mut info) = (0, None);
    while first < n {
        let rows = n - first;
        let mut block = workspace.block(rows, PANEL + 1);
        let panel = Panel::<T, HERMITIAN, ROOK> {
            a: a.from(first, first),
            w: columns(&mut block),
            order: rows,
            // The last panel is the rest of the matrix.
            max_columns: if rows <= PANEL + 1 { rows } else { PANEL },
            pivots: &mut pivots[first..],
        };
        let (done, found) = dispatch(panel);
        info = info.or(found.map(|index| first + index));
        let left = rows - done;
        if left > 0 {
            // SAFETY: the blocks are in the matrix, and do not overlap.
            let (l, trailing) = unsafe {
                let l =
                    MatRef::from_raw_parts(a.at(first + done, first).cast_const(), left, done, 1, a.stride as isize);
                let start = a.at(first + done, first + done);
                (l, MatMut::from_raw_parts_mut(start, left, left, 1, a.stride as isize))
            };
            let symmetry = if HERMITIAN { Symmetry::Hermitian } else { Symmetry::Symmetric };
            let d = block.as_ref().submatrix(done, 0, left, done);
            // W is D Lᵀ, of a Hermitian matrix its conjugate.
            gemmt((Triangle::Lower, symmetry), (Op::NoTrans, l), (Op::Trans, d), -T::ONE, T::ONE, trailing);
        }
        // SAFETY: the panel is in the matrix.
        unsafe { undo_interchanges(a.from(first, first), ROOK, &pivots[first..first + done]) };
        for pivot in &mut pivots[first..first + done] {
            *pivot += if *pivot > 0 { first as i32 } else { -(first as i32) };
        }
        first += done;
    }
    info
}

/// Multipliers go back to the rows that they eliminated: in LAPACK's factors later interchanges do not move them.
///
/// # Safety
/// The pivots must be of the first columns of the matrix.
unsafe fn undo_interchanges<T>(a: Columns<T>, rook: bool, pivots: &[i32]) {
    let pivoting = if rook { Pivoting::Rook } else { Pivoting::BunchKaufman };
    let mut end = pivots.len();
    while end > 0 {
        let first = if pivots[end - 1] > 0 { end - 1 } else { end - 2 };
        let (interchanges, step) = pivoting.interchanges(pivots, first);
        for (row, pivot) in (first..first + step).zip(interchanges).rev().filter(|(row, pivot)| row != pivot) {
            for j in 0..first {
                // SAFETY: both rows are in the matrix, by this function's contract.
                unsafe { a.at(row, j).swap(a.at(pivot, j)) };
            }
        }
        end = first;
    }
}

/// The panel of a trailing matrix.
struct Panel<'p, T, const HERMITIAN: bool, const ROOK: bool> {
    a: Columns<T>,
    /// The columns of L D, or of its conjugate, and a candidate's column.
    w: Columns<T>,
    order: usize,
    max_columns: usize,
    pivots: &'p mut [i32],
}

/// The pivot of a step.
struct Choice {
    /// The row that is interchanged with the block's last one.
    row: usize,
    /// The row that is interchanged with the first one of a block of order 2.
    first: usize,
    /// Order of the block.
    step: usize,
}

#[inline(always)]
fn size<T: Scalar>(x: T) -> f64 {
    x.sum_of_moduli().into()
}

impl<T: Scalar, const HERMITIAN: bool, const ROOK: bool> WithSimd for Panel<'_, T, HERMITIAN, ROOK> {
    type Output = (usize, Info);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (usize, Info) {
        let lanes = Lanes::<T, S>::new(simd);
        let (mut k, mut info) = (0, None);
        let is_last = self.max_columns == self.order;
        // A block of order 2 needs two columns, unless the matrix ends here.
        while k < self.max_columns && (is_last || k + 1 < self.max_columns) {
            // SAFETY: indices are below the order, and W has one column more than the panel.
            unsafe {
                self.column(lanes, k);
                let choice = self.choose(lanes, k).unwrap_or_else(|| {
                    info = info.or(Some(k + 1));
                    Choice { row: k, first: k, step: 1 }
                });
                if choice.step == 2 {
                    self.interchange(k, k, choice.first, k + 1);
                }
                let last = k + choice.step - 1;
                self.interchange(k, last, choice.row, last);
                if choice.step == 1 {
                    self.store_one(lanes, k);
                    self.pivots[k] = choice.row as i32 + 1;
                } else {
                    self.store_two(k);
                    self.pivots[k + 1] = -(choice.row as i32 + 1);
                    self.pivots[k] = if ROOK { -(choice.first as i32 + 1) } else { self.pivots[k + 1] };
                }
                k += choice.step;
            }
        }
        (k, info)
    }
}

impl<T: Scalar, const HERMITIAN: bool, const ROOK: bool> Panel<'_, T, HERMITIAN, ROOK> {
    /// The conjugate in a Hermitian matrix.
    #[inline(always)]
    fn of(x: T) -> T {
        if HERMITIAN { x.conjugate() } else { x }
    }

    /// A diagonal element.
    #[inline(always)]
    fn diagonal(x: T) -> T {
        if HERMITIAN { T::from_parts(x.re(), 0.0) } else { x }
    }

    /// Subtracts the columns before k from a column of W: of row `row`'s element on.
    #[inline(always)]
    unsafe fn update<S: Simd>(&self, lanes: Lanes<T, S>, k: usize, row: usize, target: usize) {
        let (a, w) = (self.a, self.w);
        // SAFETY: the rows and columns are in the panel.
        unsafe {
            lanes.add_columns(self.order - k, w.at(k, target), a.from(k, 0), k, |j| -*w.at(row, j));
        }
    }

    /// W's column k := A's, brought up to date.
    #[inline(always)]
    unsafe fn column<S: Simd>(&self, lanes: Lanes<T, S>, k: usize) {
        // SAFETY: the rows and columns are in the panel.
        unsafe {
            std::ptr::copy_nonoverlapping(self.a.at(k, k), self.w.at(k, k), self.order - k);
            *self.w.at(k, k) = Self::diagonal(*self.w.at(k, k));
            self.update(lanes, k, k, k);
            *self.w.at(k, k) = Self::diagonal(*self.w.at(k, k));
        }
    }

    /// W's column k + 1 := row and column `row` of A from k on, brought up to date.
    #[inline(always)]
    unsafe fn candidate<S: Simd>(&self, lanes: Lanes<T, S>, k: usize, row: usize) {
        let (a, w) = (self.a, self.w);
        // SAFETY: the rows and columns are in the panel.
        unsafe {
            for j in k..row {
                *w.at(j, k + 1) = Self::of(*a.at(row, j));
            }
            std::ptr::copy_nonoverlapping(a.at(row, row), w.at(row, k + 1), self.order - row);
            *w.at(row, k + 1) = Self::diagonal(*w.at(row, k + 1));
            self.update(lanes, k, row, k + 1);
            *w.at(row, k + 1) = Self::diagonal(*w.at(row, k + 1));
        }
    }

    /// Row of the largest element in rows `from` to `to` of a column of W, and its size.
    #[inline(always)]
    unsafe fn largest(&self, column: usize, from: usize, to: usize) -> (usize, f64) {
        let mut found = (from, 0.0);
        for i in from..to {
            // SAFETY: the rows and columns are in the panel.
            let size = unsafe { size(*self.w.at(i, column)) };
            if size > found.1 {
                found = (i, size);
            }
        }
        found
    }

    /// The choice of a step; none for a column that is zero, or whose diagonal element is NaN. W's column k gets
    /// the pivot's.
    #[inline(always)]
    unsafe fn choose<S: Simd>(&self, lanes: Lanes<T, S>, k: usize) -> Option<Choice> {
        let (w, n) = (self.w, self.order);
        let one = |row| Some(Choice { row, first: k, step: 1 });
        // SAFETY: the rows and columns are in the panel.
        unsafe {
            let own = size(*w.at(k, k));
            let (row, below) = self.largest(k, k + 1, n);
            if own.max(below) == 0.0 || own.is_nan() {
                return None;
            }
            if own >= ALPHA * below || row >= n {
                return one(k);
            }
            if ROOK {
                return Some(self.choose_rook(lanes, k, row, below));
            }
            self.candidate(lanes, k, row);
            let largest = self.largest(k + 1, k, row).1.max(self.largest(k + 1, row + 1, n).1);
            if own >= ALPHA * below * (below / largest) {
                return one(k);
            }
            if size(*w.at(row, k + 1)) >= ALPHA * largest {
                std::ptr::copy_nonoverlapping(w.at(k, k + 1), w.at(k, k), n - k);
                return one(row);
            }
            Some(Choice { row, first: k, step: 2 })
        }
    }

    /// The rook's walk from column k's largest element, in row `row` and of size `largest`: from column to column,
    /// until an element is the largest of its row and column, or a diagonal element is large enough. W's column k gets
    /// the column of the last step, column k + 1 that of the second row of a block of order 2.
    #[inline(always)]
    unsafe fn choose_rook<S: Simd>(&self, lanes: Lanes<T, S>, k: usize, row: usize, largest: f64) -> Choice {
        let (w, n) = (self.w, self.order);
        let (mut row, mut largest, mut before) = (row, largest, k);
        loop {
            // SAFETY: the rows and columns are in the panel.
            unsafe {
                self.candidate(lanes, k, row);
                let (above, below) = (self.largest(k + 1, k, row), self.largest(k + 1, row + 1, n));
                let (next, size_of_next) = if above.1 > below.1 { above } else { below };
                if size(*w.at(row, k + 1)) >= ALPHA * size_of_next {
                    std::ptr::copy_nonoverlapping(w.at(k, k + 1), w.at(k, k), n - k);
                    return Choice { row, first: k, step: 1 };
                }
                // The sizes grow strictly; with NaN, too, the walk ends. It does not come back to column k.
                let grows = size_of_next > largest;
                if next == before || next == k || !grows {
                    return Choice { row, first: before, step: 2 };
                }
                std::ptr::copy_nonoverlapping(w.at(k, k + 1), w.at(k, k), n - k);
                (before, largest, row) = (row, size_of_next, next);
            }
        }
    }

    /// Interchanges two rows and columns of A, whose trailing part is not up to date, and rows of W up to its column
    /// `last`.
    #[inline(always)]
    unsafe fn interchange(&self, k: usize, from: usize, to: usize, last: usize) {
        let (a, w, n) = (self.a, self.w, self.order);
        if from == to {
            return;
        }
        // SAFETY: the rows and columns are in the panel or right of it.
        unsafe {
            // Column `from` takes the place of column `to`, whose own values are in W.
            *a.at(to, to) = Self::diagonal(*a.at(from, from));
            for j in from + 1..to {
                *a.at(to, j) = Self::of(*a.at(j, from));
            }
            std::ptr::copy_nonoverlapping(a.at(to + 1, from), a.at(to + 1, to), n - to - 1);
            (0..k).for_each(|j| a.at(from, j).swap(a.at(to, j)));
            (0..=last).for_each(|j| w.at(from, j).swap(w.at(to, j)));
        }
    }

    /// L's column k, of a block of order 1, from W's.
    #[inline(always)]
    unsafe fn store_one<S: Simd>(&self, lanes: Lanes<T, S>, k: usize) {
        let (a, w, below) = (self.a, self.w, self.order - k - 1);
        // SAFETY: the rows and columns are in the panel.
        unsafe {
            std::ptr::copy_nonoverlapping(w.at(k, k), a.at(k, k), below + 1);
            let pivot = *a.at(k, k);
            // Below a zero there are only zeros.
            if pivot != T::ZERO {
                divide_column(lanes, below, a.at(k + 1, k), pivot);
            }
            self.conjugate_w(k + 1, k);
        }
    }

    /// L's columns k and k + 1, of a block of order 2, from W's.
    #[inline(always)]
    unsafe fn store_two(&self, k: usize) {
        let (a, w, n) = (self.a, self.w, self.order);
        // SAFETY: the rows and columns are in the panel.
        unsafe {
            let off = *w.at(k + 1, k);
            let (first, second) = (quotient(*w.at(k + 1, k + 1), off), quotient(*w.at(k, k), Self::of(off)));
            let determinant = Self::diagonal(first * second) - T::ONE;
            let factor = quotient(quotient(T::ONE, determinant), off);
            for i in k + 2..n {
                let (x, y) = (*w.at(i, k), *w.at(i, k + 1));
                *a.at(i, k) = Self::of(factor) * (first * x - y);
                *a.at(i, k + 1) = factor * (second * y - x);
            }
            *a.at(k, k) = *w.at(k, k);
            *a.at(k + 1, k) = off;
            *a.at(k + 1, k + 1) = *w.at(k + 1, k + 1);
            self.conjugate_w(k + 1, k);
            self.conjugate_w(k + 2, k + 1);
        }
    }

    /// Conjugates a column of W from a row on, in a Hermitian matrix.
    #[inline(always)]
    unsafe fn conjugate_w(&self, row: usize, column: usize) {
        if HERMITIAN && T::KIND.is_complex() {
            for i in row..self.order {
                // SAFETY: the rows and columns are in the panel.
                unsafe { *self.w.at(i, column) = (*self.w.at(i, column)).conjugate() };
            }
        }
    }
}

/// x := x / pivot. The pivot may be smaller than x's elements, by a bounded factor.
///
/// # Safety
/// x must have n elements.
#[inline(always)]
unsafe fn divide_column<T: Scalar, S: Simd>(lanes: Lanes<T, S>, n: usize, x: *mut T, pivot: T) {
    let (low, high) = if T::KIND.is_double() { (1e-290, 1e290) } else { (1e-30, 1e30) };
    // SAFETY: x has n elements, by this function's contract.
    unsafe {
        if (low..high).contains(&size(pivot)) {
            lanes.scale(n, x, quotient(T::ONE, pivot));
        } else {
            (0..n).for_each(|i| *x.add(i) = quotient(*x.add(i), pivot));
        }
    }
}
