//! The cpu family: both operands packed into panels, a tile's sums in vector registers, one work-item per block.

use super::plan::{Limits, split};
use super::{GemmCall, GemmProblem, Operand, finish};
use crate::context::{DeviceBuffer, Event, Scratch};
use crate::device::DeviceFacts;
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource};
use crate::scalar::{Scalar, ScalarKind};

const SOURCE: &str = include_str!("../../../../cl/blas/level3/gemm/packed.cl");

/// The sizes that are compiled into the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedParameters {
    /// Reals in a vector.
    pub vector_width: usize,
    /// Vectors in a column of the register tile.
    pub tile_vectors: usize,
    /// Columns of the register tile.
    pub tile_columns: usize,
    /// Depth of the part of a panel that stays in the first-level cache.
    pub depth_block: usize,
}

impl PackedParameters {
    /// Sums fill the vector registers but for those that hold a column of A: 32 of 16 floats with AVX-512, 16 of 8 with
    /// AVX2, 4 floats elsewhere.
    pub fn for_device(kind: ScalarKind, device: &DeviceFacts) -> Self {
        let vector_width = (device.native_floats.clamp(4, 16) * 4 / kind.real_bytes()).max(4);
        let registers = if device.native_floats >= 16 { 32 } else { 16 };
        let (tile_vectors, tile_columns) = match (kind.is_complex(), registers) {
            (false, 32) => (3, 8),
            (false, _) => (3, 4),
            (true, 32) => (1, 8),
            (true, _) => (1, 4),
        };
        PackedParameters {
            vector_width,
            tile_vectors,
            tile_columns,
            depth_block: if kind.is_complex() { 192 } else { 256 },
        }
    }

    /// Rows of the register tile.
    pub const fn tile_rows(&self) -> usize {
        self.vector_width * self.tile_vectors
    }

    const fn definitions(&self) -> [(&'static str, i64); 5] {
        let pack_width = if self.tile_columns.is_multiple_of(8) && self.tile_rows().is_multiple_of(8) { 8 } else { 4 };
        [
            ("VECTOR_WIDTH", self.vector_width as i64),
            ("TILE_VECTORS", self.tile_vectors as i64),
            ("TILE_COLUMNS", self.tile_columns as i64),
            ("DEPTH_BLOCK", self.depth_block as i64),
            ("PACK_WIDTH", pack_width),
        ]
    }
}

/// How a product is divided among work-items and, where scratch memory is short, among launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPlan {
    /// The kernels' sizes.
    pub parameters: PackedParameters,
    /// Rows and columns of C per work-item, whole tiles.
    pub block: [usize; 2],
    /// Rows, columns and depth that are packed at a time.
    pub slab: [usize; 3],
    /// Parts into which the depth is split to occupy every core; more than one only without slabs.
    pub depth_parts: usize,
}

/// Bytes of A that a work-item keeps in its second-level cache.
const A_BLOCK_BYTES: usize = 256 << 10;
/// Work-items per core that level out their different speeds.
const ITEMS_PER_CORE: usize = 4;

impl PackedPlan {
    pub(super) fn choose(problem: &GemmProblem, device: &DeviceFacts, limits: &Limits) -> Self {
        let parameters = PackedParameters::for_device(problem.kind, device);
        Self::with_parameters(problem, device, limits, parameters)
    }

    /// A plan for given kernel sizes.
    pub fn with_parameters(
        problem: &GemmProblem,
        device: &DeviceFacts,
        limits: &Limits,
        parameters: PackedParameters,
    ) -> Self {
        let (tile_rows, tile_columns) = (parameters.tile_rows(), parameters.tile_columns);
        let slab = slab(problem, &parameters, limits);
        let cached_rows = A_BLOCK_BYTES / (parameters.depth_block * problem.kind.bytes());
        let block_rows = split(slab[0], (cached_rows / tile_rows).max(1) * tile_rows, tile_rows);
        let row_blocks = slab[0].div_ceil(block_rows);
        let wanted = (device.compute_units * ITEMS_PER_CORE).div_ceil(row_blocks);
        let block_columns = split(slab[1], slab[1].div_ceil(wanted).max(8 * tile_columns), tile_columns);
        let items = row_blocks * slab[1].div_ceil(block_columns);
        let whole = slab == [problem.m, problem.n, problem.k];
        let depth_parts =
            if whole { depth_parts(problem, &parameters, limits, device.compute_units, items) } else { 1 };
        PackedPlan { parameters, block: [block_rows, block_columns], slab, depth_parts }
    }
}

/// The whole problem if its panels fit into the scratch memory, else the largest halved pieces that do.
fn slab(problem: &GemmProblem, parameters: &PackedParameters, limits: &Limits) -> [usize; 3] {
    let mut slab = [problem.m, problem.n, problem.k];
    let bytes = |slab: [usize; 3]| {
        let rows = slab[0].next_multiple_of(parameters.tile_rows()) + slab[1].next_multiple_of(parameters.tile_columns);
        (rows as u64).saturating_mul(slab[2] as u64).saturating_mul(problem.kind.bytes() as u64)
    };
    // Depth first: pieces of the depth cost only a pass over C each.
    while bytes(slab) > limits.scratch_bytes {
        let longest = if slab[2] > 4 * parameters.depth_block { 2 } else { usize::from(slab[1] > slab[0]) };
        if slab[longest] <= parameters.tile_rows().max(parameters.tile_columns) {
            break;
        }
        slab[longest] = slab[longest].div_ceil(2).next_multiple_of(parameters.tile_rows());
    }
    slab
}

