//! Products with a sparse matrix, and triangular systems.

use std::ffi::c_int;

use affinimath::route::{StagedMatrix, StagedVector};
use affinimath::{Event, Op, Result};
use affinimath_abi::arguments::{self, matrix, size, vector};
use affinimath_abi::form::{B, C, Form, Run, X, Y};

use super::handle::{Matrix, Typed, with_width};

/// The arguments of `affinimath*csrmv`.
pub(crate) struct Csrmv<T: Typed, F: Form> {
    pub(crate) trans: c_int,
    pub(crate) alpha: T,
    pub(crate) a: Matrix<T, F>,
    pub(crate) x: F::Location<T>,
    pub(crate) incx: i64,
    pub(crate) beta: T,
    pub(crate) y: F::Location<T>,
    pub(crate) incy: i64,
}

impl<T: Typed, F: Form> Run<F> for Csrmv<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let op = arguments::op("trans", self.trans)?;
        // SAFETY: `Run::run` requires a matrix that is null or live.
        let held = unsafe { self.a.held("a", &session)? };
        let (rows, columns) = (held.rows(), held.columns());
        let (rows, columns) = if op.transposes() { (columns, rows) } else { (rows, columns) };
        let (alpha, beta) = (self.alpha, self.beta);
        let (reads, writes) = (alpha != T::ZERO && rows > 0, alpha != T::ZERO || beta != T::ONE);
        let x = vector::<T, _>(X, columns, self.x, self.incx, reads)?;
        let y = vector::<T, _>(Y, rows, self.y, self.incy, writes)?;
        if !y.is_needed() {
            return session.finish(Event::Complete); // BLAS: no element of y changes.
        }
        // SAFETY: `vector` checked incx and incy; `Run::run` requires memory of these shapes.
        let (x, y) = unsafe { (x.open::<T>(&session)?, y.open::<T>(&session)?) };
        if let Some(queue) = session.queue() {
            let (x, y) = (x.read()?, y.write()?);
            let event = with_width!(&held, matrix => matrix.multiply_on(queue, op, alpha, x, beta, y)?);
            return session.finish(event);
        }
        let context = held.context();
        let x = if reads { Some(StagedVector::reading(context, x.read()?)?) } else { None };
        let mut y = StagedVector::writing(context, y.write()?, beta != T::ZERO)?;
        let event = match &x {
            Some(x) => with_width!(&held, matrix => matrix.multiply(op, alpha, x.view()?, beta, y.view_mut()?)?),
            // alpha = 0 never reads x, which may be null, so y is scaled alone.
            None => affinimath::axpby(alpha, context.zeros(rows)?.vector()?, beta, y.view_mut()?)?,
        };
        event.wait()?;
        y.take_back()
    }
}

/// The arguments of `affinimath*csrmm`.
pub(crate) struct Csrmm<T: Typed, F: Form> {
    pub(crate) layout: c_int,
    pub(crate) trans: c_int,
    pub(crate) n: i64,
    pub(crate) alpha: T,
    pub(crate) a: Matrix<T, F>,
    pub(crate) b: F::Location<T>,
    pub(crate) ldb: i64,
    pub(crate) beta: T,
    pub(crate) c: F::Location<T>,
    pub(crate) ldc: i64,
}

impl<T: Typed, F: Form> Run<F> for Csrmm<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        let n = size("n", self.n)?;
        // SAFETY: `Run::run` requires a matrix that is null or live.
        let held = unsafe { self.a.held("a", &session)? };
        let (rows, columns) = (held.rows(), held.columns());
        let (rows, columns) = if op.transposes() { (columns, rows) } else { (rows, columns) };
        let (alpha, beta) = (self.alpha, self.beta);
        let (reads, writes) = (alpha != T::ZERO && rows > 0, alpha != T::ZERO || beta != T::ONE);
        let b = matrix::<T, _>(B, layout, (columns, n), self.b, self.ldb, reads)?;
        let c = matrix::<T, _>(C, layout, (rows, n), self.c, self.ldc, writes)?;
        if !c.is_needed() {
            return session.finish(Event::Complete); // BLAS: no element of C changes.
        }
        // SAFETY: `matrix` checked ldb and ldc; `Run::run` requires memory of these shapes.
        let (b, c) = unsafe { (b.open::<T>(&session)?, c.open::<T>(&session)?) };
        if let Some(queue) = session.queue() {
            let (b, c) = (b.read()?, c.write()?);
            let event = with_width!(&held, matrix => matrix.multiply_dense_on(queue, op, alpha, b, beta, c)?);
            return session.finish(event);
        }
        let context = held.context();
        let b = if reads { Some(StagedMatrix::reading(context, b.read()?)?) } else { None };
        let mut c = StagedMatrix::writing(context, c.write()?, beta != T::ZERO)?;
        let event = match &b {
            Some(b) => with_width!(&held, matrix => matrix.multiply_dense(op, alpha, b.view()?, beta, c.view_mut()?)?),
            // alpha = 0 never reads B, which may be null: a product with k = 0 scales C.
            None => {
                let nothing = context.zeros(0)?;
                let (a, b) = (nothing.matrix(rows, 0)?, nothing.matrix(0, n)?);
                affinimath::gemm(Op::NoTrans, Op::NoTrans, alpha, a, b, beta, c.view_mut()?)?
            }
        };
        event.wait()?;
        c.take_back()
    }
}

/// The arguments of `affinimath*csrsv`.
pub(crate) struct Csrsv<T: Typed, F: Form> {
    pub(crate) uplo: c_int,
    pub(crate) trans: c_int,
    pub(crate) diag: c_int,
    pub(crate) a: Matrix<T, F>,
    pub(crate) x: F::Location<T>,
    pub(crate) incx: i64,
}

impl<T: Typed, F: Form> Run<F> for Csrsv<T, F> {
    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let triangle = arguments::triangle(self.uplo)?;
        let op = arguments::op("trans", self.trans)?;
        let diagonal = arguments::diagonal(self.diag)?;
        // SAFETY: `Run::run` requires a matrix that is null or live.
        let held = unsafe { self.a.held("a", &session)? };
        let x = vector::<T, _>(X, held.order("a")?, self.x, self.incx, true)?;
        if !x.is_needed() {
            return session.finish(Event::Complete); // There are no unknowns.
        }
        // SAFETY: `vector` checked incx; `Run::run` requires memory of this shape.
        let x = unsafe { x.open::<T>(&session)? };
        if let Some(queue) = session.queue() {
            let x = x.write()?;
            let event = with_width!(&held, matrix => matrix.solve_triangle_on(queue, triangle, op, diagonal, x)?);
            return session.finish(event);
        }
        let mut x = StagedVector::writing(held.context(), x.write()?, true)?;
        with_width!(&held, matrix => matrix.solve_triangle(triangle, op, diagonal, x.view_mut()?)?).wait()?;
        x.take_back()
    }
}
