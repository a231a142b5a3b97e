//! The gpu family: a work-group computes a tile of C from slices in local memory.

use affinimath_core::problem::gemm::{GemmProblem, Operand};
use affinimath_core::problem::structure::Target;

use super::arguments::{Form, definitions};
use super::call::GemmCall;
use super::chip::Chip;
use super::family::{Family, Feature};
use super::finish;
use super::limits::Limits;
use super::probe::{SIZE, product_matches_reference};
use super::tensor::TensorPlan;
use super::tiles::{TileSplit, Tiles};
use crate::blas::level3::gemm::GemmArguments;
use crate::context::{ContextParts, Event, Queue, Workspace};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{self, ProgramSource};
use crate::scalar::{Scalar, ScalarKind};

/// [`TiledParameters::stages`] of kernels that copy slices through registers.
pub(super) const BY_REGISTERS: usize = 2;

/// Bytes of an asynchronous copy.
const CHUNK_BYTES: usize = 16;

/// Instructions that multiply slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// With multiply-adds: every type, every device.
    Fma,
    /// With NVIDIA's tensor cores, in doubles.
    TensorF64,
}

/// The sizes that are compiled into the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiledParameters {
    /// Instructions that multiply slices.
    pub arithmetic: Arithmetic,
    /// Rows and columns of C that a work-group computes.
    pub tile: [usize; 2],
    /// k extent of a slice.
    pub tile_k: usize,
    /// Work-items along the rows and the columns of the tile.
    pub threads: [usize; 2],
    /// Columns of tiles in a swizzle group: consecutive work-groups cover them before the next ones.
    pub swizzle: usize,
    /// Slices in local memory: two if they are copied through registers, else pipeline stages, all but one of them in
    /// flight.
    pub stages: usize,
}

impl TiledParameters {
    /// Large tiles, best for a C with many of them. Reads from local memory limit the rate, so that a work-item's part
    /// is as large as its registers allow.
    pub const fn large(kind: ScalarKind) -> Self {
        let (tile, tile_k) = match kind {
            ScalarKind::S => ([128, 128], 16),
            ScalarKind::D => ([128, 128], 8),
            ScalarKind::C => ([128, 96], 8),
            ScalarKind::Z => ([96, 64], 8),
        };
        TiledParameters {
            arithmetic: Arithmetic::Fma,
            tile,
            tile_k,
            threads: [16, 16],
            swizzle: 8,
            stages: BY_REGISTERS,
        }
    }

    /// Large tiles with asynchronous copies: twice as many accumulators per work-item read less local memory per
    /// multiply-add.
    pub const COPIED: Self = TiledParameters {
        arithmetic: Arithmetic::Fma,
        tile: [128, 128],
        tile_k: 8,
        threads: [8, 16],
        swizzle: 8,
        stages: 4,
    };

    /// The small tiles, for a C that large ones would not fill the device with.
    pub const fn small(kind: ScalarKind) -> Self {
        // They fit into 32 KiB of local memory, the least that OpenCL promises.
        let (tile, tile_k) = match kind {
            ScalarKind::S => ([64, 64], 16),
            ScalarKind::D => ([64, 64], 8),
            ScalarKind::C => ([64, 32], 16),
            ScalarKind::Z => ([32, 32], 8),
        };
        TiledParameters {
            arithmetic: Arithmetic::Fma,
            tile,
            tile_k,
            threads: [16, 16],
            swizzle: 8,
            stages: BY_REGISTERS,
        }
    }

    /// Square tiles of about the same size, for a triangle of C.
    const fn square(self, kind: ScalarKind) -> Self {
        let (tile, tile_k) = match (kind, self.tile) {
            (ScalarKind::C, [128, _]) => ([96, 96], 8),
            (ScalarKind::C, _) => ([64, 64], 8),
            (ScalarKind::Z, [96, _]) => ([64, 64], 8),
            _ => (self.tile, self.tile_k),
        };
        TiledParameters { tile, tile_k, ..self }
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
        tile_k: 8,
        threads: [16, 16],
        swizzle: 8,
        stages: BY_REGISTERS,
    };

