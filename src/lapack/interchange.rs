//! Interchanges of rows on a device (LAPACK: xLASWP), all of them in one launch or few.

use std::ops::Range;

use super::{Block, Entries, Parts, THREADS, check_rows, facts, has_groups};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::Operand;
use crate::context::{Event, Queue};
use crate::device::{DeviceClass, DeviceFacts};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Op, PivotOrder};
use crate::program::ProgramSource;
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{MatrixMut, VectorRef};

const GROUPS: &[&str] = &[include_str!("../../cl/lapack/interchange.cl")];
const SERIAL: &[&str] = &[include_str!("../../cl/lapack/interchange_serial.cl")];

/// Rows that a launch interchanges with their partners, at most: the elements that move stand in local memory.
const COUNT: usize = 256;
/// The same where a triangular system is solved, too.
pub(super) const SOLVED: usize = 32;
/// Local memory for the elements that move.
const TILE_BYTES: usize = 16 << 10;
/// Columns that a work-item of a CPU takes: more of them where they are adjacent.
const SERIAL_COLUMNS: usize = 16;
const ADJACENT_SERIAL_COLUMNS: usize = 256;

/// Interchanges each of some rows of A, number i of which is row `rows.start + i`, with row `pivots[i]`, counted from 1, one after
/// another, on a device (LAPACK: xLASWP). A pivot that is no row of A is passed over. Returns as soon as the work is enqueued.
///
/// # Errors
/// [`Error::ShapeMismatch`] where there are fewer rows or pivots; [`Error::InvalidArgument`] for pivots with a negative increment; [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing
/// was enqueued. [`Error::ProgramBuild`], [`Error::OpenCl`]: A is not to be used.
pub fn laswp_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    rows: Range<usize>,
    pivots: VectorRef<'_, i32>,
    order: PivotOrder,
) -> Result<Event> {
    let shape = &a.shape;
    if rows.is_empty() || shape.columns() == 0 {
        return Ok(Event::Complete); // LAPACK: nothing changes.
    }
    check_rows(shape.rows())?;
    if rows.end > shape.rows() {
        return Err(Error::ShapeMismatch(format!("rows up to {} of A, which has {}", rows.end, shape.rows())));
    }
    let parts = Parts::new::<T>(queue, facts(queue))?;
    let (length, increment) = (pivots.length(), pivots.shape.increment());
    if length < rows.len() {
        return Err(Error::ShapeMismatch(format!("pivots: {length} elements, and {} are needed", rows.len())));
    }
    let Some(pivot_step) = usize::try_from(increment).ok().filter(|step| *step > 0) else {
        return Err(Error::argument("pivots", format!("the increment is {increment}, and must be positive")));
    };
    let memory = device_buffer(queue, pivots.memory, "pivots")?;
    let pivots = Entries { memory, offset: pivots.shape.offset() };
    let a = Block::new(device_buffer(queue, a.memory, "A")?, Operand::whole(Op::Keep, shape));
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

    pub(super) fn enqueue<T: Scalar>(&self, parts: &Parts<'_>) -> Result<()> {
        let columns = self.columns - self.gap.len();
        if columns == 0 {
            return Ok(());
        }
        let plan = InterchangePlan::choose(T::KIND, parts.device, &self.a.operand, self.solve_from.is_some());
        let context = parts.queue.context();
        let program = context.programs().get(context, &plan.source(T::KIND))?;
        for (first, count) in self.pieces(plan.count) {
            let operand = &self.a.operand;
            Launch::new(parts.queue, &program, "interchange")
                .buffer(self.a.memory)
                .index(operand.offset)
                .index(operand.row_stride)
                .index(operand.column_stride)
                .index(columns)
                .index(self.gap.start)
                .index(self.gap.len())
                .count(self.rows)
                .count(first)
                .count(count)
                .flag(self.order == PivotOrder::Backward)
                .buffer(self.pivots.memory)
                .index(self.pivots.offset + (self.base + first - self.first_pivot) * self.pivot_step)
                .index(self.pivot_step)
                .count(self.base)
                .index(self.solve_from.unwrap_or(0))
                .enqueue_step([columns.div_ceil(plan.columns), 1, 1], [plan.threads, 1, 1])?;
        }
        Ok(())
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

/// How rows are interchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InterchangePlan {
    /// Work-items of a group; one where each makes its interchanges one after the other.
    threads: usize,
    /// Columns of a group.
    columns: usize,
    /// Interchanges of a launch, at most.
    count: usize,
    /// Whether elements of a row are adjacent.
    along_rows: bool,
    /// Whether a triangular system is solved, too.
    solves: bool,
}

impl InterchangePlan {
    fn choose(kind: ScalarKind, device: &DeviceFacts, operand: &Operand, solves: bool) -> Self {
        let along_rows = operand.column_stride < operand.row_stride;
        if !has_groups(device) {
            let columns = if along_rows { ADJACENT_SERIAL_COLUMNS } else { SERIAL_COLUMNS };
            let columns = if device.class == DeviceClass::Cpu { columns } else { 1 };
            return InterchangePlan { threads: 1, columns, count: i32::MAX as usize, along_rows, solves };
        }
        let count = if solves { SOLVED } else { COUNT };
        let columns = (TILE_BYTES / (2 * count * kind.bytes())).clamp(1, 16);
        // With the triangle beside them there is room for half as many.
        let columns = if solves { columns.div_ceil(2).min(8) } else { columns };
        InterchangePlan { threads: THREADS, columns, count, along_rows, solves }
    }

    fn source(&self, kind: ScalarKind) -> ProgramSource {
        let mut definitions = vec![
            ("COLUMNS", self.columns as i64),
            ("ALONG_ROWS", i64::from(self.along_rows)),
            ("SOLVE", i64::from(self.solves)),
        ];
        if self.threads == 1 {
            return ProgramSource { name: "interchange serial", kind, files: SERIAL, definitions };
        }
        definitions.extend([("THREADS", self.threads as i64), ("COUNT", self.count as i64)]);
        ProgramSource { name: "interchange", kind, files: GROUPS, definitions }
    }
}
