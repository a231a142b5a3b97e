//! Interchanges of rows on a device (LAPACK: xLASWP), all of them in one launch or few.

use affinimath_macros::instances;
use std::ops::Range;

use super::{Block, DeviceSlice, Executor, THREADS, check_rows, device_info, has_groups};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::Operand;
use crate::context::{ContextParts, Event, Queue, QueueParts, Workspace};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Op, PivotOrder};
use crate::program::{Program, ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{MatrixMut, VectorRef, View};

/// Maximum interchanges of a launch whose groups resolve the permutation themselves and move elements through local
/// memory.
const MAX_LOCAL_INTERCHANGES: usize = 32;
/// Interchanges of a launch that follows a launch resolving the permutation: minimum, and maximum for column-major
/// matrices, both powers of two. ITEM_BYTES is a work-item's share of registers.
const MIN_GATHERED: usize = 256;
const MAX_GATHERED: usize = 4096;
const ITEM_BYTES: usize = 256;
/// Local memory for the elements that move.
const TILE_BYTES: usize = 16 << 10;
/// Columns of a work-group that moves elements through registers; for row-major matrices, bytes of a row instead.
const REGISTER_COLUMNS: usize = 2;
const REGISTER_ROW_BYTES: usize = 64;
/// Columns of a CPU's work-item, more for row-major matrices.
const SERIAL_COLUMNS: usize = 16;
const ADJACENT_SERIAL_COLUMNS: usize = 256;

/// Applies a sequence of row interchanges to A on a device (LAPACK: xLASWP). Interchange i swaps row `rows.start + i`
/// with row `pivots[i]`, counted from 1. A pivot that is no row of A is ignored. It returns as soon as the work is
/// enqueued.
///
/// # Errors
/// [`Error::ShapeMismatch`] if there are fewer rows or pivots; [`Error::InvalidArgument`] for pivots with a negative
/// increment; [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was enqueued. [`Error::ProgramBuild`],
/// [`Error::OpenCl`]: A is undefined.
#[instances]
pub fn laswp_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    rows: Range<usize>,
    pivots: VectorRef<'_, i32>,
    order: PivotOrder,
) -> Result<Event> {
    let shape = a.shape();
    if rows.is_empty() || shape.columns() == 0 {
        return Ok(Event::Complete); // LAPACK: nothing changes.
    }
    check_rows(shape.rows())?;
    if rows.end > shape.rows() {
        return Err(Error::ShapeMismatch(format!("rows up to {} of A, which has {}", rows.end, shape.rows())));
    }
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let (length, increment) = (pivots.length(), pivots.shape().increment());
    if length < rows.len() {
        return Err(Error::ShapeMismatch(format!("pivots: {length} elements, and {} are needed", rows.len())));
    }
    let Some(pivot_step) = usize::try_from(increment).ok().filter(|step| *step > 0) else {
        return Err(Error::argument("pivots", format!("the increment is {increment}, and must be positive")));
    };
    let memory = device_buffer(queue, pivots.memory(), "pivots")?;
    let pivots = DeviceSlice { memory, offset: pivots.shape().offset() };
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, shape));
    let columns = shape.columns();
    let interchanges = Interchange::all(a, shape.rows(), columns, pivots);
    let (first, count) = (rows.start, rows.len());
    Interchange { first, count, order, first_pivot: first, pivot_step, ..interchanges }.enqueue::<T>(&executor)?;
    executor.finish()
}

/// Interchanges of rows of a block.
#[derive(Clone)]
pub(super) struct Interchange<'a> {
    /// The block: its rows and columns.
    pub(super) a: Block<'a>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Columns that are not interchanged, counted in the block.
    pub(super) gap: Range<usize>,
    /// The first row that has a partner, and how many rows have.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) order: PivotOrder,
    /// Pivots. Row i's is element `(base + i - first_pivot) * pivot_step` of the memory, and its value counts rows from
    /// 1 + `base`.
    pub(super) pivots: DeviceSlice<'a>,
    pub(super) base: usize,
    pub(super) first_pivot: usize,
    pub(super) pivot_step: usize,
    /// The columns from which on the gap's unit lower triangle is solved with.
    pub(super) solve_from: Option<usize>,
}

impl<'a> Interchange<'a> {
    /// Of all rows of a block, in all columns.
    pub(super) const fn all(a: Block<'a>, rows: usize, columns: usize, pivots: DeviceSlice<'a>) -> Self {
        let (gap, order) = (0..0, PivotOrder::Forward);
        let (base, first_pivot, pivot_step) = (0, 0, 1);
        let (first, count, solve_from) = (0, rows, None);
        Interchange { a, rows, columns, gap, first, count, order, pivots, base, first_pivot, pivot_step, solve_from }
    }

