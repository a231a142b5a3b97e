//! Packed triangles in somebody's memory.

use super::{Memory, MemoryObject, view_parts};
use crate::error::{Error, Result};
use crate::options::{Layout, Triangle};
use crate::scalar::Scalar;

/// Shape of a triangle in BLAS's packed storage: by columns, or by rows in row-major layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedShape {
    order: usize,
    triangle: Triangle,
    layout: Layout,
    offset: usize,
}

impl PackedShape {
    /// The given triangle of an `order` x `order` matrix, whose `order (order + 1) / 2` elements are adjacent from
    /// element `offset` of its memory on.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when the triangle reaches past the end of the address space.
    #[inline]
    pub fn new(layout: Layout, triangle: Triangle, order: usize, offset: usize) -> Result<Self> {
        let end = order.checked_add(1).and_then(|above| order.checked_mul(above)).map(|twice| twice / 2);
        match end.and_then(|end| end.checked_add(offset)).and_then(|end| end.checked_mul(16)) {
            Some(bytes) if bytes <= i64::MAX as usize => Ok(PackedShape { order, triangle, layout, offset }),
            _ => Err(Error::ShapeMismatch(format!("a triangle of order {order} does not fit in the address space"))),
        }
    }

    /// Rows and columns of the matrix.
    #[inline]
    pub const fn order(&self) -> usize {
        self.order
    }

    /// Which triangle it is.
    #[inline]
    pub const fn triangle(&self) -> Triangle {
        self.triangle
    }

    /// Layout: packed by columns or by rows.
    #[inline]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// The element of the memory at which it begins.
    #[inline]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The number of elements.
    #[inline]
    pub const fn length(&self) -> usize {
        // One of the two factors is even.
        if self.order.is_multiple_of(2) {
            self.order / 2 * (self.order + 1)
        } else {
            self.order.div_ceil(2) * self.order
        }
    }

    /// Elements that its memory must hold: one more than the highest index.
    #[inline]
    pub const fn end(&self) -> usize {
        self.offset + self.length()
    }
}

macro_rules! packed_view {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name<'a, T> {
            memory: Memory<'a, T>,
            shape: PackedShape,
        }

        impl<'a, T: Scalar> $name<'a, T> {
            /// A packed triangle in host memory.
            ///
            /// # Safety
            /// `shape.end()` elements from `start` must stay valid for `'a` (for an empty triangle `start` may be
            /// null), and nobody else may write what this view reads or touch what it writes.
            #[inline]
            pub unsafe fn from_host_raw(start: *mut T, shape: PackedShape) -> Self {
                $name { memory: Memory::host(start), shape }
            }

            /// A packed triangle in device memory. `name` is what an error calls it.
            ///
            /// # Errors
            /// [`Error::ViewTooLarge`] when the buffer is too small for the shape.
            pub fn from_device(buffer: &'a impl MemoryObject, shape: PackedShape, name: &'static str) -> Result<Self> {
                super::check_fits(shape.end(), buffer.bytes() / size_of::<T>(), name)?;
                Ok($name { memory: Memory::Device(buffer), shape })
            }

            /// A packed triangle that the operation it is given to does not read: `buffer` only stands for the memory
            /// it would have.
            ///
            /// # Safety
            /// It must only be given to operations that, for the other arguments that they get, do not touch it.
            pub unsafe fn unread(buffer: &'a impl MemoryObject, shape: PackedShape) -> Self {
                $name { memory: Memory::Device(buffer), shape }
            }
        }

        impl<'a, T> $name<'a, T> {
            /// Sizes, offset and strides in the memory.
            #[inline]
            pub const fn shape(&self) -> &PackedShape {
                &self.shape
            }
        }
    };
}

packed_view!(
    /// A packed triangle to read.
    PackedRef
);
packed_view!(
    /// A packed triangle to read and write.
    PackedMut
);

view_parts!(PackedRef, PackedShape);
view_parts!(PackedMut, PackedShape);

impl<T> Clone for PackedRef<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for PackedRef<'_, T> {}

impl<'a, T: Scalar> PackedRef<'a, T> {
    /// A packed triangle in a slice of the host's memory.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] when the slice is too short for the shape.
    pub fn from_slice(data: &'a [T], shape: PackedShape) -> Result<Self> {
        super::check_fits(shape.end(), data.len(), "the packed matrix")?;
        Ok(PackedRef { memory: Memory::host(data.as_ptr().cast_mut()), shape })
    }
}

impl<'a, T: Scalar> PackedMut<'a, T> {
    /// A packed triangle in a slice of the host's memory.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] when the slice is too short for the shape.
    pub fn from_slice(data: &'a mut [T], shape: PackedShape) -> Result<Self> {
        super::check_fits(shape.end(), data.len(), "the packed matrix")?;
        Ok(PackedMut { memory: Memory::host(data.as_mut_ptr()), shape })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_triangle_has_half_the_elements_and_the_diagonal() {
        for (order, length) in [(0, 0), (1, 1), (2, 3), (3, 6), (10, 55)] {
            let shape = PackedShape::new(Layout::RowMajor, Triangle::Lower, order, 4).unwrap();
            assert_eq!((shape.length(), shape.end()), (length, length + 4));
        }
        assert!(PackedShape::new(Layout::RowMajor, Triangle::Lower, 1 << 40, 0).is_err());
    }

    #[test]
    fn a_slice_too_short_is_refused() {
        let shape = PackedShape::new(Layout::ColumnMajor, Triangle::Upper, 3, 0).unwrap();
        assert!(PackedRef::from_slice(&[0.0_f64; 5], shape).is_err());
        assert!(PackedRef::from_slice(&[0.0_f64; 6], shape).is_ok());
    }
}
