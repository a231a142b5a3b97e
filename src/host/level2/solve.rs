//! Triangular solves with one right-hand side on the host.
//!
//! Blocks of unknowns are found one after the other, on one thread; what a block has to do with the rest of the right-hand
//! side is subtracted by several threads where it pays.

use std::ops::Range;

use rayon::prelude::*;

use super::{BYTES_PER_THREAD, gathered, host, place};
use crate::blas::level2::Stored;
use crate::blas::level2::solve::Solve;
use crate::division::solved;
use crate::host::threads;
use crate::scalar::Scalar;

/// Unknowns of a block: their part of x stays in the first-level cache.
const BLOCK: usize = 512;
/// Columns that are walked at a time, so that x is read once for all of them.
const TOGETHER: usize = 4;

/// x := op(A)⁻¹ x for operands in the host's memory.
pub(crate) fn solve<T: Scalar>(solve: &Solve<'_, T>) {
    let (a, x) = (host(solve.a), host(solve.x.memory));
    let (stored, shape) = (solve.stored, solve.x.shape);
    if stored.rows == 0 {
        return; // BLAS: n = 0 changes nothing.
    }
    let triangle = Columns { start: a.cast_const(), stored, unit: solve.unit, forward: solve.forward };
    let solve_in = |x: &mut [T]| match (solve.op.transposes(), T::KIND.is_complex() && solve.op.conjugates()) {
        (false, false) => by_columns::<T, false>(&triangle, x),
        (false, true) => by_columns::<T, true>(&triangle, x),
        (true, false) => by_dots::<T, false>(&triangle, x),
        (true, true) => by_dots::<T, true>(&triangle, x),
    };
    if shape.increment() == 1 {
        // SAFETY: the view holds its elements, and nobody else touches them.
        return solve_in(unsafe { std::slice::from_raw_parts_mut(x.add(shape.first()), shape.length()) });
    }
    // SAFETY: the view holds its elements.
    let mut adjacent = unsafe { gathered(x, &shape, false) };
    solve_in(&mut adjacent);
    for (i, value) in adjacent.into_iter().enumerate() {
        // SAFETY: as above, and nobody else touches them.
        unsafe { *place(x, &shape, i) = value };
    }
}

/// A triangle in memory, read by several threads.
#[derive(Clone, Copy)]
struct Columns<T> {
    start: *const T,
    stored: Stored,
    unit: bool,
    /// The order in which unknowns are found.
    forward: bool,
}

// SAFETY: it is only read.
unsafe impl<T: Sync> Send for Columns<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Columns<T> {}

impl<T: Scalar> Columns<T> {
    /// The stored elements of column `j` that are also in `rows`, and their rows.
    fn column(&self, j: usize, rows: &Range<usize>) -> (&[T], Range<usize>) {
        let stored = self.stored.rows_of(j);
        let start = stored.start.clamp(rows.start, rows.end);
        let rows = start..stored.end.clamp(start, rows.end);
        if rows.is_empty() {
            return (&[], rows);
        }
        // SAFETY: stored elements of a column are adjacent, and the view that the memory came from holds them.
        let elements =
            unsafe { std::slice::from_raw_parts(self.start.add(self.stored.place(rows.start, j)), rows.len()) };
        (elements, rows)
    }

    /// A stored element.
    fn element<const CONJUGATE: bool>(&self, i: usize, j: usize) -> T {
        let (elements, _) = self.column(j, &(i..i + 1));
        value::<T, CONJUGATE>(elements[0])
    }

    /// Blocks of unknowns in the order in which they are found, each with those that are found later and have to do with
    /// it.
    fn blocks(&self, block: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let (n, forward) = (self.stored.rows, self.forward);
        let reach = self.stored.above.max(self.stored.below);
        (0..n.div_ceil(block)).map(move |index| {
            let (start, end) = (index * block, n.min((index + 1) * block));
            let last = n.min(end.saturating_add(reach));
            if forward { (start..end, end..last) } else { (n - end..n - start, n - last..n - end) }
        })
    }

    /// The unknowns of a block, a few at a time, in the order in which they are found.
    fn groups(&self, block: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let forward = self.forward;
        (0..block.len().div_ceil(TOGETHER)).map(move |index| {
            let (start, end) = (index * TOGETHER, block.len().min((index + 1) * TOGETHER));
            if forward { block.start + start..block.start + end } else { block.end - end..block.end - start }
        })
    }
}

#[inline(always)]
fn value<T: Scalar, const CONJUGATE: bool>(element: T) -> T {
    if CONJUGATE { element.conjugate() } else { element }
}

