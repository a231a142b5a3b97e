//! The gpu family: a work-group computes a tile of C from slices in local memory.

use affinimath_core::problem::gemm::{GemmProblem, Operand};
use affinimath_core::problem::structure::Target;

use super::arguments::{Form, definitions};
use super::call::GemmCall;
use super::chip::Chip;
use super::family::{Family, Needs};
use super::finish;
use super::limits::Limits;
use super::probe::{SIZE, product_is_right};
use super::tensor::TensorPlan;
use super::tiles::{Shares, Tiles};
use crate::blas::level3::gemm::GemmArguments;
use crate::context::{ContextParts, Event, Queue, Scratch};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::{Scalar, ScalarKind};

const PLACE: &str = include_str!("../../../../cl/blas/level3/gemm/place.cl");
const STORE: &str = include_str!("../../../../cl/blas/level3/gemm/store.cl");
const TILES: &str = include_str!("../../../../cl/blas/level3/gemm/tiles.cl");
const TILED: &str = include_str!("../../../../cl/blas/level3/gemm/tiled.cl");
const TILED_COPIED: &str = include_str!("../../../../cl/blas/level3/gemm/tiled_copied.cl");
const COPY_NVIDIA: &str = include_str!("../../../../cl/blas/level3/gemm/copy_nvidia.cl");
const COPY_EMULATED: &str = include_str!("../../../../cl/blas/level3/gemm/copy_emulated.cl");
const STRUCTURE: &str = include_str!("../../../../cl/blas/level3/gemm/structure.cl");
const OF_A: &str = "\n#define SLICE_NAME(name) name##_a\n#define SLICE_TILE TILE_M\n#define SLICE_PITCH PITCH_A\n\
    #define SLICE_STRUCTURE A_STRUCTURE\n#define SLICE_ALONG A_ALONG_M\n";
const OF_B: &str = "\n#define SLICE_NAME(name) name##_b\n#define SLICE_TILE TILE_N\n#define SLICE_PITCH PITCH_B\n\
    #define SLICE_STRUCTURE B_STRUCTURE\n#define SLICE_ALONG B_ALONG_N\n";
const SLICE: &str = include_str!("../../../../cl/blas/level3/gemm/slice.cl");
const TILED_STRUCTURED: &str = include_str!("../../../../cl/blas/level3/gemm/tiled_structured.cl");
const TILE_FMA: &str = include_str!("../../../../cl/blas/level3/gemm/tile_fma.cl");
const TILE_MMA_F64: &str = include_str!("../../../../cl/blas/level3/gemm/tile_mma_f64.cl");

/// [`TiledParameters::stages`] where slices come by way of registers.
pub(super) const BY_REGISTERS: usize = 2;

/// Bytes that are copied at once where operands allow it.
const CHUNK_BYTES: usize = 16;

/// How a work-group multiplies slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// With multiply-adds: every type, every device.
    Fma,
    /// With NVIDIA's tensor cores, in doubles.
    TensorF64,
}

impl Arithmetic {
    const fn files(self, form: Form) -> &'static [&'static str] {
        match (self, form.is_plain()) {
            (Arithmetic::Fma, true) => &[TILE_FMA, PLACE, STORE, TILES, TILED],
            (Arithmetic::TensorF64, true) => &[TILE_MMA_F64, PLACE, STORE, TILES, TILED],
            (Arithmetic::Fma, false) => {
                &[TILE_FMA, PLACE, STRUCTURE, STORE, TILES, OF_A, SLICE, OF_B, SLICE, TILED_STRUCTURED]
            }
            (Arithmetic::TensorF64, false) => {
                &[TILE_MMA_F64, PLACE, STRUCTURE, STORE, TILES, OF_A, SLICE, OF_B, SLICE, TILED_STRUCTURED]
            }
        }
    }
}

