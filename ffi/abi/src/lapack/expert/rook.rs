//! The rook variant of Bunch and Kaufman's factorisation.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::super::{Pivots, QUERY, Unneeded, about_pivots, answer_query, check_pivot_rows, check_workspace};
use super::symmetry;
use crate::arguments::{self, leading_dimension, matrix};
use crate::form::{A, B, Form, Run};

/// The arguments of `affinimath*sytrfRook` or, of a Hermitian matrix, `affinimath*hetrfRook`.
pub struct Factor<T: Scalar, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Factor<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        check_pivot_rows(n, 1)?;
        if self.lwork == QUERY {
            leading_dimension(A, layout, (n, n), self.lda)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, 1) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        self.ipiv.check(n)?;
        // SAFETY: `matrix` checked lda, `Pivots::check` ipiv; LAPACK requires lwork elements of work, `Run::run` memory
        // of these shapes.
        unsafe {
            check_workspace::<T, _>(&session, self.work, self.lwork, 1)?;
            let a = a.open::<T>(&session)?;
            self.ipiv.write(&session, n, |pivots| {
                affinimath::sytrf_rook((symmetry(HERMITIAN), triangle), a.write()?, pivots)
            })?;
        }
        session.finish(Event::Complete)
    }
}

/// The arguments of `affinimath*sytrsRook` or, of a Hermitian matrix, `affinimath*hetrsRook`.
pub struct Solve<T: Scalar, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Solve<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let columns = arguments::size("nrhs", self.nrhs)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, columns > 0)?;
        self.ipiv.check(if columns > 0 { n } else { 0 })?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        if n == 0 || columns == 0 {
            return session.finish(Event::Complete); // LAPACK: nothing changes.
        }
        // SAFETY: `matrix` checked lda and ldb, `Pivots::check` ipiv; `Run::run` requires memory of these shapes.
        unsafe {
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            let pivots = self.ipiv.read(&session, n)?;
            affinimath::sytrs_rook((symmetry(HERMITIAN), triangle), (a.read()?, &pivots), b.write()?)
                .map_err(about_pivots)?;
        }
        session.finish(Event::Complete)
    }
}

/// The arguments of `affinimath*sysvRook` or, of a Hermitian matrix, `affinimath*hesvRook`.
pub struct SolveAtOnce<T: Scalar, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub nrhs: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub work: F::Location<T>,
    pub lwork: i64,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for SolveAtOnce<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        check_pivot_rows(n, 1)?;
        let columns = arguments::size("nrhs", self.nrhs)?;
        if self.lwork == QUERY {
            leading_dimension(A, layout, (n, n), self.lda)?;
            leading_dimension(B, layout, (n, columns), self.ldb)?;
            // SAFETY: LAPACK requires an element of work, in a query too.
            return unsafe { answer_query::<T, _>(&session, self.work, 1) };
        }
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        self.ipiv.check(n)?;
        let b = matrix(B, layout, (n, columns), self.b, self.ldb, true)?;
        // SAFETY: `matrix` checked lda and ldb, `Pivots::check` ipiv; LAPACK requires lwork elements of work,
        // `Run::run` memory of these shapes.
        unsafe {
            check_workspace::<T, _>(&session, self.work, self.lwork, 1)?;
            let (a, b) = (a.open::<T>(&session)?, b.open::<T>(&session)?);
            self.ipiv.write(&session, n, |pivots| {
                affinimath::sysv_rook((symmetry(HERMITIAN), triangle), a.write()?, pivots, b.write()?)
            })?;
        }
        session.finish(Event::Complete)
    }
}

/// The arguments of `affinimath*sytriRook` or, of a Hermitian matrix, `affinimath*hetriRook`.
pub struct Invert<T: Scalar, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub work: Unneeded,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool> Run<F> for Invert<T, F, HERMITIAN> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        self.ipiv.check(n)?;
        // SAFETY: `matrix` checked lda, `Pivots::check` ipiv; `Run::run` requires memory of these shapes.
        unsafe {
            let a = a.open::<T>(&session)?;
            let pivots = self.ipiv.read(&session, n)?;
            affinimath::sytri_rook((symmetry(HERMITIAN), triangle), a.write()?, &pivots).map_err(about_pivots)?;
        }
        session.finish(Event::Complete)
    }
}
