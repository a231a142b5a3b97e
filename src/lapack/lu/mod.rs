//! LU with partial pivoting on a device, and the solvers that use its factors.
//!
//! Recursive LU (Toledo 1997): factorise the left half, solve for U12, update A22 -= L21 U12, factorise the right half.
//! The recursion ends at blocks of columns, which a right-looking loop factorises panel by panel. Row interchanges
//! inside a block are applied to all columns of its span in one launch; those of a span, or of a wider half, are
//! applied to the remaining columns together. A row-major block is factorised in a column-major copy.
//!
//! Devices that run two queues concurrently use right-looking LU with look-ahead instead.

mod look_ahead;
mod panel;
mod plan;
mod tall;

use affinimath_macros::instances;
use std::ops::Range;

use faer::MatMut;

use super::interchange::{Interchange, LaswpWorkspace};
use super::native::Backend;
use super::outcome::Part;
use super::{Block, DeviceSlice, Executor, check_right_hand_sides, check_rows, check_rows_of, device_info, read_only};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, Target};
use crate::blas::level3::square;
use crate::blas::level3::trsm::TrsmProblem;
use crate::context::{DeviceMemory, Event, Queue, QueueParts, Workspace};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::host::lapack as host;
use crate::options::{Diag, Op, PivotOrder, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, VectorRef, View};

use panel::Step;
use plan::Panel;

pub(crate) use plan::LuPlan;
#[cfg(test)]
pub(crate) use plan::{LookAhead, Panels};

/// P A = L U with partial pivoting on a device (LAPACK: xGETRF), for any m x n A. L is unit lower trapezoidal, U is
/// upper trapezoidal, and both overwrite A. Row i was interchanged with row `pivots[i]`, counted from 1, for i from 0
/// to min(m, n) - 1.
///
/// It returns as soon as the work is enqueued. `info`, one integer, becomes 0, or the 1-based index of the first pivot
/// that is exactly zero. The factorisation is complete in that case too, but U is singular. On a CPU whose driver runs
/// the host's routines, `info` is [`crate::error::status::INTERNAL`] if one panicked; the results are then undefined.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::InvalidArgument`] (pivots that are not adjacent),
/// [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: A, the pivots and the
/// info are undefined.
#[instances]
pub fn getrf_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let device = device_info(queue);
    let plan = LuPlan::choose(T::KIND, [a.rows(), a.columns()], device);
    getrf_with_plan(queue, a, &read_only(&pivots), &info, (&plan, device))
}

/// [`getrf_on`] by a given plan, as on a device with these facts. Any plan is right for any matrix.
pub(super) fn getrf_with_plan<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    pivots: &VectorRef<'_, i32>,
    info: &VectorMut<'_, i32>,
    plan: (&LuPlan, &DeviceInfo),
) -> Result<Event> {
    let queue = &queue.for_steps()?;
    let lu = Lu::new(queue, &a, pivots, info, plan)?;
    tracing::debug!(rows = lu.rows, columns = lu.columns, plan = ?lu.plan, device = lu.executor.device.name, "getrf");
    lu.run::<T>()?;
    lu.executor.finish()
}

/// Solves op(A) X = B with [`getrf_on`]'s factors of a square A on a device (LAPACK: xGETRS). X overwrites B. It
/// returns as soon as the work is enqueued. A pivot that is no row of A is ignored.
///
/// # Errors
/// Those of [`getrf_on`]; after those of the second kind B is undefined.
#[instances]
pub fn getrs_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    factors: MatrixRef<'_, T>,
    pivots: VectorRef<'_, i32>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let n = square(factors.shape(), "the factors")?;
    check_right_hand_sides(n, b.rows())?;
    check_rows(n)?;
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let pivots = DeviceSlice::pivots(queue, &pivots, n)?;
    let columns = b.columns();
    let b_block = Block::new(device_buffer(queue, b.memory(), "B")?, Operand::whole(Op::NoTrans, b.shape()));
    let factors =
        Factors { memory: device_buffer(queue, factors.memory(), "the factors")?, shape: factors.shape(), pivots };
    factors.solve::<T>(&executor, op, columns, b_block)?;
    executor.finish()
}

