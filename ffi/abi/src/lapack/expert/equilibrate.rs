//! Factors that bring rows and columns to about the same size.

use std::ffi::c_int;

use affinimath::{Equilibration, Event, Result, Scalar};

use super::super::{S, Unneeded};
use super::{C, R, reals};
use crate::arguments::{self, matrix, not_null};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*geequ` and `affinimath*geequb`.
pub struct General<T: Scalar, F: Form, const POWERS: bool> {
    pub layout: c_int,
    pub m: i64,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub r: F::Location<T::RealScalar>,
    pub c: F::Location<T::RealScalar>,
    pub rowcnd: *mut T::RealScalar,
    pub colcnd: *mut T::RealScalar,
    pub amax: *mut T::RealScalar,
}

/// Writes real results behind pointers that were checked.
///
/// # Safety
/// The pointers must be valid for a write.
unsafe fn write<T: Scalar, const COUNT: usize>(results: [(*mut T::RealScalar, f64); COUNT]) {
    for (result, value) in results {
        // SAFETY: this function requires pointers that are valid for a write.
        unsafe { result.write(T::RealScalar::from_parts(value, 0.0)) };
    }
}

impl<T: Scalar, F: Form, const POWERS: bool> Run<F> for General<T, F, POWERS> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let (m, n) = (arguments::size("m", self.m)?, arguments::size("n", self.n)?);
        let a = matrix(A, layout, (m, n), self.a, self.lda, true)?;
        let (rows, columns) = if m == 0 || n == 0 { (0, 0) } else { (m, n) };
        // SAFETY: `matrix` checked lda, `reals` r and c; `Run::run` requires memory of these shapes.
        unsafe {
            let mut r = reals::<T>(&session, R, rows, self.r)?;
            let mut c = reals::<T>(&session, C, columns, self.c)?;
            for (name, result) in [("rowcnd", self.rowcnd), ("colcnd", self.colcnd), ("amax", self.amax)] {
                not_null(name, result)?;
            }
            let mut found = Equilibration::EMPTY;
            let a = a.open::<T>(&session)?;
            let result = if rows == 0 {
                Ok(())
            } else {
                affinimath::geequ(a.read()?, POWERS, r.slice_mut(), c.slice_mut(), &mut found)
            };
            write::<T, 3>([(self.rowcnd, found.rows), (self.colcnd, found.columns), (self.amax, found.largest)]);
            session.finish(Event::Complete)?;
            result
        }
    }
}

/// The arguments of `affinimath*poequ` and `affinimath*poequb`.
pub struct Definite<T: Scalar, F: Form, const POWERS: bool> {
    pub layout: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub s: F::Location<T::RealScalar>,
    pub scond: *mut T::RealScalar,
    pub amax: *mut T::RealScalar,
}

impl<T: Scalar, F: Form, const POWERS: bool> Run<F> for Definite<T, F, POWERS> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        // SAFETY: `matrix` checked lda, `reals` s; `Run::run` requires memory of these shapes.
        unsafe {
            let mut s = reals::<T>(&session, S, n, self.s)?;
            not_null("scond", self.scond)?;
            not_null("amax", self.amax)?;
            let mut found = Equilibration::EMPTY;
            let a = a.open::<T>(&session)?;
            let result = affinimath::poequ(a.read()?, POWERS, s.slice_mut(), &mut found);
            write::<T, 2>([(self.scond, found.rows), (self.amax, found.largest)]);
            session.finish(Event::Complete)?;
            result
        }
    }
}

/// The arguments of `affinimath*syequb`.
pub struct Indefinite<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub s: F::Location<T::RealScalar>,
    pub scond: *mut T::RealScalar,
    pub amax: *mut T::RealScalar,
    pub work: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for Indefinite<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        // SAFETY: `matrix` checked lda, `reals` s; `Run::run` requires memory of these shapes.
        unsafe {
            let mut s = reals::<T>(&session, S, n, self.s)?;
            not_null("scond", self.scond)?;
            not_null("amax", self.amax)?;
            let mut found = Equilibration::EMPTY;
            let a = a.open::<T>(&session)?;
            affinimath::syequb(triangle, a.read()?, s.slice_mut(), &mut found)?;
            write::<T, 2>([(self.scond, found.rows), (self.amax, found.largest)]);
            session.finish(Event::Complete)
        }
    }
}
