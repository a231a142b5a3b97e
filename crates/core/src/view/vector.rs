//! Vectors in somebody's memory.

use super::{Memory, MemoryObject, check_fits, view_parts};
use crate::error::{Error, Result};
use crate::scalar::Element;

/// Shape of a vector: length, offset and increment, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorShape {
    length: usize,
    offset: usize,
    increment: isize,
}

impl VectorShape {
    /// A vector of `length` elements, `|increment|` elements apart, the lowest of which is element `offset` of its
    /// memory. With a negative increment, as BLAS has it, the first element is the one with the highest address.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the increment is 0, [`Error::ShapeMismatch`] when the vector reaches past the
    /// end of the address space.
    #[inline]
    pub fn new(length: usize, offset: usize, increment: isize) -> Result<Self> {
        if increment == 0 {
            return Err(Error::argument("increment", "it is 0"));
        }
        let shape = VectorShape { length, offset, increment };
        match shape.checked_end().and_then(|end| end.checked_mul(16)) {
            Some(bytes) if bytes <= i64::MAX as usize => Ok(shape),
            _ => Err(shape.too_long()),
        }
    }

    #[cold]
    fn too_long(&self) -> Error {
        let VectorShape { length, increment, .. } = self;
        Error::ShapeMismatch(format!("{length} elements, {increment} apart, do not fit in the address space"))
    }

    #[inline]
    fn checked_end(&self) -> Option<usize> {
        if self.length == 0 {
            return Some(self.offset);
        }
        (self.length - 1).checked_mul(self.increment.unsigned_abs())?.checked_add(self.offset)?.checked_add(1)
    }

    /// The number of elements.
    #[inline]
    pub const fn length(&self) -> usize {
        self.length
    }

    /// The element of the memory with the lowest address.
    #[inline]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Elements of the memory between neighbours; negative when they are walked from the highest address.
    #[inline]
    pub const fn increment(&self) -> isize {
        self.increment
    }

    /// The element of the memory where the vector's first element lies.
    #[inline]
    pub const fn first(&self) -> usize {
        if self.increment < 0 && self.length > 0 {
            self.offset + (self.length - 1) * self.increment.unsigned_abs()
        } else {
            self.offset
        }
    }

    /// The same elements, walked from the other end.
    #[inline]
    pub const fn reversed(&self) -> Self {
        VectorShape { increment: -self.increment, ..*self }
    }

    /// Elements that its memory must hold: one more than the highest index.
    #[inline]
    pub fn end(&self) -> usize {
        self.checked_end().expect("checked when the shape was made")
    }
}

macro_rules! vector_view {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name<'a, T> {
            memory: Memory<'a, T>,
            shape: VectorShape,
        }

        impl<'a, T: Element> $name<'a, T> {
            /// A vector in host memory.
            ///
            /// # Safety
            /// `shape.end()` elements from `start` must stay valid for `'a` (for an empty vector `start` may be null),
            /// and nobody else may write what this view reads or touch what it writes.
            #[inline]
            pub unsafe fn from_host_raw(start: *mut T, shape: VectorShape) -> Self {
                $name { memory: Memory::host(start), shape }
            }

            /// A vector in device memory, such as an application's `cl_mem`.
            ///
            /// `name` is what an error calls the vector.
            ///
            /// # Errors
            /// [`Error::ViewTooLarge`] when the buffer is too small for the shape.
            pub fn from_device(buffer: &'a impl MemoryObject, shape: VectorShape, name: &'static str) -> Result<Self> {
                check_fits(shape.end(), buffer.bytes() / size_of::<T>(), name)?;
                Ok($name { memory: Memory::Device(buffer), shape })
            }

            /// A vector that the operation it is given to does not read: `buffer` only stands for the memory it would
            /// have.
            ///
            /// # Safety
            /// It must only be given to operations that, for the other arguments that they get, do not touch it.
            pub unsafe fn unread(buffer: &'a impl MemoryObject, shape: VectorShape) -> Self {
                $name { memory: Memory::Device(buffer), shape }
            }
        }

        impl<'a, T> $name<'a, T> {
            /// The number of elements.
            #[inline]
            pub const fn length(&self) -> usize {
                self.shape.length
            }

            /// Sizes, offset and strides in the memory.
            #[inline]
            pub const fn shape(&self) -> &VectorShape {
                &self.shape
            }
        }
    };
}

vector_view!(
    /// A vector to read.
    VectorRef
);
vector_view!(
    /// A vector to read and write.
    VectorMut
);

view_parts!(VectorRef, VectorShape);
view_parts!(VectorMut, VectorShape);

impl<T> Clone for VectorRef<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for VectorRef<'_, T> {}

impl<'a, T: Element> VectorRef<'a, T> {
    /// A vector in a slice of the host's memory.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] when the slice is too short for the shape.
    pub fn from_slice(data: &'a [T], shape: VectorShape) -> Result<Self> {
        check_fits(shape.end(), data.len(), "the vector")?;
        Ok(VectorRef { memory: Memory::host(data.as_ptr().cast_mut()), shape })
    }

    /// The elements, where they lie next to each other in the host's memory.
    #[inline]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        match self.memory {
            Memory::Host(start, _) if self.shape.length > 0 && self.shape.increment == 1 => {
                // SAFETY: the view holds its elements, and nobody writes them while it lives.
                Some(unsafe { std::slice::from_raw_parts(start.add(self.shape.offset), self.shape.length) })
            }
            Memory::Host(..) if self.shape.length == 0 => Some(&[]),
            _ => None,
        }
    }
}

impl<'a, T: Element> VectorMut<'a, T> {
    /// A vector in a slice of the host's memory.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] when the slice is too short for the shape.
    pub fn from_slice(data: &'a mut [T], shape: VectorShape) -> Result<Self> {
        check_fits(shape.end(), data.len(), "the vector")?;
        Ok(VectorMut { memory: Memory::host(data.as_mut_ptr()), shape })
    }

    /// The elements, where they lie next to each other in the host's memory.
    #[inline]
    pub fn as_slice_mut(&mut self) -> Option<&mut [T]> {
        match self.memory {
            Memory::Host(start, _) if self.shape.length > 0 && self.shape.increment == 1 => {
                // SAFETY: the view holds its elements, and nobody else touches them while it lives.
                Some(unsafe { std::slice::from_raw_parts_mut(start.add(self.shape.offset), self.shape.length) })
            }
            Memory::Host(..) if self.shape.length == 0 => Some(&mut []),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_increment_walks_from_the_end() {
        let forward = VectorShape::new(4, 2, 3).unwrap();
        assert_eq!((forward.first(), forward.end()), (2, 12));
        let backward = VectorShape::new(4, 2, -3).unwrap();
        assert_eq!((backward.first(), backward.end()), (11, 12));
        let empty = VectorShape::new(0, 2, -3).unwrap();
        assert_eq!((empty.first(), empty.end()), (2, 2));
    }

    #[test]
    fn a_vector_that_cannot_be_is_refused() {
        assert!(VectorShape::new(4, 0, 0).is_err());
        assert!(VectorShape::new(1 << 40, 0, 1 << 40).is_err());
        let shape = VectorShape::new(3, 1, -2).unwrap();
        assert!(VectorRef::from_slice(&[0.0_f64; 5], shape).is_err());
        assert!(VectorRef::from_slice(&[0.0_f64; 6], shape).is_ok());
    }
}
