//! Level 2 with small triangles and bands: adjacent vectors, one thread.

use affinimath_macros::instances;
use pulp::WithSimd;

use crate::level2::serial::{Columns, Form, Product, Triangular, Update};
use crate::simd::dispatch;
use affinimath_core::options::{Op, Triangle};
use affinimath_core::problem::update::Conjugated;
use affinimath_core::problem::{ColumnStarts, Stored};
use affinimath_core::scalar::Scalar;

/// Maximum elements of a column in products and solutions with scalar loops: a vector load stalls if it overlaps recent
/// partial stores.
const SCALAR_ELEMENTS: usize = 16;

/// Maximum elements in dot products along columns, which store less.
const SCALAR_DOT_ELEMENTS: usize = 32;

/// Maximum elements in updates, which load nothing that they have stored.
const SCALAR_AXPY_ELEMENTS: usize = 4;

/// A triangle of a square matrix in memory, of order 1 at least: full, packed or banded, stored by rows or by columns.
#[derive(Clone, Copy)]
pub struct StoredTriangle<T> {
    columns: Columns<T>,
    by_rows: bool,
}

impl<T: Scalar> StoredTriangle<T> {
    /// A triangle of a full matrix of order n, named by the caller's layout; the leading dimension is at least n.
    #[inline(always)]
    #[must_use]
    pub const fn full(first: *mut T, n: usize, leading_dimension: usize, by_rows: bool, triangle: Triangle) -> Self {
        let starts = ColumnStarts { shift: 0, linear: 2 * leading_dimension, quadratic: 0 };
        Self::of(first, n, (n, n), starts, by_rows, triangle)
    }

    /// A packed triangle of order n.
    #[inline(always)]
    #[must_use]
    pub const fn packed(first: *mut T, n: usize, by_rows: bool, triangle: Triangle) -> Self {
        let upper = matches!(triangle, Triangle::Upper) != by_rows;
        let starts = if upper {
            ColumnStarts { shift: 0, linear: 1, quadratic: 1 }
        } else {
            ColumnStarts { shift: 0, linear: 2 * n - 1, quadratic: -1 }
        };
        Self::of(first, n, (n, n), starts, by_rows, triangle)
    }

    /// A banded triangle of order n with k diagonals besides the main one; the leading dimension is at least k + 1.
    #[inline(always)]
    #[must_use]
    pub const fn band(
        first: *mut T,
        (n, k): (usize, usize),
        leading_dimension: usize,
        by_rows: bool,
        triangle: Triangle,
    ) -> Self {
        let upper = matches!(triangle, Triangle::Upper) != by_rows;
        let shift = if upper { k } else { 0 };
        let starts = ColumnStarts { shift, linear: 2 * (leading_dimension - 1), quadratic: 0 };
        Self::of(first, n, (k, k), starts, by_rows, triangle)
    }

    #[inline(always)]
    const fn of(
        start: *mut T,
        n: usize,
        (above, below): (usize, usize),
        starts: ColumnStarts,
        by_rows: bool,
        triangle: Triangle,
    ) -> Self {
        let whole = Stored { rows: n, columns: n, offset: 0, starts, above, below };
        StoredTriangle { columns: Columns { start, stored: whole.only(triangle, by_rows) }, by_rows }
    }

    #[inline(always)]
    const fn order(&self) -> usize {
        self.columns.stored.rows
    }
}

/// A band matrix in column-major band storage.
#[derive(Clone, Copy, Debug)]
pub struct StoredBand<T> {
    /// The first element of its memory.
    pub first: *mut T,
    /// Rows and columns.
    pub sizes: [usize; 2],
    /// Diagonals above and below the main one.
    pub off_diagonals: [usize; 2],
    /// Leading dimension, greater than the number of diagonals besides the main one.
    pub leading_dimension: usize,
}

