//! LAPACK on a device: factorisations, solvers that use them, and inverses.
//!
//! All work is enqueued at once without waiting: pivots, the factors tau and info stay in device memory. Panels and
//! diagonal blocks have kernels of their own; everything else is gemm and trsm.

pub(crate) mod batched;
pub(crate) mod cholesky;
mod eigen;
pub(crate) mod indefinite;
mod interchange;
mod lauum;
pub(crate) mod lu;
mod mixed;
mod native;
mod norm;
mod outcome;
pub(crate) mod qr;
mod singular;
#[cfg(test)]
pub(crate) mod tests;
mod triangular;
mod tridiagonal;

pub(crate) use batched::{eliminates_bands, gesvd_batched_with_team, heev_batched_with_team, rotates};
pub use batched::{
    gbsv_batched_on, gbtrf_batched_on, gbtrs_batched_on, geqrf_batched_on, gesv_batched_on, getrf_batched_on,
    getrs_batched_on, gtsv_batched_on, posv_batched_on, potrf_batched_on, potrs_batched_on,
};
pub use cholesky::{posv_on, potrf_on, potri_on, potrs_on};
pub(crate) use eigen::{
    MIN_ORDER as SPECTRAL_MIN_ORDER, heevd_on_device, heevr_on_device, hegvd_on_device, hetrd_on_device,
};
pub use interchange::laswp_on;
pub use lauum::lauum_on;
pub use lu::{gesv_on, getrf_on, getri_on, getrs_on};
pub use mixed::{gesv_mixed_on, posv_mixed_on};
pub(crate) use norm::enqueue as enqueue_norm;
pub use norm::{lange_on, lanhe_on, lansy_on, lantr_on};
pub(crate) use qr::keep_or_adjoint;
pub use qr::{gels_on, geqrf_on, orgqr_on, ormqr_on};
pub(crate) use singular::{gelsd_on_device, gesdd_on_device};
pub use triangular::{trtri_on, trtrs_on};
pub(crate) use tridiagonal::gtsv_in_parts;

use crate::blas::device_buffer;
use crate::blas::level3::gemm::{GemmCall, GemmProblem, Limits, Operand, Target, execute_best};
use crate::blas::level3::trsm::{TrsmCall, TrsmMemory, TrsmPlan, TrsmProblem, execute as execute_trsm, invert};
use crate::blas::movement::{Term, enqueue_sum};
use crate::context::{DeviceMemory, Event, Queue, QueueParts, Workspace};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::options::{Diag, Op, Triangle};
use crate::scalar::{Element, Scalar};
use crate::view::{VectorMut, VectorRef, View};

/// A contiguous vector in device memory.
#[derive(Clone, Copy)]
struct DeviceSlice<'a> {
    memory: &'a dyn DeviceMemory,
    /// Offset of the first element.
    offset: usize,
}

impl<'a> DeviceSlice<'a> {
    /// At least `count` contiguous pivots.
    fn pivots(queue: &Queue, pivots: &VectorRef<'a, i32>, count: usize) -> Result<Self> {
        Self::of("pivots", queue, pivots, count)
    }

    /// At least `count` contiguous factors of Householder reflectors.
    fn tau<T: Scalar>(queue: &Queue, tau: &VectorRef<'a, T>, count: usize) -> Result<Self> {
        Self::of("tau", queue, tau, count)
    }

    const fn from(self, first: usize) -> Self {
        DeviceSlice { offset: self.offset + first, ..self }
    }

    fn of<V: Element>(name: &'static str, queue: &Queue, vector: &VectorRef<'a, V>, count: usize) -> Result<Self> {
        let (length, increment) = (vector.length(), vector.shape().increment());
        if length < count {
            return Err(Error::ShapeMismatch(format!("{name}: {length} elements, and {count} are needed")));
        }
        if increment != 1 {
            return Err(Error::argument(name, format!("the increment is {increment}, and must be 1")));
        }
        Ok(DeviceSlice { memory: device_buffer(queue, vector.memory(), name)?, offset: vector.shape().offset() })
    }

    fn info(queue: &Queue, info: &VectorMut<'a, i32>) -> Result<Self> {
        Self::element("the info", queue, info)
    }

