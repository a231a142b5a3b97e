//! Tridiagonal systems. They are computed on the host: of operands in a device's memory by copies, but for large
//! systems of gtsv, which a GPU solves in parts.
//!
//! `dl`, `d` and `du` are the diagonals below, on and above the main one, of n - 1, n and n - 1 elements; n is `d`'s
//! length. Elements behind these are not touched.

use affinimath_macros::instances;

use super::staged::{DeviceInfo, adjacent, adjacent_of, with_copies};
use super::{check_length, not_positive, rows_agree, zero_pivot};
use crate::blas::device_buffer;
use crate::context::{Event, Queue};
use crate::device::DeviceClass;
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, TridiagonalFactors};
use crate::host::on_living_thread;
use crate::lapack::{gtsv_batched_on, gtsv_in_parts, read_only};
use crate::options::{Op, Triangle};
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchShape, MatrixMut, VectorMut, VectorRef, View};

/// P A = L U with partial pivoting of a tridiagonal A (LAPACK: xGTTRF). `dl` gets L's multipliers, `d`, `du` and `du2`
/// the three diagonals of U. Row i was interchanged with row `pivots[i]`, i + 1 or i + 2 counted from 1.
///
/// # Errors
/// [`Error::ZeroPivot`] where an element on U's diagonal is exactly zero: the factorisation is complete.
/// [`Error::ShapeMismatch`] where `dl` or `du` has fewer than n - 1 elements, `du2` fewer than n - 2 or `pivots` fewer
/// than n.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixShape, Op, TridiagonalFactors, gttrf, gttrs};
///
/// let (mut dl, mut d, mut du) = ([2.0_f64, 1.0], [1.0, 3.0, 2.0], [1.0, 1.0]);
/// let (mut du2, mut pivots) = ([0.0], [0; 3]);
/// gttrf(&mut dl, &mut d, &mut du, &mut du2, &mut pivots)?;
/// let factors = TridiagonalFactors { dl: &dl, d: &d, du: &du, du2: &du2, pivots: &pivots };
/// let mut b = [2.0, 6.0, 3.0];
/// let column = MatrixShape::new(Layout::ColumnMajor, 3, 1, 0, 3)?;
/// gttrs(Op::NoTrans, factors, MatrixMut::from_slice(&mut b, column)?)?;
/// assert!(b.iter().all(|x| (x - 1.0).abs() < 1e-15));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gttrf<T: Scalar>(dl: &mut [T], d: &mut [T], du: &mut [T], du2: &mut [T], pivots: &mut [i32]) -> Result<()> {
    let n = order(d.len())?;
    check_diagonals(n, [dl.len(), du.len()])?;
    check_length("du2", du2.len(), n.saturating_sub(2))?;
    check_length("pivots", pivots.len(), n)?;
    let mut info = None;
    on_living_thread(|| info = host::gttrf(dl, d, du, du2, pivots));
    zero_pivot(info)
}