    /// True if slices are copied asynchronously and not through registers.
    pub(super) const fn is_copied(&self) -> bool {
        self.stages > BY_REGISTERS
    }

    const fn local_bytes(&self, kind: ScalarKind) -> u64 {
        // Padding at the end of each row.
        let padding = match self.arithmetic {
            Arithmetic::Fma => 16,
            Arithmetic::TensorF64 => 32,
        };
        (self.stages * self.tile_k * ((self.tile[0] + self.tile[1]) * kind.bytes() + 2 * padding)) as u64
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
    const fn rate_percent(&self, kind: ScalarKind, alone: bool, chip: &Chip) -> u64 {
        let large = self.tile[0] * self.tile[1] * kind.bytes() >= 1 << 16;
        match (self.arithmetic, kind, large) {
            (Arithmetic::Fma, ScalarKind::S, true) if self.is_copied() => chip.cp_async_percent(alone),
            (Arithmetic::Fma, ..) => chip.fma_percent(kind, large, alone),
            (Arithmetic::TensorF64, ..) => chip.structured_mma_f64_percent,
        }
    }

    /// True if offsets within a slice need 64 bits.
    fn spans_widely(&self, problem: &GemmProblem) -> bool {
        let span = |along: usize, operand: &Operand| {
            let reach = |along_stride: usize, k_stride: usize| {
                along.saturating_mul(along_stride).saturating_add(self.tile_k.saturating_mul(k_stride))
            };
            let stored = reach(operand.row_stride, operand.column_stride);
            // A mirrored operand is also met with its strides exchanged.
            stored.max(operand.structure.trapezoid().map_or(0, |_| reach(operand.column_stride, operand.row_stride)))
        };
        span(self.tile[0], &problem.a).max(span(self.tile[1], &problem.b.transposed())) > i32::MAX as usize
    }

    const fn tiles<'a>(&self, problem: &'a GemmProblem) -> Tiles<'a> {
        Tiles { problem, tile: self.tile, tile_k: self.tile_k, in_flight: 0 }
    }
}

/// A tile size, and the split-K that occupies the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiledPlan {
    /// The kernel's sizes.
    pub parameters: TiledParameters,
    /// Number of split-K parts; partial products are summed in a fixed order.
    pub split_k: usize,
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

    /// All combinations of tiles and split-K that are worth comparing.
    fn plans(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits, tile: Option<TiledParameters>) -> Vec<Self> {
        // The tensor family is faster for problems that it takes.
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
        let percent = |per_unit| self.parameters.rate_percent(problem.kind, per_unit == 1, chip);
        let tiles = self.parameters.tiles(problem);
        let whole = if self.split_k == 1 { tiles.count() } else { 0 };
        tiles.cost(device, TileSplit { whole, parts: self.split_k }, percent)
    }

    /// A plan for given tiles and split-K.
    pub fn with_parameters(problem: &GemmProblem, parameters: TiledParameters, split_k: usize) -> Self {
        TiledPlan { parameters, split_k: parameters.tiles(problem).parts(split_k) }
    }
}

/// Elements per asynchronous copy of an operand: a chunk if all of its columns are aligned and whole chunks, else one.
fn copied_width(
    kind: ScalarKind,
    parameters: &TiledParameters,
    which: usize,
    operand: &Operand,
    extent: usize,
) -> usize {
    let chunk = CHUNK_BYTES / kind.bytes();
    let starts = (operand.offset | operand.column_stride).is_multiple_of(chunk);
    let shared = (parameters.tile[which] * parameters.tile_k).is_multiple_of(chunk * parameters.work_group_size());
    if operand.row_stride == 1 && starts && shared && extent.is_multiple_of(chunk) { chunk } else { 1 }
}

