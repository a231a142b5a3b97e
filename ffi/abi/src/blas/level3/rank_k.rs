//! syrk, herk, syr2k and her2k: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar, Symmetry, Triangle};
use affinimath_cpu::small::products;

use super::gemm::stored;
use crate::arguments::{self, matrix};
use crate::blas::small;
use crate::form::{A, B, C, Form, Location, Run};

/// The arguments of `affinimath*syrk`, and with real factors of `affinimath*herk`.
pub struct RankK<T, R, F: Form, const HERMITIAN: bool> {
    pub layout: c_int,
    pub uplo: c_int,
    pub trans: c_int,
    pub n: i64,
    pub k: i64,
    pub alpha: R,
    pub a: F::Location<T>,
    pub lda: i64,
    pub beta: R,
    pub c: F::Location<T>,
    pub ldc: i64,
}

/// A small update of rank k, or with B of rank 2k; alpha is not 0. Operands are pointers and leading dimensions.
///
/// # Safety
/// The contract of [`Run::run`].
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's syr2k")]
#[inline(always)]
unsafe fn small_rank_k<T: Scalar, P: Location<T>>(
    hermitian: bool,
    (layout, uplo, trans): (c_int, c_int, c_int),
    [n, k]: [i64; 2],
    alpha: T,
    a: (P, i64),
    b: Option<(P, i64)>,
    beta: T,
    c: (P, i64),
) -> bool {
    let codes = (small::by_rows(layout), Triangle::from_code(uplo), Op::from_code(trans));
    let (Some(by_rows), Some(mut triangle), Some(op)) = codes else { return false };
    let turned = if hermitian { Op::ConjTrans } else { Op::Trans };
    if (op != Op::NoTrans && op != turned) || !small::product::<T>([n, n, k]) {
        return false;
    }
    let (n, k, mut is_turned, mut alpha) = (n as usize, k as usize, op == turned, alpha);
    if by_rows {
        // The transposed equation is column-major.
        (triangle, is_turned) = (triangle.transposed(), !is_turned);
        alpha = if hermitian { alpha.conjugate() } else { alpha };
    }
    let rows = if is_turned { k } else { n };
    let (Some(a), Some(c)) = (small::by_columns(a.0, rows, a.1), small::by_columns(c.0, n, c.1)) else { return false };
    let second = match b {
        None => None,
        Some((b, ldb)) => match small::by_columns(b, rows, ldb) {
            None => return false,
            b => b,
        },
    };
    let symmetry = if hermitian { Symmetry::Hermitian } else { Symmetry::Symmetric };
    // SAFETY: `small::by_columns` checked the leading dimensions, and no pointer is null; this function has
    // `Run::run`'s contract.
    unsafe { products::rank_k((triangle, symmetry, is_turned), [n, k], alpha, a, second, beta, c) }
}

/// The body of syrk and herk.
macro_rules! rank_k {
    ($call:ident, $form:ident, $factor:ty, $routine:ident, $routine_on:ident) => {{
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
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
        // SAFETY: `matrix` checked lda and ldc; `Run::run` requires memory of these shapes.
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
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO {
            return false;
        }
        let (alpha, beta) = (self.alpha, self.beta);
        let (codes, sizes) = ((self.layout, self.uplo, self.trans), [self.n, self.k]);
        let (a, c) = ((self.a, self.lda), (self.c, self.ldc));
        // SAFETY: `small_rank_k` has `Run::run`'s contract.
        unsafe { small_rank_k(false, codes, sizes, alpha, a, None, beta, c) }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        rank_k!(self, form, T, syrk, syrk_on)
    }
}

impl<T: Scalar, F: Form> Run<F> for RankK<T, T::RealScalar, F, true> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::RealScalar::ZERO {
            return false;
        }
        let (alpha, beta) = (T::from_parts(self.alpha.into(), 0.0), T::from_parts(self.beta.into(), 0.0));
        let (codes, sizes) = ((self.layout, self.uplo, self.trans), [self.n, self.k]);
        let (a, c) = ((self.a, self.lda), (self.c, self.ldc));
        // SAFETY: `small_rank_k` has `Run::run`'s contract.
        unsafe { small_rank_k(true, codes, sizes, alpha, a, None, beta, c) }
    }

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
    pub a: F::Location<T>,
    pub lda: i64,
    pub b: F::Location<T>,
    pub ldb: i64,
    pub beta: R,
    pub c: F::Location<T>,
    pub ldc: i64,
}

macro_rules! rank_2k {
    ($call:ident, $form:ident, $factor:ty, $routine:ident, $routine_on:ident) => {{
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
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
        // SAFETY: `matrix` checked lda, ldb and ldc; `Run::run` requires memory of these shapes.
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
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO {
            return false;
        }
        let (alpha, beta) = (self.alpha, self.beta);
        let (codes, sizes) = ((self.layout, self.uplo, self.trans), [self.n, self.k]);
        let (a, c) = ((self.a, self.lda), (self.c, self.ldc));
        // SAFETY: `small_rank_k` has `Run::run`'s contract.
        unsafe { small_rank_k(false, codes, sizes, alpha, a, Some((self.b, self.ldb)), beta, c) }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        rank_2k!(self, form, T, syr2k, syr2k_on)
    }
}

impl<T: Scalar, F: Form> Run<F> for Rank2K<T, T::RealScalar, F, true> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        if self.alpha == T::ZERO {
            return false;
        }
        let (alpha, beta) = (self.alpha, T::from_parts(self.beta.into(), 0.0));
        let (codes, sizes) = ((self.layout, self.uplo, self.trans), [self.n, self.k]);
        let (a, c) = ((self.a, self.lda), (self.c, self.ldc));
        // SAFETY: `small_rank_k` has `Run::run`'s contract.
        unsafe { small_rank_k(true, codes, sizes, alpha, a, Some((self.b, self.ldb)), beta, c) }
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        rank_2k!(self, form, T::RealScalar, her2k, her2k_on)
    }
}
