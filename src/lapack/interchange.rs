//! Interchanges of rows on a device (LAPACK: xLASWP), all of them in one launch or few.

use affinimath_macros::instances;
use std::ops::Range;

use super::{Block, Entries, Parts, THREADS, check_rows, device_info, has_groups};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::Operand;
use crate::context::{ContextParts, Event, Queue, QueueParts, Scratch};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Op, PivotOrder};
use crate::program::{Program, ProgramSource};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{MatrixMut, VectorRef, View};

const GROUPS: &[&str] = &[include_str!("../../cl/lapack/interchange.cl")];
const SERIAL: &[&str] = &[include_str!("../../cl/lapack/interchange_serial.cl")];
const ORIGINS: &[&str] = &[include_str!("../../cl/lapack/origins.cl")];
const MOVES: &[&str] = &[include_str!("../../cl/lapack/interchange_columns.cl")];

/// Rows that a launch interchanges with their partners, at most, where each group finds by itself where they come from: the elements
/// that move stand in local memory.
const FEW: usize = 32;
/// The same where a launch of its own finds that, as a power of two: at least, and at most where elements of columns are adjacent, with the
/// bytes that a work-item has in registers.
const MANY: usize = 256;
const MOST: usize = 4096;
const ITEM_BYTES: usize = 256;
/// Local memory for the elements that move.
const TILE_BYTES: usize = 16 << 10;
/// Columns whose elements a group has in registers; or, where they are adjacent, the bytes of a row.
const MOVED_COLUMNS: usize = 2;
const MOVED_BYTES: usize = 64;
/// Columns that a work-item of a CPU takes: more of them where they are adjacent.
const SERIAL_COLUMNS: usize = 16;
const ADJACENT_SERIAL_COLUMNS: usize = 256;

/// Interchanges each of some rows of A, number i of which is row `rows.start + i`, with row `pivots[i]`, counted from 1, one after
/// another, on a device (LAPACK: xLASWP). A pivot that is no row of A is passed over. Returns as soon as the work is enqueued.
///
/// # Errors
/// [`Error::ShapeMismatch`] where there are fewer rows or pivots; [`Error::InvalidArgument`] for pivots with a negative increment; [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing
/// was enqueued. [`Error::ProgramBuild`], [`Error::OpenCl`]: A is not to be used.
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
    let parts = Parts::new::<T>(queue, device_info(queue))?;
    let (length, increment) = (pivots.length(), pivots.shape().increment());
    if length < rows.len() {
        return Err(Error::ShapeMismatch(format!("pivots: {length} elements, and {} are needed", rows.len())));
    }
    let Some(pivot_step) = usize::try_from(increment).ok().filter(|step| *step > 0) else {
        return Err(Error::argument("pivots", format!("the increment is {increment}, and must be positive")));
    };
    let memory = device_buffer(queue, pivots.memory(), "pivots")?;
    let pivots = Entries { memory, offset: pivots.shape().offset() };
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, shape));
    let columns = shape.columns();
    let interchanges = Interchange::all(a, shape.rows(), columns, pivots);
    let (first, count) = (rows.start, rows.len());
    Interchange { first, count, order, first_pivot: first, pivot_step, ..interchanges }.enqueue::<T>(&parts)?;
    parts.finish()
}

/// Interchanges of rows of a block.
#[derive(Clone)]
pub(super) struct Interchange<'a> {
    /// The block: its rows and columns.
    pub(super) a: Block<'a>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Columns that stay as they are.
    pub(super) gap: Range<usize>,
    /// The first row that has a partner, and how many rows have.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) order: PivotOrder,
    /// The pivots, of which that of row i is number i + `base`, and counts from 1 + `base`. The memory begins with pivot number
    /// `first_pivot`, and they are `pivot_step` elements apart.
    pub(super) pivots: Entries<'a>,
    pub(super) base: usize,
    pub(super) first_pivot: usize,
    pub(super) pivot_step: usize,
    /// The columns from which on the gap's unit lower triangle is solved with.
    pub(super) solve_from: Option<usize>,
}

