//! gges of real matrices: C's arguments, in C's order, to the library's views. Its complex sibling's call ends here,
//! too.

use std::ffi::c_int;

use affinimath::{Error, Event, MatrixMut, Result, Scalar};

use super::geev::view;
use super::job::vectors;
use super::quotients::{OpenedQuotients, QuotientLocations};
use super::schur::{Selection, sorted};
use super::{Iterations, QUERY, Unneeded, VSL, VSR, answer_query, check_workspace};
use crate::arguments::{self, leading_dimension, matrix, not_null};
use crate::form::{A, B, Form, Run, Session};

/// The arguments of `affinimathSgges` and `affinimathDgges`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobvsl: c_int,
    pub jobvsr: c_int,
    pub sort: c_int,
    pub selctg: Selection,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub sdim: Iterations,
    pub alphar: F::Location<T::RealScalar>,
    pub alphai: F::Location<T::RealScalar>,
    pub beta: F::Location<T::RealScalar>,
    pub vsl: F::Location<T>,
    pub ldvsl: i64,
    pub vsr: F::Location<T>,
    pub ldvsr: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub bwork: Unneeded,
}

/// The arguments of both.
pub(super) struct Problem<T: Scalar, F: Form> {
    pub(super) options: (c_int, c_int, c_int),
    pub(super) sort: (c_int, Selection, Iterations),
    pub(super) n: i64,
    pub(super) a: (F::Location<T>, i64),
    pub(super) b: (F::Location<T>, i64),
    pub(super) values: QuotientLocations<F::Location<T>, F::Location<T::RealScalar>>,
    pub(super) vsl: (F::Location<T>, i64),
    pub(super) vsr: (F::Location<T>, i64),
    pub(super) work: (F::Location<T>, i64),
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            options: (self.layout, self.jobvsl, self.jobvsr),
            sort: (self.sort, self.selctg, self.sdim),
            n: self.n,
            a: (self.a, self.lda),
            b: (self.b, self.ldb),
            values: QuotientLocations::Parts(self.alphar, self.alphai, self.beta),
            vsl: (self.vsl, self.ldvsl),
            vsr: (self.vsr, self.ldvsr),
            work: (self.work, self.lwork),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}

impl<T: Scalar, F: Form> Problem<T, F> {
    /// The Schur form on the host, sorted or not.
    ///
    /// # Safety
    /// The selection's function and the pointer to a count must be valid where they are wanted.
    unsafe fn on_host(
        &self,
        (sorted, n): (bool, usize),
        (a, b): (MatrixMut<'_, T>, MatrixMut<'_, T>),
        values: &mut OpenedQuotients<T>,
        (vsl, vsr): (Option<MatrixMut<'_, T>>, Option<MatrixMut<'_, T>>),
    ) -> Result<()> {
        if !sorted {
            return values.on_host(n, |values| affinimath::gges(a, b, values, vsl, vsr));
        }
        // A function pointer may be called from any thread; it is called on this one.
        let (_, selection, sdim) = self.sort;
        let (function, wide) = (selection.function.expose_provenance(), selection.wide);
        let mut select = move |re: f64, im: f64, beta: f64| {
            let selection = Selection { function: std::ptr::with_exposed_provenance(function), wide };
            // SAFETY: this function requires LAPACK's function for the type.
            unsafe { selection.selects_quotient::<T>((re, im), beta) }
        };
        let leading = values.on_host(n, |values| affinimath::gges_ordered(a, b, values, vsl, vsr, &mut select))?;
        // SAFETY: this function requires a valid pointer. The count is at most n, which LAPACK's integers count.
        unsafe { sdim.write(leading.count as i32) };
        leading.info.map_or(Ok(()), |index| Err(Error::EigenvaluesTooClose { index }))
    }

    /// Refuses null pointers that a selection needs.
    fn check_selection(&self) -> Result<()> {
        not_null("selctg", self.sort.1.function)?;
        self.sort.2.check_as("sdim")
    }
}

impl<T: Scalar, F: Form> Run<F> for Problem<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session: Session = unsafe { form.begin()? };
        let layout = arguments::layout(self.options.0)?;
        let (left, right) = (vectors("jobvsl", self.options.1)?, vectors("jobvsr", self.options.2)?);
        let sorted = sorted(self.sort.0)?;
        let n = arguments::size("n", self.n)?;
        let order = |wanted: bool| if wanted { n } else { 0 };
        leading_dimension(A, layout, (n, n), self.a.1)?;
        leading_dimension(B, layout, (n, n), self.b.1)?;
        leading_dimension(VSL, layout, (order(left), order(left)), self.vsl.1)?;
        leading_dimension(VSR, layout, (order(right), order(right)), self.vsr.1)?;
        let min_lwork = match (T::KIND.is_complex(), n) {
            (_, 0) => 1,
            (true, _) => n.saturating_mul(2),
            (false, _) => n.saturating_mul(8).max(n.saturating_mul(6).saturating_add(16)),
        };
        if self.work.1 == QUERY {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work.0, min_lwork) };
        }
        let a = matrix(A, layout, (n, n), self.a.0, self.a.1, true)?;
        let b = matrix(B, layout, (n, n), self.b.0, self.b.1, true)?;
        let values = self.values.check::<T>(n)?;
        let vsl = matrix(VSL, layout, (order(left), order(left)), self.vsl.0, self.vsl.1, left)?;
        let vsr = matrix(VSR, layout, (order(right), order(right)), self.vsr.0, self.vsr.1, right)?;
        if sorted {
            self.check_selection()?;
        }
        let info = session.info()?;
        // SAFETY: the checks above; LAPACK requires lwork elements of work, `Run::run` memory of these shapes.
        unsafe {
            check_workspace::<T, _>(&session, self.work.0, self.work.1, min_lwork)?;
            if !self.sort.2.is_null() {
                self.sort.2.write(0);
            }
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let (vsl, vsr) = (vsl.open::<T>(&session)?, vsr.open::<T>(&session)?);
            let mut values = values.open::<T>(&session)?;
            let (a, b, vsl, vsr) = (a.write()?, b.write()?, view(left, &vsl)?, view(right, &vsr)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                self.on_host((sorted, n), (a, b), &mut values, (vsl, vsr))?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::gges_on(queue, a, b, values.on_device()?, vsl, vsr, info.write()?)?;
            session.finish(event)
        }
    }
}
