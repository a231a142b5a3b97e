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

/// The triangle named of C := alpha op(A) op(B) + beta C. A Hermitian one has a real diagonal, whose imaginary parts are not
/// read.
///
/// The semantics are those of gemmt; as syrk and herk have it, nothing is changed where nothing is added and beta is 1. The
/// sizes have been checked.
#[instances]
pub fn gemmt<T: Scalar>(
    target: (Triangle, Symmetry),
    (op_a, a): (Op, MatRef<'_, T>),
    (op_b, b): (Op, MatRef<'_, T>),
    alpha: T,
    beta: T,
    c: MatMut<'_, T>,
) {
    let depth = if op_a.transposes() { a.nrows() } else { a.ncols() };
    if alpha != T::ZERO && depth != 0 {
        let worth = depth.saturating_mul(c.nrows()).saturating_mul(c.nrows()) >= SHARED_WORK;
        in_pool(worth, || update(target, (op_a, a), (op_b, b), alpha, beta, c));
    } else if beta != T::ONE {
        add(target, |_, _| T::ZERO, beta, c); // BLAS: A and B are not read.
    }
}

/// C := alpha op(A) op(B)ᵀ + alpha op(B) op(A)ᵀ + beta C for a symmetric C, and with adjoints and the conjugate of the second
/// alpha for a Hermitian one: BLAS's xSYR2K and xHER2K.
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

/// Multiply-adds from which the parts of a product are worth a thread each.
const SHARED_WORK: usize = 1 << 22;

/// Depth of op(B) that is copied at a time, at most and at least, and the bytes that this should not exceed.
const PANEL_DEPTH: std::ops::RangeInclusive<usize> = 64..=512;
const PANEL_BYTES: usize = 32 << 20;

/// The product, in which many blocks meet the same columns of op(B): where these are strided, they are copied once.
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
        return by_halves(target, alpha, beta, Product { a: (op_a, a), b: (op_b, b), c });
    }
    let op = if op_b.conjugates() { Op::ConjNoTrans } else { Op::NoTrans };
    let most = (PANEL_BYTES / (c.ncols() * size_of::<T>())).clamp(*PANEL_DEPTH.start(), *PANEL_DEPTH.end());
    for first in (0..stored.nrows()).step_by(most) {
        let depth = most.min(stored.nrows() - first);
        let a = (op_a, columns_of(op_a, a, first, depth));
        with_panel(stored.subrows(first, depth), available(), |panel| {
            by_halves(target, alpha, beta, Product { a, b: (op, panel), c: c.as_mut() });
        });
        beta = T::ONE;
    }
}

/// A product C := alpha op(A) op(B) + beta C with a square C: what one step of the recipe works on.
struct Product<'a, T> {
    a: (Op, MatRef<'a, T>),
    b: (Op, MatRef<'a, T>),
    c: MatMut<'a, T>,
}

impl<'a, T: Scalar> Product<'a, T> {
    /// The square beside the diagonal, and the products whose triangles remain.
    fn cut(self, triangle: Triangle) -> (Self, [Self; 2]) {
        let Product { a: (op_a, a), b: (op_b, b), c } = self;
        let order = c.nrows();
        let middle = middle(order);
        let rest = order - middle;
        let (top, bottom) = ((op_a, rows_of(op_a, a, 0, middle)), (op_a, rows_of(op_a, a, middle, rest)));
        let (left, right) = ((op_b, columns_of(op_b, b, 0, middle)), (op_b, columns_of(op_b, b, middle, rest)));
        let (first, above, below, last) = c.split_at_mut(middle, middle);
        let beside = match triangle {
            Triangle::Upper => Product { a: top, b: right, c: above },
            Triangle::Lower => Product { a: bottom, b: left, c: below },
        };
        (beside, [Product { a: top, b: left, c: first }, Product { a: bottom, b: right, c: last }])
    }
}

/// The product by halves: the square beside the diagonal and the two triangles know nothing of each other.
fn by_halves<T: Scalar>(target: (Triangle, Symmetry), alpha: T, beta: T, product: Product<'_, T>) {
    let order = product.c.nrows();
    if order > LEAF {
        let (beside, [first, last]) = product.cut(target.0);
        both(
            true,
            || gemm(beside.a.0, beside.b.0, alpha, beside.a.1, beside.b.1, beta, beside.c),
            || both(true, || by_halves(target, alpha, beta, first), || by_halves(target, alpha, beta, last)),
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
