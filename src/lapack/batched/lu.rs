//! Batched LU with partial pivoting, and the solvers that use it.

use affinimath_macros::instances;

use super::copies::{ALL, Selection};
use super::plan::{BatchedFactorPlan, Team};
use super::{INDEPENDENT, Matrices, PerMatrix, check_right_hand_sides};
use crate::blas::level3::square;
use crate::context::{ContextParts, Event, Queue};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::lapack::lu::{LuPlan, getrf_with_plan};
use crate::lapack::{DeviceSlice, Executor, check_rows, check_rows_of, device_info, read_only};
use crate::launch::Launch;
use crate::options::{Diag, Op, PivotOrder, Triangle};
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchRef, MatrixMut, VectorMut, VectorRef, VectorShape, View};

/// P A = L U with partial pivoting for each m x n matrix of a batch on a device; see [`crate::getrf_on`].
///
/// Pivots of consecutive matrices begin `pivot_stride` apart in `pivots`, at least min(m, n) if there are several.
/// `info` has one element per matrix: 0, or the 1-based index of its first pivot that is exactly zero. Its
/// factorisation is complete in that case too, and does not affect the others. It returns as soon as the work is
/// enqueued. An empty batch is a no-op.
///
/// # Errors
/// Those of [`crate::getrf_on`].
#[instances]
pub fn getrf_batched_on<T: Scalar>(
    queue: &Queue,
    a: BatchMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    pivot_stride: usize,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    getrf_batched_with_plan(queue, &a, (&pivots, pivot_stride), &info, (None, device_info(queue)))
}

/// [`getrf_batched_on`] by a given plan, or by the one for these facts.
pub(in crate::lapack) fn getrf_batched_with_plan<T: Scalar>(
    queue: &Queue,
    a: &BatchMut<'_, T>,
    pivots: (&VectorMut<'_, i32>, usize),
    info: &VectorMut<'_, i32>,
    plan: (Option<BatchedFactorPlan>, &DeviceInfo),
) -> Result<Event> {
    let lu = Lu::new(queue, a, pivots, info, plan)?;
    lu.run(a, pivots.0, info)?;
    lu.executor.finish()
}

/// Solves op(A) X = B for each matrix of a batch with [`getrf_batched_on`]'s factors of square matrices on a device;
/// see [`crate::getrs_on`]. X overwrites B. It returns as soon as the work is enqueued.
///
/// # Errors
/// Those of [`getrf_batched_on`].
#[instances]
pub fn getrs_batched_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    factors: BatchRef<'_, T>,
    pivots: VectorRef<'_, i32>,
    pivot_stride: usize,
    b: BatchMut<'_, T>,
) -> Result<Event> {
    let n = square(factors.shape().matrix(), "the factors")?;
    check_right_hand_sides(factors.shape(), b.shape())?;
    check_rows(n)?;
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let factors = Matrices::new(queue, factors.memory(), *factors.shape(), "the factors")?;
    let pivots = PerMatrix::new("pivots", queue, &pivots, (n, pivot_stride), factors.count())?;
    let b = Matrices::new(queue, b.memory(), *b.shape(), "B")?;
    solve::<T>(&executor, op, &factors, pivots, &b)?;
    executor.finish()
}

/// Solves A X = B for each matrix of a batch by LU on a device; see [`crate::gesv_on`]. If a matrix's info is not 0,
/// its B is unchanged. It returns as soon as the work is enqueued.
///
/// # Errors
/// Those of [`getrf_batched_on`].
#[instances]
pub fn gesv_batched_on<T: Scalar>(
    queue: &Queue,
    a: BatchMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    pivot_stride: usize,
    b: BatchMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    gesv_batched_with_plan(queue, &a, (&pivots, pivot_stride), &b, &info, (None, device_info(queue)))
}

