//! Operands so small that everything around the arithmetic counts: adjacent elements, one thread, and of other memory
//! the stack or what the thread has already.
//!
//! The callers have checked what BLAS checks; sizes that are 0 and factors that leave operands unread are not for here.

mod memory;

pub mod factors;
pub mod products;
pub mod triangles;
pub mod triangular;
pub mod vectors;

use std::cell::RefCell;
use std::mem::MaybeUninit;

use faer::{MatMut, MatRef};
use pulp::WithSimd;

use super::gemm::direct::Direct;
use super::level1::adjacent;
use super::level2::gemv::{Across, Along, Gemv};
use super::level2::serial::RankOne;
use crate::simd::dispatch;
use affinimath_core::scalar::{Complex64, Scalar};

/// Elements of a vector up to which one thread is enough, and the sum is one part.
pub const VECTOR: usize = 16 << 10;

/// Multiplications of a product of matrices that are done here, of which a second thread would not be worth its while.
#[must_use]
pub const fn most_products<T: Scalar>() -> usize {
    // A complex product is four real ones; two floats are computed in the time of a double.
    (1 << 20) / if T::KIND.is_complex() { 4 } else { 1 } * 8 / T::KIND.real_bytes()
}

/// Bytes of a matrix whose product with a vector is done here: they fit in the cache of one core, which reads them
/// there as fast as two threads have begun.
pub const MATRIX_BYTES: usize = 2 << 20;

/// Rows that are computed one by one.
const FEW: usize = 4;

/// Bytes of a matrix that is brought into another order first.
const TURNED_BYTES: usize = 32 << 10;

/// Bytes of such a copy that lies on the stack: threads with small stacks call, too.
const STACK_BYTES: usize = 4 << 10;

thread_local! {
    /// This thread's memory for a larger copy. Of `Complex64`, whose alignment serves all four types.
    static TURNED: RefCell<Vec<Complex64>> = const { RefCell::new(Vec::new()) };
}

/// A matrix from its first element on, by the distances between neighbours in a column and in a row.
#[derive(Clone, Copy, Debug)]
pub struct Strided<T> {
    /// The first element.
    pub first: *mut T,
    /// Elements from each row to the next.
    pub row: usize,
    /// Elements from each column to the next.
    pub column: usize,
    /// Whether its elements are the conjugates of those in memory.
    pub conjugate: bool,
}

impl<T: Scalar> Strided<T> {
    /// A view, of which the conjugates are meant if so said; `None` where it is walked backwards.
    pub(super) fn of(matrix: MatRef<'_, T>, conjugate: bool) -> Option<Self> {
        let (row, column) = (usize::try_from(matrix.row_stride()).ok()?, usize::try_from(matrix.col_stride()).ok()?);
        Some(Strided { first: matrix.as_ptr().cast_mut(), row, column, conjugate })
    }

    /// Its transpose.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Strided { row: self.column, column: self.row, ..self }
    }

    /// The element that lies at a place.
    ///
    /// # Safety
    /// It must be a place of the matrix.
    #[inline(always)]
    pub(super) unsafe fn element(&self, place: *const T) -> T {
        // SAFETY: the caller vouches for the place.
        let value = unsafe { *place };
        if T::KIND.is_complex() && self.conjugate { value.conjugate() } else { value }
    }
}

/// The sum of x_i y_i, or of conj(x_i) y_i, for at most [`VECTOR`] elements.
///
/// # Safety
/// There must be n elements behind both pointers.
pub unsafe fn dot<T: Scalar>(conjugate: bool, n: usize, x: *const T, y: *const T) -> T {
    // SAFETY: the caller vouches for the vectors.
    unsafe { adjacent::dot(conjugate, std::slice::from_raw_parts(x, n), std::slice::from_raw_parts(y, n)) }
}

/// y := alpha x + y, for at most [`VECTOR`] elements.
///
/// # Safety
/// There must be n elements behind both pointers, and those of y must be nobody else's.
pub unsafe fn axpy<T: Scalar>(n: usize, alpha: T, x: *const T, y: *mut T) {
    // SAFETY: the caller vouches for the vectors.
    unsafe { adjacent::axpy(alpha, std::slice::from_raw_parts(x, n), std::slice::from_raw_parts_mut(y, n)) }
}

