//! Working memory of plans.

use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

use num_complex::Complex;
use rustfft::FftNum;

/// Alignment of parts of working memory, in real values: at least a cache line.
const ALIGNED: usize = 16;

/// Blocks that a plan caches: executions at once that allocate nothing.
const BLOCKS: usize = 16;

/// Real values at a cache line. The system provides zeros when they are accessed first, which over-aligned memory of
/// Rust's allocator would not wait for: so the values begin inside memory that is larger.
struct Values<R> {
    memory: NonNull<R>,
    layout: Layout,
    /// Values before the first one at a cache line.
    skipped: usize,
    length: usize,
}

// SAFETY: the values are this one's alone.
unsafe impl<R: Send> Send for Values<R> {}

impl<R: FftNum> Values<R> {
    /// # Panics
    /// Without memory: the boundary makes a null plan of it.
    fn new(length: usize) -> Self {
        let layout = Layout::array::<R>(length + ALIGNED).expect("the workspace is within the address space");
        // SAFETY: the size is not 0. Zeros are real values.
        let memory = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }.cast::<R>());
        let memory = memory.expect("there is memory for the workspace");
        let skipped = memory.as_ptr().align_offset(ALIGNED * size_of::<R>()).min(ALIGNED);
        Values { memory, layout, skipped, length }
    }

    fn as_mut(&mut self) -> &mut [R] {
        // SAFETY: at most ALIGNED values are skipped, `length` follow, and they are borrowed as this is.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr().add(self.skipped), self.length) }
    }
}

impl<R> Drop for Values<R> {
    fn drop(&mut self) {
        // SAFETY: `new` has allocated it with this layout.
        unsafe { std::alloc::dealloc(self.memory.as_ptr().cast(), self.layout) };
    }
}

/// Working memory of a plan's executions. Each takes a free block without a lock; more than [`BLOCKS`] at once
/// allocate theirs.
pub(crate) struct Memory<R> {
    /// Real values of a block.
    length: usize,
    blocks: [Block<R>; BLOCKS],
}

struct Block<R> {
    busy: AtomicBool,
    values: UnsafeCell<Option<Values<R>>>,
}

// SAFETY: `values` are accessed by the thread that has set `busy` alone.
unsafe impl<R: Send> Sync for Block<R> {}

/// Gives a block back, also after a panic.
struct Taken<'a, R>(&'a Block<R>);

impl<R> Drop for Taken<'_, R> {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Release);
    }
}

impl<R: FftNum> Memory<R> {
    /// Memory of `length` real values for each execution. The first block is allocated now.
    pub(crate) fn new(length: usize) -> Self {
        let block = |number: usize| Block {
            busy: AtomicBool::new(false),
            values: UnsafeCell::new((number == 0 && length > 0).then(|| Values::new(length))),
        };
        Memory { length, blocks: std::array::from_fn(block) }
    }

    /// Calls with real values of unspecified content.
    #[inline]
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut [R]) -> T) -> T {
        if self.length == 0 {
            return work(&mut []);
        }
        for block in &self.blocks {
            if block.busy.load(Ordering::Relaxed) || block.busy.swap(true, Ordering::Acquire) {
                continue;
            }
            let _taken = Taken(block);
            // SAFETY: this thread has set `busy`, so no other one accesses the values.
            let values = unsafe { &mut *block.values.get() };
            return work(values.get_or_insert_with(|| Values::new(self.length)).as_mut());
        }
        work(Values::new(self.length).as_mut())
    }
}

/// Length of a part with its alignment.
pub(crate) const fn aligned(length: usize) -> usize {
    length.next_multiple_of(ALIGNED)
}

/// Splits off a part of `length` values; the rest is aligned.
pub(crate) fn split<R>(memory: &mut [R], length: usize) -> (&mut [R], &mut [R]) {
    let (taken, rest) = memory.split_at_mut(aligned(length).min(memory.len()));
    (&mut taken[..length], rest)
}

/// Pairs of real values as complex ones.
pub(crate) fn complex<R>(reals: &[R]) -> &[Complex<R>] {
    // SAFETY: Complex<R> is repr(C) of two R: twice the size, the same alignment.
    unsafe { std::slice::from_raw_parts(reals.as_ptr().cast(), reals.len() / 2) }
}

/// Pairs of real values as complex ones.
pub(crate) fn complex_mut<R>(reals: &mut [R]) -> &mut [Complex<R>] {
    // SAFETY: Complex<R> is repr(C) of two R: twice the size, the same alignment.
    unsafe { std::slice::from_raw_parts_mut(reals.as_mut_ptr().cast(), reals.len() / 2) }
}

/// A pointer for several threads, which access disjoint elements.
#[derive(Clone, Copy)]
pub(crate) struct Shared<P>(pub(crate) P);

// SAFETY: a pointer is only dereferenced in unsafe blocks, each of which states why its elements are disjoint.
unsafe impl<P> Send for Shared<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for Shared<P> {}

impl<P: Copy> Shared<P> {
    /// The pointer. A method makes closures capture the struct instead of its field.
    pub(crate) fn get(self) -> P {
        self.0
    }
}
