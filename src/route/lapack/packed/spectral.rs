//! Eigenvalues of symmetric and Hermitian matrices in packed storage.

use affinimath_macros::instances;

use super::super::spectral as dense;
use super::*;
use crate::host::lapack::Pencil;

/// Eigenvalues of a symmetric or Hermitian A in packed storage, in ascending order (LAPACK: xSPEV, xHPEV, xSPEVD,
/// xHPEVD), and orthonormal eigenvectors as Z's columns where they are wanted. A is not changed.
///
/// # Errors
/// The errors of [`crate::heev`]; [`Error::ShapeMismatch`] where Z is not of A's order; [`Error::OutOfHostMemory`]
/// where a full copy has no place.
#[instances]
pub fn hpev<T: Scalar>(a: PackedRef<'_, T>, w: &mut [T::RealScalar], z: Option<MatrixMut<'_, T>>) -> Result<()> {
    decompose(None, &a, w, z)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`hpev`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hpev_on<T: Scalar>(
    queue: &Queue,
    a: PackedRef<'_, T>,
    w: VectorMut<'_, T::RealScalar>,
    z: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    with_values(queue, a.shape().order(), &w, &info, |values| decompose(Some(queue), &a, values, z))
}

/// Eigenvalues of a symmetric or Hermitian A and a positive definite B in packed storage, of [`crate::hegv`]'s forms
/// (LAPACK: xSPGV, xHPGV, xSPGVD, xHPGVD), and eigenvectors as Z's columns where they are wanted. A is not changed, and
/// B gets its Cholesky factor.
///
/// # Errors
/// The errors of [`crate::hegv`] and of [`hpev`].
#[instances]
pub fn hpgv<T: Scalar>(
    pencil: Pencil,
    a: PackedRef<'_, T>,
    b: PackedMut<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<()> {
    solve(None, pencil, &a, &b, w, z)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`hpgv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hpgv_on<T: Scalar>(
    queue: &Queue,
    pencil: Pencil,
    a: PackedRef<'_, T>,
    b: PackedMut<'_, T>,
    w: VectorMut<'_, T::RealScalar>,
    z: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    with_values(queue, a.shape().order(), &w, &info, |values| solve(Some(queue), pencil, &a, &b, values, z))
}

fn decompose<T: Scalar>(
    queue: Option<&Queue>,
    a: &PackedRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<()> {
    let (triangle, vectors) = (a.shape().triangle(), z.is_some());
    check_vectors(queue, a, z.as_ref())?;
    let mut full: Full<T> = Stored::read_only(queue, Storage::Packed, a, "A")?.full(queue)?;
    dense::heev(triangle, full.view_mut()?, w, vectors)?;
    write_vectors(queue, &full, z)
}

fn solve<T: Scalar>(
    queue: Option<&Queue>,
    pencil: Pencil,
    a: &PackedRef<'_, T>,
    b: &PackedMut<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<()> {
    let (triangle, vectors, order) = (a.shape().triangle(), z.is_some(), a.shape().order());
    if (b.shape().order(), b.shape().triangle()) != (order, triangle) {
        let given = format!("{:?} of order {}", b.shape().triangle(), b.shape().order());
        return Err(Error::ShapeMismatch(format!("B: {given}, and A: {triangle:?} of order {order}")));
    }
    check_vectors(queue, a, z.as_ref())?;
    in_one_memory(queue, a.memory(), b.memory(), "B")?;
    let stored = Stored::new(queue, Storage::Packed, b, "B")?;
    let (mut full, mut factor) = (Stored::read_only(queue, Storage::Packed, a, "A")?.full(queue)?, stored.full(queue)?);
    let outcome = dense::hegv(pencil, triangle, full.view_mut()?, factor.view_mut()?, w, vectors);
    stored.write(queue, &factor)?;
    outcome?;
    write_vectors(queue, &full, z)
}

/// Z has A's order, and lies in its memory.
fn check_vectors<T: Scalar>(queue: Option<&Queue>, a: &PackedRef<'_, T>, z: Option<&MatrixMut<'_, T>>) -> Result<()> {
    let Some(z) = z else { return Ok(()) };
    let n = a.shape().order();
    if (z.rows(), z.columns()) != (n, n) {
        return Err(Error::ShapeMismatch(format!("Z: {} x {}, and not {n} x {n}", z.rows(), z.columns())));
    }
    in_one_memory(queue, a.memory(), z.memory(), "Z")
}

fn write_vectors<T: Scalar>(queue: Option<&Queue>, full: &Full<T>, z: Option<MatrixMut<'_, T>>) -> Result<()> {
    z.map_or(Ok(()), |z| full.write_to(queue, z))
}

/// Work that finds n eigenvalues and an info for a device's memory.
fn with_values<R: crate::scalar::Real>(
    queue: &Queue,
    n: usize,
    w: &VectorMut<'_, R>,
    info: &VectorMut<'_, i32>,
    work: impl FnOnce(&mut [R]) -> Result<()>,
) -> Result<Event> {
    check_length("w", w.length(), n)?;
    let target = adjacent(queue, w, "w")?;
    let mut values = vec![R::default(); n];
    let event = with_info(queue, info, || work(&mut values))?;
    target.write(queue, &values)?;
    Ok(event)
}
