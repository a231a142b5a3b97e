//! Batched Cholesky factorisation A = L Lᴴ, and the solvers that use it.

use affinimath_macros::instances;

use super::copies::{ALL, Selection};
use super::plan::{BatchedFactorPlan, Team};
use super::{Matrices, check_right_hand_sides};
use crate::blas::level3::square;
use crate::context::{ContextParts, Event, Queue};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::lapack::cholesky::{CholeskyPlan, potrf_with_plan};
use crate::lapack::{DeviceSlice, Executor, check_rows, device_info, read_only};
use crate::launch::Launch;
use crate::options::{Diag, Layout, Op, Triangle};
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchRef, BatchShape, MatrixMut, MatrixShape, VectorMut, VectorShape, View};

/// The diagonal and below.
const LOWER: Selection<'static> = Selection { lower: true, guard: None };

/// A = L Lᴴ or Uᴴ U for each symmetric or Hermitian positive definite matrix of a batch on a device; see
/// [`crate::potrf_on`]. Only the stored triangle is read and written.
///
/// `info` has one element per matrix: 0, or the order of its first leading minor that is not positive. Such a matrix
/// does not affect the others. It returns as soon as the work is enqueued. An empty batch is a no-op.
///
/// # Errors
/// Those of [`crate::potrf_on`].
#[instances]
pub fn potrf_batched_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: BatchMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    potrf_batched_with_plan(queue, triangle, &a, &info, (None, device_info(queue)))
}

/// [`potrf_batched_on`] by a given plan, or by the one for these facts.
pub(in crate::lapack) fn potrf_batched_with_plan<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: &BatchMut<'_, T>,
    info: &VectorMut<'_, i32>,
    plan: (Option<BatchedFactorPlan>, &DeviceInfo),
) -> Result<Event> {
    let cholesky = Cholesky::new(queue, triangle, a, info, plan)?;
    cholesky.run(triangle, a, info)?;
    cholesky.executor.finish()
}

/// Solves A X = B for each matrix of a batch with [`potrf_batched_on`]'s factors on a device; see [`crate::potrs_on`].
/// X overwrites B. It returns as soon as the work is enqueued.
///
/// # Errors
/// Those of [`potrf_batched_on`].
#[instances]
pub fn potrs_batched_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factor: BatchRef<'_, T>,
    b: BatchMut<'_, T>,
) -> Result<Event> {
    square(factor.shape().matrix(), "the factor")?;
    check_right_hand_sides(factor.shape(), b.shape())?;
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let factor = Matrices::new(queue, factor.memory(), *factor.shape(), "the factor")?;
    let b = Matrices::new(queue, b.memory(), *b.shape(), "B")?;
    solve::<T>(&executor, triangle, &factor, &b)?;
    executor.finish()
}

/// Solves A X = B for each matrix of a batch by Cholesky factorisation on a device; see [`crate::posv_on`]. If a
/// matrix's info is not 0, its B is unchanged. It returns as soon as the work is enqueued.
///
/// # Errors
/// Those of [`potrf_batched_on`].
#[instances]
pub fn posv_batched_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: BatchMut<'_, T>,
    b: BatchMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    posv_batched_with_plan(queue, triangle, &a, &b, &info, (None, device_info(queue)))
}

/// [`posv_batched_on`] by a given plan, or by the one for these facts.
pub(in crate::lapack) fn posv_batched_with_plan<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: &BatchMut<'_, T>,
    b: &BatchMut<'_, T>,
    info: &VectorMut<'_, i32>,
    plan: (Option<BatchedFactorPlan>, &DeviceInfo),
) -> Result<Event> {
    check_right_hand_sides(a.shape(), b.shape())?;
    let cholesky = Cholesky::new(queue, triangle, a, info, plan)?;
    let factor = Matrices::new(queue, a.memory(), *a.shape(), "A")?;
    let b = Matrices::new(queue, b.memory(), *b.shape(), "B")?;
    cholesky.run(triangle, a, info)?;
    let guarded = |first| Selection { lower: false, guard: Some(cholesky.info.from(first)) };
    cholesky.executor.on_copies::<T>(&b, (ALL, guarded), |first, x| {
        solve::<T>(&cholesky.executor, triangle, &factor.part(first, x.count()), x)
    })?;
    cholesky.executor.finish()
}

fn solve<T: Scalar>(
    executor: &Executor<'_>,
    triangle: Triangle,
    factor: &Matrices<'_>,
    b: &Matrices<'_>,
) -> Result<()> {
    if b.size().contains(&0) || b.count() == 0 {
        return Ok(());
    }
    let ops = if triangle == Triangle::Lower { [Op::NoTrans, Op::ConjTrans] } else { [Op::ConjTrans, Op::NoTrans] };
    ops.into_iter().try_for_each(|op| executor.solve_batched::<T>((triangle, op, Diag::NonUnit), factor, b))
}

/// The factorisation of a batch.
struct Cholesky<'a> {
    executor: Executor<'a>,
    plan: BatchedFactorPlan,
    /// The matrices, or their transposes: the lower triangles are factorised.
    lower: Matrices<'a>,
    info: DeviceSlice<'a>,
}

