//! hseqr of real matrices: C's arguments, in C's order, to the library's views. Its complex sibling's call ends here,
//! too.

use std::ffi::c_int;

use affinimath::{Event, MatrixShape, Result, Scalar, SchurVectors};

use super::schur::{Values, range, whole};
use super::steqr::{Compute, compute};
use super::{H, QUERY, Z, answer_query, check_workspace};
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{Form, Opened, Run};

/// The arguments of `affinimathShseqr` and `affinimathDhseqr`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub job: c_int,
    pub compz: c_int,
    pub n: i64,
    pub ilo: i64,
    pub ihi: i64,
    pub h: F::Location<T>,
    pub ldh: i64,
    pub wr: F::Location<T::RealScalar>,
    pub wi: F::Location<T::RealScalar>,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
}

/// The arguments of both.
pub(super) struct Problem<T: Scalar, F: Form> {
    pub(super) layout: c_int,
    pub(super) job: c_int,
    pub(super) compz: c_int,
    pub(super) n: i64,
    pub(super) range: (i64, i64),
    pub(super) h: (F::Location<T>, i64),
    pub(super) values: Values<F::Location<T>, F::Location<T::RealScalar>>,
    pub(super) z: (F::Location<T>, i64),
    pub(super) work: (F::Location<T>, i64),
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            layout: self.layout,
            job: self.job,
            compz: self.compz,
            n: self.n,
            range: (self.ilo, self.ihi),
            h: (self.h, self.ldh),
            values: Values::Parts(self.wr, self.wi),
            z: (self.z, self.ldz),
            work: (self.work, self.lwork),
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}

impl<T: Scalar, F: Form> Run<F> for Problem<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (whole, compute) = (whole(self.job)?, compute(self.compz)?);
        let n = arguments::size("n", self.n)?;
        let range = range(self.range.0, self.range.1, n)?;
        let order = if compute == Compute::Nothing { 0 } else { n };
        leading_dimension(H, layout, (n, n), self.h.1)?;
        leading_dimension(Z, layout, (order, order), self.z.1)?;
        if self.work.1 == QUERY {
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work.0, n) };
        }
        let h = matrix(H, layout, (n, n), self.h.0, self.h.1, true)?;
        let values = self.values.check::<T>(n)?;
        let z = matrix(Z, layout, (order, order), self.z.0, self.z.1, order > 0)?;
        let info = session.info()?;
        // SAFETY: the checks above; LAPACK requires lwork elements of work, `Run::run` memory of these shapes.
        unsafe {
            check_workspace::<T, _>(&session, self.work.0, self.work.1, n)?;
            let (h, mut values) = (h.open::<T>(&session)?, values.open::<T>(&session)?);
            let z: Option<Opened<T, MatrixShape>> = if order > 0 { Some(z.open(&session)?) } else { None };
            let vectors = match &z {
                Some(z) if compute == Compute::Vectors => SchurVectors::Into(z.write()?),
                Some(z) => SchurVectors::Product(z.write()?),
                None => SchurVectors::None,
            };
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                values.on_host(n, |wr, wi| affinimath::hseqr(h.write()?, range, whole, wr, wi, vectors))?;
                return session.finish(Event::Complete);
            };
            let info = info.open(&session)?;
            let (h, values) = (h.write()?, values.on_device()?);
            let event = affinimath::hseqr_on(queue, h, range, whole, values, vectors, info.write()?)?;
            session.finish(event)
        }
    }
}
