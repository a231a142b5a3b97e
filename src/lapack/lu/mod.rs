//! LU with partial pivoting on a device, and what is solved with it.
//!
//! Columns are factorised by halves (Toledo, 1997): the left half, then the right one's upper part is solved for and its lower
//! part loses their product, and then it is factorised. What is left is blocks of columns, whose panels are each a kernel's work, and
//! whose interchanges are then made in all columns of a span beside them at once; those of a span's columns, and of halves of many, are made at
//! once in what is beside these. A block of a matrix by rows is factorised in a copy by columns.
//!
//! Where a device works on two queues at a time, blocks follow each other from left to right instead, and what is right of the next one
//! waits for nobody.

mod ahead;
mod panel;
mod plan;
mod tall;

use affinimath_macros::instances;
use std::ops::Range;

use faer::MatMut;

use super::interchange::{Interchange, Room};
use super::native::Backend;
use super::outcome::Part;
use super::{Block, Entries, Parts, check_rights, check_rows, check_rows_of, device_info, read_only};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, Target};
use crate::blas::level3::square;
use crate::blas::level3::trsm::TrsmProblem;
use crate::context::{DeviceMemory, Event, Queue, QueueParts, Scratch};
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
pub(crate) use plan::{Ahead, Panels};

/// P A = L U with partial pivoting on a device (LAPACK: xGETRF), for any m x n A: L, unit lower trapezoidal, and U, upper
/// trapezoidal, take A's place. Row i was interchanged with row `pivots[i]`, counted from 1, for i from 0 to min(m, n) - 1.
///
/// It returns as soon as the work is enqueued. `info`, one number, becomes 0, or the number of the first pivot that is exactly
/// zero: the factorisation is complete then, too, but U is singular. On a CPU whose driver runs the host's routines it is
/// [`crate::error::status::INTERNAL`] where one ended by a panic, and the results are not to be used.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::InvalidArgument`] (pivots that are not adjacent),
/// [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was enqueued. [`crate::Error::ProgramBuild`],
/// [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: A, the pivots and the info are not to be used.
#[instances]
pub fn getrf_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let device = device_info(queue);
    let plan = LuPlan::choose(T::KIND, [a.rows(), a.columns()], device);
    getrf_by(queue, a, &read_only(&pivots), &info, (&plan, device))
}

/// The same by a given plan, as on a device with these facts: any plan is right for any matrix.
pub(super) fn getrf_by<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    pivots: &VectorRef<'_, i32>,
    info: &VectorMut<'_, i32>,
    plan: (&LuPlan, &DeviceInfo),
) -> Result<Event> {
    let queue = &queue.for_steps()?;
    let lu = Lu::new(queue, &a, pivots, info, plan)?;
    tracing::debug!(rows = lu.rows, columns = lu.columns, plan = ?lu.plan, device = lu.parts.device.name, "getrf");
    lu.run::<T>()?;
    lu.parts.finish()
}

/// Solves op(A) X = B with [`getrf_on`]'s factors of a square A, X in B's place, on a device (LAPACK: xGETRS). It returns as soon
/// as the work is enqueued. A pivot that is no row of A is passed over.
///
/// # Errors
/// As [`getrf_on`]; after those of the second kind B is not to be used.
#[instances]
pub fn getrs_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    factors: MatrixRef<'_, T>,
    pivots: VectorRef<'_, i32>,
    b: MatrixMut<'_, T>,
) -> Result<Event> {
    let n = square(factors.shape(), "the factors")?;
    check_rights(n, b.rows())?;
    check_rows(n)?;
    let queue = &queue.for_steps()?;
    let parts = Parts::new::<T>(queue, device_info(queue))?;
    let pivots = Entries::pivots(queue, &pivots, n)?;
    let columns = b.columns();
    let b_block = Block::new(device_buffer(queue, b.memory(), "B")?, Operand::whole(Op::NoTrans, b.shape()));
    let factors =
        Factors { memory: device_buffer(queue, factors.memory(), "the factors")?, shape: factors.shape(), pivots };
    factors.solve::<T>(&parts, op, columns, b_block)?;
    parts.finish()
}