impl<'a> Cholesky<'a> {
    fn new<T: Scalar>(
        queue: &'a Queue,
        triangle: Triangle,
        a: &BatchMut<'a, T>,
        info: &VectorMut<'a, i32>,
        (plan, device): (Option<BatchedFactorPlan>, &'a DeviceInfo),
    ) -> Result<Self> {
        let order = square(a.shape().matrix(), "A")?;
        check_rows(order)?;
        let shape = if triangle == Triangle::Lower { *a.shape() } else { transposed(a.shape())? };
        let (lower, count) = (Matrices::new(queue, a.memory(), shape, "A")?, shape.count());
        let executor = Executor::new::<T>(queue, device)?;
        let info = DeviceSlice::of("the infos", queue, &read_only(info), count)?;
        let plan = plan.unwrap_or_else(|| BatchedFactorPlan::choose(T::KIND, [order; 2], count, device));
        tracing::debug!(order, count, ?plan, device = device.name, "potrf batched");
        Ok(Cholesky { executor, plan, lower, info })
    }

    fn run<T: Scalar>(&self, triangle: Triangle, a: &BatchMut<'_, T>, info: &VectorMut<'_, i32>) -> Result<()> {
        if self.lower.count() == 0 {
            return Ok(());
        }
        match self.plan {
            BatchedFactorPlan::Each => {
                let plan = CholeskyPlan::choose(T::KIND, self.lower.size()[0], self.executor.device);
                for i in 0..self.lower.count() {
                    let one = MatrixMut::from_parts(a.memory(), a.shape().one(i));
                    let shape = VectorShape::new(1, info.shape().offset() + i, 1)?;
                    let info = VectorMut::from_parts(info.memory(), shape);
                    drop(potrf_with_plan(self.executor.queue, triangle, one, &info, (&plan, self.executor.device))?);
                }
                Ok(())
            }
            BatchedFactorPlan::Teams { width } => {
                let order = self.lower.size()[0];
                (0..order.max(1)).step_by(width).try_for_each(|first| self.panel::<T>(first, width.min(order)))
            }
            BatchedFactorPlan::Items { per_item } if self.lower.has_columns() => {
                self.by_items::<T>(&self.lower, 0, per_item)
            }
            BatchedFactorPlan::Items { per_item } => {
                let work = |first, a: &Matrices<'_>| self.by_items::<T>(a, first, per_item);
                self.executor.on_copies::<T>(&self.lower, (LOWER, |_| LOWER), work)
            }
        }
    }

    /// Factorises `width` columns of all matrices from column `first` on, after the columns left of them.
    fn panel<T: Scalar>(&self, first: usize, width: usize) -> Result<()> {
        let (order, operand) = (self.lower.size()[0], self.lower.operand());
        let mut team = Team::new(order - first, width);
        if first > 0 {
            team = team.with_own_group();
        }
        let definitions = vec![
            ("TEAM", team.members as i64),
            ("TEAMS", team.teams as i64),
            ("WIDTH", team.width as i64),
            ("STEP", team.step as i64),
            ("LEFT", i64::from(first > 0)),
        ];
        let source = ProgramSource {
            name: "cholesky batched",
            kind: T::KIND,
            root: source("lapack/batched/cholesky_rows.cl"),
            definitions,
        };
        let context = self.executor.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(self.executor.queue, &program, "potrf_batched")
            .count(order)
            .count(first)
            .buffer(self.lower.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .buffer(self.info.memory)
            .index(self.info.offset);
        let groups = self.lower.count().div_ceil(team.teams);
        let offsets = self.lower.offsets(self.executor.queue)?;
        offsets.arguments(launch, self.lower.memory, &[0]).enqueue_step([groups, 1, 1], [team.threads(), 1, 1])
    }

    /// Matrices with contiguous columns, of which the first one is numbered `first`, by work-items of a CPU.
    fn by_items<T: Scalar>(&self, a: &Matrices<'_>, first: usize, per_item: usize) -> Result<()> {
        let operand = a.operand();
        let definitions = vec![("VECTOR_WIDTH", self.executor.device.vector_width(T::KIND) as i64)];
        let source = ProgramSource {
            name: "cholesky batched cpu",
            kind: T::KIND,
            root: source("lapack/batched/cholesky_cpu.cl"),
            definitions,
        };
        let context = self.executor.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(self.executor.queue, &program, "potrf_batched")
            .count(a.size()[0])
            .buffer(a.memory)
            .index(operand.offset)
            .index(operand.column_stride)
            .buffer(self.info.memory)
            .index(self.info.offset + first);
        let offsets = a.offsets(self.executor.queue)?;
        let launch = offsets.arguments(launch, a.memory, &[0]).index(per_item);
        launch.enqueue_step([a.count().div_ceil(per_item), 1, 1], [1, 1, 1])
    }
}

/// The transposed matrices in the same memory.
fn transposed<'a>(shape: &BatchShape<'a>) -> Result<BatchShape<'a>> {
    let matrix = shape.matrix();
    let layout = if matrix.layout() == Layout::ColumnMajor { Layout::RowMajor } else { Layout::ColumnMajor };
    let (rows, columns) = (matrix.columns(), matrix.rows());
    shape.with_matrix(MatrixShape::new(layout, rows, columns, matrix.offset(), matrix.leading_dimension())?)
}
