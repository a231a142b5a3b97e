//! Band matrices. They are computed on the host: of operands in a device's memory by copies.
//!
//! A band is an array in LAPACK's storage: its rows are diagonals, its columns those of the matrix. In row-major layout
//! the array is stored by rows.

use affinimath_macros::instances;

use super::staged::{DeviceInfo, adjacent, adjacent_of, with_copies};
use super::tridiagonal::order;
use super::{check_length, not_positive, rows_agree, zero_pivot};
use crate::blas::device_buffer;
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, Info};
use crate::host::on_living_thread;
use crate::options::{Op, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut, VectorRef, View};

/// P A = L U with partial pivoting of an m x n band matrix with `kl` diagonals below the main one and `ku` above
/// (LAPACK: xGBTRF).
///
/// `ab` has 2 kl + ku + 1 rows and n columns: element (i, j) of A is element (kl + ku + i - j, j). The first kl rows
/// need not be set; U, with kl + ku diagonals above the main one, fills them. L's multipliers are where the elements
/// were that they eliminate. Row i was interchanged with row `pivots[i]`, counted from 1.
///
/// # Errors
/// [`Error::ZeroPivot`] where an element on U's diagonal is exactly zero: the factorisation is complete.
/// [`Error::ShapeMismatch`] where `ab` has fewer rows, or there is no place for min(m, n) pivots; and what a device
/// reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixShape, gbsv};
///
/// // Two diagonals: 2 on the main one, 1 above it.
/// let mut ab = [0.0_f64, 1.0, 1.0, 2.0, 2.0, 2.0];
/// let (of_ab, of_b) =
///     (MatrixShape::new(Layout::RowMajor, 2, 3, 0, 3)?, MatrixShape::new(Layout::ColumnMajor, 3, 1, 0, 3)?);
/// let mut b = [3.0, 3.0, 2.0];
/// let (ab, x) = (MatrixMut::from_slice(&mut ab, of_ab)?, MatrixMut::from_slice(&mut b, of_b)?);
/// gbsv(0, 1, ab, &mut [0; 3], x)?;
/// assert_eq!(b, [1.0, 1.0, 1.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gbtrf<T: Scalar>(m: usize, kl: usize, ku: usize, ab: MatrixMut<'_, T>, pivots: &mut [i32]) -> Result<()> {
    check_length("pivots", pivots.len(), m.min(ab.columns()))?;
    zero_pivot(factorise(None, m, [kl, ku], ab, pivots)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// [`Error::ShapeMismatch`] as [`gbtrf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gbtrf_on<T: Scalar>(
    queue: &Queue,
    m: usize,
    kl: usize,
    ku: usize,
    ab: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    device_buffer(queue, ab.memory(), "AB")?;
    let order = m.min(ab.columns());
    check_length("pivots", pivots.length(), order)?;
    let (pivots, info) = (adjacent(queue, &pivots, "pivots")?, DeviceInfo::new(queue, &info)?);
    let mut rows = vec![0; order];
    let found = factorise(Some(queue), m, [kl, ku], ab, &mut rows)?;
    pivots.write(queue, &rows)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn factorise<T: Scalar>(
    queue: Option<&Queue>,
    m: usize,
    diagonals: [usize; 2],
    ab: MatrixMut<'_, T>,
    pivots: &mut [i32],
) -> Result<Info> {
    check_rows(ab.rows(), diagonals)?;
    order(m)?;
    let mut info = None;
    with_copies(queue, vec![], vec![ab], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|ab| info = host::gbtrf(m, diagonals, ab, pivots)));
    })?;
    Ok(info)
}

/// Solves op(A) X = B with [`gbtrf`]'s factors of a square A, X in B's place (LAPACK: xGBTRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::InvalidArgument`] where pivot i is not from i + 1 to i +
/// kl + 1; [`Error::MixedMemory`] where the matrices do not lie in one memory; and what a device reports.
#[instances]
pub fn gbtrs<T: Scalar>(
    op: Op,
    kl: usize,
    ku: usize,
    ab: MatrixRef<'_, T>,
    pivots: &[i32],
    b: MatrixMut<'_, T>,
) -> Result<()> {
    solve(None, op, [kl, ku], ab, pivots, b)
}

