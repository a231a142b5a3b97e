//! P A = L U for each matrix of a batch, and what is solved with it.

use affinimath_macros::instances;

use super::copies::{ALL, Selection};
use super::plan::{BatchedFactorPlan, Team};
use super::{INDEPENDENT, Matrices, PLACES, PerMatrix, check_rights};
use crate::blas::level3::square;
use crate::context::{ContextParts, Event, Queue};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::lapack::lu::{LuPlan, getrf_by};
use crate::lapack::{Entries, Parts, check_rows, check_rows_of, device_info, read_only};
use crate::launch::Launch;
use crate::options::{Diag, Op, PivotOrder, Triangle};
use crate::program::ProgramSource;
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchRef, MatrixMut, VectorMut, VectorRef, VectorShape, View};

const DIVIDE: &str = include_str!("../../../cl/common/divide.cl");
const PIVOT: &str = include_str!("../../../cl/lapack/lu/pivot.cl");
const ROWS: &[&str] = &[
    DIVIDE,
    PIVOT,
    include_str!("../../../cl/lapack/lu/candidate.cl"),
    PLACES,
    include_str!("../../../cl/lapack/batched/lu_rows.cl"),
];
const CPU: &[&str] = &[
    include_str!("../../../cl/common/vectors.cl"),
    DIVIDE,
    PIVOT,
    include_str!("../../../cl/lapack/lu/columns_cpu.cl"),
    PLACES,
    include_str!("../../../cl/lapack/batched/lu_cpu.cl"),
];
const INTERCHANGE: &[&str] = &[PLACES, include_str!("../../../cl/lapack/batched/interchange.cl")];

/// P A = L U with partial pivoting for each m x n matrix of a batch on a device, as [`crate::getrf_on`] does for one.
///
/// The pivots of neighbouring matrices begin `pivot_stride` apart in `pivots`, at least min(m, n) where there are several.
/// `info`, of which there is one for each matrix, becomes 0 or the number of the matrix's first pivot that is exactly zero; its
/// factorisation is complete then, too, and the other matrices' are as if it was not there. It returns as soon as the work is
/// enqueued. Without matrices nothing is done.
///
/// # Errors
/// As [`crate::getrf_on`].
#[instances]
pub fn getrf_batched_on<T: Scalar>(
    queue: &Queue,
    a: BatchMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    pivot_stride: usize,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    getrf_batched_by(queue, &a, (&pivots, pivot_stride), &info, (None, device_info(queue)))
}

/// The same by a given plan, or by the one for these facts.
pub(in crate::lapack) fn getrf_batched_by<T: Scalar>(
    queue: &Queue,
    a: &BatchMut<'_, T>,
    pivots: (&VectorMut<'_, i32>, usize),
    info: &VectorMut<'_, i32>,
    plan: (Option<BatchedFactorPlan>, &DeviceInfo),
) -> Result<Event> {
    let lu = Lu::new(queue, a, pivots, info, plan)?;
    lu.run(a, pivots.0, info)?;
    lu.parts.finish()
}

/// Solves op(A) X = B for each matrix of a batch with [`getrf_batched_on`]'s factors of square matrices, X in B's place, on a
/// device, as [`crate::getrs_on`] does for one. It returns as soon as the work is enqueued.
///
/// # Errors
/// As [`getrf_batched_on`].
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
    check_rights(factors.shape(), b.shape())?;
    check_rows(n)?;
    let parts = Parts::new::<T>(queue, device_info(queue))?;
    let factors = Matrices::new(queue, factors.memory(), *factors.shape(), "the factors")?;
    let pivots = PerMatrix::new("pivots", queue, &pivots, (n, pivot_stride), factors.count())?;
    let b = Matrices::new(queue, b.memory(), *b.shape(), "B")?;
    solve::<T>(&parts, op, &factors, pivots, &b)?;
    parts.finish()
}

