//! Refinement with error bounds.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::super::{Pivots, Unneeded, X, about_pivots};
use super::{AF, BERR, FERR, reals, symmetry};
use crate::arguments::{self, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*gerfs`.
pub struct General<T: Scalar, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub af: F::Location<T>,
    pub ldaf: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub ferr: F::Location<T::RealScalar>,
    pub berr: F::Location<T::RealScalar>,
    pub work: Unneeded,
    pub iwork: Unneeded,
}

/// The arguments of `affinimath*porfs`.
pub struct Definite<T: Scalar, F: Form> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub af: F::Location<T>,
    pub ldaf: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub ferr: F::Location<T::RealScalar>,
    pub berr: F::Location<T::RealScalar>,
    pub work: Unneeded,
    pub iwork: Unneeded,
}

/// The arguments of `affinimath*syrfs` or, of a Hermitian matrix, `affinimath*herfs`.
pub struct Indefinite<T: Scalar, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub af: F::Location<T>,
    pub ldaf: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub x: F::Location<T>,
    pub ldx: i64,
    pub ferr: F::Location<T::RealScalar>,
    pub berr: F::Location<T::RealScalar>,
    pub work: Unneeded,
    pub iwork: Unneeded,
}

impl<T: Scalar, F: Form> Run<F> for General<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = matrix(A, layout, (n, n), self.a, self.lda, columns > 0)?;
        let factors = matrix(AF, layout, (n, n), self.af, self.ldaf, columns > 0)?;
        let pivots = if columns > 0 { n } else { 0 };
        self.ipiv.check(pivots)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let x = matrix(X, layout, (n, columns), self.x, self.ldx, true)?;
        // SAFETY: `matrix` checked the leading dimensions, `Pivots::check` ipiv; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let mut ferr = reals::<T>(&session, FERR, columns, self.ferr)?;
            let mut berr = reals::<T>(&session, BERR, columns, self.berr)?;
            if columns == 0 {
                return session.finish(Event::Complete);
            }
            let (a, factors) = (a.open::<T>(&session)?, factors.open::<T>(&session)?);
            let (b, x) = (b.open::<T>(&session)?, x.open::<T>(&session)?);
            let pivots = self.ipiv.read(&session, pivots)?;
            let (bounds, factors) = ((ferr.slice_mut(), berr.slice_mut()), (factors.read()?, pivots.as_slice()));
            affinimath::gerfs(op, a.read()?, factors, b.read()?, x.write()?, bounds).map_err(about_pivots)?;
            session.finish(Event::Complete)
        }
    }
}

impl<T: Scalar, F: Form> Run<F> for Definite<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = matrix(A, layout, (n, n), self.a, self.lda, columns > 0)?;
        let factor = matrix(AF, layout, (n, n), self.af, self.ldaf, columns > 0)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let x = matrix(X, layout, (n, columns), self.x, self.ldx, true)?;
        // SAFETY: `matrix` checked the leading dimensions; `Run::run` requires memory of these shapes.
        unsafe {
            let mut ferr = reals::<T>(&session, FERR, columns, self.ferr)?;
            let mut berr = reals::<T>(&session, BERR, columns, self.berr)?;
            if columns == 0 {
                return session.finish(Event::Complete);
            }
            let (a, factor) = (a.open::<T>(&session)?, factor.open::<T>(&session)?);
            let (b, x) = (b.open::<T>(&session)?, x.open::<T>(&session)?);
            let bounds = (ferr.slice_mut(), berr.slice_mut());
            affinimath::porfs(triangle, a.read()?, factor.read()?, b.read()?, x.write()?, bounds)?;
            session.finish(Event::Complete)
        }
    }
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Indefinite<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let (n, columns) = (arguments::size("n", self.n)?, arguments::size("nrhs", self.nrhs)?);
        let a = matrix(A, layout, (n, n), self.a, self.lda, columns > 0)?;
        let factors = matrix(AF, layout, (n, n), self.af, self.ldaf, columns > 0)?;
        let pivots = if columns > 0 { n } else { 0 };
        self.ipiv.check(pivots)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        let x = matrix(X, layout, (n, columns), self.x, self.ldx, true)?;
        // SAFETY: `matrix` checked the leading dimensions, `Pivots::check` ipiv; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let mut ferr = reals::<T>(&session, FERR, columns, self.ferr)?;
            let mut berr = reals::<T>(&session, BERR, columns, self.berr)?;
            if columns == 0 {
                return session.finish(Event::Complete);
            }
            let (a, factors) = (a.open::<T>(&session)?, factors.open::<T>(&session)?);
            let (b, x) = (b.open::<T>(&session)?, x.open::<T>(&session)?);
            let pivots = self.ipiv.read(&session, pivots)?;
            let kind = (symmetry(HERMITIAN), triangle);
            let (bounds, factors) = ((ferr.slice_mut(), berr.slice_mut()), (factors.read()?, pivots.as_slice()));
            affinimath::syrfs(kind, a.read()?, factors, b.read()?, x.write()?, bounds).map_err(about_pivots)?;
            session.finish(Event::Complete)
        }
    }
}
