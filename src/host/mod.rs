//! The host backend.

use crate::options::Op;
use crate::scalar::Scalar;
use faer::linalg::matmul::matmul_with_conj;
use faer::{Accum, Conj, MatMut, MatRef, Par};

/// C := alpha op(A) op(B) + beta C.
pub fn gemm<T: Scalar>(
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    mut c: MatMut<'_, T>,
) {
    let t = |op: Op, x: MatRef<'_, T>| -> (MatRef<'_, T>, Conj) {
        unsafe {
            std::mem::transmute((
                if op.transposes() { x.transpose() } else { x },
                if op.conjugates() { Conj::Yes } else { Conj::No },
            ))
        }
    };
    let (a, ca) = t(op_a, a);
    let (b, cb) = t(op_b, b);
    for j in 0..c.ncols() {
        for i in 0..c.nrows() {
            c[(i, j)] = if beta == T::ZERO { T::ZERO } else { beta * c[(i, j)] };
        }
    }
    if alpha != T::ZERO {
        matmul_with_conj(c, Accum::Add, a, ca, b, cb, alpha, Par::Seq);
    }
}