/// The same for vectors in a device's memory, `dl`, `d`, `du` and `du2` in this order, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// [`Error::ShapeMismatch`] as [`gttrf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gttrf_on<T: Scalar>(
    queue: &Queue,
    diagonals: [VectorMut<'_, T>; 4],
    pivots: VectorMut<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = order(diagonals[1].length())?;
    let lengths = diagonal_lengths(n);
    for (k, diagonal) in diagonals.iter().enumerate() {
        check_length(NAMES[k], diagonal.length(), lengths[k])?;
    }
    check_length("pivots", pivots.length(), n)?;
    let [dl, d, du, du2] = [0, 1, 2, 3].map(|k: usize| adjacent(queue, &diagonals[k], NAMES[k]));
    let (staged, pivots, info) =
        ([dl?, d?, du?, du2?], adjacent(queue, &pivots, "pivots")?, DeviceInfo::new(queue, &info)?);
    let mut values = Vec::new();
    for k in 0..3 {
        values.push(staged[k].read::<T>(queue, lengths[k])?);
    }
    values.push(vec![T::ZERO; lengths[3]]);
    let (mut rows, mut found) = (vec![0; n], None);
    if let [dl, d, du, du2] = &mut values[..] {
        on_living_thread(|| found = host::gttrf(dl, d, du, du2, &mut rows));
    }
    for (memory, values) in staged.iter().zip(&values) {
        memory.write(queue, values)?;
    }
    pivots.write(queue, &rows)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

/// Solves op(A) X = B with [`gttrf`]'s factors, X in B's place (LAPACK: xGTTRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::InvalidArgument`] where pivot i is neither i + 1 nor i +
/// 2; and what a device reports.
#[instances]
pub fn gttrs<T: Scalar>(op: Op, factors: TridiagonalFactors<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    solve(None, op, factors, b)
}

/// The same for factors and B in a device's memory: `dl`, `d`, `du` and `du2` in this order. It waits as [`gttrf_on`].
///
/// # Errors
/// The errors of [`gttrs`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gttrs_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    diagonals: [VectorRef<'_, T>; 4],
    pivots: VectorRef<'_, i32>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let n = order(diagonals[1].length())?;
    device_buffer(queue, b.memory(), "B")?;
    let lengths = diagonal_lengths(n);
    let mut values = Vec::new();
    for (k, diagonal) in diagonals.iter().enumerate() {
        check_length(NAMES[k], diagonal.length(), lengths[k])?;
        values.push(adjacent_of(queue, diagonal, NAMES[k])?.read::<T>(queue, lengths[k])?);
    }
    check_length("pivots", pivots.length(), n)?;
    let rows = adjacent_of(queue, &pivots, "pivots")?.read(queue, n)?;
    if let [dl, d, du, du2] = &values[..] {
        solve(Some(queue), op, TridiagonalFactors { dl, d, du, du2, pivots: &rows }, b)?;
    }
    Ok(Event::Complete)
}

fn solve<T: Scalar>(
    queue: Option<&Queue>,
    op: Op,
    factors: TridiagonalFactors<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let n = order(factors.d.len())?;
    check_diagonals(n, [factors.dl.len(), factors.du.len()])?;
    check_length("du2", factors.du2.len(), n.saturating_sub(2))?;
    check_length("pivots", factors.pivots.len(), n)?;
    rows_agree("the factors", n, &b)?;
    for (i, pivot) in factors.pivots[..n].iter().enumerate() {
        if usize::try_from(*pivot).is_ok_and(|row| row == i + 1 || row == i + 2 && row <= n) {
            continue;
        }
        return Err(Error::argument("pivots", format!("{pivot} of row {} is neither it nor the next one", i + 1)));
    }
    with_copies(queue, vec![], vec![b], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|b| host::gttrs(op, factors, b)));
    })
}

/// Solves A X = B for a tridiagonal A by LU with partial pivoting (LAPACK: xGTSV). X takes B's place; `d` and `du` get
/// U's diagonal and the first one above it, `dl` the second one, of n - 2 elements.
///
/// # Errors
/// [`Error::ZeroPivot`] where A is singular: it is factorised, and B is as it was. [`Error::ShapeMismatch`] as
/// [`gttrf`] and where B has not n rows; and what a device reports.
#[instances]
pub fn gtsv<T: Scalar>(dl: &mut [T], d: &mut [T], du: &mut [T], b: MatrixMut<'_, T>) -> Result<()> {
    let n = order(d.len())?;
    check_diagonals(n, [dl.len(), du.len()])?;
    rows_agree("A", n, &b)?;
    let mut info = None;
    with_copies(None, vec![], vec![b], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|b| info = host::gtsv(dl, d, du, b)));
    })?;
    zero_pivot(info)
}

/// Rows from which a GPU solves a system in parts: before, its operands cross the bus within a few launches.
const PARTS_FROM: usize = 8192;

