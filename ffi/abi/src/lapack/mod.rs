//! LAPACK: C's arguments, in C's order, to the library's views.

pub mod batched;
pub mod gecon;
pub mod gels;
pub mod geqrf;
pub mod gesv;
pub mod gesv_mixed;
pub mod getrf;
pub mod getri;
pub mod getrs;
pub mod lange;
pub mod lanhe;
pub mod lansy;
pub mod lantr;
pub mod laswp;
pub mod lauum;
pub mod orgqr;
pub mod ormqr;
pub mod pocon;
pub mod posv;
pub mod posv_mixed;
pub mod potrf;
pub mod potri;
pub mod potrs;
pub mod trcon;
pub mod trtri;
pub mod trtrs;

use affinimath::{Error, Event, MatrixRef, MatrixShape, Queue, Refinement, Result, Scalar, VectorMut, VectorShape};

use crate::arguments::{array, not_null, numbers, strided};
use crate::form::{DevicePlace, HostPlace, Names, Opened, Operand, Place, Session, names};

const PIVOTS: Names = names!("ipiv");
const RCOND: Names = names!("rcond");
/// The solution that does not take the right-hand sides' place.
pub(crate) const X: Names = names!("x", "ld");
pub(crate) const TAU: Names = names!("tau");

/// Pivots number the rows of a matrix by 32 bits; one without columns has none.
pub(crate) fn check_pivot_rows(m: usize, n: usize) -> Result<()> {
    if n == 0 || i32::try_from(m).is_ok() {
        return Ok(());
    }
    Err(Error::argument("m", format!("{m} rows are more than pivots can number")))
}

/// Pivots as C gives them, or, to Fortran programs whose integers have 64 bits, as these do.
pub enum Pivots<P> {
    /// 32 bits each.
    Narrow(P),
    /// 64 bits each, behind a host pointer.
    Wide(*mut i64),
}

impl From<*mut i32> for Pivots<HostPlace<i32>> {
    fn from(pivots: *mut i32) -> Self {
        Pivots::Narrow(pivots.into())
    }
}

impl From<*const i32> for Pivots<HostPlace<i32>> {
    fn from(pivots: *const i32) -> Self {
        Pivots::Narrow(pivots.into())
    }
}

impl From<DevicePlace> for Pivots<DevicePlace> {
    fn from(pivots: DevicePlace) -> Self {
        Pivots::Narrow(pivots)
    }
}

impl<P: Place<i32>> Pivots<P> {
    /// Checks the pivots, of which there are as many as `count`, and that they have a place.
    pub(crate) fn check(&self, count: usize) -> Result<()> {
        match self {
            Pivots::Narrow(place) => array(PIVOTS, count, *place).map(drop),
            Pivots::Wide(start) => array(PIVOTS, count, HostPlace(*start)).map(drop),
        }
    }

    /// The pivots in a memory object.
    ///
    /// # Safety
    /// It must be valid.
    pub(crate) unsafe fn open(&self, session: &Session, count: usize) -> Result<Opened<i32, VectorShape>> {
        match self {
            // SAFETY: the caller vouches for the pivots.
            Pivots::Narrow(place) => unsafe { array(PIVOTS, count, *place)?.open(session) },
            Pivots::Wide(_) => Err(Error::Internal("wide pivots are the host's".to_owned())),
        }
    }

    /// The pivots in a memory object, so many from the one numbered `first` on, `step` elements apart.
    pub(crate) fn strided(&self, first: usize, count: usize, step: usize) -> Result<Operand<P, VectorShape>> {
        match self {
            Pivots::Narrow(place) => strided(PIVOTS, first, (count, step), *place),
            Pivots::Wide(_) => Err(Error::Internal("wide pivots are the host's".to_owned())),
        }
    }

    /// The pivots, as many as `count`, from the one numbered `first` on.
    ///
    /// # Safety
    /// They must be valid.
    pub(crate) unsafe fn read(&self, session: &Session, first: usize, count: usize) -> Result<Vec<i32>> {
        // SAFETY: the caller vouches for the pivots.
        unsafe {
            match self {
                Pivots::Narrow(place) => Ok(array(PIVOTS, count, *place)?.open(session)?.slice()[first..].to_vec()),
                Pivots::Wide(start) => {
                    let pivots = array(PIVOTS, count, HostPlace(*start))?.open(session)?;
                    // What is no row of any matrix becomes 0, which is none either.
                    Ok(pivots.slice()[first..].iter().map(|pivot| i32::try_from(*pivot).unwrap_or(0)).collect())
                }
            }
        }
    }

