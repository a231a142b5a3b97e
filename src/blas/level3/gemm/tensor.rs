//! The tensor family: tiles for tensor cores, with slices that are copied ahead.
//!
//! Doubles are multiplied as they are. Floats are split in halves that the tensor cores take, whose three products keep
//! the error bound of multiply-adds (Ootomo and Yokota, *Recovering single precision accuracy from Tensor Cores*, 2022), or, by
//! [`MathMode::Fast`](crate::MathMode), rounded to 11 bits. Products of floats that are too small for halves are computed with
//! multiply-adds, and so are tiles whose sums are not finite: see [`Guard`].
//!
//! Fragments are multiplied by a warp, or, where the device has instructions for that, by a group of four: see [`Unit`].

use super::arguments::{Form, definitions};
use super::plan::Limits;
use super::tiles::Tiles;
use super::trial::{Singles, UNSTATED_CAPABILITY};
use super::{GemmCall, GemmProblem, Operand, Target, finish};
use crate::context::{Event, Scratch};
use crate::device::DeviceFacts;
use crate::error::Result;
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::{Scalar, ScalarKind};

macro_rules! files {
    ($instructions:literal, $($arithmetic:literal),+) => {
        &[
            include_str!("../../../../cl/blas/level3/gemm/structure.cl"),
            include_str!("../../../../cl/blas/level3/gemm/tiles.cl"),
            include_str!("../../../../cl/blas/level3/gemm/too_small.cl"),
            include_str!("../../../../cl/blas/level3/gemm/tensor_chunk.cl"),
            include_str!(concat!("../../../../cl/blas/level3/gemm/", $instructions)),
            include_str!("../../../../cl/blas/level3/gemm/tensor_slice.cl"),
            include_str!("../../../../cl/blas/level3/gemm/tensor_tile.cl"),
            $(include_str!(concat!("../../../../cl/blas/level3/gemm/", $arithmetic)),)+
            include_str!("../../../../cl/blas/level3/gemm/tensor.cl"),
        ]
    };
}

const NVIDIA_F64: &[&str] = files!("tensor_nvidia.cl", "tensor_f64.cl");
const NVIDIA_TF32: &[&str] = files!("tensor_nvidia.cl", "tensor_halves.cl", "tensor_tf32.cl", "tensor_exact.cl");
const NVIDIA_GROUP: &[&str] =
    files!("tensor_nvidia.cl", "tensor_halves.cl", "tensor_group_nvidia.cl", "tensor_group.cl", "tensor_exact.cl");
const EMULATED_F64: &[&str] = files!("tensor_emulated.cl", "tensor_f64.cl");
const EMULATED_TF32: &[&str] = files!("tensor_emulated.cl", "tensor_halves.cl", "tensor_tf32.cl", "tensor_exact.cl");
const EMULATED_GROUP: &[&str] =
    files!("tensor_emulated.cl", "tensor_halves.cl", "tensor_group_emulated.cl", "tensor_group.cl", "tensor_exact.cl");
const SPLITTABLE: &[&str] = &[
    include_str!("../../../../cl/blas/level3/gemm/too_small.cl"),
    include_str!("../../../../cl/blas/level3/gemm/splittable.cl"),
];

/// The sizes that are compiled into the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorParameters {
    /// Rows and columns of C that a work-group computes.
    pub tile: [usize; 2],
    /// The part of a tile that a warp of 32 work-items computes.
    pub warp: [usize; 2],
    /// Depth of a slice.
    pub depth: usize,
    /// Slices that there is room for: all but one are on their way while that one is multiplied.
    pub stages: usize,
    /// Columns of tiles that work-groups walk together.
    pub band: usize,
    /// Who multiplies fragments.
    pub unit: Unit,
}

/// Who multiplies fragments together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A warp, with both fragments in registers.
    Warp,
    /// A group of four warps (wgmma), which takes B from local memory: floats only.
    Group,
}

/// Local memory that a kernel's own arrays may take. NVIDIA's compiler takes as much as a multiprocessor has, though the device says that
/// there were 48 KiB, which is true of arguments.
pub(super) const fn local_memory(device: &DeviceFacts) -> u64 {
    if device.nvidia_capability == UNSTATED_CAPABILITY { 227 << 10 } else { device.local_memory_bytes }
}

/// What the two launches around a product take, in multiply-adds that a compute unit does meanwhile (on an H200).
const GUARD_LAUNCHES: u64 = 3 << 19;