const COPIED_NVIDIA: &[&str] = &[TILE_FMA, COPY_NVIDIA, PLACE, STORE, TILES, TILED_COPIED];
const COPIED_EMULATED: &[&str] = &[TILE_FMA, COPY_EMULATED, PLACE, STORE, TILES, TILED_COPIED];

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
    /// Slices that there is room for: two, which come by way of registers, or more, of which all but one are copied while that one is
    /// multiplied.
    pub stages: usize,
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
        TiledParameters { arithmetic: Arithmetic::Fma, tile, depth, threads: [16, 16], band: 8, stages: BY_REGISTERS }
    }

    /// The large tiles where slices are copied: a work-item has twice as many sums of floats, and reads three quarters as much
    /// of local memory for each multiply-add.
    pub const COPIED: Self = TiledParameters {
        arithmetic: Arithmetic::Fma,
        tile: [128, 128],
        depth: 8,
        threads: [8, 16],
        band: 8,
        stages: 4,
    };

    /// The small tiles, for a C that large ones would not fill the device with.
    pub const fn small(kind: ScalarKind) -> Self {
        // They fit into 32 KiB of local memory, the least that OpenCL promises.
        let (tile, depth) = match kind {
            ScalarKind::S => ([64, 64], 16),
            ScalarKind::D => ([64, 64], 8),
            ScalarKind::C => ([64, 32], 16),
            ScalarKind::Z => ([32, 32], 8),
        };
        TiledParameters { arithmetic: Arithmetic::Fma, tile, depth, threads: [16, 16], band: 8, stages: BY_REGISTERS }
    }

    /// The same for a triangle of C, which is made of square tiles.
    const fn square(self, kind: ScalarKind) -> Self {
        let (tile, depth) = match (kind, self.tile) {
            (ScalarKind::C, [128, _]) => ([96, 96], 8),
            (ScalarKind::C, _) => ([64, 64], 8),
            (ScalarKind::Z, [96, _]) => ([64, 64], 8),
            _ => (self.tile, self.depth),
        };
        TiledParameters { tile, depth, ..self }
    }

    pub(in crate::blas::level3) const fn for_target(self, problem: &GemmProblem) -> Self {
        match problem.target {
            Target::Whole => self,
            Target::Triangle(..) => self.square(problem.kind),
        }
    }

    /// Tiles for the tensor cores' doubles: 8 warps of 64 x 32.
    pub const TENSOR_F64: Self = TiledParameters {
        arithmetic: Arithmetic::TensorF64,
        tile: [128, 128],
        depth: 8,
        threads: [16, 16],
        band: 8,
        stages: BY_REGISTERS,
    };

    /// Whether slices are copied, and not by way of registers.
    pub(super) const fn is_copied(&self) -> bool {
        self.stages > BY_REGISTERS
    }

    const fn local_bytes(&self, kind: ScalarKind) -> u64 {
        // Padding at the end of each row.
        let padding = match self.arithmetic {
            Arithmetic::Fma => 16,
            Arithmetic::TensorF64 => 32,
        };
        (self.stages * self.depth * ((self.tile[0] + self.tile[1]) * kind.bytes() + 2 * padding)) as u64
    }

    const fn work_group_size(&self) -> usize {
        self.threads[0] * self.threads[1]
    }

    pub(in crate::blas::level3) fn fits(&self, kind: ScalarKind, device: &DeviceInfo) -> bool {
        self.work_group_size() <= device.max_work_group_size
            && self.local_bytes(kind) <= device.local_memory_bytes
            && (!self.is_copied() || (device.nvidia.cp_async && !kind.is_complex()))
    }

    /// The rate in percent of the best FMA tiles. One work-group alone on a compute unit does not hide its own waits.
    const fn pace_percent(&self, kind: ScalarKind, alone: bool, chip: &Chip) -> u64 {
        let large = self.tile[0] * self.tile[1] * kind.bytes() >= 1 << 16;
        match (self.arithmetic, kind, large) {
            (Arithmetic::Fma, ScalarKind::S, true) if self.is_copied() => chip.cp_async_percent(alone),
            (Arithmetic::Fma, ..) => chip.fma_percent(kind, large, alone),
            (Arithmetic::TensorF64, ..) => chip.structured_mma_f64_percent,
        }
    }

    /// Whether places in a slice need 64 bits.
    fn spans_widely(&self, problem: &GemmProblem) -> bool {
        let span = |along: usize, operand: &Operand| {
            let reach = |along_stride: usize, depth_stride: usize| {
                along.saturating_mul(along_stride).saturating_add(self.depth.saturating_mul(depth_stride))
            };
            let stored = reach(operand.row_stride, operand.column_stride);
            // A mirrored operand is also met with its strides exchanged.
            stored.max(operand.structure.trapezoid().map_or(0, |_| reach(operand.column_stride, operand.row_stride)))
        };
        span(self.tile[0], &problem.a).max(span(self.tile[1], &problem.b.transposed())) > i32::MAX as usize
    }

    const fn tiles<'a>(&self, problem: &'a GemmProblem) -> Tiles<'a> {
        Tiles { problem, tile: self.tile, depth: self.depth, in_flight: 0 }
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
    /// The cheapest plan; `None` when the device's work-groups are too small for any tile.
    #[cfg(test)]
    pub(in crate::blas::level3) fn choose(
        problem: &GemmProblem,
        device: &DeviceInfo,
        limits: &Limits,
        tile: Option<TiledParameters>,
    ) -> Option<Self> {
        Self::plans(problem, device, limits, tile).into_iter().min_by_key(|plan| plan.fmas(problem, device))
    }

    /// All tiles and numbers of parts that are worth a comparison.
    fn plans(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits, tile: Option<TiledParameters>) -> Vec<Self> {
        // What the tensor family can do, it does better.
        let structured_doubles = problem.kind == ScalarKind::D && limits.tensor.doubles && !TensorPlan::can(problem);
        let tensor = structured_doubles.then_some(TiledParameters::TENSOR_F64);
        let large = TiledParameters::large(problem.kind).for_target(problem);
        let small = TiledParameters::small(problem.kind).for_target(problem);
        let copied = (problem.kind == ScalarKind::S).then_some(TiledParameters::COPIED);
        let fits = |tile: &TiledParameters| {
            tile.fits(problem.kind, device) && (!tile.is_copied() || (limits.copies && problem.is_plain()))
        };
        let tiles = match tile.filter(|tile| problem.is_plain() && fits(tile)) {
            Some(tile) => [tensor, Some(tile), None, None],
            None => [tensor, copied, Some(large), Some(small)],
        };
        let fitting = tiles.into_iter().flatten().filter(fits);
        let plans = fitting.flat_map(|parameters| {
            let counts = parameters.tiles(problem).part_counts(device, limits);
            counts.map(move |count| TiledPlan::with_parameters(problem, parameters, count))
        });
        plans.collect()
    }

    /// See [`Tiles::cost`].
    fn fmas(&self, problem: &GemmProblem, device: &DeviceInfo) -> u64 {
        let chip = Chip::of(device);
        let percent = |per_unit| self.parameters.pace_percent(problem.kind, per_unit == 1, chip);
        let tiles = self.parameters.tiles(problem);
        let whole = if self.depth_parts == 1 { tiles.count() } else { 0 };
        tiles.cost(device, Shares { whole, parts: self.depth_parts }, percent)
    }

    /// A plan for given kernel sizes and parts of the depth.
    pub fn with_parameters(problem: &GemmProblem, parameters: TiledParameters, depth_parts: usize) -> Self {
        TiledPlan { parameters, depth_parts: parameters.tiles(problem).parts(depth_parts) }
    }
}

