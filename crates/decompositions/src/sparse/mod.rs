//! Factors of sparse matrices by columns, with fill-reducing orderings: approximate minimum degree (AMD; Amestoy, Davis
//! and Duff 1996) and its column form (COLAMD; Davis, Gilbert, Larimore and Ng 2004).
//!
//! `memory` bounds the bytes of factors and workspace; nothing beyond it is allocated for factors.

pub mod cholesky;
pub mod ldl;
pub mod lu;
mod pattern;
pub mod qr;

pub use pattern::{HermitianPattern, LuPattern, QrPattern};

use crate::parallelism;
use affinimath_core::{Error, Result};
use faer::Par;

/// Checks bytes against a bound.
fn check_memory(bytes: usize, memory: Option<u64>) -> Result<()> {
    match memory {
        Some(memory) if bytes as u64 > memory => {
            Err(Error::OutOfHostMemory { bytes: bytes as u64, purpose: "sparse factors" })
        }
        _ => Ok(()),
    }
}

/// Error of a faer routine that could not allocate, or whose indices overflow.
fn exhausted(_: impl std::fmt::Debug) -> Error {
    Error::OutOfHostMemory { bytes: 0, purpose: "sparse factors" }
}

/// Zeros, or the error of memory that is not there.
fn zeros<T: Clone + Default>(n: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(n).map_err(exhausted)?;
    values.resize(n, T::default());
    Ok(values)
}

/// Entries below which one thread factorises.
const PARALLEL_ENTRIES: usize = 4_000_000;

fn sparse_parallelism(entries: usize) -> Par {
    if entries < PARALLEL_ENTRIES { Par::Seq } else { parallelism() }
}
