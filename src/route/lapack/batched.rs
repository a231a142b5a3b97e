//! LAPACK on batches in any memory, with pivots, infos and factors of reflections in the host's.
//!
//! Every routine returns when it is done, and runs where its matrices lie, or, for the host's memory, where the route
//! decides. What LAPACK tells by a positive info is no error here: each matrix has an info of its own.

use affinimath_macros::instances;
use std::cell::RefCell;

use super::qr::factor_operations;
use super::{cube, operations, solution_operations, square};
use crate::context::{BufferParts, DeviceBuffer, Event, MemoryExt, Queue};
use crate::error::{Error, Result};
use crate::host::batched::{self as host, PerMatrix};
use crate::host::on_living_thread;
use crate::lapack as device;
use crate::options::{Op, Triangle};
use crate::route::Family;
use crate::route::dispatch::{Cost, dispatch_lapack, used};
use crate::route::set::share;
use crate::scalar::{Element, Scalar};
use crate::view::{BatchMut, BatchRef, BatchShape, VectorMut, VectorShape, View};

/// P A = L U with partial pivoting for each m x n matrix of a batch, as [`crate::getrf`] does for one.
///
/// The min(m, n) pivots of neighbouring matrices begin `pivot_stride` apart. `info`, one number for each matrix,
/// becomes 0, or the number of the matrix's first pivot that is exactly zero: its factorisation is complete, but U is
/// singular.
///
/// # Errors
/// [`Error::ShapeMismatch`] where there is no place for pivots or infos; [`Error::InvalidArgument`] where pivots would
/// overlap; and what a device reports. A singular matrix is no error.
///
/// # Example
/// ```
/// use affinimath::{BatchMut, BatchShape, Layout, MatrixShape, getrf_batched};
///
/// // Two matrices, the second one singular.
/// let mut a = [1.0_f64, 4.0, 2.0, 4.0, 1.0, 1.0, 2.0, 2.0];
/// let matrix = MatrixShape::new(Layout::ColumnMajor, 2, 2, 0, 2)?;
/// let (mut pivots, mut info) = ([0; 4], [0; 2]);
/// getrf_batched(BatchMut::from_slice(&mut a, BatchShape::strided(matrix, 4, 2)?)?, &mut pivots, 2, &mut info)?;
/// assert_eq!((a, pivots, info), ([4.0, 0.25, 4.0, 1.0, 1.0, 1.0, 2.0, 0.0], [2, 2, 1, 2], [0, 2]));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn getrf_batched<T: Scalar>(
    a: BatchMut<'_, T>,
    pivots: &mut [i32],
    pivot_stride: usize,
    info: &mut [i32],
) -> Result<()> {
    let (matrix, count) = (*a.shape().matrix(), a.shape().count());
    let order = matrix.rows().min(matrix.columns());
    check_numbers("pivots", pivots, (order, pivot_stride), count)?;
    check_numbers("info", info, (1, 1), count)?;
    check_rows(a.shape())?;
    let (short, long) = (order as u64, matrix.rows().max(matrix.columns()) as u64);
    let work = operations::<T>(short.saturating_mul(short).saturating_mul(long.saturating_sub(short / 3)) / 2);
    if count == 0 {
        return Ok(());
    }
    let work = work.saturating_mul(count as u64);
    if let Some(set) = share::<T>(Family::BatchFactorization, work, order, &[&a])? {
        return set.getrf_batched(a, pivots, pivot_stride, info);
    }
    let found = Found::new(pivots, (order, pivot_stride), info);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::BatchFactorization, operations: work, steps: order },
        (used(a, true),),
        |(a,)| found.on_host(|pivots, info| host::getrf_batched(&a, pivots, info)),
        |queue, (a,)| {
            found.on_device(queue, |pivots, info| device::getrf_batched_on(queue, a, pivots, pivot_stride, info))
        },
    )
}

