//! Symmetric and Hermitian matrices, alone and with a positive definite one.

use affinimath_macros::instances;
use std::cell::RefCell;

use super::*;
use crate::context::Event;
use crate::lapack as device;
use crate::options::Triangle;
use crate::route::Family;
use crate::route::dispatch::{Cost, dispatch_lapack, on_host, on_host_mut};
use crate::route::lapack::staged::{DeviceInfo, adjacent};
use crate::route::lapack::{cube, operations};
use host::{Pencil, Spectrum};

/// Eigenvalues of a symmetric or Hermitian A in ascending order (LAPACK: xSYEV, xHEEV, xSYEVD, xHEEVD), and orthonormal
/// eigenvectors in A's columns where they are wanted. One triangle of A is read, and of its diagonal the real parts.
///
/// Without eigenvectors A is not changed. `w` gets n eigenvalues.
///
/// # Errors
/// [`Error::NoConvergence`] where an element is not finite, or the iteration does not converge: results are NaN.
/// [`Error::ShapeMismatch`] where A is not square, or `w` has fewer than n elements; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixShape, Triangle, heev};
///
/// let (mut a, mut w) = ([2.0_f64, 1.0, 1.0, 2.0], [0.0; 2]);
/// let a = MatrixMut::from_slice(&mut a, MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?)?;
/// heev(Triangle::Lower, a, &mut w, false)?;
/// assert!((w[0] - 1.0).abs() < 1e-15 && (w[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn heev<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>, w: &mut [T::RealScalar], vectors: bool) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    check_length("w", w.len(), n)?;
    if n == 0 {
        return Ok(()); // LAPACK: nothing to be done.
    }
    let found = RefCell::new((&mut w[..n], None));
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Orthogonal, operations: operations::<T>(eigen_pairs(n, vectors)), steps: n },
        (a,),
        |(a,)| {
            let (w, info) = &mut *found.borrow_mut();
            *info = host::heev(triangle, on_host_mut(a), w, vectors);
        },
        |queue, (a,)| {
            let (w, info) = &mut *found.borrow_mut();
            *info = decompose_on(queue, triangle, a, w, vectors)?;
            Ok(Event::Complete)
        },
    )?;
    no_convergence(found.into_inner().1)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`heev`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn heev_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    w: VectorMut<'_, T::RealScalar>,
    vectors: bool,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square("A", a.rows(), a.columns())?;
    check_vector("w", &w, n)?;
    let (w, info) = (adjacent(queue, &w, "w")?, DeviceInfo::new(queue, &info)?);
    let mut values = vec![T::RealScalar::default(); n];
    let found = decompose_on(queue, triangle, a, &mut values, vectors)?;
    w.write(queue, &values)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

/// Multiplications and additions of a Hermitian matrix's reduction, and with vectors of the merges and of the
/// reflectors' products with them.
const fn eigen_pairs(n: usize, vectors: bool) -> u64 {
    cube(n).saturating_mul(if vectors { 9 } else { 2 }) / 3
}

/// For a matrix in the memory of a queue's device, on it or by a copy, and n eigenvalues.
fn decompose_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    w: &mut [T::RealScalar],
    vectors: bool,
) -> Result<Info> {
    if device::heevd_on_device(queue, triangle, &a, w, vectors)? {
        return Ok(None);
    }
    let mut info = None;
    with_copies(Some(queue), vec![], vec![a], |_, matrices| {
        on_living_thread(|| {
            info = matrices.into_iter().next().and_then(|a| host::heev(triangle, a, w, vectors));
        });
    })?;
    Ok(info)
}