/// Work-items of a group that looks for small numbers, how many of those groups a compute unit has, and how many numbers each
/// work-item reads at once.
const LOOKING: usize = 256;
const LOOKING_GROUPS: usize = 8;
const LOOKING_AT_ONCE: usize = 8;

/// Work-items of a warp.
pub(super) const WARP: usize = 32;

impl TensorParameters {
    const fn new(tile: [usize; 2], warp: [usize; 2], depth: usize, stages: usize) -> Self {
        TensorParameters { tile, warp, depth, stages, band: 8, unit: Unit::Warp }
    }

    /// The tiles of groups of warps, for floats: two work-groups on a multiprocessor, one of which splits and adds while the other multiplies.
    pub const fn group(kind: ScalarKind) -> Self {
        let tile = match kind {
            ScalarKind::S => Self::new([128, 128], [32, 128], 16, 4),
            _ => Self::new([128, 64], [32, 64], 8, 4),
        };
        TensorParameters { unit: Unit::Group, ..tile }
    }

    /// The same for a C that those would not fill the device with.
    pub const fn narrow_group(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => TensorParameters { tile: [128, 64], warp: [32, 64], ..Self::group(kind) },
            _ => Self::group(kind),
        }
    }

    /// The large tiles, best where C has many of them. In floats two small work-groups on a multiprocessor do not wait for each other's
    /// barriers; in doubles, whose kernel hides them, the energy that a large tile saves is worth more.
    pub const fn large(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => Self::new([128, 64], [64, 32], 16, 4),
            ScalarKind::D => Self::new([128, 128], [64, 32], 16, 3),
            ScalarKind::C => Self::new([128, 64], [64, 32], 8, 4),
            ScalarKind::Z => Self::new([128, 64], [32, 32], 8, 4),
        }
    }

    /// The smallest tiles, for a C that small ones would not fill the device with.
    pub const fn tiny(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => Self::new([64, 32], [32, 32], 16, 4),
            ScalarKind::D => Self::new([32, 32], [16, 16], 16, 3),
            ScalarKind::C => Self::new([32, 32], [16, 16], 8, 4),
            ScalarKind::Z => Self::new([32, 32], [16, 16], 16, 3),
        }
    }

    /// The small tiles, for a C that large ones would not fill the device with.
    pub const fn small(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => Self::new([64, 64], [32, 32], 16, 3),
            ScalarKind::D => Self::new([64, 64], [32, 32], 16, 3),
            ScalarKind::C => Self::new([64, 64], [32, 32], 8, 4),
            ScalarKind::Z => Self::new([64, 64], [32, 32], 8, 3),
        }
    }

    /// The large tiles for a triangle of C, which is made of square ones.
    const fn square(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => Self::new([128, 128], [64, 32], 16, 3),
            ScalarKind::C => Self::new([128, 128], [64, 32], 8, 3),
            ScalarKind::D => Self::large(kind),
            ScalarKind::Z => Self::small(kind),
        }
    }

    const fn is_square(&self) -> bool {
        self.tile[0] == self.tile[1]
    }

    const fn work_group_size(&self) -> usize {
        self.tile[0] / self.warp[0] * (self.tile[1] / self.warp[1]) * WARP
    }

    const fn local_bytes(&self, kind: ScalarKind) -> u64 {
        let slices = self.stages * (self.tile[0] + self.tile[1]) * self.depth * kind.bytes();
        // Two slices of B in halves.
        let halves = match self.unit {
            Unit::Warp => 0,
            Unit::Group => 2 * 2 * self.tile[1] * self.depth * kind.bytes(),
        };
        (slices + halves) as u64
    }

    /// Whether it can multiply the type.
    pub(super) const fn can(&self, kind: ScalarKind) -> bool {
        matches!(self.unit, Unit::Warp) || !kind.is_double()
    }

    /// Whether it needs no more than the device states: see [`TensorUse::unstated`](super::TensorUse).
    pub(super) const fn is_stated(&self, kind: ScalarKind, device: &DeviceFacts) -> bool {
        matches!(self.unit, Unit::Warp) && self.local_bytes(kind) <= device.local_memory_bytes
    }

    pub(super) fn fits(&self, kind: ScalarKind, device: &DeviceFacts) -> bool {
        self.work_group_size() <= device.max_work_group_size && self.local_bytes(kind) <= local_memory(device)
    }

    /// The pace in percent of the best multiply-adds, for doubles of the tensor cores in [`super::tiled`], as measured on an
    /// H200. Work-groups that are few on a multiprocessor do not hide their waits.
    const fn pace_percent(&self, kind: ScalarKind, work_groups: u64) -> u64 {
        if matches!(self.unit, Unit::Group) {
            return match (kind, self.tile[1], work_groups) {
                (ScalarKind::S, 128, 1) => 170,
                (ScalarKind::S, 128, _) => 255,
                (ScalarKind::S, _, 1) => 118,
                (ScalarKind::S, _, _) => 215,
                (_, _, 1) => 136,
                (_, _, _) => 205,
            };
        }
        let percent = match (kind, self.size()) {
            (ScalarKind::S, Size::Large) => 147,
            (ScalarKind::S, Size::Small) => 109,
            (ScalarKind::S, Size::Tiny) => 101,
            (ScalarKind::D, Size::Large) => 129,
            (ScalarKind::D, Size::Small) => 120,
            (ScalarKind::D, Size::Tiny) => 95,
            (ScalarKind::C, Size::Large) => 136,
            (ScalarKind::C, Size::Small) => 110,
            (ScalarKind::C, Size::Tiny) => 80,
            (ScalarKind::Z, Size::Large) => 228,
            (ScalarKind::Z, Size::Small) => 222,
            (ScalarKind::Z, Size::Tiny) => 212,
        };
        let is_alone = work_groups == 1 && self.work_group_size() < 256;
        match (is_alone, kind.is_double()) {
            (false, _) => percent,
            (true, false) => percent * 2 / 3,
            // Most waits are hidden by the work-group's own products.
            (true, true) => percent * 5 / 6,
        }
    }

    const fn size(&self) -> Size {
        match self.tile[0] * self.tile[1] {
            ..4096 => Size::Tiny,
            4096 => Size::Small,
            _ => Size::Large,
        }
    }

    const fn tiles<'a>(&self, problem: &'a GemmProblem) -> Tiles<'a> {
        Tiles { problem, tile: self.tile, depth: self.depth }
    }
}

