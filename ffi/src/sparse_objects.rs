//! Parts that sparse matrices of all types, preconditioners and options of solvers share.

use std::ffi::c_int;
use std::ptr;

use affinimath::sparse::CsrMatrix;
use affinimath::{Error, Result};
use affinimath_abi::arguments::{not_null, wrong_code};
use affinimath_abi::fft::{Precision, precision};

use crate::generated::sparse_objects::SolveOptions;
use crate::sparse::convert::{check_same_place, other_width};
use crate::sparse::handle::{AnyMatrix, Held, Typed, Width, give, with_type, with_width};
pub use crate::sparse::{Csr, Factors, History, Preconditioner};
use crate::sparse::{code, factors, preconditioner, solve};

/// # Safety
/// `matrix` must be null or a matrix that nothing uses any more.
pub(crate) unsafe fn destroy(matrix: *mut Csr) -> Result<()> {
    if !matrix.is_null() {
        // SAFETY: `give` boxed the matrix, and `destroy` requires that nothing uses it any more.
        drop(unsafe { Box::from_raw(matrix) });
    }
    Ok(())
}

/// # Safety
/// `a` must be null or a live matrix, the others null or valid for a write.
pub(crate) unsafe fn shape(a: *const Csr, rows: *mut i64, columns: *mut i64, entries: *mut i64) -> Result<()> {
    // SAFETY: `open` has this function's contract of `a`.
    let matrix = unsafe { open("a", a)? }.any();
    for (name, location) in [("rows", rows), ("columns", columns), ("entries", entries)] {
        not_null(name, location)?;
    }
    let numbers = with_type!(&matrix, held => [held.rows(), held.columns(), held.entries()]);
    for (location, number) in [rows, columns, entries].into_iter().zip(numbers) {
        // SAFETY: `not_null` refused null; `shape` requires pointers that are valid for a write.
        unsafe { ptr::write(location, number as i64) };
    }
    Ok(())
}

/// # Safety
/// `matrix` must be null or a live matrix.
unsafe fn open<'a>(name: &'static str, matrix: *const Csr) -> Result<&'a Csr> {
    not_null(name, matrix)?;
    // SAFETY: `not_null` refused null; this function requires a live matrix.
    Ok(unsafe { &*matrix })
}

/// Derives a matrix from another one of any type.
macro_rules! derived {
    ($a:expr, $location:expr, $matrix:ident => $made:expr) => {{
        // SAFETY: the functions of this macro require a matrix that is null or live.
        let csr = unsafe { open("a", $a)? };
        not_null("matrix", $location)?;
        let made = with_type!(csr.any(), held => any(with_width!(held, $matrix => hold($made?))));
        // SAFETY: `not_null` refused null; the functions of this macro require a pointer that is valid for a write.
        unsafe { give($location, made, csr.home().clone()) }
    }};
}

fn hold<T: Typed, P: Width>(matrix: CsrMatrix<T, P>) -> Held<T> {
    P::hold(matrix)
}

fn any<T: Typed>(held: Held<T>) -> AnyMatrix {
    T::any(held)
}

/// # Safety
/// `a` must be null or a live matrix, `matrix` null or valid for a write.
pub(crate) unsafe fn transpose(a: *const Csr, matrix: *mut *mut Csr) -> Result<()> {
    derived!(a, matrix, own => own.transpose())
}

/// # Safety
/// The contract of [`transpose`].
pub(crate) unsafe fn sorted(a: *const Csr, matrix: *mut *mut Csr) -> Result<()> {
    derived!(a, matrix, own => own.sorted())
}

/// # Safety
/// The contract of [`transpose`].
pub(crate) unsafe fn mirrored(a: *const Csr, symmetry: c_int, matrix: *mut *mut Csr) -> Result<()> {
    // SAFETY: `open` has this function's contract of `a`.
    let csr = unsafe { open("a", a)? };
    with_type!(csr.any(), held => held.order("a").map(drop))?;
    let legal = "AFFINIMATH_SYMMETRIC, AFFINIMATH_HERMITIAN or AFFINIMATH_SKEW_SYMMETRIC";
    let mirror = code::mirror(symmetry).ok_or_else(|| wrong_code("symmetry", symmetry, legal))?;
    derived!(a, matrix, own => own.mirrored(mirror))
}

/// # Safety
/// `a` and `b` must be null or live matrices, `matrix` null or valid for a write.
pub(crate) unsafe fn product(a: *const Csr, b: *const Csr, matrix: *mut *mut Csr) -> Result<()> {
    // SAFETY: `open` has this function's contract of `a` and `b`.
    let (a, b) = unsafe { (open("a", a)?, open("b", b)?) };
    let same_form = std::mem::discriminant(a.home()) == std::mem::discriminant(b.home());
    let made = with_type!(a.any(), left => any(multiply(&left, b, same_form, matrix)?));
    // SAFETY: `multiply` refused null; `product` requires a pointer that is valid for a write.
    unsafe { give(matrix, made, a.home().clone()) }
}

