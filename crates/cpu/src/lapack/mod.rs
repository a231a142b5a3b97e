//! LAPACK on the host: factorisations, solutions and inverses in place, over the host's own level 3.
//!
//! Matrices are faer's views with any strides: an upper triangle is the lower one of the transpose, a row-major matrix the
//! transpose of a column-major one. Blocks are factorised by recursion down to a few columns, whose loops are in [`lanes`];
//! everything else is gemm, trsm and their kin. Sizes have been checked by the callers. What can go wrong with numbers alone
//! is told by LAPACK's info: `Some(i)`, counted from 1.

mod blocks;
mod cholesky;
mod lanes;
mod least_squares;
mod lu;
mod mixed;
mod norm;
mod pivoted;
mod qr;
pub mod rank;
mod reflectors;
mod scratch;
mod trapezoid;
mod triangular;

pub use cholesky::{posv, potrf, potri, potrs};
pub use least_squares::{gels, gelsy};
pub use lu::{gesv, getrf, getri, getrs, laswp};
pub use mixed::{System, solve_mixed};
pub use norm::norm;
pub use pivoted::geqp3;
pub use qr::{geqrf, orgqr, ormqr};
pub use triangular::{lauum, trtri, trtrs};

use super::threads;

/// LAPACK's info of a routine that can fail on numbers: where it failed, counted from 1.
pub type Info = Option<usize>;

/// Order from which a factorisation's parts are worth a thread each.
const SHARED: usize = 128;

/// A routine on matrices of this order, whose products are shared out.
fn among_threads<R: Send>(order: usize, work: impl FnOnce() -> R + Send) -> R {
    threads::in_pool(order >= SHARED, work)
}
