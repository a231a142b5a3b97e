//! Arguments of routines on Hessenberg and Schur forms.

use std::ffi::{c_int, c_void};
use std::ops::Range;

use affinimath::{Balancing, DeviceEigenvalues, Error, MatrixRef, Result, Scalar, SchurConditions, VectorShape};

use super::job::{
    BALANCE_BOTH, BALANCE_NONE, BALANCE_PERMUTE, BALANCE_SCALE, BOTH_VECTORS, EIGENVALUES, EIGENVECTORS_ALL,
    EIGENVECTORS_PRODUCT, EIGENVECTORS_SELECTED, LEFT_VECTORS, RIGHT_VECTORS, SCHUR_FORM, SENSE_BOTH, SENSE_NONE,
    SENSE_VALUES, SENSE_VECTORS, SORTED, UNSORTED,
};
use super::{Iterations, W, WI, WR};
use crate::arguments::{array, not_null, wrong_code};
use crate::form::{Location, Opened, Operand, Session};

/// LAPACK's `job` of xGEBAL, and `balanc`.
pub(super) fn balancing(code: c_int) -> Result<Balancing> {
    let (permute, scale) = match code {
        BALANCE_NONE => (false, false),
        BALANCE_PERMUTE => (true, false),
        BALANCE_SCALE => (false, true),
        BALANCE_BOTH => (true, true),
        _ => {
            let legal = "AFFINIMATH_BALANCE_NONE, AFFINIMATH_BALANCE_PERMUTE, AFFINIMATH_BALANCE_SCALE or \
                         AFFINIMATH_BALANCE_BOTH";
            return Err(wrong_code("balanc", code, legal));
        }
    };
    Ok(Balancing { permute, scale })
}

/// Condition numbers that are wanted.
pub(super) fn sense(code: c_int) -> Result<SchurConditions> {
    let (values, subspace) = match code {
        SENSE_NONE => (false, false),
        SENSE_VALUES => (true, false),
        SENSE_VECTORS => (false, true),
        SENSE_BOTH => (true, true),
        _ => {
            let legal =
                "AFFINIMATH_SENSE_NONE, AFFINIMATH_SENSE_VALUES, AFFINIMATH_SENSE_VECTORS or AFFINIMATH_SENSE_BOTH";
            return Err(wrong_code("sense", code, legal));
        }
    };
    Ok(SchurConditions { values, subspace })
}

/// True where xHSEQR computes the Schur form.
pub(super) fn whole(code: c_int) -> Result<bool> {
    match code {
        EIGENVALUES => Ok(false),
        SCHUR_FORM => Ok(true),
        _ => Err(wrong_code("job", code, "AFFINIMATH_EIGENVALUES or AFFINIMATH_SCHUR_FORM")),
    }
}

/// Eigenvectors of a Schur form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HowMany {
    All,
    Product,
    Selected,
}

pub(super) fn how_many(code: c_int) -> Result<HowMany> {
    match code {
        EIGENVECTORS_ALL => Ok(HowMany::All),
        EIGENVECTORS_PRODUCT => Ok(HowMany::Product),
        EIGENVECTORS_SELECTED => Ok(HowMany::Selected),
        _ => {
            let legal =
                "AFFINIMATH_EIGENVECTORS_ALL, AFFINIMATH_EIGENVECTORS_PRODUCT or AFFINIMATH_EIGENVECTORS_SELECTED";
            Err(wrong_code("howmny", code, legal))
        }
    }
}

/// Left and right eigenvectors: true of those that are wanted.
pub(super) fn sides(code: c_int) -> Result<(bool, bool)> {
    match code {
        LEFT_VECTORS => Ok((true, false)),
        RIGHT_VECTORS => Ok((false, true)),
        BOTH_VECTORS => Ok((true, true)),
        _ => {
            let legal = "AFFINIMATH_LEFT_VECTORS, AFFINIMATH_RIGHT_VECTORS or AFFINIMATH_BOTH_VECTORS";
            Err(wrong_code("sides", code, legal))
        }
    }
}

/// True where selected eigenvalues come first.
pub(super) fn sorted(code: c_int) -> Result<bool> {
    match code {
        UNSORTED => Ok(false),
        SORTED => Ok(true),
        _ => Err(wrong_code("sort", code, "N or S")),
    }
}

/// LAPACK's `ilo` and `ihi`, of rows from 1, as rows from 0.
pub(super) fn range(ilo: i64, ihi: i64, n: usize) -> Result<Range<usize>> {
    let n = n as i64;
    if ilo < 1 || ilo > n.max(1) {
        return Err(Error::argument("ilo", format!("{ilo} is not from 1 to {}", n.max(1))));
    }
    if ihi < n.min(ilo) || ihi > n {
        return Err(Error::argument("ihi", format!("{ihi} is not from {} to {n}", n.min(ilo))));
    }
    let end = ihi as usize;
    Ok((ilo as usize - 1).min(end)..end)
}