/// Solves A X = B for a square A by LU on a device: the factors take A's place and X takes B's (LAPACK: xGESV). It returns as
/// soon as the work is enqueued. `info` is [`getrf_on`]'s; where it is not 0, B stays as it is.
///
/// # Errors
/// As [`getrf_on`].
#[instances]
pub fn gesv_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    b: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square(a.shape(), "A")?;
    check_rights(n, b.rows())?;
    let queue = &queue.for_steps()?;
    let plan = LuPlan::choose(T::KIND, [n, n], device_info(queue));
    let pivots = read_only(&pivots);
    let lu = Lu::new(queue, &a, &pivots, &info, (&plan, device_info(queue)))?;
    let (columns, operand) = (b.columns(), Operand::whole(Op::NoTrans, b.shape()));
    let b = Block::new(device_buffer(queue, b.memory(), "B")?, operand);
    tracing::debug!(order = n, columns, ?plan, device = lu.parts.device.name, "gesv");
    lu.run::<T>()?;
    let factors = Factors { memory: lu.a.memory, shape: a.shape(), pivots: lu.pivots };
    lu.parts.change_if_right::<T>([n, columns], b, lu.info, |count, x| {
        factors.solve::<T>(&lu.parts, Op::NoTrans, count, x)
    })?;
    lu.parts.finish()
}

/// The inverse of a square matrix from [`getrf_on`]'s factors, in their place, on a device (LAPACK: xGETRI). It returns as soon as
/// the work is enqueued.
///
/// `info`, one number, becomes 0, or the number of the first pivot that is zero: then the factors are as they were.
///
/// # Errors
/// As [`getrf_on`].
#[instances]
pub fn getri_on<T: Scalar>(
    queue: &Queue,
    factors: MatrixMut<'_, T>,
    pivots: VectorRef<'_, i32>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let backend = Backend::choose([factors.rows(), factors.columns()], device_info(queue));
    getri_by(queue, factors, pivots, &info, backend)
}

/// The same by given means.
pub(super) fn getri_by<T: Scalar>(
    queue: &Queue,
    factors: MatrixMut<'_, T>,
    pivots: VectorRef<'_, i32>,
    info: &VectorMut<'_, i32>,
    backend: Backend,
) -> Result<Event> {
    let n = square(factors.shape(), "the factors")?;
    check_rows(n)?;
    let queue = &queue.for_steps()?;
    let parts = Parts::new::<T>(queue, device_info(queue))?;
    let (pivots, info) = (Entries::pivots(queue, &pivots, n)?, Entries::info(queue, info)?);
    let memory = device_buffer(queue, factors.memory(), "the factors")?;
    let a = Block::new(memory, Operand::whole(Op::NoTrans, factors.shape()));
    if n > 0 && backend == Backend::Host {
        let routine = |a: MatMut<'_, T>, pivots: &mut [i32]| host::getri(a, &rows_of(pivots));
        if parts.on_host_with((a, [n, n]), (pivots, n, None), Some(info), routine)? {
            return parts.finish();
        }
    }
    parts.scan::<T>(n, Diag::NonUnit, a, info)?;
    if n > 0 {
        // Uᵀ's inverse is the transpose of U's, and X L = U⁻¹ is Lᵀ Xᵀ = U⁻ᵀ; then X's columns, Xᵀ's rows, change places.
        let transposed = Block::new(memory, a.operand.transposed());
        let memory = parts.inverse::<T>(n, Diag::NonUnit, transposed)?;
        let x = Block::new(&memory, Operand::general(0, n, 1));
        let (triangle, diagonal) = (Triangle::Upper, Diag::Unit);
        let (kind, b) = (T::KIND, x.operand);
        let problem = TrsmProblem { kind, n, columns: n, a: transposed.operand, triangle, diagonal, b };
        parts.solve::<T>(&problem, transposed.memory, x.memory)?;
        let order = PivotOrder::Backward;
        Interchange { order, ..Interchange::all(x, n, n, pivots) }.enqueue::<T>(&parts)?;
        parts.commit::<T>([n, n], Part::Whole, info, x, transposed)?;
    }
    parts.finish()
}

/// The pivots of a square matrix, where those that are no rows of it are passed over.
fn rows_of(pivots: &[i32]) -> Vec<i32> {
    let rows = 1..=pivots.len() as i32;
    let checked = rows.clone().zip(pivots).map(|(own, pivot)| if rows.contains(pivot) { *pivot } else { own });
    checked.collect()
}

/// getrf's factors of a square matrix.
pub(super) struct Factors<'a> {
    pub(super) memory: &'a dyn DeviceMemory,
    pub(super) shape: &'a MatrixShape,
    pub(super) pivots: Entries<'a>,
}

