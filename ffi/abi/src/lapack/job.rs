//! Options of eigenvalue and singular value problems.

use std::ffi::c_int;

use affinimath::{BidiagonalFactor, Error, Pencil, Result, Scalar, Spectrum};

use super::{Iterations, NO_WORKSPACE, Pivots, QUERY, answer_query, check_workspace};
use crate::arguments::wrong_code;
use crate::form::{Location, Session};

/// No vectors: LAPACK's `N`.
pub const NO_VECTORS: c_int = 181;
/// Eigenvectors: LAPACK's `V`.
pub const VECTORS: c_int = 182;
/// All singular vectors: LAPACK's `A`.
pub const ALL_VECTORS: c_int = 183;
/// The first min(m, n) singular vectors: LAPACK's `S`.
pub const THIN_VECTORS: c_int = 184;
/// The first min(m, n) singular vectors, in A's place: LAPACK's `O`.
pub const OVERWRITE: c_int = 185;
/// Eigenvectors of the reduced matrix: LAPACK's `I`.
pub const TRIDIAGONAL_VECTORS: c_int = 186;
/// The left factor of a bidiagonal form: LAPACK's `Q`.
pub const FACTOR_Q: c_int = 187;
/// The right factor of a bidiagonal form: LAPACK's `P`.
pub const FACTOR_P: c_int = 188;
/// A product with a matrix as given: LAPACK's `U`.
pub const UPDATE_VECTORS: c_int = 189;
/// All eigenvalues: LAPACK's `A`.
pub const RANGE_ALL: c_int = 191;
/// Eigenvalues in an interval: LAPACK's `V`.
pub const RANGE_VALUES: c_int = 192;
/// Eigenvalues by their indices: LAPACK's `I`.
pub const RANGE_INDICES: c_int = 193;

/// No balancing: LAPACK's `N`.
pub const BALANCE_NONE: c_int = 201;
/// A permutation: LAPACK's `P`.
pub const BALANCE_PERMUTE: c_int = 202;
/// A diagonal scaling: LAPACK's `S`.
pub const BALANCE_SCALE: c_int = 203;
/// Both: LAPACK's `B`.
pub const BALANCE_BOTH: c_int = 204;
/// No condition numbers: LAPACK's `N`.
pub const SENSE_NONE: c_int = 221;
/// Those of eigenvalues: LAPACK's `E`.
pub const SENSE_VALUES: c_int = 222;
/// Those of eigenvectors, or of an invariant subspace: LAPACK's `V`.
pub const SENSE_VECTORS: c_int = 223;
/// Both: LAPACK's `B`.
pub const SENSE_BOTH: c_int = 224;
/// Eigenvalues alone: LAPACK's `E`.
pub const EIGENVALUES: c_int = 231;
/// The Schur form: LAPACK's `S`.
pub const SCHUR_FORM: c_int = 232;
/// All eigenvectors: LAPACK's `A`.
pub const EIGENVECTORS_ALL: c_int = 241;
/// Products of Schur vectors with all of them: LAPACK's `B`.
pub const EIGENVECTORS_PRODUCT: c_int = 242;
/// Those of selected eigenvalues: LAPACK's `S`.
pub const EIGENVECTORS_SELECTED: c_int = 243;
/// Left eigenvectors: LAPACK's `L`.
pub const LEFT_VECTORS: c_int = 251;
/// Right eigenvectors: LAPACK's `R`.
pub const RIGHT_VECTORS: c_int = 252;
/// Both: LAPACK's `B`.
pub const BOTH_VECTORS: c_int = 253;
/// Eigenvalues in the order of the iteration: LAPACK's `N`. Only the standard names have it.
pub const UNSORTED: c_int = 261;
/// Selected eigenvalues first: LAPACK's `S`. Only the standard names have it.
pub const SORTED: c_int = 262;
/// Factors of an expert driver are computed: LAPACK's `N`.
pub const FACT_COMPUTED: c_int = 271;
/// A is equilibrated and factorised: LAPACK's `E`.
pub const FACT_EQUILIBRATED: c_int = 272;
/// The factors are given: LAPACK's `F`.
pub const FACT_GIVEN: c_int = 273;

/// True where eigenvectors are wanted.
pub(crate) fn vectors(name: &'static str, code: c_int) -> Result<bool> {
    match code {
        NO_VECTORS => Ok(false),
        VECTORS => Ok(true),
        _ => Err(wrong_code(name, code, "AFFINIMATH_NO_VECTORS or AFFINIMATH_VECTORS")),
    }
}

/// Singular vectors that are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Singular {
    None,
    All,
    Thin,
    Overwrite,
}

pub(crate) fn singular(name: &'static str, code: c_int) -> Result<Singular> {
    match code {
        NO_VECTORS => Ok(Singular::None),
        ALL_VECTORS => Ok(Singular::All),
        THIN_VECTORS => Ok(Singular::Thin),
        OVERWRITE => Ok(Singular::Overwrite),
        _ => {
            let legal =
                "AFFINIMATH_NO_VECTORS, AFFINIMATH_ALL_VECTORS, AFFINIMATH_THIN_VECTORS or AFFINIMATH_OVERWRITE";
            Err(wrong_code(name, code, legal))
        }
    }
}

/// LAPACK's `vect`.
pub(crate) fn factor(code: c_int) -> Result<BidiagonalFactor> {
    match code {
        FACTOR_Q => Ok(BidiagonalFactor::Q),
        FACTOR_P => Ok(BidiagonalFactor::P),
        _ => Err(wrong_code("vect", code, "AFFINIMATH_FACTOR_Q or AFFINIMATH_FACTOR_P")),
    }
}

