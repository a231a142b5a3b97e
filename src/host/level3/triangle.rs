//! Products of which only a triangle is computed.

use faer::{Mat, MatMut, MatRef};

use super::{LEAF, both, columns_of, is_inside, middle, rows_of};
use crate::Scalar;
use crate::blas::level3::rank_k::turned;
use crate::host::gemm;
use crate::options::{Op, Symmetry, Triangle};

/// The triangle named of C := alpha op(A) op(B) + beta C. A Hermitian one has a real diagonal, whose imaginary parts are not
/// read.
///
/// The semantics are those of gemmt; as syrk and herk have it, nothing is changed where nothing is added and beta is 1. The
/// sizes have been checked.
pub(crate) fn gemmt<T: Scalar>(
    target: (Triangle, Symmetry),
    (op_a, a): (Op, MatRef<'_, T>),
    (op_b, b): (Op, MatRef<'_, T>),
    alpha: T,
    beta: T,
    c: MatMut<'_, T>,
) {
    let depth = if op_a.transposes() { a.nrows() } else { a.ncols() };
    if alpha != T::ZERO && depth != 0 {
        update(target, (op_a, a), (op_b, b), alpha, beta, c);
    } else if beta != T::ONE {
        add(target, |_, _| T::ZERO, beta, c); // BLAS: A and B are not read.
    }
}

/// C := alpha op(A) op(B)ᵀ + alpha op(B) op(A)ᵀ + beta C for a symmetric C, and with adjoints and the conjugate of the second
/// alpha for a Hermitian one: BLAS's xSYR2K and xHER2K.
pub(crate) fn rank_2k<T: Scalar>(
    target: (Triangle, Symmetry),
    op: Op,
    alpha: T,
    (a, b): (MatRef<'_, T>, MatRef<'_, T>),
    beta: T,
    mut c: MatMut<'_, T>,
) {
    let turned = turned(op, target.1);
    let second = if target.1 == Symmetry::Hermitian { alpha.conjugate() } else { alpha };
    gemmt(target, (op, a), (turned, b), alpha, beta, c.as_mut());
    gemmt(target, (op, b), (turned, a), second, T::ONE, c);
}

/// The square beside the diagonal by gemm, the triangles above and below it by the same recipe.
fn update<T: Scalar>(
    target: (Triangle, Symmetry),
    (op_a, a): (Op, MatRef<'_, T>),
    (op_b, b): (Op, MatRef<'_, T>),
    alpha: T,
    beta: T,
    c: MatMut<'_, T>,
) {
    let order = c.nrows();
    if order <= LEAF {
        let mut product = Mat::zeros(order, order);
        gemm(op_a, op_b, alpha, a, b, T::ZERO, product.as_mut());
        return add(target, |i, j| product[(i, j)], beta, c);
    }
    let middle = middle(order);
    let rest = order - middle;
    let (top, bottom) = (rows_of(op_a, a, 0, middle), rows_of(op_a, a, middle, rest));
    let (left, right) = (columns_of(op_b, b, 0, middle), columns_of(op_b, b, middle, rest));
    let (first, above, below, last) = c.split_at_mut(middle, middle);
    let beside = || match target.0 {
        Triangle::Upper => gemm(op_a, op_b, alpha, top, right, beta, above),
        Triangle::Lower => gemm(op_a, op_b, alpha, bottom, left, beta, below),
    };
    both(beside, || {
        both(
            || update(target, (op_a, top), (op_b, left), alpha, beta, first),
            || update(target, (op_a, bottom), (op_b, right), alpha, beta, last),
        );
    });
}

/// C := X + beta C on the triangle.
fn add<T: Scalar>(
    (triangle, symmetry): (Triangle, Symmetry),
    x: impl Fn(usize, usize) -> T,
    beta: T,
    mut c: MatMut<'_, T>,
) {
    let order = c.nrows();
    for j in 0..order {
        for i in 0..order {
            if i == j && symmetry == Symmetry::Hermitian {
                let old = if beta == T::ZERO { 0.0 } else { beta.re() * c[(i, i)].re() };
                c[(i, i)] = T::from_parts(x(i, i).re() + old, 0.0);
            } else if i == j || is_inside(triangle, i, j) {
                c[(i, j)] = if beta == T::ZERO { x(i, j) } else { x(i, j) + beta * c[(i, j)] };
            }
        }
    }
}