/// Elements of an operand that are copied at once, met along the tile: a chunk where all of its lines are whole ones.
fn copied_width(
    kind: ScalarKind,
    parameters: &TiledParameters,
    which: usize,
    operand: &Operand,
    extent: usize,
) -> usize {
    let chunk = CHUNK_BYTES / kind.bytes();
    let starts = (operand.offset | operand.column_stride).is_multiple_of(chunk);
    let shared = (parameters.tile[which] * parameters.depth).is_multiple_of(chunk * parameters.work_group_size());
    if operand.row_stride == 1 && starts && shared && extent.is_multiple_of(chunk) { chunk } else { 1 }
}

fn source(problem: &GemmProblem, plan: &TiledPlan, form: Form, device: &DeviceInfo) -> ProgramSource {
    let parameters = &plan.parameters;
    // The sides on which structured operands are stored, as the kernels have them.
    let (a, b) = (problem.a.stored_below(), problem.b.transposed().stored_below());
    let mut sizes = vec![
        ("TILE_M", parameters.tile[0] as i64),
        ("TILE_N", parameters.tile[1] as i64),
        ("TILE_K", parameters.depth as i64),
        ("THREADS", parameters.work_group_size() as i64),
        ("THREADS_M", parameters.threads[0] as i64),
        ("THREADS_N", parameters.threads[1] as i64),
        ("BAND", parameters.band as i64),
        ("WIDE_PLACES", i64::from(parameters.spans_widely(problem))),
        ("A_ALONG_M", i64::from(a.row_stride == 1)),
        ("B_ALONG_N", i64::from(b.row_stride == 1)),
        ("IN_WARPS", i64::from(parameters.is_copied())),
    ];
    if parameters.is_copied() {
        debug_assert!(form.is_plain() && !problem.kind.is_complex());
        let width = |which, operand, extent| copied_width(problem.kind, parameters, which, operand, extent) as i64;
        sizes.push(("STAGES", parameters.stages as i64));
        sizes.push(("A_WIDTH", width(0, &a, problem.m)));
        sizes.push(("B_WIDTH", width(1, &b, problem.n)));
        let files = if device.nvidia.cp_async { COPIED_NVIDIA } else { COPIED_EMULATED };
        return ProgramSource { name: "gemm tiled copied", kind: problem.kind, files, definitions: sizes };
    }
    let files = parameters.arithmetic.files(form);
    if form.is_plain() {
        return ProgramSource { name: "gemm tiled", kind: problem.kind, files, definitions: sizes };
    }
    let target = if plan.depth_parts > 1 { problem.target.of_parts() } else { problem.target };
    sizes.extend(definitions(problem, target));
    ProgramSource { name: "gemm tiled structured", kind: problem.kind, files, definitions: sizes }
}