/// Solves op(A) X = B for each matrix of a batch with [`getrf_batched`]'s factors of square matrices, X in B's place,
/// as [`crate::getrs`] does for one.
///
/// # Errors
/// [`Error::ShapeMismatch`] where counts or sizes do not agree; [`Error::InvalidArgument`] where a pivot is no row of
/// its matrix; [`Error::MixedMemory`] where the batches do not lie in one memory; and what a device reports.
#[instances]
pub fn getrs_batched<T: Scalar>(
    op: Op,
    factors: BatchRef<'_, T>,
    pivots: &[i32],
    pivot_stride: usize,
    b: BatchMut<'_, T>,
) -> Result<()> {
    let (n, count) = (order_of("the factors", factors.shape())?, factors.shape().count());
    agree(factors.shape(), b.shape())?;
    check_numbers("pivots", pivots, (n, pivot_stride), count)?;
    for pivot in (0..count).flat_map(|i| &pivots[i * pivot_stride..][..n]) {
        if !usize::try_from(*pivot).is_ok_and(|row| (1..=n).contains(&row)) {
            return Err(Error::argument("pivots", format!("{pivot} is no row from 1 to {n}")));
        }
    }
    if count == 0 {
        return Ok(());
    }
    let mut pivots = pivots.to_vec();
    let work = solution_operations::<T>(n, b.shape().matrix().columns()).saturating_mul(count as u64);
    let found = Found::new(&mut pivots, (n, pivot_stride), &mut []);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::BatchFactorization, operations: work, steps: n },
        (used(factors, true), used(b, true)),
        |(factors, b)| found.on_host(|pivots, _| host::getrs_batched(op, &factors, pivots, &b)),
        |queue, (factors, b)| {
            found.on_device(queue, |pivots, _| {
                device::getrs_batched_on(queue, op, factors, device::read_only(&pivots), pivot_stride, b)
            })
        },
    )
}

/// Solves A X = B for each matrix of a batch, by [`getrf_batched`] and [`getrs_batched`], as [`crate::gesv`] does for
/// one: where a matrix's info is not 0, its B is as it was.
///
/// # Errors
/// The errors of [`getrf_batched`] and [`getrs_batched`].
#[instances]
pub fn gesv_batched<T: Scalar>(
    a: BatchMut<'_, T>,
    pivots: &mut [i32],
    pivot_stride: usize,
    b: BatchMut<'_, T>,
    info: &mut [i32],
) -> Result<()> {
    let (n, count) = (order_of("A", a.shape())?, a.shape().count());
    agree(a.shape(), b.shape())?;
    check_numbers("pivots", pivots, (n, pivot_stride), count)?;
    check_numbers("info", info, (1, 1), count)?;
    check_rows(a.shape())?;
    if count == 0 {
        return Ok(());
    }
    let columns = b.shape().matrix().columns();
    let work = operations::<T>(cube(n) / 3).saturating_add(solution_operations::<T>(n, columns));
    let found = Found::new(pivots, (n, pivot_stride), info);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::BatchFactorization, operations: work.saturating_mul(count as u64), steps: n },
        (used(a, true), used(b, true)),
        |(a, b)| found.on_host(|pivots, info| host::gesv_batched(&a, pivots, &b, info)),
        |queue, (a, b)| {
            found.on_device(queue, |pivots, info| device::gesv_batched_on(queue, a, pivots, pivot_stride, b, info))
        },
    )
}

/// A = L Lᴴ or Uᴴ U for each symmetric or Hermitian positive definite matrix of a batch, as [`crate::potrf`] does for
/// one.
///
/// `info`, one number for each matrix, becomes 0, or the order of the matrix's first leading minor that is not
/// positive: its triangle is partly overwritten.
///
/// # Errors
/// The errors of [`getrf_batched`]. A matrix that is not positive definite is no error.
#[instances]
pub fn potrf_batched<T: Scalar>(triangle: Triangle, a: BatchMut<'_, T>, info: &mut [i32]) -> Result<()> {
    let (n, count) = (order_of("A", a.shape())?, a.shape().count());
    check_numbers("info", info, (1, 1), count)?;
    check_rows(a.shape())?;
    if count == 0 {
        return Ok(());
    }
    let work = operations::<T>(cube(n) / 6).saturating_mul(count as u64);
    if let Some(set) = share::<T>(Family::BatchFactorization, work, n, &[&a])? {
        return set.potrf_batched(triangle, a, info);
    }
    let found = Found::new(&mut [], (0, 0), info);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::BatchFactorization, operations: work, steps: n },
        (used(a, true),),
        |(a,)| found.on_host(|_, info| host::potrf_batched(triangle, &a, info)),
        |queue, (a,)| found.on_device(queue, |_, info| device::potrf_batched_on(queue, triangle, a, info)),
    )
}