/// C := alpha A B + beta C for m x k A, k x n B and m x n C, whose columns or rows are of adjacent elements; C is not
/// conjugated. Gives false, and does nothing, for operands that are not for here.
///
/// # Safety
/// The matrices must be valid, and C must be nobody else's.
pub unsafe fn gemm<T: Scalar>(
    [m, n, k]: [usize; 3],
    alpha: T,
    a: Strided<T>,
    b: Strided<T>,
    beta: T,
    c: Strided<T>,
) -> bool {
    // SAFETY: the caller vouches for the matrices.
    unsafe { multiply([m, n, k], alpha, a, b, beta, c, TURNED_BYTES) }
}

/// [`gemm`], with so many bytes at most of a matrix that is brought into another order.
#[allow(clippy::too_many_arguments, reason = "the operands of a product")]
#[inline(always)]
unsafe fn multiply<T: Scalar>(
    [m, n, k]: [usize; 3],
    alpha: T,
    a: Strided<T>,
    b: Strided<T>,
    beta: T,
    c: Strided<T>,
    most_bytes: usize,
) -> bool {
    // The product of the transposed matrices, in the other order, where C lies by rows.
    let product = if c.row == 1 {
        Direct { sizes: [m, n, k], alpha, a, b, beta, c }
    } else {
        Direct { sizes: [n, m, k], alpha, a: b.transposed(), b: a.transposed(), beta, c: c.transposed() }
    };
    let [rows, columns, _] = product.sizes;
    if product.c.row != 1 || rows.saturating_mul(columns).saturating_mul(k) > most_products::<T>() {
        return false;
    }
    if product.a.row == 1 && !(T::KIND.is_complex() && product.a.conjugate) {
        dispatch(&product);
        return true;
    }
    let bytes = rows * k * size_of::<T>();
    // SAFETY: the caller vouches for the matrices, and the bytes are those of A.
    bytes <= most_bytes && unsafe { if bytes <= STACK_BYTES { turned_on_stack(product) } else { turned(product) } }
}

/// The product with a copy of A on the stack.
#[inline(never)]
unsafe fn turned_on_stack<T: Scalar>(product: Direct<T>) -> bool {
    // Aligned for any type; what is not written is not read.
    let mut memory = [const { MaybeUninit::<Complex64>::uninit() }; STACK_BYTES / size_of::<Complex64>()];
    // SAFETY: the caller vouches for the matrices, and that A's elements fit.
    unsafe { with_a_turned(product, memory.as_mut_ptr().cast()) };
    true
}

/// The product with a copy of A in this thread's memory. Without memory, as in a thread that is ending, it gives false.
#[inline(never)]
unsafe fn turned<T: Scalar>(product: Direct<T>) -> bool {
    let Ok(mut memory) = TURNED.try_with(RefCell::take) else { return false };
    let bytes = product.sizes[0] * product.sizes[2] * size_of::<T>();
    let fits = memory.try_reserve_exact(bytes.div_ceil(size_of::<Complex64>())).is_ok();
    if fits {
        // SAFETY: the caller vouches for the matrices, and the memory holds A's elements and is aligned for any type.
        unsafe { with_a_turned(product, memory.as_mut_ptr().cast()) };
    }
    let _ = TURNED.try_with(|own| own.replace(memory));
    fits
}

/// The product with a copy of A, whose columns are of adjacent elements.
///
/// # Safety
/// The matrices must be valid, C must be nobody else's, and the copy must be memory for A's elements.
unsafe fn with_a_turned<T: Scalar>(mut product: Direct<T>, copy: *mut T) {
    let ([m, _, k], a) = (product.sizes, product.a);
    for row in 0..m {
        for column in 0..k {
            // SAFETY: the caller vouches for A, and the copy has room for m k elements.
            unsafe { copy.add(column * m + row).write(a.element(a.first.add(row * a.row + column * a.column))) };
        }
    }
    product.a = Strided { first: copy, row: 1, column: m, conjugate: false };
    dispatch(&product);
}

