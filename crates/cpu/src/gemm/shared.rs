//! Parallel gemm: tiles of C for the threads, and panels of rows within each thread.
//!
//! Threads take tiles dynamically and never wait for each other inside a product, so that a busy core delays it by at
//! most one tile. The tiling does not change any element's arithmetic. A small C with a long inner dimension uses
//! split-K instead.

use super::product::{Operand, Shape};
use crate::small::without_stack;
use crate::threads::{available, join, map};
use affinimath_core::{Scalar, ScalarKind};
use faer::linalg::matmul::matmul_with_conj;
use faer::{Accum, Conj, Mat, MatMut, Par};

/// k block of faer's gemm.
pub(super) const INNER_STEP: usize = 512;
/// Rows of A per panel, a multiple of all tile heights: with a k block of doubles they take 1.2 MB and fit into a
/// core's cache. faer alone uses panels twice as large.
const PANEL_ROWS: usize = 288;
/// Work, in multiply-adds of doubles, below which a second thread costs more than it brings.
const PARALLEL_WORK: usize = 1 << 20;
/// Elements of A from which a product of matrix and vector is shared: it is bound by memory.
const PARALLEL_MATRIX: usize = 1 << 17;

/// Number of threads worth using.
pub(super) fn threads_for(kind: ScalarKind, shape: Shape) -> usize {
    if pays_for_threads(kind, shape) { available() } else { 1 }
}

pub fn pays_for_threads(kind: ScalarKind, shape: Shape) -> bool {
    let Shape { m, n, k } = shape;
    if n == 1 {
        return m.saturating_mul(k) >= PARALLEL_MATRIX;
    }
    // A complex product is four real ones; two floats are computed in the time of a double.
    let weight = if kind.is_complex() { 4 } else { 1 } * kind.real_bytes();
    m.saturating_mul(n).saturating_mul(k).saturating_mul(weight) / 8 >= PARALLEL_WORK
}

/// `C := alpha A B` or `C += alpha A B` for a column-major C on `threads` threads.
pub(super) fn compute<T: Scalar>(
    alpha: T,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    accumulate: Accum,
    c: MatMut<'_, T>,
    threads: usize,
) {
    let parts = split_k(Shape { m: c.nrows(), n: c.ncols(), k: a.matrix.ncols() }, threads);
    if threads == 1 {
        sequential(alpha, a, b, accumulate, c);
    } else if parts > 1 {
        multiply_split_k(alpha, a, b, accumulate, c, parts);
    } else {
        let tile = Tile::choose(Shape { m: c.nrows(), n: c.ncols(), k: a.matrix.ncols() }, threads);
        share(alpha, a, b, accumulate, c, tile);
    }
}

/// Largest block of C that one thread computes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    pub rows: usize,
    pub columns: usize,
}

impl Tile {
    /// Rows and columns of the smallest tile: cut further, its operands' rereading costs more than the threads gain.
    pub const MIN_ROWS: usize = 96;
    pub const MIN_COLUMNS: usize = 64;
    /// Tiles per thread, for load balance.
    pub const PER_THREAD: usize = 4;
    /// Minimum multiply-adds of a tile to split further once each thread has one.
    const WORK: usize = 1 << 22;

    pub fn choose(shape: Shape, threads: usize) -> Tile {
        let Shape { m, n, k } = shape;
        let mut tile = Tile { rows: m, columns: n };
        loop {
            let tiles = m.div_ceil(tile.rows) * n.div_ceil(tile.columns);
            let large = tile.rows.saturating_mul(tile.columns).saturating_mul(k) >= Self::WORK;
            if tiles >= Self::PER_THREAD * threads || (tiles >= threads && !large) {
                break;
            }
            // The longer side, counted in smallest tiles.
            if tile.rows * Self::MIN_COLUMNS >= tile.columns * Self::MIN_ROWS && tile.rows > Self::MIN_ROWS {
                tile.rows = split_point(tile.rows, Self::MIN_ROWS);
            } else if tile.columns > Self::MIN_COLUMNS {
                tile.columns = split_point(tile.columns, Self::MIN_COLUMNS);
            } else {
                break;
            }
        }
        tile
    }
}

/// About half of `size`, a multiple of `grain`; less than `size` if that is greater than `grain`.
fn split_point(size: usize, grain: usize) -> usize {
    (size / 2).next_multiple_of(grain)
}

