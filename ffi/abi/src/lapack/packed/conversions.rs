//! A triangle from one storage to another: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::{AP, ARF, transr};
use crate::arguments::{self, matrix, packed};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*trttp`.
pub struct FullToPacked<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ap: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for FullToPacked<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let from = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let to = packed(AP, layout, triangle, n, self.ap, true)?;
        // SAFETY: `packed` checked ap, `matrix` lda; `Run::run` requires memory of these shapes.
        let (from, to) = unsafe { (from.open::<T>(&session)?, to.open::<T>(&session)?) };
        let (from, to) = (from.read()?, to.write()?);
        let event = match session.queue() {
            Some(queue) => affinimath::trttp_on(queue, from, to)?,
            None => {
                affinimath::trttp(from, to)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*trttf`.
pub struct FullToRectangular<T, F: Form> {
    pub layout: c_int,
    pub transr: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub arf: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for FullToRectangular<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let transr = transr::<T>(self.transr)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let from = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let to = packed(ARF, layout, triangle, n, self.arf, true)?;
        // SAFETY: `packed` checked arf, `matrix` lda; `Run::run` requires memory of these shapes.
        let (from, to) = unsafe { (from.open::<T>(&session)?, to.open::<T>(&session)?) };
        let (from, to) = (from.read()?, to.write()?);
        let event = match session.queue() {
            Some(queue) => affinimath::trttf_on(queue, transr, from, to)?,
            None => {
                affinimath::trttf(transr, from, to)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*tpttr`.
pub struct PackedToFull<T, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
    pub a: F::Location<T>,
    pub lda: i64,
}

impl<T: Scalar, F: Form> Run<F> for PackedToFull<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let from = packed(AP, layout, triangle, n, self.ap, true)?;
        let to = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        // SAFETY: `packed` checked ap, `matrix` lda; `Run::run` requires memory of these shapes.
        let (from, to) = unsafe { (from.open::<T>(&session)?, to.open::<T>(&session)?) };
        let (from, to) = (from.read()?, to.write()?);
        let event = match session.queue() {
            Some(queue) => affinimath::tpttr_on(queue, from, to)?,
            None => {
                affinimath::tpttr(from, to)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*tfttr`.
pub struct RectangularToFull<T, F: Form> {
    pub layout: c_int,
    pub transr: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub arf: F::Location<T>,
    pub a: F::Location<T>,
    pub lda: i64,
}

impl<T: Scalar, F: Form> Run<F> for RectangularToFull<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let transr = transr::<T>(self.transr)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let from = packed(ARF, layout, triangle, n, self.arf, true)?;
        let to = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        // SAFETY: `packed` checked arf, `matrix` lda; `Run::run` requires memory of these shapes.
        let (from, to) = unsafe { (from.open::<T>(&session)?, to.open::<T>(&session)?) };
        let (from, to) = (from.read()?, to.write()?);
        let event = match session.queue() {
            Some(queue) => affinimath::tfttr_on(queue, transr, from, to)?,
            None => {
                affinimath::tfttr(transr, from, to)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*tpttf`.
pub struct PackedToRectangular<T, F: Form> {
    pub layout: c_int,
    pub transr: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub ap: F::Location<T>,
    pub arf: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for PackedToRectangular<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let transr = transr::<T>(self.transr)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let from = packed(AP, layout, triangle, n, self.ap, true)?;
        let to = packed(ARF, layout, triangle, n, self.arf, true)?;
        // SAFETY: `packed` checked ap and arf; `Run::run` requires memory of these shapes.
        let (from, to) = unsafe { (from.open::<T>(&session)?, to.open::<T>(&session)?) };
        let (from, to) = (from.read()?, to.write()?);
        let event = match session.queue() {
            Some(queue) => affinimath::tpttf_on(queue, transr, from, to)?,
            None => {
                affinimath::tpttf(transr, from, to)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}

/// The arguments of `affinimath*tfttp`.
pub struct RectangularToPacked<T, F: Form> {
    pub layout: c_int,
    pub transr: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub arf: F::Location<T>,
    pub ap: F::Location<T>,
}

impl<T: Scalar, F: Form> Run<F> for RectangularToPacked<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let transr = transr::<T>(self.transr)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let from = packed(ARF, layout, triangle, n, self.arf, true)?;
        let to = packed(AP, layout, triangle, n, self.ap, true)?;
        // SAFETY: `packed` checked arf and ap; `Run::run` requires memory of these shapes.
        let (from, to) = unsafe { (from.open::<T>(&session)?, to.open::<T>(&session)?) };
        let (from, to) = (from.read()?, to.write()?);
        let event = match session.queue() {
            Some(queue) => affinimath::tfttp_on(queue, transr, from, to)?,
            None => {
                affinimath::tfttp(transr, from, to)?;
                Event::Complete
            }
        };
        session.finish(event)
    }
}
