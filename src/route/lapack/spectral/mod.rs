//! Eigenvalues and singular values. They are computed on the host, of operands in a device's memory by copies, but for
//! Hermitian matrices on a GPU.

mod band;
mod general;
mod generalised;
mod hermitian;
mod reductions;
mod schur;
mod singular;

pub use band::{hbev, hbev_on, hbevx, hbevx_on, hbtrd, hbtrd_on};
pub use general::{geev, geev_complex_on, geev_on};
pub use generalised::{
    DeviceQuotients, QuotientOrder, Quotients, gges, gges_on, gges_ordered, ggev, ggev_on, tgsen, tgsen_on,
};
pub use hermitian::{heev, heev_on, heevr, heevr_on, hegv, hegv_on, hegvx, hegvx_on};
pub use reductions::{
    BidiagonalVectors, TridiagonalMethod, TridiagonalVectors, bdsqr, bdsqr_on, gebrd, gebrd_on, hetrd, hetrd_on, orgbr,
    orgbr_on, orgtr, orgtr_on, ormbr, ormbr_on, ormtr, ormtr_on, stevr, stevr_on, tridiagonal_eigen,
    tridiagonal_eigen_on,
};
pub use schur::{
    DeviceEigenvalues, MovedBlock, SchurEigenvectors, SchurVectors, SylvesterScale, gebak, gebak_on, gebal, gebal_on,
    gees, gees_on, geesx, geevx, geevx_on, gehrd, gehrd_on, hseqr, hseqr_on, orghr, orghr_on, ormhr, ormhr_on,
    selected_pairs, trevc, trevc_on, trexc, trexc_on, trsen, trsen_on, trsna, trsna_on, trsyl, trsyl_on,
};
pub use singular::{SingularVectors, gelsd, gelsd_on, gesvd, gesvd_on};

use super::staged::with_copies;
use super::{check_length, square};
use crate::context::Queue;
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, Info};
use crate::host::on_living_thread;
use crate::scalar::{Element, Scalar};
use crate::view::{MatrixMut, MatrixRef, VectorMut};

fn no_convergence(info: Info) -> Result<()> {
    info.map_or(Ok(()), |index| Err(Error::NoConvergence { index }))
}

/// A vector of n elements in a device's memory.
fn check_vector<T: Element>(name: &str, vector: &VectorMut<'_, T>, n: usize) -> Result<()> {
    check_length(name, vector.length(), n)
}

/// A matrix of these rows and columns.
fn check_matrix<T: Scalar>(name: &str, a: &MatrixMut<'_, T>, rows: usize, columns: usize) -> Result<()> {
    if (a.rows(), a.columns()) == (rows, columns) {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{name}: {} x {}, and not {rows} x {columns}", a.rows(), a.columns())))
}