impl<'a> Interchange<'a> {
    /// Of all rows of a block, in all columns.
    pub(super) const fn all(a: Block<'a>, rows: usize, columns: usize, pivots: Entries<'a>) -> Self {
        let (gap, order) = (0..0, PivotOrder::Forward);
        let (base, first_pivot, pivot_step) = (0, 0, 1);
        let (first, count, solve_from) = (0, rows, None);
        Interchange { a, rows, columns, gap, first, count, order, pivots, base, first_pivot, pivot_step, solve_from }
    }

    /// Whether one launch makes so many interchanges and solves with their rows' triangle.
    pub(super) const fn can_solve(count: usize) -> bool {
        count <= FEW
    }

    pub(super) fn enqueue<T: Scalar>(&self, parts: &Parts<'_>) -> Result<()> {
        self.enqueue_in::<T>(parts, &Room::borrow(parts, self.count)?)
    }

    /// The same with room that was borrowed for as many interchanges, or more.
    pub(super) fn enqueue_in<T: Scalar>(&self, parts: &Parts<'_>, room: &Room<'_>) -> Result<()> {
        let columns = self.columns - self.gap.len();
        if columns == 0 || self.count == 0 {
            return Ok(());
        }
        let plan = InterchangePlan::choose(T::KIND, parts.device, self);
        let context = parts.queue.context();
        let program = context.program(&plan.source(T::KIND))?;
        if let InterchangePlan::Moves { columns, count, .. } = plan {
            let moves = room.0.as_ref().expect("room for as many interchanges");
            self.enqueue_origins(parts, count, moves)?;
            return self.enqueue_moves(parts, &program, [columns, count], moves);
        }
        let (threads, count) = plan.size();
        for (first, count) in self.pieces(count) {
            self.launch(parts.queue, &program, "interchange", columns)
                .count(self.rows)
                .count(first)
                .count(count)
                .flag(self.order == PivotOrder::Backward)
                .buffer(self.pivots.memory)
                .index(self.pivot_place(first))
                .index(self.pivot_step)
                .count(self.base)
                .index(self.solve_from.unwrap_or(0))
                .enqueue_step([columns.div_ceil(plan.columns()), 1, 1], [threads, 1, 1])?;
        }
        Ok(())
    }

    /// Where the rows of all pieces come from, in one launch: no piece's depend on another one's.
    fn enqueue_origins(&self, parts: &Parts<'_>, of_piece: usize, moves: &Scratch<'_>) -> Result<()> {
        let definitions = vec![("THREADS", THREADS as i64), ("COUNT", of_piece as i64)];
        let source = ProgramSource { name: "interchange origins", kind: ScalarKind::S, files: ORIGINS, definitions };
        let context = parts.queue.context();
        let program = context.program(&source)?;
        Launch::new(parts.queue, &program, "origins")
            .count(self.rows)
            .count(self.first)
            .count(self.count)
            .flag(self.order == PivotOrder::Backward)
            .buffer(self.pivots.memory)
            .index(self.pivot_place(self.first))
            .index(self.pivot_step)
            .count(self.base)
            .scratch(moves)
            .enqueue_step([(2 * of_piece).div_ceil(THREADS), self.count.div_ceil(of_piece), 1], [THREADS, 1, 1])
    }

    fn enqueue_moves(
        &self,
        parts: &Parts<'_>,
        program: &Program,
        [of_group, of_piece]: [usize; 2],
        moves: &Scratch<'_>,
    ) -> Result<()> {
        let columns = self.columns - self.gap.len();
        let groups = columns.div_ceil(of_group).min(parts.queue.units().unwrap_or(usize::MAX));
        for (first, _) in self.pieces(of_piece) {
            self.launch(parts.queue, program, "interchange_columns", columns)
                .scratch(moves)
                .index((first - self.first) * MOVES_OF_EACH)
                .enqueue_step([groups, 1, 1], [THREADS, 1, 1])?;
        }
        Ok(())
    }

    /// A launch with the block as its first arguments, and so many columns that change.
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

    /// Where a row's pivot stands.
    const fn pivot_place(&self, row: usize) -> usize {
        self.pivots.offset + (self.base + row - self.first_pivot) * self.pivot_step
    }

