//! QR by Householder reflectors: geqrf, and forming or applying Q.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::among_threads;
use super::reflectors::{BlockMemory, Panel, unblocked};
use super::workspace::{Workspace, by_columns};
use crate::gemm::scale;
use crate::level1::reals;
use crate::threads::{available, both};
use affinimath_core::division::largest_part;
use affinimath_core::options::{Op, Side};
use affinimath_core::scalar::Scalar;

/// Reflectors of a block: a panel that one thread factorises while others apply the trailing update (look-ahead).
const PANEL: usize = 64;

/// Elements from which a search for large ones is shared among threads.
const PARALLEL_ELEMENTS: usize = 1 << 17;

/// Columns or rows of a matrix that is factorised column by column.
const SHORT: usize = 32;

/// A = Q R in place (LAPACK: xGEQRF): R on the diagonal and above, the vectors of Q's reflectors below it, and their
/// factors in `tau`. R's diagonal is real.
#[instances]
pub fn geqrf<T: Scalar>(a: MatMut<'_, T>, tau: &mut [T]) {
    let (m, n) = (a.nrows(), a.ncols());
    let order = m.min(n);
    if order == 0 {
        return;
    }
    let tau = &mut tau[..order];
    if any_exceeds(a.as_ref(), largest_element::<T>(m)) {
        return with_columns_in_range(a, tau);
    }
    in_range(a, tau);
}

/// Factorises a matrix whose products with reflectors do not overflow.
fn in_range<T: Scalar>(a: MatMut<'_, T>, tau: &mut [T]) {
    let (m, order) = (a.nrows(), tau.len());
    if order <= SHORT && m <= 2 * SHORT {
        return short(a, tau);
    }
    among_threads(order, || blocked(a, tau));
}

/// Largest modulus for which no product of m elements with a reflector overflows.
fn largest_element<T: Scalar>(m: usize) -> f64 {
    let largest = if T::KIND.is_double() { f64::MAX } else { f64::from(f32::MAX) };
    largest / (16.0 * m as f64)
}

/// True if a part of an element exceeds the limit in modulus; NaN does not.
fn any_exceeds<T: Scalar>(a: MatRef<'_, T>, limit: f64) -> bool {
    let a = if a.row_stride() == 1 { a } else { a.transpose() };
    if a.ncols() >= 2 && a.nrows() * a.ncols() >= PARALLEL_ELEMENTS && available() > 1 {
        let (left, right) = a.split_at_col(a.ncols() / 2);
        let (left, right) = rayon::join(|| any_exceeds(left, limit), || any_exceeds(right, limit));
        return left || right;
    }
    let limit = T::RealScalar::from_parts(limit, 0.0);
    // No early exit, so that the comparison vectorises.
    let exceeds = |part: &T::RealScalar| part.sum_of_moduli() > limit;
    a.col_iter().any(|column| match column.try_as_col_major() {
        Some(column) => {
            reals(column.as_slice()).chunks(64).any(|parts| parts.iter().fold(false, |any, x| any | exceeds(x)))
        }
        None => column.iter().any(|x| largest_part(*x) > limit.re()),
    })
}

/// Factorises A D = Q (R D) with powers of two D, for columns near overflow. Elements of R that still overflow exceed
/// the largest number. Infinities and NaN propagate.
fn with_columns_in_range<T: Scalar>(mut a: MatMut<'_, T>, tau: &mut [T]) {
    let (m, largest) = (a.nrows(), largest_element::<T>(a.nrows()));
    let down = (2.0 * 16.0 * m as f64).log2().ceil().exp2().recip();
    let mut scaled = Vec::new();
    for j in 0..a.ncols() {
        let size = a.as_ref().col(j).iter().map(|x| largest_part(*x)).fold(0.0, f64::max);
        if size > largest && size.is_finite() {
            scale(T::from_parts(down, 0.0), a.as_mut().subcols_mut(j, 1));
            scaled.push(j);
        }
    }
    in_range(a.as_mut(), tau);
    for j in scaled {
        let rows = m.min(j + 1);
        scale(T::from_parts(down.recip(), 0.0), a.as_mut().submatrix_mut(0, j, rows, 1));
    }
}