/// Writes a range as LAPACK's `ilo` and `ihi`.
///
/// # Safety
/// The pointers must be valid for a write.
pub(super) unsafe fn write_range(ilo: Iterations, ihi: Iterations, range: &Range<usize>) {
    // SAFETY: this function requires pointers that are valid for a write. LAPACK's integers count rows.
    unsafe {
        ilo.write(range.start as i32 + 1);
        ihi.write(range.end as i32);
    }
}

/// Flags of eigenvalues in the host's memory, in both forms: 32 bits each, or Fortran's logical values of 64 bits.
#[derive(Clone, Copy)]
pub enum Flags {
    /// 32 bits each.
    Narrow(*mut i32),
    /// 64 bits each.
    Wide(*mut i64),
}

impl From<*mut i32> for Flags {
    fn from(flags: *mut i32) -> Self {
        Flags::Narrow(flags)
    }
}

impl From<*const i32> for Flags {
    fn from(flags: *const i32) -> Self {
        Flags::Narrow(flags.cast_mut())
    }
}

impl Flags {
    /// Refuses a null pointer to flags.
    pub(super) fn check(self, count: usize) -> Result<()> {
        match self {
            _ if count == 0 => Ok(()),
            Flags::Narrow(location) => not_null("select", location),
            Flags::Wide(location) => not_null("select", location),
        }
    }

    /// The flags.
    ///
    /// # Safety
    /// The pointer must be valid for `count` flags.
    pub(super) unsafe fn read(self, count: usize) -> Vec<bool> {
        // SAFETY: this function requires these flags.
        let flag = |i: usize| unsafe {
            match self {
                Flags::Narrow(location) => location.add(i).read() != 0,
                Flags::Wide(location) => location.add(i).read() != 0,
            }
        };
        (0..count).map(flag).collect()
    }

    /// Writes flags, of which equal ones keep their number.
    ///
    /// # Safety
    /// The pointer must be valid for these flags.
    pub(super) unsafe fn write(self, before: &[bool], flags: &[bool]) {
        for (i, flag) in flags.iter().enumerate().filter(|(i, flag)| before[*i] != **flag) {
            // SAFETY: this function requires these flags.
            unsafe {
                match self {
                    Flags::Narrow(location) => location.add(i).write((*flag).into()),
                    Flags::Wide(location) => location.add(i).write((*flag).into()),
                }
            }
        }
    }
}

/// Refuses memory for fewer eigenvalues than are wanted, where the host knows their number before it computes.
pub(super) fn enough<T: Scalar>(session: &Session, mm: usize, t: MatrixRef<'_, T>, select: &[bool]) -> Result<()> {
    let needed = if session.queue().is_none() { count(t, select)? } else { 0 };
    if mm >= needed {
        return Ok(());
    }
    Err(Error::argument("mm", format!("{mm} is less than {needed}, the eigenvalues")))
}

/// The count of eigenvalues that belong to a selection.
pub(super) fn count<T: Scalar>(t: MatrixRef<'_, T>, select: &[bool]) -> Result<usize> {
    Ok(affinimath::selected_pairs(t, select)?.into_iter().filter(|selected| *selected).count())
}

/// LAPACK's function that selects eigenvalues: of a real type by pointers to both parts, of a complex type by a pointer
/// to the eigenvalue. It returns a logical value of 32 bits, or of 64 bits.
#[derive(Clone, Copy)]
pub struct Selection {
    /// The function, or null.
    pub function: *const c_void,
    /// True of logical values of 64 bits.
    pub wide: bool,
}

impl Selection {
    /// No function.
    pub const NONE: Selection = Selection { function: std::ptr::null(), wide: false };

    /// True if an eigenvalue is selected.
    ///
    /// # Safety
    /// The function must not be null, and have LAPACK's arguments for the type.
    pub(super) unsafe fn selects<T: Scalar>(self, re: f64, im: f64) -> bool {
        type One<T, I> = unsafe extern "C" fn(*const T) -> I;
        type Two<R, I> = unsafe extern "C" fn(*const R, *const R) -> I;
        // SAFETY: this function requires a function of these arguments and of this result.
        unsafe {
            if T::KIND.is_complex() {
                let value = T::from_parts(re, im);
                return match self.wide {
                    true => std::mem::transmute::<*const c_void, One<T, i64>>(self.function)(&value) != 0,
                    false => std::mem::transmute::<*const c_void, One<T, i32>>(self.function)(&value) != 0,
                };
            }
            let part = |part: f64| T::RealScalar::from_parts(part, 0.0);
            let (re, im) = (part(re), part(im));
            match self.wide {
                true => std::mem::transmute::<*const c_void, Two<T::RealScalar, i64>>(self.function)(&re, &im) != 0,
                false => std::mem::transmute::<*const c_void, Two<T::RealScalar, i32>>(self.function)(&re, &im) != 0,
            }
        }
    }
}

