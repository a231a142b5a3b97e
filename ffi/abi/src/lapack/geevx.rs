//! geevx of real matrices: C's arguments, in C's order, to the library's views. Its complex sibling's call ends here,
//! too.

use std::ffi::c_int;

use affinimath::{Balanced, Event, Result, Scalar, SchurConditions};

use super::geev::view;
use super::job::vectors;
use super::schur::{Values, balancing, sense, write_range};
use super::{Iterations, QUERY, RCONDE, RCONDV, SCALE, Unneeded, VL, VR, answer_query, check_workspace};
use crate::arguments::{self, array, leading_dimension, matrix, not_null, wrong_code};
use crate::form::{A, Form, Run};

/// The arguments of `affinimathSgeevx` and `affinimathDgeevx`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub balanc: c_int,
    pub jobvl: c_int,
    pub jobvr: c_int,
    pub sense: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub wr: F::Location<T::RealScalar>,
    pub wi: F::Location<T::RealScalar>,
    pub vl: F::Location<T>,
    pub ldvl: i64,
    pub vr: F::Location<T>,
    pub ldvr: i64,
    pub ilo: Iterations,
    pub ihi: Iterations,
    pub scale: F::Location<T::RealScalar>,
    pub abnrm: *mut T::RealScalar,
    pub rconde: F::Location<T::RealScalar>,
    pub rcondv: F::Location<T::RealScalar>,
    pub work: F::Location<T>,
    pub lwork: i64,
    pub iwork: Unneeded,
}

/// The arguments of both.
pub(super) struct Problem<T: Scalar, F: Form> {
    pub(super) layout: c_int,
    pub(super) balanc: c_int,
    pub(super) jobs: (c_int, c_int),
    pub(super) sense: c_int,
    pub(super) n: i64,
    pub(super) a: (F::Location<T>, i64),
    pub(super) values: Values<F::Location<T>, F::Location<T::RealScalar>>,
    pub(super) vl: (F::Location<T>, i64),
    pub(super) vr: (F::Location<T>, i64),
    pub(super) range: (Iterations, Iterations),
    pub(super) scale: F::Location<T::RealScalar>,
    pub(super) abnrm: *mut T::RealScalar,
    pub(super) conditions: (F::Location<T::RealScalar>, F::Location<T::RealScalar>),
    pub(super) work: (F::Location<T>, i64),
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            layout: self.layout,
            balanc: self.balanc,
            jobs: (self.jobvl, self.jobvr),
            sense: self.sense,
            n: self.n,
            a: (self.a, self.lda),
            values: Values::Parts(self.wr, self.wi),
            vl: (self.vl, self.ldvl),
            vr: (self.vr, self.ldvr),
            range: (self.ilo, self.ihi),
            scale: self.scale,
            abnrm: self.abnrm,
            conditions: (self.rconde, self.rcondv),
            work: (self.work, self.lwork),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}

/// LAPACK's least length of work.
fn min_lwork<T: Scalar>(n: usize, vectors: bool, wanted: SchurConditions) -> usize {
    let complex = T::KIND.is_complex();
    let plain = n.saturating_mul(if complex || !vectors { 2 } else { 3 });
    // Real types without vectors reserve the workspace of condition numbers of either kind.
    if wanted.subspace || (!complex && !vectors && wanted.values) {
        let more = n.saturating_mul(n).saturating_add(n.saturating_mul(if complex { 2 } else { 6 }));
        return plain.max(more);
    }
    plain
}

impl<T: Scalar, F: Form> Run<F> for Problem<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let balancing = balancing(self.balanc)?;
        let (left, right) = (vectors("jobvl", self.jobs.0)?, vectors("jobvr", self.jobs.1)?);
        let wanted = sense(self.sense)?;
        if wanted.values && !(left && right) {
            // LAPACK's contract, although the library would not need the vectors.
            return Err(wrong_code("sense", self.sense, "one without eigenvalues, where vectors are not computed"));
        }
        let n = arguments::size("n", self.n)?;
        let order = |wanted: bool| if wanted { n } else { 0 };
        leading_dimension(A, layout, (n, n), self.a.1)?;
        leading_dimension(VL, layout, (order(left), order(left)), self.vl.1)?;
        leading_dimension(VR, layout, (order(right), order(right)), self.vr.1)?;
        let min_lwork = min_lwork::<T>(n, left || right, wanted);
        if self.work.1 == QUERY {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work.0, min_lwork) };
        }
        let a = matrix(A, layout, (n, n), self.a.0, self.a.1, true)?;
        let values = self.values.check::<T>(n)?;
        let vl = matrix(VL, layout, (order(left), order(left)), self.vl.0, self.vl.1, true)?;
        let vr = matrix(VR, layout, (order(right), order(right)), self.vr.0, self.vr.1, true)?;
        self.range.0.check_as("ilo")?;
        self.range.1.check_as("ihi")?;
        let scale = array::<T::RealScalar, _>(SCALE, n, self.scale)?;
        not_null("abnrm", self.abnrm)?;
        let rconde = array::<T::RealScalar, _>(RCONDE, order(wanted.values), self.conditions.0)?;
        let rcondv = array::<T::RealScalar, _>(RCONDV, order(wanted.subspace), self.conditions.1)?;
        let info = session.info()?;
        // SAFETY: the checks above; LAPACK requires lwork elements of work, `Run::run` memory of these shapes.
        unsafe {
            check_workspace::<T, _>(&session, self.work.0, self.work.1, min_lwork)?;
            let (a, mut values) = (a.open::<T>(&session)?, values.open::<T>(&session)?);
            let (vl, vr) = (vl.open::<T>(&session)?, vr.open::<T>(&session)?);
            let vectors = (view(left, &vl)?, view(right, &vr)?);
            let mut scale = scale.open::<T::RealScalar>(&session)?;
            let (mut rconde, mut rcondv) = (rconde.open(&session)?, rcondv.open(&session)?);
            let mut balanced = Balanced { range: 0..n, norm: 0.0 };
            let (event, result) = if let (Some(queue), Some(info)) = (session.queue(), info) {
                let info = info.open(&session)?;
                let conditions = (
                    if wanted.values { Some(rconde.write()?) } else { None },
                    if wanted.subspace { Some(rcondv.write()?) } else { None },
                );
                let (values, a) = (values.on_device()?, (a.read()?, balancing));
                let (event, found) =
                    affinimath::geevx_on(queue, a, values, vectors, scale.write()?, conditions, info.write()?)?;
                balanced = found;
                (event, Ok(()))
            } else {
                let conditions =
                    (wanted.values.then(|| rconde.slice_mut()), wanted.subspace.then(|| rcondv.slice_mut()));
                let of = (&mut balanced, scale.slice_mut());
                let result = values
                    .on_host(n, |wr, wi| affinimath::geevx(a.read()?, balancing, (wr, wi), vectors, of, conditions));
                (Event::Complete, result)
            };
            if result.as_ref().err().is_none_or(|error| error.status() > 0) {
                write_range(self.range.0, self.range.1, &balanced.range);
                self.abnrm.write(T::RealScalar::from_parts(balanced.norm, 0.0));
            }
            session.finish(event)?;
            result
        }
    }
}
