//! trsyl: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Error, Event, Result, Scalar};

use crate::arguments::{self, matrix, not_null};
use crate::form::{A, B, C, Form, Run};

/// The arguments of `affinimath*trsyl`.
pub struct Call<T: Scalar, F: Form> {
    pub layout: c_int,
    pub transa: c_int,
    pub transb: c_int,
    pub isgn: i64,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub c: F::Location<T>,
    pub ldc: i64,
    pub scale: *mut T::RealScalar,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let ops = [arguments::op("transa", self.transa)?, arguments::op("transb", self.transb)?];
        if self.isgn != 1 && self.isgn != -1 {
            return Err(Error::argument("isgn", format!("{} is not 1 or -1", self.isgn)));
        }
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let needed = m > 0 && n > 0;
        let a = matrix(A, layout, (m, m), self.a, self.lda, needed)?;
        let b = matrix(B, layout, (n, n), self.b, self.ldb, needed)?;
        let c = matrix(C, layout, (m, n), self.c, self.ldc, needed)?;
        not_null("scale", self.scale)?;
        let (info, operation) = (session.info()?, (ops, self.isgn < 0));
        // SAFETY: the checks above; `Run::run` requires memory of these shapes.
        unsafe {
            let real = |value: f64| T::RealScalar::from_parts(value, 0.0);
            let (a, b, c) = (a.open::<T>(&session)?, b.open::<T>(&session)?, c.open::<T>(&session)?);
            let (a, b, c) = (a.read()?, b.read()?, c.write()?);
            let (Some(queue), Some(info)) = (session.queue(), info) else {
                let result = affinimath::trsyl(ops, self.isgn < 0, a, b, c)?;
                self.scale.write(real(result.scale));
                session.finish(Event::Complete)?;
                return if result.perturbed { Err(Error::CommonEigenvalues) } else { Ok(()) };
            };
            let info = info.open(&session)?;
            let (event, result) = affinimath::trsyl_on(queue, operation, a, b, c, info.write()?)?;
            self.scale.write(real(result.scale));
            session.finish(event)
        }
    }
}
