//! LAPACK on any memory, with pivots and factors of reflections in the host's.
//!
//! Every routine returns when it is done. Most run where their matrices lie, or, for the host's memory, where the route
//! decides; `laswp` on the host, for matrices in its memory. What LAPACK tells by a positive info is an error that says
//! what is done and what is not; its status, [`Error::status`], is the info.

mod band;
mod batched;
mod batched_band;
mod batched_spectral;
mod cholesky;
mod expert;
mod expert_band;
mod indefinite;
mod lu;
mod mixed;
mod packed;
mod pivoted;
mod qr;
mod spectral;
mod staged;
mod triangular;
mod tridiagonal;

use std::cell::RefCell;

use crate::context::{BufferParts, DeviceBuffer, Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack as host;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, VectorMut, VectorShape};

pub use band::{gbsv, gbsv_on, gbtrf, gbtrf_on, gbtrs, gbtrs_on, pbsv, pbsv_on, pbtrf, pbtrf_on, pbtrs, pbtrs_on};
pub use batched::{
    geqrf_batched, gesv_batched, getrf_batched, getrs_batched, gtsv_batched, posv_batched, potrf_batched, potrs_batched,
};
pub use batched_band::{gbsv_batched, gbtrf_batched, gbtrs_batched};
pub use batched_spectral::{gesvd_batched, gesvd_batched_on, heev_batched, heev_batched_on};
pub use cholesky::{posv, potrf, potri, potrs};
pub use expert::{
    ExpertFactors, geequ, gerfs, gesvx, poequ, porfs, posvx, sycon, syequb, syrfs, sysv_rook, sysvx, sytrf_rook,
    sytri_rook, sytrs_rook,
};
pub use expert_band::{TridiagonalFactorsMut, gbcon, gtcon, gtrfs, gtsvx, hegst, ptcon, ptrfs, ptsvx, tbtrs};
pub use indefinite::{
    hesv, hesv_on, hetrf, hetrf_on, hetri, hetri_on, hetrs, hetrs_on, sysv, sysv_on, sytrf, sytrf_on, sytri, sytri_on,
    sytrs, sytrs_on,
};
pub use lu::{gesv, getrf, getri, getrs, laswp};
pub use mixed::{gesv_mixed, posv_mixed};
pub use packed::{
    hfrk, hfrk_on, hpev, hpev_on, hpgv, hpgv_on, hpsv, hpsv_on, hptrf, hptrf_on, hptri, hptri_on, hptrs, hptrs_on,
    lanhf, lanhf_on, lanhp, lanhp_on, lansf, lansf_on, lansp, lansp_on, lantp, lantp_on, pftrf, pftrf_on, pftri,
    pftri_on, pftrs, pftrs_on, ppcon, ppcon_on, ppcon_with_vector, ppsv, ppsv_on, pptrf, pptrf_on, pptri, pptri_on,
    pptrs, pptrs_on, sfrk, sfrk_on, spsv, spsv_on, sptrf, sptrf_on, sptri, sptri_on, sptrs, sptrs_on, tfsm, tfsm_on,
    tftri, tftri_on, tfttp, tfttp_on, tfttr, tfttr_on, tptri, tptri_on, tptrs, tptrs_on, tpttf, tpttf_on, tpttr,
    tpttr_on, trttf, trttf_on, trttp, trttp_on,
};
pub use pivoted::{gelsy, gelsy_on, geqp3, geqp3_on};
pub use qr::{gels, geqrf, orgqr, ormqr};
pub use spectral::{
    BidiagonalVectors, SingularVectors, TridiagonalMethod, TridiagonalVectors, bdsqr, bdsqr_on, gebrd, gebrd_on, geev,
    geev_complex_on, geev_on, gelsd, gelsd_on, gesvd, gesvd_on, heev, heev_on, heevr, heevr_on, hegv, hegv_on, hegvx,
    hegvx_on, hetrd, hetrd_on, orgbr, orgbr_on, orgtr, orgtr_on, ormbr, ormbr_on, ormtr, ormtr_on, stevr, stevr_on,
    tridiagonal_eigen, tridiagonal_eigen_on,
};
pub use spectral::{
    DeviceEigenvalues, MovedBlock, SchurEigenvectors, SchurVectors, SylvesterScale, gebak, gebak_on, gebal, gebal_on,
    gees, gees_on, geesx, geevx, geevx_on, gehrd, gehrd_on, hseqr, hseqr_on, orghr, orghr_on, ormhr, ormhr_on,
    selected_pairs, trevc, trevc_on, trexc, trexc_on, trsen, trsen_on, trsna, trsna_on, trsyl, trsyl_on,
};
pub use spectral::{
    DeviceQuotients, QuotientOrder, Quotients, gges, gges_on, gges_ordered, ggev, ggev_on, tgsen, tgsen_on,
};
pub use spectral::{hbev, hbev_on, hbevx, hbevx_on, hbtrd, hbtrd_on};
pub use triangular::{lauum, trtri, trtrs};
pub(crate) use tridiagonal::gtsv_there;
pub use tridiagonal::{
    gtsv, gtsv_on, gttrf, gttrf_on, gttrs, gttrs_on, ptsv, ptsv_on, pttrf, pttrf_on, pttrs, pttrs_on,
};

