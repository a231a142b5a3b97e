//! The cpu family: operands packed into panels, accumulators in vector registers, one work-item per block of C (Goto
//! and van de Geijn 2008).

use std::sync::Arc;

use affinimath_core::problem::gemm::GemmProblem;
use affinimath_core::problem::structure::Target;

use super::arguments::{Form, definitions};
use super::call::GemmCall;
use super::family::Family;
use super::finish;
use super::limits::{Limits, split};
use crate::blas::level3::gemm::GemmArguments;
use crate::context::{ContextParts, Event, Queue, Workspace};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};

/// Sizes compiled into the kernels, and sizes that divide the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedParameters {
    /// Reals in a vector.
    pub vector_width: usize,
    /// Vectors in a column of the register tile.
    pub tile_vectors: usize,
    /// Columns of the register tile.
    pub tile_columns: usize,
    /// k extent of a panel block that stays in the L1 cache.
    pub k_block: usize,
    /// Tiles whose rows of A a work-item packs at a time, in private memory that fits into an L2 cache.
    pub packed_tiles: usize,
    /// Bytes of B that stay in a work-item's L2 cache.
    pub b_block_bytes: usize,
    /// Work-items per core that level out their different speeds.
    pub items_per_core: usize,
}

impl PackedParameters {
    /// Accumulators fill the vector registers except those of a column of A: 32 registers of 16 floats with AVX-512, 16
    /// of 8 with AVX2, 16 of 4 elsewhere.
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
            k_block: if kind.is_complex() { 192 } else { 256 },
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
            ("K_BLOCK", self.k_block as i64),
            ("PACK_WIDTH", pack_width),
            ("PACKED_TILES", self.packed_tiles as i64),
        ]
    }
}

/// Division of a product among work-items and, if workspace is short, among launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPlan {
    /// The kernels' sizes.
    pub parameters: PackedParameters,
    /// Rows and columns of C per work-item, multiples of the tile.
    pub block: [usize; 2],
    /// Columns and k extent of B that are packed at a time: all of it, if workspace allows.
    pub slab: [usize; 2],
    /// Number of split-K parts that occupy every core; more than one only if all of B is packed at once.
    pub split_k: usize,
}

impl PackedPlan {
    pub fn choose(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits, parameters: PackedParameters) -> Self {
        let (tile_rows, tile_columns) = (parameters.tile_rows(), parameters.tile_columns);
        let slab = slab(problem, &parameters, limits);
        let cached_columns = parameters.b_block_bytes / (parameters.k_block * problem.kind.bytes());
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
        let split_k = if whole { split_k(problem, &parameters, limits, device.compute_units, items) } else { 1 };
        PackedPlan { parameters, block: [block_rows, block_columns], slab, split_k }
    }
}

impl PackedPlan {
    /// True if C may overwrite B (the problem's A, if it is swapped). All of B is packed before C is written. A is
    /// packed per work-item, so that C may overwrite it only if one block covers all columns of C and all of k.
    pub(crate) fn may_replace_operand(&self, problem: &GemmProblem) -> bool {
        let packed_first = self.slab == [problem.n, problem.k];
        let alone = self.split_k == 1 && problem.k <= self.parameters.k_block && self.block[1] >= problem.n;
        packed_first && (!problem.swapped || alone)
    }
}

/// All of B if its panels fit into workspace; else k, then the columns, are halved until they do.
fn slab(problem: &GemmProblem, parameters: &PackedParameters, limits: &Limits) -> [usize; 2] {
    let [mut columns, mut k] = [problem.n, problem.k];
    while panel_bytes(columns, k, parameters, problem.kind) > limits.workspace_bytes {
        // k first: each slice of it costs only one more pass over C.
        if k > 4 * parameters.k_block {
            k = k.div_ceil(2).next_multiple_of(parameters.k_block);
        } else if columns > parameters.tile_columns {
            columns = columns.div_ceil(2).next_multiple_of(parameters.tile_columns);
        } else {
            break;
        }
    }
    [columns, k]
}

/// Bytes of the panels of a `k` x `columns` block of B.
const fn panel_bytes(columns: usize, k: usize, parameters: &PackedParameters, kind: ScalarKind) -> u64 {
    let elements = (columns.next_multiple_of(parameters.tile_columns) as u64).saturating_mul(k as u64);
    elements.saturating_mul(kind.bytes() as u64)
}

/// Split-K for a C with fewer blocks than cores and a large k.
fn split_k(problem: &GemmProblem, parameters: &PackedParameters, limits: &Limits, cores: usize, items: usize) -> usize {
    if items >= cores {
        return 1;
    }
    let by_cores = (2 * cores).div_ceil(items);
    let by_k = problem.k / (4 * parameters.k_block);
    let part_bytes = (problem.m * problem.n * problem.kind.bytes()) as u64;
    let by_memory = (limits.workspace_bytes / 4 / part_bytes.max(1)) as usize;
    let parts = by_cores.min(by_k).min(by_memory).max(1);
    // Multiples of k_block, without an empty part at the end.
    problem.k.div_ceil(split(problem.k, problem.k.div_ceil(parts), parameters.k_block))
}