/// Solves A X = B for a square A by LU on a device (LAPACK: xGESV). The factors overwrite A and X overwrites B. It
/// returns as soon as the work is enqueued. `info` is [`getrf_on`]'s; if it is not 0, B is unchanged.
///
/// # Errors
/// Those of [`getrf_on`].
#[instances]
pub fn gesv_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square(a.shape(), "A")?;
    check_right_hand_sides(n, b.rows())?;
    let queue = &queue.for_steps()?;
    let plan = LuPlan::choose(T::KIND, [n, n], device_info(queue));
    let pivots = read_only(&pivots);
    let lu = Lu::new(queue, &a, &pivots, &info, (&plan, device_info(queue)))?;
    let (columns, operand) = (b.columns(), Operand::whole(Op::NoTrans, b.shape()));
    let b = Block::new(device_buffer(queue, b.memory(), "B")?, operand);
    tracing::debug!(order = n, columns, ?plan, device = lu.executor.device.name, "gesv");
    lu.run::<T>()?;
    let factors = Factors { memory: lu.a.memory, shape: a.shape(), pivots: lu.pivots };
    lu.executor.modify_if_info_is_zero::<T>([n, columns], b, lu.info, |count, x| {
        factors.solve::<T>(&lu.executor, Op::NoTrans, count, x)
    })?;
    lu.executor.finish()
}

/// Inverts a square matrix from [`getrf_on`]'s factors, in place, on a device (LAPACK: xGETRI). It returns as soon as
/// the work is enqueued.
///
/// `info`, one integer, becomes 0, or the 1-based index of the first pivot that is zero; the factors are then
/// unchanged.
///
/// # Errors
/// Those of [`getrf_on`].
#[instances]
pub fn getri_on<T: Scalar>(
    queue: &Queue,
    factors: MatrixMut<'_, T>,
    pivots: VectorRef<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let backend = Backend::choose([factors.rows(), factors.columns()], device_info(queue));
    getri_with_backend(queue, factors, pivots, &info, backend)
}

/// [`getri_on`] by a given backend.
pub(super) fn getri_with_backend<T: Scalar>(
    queue: &Queue,
    factors: MatrixMut<'_, T>,
    pivots: VectorRef<'_, i32>,
    info: &VectorMut<'_, i32>,
    backend: Backend,
) -> Result<Event> {
    let n = square(factors.shape(), "the factors")?;
    check_rows(n)?;
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let (pivots, info) = (DeviceSlice::pivots(queue, &pivots, n)?, DeviceSlice::info(queue, info)?);
    let memory = device_buffer(queue, factors.memory(), "the factors")?;
    let a = Block::new(memory, Operand::whole(Op::NoTrans, factors.shape()));
    if n > 0 && backend == Backend::Host {
        let routine = |a: MatMut<'_, T>, pivots: &mut [i32]| host::getri(a, &rows_of(pivots));
        if executor.on_host_with((a, [n, n]), (pivots, n, None), Some(info), routine)? {
            return executor.finish();
        }
    }
    executor.scan::<T>(n, Diag::NonUnit, a, info)?;
    if n > 0 {
        // U⁻ᵀ is the transpose of U⁻¹, and X L = U⁻¹ is Lᵀ Xᵀ = U⁻ᵀ. The last step interchanges X's
        // columns (Xᵀ's rows).
        let transposed = Block::new(memory, a.operand.transposed());
        let memory = executor.inverse::<T>(n, Diag::NonUnit, transposed)?;
        let x = Block::new(&memory, Operand::general(0, n, 1));
        let (triangle, diagonal) = (Triangle::Upper, Diag::Unit);
        let (kind, b) = (T::KIND, x.operand);
        let problem = TrsmProblem { kind, n, columns: n, a: transposed.operand, triangle, diagonal, b };
        executor.solve::<T>(&problem, transposed.memory, x.memory)?;
        let order = PivotOrder::Backward;
        Interchange { order, ..Interchange::all(x, n, n, pivots) }.enqueue::<T>(&executor)?;
        executor.commit::<T>([n, n], Part::Whole, info, x, transposed)?;
    }
    executor.finish()
}

