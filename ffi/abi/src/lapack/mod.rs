//! LAPACK: C's arguments, in C's order, to the library's views.

pub mod batched;
pub mod bdsqr;
mod expert;
pub mod gbsv;
pub mod gbtrf;
pub mod gbtrs;
pub mod gebak;
pub mod gebal;
pub mod gebrd;
pub mod gecon;
pub mod gees;
pub mod gees_complex;
pub mod geev;
pub mod geev_complex;
pub mod geevx;
pub mod geevx_complex;
pub mod gehrd;
pub mod gels;
pub mod gelsd;
pub mod gelsy;
pub mod geqp3;
pub mod geqrf;
pub mod gesdd;
pub mod gesv;
pub mod gesv_mixed;
pub mod gesvd;
pub mod getrf;
pub mod getri;
pub mod getrs;
pub mod gges;
pub mod gges_complex;
pub mod ggev;
pub mod ggev_complex;
pub mod gtsv;
pub mod gttrf;
pub mod gttrs;
pub mod hesv;
pub mod hetrf;
pub mod hetri;
pub mod hetrs;
pub mod hseqr;
pub mod hseqr_complex;
pub mod job;
pub mod lange;
pub mod lanhe;
pub mod lansy;
pub mod lantr;
pub mod laswp;
pub mod lauum;
pub mod orgbr;
pub mod orghr;
pub mod orgqr;
pub mod orgtr;
pub mod ormbr;
pub mod ormhr;
pub mod ormqr;
pub mod ormtr;
pub mod packed;
pub mod pbsv;
pub mod pbtrf;
pub mod pbtrs;
pub mod pocon;
pub mod posv;
pub mod posv_mixed;
pub mod potrf;
pub mod potri;
pub mod potrs;
pub mod ptsv;
pub mod pttrf;
pub mod pttrs;
pub mod pttrs_complex;
mod quotients;
pub mod sbev;
pub mod sbevx;
pub mod sbtrd;
pub mod schur;
pub mod stedc;
pub mod steqr;
pub mod sterf;
pub mod stev;
pub mod stevr;
pub mod syev;
pub mod syevr;
pub mod syevx;
pub mod sygv;
pub mod sygvx;
pub mod sysv;
pub mod sytrd;
pub mod sytrf;
pub mod sytri;
pub mod sytrs;
pub mod tgsen;
pub mod tgsen_complex;
pub mod trcon;
pub mod trevc;
pub mod trevc_complex;
pub mod trexc;
pub mod trexc_complex;
pub mod trsen;
pub mod trsen_complex;
pub mod trsna;
pub mod trsyl;
pub mod trtri;
pub mod trtrs;

pub use expert::{
    gbcon, geequ, geequb, gerfs, gesvx, gtcon, gtrfs, gtsvx, hecon, hecon_rook, herfs, hesv_rook, hesvx, hetrf_rook,
    hetri_rook, hetrs_rook, poequ, poequb, porfs, posvx, ptcon, ptrfs, ptrfs_complex, ptsvx, sycon, sycon_rook, syequb,
    sygst, syrfs, sysv_rook, sysvx, sytrf_rook, sytri_rook, sytrs_rook, tbtrs,
};

use affinimath::{Error, Event, MatrixRef, MatrixShape, Queue, Refinement, Result, Scalar, VectorMut, VectorShape};

use crate::arguments::{array, not_null, numbers, strided, vector};
use crate::form::{DeviceLocation, HostLocation, Location, Names, Opened, Operand, Session, StandardLocation, names};

