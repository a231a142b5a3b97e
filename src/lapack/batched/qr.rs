//! A = Q R for each matrix of a batch.

use affinimath_macros::instances;

use super::copies::ALL;
use super::plan::{BatchedQrPlan, Team};
use super::{Matrices, PerMatrix};
use crate::context::{ContextParts, Event, Queue};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::lapack::{Executor, check_rows_of, device_info, geqrf_on, read_only};
use crate::launch::Launch;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{BatchMut, MatrixMut, VectorMut, VectorShape, View};

/// Work-items that reduce the partial sums of a group.
const SUMMERS: usize = 16;

/// A = Q R for each m x n matrix of a batch on a device; see [`crate::geqrf_on`].
///
/// Factors of consecutive matrices begin `tau_stride` apart in `tau`, at least min(m, n) if there are several. It
/// returns as soon as the work is enqueued. An empty batch is a no-op.
///
/// # Errors
/// Those of [`crate::geqrf_on`].
#[instances]
pub fn geqrf_batched_on<T: Scalar>(
    queue: &Queue,
    a: BatchMut<'_, T>,
    tau: VectorMut<'_, T>,
    tau_stride: usize,
) -> Result<Event> {
    geqrf_batched_with_plan(queue, &a, (&tau, tau_stride), (None, device_info(queue)))
}

/// [`geqrf_batched_on`] by a given plan, or by the one for these facts.
pub(in crate::lapack) fn geqrf_batched_with_plan<T: Scalar>(
    queue: &Queue,
    a: &BatchMut<'_, T>,
    (tau, tau_stride): (&VectorMut<'_, T>, usize),
    (plan, device): (Option<BatchedQrPlan>, &DeviceInfo),
) -> Result<Event> {
    let matrices = Matrices::new(queue, a.memory(), *a.shape(), "A")?;
    let ([rows, columns], count) = (matrices.size(), matrices.count());
    check_rows_of(rows, columns)?;
    let executor = Executor::new::<T>(queue, device)?;
    let order = rows.min(columns);
    let taus = PerMatrix::new("tau", queue, &read_only(tau), (order, tau_stride), count)?;
    if order == 0 || count == 0 {
        return Ok(Event::Complete);
    }
    let plan = plan.unwrap_or_else(|| BatchedQrPlan::choose(T::KIND, [rows, columns], count, device));
    tracing::debug!(rows, columns, count, ?plan, device = device.name, "geqrf batched");
    if plan == BatchedQrPlan::Each {
        for i in 0..count {
            let one = MatrixMut::from_parts(a.memory(), a.shape().one(i));
            let shape = VectorShape::new(order, tau.shape().offset() + i * tau_stride, 1)?;
            drop(geqrf_on(queue, one, VectorMut::from_parts(tau.memory(), shape))?);
        }
    } else if matches!(plan, BatchedQrPlan::Items { .. }) && !matrices.has_columns() {
        executor
            .on_copies::<T>(&matrices, (ALL, |_| ALL), |first, a| enqueue::<T>(&executor, plan, a, taus.from(first)))?;
    } else {
        enqueue::<T>(&executor, plan, &matrices, taus)?;
    }
    executor.finish()
}

/// All matrices in one launch.
fn enqueue<T: Scalar>(
    executor: &Executor<'_>,
    plan: BatchedQrPlan,
    a: &Matrices<'_>,
    tau: PerMatrix<'_>,
) -> Result<()> {
    let ([rows, columns], count, operand) = (a.size(), a.count(), a.operand());
    let (source, groups, threads) = kernel::<T>(plan, [rows, columns], count, executor.device);
    let context = executor.queue.context();
    let program = context.program(&source)?;
    let launch = Launch::new(executor.queue, &program, "geqrf_batched")
        .count(rows)
        .count(columns)
        .buffer(a.memory)
        .index(operand.offset);
    let by_items = matches!(plan, BatchedQrPlan::Items { .. });
    let launch = if by_items { launch } else { launch.index(operand.row_stride) };
    let offsets = a.offsets(executor.queue)?;
    let launch = offsets.arguments(tau.arguments(launch.index(operand.column_stride)), a.memory, &[0]);
    let launch = if let BatchedQrPlan::Items { per_item } = plan { launch.index(per_item) } else { launch };
    launch.enqueue_step([groups, 1, 1], [threads, 1, 1])
}

/// A plan's program, its work-groups, and their work-items.
fn kernel<T: Scalar>(
    plan: BatchedQrPlan,
    [rows, columns]: [usize; 2],
    count: usize,
    device: &DeviceInfo,
) -> (ProgramSource, usize, usize) {
    let program = |name, path, definitions| ProgramSource { name, kind: T::KIND, root: source(path), definitions };
    match plan {
        BatchedQrPlan::Teams => {
            let team = Team::new(columns, rows);
            let definitions = vec![
                ("TEAM", team.members as i64),
                ("TEAMS", team.teams as i64),
                ("HEIGHT", team.width as i64),
                ("STEP", team.step as i64),
            ];
            (
                program("qr batched", "lapack/batched/qr_columns.cl", definitions),
                count.div_ceil(team.teams),
                team.threads(),
            )
        }
        BatchedQrPlan::Groups { threads } => {
            let definitions = vec![("THREADS", threads as i64), ("REDUCERS", SUMMERS as i64)];
            (program("qr batched in memory", "lapack/batched/qr_group.cl", definitions), count, threads)
        }
        BatchedQrPlan::Items { per_item } => {
            let definitions = vec![("VECTOR_WIDTH", device.vector_width(T::KIND) as i64)];
            (program("qr batched cpu", "lapack/batched/qr_cpu.cl", definitions), count.div_ceil(per_item), 1)
        }
        BatchedQrPlan::Each => unreachable!("matrices of their own"),
    }
}
