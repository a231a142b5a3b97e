//! laswp: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Layout, PivotOrder, Result, Scalar};

use super::{Pivots, about_pivots};
use crate::arguments::{self, matrix};
use crate::blas::small::MAX_INCREMENT;
use crate::form::{A, Form, Location, Run};

/// Maximum of elements that a small call interchanges.
const SMALL: i64 = 4096;

/// The arguments of `affinimath*laswp`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub k1: i64,
    pub k2: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub incx: i64,
}

impl<T: Scalar, F: Form> Call<T, F> {
    /// The matrix, rows and pivots of a small call; none if an argument is unusual or wrong.
    ///
    /// # Safety
    /// Pivots of rows k1 to k2 must be null or valid.
    #[inline]
    unsafe fn small(&self) -> Option<Small<T>> {
        let Call { n, lda, k1, k2, incx, .. } = *self;
        let little = |value: i64| (1..=SMALL).contains(&value);
        if !little(n)
            || !little(k2)
            || k1 < 1
            || k1 > k2
            || incx == 0
            || lda < 1
            || lda > MAX_INCREMENT as i64
            || n * (k2 - k1 + 1) > SMALL
        {
            return None;
        }
        let start = self.a.pointer().filter(|start| !start.is_null())?;
        let by_rows = Layout::from_code(self.layout)? == Layout::RowMajor;
        let (row, column) = if by_rows { (lda, 1) } else { (1, lda) };
        let (adjacent, last_row) = if by_rows { (n, i64::from(i32::MAX)) } else { (k2, lda) };
        let small = Small { start, row, column, first: k1 - 1, end: k2, step: incx.checked_abs()? };
        // SAFETY: this function requires the pivots of rows k1 to k2.
        let is_row = |i: i64| unsafe { self.ipiv.get(small.pivot(i)) }.is_some_and(|row| (1..=last_row).contains(&row));
        (lda >= adjacent && (small.first..small.end).all(is_row)).then_some(small)
    }
}

/// The interchanges of a small call.
struct Small<T> {
    start: *mut T,
    row: i64,
    column: i64,
    /// The first row that is interchanged, from 0.
    first: i64,
    end: i64,
    /// The increment of the pivots.
    step: i64,
}

impl<T> Small<T> {
    /// The index of row i's pivot, from 0.
    const fn pivot(&self, i: i64) -> i64 {
        self.first.wrapping_add((i - self.first).wrapping_mul(self.step))
    }

    const fn at(&self, i: i64, j: i64) -> *mut T {
        self.start.wrapping_offset((i * self.row).wrapping_add(j * self.column) as isize)
    }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline]
    unsafe fn run_small(&self) -> bool {
        // SAFETY: `small` checked n, lda and null; `Run::run` requires all rows that k2 and the pivots name.
        unsafe {
            let Some(small) = self.small() else { return false };
            let rows = small.end - small.first;
            for j in 0..self.n {
                for step in 0..rows {
                    let i = if self.incx > 0 { small.first + step } else { small.end - 1 - step };
                    let pivot = self.ipiv.get(small.pivot(i)).unwrap_or(i + 1) - 1;
                    if pivot != i {
                        small.at(i, j).swap(small.at(pivot, j));
                    }
                }
            }
        }
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let n = arguments::length(self.n);
        let (first, end) = (arguments::length(self.k1.saturating_sub(1)), arguments::length(self.k2));
        if n == 0 || first >= end || self.incx == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // LAPACK: row i's pivot has index k1 + (i - k1) |incx|, from 1.
        let step = self.incx.wrapping_abs();
        let order = if self.incx > 0 { PivotOrder::Forward } else { PivotOrder::Backward };
        if let Some(queue) = session.queue() {
            let a = matrix(A, layout, (end, n), self.a, self.lda, true)?;
            let pivots = self.ipiv.strided(first, end - first, usize::try_from(step).unwrap_or(usize::MAX))?;
            // SAFETY: `matrix` checked lda, `Pivots::strided` ipiv; `Run::run` requires live memory objects, and views
            // check their lengths.
            let (a, pivots) = unsafe { (a.open::<T>(&session)?.with_all_rows()?, pivots.open(&session)?) };
            let event = affinimath::laswp_on(queue, a.write()?, first..end, pivots.read()?, order)?;
            return session.finish(event);
        }
        // SAFETY: `Run::run` requires ipiv to be null or have k1 + (k2 - k1) |incx| elements.
        let pivots = unsafe { self.ipiv.gather(&session, first, end - first, step)? };
        // The matrix has at least the rows that the pivots name.
        let rows = pivots.iter().map(|pivot| usize::try_from(*pivot).unwrap_or(0)).fold(end, usize::max);
        let a = matrix(A, layout, (rows, n), self.a, self.lda, true)?;
        // SAFETY: `matrix` checked lda; `Run::run` requires all rows that k2 and the pivots name.
        let a = unsafe { a.open::<T>(&session)? };
        affinimath::laswp(a.write()?, first..end, &pivots, order).map_err(about_pivots)?;
        session.finish(Event::Complete)
    }
}
