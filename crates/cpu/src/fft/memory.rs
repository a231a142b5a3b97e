//! Pools of working memory, and parallel loops.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use num_complex::Complex;
use rayon::prelude::*;
use rustfft::FftNum;

use affinimath_core::threads;

/// Alignment of parts of working memory, in real values: at least a cache line.
const ALIGNED: usize = 16;

/// One or two cache lines of real values.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Aligned<R>([R; ALIGNED]);

/// Free blocks of working memory, reused by the executions of a plan.
pub(super) struct Pool<R>(Mutex<Vec<Vec<Aligned<R>>>>);

impl<R: FftNum> Pool<R> {
    pub(super) fn new() -> Self {
        Pool(Mutex::new(Vec::new()))
    }

    /// Calls with `length` real values of unspecified content.
    pub(super) fn with<T>(&self, length: usize, work: impl FnOnce(&mut [R]) -> T) -> T {
        if length == 0 {
            return work(&mut []);
        }
        let blocks = length.div_ceil(ALIGNED);
        let mut memory = self.take(blocks).unwrap_or_else(|| vec![Aligned([R::zero(); ALIGNED]); blocks]);
        // SAFETY: `blocks` arrays of ALIGNED values have no padding and hold at least `length` values.
        let values = unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), length) };
        let result = work(values);
        self.free().push(memory);
        result
    }

    /// The smallest free block that is large enough.
    fn take(&self, blocks: usize) -> Option<Vec<Aligned<R>>> {
        let mut free = self.free();
        let fitting = free.iter().enumerate().filter(|(_, memory)| memory.len() >= blocks);
        let (best, _) = fitting.min_by_key(|(_, memory)| memory.len())?;
        Some(free.swap_remove(best))
    }

    fn free(&self) -> MutexGuard<'_, Vec<Vec<Aligned<R>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls for each of `0..count` on at most `threads` threads, with `length` real values of memory for each.
    pub(super) fn share(&self, threads: usize, count: usize, length: usize, work: impl Fn(usize, &mut [R]) + Sync) {
        let threads = threads.min(count);
        if threads <= 1 {
            return self.with(length, |memory| (0..count).for_each(|block| work(block, memory)));
        }
        let next = AtomicUsize::new(0);
        (0..threads).into_par_iter().with_max_len(1).for_each(|_| {
            self.with(length, |memory| {
                let blocks = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                blocks.take_while(|block| *block < count).for_each(|block| work(block, memory));
            });
        });
    }
}

/// Threads for a transform of `points` points.
pub(super) fn threads_for(points: usize) -> usize {
    /// Points that one thread transforms before a second one has started.
    const ALONE: usize = 1 << 14;
    if points <= ALONE { 1 } else { threads::available() }
}

/// Length of a part with its alignment.
pub(super) const fn aligned_length(length: usize) -> usize {
    length.next_multiple_of(ALIGNED)
}

/// Splits off a part of `length` values.
pub(super) fn split_aligned<R>(memory: &mut [R], length: usize) -> (&mut [R], &mut [R]) {
    let (taken, rest) = memory.split_at_mut(aligned_length(length).min(memory.len()));
    (&mut taken[..length], rest)
}

/// Pairs of real values as complex ones.
pub(super) fn complex<R>(reals: &[R]) -> &[Complex<R>] {
    // SAFETY: Complex<R> is repr(C) of two R: twice the size, the same alignment.
    unsafe { std::slice::from_raw_parts(reals.as_ptr().cast(), reals.len() / 2) }
}

/// Pairs of real values as complex ones.
pub(super) fn complex_mut<R>(reals: &mut [R]) -> &mut [Complex<R>] {
    // SAFETY: Complex<R> is repr(C) of two R: twice the size, the same alignment.
    unsafe { std::slice::from_raw_parts_mut(reals.as_mut_ptr().cast(), reals.len() / 2) }
}

/// A pointer for several threads, which access disjoint elements.
#[derive(Clone, Copy)]
pub(super) struct SharedPointer<P>(pub(super) P);

// SAFETY: a pointer is only dereferenced in unsafe blocks, each of which states why its elements are disjoint.
unsafe impl<P> Send for SharedPointer<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for SharedPointer<P> {}

impl<P: Copy> SharedPointer<P> {
    /// The pointer. A method makes closures capture the struct instead of its field.
    pub(super) fn get(self) -> P {
        self.0
    }
}
