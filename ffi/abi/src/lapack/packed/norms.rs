//! Norms of matrices of which a triangle is stored: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Result, Scalar};

use super::super::Unneeded;
use super::{A, AP, transr};
use crate::arguments::{self, numbers, packed};
use crate::form::{Form, RESULT, Run};

/// The arguments of `affinimath*lansp` or, of a Hermitian matrix, `affinimath*lanhp`.
pub struct Mirrored<T: Scalar, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub norm: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
    pub work: Unneeded,
    pub result: F::Location<T::RealScalar>,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Mirrored<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let norm = arguments::norm(self.norm)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        let result = numbers(RESULT, 1, self.result)?;
        // SAFETY: `packed` checked ap, `numbers` result; `Run::run` requires memory of these shapes.
        let (a, result) = unsafe { (a.open::<T>(&session)?, result.open::<T::RealScalar>(&session)?) };
        let a = a.read()?;
        let event = match session.queue() {
            None if HERMITIAN => result.complete(affinimath::lanhp(norm, a)?),
            None => result.complete(affinimath::lansp(norm, a)?),
            Some(queue) if HERMITIAN => affinimath::lanhp_on(queue, norm, a, result.write()?)?,
            Some(queue) => affinimath::lansp_on(queue, norm, a, result.write()?)?,
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*lantp`.
pub struct Triangular<T: Scalar, F: Form> {
    pub layout: c_int,
    pub norm: c_int,
    pub uplo: c_int,
    pub diag: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
    pub work: Unneeded,
    pub result: F::Location<T::RealScalar>,
}

impl<T: Scalar, F: Form> Run<F> for Triangular<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let norm = arguments::norm(self.norm)?;
        let triangle = arguments::triangle(self.uplo)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let n = arguments::size("n", self.n)?;
        let a = packed(AP, layout, triangle, n, self.ap, true)?;
        let result = numbers(RESULT, 1, self.result)?;
        // SAFETY: `packed` checked ap, `numbers` result; `Run::run` requires memory of these shapes.
        let (a, result) = unsafe { (a.open::<T>(&session)?, result.open::<T::RealScalar>(&session)?) };
        let a = a.read()?;
        let event = match session.queue() {
            None => result.complete(affinimath::lantp(norm, diagonal, a)?),
            Some(queue) => affinimath::lantp_on(queue, norm, diagonal, a, result.write()?)?,
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*lansf` or, of a Hermitian matrix, `affinimath*lanhf`.
pub struct Rectangular<T: Scalar, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub norm: c_int,
    pub transr: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub work: Unneeded,
    pub result: F::Location<T::RealScalar>,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Rectangular<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let norm = arguments::norm(self.norm)?;
        let transr = transr::<T>(self.transr)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = packed(A, layout, triangle, n, self.a, true)?;
        let result = numbers(RESULT, 1, self.result)?;
        // SAFETY: `packed` checked a, `numbers` result; `Run::run` requires memory of these shapes.
        let (a, result) = unsafe { (a.open::<T>(&session)?, result.open::<T::RealScalar>(&session)?) };
        let a = a.read()?;
        let event = match session.queue() {
            None if HERMITIAN => result.complete(affinimath::lanhf(norm, transr, a)?),
            None => result.complete(affinimath::lansf(norm, transr, a)?),
            Some(queue) if HERMITIAN => affinimath::lanhf_on(queue, norm, transr, a, result.write()?)?,
            Some(queue) => affinimath::lansf_on(queue, norm, transr, a, result.write()?)?,
        };
        session.finish(event)
    }
}