fn source(problem: &GemmProblem, plan: &TiledPlan, form: Form, device: &DeviceInfo) -> ProgramSource {
    let parameters = &plan.parameters;
    // Structured operands as the kernels take them, stored below the diagonal.
    let (a, b) = (problem.a.stored_below(), problem.b.transposed().stored_below());
    let mut sizes = vec![
        ("TILE_M", parameters.tile[0] as i64),
        ("TILE_N", parameters.tile[1] as i64),
        ("TILE_K", parameters.tile_k as i64),
        ("THREADS", parameters.work_group_size() as i64),
        ("THREADS_M", parameters.threads[0] as i64),
        ("THREADS_N", parameters.threads[1] as i64),
        ("GROUP_N", parameters.swizzle as i64),
        ("LONG_OFFSETS", i64::from(parameters.spans_widely(problem))),
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
        sizes.push(("NVIDIA", i64::from(device.nvidia.cp_async)));
        return ProgramSource {
            name: "gemm tiled copied",
            kind: problem.kind,
            root: program::source("blas/level3/gemm/tiled/tiled_copied.cl"),
            definitions: sizes,
        };
    }
    sizes.push(("MMA_F64", i64::from(parameters.arithmetic == Arithmetic::TensorF64)));
    if form.is_plain() {
        return ProgramSource {
            name: "gemm tiled",
            kind: problem.kind,
            root: program::source("blas/level3/gemm/tiled/tiled.cl"),
            definitions: sizes,
        };
    }
    let target = if plan.split_k > 1 { problem.target.of_parts() } else { problem.target };
    sizes.extend(definitions(problem, target));
    ProgramSource {
        name: "gemm tiled structured",
        kind: problem.kind,
        root: program::source("blas/level3/gemm/tiled/tiled_structured.cl"),
        definitions: sizes,
    }
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

    fn required_feature(&self, _: &GemmProblem, _: &DeviceInfo) -> Option<Feature> {
        match self.parameters.arithmetic {
            _ if self.parameters.is_copied() => Some(Feature::CpAsync),
            Arithmetic::TensorF64 => Some(Feature::TensorCores),
            Arithmetic::Fma => None,
        }
    }

    fn fallback(&self, limits: &Limits) -> Limits {
        if self.parameters.is_copied() {
            return Limits { copies: false, ..*limits };
        }
        limits.without_tensor_features()
    }

    fn probe<T: Scalar>(queue: &Queue, feature: Feature) -> Result<bool> {
        match feature {
            Feature::CpAsync => matches_reference::<f32>(queue, TiledParameters::COPIED),
            // Structured operands have a kernel of their own.
            Feature::TensorCores if T::KIND == ScalarKind::D => {
                matches_reference::<T>(queue, TiledParameters::TENSOR_F64)
            }
            Feature::TensorCores | Feature::OptIn | Feature::SkinnyTensor => Ok(true),
        }
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

fn matches_reference<T: Scalar>(queue: &Queue, parameters: TiledParameters) -> Result<bool> {
    product_matches_reference::<T>(queue, SIZE, |call, problem| {
        run(call, problem, &TiledPlan { parameters, split_k: 1 })?.wait()
    })
}

fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &TiledPlan) -> Result<Event> {
    let (parameters, form) = (&plan.parameters, Form::of(problem));
    let context = call.queue.context();
    let program = context.program(&source(problem, plan, form, context.device().info()))?;
    let plain = if parameters.is_copied() { "gemm_tiled_copied" } else { "gemm_tiled" };
    let (a, b) = call.operands(problem);
    let tiles = parameters.tiles(problem);
    let part_k = tiles.part_k(plan.split_k);
    let groups = [tiles.count(), plan.split_k, 1];
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
    if plan.split_k == 1 {
        return launch(call.alpha, call.beta)
            .buffer(call.c)
            .index(problem.c.offset)
            .index(problem.c.column_stride)
            .triangle(form, &problem.target)
            .index(part_k)
            .index(0)
            .enqueue(groups, local);
    }
    let part_elements = problem.m * problem.n;
    let partial = Workspace::borrow(call.queue, (plan.split_k * part_elements * T::KIND.bytes()) as u64)?;
    launch(T::ONE, T::ZERO)
        .workspace(&partial)
        .index(0)
        .index(problem.m)
        .triangle(form, &problem.target)
        .index(part_k)
        .index(part_elements)
        .enqueue_step(groups, local)?;
    finish::sum(call, problem, plan.split_k, &partial)
}
