//! gemm in half precision (fp16): matrices are converted to floats in workspace, multiplied by the device's
//! product of floats, and rounded back.
//!
//! Conversions take O(n^2) work beside the product's O(n^3). For a skinny C the large operand is not converted
//! ([`stream`]). An fp16 value has 11 bits, as many as tf32, so that one tensor-core product is exact where floats need
//! three (3xTF32).

mod stream;

#[cfg(test)]
mod tests;

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use super::limits::{F32Mma, Limits};
use super::multiply::execute_best;
use crate::blas::device_buffer;
use crate::context::{ContextParts, DeviceMemory, Event, Queue, QueueParts, Workspace};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::options::{Layout, Op};
use crate::program::{ProgramSource, source};
use crate::scalar::{Half, ScalarKind};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, View};

/// C := alpha op(A) op(B) + beta C in half precision, all matrices in device memory of the queue's context.
///
/// Accumulators, alpha and beta are `f32`; each element of C is rounded once, at the end. Workspace holds the
/// matrices in `f32`, large ones block by block: at most a sixteenth of the device's memory, and as much for the
/// product. See also [`super::gemm_on`].
///
/// # Errors
/// Those of [`super::gemm_on`]; every device has the precision.
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
    let call = Fp16Gemm {
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
        // The operands take half of one product's workspace.
        let limits = Limits { workspace_bytes: limits.workspace_bytes / 2, ..limits };
        match call.stream_plan(problem.k, queue.context().device().info(), &limits)? {
            Some(stream) => call.stream(&stream)?,
            None => {
                let size = [c.shape().rows(), c.shape().columns(), problem.k];
                call.multiply(&Fp16Plan::choose(size, limits.workspace_bytes), &limits)?
            }
        }
    };
    queue.flush()?;
    Ok(event)
}

/// Blocking of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fp16Plan {
    /// Block of C and of k: m, n and k.
    block: [usize; 3],
}

/// Multiple, in elements, of larger block sizes and of a float matrix's first element.
const BLOCK_MULTIPLE: usize = 128;

impl Fp16Plan {
    /// The largest blocks, of about equal sides, whose three matrices in floats fit into `bytes`.
    fn choose(size: [usize; 3], bytes: u64) -> Self {
        let mut block = size;
        // If even single elements do not fit, the allocation reports it.
        while Self::bytes(block) > bytes && block != [1; 3] {
            let largest = (0..3).max_by_key(|&side| block[side]).expect("there are three sides");
            let half = block[largest].div_ceil(2);
            block[largest] = if half > BLOCK_MULTIPLE { half.next_multiple_of(BLOCK_MULTIPLE) } else { half };
        }
        Fp16Plan { block }
    }

    /// Floats that the three matrices take.
    fn elements([rows, columns, k]: [usize; 3]) -> [usize; 3] {
        [[rows, k], [k, columns], [rows, columns]].map(floats_of)
    }

    fn bytes(block: [usize; 3]) -> u64 {
        let elements = Self::elements(block).iter().fold(0, |sum: u64, count| sum.saturating_add(*count as u64));
        elements.saturating_mul(size_of::<f32>() as u64)
    }
}

/// Leading dimension of a float matrix: long columns or rows begin at multiples of 16 bytes.
const fn float_pitch(length: usize) -> usize {
    if length < 32 { length } else { length.next_multiple_of(4) }
}

/// Floats that a matrix takes in either layout, up to the next matrix's first element.
fn floats_of([rows, columns]: [usize; 2]) -> usize {
    let by_columns = float_pitch(rows).saturating_mul(columns);
    let by_rows = float_pitch(columns).saturating_mul(rows);
    by_columns.max(by_rows).checked_next_multiple_of(BLOCK_MULTIPLE).unwrap_or(usize::MAX)
}

/// A matrix in half precision, in device memory.
type Fp16Matrix<'a> = (&'a dyn DeviceMemory, MatrixShape);

/// First index and length of a range of rows or columns.
type IndexRange = (usize, usize);

