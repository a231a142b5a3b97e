//! Condition numbers of band matrices, triangular band systems, and generalised problems made standard ones.

use std::ffi::c_int;

use affinimath::{Error, Event, Result, Scalar};

use super::super::job::pencil;
use super::super::{AB, Pivots, RCOND, Unneeded, about_pivots, band_rows};
use crate::arguments::{self, matrix, numbers};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*gbcon`.
pub struct Condition<T: Scalar, F: Form> {
    pub layout: c_int,
    pub norm: c_int,
    pub n: i64,
    pub kl: i64,
    pub ku: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub anorm: T::RealScalar,
    pub rcond: F::Location<T::RealScalar>,
    pub work: Unneeded,
    pub iwork: Unneeded,
}

/// Refuses a norm that is negative.
pub(super) fn not_negative<T: Scalar>(anorm: T::RealScalar) -> Result<()> {
    if anorm.re() < 0.0 {
        return Err(Error::argument("anorm", format!("{} is negative", anorm.re())));
    }
    Ok(())
}

impl<T: Scalar, F: Form> Run<F> for Condition<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let norm = arguments::consistent_norm(self.norm)?;
        let n = arguments::size("n", self.n)?;
        let (kl, ku) = (arguments::size("kl", self.kl)?, arguments::size("ku", self.ku)?);
        let rows = band_rows(kl, kl.saturating_add(ku));
        let ab = matrix(AB, layout, (rows, n), self.ab, self.ldab, true)?;
        self.ipiv.check(n)?;
        not_negative::<T>(self.anorm)?;
        let rcond = numbers::<T::RealScalar, _>(RCOND, 1, self.rcond)?;
        // SAFETY: `matrix` checked ldab, `Pivots::check` ipiv, `numbers` rcond; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let (ab, rcond) = (ab.open::<T>(&session)?, rcond.open(&session)?);
            let pivots = self.ipiv.read(&session, n)?;
            let found = affinimath::gbcon(norm, [kl, ku], (ab.read()?, &pivots), self.anorm);
            rcond.set([found.map_err(about_pivots)?]);
            session.finish(Event::Complete)
        }
    }
}

/// The arguments of `affinimath*tbtrs`.
pub struct Solve<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub trans: c_int,
    pub diag: c_int,
    pub n: i64,
    pub kd: i64,
    pub nrhs: i64,
    pub ab: F::Location<T>,
    pub ldab: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Solve<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let op = arguments::op("trans", self.trans)?;
        let diagonal = arguments::diagonal(self.diag)?;
        let n = arguments::size("n", self.n)?;
        let (kd, columns) = (arguments::size("kd", self.kd)?, arguments::size("nrhs", self.nrhs)?);
        let ab = matrix(AB, layout, (band_rows(0, kd), n), self.ab, self.ldab, true)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        if n == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked ldab and ldb; `Run::run` requires memory of these shapes.
        unsafe {
            let (ab, b) = (ab.open::<T>(&session)?, b.open::<T>(&session)?);
            affinimath::tbtrs((triangle, op, diagonal), kd, ab.read()?, b.write()?)?;
        }
        session.finish(Event::Complete)
    }
}

/// The arguments of `affinimath*sygst`.
pub struct Standardise<T: Scalar, F: Form> {
    pub layout: c_int,
    pub itype: i64,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form> Run<F> for Standardise<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let pencil = pencil(self.itype)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        let b = matrix(B, layout, (n, n), self.b, self.ldb, true)?;
        // SAFETY: `matrix` checked lda and ldb; `Run::run` requires memory of these shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            affinimath::hegst((pencil, triangle), a.write()?, b.read()?)?;
        }
        session.finish(Event::Complete)
    }
}
