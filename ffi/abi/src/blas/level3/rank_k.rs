//! syrk, herk, syr2k and her2k: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Result, Scalar};

use super::gemm::stored;
use crate::arguments::{self, matrix};
use crate::form::{A, B, C, Form, Run};

/// The arguments of `affinimath*syrk`, and with real factors of `affinimath*herk`.
pub struct RankK<T, R, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub trans: c_int,
    pub n: i64,
    pub k: i64,
    pub alpha: R,
    pub a: F::Place<T>,
    pub lda: i64,
    pub beta: R,
    pub c: F::Place<T>,
    pub ldc: i64,
}

/// What the two routines do with an open call.
macro_rules! rank_k {
    ($call:ident, $form:ident, $factor:ty, $routine:ident, $routine_on:ident) => {{
        // SAFETY: the caller vouches for the handles.
        let session = unsafe { $form.begin()? };
        let layout = arguments::layout($call.layout)?;
        let triangle = arguments::triangle($call.uplo)?;
        let op = arguments::op("trans", $call.trans)?;
        let (n, k) = (arguments::size("n", $call.n)?, arguments::size("k", $call.k)?);
        let (alpha, beta) = ($call.alpha, $call.beta);
        let reads = n > 0 && k > 0 && alpha != <$factor>::ZERO;
        let writes = reads || beta != <$factor>::ONE;
        let a = matrix(A, layout, stored(op, n, k), $call.a, $call.lda, reads)?;
        let c = matrix(C, layout, (n, n), $call.c, $call.ldc, writes)?;
        if n == 0 || !writes {
            return session.finish(Event::Complete); // BLAS: no element of C changes.
        }
        // SAFETY: the caller vouches for the matrices.
        let (a, c) = unsafe { (a.open::<T>(&session)?, c.open::<T>(&session)?) };
        let (a, c) = (a.read()?, c.write()?);
        let event = match session.queue() {
            None => affinimath::$routine(triangle, op, alpha, a, beta, c)?,
            Some(queue) => affinimath::$routine_on(queue, triangle, op, alpha, a, beta, c)?,
        };
        session.finish(event)
    }};
}

impl<T: Scalar, F: Form> Run<F> for RankK<T, T, F, false> {
    unsafe fn run(&self, form: F) -> Result<()> {
        rank_k!(self, form, T, syrk, syrk_on)
    }
}

impl<T: Scalar, F: Form> Run<F> for RankK<T, T::RealScalar, F, true> {
    unsafe fn run(&self, form: F) -> Result<()> {
        rank_k!(self, form, T::RealScalar, herk, herk_on)
    }
}

/// The arguments of `affinimath*syr2k`, and with a real beta of `affinimath*her2k`.
pub struct Rank2K<T, R, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub trans: c_int,
    pub n: i64,
    pub k: i64,
    pub alpha: T,
    pub a: F::Place<T>,
    pub lda: i64,
    pub b: F::Place<T>,
    pub ldb: i64,
    pub beta: R,
    pub c: F::Place<T>,
    pub ldc: i64,
}

macro_rules! rank_2k {
    ($call:ident, $form:ident, $factor:ty, $routine:ident, $routine_on:ident) => {{
        // SAFETY: the caller vouches for the handles.
        let session = unsafe { $form.begin()? };
        let layout = arguments::layout($call.layout)?;
        let triangle = arguments::triangle($call.uplo)?;
        let op = arguments::op("trans", $call.trans)?;
        let (n, k) = (arguments::size("n", $call.n)?, arguments::size("k", $call.k)?);
        let (alpha, beta) = ($call.alpha, $call.beta);
        let reads = n > 0 && k > 0 && alpha != T::ZERO;
        let writes = reads || beta != <$factor>::ONE;
        let a = matrix(A, layout, stored(op, n, k), $call.a, $call.lda, reads)?;
        let b = matrix(B, layout, stored(op, n, k), $call.b, $call.ldb, reads)?;
        let c = matrix(C, layout, (n, n), $call.c, $call.ldc, writes)?;
        if n == 0 || !writes {
            return session.finish(Event::Complete); // BLAS: no element of C changes.
        }
        // SAFETY: the caller vouches for the matrices.
        let (a, b, c) = unsafe { (a.open::<T>(&session)?, b.open::<T>(&session)?, c.open::<T>(&session)?) };
        let (a, b, c) = (a.read()?, b.read()?, c.write()?);
        let event = match session.queue() {
            None => affinimath::$routine(triangle, op, alpha, a, b, beta, c)?,
            Some(queue) => affinimath::$routine_on(queue, triangle, op, alpha, a, b, beta, c)?,
        };
        session.finish(event)
    }};
}

impl<T: Scalar, F: Form> Run<F> for Rank2K<T, T, F, false> {
    unsafe fn run(&self, form: F) -> Result<()> {
        rank_2k!(self, form, T, syr2k, syr2k_on)
    }
}

impl<T: Scalar, F: Form> Run<F> for Rank2K<T, T::RealScalar, F, true> {
    unsafe fn run(&self, form: F) -> Result<()> {
        rank_2k!(self, form, T::RealScalar, her2k, her2k_on)
    }
}
