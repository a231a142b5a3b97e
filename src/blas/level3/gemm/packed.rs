//! The cpu family: operands packed into panels, a tile's sums in vector registers, one work-item per block of C.

use std::sync::Arc;

use affinimath_core::problem::gemm::GemmProblem;
use affinimath_core::problem::structure::Target;

use super::arguments::{Form, definitions};
use super::call::GemmCall;
use super::family::Family;
use super::finish;
use super::limits::{Limits, split};
use crate::blas::level3::gemm::GemmArguments;
use crate::context::{ContextParts, Event, Queue, Scratch};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource};
use crate::scalar::{Scalar, ScalarKind};

const VECTORS: &str = include_str!("../../../../cl/common/vectors.cl");
const SQUARES: &str = include_str!("../../../../cl/blas/level3/gemm/squares.cl");
const STRUCTURE: &str = include_str!("../../../../cl/blas/level3/gemm/structure.cl");
const IN_GLOBAL: &str = "\n#define PACKED_SPACE __global\n#define PACK_NAME(name) name##_global\n";
const IN_PRIVATE: &str = "\n#define PACKED_SPACE __private\n#define PACK_NAME(name) name##_private\n";
const PACK: &str = include_str!("../../../../cl/blas/level3/gemm/pack.cl");
const PACK_STRUCTURED: &str = include_str!("../../../../cl/blas/level3/gemm/pack_structured.cl");
const TILE: &str = include_str!("../../../../cl/blas/level3/gemm/packed_tile.cl");

const PLAIN: &[&str] = &[
    VECTORS,
    SQUARES,
    IN_GLOBAL,
    PACK,
    IN_PRIVATE,
    PACK,
    TILE,
    include_str!("../../../../cl/blas/level3/gemm/packed.cl"),
];

const STRUCTURED: &[&str] = &[
    VECTORS,
    SQUARES,
    STRUCTURE,
    IN_GLOBAL,
    PACK,
    IN_GLOBAL,
    PACK_STRUCTURED,
    IN_PRIVATE,
    PACK,
    IN_PRIVATE,
    PACK_STRUCTURED,
    TILE,
    include_str!("../../../../cl/blas/level3/gemm/packed_structured.cl"),
];

/// The sizes that plans are made with: those that are compiled into the kernels, and those that divide the work.
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
    /// Tiles whose rows of A a work-item packs at a time, in private memory that fits into a second-level cache.
    pub packed_tiles: usize,
    /// Bytes of B that a work-item keeps in its second-level cache.
    pub b_block_bytes: usize,
    /// Work-items per core that level out their different speeds.
    pub items_per_core: usize,
}

