//! gemm of matrices in half precision: they become floats in scratch memory, where the device's own product of floats multiplies
//! them, and its sums are rounded back.
//!
//! The conversions touch each element a few times, the product as often as the matrices are long; where C has few rows or
//! columns, the large operand is not converted ([`stream`]). A half has 11 bits, as many as a tensor core takes of a float: one of
//! its products is exact, where floats need three.

mod stream;

#[cfg(test)]
mod tests;

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use super::limits::{F32Mma, Limits};
use super::multiply::execute_best;
use crate::blas::device_buffer;
use crate::context::{ContextParts, DeviceMemory, Event, Queue, QueueParts, Scratch};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::options::{Layout, Op};
use crate::program::ProgramSource;
use crate::scalar::{Half, ScalarKind};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, View};

const FILES: &[&str] = &[include_str!("../../../../../cl/blas/level3/gemm/half.cl")];
const VECTOR_FILES: &[&str] = &[
    include_str!("../../../../../cl/common/vectors.cl"),
    include_str!("../../../../../cl/common/halves.cl"),
    include_str!("../../../../../cl/blas/level3/gemm/half.cl"),
];

/// C := alpha op(A) op(B) + beta C, all three in half precision and in device memory of the queue's context.
///
/// Sums, alpha and beta are `f32`, and each element of C is rounded once to half precision, at the end. It takes scratch memory for the
/// matrices in `f32`, of large ones by parts: at most a sixteenth of the device's memory, and as much for the product. Otherwise as
/// [`super::gemm_on`].
///
/// # Errors
/// As [`super::gemm_on`]; every device has the precision.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
pub fn hgemm_on(
    queue: &Queue,
    op_a: Op,
    op_b: Op,
    alpha: f32,
    a: MatrixRef<'_, Half>,
    b: MatrixRef<'_, Half>,
    beta: f32,
    c: MatrixMut<'_, Half>,
) -> Result<Event> {
    let problem = GemmProblem::new(ScalarKind::S, op_a, op_b, a.shape(), b.shape(), c.shape())?;
    let call = HalfCall {
        queue,
        conversion: Conversion::of(queue.context().device().info()),
        ops: [op_a, op_b],
        alpha,
        a: (device_buffer(queue, a.memory(), "A")?, *a.shape()),
        b: (device_buffer(queue, b.memory(), "B")?, *b.shape()),
        beta,
        c: (device_buffer(queue, c.memory(), "C")?, *c.shape()),
    };
    if c.shape().rows() == 0 || c.shape().columns() == 0 {
        return Ok(Event::Complete); // BLAS: an empty C is left as it is.
    }
    let event = if problem.k == 0 || alpha == 0.0 {
        if beta == 1.0 {
            return Ok(Event::Complete); // BLAS: no element of C changes.
        }
        call.scale()?
    } else {
        let limits = Limits::on(queue);
        // Half of what one product may take is for its operands.
        let limits = Limits { scratch_bytes: limits.scratch_bytes / 2, ..limits };
        match call.stream_plan(problem.k, queue.context().device().info(), &limits)? {
            Some(stream) => call.stream(&stream)?,
            None => {
                let size = [c.shape().rows(), c.shape().columns(), problem.k];
                call.multiply(&HalfPlan::choose(size, limits.scratch_bytes), &limits)?
            }
        }
    };
    queue.flush()?;
    Ok(event)
}

/// The part of the product that is computed at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HalfPlan {
    /// Rows and columns of C, and depth.
    block: [usize; 3],
}

/// Blocks are cut at multiples of this, where they are larger: what kernels like. A matrix of floats begins at one, too.
const GRAIN: usize = 128;

impl HalfPlan {
    /// The largest blocks, of about equal sides, of which the matrices in floats take no more than so many bytes.
    fn choose(size: [usize; 3], bytes: u64) -> Self {
        let mut block = size;
        // Where single elements take too much, the device will say what it lacks.
        while Self::bytes(block) > bytes && block != [1; 3] {
            let longest = (0..3).max_by_key(|&side| block[side]).expect("there are three sides");
            let half = block[longest].div_ceil(2);
            block[longest] = if half > GRAIN { half.next_multiple_of(GRAIN) } else { half };
        }
        HalfPlan { block }
    }

    /// Floats that the three matrices take.
    fn elements([rows, columns, depth]: [usize; 3]) -> [usize; 3] {
        [[rows, depth], [depth, columns], [rows, columns]].map(floats_of)
    }

