//! LAPACK on a device: factorisations, what is solved with them, and inverses.
//!
//! All work is enqueued at once and nothing is waited for: pivots, factors of reflections and the info stay in the device's memory.
//! Panels and blocks on the diagonal are a kernel's work, the rest is products and triangular systems of level 3.

pub(crate) mod batched;
pub(crate) mod cholesky;
mod interchange;
mod lauum;
pub(crate) mod lu;
mod mixed;
mod native;
mod norm;
mod outcome;
pub(crate) mod qr;
#[cfg(test)]
mod tests;
mod triangular;

pub use batched::{
    geqrf_batched_on, gesv_batched_on, getrf_batched_on, getrs_batched_on, posv_batched_on, potrf_batched_on,
    potrs_batched_on,
};
pub use cholesky::{posv_on, potrf_on, potri_on, potrs_on};
pub use interchange::laswp_on;
pub use lauum::lauum_on;
pub use lu::{gesv_on, getrf_on, getri_on, getrs_on};
pub use mixed::{gesv_mixed_on, posv_mixed_on};
pub(crate) use norm::enqueue as enqueue_norm;
pub use norm::{lange_on, lanhe_on, lansy_on, lantr_on};
pub(crate) use qr::keep_or_adjoint;
pub use qr::{gels_on, geqrf_on, orgqr_on, ormqr_on};
pub use triangular::{trtri_on, trtrs_on};

use crate::blas::device_buffer;
use crate::blas::level3::gemm::{GemmCall, GemmProblem, Limits, Operand, Target, execute_best};
use crate::blas::level3::trsm::{TrsmCall, TrsmPlan, TrsmProblem, TrsmRoom, execute as execute_trsm, invert};
use crate::blas::movement::{Term, enqueue_sum};
use crate::context::{DeviceMemory, Event, Queue, QueueParts, Scratch};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::options::{Diag, Op, Triangle};
use crate::scalar::{Element, Scalar};
use crate::view::{VectorMut, VectorRef, View};

/// Adjacent numbers in device memory.
#[derive(Clone, Copy)]
struct Entries<'a> {
    memory: &'a dyn DeviceMemory,
    /// Where the first one lies.
    offset: usize,
}

impl<'a> Entries<'a> {
    /// The pivots of a vector, which must be as many at least, and adjacent.
    fn pivots(queue: &Queue, pivots: &VectorRef<'a, i32>, count: usize) -> Result<Self> {
        Self::of("pivots", queue, pivots, count)
    }

    /// The factors of reflections in a vector, which must be as many at least, and adjacent.
    fn tau<T: Scalar>(queue: &Queue, tau: &VectorRef<'a, T>, count: usize) -> Result<Self> {
        Self::of("tau", queue, tau, count)
    }

    /// Those from one on.
    const fn from(self, first: usize) -> Self {
        Entries { offset: self.offset + first, ..self }
    }

    fn of<V: Element>(name: &'static str, queue: &Queue, vector: &VectorRef<'a, V>, count: usize) -> Result<Self> {
        let (length, increment) = (vector.length(), vector.shape().increment());
        if length < count {
            return Err(Error::ShapeMismatch(format!("{name}: {length} elements, and {count} are needed")));
        }
        if increment != 1 {
            return Err(Error::argument(name, format!("the increment is {increment}, and must be 1")));
        }
        Ok(Entries { memory: device_buffer(queue, vector.memory(), name)?, offset: vector.shape().offset() })
    }

    /// The place of an info.
    fn info(queue: &Queue, info: &VectorMut<'a, i32>) -> Result<Self> {
        Self::number("the info", queue, info)
    }

    /// The place of one number.
    fn number<V: Element>(name: &'static str, queue: &Queue, place: &VectorMut<'a, V>) -> Result<Self> {
        if place.length() != 1 {
            return Err(Error::ShapeMismatch(format!("{name} is one number, not {}", place.length())));
        }
        Ok(Entries { memory: device_buffer(queue, place.memory(), name)?, offset: place.shape().offset() })
    }
}

/// The same vector, to read.
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