/// Some eigenvalues of a symmetric or Hermitian A in ascending order (LAPACK: xSYEVR, xHEEVR), and their eigenvectors
/// in the first columns of Z. Gives their number. A is not changed.
///
/// Z has n rows, and a column for each eigenvalue that is found; `w` has n elements. All eigenvalues are computed, and
/// the eigenvectors that are wanted.
///
/// # Errors
/// The errors of [`heev`]; [`Error::InvalidArgument`] where indices are not those of eigenvalues.
#[instances]
pub fn heevr<T: Scalar>(
    spectrum: Spectrum,
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<usize> {
    let (count, info) = select(None, spectrum, triangle, a, w, z)?;
    no_convergence(info).map(|()| count)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`heevr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn heevr_on<T: Scalar>(
    queue: &Queue,
    spectrum: Spectrum,
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    w: VectorMut<'_, T::RealScalar>,
    z: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<(Event, usize)> {
    let n = square("A", a.rows(), a.columns())?;
    check_vector("w", &w, n)?;
    let (w, info) = (adjacent(queue, &w, "w")?, DeviceInfo::new(queue, &info)?);
    let mut values = vec![T::RealScalar::default(); n];
    let (count, found) = select(Some(queue), spectrum, triangle, a, &mut values, z)?;
    w.write(queue, &values)?;
    info.write(queue, found)?;
    Ok((Event::Complete, count))
}

/// Refuses indices that are not those of n eigenvalues, and a Z that is too small for the vectors.
pub(super) fn check_spectrum<T: Scalar>(spectrum: Spectrum, n: usize, z: Option<&MatrixMut<'_, T>>) -> Result<()> {
    if let Spectrum::Indices(first, end) = spectrum
        && (first > end || end > n)
    {
        return Err(Error::argument("spectrum", format!("{first} to {end} are no indices of {n} eigenvalues")));
    }
    if let Some(z) = z {
        let columns = if let Spectrum::Indices(first, end) = spectrum { end - first } else { n };
        if z.rows() != n || z.columns() < columns {
            let given = format!("{} x {}", z.rows(), z.columns());
            return Err(Error::ShapeMismatch(format!("Z: {given}, and {n} x {columns} are needed")));
        }
    }
    Ok(())
}

fn select<T: Scalar>(
    queue: Option<&Queue>,
    spectrum: Spectrum,
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<(usize, Info)> {
    let n = square("A", a.rows(), a.columns())?;
    check_length("w", w.len(), n)?;
    check_spectrum(spectrum, n, z.as_ref())?;
    let w = &mut w[..n];
    if let Some(queue) = queue {
        return select_on(queue, spectrum, triangle, a, w, z);
    }
    if n == 0 {
        return Ok((0, None));
    }
    let operations = operations::<T>(eigen_pairs(n, z.is_some()));
    let found = RefCell::new((w, (0, None)));
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::Orthogonal, operations, steps: n },
        (a, z),
        |(a, z)| {
            let (w, results) = &mut *found.borrow_mut();
            *results = host::heevr(spectrum, triangle, on_host(a), w, z.map(on_host_mut));
        },
        |queue, (a, z)| {
            let (w, results) = &mut *found.borrow_mut();
            *results = select_on(queue, spectrum, triangle, a, w, z)?;
            Ok(Event::Complete)
        },
    )?;
    Ok(found.into_inner().1)
}

/// For matrices in the memory of a queue's device, on it or by copies, and n eigenvalues.
fn select_on<T: Scalar>(
    queue: &Queue,
    spectrum: Spectrum,
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<(usize, Info)> {
    if let Some(count) = device::heevr_on_device(queue, (spectrum, triangle), &a, w, z.as_ref())? {
        return Ok((count, None));
    }
    let mut found = (0, None);
    with_copies(Some(queue), vec![a], z.into_iter().collect(), |read, written| {
        let (Some(a), z) = (read.into_iter().next(), written.into_iter().next()) else { return };
        on_living_thread(|| found = host::heevr(spectrum, triangle, a, w, z));
    })?;
    Ok(found)
}

/// Eigenvalues of a symmetric or Hermitian A and a positive definite B in ascending order (LAPACK: xSYGV, xHEGV,
/// xSYGVD, xHEGVD): A x = lambda B x, A B x = lambda x, or B A x = lambda x. Eigenvectors X go to A's columns where
/// they are wanted, with Xᴴ B X = I, or Xᴴ B⁻¹ X = I of the last form.
///
/// One triangle of each matrix is read. B's triangle gets its Cholesky factor.
///
/// # Errors
/// [`Error::PencilNotPositiveDefinite`] where B is not positive definite. Others as for [`heev`];
/// [`Error::MixedMemory`] where the matrices do not lie in one memory.
#[instances]
pub fn hegv<T: Scalar>(
    pencil: Pencil,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    w: &mut [T::RealScalar],
    vectors: bool,
) -> Result<()> {
    let order = a.rows();
    match solve(None, pencil, triangle, a, b, w, vectors)? {
        Some(info) if info > order => Err(Error::PencilNotPositiveDefinite { order, index: info - order }),
        info => no_convergence(info),
    }
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`hegv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[allow(clippy::too_many_arguments)]
#[instances]
pub fn hegv_on<T: Scalar>(
    queue: &Queue,
    pencil: Pencil,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    w: VectorMut<'_, T::RealScalar>,
    vectors: bool,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square("A", a.rows(), a.columns())?;
    check_vector("w", &w, n)?;
    let (w, info) = (adjacent(queue, &w, "w")?, DeviceInfo::new(queue, &info)?);
    let mut values = vec![T::RealScalar::default(); n];
    let found = solve(Some(queue), pencil, triangle, a, b, &mut values, vectors)?;
    w.write(queue, &values)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn solve<T: Scalar>(
    queue: Option<&Queue>,
    pencil: Pencil,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    w: &mut [T::RealScalar],
    vectors: bool,
) -> Result<Info> {
    let n = square("A", a.rows(), a.columns())?;
    check_matrix("B", &b, n, n)?;
    check_length("w", w.len(), n)?;
    let w = &mut w[..n];
    if let Some(queue) = queue {
        return solve_on(queue, (pencil, triangle), a, b, w, vectors);
    }
    if n == 0 {
        return Ok(None);
    }
    // Cholesky's factor, two solves, and one of the vectors.
    let own = cube(n).saturating_mul(if vectors { 10 } else { 7 }) / 3;
    let cost = Cost {
        family: Family::Orthogonal,
        operations: operations::<T>(own.saturating_add(eigen_pairs(n, vectors))),
        steps: n,
    };
    let found = RefCell::new((w, None));
    dispatch_lapack(
        T::KIND,
        cost,
        (a, b),
        |(a, b)| {
            let (w, info) = &mut *found.borrow_mut();
            *info = host::hegv(pencil, triangle, on_host_mut(a), on_host_mut(b), w, vectors);
        },
        |queue, (a, b)| {
            let (w, info) = &mut *found.borrow_mut();
            *info = solve_on(queue, (pencil, triangle), a, b, w, vectors)?;
            Ok(Event::Complete)
        },
    )?;
    Ok(found.into_inner().1)
}

/// For matrices in the memory of a queue's device, on it or by copies, and n eigenvalues.
fn solve_on<T: Scalar>(
    queue: &Queue,
    (pencil, triangle): (Pencil, Triangle),
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    w: &mut [T::RealScalar],
    vectors: bool,
) -> Result<Info> {
    if device::hegvd_on_device(queue, (pencil, triangle), &a, &b, w, vectors)? {
        return Ok(None);
    }
    let mut info = None;
    with_copies(Some(queue), vec![], vec![a, b], |_, mut matrices| {
        let (Some(b), Some(a)) = (matrices.pop(), matrices.pop()) else { return };
        on_living_thread(|| info = host::hegv(pencil, triangle, a, b, w, vectors));
    })?;
    Ok(info)
}

/// Some eigenvalues of a symmetric or Hermitian A and a positive definite B in ascending order (LAPACK: xSYGVX,
/// xHEGVX), as [`hegv`], and their eigenvectors in the first columns of Z, as [`heevr`]. Gives their number. A is not
/// changed.
///
/// # Errors
/// The errors of [`hegv`] and of [`heevr`].
#[instances]
pub fn hegvx<T: Scalar>(
    (pencil, spectrum): (Pencil, Spectrum),
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<usize> {
    let order = a.rows();
    match solve_some(None, (pencil, spectrum), triangle, a, b, w, z)? {
        (_, Some(info)) if info > order => Err(Error::PencilNotPositiveDefinite { order, index: info - order }),
        (count, info) => no_convergence(info).map(|()| count),
    }
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`hegvx`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[allow(clippy::too_many_arguments)]
#[instances]
pub fn hegvx_on<T: Scalar>(
    queue: &Queue,
    problem: (Pencil, Spectrum),
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
    w: VectorMut<'_, T::RealScalar>,
    z: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<(Event, usize)> {
    let n = square("A", a.rows(), a.columns())?;
    check_vector("w", &w, n)?;
    let (w, info) = (adjacent(queue, &w, "w")?, DeviceInfo::new(queue, &info)?);
    let mut values = vec![T::RealScalar::default(); n];
    let (count, found) = solve_some(Some(queue), problem, triangle, a, b, &mut values, z)?;
    w.write(queue, &values)?;
    info.write(queue, found)?;
    Ok((Event::Complete, count))
}

fn solve_some<T: Scalar>(
    queue: Option<&Queue>,
    problem: (Pencil, Spectrum),
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<(usize, Info)> {
    let n = square("A", a.rows(), a.columns())?;
    check_matrix("B", &b, n, n)?;
    check_length("w", w.len(), n)?;
    check_spectrum(problem.1, n, z.as_ref())?;
    let mut found = (0, None);
    with_copies(queue, vec![a], std::iter::once(b).chain(z).collect(), |read, written| {
        let mut written = written.into_iter();
        let (Some(a), Some(b)) = (read.into_iter().next(), written.next()) else { return };
        on_living_thread(|| found = host::hegvx(problem, triangle, a, b, &mut w[..n], written.next()));
    })?;
    Ok(found)
}
