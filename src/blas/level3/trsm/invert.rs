//! Inverses of the diagonal blocks: small ones by a kernel, larger ones by products.
//!
//! The matrix is lower triangular: A or its transpose. For L = [L11 0; L21 L22], the block of L⁻¹ below the diagonal
//! is -L22⁻¹ L21 L11⁻¹ (Du Croz and Higham 1992).

use super::plan::{TrsmBlocks, TrsmMemory, gpu_base, inverse_elements};
use super::{TrsmCall, TrsmProblem};
use crate::blas::level3::batched::{BatchedPlan, BatchedProblem, MatrixOffsets, execute_batched};
use crate::blas::level3::gemm::{GemmArguments, GemmCall, GemmProblem, Operand, Target};
use crate::context::{ContextParts, DeviceMemory, Workspace};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::options::{Diag, Triangle};
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;

/// Order of the blocks that a whole inverse is merged from on a CPU.
const CPU_BASE: usize = 32;
/// Sides of the square of work-items that invert a block on a GPU: the first one that a group can have.
const EDGES: [usize; 2] = [16, 4];

/// The inverses of a matrix's diagonal blocks.
pub(super) struct Inverses<'q> {
    memory: Workspace<'q>,
    block: usize,
    triangle: Triangle,
}

impl<'q> Inverses<'q> {
    /// Enqueues the inversions.
    pub(super) fn compute<T: Scalar>(
        call: &TrsmCall<'q, T>,
        problem: &TrsmProblem,
        blocks: &TrsmBlocks,
        device: &DeviceInfo,
    ) -> Result<Self> {
        let elements = inverse_elements(problem.n, blocks.block);
        let memory = Workspace::borrow(call.queue, (elements * size_of::<T>()) as u64)?;
        invert_bases(call, problem, blocks, device, &memory)?;
        let mut size = blocks.base;
        while size < blocks.block && size < problem.n {
            double(call, problem, blocks, size, device, &memory)?;
            size *= 2;
        }
        Ok(Inverses { memory, block: blocks.block, triangle: problem.triangle })
    }

    /// The inverse of all of a lower triangular A, n elements from row to row, with zeros above its diagonal.
    pub(super) fn whole<T: Scalar>(
        call: &TrsmCall<'q, T>,
        problem: &TrsmProblem,
        device: &DeviceInfo,
    ) -> Result<Workspace<'q>> {
        let base = match device.class {
            DeviceClass::Cpu => CPU_BASE,
            _ => gpu_base(T::KIND, problem.n, TrsmMemory::of(call.queue, problem, device).local_bytes),
        };
        let blocks = TrsmBlocks { base, block: problem.n, columns: 1 };
        Ok(Inverses::compute(call, problem, &blocks, device)?.memory)
    }

    /// The inverse of A's diagonal block that begins in row `first`, and the memory that holds it.
    pub(super) fn of_block(&self, first: usize) -> (&dyn DeviceMemory, Operand) {
        let lower = Operand::general(first * (self.block + 1), self.block, 1);
        (&self.memory, if self.triangle == Triangle::Lower { lower } else { lower.transposed() })
    }
}