impl Family for TiledPlan {
    type Parameters = Option<TiledParameters>;

    fn candidates(
        problem: &GemmProblem,
        device: &DeviceInfo,
        limits: &Limits,
        tile: Option<TiledParameters>,
    ) -> Vec<Self> {
        if device.class == DeviceClass::Gpu { Self::plans(problem, device, limits, tile) } else { Vec::new() }
    }

    fn cost(&self, problem: &GemmProblem, device: &DeviceInfo) -> Option<u64> {
        Some(self.fmas(problem, device))
    }

    fn needs(&self, _: &GemmProblem, _: &DeviceInfo) -> Option<Needs> {
        match self.parameters.arithmetic {
            _ if self.parameters.is_copied() => Some(Needs::Copies),
            Arithmetic::TensorF64 => Some(Needs::Stated),
            Arithmetic::Fma => None,
        }
    }

    fn fallback(&self, limits: &Limits) -> Limits {
        if self.parameters.is_copied() {
            return Limits { copies: false, ..*limits };
        }
        limits.without_tensor_features()
    }

    fn probe<T: Scalar>(queue: &Queue, needs: Needs) -> Result<bool> {
        match needs {
            Needs::Copies => is_right::<f32>(queue, TiledParameters::COPIED),
            // Structured operands have a kernel of their own.
            Needs::Stated if T::KIND == ScalarKind::D => is_right::<T>(queue, TiledParameters::TENSOR_F64),
            Needs::Stated | Needs::Unstated | Needs::Skinny => Ok(true),
        }
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

fn is_right<T: Scalar>(queue: &Queue, parameters: TiledParameters) -> Result<bool> {
    product_is_right::<T>(queue, SIZE, |call, problem| {
        run(call, problem, &TiledPlan { parameters, depth_parts: 1 })?.wait()
    })
}

fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &TiledPlan) -> Result<Event> {
    let (parameters, form) = (&plan.parameters, Form::of(problem));
    let context = call.queue.context();
    let program = context.program(&source(problem, plan, form, context.device().info()))?;
    let plain = if parameters.is_copied() { "gemm_tiled_copied" } else { "gemm_tiled" };
    let (a, b) = call.operands(problem);
    let tiles = parameters.tiles(problem);
    let part_depth = tiles.part_depth(plan.depth_parts);
    let groups = [tiles.count(), plan.depth_parts, 1];
    let local = [parameters.work_group_size(), 1, 1];
    let launch = |alpha: T, beta: T| {
        Launch::new(call.queue, &program, form.name(plain, "gemm_tiled_structured"))
            .index(problem.m)
            .index(problem.n)
            .index(problem.k)
            .scalar(alpha)
            .a_of(form, a, problem)
            .b_of(form, b, problem)
            .scalar(beta)
    };
    if plan.depth_parts == 1 {
        return launch(call.alpha, call.beta)
            .buffer(call.c)
            .index(problem.c.offset)
            .index(problem.c.column_stride)
            .triangle(form, &problem.target)
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
        .triangle(form, &problem.target)
        .index(part_depth)
        .index(part_elements)
        .enqueue_step(groups, local)?;
    finish::sum(call, problem, plan.depth_parts, &partial)
}