    /// A vector of one element.
    fn element<V: Element>(name: &'static str, queue: &Queue, vector: &VectorMut<'a, V>) -> Result<Self> {
        if vector.length() != 1 {
            return Err(Error::ShapeMismatch(format!("{name} is one number, not {}", vector.length())));
        }
        Ok(DeviceSlice { memory: device_buffer(queue, vector.memory(), name)?, offset: vector.shape().offset() })
    }
}

/// A read-only view of the same vector.
pub(crate) fn read_only<'a, V>(vector: &VectorMut<'a, V>) -> VectorRef<'a, V> {
    VectorRef::from_parts(vector.memory(), *vector.shape())
}

/// A matrix in device memory, however it lies there.
#[derive(Clone, Copy)]
struct Block<'a> {
    memory: &'a dyn DeviceMemory,
    operand: Operand,
}

impl<'a> Block<'a> {
    const fn new(memory: &'a dyn DeviceMemory, operand: Operand) -> Self {
        Block { memory, operand }
    }

    /// Transposed and conjugated, or not.
    const fn with(self, op: Op) -> Self {
        let operand = if op.transposes() { self.operand.transposed() } else { self.operand };
        Block { operand: Operand { conjugate: operand.conjugate != op.conjugates(), ..operand }, ..self }
    }

    /// From its element (i, j) on.
    const fn at(self, i: usize, j: usize) -> Self {
        Block { operand: self.operand.shifted(i, j), ..self }
    }
}

/// Building blocks of all factorisations: products, triangular solves and copies on a queue, within limits.
#[derive(Clone, Copy)]
struct Executor<'q> {
    queue: &'q Queue,
    device: &'q DeviceInfo,
    limits: Limits,
}

impl<'q> Executor<'q> {
    /// On the queue's device, or as on a device with other facts.
    fn new<T: Scalar>(queue: &'q Queue, device: &'q DeviceInfo) -> Result<Self> {
        device.require(T::KIND)?;
        let mut limits = Limits::on(queue);
        limits.workspace_bytes /= 2; // Panels are in workspace, too.
        Ok(Executor { queue, device, limits })
    }

    /// Products are limited to `units` compute units.
    const fn within(self, units: usize) -> Self {
        Executor { limits: Limits { units: Some(units), ..self.limits }, ..self }
    }

    /// C := C - A B for an m x n C and an inner dimension k, or for a triangle of C.
    fn subtract<T: Scalar>(
        &self,
        [m, n, k]: [usize; 3],
        a: Block<'_>,
        b: Block<'_>,
        c: Block<'_>,
        target: Target,
    ) -> Result<()> {
        self.product([m, n, k], -T::ONE, a, b, T::ONE, c, target)
    }

    /// C := alpha A B + beta C.
    #[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
    fn product<T: Scalar>(
        &self,
        [m, n, k]: [usize; 3],
        alpha: T,
        a: Block<'_>,
        b: Block<'_>,
        beta: T,
        c: Block<'_>,
        target: Target,
    ) -> Result<()> {
        if m == 0 || n == 0 || k == 0 {
            return Ok(());
        }
        let (kind, swapped) = (T::KIND, false);
        let problem = GemmProblem { kind, m, n, k, a: a.operand, b: b.operand, c: c.operand, target, swapped };
        let problem = if problem.c.row_stride == 1 { problem } else { problem.transposed() };
        let call = GemmCall { queue: self.queue, alpha, a: a.memory, b: b.memory, beta, c: c.memory };
        execute_best(&call, &problem, &self.limits).map(drop)
    }

    /// Solves a triangular system with a block for the matrix and for the right-hand sides.
    fn solve<T: Scalar>(&self, problem: &TrsmProblem, a: &dyn DeviceMemory, b: &dyn DeviceMemory) -> Result<()> {
        let plan = TrsmPlan::choose(problem, false, self.device, TrsmMemory::of(self.queue, problem, self.device));
        self.solve_by::<T>(problem, &plan, a, b)
    }

    /// [`Self::solve`] with about `blocks` inverted diagonal blocks.
    fn solve_in<T: Scalar>(
        &self,
        blocks: usize,
        problem: &TrsmProblem,
        a: &dyn DeviceMemory,
        b: &dyn DeviceMemory,
    ) -> Result<()> {
        let workspace = TrsmMemory::of(self.queue, problem, self.device);
        let plan = TrsmPlan::of_blocks(problem, blocks, false, self.device, workspace);
        self.solve_by::<T>(problem, &plan, a, b)
    }