/// Solves A X = B for each matrix of a batch with [`potrf_batched`]'s factor, X in B's place, as [`crate::potrs`] does
/// for one.
///
/// # Errors
/// The errors of [`getrs_batched`].
#[instances]
pub fn potrs_batched<T: Scalar>(triangle: Triangle, factor: BatchRef<'_, T>, b: BatchMut<'_, T>) -> Result<()> {
    let (n, count) = (order_of("the factor", factor.shape())?, factor.shape().count());
    agree(factor.shape(), b.shape())?;
    if count == 0 {
        return Ok(());
    }
    dispatch_lapack(
        T::KIND,
        Cost {
            family: Family::BatchFactorization,
            operations: solution_operations::<T>(n, b.shape().matrix().columns()).saturating_mul(count as u64),
            steps: n,
        },
        (used(factor, true), used(b, true)),
        |(factor, b)| host::potrs_batched(triangle, &factor, &b),
        |queue, (factor, b)| device::potrs_batched_on(queue, triangle, factor, b),
    )
}

/// Solves A X = B for each matrix of a batch, by [`potrf_batched`] and [`potrs_batched`], as [`crate::posv`] does for
/// one: where a matrix's info is not 0, its B is as it was.
///
/// # Errors
/// The errors of [`potrf_batched`] and [`potrs_batched`].
#[instances]
pub fn posv_batched<T: Scalar>(
    triangle: Triangle,
    a: BatchMut<'_, T>,
    b: BatchMut<'_, T>,
    info: &mut [i32],
) -> Result<()> {
    let (n, count) = (order_of("A", a.shape())?, a.shape().count());
    agree(a.shape(), b.shape())?;
    check_numbers("info", info, (1, 1), count)?;
    check_rows(a.shape())?;
    if count == 0 {
        return Ok(());
    }
    let columns = b.shape().matrix().columns();
    let work = operations::<T>(cube(n) / 6).saturating_add(solution_operations::<T>(n, columns));
    let found = Found::new(&mut [], (0, 0), info);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::BatchFactorization, operations: work.saturating_mul(count as u64), steps: n },
        (used(a, true), used(b, true)),
        |(a, b)| found.on_host(|_, info| host::posv_batched(triangle, &a, &b, info)),
        |queue, (a, b)| found.on_device(queue, |_, info| device::posv_batched_on(queue, triangle, a, b, info)),
    )
}

/// A = Q R for each m x n matrix of a batch, as [`crate::geqrf`] does for one. The min(m, n) factors of neighbouring
/// matrices' reflections begin `tau_stride` apart.
///
/// # Errors
/// The errors of [`getrf_batched`].
#[instances]
pub fn geqrf_batched<T: Scalar>(a: BatchMut<'_, T>, tau: &mut [T], tau_stride: usize) -> Result<()> {
    let (matrix, count) = (*a.shape().matrix(), a.shape().count());
    let order = matrix.rows().min(matrix.columns());
    check_numbers("tau", tau, (order, tau_stride), count)?;
    if order == 0 || count == 0 {
        return Ok(());
    }
    let work = factor_operations::<T>(matrix.rows(), matrix.columns(), order).saturating_mul(count as u64);
    if let Some(set) = share::<T>(Family::BatchFactorization, work, order, &[&a])? {
        return set.geqrf_batched(a, tau, tau_stride);
    }
    let tau = RefCell::new(tau);
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::BatchFactorization, operations: work, steps: order },
        (used(a, true),),
        |(a,)| {
            host::geqrf_batched(&a, PerMatrix { values: &mut tau.borrow_mut(), each: order, stride: tau_stride });
        },
        |queue, (a,)| {
            let tau = &mut **tau.borrow_mut();
            with_numbers(queue, tau, |tau| device::geqrf_batched_on(queue, a, tau, tau_stride))
        },
    )
}

/// Solves A X = B for each tridiagonal system of a batch by LU with partial pivoting, as [`crate::gtsv`] does for one.
///
/// `diagonals` are those below, on and above the main one, of n - 1, n and n - 1 elements for each system, `strides`
/// apart; they get U's diagonals. `info`, one number for each system, becomes 0, or the number of its first pivot that
/// is exactly zero: then its B has no solution in it.
///
/// All operands are in the host's memory, and the systems are shared among its threads; [`crate::gtsv_batched_on`] is
/// for a device's.
///
/// # Errors
/// [`Error::ShapeMismatch`] where a vector is too short; [`Error::InvalidArgument`] where systems overlap;
/// [`Error::MixedMemory`] where B lies in a device's memory. A singular matrix is no error.
#[instances]
pub fn gtsv_batched<T: Scalar>(
    diagonals: [&mut [T]; 3],
    strides: [usize; 3],
    b: BatchMut<'_, T>,
    info: &mut [i32],
) -> Result<()> {
    let (n, count) = (b.shape().matrix().rows(), b.shape().count());
    let each = [n.saturating_sub(1), n, n.saturating_sub(1)];
    for (k, name) in ["dl", "d", "du"].into_iter().enumerate() {
        check_numbers(name, diagonals[k], (each[k], strides[k]), count)?;
    }
    check_numbers("info", info, (1, 1), count)?;
    check_rows(b.shape())?;
    if b.memory().buffer().is_some() {
        return Err(Error::MixedMemory("B lies in a device's memory, the diagonals in the host's".to_owned()));
    }
    let mut k = 0;
    let diagonals = diagonals.map(|values| {
        k += 1;
        PerMatrix { values, each: each[k - 1], stride: strides[k - 1] }
    });
    on_living_thread(|| host::gtsv_batched(diagonals, &b, info));
    Ok(())
}