/// Solves A X = B for each matrix of a batch by LU on a device, as [`crate::gesv_on`] does for one: where a matrix's info is not 0,
/// its B stays as it is. It returns as soon as the work is enqueued.
///
/// # Errors
/// As [`getrf_batched_on`].
#[instances]
pub fn gesv_batched_on<T: Scalar>(
    queue: &Queue,
    a: BatchMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    pivot_stride: usize,
    b: BatchMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    gesv_batched_by(queue, &a, (&pivots, pivot_stride), &b, &info, (None, device_info(queue)))
}

/// The same by a given plan, or by the one for these facts.
pub(in crate::lapack) fn gesv_batched_by<T: Scalar>(
    queue: &Queue,
    a: &BatchMut<'_, T>,
    pivots: (&VectorMut<'_, i32>, usize),
    b: &BatchMut<'_, T>,
    info: &VectorMut<'_, i32>,
    plan: (Option<BatchedFactorPlan>, &DeviceInfo),
) -> Result<Event> {
    square(a.shape().matrix(), "A")?;
    check_rights(a.shape(), b.shape())?;
    let lu = Lu::new(queue, a, pivots, info, plan)?;
    let b = Matrices::new(queue, b.memory(), *b.shape(), "B")?;
    lu.run(a, pivots.0, info)?;
    let guarded = |first| Selection { lower: false, guard: Some(lu.info.from(first)) };
    lu.parts.on_copies::<T>(&b, (ALL, guarded), |first, x| {
        solve::<T>(&lu.parts, Op::NoTrans, &lu.a.part(first, x.count()), lu.pivots.from(first), x)
    })?;
    lu.parts.finish()
}

/// op(A) X = B by interchanges and two triangular systems each.
fn solve<T: Scalar>(
    parts: &Parts<'_>,
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
        parts.solve_batched::<T>(upper, factors, b)?;
        parts.solve_batched::<T>(lower, factors, b)?;
        interchanges.run::<T>(parts, PivotOrder::Backward, b)
    } else {
        interchanges.run::<T>(parts, PivotOrder::Forward, b)?;
        parts.solve_batched::<T>(lower, factors, b)?;
        parts.solve_batched::<T>(upper, factors, b)
    }
}

/// Interchanges of rows of each matrix of a batch.
struct Interchanges<'a> {
    /// The first row that changes its place, and how many do so.
    first: usize,
    steps: usize,
    /// Columns that are left out: the first one, and how many.
    gap: (usize, usize),
    /// The row that each of them changes places with.
    pivots: PerMatrix<'a>,
}

impl Interchanges<'_> {
    fn run<T: Scalar>(&self, parts: &Parts<'_>, order: PivotOrder, a: &Matrices<'_>) -> Result<()> {
        let [rows, columns] = a.size();
        let moved = columns - self.gap.1;
        if moved == 0 || self.steps == 0 || a.count() == 0 {
            return Ok(());
        }
        let (name, operand) = ("lapack batched interchange", a.operand());
        let source = ProgramSource { name, kind: T::KIND, files: INTERCHANGE, definitions: Vec::new() };
        let context = parts.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(parts.queue, &program, "interchange_batched")
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
        let local = INDEPENDENT.min(parts.device.max_work_group_size);
        let places = a.places(parts.queue)?;
        places
            .arguments(self.pivots.arguments(launch), a.memory, &[0])
            .enqueue_step([(moved * a.count()).div_ceil(local), 1, 1], [local, 1, 1])
    }
}

