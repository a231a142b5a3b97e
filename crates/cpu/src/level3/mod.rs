//! Level 3 beyond gemm: products with symmetric, Hermitian and triangular matrices, and updates of a triangle of C.
//!
//! All work is done by gemm. A matrix with one stored triangle is split into blocks: blocks off the diagonal are used
//! as stored or transposed, diagonal blocks are expanded. The blocks depend on sizes alone, so that results have the
//! same bits in every run.

mod symm;
mod triangle;
mod trmm;

pub use symm::symm;
pub use triangle::{gemmt, rank_2k};
pub use trmm::trmm;

use faer::{Mat, MatRef};

use affinimath_core::options::{Diag, Op, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// Order of a block on the diagonal that is worth no further cut.
const LEAF: usize = 64;

/// Index at which the recursion splits a matrix of order `n`: about the middle, a multiple of the leaves' order.
const fn middle(n: usize) -> usize {
    (n / 2).next_multiple_of(LEAF)
}

/// True if the element (i, j) is in the triangle, without its diagonal.
const fn is_inside(triangle: Triangle, i: usize, j: usize) -> bool {
    match triangle {
        Triangle::Upper => i < j,
        Triangle::Lower => i > j,
    }
}

/// A block on the diagonal of a symmetric or Hermitian matrix, written out.
fn mirrored<T: Scalar>(block: MatRef<'_, T>, triangle: Triangle, symmetry: Symmetry) -> Mat<T> {
    let hermitian = symmetry == Symmetry::Hermitian;
    Mat::from_fn(block.nrows(), block.ncols(), |i, j| {
        if i == j {
            let value = block[(i, i)];
            return if hermitian { T::from_parts(value.re(), 0.0) } else { value };
        }
        if is_inside(triangle, i, j) {
            return block[(i, j)];
        }
        if hermitian { block[(j, i)].conjugate() } else { block[(j, i)] }
    })
}

/// op of a block on the diagonal of a triangular matrix, written out.
fn triangular<T: Scalar>(block: MatRef<'_, T>, triangle: Triangle, op: Op, diagonal: Diag) -> Mat<T> {
    let stored = if op.transposes() { block.transpose() } else { block };
    let triangle = if op.transposes() { triangle.transposed() } else { triangle };
    let order = block.nrows();
    let mut whole = Mat::zeros(order, order);
    for j in 0..order {
        let rows = if triangle == Triangle::Lower { j..order } else { 0..j + 1 };
        let from = stored.col(j).subrows(rows.start, rows.len());
        let to = whole.as_mut().col_mut(j).subrows_mut(rows.start, rows.len());
        for (to, from) in to.iter_mut().zip(from.iter()) {
            *to = if op.conjugates() { from.conjugate() } else { *from };
        }
        if diagonal == Diag::Unit {
            whole[(j, j)] = T::ONE;
        }
    }
    whole
}

/// The part of X for `size` rows of op(X) from `first` on.
fn rows_of<'a, T: Scalar>(op: Op, x: MatRef<'a, T>, first: usize, size: usize) -> MatRef<'a, T> {
    if op.transposes() { x.subcols(first, size) } else { x.subrows(first, size) }
}

/// The part of X for `size` columns of op(X) from `first` on.
fn columns_of<'a, T: Scalar>(op: Op, x: MatRef<'a, T>, first: usize, size: usize) -> MatRef<'a, T> {
    rows_of(op.transposed(), x, first, size)
}