/// [`gesv_batched_on`] by a given plan, or by the one for these facts.
pub(in crate::lapack) fn gesv_batched_with_plan<T: Scalar>(
    queue: &Queue,
    a: &BatchMut<'_, T>,
    pivots: (&VectorMut<'_, i32>, usize),
    b: &BatchMut<'_, T>,
    info: &VectorMut<'_, i32>,
    plan: (Option<BatchedFactorPlan>, &DeviceInfo),
) -> Result<Event> {
    square(a.shape().matrix(), "A")?;
    check_right_hand_sides(a.shape(), b.shape())?;
    let lu = Lu::new(queue, a, pivots, info, plan)?;
    let b = Matrices::new(queue, b.memory(), *b.shape(), "B")?;
    lu.run(a, pivots.0, info)?;
    let guarded = |first| Selection { lower: false, guard: Some(lu.info.from(first)) };
    lu.executor.on_copies::<T>(&b, (ALL, guarded), |first, x| {
        solve::<T>(&lu.executor, Op::NoTrans, &lu.a.part(first, x.count()), lu.pivots.from(first), x)
    })?;
    lu.executor.finish()
}

/// op(A) X = B by interchanges and two triangular systems each.
fn solve<T: Scalar>(
    executor: &Executor<'_>,
    op: Op,
    factors: &Matrices<'_>,
    pivots: PerMatrix<'_>,
    b: &Matrices<'_>,
) -> Result<()> {
    let [n, columns] = b.size();
    if n == 0 || columns == 0 || b.count() == 0 {
        return Ok(());
    }
    let interchanges = Interchanges { first: 0, steps: n, gap: (0, 0), pivots };
    let (lower, upper) = ((Triangle::Lower, op, Diag::Unit), (Triangle::Upper, op, Diag::NonUnit));
    if op.transposes() {
        executor.solve_batched::<T>(upper, factors, b)?;
        executor.solve_batched::<T>(lower, factors, b)?;
        interchanges.run::<T>(executor, PivotOrder::Backward, b)
    } else {
        interchanges.run::<T>(executor, PivotOrder::Forward, b)?;
        executor.solve_batched::<T>(lower, factors, b)?;
        executor.solve_batched::<T>(upper, factors, b)
    }
}

/// Interchanges of rows of each matrix of a batch.
struct Interchanges<'a> {
    /// First interchanged row, and the number of interchanges.
    first: usize,
    steps: usize,
    /// Columns that are left out: the first one, and how many.
    gap: (usize, usize),
    /// Pivots of each matrix.
    pivots: PerMatrix<'a>,
}

impl Interchanges<'_> {
    fn run<T: Scalar>(&self, executor: &Executor<'_>, order: PivotOrder, a: &Matrices<'_>) -> Result<()> {
        let [rows, columns] = a.size();
        let moved = columns - self.gap.1;
        if moved == 0 || self.steps == 0 || a.count() == 0 {
            return Ok(());
        }
        let (name, operand) = ("lapack batched interchange", a.operand());
        let source =
            ProgramSource { name, kind: T::KIND, root: source("lapack/batched/laswp.cl"), definitions: Vec::new() };
        let context = executor.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(executor.queue, &program, "laswp_batched")
            .count(rows)
            .index(moved)
            .index(self.gap.0)
            .index(self.gap.1)
            .count(self.first)
            .count(self.steps)
            .flag(order == PivotOrder::Backward)
            .buffer(a.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride);
        let local = INDEPENDENT.min(executor.device.max_work_group_size);
        let offsets = a.offsets(executor.queue)?;
        offsets
            .arguments(self.pivots.arguments(launch), a.memory, &[0])
            .enqueue_step([(moved * a.count()).div_ceil(local), 1, 1], [local, 1, 1])
    }
}

/// The factorisation of a batch.
struct Lu<'a> {
    executor: Executor<'a>,
    plan: BatchedFactorPlan,
    a: Matrices<'a>,
    pivots: PerMatrix<'a>,
    info: DeviceSlice<'a>,
}