/// Pivots of a square matrix; one that is no row of it is replaced by its own row.
fn rows_of(pivots: &[i32]) -> Vec<i32> {
    let rows = 1..=pivots.len() as i32;
    let checked = rows.clone().zip(pivots).map(|(own, pivot)| if rows.contains(pivot) { *pivot } else { own });
    checked.collect()
}

/// getrf's factors of a square matrix.
pub(super) struct Factors<'a> {
    pub(super) memory: &'a dyn DeviceMemory,
    pub(super) shape: &'a MatrixShape,
    pub(super) pivots: DeviceSlice<'a>,
}

impl Factors<'_> {
    /// B := op(A)⁻¹ B for an n x `columns` B.
    pub(super) fn solve<T: Scalar>(&self, executor: &Executor<'_>, op: Op, columns: usize, b: Block<'_>) -> Result<()> {
        let n = self.shape.rows();
        if n == 0 || columns == 0 {
            return Ok(());
        }
        let a = Operand::whole(op, self.shape);
        let solve = |triangle: Triangle, diagonal| {
            let triangle = if op.transposes() { triangle.transposed() } else { triangle };
            let problem = TrsmProblem { kind: T::KIND, n, columns, a, triangle, diagonal, b: b.operand };
            executor.solve::<T>(&problem, self.memory, b.memory)
        };
        let interchanges = Interchange::all(b, n, columns, self.pivots);
        if op.transposes() {
            solve(Triangle::Upper, Diag::NonUnit)?;
            solve(Triangle::Lower, Diag::Unit)?;
            Interchange { order: PivotOrder::Backward, ..interchanges }.enqueue::<T>(executor)
        } else {
            interchanges.enqueue::<T>(executor)?;
            solve(Triangle::Lower, Diag::Unit)?;
            solve(Triangle::Upper, Diag::NonUnit)
        }
    }
}

/// State of one factorisation, shared by all levels of the recursion.
pub(super) struct Lu<'a> {
    pub(super) executor: Executor<'a>,
    pub(super) plan: &'a LuPlan,
    pub(super) a: Block<'a>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) pivots: DeviceSlice<'a>,
    pub(super) info: DeviceSlice<'a>,
}

impl<'a> Lu<'a> {
    fn new<T: Scalar>(
        queue: &'a Queue,
        a: &MatrixMut<'a, T>,
        pivots: &VectorRef<'a, i32>,
        info: &VectorMut<'a, i32>,
        (plan, device): (&'a LuPlan, &'a DeviceInfo),
    ) -> Result<Self> {
        let (rows, columns) = (a.rows(), a.columns());
        check_rows_of(rows, columns)?;
        let pivots = DeviceSlice::pivots(queue, pivots, rows.min(columns))?;
        let info = DeviceSlice::info(queue, info)?;
        let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
        Ok(Lu { executor: Executor::new::<T>(queue, device)?, plan, a, rows, columns, pivots, info })
    }

