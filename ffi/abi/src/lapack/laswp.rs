//! laswp: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, PivotOrder, Result, Scalar};

use super::{Pivots, about_pivots};
use crate::arguments::{self, matrix};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*laswp`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub n: i64,
    pub a: F::Place<T>,
    pub lda: i64,
    pub k1: i64,
    pub k2: i64,
    pub ipiv: Pivots<F::Place<i32>>,
    pub incx: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: the caller vouches for the handles.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let n = arguments::length(self.n);
        let (first, end) = (arguments::length(self.k1.saturating_sub(1)), arguments::length(self.k2));
        if n == 0 || first >= end || self.incx == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // Row i's pivot is number k1 + (i - k1) |incx|, from 1.
        let step = self.incx.wrapping_abs();
        let order = if self.incx > 0 { PivotOrder::Forward } else { PivotOrder::Backward };
        if let Some(queue) = session.queue() {
            let a = matrix(A, layout, (end, n), self.a, self.lda, true)?;
            let pivots = self.ipiv.strided(first, end - first, usize::try_from(step).unwrap_or(usize::MAX))?;
            // SAFETY: the caller vouches for the matrix and the pivots.
            let (a, pivots) = unsafe { (a.open::<T>(&session)?.with_all_rows()?, pivots.open(&session)?) };
            let event = affinimath::laswp_on(queue, a.write()?, first..end, pivots.read()?, order)?;
            return session.finish(event);
        }
        // SAFETY: the caller vouches for the pivots.
        let pivots = unsafe { self.ipiv.gather(&session, first, end - first, step)? };
        // The matrix has at least the rows that are named.
        let rows = pivots.iter().map(|pivot| usize::try_from(*pivot).unwrap_or(0)).fold(end, usize::max);
        let a = matrix(A, layout, (rows, n), self.a, self.lda, true)?;
        // SAFETY: the caller vouches for the matrix.
        let a = unsafe { a.open::<T>(&session)? };
        affinimath::laswp(a.write()?, first..end, &pivots, order).map_err(about_pivots)?;
        session.finish(Event::Complete)
    }
}