    /// True if one launch both applies `count` interchanges and solves with the triangle of their rows.
    pub(super) const fn can_solve(count: usize) -> bool {
        count <= MAX_LOCAL_INTERCHANGES
    }

    pub(super) fn enqueue<T: Scalar>(&self, executor: &Executor<'_>) -> Result<()> {
        self.enqueue_in::<T>(executor, &LaswpWorkspace::borrow(executor, self.count)?)
    }

    /// [`Self::enqueue`] with a workspace borrowed for at least as many interchanges.
    pub(super) fn enqueue_in<T: Scalar>(&self, executor: &Executor<'_>, workspace: &LaswpWorkspace<'_>) -> Result<()> {
        let columns = self.columns - self.gap.len();
        if columns == 0 || self.count == 0 {
            return Ok(());
        }
        let plan = InterchangePlan::choose(T::KIND, executor.device, self);
        let context = executor.queue.context();
        let program = context.program(&plan.source(T::KIND))?;
        if let InterchangePlan::Gather { columns, count, .. } = plan {
            let moves = workspace.0.as_ref().expect("room for as many interchanges");
            self.enqueue_origins(executor, count, moves)?;
            return self.enqueue_gathers(executor, &program, [columns, count], moves);
        }
        let (threads, count) = plan.size();
        for (first, count) in self.chunks(count) {
            self.launch(executor.queue, &program, "laswp", columns)
                .count(self.rows)
                .count(first)
                .count(count)
                .flag(self.order == PivotOrder::Backward)
                .buffer(self.pivots.memory)
                .index(self.pivot_index(first))
                .index(self.pivot_step)
                .count(self.base)
                .index(self.solve_from.unwrap_or(0))
                .enqueue_step([columns.div_ceil(plan.columns()), 1, 1], [threads, 1, 1])?;
        }
        Ok(())
    }

    /// Resolves the permutation of every launch's rows, in one launch: they are independent.
    fn enqueue_origins(&self, executor: &Executor<'_>, per_launch: usize, moves: &Workspace<'_>) -> Result<()> {
        let definitions = vec![("THREADS", THREADS as i64), ("COUNT", per_launch as i64)];
        let source = ProgramSource {
            name: "interchange origins",
            kind: ScalarKind::S,
            root: source("lapack/laswp_origins.cl"),
            definitions,
        };
        let context = executor.queue.context();
        let program = context.program(&source)?;
        Launch::new(executor.queue, &program, "laswp_origins")
            .count(self.rows)
            .count(self.first)
            .count(self.count)
            .flag(self.order == PivotOrder::Backward)
            .buffer(self.pivots.memory)
            .index(self.pivot_index(self.first))
            .index(self.pivot_step)
            .count(self.base)
            .workspace(moves)
            .enqueue_step([(2 * per_launch).div_ceil(THREADS), self.count.div_ceil(per_launch), 1], [THREADS, 1, 1])
    }

    fn enqueue_gathers(
        &self,
        executor: &Executor<'_>,
        program: &Program,
        [per_group, per_launch]: [usize; 2],
        moves: &Workspace<'_>,
    ) -> Result<()> {
        let columns = self.columns - self.gap.len();
        let groups = columns.div_ceil(per_group).min(executor.queue.units().unwrap_or(usize::MAX));
        for (first, _) in self.chunks(per_launch) {
            self.launch(executor.queue, program, "laswp_moves", columns)
                .workspace(moves)
                .index((first - self.first) * INDICES_PER_INTERCHANGE)
                .enqueue_step([groups, 1, 1], [THREADS, 1, 1])?;
        }
        Ok(())
    }

    /// A launch whose first arguments are the block and the number of columns to change.
    fn launch<'l>(&self, queue: &'l Queue, program: &'l Program, kernel: &'static str, columns: usize) -> Launch<'l> {
        let operand = &self.a.operand;
        Launch::new(queue, program, kernel)
            .buffer(self.a.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .index(columns)
            .index(self.gap.start)
            .index(self.gap.len())
    }

    const fn pivot_index(&self, row: usize) -> usize {
        self.pivots.offset + (self.base + row - self.first_pivot) * self.pivot_step
    }

    /// First rows and counts of launches, in their order.
    fn chunks(&self, limit: usize) -> Vec<(usize, usize)> {
        let end = self.first + self.count;
        let mut chunks: Vec<_> =
            (self.first..end).step_by(limit).map(|first| (first, limit.min(end - first))).collect();
        if self.order == PivotOrder::Backward {
            chunks.reverse();
        }
        chunks
    }
}

/// Integers per interchange in the workspace: two destination rows and their source rows.
const INDICES_PER_INTERCHANGE: usize = 4;

