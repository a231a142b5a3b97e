//! Arguments of kernels, as bytes.

use std::ffi::c_void;
use std::ptr;

use opencl3::types::cl_mem;

/// The largest argument: a complex number of two doubles.
const MAX_ARGUMENT: usize = 16;

/// An argument's bytes, copied: OpenCL copies them once more when it is set.
#[derive(Debug, PartialEq, Eq)]
pub struct Argument {
    bytes: [u8; MAX_ARGUMENT],
    length: u8,
    /// True if it is a memory object, whose handle may come to mean another one.
    is_memory: bool,
}

impl Argument {
    /// A number, or a memory object's handle.
    pub fn new<V: Copy>(value: V, is_memory: bool) -> Self {
        const { assert!(size_of::<V>() <= MAX_ARGUMENT) };
        let mut bytes = [0; MAX_ARGUMENT];
        // SAFETY: the value is no longer than the array, and its types (pointers, integers, floats and pairs of floats)
        // have no padding.
        unsafe { ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), bytes.as_mut_ptr(), size_of::<V>()) };
        Argument { bytes, length: size_of::<V>() as u8, is_memory }
    }

    /// A value's bytes; `None` for more than an argument has.
    pub fn of_bytes(value: &[u8]) -> Option<Self> {
        let mut bytes = [0; MAX_ARGUMENT];
        bytes.get_mut(..value.len())?.copy_from_slice(value);
        Some(Argument { bytes, length: value.len() as u8, is_memory: false })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length()]
    }

    /// Handle of a memory object; `None` for a value.
    pub fn memory(&self) -> Option<cl_mem> {
        let handle = self.bytes.first_chunk().copied().map(usize::from_ne_bytes);
        handle.filter(|_| self.is_memory).map(|handle| handle as cl_mem)
    }

    /// True if a kernel object that was given the other has this one too. Handles of memory objects never count.
    pub fn is_held_as(&self, other: Option<&Self>) -> bool {
        !self.is_memory && other == Some(self)
    }

    /// Start of the bytes.
    pub const fn as_ptr(&self) -> *const c_void {
        self.bytes.as_ptr().cast()
    }

    /// How many bytes it has.
    pub fn length(&self) -> usize {
        usize::from(self.length)
    }
}