const PIVOTS: Names = names!("ipiv");
/// Names of the indices of exchanged columns.
pub(crate) const COLUMNS: Names = names!("jpvt");
/// Names of the factors of a bidiagonal form's reflectors.
const TAUQ: Names = names!("tauq");
const TAUP: Names = names!("taup");
const RCOND: Names = names!("rcond");
const WORK: Names = names!("work");
/// Names of a solution that does not overwrite the right-hand sides.
pub(crate) const X: Names = names!("x", "ld");
pub(crate) const TAU: Names = names!("tau");
/// Names of a tridiagonal matrix's diagonals.
pub(crate) const DL: Names = names!("dl");
pub(crate) const D: Names = names!("d");
pub(crate) const DU: Names = names!("du");
const DU2: Names = names!("du2");
const E: Names = names!("e");
/// Names of eigenvalues.
pub(crate) const W: Names = names!("w");
const WR: Names = names!("wr");
const WI: Names = names!("wi");
/// Names of generalised eigenvalues, and of generalised Schur vectors.
const ALPHA: Names = names!("alpha");
const ALPHAR: Names = names!("alphar");
const ALPHAI: Names = names!("alphai");
const BETA: Names = names!("beta");
const VSL: Names = names!("vsl", "ld");
const VSR: Names = names!("vsr", "ld");
/// Names of eigenvectors.
pub(crate) const Z: Names = names!("z", "ld");
const VL: Names = names!("vl", "ld");
const VR: Names = names!("vr", "ld");
/// Names of a Schur form, of Schur vectors, and of a Hessenberg matrix.
pub(crate) const T: Names = names!("t", "ld");
pub(crate) const Q: Names = names!("q", "ld");
pub(crate) const VS: Names = names!("vs", "ld");
pub(crate) const H: Names = names!("h", "ld");
/// Names of balanced eigenvectors, and of the factors of a balancing.
pub(crate) const V: Names = names!("v", "ld");
pub(crate) const SCALE: Names = names!("scale");
/// Names of condition numbers.
pub(crate) const SEP: Names = names!("sep");
pub(crate) const RCONDE: Names = names!("rconde");
pub(crate) const RCONDV: Names = names!("rcondv");
/// Names of singular values and vectors.
pub(crate) const S: Names = names!("s");
const U: Names = names!("u", "ld");
const VT: Names = names!("vt", "ld");
/// Names of a band matrix's array.
const AB: Names = names!("ab", "ld");

/// Rows of a band's array: `fill` diagonals for what is interchanged, those below or beside the main one, and it.
const fn band_rows(fill: usize, others: usize) -> usize {
    fill.saturating_add(others).saturating_add(1)
}

/// Refuses a matrix whose rows exceed 32-bit pivots; one without columns has no pivots.
pub(crate) fn check_pivot_rows(m: usize, n: usize) -> Result<()> {
    if n == 0 || i32::try_from(m).is_ok() {
        return Ok(());
    }
    Err(Error::argument("m", format!("{m} rows are more than pivots can number")))
}

/// Refuses a matrix whose columns exceed the 32-bit indices of `jpvt`.
pub(crate) fn check_column_numbers(n: usize) -> Result<()> {
    if i32::try_from(n).is_ok() {
        return Ok(());
    }
    Err(Error::argument("n", format!("{n} columns are more than jpvt can number")))
}

/// Pivots of 32 bits, or of 64 bits for Fortran programs with 64-bit integers.
pub enum Pivots<P> {
    /// 32 bits each.
    Narrow(P),
    /// 64 bits each, behind a host pointer.
    Wide(*mut i64),
}

macro_rules! from_pointers {
    ($($location:ident),+) => {$(
        impl From<*mut i32> for Pivots<$location<i32>> {
            fn from(pivots: *mut i32) -> Self {
                Pivots::Narrow(pivots.into())
            }
        }

        impl From<*const i32> for Pivots<$location<i32>> {
            fn from(pivots: *const i32) -> Self {
                Pivots::Narrow(pivots.into())
            }
        }
    )+};
}
from_pointers!(HostLocation, StandardLocation);

impl From<DeviceLocation> for Pivots<DeviceLocation> {
    fn from(pivots: DeviceLocation) -> Self {
        Pivots::Narrow(pivots)
    }
}