/// The factorisation of a batch.
struct Lu<'a> {
    parts: Parts<'a>,
    plan: BatchedFactorPlan,
    a: Matrices<'a>,
    pivots: PerMatrix<'a>,
    info: Entries<'a>,
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
        let parts = Parts::new::<T>(queue, device)?;
        let each = (rows.min(columns), pivot_stride);
        let pivots = PerMatrix::new("pivots", queue, &read_only(pivots), each, count)?;
        let info = Entries::of("the infos", queue, &read_only(info), count)?;
        let plan = plan.unwrap_or_else(|| BatchedFactorPlan::choose(T::KIND, a.size(), count, device));
        tracing::debug!(rows, columns, count, ?plan, device = device.name, "getrf batched");
        Ok(Lu { parts, plan, a, pivots, info })
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
                self.parts.on_copies::<T>(&self.a, (ALL, |_| ALL), |first, a| self.by_items::<T>(a, first, per_item))
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
        let plan = LuPlan::choose(T::KIND, [rows, columns], self.parts.device);
        for i in 0..self.a.count() {
            let one = MatrixMut::from_parts(a.memory(), a.shape().one(i));
            let place = pivots.shape().offset() + i * self.pivots.stride;
            let pivots = VectorRef::from_parts(pivots.memory(), VectorShape::new(rows.min(columns), place, 1)?);
            let info = VectorMut::from_parts(info.memory(), VectorShape::new(1, info.shape().offset() + i, 1)?);
            drop(getrf_by(self.parts.queue, one, &pivots, &info, (&plan, self.parts.device))?);
        }
        Ok(())
    }

    /// By panels of all matrices: their factors, then the interchanges beside them, the rows of U right of them, and what these
    /// account for below.
    fn by_panels<T: Scalar>(&self, width: usize) -> Result<()> {
        let ([rows, columns], parts) = (self.a.size(), &self.parts);
        let order = rows.min(columns);
        // Without pivots there is an info all the same.
        for first in (0..order.max(1)).step_by(width) {
            // A wide matrix may have the room in one panel.
            let wide = if columns <= width { columns } else { width.min(order - first) };
            let (height, right) = (rows - first, columns - first - wide);
            self.panel::<T>(first, wide)?;
            let pivots = self.pivots.behind(first);
            let interchanges = Interchanges { first, steps: wide.min(height), gap: (first, wide), pivots };
            interchanges.run::<T>(parts, PivotOrder::Forward, &self.a)?;
            if right == 0 {
                continue;
            }
            let (below, next) = ((first + wide, height - wide), (first + wide, right));
            let upper = self.a.block((first, wide), next)?;
            let options = (Triangle::Lower, Op::NoTrans, Diag::Unit);
            parts.solve_batched::<T>(options, &self.a.block((first, wide), (first, wide))?, &upper)?;
            parts.subtract_batched::<T>(&self.a.block(below, (first, wide))?, &upper, &self.a.block(below, next)?)?;
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
        let source = ProgramSource { name: "lu batched", kind: T::KIND, files: ROWS, definitions };
        let context = self.parts.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(self.parts.queue, &program, "lu_batched")
            .count(rows)
            .count(width)
            .buffer(panel.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .count(first);
        let launch = self.pivots.behind(first).arguments(launch).buffer(self.info.memory).index(self.info.offset);
        let places = panel.places(self.parts.queue)?;
        places
            .arguments(launch, panel.memory, &[0])
            .enqueue_step([panel.count().div_ceil(team.teams), 1, 1], [team.threads(), 1, 1])
    }

    /// Matrices with contiguous columns, of which the first one is numbered `first`, by work-items of a CPU.
    fn by_items<T: Scalar>(&self, a: &Matrices<'_>, first: usize, per_item: usize) -> Result<()> {
        let ([rows, columns], operand) = (a.size(), a.operand());
        let most = rows.min(columns).next_power_of_two().max(32);
        let definitions =
            vec![("VECTOR_WIDTH", self.parts.device.vector_width(T::KIND) as i64), ("WIDTH", most as i64)];
        let source = ProgramSource { name: "lu batched cpu", kind: T::KIND, files: CPU, definitions };
        let context = self.parts.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(self.parts.queue, &program, "lu_batched")
            .count(rows)
            .count(columns)
            .buffer(a.memory)
            .index(operand.offset)
            .index(operand.column_stride);
        let info = self.info.from(first);
        let launch = self.pivots.from(first).arguments(launch).buffer(info.memory).index(info.offset);
        let places = a.places(self.parts.queue)?;
        let launch = places.arguments(launch, a.memory, &[0]).index(per_item);
        launch.enqueue_step([a.count().div_ceil(per_item), 1, 1], [1, 1, 1])
    }
}
