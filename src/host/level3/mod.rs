//! Level 3 beyond gemm: products with symmetric, Hermitian and triangular matrices, and updates of a triangle of C.
//!
//! All the work is gemm's. A matrix of which only a triangle is stored is taken by blocks: those beside the diagonal lie in
//! memory as they are or as their transposes, those on it are written out in full. Which blocks these are depends on sizes
//! alone, so that results have the same bits in every run.

mod symm;
mod triangle;
mod trmm;

pub(crate) use symm::symm;
pub(crate) use triangle::{gemmt, rank_2k};
pub(crate) use trmm::trmm;

use faer::{Mat, MatRef};

use crate::Scalar;
use crate::options::{Diagonal, Op, Symmetry, Triangle};

/// Order of a block on the diagonal that is worth no further cut.
const LEAF: usize = 64;

/// Where a matrix of order `n` is cut in two: about the middle, at a multiple of the leaves' order.
const fn middle(n: usize) -> usize {
    (n / 2).next_multiple_of(LEAF)
}

/// Whether the element (i, j) is in the triangle, of which the diagonal is no part.
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
fn triangular<T: Scalar>(block: MatRef<'_, T>, triangle: Triangle, op: Op, diagonal: Diagonal) -> Mat<T> {
    Mat::from_fn(block.nrows(), block.ncols(), |i, j| {
        let (i, j) = if op.transposes() { (j, i) } else { (i, j) };
        if i == j && diagonal == Diagonal::Unit {
            return T::ONE;
        }
        if i != j && !is_inside(triangle, i, j) {
            return T::ZERO;
        }
        if op.conjugates() { block[(i, j)].conjugate() } else { block[(i, j)] }
    })
}

/// The part of X that gives `size` rows of op(X) from `first` on.
fn rows_of<'a, T: Scalar>(op: Op, x: MatRef<'a, T>, first: usize, size: usize) -> MatRef<'a, T> {
    if op.transposes() { x.subcols(first, size) } else { x.subrows(first, size) }
}

/// The part of X that gives `size` columns of op(X) from `first` on.
fn columns_of<'a, T: Scalar>(op: Op, x: MatRef<'a, T>, first: usize, size: usize) -> MatRef<'a, T> {
    rows_of(op.transposed(), x, first, size)
}