    fn bytes(block: [usize; 3]) -> u64 {
        let elements = Self::elements(block).iter().fold(0, |sum: u64, count| sum.saturating_add(*count as u64));
        elements.saturating_mul(size_of::<f32>() as u64)
    }
}

/// From a line of floats to the next one: long ones begin where kernels like it, at a multiple of 16 bytes.
const fn float_pitch(length: usize) -> usize {
    if length < 32 { length } else { length.next_multiple_of(4) }
}

/// Floats that a matrix takes by rows or by columns, with what the next one does not begin in.
fn floats_of([rows, columns]: [usize; 2]) -> usize {
    let by_columns = float_pitch(rows).saturating_mul(columns);
    let by_rows = float_pitch(columns).saturating_mul(rows);
    by_columns.max(by_rows).checked_next_multiple_of(GRAIN).unwrap_or(usize::MAX)
}

/// A matrix in half precision, in device memory.
type Halves<'a> = (&'a dyn DeviceMemory, MatrixShape);

/// A range of rows or columns: where it begins, and its length.
type Span = (usize, usize);

/// The operands of a call.
struct HalfCall<'a> {
    queue: &'a Queue,
    conversion: Conversion,
    ops: [Op; 2],
    alpha: f32,
    a: Halves<'a>,
    b: Halves<'a>,
    beta: f32,
    c: Halves<'a>,
}