/// The same for operands in a device's memory. It waits as [`gbtrf_on`].
///
/// # Errors
/// The errors of [`gbtrs`].
#[instances]
pub fn gbtrs_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    kl: usize,
    ku: usize,
    ab: MatrixRef<'_, T>,
    pivots: VectorRef<'_, i32>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    device_buffer(queue, ab.memory(), "AB")?;
    check_length("pivots", pivots.length(), ab.columns())?;
    let rows = adjacent_of(queue, &pivots, "pivots")?.read(queue, ab.columns())?;
    solve(Some(queue), op, [kl, ku], ab, &rows, b)?;
    Ok(Event::Complete)
}

fn solve<T: Scalar>(
    queue: Option<&Queue>,
    op: Op,
    diagonals: [usize; 2],
    ab: MatrixRef<'_, T>,
    pivots: &[i32],
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let n = order(ab.columns())?;
    check_rows(ab.rows(), diagonals)?;
    rows_agree("the factors", n, &b)?;
    check_length("pivots", pivots.len(), n)?;
    for (i, pivot) in pivots[..n].iter().enumerate() {
        let last = n.min(i.saturating_add(diagonals[0]).saturating_add(1));
        if !usize::try_from(*pivot).is_ok_and(|row| (i + 1..=last).contains(&row)) {
            return Err(Error::argument("pivots", format!("{pivot} of row {} is no row up to {last}", i + 1)));
        }
    }
    with_copies(queue, vec![ab], vec![b], |read, written| {
        on_living_thread(|| {
            read.into_iter().zip(written).for_each(|(ab, b)| host::gbtrs(op, diagonals, ab, pivots, b));
        });
    })
}

/// Solves A X = B for a square band matrix by [`gbtrf`] and [`gbtrs`] (LAPACK: xGBSV).
///
/// # Errors
/// [`Error::ZeroPivot`] where A is singular: it is factorised, and B is as it was. Others as for [`gbtrf`] and
/// [`gbtrs`].
#[instances]
pub fn gbsv<T: Scalar>(
    kl: usize,
    ku: usize,
    ab: MatrixMut<'_, T>,
    pivots: &mut [i32],
    b: MatrixMut<'_, T>,
) -> Result<()> {
    check_length("pivots", pivots.len(), ab.columns())?;
    zero_pivot(solve_at_once(None, [kl, ku], ab, pivots, b)?)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`gbtrf_on`].
///
/// # Errors
/// [`Error::ShapeMismatch`] as [`gbsv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gbsv_on<T: Scalar>(
    queue: &Queue,
    kl: usize,
    ku: usize,
    ab: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    device_buffer(queue, ab.memory(), "AB")?;
    let n = ab.columns();
    check_length("pivots", pivots.length(), n)?;
    let (pivots, info) = (adjacent(queue, &pivots, "pivots")?, DeviceInfo::new(queue, &info)?);
    let mut rows = vec![0; n];
    let found = solve_at_once(Some(queue), [kl, ku], ab, &mut rows, b)?;
    pivots.write(queue, &rows)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn solve_at_once<T: Scalar>(
    queue: Option<&Queue>,
    diagonals: [usize; 2],
    ab: MatrixMut<'_, T>,
    pivots: &mut [i32],
    b: MatrixMut<'_, T>,
) -> Result<Info> {
    check_rows(ab.rows(), diagonals)?;
    rows_agree("A", order(ab.columns())?, &b)?;
    let mut info = None;
    with_copies(queue, vec![], vec![ab, b], |_, mut matrices| {
        let (Some(b), Some(ab)) = (matrices.pop(), matrices.pop()) else { return };
        on_living_thread(|| info = host::gbsv(diagonals, ab, pivots, b));
    })?;
    Ok(info)
}