/// The operands of a call.
struct Fp16Gemm<'a> {
    queue: &'a Queue,
    conversion: Conversion,
    ops: [Op; 2],
    alpha: f32,
    a: Fp16Matrix<'a>,
    b: Fp16Matrix<'a>,
    beta: f32,
    c: Fp16Matrix<'a>,
}

impl Fp16Gemm<'_> {
    /// The product, block by block.
    fn multiply(&self, plan: &Fp16Plan, limits: &Limits) -> Result<Event> {
        let (m, n) = (self.c.1.rows(), self.c.1.columns());
        let k = if self.ops[0].transposes() { self.a.1.rows() } else { self.a.1.columns() };
        let [rows, columns, block_k] = plan.block;
        let queue = self.queue;
        tracing::debug!(m, n, k, ?plan, device = queue.context().device().info().name, "hgemm");
        // An fp16 value is exact in tf32.
        let f32_mma = if limits.tensor.f32_mma == F32Mma::Tf32x3 { F32Mma::Tf32 } else { limits.tensor.f32_mma };
        let mut limits = *limits;
        limits.tensor.f32_mma = f32_mma;
        let elements = Fp16Plan::elements(plan.block);
        let floats = Workspace::borrow(queue, Fp16Plan::bytes(plan.block))?;
        let starts = [0, elements[0], elements[0] + elements[1]];
        let (mut a_cached, mut b_cached, mut event) = (None, None, Event::Complete);
        for column in (0..n).step_by(columns) {
            let column_range = (column, columns.min(n - column));
            for row in (0..m).step_by(rows) {
                let row_range = (row, rows.min(m - row));
                let accumulators = packed(&self.c.1, row_range, column_range, starts[2])?;
                for inner in (0..k).step_by(block_k) {
                    let k_range = (inner, block_k.min(k - inner));
                    let a = self.operand(0, (row_range, k_range), (&floats, starts[0]), &mut a_cached)?;
                    let b = self.operand(1, (k_range, column_range), (&floats, starts[1]), &mut b_cached)?;
                    let problem = GemmProblem::new(ScalarKind::S, self.ops[0], self.ops[1], &a, &b, &accumulators)?;
                    // The first slice of k overwrites the accumulators.
                    let beta = if inner == 0 { 0.0 } else { 1.0 };
                    let call = GemmCall { queue, alpha: self.alpha, a: &floats, b: &floats, beta, c: &floats };
                    // The queue's order is enough.
                    drop(execute_best(&call, &problem, &limits)?);
                }
                event = self.narrow((&floats, &accumulators), row_range, column_range)?;
            }
        }
        Ok(event)
    }

    /// A block of op(A) (`which` = 0) or op(B) (1) in floats, converted unless `cached` says that it is there already.
    fn operand(
        &self,
        which: usize,
        (rows, columns): (IndexRange, IndexRange),
        (floats, start): (&Workspace<'_>, usize),
        cached: &mut Option<(usize, usize)>,
    ) -> Result<MatrixShape> {
        let (memory, shape) = if which == 0 { &self.a } else { &self.b };
        let (rows, columns) = if self.ops[which].transposes() { (columns, rows) } else { (rows, columns) };
        let to = packed(shape, rows, columns, start)?;
        if cached.replace((rows.0, columns.0)) != Some((rows.0, columns.0)) {
            let to = Vectors::of(&to);
            let from = Vectors::of(&shape.block(rows, columns)).merged_like(&to);
            self.with_kernel("widen", &from, |launch, groups, local| {
                let launch = from.arguments(*memory, launch).workspace(floats).index(to.offset).index(to.pitch);
                launch.enqueue_step(groups, local)
            })?;
        }
        Ok(to)
    }

    /// A block of C := its accumulators + beta C.
    fn narrow(
        &self,
        (floats, accumulators): (&Workspace<'_>, &MatrixShape),
        rows: IndexRange,
        columns: IndexRange,
    ) -> Result<Event> {
        let from = Vectors::of(accumulators);
        let to = Vectors::of(&self.c.1.block(rows, columns)).merged_like(&from);
        self.with_kernel("narrow", &to, |launch, groups, local| {
            let launch = launch.workspace(floats).index(from.offset).index(from.pitch).scalar(self.beta);
            to.arguments(self.c.0, launch).enqueue(groups, local)
        })
    }

    /// C := beta C.
    fn scale(&self) -> Result<Event> {
        let vectors = Vectors::of(&self.c.1);
        let vectors = vectors.merged_like(&vectors);
        self.with_kernel("scale", &vectors, |launch, groups, local| {
            vectors.arguments(self.c.0, launch.scalar(self.beta)).enqueue(groups, local)
        })
    }

    /// Starts a kernel over a matrix's contiguous vectors, with their length as its first argument. `work` adds the
    /// others and enqueues it.
    fn with_kernel<R>(
        &self,
        kernel: &'static str,
        vectors: &Vectors,
        work: impl FnOnce(Launch<'_>, [usize; 3], [usize; 3]) -> Result<R>,
    ) -> Result<R> {
        let context = self.queue.context();
        let sizes = &self.conversion;
        let definitions = vec![
            ("THREADS", sizes.threads as i64),
            ("PIECE", sizes.chunk as i64),
            ("VECTOR_WIDTH", sizes.width as i64),
        ];
        let source = ProgramSource {
            name: "gemm half",
            kind: ScalarKind::S,
            root: source("blas/level3/gemm/fp16/convert.cl"),
            definitions,
        };
        let program = context.program(&source)?;
        let groups = vectors.length.div_ceil(sizes.chunk) * vectors.count;
        let launch = Launch::new(self.queue, &program, kernel).index(vectors.length);
        work(launch, [groups, 1, 1], [sizes.threads, 1, 1])
    }
}

/// Compile-time sizes of the conversion kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Conversion {
    /// Work-items of a group.
    threads: usize,
    /// Elements of a contiguous vector per group.
    chunk: usize,
    /// Elements per work-item at a time.
    width: usize,
}

impl Conversion {
    /// On a CPU a work-item converts a long chunk in vectors; on other devices neighbouring work-items take
    /// neighbouring elements.
    fn of(device: &DeviceInfo) -> Self {
        match device.class {
            DeviceClass::Cpu => Conversion { threads: 1, chunk: 8192, width: device.vector_width(ScalarKind::S) },
            _ => {
                let threads = device.max_work_group_size.clamp(1, 128);
                Conversion { threads, chunk: 8 * threads, width: 1 }
            }
        }
    }
}

/// A matrix as contiguous vectors: its columns, or its rows in row-major layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Vectors {
    offset: usize,
    /// Elements of a vector, and leading dimension.
    length: usize,
    pitch: usize,
    count: usize,
}

