//! gbmv: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Op, Result, Scalar};
use affinimath_cpu::small::triangles::{self, StoredBand};
use affinimath_cpu::small::vectors::with_adjacent;

use super::needs;
use crate::arguments::{self, band, vector};
use crate::blas::small;
use crate::form::{A, Form, Run, X, Y};

/// Maximum of diagonals on each side of the main one in a small call.
const MOST: i64 = 1 << 20;

/// The arguments of `affinimath*gbmv`.
pub struct Call<T, F: Form> {
    pub layout: c_int,
    pub trans: c_int,
    pub m: i64,
    pub n: i64,
    pub kl: i64,
    pub ku: i64,
    pub alpha: T,
    pub a: F::Location<T>,
    pub lda: i64,
    pub x: F::Location<T>,
    pub incx: i64,
    pub beta: T,
    pub y: F::Location<T>,
    pub incy: i64,
}

impl<T: Scalar, F: Form> Run<F> for Call<T, F> {
    #[inline(always)]
    unsafe fn run_small(&self) -> bool {
        let Call { m, n, kl, ku, alpha, beta, lda, .. } = *self;
        let bandwidths = |k: i64| (0..=MOST).contains(&k);
        if alpha == T::ZERO || !small::matrix_and_vector::<T>([m, n]) || !bandwidths(kl) || !bandwidths(ku) {
            return false;
        }
        let (Some(op), Some(by_rows)) = (Op::from_code(self.trans), small::by_rows(self.layout)) else { return false };
        if !small::is_step(lda, kl + ku + 1) {
            return false;
        }
        let (m, n, kl, ku) = (m as usize, n as usize, kl as usize, ku as usize);
        let (rows, columns) = if op.transposes() { (n, m) } else { (m, n) };
        let Some(x) = small::vector::<T, F>(columns, self.x, self.incx) else { return false };
        let Some(y) = small::vector::<T, F>(rows, self.y, self.incy) else { return false };
        let Some(first) = small::pointer(self.a) else { return false };
        // A row-major band is the column-major band of the transpose.
        let (sizes, off_diagonals) = if by_rows { ([n, m], [kl, ku]) } else { ([m, n], [ku, kl]) };
        let a = StoredBand { first, sizes, off_diagonals, leading_dimension: lda as usize };
        let form = (op.transposes() != by_rows, op.conjugates());
        // SAFETY: `small::is_step` checked lda, `small::vector` incx and incy, and no pointer is null; `Run::run`
        // requires memory of these shapes.
        unsafe {
            with_adjacent::<T, false>(columns, x, |x| {
                with_adjacent::<T, true>(rows, y, |y| triangles::gbmv(form, alpha, a, x, beta, y));
            });
        }
        true
    }

    unsafe fn run(&self, form: F) -> Result<()> {
        // SAFETY: `Run::run` requires a queue and an event pointer that are null or valid.
        let session = unsafe { form.begin()? };
        let layout = arguments::layout(self.layout)?;
        let op = arguments::op("trans", self.trans)?;
        let m = arguments::size("m", self.m)?;
        let n = arguments::size("n", self.n)?;
        let kl = arguments::size("kl", self.kl)?;
        let ku = arguments::size("ku", self.ku)?;
        let (alpha, beta) = (self.alpha, self.beta);
        let (reads, writes) = needs(m == 0 || n == 0, alpha, beta);
        let (rows, columns) = if op.transposes() { (n, m) } else { (m, n) };
        let a = band(A, layout, (m, n), (kl, ku), self.a, self.lda, reads)?;
        let x = vector(X, columns, self.x, self.incx, reads)?;
        let y = vector(Y, rows, self.y, self.incy, writes)?;
        if !writes {
            return session.finish(Event::Complete); // BLAS: no element of y changes.
        }
        // SAFETY: `band` checked lda, `vector` incx and incy; `Run::run` requires memory of these shapes.
        let (a, x, y) = unsafe { (a.open::<T>(&session)?, x.open::<T>(&session)?, y.open::<T>(&session)?) };
        let (a, x, y) = (a.read()?, x.read()?, y.write()?);
        let event = match session.queue() {
            None => affinimath::gbmv(op, alpha, a, x, beta, y)?,
            Some(queue) => affinimath::gbmv_on(queue, op, alpha, a, x, beta, y)?,
        };
        session.finish(event)
    }
}