fn multiply<T: Typed>(a: &Held<T>, b: &Csr, same_form: bool, matrix: *mut *mut Csr) -> Result<Held<T>> {
    let b = b.held::<T>("b").map_err(|_| Error::argument("b", format!("it is of another type than a, {}", T::NAME)))?;
    check_same_place(a, &b, same_form)?;
    if b.rows() != a.columns() {
        let reason = format!("it has {} rows, and a has {} columns", b.rows(), a.columns());
        return Err(Error::argument("b", reason));
    }
    not_null("matrix", matrix)?;
    match (a, &b) {
        (Held::Short(a), Held::Short(b)) => Ok(hold(a.multiply_sparse(b)?)),
        (Held::Long(a), Held::Long(b)) => Ok(hold(a.multiply_sparse(b)?)),
        _ => Err(other_width("b")),
    }
}

/// # Safety
/// `options` must be null or valid for a write.
pub(crate) unsafe fn options(options: *mut SolveOptions, precision: c_int) -> Result<()> {
    not_null("options", options)?;
    let double = self::precision("precision", precision)? == Precision::Double;
    // SAFETY: `not_null` refused null; `options` requires a pointer that is valid for a write.
    unsafe { options.write(solve::defaults(double)) };
    Ok(())
}

/// # Safety
/// `a` must be null or a live matrix, `preconditioner` null or valid for a write.
pub(crate) unsafe fn jacobi(a: *const Csr, preconditioner: *mut *mut Preconditioner) -> Result<()> {
    // SAFETY: `preconditioner::jacobi` has this function's contract.
    unsafe { preconditioner::jacobi(a, preconditioner) }
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn chebyshev(a: *const Csr, degree: i64, preconditioner: *mut *mut Preconditioner) -> Result<()> {
    // SAFETY: `preconditioner::chebyshev` has this function's contract.
    unsafe { preconditioner::chebyshev(a, degree, preconditioner) }
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn chebyshev_bounds(
    a: *const Csr,
    degree: i64,
    low: f64,
    high: f64,
    preconditioner: *mut *mut Preconditioner,
) -> Result<()> {
    // SAFETY: `preconditioner::chebyshev_bounds` has this function's contract.
    unsafe { preconditioner::chebyshev_bounds(a, degree, (low, high), preconditioner) }
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn block_jacobi(a: *const Csr, size: i64, preconditioner: *mut *mut Preconditioner) -> Result<()> {
    // SAFETY: `preconditioner::block_jacobi` has this function's contract.
    unsafe { preconditioner::block_jacobi(a, size, preconditioner) }
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn ssor(a: *const Csr, omega: f64, preconditioner: *mut *mut Preconditioner) -> Result<()> {
    // SAFETY: `preconditioner::ssor` has this function's contract.
    unsafe { preconditioner::ssor(a, omega, preconditioner) }
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn ilu0(a: *const Csr, preconditioner: *mut *mut Preconditioner) -> Result<()> {
    // SAFETY: `preconditioner::ilu0` has this function's contract.
    unsafe { preconditioner::ilu0(a, preconditioner) }
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn ic0(a: *const Csr, preconditioner: *mut *mut Preconditioner) -> Result<()> {
    // SAFETY: `preconditioner::ic0` has this function's contract.
    unsafe { preconditioner::ic0(a, preconditioner) }
}

/// # Safety
/// The contract of [`jacobi`].
pub(crate) unsafe fn ic0_shifted(a: *const Csr, shift: f64, preconditioner: *mut *mut Preconditioner) -> Result<()> {
    // SAFETY: `preconditioner::ic0_shifted` has this function's contract.
    unsafe { preconditioner::ic0_shifted(a, shift, preconditioner) }
}

/// # Safety
/// `preconditioner` must be null or one that nothing uses any more.
pub(crate) unsafe fn destroy_preconditioner(preconditioner: *mut Preconditioner) -> Result<()> {
    if !preconditioner.is_null() {
        // SAFETY: `give` boxed the preconditioner, and this function requires that nothing uses it any more.
        drop(unsafe { Box::from_raw(preconditioner) });
    }
    Ok(())
}

/// # Safety
/// `a` must be null or a live matrix, `factors` null or valid for a write.
pub(crate) unsafe fn factorize(a: *const Csr, method: c_int, factors: *mut *mut Factors) -> Result<()> {
    // SAFETY: `factors::create` has this function's contract.
    unsafe { factors::create(a, method, factors) }
}

/// # Safety
/// `factors` must be null or live factors, `a` null or a live matrix.
pub(crate) unsafe fn refactorize(factors: *mut Factors, a: *const Csr) -> Result<()> {
    // SAFETY: `factors::update` has this function's contract.
    unsafe { factors::update(factors, a) }
}

/// # Safety
/// `factors` must be null or live factors, the others null or valid for a write.
pub(crate) unsafe fn factors_info(
    factors: *const Factors,
    method: *mut i32,
    rows: *mut i64,
    columns: *mut i64,
    entries: *mut i64,
) -> Result<()> {
    // SAFETY: `factors::info` has this function's contract.
    unsafe { factors::info(factors, method, rows, columns, entries) }
}

/// # Safety
/// `factors` must be null or live factors, `condition` null or valid for a write.
pub(crate) unsafe fn factors_condition(factors: *const Factors, condition: *mut f64) -> Result<()> {
    // SAFETY: `factors::condition` has this function's contract.
    unsafe { factors::condition(factors, condition) }
}

/// # Safety
/// `factors` must be null or factors that nothing uses any more.
pub(crate) unsafe fn destroy_factors(factors: *mut Factors) -> Result<()> {
    // SAFETY: `factors::destroy` has this function's contract.
    unsafe { factors::destroy(factors) }
}