/// Splits the depth when C has too few blocks for the cores and the depth is long.
fn depth_parts(
    problem: &GemmProblem,
    parameters: &PackedParameters,
    limits: &Limits,
    cores: usize,
    items: usize,
) -> usize {
    if items >= cores {
        return 1;
    }
    let by_cores = (2 * cores).div_ceil(items);
    let by_depth = problem.k / (4 * parameters.depth_block);
    let part_bytes = (problem.m * problem.n * problem.kind.bytes()) as u64;
    let by_memory = (limits.scratch_bytes / 4 / part_bytes.max(1)) as usize;
    let parts = by_cores.min(by_depth).min(by_memory).max(1);
    // Whole depth blocks, and no empty part at the end.
    problem.k.div_ceil(split(problem.k, problem.k.div_ceil(parts), parameters.depth_block))
}

pub(super) fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &PackedPlan) -> Result<Event> {
    let source = ProgramSource {
        name: "gemm packed",
        kind: T::KIND,
        files: &[SOURCE],
        definitions: plan.parameters.definitions().to_vec(),
    };
    let context = call.queue.context();
    let program = context.programs().get(context, &source)?;
    let (tile_rows, tile_columns) = (plan.parameters.tile_rows(), plan.parameters.tile_columns);
    let [slab_m, slab_n, slab_k] = plan.slab;
    let bytes = |rows: usize, tile: usize| (rows.next_multiple_of(tile) * slab_k * T::KIND.bytes()) as u64;
    let packed_a = Scratch::borrow(call.queue, bytes(slab_m, tile_rows))?;
    let packed_b = Scratch::borrow(call.queue, bytes(slab_n, tile_columns))?;
    let mut last = Event::Complete;
    for p in (0..problem.k).step_by(slab_k) {
        let depth = slab_k.min(problem.k - p);
        let beta = if p == 0 { call.beta } else { T::ONE };
        for j in (0..problem.n).step_by(slab_n) {
            let columns = slab_n.min(problem.n - j);
            let b = shifted(problem.b.transposed(), j, p);
            pack(
                call,
                &program,
                "gemm_pack_b",
                call.operands(problem).1,
                &b,
                [columns, depth],
                tile_columns,
                &packed_b,
            )?;
            for i in (0..problem.m).step_by(slab_m) {
                let rows = slab_m.min(problem.m - i);
                let a = shifted(problem.a, i, p);
                pack(call, &program, "gemm_pack_a", call.operands(problem).0, &a, [rows, depth], tile_rows, &packed_a)?;
                let c = shifted(problem.c, i, j);
                let piece = GemmProblem { m: rows, n: columns, k: depth, c, ..*problem };
                last = multiply(call, &program, &piece, plan, beta, &packed_a, &packed_b)?;
            }
        }
    }
    Ok(last)
}

/// The operand from its element (i, j) on.
const fn shifted(operand: Operand, i: usize, j: usize) -> Operand {
    Operand { offset: operand.offset + i * operand.row_stride + j * operand.column_stride, ..operand }
}

/// Depth that one work-item packs: long enough for whole cache lines, short enough to share out.
const PACK_DEPTH: usize = 256;

#[allow(clippy::too_many_arguments, reason = "a kernel's arguments")]
fn pack<T: Scalar>(
    call: &GemmCall<'_, T>,
    program: &Program,
    kernel: &'static str,
    buffer: &DeviceBuffer,
    operand: &Operand,
    [rows, depth]: [usize; 2],
    tile: usize,
    packed: &Scratch<'_>,
) -> Result<()> {
    let panels_per_item = (64 / tile).max(1);
    Launch::new(call.queue, program, kernel)
        .index(rows)
        .index(depth)
        .operand(buffer, operand)
        .scratch(packed)
        .index(panels_per_item)
        .index(PACK_DEPTH)
        .enqueue_step([rows.div_ceil(tile * panels_per_item), depth.div_ceil(PACK_DEPTH), 1], [1, 1, 1])
}

fn multiply<T: Scalar>(
    call: &GemmCall<'_, T>,
    program: &Program,
    piece: &GemmProblem,
    plan: &PackedPlan,
    beta: T,
    packed_a: &Scratch<'_>,
    packed_b: &Scratch<'_>,
) -> Result<Event> {
    let [block_rows, block_columns] = plan.block;
    let parts = plan.depth_parts;
    let part_depth = piece.k.div_ceil(parts).next_multiple_of(plan.parameters.depth_block);
    let launch = |alpha: T, beta: T| {
        Launch::new(call.queue, program, "gemm_packed")
            .index(piece.m)
            .index(piece.n)
            .index(piece.k)
            .scalar(alpha)
            .scratch(packed_a)
            .scratch(packed_b)
            .scalar(beta)
    };
    let groups = [piece.m.div_ceil(block_rows), piece.n.div_ceil(block_columns), parts];
    if parts == 1 {
        return launch(call.alpha, beta)
            .buffer(call.c)
            .index(piece.c.offset)
            .index(piece.c.column_stride)
            .index(block_rows)
            .index(block_columns)
            .index(part_depth)
            .index(0)
            .enqueue(groups, [1, 1, 1]);
    }
    let part_elements = piece.m * piece.n;
    let partial = Scratch::borrow(call.queue, (parts * part_elements * T::KIND.bytes()) as u64)?;
    launch(T::ONE, T::ZERO)
        .scratch(&partial)
        .index(0)
        .index(piece.m)
        .index(block_rows)
        .index(block_columns)
        .index(part_depth)
        .index(part_elements)
        .enqueue_step(groups, [1, 1, 1])?;
    finish::sum(call, piece, parts, &partial)
}
