//! Symmetric and Hermitian indefinite matrices by Bunch and Kaufman's factorisation. They are computed on the host: of
//! operands in a device's memory by copies, but for large ones in a GPU's.

use affinimath_macros::instances;

use super::staged::{DeviceInfo, adjacent, adjacent_of, with_copies};
use super::tridiagonal::order;
use super::{check_length, rows_agree, square, zero_pivot};
use crate::blas::device_buffer;
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, Info};
use crate::host::on_living_thread;
use crate::lapack::indefinite as device;
use crate::options::{Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut, VectorRef, View};

/// P A Pᵀ = L D Lᵀ, or U D Uᵀ, of a symmetric A by Bunch and Kaufman's pivoting (LAPACK: xSYTRF), in place of a
/// triangle of A. The other triangle is not touched. D has blocks of order 1 and 2.
///
/// `pivots[k]` > 0 is of a block of order 1: row and column k were interchanged with it, counted from 1. Two equal ones
/// -p are of a block of order 2: its second row and column, of an upper triangle its first, were interchanged with p.
///
/// # Errors
/// [`Error::ZeroPivot`] where a block of D is exactly zero, or NaN: the factorisation is complete.
/// [`Error::ShapeMismatch`] where A is not square, or there is no place for n pivots; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixShape, Triangle, sysv};
///
/// let (mut a, mut b) = ([0.0_f64, 2.0, 0.0, 0.0], [2.0, 4.0]);
/// let (of_a, of_b) =
///     (MatrixShape::new(Layout::ColumnMajor, 2, 2, 0, 2)?, MatrixShape::new(Layout::ColumnMajor, 2, 1, 0, 2)?);
/// let (a, x) = (MatrixMut::from_slice(&mut a, of_a)?, MatrixMut::from_slice(&mut b, of_b)?);
/// sysv(Triangle::Lower, a, &mut [0; 2], x)?;
/// assert_eq!(b, [2.0, 1.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn sytrf<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>, pivots: &mut [i32]) -> Result<()> {
    zero_pivot(factorise(None, Symmetry::Symmetric, triangle, a, pivots)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns. A GPU computes it in its
/// memory from order 1024 on.
///
/// # Errors
/// The errors of [`sytrf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn sytrf_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    factorise_on(queue, Symmetry::Symmetric, triangle, a, &pivots, &info)
}

/// Solves A X = B with [`sytrf`]'s factors, X in B's place (LAPACK: xSYTRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::InvalidArgument`] where pivots are not [`sytrf`]'s of
/// this triangle; [`Error::MixedMemory`] where the matrices do not lie in one memory; and what a device reports.
#[instances]
pub fn sytrs<T: Scalar>(
    triangle: Triangle,
    factors: MatrixRef<'_, T>,
    pivots: &[i32],
    b: MatrixMut<'_, T>,
) -> Result<()> {
    solve(None, Symmetry::Symmetric, triangle, factors, pivots, b)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns. A GPU computes it in its memory from order 1024 on.
///
/// # Errors
/// The errors of [`sytrs`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn sytrs_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factors: MatrixRef<'_, T>,
    pivots: VectorRef<'_, i32>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    solve_on(queue, Symmetry::Symmetric, triangle, factors, &pivots, b)
}

/// Solves A X = B by [`sytrf`] and [`sytrs`] (LAPACK: xSYSV).
///
/// # Errors
/// [`Error::ZeroPivot`] where A is singular: it is factorised, and B is as it was. Others as for [`sytrf`] and
/// [`sytrs`].
#[instances]
pub fn sysv<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>, pivots: &mut [i32], b: MatrixMut<'_, T>) -> Result<()> {
    zero_pivot(solve_at_once(None, Symmetry::Symmetric, triangle, a, pivots, b)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns. A GPU computes it in its
/// memory from order 1024 on.
///
/// # Errors
/// The errors of [`sysv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn sysv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    solve_at_once_on(queue, Symmetry::Symmetric, triangle, a, &pivots, b, &info)
}

