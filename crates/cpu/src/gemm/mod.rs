//! gemm on the host: `C := alpha op(A) op(B) + beta C`.

pub(super) mod direct;
pub mod half;
pub(super) mod pack;
mod parts;
pub mod product;
pub mod shared;

use affinimath_macros::instances;
use faer::{Accum, Conj, MatMut, MatRef};

use crate::small::{self, Strided};
use affinimath_core::division::scale_by;
use affinimath_core::{Op, Scalar};
pub use half::hgemm;
use parts::{by_k_slices, hides_infinities};
use product::{Operand, multiply};

/// `C := alpha op(A) op(B) + beta C`, for stored matrices with any strides.
///
/// op(A) is m by k, op(B) k by n and C m by n. Semantics of BLAS's xGEMM: with m = 0 or n = 0 nothing is done; with
/// alpha = 0 or k = 0, A and B are not read and `C := beta C`; with beta = 0, C is not read, so that a NaN in it does
/// not propagate.
///
/// # Panics
/// If the sizes do not agree: callers have checked them.
#[instances]
pub fn gemm<T: Scalar>(
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    mut c: MatMut<'_, T>,
) {
    let (a, b) = (operand(op_a, a), operand(op_b, b));
    let (m, n, k) = (c.nrows(), c.ncols(), a.matrix.ncols());
    assert!(
        a.matrix.nrows() == m && b.matrix.nrows() == k && b.matrix.ncols() == n,
        "gemm: op(A) is {}x{k}, op(B) {}x{}, C {m}x{n}",
        a.matrix.nrows(),
        b.matrix.nrows(),
        b.matrix.ncols()
    );

    if m == 0 || n == 0 {
        return; // BLAS: an empty C is left as it is.
    }
    if alpha == T::ZERO || k == 0 {
        return scale(beta, c); // BLAS: A and B are not read.
    }
    if T::KIND.is_complex() && multiply_small(alpha, a, b, beta, c.as_mut()) {
        return;
    }
    let accumulate = if beta == T::ZERO {
        Accum::Replace
    } else {
        scale(beta, c.as_mut());
        Accum::Add
    };
    multiply(alpha, a, b, accumulate, c.as_mut());
    if beta == T::ZERO && hides_infinities(alpha, k, c.as_ref()) {
        by_k_slices(alpha, a, b, c);
    }
}

/// Small products without packing; returns false for others.
fn multiply_small<T: Scalar>(alpha: T, a: Operand<'_, T>, b: Operand<'_, T>, beta: T, c: MatMut<'_, T>) -> bool {
    let sizes = [c.nrows(), c.ncols(), a.matrix.ncols()];
    let target = Strided::of(c.as_ref(), false);
    let factors = [a, b].map(|operand| Strided::of(operand.matrix, operand.conj == Conj::Yes));
    let ([Some(a), Some(b)], Some(c)) = (factors, target) else { return false };
    // SAFETY: the views hold their elements, C is borrowed for writing, and no size is 0.
    unsafe { small::gemm(sizes, alpha, a, b, beta, c) }
}

/// op(A) as a view, with a flag for conjugation.
fn operand<T: Scalar>(op: Op, a: MatRef<'_, T>) -> Operand<'_, T> {
    let conj = if op.conjugates() && T::KIND.is_complex() { Conj::Yes } else { Conj::No };
    Operand { matrix: if op.transposes() { a.transpose() } else { a }, conj }
}

/// `C := beta C`; beta = 0 stores zeros without reading.
pub(super) fn scale<T: Scalar>(beta: T, c: MatMut<'_, T>) {
    if beta == T::ONE {
        return;
    }
    // Along the smaller stride, so that memory is met in its order.
    let c = if c.row_stride().unsigned_abs() <= c.col_stride().unsigned_abs() { c } else { c.transpose_mut() };
    for column in c.col_iter_mut() {
        let elements = column.iter_mut();
        if beta == T::ZERO {
            elements.for_each(|element| *element = T::ZERO);
        } else {
            elements.for_each(|element| *element = scale_by(beta, *element));
        }
    }
}