impl<P: Location<i32>> Pivots<P> {
    /// Refuses a null pointer to `count` pivots.
    pub(crate) fn check(&self, count: usize) -> Result<()> {
        match self {
            Pivots::Narrow(location) => array(PIVOTS, count, *location).map(drop),
            Pivots::Wide(start) => array(PIVOTS, count, HostLocation(*start)).map(drop),
        }
    }

    /// Pivots in a memory object.
    ///
    /// # Safety
    /// The memory object must be null or live.
    pub(crate) unsafe fn open(&self, session: &Session, count: usize) -> Result<Opened<i32, VectorShape>> {
        // SAFETY: `open_as` has this function's contract.
        unsafe { self.open_as(PIVOTS, session, count) }
    }

    /// Pivots in a memory object, under another name than `ipiv`.
    ///
    /// # Safety
    /// The contract of [`open`](Self::open).
    pub(crate) unsafe fn open_as(
        &self,
        names: Names,
        session: &Session,
        count: usize,
    ) -> Result<Opened<i32, VectorShape>> {
        match self {
            // SAFETY: `array` checked the offset and null; `open` requires a live memory object.
            Pivots::Narrow(location) => unsafe { array(names, count, *location)?.open(session) },
            Pivots::Wide(_) => Err(Error::Internal("wide pivots are the host's".to_owned())),
        }
    }

    /// `count` pivots in a memory object, from index `first` on, `step` elements apart.
    pub(crate) fn strided(&self, first: usize, count: usize, step: usize) -> Result<Operand<P, VectorShape>> {
        match self {
            Pivots::Narrow(location) => strided(PIVOTS, first, (count, step), *location),
            Pivots::Wide(_) => Err(Error::Internal("wide pivots are the host's".to_owned())),
        }
    }

    /// Copies of `count` pivots on the host.
    ///
    /// # Safety
    /// The pointer must be null or valid for `count` pivots.
    pub(crate) unsafe fn read(&self, session: &Session, count: usize) -> Result<Vec<i32>> {
        // SAFETY: `array` refused null; this function requires `count` pivots.
        unsafe {
            match self {
                Pivots::Narrow(location) => Ok(array(PIVOTS, count, *location)?.open(session)?.slice().to_vec()),
                Pivots::Wide(start) => Ok(narrowed(array(PIVOTS, count, HostLocation(*start))?.open(session)?.slice())),
            }
        }
    }

    /// `count` pivots on the host, `step` elements apart, from index `first` on.
    ///
    /// # Safety
    /// The pointer must be null or valid for these pivots.
    pub(crate) unsafe fn gather(&self, session: &Session, first: usize, count: usize, step: i64) -> Result<Vec<i32>> {
        // SAFETY: `strided` and `vector` refused null; this function requires these pivots.
        unsafe {
            match self {
                Pivots::Narrow(location) => {
                    let step = usize::try_from(step).unwrap_or(usize::MAX);
                    Ok(strided(PIVOTS, first, (count, step), *location)?.open(session)?.gather())
                }
                Pivots::Wide(start) if start.is_null() => Err(Error::argument("ipiv", "it is null")),
                Pivots::Wide(start) => {
                    let location = StandardLocation(start.wrapping_add(first));
                    Ok(narrowed(&vector(PIVOTS, count, location, step, true)?.open(session)?.gather()))
                }
            }
        }
    }

    /// The pivot at an index, from 0, behind a host pointer.
    ///
    /// # Safety
    /// The pointer must be null or valid at this index.
    #[inline]
    pub(crate) unsafe fn get(&self, location: i64) -> Option<i64> {
        // SAFETY: it is not null; this function requires a pivot at this index.
        unsafe {
            match self {
                Pivots::Narrow(start) => {
                    let start = (*start).pointer().filter(|start| !start.is_null())?;
                    Some(start.wrapping_offset(location as isize).read().into())
                }
                Pivots::Wide(start) => (!start.is_null()).then(|| start.wrapping_offset(location as isize).read()),
            }
        }
    }