/// Splits C recursively down to tiles, which different threads may compute.
fn share<T: Scalar>(alpha: T, a: Operand<'_, T>, b: Operand<'_, T>, accumulate: Accum, c: MatMut<'_, T>, tile: Tile) {
    let (m, n) = (c.nrows(), c.ncols());
    if m > tile.rows {
        let middle = split_point(m, tile.rows);
        let (top, bottom) = c.split_at_row_mut(middle);
        let (a_top, a_bottom) = a.matrix.split_at_row(middle);
        join(
            || share(alpha, Operand { matrix: a_top, ..a }, b, accumulate, top, tile),
            || share(alpha, Operand { matrix: a_bottom, ..a }, b, accumulate, bottom, tile),
        );
    } else if n > tile.columns {
        let middle = split_point(n, tile.columns);
        let (left, right) = c.split_at_col_mut(middle);
        let (b_left, b_right) = b.matrix.split_at_col(middle);
        join(
            || share(alpha, a, Operand { matrix: b_left, ..b }, accumulate, left, tile),
            || share(alpha, a, Operand { matrix: b_right, ..b }, accumulate, right, tile),
        );
    } else {
        sequential(alpha, a, b, accumulate, c);
    }
}

/// Minimum k extent of a split-K part.
pub const MIN_PART_K: usize = 2048;

/// Number of split-K parts: more than one only if C has fewer tiles than there are threads.
pub fn split_k(shape: Shape, threads: usize) -> usize {
    let tiles = shape.m.div_ceil(Tile::MIN_ROWS) * shape.n.div_ceil(Tile::MIN_COLUMNS);
    if tiles < threads { (shape.k / MIN_PART_K).clamp(1, threads) } else { 1 }
}

/// Split-K: the sum of products over parts of the inner dimension, added in order. Results are the same in every run
/// with as many threads.
fn multiply_split_k<T: Scalar>(
    alpha: T,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    mut accumulate: Accum,
    mut c: MatMut<'_, T>,
    parts: usize,
) {
    let (m, n, k) = (c.nrows(), c.ncols(), a.matrix.ncols());
    let part_k = k.div_ceil(parts);
    let product = |start: usize| {
        let part_k = part_k.min(k - start);
        let a = Operand { matrix: a.matrix.subcols(start, part_k), ..a };
        let b = Operand { matrix: b.matrix.subrows(start, part_k), ..b };
        let mut product = Mat::zeros(m, n);
        sequential(alpha, a, b, Accum::Replace, product.as_mut());
        product
    };
    let products: Vec<Mat<T>> = map(k.div_ceil(part_k), |part| product(part * part_k));
    for product in &products {
        for (to, from) in c.as_mut().col_iter_mut().zip(product.col_iter()) {
            for (to, from) in to.iter_mut().zip(from.iter()) {
                *to = match accumulate {
                    Accum::Add => *to + *from,
                    Accum::Replace => *from,
                };
            }
        }
        accumulate = Accum::Add;
    }
}

/// The product on this thread, by panels of rows.
#[inline]
fn sequential<T: Scalar>(alpha: T, a: Operand<'_, T>, b: Operand<'_, T>, accumulate: Accum, mut c: MatMut<'_, T>) {
    let m = c.nrows();
    let beta = if accumulate == Accum::Add { T::ONE } else { T::ZERO };
    let (conjugate_a, conjugate_b) = (a.conj == Conj::Yes, b.conj == Conj::Yes);
    if without_stack(alpha, (a.matrix, conjugate_a), (b.matrix, conjugate_b), beta, c.as_mut()) {
        return;
    }
    if m <= PANEL_ROWS || c.ncols() == 1 {
        matmul_with_conj(c, accumulate, a.matrix, a.conj, b.matrix, b.conj, alpha, Par::Seq);
        return;
    }
    for row in (0..m).step_by(PANEL_ROWS) {
        let rows = PANEL_ROWS.min(m - row);
        let (a_rows, c_rows) = (a.matrix.subrows(row, rows), c.as_mut().subrows_mut(row, rows));
        matmul_with_conj(c_rows, accumulate, a_rows, a.conj, b.matrix, b.conj, alpha, Par::Seq);
    }
}
