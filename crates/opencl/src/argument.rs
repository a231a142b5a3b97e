//! Arguments of kernels, as bytes.

use std::ffi::c_void;
use std::ptr;

use opencl3::types::cl_mem;

/// The largest argument that is held: a complex number of two doubles.
const MAX_ARGUMENT: usize = 16;

/// Meaning of an argument's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// They are the value.
    Value,
    /// They are a memory object's handle, which may come to mean another one.
    Memory,
    /// They are the size of local memory.
    Local,
    /// There are none: the launch holds the value.
    Long,
}

/// An argument's bytes, copied: OpenCL copies them once more when it is set.
#[derive(Debug, PartialEq, Eq)]
pub struct Argument {
    bytes: [u8; MAX_ARGUMENT],
    length: u8,
    kind: Kind,
}

impl Argument {
    /// A number, or a memory object's handle.
    pub fn new<V: Copy>(value: V, is_memory: bool) -> Self {
        const { assert!(size_of::<V>() <= MAX_ARGUMENT) };
        let mut bytes = [0; MAX_ARGUMENT];
        // SAFETY: the value is no longer than the array, and its types (pointers, integers, floats and pairs of floats)
        // have no padding.
        unsafe { ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), bytes.as_mut_ptr(), size_of::<V>()) };
        Argument { bytes, length: size_of::<V>() as u8, kind: if is_memory { Kind::Memory } else { Kind::Value } }
    }

    /// Local memory of a group.
    pub fn local(bytes: usize) -> Self {
        Argument { kind: Kind::Local, ..Self::new(bytes, false) }
    }

    /// A value that the launch holds.
    pub fn long() -> Self {
        Argument { bytes: [0; MAX_ARGUMENT], length: 0, kind: Kind::Long }
    }

    /// A value's bytes; `None` for more than an argument has.
    pub fn of_bytes(value: &[u8]) -> Option<Self> {
        let mut bytes = [0; MAX_ARGUMENT];
        bytes.get_mut(..value.len())?.copy_from_slice(value);
        Some(Argument { bytes, length: value.len() as u8, kind: Kind::Value })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Handle of a memory object; `None` for a value.
    pub fn memory(&self) -> Option<cl_mem> {
        let handle = self.bytes.first_chunk().copied().map(usize::from_ne_bytes);
        handle.filter(|_| self.kind == Kind::Memory).map(|handle| handle as cl_mem)
    }

    /// Bytes of local memory; `None` for others.
    pub fn local_bytes(&self) -> Option<usize> {
        let bytes = self.bytes.first_chunk().copied().map(usize::from_ne_bytes);
        bytes.filter(|_| self.kind == Kind::Local)
    }

    /// True if the launch holds the value.
    pub fn is_long(&self) -> bool {
        self.kind == Kind::Long
    }

    /// True if a kernel object that was given the other has this one too. Handles of memory objects never count, nor
    /// do the launch's own values.
    pub fn is_held_as(&self, other: Option<&Self>) -> bool {
        matches!(self.kind, Kind::Value | Kind::Local) && other == Some(self)
    }

    /// Start of the bytes; null for local memory, as OpenCL has it.
    pub const fn as_ptr(&self) -> *const c_void {
        match self.kind {
            Kind::Local => ptr::null(),
            _ => self.bytes.as_ptr().cast(),
        }
    }

    /// How many bytes it has; of local memory, those of a group.
    pub fn length(&self) -> usize {
        self.local_bytes().unwrap_or(usize::from(self.length))
    }
}
