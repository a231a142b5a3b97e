//! Band matrices of a batch in any memory, with pivots and infos in the host's. They are computed where they lie.
//!
//! A device does not pay for bands in the host's memory: each element crosses the bus, and is worth a few operations.

use affinimath_macros::instances;

use super::batched::{Found, check_numbers};
use super::tridiagonal::order;
use crate::context::{MemoryExt, Queue};
use crate::error::{Error, Result};
use crate::host::batched as host;
use crate::host::on_living_thread;
use crate::lapack as device;
use crate::options::Op;
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchRef, BatchShape, Memory, View};

/// P A = L U with partial pivoting for each m x n band matrix of a batch, as [`crate::gbtrf`] does for one.
///
/// The min(m, n) pivots of neighbouring matrices begin `pivot_stride` apart. `info`, one number for each matrix,
/// becomes 0, or the number of the matrix's first pivot that is exactly zero: its factorisation is complete. Matrices
/// are factorised where they lie: in the host's memory by its threads, in a device's by a kernel.
///
/// # Errors
/// [`Error::ShapeMismatch`] where bands have fewer rows than 2 kl + ku + 1, or there is no place for pivots or infos;
/// [`Error::InvalidArgument`] where pivots would overlap; and what a device reports. A singular matrix is no error.
#[instances]
pub fn gbtrf_batched<T: Scalar>(
    m: usize,
    kl: usize,
    ku: usize,
    ab: BatchMut<'_, T>,
    pivots: &mut [i32],
    pivot_stride: usize,
    info: &mut [i32],
) -> Result<()> {
    let (columns, count) = checked(ab.shape(), [kl, ku])?;
    let each = (order(m)?.min(columns), pivot_stride);
    check_numbers("pivots", pivots, each, count)?;
    check_numbers("info", info, (1, 1), count)?;
    if count == 0 {
        return Ok(());
    }
    let found = Found::new(pivots, each, info);
    if let Some(queue) = queue_of(&[ab.memory()])? {
        return found
            .on_device(&queue, |pivots, info| {
                device::gbtrf_batched_on(&queue, m, kl, ku, ab, pivots, pivot_stride, info)
            })
            .map(drop);
    }
    on_living_thread(|| found.on_host(|pivots, info| host::gbtrf_batched(m, [kl, ku], &ab, pivots, info)));
    Ok(())
}

/// Solves op(A) X = B for each matrix of a batch with [`gbtrf_batched`]'s factors of square matrices, X in B's place,
/// as [`crate::gbtrs`] does for one.
///
/// # Errors
/// [`Error::ShapeMismatch`] where counts or sizes do not agree; [`Error::InvalidArgument`] where pivot i of a matrix is
/// not from i + 1 to i + kl + 1; [`Error::MixedMemory`] where the batches do not lie in one memory; and what a device
/// reports.
#[instances]
pub fn gbtrs_batched<T: Scalar>(
    op: Op,
    kl: usize,
    ku: usize,
    factors: BatchRef<'_, T>,
    pivots: &[i32],
    pivot_stride: usize,
    b: BatchMut<'_, T>,
) -> Result<()> {
    let (n, count) = checked(factors.shape(), [kl, ku])?;
    agree(n, count, b.shape())?;
    check_numbers("pivots", pivots, (n, pivot_stride), count)?;
    for own in (0..count).map(|i| &pivots[i * pivot_stride..][..n]) {
        for (i, pivot) in own.iter().enumerate() {
            let last = n.min(i.saturating_add(kl).saturating_add(1));
            if !usize::try_from(*pivot).is_ok_and(|row| (i + 1..=last).contains(&row)) {
                return Err(Error::argument("pivots", format!("{pivot} of row {} is no row up to {last}", i + 1)));
            }
        }
    }
    if count == 0 {
        return Ok(());
    }
    let mut pivots = pivots.to_vec();
    let found = Found::new(&mut pivots, (n, pivot_stride), &mut []);
    if let Some(queue) = queue_of(&[factors.memory(), b.memory()])? {
        return found
            .on_device(&queue, |pivots, _| {
                let pivots = device::read_only(&pivots);
                device::gbtrs_batched_on(&queue, op, kl, ku, factors, pivots, pivot_stride, b)
            })
            .map(drop);
    }
    on_living_thread(|| found.on_host(|pivots, _| host::gbtrs_batched(op, [kl, ku], &factors, pivots, &b)));
    Ok(())
}

