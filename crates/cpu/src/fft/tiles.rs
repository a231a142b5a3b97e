//! Copies of pencils between strided memory and buffers.

use pulp::Arch;

/// Distances between the elements of a pencil, and between pencils, in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strides {
    pub(super) element: usize,
    pub(super) pencil: usize,
}

/// Elements of each pencil that are copied at once: a cache line of complex doubles.
const DEPTH: usize = 4;

/// Copies pencils of n elements.
///
/// # Safety
/// The elements at `from` are valid for reads and those at `to` for writes, and the two do not overlap.
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
            // SAFETY: pencil < pencils, so the elements are among the caller's.
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
                // SAFETY: first + depth <= n, so the elements are among the caller's.
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

/// Copies ROWS elements of each pencil.
///
/// # Safety
/// See [`copy`], for n = ROWS.
#[inline(always)]
unsafe fn copy_rows<T: Copy, const ROWS: usize>(
    from: *const T,
    source: Strides,
    to: *mut T,
    target: Strides,
    pencils: usize,
) {
    for pencil in 0..pencils {
        // SAFETY: pencil < pencils and j < ROWS, so the elements are among the caller's.
        unsafe {
            let (from, to) = (from.add(pencil * source.pencil), to.add(pencil * target.pencil));
            let elements: [T; ROWS] = std::array::from_fn(|j| *from.add(j * source.element));
            elements.into_iter().enumerate().for_each(|(j, element)| *to.add(j * target.element) = element);
        }
    }
}

/// Copies pencils of n elements from a buffer, `pitch` apart, to adjacent pencils with elements `stride` apart.
///
/// `aligned`: they fill whole cache lines. Non-temporal stores then avoid the read for ownership.
///
/// # Safety
/// The elements at `from` are valid for reads and those at `to` for writes, and the two do not overlap.
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
        // SAFETY: j < n, so the elements are among the caller's.
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
/// `to` is valid for writes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn store_past_caches<T: Copy>(to: *mut T, value: T) {
    use std::arch::x86_64::_mm_stream_si64;
    const { assert!(size_of::<T>().is_multiple_of(size_of::<i64>())) };
    for word in 0..size_of::<T>() / size_of::<i64>() {
        // SAFETY: word is below the words of T, and `to` is valid for writes of a T.
        unsafe {
            let value = (&raw const value).cast::<i64>().add(word).read_unaligned();
            _mm_stream_si64(to.cast::<i64>().add(word), value);
        }
    }
}

/// Orders non-temporal stores before later ones.
#[cfg(target_arch = "x86_64")]
fn finish_stores() {
    // SAFETY: sfence is part of SSE, which x86-64 includes.
    unsafe { std::arch::x86_64::_mm_sfence() };
}

/// # Safety
/// `to` is valid for writes.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn store_past_caches<T: Copy>(to: *mut T, value: T) {
    // SAFETY: `to` is valid for writes.
    unsafe { *to = value };
}

#[cfg(not(target_arch = "x86_64"))]
fn finish_stores() {}
