//! The memory of accesses.

use std::marker::PhantomData;

use affinimath_array::{Element, ElementType};

/// The memory of an access.
#[derive(Debug)]
pub struct Operand<'a> {
    pub(super) at: *mut u8,
    pub(super) length: usize,
    pub(super) element: ElementType,
    pub(super) is_writable: bool,
    memory: PhantomData<&'a mut [u8]>,
}

// SAFETY: it stands for a slice of numbers, or what `from_raw` promises to be one.
unsafe impl Send for Operand<'_> {}
// SAFETY: as above; it is not written through a shared reference but by a launch, which has all of its operands.
unsafe impl Sync for Operand<'_> {}

impl<'a> Operand<'a> {
    /// Memory that is read.
    pub fn read<T: Element>(elements: &'a [T]) -> Self {
        let at = elements.as_ptr().cast_mut().cast();
        Operand { at, length: elements.len(), element: T::TYPE, is_writable: false, memory: PhantomData }
    }

    /// Memory that is written, or read and written in place.
    pub fn write<T: Element>(elements: &'a mut [T]) -> Self {
        let at = elements.as_mut_ptr().cast();
        Operand { at, length: elements.len(), element: T::TYPE, is_writable: true, memory: PhantomData }
    }

    /// `length` elements at an address.
    ///
    /// # Safety
    /// While the operand is used, the elements are there, aligned, and nobody else writes them; if it is writable,
    /// nobody else reads them either. Elements that a launch reads have been written. Other operands of the launch may
    /// share the memory, if no access that writes has an element that another access reads or writes.
    pub unsafe fn from_raw(at: *mut u8, length: usize, element: ElementType, is_writable: bool) -> Self {
        Operand { at, length, element, is_writable, memory: PhantomData }
    }
}
