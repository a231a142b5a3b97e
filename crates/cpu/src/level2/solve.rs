//! Triangular solves with one right-hand side on the host.
//!
//! One thread solves for a block of unknowns. Several threads then subtract its contribution from the remaining
//! right-hand side, if there is enough work.

use affinimath_macros::instances;
use std::ops::Range;

use super::serial::{self, Columns, Triangular};
use super::{BYTES_PER_THREAD, host};
use crate::simd::dispatch;
use crate::threads;
use affinimath_core::problem::solve::Solve;
use affinimath_core::scalar::Scalar;
use affinimath_core::view::View;

/// Unknowns per block: their part of x stays in the L1 cache.
const BLOCK: usize = 512;

/// x := op(A)⁻¹ x for operands in the host's memory.
#[instances]
pub fn solve<T: Scalar>(solve: &Solve<'_, T>) {
    let (n, reach) = (solve.stored.rows, solve.reach());
    let bytes = BLOCK.min(n) * reach.min(n.saturating_sub(BLOCK)) * size_of::<T>();
    if bytes < 2 * BYTES_PER_THREAD || threads::available() == 1 {
        return serial::solve(solve);
    }
    let mut work = |x: *mut T| in_blocks(solve, x);
    // SAFETY: the view holds its elements, and nothing else uses them.
    unsafe { serial::with_adjacent(host(solve.x.memory()), solve.x.shape(), true, &mut work) };
}

/// The solution for a contiguous x.
fn in_blocks<T: Scalar>(solve: &Solve<'_, T>, x: *mut T) {
    let a = Columns { start: host(solve.a).cast_const(), stored: solve.stored };
    let (transpose, conjugate, unit) = (solve.op.transposes(), solve.op.conjugates(), solve.unit);
    for (block, rest) in blocks(solve.stored.rows, solve.reach(), solve.forward) {
        let (a_block, x_block) = (a.diagonal_block(&block), x.wrapping_add(block.start));
        dispatch(&Triangular::<T, true> { a: a_block, transpose, conjugate, unit, x: x_block });
        let x = Shared(x);
        in_parts::<T>(block.len(), rest, |part| {
            let (part, block) = ([part.start, part.end], [block.start, block.end]);
            let (rows, columns) = if transpose { (block, part) } else { (part, block) };
            serial::subtract(&a, (transpose, conjugate), rows, columns, x.get());
        });
    }
}

/// Blocks of unknowns in the order of solution, each with the range of later unknowns that depend on it.
fn blocks(n: usize, reach: usize, forward: bool) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    (0..n.div_ceil(BLOCK)).map(move |index| {
        let (start, end) = (index * BLOCK, n.min((index + 1) * BLOCK));
        let last = n.min(end.saturating_add(reach));
        if forward { (start..end, end..last) } else { (n - end..n - start, n - last..n - end) }
    })
}

/// The right-hand side, of which threads write disjoint parts.
struct Shared<T>(*mut T);

// SAFETY: threads write disjoint elements, and read others that none of them writes.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    const fn get(&self) -> *mut T {
        self.0
    }
}

/// Calls `work` for parts of the range, on several threads if these read enough of the matrix.
fn in_parts<T: Scalar>(block: usize, range: Range<usize>, work: impl Fn(Range<usize>) + Sync) {
    let bytes = range.len() * block * size_of::<T>();
    let threads = threads::available().min(bytes / BYTES_PER_THREAD);
    if threads <= 1 {
        return work(range);
    }
    // Multiples of a cache line, and several parts per thread to balance the load.
    let length = range.len().div_ceil(2 * threads).next_multiple_of(64);
    let part = |index: usize| {
        let start = range.start + index * length;
        work(start..range.end.min(start + length));
    };
    threads::for_each(range.len().div_ceil(length), part);
}
