//! Small operands, for which overhead matters as much as arithmetic: contiguous elements, one thread, and workspace on
//! the stack or in thread-local memory.
//!
//! Callers have checked arguments as BLAS does, and have handled empty sizes and factors for which operands are not
//! read.

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

/// Maximum elements of a vector that one thread processes, as a single sum.
pub const VECTOR: usize = 16 << 10;

/// Maximum multiply-adds of a small product, for which a second thread does not pay.
#[must_use]
pub const fn max_products<T: Scalar>() -> usize {
    // A complex product is four real ones; two floats are computed in the time of a double.
    (1 << 20) / if T::KIND.is_complex() { 4 } else { 1 } * 8 / T::KIND.real_bytes()
}

/// Maximum bytes of a matrix in a small product with a vector: it fits into one core's cache, which reads it before a
/// second thread has started.
pub const MATRIX_BYTES: usize = 2 << 20;

/// Rows that are computed one by one.
const SCALAR_ELEMENTS: usize = 4;

/// Maximum bytes of a matrix that is transposed first.
const TRANSPOSED_BYTES: usize = 32 << 10;

/// Bytes of such a copy that lies on the stack: threads with small stacks call, too.
const STACK_BYTES: usize = 4 << 10;

thread_local! {
    /// Memory of a larger copy. `Complex64` has the alignment of all four types.
    static TRANSPOSE_MEMORY: RefCell<Vec<Complex64>> = const { RefCell::new(Vec::new()) };
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
    /// The elements are the conjugates of those in memory.
    pub conjugate: bool,
}

impl<T: Scalar> Strided<T> {
    /// A view, or its conjugate; `None` if a stride is negative.
    pub(super) fn of(matrix: MatRef<'_, T>, conjugate: bool) -> Option<Self> {
        let (row, column) = (usize::try_from(matrix.row_stride()).ok()?, usize::try_from(matrix.col_stride()).ok()?);
        Some(Strided { first: matrix.as_ptr().cast_mut(), row, column, conjugate })
    }

    /// Its transpose.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Strided { row: self.column, column: self.row, ..self }
    }

    /// The element at an address, conjugated if the matrix is.
    ///
    /// # Safety
    /// `pointer` must be the address of one of the matrix's elements.
    #[inline(always)]
    pub(super) unsafe fn element(&self, pointer: *const T) -> T {
        // SAFETY: `pointer` is an element of the matrix, by this function's contract.
        let value = unsafe { *pointer };
        if T::KIND.is_complex() && self.conjugate { value.conjugate() } else { value }
    }
}

/// Sum of x_i y_i, or of conj(x_i) y_i, for at most [`VECTOR`] elements.
///
/// # Safety
/// Both pointers must be valid for reads of n elements.
pub unsafe fn dot<T: Scalar>(conjugate: bool, n: usize, x: *const T, y: *const T) -> T {
    // SAFETY: x and y are valid for reads of n elements, by this function's contract.
    unsafe { adjacent::dot(conjugate, std::slice::from_raw_parts(x, n), std::slice::from_raw_parts(y, n)) }
}

/// y := alpha x + y, for at most [`VECTOR`] elements.
///
/// # Safety
/// x must be valid for reads and y for writes of n elements; y must not be accessed by anything else.
pub unsafe fn axpy<T: Scalar>(n: usize, alpha: T, x: *const T, y: *mut T) {
    // SAFETY: x is valid for reads and y for exclusive writes of n elements, by this function's contract.
    unsafe { adjacent::axpy(alpha, std::slice::from_raw_parts(x, n), std::slice::from_raw_parts_mut(y, n)) }
}

/// C := alpha A B + beta C for m x k A, k x n B and m x n C, each contiguous along columns or rows; C is not
/// conjugated. Returns false, and does nothing, for operands that the small path does not take.
///
/// # Safety
/// The matrices must be valid, and C must not be accessed by anything else.
pub unsafe fn gemm<T: Scalar>(
    [m, n, k]: [usize; 3],
    alpha: T,
    a: Strided<T>,
    b: Strided<T>,
    beta: T,
    c: Strided<T>,
) -> bool {
    // SAFETY: the matrices are valid and C is exclusive, by this function's contract.
    unsafe { multiply([m, n, k], alpha, a, b, beta, c, TRANSPOSED_BYTES) }
}

/// [`gemm`] that transposes at most `max_bytes` of a matrix first.
#[allow(clippy::too_many_arguments, reason = "the operands of a product")]
#[inline(always)]
unsafe fn multiply<T: Scalar>(
    [m, n, k]: [usize; 3],
    alpha: T,
    a: Strided<T>,
    b: Strided<T>,
    beta: T,
    c: Strided<T>,
    max_bytes: usize,
) -> bool {
    // For a row-major C, the transposed product with exchanged operands.
    let product = if c.row == 1 {
        Direct { sizes: [m, n, k], alpha, a, b, beta, c }
    } else {
        Direct { sizes: [n, m, k], alpha, a: b.transposed(), b: a.transposed(), beta, c: c.transposed() }
    };
    let [rows, columns, _] = product.sizes;
    if product.c.row != 1 || rows.saturating_mul(columns).saturating_mul(k) > max_products::<T>() {
        return false;
    }
    if product.a.row == 1 && !(T::KIND.is_complex() && product.a.conjugate) {
        dispatch(&product);
        return true;
    }
    let bytes = rows * k * size_of::<T>();
    // SAFETY: the matrices are valid and C is exclusive, by this function's contract; `bytes` are those of A.
    bytes <= max_bytes
        && unsafe { if bytes <= STACK_BYTES { transposed_on_stack(product) } else { transposed(product) } }
}

