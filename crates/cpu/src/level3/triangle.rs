//! Products of which only a triangle is computed.

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::{LEAF, columns_of, is_inside, middle, rows_of};
use crate::gemm;
use crate::gemm::pack::with_panel;
use crate::threads::{available, both, in_pool};
use affinimath_core::division::scale_by;
use affinimath_core::options::{Op, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// One triangle of C := alpha op(A) op(B) + beta C. A Hermitian C has a real diagonal, whose imaginary parts are not
/// read.
///
/// Semantics of xGEMMT; with beta = 1 and nothing to add, C is unchanged, like in xSYRK and xHERK. Sizes have been
/// checked.
#[instances]
pub fn gemmt<T: Scalar>(
    target: (Triangle, Symmetry),
    (op_a, a): (Op, MatRef<'_, T>),
    (op_b, b): (Op, MatRef<'_, T>),
    alpha: T,
    beta: T,
    c: MatMut<'_, T>,
) {
    let k = if op_a.transposes() { a.nrows() } else { a.ncols() };
    if alpha != T::ZERO && k != 0 {
        let worth = k.saturating_mul(c.nrows()).saturating_mul(c.nrows()) >= PARALLEL_WORK;
        in_pool(worth, || update(target, (op_a, a), (op_b, b), alpha, beta, c));
    } else if beta != T::ONE {
        add(target, |_, _| T::ZERO, beta, c); // BLAS: A and B are not read.
    }
}

/// C := alpha op(A) op(B)ᵀ + alpha op(B) op(A)ᵀ + beta C for a symmetric C, with conjugate transposes and the
/// conjugate of the second alpha for a Hermitian one (BLAS: xSYR2K, xHER2K).
#[instances]
pub fn rank_2k<T: Scalar>(
    target: (Triangle, Symmetry),
    op: Op,
    alpha: T,
    (a, b): (MatRef<'_, T>, MatRef<'_, T>),
    beta: T,
    mut c: MatMut<'_, T>,
) {
    let turned = target.1.turned(op);
    let second = if target.1 == Symmetry::Hermitian { alpha.conjugate() } else { alpha };
    gemmt(target, (op, a), (turned, b), alpha, beta, c.as_mut());
    gemmt(target, (op, b), (turned, a), second, T::ONE, c);
}

/// Multiply-adds from which the parts of a product run on several threads.
const PARALLEL_WORK: usize = 1 << 22;

/// k extent of a copied slice of op(B), and the bytes that it should not exceed.
const PANEL_K: std::ops::RangeInclusive<usize> = 64..=512;
const PANEL_BYTES: usize = 32 << 20;

/// The product; a strided op(B), whose columns several blocks read, is copied slice by slice.
fn update<T: Scalar>(
    target: (Triangle, Symmetry),
    (op_a, a): (Op, MatRef<'_, T>),
    (op_b, b): (Op, MatRef<'_, T>),
    alpha: T,
    mut beta: T,
    mut c: MatMut<'_, T>,
) {
    let stored = if op_b.transposes() { b.transpose() } else { b };
    if stored.row_stride() == 1 || c.nrows() <= LEAF {
        return recursive(target, alpha, beta, Product { a: (op_a, a), b: (op_b, b), c });
    }
    let op = if op_b.conjugates() { Op::ConjNoTrans } else { Op::NoTrans };
    let max_k = (PANEL_BYTES / (c.ncols() * size_of::<T>())).clamp(*PANEL_K.start(), *PANEL_K.end());
    for first in (0..stored.nrows()).step_by(max_k) {
        let k = max_k.min(stored.nrows() - first);
        let a = (op_a, columns_of(op_a, a, first, k));
        with_panel(stored.subrows(first, k), available(), |panel| {
            recursive(target, alpha, beta, Product { a, b: (op, panel), c: c.as_mut() });
        });
        beta = T::ONE;
    }
}

/// C := alpha op(A) op(B) + beta C with a square C, one step of the recursion.
struct Product<'a, T> {
    a: (Op, MatRef<'a, T>),
    b: (Op, MatRef<'a, T>),
    c: MatMut<'a, T>,
}

impl<'a, T: Scalar> Product<'a, T> {
    /// The off-diagonal square, and the two products for diagonal triangles.
    fn split(self, triangle: Triangle) -> (Self, [Self; 2]) {
        let Product { a: (op_a, a), b: (op_b, b), c } = self;
        let order = c.nrows();
        let middle = middle(order);
        let rest = order - middle;
        let (top, bottom) = ((op_a, rows_of(op_a, a, 0, middle)), (op_a, rows_of(op_a, a, middle, rest)));
        let (left, right) = ((op_b, columns_of(op_b, b, 0, middle)), (op_b, columns_of(op_b, b, middle, rest)));
        let (first, above, below, last) = c.split_at_mut(middle, middle);
        let off_diagonal = match triangle {
            Triangle::Upper => Product { a: top, b: right, c: above },
            Triangle::Lower => Product { a: bottom, b: left, c: below },
        };
        (off_diagonal, [Product { a: top, b: left, c: first }, Product { a: bottom, b: right, c: last }])
    }
}

/// Recursive: the off-diagonal square and the two triangles are independent.
fn recursive<T: Scalar>(target: (Triangle, Symmetry), alpha: T, beta: T, product: Product<'_, T>) {
    let order = product.c.nrows();
    if order > LEAF {
        let (off_diagonal, [first, last]) = product.split(target.0);
        both(
            true,
            || {
                gemm(
                    off_diagonal.a.0,
                    off_diagonal.b.0,
                    alpha,
                    off_diagonal.a.1,
                    off_diagonal.b.1,
                    beta,
                    off_diagonal.c,
                )
            },
            || both(true, || recursive(target, alpha, beta, first), || recursive(target, alpha, beta, last)),
        );
        return;
    }
    let mut square = Mat::zeros(order, order);
    gemm(product.a.0, product.b.0, alpha, product.a.1, product.b.1, T::ZERO, square.as_mut());
    add(target, |i, j| square[(i, j)], beta, product.c);
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
                c[(i, j)] = if beta == T::ZERO { x(i, j) } else { x(i, j) + scale_by(beta, c[(i, j)]) };
            }
        }
    }
}