/// The parts that all factorisations are made of.
#[derive(Clone, Copy)]
struct Parts<'q> {
    queue: &'q Queue,
    device: &'q DeviceInfo,
    limits: Limits,
}

impl<'q> Parts<'q> {
    /// On the queue's device, or as on another one with these facts.
    fn new<T: Scalar>(queue: &'q Queue, device: &'q DeviceInfo) -> Result<Self> {
        device.require(T::KIND)?;
        let mut limits = Limits::on(queue);
        limits.scratch_bytes /= 2; // Panels are in scratch memory, too.
        Ok(Parts { queue, device, limits })
    }

    /// The same for products that take so many compute units.
    const fn within(self, units: usize) -> Self {
        Parts { limits: Limits { units: Some(units), ..self.limits }, ..self }
    }

    /// C := C - A B for an m x n C and k columns of A, or a part of C.
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
        let plan = TrsmPlan::choose(problem, false, self.device, TrsmRoom::of(self.queue, problem, self.device));
        self.solve_by::<T>(problem, &plan, a, b)
    }

    /// The same by products with the inverses of about so many blocks.
    fn solve_in<T: Scalar>(
        &self,
        blocks: usize,
        problem: &TrsmProblem,
        a: &dyn DeviceMemory,
        b: &dyn DeviceMemory,
    ) -> Result<()> {
        let room = TrsmRoom::of(self.queue, problem, self.device);
        let plan = TrsmPlan::of_blocks(problem, blocks, false, self.device, room);
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
    fn inverse<T: Scalar>(&self, n: usize, diagonal: Diag, a: Block<'q>) -> Result<Scratch<'q>> {
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

    /// What tells when all of it is done.
    fn finish(&self) -> Result<Event> {
        let event = self.queue.marker()?;
        self.queue.flush()?;
        Ok(event)
    }
}

/// What a queue's device says of itself.
fn device_info(queue: &Queue) -> &DeviceInfo {
    queue.context().device().info()
}

/// Work-items of a group that works together on a panel or on interchanges.
const THREADS: usize = 256;

/// Local memory that such a group may need.
const LOCAL_BYTES: u64 = 32 << 10;

/// Devices with warps of 32 that exchange values by `shfl.sync` and `redux.sync`, as inline PTX.
fn has_warps(device: &DeviceInfo) -> bool {
    device.nvidia.redux
}

/// The shorter side, at least, of matrices that are factorised with look-ahead.
const AHEAD_FROM: usize = 1536;
/// Compute units that a device has at least for both.
const UNITS_AHEAD: usize = 100;

/// Whether the rest of a matrix is brought up to date while its next block is factorised, on compute units of its own: with too many of
/// these the block's launches wait, with too few it waits itself in the end. Where products are most of the work, on small devices and of
/// matrices with a side longer than `most`, they have all of the device instead; and where a device is not known to work on two queues at a time.
fn works_ahead([rows, columns]: [usize; 2], most: usize, device: &DeviceInfo) -> bool {
    let is_fit = rows.min(columns) >= AHEAD_FROM && rows.max(columns) <= most;
    is_fit && has_warps(device) && device.compute_units >= UNITS_AHEAD
}

/// Does work that has commands on a queue and on one beside it, which are both idle again after what is enqueued on the first one then;
/// after an error the second is idle at once.
fn joined(queue: &Queue, beside: &Queue, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let result = work().and_then(|()| queue.wait_for_queue(beside));
    if result.is_err() {
        // The first error is the one to report.
        let _ = beside.finish();
    }
    result
}

/// Whether groups of work-items with local memory are fast on a device.
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

/// As [`check_rows`], for a matrix that may have no columns: then no row is ever numbered.
fn check_rows_of(rows: usize, columns: usize) -> Result<()> {
    if columns == 0 { Ok(()) } else { check_rows(rows) }
}

/// Refuses right-hand sides of another height than the matrix.
fn check_rights(order: usize, rows: usize) -> Result<()> {
    if rows == order {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("the matrix has {order} rows, B has {rows}")))
}