/// y := alpha op(A) x + beta y for a band.
///
/// # Safety
/// The band and the vectors must be valid, and y must not be accessed by anything else.
#[instances]
pub unsafe fn gbmv<T: Scalar>(
    (transpose, conjugate): (bool, bool),
    alpha: T,
    a: StoredBand<T>,
    x: *const T,
    beta: T,
    y: *mut T,
) {
    let StoredBand { first, sizes: [rows, columns], off_diagonals: [above, below], leading_dimension } = a;
    let starts = ColumnStarts { shift: above, linear: 2 * (leading_dimension - 1), quadratic: 0 };
    let stored = Stored { rows, columns, offset: 0, starts, above, below };
    let form = if transpose { Form::Transposed } else { Form::AsStored };
    let (a, rows, columns) = (Columns { start: first, stored }, [0, rows], [0, columns]);
    let scalar_elements = if transpose { SCALAR_DOT_ELEMENTS } else { SCALAR_ELEMENTS };
    run(max_column_length(&stored), scalar_elements, &Product { a, rows, columns, form, conjugate, alpha, x, beta, y });
}

/// Elements of the longest column.
#[inline(always)]
fn max_column_length(stored: &Stored) -> usize {
    stored.rows.min(stored.above.saturating_add(stored.below).saturating_add(1))
}

/// Runs loops over columns of at most `length` elements: scalar up to `scalar_elements` elements, else in vectors.
#[inline(always)]
fn run<W: WithSimd<Output = ()>>(length: usize, scalar_elements: usize, work: W) {
    if length <= scalar_elements.min(SCALAR_ELEMENTS) {
        work.with_simd(pulp::Scalar::new());
    } else if length <= scalar_elements {
        dispatch(|| work.with_simd(pulp::Scalar::new()));
    } else {
        dispatch(work);
    }
}

/// y := alpha A x + beta y for a symmetric or Hermitian A.
///
/// # Safety
/// The triangle and the vectors must be valid, and y must not be accessed by anything else.
#[instances]
pub unsafe fn symv<T: Scalar>(hermitian: bool, alpha: T, a: StoredTriangle<T>, x: *const T, beta: T, y: *mut T) {
    let form = if hermitian { Form::Hermitian } else { Form::Symmetric };
    // The transpose of a Hermitian matrix is its conjugate.
    let conjugate = hermitian && a.by_rows;
    let all = [0, a.order()];
    let length = max_column_length(&a.columns.stored);
    run(
        length,
        SCALAR_DOT_ELEMENTS,
        &Product { a: a.columns, rows: all, columns: all, form, conjugate, alpha, x, beta, y },
    );
}

/// x := op(A) x, or x := op(A)⁻¹ x; `unit`: the diagonal is 1 and not read.
///
/// # Safety
/// The triangle and the vector must be valid, and the vector must not be accessed by anything else.
#[inline]
pub unsafe fn triangular<T: Scalar, const SOLVE: bool>(op: Op, unit: bool, a: StoredTriangle<T>, x: *mut T) {
    let (transpose, conjugate) = (op.transposes() != a.by_rows, op.conjugates());
    let scalar_elements = if transpose { SCALAR_DOT_ELEMENTS } else { SCALAR_ELEMENTS };
    run(
        max_column_length(&a.columns.stored),
        scalar_elements,
        &Triangular::<T, SOLVE> { a: a.columns, transpose, conjugate, unit, x },
    );
}

/// A := A + alpha x xᵀ, or with y A := A + alpha x yᵀ + alpha y xᵀ. For a Hermitian A: A + alpha x xᴴ with a
/// real alpha, or A + alpha x yᴴ + conj(alpha) y xᴴ.
///
/// # Safety
/// The triangle and the vectors must be valid, and the triangle must not be accessed by anything else.
#[instances]
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
    let (columns, y) = ([0, a.order()], y.unwrap_or(x));
    // A packed column begins within the last vector stored for the column before it.
    let scalar_elements = if a.columns.stored.starts.quadratic == 0 { SCALAR_AXPY_ELEMENTS } else { SCALAR_ELEMENTS };
    run(
        a.order(),
        scalar_elements,
        &Update { a: a.columns, columns, alpha, x, beta, y, conjugated, real_diagonal: hermitian },
    );
}