/// The same for operands in a device's memory, `dl`, `d` and `du` in this order, with the info there, too. It waits as
/// [`gttrf_on`].
///
/// From 8192 rows on a GPU solves the system in parts with pivots within each, checks the residual, and leaves `dl`,
/// `d` and `du` as they were. Where the residual is larger than that of LU, the host solves the system.
///
/// # Errors
/// [`Error::ShapeMismatch`] as [`gtsv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gtsv_on<T: Scalar>(
    queue: &Queue,
    diagonals: [VectorMut<'_, T>; 3],
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = order(diagonals[1].length())?;
    rows_agree("A", n, &b)?;
    device_buffer(queue, b.memory(), "B")?;
    let lengths = diagonal_lengths(n);
    let info = DeviceInfo::new(queue, &info)?;
    for (k, diagonal) in diagonals.iter().enumerate() {
        check_length(NAMES[k], diagonal.length(), lengths[k])?;
    }
    let solved = if n >= PARTS_FROM && queue.context().device().info().class != DeviceClass::Cpu {
        gtsv_in_parts(queue, diagonals.each_ref().map(read_only), &b)?
    } else {
        0
    };
    if solved > 0 && solved == b.columns() {
        info.write(queue, None)?;
        return Ok(Event::Complete);
    }
    let b = MatrixMut::from_parts(b.memory(), b.shape().block((0, n), (solved, b.columns() - solved)));
    let (mut staged, mut values) = (Vec::new(), Vec::new());
    for (k, diagonal) in diagonals.iter().enumerate() {
        let memory = adjacent(queue, diagonal, NAMES[k])?;
        values.push(memory.read::<T>(queue, lengths[k])?);
        staged.push(memory);
    }
    let mut found = None;
    if let [dl, d, du] = &mut values[..] {
        with_copies(Some(queue), vec![], vec![b], |_, matrices| {
            on_living_thread(|| matrices.into_iter().for_each(|b| found = host::gtsv(dl, d, du, b)));
        })?;
    }
    for (memory, values) in staged.iter().zip(&values) {
        memory.write(queue, values)?;
    }
    info.write(queue, found)?;
    Ok(Event::Complete)
}

/// Rows up to which one work-item of a GPU solves a system in about the time of the launches that parts take.
const ONE_ITEM_ROWS: usize = 128;

/// [`gtsv_on`] without copies to the host but of a GPU's large systems whose parts are ill-conditioned. Where the info
/// is not 0, B has no solution in it.
///
/// # Errors
/// The errors of [`gtsv_on`].
pub(crate) fn gtsv_there<T: Scalar>(
    queue: &Queue,
    diagonals: [VectorMut<'_, T>; 3],
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = order(diagonals[1].length())?;
    rows_agree("A", n, &b)?;
    let is_cpu = queue.context().device().info().class == DeviceClass::Cpu;
    if !is_cpu && n >= PARTS_FROM {
        return gtsv_on(queue, diagonals, b, info);
    }
    let mut solved = 0;
    if !is_cpu && n > ONE_ITEM_ROWS {
        solved = gtsv_in_parts(queue, diagonals.each_ref().map(read_only), &b)?;
    }
    let rest = b.shape().block((0, n), (solved, b.columns() - solved));
    let rest = BatchMut::from_parts(b.memory(), BatchShape::strided(rest, 0, 1)?);
    let [below, own, above, _] = diagonal_lengths(n);
    gtsv_batched_on(queue, diagonals, [below, own, above], rest, info)
}

/// A = L D Lᴴ of a Hermitian positive definite tridiagonal A with the diagonal `d` and `e` below it (LAPACK: xPTTRF).
/// `d` gets D, `e` the elements below L's diagonal of ones. With `e` above the diagonal it is Uᴴ D U.
///
/// # Errors
/// [`Error::NotPositiveDefinite`]: then the elements up to that minor are overwritten. [`Error::ShapeMismatch`] where
/// `e` has fewer than n - 1 elements.
#[instances]
pub fn pttrf<T: Scalar>(d: &mut [T::RealScalar], e: &mut [T]) -> Result<()> {
    check_length("e", e.len(), d.len().saturating_sub(1))?;
    let mut info = None;
    on_living_thread(|| info = host::pttrf(d, e));
    not_positive(info)
}

/// The same for vectors in a device's memory, with the info there, too. It waits as [`gttrf_on`].
///
/// # Errors
/// [`Error::ShapeMismatch`] as [`pttrf`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn pttrf_on<T: Scalar>(
    queue: &Queue,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = d.length();
    check_length("e", e.length(), n.saturating_sub(1))?;
    let (d, e, info) = (adjacent(queue, &d, "d")?, adjacent(queue, &e, "e")?, DeviceInfo::new(queue, &info)?);
    let (mut pivots, mut factor) = (d.read::<T::RealScalar>(queue, n)?, e.read::<T>(queue, n.saturating_sub(1))?);
    let mut found = None;
    on_living_thread(|| found = host::pttrf(&mut pivots, &mut factor));
    d.write(queue, &pivots)?;
    e.write(queue, &factor)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

/// Solves A X = B with [`pttrf`]'s factors, X in B's place (LAPACK: xPTTRS): L D Lᴴ of [`Triangle::Lower`], where `e`
/// was below the diagonal, Uᴴ D U of [`Triangle::Upper`].
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; and what a device reports.
#[instances]
pub fn pttrs<T: Scalar>(triangle: Triangle, d: &[T::RealScalar], e: &[T], b: MatrixMut<'_, T>) -> Result<()> {
    check_length("e", e.len(), d.len().saturating_sub(1))?;
    rows_agree("the factors", d.len(), &b)?;
    with_copies(None, vec![], vec![b], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|b| host::pttrs(triangle, d, e, b)));
    })
}