/// Pivots and infos in the host's memory, of work that is done on the host or on a device.
pub(super) struct Found<'p> {
    numbers: RefCell<(&'p mut [i32], &'p mut [i32])>,
    each: usize,
    stride: usize,
}

impl<'p> Found<'p> {
    pub(super) const fn new(pivots: &'p mut [i32], (each, stride): (usize, usize), info: &'p mut [i32]) -> Self {
        Found { numbers: RefCell::new((pivots, info)), each, stride }
    }

    pub(super) fn on_host(&self, work: impl FnOnce(PerMatrix<'_, i32>, &mut [i32])) {
        let (pivots, info) = &mut *self.numbers.borrow_mut();
        work(PerMatrix { values: pivots, each: self.each, stride: self.stride }, info);
    }

    /// Brings them to the device and back, and waits for the work.
    pub(super) fn on_device(
        &self,
        queue: &Queue,
        work: impl for<'m> FnOnce(VectorMut<'m, i32>, VectorMut<'m, i32>) -> Result<Event>,
    ) -> Result<Event> {
        let (pivots, info) = &mut *self.numbers.borrow_mut();
        with_numbers(queue, pivots, |pivots| with_numbers(queue, info, |info| work(pivots, info)))
    }
}

/// Brings numbers to the device and back, and waits for the work.
pub(super) fn with_numbers<V: Element>(
    queue: &Queue,
    numbers: &mut [V],
    work: impl for<'m> FnOnce(VectorMut<'m, V>) -> Result<Event>,
) -> Result<Event> {
    let memory = DeviceBuffer::new(queue.context(), size_of_val(numbers).max(1), "numbers of a batch")?;
    if !numbers.is_empty() {
        memory.write(queue, numbers)?;
    }
    work(VectorMut::from_device(&memory, VectorShape::new(numbers.len(), 0, 1)?, "numbers of a batch")?)?.wait()?;
    if !numbers.is_empty() {
        memory.read(queue, numbers)?;
    }
    Ok(Event::Complete)
}

pub(in crate::route) fn order_of(name: &str, shape: &BatchShape<'_>) -> Result<usize> {
    square(name, shape.matrix().rows(), shape.matrix().columns())
}

fn agree(a: &BatchShape<'_>, b: &BatchShape<'_>) -> Result<()> {
    let (rows, others) = (a.matrix().rows(), b.matrix().rows());
    if a.count() == b.count() && rows == others {
        return Ok(());
    }
    let sizes = format!("{} matrices A of {rows} rows, {} matrices B of {others}", a.count(), b.count());
    Err(Error::ShapeMismatch(sizes))
}

/// Rows are numbered by `i32`, where there are columns to find a pivot in.
pub(in crate::route) fn check_rows(shape: &BatchShape<'_>) -> Result<()> {
    let rows = shape.matrix().rows();
    if i32::try_from(rows).is_ok() || shape.matrix().columns() == 0 {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{rows} rows are more than pivots can number")))
}

/// Checks for `each` elements of `count` matrices without overlap.
pub(in crate::route) fn check_numbers<V>(
    name: &'static str,
    numbers: &[V],
    (each, stride): (usize, usize),
    count: usize,
) -> Result<()> {
    if count == 0 || each == 0 {
        return Ok(());
    }
    if count > 1 && stride < each {
        return Err(Error::argument(name, format!("a stride of {stride}, and each matrix has {each}")));
    }
    let needed = (count - 1).checked_mul(stride).and_then(|behind| behind.checked_add(each));
    if needed.is_some_and(|needed| needed <= numbers.len()) {
        return Ok(());
    }
    let length = numbers.len();
    Err(Error::ShapeMismatch(format!("{name}: {length} numbers, and {count} times {each} are needed, {stride} apart")))
}