    pub(super) fn run<T: Scalar>(&self) -> Result<()> {
        let order = self.rows.min(self.columns);
        if order > 0 && self.plan.backend == Backend::Host && self.run_on_host::<T>(order)? {
            return Ok(());
        }
        self.executor.clear(self.info)?;
        if order == 0 {
            return Ok(());
        }
        let by_columns = self.a.operand.row_stride == 1;
        let elements = self.rows * self.plan.block.min(order);
        let copy = if by_columns {
            None
        } else {
            Some(Workspace::borrow(self.executor.queue, (elements * size_of::<T>()) as u64)?)
        };
        let workspace = LaswpWorkspace::borrow(&self.executor, order)?;
        if let Some(look_ahead) = self.plan.look_ahead {
            return self.factor_with_look_ahead::<T>(order, look_ahead, (copy.as_ref(), &workspace));
        }
        // Columns beyond the square part, if any, are updated after the factorisation.
        self.factor::<T>(0, order, 0..self.columns, (copy.as_ref(), &workspace))?;
        if order > self.plan.span.max(self.plan.block) {
            self.interchange::<T>(0..order, order..self.columns, 0..0, &workspace)?;
        }
        self.trailing_update::<T>(0, order, order..self.columns)
    }

    fn run_on_host<T: Scalar>(&self, order: usize) -> Result<bool> {
        let pivots = (self.pivots, order, Some(0));
        self.executor.on_host_with((self.a, [self.rows, self.columns]), pivots, Some(self.info), host::getrf::<T>)
    }

    /// Factorises `width` columns from `first` on, rows `first` and below. Interchanges are applied to `span`, or, for
    /// more columns than a span has, to these columns only.
    fn factor<T: Scalar>(
        &self,
        first: usize,
        width: usize,
        span: Range<usize>,
        memory: (Option<&Workspace<'_>>, &LaswpWorkspace<'_>),
    ) -> Result<()> {
        let block_width = self.plan.block_width(self.rows - first);
        if width <= block_width {
            self.factor_block::<T>(first, width, memory.0)?;
            return self.interchange::<T>(first..first + width, span, first..first + width, memory.1);
        }
        let left = (width / 2).next_multiple_of(block_width);
        let (middle, end) = (first + left, first + width);
        if width <= self.plan.span {
            // Every block interchanges rows in the whole span, so that A12 and A21 are permuted already.
            self.factor::<T>(first, left, span.clone(), memory)?;
            self.trailing_update::<T>(first, middle, middle..end)?;
            return self.factor::<T>(middle, width - left, span, memory);
        }
        // Recursive LU: factorise [A11; A21], permute the right half, update it, factorise A22, permute L21.
        self.factor::<T>(first, left, first..middle, memory)?;
        self.interchange::<T>(first..middle, middle..end, 0..0, memory.1)?;
        self.trailing_update::<T>(first, middle, middle..end)?;
        self.factor::<T>(middle, width - left, middle..end, memory)?;
        self.interchange::<T>(middle..end, first..middle, 0..0, memory.1)
    }

    /// Applies the interchanges of some rows to some columns, except those of the gap.
    fn interchange<T: Scalar>(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        gap: Range<usize>,
        workspace: &LaswpWorkspace<'_>,
    ) -> Result<()> {
        let gap = if gap.is_empty() { gap } else { gap.start - columns.start..gap.end - columns.start };
        let all = Interchange::all(self.a.at(0, columns.start), self.rows, columns.len(), self.pivots);
        Interchange { first: rows.start, count: rows.len(), gap, ..all }.enqueue_in::<T>(&self.executor, workspace)
    }

    /// Trailing update: U12 := L11⁻¹ A12 and A22 -= L21 U12 for the given columns, by the factorised columns
    /// `first..middle`. Interchanges have been applied before.
    fn trailing_update<T: Scalar>(&self, first: usize, middle: usize, columns: Range<usize>) -> Result<()> {
        self.trailing_update_in::<T>((self.a, self.rows), first..middle, columns)
    }