impl Vectors {
    fn of(shape: &MatrixShape) -> Self {
        let (length, count) = match shape.layout() {
            Layout::ColumnMajor => (shape.rows(), shape.columns()),
            Layout::RowMajor => (shape.columns(), shape.rows()),
        };
        Vectors { offset: shape.offset(), length, pitch: shape.leading_dimension(), count }
    }

    /// All of them as a single vector, if neither this matrix nor `other`, of the same size, has gaps.
    fn merged_like(self, other: &Self) -> Self {
        if self.pitch != self.length || other.pitch != other.length {
            return self;
        }
        Vectors { length: self.length * self.count, count: 1, ..self }
    }

    fn arguments<'l>(&self, memory: &dyn DeviceMemory, launch: Launch<'l>) -> Launch<'l> {
        launch.buffer(memory).index(self.offset).index(self.pitch)
    }
}

/// Shape of a block in floats, dense from element `start` on, in the layout of `shape`.
fn packed(shape: &MatrixShape, rows: IndexRange, columns: IndexRange, start: usize) -> Result<MatrixShape> {
    let adjacent = if shape.layout() == Layout::ColumnMajor { rows.1 } else { columns.1 };
    MatrixShape::new(shape.layout(), rows.1, columns.1, start, float_pitch(adjacent).max(1))
}