/// Form and program that all launches of a plan share.
struct Kernels {
    form: Form,
    program: Arc<Program>,
}

impl Kernels {
    fn get(queue: &Queue, problem: &GemmProblem, target: Target, parameters: &PackedParameters) -> Result<Self> {
        let form = Form::of(problem);
        let mut sizes = parameters.definitions().to_vec();
        let source = if form.is_plain() {
            ProgramSource {
                name: "gemm packed",
                kind: problem.kind,
                root: source("blas/level3/gemm/packed/packed.cl"),
                definitions: sizes,
            }
        } else {
            sizes.extend(definitions(problem, target));
            ProgramSource {
                name: "gemm packed structured",
                kind: problem.kind,
                root: source("blas/level3/gemm/packed/packed_structured.cl"),
                definitions: sizes,
            }
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
    let target = if plan.split_k > 1 { problem.target.of_parts() } else { problem.target };
    let kernels = Kernels::get(call.queue, problem, target, &plan.parameters)?;
    let [slab_columns, slab_k] = plan.slab;
    let packed = Workspace::borrow(call.queue, panel_bytes(slab_columns, slab_k, &plan.parameters, T::KIND))?;
    let mut last = Event::Complete;
    for p in (0..problem.k).step_by(slab_k) {
        let k = slab_k.min(problem.k - p);
        let beta = if p == 0 { call.beta } else { T::ONE };
        for j in (0..problem.n).step_by(slab_columns) {
            let columns = slab_columns.min(problem.n - j);
            let subproblem = GemmProblem {
                n: columns,
                k,
                a: problem.a.shifted(0, p),
                b: problem.b.shifted(p, j),
                c: problem.c.shifted(0, j),
                target: problem.target.shifted(0, j),
                ..*problem
            };
            pack(call, &kernels, &subproblem, plan, &packed)?;
            last = multiply(call, &kernels, &subproblem, plan, beta, &packed)?;
        }
    }
    Ok(last)
}

/// k extent that one work-item packs: long enough for whole cache lines, short enough to occupy all cores.
const PACK_K: usize = 256;

fn pack<T: Scalar>(
    call: &GemmCall<'_, T>,
    kernels: &Kernels,
    subproblem: &GemmProblem,
    plan: &PackedPlan,
    packed: &Workspace<'_>,
) -> Result<()> {
    let panels_per_item = (64 / plan.parameters.tile_columns).max(1);
    let panels = subproblem.n.div_ceil(plan.parameters.tile_columns);
    let memory = call.operands(subproblem).1;
    let launch = Launch::new(call.queue, &kernels.program, kernels.form.name("gemm_pack", "gemm_pack_structured"))
        .index(subproblem.n)
        .index(subproblem.k);
    // Both forms take B with its columns along C.
    if kernels.form.is_plain() {
        launch.operand(memory, &subproblem.b.transposed())
    } else {
        launch.b_of(kernels.form, memory, subproblem)
    }
    .workspace(packed)
    .index(panels_per_item)
    .index(PACK_K)
    .enqueue_step([panels.div_ceil(panels_per_item), subproblem.k.div_ceil(PACK_K), 1], [1, 1, 1])
}

fn multiply<T: Scalar>(
    call: &GemmCall<'_, T>,
    kernels: &Kernels,
    subproblem: &GemmProblem,
    plan: &PackedPlan,
    beta: T,
    packed: &Workspace<'_>,
) -> Result<Event> {
    let [block_rows, block_columns] = plan.block;
    let (parts, form) = (plan.split_k, kernels.form);
    let part_k = subproblem.k.div_ceil(parts).next_multiple_of(plan.parameters.k_block);
    let launch = |alpha: T, beta: T| {
        let launch = Launch::new(call.queue, &kernels.program, form.name("gemm_packed", "gemm_packed_structured"))
            .index(subproblem.m)
            .index(subproblem.n)
            .index(subproblem.k)
            .scalar(alpha)
            .a_of(form, call.operands(subproblem).0, subproblem)
            .workspace(packed);
        if form.is_plain() { launch } else { launch.structure(&subproblem.b.transposed().structure) }.scalar(beta)
    };
    let groups = [subproblem.m.div_ceil(block_rows), subproblem.n.div_ceil(block_columns), parts];
    if parts == 1 {
        return launch(call.alpha, beta)
            .buffer(call.c)
            .index(subproblem.c.offset)
            .index(subproblem.c.column_stride)
            .triangle(form, &subproblem.target)
            .index(block_rows)
            .index(block_columns)
            .index(part_k)
            .index(0)
            .enqueue(groups, [1, 1, 1]);
    }
    let part_elements = subproblem.m * subproblem.n;
    let partial = Workspace::borrow(call.queue, (parts * part_elements * T::KIND.bytes()) as u64)?;
    launch(T::ONE, T::ZERO)
        .workspace(&partial)
        .index(0)
        .index(subproblem.m)
        .triangle(form, &subproblem.target)
        .index(block_rows)
        .index(block_columns)
        .index(part_k)
        .index(part_elements)
        .enqueue_step(groups, [1, 1, 1])?;
    finish::sum(call, subproblem, parts, &partial)
}