/// The same for factors and B in a device's memory. It waits as [`gttrf_on`].
///
/// # Errors
/// The errors of [`pttrs`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn pttrs_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    d: VectorRef<'_, T::RealScalar>,
    e: VectorRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let n = d.length();
    check_length("e", e.length(), n.saturating_sub(1))?;
    rows_agree("the factors", n, &b)?;
    device_buffer(queue, b.memory(), "B")?;
    let d = adjacent_of(queue, &d, "d")?.read::<T::RealScalar>(queue, n)?;
    let e = adjacent_of(queue, &e, "e")?.read::<T>(queue, n.saturating_sub(1))?;
    with_copies(Some(queue), vec![], vec![b], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|b| host::pttrs(triangle, &d, &e, b)));
    })?;
    Ok(Event::Complete)
}

/// Solves A X = B by [`pttrf`] and [`pttrs`], with `e` below the diagonal (LAPACK: xPTSV).
///
/// # Errors
/// [`Error::NotPositiveDefinite`]: then B is as it was. Others as for [`pttrs`].
#[instances]
pub fn ptsv<T: Scalar>(d: &mut [T::RealScalar], e: &mut [T], b: MatrixMut<'_, T>) -> Result<()> {
    check_length("e", e.len(), d.len().saturating_sub(1))?;
    rows_agree("A", d.len(), &b)?;
    let mut info = None;
    with_copies(None, vec![], vec![b], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|b| info = host::ptsv(d, e, b)));
    })?;
    not_positive(info)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`gttrf_on`].
///
/// # Errors
/// [`Error::ShapeMismatch`] as [`ptsv`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn ptsv_on<T: Scalar>(
    queue: &Queue,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = d.length();
    check_length("e", e.length(), n.saturating_sub(1))?;
    rows_agree("A", n, &b)?;
    device_buffer(queue, b.memory(), "B")?;
    let (d, e, info) = (adjacent(queue, &d, "d")?, adjacent(queue, &e, "e")?, DeviceInfo::new(queue, &info)?);
    let (mut pivots, mut factor) = (d.read::<T::RealScalar>(queue, n)?, e.read::<T>(queue, n.saturating_sub(1))?);
    let mut found = None;
    with_copies(Some(queue), vec![], vec![b], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|b| found = host::ptsv(&mut pivots, &mut factor, b)));
    })?;
    d.write(queue, &pivots)?;
    e.write(queue, &factor)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

/// Names of the diagonals, in their order.
const NAMES: [&str; 4] = ["dl", "d", "du", "du2"];

const fn diagonal_lengths(n: usize) -> [usize; 4] {
    [n.saturating_sub(1), n, n.saturating_sub(1), n.saturating_sub(2)]
}

fn check_diagonals(n: usize, [below, above]: [usize; 2]) -> Result<()> {
    check_length("dl", below, n.saturating_sub(1))?;
    check_length("du", above, n.saturating_sub(1))
}

/// An order whose rows pivots can number.
pub(super) fn order(n: usize) -> Result<usize> {
    if i32::try_from(n).is_ok() {
        return Ok(n);
    }
    Err(Error::ShapeMismatch(format!("{n} rows are more than pivots can number")))
}
