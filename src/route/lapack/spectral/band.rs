//! Symmetric and Hermitian band matrices.

use affinimath_macros::instances;

use super::hermitian::check_spectrum;
use super::{
    Error, Info, Queue, Result, TridiagonalVectors, check_length, check_matrix, check_vector, no_convergence,
    with_copies,
};
use crate::context::Event;
use crate::host::lapack::{self as host, Spectrum};
use crate::host::on_living_thread;
use crate::options::Triangle;
use crate::route::lapack::staged::{DeviceInfo, adjacent};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut};

/// Reduction of a symmetric or Hermitian band matrix of half-bandwidth kd to a real tridiagonal T, Qᴴ A Q = T, by
/// rotations (Schwarz 1968; LAPACK: xSBTRD, xHBTRD).
///
/// `ab` has kd + 1 rows and n columns: element (i, j) of A is in row i - j of a lower triangle, and kd + i - j of an
/// upper one. It gets T. `d` and `e` get the n diagonal and the n - 1 off-diagonal elements, which are not negative.
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
#[instances]
pub fn hbtrd<T: Scalar>(
    triangle: Triangle,
    kd: usize,
    ab: MatrixMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    q: TridiagonalVectors<'_, T>,
) -> Result<()> {
    reduce(None, (triangle, kd), ab, d, e, q)
}

/// The same for operands in a device's memory.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`hbtrd`].
#[instances]
pub fn hbtrd_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    kd: usize,
    ab: MatrixMut<'_, T>,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T::RealScalar>,
    q: TridiagonalVectors<'_, T>,
) -> Result<Event> {
    let n = ab.columns();
    check_vector("d", &d, n)?;
    check_vector("e", &e, n.saturating_sub(1))?;
    let (of_d, of_e) = (adjacent(queue, &d, "d")?, adjacent(queue, &e, "e")?);
    let zeros = |n: usize| vec![T::RealScalar::default(); n];
    let (mut d, mut e) = (zeros(n), zeros(n.saturating_sub(1)));
    reduce(Some(queue), (triangle, kd), ab, &mut d, &mut e, q)?;
    of_d.write(queue, &d)?;
    of_e.write(queue, &e)?;
    Ok(Event::Complete)
}

fn check_band(rows: usize, kd: usize) -> Result<()> {
    if rows > kd {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("AB has {rows} rows, and {} are needed", kd.saturating_add(1))))
}

fn reduce<T: Scalar>(
    queue: Option<&Queue>,
    (triangle, kd): (Triangle, usize),
    ab: MatrixMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    q: TridiagonalVectors<'_, T>,
) -> Result<()> {
    let n = ab.columns();
    check_band(ab.rows(), kd)?;
    check_length("d", d.len(), n)?;
    check_length("e", e.len(), n.saturating_sub(1))?;
    let (q, fresh) = match q {
        TridiagonalVectors::None => (None, false),
        TridiagonalVectors::Product(q) => (Some(q), false),
        TridiagonalVectors::Into(q) => (Some(q), true),
    };
    q.as_ref().map_or(Ok(()), |q| check_matrix("Q", q, n, n))?;
    with_copies(queue, vec![], [Some(ab), q].into_iter().flatten().collect(), |_, matrices| {
        on_living_thread(|| {
            let mut matrices = matrices.into_iter();
            let (Some(ab), mut q) = (matrices.next(), matrices.next()) else { return };
            if let (true, Some(q)) = (fresh, &mut q) {
                q.fill(T::ZERO);
                (0..n).for_each(|i| q[(i, i)] = T::ONE);
            }
            host::hbtrd(triangle, kd, ab, &mut d[..n], &mut e[..n.saturating_sub(1)], q);
        });
    })
}

