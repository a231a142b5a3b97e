//! Batches on several devices: each takes the next part of a batch as it becomes free.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use affinimath_macros::instances;

use super::{DeviceSet, start};
use crate::blas::level3::batched::{batched_problem, batched_system};
use crate::error::{Error, Result};
use crate::options::{Diag, Op, Side, Triangle};
use crate::route::host_only::on_device;
use crate::route::lapack::{check_numbers, check_rows, order_of};
use crate::route::{batched as blas, lapack};
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchRef, BatchShape, View};

/// Parts of a batch, at most: devices of different speed end together, and each part fills a device.
const PARTS: usize = 32;

/// How a batch is cut: its matrices, and those of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    count: usize,
    each: usize,
}

impl Parts {
    /// The parts of batches whose matrices have some bytes in all, one of each batch.
    fn of(set: &DeviceSet, count: usize, bytes: usize) -> Self {
        let memory = set.limits().map(|limits| (limits.operand_bytes / 2).min(limits.matrix_bytes)).min();
        let fitting = usize::try_from(memory.unwrap_or(u64::MAX)).unwrap_or(usize::MAX) / bytes.max(1);
        let each = set.part.unwrap_or_else(|| count.div_ceil(PARTS)).clamp(1, fitting.max(1));
        Parts { count, each }
    }

    /// The first matrix of a part, and their number; `None` behind the last one.
    fn part(&self, index: usize) -> Option<(usize, usize)> {
        let first = index.checked_mul(self.each)?;
        (first < self.count).then(|| (first, self.each.min(self.count - first)))
    }

    /// Numbers of a part whose matrices have theirs `stride` apart. A single part has all of them.
    const fn numbers(&self, stride: usize) -> usize {
        if self.count <= self.each { usize::MAX } else { self.each * stride }
    }

    /// Does work on each part: its number, its first matrix, and how many. The first error ends it.
    fn run(&self, set: &DeviceSet, work: impl Fn(usize, usize, usize) -> Result<()> + Sync) -> Result<()> {
        let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let failed = || failure.lock().unwrap_or_else(PoisonError::into_inner);
        std::thread::scope(|scope| {
            for context in &set.contexts {
                let (next, failed, work) = (&next, &failed, &work);
                scope.spawn(move || {
                    while let Some((index, (first, count))) = {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        self.part(index).filter(|_| failed().is_none()).map(|part| (index, part))
                    } {
                        let one = || on_device(context, || work(index, first, count));
                        let guarded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(one));
                        if let Err(error) = guarded.unwrap_or_else(|_| Err(ended())) {
                            failed().get_or_insert(error);
                        }
                    }
                });
            }
        });
        failed().take().map_or(Ok(()), Err)
    }
}

#[cold]
fn ended() -> Error {
    Error::Internal("a thread of a call on several devices panicked".to_owned())
}

/// Bytes of a batch's matrix.
fn bytes<T>(shape: &BatchShape<'_>) -> usize {
    shape.matrix().rows() * shape.matrix().columns() * size_of::<T>()
}

/// Part of a batch to read.
fn read<'a, T: Scalar>(batch: &BatchRef<'a, T>, first: usize, count: usize) -> BatchRef<'a, T> {
    BatchRef::from_parts(batch.memory(), batch.shape().part(first, count))
}

/// Part of a batch to write, which nobody else has.
fn written<'a, T: Scalar>(batch: &BatchMut<'a, T>, first: usize, count: usize) -> BatchMut<'a, T> {
    BatchMut::from_parts(batch.memory(), batch.shape().part(first, count))
}

/// Numbers of parts, each to be taken once.
struct Numbers<'n, V> {
    parts: Mutex<Vec<Option<&'n mut [V]>>>,
}

impl<'n, V> Numbers<'n, V> {
    /// Those of parts of `each` numbers; the last ones are fewer.
    fn new(numbers: &'n mut [V], each: usize) -> Self {
        Numbers { parts: Mutex::new(numbers.chunks_mut(each.max(1)).map(Some).collect()) }
    }

