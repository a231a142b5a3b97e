//! gelsy: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{COLUMNS, Iterations, Pivots, QUERY, Unneeded, answer_query, check_column_numbers, check_workspace};
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*gelsy`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub jpvt: Pivots<F::Location<i32>>,
    pub rcond: T::RealScalar,
    pub rank: Iterations,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub rwork: Unneeded,
}

impl<T: Scalar, F: Form> Call<T, F> {
    /// LAPACK's minimal workspace, in elements.
    fn min_lwork([m, n, columns]: [usize; 3]) -> usize {
        let order = m.min(n);
        // LAPACK 3.12: quick returns of the real types need one element, those of the complex types as many as other
        // calls.
        if (order == 0 || columns == 0) && !T::KIND.is_complex() {
            return 1;
        }
        let more = order.saturating_mul(2).max(n.saturating_add(1)).max(order.saturating_add(columns));
        order.saturating_add(more)
    }
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        check_column_numbers(n)?;
        let columns = arguments::size("nrhs", self.nrhs)?;
        let min_lwork = Self::min_lwork([m, n, columns]);
        if self.lwork == QUERY {
            leading_dimension(A, layout, (m, n), self.lda)?;
            leading_dimension(B, layout, (m.max(n), columns), self.ldb)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, min_lwork) };
        }
        let a = matrix(A, layout, (m, n), self.a, self.lda, columns > 0)?;
        let b = matrix(B, layout, (m.max(n), columns), self.b, self.ldb, true)?;
        // LAPACK: without right-hand sides, only the rank is written.
        self.jpvt.check_columns(if columns > 0 { n } else { 0 })?;
        self.rank.check_as("rank")?;
        // SAFETY: LAPACK requires lwork elements of work.
        unsafe { check_workspace::<T, _>(&session, self.work, self.lwork, min_lwork)? };
        if columns == 0 {
            // SAFETY: `check_as` refused a null rank; `Run::run` requires a pointer that is valid for a write.
            unsafe { self.rank.write(0) };
            return session.finish(Event::Complete);
        }
        // SAFETY: `matrix` checked lda and ldb, `Pivots::check_columns` jpvt, `Iterations::check_as` rank; `Run::run`
        // requires memory of these shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let rank = match session.queue() {
                Some(queue) => {
                    let jpvt = self.jpvt.open_as(COLUMNS, &session, n)?;
                    affinimath::gelsy_on(queue, a.write()?, b.write()?, jpvt.write()?, self.rcond)?.1
                }
                None => self
                    .jpvt
                    .update_columns(&session, n, |jpvt| affinimath::gelsy(a.write()?, b.write()?, jpvt, self.rcond))?,
            };
            // The rank is at most n, which fits in 32 bits.
            self.rank.write(rank as i32);
        }
        session.finish(Event::Complete)
    }
}