/// The inverse from [`sytrf`]'s factors, in place of the triangle (LAPACK: xSYTRI).
///
/// # Errors
/// [`Error::ZeroPivot`] where a block of D of order 1 is zero: the factors are as they were. Others as for [`sytrs`].
#[instances]
pub fn sytri<T: Scalar>(triangle: Triangle, factors: MatrixMut<'_, T>, pivots: &[i32]) -> Result<()> {
    zero_pivot(invert(None, Symmetry::Symmetric, triangle, factors, pivots)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`sytri`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn sytri_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factors: MatrixMut<'_, T>,
    pivots: VectorRef<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    invert_on(queue, Symmetry::Symmetric, triangle, factors, &pivots, &info)
}

/// P A Pᵀ = L D Lᴴ, or U D Uᴴ, of a Hermitian A, as [`sytrf`] (LAPACK: xHETRF). Imaginary parts of the diagonal count
/// as zero.
///
/// # Errors
/// The errors of [`sytrf`].
#[instances]
pub fn hetrf<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>, pivots: &mut [i32]) -> Result<()> {
    zero_pivot(factorise(None, Symmetry::Hermitian, triangle, a, pivots)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns. A GPU computes it in its
/// memory from order 1024 on.
///
/// # Errors
/// The errors of [`hetrf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hetrf_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    factorise_on(queue, Symmetry::Hermitian, triangle, a, &pivots, &info)
}

/// Solves A X = B with [`hetrf`]'s factors, X in B's place (LAPACK: xHETRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::InvalidArgument`] where pivots are not [`hetrf`]'s of
/// this triangle; [`Error::MixedMemory`] where the matrices do not lie in one memory; and what a device reports.
#[instances]
pub fn hetrs<T: Scalar>(
    triangle: Triangle,
    factors: MatrixRef<'_, T>,
    pivots: &[i32],
    b: MatrixMut<'_, T>,
) -> Result<()> {
    solve(None, Symmetry::Hermitian, triangle, factors, pivots, b)
}

/// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
/// returns. A GPU computes it in its memory from order 1024 on.
///
/// # Errors
/// The errors of [`hetrs`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hetrs_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factors: MatrixRef<'_, T>,
    pivots: VectorRef<'_, i32>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    solve_on(queue, Symmetry::Hermitian, triangle, factors, &pivots, b)
}

/// Solves A X = B by [`hetrf`] and [`hetrs`] (LAPACK: xHESV).
///
/// # Errors
/// [`Error::ZeroPivot`] where A is singular: it is factorised, and B is as it was. Others as for [`hetrf`] and
/// [`hetrs`].
#[instances]
pub fn hesv<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>, pivots: &mut [i32], b: MatrixMut<'_, T>) -> Result<()> {
    zero_pivot(solve_at_once(None, Symmetry::Hermitian, triangle, a, pivots, b)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns. A GPU computes it in its
/// memory from order 1024 on.
///
/// # Errors
/// The errors of [`hesv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hesv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    solve_at_once_on(queue, Symmetry::Hermitian, triangle, a, &pivots, b, &info)
}

/// The inverse from [`hetrf`]'s factors, in place of the triangle (LAPACK: xHETRI).
///
/// # Errors
/// [`Error::ZeroPivot`] where a block of D of order 1 is zero: the factors are as they were. Others as for [`hetrs`].
#[instances]
pub fn hetri<T: Scalar>(triangle: Triangle, factors: MatrixMut<'_, T>, pivots: &[i32]) -> Result<()> {
    zero_pivot(invert(None, Symmetry::Hermitian, triangle, factors, pivots)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`hetri`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hetri_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factors: MatrixMut<'_, T>,
    pivots: VectorRef<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    invert_on(queue, Symmetry::Hermitian, triangle, factors, &pivots, &info)
}

fn factorise<T: Scalar>(
    queue: Option<&Queue>,
    symmetry: Symmetry,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    pivots: &mut [i32],
) -> Result<Info> {
    check_length("pivots", pivots.len(), order(square("A", a.rows(), a.columns())?)?)?;
    let mut info = None;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        let factorised = |a| match symmetry {
            Symmetry::Symmetric => host::sytrf(triangle, a, pivots),
            Symmetry::Hermitian => host::hetrf(triangle, a, pivots),
        };
        on_living_thread(|| info = matrices.into_iter().next().and_then(factorised));
    })?;
    Ok(info)
}

