//! Symmetric and Hermitian matrices in tridiagonal form, and eigenvalues of tridiagonal matrices.

use affinimath_macros::instances;

use super::super::{check_matrix, no_convergence};
use super::{Copied, off_diagonal, order_of, read_of};
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, Info};
use crate::host::on_living_thread;
use crate::lapack as device;
use crate::options::{Op, Side, Triangle};
use crate::route::lapack::staged::{DeviceInfo, with_copies};
use crate::route::lapack::{check_length, square};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut, VectorRef};
use host::Spectrum;

/// The tridiagonal form of a symmetric or Hermitian matrix, Qᴴ A Q = T with a real T (LAPACK: xSYTRD, xHETRD). One
/// triangle is read and gets T and the vectors of Q's reflectors. `d` gets the n elements of T's diagonal, `e` the
/// n - 1 beside it, `tau` the n - 1 factors of the reflectors.
///
/// # Errors
/// [`Error::ShapeMismatch`] where A is not square, or a vector is too short; and what a device reports.
#[instances]
pub fn hetrd<T: Scalar>(
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    tau: &mut [T],
) -> Result<()> {
    tridiagonal_form(None, triangle, a, d, e, tau)
}

/// The same for operands in a device's memory.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`hetrd`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hetrd_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T::RealScalar>,
    tau: VectorMut<'_, T>,
) -> Result<Event> {
    let n = square("A", a.rows(), a.columns())?;
    let (mut d, mut e) = (Copied::of(queue, "d", &d, n)?, Copied::of(queue, "e", &e, off_diagonal(n))?);
    let mut tau = Copied::of(queue, "tau", &tau, off_diagonal(n))?;
    let on_device = device::hetrd_on_device(queue, triangle, &a, &mut d.values, &mut e.values, &mut tau.values)?;
    if !on_device {
        tridiagonal_form(Some(queue), triangle, a, &mut d.values, &mut e.values, &mut tau.values)?;
    }
    d.write(queue)?;
    e.write(queue)?;
    tau.write(queue)?;
    Ok(Event::Complete)
}

fn tridiagonal_form<T: Scalar>(
    queue: Option<&Queue>,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    tau: &mut [T],
) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    check_length("d", d.len(), n)?;
    check_length("e", e.len(), off_diagonal(n))?;
    check_length("tau", tau.len(), off_diagonal(n))?;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|a| host::hetrd(triangle, a, d, e, tau)));
    })
}

/// The Q of [`hetrd`] in place of its reflectors (LAPACK: xORGTR, xUNGTR).
///
/// # Errors
/// [`Error::ShapeMismatch`] where A is not square, or `tau` has fewer than n - 1 elements; and what a device reports.
#[instances]
pub fn orgtr<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    form_q(None, triangle, a, tau)
}

/// The same for operands in a device's memory. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`orgtr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn orgtr_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    tau: VectorRef<'_, T>,
) -> Result<Event> {
    let tau = read_of(queue, &tau, off_diagonal(a.rows()))?;
    form_q(Some(queue), triangle, a, &tau)?;
    Ok(Event::Complete)
}

fn form_q<T: Scalar>(queue: Option<&Queue>, triangle: Triangle, a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    check_length("tau", tau.len(), off_diagonal(n))?;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|a| host::orgtr(triangle, a, tau)));
    })
}

/// C := op(Q) C or C op(Q) for the Q of [`hetrd`] (LAPACK: xORMTR, xUNMTR).
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
#[instances]
pub fn ormtr<T: Scalar>(
    side: Side,
    triangle: Triangle,
    op: Op,
    a: MatrixRef<'_, T>,
    tau: &[T],
    c: MatrixMut<'_, T>,
) -> Result<()> {
    apply_q(None, (side, triangle, op), a, tau, c)
}

/// The same for operands in a device's memory. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`ormtr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn ormtr_on<T: Scalar>(
    queue: &Queue,
    (side, triangle, op): (Side, Triangle, Op),
    a: MatrixRef<'_, T>,
    tau: VectorRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let tau = read_of(queue, &tau, off_diagonal(a.rows()))?;
    apply_q(Some(queue), (side, triangle, op), a, &tau, c)?;
    Ok(Event::Complete)
}

fn apply_q<T: Scalar>(
    queue: Option<&Queue>,
    (side, triangle, op): (Side, Triangle, Op),
    a: MatrixRef<'_, T>,
    tau: &[T],
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let (n, order) = (square("A", a.rows(), a.columns())?, order_of(side, &c));
    if n != order {
        return Err(Error::ShapeMismatch(format!("A has {n} rows, and C's size at its side is {order}")));
    }
    check_length("tau", tau.len(), off_diagonal(n))?;
    with_copies(queue, vec![a], vec![c], |read, written| {
        let (Some(a), Some(c)) = (read.into_iter().next(), written.into_iter().next()) else { return };
        on_living_thread(|| host::ormtr(side, triangle, op, a, tau, c));
    })
}

/// The method for eigenvalues of a tridiagonal matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TridiagonalMethod {
    /// QL and QR iteration (LAPACK: xSTEQR).
    Iteration,
    /// Divide and conquer (LAPACK: xSTEDC).
    DivideAndConquer,
}