/// Right-looking QR by panels with look-ahead.
fn blocked<T: Scalar>(mut a: MatMut<'_, T>, tau: &mut [T]) {
    let (m, n, order) = (a.nrows(), a.ncols(), tau.len());
    let width = PANEL.min(order);
    let mut current = BlockMemory::new(m, width);
    let mut other = if order > width { BlockMemory::new(m, width) } else { BlockMemory::new(0, 0) };
    let mut work = Workspace::new(width, n - width);
    factor(a.as_mut().subcols_mut(0, width), &mut current, &mut tau[..width]);
    for first in (0..order).step_by(PANEL) {
        let (rows, width) = (m - first, PANEL.min(order - first));
        let next = PANEL.min(order - first - width);
        let block = current.block(rows, width);
        let right = a.as_mut().subrows_mut(first, rows).split_at_col_mut(first + width).1;
        let (mut near, far) = right.split_at_col_mut(next);
        block.apply(Op::ConjTrans, near.as_mut(), &mut work);
        let coming = &mut tau[first + width..first + width + next];
        both(
            next > 0,
            || factor(near.subrows_mut(width, rows - width), &mut other, coming),
            || block.apply(Op::ConjTrans, far, &mut work),
        );
        std::mem::swap(&mut current, &mut other);
    }
}

/// The factorisation of a small matrix, column by column.
fn short<T: Scalar>(mut a: MatMut<'_, T>, tau: &mut [T]) {
    if by_columns(&a) {
        return unblocked(a, tau);
    }
    let (m, n) = (a.nrows(), a.ncols());
    let mut workspace = Workspace::new(m, n);
    let mut copy = workspace.block(m, n);
    copy.copy_from(a.as_ref());
    unblocked(copy.as_mut(), tau);
    a.copy_from(copy);
}

/// Factorises a panel in a contiguous copy, which becomes its block reflector.
fn factor<T: Scalar>(mut a: MatMut<'_, T>, memory: &mut BlockMemory<T>, tau: &mut [T]) {
    let (m, n) = (a.nrows(), a.ncols());
    if n == 0 {
        return;
    }
    let mut v = memory.v.block(m, n);
    v.copy_from(a.as_ref());
    Panel { v: v.as_mut(), r: a.as_mut(), t: memory.t.block(n, n), tau }.factor();
    for j in 0..n {
        (j + 1..m).for_each(|i| a[(i, j)] = v[(i, j)]);
    }
}

/// Forms the first columns of Q, as many as A has, in place of geqrf's reflectors (LAPACK: xORGQR, xUNGQR). There are
/// as many reflectors as factors in `tau`, not more than columns, and not more columns than rows.
#[instances]
pub fn orgqr<T: Scalar>(mut a: MatMut<'_, T>, tau: &[T]) {
    let (m, n, order) = (a.nrows(), a.ncols(), tau.len());
    unit_columns(a.as_mut(), order, n);
    if order == 0 {
        return;
    }
    let mut memory = BlockMemory::new(m, PANEL.min(order));
    let mut work = Workspace::new(PANEL.min(order), n);
    for first in (0..order).step_by(PANEL).rev() {
        let (rows, width) = (m - first, PANEL.min(order - first));
        let block = memory.load(a.as_ref().submatrix(first, first, rows, width), &tau[first..first + width]);
        unit_columns(a.as_mut(), first, first + width);
        block.apply(Op::NoTrans, a.as_mut().submatrix_mut(first, first, rows, n - first), &mut work);
    }
}

/// Overwrites columns of A with those of the identity matrix.
fn unit_columns<T: Scalar>(mut a: MatMut<'_, T>, first: usize, end: usize) {
    for j in first..end {
        for i in 0..a.nrows() {
            a[(i, j)] = if i == j { T::ONE } else { T::ZERO };
        }
    }
}

/// C := op(Q) C or C op(Q) for geqrf's Q (LAPACK: xORMQR, xUNMQR). The vectors of its reflectors are below A's
/// diagonal, their factors in `tau`.
#[instances]
pub fn ormqr<T: Scalar>(side: Side, op: Op, a: MatRef<'_, T>, tau: &[T], c: MatMut<'_, T>) {
    // C op(Q) is op(Q)ᵀ Cᵀ, transposed.
    let (op, mut c) = if side == Side::Left { (op, c) } else { (op.transposed(), c.transpose_mut()) };
    let (m, order) = (a.nrows(), tau.len());
    if order == 0 || c.ncols() == 0 {
        return;
    }
    let mut memory = BlockMemory::new(m, PANEL.min(order));
    let mut work = Workspace::new(PANEL.min(order), c.ncols());
    let blocks = order.div_ceil(PANEL);
    for index in 0..blocks {
        // Q = H₁ H₂ ...: the last is applied first, unless Q is transposed.
        let first = PANEL * if op.transposes() { index } else { blocks - 1 - index };
        let (rows, width) = (m - first, PANEL.min(order - first));
        let block = memory.load(a.submatrix(first, first, rows, width), &tau[first..first + width]);
        block.apply(op, c.as_mut().subrows_mut(first, rows), &mut work);
    }
}