/// C := alpha A B, or C += alpha A B, for products that faer would do by copies on the stack, of up to 128 KiB: where
/// neither the columns of A and C are of adjacent elements nor another of its ways is open. Gives false, and does
/// nothing, for all others.
pub fn without_stack<T: Scalar>(
    alpha: T,
    (a, conjugate_a): (MatRef<'_, T>, bool),
    (b, conjugate_b): (MatRef<'_, T>, bool),
    beta: T,
    c: MatMut<'_, T>,
) -> bool {
    let (m, n, k) = (c.nrows(), c.ncols(), a.ncols());
    let (by_rows, by_columns) = (|x: MatRef<'_, T>| x.col_stride() == 1, |x: MatRef<'_, T>| x.row_stride() == 1);
    let target = c.as_ref();
    if m.saturating_mul(n).saturating_mul(k) > FAERS_SMALL || (by_columns(target) && by_columns(a)) {
        return false;
    }
    // Products with vectors, as faer has them.
    let column = n == 1 && by_columns(b) && by_rows(a);
    let row = m == 1 && ((by_rows(target) && by_rows(b)) || (by_rows(a) && by_columns(b)));
    let outer = k == 1 && by_rows(target) && by_rows(b);
    if column || row || outer {
        return false;
    }
    let strided = |first: *mut T, row: isize, column: isize, conjugate: bool| {
        Some(Strided { first, row: usize::try_from(row).ok()?, column: usize::try_from(column).ok()?, conjugate })
    };
    let operand =
        |x: MatRef<'_, T>, conjugate| strided(x.as_ptr().cast_mut(), x.row_stride(), x.col_stride(), conjugate);
    let Some(a) = operand(a, conjugate_a) else { return false };
    let Some(b) = operand(b, conjugate_b) else { return false };
    let Some(c) = strided(c.as_ptr_mut(), c.row_stride(), c.col_stride(), false) else { return false };
    // SAFETY: the views hold matrices of these sizes, and that of C is exclusive.
    unsafe { multiply([m, n, k], alpha, a, b, beta, c, FAERS_SMALL * size_of::<T>()) }
}

/// Products up to which faer takes unrolled kernels.
const FAERS_SMALL: usize = 16 * 16 * 16;

/// y := alpha A x + beta y for m x n A of at most [`MATRIX_BYTES`], whose columns or rows are of adjacent elements, and
/// adjacent x and y.
///
/// # Safety
/// The matrix and the vectors must be valid, and y must be nobody else's.
pub unsafe fn gemv<T: Scalar>([m, n]: [usize; 2], alpha: T, a: Strided<T>, x: *const T, beta: T, y: *mut T) {
    let Strided { first, row, column, conjugate } = a;
    if row == 1 {
        dispatch(&Along(Gemv { m, n, alpha, a: first, lda: column, conjugate, x, beta, y }));
    } else {
        dispatch(&Across(Gemv { m: n, n: m, alpha, a: first, lda: row, conjugate, x, beta, y }));
    }
}

/// A := A + alpha x yᵀ, or A := A + alpha x yᴴ, for m x n A of at most [`MATRIX_BYTES`], whose columns or rows are of adjacent
/// elements, and adjacent x and y.
///
/// # Safety
/// The matrix and the vectors must be valid, and A must be nobody else's.
pub unsafe fn ger<T: Scalar>([m, n]: [usize; 2], adjoint: bool, alpha: T, x: *const T, y: *const T, a: Strided<T>) {
    let Strided { first, row, column, .. } = a;
    // What is stored by rows is the transpose: Aᵀ + alpha y xᵀ, where y keeps its conjugation.
    let update = if row == 1 {
        let (conjugate_x, conjugate_y) = (false, adjoint);
        RankOne { sizes: [m, n], alpha, x, y, conjugate_x, conjugate_y, a: first, lda: column }
    } else {
        let (conjugate_x, conjugate_y) = (adjoint, false);
        RankOne { sizes: [n, m], alpha, x: y, y: x, conjugate_x, conjugate_y, a: first, lda: row }
    };
    // A vector that is loaded and stored in part takes longer than a few elements one by one.
    if update.sizes[0] <= FEW { (&update).with_simd(pulp::Scalar::new()) } else { dispatch(&update) }
}