    /// [`Self::trailing_update`] in a block of `rows` rows, whose columns are counted from its own first one.
    fn trailing_update_in<T: Scalar>(
        &self,
        (a, rows): (Block<'_>, usize),
        done: Range<usize>,
        columns: Range<usize>,
    ) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        let Range { start: first, end: middle } = done;
        let (k, right, columns) = (middle - first, a.at(0, columns.start), columns.len());
        let (l11, upper) = (a.at(first, first), right.at(first, 0));
        let problem = TrsmProblem {
            kind: T::KIND,
            n: k,
            columns,
            a: l11.operand,
            triangle: Triangle::Lower,
            diagonal: Diag::Unit,
            b: upper.operand,
        };
        self.executor.solve_in::<T>(LuPlan::solved_blocks(k), &problem, l11.memory, upper.memory)?;
        let (below, lower) = (a.at(middle, first), right.at(middle, 0));
        self.executor.subtract::<T>([rows - middle, columns, k], below, upper, lower, Target::Whole)
    }

    /// Factorises a block of columns; a row-major one in a column-major copy.
    fn factor_block<T: Scalar>(&self, first: usize, width: usize, copy: Option<&Workspace<'_>>) -> Result<()> {
        let (rows, block) = (self.rows - first, self.a.at(first, first));
        let Some(copy) = copy else { return self.factor_panels::<T>(first, [rows, width], block) };
        let copy = Block::new(copy, Operand::general(0, 1, rows));
        self.executor.copy::<T>([rows, width], block, copy)?;
        self.factor_panels::<T>(first, [rows, width], copy)?;
        self.executor.copy::<T>([rows, width], copy, block)
    }

    /// Right-looking over panels. The launch that factorises a panel in registers also applies the update of the panel
    /// before it.
    fn factor_panels<T: Scalar>(&self, base: usize, [rows, width]: [usize; 2], a: Block<'_>) -> Result<()> {
        let outputs = (self.pivots, self.info);
        // The last launched panel, whose update is not yet applied to any column, and its kernel's sizes.
        let (mut first, mut before, mut kernel) = (0, 0, [1, 1]);
        let step = |kernel, before: usize, [first, count]: [usize; 2]| {
            // The first panel has no predecessor, so that no other column changes.
            let (right, left) = if before == 0 { (0, 0) } else { (width - first - count, first - before) };
            let step = Step { rows: rows - first, before, width: count, right, left, base: base + first };
            step.enqueue::<T>(&self.executor, self.plan.panels, kernel, a.at(first, first), outputs)
        };
        while first < width {
            let panel = self.plan.panel(rows - first);
            let count = panel.width().min(width - first);
            match panel {
                Panel::Registers { rows, width } => {
                    kernel = [rows, width];
                    step(kernel, before, [first, count])?;
                    before = count;
                }
                Panel::Columns { .. } => return self.factor_tall::<T>(base, rows, first..width, a),
                Panel::Serial { width: max_width } => {
                    self.factor_panel_serial::<T>(max_width, base, [rows, width], [first, count], a)?;
                }
            }
            first += count;
        }
        if before > 0 && before < width { step(kernel, before, [width, 0]) } else { Ok(()) }
    }

    /// Factorises one panel, then interchanges rows left and right of it and solves for U12 in one launch.
    fn factor_panel_serial<T: Scalar>(
        &self,
        max_width: usize,
        base: usize,
        [rows, width]: [usize; 2],
        [first, count]: [usize; 2],
        a: Block<'_>,
    ) -> Result<()> {
        let (size, outputs, end) = ([rows - first, count], (self.pivots, self.info), first + count);
        panel::factor_panel_serial::<T>(&self.executor, max_width, size, a.at(first, first), base + first, outputs)?;
        let interchanges = Interchange::all(a, rows, width, self.pivots);
        let solve_from = (end < width).then_some(end);
        Interchange { first, count, gap: first..end, base, solve_from, ..interchanges }.enqueue::<T>(&self.executor)?;
        let (left, upper) = (a.at(end, first), a.at(first, end));
        self.executor.subtract::<T>([rows - end, width - end, count], left, upper, a.at(end, end), Target::Whole)
    }
}
