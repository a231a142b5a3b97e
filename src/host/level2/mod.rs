//! Level 2 on the host: loops down the columns that the compiler turns into wide vectors, in several threads where it pays.

mod solve;
mod update;

pub use solve::{tbsv, tpsv, trsv};
pub use update::{ger, gerc, her, her2, hpr, hpr2, spr, spr2, syr, syr2};

use crate::scalar::Scalar;
use crate::view::VectorShape;

/// Below this many bytes per thread, one thread is faster than waking another one.
const BYTES_PER_THREAD: usize = 256 << 10;

/// Where element `i` of a vector in the memory from `start` on lies.
const fn place<T>(start: *mut T, shape: &VectorShape, i: usize) -> *mut T {
    start.wrapping_add(shape.first()).wrapping_offset(i as isize * shape.increment())
}

/// A copy of a vector with its elements next to each other, conjugated where asked for.
///
/// # Safety
/// The memory must hold the vector.
unsafe fn gathered<T: Scalar>(start: *mut T, shape: &VectorShape, conjugate: bool) -> Vec<T> {
    (0..shape.length())
        .map(|i| {
            // SAFETY: the caller vouches for the vector.
            let element = unsafe { *place(start, shape, i) };
            if conjugate { element.conjugate() } else { element }
        })
        .collect()
}