    fn solve_by<T: Scalar>(
        &self,
        problem: &TrsmProblem,
        plan: &TrsmPlan,
        a: &dyn DeviceMemory,
        b: &dyn DeviceMemory,
    ) -> Result<()> {
        let call = TrsmCall { queue: self.queue, alpha: T::ONE, a, b };
        execute_trsm(&call, problem, plan, self.device).map(drop)
    }

    /// The inverse of a lower triangle of n rows, with zeros above its diagonal.
    fn inverse<T: Scalar>(&self, n: usize, diagonal: Diag, a: Block<'q>) -> Result<Workspace<'q>> {
        let triangle = Triangle::Lower;
        let problem = TrsmProblem { kind: T::KIND, n, columns: 0, a: a.operand, triangle, diagonal, b: a.operand };
        let call = TrsmCall { queue: self.queue, alpha: T::ONE, a: a.memory, b: a.memory };
        invert(&call, &problem, self.device)
    }

    /// B := A.
    fn copy<T: Scalar>(&self, [rows, columns]: [usize; 2], a: Block<'_>, b: Block<'_>) -> Result<()> {
        let term = Term { factor: T::ONE, memory: a.memory, operand: a.operand };
        enqueue_sum::<T>(self.queue, rows, columns, &[term], (b.memory, b.operand), false).map(drop)
    }

    /// A := 0.
    fn clear_matrix<T: Scalar>(&self, [rows, columns]: [usize; 2], a: Block<'_>) -> Result<()> {
        enqueue_sum::<T>(self.queue, rows, columns, &[], (a.memory, a.operand), false).map(drop)
    }

    /// An event for all work enqueued so far; flushes the queue.
    fn finish(&self) -> Result<Event> {
        let event = self.queue.marker()?;
        self.queue.flush()?;
        Ok(event)
    }
}

pub(crate) fn device_info(queue: &Queue) -> &DeviceInfo {
    queue.context().device().info()
}

/// Work-items of a group that works together on a panel or on interchanges.
const THREADS: usize = 256;

/// Local memory that such a group may need.
const LOCAL_BYTES: u64 = 32 << 10;

/// True for devices with warps of 32 that have `shfl.sync` and `redux.sync` in inline PTX.
fn has_warps(device: &DeviceInfo) -> bool {
    device.nvidia.redux
}

/// Minimum of rows and columns for factorisations with look-ahead.
const LOOK_AHEAD_MIN_ORDER: usize = 1536;
/// Compute units that a device has at least for both.
const LOOK_AHEAD_MIN_UNITS: usize = 100;

/// Look-ahead: the trailing update runs on a second queue while the next block is factorised. It needs a device known
/// to run two queues concurrently, and enough compute units to share. If the trailing update dominates (a side
/// longer than `max_size`), it gets the whole device instead.
fn has_look_ahead([rows, columns]: [usize; 2], max_size: usize, device: &DeviceInfo) -> bool {
    let is_fit = rows.min(columns) >= LOOK_AHEAD_MIN_ORDER && rows.max(columns) <= max_size;
    is_fit && has_warps(device) && device.compute_units >= LOOK_AHEAD_MIN_UNITS
}

/// Runs `work`, which enqueues on both queues. Later commands on `queue` wait for those of `second`; after an error the
/// second queue is drained at once.
fn with_second_queue(queue: &Queue, second: &Queue, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let result = work().and_then(|()| queue.wait_for_queue(second));
    if result.is_err() {
        // The first error is the one to report.
        let _ = second.finish();
    }
    result
}

/// True if work-groups that cooperate through local memory are fast on the device.
fn has_groups(device: &DeviceInfo) -> bool {
    device.class == DeviceClass::Gpu
        && device.max_work_group_size >= THREADS
        && device.local_memory_bytes >= LOCAL_BYTES
}

/// Rows are numbered by `i32`.
fn check_rows(rows: usize) -> Result<()> {
    if rows <= i32::MAX as usize {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{rows} rows are more than pivots can number")))
}

/// [`check_rows`], except that a matrix without columns may have any number of rows: no pivot refers to them.
fn check_rows_of(rows: usize, columns: usize) -> Result<()> {
    if columns == 0 { Ok(()) } else { check_rows(rows) }
}

/// Refuses right-hand sides of another height than the matrix.
fn check_right_hand_sides(order: usize, rows: usize) -> Result<()> {
    if rows == order {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("the matrix has {order} rows, B has {rows}")))
}
