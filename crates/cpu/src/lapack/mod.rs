//! LAPACK on the host: factorisations, solutions and inverses in place, on top of the host's level 3.
//!
//! Matrices are faer's views with any strides: an upper triangle is the lower one of the transpose, and a row-major
//! matrix the transpose of a column-major one. Factorisations are recursive down to a few columns, whose loops use
//! [`lanes`]; everything else is gemm, trsm and similar. Callers have checked sizes. Numerical failures are LAPACK's
//! info: `Some(i)`, counted from 1.

pub mod auxiliary;
mod band;
mod blocks;
mod cholesky;
mod expert;
mod groups;
mod indefinite;
mod lanes;
mod least_squares;
mod lu;
mod mixed;
mod norm;
mod pivoted;
mod qr;
pub mod rank;
mod reflectors;
mod spectral;
mod trapezoid;
mod triangular;
mod tridiagonal;
mod workspace;

pub use band::{gbsv, gbtrf, gbtrs, pbsv, pbtrf, pbtrs};
pub use cholesky::{posv, potrf, potri, potrs};
pub use expert::{
    Definite, DefiniteTridiagonal, Equed, Equilibration, Expert, General, Indefinite, Tridiagonal, gbcon, geequ,
    geequb, gerfs, gesvx, gtcon, gtrfs, gtsvx, hecon, herfs, poequ, poequb, porfs, posvx, ptcon, ptrfs, ptsvx, sycon,
    syequb, syrfs, sysvx, tbtrs,
};
pub use indefinite::{
    Pivoting, hesv, hesv_rook, hetrf, hetrf_rook, hetri, hetri_rook, hetrs, hetrs_rook, pivots_fit, rook_pivots_fit,
    sysv, sysv_rook, sytrf, sytrf_rook, sytri, sytri_rook, sytrs, sytrs_rook,
};
pub use least_squares::{gels, gelsy};
pub use lu::{gesv, getrf, getri, getrs, laswp};
pub use mixed::{System, solve_mixed};
pub use norm::norm;
pub use pivoted::geqp3;
pub use qr::{geqrf, orgqr, ormqr};
pub use spectral::{
    Balanced, Balancing, BidiagonalFactor, Conditions, Leading, LeadingQuotients, Order, Pencil, Quotients, Select,
    SelectPencil, Sensitivity, Spectrum, Wanted, bdsqr, count_between, gebak, gebal, gebrd, gees, geesx, geev, geevx,
    gehrd, gelsd, gesvd, gges, ggev, hbev, hbevx, hbtrd, heev, heevr, hegst, hegv, hegvx, hetrd, hseqr, orgbr, orghr,
    orgtr, ormbr, ormhr, ormtr, selected_pairs, stebz, stedc, stein, stemr, steqr, sterf, stevr, tgsen, trevc, trexc,
    trsen, trsna, trsyl,
};
pub use triangular::{lauum, trtri, trtrs};
pub use tridiagonal::{Factors as TridiagonalFactors, gtsv, gttrf, gttrs, ptsv, pttrf, pttrs};

use super::threads;

/// LAPACK's info of a numerical failure: its index, counted from 1.
pub type Info = Option<usize>;

/// Minimum order of a factorisation with several threads.
const PARALLEL_MIN: usize = 128;

/// Runs a routine on a matrix of this order in the thread pool.
fn among_threads<R: Send>(order: usize, work: impl FnOnce() -> R + Send) -> R {
    threads::in_pool(order >= PARALLEL_MIN, work)
}