/// Sizes of tiles, by their elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Tiny,
    Small,
    Large,
}

/// What is done about floats that halves do not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Nothing: numbers are multiplied as they are, or rounded.
    None,
    /// The kernel looks at the numbers that it multiplies, and multiplies once more where it must: one launch.
    Inside,
    /// A launch before looks at all numbers, and one behind multiplies once more where it must: for large products, whose kernel
    /// has no registers left.
    Around,
}

impl Guard {
    /// The fit one for a tile of floats. Groups of warps have the one around.
    const fn of(parameters: &TensorParameters) -> Self {
        match (parameters.unit, parameters.size()) {
            (Unit::Warp, Size::Tiny | Size::Small) => Guard::Inside,
            (Unit::Warp, Size::Large) | (Unit::Group, _) => Guard::Around,
        }
    }
}

/// A tile size, into how many parts the depth is split to fill the device, and what is done to floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorPlan {
    /// The kernel's sizes.
    pub parameters: TensorParameters,
    /// Parts of the depth; with more than one, partial products are summed afterwards, always in the same order.
    pub depth_parts: usize,
    /// What guards floats that are split in halves. If nothing does, they are rounded.
    pub guard: Guard,
}

impl TensorPlan {
    /// `None` where there are no tensor cores for the problem, or none are to be used.
    pub(super) fn choose(
        problem: &GemmProblem,
        device: &DeviceFacts,
        limits: &Limits,
        tile: Option<TensorParameters>,
    ) -> Option<Self> {
        let kind = problem.kind;
        if !limits.tensor.takes(kind) || !Self::can(problem) {
            return None;
        }
        let large = match problem.target {
            Target::Whole => TensorParameters::large(kind),
            Target::Triangle(..) => TensorParameters::square(kind),
        };
        let own = [
            large,
            TensorParameters::small(kind),
            TensorParameters::tiny(kind),
            TensorParameters::group(kind),
            TensorParameters::narrow_group(kind),
        ];
        let is_fit = |tile: &TensorParameters| {
            tile.can(kind)
                && tile.fits(kind, device)
                && (tile.is_stated(kind, device) || limits.tensor.unstated)
                && (problem.target == Target::Whole || tile.is_square())
        };
        let given = tile.filter(|tile| problem.is_plain() && is_fit(tile));
        let own = own.into_iter().filter(|tile| given.is_none() && is_fit(tile));
        let plans = given.into_iter().chain(own).flat_map(|parameters| {
            let counts = parameters.tiles(problem).part_counts(device, limits);
            counts.map(move |count| TensorPlan::with_parameters(problem, parameters, count, limits.tensor.singles))
        });
        plans.min_by_key(|plan| plan.cost(problem, device))
    }

