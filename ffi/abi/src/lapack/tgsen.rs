//! tgsen of real matrices: C's arguments, in C's order, to the library's views. Its complex sibling's call ends here,
//! too.

use std::ffi::c_int;

use affinimath::{Error, Event, Result, Scalar};

use super::geev::view;
use super::job::vectors;
use super::quotients::QuotientLocations;
use super::schur::Flags;
use super::{Iterations, Q, Z};
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimathStgsen` and `affinimathDtgsen`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub compq: c_int,
    pub compz: c_int,
    pub select: Flags,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub alphar: F::Location<T::RealScalar>,
    pub alphai: F::Location<T::RealScalar>,
    pub beta: F::Location<T::RealScalar>,
    pub q: F::Location<T>,
    pub ldq: i64,
    pub z: F::Location<T>,
    pub ldz: i64,
    pub m: Iterations,
}

/// The arguments of both.
pub(super) struct Problem<T: Scalar, F: Form> {
    pub(super) options: (c_int, c_int, c_int),
    pub(super) select: Flags,
    pub(super) n: i64,
    pub(super) a: (F::Location<T>, i64),
    pub(super) b: (F::Location<T>, i64),
    pub(super) values: QuotientLocations<F::Location<T>, F::Location<T::RealScalar>>,
    pub(super) q: (F::Location<T>, i64),
    pub(super) z: (F::Location<T>, i64),
    pub(super) m: Iterations,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        let problem = Problem::<T, F> {
            options: (self.layout, self.compq, self.compz),
            select: self.select,
            n: self.n,
            a: (self.a, self.lda),
            b: (self.b, self.ldb),
            values: QuotientLocations::Parts(self.alphar, self.alphai, self.beta),
            q: (self.q, self.ldq),
            z: (self.z, self.ldz),
            m: self.m,
        };
        // SAFETY: it has this function's contract.
        unsafe { problem.run(form) }
    }
}

impl<T: Scalar, F: Form> Run<F> for Problem<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.options.0)?;
        let (has_q, has_z) = (vectors("compq", self.options.1)?, vectors("compz", self.options.2)?);
        let n = arguments::size("n", self.n)?;
        let order = |wanted: bool| if wanted { n } else { 0 };
        leading_dimension(A, layout, (n, n), self.a.1)?;
        leading_dimension(B, layout, (n, n), self.b.1)?;
        leading_dimension(Q, layout, (order(has_q), order(has_q)), self.q.1)?;
        leading_dimension(Z, layout, (order(has_z), order(has_z)), self.z.1)?;
        self.select.check(n)?;
        let a = matrix(A, layout, (n, n), self.a.0, self.a.1, true)?;
        let b = matrix(B, layout, (n, n), self.b.0, self.b.1, true)?;
        let values = self.values.check::<T>(n)?;
        let q = matrix(Q, layout, (order(has_q), order(has_q)), self.q.0, self.q.1, has_q)?;
        let z = matrix(Z, layout, (order(has_z), order(has_z)), self.z.0, self.z.1, has_z)?;
        self.m.check_as("m")?;
        let info = session.info()?;
        // SAFETY: the checks above; `Run::run` requires n flags, and memory of these shapes. The count is at most n.
        unsafe {
            let select = self.select.read(n);
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let (q, z) = (q.open::<T>(&session)?, z.open::<T>(&session)?);
            let mut values = values.open::<T>(&session)?;
            let (a, b, q, z) = (a.write()?, b.write()?, view(has_q, &q)?, view(has_z, &z)?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                let order = values.on_host(n, |values| affinimath::tgsen(a, b, &select, values, q, z))?;
                self.m.write(order.count as i32);
                session.finish(Event::Complete)?;
                return if order.failed { Err(Error::EigenvaluesTooClose { index: 1 }) } else { Ok(()) };
            };
            let info = info.open(&session)?;
            let (values, info) = (values.on_device()?, info.write()?);
            let (event, order) = affinimath::tgsen_on(queue, a, b, &select, values, q, z, info)?;
            self.m.write(order.count as i32);
            session.finish(event)
        }
    }
}
