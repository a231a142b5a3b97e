//! Level 3 products with symmetric matrices, and updates of them, through small general copies.
//!
//! All matrices are column-major: a row-major equation is transposed.

use affinimath_macros::instances;

use super::memory::with_memory;
use super::{Strided, max_products};
use crate::gemm::direct::Direct;
use crate::simd::dispatch;
use affinimath_core::division::scale_by;
use affinimath_core::options::{Side, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// Maximum order for which all of C is computed instead of a triangle.
pub const TRIANGLE: usize = 32;

/// A matrix by columns.
#[derive(Clone, Copy, Debug)]
pub struct ByColumns<T> {
    /// The first element.
    pub first: *mut T,
    /// Elements from each column to the next.
    pub leading_dimension: usize,
}

impl<T> ByColumns<T> {
    #[inline(always)]
    pub(super) const fn strided(self) -> Strided<T> {
        Strided { first: self.first, row: 1, column: self.leading_dimension, conjugate: false }
    }

    #[inline(always)]
    pub(super) const fn at(&self, i: usize, j: usize) -> *mut T {
        self.first.wrapping_add(i + j * self.leading_dimension)
    }
}

/// C := alpha A B + beta C, or C := alpha B A + beta C, for m x n B and C and a symmetric or Hermitian A, of which one
/// triangle is read. alpha is not 0. Returns false, and does nothing, for operands that the small path does not take.
///
/// # Safety
/// The matrices must be valid, and C must not be accessed by anything else.
#[allow(clippy::too_many_arguments, reason = "the operands of a product")]
#[instances]
pub unsafe fn symm<T: Scalar>(
    (side, triangle, symmetry): (Side, Triangle, Symmetry),
    [m, n]: [usize; 2],
    alpha: T,
    a: ByColumns<T>,
    b: ByColumns<T>,
    beta: T,
    c: ByColumns<T>,
) -> bool {
    let order = if side == Side::Left { m } else { n };
    if m.saturating_mul(n).saturating_mul(order) > max_products::<T>() {
        return false;
    }
    with_memory(order * order, |copy: *mut T| {
        let whole = ByColumns { first: copy, leading_dimension: order };
        // SAFETY: the matrices are valid, by this function's contract; the copy has memory for A.
        unsafe { complete(triangle, symmetry, order, a, whole) };
        let (left, right) = if side == Side::Left { (whole, b) } else { (b, whole) };
        let (a, b, c) = (left.strided(), right.strided(), c.strided());
        dispatch(&Direct { sizes: [m, n, order], alpha, a, b, beta, c });
        true
    })
}

/// Expands one triangle of a symmetric or Hermitian matrix to the whole matrix.
///
/// # Safety
/// Both must be valid.
unsafe fn complete<T: Scalar>(triangle: Triangle, symmetry: Symmetry, n: usize, from: ByColumns<T>, to: ByColumns<T>) {
    let hermitian = symmetry == Symmetry::Hermitian;
    for j in 0..n {
        let rows = if triangle == Triangle::Lower { j + 1..n } else { 0..j };
        // SAFETY: the matrices are valid, by this function's contract.
        unsafe {
            for i in rows {
                let value = *from.at(i, j);
                to.at(i, j).write(value);
                to.at(j, i).write(if hermitian { value.conjugate() } else { value });
            }
            let diagonal = *from.at(j, j);
            // BLAS: imaginary parts on a Hermitian matrix's diagonal are not read.
            to.at(j, j).write(if hermitian { T::from_parts(diagonal.re(), 0.0) } else { diagonal });
        }
    }
}

/// One triangle of C := alpha op(A) op(A)ᵀ + beta C for a C of order n and op(A) with k columns; with B, of C :=
/// alpha op(A) op(B)ᵀ + alpha op(B) op(A)ᵀ + beta C. A Hermitian C takes conjugate transposes and the conjugate of
/// the second alpha. `transposed`: op is the transpose, or the conjugate transpose. alpha is not 0. Returns false, and
/// does nothing, for operands that the small path does not take.
///
/// # Safety
/// The matrices must be valid, and C must not be accessed by anything else.
#[allow(clippy::too_many_arguments, reason = "the operands of a product")]
#[instances]
pub unsafe fn rank_k<T: Scalar>(
    (triangle, symmetry, transposed): (Triangle, Symmetry, bool),
    [n, k]: [usize; 2],
    alpha: T,
    a: ByColumns<T>,
    b: Option<ByColumns<T>>,
    beta: T,
    c: ByColumns<T>,
) -> bool {
    let (transposes_right, copies) = (transposed, if transposed { 1 + usize::from(b.is_some()) } else { 0 });
    if n > TRIANGLE || k > TRIANGLE {
        return false;
    }
    let hermitian = symmetry == Symmetry::Hermitian;
    with_memory(n * n + copies * n * k, |memory: *mut T| {
        let product = ByColumns { first: memory, leading_dimension: n };
        // The left operand is by columns; the right one is its transpose, or its adjoint.
        let left = |x: ByColumns<T>, copy: usize| {
            if !transposes_right {
                return x;
            }
            let to = ByColumns { first: memory.wrapping_add(n * n + copy * n * k), leading_dimension: n };
            // SAFETY: the matrix is valid, by this function's contract; the memory holds its copy.
            unsafe { transpose_to(hermitian, [n, k], x, to) };
            to
        };
        let right = |x: ByColumns<T>| Strided { conjugate: hermitian, ..x.strided().transposed() };
        let (sizes, target) = ([n, n, k], product.strided());
        let a = left(a, 0);
        match b {
            None => {
                dispatch(&Direct { sizes, alpha, a: a.strided(), b: right(a), beta: T::ZERO, c: target });
            }
            Some(b) => {
                let b = left(b, 1);
                let second = if hermitian { alpha.conjugate() } else { alpha };
                dispatch(&Direct { sizes, alpha, a: a.strided(), b: right(b), beta: T::ZERO, c: target });
                dispatch(&Direct { sizes, alpha: second, a: b.strided(), b: right(a), beta: T::ONE, c: target });
            }
        }
        // SAFETY: C is valid and exclusive, by this function's contract.
        unsafe { merge((triangle, hermitian), n, product, beta, c) };
        true
    })
}

/// Writes the transpose of a k x n matrix, or its adjoint.
///
/// # Safety
/// Both must be valid.
unsafe fn transpose_to<T: Scalar>(adjoint: bool, [n, k]: [usize; 2], from: ByColumns<T>, to: ByColumns<T>) {
    for i in 0..n {
        for p in 0..k {
            // SAFETY: the matrices are valid, by this function's contract.
            unsafe {
                let value = *from.at(p, i);
                to.at(i, p).write(if adjoint { value.conjugate() } else { value });
            }
        }
    }
}

/// A triangle of C := P + beta C. A Hermitian one gets a real diagonal.
///
/// # Safety
/// Both must be valid, and C must not be accessed by anything else.
unsafe fn merge<T: Scalar>(
    (triangle, hermitian): (Triangle, bool),
    n: usize,
    p: ByColumns<T>,
    beta: T,
    c: ByColumns<T>,
) {
    for j in 0..n {
        let (first, rows) = if triangle == Triangle::Lower { (j, n - j) } else { (0, j + 1) };
        // SAFETY: the matrices are valid, by this function's contract.
        unsafe {
            let from = std::slice::from_raw_parts(p.at(first, j), rows);
            let to = c.at(first, j);
            for (i, value) in from.iter().enumerate() {
                // BLAS: with beta = 0, C is not read.
                let own = if beta == T::ZERO { *value } else { *value + scale_by(beta, *to.add(i)) };
                to.add(i).write(own);
            }
            if hermitian {
                let diagonal = c.at(j, j);
                *diagonal = T::from_parts((*diagonal).re(), 0.0);
            }
        }
    }
}