impl PackedParameters {
    /// Sums fill the vector registers but for those that hold a column of A: 32 of 16 floats with AVX-512, 16 of 8 with
    /// AVX2, 4 floats elsewhere.
    pub fn for_device(kind: ScalarKind, device: &DeviceInfo) -> Self {
        let vector_width = device.vector_width(kind);
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
            // 200 KiB of private memory.
            packed_tiles: 4,
            b_block_bytes: 384 << 10,
            items_per_core: 8,
        }
    }

    /// Rows of the register tile.
    pub const fn tile_rows(&self) -> usize {
        self.vector_width * self.tile_vectors
    }

    const fn definitions(&self) -> [(&'static str, i64); 6] {
        let pack_width = if self.tile_columns.is_multiple_of(8) && self.tile_rows().is_multiple_of(8) { 8 } else { 4 };
        [
            ("VECTOR_WIDTH", self.vector_width as i64),
            ("TILE_VECTORS", self.tile_vectors as i64),
            ("TILE_COLUMNS", self.tile_columns as i64),
            ("DEPTH_BLOCK", self.depth_block as i64),
            ("PACK_WIDTH", pack_width),
            ("PACKED_TILES", self.packed_tiles as i64),
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
    /// Columns and depth of B that are packed at a time: all of it, if scratch memory allows.
    pub slab: [usize; 2],
    /// Parts into which the depth is split to occupy every core; more than one only without slabs.
    pub depth_parts: usize,
}

impl PackedPlan {
    /// The plan for a problem on a device of so many cores.
    pub fn choose(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits, parameters: PackedParameters) -> Self {
        let (tile_rows, tile_columns) = (parameters.tile_rows(), parameters.tile_columns);
        let slab = slab(problem, &parameters, limits);
        let cached_columns = parameters.b_block_bytes / (parameters.depth_block * problem.kind.bytes());
        let block_columns = split(slab[0], (cached_columns / tile_columns).max(1) * tile_columns, tile_columns);
        let column_blocks = slab[0].div_ceil(block_columns);
        // Blocks of a triangle, or of a triangular operand, differ in their work: more of them level that out.
        let uneven = problem.target != Target::Whole
            || problem.a.structure.is_triangular()
            || problem.b.structure.is_triangular();
        let items_per_core = if uneven { 3 * parameters.items_per_core } else { parameters.items_per_core };
        let wanted = (device.compute_units * items_per_core).div_ceil(column_blocks);
        let block_rows = split(problem.m, problem.m.div_ceil(wanted), tile_rows);
        let items = column_blocks * problem.m.div_ceil(block_rows);
        let whole = slab == [problem.n, problem.k];
        let depth_parts =
            if whole { depth_parts(problem, &parameters, limits, device.compute_units, items) } else { 1 };
        PackedPlan { parameters, block: [block_rows, block_columns], slab, depth_parts }
    }
}

impl PackedPlan {
    /// Whether C may be the memory of B (the problem's A, if it is swapped), so that the product takes an operand's place.
    /// All of B is packed before anything is computed; of A, a work-item packs all that its rows of C depend on, if these are
    /// one block of C and one of the depth.
    pub(crate) fn may_replace_operand(&self, problem: &GemmProblem) -> bool {
        let packed_first = self.slab == [problem.n, problem.k];
        let alone = self.depth_parts == 1 && problem.k <= self.parameters.depth_block && self.block[1] >= problem.n;
        packed_first && (!problem.swapped || alone)
    }
}

/// All of B if its panels fit into the scratch memory, else halves of it until they do.
fn slab(problem: &GemmProblem, parameters: &PackedParameters, limits: &Limits) -> [usize; 2] {
    let [mut columns, mut depth] = [problem.n, problem.k];
    while panel_bytes(columns, depth, parameters, problem.kind) > limits.scratch_bytes {
        // Depth first: each piece of it costs only one more pass over C.
        if depth > 4 * parameters.depth_block {
            depth = depth.div_ceil(2).next_multiple_of(parameters.depth_block);
        } else if columns > parameters.tile_columns {
            columns = columns.div_ceil(2).next_multiple_of(parameters.tile_columns);
        } else {
            break;
        }
    }
    [columns, depth]
}

/// Bytes of the panels of a `depth` x `columns` part of B.
const fn panel_bytes(columns: usize, depth: usize, parameters: &PackedParameters, kind: ScalarKind) -> u64 {
    let elements = (columns.next_multiple_of(parameters.tile_columns) as u64).saturating_mul(depth as u64);
    elements.saturating_mul(kind.bytes() as u64)
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

/// What a plan's launches share: the problem's form, and the program for it.
struct Kernels {
    form: Form,
    program: Arc<Program>,
}

impl Kernels {
    fn get(queue: &Queue, problem: &GemmProblem, target: Target, parameters: &PackedParameters) -> Result<Self> {
        let form = Form::of(problem);
        let mut sizes = parameters.definitions().to_vec();
        let source = if form.is_plain() {
            ProgramSource { name: "gemm packed", kind: problem.kind, files: PLAIN, definitions: sizes }
        } else {
            sizes.extend(definitions(problem, target));
            ProgramSource { name: "gemm packed structured", kind: problem.kind, files: STRUCTURED, definitions: sizes }
        };
        let program = queue.context().program(&source)?;
        Ok(Kernels { form, program })
    }
}

impl Family for PackedPlan {
    type Parameters = PackedParameters;

    /// One plan, on CPUs.
    fn candidates(
        problem: &GemmProblem,
        device: &DeviceInfo,
        limits: &Limits,
        parameters: PackedParameters,
    ) -> Vec<Self> {
        let is_cpu = device.class == DeviceClass::Cpu;
        is_cpu.then(|| Self::choose(problem, device, limits, parameters)).into_iter().collect()
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &PackedPlan) -> Result<Event> {
    let target = if plan.depth_parts > 1 { problem.target.of_parts() } else { problem.target };
    let kernels = Kernels::get(call.queue, problem, target, &plan.parameters)?;
    let [slab_columns, slab_depth] = plan.slab;
    let packed = Scratch::borrow(call.queue, panel_bytes(slab_columns, slab_depth, &plan.parameters, T::KIND))?;
    let mut last = Event::Complete;
    for p in (0..problem.k).step_by(slab_depth) {
        let depth = slab_depth.min(problem.k - p);
        let beta = if p == 0 { call.beta } else { T::ONE };
        for j in (0..problem.n).step_by(slab_columns) {
            let columns = slab_columns.min(problem.n - j);
            let piece = GemmProblem {
                n: columns,
                k: depth,
                a: problem.a.shifted(0, p),
                b: problem.b.shifted(p, j),
                c: problem.c.shifted(0, j),
                target: problem.target.shifted(0, j),
                ..*problem
            };
            pack(call, &kernels, &piece, plan, &packed)?;
            last = multiply(call, &kernels, &piece, plan, beta, &packed)?;
        }
    }
    Ok(last)
}

/// Depth that one work-item packs: long enough for whole cache lines, short enough to share out.
const PACK_DEPTH: usize = 256;

fn pack<T: Scalar>(
    call: &GemmCall<'_, T>,
    kernels: &Kernels,
    piece: &GemmProblem,
    plan: &PackedPlan,
    packed: &Scratch<'_>,
) -> Result<()> {
    let panels_per_item = (64 / plan.parameters.tile_columns).max(1);
    let panels = piece.n.div_ceil(plan.parameters.tile_columns);
    let memory = call.operands(piece).1;
    let launch = Launch::new(call.queue, &kernels.program, kernels.form.name("gemm_pack", "gemm_pack_structured"))
        .index(piece.n)
        .index(piece.k);
    // Both forms take B as it stands along C.
    if kernels.form.is_plain() {
        launch.operand(memory, &piece.b.transposed())
    } else {
        launch.b_of(kernels.form, memory, piece)
    }
    .scratch(packed)
    .index(panels_per_item)
    .index(PACK_DEPTH)
    .enqueue_step([panels.div_ceil(panels_per_item), piece.k.div_ceil(PACK_DEPTH), 1], [1, 1, 1])
}

fn multiply<T: Scalar>(
    call: &GemmCall<'_, T>,
    kernels: &Kernels,
    piece: &GemmProblem,
    plan: &PackedPlan,
    beta: T,
    packed: &Scratch<'_>,
) -> Result<Event> {
    let [block_rows, block_columns] = plan.block;
    let (parts, form) = (plan.depth_parts, kernels.form);
    let part_depth = piece.k.div_ceil(parts).next_multiple_of(plan.parameters.depth_block);
    let launch = |alpha: T, beta: T| {
        let launch = Launch::new(call.queue, &kernels.program, form.name("gemm_packed", "gemm_packed_structured"))
            .index(piece.m)
            .index(piece.n)
            .index(piece.k)
            .scalar(alpha)
            .a_of(form, call.operands(piece).0, piece)
            .scratch(packed);
        if form.is_plain() { launch } else { launch.structure(&piece.b.transposed().structure) }.scalar(beta)
    };
    let groups = [piece.m.div_ceil(block_rows), piece.n.div_ceil(block_columns), parts];
    if parts == 1 {
        return launch(call.alpha, beta)
            .buffer(call.c)
            .index(piece.c.offset)
            .index(piece.c.column_stride)
            .triangle(form, &piece.target)
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
        .triangle(form, &piece.target)
        .index(block_rows)
        .index(block_columns)
        .index(part_depth)
        .index(part_elements)
        .enqueue_step(groups, [1, 1, 1])?;
    finish::sum(call, piece, parts, &partial)
}
