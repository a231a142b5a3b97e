//! Decompositions of dense and sparse matrices by faer, compiled once for the four element types.
//!
//! faer's algorithms are generic, and the largest part of the library's compilation: here they are apart from code that
//! changes often. Routines with LAPACK's contract are in `affinimath-cpu`.
//!
//! This is an inner crate of `affinimath`: its items may change in any version.

pub mod band;
pub mod cholesky;
pub mod condition;
pub mod hermitian;
pub mod hessenberg;
pub mod least_squares;
pub mod lu;
pub mod qz;
mod rotation;
pub mod schur;
pub mod singular;
pub mod sparse;

use faer::Par;

/// Parallelism of faer's routines: the threads that the library may use.
pub fn parallelism() -> Par {
    match affinimath_core::threads::available() {
        1 => Par::Seq,
        several => Par::rayon(several),
    }
}

/// Rows or columns below which a factorisation is done by one thread: its panels are too short to share.
const PARALLEL_SIZE: usize = 256;

fn factor_parallelism(rows: usize, columns: usize) -> Par {
    if rows.min(columns) < PARALLEL_SIZE { Par::Seq } else { parallelism() }
}
