//! Views: a matrix or vector in somebody's memory, checked once, so that nobody has to check it again.

#[cfg(any(test, feature = "approx"))]
mod approximate;
mod band;
mod batch;
mod in_place;
mod matrix;
mod packed;
mod vector;

use std::any::Any;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ptr::NonNull;

pub use band::{BandRef, BandShape};
pub use batch::{BatchMut, BatchRef, BatchShape, Spacing};
pub use in_place::InPlace;
pub use matrix::{MatrixMut, MatrixRef, MatrixShape};
pub use packed::{PackedMut, PackedRef, PackedShape};
pub use vector::{VectorMut, VectorRef, VectorShape};

use crate::error::{Error, Result};

/// A memory object of a device. The crates above implement it, for one type, which they find again by its `TypeId`.
pub trait MemoryObject: Any + Debug + Send + Sync {
    /// Its size in bytes.
    fn bytes(&self) -> usize;
}

/// The memory behind a view: the host's, or a device's.
#[derive(Debug)]
pub enum Memory<'a, T> {
    Host(*mut T, PhantomData<&'a T>),
    Device(&'a dyn MemoryObject),
}

/// The parts of a view, for the crates of the library: a view's users cannot reach them.
pub trait View<'a, T>: Sized {
    /// Sizes, offset and strides.
    type Shape;

    /// The memory behind it.
    fn memory(&self) -> Memory<'a, T>;
    /// A view of `memory`, which holds the shape's elements and whose borrow allows what the view does.
    fn from_parts(memory: Memory<'a, T>, shape: Self::Shape) -> Self;
}

macro_rules! view_parts {
    ($name:ident, $shape:ty) => {
        impl<'a, T> $crate::view::View<'a, T> for $name<'a, T> {
            type Shape = $shape;

            #[inline]
            fn memory(&self) -> Memory<'a, T> {
                self.memory
            }
            #[inline]
            fn from_parts(memory: Memory<'a, T>, shape: Self::Shape) -> Self {
                $name { memory, shape }
            }
        }
    };
}
use view_parts;

impl<T> Clone for Memory<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Memory<'_, T> {}

// SAFETY: a view is made from a shared or exclusive borrow of elements that are Send and Sync themselves.
unsafe impl<T: Send + Sync> Send for Memory<'_, T> {}
// SAFETY: as above; a shared reference to a view allows only reads.
unsafe impl<T: Send + Sync> Sync for Memory<'_, T> {}

impl<T> Memory<'_, T> {
    #[inline]
    fn host(start: *mut T) -> Self {
        // Slices and host backends take no null, not even for no elements.
        let start = if start.is_null() { NonNull::dangling().as_ptr() } else { start };
        Memory::Host(start, PhantomData)
    }
}

/// Refuses a view whose last element lies past the end of its memory.
fn check_fits(needed: usize, available: usize, name: &'static str) -> Result<()> {
    if needed <= available {
        return Ok(());
    }
    Err(Error::ViewTooLarge { name, needed: needed as u64, available: available as u64 })
}