    /// First rows and counts of launches, in their order.
    fn pieces(&self, most: usize) -> Vec<(usize, usize)> {
        let end = self.first + self.count;
        let mut pieces: Vec<_> = (self.first..end).step_by(most).map(|first| (first, most.min(end - first))).collect();
        if self.order == PivotOrder::Backward {
            pieces.reverse();
        }
        pieces
    }
}

/// Numbers that an interchange needs: two rows that change, and where they come from.
const MOVES_OF_EACH: usize = 4;

/// Device memory for where rows come from, on devices that find it by a launch.
pub(super) struct Room<'q>(Option<Scratch<'q>>);

impl<'q> Room<'q> {
    /// For so many interchanges at once.
    pub(super) fn borrow(parts: &Parts<'q>, count: usize) -> Result<Self> {
        if count <= FEW || !has_groups(parts.device) {
            return Ok(Room(None));
        }
        let numbers = count.next_multiple_of(MOST) * MOVES_OF_EACH;
        Ok(Room(Some(Scratch::borrow(parts.queue, (numbers * size_of::<i32>()) as u64)?)))
    }
}

/// How rows are interchanged. Columns are a group's, and `along_rows` is whether elements of a row are adjacent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InterchangePlan {
    /// A work-item makes one interchange after the other.
    Serial { columns: usize, along_rows: bool, solves: bool },
    /// A group finds where each row comes from, and moves the elements through local memory; then it may solve a triangular system.
    Few { columns: usize, along_rows: bool, solves: bool },
    /// A launch finds where each row comes from, and others move the elements through registers.
    Moves { columns: usize, along_rows: bool, count: usize },
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
        if interchange.count > FEW && !solves {
            if along_rows {
                return InterchangePlan::Moves { columns: MOVED_BYTES / kind.bytes(), along_rows, count: MANY };
            }
            let most = MOST.min(ITEM_BYTES / kind.bytes() * THREADS / 2);
            let count = interchange.count.next_power_of_two().clamp(MANY, most);
            let columns = if count == MANY { MOVED_COLUMNS } else { 1 };
            return InterchangePlan::Moves { columns, along_rows, count };
        }
        let columns = (TILE_BYTES / (2 * FEW * kind.bytes())).clamp(1, 16);
        // With the triangle beside them there is room for half as many.
        let columns = if solves { columns.div_ceil(2).min(8) } else { columns };
        InterchangePlan::Few { columns, along_rows, solves }
    }

    /// Columns of a group.
    const fn columns(&self) -> usize {
        match *self {
            Self::Serial { columns, .. } | Self::Few { columns, .. } | Self::Moves { columns, .. } => columns,
        }
    }

    /// Work-items of a group, and interchanges of a launch, at most.
    const fn size(&self) -> (usize, usize) {
        match *self {
            Self::Serial { .. } => (1, i32::MAX as usize),
            Self::Few { .. } => (THREADS, FEW),
            Self::Moves { count, .. } => (THREADS, count),
        }
    }

    fn source(&self, kind: ScalarKind) -> ProgramSource {
        let (threads, count) = self.size();
        let flag = |name, value| (name, i64::from(value));
        let mut definitions = vec![("COLUMNS", self.columns() as i64)];
        let (name, files) = match *self {
            Self::Serial { along_rows, solves, .. } => {
                definitions.extend([flag("ALONG_ROWS", along_rows), flag("SOLVE", solves)]);
                return ProgramSource { name: "interchange serial", kind, files: SERIAL, definitions };
            }
            Self::Few { along_rows, solves, .. } => {
                let count = ("COUNT", count as i64);
                definitions.extend([flag("ALONG_ROWS", along_rows), flag("SOLVE", solves), count]);
                ("interchange", GROUPS)
            }
            Self::Moves { along_rows, .. } => {
                definitions.extend([flag("ALONG_ROWS", along_rows), ("ROWS", 2 * count as i64)]);
                ("interchange columns", MOVES)
            }
        };
        definitions.push(("THREADS", threads as i64));
        ProgramSource { name, kind, files, definitions }
    }
}
