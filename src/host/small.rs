//! Operands so small that everything around the arithmetic counts: adjacent elements, one thread, no other memory but the stack.
//!
//! The callers have checked what BLAS checks; sizes that are 0 and factors that leave operands unread are not for here.

pub mod triangles;
pub mod vectors;

use std::mem::MaybeUninit;

use pulp::WithSimd;

use super::gemm::direct::Direct;
use super::level1::adjacent;
use super::level2::gemv::{Across, Along, Gemv};
use super::level2::serial::RankOne;
use crate::scalar::{Complex64, Scalar};
use crate::wide::dispatch;

/// Elements of a vector up to which one thread is enough, and the sum is one part.
pub const VECTOR: usize = 16 << 10;

/// Multiplications of a product of matrices that are done here, of which a second thread would not be worth its while.
#[must_use]
pub const fn most_products<T: Scalar>() -> usize {
    // A complex product is four real ones; two floats are computed in the time of a double.
    (1 << 20) / if T::KIND.is_complex() { 4 } else { 1 } * 8 / T::KIND.real_bytes()
}

/// Bytes of a matrix whose product with a vector is done here: they fit in the cache of one core, which reads them there as fast
/// as two threads have begun.
pub const MATRIX_BYTES: usize = 2 << 20;

/// Rows that are computed one by one.
const FEW: usize = 4;

/// Bytes of a matrix that is brought into another order first.
const TURNED_BYTES: usize = 32 << 10;

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

/// C := alpha A B + beta C for m x k A, k x n B and m x n C, whose columns or rows are of adjacent elements; C is not conjugated. Gives
/// false, and does nothing, for operands that are not for here.
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
    // SAFETY: the caller vouches for the matrices.
    rows * k * size_of::<T>() <= TURNED_BYTES && unsafe { with_a_turned(product) }
}

/// The product with a copy of A, whose columns are of adjacent elements.
#[inline(never)]
unsafe fn with_a_turned<T: Scalar>(mut product: Direct<T>) -> bool {
    // Aligned for any type; what is not written is not read.
    let mut memory = [const { MaybeUninit::<Complex64>::uninit() }; TURNED_BYTES / size_of::<Complex64>()];
    let copy: *mut T = memory.as_mut_ptr().cast();
    let ([m, _, k], a) = (product.sizes, product.a);
    for row in 0..m {
        for column in 0..k {
            // SAFETY: the caller vouches for A, and the copy has room for m k elements.
            unsafe { copy.add(column * m + row).write(a.element(a.first.add(row * a.row + column * a.column))) };
        }
    }
    product.a = Strided { first: copy, row: 1, column: m, conjugate: false };
    dispatch(&product);
    true
}

/// y := alpha A x + beta y for m x n A of at most [`MATRIX_BYTES`], whose columns or rows are of adjacent elements, and adjacent x
/// and y.
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

#[cfg(test)]
mod tests;