pub(super) use batched::{check_numbers, check_rows, order_of};
pub(super) use lu::check_pivots_count;
pub(super) use staged::with_copies;

/// Pivots in the host's memory, and the info, of work that is done on the host or on a device.
struct Indices<'p> {
    found: RefCell<(&'p mut [i32], host::Info)>,
}

impl<'p> Indices<'p> {
    const fn new(pivots: &'p mut [i32]) -> Self {
        Indices { found: RefCell::new((pivots, None)) }
    }

    fn on_host(&self, work: impl FnOnce(&mut [i32]) -> host::Info) {
        let (pivots, info) = &mut *self.found.borrow_mut();
        *info = work(pivots);
    }

    /// Brings the pivots to the device and back, and waits for the work.
    fn on_device(
        &self,
        queue: &Queue,
        work: impl for<'m> FnOnce(VectorMut<'m, i32>, VectorMut<'m, i32>) -> Result<Event>,
    ) -> Result<Event> {
        let (pivots, info) = &mut *self.found.borrow_mut();
        // The info, and then the pivots.
        let mut numbers = vec![0; pivots.len() + 1];
        numbers[1..].copy_from_slice(pivots);
        let memory = DeviceBuffer::new(queue.context(), size_of_val(numbers.as_slice()), "pivots")?;
        memory.write(queue, &numbers)?;
        let view = |count, offset| VectorMut::from_device(&memory, VectorShape::new(count, offset, 1)?, "pivots");
        work(view(pivots.len(), 1)?, view(1, 0)?)?.wait()?;
        memory.read(queue, &mut numbers)?;
        pivots.copy_from_slice(&numbers[1..]);
        let index = usize::try_from(numbers[0])
            .map_err(|_| Error::Internal("the host's routine panicked on the device's memory".to_owned()))?;
        *info = Some(index).filter(|index| *index > 0);
        Ok(Event::Complete)
    }

    fn info(&self) -> host::Info {
        self.found.borrow().1
    }
}

/// n³.
const fn cube(n: usize) -> u64 {
    let n = n as u64;
    n.saturating_mul(n).saturating_mul(n)
}

/// Real operations of so many multiplications and additions.
const fn operations<T: Scalar>(pairs: u64) -> u64 {
    pairs.saturating_mul(T::KIND.multiply_add_operations())
}

/// Of two triangular systems.
const fn solution_operations<T: Scalar>(n: usize, columns: usize) -> u64 {
    operations::<T>((n as u64).saturating_mul(n as u64).saturating_mul(columns as u64))
}

fn zero_pivot(info: host::Info) -> Result<()> {
    info.map_or(Ok(()), |index| Err(Error::ZeroPivot { index }))
}

fn not_positive(info: host::Info) -> Result<()> {
    info.map_or(Ok(()), |index| Err(Error::NotPositiveDefinite { index }))
}

pub(super) fn square(name: &str, rows: usize, columns: usize) -> Result<usize> {
    if rows == columns {
        return Ok(rows);
    }
    Err(Error::ShapeMismatch(format!("{name}: {rows} x {columns}, and not square")))
}

fn rows_agree<T: Scalar>(name: &str, rows: usize, b: &MatrixMut<'_, T>) -> Result<()> {
    if b.rows() == rows {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{name}: {rows} rows; B: {}", b.rows())))
}

pub(super) fn check_length(name: &str, length: usize, needed: usize) -> Result<()> {
    if length >= needed {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{name}: {length} elements, and {needed} are needed")))
}