/// LAPACK's `itype`.
pub(crate) fn pencil(code: i64) -> Result<Pencil> {
    match code {
        1 => Ok(Pencil::Quotient),
        2 => Ok(Pencil::Product),
        3 => Ok(Pencil::ReversedProduct),
        _ => Err(Error::argument("itype", format!("{code} is not 1, 2 or 3"))),
    }
}

/// LAPACK's range of eigenvalues, with bounds or with indices from 1.
pub(crate) fn spectrum(code: c_int, n: usize, (vl, vu): (f64, f64), (il, iu): (i64, i64)) -> Result<Spectrum> {
    match code {
        RANGE_ALL => Ok(Spectrum::All),
        RANGE_VALUES if n > 0 && vu <= vl => Err(Error::argument("vu", format!("{vu} is not above {vl}"))),
        RANGE_VALUES => Ok(Spectrum::Within(vl, vu)),
        RANGE_INDICES => {
            let n = n as i64;
            if il < 1 || il > n.max(1) {
                return Err(Error::argument("il", format!("{il} is no index of {n} eigenvalues, from 1")));
            }
            if iu < n.min(il) || iu > n {
                return Err(Error::argument("iu", format!("{iu} is not from {} to {n}", n.min(il))));
            }
            Ok(Spectrum::Indices(il as usize - 1, (iu as usize).max(il as usize - 1)))
        }
        _ => {
            let legal = "AFFINIMATH_RANGE_ALL, AFFINIMATH_RANGE_VALUES or AFFINIMATH_RANGE_INDICES";
            Err(wrong_code("range", code, legal))
        }
    }
}

/// Columns of Z that a call may write.
pub(crate) const fn columns_of(spectrum: Spectrum, n: usize) -> usize {
    if let Spectrum::Indices(first, end) = spectrum { end - first } else { n }
}

/// True where LAPACK writes `isuppz`, which callers may have shorter for some eigenvalues.
pub(crate) const fn supports_all(spectrum: Spectrum, n: usize) -> bool {
    match spectrum {
        Spectrum::All => true,
        Spectrum::Indices(first, end) => first == 0 && end == n,
        Spectrum::Within(..) => false,
    }
}

/// The rows that each eigenvector may have, from 1: all of them.
///
/// # Safety
/// `isuppz` must be null or valid for two integers for each eigenvector.
pub(crate) unsafe fn write_support<P: Location<i32>>(isuppz: &Pivots<P>, count: usize, n: usize) {
    if isuppz.is_on_host() {
        for k in 0..count {
            // SAFETY: this function requires these integers.
            unsafe {
                isuppz.set(2 * k, 1);
                isuppz.set(2 * k + 1, i32::try_from(n).unwrap_or(i32::MAX));
            }
        }
    }
}

/// No eigenvector has failed.
///
/// # Safety
/// `ifail` must be null or valid for an integer for each eigenvector.
pub(crate) unsafe fn write_zeros<P: Location<i32>>(ifail: &Pivots<P>, count: usize) {
    if ifail.is_on_host() {
        // SAFETY: this function requires these integers.
        (0..count).for_each(|k| unsafe { ifail.set(k, 0) });
    }
}

/// LAPACK's three workspaces, some of which a name does not have, with their least lengths.
pub(crate) struct Workspaces<P, R> {
    pub(crate) work: (P, i64, usize),
    pub(crate) rwork: (R, i64, usize),
    pub(crate) iwork: (Iterations, i64, usize),
}

/// A length that a name does not have is in order.
fn long_enough(name: &'static str, given: i64, min: usize) -> Result<()> {
    if given == NO_WORKSPACE || given == QUERY || given >= min.max(1) as i64 {
        return Ok(());
    }
    Err(Error::argument(name, format!("{given} is less than {}", min.max(1))))
}

impl<P, R> Workspaces<P, R> {
    /// True for a workspace query, which any of the lengths asks for.
    pub(crate) fn is_query(&self) -> bool {
        [self.work.1, self.rwork.1, self.iwork.1].contains(&QUERY)
    }

    /// Checks the lengths, and writes the best ones to the first elements, which a query asks for.
    ///
    /// # Safety
    /// The workspaces must be null or valid for an element.
    pub(crate) unsafe fn settle<T: Scalar>(&self, session: &Session) -> Result<()>
    where
        P: Location<T>,
        R: Location<T::RealScalar>,
    {
        let (query, (work, lwork, least)) = (self.is_query(), self.work);
        if !query {
            long_enough("lwork", lwork, least)?;
        }
        let (rwork, lrwork, least_real) = self.rwork;
        let (iwork, liwork, least_integer) = self.iwork;
        if !query {
            long_enough("lrwork", lrwork, least_real)?;
            long_enough("liwork", liwork, least_integer)?;
        }
        // SAFETY: this function requires elements, and LAPACK one of work in a query too.
        unsafe {
            if query {
                answer_query::<T, _>(session, work, least)?;
            } else {
                check_workspace::<T, _>(session, work, lwork, least)?;
            }
            if !rwork.is_null() && (query || lrwork != NO_WORKSPACE) {
                answer_query::<T::RealScalar, _>(session, rwork, least_real)?;
            }
            if !iwork.is_null() && (query || liwork != NO_WORKSPACE) {
                iwork.write(least_integer.max(1) as i32);
            }
        }
        Ok(())
    }
}
