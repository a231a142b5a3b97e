//! The product shared out among threads, and in each thread by panels of rows.
//!
//! C is cut into tiles that the threads take as they become free: they never wait for each other inside a product, so that
//! a processor which is busy elsewhere delays it by a tile and no more. How C is cut changes no element's arithmetic.
//! A small C with a long inner dimension is a sum of parts instead.

use super::product::{Operand, Shape};
use crate::small::without_stack;
use crate::threads::{available, join, map};
use affinimath_core::{Scalar, ScalarKind};
use faer::linalg::matmul::matmul_with_conj;
use faer::{Accum, Conj, Mat, MatMut, Par};

/// faer takes the inner dimension in steps of this size.
pub(super) const INNER_STEP: usize = 512;
/// Rows of A that one thread works on at a time: with a step of doubles 1.2 MB, which a core's own cache holds. (faer alone
/// keeps twice as many, and loses half its speed where the cache does not hold them.) A multiple of all its tiles' heights.
const PANEL_ROWS: usize = 288;
/// Work, in multiply-adds of doubles, below which a second thread costs more than it brings.
const SHARED_WORK: usize = 1 << 20;
/// Elements of A from which a product of matrix and vector is shared: it is bound by memory.
const SHARED_MATRIX: usize = 1 << 17;

/// How many threads are worth asking.
pub(super) fn threads_for(kind: ScalarKind, shape: Shape) -> usize {
    if pays_for_threads(kind, shape) { available() } else { 1 }
}

pub fn pays_for_threads(kind: ScalarKind, shape: Shape) -> bool {
    let Shape { m, n, k } = shape;
    if n == 1 {
        return m.saturating_mul(k) >= SHARED_MATRIX;
    }
    // A complex product is four real ones; two floats are computed in the time of a double.
    let weight = if kind.is_complex() { 4 } else { 1 } * kind.real_bytes();
    m.saturating_mul(n).saturating_mul(k).saturating_mul(weight) / 8 >= SHARED_WORK
}

/// `C := alpha A B` or `C += alpha A B` on so many threads, where C lies by columns.
pub(super) fn compute<T: Scalar>(
    alpha: T,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    accumulate: Accum,
    c: MatMut<'_, T>,
    threads: usize,
) {
    let parts = depth_parts(Shape { m: c.nrows(), n: c.ncols(), k: a.matrix.ncols() }, threads);
    if threads == 1 {
        sequential(alpha, a, b, accumulate, c);
    } else if parts > 1 {
        share_depth(alpha, a, b, accumulate, c, parts);
    } else {
        let tile = Tile::choose(Shape { m: c.nrows(), n: c.ncols(), k: a.matrix.ncols() }, threads);
        share(alpha, a, b, accumulate, c, tile);
    }
}

/// The largest part of C that one thread takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    pub rows: usize,
    pub columns: usize,
}

impl Tile {
    /// Rows and columns of the smallest tile: cut further, its operands' rereading costs more than the threads gain.
    pub const MIN_ROWS: usize = 96;
    pub const MIN_COLUMNS: usize = 64;
    /// Tiles for each thread, so that one that was held up leaves the others something to take.
    pub const PER_THREAD: usize = 4;
    /// Multiply-adds of a tile that is worth being cut once more where each thread has one.
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
                tile.rows = half(tile.rows, Self::MIN_ROWS);
            } else if tile.columns > Self::MIN_COLUMNS {
                tile.columns = half(tile.columns, Self::MIN_COLUMNS);
            } else {
                break;
            }
        }
        tile
    }
}

/// About half of `size`, on a boundary of `grain`; less than `size`, where that is more than `grain`.
fn half(size: usize, grain: usize) -> usize {
    (size / 2).next_multiple_of(grain)
}

/// Cuts C in two until it is no larger than a tile; the halves may be computed by different threads.
fn share<T: Scalar>(alpha: T, a: Operand<'_, T>, b: Operand<'_, T>, accumulate: Accum, c: MatMut<'_, T>, tile: Tile) {
    let (m, n) = (c.nrows(), c.ncols());
    if m > tile.rows {
        let middle = half(m, tile.rows);
        let (top, bottom) = c.split_at_row_mut(middle);
        let (a_top, a_bottom) = a.matrix.split_at_row(middle);
        join(
            || share(alpha, Operand { matrix: a_top, ..a }, b, accumulate, top, tile),
            || share(alpha, Operand { matrix: a_bottom, ..a }, b, accumulate, bottom, tile),
        );
    } else if n > tile.columns {
        let middle = half(n, tile.columns);
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

/// The shortest part of a long inner dimension that one thread takes.
pub const MIN_DEPTH: usize = 2048;

/// In how many parts the inner dimension is shared: more than one only where C has no tile for each thread.
pub fn depth_parts(shape: Shape, threads: usize) -> usize {
    let tiles = shape.m.div_ceil(Tile::MIN_ROWS) * shape.n.div_ceil(Tile::MIN_COLUMNS);
    if tiles < threads { (shape.k / MIN_DEPTH).clamp(1, threads) } else { 1 }
}

/// The product as a sum of products over parts of the inner dimension, added in their order: the same bits in every run
/// with as many threads.
fn share_depth<T: Scalar>(
    alpha: T,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    mut accumulate: Accum,
    mut c: MatMut<'_, T>,
    parts: usize,
) {
    let (m, n, k) = (c.nrows(), c.ncols(), a.matrix.ncols());
    let depth = k.div_ceil(parts);
    let product = |start: usize| {
        let depth = depth.min(k - start);
        let a = Operand { matrix: a.matrix.subcols(start, depth), ..a };
        let b = Operand { matrix: b.matrix.subrows(start, depth), ..b };
        let mut product = Mat::zeros(m, n);
        sequential(alpha, a, b, Accum::Replace, product.as_mut());
        product
    };
    let products: Vec<Mat<T>> = map(k.div_ceil(depth), |part| product(part * depth));
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