impl Selection {
    /// True if an eigenvalue alpha / beta is selected: of real types by pointers to both parts of alpha and to beta, of
    /// complex types by pointers to alpha and beta.
    ///
    /// # Safety
    /// The function must not be null, and have LAPACK's arguments for the type.
    pub(super) unsafe fn selects_quotient<T: Scalar>(self, (re, im): (f64, f64), beta: f64) -> bool {
        type Two<T, I> = unsafe extern "C" fn(*const T, *const T) -> I;
        type Three<R, I> = unsafe extern "C" fn(*const R, *const R, *const R) -> I;
        // SAFETY: this function requires a function of these arguments and of this result.
        unsafe {
            if T::KIND.is_complex() {
                let (alpha, beta) = (T::from_parts(re, im), T::from_parts(beta, 0.0));
                return match self.wide {
                    true => std::mem::transmute::<*const c_void, Two<T, i64>>(self.function)(&alpha, &beta) != 0,
                    false => std::mem::transmute::<*const c_void, Two<T, i32>>(self.function)(&alpha, &beta) != 0,
                };
            }
            let [re, im, beta] = [re, im, beta].map(|part| T::RealScalar::from_parts(part, 0.0));
            match self.wide {
                true => {
                    let function = std::mem::transmute::<*const c_void, Three<T::RealScalar, i64>>(self.function);
                    function(&re, &im, &beta) != 0
                }
                false => {
                    let function = std::mem::transmute::<*const c_void, Three<T::RealScalar, i32>>(self.function);
                    function(&re, &im, &beta) != 0
                }
            }
        }
    }
}

/// Memory of eigenvalues: two vectors of real types, one of complex types.
#[derive(Clone, Copy)]
pub(super) enum Values<P, R> {
    Parts(R, R),
    Elements(P),
}

/// Eigenvalues whose arguments were checked.
pub(super) enum CheckedValues<P, R> {
    Parts(Operand<R, VectorShape>, Operand<R, VectorShape>),
    Elements(Operand<P, VectorShape>),
}

/// Eigenvalues with their memory.
pub(super) enum OpenedValues<T: Scalar> {
    Parts(Opened<T::RealScalar, VectorShape>, Opened<T::RealScalar, VectorShape>),
    Elements(Opened<T, VectorShape>),
}

impl<P, R> Values<P, R> {
    /// Checks the pointers to n eigenvalues.
    pub(super) fn check<T: Scalar>(self, n: usize) -> Result<CheckedValues<P, R>>
    where
        P: Location<T>,
        R: Location<T::RealScalar>,
    {
        Ok(match self {
            Values::Parts(wr, wi) => CheckedValues::Parts(array(WR, n, wr)?, array(WI, n, wi)?),
            Values::Elements(w) => CheckedValues::Elements(array(W, n, w)?),
        })
    }
}

impl<P, R> CheckedValues<P, R> {
    /// Opens the memory.
    ///
    /// # Safety
    /// The locations must be null or valid for the eigenvalues. Nothing else may access them.
    pub(super) unsafe fn open<T: Scalar>(&self, session: &Session) -> Result<OpenedValues<T>>
    where
        P: Location<T>,
        R: Location<T::RealScalar>,
    {
        // SAFETY: this function has the contract of `Operand::open`.
        unsafe {
            Ok(match self {
                CheckedValues::Parts(wr, wi) => OpenedValues::Parts(wr.open(session)?, wi.open(session)?),
                CheckedValues::Elements(w) => OpenedValues::Elements(w.open(session)?),
            })
        }
    }
}

impl<T: Scalar> OpenedValues<T> {
    /// Views in a device's memory.
    pub(super) fn on_device(&self) -> Result<DeviceEigenvalues<'_, T>> {
        Ok(match self {
            OpenedValues::Parts(wr, wi) => DeviceEigenvalues::Parts(wr.write()?, wi.write()?),
            OpenedValues::Elements(w) => DeviceEigenvalues::Elements(w.write()?),
        })
    }

    /// Runs work that writes real and imaginary parts of n eigenvalues on the host. They are written where some of them
    /// converged, too; nothing is where sizes or memory were wrong.
    pub(super) fn on_host<R>(
        &mut self,
        n: usize,
        work: impl FnOnce(&mut [T::RealScalar], &mut [T::RealScalar]) -> Result<R>,
    ) -> Result<R> {
        match self {
            OpenedValues::Parts(wr, wi) => work(wr.slice_mut(), wi.slice_mut()),
            OpenedValues::Elements(w) => {
                let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
                let result = work(&mut wr, &mut wi);
                if result.as_ref().err().is_none_or(|error| error.status() > 0) {
                    for (w, (re, im)) in w.slice_mut().iter_mut().zip(wr.iter().zip(&wi)) {
                        *w = T::from_parts(re.re(), im.re());
                    }
                }
                result
            }
        }
    }
}