impl<'a> Lu<'a> {
    fn new<T: Scalar>(
        queue: &'a Queue,
        a: &BatchMut<'a, T>,
        (pivots, pivot_stride): (&VectorMut<'a, i32>, usize),
        info: &VectorMut<'a, i32>,
        (plan, device): (Option<BatchedFactorPlan>, &'a DeviceInfo),
    ) -> Result<Self> {
        let a = Matrices::new(queue, a.memory(), *a.shape(), "A")?;
        let ([rows, columns], count) = (a.size(), a.count());
        check_rows_of(rows, columns)?;
        let executor = Executor::new::<T>(queue, device)?;
        let each = (rows.min(columns), pivot_stride);
        let pivots = PerMatrix::new("pivots", queue, &read_only(pivots), each, count)?;
        let info = DeviceSlice::of("the infos", queue, &read_only(info), count)?;
        let plan = plan.unwrap_or_else(|| BatchedFactorPlan::choose(T::KIND, a.size(), count, device));
        tracing::debug!(rows, columns, count, ?plan, device = device.name, "getrf batched");
        Ok(Lu { executor, plan, a, pivots, info })
    }

    fn run<T: Scalar>(
        &self,
        a: &BatchMut<'_, T>,
        pivots: &VectorMut<'_, i32>,
        info: &VectorMut<'_, i32>,
    ) -> Result<()> {
        if self.a.count() == 0 {
            return Ok(());
        }
        match self.plan {
            BatchedFactorPlan::Each => self.one_by_one(a, pivots, info),
            BatchedFactorPlan::Teams { width } => self.by_panels::<T>(width),
            BatchedFactorPlan::Items { per_item } if self.a.has_columns() => self.by_items::<T>(&self.a, 0, per_item),
            BatchedFactorPlan::Items { per_item } => {
                self.executor.on_copies::<T>(&self.a, (ALL, |_| ALL), |first, a| self.by_items::<T>(a, first, per_item))
            }
        }
    }

    fn one_by_one<T: Scalar>(
        &self,
        a: &BatchMut<'_, T>,
        pivots: &VectorMut<'_, i32>,
        info: &VectorMut<'_, i32>,
    ) -> Result<()> {
        let [rows, columns] = self.a.size();
        let plan = LuPlan::choose(T::KIND, [rows, columns], self.executor.device);
        for i in 0..self.a.count() {
            let one = MatrixMut::from_parts(a.memory(), a.shape().one(i));
            let shape = pivots.shape().offset() + i * self.pivots.stride;
            let pivots = VectorRef::from_parts(pivots.memory(), VectorShape::new(rows.min(columns), shape, 1)?);
            let info = VectorMut::from_parts(info.memory(), VectorShape::new(1, info.shape().offset() + i, 1)?);
            drop(getrf_with_plan(self.executor.queue, one, &pivots, &info, (&plan, self.executor.device))?);
        }
        Ok(())
    }

    /// Right-looking over panels of all matrices: factorise, interchange rows left and right, solve for U12, update
    /// A22.
    fn by_panels<T: Scalar>(&self, width: usize) -> Result<()> {
        let ([rows, columns], executor) = (self.a.size(), &self.executor);
        let order = rows.min(columns);
        // A matrix without pivots still gets its info.
        for first in (0..order.max(1)).step_by(width) {
            // A wide matrix may fit into one panel.
            let wide = if columns <= width { columns } else { width.min(order - first) };
            let (height, right) = (rows - first, columns - first - wide);
            self.panel::<T>(first, wide)?;
            let pivots = self.pivots.elements_from(first);
            let interchanges = Interchanges { first, steps: wide.min(height), gap: (first, wide), pivots };
            interchanges.run::<T>(executor, PivotOrder::Forward, &self.a)?;
            if right == 0 {
                continue;
            }
            let (below, next) = ((first + wide, height - wide), (first + wide, right));
            let upper = self.a.block((first, wide), next)?;
            let options = (Triangle::Lower, Op::NoTrans, Diag::Unit);
            executor.solve_batched::<T>(options, &self.a.block((first, wide), (first, wide))?, &upper)?;
            executor.subtract_batched::<T>(
                &self.a.block(below, (first, wide))?,
                &upper,
                &self.a.block(below, next)?,
            )?;
        }
        Ok(())
    }

    /// The factors of the panels that begin in row and column `first`.
    fn panel<T: Scalar>(&self, first: usize, width: usize) -> Result<()> {
        let rows = self.a.size()[0] - first;
        let team = Team::new(rows, width);
        let panel = self.a.block((first, rows), (first, width))?;
        let operand = panel.operand();
        let definitions = vec![
            ("TEAM", team.members as i64),
            ("TEAMS", team.teams as i64),
            ("WIDTH", team.width as i64),
            ("STEP", team.step as i64),
        ];
        let source =
            ProgramSource { name: "lu batched", kind: T::KIND, root: source("lapack/batched/lu_rows.cl"), definitions };
        let context = self.executor.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(self.executor.queue, &program, "getrf_batched")
            .count(rows)
            .count(width)
            .buffer(panel.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .count(first);
        let launch =
            self.pivots.elements_from(first).arguments(launch).buffer(self.info.memory).index(self.info.offset);
        let offsets = panel.offsets(self.executor.queue)?;
        offsets
            .arguments(launch, panel.memory, &[0])
            .enqueue_step([panel.count().div_ceil(team.teams), 1, 1], [team.threads(), 1, 1])
    }

    /// Matrices with contiguous columns, of which the first one is numbered `first`, by work-items of a CPU.
    fn by_items<T: Scalar>(&self, a: &Matrices<'_>, first: usize, per_item: usize) -> Result<()> {
        let ([rows, columns], operand) = (a.size(), a.operand());
        let max_elements = rows.min(columns).next_power_of_two().max(32);
        let definitions =
            vec![("VECTOR_WIDTH", self.executor.device.vector_width(T::KIND) as i64), ("WIDTH", max_elements as i64)];
        let source = ProgramSource {
            name: "lu batched cpu",
            kind: T::KIND,
            root: source("lapack/batched/lu_cpu.cl"),
            definitions,
        };
        let context = self.executor.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(self.executor.queue, &program, "getrf_batched")
            .count(rows)
            .count(columns)
            .buffer(a.memory)
            .index(operand.offset)
            .index(operand.column_stride);
        let info = self.info.from(first);
        let launch = self.pivots.from(first).arguments(launch).buffer(info.memory).index(info.offset);
        let offsets = a.offsets(self.executor.queue)?;
        let launch = offsets.arguments(launch, a.memory, &[0]).index(per_item);
        launch.enqueue_step([a.count().div_ceil(per_item), 1, 1], [1, 1, 1])
    }
}
