//! trsmStridedBatched: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{Spaced, System};
use crate::arguments::{self, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*trsmStridedBatched`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub side: c_int,
    pub uplo: c_int,
    pub transa: c_int,
    pub diag: c_int,
    pub m: i64,
    pub n: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub stridea: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub strideb: i64,
    pub batch_count: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let system = System {
            layout: arguments::layout(self.layout)?,
            side: arguments::side(self.side)?,
            triangle: arguments::triangle(self.uplo)?,
            op: arguments::op("transa", self.transa)?,
            diagonal: arguments::diagonal(self.diag)?,
            m: arguments::size("m", self.m)?,
            n: arguments::size("n", self.n)?,
            alpha: self.alpha,
        };
        // The count says if pointers are needed, so it is read first; a wrong one is reported last.
        let count = usize::try_from(self.batch_count).unwrap_or(0);
        let writes = count > 0 && system.m > 0 && system.n > 0;
        let (layout, order, reads) = (system.layout, system.order(), writes && self.alpha != T::ZERO);
        let a = matrix(A, layout, (order, order), self.a, self.lda, reads)?;
        let a = Spaced::strided(a, "stridea", self.stridea, count, false)?;
        let b = matrix(B, layout, (system.m, system.n), self.b, self.ldb, writes)?;
        let b = Spaced::strided(b, "strideb", self.strideb, count, true)?;
        arguments::size("batch_count", self.batch_count)?;
        if !writes {
            return session.finish(Event::Complete); // BLAS: nothing changes.
        }
        // SAFETY: `matrix` checked lda and ldb, `Spaced::strided` stridea and strideb; `Run::run` requires memory of
        // these shapes.
        let event = unsafe { system.run::<F>(&session, a, b)? };
        session.finish(event)
    }
}