    /// A plan for given kernel sizes and parts of the depth.
    pub(in crate::blas::level3) fn with_parameters(
        problem: &GemmProblem,
        parameters: TensorParameters,
        depth_parts: usize,
        singles: Singles,
    ) -> Self {
        let splits = !problem.kind.is_double() && singles != Singles::Rounded;
        let guard = if splits { Guard::of(&parameters) } else { Guard::None };
        TensorPlan { parameters, depth_parts: parameters.tiles(problem).parts(depth_parts), guard }
    }

    /// See [`Tiles::cost`].
    pub(super) fn cost(&self, problem: &GemmProblem, device: &DeviceFacts) -> u64 {
        let percent = |per_unit| self.parameters.pace_percent(problem.kind, per_unit);
        let products = self.parameters.tiles(problem).cost(device, self.depth_parts, percent);
        products + if self.guard == Guard::Around { GUARD_LAUNCHES } else { 0 }
    }

    /// Whether the family computes such problems: slices are copied as they lie in memory, all of which is stored.
    pub(super) fn can(problem: &GemmProblem) -> bool {
        let lies_in_lines = |operand: &Operand| operand.row_stride == 1 || operand.column_stride == 1;
        problem.has_general_operands() && lies_in_lines(&problem.a) && lies_in_lines(&problem.b)
    }
}

/// The widest copies that all lines of an operand are aligned to, in bytes.
fn copy_bytes(kind: ScalarKind, operand: &Operand) -> usize {
    let stride = if operand.row_stride == 1 { operand.column_stride } else { operand.row_stride };
    let alignment = (operand.offset * kind.bytes()) | (stride * kind.bytes());
    1 << alignment.trailing_zeros().clamp(2, 4)
}

fn source(problem: &GemmProblem, plan: &TensorPlan, device: &DeviceFacts) -> ProgramSource {
    let parameters = &plan.parameters;
    let target = if plan.depth_parts > 1 { problem.target.of_parts() } else { problem.target };
    let mut sizes = vec![
        ("TILE_M", parameters.tile[0] as i64),
        ("TILE_N", parameters.tile[1] as i64),
        ("TILE_K", parameters.depth as i64),
        ("WARP_M", parameters.warp[0] as i64),
        ("WARP_N", parameters.warp[1] as i64),
        ("THREADS", parameters.work_group_size() as i64),
        ("STAGES", parameters.stages as i64),
        ("BAND", parameters.band as i64),
        ("SPLIT", i64::from(plan.guard != Guard::None)),
        ("GUARD", plan.guard as i64),
        ("A_ALONG_M", i64::from(problem.a.row_stride == 1)),
        ("B_ALONG_N", i64::from(problem.b.column_stride == 1)),
        ("COPY_A", copy_bytes(problem.kind, &problem.a) as i64),
        ("COPY_B", copy_bytes(problem.kind, &problem.b) as i64),
    ];
    sizes.extend(definitions(problem, target));
    let files = match (device.nvidia_capability > 0, problem.kind.is_double(), parameters.unit) {
        (true, true, _) => NVIDIA_F64,
        (true, false, Unit::Warp) => NVIDIA_TF32,
        (true, false, Unit::Group) => NVIDIA_GROUP,
        (false, true, _) => EMULATED_F64,
        (false, false, Unit::Warp) => EMULATED_TF32,
        (false, false, Unit::Group) => EMULATED_GROUP,
    };
    ProgramSource { name: "gemm tensor", kind: problem.kind, files, definitions: sizes }
}

/// Memory for what is found out around a product.
struct Around<'q> {
    /// Whether tiles are to be multiplied once more.
    again: Scratch<'q>,
    /// Whether work-groups have found numbers that are too small for halves, and how many groups look.
    too_small: Scratch<'q>,
    groups: usize,
}