    /// The pivot in a place, from 0, behind a host pointer.
    ///
    /// # Safety
    /// It must be valid.
    #[inline]
    pub(crate) unsafe fn get(&self, place: i64) -> Option<i64> {
        // SAFETY: the caller vouches for the pivot.
        unsafe {
            match self {
                Pivots::Narrow(start) => {
                    let start = (*start).pointer().filter(|start| !start.is_null())?;
                    Some(start.wrapping_offset(place as isize).read().into())
                }
                Pivots::Wide(start) => (!start.is_null()).then(|| start.wrapping_offset(place as isize).read()),
            }
        }
    }

    /// Runs work that writes all pivots.
    ///
    /// # Safety
    /// They must be valid, and nobody else's.
    pub(crate) unsafe fn write(
        &self,
        session: &Session,
        count: usize,
        work: impl FnOnce(&mut [i32]) -> Result<()>,
    ) -> Result<()> {
        // SAFETY: the caller vouches for the pivots.
        unsafe {
            match self {
                Pivots::Narrow(place) => work(array(PIVOTS, count, *place)?.open(session)?.slice_mut()),
                Pivots::Wide(start) => {
                    let mut pivots = array(PIVOTS, count, HostPlace(*start))?.open(session)?;
                    let mut own = vec![0; count];
                    let result = work(&mut own);
                    // A singular matrix has been factorised, too.
                    pivots.slice_mut().iter_mut().zip(own).for_each(|(pivot, own)| *pivot = own.into());
                    result
                }
            }
        }
    }
}

/// Where it goes how a solution in mixed precision went, behind a host pointer in both forms: 32 bits, or, to Fortran programs whose
/// integers have 64 bits, as these do.
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
    /// Checks that it has a place.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Iterations::Narrow(iter) => not_null("iter", iter),
            Iterations::Wide(iter) => not_null("iter", iter),
        }
    }

    /// Tells how a solution went, which may have had an info; of any other error nothing.
    ///
    /// # Safety
    /// The place must be valid.
    pub(crate) unsafe fn tell(self, refinement: Refinement, result: Result<()>) -> Result<()> {
        if result.as_ref().is_err_and(|error| error.status() <= 0) {
            return result;
        }
        // SAFETY: the caller vouches for the place.
        unsafe {
            match self {
                Iterations::Narrow(iter) => iter.write(refinement.iter()),
                Iterations::Wide(iter) => iter.write(refinement.iter().into()),
            }
        }
        result
    }
}

/// Ends a call that estimates a condition from a matrix: the estimate goes to its place.
///
/// # Safety
/// The matrix and the place must be valid, and the place nobody else's.
pub(crate) unsafe fn estimate<T: Scalar, P: Place<T>>(
    session: Session,
    a: &Operand<P, MatrixShape>,
    rcond: impl Place<T::RealScalar>,
    on_host: impl FnOnce(MatrixRef<'_, T>) -> Result<T::RealScalar>,
    on_queue: impl FnOnce(&Queue, MatrixRef<'_, T>, VectorMut<'_, T::RealScalar>) -> Result<Event>,
) -> Result<()> {
    let rcond = numbers(RCOND, 1, rcond)?;
    // SAFETY: the caller vouches for them.
    let (a, rcond) = unsafe { (a.open(&session)?, rcond.open::<T::RealScalar>(&session)?) };
    let event = match session.queue() {
        None => rcond.complete(on_host(a.read()?)?),
        Some(queue) => on_queue(queue, a.read()?, rcond.write()?)?,
    };
    session.finish(event)
}

/// An error about pivots, under the name that LAPACK has for them.
pub(crate) fn about_pivots(error: Error) -> Error {
    match error {
        Error::InvalidArgument { name: "pivots", reason } => Error::InvalidArgument { name: "ipiv", reason },
        other => other,
    }
}

/// The argument `work` of the library's own functions on memory objects.
pub const NO_PLACE: DevicePlace = DevicePlace { memory: std::ptr::null_mut(), offset: 0 };

/// The argument `lwork` of the library's own functions, which have no workspace.
pub const NO_WORKSPACE: i64 = i64::MIN;

/// LAPACK's workspace of a fixed length, which nothing looks at.
#[derive(Clone, Copy)]
pub struct Unneeded;

/// Checks the workspace of LAPACK's routines, which the library does not need, and writes how much is best into its first element.
/// Whether that was all the caller wanted.
///
/// # Safety
/// The workspace must be valid.
pub(crate) unsafe fn is_query<T: Scalar, P: Place<T>>(
    session: &Session,
    work: P,
    lwork: i64,
    least: usize,
) -> Result<bool> {
    const QUERY: i64 = -1;
    if lwork == NO_WORKSPACE {
        return Ok(false);
    }
    let least = least.max(1);
    if lwork != QUERY && lwork < least as i64 {
        return Err(Error::argument("lwork", format!("{lwork} is less than {least}")));
    }
    // SAFETY: the caller vouches for the workspace.
    let first = unsafe { numbers(names!("work"), 1, work)?.open::<T>(session)? };
    first.set([T::from_parts(least as f64, 0.0)]);
    Ok(lwork == QUERY)
}
