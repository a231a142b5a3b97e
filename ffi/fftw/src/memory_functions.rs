//! FFTW's allocation: memory at cache lines.

use std::ffi::{c_int, c_void};

use crate::plan::Real;

/// Bytes of a cache line and of the widest vectors.
const ALIGNMENT: usize = 64;

pub(crate) fn malloc<R: Real>(bytes: usize) -> *mut c_void {
    let mut memory = std::ptr::null_mut();
    // SAFETY: the alignment is a power of two and a multiple of a pointer's size.
    match unsafe { libc::posix_memalign(&raw mut memory, ALIGNMENT, bytes.max(1)) } {
        0 => memory,
        _ => std::ptr::null_mut(),
    }
}

fn alloc<R: Real>(elements: usize, width: usize) -> *mut R {
    elements.checked_mul(width * size_of::<R>()).map_or(std::ptr::null_mut(), |bytes| malloc::<R>(bytes).cast())
}

pub(crate) fn alloc_real<R: Real>(elements: usize) -> *mut R {
    alloc(elements, 1)
}

pub(crate) fn alloc_complex<R: Real>(elements: usize) -> *mut R {
    alloc(elements, 2)
}

/// # Safety
/// The memory is [`malloc`]'s, and not freed yet.
pub(crate) unsafe fn free<R: Real>(memory: *mut c_void) {
    // SAFETY: the contracts are the same.
    unsafe { libc::free(memory) };
}

/// Plans take arrays of any alignment, so that all have the same one.
pub(crate) fn alignment_of<R: Real>(_array: *mut R) -> c_int {
    0
}