    /// True for a host pointer that is not null.
    #[inline]
    pub(crate) fn is_on_host(&self) -> bool {
        match self {
            Pivots::Narrow(start) => (*start).pointer().is_some_and(|start| !start.is_null()),
            Pivots::Wide(start) => !start.is_null(),
        }
    }

    /// Writes the pivot at an index, from 0, behind a host pointer.
    ///
    /// # Safety
    /// The pointer must be valid at this index.
    #[inline]
    pub(crate) unsafe fn set(&self, location: usize, pivot: i32) {
        // SAFETY: this function requires a pivot at this index.
        unsafe {
            match self {
                Pivots::Narrow(start) => start.pointer().into_iter().for_each(|start| start.add(location).write(pivot)),
                Pivots::Wide(start) => start.add(location).write(pivot.into()),
            }
        }
    }

    /// Runs work that writes `count` pivots on the host.
    ///
    /// # Safety
    /// The pointer must be null or valid for `count` pivots. Nothing else may access them.
    pub(crate) unsafe fn write(
        &self,
        session: &Session,
        count: usize,
        work: impl FnOnce(&mut [i32]) -> Result<()>,
    ) -> Result<()> {
        // SAFETY: `array` refused null; this function requires `count` pivots.
        unsafe {
            match self {
                Pivots::Narrow(location) => work(array(PIVOTS, count, *location)?.open(session)?.slice_mut()),
                Pivots::Wide(start) => {
                    let mut pivots = array(PIVOTS, count, HostLocation(*start))?.open(session)?;
                    let mut own = vec![0; count];
                    let result = work(&mut own);
                    // Pivots of a singular matrix are written, too.
                    pivots.slice_mut().iter_mut().zip(own).for_each(|(pivot, own)| *pivot = own.into());
                    result
                }
            }
        }
    }
}

/// Pivots in 32 bits. A pivot out of range becomes 0, which no row has.
fn narrowed(pivots: &[i64]) -> Vec<i32> {
    pivots.iter().map(|pivot| i32::try_from(*pivot).unwrap_or(0)).collect()
}

impl<P: Location<i32>> Pivots<P> {
    /// Refuses a null pointer to `count` column indices: geqp3's `jpvt`.
    pub(crate) fn check_columns(&self, count: usize) -> Result<()> {
        match self {
            Pivots::Narrow(location) => array(COLUMNS, count, *location).map(drop),
            Pivots::Wide(start) => array(COLUMNS, count, HostLocation(*start)).map(drop),
        }
    }

    /// Runs work that reads and writes column indices.
    ///
    /// # Safety
    /// The pointer must be null or valid for `count` indices. Nothing else may access them.
    pub(crate) unsafe fn update_columns<R>(
        &self,
        session: &Session,
        count: usize,
        work: impl FnOnce(&mut [i32]) -> Result<R>,
    ) -> Result<R> {
        // SAFETY: `array` refused null; this function requires `count` indices.
        unsafe {
            match self {
                Pivots::Narrow(location) => work(array(COLUMNS, count, *location)?.open(session)?.slice_mut()),
                Pivots::Wide(start) => {
                    let mut numbers = array(COLUMNS, count, HostLocation(*start))?.open(session)?;
                    // LAPACK tests on entry only if an index is 0.
                    let mut own: Vec<i32> = numbers.slice().iter().map(|number| i32::from(*number != 0)).collect();
                    let result = work(&mut own)?;
                    numbers.slice_mut().iter_mut().zip(own).for_each(|(number, own)| *number = own.into());
                    Ok(result)
                }
            }
        }
    }
}

/// A host pointer, in both forms, to the iterations of a refinement or to a rank. It has 32 bits, or 64 bits for
/// Fortran programs with 64-bit integers.
#[derive(Clone, Copy)]
pub enum Iterations {
    /// 32 bits.
    Narrow(*mut i32),
    /// 64 bits.
    Wide(*mut i64),
}

impl From<*mut i32> for Iterations {
    fn from(iter: *mut i32) -> Self {
        Iterations::Narrow(iter)
    }
}

