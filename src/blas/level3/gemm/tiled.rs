//! The gpu family: a work-group computes a tile of C from slices in local memory.

use super::plan::{Limits, split};
use super::{GemmCall, GemmProblem, finish};
use crate::context::{Event, Scratch};
use crate::device::DeviceFacts;
use crate::error::Result;
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::{Scalar, ScalarKind};

const TILED: &str = include_str!("../../../../cl/blas/level3/gemm/tiled.cl");

/// How a work-group multiplies slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// With multiply-adds: every type, every device.
    Fma,
    /// With NVIDIA's tensor cores, in doubles.
    TensorF64,
}

impl Arithmetic {
    const fn files(self) -> &'static [&'static str] {
        match self {
            Arithmetic::Fma => &[include_str!("../../../../cl/blas/level3/gemm/tile_fma.cl"), TILED],
            Arithmetic::TensorF64 => &[include_str!("../../../../cl/blas/level3/gemm/tile_mma_f64.cl"), TILED],
        }
    }
}

/// The sizes that are compiled into the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiledParameters {
    /// How slices are multiplied.
    pub arithmetic: Arithmetic,
    /// Rows and columns of C that a work-group computes.
    pub tile: [usize; 2],
    /// Depth of a slice.
    pub depth: usize,
    /// Work-items along the rows and the columns of the tile.
    pub threads: [usize; 2],
    /// Columns of tiles that work-groups walk together.
    pub band: usize,
}

impl TiledParameters {
    /// The large tiles, best where C has many of them. What a work-item reads from local memory, and not its arithmetic,
    /// sets the pace on an H200, so that its part of the tile is as large as the registers allow.
    pub const fn large(kind: ScalarKind) -> Self {
        let (tile, depth) = match kind {
            ScalarKind::S => ([128, 128], 16),
            ScalarKind::D => ([128, 128], 8),
            ScalarKind::C => ([128, 96], 8),
            ScalarKind::Z => ([96, 64], 8),
        };
        TiledParameters { arithmetic: Arithmetic::Fma, tile, depth, threads: [16, 16], band: 8 }
    }

    /// The small tiles, for a C that large ones would not fill the device with.
    pub const fn small(kind: ScalarKind) -> Self {
        // They fit into 32 KiB of local memory, the least that OpenCL promises.
        let (tile, depth) = match kind {
            ScalarKind::S => ([64, 64], 16),
            ScalarKind::D => ([64, 64], 8),
            ScalarKind::C => ([64, 32], 16),
            ScalarKind::Z => ([32, 32], 8),
        };
        TiledParameters { arithmetic: Arithmetic::Fma, tile, depth, threads: [16, 16], band: 8 }
    }

    /// Tiles for the tensor cores' doubles: 8 warps of 64 x 32.
    pub const TENSOR_F64: Self =
        TiledParameters { arithmetic: Arithmetic::TensorF64, tile: [128, 128], depth: 8, threads: [16, 16], band: 8 };

    const fn local_bytes(&self, kind: ScalarKind) -> u64 {
        // Padding at the end of each row, and two slices of each operand.
        let padding = match self.arithmetic {
            Arithmetic::Fma => 16,
            Arithmetic::TensorF64 => 32,
        };
        (2 * self.depth * ((self.tile[0] + self.tile[1]) * kind.bytes() + 2 * padding)) as u64
    }

    const fn work_group_size(&self) -> usize {
        self.threads[0] * self.threads[1]
    }

    fn fits(&self, kind: ScalarKind, device: &DeviceFacts) -> bool {
        self.work_group_size() <= device.max_work_group_size && self.local_bytes(kind) <= device.local_memory_bytes
    }

    /// Whether places in a slice need 64 bits.
    fn spans_widely(&self, problem: &GemmProblem) -> bool {
        let span = |rows: usize, row_stride: usize, column_stride: usize| {
            rows.saturating_mul(row_stride).saturating_add(self.depth.saturating_mul(column_stride))
        };
        let a = span(self.tile[0], problem.a.row_stride, problem.a.column_stride);
        let b = span(self.tile[1], problem.b.column_stride, problem.b.row_stride);
        a.max(b) > i32::MAX as usize
    }

    const fn tiles(&self, problem: &GemmProblem) -> usize {
        problem.m.div_ceil(self.tile[0]) * problem.n.div_ceil(self.tile[1])
    }
}

/// A tile size, and into how many parts the depth is split to fill the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiledPlan {
    /// The kernel's sizes.
    pub parameters: TiledParameters,
    /// Parts of the depth; with more than one, partial products are summed afterwards, always in the same order.
    pub depth_parts: usize,
}

