//! Operations on sparse matrices, where they lie: on the host or on a device.

#[cfg(test)]
mod bench;
mod convert;
mod factors;
mod files;
mod precondition;
mod product;
mod solve;
mod staged;
mod triangular;

pub use factors::SparseFactors;
pub use precondition::{BlockJacobi, Ic0, Ilu0, Ssor};
pub use solve::{Chebyshev, bicgstab, cg, gmres, lsmr, lsqr, minres};
pub use staged::{StagedMatrix, StagedVector};

use crate::context::Queue;
use crate::error::{Error, Result};
use crate::memory::Context;
use crate::view::Memory;

/// Refuses an operand on the host for a matrix on a device, and the other way round.
fn check_memory<T>(context: &Context, memory: Memory<'_, T>, name: &str) -> Result<()> {
    let reason = match (context.on_device(), memory) {
        (None, Memory::Device(_)) => "lies on a device, and the matrix on the host",
        (Some(_), Memory::Host(..)) => "lies in the host's memory, and the matrix on a device",
        _ => return Ok(()),
    };
    Err(Error::MixedMemory(format!("{name} {reason}")))
}

/// Refuses a queue of another context than the matrix's.
fn check_queue(context: &Context, queue: &Queue) -> Result<()> {
    if context.is_same(&Context::from_queue(queue)) {
        return Ok(());
    }
    Err(Error::MixedMemory("the sparse matrix does not lie in the queue's context".to_owned()))
}