    fn take(&self, part: usize) -> &'n mut [V] {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.get_mut(part).and_then(Option::take).unwrap_or_default()
    }
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
#[instances]
pub(crate) fn gemm<T: Scalar>(
    set: &DeviceSet,
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: BatchRef<'_, T>,
    b: BatchRef<'_, T>,
    beta: T,
    c: BatchMut<'_, T>,
) -> Result<()> {
    let count = batched_problem::<T>([op_a, op_b], alpha, [a.shape(), b.shape()], c.shape())?.count;
    let _ = (start(&a, "A")?, start(&b, "B")?, start(&c, "C")?);
    let bytes = bytes::<T>(a.shape()) + bytes::<T>(b.shape()) + bytes::<T>(c.shape());
    Parts::of(set, count, bytes).run(set, |_, first, count| {
        let (a, b) = (read(&a, first, count), read(&b, first, count));
        blas::gemm_batched(op_a, op_b, alpha, a, b, beta, written(&c, first, count))?.wait()
    })
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's trsm")]
#[instances]
pub(crate) fn trsm<T: Scalar>(
    set: &DeviceSet,
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: BatchRef<'_, T>,
    b: BatchMut<'_, T>,
) -> Result<()> {
    batched_system::<T>(side, (triangle, op, diagonal), a.shape(), b.shape())?;
    let _ = (start(&a, "A")?, start(&b, "B")?);
    let bytes = bytes::<T>(a.shape()) + bytes::<T>(b.shape());
    Parts::of(set, b.shape().count(), bytes).run(set, |_, first, count| {
        let (a, b) = (read(&a, first, count), written(&b, first, count));
        blas::trsm_batched(side, triangle, op, diagonal, alpha, a, b)?.wait()
    })
}

#[instances]
pub(crate) fn getrf<T: Scalar>(
    set: &DeviceSet,
    a: BatchMut<'_, T>,
    pivots: &mut [i32],
    pivot_stride: usize,
    info: &mut [i32],
) -> Result<()> {
    let (matrix, count) = (*a.shape().matrix(), a.shape().count());
    check_numbers("pivots", pivots, (matrix.rows().min(matrix.columns()), pivot_stride), count)?;
    check_numbers("info", info, (1, 1), count)?;
    check_rows(a.shape())?;
    start(&a, "A")?;
    let parts = Parts::of(set, count, bytes::<T>(a.shape()));
    let (pivots, info) = (Numbers::new(pivots, parts.numbers(pivot_stride)), Numbers::new(info, parts.numbers(1)));
    parts.run(set, |index, first, count| {
        let (pivots, info) = (pivots.take(index), info.take(index));
        lapack::getrf_batched(written(&a, first, count), pivots, pivot_stride, info)
    })
}

#[instances]
pub(crate) fn potrf<T: Scalar>(
    set: &DeviceSet,
    triangle: Triangle,
    a: BatchMut<'_, T>,
    info: &mut [i32],
) -> Result<()> {
    let count = a.shape().count();
    order_of("A", a.shape())?;
    check_numbers("info", info, (1, 1), count)?;
    check_rows(a.shape())?;
    start(&a, "A")?;
    let parts = Parts::of(set, count, bytes::<T>(a.shape()));
    let info = Numbers::new(info, parts.numbers(1));
    parts.run(set, |index, first, count| lapack::potrf_batched(triangle, written(&a, first, count), info.take(index)))
}

#[instances]
pub(crate) fn geqrf<T: Scalar>(set: &DeviceSet, a: BatchMut<'_, T>, tau: &mut [T], tau_stride: usize) -> Result<()> {
    let (matrix, count) = (*a.shape().matrix(), a.shape().count());
    let order = matrix.rows().min(matrix.columns());
    check_numbers("tau", tau, (order, tau_stride), count)?;
    start(&a, "A")?;
    if order == 0 {
        return Ok(());
    }
    let parts = Parts::of(set, count, bytes::<T>(a.shape()));
    let tau = Numbers::new(tau, parts.numbers(tau_stride));
    parts.run(set, |index, first, count| lapack::geqrf_batched(written(&a, first, count), tau.take(index), tau_stride))
}