fn invert_bases<T: Scalar>(
    call: &TrsmCall<'_, T>,
    problem: &TrsmProblem,
    blocks: &TrsmBlocks,
    device: &DeviceInfo,
    memory: &Workspace<'_>,
) -> Result<()> {
    let (source, groups, threads) = if device.class == DeviceClass::Cpu {
        let vector_width = device.vector_width(T::KIND);
        let definitions = vec![("VECTOR_WIDTH", vector_width as i64), ("BLOCK", blocks.base as i64)];
        let width = if T::KIND.is_complex() { vector_width / 2 } else { vector_width };
        let groups = problem.n.div_ceil(blocks.base) * blocks.base.div_ceil(width);
        (
            ProgramSource {
                name: "trsm invert cpu",
                kind: T::KIND,
                root: source("blas/level3/trsm/invert_cpu.cl"),
                definitions,
            },
            groups,
            1,
        )
    } else {
        let edge = EDGES.into_iter().find(|edge| edge * edge <= device.max_work_group_size).unwrap_or(EDGES[1]);
        let definitions = vec![("BASE", blocks.base as i64), ("EDGE", edge as i64)];
        let source = ProgramSource {
            name: "trsm invert",
            kind: T::KIND,
            root: source("blas/level3/trsm/invert_gpu.cl"),
            definitions,
        };
        (source, problem.n.div_ceil(blocks.base), edge * edge)
    };
    let program = call.queue.context().program(&source)?;
    Launch::new(call.queue, &program, "trsm_invert")
        .index(problem.n)
        .flag(problem.diagonal == Diag::Unit)
        .operand(call.a, &problem.lower())
        .buffer(memory)
        .index(blocks.block)
        .enqueue_step([groups, 1, 1], [threads, 1, 1])
}

/// Merges inverses of blocks of `size` rows into those of twice as many.
fn double<T: Scalar>(
    call: &TrsmCall<'_, T>,
    problem: &TrsmProblem,
    blocks: &TrsmBlocks,
    size: usize,
    device: &DeviceInfo,
    memory: &Workspace<'_>,
) -> Result<()> {
    let (pairs, rest) = (problem.n / (2 * size), problem.n % (2 * size));
    if pairs > 0 {
        merge(call, problem, blocks, [size, size], 0, pairs, device, memory)?;
    }
    if rest > size {
        merge(call, problem, blocks, [size, rest - size], pairs * 2 * size, 1, device, memory)?;
    }
    Ok(())
}

/// Merges pairs of inverses of `rows` rows each, from row `first` on.
#[allow(clippy::too_many_arguments, reason = "one step of a loop, with its sizes")]
fn merge<T: Scalar>(
    call: &TrsmCall<'_, T>,
    problem: &TrsmProblem,
    blocks: &TrsmBlocks,
    [upper, lower]: [usize; 2],
    first: usize,
    count: usize,
    device: &DeviceInfo,
    memory: &Workspace<'_>,
) -> Result<()> {
    let l = problem.lower();
    let l21 = l.shifted(first + upper, first);
    let l_stride = 2 * upper * (l.row_stride + l.column_stride);
    let inverse = Operand::general(first * (blocks.block + 1), blocks.block, 1);
    let inverse_stride = 2 * upper * (blocks.block + 1);
    let product = Workspace::borrow(call.queue, (count * upper * lower * size_of::<T>()) as u64)?;
    let dense = Operand::general(0, upper, 1);
    let step = |alpha, [a, b, c]: [(&dyn DeviceMemory, Operand, usize); 3], k| {
        let gemm = GemmProblem {
            kind: T::KIND,
            m: lower,
            n: upper,
            k,
            a: a.1,
            b: b.1,
            c: c.1,
            target: Target::Whole,
            swapped: false,
        };
        // Its rows are contiguous: the transposed problem has contiguous columns.
        let batch = BatchedProblem { gemm: gemm.transposed(), count };
        let call = GemmCall { queue: call.queue, alpha, a: a.0, b: b.0, beta: T::ZERO, c: c.0 };
        let offsets = MatrixOffsets::strided(count, &[a.2, b.2, c.2]);
        execute_batched(&call, &batch, &offsets, &BatchedPlan::choose(&batch, device)).map(drop)
    };
    let temporary = (&product as &dyn DeviceMemory, dense, upper * lower);
    let part = |row, column| (memory as &dyn DeviceMemory, inverse.shifted(row, column), inverse_stride);
    step(T::ONE, [(call.a, l21, l_stride), part(0, 0), temporary], upper)?;
    step(-T::ONE, [part(upper, upper), temporary, part(upper, 0)], lower)
}
