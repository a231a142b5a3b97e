//! gees and geesx of real matrices: C's arguments, in C's order, to the library's views. Their complex siblings' calls
//! end here, too.

use std::ffi::c_int;

use affinimath::{Error, Event, MatrixMut, Result, Scalar, SchurConditions, SchurLeading};

use super::geev::view;
use super::job::{Workspaces, vectors};
use super::schur::{OpenedValues, Selection, Values, sense, sorted};
use super::{Iterations, NO_WORKSPACE, Unneeded, VS};
use crate::arguments::{self, leading_dimension, matrix, not_null, wrong_code};
use crate::form::{A, Form, Run, Session};

/// The arguments of `affinimathSgees` and `affinimathDgees`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub jobvs: c_int,
    pub sort: c_int,
    pub select: Selection,
    pub sense: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub sdim: Iterations,
    pub wr: F::Location<T::RealScalar>,
    pub wi: F::Location<T::RealScalar>,
    pub vs: F::Location<T>,
    pub ldvs: i64,
    pub rconde: *mut T::RealScalar,
    pub rcondv: *mut T::RealScalar,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub iwork: Iterations,
    pub liwork: i64,
    pub bwork: Unneeded,
}

/// The arguments of both.
pub(super) struct Problem<T: Scalar, F: Form> {
    pub(super) layout: c_int,
    pub(super) jobvs: c_int,
    pub(super) sort: Sort<T::RealScalar>,
    pub(super) n: i64,
    pub(super) a: (F::Location<T>, i64),
    pub(super) values: Values<F::Location<T>, F::Location<T::RealScalar>>,
    pub(super) vs: (F::Location<T>, i64),
    pub(super) work: (F::Location<T>, i64),
    pub(super) iwork: (Iterations, i64),
}

/// The selection of leading eigenvalues, and its results.
pub(super) struct Sort<R> {
    pub(super) sort: c_int,
    pub(super) select: Selection,
    pub(super) sense: c_int,
    pub(super) sdim: Iterations,
    pub(super) rconde: *mut R,
    pub(super) rcondv: *mut R,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            layout: self.layout,
            jobvs: self.jobvs,
            sort: Sort {
                sort: self.sort,
                select: self.select,
                sense: self.sense,
                sdim: self.sdim,
                rconde: self.rconde,
                rcondv: self.rcondv,
            },
            n: self.n,
            a: (self.a, self.lda),
            values: Values::Parts(self.wr, self.wi),
            vs: (self.vs, self.ldvs),
            work: (self.work, self.lwork),
            iwork: (self.iwork, self.liwork),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}

impl<R: Scalar> Sort<R> {
    /// Checks the options: true with a selection, and the condition numbers.
    fn options(&self) -> Result<(bool, SchurConditions)> {
        let (sorted, wanted) = (sorted(self.sort)?, sense(self.sense)?);
        if !sorted && (wanted.values || wanted.subspace) {
            return Err(wrong_code("sense", self.sense, "AFFINIMATH_SENSE_NONE, without a selection"));
        }
        Ok((sorted, wanted))
    }

    /// Refuses null pointers that a selection needs.
    fn check(&self, wanted: SchurConditions) -> Result<()> {
        not_null("select", self.select.function)?;
        self.sdim.check_as("sdim")?;
        if wanted.values {
            not_null("rconde", self.rconde)?;
        }
        if wanted.subspace {
            not_null("rcondv", self.rcondv)?;
        }
        Ok(())
    }

    /// Writes the results. The errors are LAPACK's infos n + 1 and n + 2.
    ///
    /// # Safety
    /// The pointers must be valid for a write where they are wanted.
    unsafe fn tell(&self, wanted: SchurConditions, leading: &SchurLeading) -> Result<()> {
        // SAFETY: this function requires valid pointers. The count is at most n, which LAPACK's integers count.
        unsafe {
            self.sdim.write(leading.count as i32);
            if wanted.values {
                self.rconde.write(R::from_parts(leading.mean, 0.0));
            }
            if wanted.subspace {
                self.rcondv.write(R::from_parts(leading.subspace, 0.0));
            }
        }
        leading.info.map_or(Ok(()), |index| Err(Error::EigenvaluesTooClose { index }))
    }
}

impl<T: Scalar, F: Form> Problem<T, F> {
    fn workspaces(&self, n: usize) -> Workspaces<F::Location<T>, F::Location<T::RealScalar>> {
        let min_lwork = n.saturating_mul(if T::KIND.is_complex() { 2 } else { 3 });
        Workspaces {
            work: (self.work.0, self.work.1, min_lwork),
            rwork: (F::null(), NO_WORKSPACE, 1),
            iwork: (self.iwork.0, self.iwork.1, 1),
        }
    }

    /// The Schur form on the host, sorted or not.
    ///
    /// # Safety
    /// The selection's function and pointers must be valid.
    unsafe fn on_host(
        &self,
        (sorted, wanted): (bool, SchurConditions),
        (n, a): (usize, MatrixMut<'_, T>),
        values: &mut OpenedValues<T>,
        vs: Option<MatrixMut<'_, T>>,
    ) -> Result<()> {
        if !sorted {
            return values.on_host(n, |wr, wi| affinimath::gees(a, wr, wi, vs));
        }
        // A function pointer may be called from any thread; it is called on this one.
        let (function, wide) = (self.sort.select.function.expose_provenance(), self.sort.select.wide);
        let mut select = move |re: f64, im: f64| {
            let selection = Selection { function: std::ptr::with_exposed_provenance(function), wide };
            // SAFETY: this function requires LAPACK's function for the type.
            unsafe { selection.selects::<T>(re, im) }
        };
        let leading = values.on_host(n, |wr, wi| affinimath::geesx(a, wr, wi, vs, &mut select, wanted))?;
        // SAFETY: `check` refused null; this function requires valid pointers.
        unsafe { self.sort.tell(wanted, &leading) }
    }
}

impl<T: Scalar, F: Form> Run<F> for Problem<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session: Session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let has_vectors = vectors("jobvs", self.jobvs)?;
        let (sorted, wanted) = self.sort.options()?;
        let n = arguments::size("n", self.n)?;
        let order = if has_vectors { n } else { 0 };
        leading_dimension(A, layout, (n, n), self.a.1)?;
        leading_dimension(VS, layout, (order, order), self.vs.1)?;
        let workspaces = self.workspaces(n);
        if workspaces.is_query() {
            // SAFETY: LAPACK requires an element of each workspace, in a query too.
            return unsafe { workspaces.settle::<T>(&session) };
        }
        let a = matrix(A, layout, (n, n), self.a.0, self.a.1, true)?;
        let values = self.values.check::<T>(n)?;
        let vs = matrix(VS, layout, (order, order), self.vs.0, self.vs.1, has_vectors)?;
        if sorted {
            self.sort.check(wanted)?;
        }
        let info = session.info()?;
        // SAFETY: the checks above; LAPACK requires workspaces of their lengths, `Run::run` memory of these shapes.
        unsafe {
            workspaces.settle::<T>(&session)?;
            if !self.sort.sdim.is_null() {
                self.sort.sdim.write(0);
            }
            let (a, vs) = (a.open::<T>(&session)?, vs.open::<T>(&session)?);
            let mut values = values.open::<T>(&session)?;
            let (a, vs) = (a.write()?, view(has_vectors, &vs)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                self.on_host((sorted, wanted), (n, a), &mut values, vs)?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let event = affinimath::gees_on(queue, a, values.on_device()?, vs, info.write()?)?;
            session.finish(event)
        }
    }
}