/// A matrix for the eigenvectors of a tridiagonal matrix.
pub enum TridiagonalVectors<'a, T> {
    /// They are not computed.
    None,
    /// Its n columns are multiplied by them from the right: the Q of [`hetrd`] gets the eigenvectors of its matrix.
    Product(MatrixMut<'a, T>),
    /// An n x n matrix that they overwrite.
    Into(MatrixMut<'a, T>),
}

/// Eigenvalues of a real symmetric tridiagonal matrix in ascending order, in place of its diagonal `d` (LAPACK: xSTEQR,
/// xSTEDC, xSTERF, xSTEV), and orthonormal eigenvectors where they are wanted. The n - 1 elements of `e` are
/// overwritten.
///
/// # Errors
/// [`Error::NoConvergence`] where an element is not finite, or the iteration does not converge.
/// [`Error::ShapeMismatch`] where `e` has fewer than n - 1 elements or Z other than n columns; and what a device
/// reports.
///
/// # Example
/// ```
/// use affinimath::{TridiagonalMethod, TridiagonalVectors, tridiagonal_eigen};
///
/// let (mut d, mut e) = ([2.0_f64, 2.0], [1.0]);
/// tridiagonal_eigen::<f64>(TridiagonalMethod::Iteration, &mut d, &mut e, TridiagonalVectors::None)?;
/// assert!((d[0] - 1.0).abs() < 1e-15 && (d[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn tridiagonal_eigen<T: Scalar>(
    method: TridiagonalMethod,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    z: TridiagonalVectors<'_, T>,
) -> Result<()> {
    no_convergence(iterate(None, method, d, e, z)?)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`tridiagonal_eigen`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn tridiagonal_eigen_on<T: Scalar>(
    queue: &Queue,
    method: TridiagonalMethod,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T::RealScalar>,
    z: TridiagonalVectors<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = d.length();
    let (mut d, mut e) = (Copied::of(queue, "d", &d, n)?, Copied::of(queue, "e", &e, off_diagonal(n))?);
    let info = DeviceInfo::new(queue, &info)?;
    let found = iterate(Some(queue), method, &mut d.values, &mut e.values, z)?;
    d.write(queue)?;
    e.write(queue)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn iterate<T: Scalar>(
    queue: Option<&Queue>,
    method: TridiagonalMethod,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    z: TridiagonalVectors<'_, T>,
) -> Result<Info> {
    let n = d.len();
    check_length("e", e.len(), off_diagonal(n))?;
    let (z, fresh) = match z {
        TridiagonalVectors::None => (None, false),
        TridiagonalVectors::Product(z) => (Some(z), false),
        TridiagonalVectors::Into(z) => (Some(z), true),
    };
    if let Some(z) = &z {
        check_matrix("Z", z, if fresh { n } else { z.rows() }, n)?;
    }
    let mut info = None;
    with_copies(queue, vec![], z.into_iter().collect(), |_, matrices| {
        on_living_thread(|| {
            let mut z = matrices.into_iter().next();
            if let (true, Some(z)) = (fresh, &mut z) {
                z.fill(T::ZERO);
                (0..n).for_each(|i| z[(i, i)] = T::ONE);
            }
            info = match method {
                TridiagonalMethod::Iteration => host::steqr::<T>(d, e, z),
                TridiagonalMethod::DivideAndConquer => host::stedc::<T>(d, e, z),
            };
        });
    })?;
    Ok(info)
}

/// Some eigenvalues of a real symmetric tridiagonal matrix in ascending order (LAPACK: xSTEVR, xSTEVX), and orthonormal
/// eigenvectors in the first columns of Z. Gives their number. `d` and `e` are not changed; `w` has n elements.
///
/// # Errors
/// The errors of [`tridiagonal_eigen`]; [`Error::InvalidArgument`] where indices are not those of eigenvalues.
#[instances]
pub fn stevr<T: Scalar>(
    spectrum: Spectrum,
    d: &[T::RealScalar],
    e: &[T::RealScalar],
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<usize> {
    let (count, info) = select_of_tridiagonal(None, spectrum, (d, e), w, z)?;
    no_convergence(info).map(|()| count)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`stevr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn stevr_on<T: Scalar>(
    queue: &Queue,
    spectrum: Spectrum,
    [d, e]: [VectorMut<'_, T::RealScalar>; 2],
    w: VectorMut<'_, T::RealScalar>,
    z: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<(Event, usize)> {
    let n = d.length();
    let (d, e) = (Copied::of(queue, "d", &d, n)?, Copied::of(queue, "e", &e, off_diagonal(n))?);
    let (mut w, info) = (Copied::of(queue, "w", &w, n)?, DeviceInfo::new(queue, &info)?);
    let (count, found) = select_of_tridiagonal(Some(queue), spectrum, (&d.values, &e.values), &mut w.values, z)?;
    w.write(queue)?;
    info.write(queue, found)?;
    Ok((Event::Complete, count))
}

fn select_of_tridiagonal<T: Scalar>(
    queue: Option<&Queue>,
    spectrum: Spectrum,
    (d, e): (&[T::RealScalar], &[T::RealScalar]),
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<(usize, Info)> {
    let n = d.len();
    check_length("e", e.len(), off_diagonal(n))?;
    check_length("w", w.len(), n)?;
    super::super::hermitian::check_spectrum(spectrum, n, z.as_ref())?;
    let mut found = (0, None);
    with_copies(queue, vec![], z.into_iter().collect(), |_, matrices| {
        on_living_thread(|| found = host::stevr::<T>(spectrum, d, e, w, matrices.into_iter().next()));
    })?;
    Ok(found)
}