fn factorise_on<T: Scalar>(
    queue: &Queue,
    symmetry: Symmetry,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    pivots: &VectorMut<'_, i32>,
    info: &VectorMut<'_, i32>,
) -> Result<Event> {
    device_buffer(queue, a.memory(), "A")?;
    let n = a.rows();
    check_length("pivots", pivots.length(), n)?;
    let (memory, info) = (adjacent(queue, pivots, "pivots")?, DeviceInfo::new(queue, info)?);
    let mut rows = vec![0; n];
    let found = match plan_of(queue, n) {
        Some(plan) => {
            order(square("A", n, a.columns())?)?;
            let found;
            (rows, found) = device::factorise(queue, (symmetry, triangle), &a, plan)?;
            found
        }
        None => factorise(Some(queue), symmetry, triangle, a, &mut rows)?,
    };
    memory.write(queue, &rows)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn solve<T: Scalar>(
    queue: Option<&Queue>,
    symmetry: Symmetry,
    triangle: Triangle,
    factors: MatrixRef<'_, T>,
    pivots: &[i32],
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    rows_agree("the factors", n, &b)?;
    let pivots = check_pivots(triangle, pivots, n)?;
    with_copies(queue, vec![factors], vec![b], |read, written| {
        on_living_thread(|| {
            for (factors, b) in read.into_iter().zip(written) {
                match symmetry {
                    Symmetry::Symmetric => host::sytrs(triangle, factors, pivots, b),
                    Symmetry::Hermitian => host::hetrs(triangle, factors, pivots, b),
                }
            }
        });
    })
}

fn solve_on<T: Scalar>(
    queue: &Queue,
    symmetry: Symmetry,
    triangle: Triangle,
    factors: MatrixRef<'_, T>,
    pivots: &VectorRef<'_, i32>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    device_buffer(queue, factors.memory(), "the factors")?;
    check_length("pivots", pivots.length(), factors.rows())?;
    let rows = adjacent_of(queue, pivots, "pivots")?.read(queue, factors.rows())?;
    if plan_of(queue, factors.rows()).is_some() {
        let n = square("the factors", factors.rows(), factors.columns())?;
        rows_agree("the factors", n, &b)?;
        device_buffer(queue, b.memory(), "B")?;
        device::solve(queue, (symmetry, triangle), &factors, check_pivots(triangle, &rows, n)?, &b)?;
        queue.finish()?;
        return Ok(Event::Complete);
    }
    solve(Some(queue), symmetry, triangle, factors, &rows, b)?;
    Ok(Event::Complete)
}

fn solve_at_once<T: Scalar>(
    queue: Option<&Queue>,
    symmetry: Symmetry,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    pivots: &mut [i32],
    b: MatrixMut<'_, T>,
) -> Result<Info> {
    let n = order(square("A", a.rows(), a.columns())?)?;
    rows_agree("A", n, &b)?;
    check_length("pivots", pivots.len(), n)?;
    let mut info = None;
    with_copies(queue, vec![], vec![a, b], |_, mut matrices| {
        let (Some(b), Some(a)) = (matrices.pop(), matrices.pop()) else { return };
        on_living_thread(|| {
            info = match symmetry {
                Symmetry::Symmetric => host::sysv(triangle, a, pivots, b),
                Symmetry::Hermitian => host::hesv(triangle, a, pivots, b),
            };
        });
    })?;
    Ok(info)
}

fn solve_at_once_on<T: Scalar>(
    queue: &Queue,
    symmetry: Symmetry,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    pivots: &VectorMut<'_, i32>,
    b: MatrixMut<'_, T>,
    info: &VectorMut<'_, i32>,
) -> Result<Event> {
    device_buffer(queue, a.memory(), "A")?;
    let n = a.rows();
    check_length("pivots", pivots.length(), n)?;
    let (memory, info) = (adjacent(queue, pivots, "pivots")?, DeviceInfo::new(queue, info)?);
    let mut rows = vec![0; n];
    let found = match plan_of(queue, n) {
        Some(plan) => {
            rows_agree("A", order(square("A", n, a.columns())?)?, &b)?;
            device_buffer(queue, b.memory(), "B")?;
            let (pivots, found) = device::factorise(queue, (symmetry, triangle), &a, plan)?;
            if found.is_none() {
                let factors = MatrixRef::from_parts(a.memory(), *a.shape());
                device::solve(queue, (symmetry, triangle), &factors, &pivots, &b)?;
                queue.finish()?;
            }
            rows = pivots;
            found
        }
        None => solve_at_once(Some(queue), symmetry, triangle, a, &mut rows, b)?,
    };
    memory.write(queue, &rows)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn invert<T: Scalar>(
    queue: Option<&Queue>,
    symmetry: Symmetry,
    triangle: Triangle,
    factors: MatrixMut<'_, T>,
    pivots: &[i32],
) -> Result<Info> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    let pivots = check_pivots(triangle, pivots, n)?;
    let mut info = None;
    with_copies(queue, vec![], vec![factors], |_, matrices| {
        let inverted = |a| match symmetry {
            Symmetry::Symmetric => host::sytri(triangle, a, pivots),
            Symmetry::Hermitian => host::hetri(triangle, a, pivots),
        };
        on_living_thread(|| info = matrices.into_iter().next().and_then(inverted));
    })?;
    Ok(info)
}

fn invert_on<T: Scalar>(
    queue: &Queue,
    symmetry: Symmetry,
    triangle: Triangle,
    factors: MatrixMut<'_, T>,
    pivots: &VectorRef<'_, i32>,
    info: &VectorMut<'_, i32>,
) -> Result<Event> {
    device_buffer(queue, factors.memory(), "the factors")?;
    check_length("pivots", pivots.length(), factors.rows())?;
    let info = DeviceInfo::new(queue, info)?;
    let rows = adjacent_of(queue, pivots, "pivots")?.read(queue, factors.rows())?;
    let found = invert(Some(queue), symmetry, triangle, factors, &rows)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

/// The plan of a device that factorises matrices of order n itself.
fn plan_of(queue: &Queue, n: usize) -> Option<device::IndefinitePlan> {
    device::IndefinitePlan::choose(n, queue.context().device().info())
}

/// The first n pivots, which fit the triangle.
fn check_pivots(triangle: Triangle, pivots: &[i32], n: usize) -> Result<&[i32]> {
    check_length("pivots", pivots.len(), n)?;
    let pivots = &pivots[..n];
    if host::pivots_fit(triangle, pivots) {
        return Ok(pivots);
    }
    Err(Error::argument("pivots", "they are not those of a factorisation of this triangle"))
}
