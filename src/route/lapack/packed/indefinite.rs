//! Symmetric and Hermitian indefinite matrices in packed storage.

use affinimath_macros::instances;

use super::super::indefinite as dense;
use super::*;
use crate::options::Symmetry;
use crate::view::VectorRef;

/// P A Pᵀ = L D Lᵀ or U D Uᵀ of a symmetric A in packed storage, in its place (LAPACK: xSPTRF). Pivots are those of
/// [`crate::sytrf`].
///
/// # Errors
/// The errors of [`crate::sytrf`]; [`Error::OutOfHostMemory`] where a full copy has no place.
#[instances]
pub fn sptrf<T: Scalar>(a: PackedMut<'_, T>, pivots: &mut [i32]) -> Result<()> {
    factorise(None, Symmetry::Symmetric, &a, pivots)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`sptrf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn sptrf_on<T: Scalar>(
    queue: &Queue,
    a: PackedMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    factorise_on(queue, Symmetry::Symmetric, &a, &pivots, &info)
}

/// Solves A X = B with [`sptrf`]'s factors, X in B's place (LAPACK: xSPTRS).
///
/// # Errors
/// The errors of [`crate::sytrs`]; [`Error::OutOfHostMemory`] where a full copy has no place.
#[instances]
pub fn sptrs<T: Scalar>(factors: PackedRef<'_, T>, pivots: &[i32], b: MatrixMut<'_, T>) -> Result<()> {
    solve(None, Symmetry::Symmetric, &factors, pivots, b)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`sptrs`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn sptrs_on<T: Scalar>(
    queue: &Queue,
    factors: PackedRef<'_, T>,
    pivots: VectorRef<'_, i32>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    solve_on(queue, Symmetry::Symmetric, &factors, &pivots, b)
}

/// Solves A X = B for a symmetric A in packed storage, by [`sptrf`] and [`sptrs`] (LAPACK: xSPSV).
///
/// # Errors
/// The errors of [`crate::sysv`]; [`Error::OutOfHostMemory`] where a full copy has no place.
#[instances]
pub fn spsv<T: Scalar>(a: PackedMut<'_, T>, pivots: &mut [i32], b: MatrixMut<'_, T>) -> Result<()> {
    solve_at_once(None, Symmetry::Symmetric, &a, pivots, b)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`spsv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn spsv_on<T: Scalar>(
    queue: &Queue,
    a: PackedMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    solve_at_once_on(queue, Symmetry::Symmetric, &a, &pivots, b, &info)
}

/// The triangle of the inverse from [`sptrf`]'s factors, in their place (LAPACK: xSPTRI).
///
/// # Errors
/// The errors of [`crate::sytri`]; [`Error::OutOfHostMemory`] where a full copy has no place.
#[instances]
pub fn sptri<T: Scalar>(factors: PackedMut<'_, T>, pivots: &[i32]) -> Result<()> {
    invert(None, Symmetry::Symmetric, &factors, pivots)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`sptri`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn sptri_on<T: Scalar>(
    queue: &Queue,
    factors: PackedMut<'_, T>,
    pivots: VectorRef<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    invert_on(queue, Symmetry::Symmetric, &factors, &pivots, &info)
}

/// P A Pᵀ = L D Lᴴ or U D Uᴴ of a Hermitian A in packed storage, as [`sptrf`] (LAPACK: xHPTRF). Imaginary parts of the
/// diagonal count as zero.
///
/// # Errors
/// The errors of [`sptrf`].
#[instances]
pub fn hptrf<T: Scalar>(a: PackedMut<'_, T>, pivots: &mut [i32]) -> Result<()> {
    factorise(None, Symmetry::Hermitian, &a, pivots)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`hptrf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hptrf_on<T: Scalar>(
    queue: &Queue,
    a: PackedMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    factorise_on(queue, Symmetry::Hermitian, &a, &pivots, &info)
}

/// Solves A X = B with [`hptrf`]'s factors, X in B's place (LAPACK: xHPTRS).
///
/// # Errors
/// The errors of [`sptrs`].
#[instances]
pub fn hptrs<T: Scalar>(factors: PackedRef<'_, T>, pivots: &[i32], b: MatrixMut<'_, T>) -> Result<()> {
    solve(None, Symmetry::Hermitian, &factors, pivots, b)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns.
///
/// # Errors
/// The errors of [`hptrs`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hptrs_on<T: Scalar>(
    queue: &Queue,
    factors: PackedRef<'_, T>,
    pivots: VectorRef<'_, i32>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    solve_on(queue, Symmetry::Hermitian, &factors, &pivots, b)
}

/// Solves A X = B for a Hermitian A in packed storage, by [`hptrf`] and [`hptrs`] (LAPACK: xHPSV).
///
/// # Errors
/// The errors of [`spsv`].
#[instances]
pub fn hpsv<T: Scalar>(a: PackedMut<'_, T>, pivots: &mut [i32], b: MatrixMut<'_, T>) -> Result<()> {
    solve_at_once(None, Symmetry::Hermitian, &a, pivots, b)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`hpsv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hpsv_on<T: Scalar>(
    queue: &Queue,
    a: PackedMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    solve_at_once_on(queue, Symmetry::Hermitian, &a, &pivots, b, &info)
}

/// The triangle of the inverse from [`hptrf`]'s factors, in their place (LAPACK: xHPTRI).
///
/// # Errors
/// The errors of [`sptri`].
#[instances]
pub fn hptri<T: Scalar>(factors: PackedMut<'_, T>, pivots: &[i32]) -> Result<()> {
    invert(None, Symmetry::Hermitian, &factors, pivots)
}

/// The same for operands in a device's memory, with the info there, too. It waits for what is before it in the queue,
/// and is done when it returns.
///
/// # Errors
/// The errors of [`hptri`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hptri_on<T: Scalar>(
    queue: &Queue,
    factors: PackedMut<'_, T>,
    pivots: VectorRef<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    invert_on(queue, Symmetry::Hermitian, &factors, &pivots, &info)
}

fn factorise<T: Scalar>(
    queue: Option<&Queue>,
    symmetry: Symmetry,
    a: &PackedMut<'_, T>,
    pivots: &mut [i32],
) -> Result<()> {
    let triangle = a.shape().triangle();
    on_full(queue, Storage::Packed, a, |a| match symmetry {
        Symmetry::Symmetric => dense::sytrf(triangle, a, pivots),
        Symmetry::Hermitian => dense::hetrf(triangle, a, pivots),
    })
}

fn factorise_on<T: Scalar>(
    queue: &Queue,
    symmetry: Symmetry,
    a: &PackedMut<'_, T>,
    pivots: &VectorMut<'_, i32>,
    info: &VectorMut<'_, i32>,
) -> Result<Event> {
    with_pivots(queue, a.shape().order(), pivots, info, |rows| factorise(Some(queue), symmetry, a, rows))
}

fn solve<T: Scalar>(
    queue: Option<&Queue>,
    symmetry: Symmetry,
    factors: &PackedRef<'_, T>,
    pivots: &[i32],
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let triangle = factors.shape().triangle();
    rows_agree("the factors", factors.shape().order(), &b)?;
    from_full_with(queue, Storage::Packed, factors, b, |factors, b| match symmetry {
        Symmetry::Symmetric => dense::sytrs(triangle, factors, pivots, b),
        Symmetry::Hermitian => dense::hetrs(triangle, factors, pivots, b),
    })
}

fn solve_on<T: Scalar>(
    queue: &Queue,
    symmetry: Symmetry,
    factors: &PackedRef<'_, T>,
    pivots: &VectorRef<'_, i32>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let n = factors.shape().order();
    check_length("pivots", pivots.length(), n)?;
    let rows = adjacent_of(queue, pivots, "pivots")?.read(queue, n)?;
    solve(Some(queue), symmetry, factors, &rows, b)?;
    Ok(Event::Complete)
}

fn solve_at_once<T: Scalar>(
    queue: Option<&Queue>,
    symmetry: Symmetry,
    a: &PackedMut<'_, T>,
    pivots: &mut [i32],
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let triangle = a.shape().triangle();
    on_full_with(queue, Storage::Packed, a, b, |a, b| match symmetry {
        Symmetry::Symmetric => dense::sysv(triangle, a, pivots, b),
        Symmetry::Hermitian => dense::hesv(triangle, a, pivots, b),
    })
}

fn solve_at_once_on<T: Scalar>(
    queue: &Queue,
    symmetry: Symmetry,
    a: &PackedMut<'_, T>,
    pivots: &VectorMut<'_, i32>,
    b: MatrixMut<'_, T>,
    info: &VectorMut<'_, i32>,
) -> Result<Event> {
    with_pivots(queue, a.shape().order(), pivots, info, |rows| solve_at_once(Some(queue), symmetry, a, rows, b))
}

fn invert<T: Scalar>(
    queue: Option<&Queue>,
    symmetry: Symmetry,
    factors: &PackedMut<'_, T>,
    pivots: &[i32],
) -> Result<()> {
    let triangle = factors.shape().triangle();
    on_full(queue, Storage::Packed, factors, |factors| match symmetry {
        Symmetry::Symmetric => dense::sytri(triangle, factors, pivots),
        Symmetry::Hermitian => dense::hetri(triangle, factors, pivots),
    })
}

fn invert_on<T: Scalar>(
    queue: &Queue,
    symmetry: Symmetry,
    factors: &PackedMut<'_, T>,
    pivots: &VectorRef<'_, i32>,
    info: &VectorMut<'_, i32>,
) -> Result<Event> {
    let n = factors.shape().order();
    check_length("pivots", pivots.length(), n)?;
    let rows = adjacent_of(queue, pivots, "pivots")?.read(queue, n)?;
    with_info(queue, info, || invert(Some(queue), symmetry, factors, &rows))
}

/// Work that finds n pivots and an info for a device's memory.
fn with_pivots(
    queue: &Queue,
    n: usize,
    pivots: &VectorMut<'_, i32>,
    info: &VectorMut<'_, i32>,
    work: impl FnOnce(&mut [i32]) -> Result<()>,
) -> Result<Event> {
    check_length("pivots", pivots.length(), n)?;
    let target = adjacent(queue, pivots, "pivots")?;
    let mut rows = vec![0; n];
    let event = with_info(queue, info, || work(&mut rows))?;
    target.write(queue, &rows)?;
    Ok(event)
}