impl Iterations {
    /// Refuses a null `iter`.
    pub(crate) fn check(self) -> Result<()> {
        self.check_as("iter")
    }

    /// True for a null pointer.
    pub(crate) fn is_null(self) -> bool {
        match self {
            Iterations::Narrow(location) => location.is_null(),
            Iterations::Wide(location) => location.is_null(),
        }
    }

    /// Refuses a null pointer, under another name.
    pub(crate) fn check_as(self, name: &'static str) -> Result<()> {
        match self {
            Iterations::Narrow(location) => not_null(name, location),
            Iterations::Wide(location) => not_null(name, location),
        }
    }

    /// Reads a value.
    ///
    /// # Safety
    /// The pointer must be valid for a read.
    pub(crate) unsafe fn read(self) -> i64 {
        // SAFETY: this function requires a pointer that is valid for a read.
        unsafe {
            match self {
                Iterations::Narrow(location) => location.read().into(),
                Iterations::Wide(location) => location.read(),
            }
        }
    }

    /// Writes a value.
    ///
    /// # Safety
    /// The pointer must be valid for a write.
    pub(crate) unsafe fn write(self, value: i32) {
        // SAFETY: this function requires a pointer that is valid for a write.
        unsafe {
            match self {
                Iterations::Narrow(location) => location.write(value),
                Iterations::Wide(location) => location.write(value.into()),
            }
        }
    }

    /// Writes the iterations of a refinement that succeeded or has an info. Other errors write nothing.
    ///
    /// # Safety
    /// The pointer must be valid for a write.
    pub(crate) unsafe fn tell(self, refinement: Refinement, result: Result<()>) -> Result<()> {
        if result.as_ref().is_err_and(|error| error.status() <= 0) {
            return result;
        }
        // SAFETY: `write` has this function's contract.
        unsafe { self.write(refinement.iter()) };
        result
    }
}

