//! A vector in host memory, and its division among threads.

use std::ops::Range;

use crate::threads;
use affinimath_core::view::VectorShape;

/// Below this many bytes per thread, one thread is faster than waking another one.
const BYTES_PER_THREAD: usize = 256 << 10;

/// Elements `step` apart, from the first one on. Not bound to a lifetime: its users are within the borrow of a view.
#[derive(Debug)]
pub struct RawVector<T> {
    first: *mut T,
    step: isize,
    length: usize,
}

impl<T> Clone for RawVector<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for RawVector<T> {}

// SAFETY: threads access parts, which do not overlap in vectors that are written.
unsafe impl<T: Send + Sync> Send for RawVector<T> {}
// SAFETY: threads access parts, which do not overlap in vectors that are written.
unsafe impl<T: Send + Sync> Sync for RawVector<T> {}

impl<T> RawVector<T> {
    /// The vector of a shape in the memory from `start` on.
    ///
    /// # Safety
    /// The memory must hold the vector as long as this is used. Nothing else may write elements that are read through
    /// it, or access elements that are written.
    pub unsafe fn new(start: *mut T, shape: &VectorShape) -> Self {
        RawVector { first: start.wrapping_add(shape.first()), step: shape.increment(), length: shape.length() }
    }

    pub const fn length(&self) -> usize {
        self.length
    }

    /// The vector in reverse order.
    pub(super) const fn reversed(self) -> Self {
        let last = self.first.wrapping_offset(self.length.saturating_sub(1) as isize * self.step);
        RawVector { first: last, step: -self.step, length: self.length }
    }

    /// True if the increment is negative.
    pub(super) const fn backward(&self) -> bool {
        self.step < 0
    }

    /// Some of its elements.
    pub(super) fn part(&self, range: &Range<usize>) -> Self {
        debug_assert!(range.end <= self.length);
        let first = self.first.wrapping_offset(range.start as isize * self.step);
        RawVector { first, step: self.step, length: range.len() }
    }

    /// Address of element i.
    pub const fn at(&self, i: usize) -> *mut T {
        self.first.wrapping_offset(i as isize * self.step)
    }

    /// The elements as a slice, if the increment is 1.
    pub fn as_slice(&self) -> Option<&[T]> {
        // SAFETY: `new` requires memory of `length` elements, and the increment is 1.
        (self.step == 1).then(|| unsafe { std::slice::from_raw_parts(self.first, self.length) })
    }

    /// The elements as a mutable slice, if the increment is 1.
    pub(super) fn as_slice_mut(&mut self) -> Option<&mut [T]> {
        // SAFETY: `new` requires memory of `length` elements with exclusive access to those written, and the increment
        // is 1.
        (self.step == 1).then(|| unsafe { std::slice::from_raw_parts_mut(self.first, self.length) })
    }
}

/// Calls `work` for consecutive ranges that cover `0..n`, on several threads if there are enough bytes.
pub(super) fn in_parts(n: usize, bytes_per_element: usize, work: impl Fn(Range<usize>) + Sync) {
    let max_parts = n.saturating_mul(bytes_per_element) / BYTES_PER_THREAD;
    let parts = if max_parts <= 1 { 1 } else { threads::available().min(max_parts) };
    if parts <= 1 {
        return work(0..n);
    }
    // Multiples of a cache line, so that threads do not write the same ones.
    let length = n.div_ceil(parts).next_multiple_of(64);
    let part = |part: usize| work(part * length..n.min((part + 1) * length));
    threads::for_each(n.div_ceil(length), part);
}

/// Elements of a partial sum: the same for any number of threads, so that results are too.
pub(super) const SUM_CHUNK: usize = 16 << 10;

/// Results of all chunks of `0..n`, in order; at least one. Chunks do not depend on the number of threads.
pub(super) fn parts_results<P: Send>(
    n: usize,
    bytes_per_element: usize,
    work: impl Fn(Range<usize>) -> P + Sync,
) -> Vec<P> {
    let parts = n.div_ceil(SUM_CHUNK).max(1);
    let range = |part: usize| part * SUM_CHUNK..n.min((part + 1) * SUM_CHUNK);
    let available = threads::available().min(n.saturating_mul(bytes_per_element) / BYTES_PER_THREAD);
    if available <= 1 {
        return (0..parts).map(|part| work(range(part))).collect();
    }
    let each = parts.div_ceil(available);
    threads::map_by(parts, each, |part| work(range(part)))
}