impl Factors<'_> {
    /// B := op(A)⁻¹ B for a B of so many columns.
    pub(super) fn solve<T: Scalar>(&self, parts: &Parts<'_>, op: Op, columns: usize, b: Block<'_>) -> Result<()> {
        let n = self.shape.rows();
        if n == 0 || columns == 0 {
            return Ok(());
        }
        let a = Operand::whole(op, self.shape);
        let solve = |triangle: Triangle, diagonal| {
            let triangle = if op.transposes() { triangle.transposed() } else { triangle };
            let problem = TrsmProblem { kind: T::KIND, n, columns, a, triangle, diagonal, b: b.operand };
            parts.solve::<T>(&problem, self.memory, b.memory)
        };
        let interchanges = Interchange::all(b, n, columns, self.pivots);
        if op.transposes() {
            solve(Triangle::Upper, Diag::NonUnit)?;
            solve(Triangle::Lower, Diag::Unit)?;
            Interchange { order: PivotOrder::Backward, ..interchanges }.enqueue::<T>(parts)
        } else {
            interchanges.enqueue::<T>(parts)?;
            solve(Triangle::Lower, Diag::Unit)?;
            solve(Triangle::Upper, Diag::NonUnit)
        }
    }
}

/// A factorisation: what the recursion carries along.
pub(super) struct Lu<'a> {
    pub(super) parts: Parts<'a>,
    pub(super) plan: &'a LuPlan,
    pub(super) a: Block<'a>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) pivots: Entries<'a>,
    pub(super) info: Entries<'a>,
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
        let pivots = Entries::pivots(queue, pivots, rows.min(columns))?;
        let info = Entries::info(queue, info)?;
        let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
        Ok(Lu { parts: Parts::new::<T>(queue, device)?, plan, a, rows, columns, pivots, info })
    }

    pub(super) fn run<T: Scalar>(&self) -> Result<()> {
        let order = self.rows.min(self.columns);
        if order > 0 && self.plan.backend == Backend::Host && self.run_on_host::<T>(order)? {
            return Ok(());
        }
        self.parts.clear(self.info)?;
        if order == 0 {
            return Ok(());
        }
        let by_columns = self.a.operand.row_stride == 1;
        let elements = self.rows * self.plan.block.min(order);
        let copy = if by_columns {
            None
        } else {
            Some(Scratch::borrow(self.parts.queue, (elements * size_of::<T>()) as u64)?)
        };
        let room = Room::borrow(&self.parts, order)?;
        if let Some(ahead) = self.plan.ahead {
            return self.factor_ahead::<T>(order, ahead, (copy.as_ref(), &room));
        }
        self.factor::<T>(0, order, 0..self.columns, (copy.as_ref(), &room))?;
        if order > self.plan.span.max(self.plan.block) {
            self.interchange::<T>(0..order, order..self.columns, 0..0, &room)?;
        }
        self.eliminate::<T>(0, order, order..self.columns)
    }

    fn run_on_host<T: Scalar>(&self, order: usize) -> Result<bool> {
        let pivots = (self.pivots, order, Some(0));
        self.parts.on_host_with((self.a, [self.rows, self.columns]), pivots, Some(self.info), host::getrf::<T>)
    }

    /// Factorises the columns from `first` on, and the rows from there on. Those change places in the columns of the span, or, where there
    /// are more columns than one has, in these.
    fn factor<T: Scalar>(
        &self,
        first: usize,
        width: usize,
        span: Range<usize>,
        memory: (Option<&Scratch<'_>>, &Room<'_>),
    ) -> Result<()> {
        let leaf = self.plan.leaf(self.rows - first);
        if width <= leaf {
            self.factor_block::<T>(first, width, memory.0)?;
            return self.interchange::<T>(first..first + width, span, first..first + width, memory.1);
        }
        let left = (width / 2).next_multiple_of(leaf);
        let (middle, end) = (first + left, first + width);
        if width <= self.plan.span {
            self.factor::<T>(first, left, span.clone(), memory)?;
            self.eliminate::<T>(first, middle, middle..end)?;
            return self.factor::<T>(middle, width - left, span, memory);
        }
        self.factor::<T>(first, left, first..middle, memory)?;
        self.interchange::<T>(first..middle, middle..end, 0..0, memory.1)?;
        self.eliminate::<T>(first, middle, middle..end)?;
        self.factor::<T>(middle, width - left, middle..end, memory)?;
        self.interchange::<T>(middle..end, first..middle, 0..0, memory.1)
    }

    /// Makes the interchanges of some rows in some columns, but for a gap in them.
    fn interchange<T: Scalar>(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        gap: Range<usize>,
        room: &Room<'_>,
    ) -> Result<()> {
        let gap = if gap.is_empty() { gap } else { gap.start - columns.start..gap.end - columns.start };
        let all = Interchange::all(self.a.at(0, columns.start), self.rows, columns.len(), self.pivots);
        Interchange { first: rows.start, count: rows.len(), gap, ..all }.enqueue_in::<T>(&self.parts, room)
    }

    /// Brings columns up to date with those from `first` to `middle`, which are factorised and whose interchanges are made.
    fn eliminate<T: Scalar>(&self, first: usize, middle: usize, columns: Range<usize>) -> Result<()> {
        self.eliminate_in::<T>((self.a, self.rows), first..middle, columns)
    }

    /// The same in a block with so many rows, whose columns are numbered from its first one.
    fn eliminate_in<T: Scalar>(
        &self,
        (a, rows): (Block<'_>, usize),
        done: Range<usize>,
        columns: Range<usize>,
    ) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        let Range { start: first, end: middle } = done;
        let (depth, right, columns) = (middle - first, a.at(0, columns.start), columns.len());
        let (l11, upper) = (a.at(first, first), right.at(first, 0));
        let problem = TrsmProblem {
            kind: T::KIND,
            n: depth,
            columns,
            a: l11.operand,
            triangle: Triangle::Lower,
            diagonal: Diag::Unit,
            b: upper.operand,
        };
        self.parts.solve_in::<T>(LuPlan::solved_blocks(depth), &problem, l11.memory, upper.memory)?;
        let (below, lower) = (a.at(middle, first), right.at(middle, 0));
        self.parts.subtract::<T>([rows - middle, columns, depth], below, upper, lower, Target::Whole)
    }

    /// Factorises a block of columns, in a copy by columns where the matrix lies by rows.
    fn factor_block<T: Scalar>(&self, first: usize, width: usize, copy: Option<&Scratch<'_>>) -> Result<()> {
        let (rows, block) = (self.rows - first, self.a.at(first, first));
        let Some(copy) = copy else { return self.factor_panels::<T>(first, [rows, width], block) };
        let copy = Block::new(copy, Operand::general(0, 1, rows));
        self.parts.copy::<T>([rows, width], block, copy)?;
        self.factor_panels::<T>(first, [rows, width], copy)?;
        self.parts.copy::<T>([rows, width], copy, block)
    }

    /// Panel by panel. A panel in registers is factorised in the launch that also brings the others up to date with the one before.
    fn factor_panels<T: Scalar>(&self, base: usize, [rows, width]: [usize; 2], a: Block<'_>) -> Result<()> {
        let places = (self.pivots, self.info);
        // The panel of the last launch, which nothing else is up to date with, and that launch's kernel.
        let (mut first, mut before, mut kernel) = (0, 0, [1, 1]);
        let step = |kernel, before: usize, [first, count]: [usize; 2]| {
            // Without a panel before nothing beside this one changes.
            let (right, left) = if before == 0 { (0, 0) } else { (width - first - count, first - before) };
            let step = Step { rows: rows - first, before, width: count, right, left, base: base + first };
            step.enqueue::<T>(&self.parts, self.plan.panels, kernel, a.at(first, first), places)
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
                Panel::Serial { width: most } => {
                    self.factor_serially::<T>(most, base, [rows, width], [first, count], a)?;
                }
            }
            first += count;
        }
        if before > 0 && before < width { step(kernel, before, [width, 0]) } else { Ok(()) }
    }

    /// A panel's interchanges are made left and right of it at once, where its triangle is solved with, too.
    fn factor_serially<T: Scalar>(
        &self,
        most: usize,
        base: usize,
        [rows, width]: [usize; 2],
        [first, count]: [usize; 2],
        a: Block<'_>,
    ) -> Result<()> {
        let (size, places, end) = ([rows - first, count], (self.pivots, self.info), first + count);
        panel::factor_serially::<T>(&self.parts, most, size, a.at(first, first), base + first, places)?;
        let interchanges = Interchange::all(a, rows, width, self.pivots);
        let solve_from = (end < width).then_some(end);
        Interchange { first, count, gap: first..end, base, solve_from, ..interchanges }.enqueue::<T>(&self.parts)?;
        let (left, upper) = (a.at(end, first), a.at(first, end));
        self.parts.subtract::<T>([rows - end, width - end, count], left, upper, a.at(end, end), Target::Whole)
    }
}