/// Ends a call that estimates a reciprocal condition number. `on_host` fills the second half of LAPACK's workspace of 2
/// n elements if `work` is not null.
///
/// # Safety
/// The matrix must be valid, `rcond` null or valid for a write, `work` null or valid for 2 n elements. Nothing else may
/// access the latter two.
pub(crate) unsafe fn estimate<T: Scalar, P: Location<T>>(
    session: Session,
    a: &Operand<P, MatrixShape>,
    rcond: impl Location<T::RealScalar>,
    (n, work): (usize, P),
    on_host: impl FnOnce(MatrixRef<'_, T>, Option<&mut [T]>) -> Result<T::RealScalar>,
    on_queue: impl FnOnce(&Queue, MatrixRef<'_, T>, VectorMut<'_, T::RealScalar>) -> Result<Event>,
) -> Result<()> {
    let rcond = numbers(RCOND, 1, rcond)?;
    // SAFETY: `numbers` refused a null rcond; this function requires the matrix, an element, and work.
    unsafe {
        let (a, rcond) = (a.open(&session)?, rcond.open::<T::RealScalar>(&session)?);
        let a = a.read()?;
        estimate_opened(
            session,
            rcond,
            (n, work),
            |vector| on_host(a, vector),
            |queue, rcond| on_queue(queue, a, rcond),
        )
    }
}

/// The same where the matrix is open.
///
/// # Safety
/// `work` must be null or valid for 2 n elements. Nothing else may access it.
pub(crate) unsafe fn estimate_opened<T: Scalar, P: Location<T>>(
    session: Session,
    rcond: Opened<T::RealScalar, VectorShape>,
    (n, work): (usize, P),
    on_host: impl FnOnce(Option<&mut [T]>) -> Result<T::RealScalar>,
    on_queue: impl FnOnce(&Queue, VectorMut<'_, T::RealScalar>) -> Result<Event>,
) -> Result<()> {
    let event = match session.queue() {
        None if work.is_null() => rcond.complete(on_host(None)?),
        None => {
            // SAFETY: it is not null; this function requires 2 n elements.
            let mut work = unsafe { array(WORK, n.saturating_mul(2), work)?.open::<T>(&session)? };
            rcond.complete(on_host(Some(&mut work.slice_mut()[n..]))?)
        }
        Some(queue) => on_queue(queue, rcond.write()?)?,
    };
    session.finish(event)
}

/// An error about pivots, under LAPACK's name of the argument.
pub(crate) fn about_pivots(error: Error) -> Error {
    match error {
        Error::InvalidArgument { name: "pivots", reason } => Error::InvalidArgument { name: "ipiv", reason },
        other => other,
    }
}

/// The argument `work` of the library's own functions on memory objects.
pub const NO_PLACE: DeviceLocation = DeviceLocation { memory: std::ptr::null_mut(), offset: 0 };

/// The argument `lwork` of the library's own functions, which have no workspace.
pub const NO_WORKSPACE: i64 = i64::MIN;

/// The argument `iwork` of the library's own functions.
pub const NO_INTEGERS: Iterations = Iterations::Narrow(std::ptr::null_mut());

/// LAPACK's workspace of a fixed length, which is not accessed.
#[derive(Clone, Copy)]
pub struct Unneeded;

/// LAPACK's `lwork` of a workspace query, which checks sizes and leading dimensions and reads no matrix.
pub(crate) const QUERY: i64 = -1;

/// Answers a workspace query: writes the best length to the first element.
///
/// # Safety
/// `work` must be null or valid for an element.
pub(crate) unsafe fn answer_query<T: Scalar, P: Location<T>>(
    session: &Session,
    work: P,
    min_lwork: usize,
) -> Result<()> {
    // SAFETY: `numbers` refused null; this function requires an element.
    let first = unsafe { numbers(WORK, 1, work)?.open::<T>(session)? };
    first.set([workspace_size::<T>(min_lwork.max(1))]);
    Ok(())
}

/// Checks the length of LAPACK's workspace, which the library does not use, and writes the best one to its first
/// element.
///
/// # Safety
/// `work` must be null or valid for `lwork` elements.
pub(crate) unsafe fn check_workspace<T: Scalar, P: Location<T>>(
    session: &Session,
    work: P,
    lwork: i64,
    min_lwork: usize,
) -> Result<()> {
    let min_lwork = min_lwork.max(1);
    if lwork == NO_WORKSPACE {
        return Ok(());
    }
    if lwork < min_lwork as i64 {
        return Err(Error::argument("lwork", format!("{lwork} is less than {min_lwork}")));
    }
    // SAFETY: lwork is at least 1, and this function requires lwork elements.
    unsafe { answer_query::<T, P>(session, work, min_lwork) }
}

/// A size as an element of the workspace, rounded up (LAPACK: SROUNDUP_LWORK). A call refuses a smaller size.
fn workspace_size<T: Scalar>(size: usize) -> T {
    let rounded = if T::KIND.is_double() {
        let nearest = size as f64;
        if (nearest as u128) < size as u128 { nearest.next_up() } else { nearest }
    } else {
        let nearest = size as f32;
        f64::from(if (nearest as u128) < size as u128 { nearest.next_up() } else { nearest })
    };
    T::from_parts(rounded, 0.0)
}

#[cfg(test)]
mod host {
    use affinimath::Complex32;

    use super::*;

    #[test]
    fn sizes_of_workspaces_are_rounded_up() {
        let size = |size| workspace_size::<f32>(size) as u64;
        assert_eq!([1, 1 << 24, (1 << 24) + 1, (1 << 24) + 2].map(size), [1, 1 << 24, (1 << 24) + 2, (1 << 24) + 2]);
        assert_eq!(workspace_size::<Complex32>((1 << 24) + 1), Complex32::new(((1 << 24) + 2) as f32, 0.0));
        assert_eq!(workspace_size::<f64>((1 << 53) + 1) as u64, (1 << 53) + 2);
        assert_eq!(workspace_size::<f64>((1 << 32) + 1) as u64, (1 << 32) + 1);
    }
}
