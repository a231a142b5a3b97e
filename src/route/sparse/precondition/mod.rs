//! Approximate inverses of sparse matrices, where those lie.

mod block_jacobi;
mod ic0;
mod ilu0;
mod ssor;
#[cfg(test)]
mod tests;
mod triangles;

pub use block_jacobi::BlockJacobi;
pub use ic0::Ic0;
pub use ilu0::Ilu0;
pub use ssor::Ssor;

use super::check_memory;
use crate::error::{Error, Result};
use crate::memory::Context;
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef, View};

/// Refuses vectors of other lengths or elsewhere.
fn check_vectors<T>(context: &Context, order: usize, x: &VectorRef<'_, T>, y: &VectorMut<'_, T>) -> Result<()>
where
    T: Scalar,
{
    if x.length() != order || y.length() != order {
        let (x, y) = (x.length(), y.length());
        return Err(Error::ShapeMismatch(format!(
            "the preconditioner is {order} x {order}, x has {x} elements, y has {y}"
        )));
    }
    check_memory(context, x.memory(), "x")?;
    check_memory(context, y.memory(), "y")
}
