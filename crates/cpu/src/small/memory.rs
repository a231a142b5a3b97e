//! Memory for copies of small operands: on the stack for the smallest, else thread-local.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use affinimath_core::scalar::{Complex64, Scalar};

/// Bytes of a copy that lies on the stack: threads with small stacks call, too.
const STACK_BYTES: usize = 4 << 10;

/// Maximum bytes of a call's copies.
const MAX_BYTES: usize = 64 << 10;

/// Alignment of a copy in bytes: a cache line, and the widest vector.
const ALIGNMENT: usize = 64;

thread_local! {
    /// `Complex64` has the alignment of all four types.
    static MEMORY: RefCell<Vec<Complex64>> = const { RefCell::new(Vec::new()) };
}

/// `rows` rounded up to whole vectors of any width.
pub(super) const fn padded<T>(rows: usize) -> usize {
    rows.next_multiple_of(ALIGNMENT / size_of::<T>())
}

/// Calls `work` with uninitialised memory for `count` elements. Returns false, without calling it, if there is not
/// enough, for example in a thread that is ending.
#[inline(always)]
pub(super) fn with_memory<T: Scalar>(count: usize, work: impl FnOnce(*mut T) -> bool) -> bool {
    let bytes = count * size_of::<T>() + ALIGNMENT;
    if bytes <= STACK_BYTES {
        on_stack(work)
    } else if bytes <= MAX_BYTES {
        on_heap(bytes, work)
    } else {
        false
    }
}

/// The first element at a multiple of the alignment.
fn aligned<T>(start: *mut u8) -> *mut T {
    start.wrapping_add(start.addr().next_multiple_of(ALIGNMENT) - start.addr()).cast()
}

#[inline(never)]
fn on_stack<T>(work: impl FnOnce(*mut T) -> bool) -> bool {
    let mut memory = [const { MaybeUninit::<Complex64>::uninit() }; STACK_BYTES / size_of::<Complex64>()];
    work(aligned(memory.as_mut_ptr().cast()))
}

#[inline(never)]
fn on_heap<T>(bytes: usize, work: impl FnOnce(*mut T) -> bool) -> bool {
    let Ok(mut memory) = MEMORY.try_with(RefCell::take) else { return false };
    let done = memory.try_reserve_exact(bytes.div_ceil(size_of::<Complex64>())).is_ok()
        && work(aligned(memory.as_mut_ptr().cast()));
    let _ = MEMORY.try_with(|own| own.replace(memory));
    done
}
