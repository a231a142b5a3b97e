//! Reciprocal condition numbers from factors.

use std::ffi::c_int;

use affinimath::{Error, Event, Pivoting, Result, Scalar};

use super::super::{Pivots, RCOND, Unneeded, about_pivots};
use super::symmetry;
use crate::arguments::{self, matrix, numbers};
use crate::form::{A, Form, Run};

/// The arguments of `affinimath*sycon`, and those of Hermitian matrices and of the rook variant.
pub struct OfTriangle<T: Scalar, F: Form, const HERMITIAN: bool, const ROOK: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub n: i64,
    pub a: F::Location<T>,
    pub lda: i64,
    pub ipiv: Pivots<F::Location<i32>>,
    pub anorm: T::RealScalar,
    pub rcond: F::Location<T::RealScalar>,
    pub work: Unneeded,
    pub iwork: Unneeded,
}

impl<T: Scalar, F: Form, const HERMITIAN: bool, const ROOK: bool> Run<F> for OfTriangle<T, F, HERMITIAN, ROOK> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let triangle = arguments::triangle(self.uplo)?;
        let n = arguments::size("n", self.n)?;
        let a = matrix(A, layout, (n, n), self.a, self.lda, true)?;
        self.ipiv.check(n)?;
        if self.anorm.re() < 0.0 {
            return Err(Error::argument("anorm", format!("{} is negative", self.anorm.re())));
        }
        let rcond = numbers::<T::RealScalar, _>(RCOND, 1, self.rcond)?;
        let pivoting = if ROOK { Pivoting::Rook } else { Pivoting::BunchKaufman };
        // SAFETY: `matrix` checked lda, `Pivots::check` ipiv, `numbers` rcond; `Run::run` requires memory of these
        // shapes.
        unsafe {
            let (a, rcond) = (a.open::<T>(&session)?, rcond.open(&session)?);
            let pivots = self.ipiv.read(&session, n)?;
            let factors = (a.read()?, pivots.as_slice());
            let found = affinimath::sycon((symmetry(HERMITIAN), triangle), pivoting, factors, self.anorm);
            rcond.set([found.map_err(about_pivots)?]);
            session.finish(Event::Complete)
        }
    }
}
