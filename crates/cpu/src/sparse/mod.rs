//! Sparse matrices on the host.

mod blocks;
mod convert;
mod dense;
mod incomplete;
mod multiply;
mod passes;
mod product;
mod rows;
pub mod segments;
mod transpose;
mod triangular;

pub use blocks::{block_product, inverted_blocks};
pub use convert::{compress, diagonal, from_dense, list, mirrored, scaled_lines, sum, to_dense};
pub use dense::dense_product;
pub use incomplete::{incomplete_cholesky, incomplete_lu};
pub use multiply::multiply_sparse;
pub use passes::{Passes, raw_vector};
pub use product::product;
pub use transpose::transpose;
pub use triangular::solve;

use affinimath_core::scalar::Element;
use affinimath_core::view::{Memory, VectorRef, View};

/// Elements of a contiguous host vector.
fn slice<'a, T: Element>(vector: &VectorRef<'a, T>) -> &'a [T] {
    debug_assert!(vector.shape().increment() == 1);
    let Memory::Host(start, _) = vector.memory() else { unreachable!("the host works on the host's memory") };
    // SAFETY: the view holds its elements, which are not written while it lives.
    unsafe { std::slice::from_raw_parts(start.wrapping_add(vector.shape().first()), vector.length()) }
}

/// A pointer through which threads write different elements.
struct Shared<T>(*mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}

// SAFETY: no element that one thread writes is accessed by another.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: no element that one thread writes is accessed by another.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}