/// Where op(A) is stored by columns: a block's unknowns times their columns are subtracted from the rest.
fn by_columns<T: Scalar, const CONJUGATE: bool>(a: &Columns<T>, x: &mut [T]) {
    for (block, rest) in a.blocks(BLOCK) {
        for group in a.groups(block.clone()) {
            let mut found = [T::ZERO; TOGETHER];
            for step in 0..group.len() {
                let j = if a.forward { group.start + step } else { group.end - 1 - step };
                if !a.unit {
                    x[j] = solved(x[j], a.element::<CONJUGATE>(j, j));
                }
                found[j - group.start] = x[j];
                let others = if a.forward { j + 1..group.end } else { group.start..j };
                subtract_columns::<T, CONJUGATE>(a, j..j + 1, &[x[j]], &others.clone(), &mut x[others]);
            }
            let others = if a.forward { group.end..block.end } else { block.start..group.start };
            subtract_columns::<T, CONJUGATE>(a, group, &found, &others.clone(), &mut x[others]);
        }
        let found = x[block.clone()].to_vec();
        in_parts::<T>(block.len(), rest.clone(), &mut x[rest], |rows, x| {
            for (index, factors) in found.chunks(TOGETHER).enumerate() {
                let j = block.start + index * TOGETHER;
                subtract_columns::<T, CONJUGATE>(a, j..j + factors.len(), factors, &rows, x);
            }
        });
    }
}

/// Subtracts columns times their factors from x, which belongs to the given rows.
fn subtract_columns<T: Scalar, const CONJUGATE: bool>(
    a: &Columns<T>,
    columns: Range<usize>,
    factors: &[T],
    rows: &Range<usize>,
    x: &mut [T],
) {
    if let ([f0, f1, f2, f3], TOGETHER) = (factors, columns.len()) {
        let [c0, c1, c2, c3] = std::array::from_fn(|c| a.column(columns.start + c, rows));
        if [&c1.1, &c2.1, &c3.1].iter().all(|range| **range == c0.1) {
            let x = &mut x[c0.1.start - rows.start..c0.1.end - rows.start];
            for ((((x, a0), a1), a2), a3) in x.iter_mut().zip(c0.0).zip(c1.0).zip(c2.0).zip(c3.0) {
                let sum = value::<T, CONJUGATE>(*a0) * *f0 + value::<T, CONJUGATE>(*a1) * *f1;
                *x -= sum + (value::<T, CONJUGATE>(*a2) * *f2 + value::<T, CONJUGATE>(*a3) * *f3);
            }
            return;
        }
    }
    for (j, factor) in columns.zip(factors) {
        let (column, range) = a.column(j, rows);
        for (x, a) in x[range.start - rows.start..range.end - rows.start].iter_mut().zip(column) {
            *x -= value::<T, CONJUGATE>(*a) * *factor;
        }
    }
}

/// Where op(A) is stored by rows: an unknown is found from the product of its row and those before.
fn by_dots<T: Scalar, const CONJUGATE: bool>(a: &Columns<T>, x: &mut [T]) {
    for (block, rest) in a.blocks(BLOCK) {
        for step in 0..block.len() {
            let j = if a.forward { block.start + step } else { block.end - 1 - step };
            let known = if a.forward { block.start..j } else { j + 1..block.end };
            let sum = x[j] - dot::<T, CONJUGATE>(a, j, &known, &x[known.clone()]);
            x[j] = if a.unit { sum } else { solved(sum, a.element::<CONJUGATE>(j, j)) };
        }
        let found = x[block.clone()].to_vec();
        in_parts::<T>(block.len(), rest.clone(), &mut x[rest], |columns, x| {
            for (j, x) in columns.zip(x) {
                *x -= dot::<T, CONJUGATE>(a, j, &block, &found);
            }
        });
    }
}

/// The sum of the products of column `j` in the given rows and of x, which belongs to these.
fn dot<T: Scalar, const CONJUGATE: bool>(a: &Columns<T>, j: usize, rows: &Range<usize>, x: &[T]) -> T {
    /// Sums that are formed side by side: what the compiler turns into vectors.
    const LANES: usize = 8;
    let (column, range) = a.column(j, rows);
    let x = &x[range.start - rows.start..range.end - rows.start];
    let fold =
        |start: T, a: &[T], x: &[T]| a.iter().zip(x).fold(start, |sum, (a, x)| sum + value::<T, CONJUGATE>(*a) * *x);
    if column.len() < LANES {
        return fold(T::ZERO, column, x);
    }
    let mut sums = [T::ZERO; LANES];
    let (whole, rest) = column.as_chunks::<LANES>();
    let (x_whole, x_rest) = x.as_chunks::<LANES>();
    for (a, x) in whole.iter().zip(x_whole) {
        for lane in 0..LANES {
            sums[lane] += value::<T, CONJUGATE>(a[lane]) * x[lane];
        }
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            let other = sums[lane + width];
            sums[lane] += other;
        }
    }
    fold(sums[0], rest, x_rest)
}

/// Calls `work` for parts of the range, each with its part of x, in several threads when these read enough of the matrix.
fn in_parts<T: Scalar>(block: usize, range: Range<usize>, x: &mut [T], work: impl Fn(Range<usize>, &mut [T]) + Sync) {
    let bytes = range.len() * block * size_of::<T>();
    let threads = threads::available().min(bytes / BYTES_PER_THREAD);
    if threads <= 1 {
        return work(range, x);
    }
    // Whole cache lines, and parts enough that a thread that was held up leaves the others something to take.
    let length = x.len().div_ceil(2 * threads).next_multiple_of(64);
    let part = |(index, x): (usize, &mut [T])| {
        let start = range.start + index * length;
        work(start..start + x.len(), x);
    };
    threads::shared(|| x.par_chunks_mut(length).enumerate().for_each(part));
}