/// Eigenvalues of a symmetric or Hermitian band matrix in ascending order, and orthonormal eigenvectors in Z's columns
/// where they are wanted (LAPACK: xSBEV, xHBEV, xSBEVD, xHBEVD). The band is stored as for [`hbtrd`], and not changed.
///
/// # Errors
/// [`Error::NoConvergence`] where an element is not finite, or the iteration does not converge: results are NaN.
/// [`Error::ShapeMismatch`] where sizes do not agree; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixRef, MatrixShape, Triangle, hbev};
///
/// // 2 on the diagonal, 1 beside it.
/// let (ab, mut w) = ([2.0_f64, 2.0, 1.0, 0.0], [0.0; 2]);
/// let ab = MatrixRef::from_slice(&ab, MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?)?;
/// hbev(Triangle::Lower, 1, ab, &mut w, None)?;
/// assert!((w[0] - 1.0).abs() < 1e-15 && (w[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn hbev<T: Scalar>(
    triangle: Triangle,
    kd: usize,
    ab: MatrixRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<()> {
    no_convergence(select(None, Spectrum::All, (triangle, kd), ab, w, (z, None))?.1)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`hbtrd_on`].
///
/// # Errors
/// The errors of [`hbev`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hbev_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    kd: usize,
    ab: MatrixRef<'_, T>,
    w: VectorMut<'_, T::RealScalar>,
    z: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    Ok(hbevx_on(queue, Spectrum::All, (triangle, kd), ab, w, z, None, info)?.0)
}

/// Some eigenvalues of a symmetric or Hermitian band matrix in ascending order, and their eigenvectors in the first
/// columns of Z (LAPACK: xSBEVX, xHBEVX). Gives their number. The triangle and kd are those of [`hbtrd`].
///
/// Z has n rows, and a column for each eigenvalue that is found; `w` has n elements. With Z, Q gets the unitary matrix
/// of the tridiagonal form.
///
/// # Errors
/// The errors of [`hbev`]; [`Error::InvalidArgument`] where indices are not those of eigenvalues.
#[instances]
pub fn hbevx<T: Scalar>(
    spectrum: Spectrum,
    band: (Triangle, usize),
    ab: MatrixRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
    q: Option<MatrixMut<'_, T>>,
) -> Result<usize> {
    let (count, info) = select(None, spectrum, band, ab, w, (z, q))?;
    no_convergence(info).map(|()| count)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`hbtrd_on`].
///
/// # Errors
/// The errors of [`hbevx`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[allow(clippy::too_many_arguments, reason = "the operands of LAPACK's sbevx")]
#[instances]
pub fn hbevx_on<T: Scalar>(
    queue: &Queue,
    spectrum: Spectrum,
    band: (Triangle, usize),
    ab: MatrixRef<'_, T>,
    w: VectorMut<'_, T::RealScalar>,
    z: Option<MatrixMut<'_, T>>,
    q: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<(Event, usize)> {
    let n = ab.columns();
    check_vector("w", &w, n)?;
    let (w, info) = (adjacent(queue, &w, "w")?, DeviceInfo::new(queue, &info)?);
    let mut values = vec![T::RealScalar::default(); n];
    let (count, found) = select(Some(queue), spectrum, band, ab, &mut values, (z, q))?;
    w.write(queue, &values)?;
    info.write(queue, found)?;
    Ok((Event::Complete, count))
}

fn select<T: Scalar>(
    queue: Option<&Queue>,
    spectrum: Spectrum,
    (triangle, kd): (Triangle, usize),
    ab: MatrixRef<'_, T>,
    w: &mut [T::RealScalar],
    (z, q): (Option<MatrixMut<'_, T>>, Option<MatrixMut<'_, T>>),
) -> Result<(usize, Info)> {
    let n = ab.columns();
    check_band(ab.rows(), kd)?;
    check_length("w", w.len(), n)?;
    check_spectrum(spectrum, n, z.as_ref())?;
    q.as_ref().map_or(Ok(()), |q| check_matrix("Q", q, n, n))?;
    let q = if z.is_some() { q } else { None };
    let mut found = (0, None);
    with_copies(queue, vec![ab], [z, q].into_iter().flatten().collect(), |read, written| {
        on_living_thread(|| {
            let Some(ab) = read.into_iter().next() else { return };
            let mut written = written.into_iter();
            let (z, q) = (written.next(), written.next());
            found = host::hbevx(spectrum, (triangle, kd), ab, &mut w[..n], z, q);
        });
    })?;
    Ok(found)
}
