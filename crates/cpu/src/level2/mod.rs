//! Level 2 on the host: plain loops over columns of adjacent elements, several columns at a time.

pub(crate) mod gemv;
mod product;
pub mod serial;
mod solve;
pub mod update;

pub use product::product;
pub use solve::solve;
pub use update::update;

use affinimath_core::scalar::Scalar;
use affinimath_core::view::{Memory, VectorShape};

/// Below this many bytes per thread, one thread is faster than waking another one.
const BYTES_PER_THREAD: usize = 256 << 10;

/// First element of a host view's memory.
fn host<T>(memory: Memory<'_, T>) -> *mut T {
    match memory {
        Memory::Host(start, _) => start,
        Memory::Device(_) => unreachable!("the host works on the host's memory"),
    }
}

/// Address of element `i` of a vector.
const fn address_of<T>(start: *mut T, shape: &VectorShape, i: usize) -> *mut T {
    start.wrapping_add(shape.first()).wrapping_offset(i as isize * shape.increment())
}

/// A contiguous copy of a vector, conjugated if asked for.
///
/// # Safety
/// The memory must hold the vector.
unsafe fn gathered<T: Scalar>(start: *mut T, shape: &VectorShape, conjugate: bool) -> Vec<T> {
    (0..shape.length())
        .map(|i| {
            // SAFETY: the vector has n elements, by this function's contract.
            let element = unsafe { *address_of(start, shape, i) };
            if conjugate { element.conjugate() } else { element }
        })
        .collect()
}