impl Launch<'_> {
    /// What is known before a product, and where what it finds out goes.
    fn around(self, around: Option<&Around<'_>>) -> Self {
        match around {
            Some(around) => self.scratch(&around.again).scratch(&around.too_small).count(around.groups),
            None => self,
        }
    }
}

/// Looks for numbers that are too small for halves.
fn find_too_small<'q, T: Scalar>(call: &GemmCall<'q, T>, problem: &GemmProblem, tiles: usize) -> Result<Around<'q>> {
    let context = call.queue.context();
    let definitions = vec![("THREADS", LOOKING as i64), ("AT_ONCE", LOOKING_AT_ONCE as i64)];
    let source = ProgramSource { name: "gemm splittable", kind: T::KIND, files: SPLITTABLE, definitions };
    let program = context.programs().get(context, &source)?;
    // An operand's lines: how far they are apart, how many there are, and how long they are.
    let lines = |operand: &Operand, rows: usize, columns: usize| {
        if operand.row_stride == 1 {
            [operand.column_stride, columns, rows]
        } else {
            [operand.row_stride, rows, columns]
        }
    };
    let (a_lines, b_lines) = (lines(&problem.a, problem.m, problem.k), lines(&problem.b, problem.k, problem.n));
    let groups = (LOOKING_GROUPS * context.device().facts().compute_units).clamp(1, a_lines[1] + b_lines[1]);
    let room = |count: usize| Scratch::borrow(call.queue, (count * size_of::<u32>()) as u64);
    let (too_small, again) = (room(groups)?, room(tiles)?);
    let (a, b) = call.operands(problem);
    let launch = Launch::new(call.queue, &program, "find_too_small");
    let launch = a_lines.into_iter().fold(launch.buffer(a).index(problem.a.offset), Launch::index);
    let launch = b_lines.into_iter().fold(launch.buffer(b).index(problem.b.offset), Launch::index);
    launch.scratch(&too_small).enqueue_step([groups, 1, 1], [LOOKING, 1, 1])?;
    Ok(Around { again, too_small, groups })
}

pub(super) fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &TensorPlan) -> Result<Event> {
    let context = call.queue.context();
    let program = context.programs().get(context, &source(problem, plan, context.device().facts()))?;
    let (a, b) = call.operands(problem);
    let tiles = plan.parameters.tiles(problem);
    let part_depth = tiles.part_depth(plan.depth_parts);
    let groups = [tiles.count(), plan.depth_parts, 1];
    let local = [plan.parameters.work_group_size(), 1, 1];
    let around = match plan.guard {
        Guard::Around => Some(find_too_small(call, problem, tiles.count() * plan.depth_parts)?),
        Guard::None | Guard::Inside => None,
    };
    let part_elements = problem.m * problem.n;
    let partial = match plan.depth_parts {
        1 => None,
        parts => Some(Scratch::borrow(call.queue, (parts * part_elements * T::KIND.bytes()) as u64)?),
    };
    let launch = |kernel| {
        let (alpha, beta) = if partial.is_none() { (call.alpha, call.beta) } else { (T::ONE, T::ZERO) };
        let launch = Launch::new(call.queue, &program, kernel)
            .index(problem.m)
            .index(problem.n)
            .index(problem.k)
            .scalar(alpha)
            .operand(a, &problem.a)
            .operand(b, &problem.b)
            .scalar(beta);
        match &partial {
            None => launch.buffer(call.c).index(problem.c.offset).index(problem.c.column_stride),
            Some(partial) => launch.scratch(partial).index(0).index(problem.m),
        }
        .triangle(Form::STRUCTURED, &problem.target)
        .index(part_depth)
        .index(part_elements)
    };
    let product = launch("gemm_tensor").around(around.as_ref());
    let again = around.as_ref().map(|around| {
        let groups = [context.device().facts().compute_units.clamp(1, tiles.count()), plan.depth_parts, 1];
        (launch("gemm_tensor_again").scratch(&around.again).index(tiles.count()), groups)
    });
    match (again, &partial) {
        (None, None) => product.enqueue(groups, local),
        (Some((again, again_groups)), None) => {
            product.enqueue_step(groups, local)?;
            again.enqueue(again_groups, local)
        }
        (again, Some(partial)) => {
            product.enqueue_step(groups, local)?;
            if let Some((again, again_groups)) = again {
                again.enqueue_step(again_groups, local)?;
            }
            finish::sum(call, problem, plan.depth_parts, partial)
        }
    }
}