impl TiledPlan {
    /// `None` when the device's work-groups are too small for any tile.
    pub(super) fn choose(problem: &GemmProblem, device: &DeviceFacts, limits: &Limits) -> Option<Self> {
        let tensor = TiledParameters::TENSOR_F64;
        // The tensor cores pay also with a quarter of the units at work: the depth is split then.
        if problem.kind == ScalarKind::D
            && limits.tensor_f64
            && tensor.fits(problem.kind, device)
            && 4 * tensor.tiles(problem) >= device.compute_units
        {
            return Some(TiledPlan { parameters: tensor, depth_parts: depth_parts(problem, &tensor, device, limits) });
        }
        let large = TiledParameters::large(problem.kind);
        // Large tiles once they occupy the compute units; below that, smaller ones spread the work.
        let enough = large.fits(problem.kind, device) && large.tiles(problem) >= device.compute_units;
        let parameters = if enough { large } else { TiledParameters::small(problem.kind) };
        if !parameters.fits(problem.kind, device) {
            return None;
        }
        Some(TiledPlan { parameters, depth_parts: depth_parts(problem, &parameters, device, limits) })
    }

    /// A plan for given kernel sizes and parts of the depth.
    pub fn with_parameters(problem: &GemmProblem, parameters: TiledParameters, depth_parts: usize) -> Self {
        let part = split(problem.k, problem.k.div_ceil(depth_parts.max(1)), parameters.depth);
        TiledPlan { parameters, depth_parts: problem.k.div_ceil(part).max(1) }
    }
}

/// Shortest depth worth a part of its own: below it the sum of the parts costs more than it gains.
const SHORTEST_PART: usize = 128;

fn depth_parts(problem: &GemmProblem, parameters: &TiledParameters, device: &DeviceFacts, limits: &Limits) -> usize {
    let tiles = parameters.tiles(problem);
    if tiles >= device.compute_units {
        return 1;
    }
    let by_units = (2 * device.compute_units) / tiles;
    let by_depth = problem.k / SHORTEST_PART;
    let part_bytes = (problem.m as u64).saturating_mul(problem.n as u64).saturating_mul(problem.kind.bytes() as u64);
    let by_memory = (limits.scratch_bytes / part_bytes.max(1)).min(1 << 20) as usize;
    let parts = by_units.min(by_depth).min(by_memory).max(1);
    TiledPlan::with_parameters(problem, *parameters, parts).depth_parts
}

pub(super) fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &TiledPlan) -> Result<Event> {
    let parameters = &plan.parameters;
    let source = ProgramSource {
        name: "gemm tiled",
        kind: T::KIND,
        files: parameters.arithmetic.files(),
        definitions: vec![
            ("TILE_M", parameters.tile[0] as i64),
            ("TILE_N", parameters.tile[1] as i64),
            ("TILE_K", parameters.depth as i64),
            ("THREADS", parameters.work_group_size() as i64),
            ("THREADS_M", parameters.threads[0] as i64),
            ("THREADS_N", parameters.threads[1] as i64),
            ("BAND", parameters.band as i64),
            ("WIDE_PLACES", i64::from(parameters.spans_widely(problem))),
            ("A_ALONG_M", i64::from(problem.a.row_stride == 1)),
            ("B_ALONG_N", i64::from(problem.b.column_stride == 1)),
        ],
    };
    let context = call.queue.context();
    let program = context.programs().get(context, &source)?;
    let (a, b) = call.operands(problem);
    let part_depth = split(problem.k, problem.k.div_ceil(plan.depth_parts), parameters.depth);
    let groups = [parameters.tiles(problem), plan.depth_parts, 1];
    let local = [parameters.work_group_size(), 1, 1];
    let launch = |alpha: T, beta: T| {
        Launch::new(call.queue, &program, "gemm_tiled")
            .index(problem.m)
            .index(problem.n)
            .index(problem.k)
            .scalar(alpha)
            .operand(a, &problem.a)
            .operand(b, &problem.b)
            .scalar(beta)
    };
    if plan.depth_parts == 1 {
        return launch(call.alpha, call.beta)
            .buffer(call.c)
            .index(problem.c.offset)
            .index(problem.c.column_stride)
            .index(part_depth)
            .index(0)
            .enqueue(groups, local);
    }
    let part_elements = problem.m * problem.n;
    let partial = Scratch::borrow(call.queue, (plan.depth_parts * part_elements * T::KIND.bytes()) as u64)?;
    launch(T::ONE, T::ZERO)
        .scratch(&partial)
        .index(0)
        .index(problem.m)
        .index(part_depth)
        .index(part_elements)
        .enqueue_step(groups, local)?;
    finish::sum(call, problem, plan.depth_parts, &partial)
}
