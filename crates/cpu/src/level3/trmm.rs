//! In-place products with a triangular matrix.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::{LEAF, middle, triangular};
use crate::gemm;
use crate::gemm::pack::copy_of;
use crate::threads::{available, both};
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// The triangular factor of a product.
#[derive(Clone, Copy)]
struct Factor<'a, T> {
    matrix: MatRef<'a, T>,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
}

impl<T: Scalar> Factor<'_, T> {
    /// On which side of its diagonal op(A) is not zero.
    const fn side(&self) -> Triangle {
        if self.op.transposes() { self.triangle.transposed() } else { self.triangle }
    }

    /// The block of order `order` on the diagonal, from the element (first, first) on.
    fn block(&self, first: usize, order: usize) -> Self {
        Factor { matrix: self.matrix.submatrix(first, first, order, order), ..*self }
    }
}

/// B := alpha op(A) B or alpha B op(A) for a triangular A (BLAS: xTRMM). One triangle of A is read. Sizes have been
/// checked.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's trmm")]
#[instances]
pub fn trmm<T: Scalar>(
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatMut<'_, T>,
) {
    // For A on the right, the transposed equation.
    let (op, mut b) = if side == Side::Left { (op, b) } else { (op.transposed(), b.transpose_mut()) };
    if b.nrows() == 0 || b.ncols() == 0 {
        return; // BLAS: an empty B is left as it is.
    }
    if alpha == T::ZERO {
        return b.fill(T::ZERO); // BLAS: neither A nor B is read.
    }
    share(alpha, Factor { matrix: a, triangle, op, diagonal }, b);
}

/// Columns of B that are worth a thread.
const THREAD_COLUMNS: usize = 128;

/// Divides B's columns, which are independent, among the threads.
fn share<T: Scalar>(alpha: T, a: Factor<'_, T>, b: MatMut<'_, T>) {
    let parts = available().min(b.ncols() / THREAD_COLUMNS).max(1);
    split(alpha, a, b, parts);
}

fn split<T: Scalar>(alpha: T, a: Factor<'_, T>, b: MatMut<'_, T>, parts: usize) {
    if parts == 1 {
        return multiply(alpha, a, b);
    }
    let (fewer, columns) = (parts / 2, b.ncols());
    let (left, right) = b.split_at_col_mut(columns * fewer / parts);
    both(true, || split(alpha, a, left, fewer), || split(alpha, a, right, parts - fewer));
}

/// Recursive over the rows of B: the half that both products need is overwritten last.
fn multiply<T: Scalar>(alpha: T, a: Factor<'_, T>, mut b: MatMut<'_, T>) {
    let order = b.nrows();
    if order <= LEAF {
        let factor = triangular(a.matrix, a.triangle, a.op, a.diagonal);
        let copy = copy_of(b.as_ref());
        return gemm(Op::NoTrans, Op::NoTrans, alpha, factor.as_ref(), copy.as_ref(), T::ZERO, b.as_mut());
    }
    let middle = middle(order);
    let rest = order - middle;
    let (mut top, mut bottom) = b.split_at_row_mut(middle);
    let off_diagonal = match a.triangle {
        Triangle::Upper => a.matrix.submatrix(0, middle, middle, rest),
        Triangle::Lower => a.matrix.submatrix(middle, 0, rest, middle),
    };
    match a.side() {
        Triangle::Upper => {
            multiply(alpha, a.block(0, middle), top.as_mut());
            gemm(a.op, Op::NoTrans, alpha, off_diagonal, bottom.as_ref(), T::ONE, top);
            multiply(alpha, a.block(middle, rest), bottom);
        }
        Triangle::Lower => {
            multiply(alpha, a.block(middle, rest), bottom.as_mut());
            gemm(a.op, Op::NoTrans, alpha, off_diagonal, top.as_ref(), T::ONE, bottom);
            multiply(alpha, a.block(0, middle), top);
        }
    }
}
