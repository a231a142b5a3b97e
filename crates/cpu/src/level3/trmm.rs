//! Products with a triangular matrix, in place.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::{LEAF, middle, triangular};
use crate::gemm;
use crate::gemm::pack::copy_of;
use crate::threads::{available, both};
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// A triangular matrix as it enters the product.
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

/// B := alpha op(A) B or alpha B op(A) for a triangular A, of which only the triangle named is read.
///
/// The semantics are those of BLAS's xTRMM; the sizes have been checked.
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
    // The transposed equation, where A is on the right.
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

/// Cuts B between columns, which know nothing of each other, for as many threads as there are.
fn share<T: Scalar>(alpha: T, a: Factor<'_, T>, b: MatMut<'_, T>) {
    let parts = available().min(b.ncols() / THREAD_COLUMNS).max(1);
    cut(alpha, a, b, parts);
}

fn cut<T: Scalar>(alpha: T, a: Factor<'_, T>, b: MatMut<'_, T>, parts: usize) {
    if parts == 1 {
        return multiply(alpha, a, b);
    }
    let (fewer, columns) = (parts / 2, b.ncols());
    let (left, right) = b.split_at_col_mut(columns * fewer / parts);
    both(true, || cut(alpha, a, left, fewer), || cut(alpha, a, right, parts - fewer));
}

/// The rows of B in two halves: the one that both halves of the product need is overwritten last.
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
    let beside = match a.triangle {
        Triangle::Upper => a.matrix.submatrix(0, middle, middle, rest),
        Triangle::Lower => a.matrix.submatrix(middle, 0, rest, middle),
    };
    match a.side() {
        Triangle::Upper => {
            multiply(alpha, a.block(0, middle), top.as_mut());
            gemm(a.op, Op::NoTrans, alpha, beside, bottom.as_ref(), T::ONE, top);
            multiply(alpha, a.block(middle, rest), bottom);
        }
        Triangle::Lower => {
            multiply(alpha, a.block(middle, rest), bottom.as_mut());
            gemm(a.op, Op::NoTrans, alpha, beside, top.as_ref(), T::ONE, bottom);
            multiply(alpha, a.block(0, middle), top);
        }
    }
}
