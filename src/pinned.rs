//! Memory of the host that a context's device reads and writes at the full rate of the bus.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use crate::context::PinnedMemory;
use crate::error::{Error, Result};
use crate::memory::Context;
use crate::scalar::Element;

/// Elements in pinned memory of the host: a slice, which transfers of its context recognise.
///
/// A transfer between pageable memory and a device goes through pinned pieces, which threads of the host fill or empty.
/// Of pinned memory the bus takes every byte at once. It stays in the machine's memory, so that other programs have
/// less of it, and to make some takes longer than a vector: keep it for several transfers.
///
/// ```
/// use affinimath::Context;
///
/// let context = Context::preferred()?;
/// let mut x = context.pinned::<f32>(1000)?;
/// x.iter_mut().enumerate().for_each(|(i, x)| *x = i as f32);
/// assert_eq!(context.upload(&x)?.download()?, *x);
/// # Ok::<(), affinimath::Error>(())
/// ```
pub struct Pinned<T> {
    memory: PinnedMemory,
    length: usize,
    element: PhantomData<T>,
}

impl Context {
    /// Pinned memory of the host for `length` elements, which are zero. On the host, and on devices that work on the
    /// host's memory, it is memory like any other, aligned to a page.
    ///
    /// # Errors
    /// [`Error::OutOfHostMemory`], errors of OpenCL.
    pub fn pinned<T: Element>(&self, length: usize) -> Result<Pinned<T>> {
        let bytes = length.checked_mul(size_of::<T>());
        let bytes = bytes.ok_or(Error::OutOfHostMemory { bytes: u64::MAX, purpose: "pinned memory" })?;
        let memory = PinnedMemory::new(self.on_device(), bytes)?;
        Ok(Pinned { memory, length, element: PhantomData })
    }
}

impl<T: Element> Deref for Pinned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the memory has as many elements, aligned to a page, all written with zeros, which every type of
        // elements has. It lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.memory.start().as_ptr().cast(), self.length) }
    }
}

impl<T: Element> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above; `self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.memory.start().as_ptr().cast(), self.length) }
    }
}

impl<T: Element> fmt::Debug for Pinned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