/// A = L Lᴴ or Uᴴ U of a Hermitian positive definite band matrix of half-bandwidth `kd` (LAPACK:
/// xPBTRF). `ab` has kd + 1 rows: element (i, j) of A is element (i - j, j) of [`Triangle::Lower`], (kd + i - j, j) of
/// [`Triangle::Upper`]. Imaginary parts of the diagonal count as zero.
///
/// # Errors
/// [`Error::NotPositiveDefinite`]: then A is partly overwritten. [`Error::ShapeMismatch`] where `ab` has fewer rows;
/// and what a device reports.
#[instances]
pub fn pbtrf<T: Scalar>(triangle: Triangle, kd: usize, ab: MatrixMut<'_, T>) -> Result<()> {
    not_positive(factorise_definite(None, triangle, kd, ab)?)
}

/// The same for a matrix in a device's memory, with the info there, too. It waits as [`gbtrf_on`].
///
/// # Errors
/// [`Error::ShapeMismatch`] as [`pbtrf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn pbtrf_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    kd: usize,
    ab: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    device_buffer(queue, ab.memory(), "AB")?;
    let info = DeviceInfo::new(queue, &info)?;
    let found = factorise_definite(Some(queue), triangle, kd, ab)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn factorise_definite<T: Scalar>(
    queue: Option<&Queue>,
    triangle: Triangle,
    kd: usize,
    ab: MatrixMut<'_, T>,
) -> Result<Info> {
    check_rows(ab.rows(), [0, kd])?;
    let mut info = None;
    with_copies(queue, vec![], vec![ab], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|ab| info = host::pbtrf(triangle, kd, ab)));
    })?;
    Ok(info)
}

/// Solves A X = B with [`pbtrf`]'s factor, X in B's place (LAPACK: xPBTRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
#[instances]
pub fn pbtrs<T: Scalar>(triangle: Triangle, kd: usize, ab: MatrixRef<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    solve_definite(None, triangle, kd, ab, b)
}

/// The same for operands in a device's memory. It waits as [`gbtrf_on`].
///
/// # Errors
/// The errors of [`pbtrs`].
#[instances]
pub fn pbtrs_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    kd: usize,
    ab: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    device_buffer(queue, ab.memory(), "AB")?;
    solve_definite(Some(queue), triangle, kd, ab, b)?;
    Ok(Event::Complete)
}

fn solve_definite<T: Scalar>(
    queue: Option<&Queue>,
    triangle: Triangle,
    kd: usize,
    ab: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    check_rows(ab.rows(), [0, kd])?;
    rows_agree("the factor", ab.columns(), &b)?;
    with_copies(queue, vec![ab], vec![b], |read, written| {
        on_living_thread(|| read.into_iter().zip(written).for_each(|(ab, b)| host::pbtrs(triangle, kd, ab, b)));
    })
}

/// Solves A X = B by [`pbtrf`] and [`pbtrs`] (LAPACK: xPBSV).
///
/// # Errors
/// [`Error::NotPositiveDefinite`]: then B is as it was. Others as for [`pbtrf`] and [`pbtrs`].
#[instances]
pub fn pbsv<T: Scalar>(triangle: Triangle, kd: usize, ab: MatrixMut<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    not_positive(solve_definite_at_once(None, triangle, kd, ab, b)?)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`gbtrf_on`].
///
/// # Errors
/// [`Error::ShapeMismatch`] as [`pbsv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn pbsv_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    kd: usize,
    ab: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    device_buffer(queue, ab.memory(), "AB")?;
    let info = DeviceInfo::new(queue, &info)?;
    let found = solve_definite_at_once(Some(queue), triangle, kd, ab, b)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn solve_definite_at_once<T: Scalar>(
    queue: Option<&Queue>,
    triangle: Triangle,
    kd: usize,
    ab: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Info> {
    check_rows(ab.rows(), [0, kd])?;
    rows_agree("A", ab.columns(), &b)?;
    let mut info = None;
    with_copies(queue, vec![], vec![ab, b], |_, mut matrices| {
        let (Some(b), Some(ab)) = (matrices.pop(), matrices.pop()) else { return };
        on_living_thread(|| info = host::pbsv(triangle, kd, ab, b));
    })?;
    Ok(info)
}

/// Refuses an array with fewer rows than a band has diagonals, with those that U fills.
fn check_rows(rows: usize, [kl, ku]: [usize; 2]) -> Result<()> {
    let needed = kl.saturating_mul(2).saturating_add(ku).saturating_add(1);
    if rows >= needed {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("AB has {rows} rows, and {needed} are needed")))
}