/// Solves A X = B for each square band matrix of a batch, by [`gbtrf_batched`] and [`gbtrs_batched`], as
/// [`crate::gbsv`] does for one: where a matrix's info is not 0, its B is as it was.
///
/// # Errors
/// The errors of [`gbtrf_batched`] and [`gbtrs_batched`].
///
/// # Example
/// ```
/// use affinimath::{BatchMut, BatchShape, Layout, MatrixShape, gbsv_batched};
///
/// // Two matrices of order 2 with one diagonal above the main one; the second one is singular.
/// let mut ab = [0.0_f64, 2.0, 1.0, 2.0, 0.0, 0.0, 1.0, 2.0];
/// let mut b = [3.0, 2.0, 3.0, 2.0];
/// let (band, columns) =
///     (MatrixShape::new(Layout::ColumnMajor, 2, 2, 0, 2)?, MatrixShape::new(Layout::ColumnMajor, 2, 1, 0, 2)?);
/// let ab = BatchMut::from_slice(&mut ab, BatchShape::strided(band, 4, 2)?)?;
/// let x = BatchMut::from_slice(&mut b, BatchShape::strided(columns, 2, 2)?)?;
/// let (mut pivots, mut info) = ([0; 4], [0; 2]);
/// gbsv_batched(0, 1, ab, &mut pivots, 2, x, &mut info)?;
/// assert_eq!((b, info), ([1.0, 1.0, 3.0, 2.0], [0, 1]));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gbsv_batched<T: Scalar>(
    kl: usize,
    ku: usize,
    ab: BatchMut<'_, T>,
    pivots: &mut [i32],
    pivot_stride: usize,
    b: BatchMut<'_, T>,
    info: &mut [i32],
) -> Result<()> {
    let (n, count) = checked(ab.shape(), [kl, ku])?;
    agree(n, count, b.shape())?;
    check_numbers("pivots", pivots, (n, pivot_stride), count)?;
    check_numbers("info", info, (1, 1), count)?;
    if count == 0 {
        return Ok(());
    }
    let found = Found::new(pivots, (n, pivot_stride), info);
    if let Some(queue) = queue_of(&[ab.memory(), b.memory()])? {
        return found
            .on_device(&queue, |pivots, info| {
                device::gbsv_batched_on(&queue, kl, ku, ab, pivots, pivot_stride, b, info)
            })
            .map(drop);
    }
    on_living_thread(|| found.on_host(|pivots, info| host::gbsv_batched([kl, ku], &ab, pivots, &b, info)));
    Ok(())
}

/// Columns of each band, and the count of bands. They have place for these diagonals.
fn checked(shape: &BatchShape<'_>, [kl, ku]: [usize; 2]) -> Result<(usize, usize)> {
    let rows = shape.matrix().rows();
    let needed = kl.saturating_mul(2).saturating_add(ku).saturating_add(1);
    if rows < needed {
        return Err(Error::ShapeMismatch(format!("AB has {rows} rows, and {needed} are needed")));
    }
    Ok((order(shape.matrix().columns())?, shape.count()))
}

fn agree(n: usize, count: usize, b: &BatchShape<'_>) -> Result<()> {
    if b.count() == count && b.matrix().rows() == n {
        return Ok(());
    }
    let sizes = format!("{count} matrices A of {n} rows, {} matrices B of {}", b.count(), b.matrix().rows());
    Err(Error::ShapeMismatch(sizes))
}

/// A queue of the device that has the operands; none for the host's memory.
fn queue_of<T>(memories: &[Memory<'_, T>]) -> Result<Option<Queue>> {
    let buffers: Vec<_> = memories.iter().filter_map(|memory| memory.buffer()).collect();
    match buffers.first() {
        None => Ok(None),
        Some(first) if buffers.len() == memories.len() => Ok(Some(Queue::new(first.context())?.unsignaled())),
        Some(_) => Err(Error::MixedMemory("AB and B do not lie in one memory".to_owned())),
    }
}