/// Device memory for the resolved permutation; `None` if work-groups resolve it themselves.
pub(super) struct LaswpWorkspace<'q>(Option<Workspace<'q>>);

impl<'q> LaswpWorkspace<'q> {
    pub(super) fn borrow(executor: &Executor<'q>, count: usize) -> Result<Self> {
        if count <= MAX_LOCAL_INTERCHANGES || !has_groups(executor.device) {
            return Ok(LaswpWorkspace(None));
        }
        let numbers = count.next_multiple_of(MAX_GATHERED) * INDICES_PER_INTERCHANGE;
        Ok(LaswpWorkspace(Some(Workspace::borrow(executor.queue, (numbers * size_of::<i32>()) as u64)?)))
    }
}

/// Kernel of the interchanges. `columns` are a group's; `along_rows` says that elements of a row are adjacent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InterchangePlan {
    /// A work-item applies one interchange after the other.
    Serial { columns: usize, along_rows: bool, solves: bool },
    /// A group resolves the permutation, moves the elements through local memory, and may then solve a triangular
    /// system.
    Local { columns: usize, along_rows: bool, solves: bool },
    /// One launch resolves the permutation, further ones move the elements through registers.
    Gather { columns: usize, along_rows: bool, count: usize },
}

impl InterchangePlan {
    fn choose(kind: ScalarKind, device: &DeviceInfo, interchange: &Interchange<'_>) -> Self {
        let operand = &interchange.a.operand;
        let (along_rows, solves) = (operand.column_stride < operand.row_stride, interchange.solve_from.is_some());
        if !has_groups(device) {
            let columns = if along_rows { ADJACENT_SERIAL_COLUMNS } else { SERIAL_COLUMNS };
            let columns = if device.class == DeviceClass::Cpu { columns } else { 1 };
            return InterchangePlan::Serial { columns, along_rows, solves };
        }
        if interchange.count > MAX_LOCAL_INTERCHANGES && !solves {
            if along_rows {
                return InterchangePlan::Gather {
                    columns: REGISTER_ROW_BYTES / kind.bytes(),
                    along_rows,
                    count: MIN_GATHERED,
                };
            }
            let limit = MAX_GATHERED.min(ITEM_BYTES / kind.bytes() * THREADS / 2);
            let count = interchange.count.next_power_of_two().clamp(MIN_GATHERED, limit);
            let columns = if count == MIN_GATHERED { REGISTER_COLUMNS } else { 1 };
            return InterchangePlan::Gather { columns, along_rows, count };
        }
        let columns = (TILE_BYTES / (2 * MAX_LOCAL_INTERCHANGES * kind.bytes())).clamp(1, 16);
        // The triangle takes half of the local memory.
        let columns = if solves { columns.div_ceil(2).min(8) } else { columns };
        InterchangePlan::Local { columns, along_rows, solves }
    }

    /// Columns of a group.
    const fn columns(&self) -> usize {
        match *self {
            Self::Serial { columns, .. } | Self::Local { columns, .. } | Self::Gather { columns, .. } => columns,
        }
    }

    /// Work-items of a group, and maximum interchanges of a launch.
    const fn size(&self) -> (usize, usize) {
        match *self {
            Self::Serial { .. } => (1, i32::MAX as usize),
            Self::Local { .. } => (THREADS, MAX_LOCAL_INTERCHANGES),
            Self::Gather { count, .. } => (THREADS, count),
        }
    }

    fn source(&self, kind: ScalarKind) -> ProgramSource {
        let (threads, count) = self.size();
        let flag = |name, value| (name, i64::from(value));
        let mut definitions = vec![("COLUMNS", self.columns() as i64)];
        let (name, root) = match *self {
            Self::Serial { along_rows, solves, .. } => {
                definitions.extend([flag("ALONG_ROWS", along_rows), flag("SOLVE", solves)]);
                return ProgramSource {
                    name: "interchange serial",
                    kind,
                    root: source("lapack/laswp_serial.cl"),
                    definitions,
                };
            }
            Self::Local { along_rows, solves, .. } => {
                let count = ("COUNT", count as i64);
                definitions.extend([flag("ALONG_ROWS", along_rows), flag("SOLVE", solves), count]);
                ("interchange", source("lapack/laswp.cl"))
            }
            Self::Gather { along_rows, .. } => {
                definitions.extend([flag("ALONG_ROWS", along_rows), ("ROWS", 2 * count as i64)]);
                ("interchange columns", source("lapack/laswp_moves.cl"))
            }
        };
        definitions.push(("THREADS", threads as i64));
        ProgramSource { name, kind, root, definitions }
    }
}