/// The product with a copy of A on the stack.
#[inline(never)]
unsafe fn transposed_on_stack<T: Scalar>(product: Direct<T>) -> bool {
    // Aligned for any type; elements that were not written are not read.
    let mut memory = [const { MaybeUninit::<Complex64>::uninit() }; STACK_BYTES / size_of::<Complex64>()];
    // SAFETY: the matrices are valid, and A has at most `STACK_BYTES`, by this function's contract.
    unsafe { with_a_transposed(product, memory.as_mut_ptr().cast()) };
    true
}

/// The product with a transposed copy of A in thread-local memory. Returns false if there is none, for example in a
/// thread that is ending.
#[inline(never)]
unsafe fn transposed<T: Scalar>(product: Direct<T>) -> bool {
    let Ok(mut memory) = TRANSPOSE_MEMORY.try_with(RefCell::take) else { return false };
    let bytes = product.sizes[0] * product.sizes[2] * size_of::<T>();
    let fits = memory.try_reserve_exact(bytes.div_ceil(size_of::<Complex64>())).is_ok();
    if fits {
        // SAFETY: the matrices are valid, by this function's contract; the memory holds A's elements and is aligned for
        // any type.
        unsafe { with_a_transposed(product, memory.as_mut_ptr().cast()) };
    }
    let _ = TRANSPOSE_MEMORY.try_with(|own| own.replace(memory));
    fits
}

/// The product with a transposed copy of A, whose columns are contiguous.
///
/// # Safety
/// The matrices must be valid, C must not be accessed by anything else, and `copy` must have space for A's elements.
unsafe fn with_a_transposed<T: Scalar>(mut product: Direct<T>, copy: *mut T) {
    let ([m, _, k], a) = (product.sizes, product.a);
    for row in 0..m {
        for column in 0..k {
            // SAFETY: A is valid and the copy has m k elements, by this function's contract.
            unsafe { copy.add(column * m + row).write(a.element(a.first.add(row * a.row + column * a.column))) };
        }
    }
    product.a = Strided { first: copy, row: 1, column: m, conjugate: false };
    dispatch(&product);
}

/// C := alpha A B, or C += alpha A B, for products that faer would compute through copies of up to 128 KiB on the
/// stack: those without contiguous columns of A and C or another direct kernel. Returns false, and does nothing, for
/// all others.
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
    if m.saturating_mul(n).saturating_mul(k) > MIN_FAER_PRODUCT || (by_columns(target) && by_columns(a)) {
        return false;
    }
    // Conditions of faer's matrix-vector kernels.
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
    unsafe { multiply([m, n, k], alpha, a, b, beta, c, MIN_FAER_PRODUCT * size_of::<T>()) }
}

/// Minimum multiply-adds of products that do not take faer's unrolled kernels.
const MIN_FAER_PRODUCT: usize = 16 * 16 * 16;

/// y := alpha A x + beta y for an m x n A of at most [`MATRIX_BYTES`], contiguous along columns or rows, and increments
/// of 1.
///
/// # Safety
/// The matrix and the vectors must be valid, and y must not be accessed by anything else.
pub unsafe fn gemv<T: Scalar>([m, n]: [usize; 2], alpha: T, a: Strided<T>, x: *const T, beta: T, y: *mut T) {
    let Strided { first, row, column, conjugate } = a;
    if row == 1 {
        dispatch(&Along(Gemv { m, n, alpha, a: first, lda: column, conjugate, x, beta, y }));
    } else {
        dispatch(&Across(Gemv { m: n, n: m, alpha, a: first, lda: row, conjugate, x, beta, y }));
    }
}

/// A := A + alpha x yᵀ, or A := A + alpha x yᴴ, for an m x n A of at most [`MATRIX_BYTES`], contiguous along
/// columns or rows, and increments of 1.
///
/// # Safety
/// The matrix and the vectors must be valid, and A must not be accessed by anything else.
pub unsafe fn ger<T: Scalar>([m, n]: [usize; 2], adjoint: bool, alpha: T, x: *const T, y: *const T, a: Strided<T>) {
    let Strided { first, row, column, .. } = a;
    // A row-major A is updated as its transpose: Aᵀ + alpha y xᵀ, with y still conjugated.
    let update = if row == 1 {
        let (conjugate_x, conjugate_y) = (false, adjoint);
        RankOne { sizes: [m, n], alpha, x, y, conjugate_x, conjugate_y, a: first, lda: column }
    } else {
        let (conjugate_x, conjugate_y) = (adjoint, false);
        RankOne { sizes: [n, m], alpha, x: y, y: x, conjugate_x, conjugate_y, a: first, lda: row }
    };
    // A partial vector load and store takes longer than a few single elements.
    if update.sizes[0] <= SCALAR_ELEMENTS { (&update).with_simd(pulp::Scalar::new()) } else { dispatch(&update) }
}