impl HalfCall<'_> {
    /// The product, block by block.
    fn multiply(&self, plan: &HalfPlan, limits: &Limits) -> Result<Event> {
        let (m, n) = (self.c.1.rows(), self.c.1.columns());
        let k = if self.ops[0].transposes() { self.a.1.rows() } else { self.a.1.columns() };
        let [rows, columns, depth] = plan.block;
        let queue = self.queue;
        tracing::debug!(m, n, k, ?plan, device = queue.context().device().info().name, "hgemm");
        // A half is a product's operand as it is.
        let f32_mma = if limits.tensor.f32_mma == F32Mma::Tf32x3 { F32Mma::Tf32 } else { limits.tensor.f32_mma };
        let mut limits = *limits;
        limits.tensor.f32_mma = f32_mma;
        let room = HalfPlan::elements(plan.block);
        let floats = Scratch::borrow(queue, HalfPlan::bytes(plan.block))?;
        let starts = [0, room[0], room[0] + room[1]];
        let (mut a_place, mut b_place, mut event) = (None, None, Event::Complete);
        for column in (0..n).step_by(columns) {
            let of_columns = (column, columns.min(n - column));
            for row in (0..m).step_by(rows) {
                let of_rows = (row, rows.min(m - row));
                let sums = packed(&self.c.1, of_rows, of_columns, starts[2])?;
                for inner in (0..k).step_by(depth) {
                    let of_depth = (inner, depth.min(k - inner));
                    let a = self.operand(0, (of_rows, of_depth), (&floats, starts[0]), &mut a_place)?;
                    let b = self.operand(1, (of_depth, of_columns), (&floats, starts[1]), &mut b_place)?;
                    let problem = GemmProblem::new(ScalarKind::S, self.ops[0], self.ops[1], &a, &b, &sums)?;
                    // The first part of the depth replaces what is there.
                    let beta = if inner == 0 { 0.0 } else { 1.0 };
                    let call = GemmCall { queue, alpha: self.alpha, a: &floats, b: &floats, beta, c: &floats };
                    // The queue's order is enough.
                    drop(execute_best(&call, &problem, &limits)?);
                }
                event = self.narrow((&floats, &sums), of_rows, of_columns)?;
            }
        }
        Ok(event)
    }

    /// A block of op(A), which is 0, or of op(B), which is 1, in floats: converted, unless it is what is there.
    fn operand(
        &self,
        which: usize,
        (rows, columns): (Span, Span),
        (floats, start): (&Scratch<'_>, usize),
        place: &mut Option<(usize, usize)>,
    ) -> Result<MatrixShape> {
        let (memory, shape) = if which == 0 { &self.a } else { &self.b };
        let (rows, columns) = if self.ops[which].transposes() { (columns, rows) } else { (rows, columns) };
        let to = packed(shape, rows, columns, start)?;
        if place.replace((rows.0, columns.0)) != Some((rows.0, columns.0)) {
            let to = Lines::of(&to);
            let from = Lines::of(&shape.block(rows, columns)).joined_as(&to);
            self.with_kernel("widen", &from, |launch, groups, local| {
                let launch = from.put(*memory, launch).scratch(floats).index(to.offset).index(to.pitch);
                launch.enqueue_step(groups, local)
            })?;
        }
        Ok(to)
    }

    /// A block of C := its sums + beta C.
    fn narrow(&self, (floats, sums): (&Scratch<'_>, &MatrixShape), rows: Span, columns: Span) -> Result<Event> {
        let from = Lines::of(sums);
        let to = Lines::of(&self.c.1.block(rows, columns)).joined_as(&from);
        self.with_kernel("narrow", &to, |launch, groups, local| {
            let launch = launch.scratch(floats).index(from.offset).index(from.pitch).scalar(self.beta);
            to.put(self.c.0, launch).enqueue(groups, local)
        })
    }

    /// C := beta C.
    fn scale(&self) -> Result<Event> {
        let lines = Lines::of(&self.c.1);
        let lines = lines.joined_as(&lines);
        self.with_kernel("scale", &lines, |launch, groups, local| {
            lines.put(self.c.0, launch.scalar(self.beta)).enqueue(groups, local)
        })
    }

    /// A launch of a kernel over the lines of a matrix, with their length as its first argument: the work adds the others and enqueues it.
    fn with_kernel<R>(
        &self,
        kernel: &'static str,
        lines: &Lines,
        work: impl FnOnce(Launch<'_>, [usize; 3], [usize; 3]) -> Result<R>,
    ) -> Result<R> {
        let context = self.queue.context();
        let sizes = &self.conversion;
        let definitions = vec![
            ("THREADS", sizes.threads as i64),
            ("PIECE", sizes.piece as i64),
            ("VECTOR_WIDTH", sizes.width as i64),
        ];
        let files = if sizes.width > 1 { VECTOR_FILES } else { FILES };
        let source = ProgramSource { name: "gemm half", kind: ScalarKind::S, files, definitions };
        let program = context.program(&source)?;
        let groups = lines.length.div_ceil(sizes.piece) * lines.count;
        let launch = Launch::new(self.queue, &program, kernel).index(lines.length);
        work(launch, [groups, 1, 1], [sizes.threads, 1, 1])
    }
}

/// How the kernels that convert are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Conversion {
    /// Work-items of a group.
    threads: usize,
    /// Elements that a group takes of a line.
    piece: usize,
    /// Elements that a work-item takes at a time.
    width: usize,
}

impl Conversion {
    /// A CPU's work-item has a long piece and takes it in vectors; on others, neighbours take neighbouring elements.
    fn of(device: &DeviceInfo) -> Self {
        match device.class {
            DeviceClass::Cpu => Conversion { threads: 1, piece: 8192, width: device.vector_width(ScalarKind::S) },
            _ => {
                let threads = device.max_work_group_size.clamp(1, 128);
                Conversion { threads, piece: 8 * threads, width: 1 }
            }
        }
    }
}

/// A matrix as lines of adjacent elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lines {
    offset: usize,
    /// Elements of a line, and between the starts of neighbours.
    length: usize,
    pitch: usize,
    count: usize,
}

impl Lines {
    fn of(shape: &MatrixShape) -> Self {
        let (length, count) = match shape.layout() {
            Layout::ColumnMajor => (shape.rows(), shape.columns()),
            Layout::RowMajor => (shape.columns(), shape.rows()),
        };
        Lines { offset: shape.offset(), length, pitch: shape.leading_dimension(), count }
    }

    /// All of them as one line, where there are no gaps between them, nor between those of a matrix as large beside it.
    fn joined_as(self, beside: &Self) -> Self {
        if self.pitch != self.length || beside.pitch != beside.length {
            return self;
        }
        Lines { length: self.length * self.count, count: 1, ..self }
    }

    /// The arguments that tell where they lie.
    fn put<'l>(&self, memory: &dyn DeviceMemory, launch: Launch<'l>) -> Launch<'l> {
        launch.buffer(memory).index(self.offset).index(self.pitch)
    }
}

/// A block of a matrix in floats, alone from an element of another memory on, in the same layout.
fn packed(shape: &MatrixShape, rows: Span, columns: Span, start: usize) -> Result<MatrixShape> {
    let adjacent = if shape.layout() == Layout::ColumnMajor { rows.1 } else { columns.1 };
    MatrixShape::new(shape.layout(), rows.1, columns.1, start, float_pitch(adjacent).max(1))
}
