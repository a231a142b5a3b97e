//! Copies of lines from where their elements lie apart to where they are adjacent, and back.

use pulp::Arch;

/// Where lines lie: elements of each, from an element to the next, and from a line to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strides {
    pub(super) element: usize,
    pub(super) pencil: usize,
}

/// Elements of each line that are moved at once: of doubles' complex numbers, a cache line.
const DEPTH: usize = 4;

/// Copies lines of n elements.
///
/// # Safety
/// The elements at `from` can be read, and those at `to` written; no place is in both.
pub(super) unsafe fn copy<T: Copy>(
    from: *const T,
    source: Strides,
    to: *mut T,
    target: Strides,
    n: usize,
    pencils: usize,
) {
    if source.element == 1 && target.element == 1 {
        for pencil in 0..pencils {
            // SAFETY: the caller's promise.
            unsafe {
                std::ptr::copy_nonoverlapping(from.add(pencil * source.pencil), to.add(pencil * target.pencil), n)
            };
        }
        return;
    }
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let mut first = 0;
            while first < n {
                let depth = DEPTH.min(n - first);
                // SAFETY: the caller's promise.
                unsafe {
                    let (from, to) = (from.add(first * source.element), to.add(first * target.element));
                    if depth == DEPTH {
                        copy_rows::<T, DEPTH>(from, source, to, target, pencils);
                    } else {
                        (0..depth).for_each(|j| {
                            copy_rows::<T, 1>(
                                from.add(j * source.element),
                                source,
                                to.add(j * target.element),
                                target,
                                pencils,
                            );
                        });
                    }
                }
                first += depth;
            }
        },
    );
}

/// Copies so many elements of each line.
///
/// # Safety
/// As [`copy`]'s.
#[inline(always)]
unsafe fn copy_rows<T: Copy, const ROWS: usize>(
    from: *const T,
    source: Strides,
    to: *mut T,
    target: Strides,
    pencils: usize,
) {
    for pencil in 0..pencils {
        // SAFETY: the caller's promise.
        unsafe {
            let (from, to) = (from.add(pencil * source.pencil), to.add(pencil * target.pencil));
            let elements: [T; ROWS] = std::array::from_fn(|j| *from.add(j * source.element));
            elements.into_iter().enumerate().for_each(|(j, element)| *to.add(j * target.element) = element);
        }
    }
}

/// Copies lines of n elements from a buffer, `pitch` apart, to where they lie side by side, `stride` from an element to the next.
///
/// Where those are whole cache lines (`aligned`), they go past the caches, which else would read them before they are written.
///
/// # Safety
/// The elements at `from` can be read, and those at `to` written; no place is in both.
pub(super) unsafe fn scatter<T: Copy>(
    from: *const T,
    pitch: usize,
    to: *mut T,
    stride: usize,
    n: usize,
    pencils: usize,
    aligned: bool,
) {
    for j in 0..n {
        // SAFETY: the caller's promise.
        unsafe {
            let (from, to) = (from.add(j), to.add(j * stride));
            if aligned {
                (0..pencils).for_each(|pencil| store_past_caches(to.add(pencil), *from.add(pencil * pitch)));
            } else {
                (0..pencils).for_each(|pencil| *to.add(pencil) = *from.add(pencil * pitch));
            }
        }
    }
    if aligned {
        finish_stores();
    }
}

/// # Safety
/// The element can be written.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn store_past_caches<T: Copy>(to: *mut T, value: T) {
    use std::arch::x86_64::_mm_stream_si64;
    const { assert!(size_of::<T>().is_multiple_of(size_of::<i64>())) };
    for word in 0..size_of::<T>() / size_of::<i64>() {
        // SAFETY: the element has so many words; the instruction needs no alignment.
        unsafe {
            let value = (&raw const value).cast::<i64>().add(word).read_unaligned();
            _mm_stream_si64(to.cast::<i64>().add(word), value);
        }
    }
}

/// What went past the caches is seen before what is stored from here on.
#[cfg(target_arch = "x86_64")]
fn finish_stores() {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { std::arch::x86_64::_mm_sfence() };
}

/// # Safety
/// The element can be written.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn store_past_caches<T: Copy>(to: *mut T, value: T) {
    // SAFETY: the caller's promise.
    unsafe { *to = value };
}

#[cfg(not(target_arch = "x86_64"))]
fn finish_stores() {}
