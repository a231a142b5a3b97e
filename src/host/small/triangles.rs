//! Level 2 with a triangle of a small full matrix: adjacent vectors, one thread.

use pulp::WithSimd;

use crate::blas::level2::update::Conjugated;
use crate::blas::level2::{ColumnStarts, Stored};
use crate::host::level2::serial::{Columns, Form, Product, Triangular, Update};
use crate::options::{Op, Triangle};
use crate::scalar::Scalar;
use crate::wide::dispatch;

/// Orders up to which elements are computed one by one: a vector that is loaded and stored in part takes longer.
const FEW: usize = 4;

/// A triangle of a square matrix in memory, stored by rows or by columns.
#[derive(Clone, Copy, Debug)]
pub struct StoredTriangle<T> {
    /// The matrix's first element.
    pub first: *mut T,
    /// Its order, 1 at least.
    pub n: usize,
    /// Elements between the starts of neighbouring columns, or rows: n at least.
    pub leading_dimension: usize,
    /// Whether it is stored by rows.
    pub by_rows: bool,
    /// The triangle, as the caller names it.
    pub triangle: Triangle,
}

impl<T: Scalar> StoredTriangle<T> {
    #[inline(always)]
    fn columns(&self) -> Columns<T> {
        let StoredTriangle { first, n, leading_dimension, by_rows, triangle } = *self;
        let starts = ColumnStarts { shift: 0, linear: 2 * leading_dimension, quadratic: 0 };
        let whole = Stored { rows: n, columns: n, offset: 0, starts, above: n, below: n };
        Columns { start: first, stored: whole.only(triangle, by_rows) }
    }
}

/// Runs loops on a matrix of order n.
#[inline(always)]
fn run<W: WithSimd<Output = ()>>(n: usize, work: W) {
    if n <= FEW { work.with_simd(pulp::Scalar::new()) } else { dispatch(work) }
}

/// y := alpha A x + beta y for symmetric A, or for Hermitian A.
///
/// # Safety
/// The triangle and the vectors must be valid, and y must be nobody else's.
#[inline]
pub unsafe fn symv<T: Scalar>(hermitian: bool, alpha: T, a: StoredTriangle<T>, x: *const T, beta: T, y: *mut T) {
    let form = if hermitian { Form::Hermitian } else { Form::Symmetric };
    // The transpose of a Hermitian matrix is its conjugate.
    let conjugate = hermitian && a.by_rows;
    let all = [0, a.n];
    run(a.n, &Product { a: a.columns(), rows: all, columns: all, form, conjugate, alpha, x, beta, y });
}

/// x := op(A) x, or x := op(A)⁻¹ x, where `unit` says that the diagonal is all ones, and not read.
///
/// # Safety
/// The triangle and the vector must be valid, and the vector must be nobody else's.
#[inline]
pub unsafe fn triangular<T: Scalar, const SOLVE: bool>(op: Op, unit: bool, a: StoredTriangle<T>, x: *mut T) {
    let (transpose, conjugate) = (op.transposes() != a.by_rows, op.conjugates());
    run(a.n, &Triangular::<T, SOLVE> { a: a.columns(), transpose, conjugate, unit, x });
}

/// A := A + alpha x xᵀ, or with y A := A + alpha x yᵀ + alpha y xᵀ; of a Hermitian matrix A + alpha x xᴴ with a real alpha, and
/// A + alpha x yᴴ + conj(alpha) y xᴴ.
///
/// # Safety
/// The triangle and the vectors must be valid, and the triangle must be nobody else's.
#[inline]
pub unsafe fn update<T: Scalar>(hermitian: bool, alpha: T, x: *const T, y: Option<*const T>, a: StoredTriangle<T>) {
    let mirrored = if hermitian { alpha.conjugate() } else { alpha };
    // The transpose of alpha x yᴴ + conj(alpha) y xᴴ is conj(alpha) conj(x) yᵀ + alpha conj(y) xᵀ.
    let (alpha, beta) = if a.by_rows && y.is_some() { (mirrored, alpha) } else { (alpha, mirrored) };
    let conjugated = match (hermitian, a.by_rows) {
        (false, _) => Conjugated::Neither,
        (true, false) => Conjugated::Columns,
        (true, true) => Conjugated::Rows,
    };
    let beta = y.map(|_| beta);
    let (columns, y) = ([0, a.n], y.unwrap_or(x));
    run(a.n, &Update { a: a.columns(), columns, alpha, x, beta, y, conjugated, real_diagonal: hermitian });
}

#[cfg(test)]
mod tests;
