//! Working memory, and the threads that work in it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use num_complex::Complex;
use rayon::prelude::*;
use rustfft::FftNum;

use affinimath_core::threads;

/// Numbers that share a cache line; parts of working memory begin at multiples of so many.
const ALIGNED: usize = 16;

/// So many numbers that each of them is a cache line's worth or two.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Aligned<R>([R; ALIGNED]);

/// Memory that a plan's executions use, one after the other or each its own.
pub(super) struct Pool<R>(Mutex<Vec<Vec<Aligned<R>>>>);

impl<R: FftNum> Pool<R> {
    pub(super) fn new() -> Self {
        Pool(Mutex::new(Vec::new()))
    }

    /// Calls with so many numbers of memory, whose values are anything.
    pub(super) fn with<T>(&self, length: usize, work: impl FnOnce(&mut [R]) -> T) -> T {
        if length == 0 {
            return work(&mut []);
        }
        let lines = length.div_ceil(ALIGNED);
        let mut memory = self.take(lines).unwrap_or_else(|| vec![Aligned([R::zero(); ALIGNED]); lines]);
        // SAFETY: arrays of numbers that follow each other without padding are numbers that follow each other.
        let numbers = unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), length) };
        let result = work(numbers);
        self.free().push(memory);
        result
    }

    /// The smallest of what is kept that is large enough.
    fn take(&self, lines: usize) -> Option<Vec<Aligned<R>>> {
        let mut free = self.free();
        let fitting = free.iter().enumerate().filter(|(_, memory)| memory.len() >= lines);
        let (best, _) = fitting.min_by_key(|(_, memory)| memory.len())?;
        Some(free.swap_remove(best))
    }

    fn free(&self) -> MutexGuard<'_, Vec<Vec<Aligned<R>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls for each of `0..count`, on up to so many threads, each with so many numbers of memory.
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

/// The threads that are worth having for so many numbers.
pub(super) fn threads_for(points: usize) -> usize {
    /// What one thread has done before a second one has woken.
    const ALONE: usize = 1 << 14;
    if points <= ALONE { 1 } else { threads::available() }
}

/// Numbers of memory that a part of so many takes.
pub(super) const fn aligned_length(length: usize) -> usize {
    length.next_multiple_of(ALIGNED)
}

/// So many numbers, and the memory after them.
pub(super) fn split_aligned<R>(memory: &mut [R], length: usize) -> (&mut [R], &mut [R]) {
    let (taken, rest) = memory.split_at_mut(aligned_length(length).min(memory.len()));
    (&mut taken[..length], rest)
}

/// Pairs of reals as complex numbers.
pub(super) fn complex<R>(reals: &[R]) -> &[Complex<R>] {
    // SAFETY: a complex number is two reals without padding, aligned as they are.
    unsafe { std::slice::from_raw_parts(reals.as_ptr().cast(), reals.len() / 2) }
}

/// Pairs of reals as complex numbers.
pub(super) fn complex_mut<R>(reals: &mut [R]) -> &mut [Complex<R>] {
    // SAFETY: a complex number is two reals without padding, aligned as they are.
    unsafe { std::slice::from_raw_parts_mut(reals.as_mut_ptr().cast(), reals.len() / 2) }
}

/// Pointers that threads share, each for places of its own.
#[derive(Clone, Copy)]
pub(super) struct SharedPointer<P>(pub(super) P);

// SAFETY: whoever uses the pointer on another thread answers for the places that it reads and writes.
unsafe impl<P> Send for SharedPointer<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for SharedPointer<P> {}

impl<P: Copy> SharedPointer<P> {
    /// The pointer; by a method, so that closures take the whole and not the field.
    pub(super) fn get(self) -> P {
        self.0
    }
}
