//! Choosing the tensor family's tiles, and what guards floats that are split.

use affinimath_core::problem::gemm::{GemmProblem, Operand};
use affinimath_core::problem::structure::{Structure, Target};

use super::super::chip::Chip;
use super::super::limits::{F32Mma, Limits};
use super::super::tiles::Shares;
use super::parameters::{Size, TensorParameters, Unit};
use crate::device::DeviceInfo;
use crate::scalar::ScalarKind;

/// The two launches around a product, the first of which scans the operands, in the FMAs of [`Chip`].
fn guard_cost(problem: &GemmProblem, device: &DeviceInfo) -> u64 {
    let chip = Chip::of(device);
    let elements = problem.k.saturating_mul(problem.m.saturating_add(problem.n));
    let bytes = elements.saturating_mul(problem.kind.bytes()) as u64;
    let scan = (bytes / device.compute_units.max(1) as u64).saturating_mul(chip.scan_fmas_per_byte);
    chip.guard_launches_fmas(problem.kind) + scan
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
    /// Tiles that are computed whole, before the others.
    pub whole_tiles: usize,
    /// Parts of the depth of the others, which are summed afterwards, always in the same order.
    pub depth_parts: usize,
    /// What guards floats that are split in halves. If nothing does, they are rounded.
    pub guard: Guard,
    /// Whether A and B are copied to lines that begin at multiples of 16 bytes, and are filled up with zeros to whole tiles.
    pub pads: [bool; 2],
    /// Work-groups, each of which computes one tile after the other, where the product leaves compute units to other work. Without, each
    /// tile has a group of its own.
    pub groups: Option<usize>,
    /// The last rows and columns of C that no tile has: they are few, and computed in strips.
    pub strips: [usize; 2],
}

impl TensorPlan {
    /// The cheapest plan; `None` where there are no tensor cores for the problem, or none are to be used.
    pub(in crate::blas::level3::gemm) fn choose(
        problem: &GemmProblem,
        device: &DeviceInfo,
        limits: &Limits,
        tile: Option<TensorParameters>,
    ) -> Option<Self> {
        Self::plans(problem, device, limits, tile).into_iter().min_by_key(|plan| plan.fmas(problem, device))
    }

    /// All tiles, parts, strips and copies that are worth a comparison.
    pub(super) fn plans(
        problem: &GemmProblem,
        device: &DeviceInfo,
        limits: &Limits,
        tile: Option<TensorParameters>,
    ) -> Vec<Self> {
        let kind = problem.kind;
        if !limits.tensor.takes(kind) || !Self::can(problem) {
            return Vec::new();
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
        // Tiles whose depth depends on their place are neither in parts nor in strips.
        let is_limited = Limited::of(problem) != Limited::No;
        let given = tile.filter(|tile| problem.is_plain() && is_fit(tile));
        let own = own.into_iter().filter(|tile| given.is_none() && is_fit(tile));
        let of_tile = |parameters: TensorParameters, strips: [usize; 2]| -> Vec<Self> {
            let inner = without_strips(problem, strips);
            let tiles = parameters.tiles(&inner);
            if is_limited {
                return vec![Self::with_parameters(&inner, parameters, 1, limits.tensor.f32_mma)];
            }
            let plan =
                |count| Self { strips, ..Self::with_parameters(&inner, parameters, count, limits.tensor.f32_mma) };
            let last_rounds = tiles.last_rounds(device, limits, parameters.per_unit(kind)).map(|shares| {
                let whole_tiles = if plan(shares.parts).depth_parts > 1 { shares.whole } else { tiles.count() };
                TensorPlan { whole_tiles, ..plan(shares.parts) }
            });
            tiles.part_counts(device, limits).map(plan).chain(last_rounds).collect()
        };
        let plans = given.into_iter().chain(own).flat_map(|parameters| {
            // Groups that compute one tile after the other know of no strips.
            let strips = parameters.strips(problem).filter(|_| limits.units.is_none() && !is_limited);
            let strips = strips.map(|strips| of_tile(parameters, strips));
            // Of parts that are more than a round, strips would take what the last ones leave idle, later than these.
            let round = parameters.per_unit(kind) * device.compute_units;
            let strips = strips.into_iter().flatten();
            let strips = strips.filter(move |plan| plan.whole_tiles > 0 || plan.products(problem) <= round);
            of_tile(parameters, [0; 2]).into_iter().chain(strips)
        });
        let plans = plans.flat_map(|plan| [Some(plan), plan.padded(problem, limits)]).flatten();
        let grouped =
            |plan: Self| Self { groups: limits.units.filter(|units| *units < plan.products(problem)), ..plan };
        plans.map(grouped).collect()
    }

    /// A plan for given kernel sizes and parts of the depth.
    pub(in crate::blas::level3) fn with_parameters(
        problem: &GemmProblem,
        parameters: TensorParameters,
        depth_parts: usize,
        f32_mma: F32Mma,
    ) -> Self {
        let splits = !problem.kind.is_double() && f32_mma != F32Mma::Tf32;
        let guard = if splits { Guard::of(&parameters) } else { Guard::None };
        let tiles = parameters.tiles(problem);
        let depth_parts = tiles.parts(depth_parts);
        let whole_tiles = if depth_parts == 1 { tiles.count() } else { 0 };
        TensorPlan { parameters, whole_tiles, depth_parts, guard, pads: [false; 2], strips: [0; 2], groups: None }
    }

    /// The same kernel for another piece of the product, without parts or copies.
    pub(in crate::blas::level3::gemm) fn for_piece(&self, problem: &GemmProblem) -> Self {
        let whole_tiles = self.parameters.tiles(problem).count();
        let groups = self.groups.filter(|groups| *groups < whole_tiles);
        TensorPlan { whole_tiles, depth_parts: 1, pads: [false; 2], strips: [0; 2], groups, ..*self }
    }

    /// What the tiles compute of a problem.
    pub(super) fn of_tiles(&self, problem: &GemmProblem) -> GemmProblem {
        without_strips(problem, self.strips)
    }

    /// Strips, which have a quarter of a tile's columns or rows.
    pub(super) fn strip_count(&self, problem: &GemmProblem) -> usize {
        let inner = self.of_tiles(problem);
        let of_rows = if self.strips[0] > 0 { problem.n.div_ceil(strip_lines(self.parameters.tile[1])) } else { 0 };
        of_rows + if self.strips[1] > 0 { inner.m.div_ceil(strip_lines(self.parameters.tile[0])) } else { 0 }
    }

    /// Rows or columns that strips are compiled for: the next of a few numbers. 0 if there are none.
    pub(super) fn strip_width(&self) -> usize {
        strip_width(self.strips)
    }

    /// Tiles that are computed whole, and parts of the others.
    pub(super) fn products(&self, problem: &GemmProblem) -> usize {
        self.whole_tiles + self.split_tiles(problem) * self.depth_parts
    }

    /// Tiles whose depth is in parts.
    pub(super) fn split_tiles(&self, problem: &GemmProblem) -> usize {
        self.parameters.tiles(&self.of_tiles(problem)).count() - self.whole_tiles
    }

    /// Elements of scratch memory for the parts.
    pub(super) fn partial_elements(&self, problem: &GemmProblem) -> usize {
        let [rows, columns] = self.parameters.tile;
        self.split_tiles(problem).saturating_mul(self.depth_parts).saturating_mul(rows * columns)
    }

    /// The same with copies of the operands that have edges or whose lines are not aligned; `None` if there are none, or no memory.
    fn padded(self, problem: &GemmProblem, limits: &Limits) -> Option<Self> {
        let has_edges = self.edges(problem);
        let pads = [
            has_edges[0] || copy_bytes(problem.kind, &problem.a) < CHUNK_BYTES,
            has_edges[1] || copy_bytes(problem.kind, &problem.b) < CHUNK_BYTES,
        ];
        let plan = TensorPlan { pads, ..self };
        let elements = plan.padded_elements(problem).saturating_add(plan.partial_elements(problem));
        let bytes = elements.saturating_mul(problem.kind.bytes());
        (pads != [false; 2] && bytes as u64 <= limits.scratch_bytes).then_some(plan)
    }

    /// Rows and columns of A and B, up to the ends of the outermost tiles and slices; or of the strips, in whole chunks.
    pub(super) const fn padded_sizes(&self, problem: &GemmProblem) -> [[usize; 2]; 2] {
        let [tile_m, tile_n] = self.parameters.tile;
        let depth = problem.k.next_multiple_of(self.parameters.depth);
        let rows = problem.m.next_multiple_of(if self.strips[0] > 0 { CHUNK_BYTES / 4 } else { tile_m });
        let columns = problem.n.next_multiple_of(if self.strips[1] > 0 { CHUNK_BYTES / 4 } else { tile_n });
        [[rows, depth], [depth, columns]]
    }

    /// Whether A and B end within a tile or a slice.
    fn edges(&self, problem: &GemmProblem) -> [bool; 2] {
        let (inner, [tile_m, tile_n]) = (self.of_tiles(problem), self.parameters.tile);
        let has_slice = !problem.k.is_multiple_of(self.parameters.depth);
        [has_slice || !inner.m.is_multiple_of(tile_m), has_slice || !inner.n.is_multiple_of(tile_n)]
    }

    /// Elements of the copies.
    fn padded_elements(&self, problem: &GemmProblem) -> usize {
        let sizes = self.padded_sizes(problem).into_iter().zip(self.pads);
        sizes.filter(|(_, is_padded)| *is_padded).map(|([rows, columns], _)| rows.saturating_mul(columns)).sum()
    }

    /// See [`Tiles::cost`].
    pub(in crate::blas::level3::gemm) fn fmas(&self, problem: &GemmProblem, device: &DeviceInfo) -> u64 {
        let chip = Chip::of(device);
        let percent = |per_unit| self.parameters.pace_percent(problem.kind, per_unit, chip);
        let shares = Shares { whole: self.whole_tiles, parts: self.depth_parts };
        let products = self.parameters.tiles(&self.of_tiles(problem)).cost(device, shares, percent);
        let guards = if self.guard == Guard::Around { guard_cost(problem, device) } else { 0 };
        let strips = self.strip_cost(problem, device, products);
        products + strips + self.uneven_cost(problem, device, products) + guards + self.padding_cost(problem, device)
    }

    /// What strips take beside tiles that take so long: nothing as far as they fit to where the last round of tiles leaves compute units idle.
    fn strip_cost(&self, problem: &GemmProblem, device: &DeviceInfo, products: u64) -> u64 {
        let strips = self.strip_count(problem) as u64;
        if strips == 0 {
            return 0;
        }
        let lines = strip_lines(self.parameters.tile[0].max(self.parameters.tile[1]));
        let bytes = (lines * problem.kind.bytes()) as u64 * problem.k as u64;
        // The only work-group of a compute unit reads twice as fast as it would read its share if all did.
        let per_unit = self.parameters.per_unit(problem.kind);
        let chip = Chip::of(device);
        let per_byte = chip.mma_dram_fmas_per_byte(problem.kind);
        let own = chip.strip_start_fmas + bytes * per_byte * per_unit.min(2) as u64 / 2;
        let groups = self.products(problem) as u64;
        let round = (per_unit * device.compute_units.max(1)) as u64;
        let idle = (round - groups % round) % round;
        let hidden = idle * (products / groups.div_ceil(round).max(1) / own.max(1));
        strips.saturating_sub(hidden).div_ceil(round) * own
    }

    /// What products take more where operands are as they are (on an H200): lines that are not aligned; a last slice that is not whole; and
    /// edges, where tiles cannot begin earlier, which make the outermost ones take twice as long, after all others, or a sixth of all the time.
    fn uneven_cost(&self, problem: &GemmProblem, device: &DeviceInfo, products: u64) -> u64 {
        let is_left = |which: usize, is_uneven: bool| is_uneven && !self.pads[which];
        // Complex doubles are copied at once wherever they are, but more of the memory's pieces of 32 bytes are read.
        let aligned = if problem.kind == ScalarKind::Z { 2 * CHUNK_BYTES } else { CHUNK_BYTES };
        let unaligned = [&problem.a, &problem.b].map(|operand| alignment(problem.kind, operand) < aligned);
        let has_edges = self.fixed_edges(problem);
        let lines = (0..2).filter(|&which| is_left(which, unaligned[which])).count() as u64;
        let edges = u64::from((0..2).any(|which| is_left(which, has_edges[which])));
        let has_slice = !problem.k.is_multiple_of(self.parameters.depth) && self.pads != [true; 2];
        let slice = match (has_slice, problem.kind) {
            (false, _) => 0,
            // As much as copies of large operands.
            (true, ScalarKind::S) => products / 12,
            (true, _) => products * self.parameters.depth as u64 / problem.k.max(1) as u64,
        };
        let per_unit = self.products(problem) / device.compute_units.max(1) + 1;
        let share = match problem.kind {
            ScalarKind::S => 4,
            ScalarKind::C => 16,
            ScalarKind::D | ScalarKind::Z => 20,
        };
        let lines = lines * products / share;
        lines + slice + edges * products / per_unit.min(6) as u64
    }

    /// Whether there are tiles that reach over the ends of A's rows and of B's columns, as they cannot begin earlier: see `first_of_tile` in tensor.cl.
    fn fixed_edges(&self, problem: &GemmProblem) -> [bool; 2] {
        let inner = self.of_tiles(problem);
        let is_fixed = |extent: usize, tile: usize, operand: &Operand, is_across: bool| {
            let at_once = copy_bytes(problem.kind, operand) / problem.kind.bytes();
            let can_begin_earlier =
                problem.target == Target::Whole && extent >= tile && (!is_across || extent.is_multiple_of(at_once));
            !extent.is_multiple_of(tile) && !can_begin_earlier
        };
        let [tile_m, tile_n] = self.parameters.tile;
        [
            is_fixed(inner.m, tile_m, &problem.a, problem.a.row_stride == 1),
            is_fixed(inner.n, tile_n, &problem.b, problem.b.column_stride == 1),
        ]
    }

    /// What copies of the operands take.
    fn padding_cost(&self, problem: &GemmProblem, device: &DeviceInfo) -> u64 {
        // Operands that are looked at are read in any case.
        let times = if self.guard == Guard::Around { 1 } else { 2 };
        let bytes = self.padded_elements(problem).saturating_mul(times * problem.kind.bytes()) as u64;
        let chip = Chip::of(device);
        let launch = if self.guard == Guard::Around || self.pads == [false; 2] { 0 } else { chip.launch_fmas };
        let per_byte = chip.mma_dram_fmas_per_byte(problem.kind);
        launch + (bytes / device.compute_units.max(1) as u64).saturating_mul(per_byte)
    }

    /// Whether the family computes such problems: slices are copied as they lie in memory, all of which is stored.
    pub(in crate::blas::level3::gemm) fn can(problem: &GemmProblem) -> bool {
        let lies_in_lines = |operand: &Operand| operand.row_stride == 1 || operand.column_stride == 1;
        let is_stored = |operand: &Operand| matches!(operand.structure, Structure::General | Structure::Filled(_));
        is_stored(&problem.a) && is_stored(&problem.b) && lies_in_lines(&problem.a) && lies_in_lines(&problem.b)
    }
}

/// The operand whose zeros outside a triangle limit the depths of a tile: its number in tensor.cl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limited {
    No = 0,
    ByRows = 1,
    ByColumns = 2,
}

impl Limited {
    /// Where both have zeros, A's count.
    pub(super) const fn of(problem: &GemmProblem) -> Self {
        match (problem.a.structure, problem.b.structure) {
            (Structure::Filled(_), _) => Limited::ByRows,
            (_, Structure::Filled(_)) => Limited::ByColumns,
            _ => Limited::No,
        }
    }
}

/// A problem without its last rows and columns.
const fn without_strips(problem: &GemmProblem, strips: [usize; 2]) -> GemmProblem {
    GemmProblem { m: problem.m - strips[0], n: problem.n - strips[1], ..*problem }
}

/// The most rows or columns of a strip, and the numbers that strips are compiled for.
const STRIP_WIDTHS: [usize; 2] = [1, 4];
/// Slices of a tile that one of a strip is as deep as.
const STRIP_SLICES: usize = 4;

/// Lines of a strip along a side of a tile.
const fn strip_lines(tile: usize) -> usize {
    tile / 4
}

fn strip_width(strips: [usize; 2]) -> usize {
    let widest = strips[0].max(strips[1]);
    if widest == 0 { 0 } else { STRIP_WIDTHS.into_iter().find(|width| *width >= widest).unwrap_or(widest) }
}

impl TensorParameters {
    /// The last rows and columns that these tiles would have in strips, if any: where few are left beside whole tiles, and there is
    /// local memory for two of their slices.
    pub(in crate::blas::level3::gemm) fn strips(&self, problem: &GemmProblem) -> Option<[usize; 2]> {
        let [tile_m, tile_n] = self.tile;
        let few = |extent: usize, tile: usize| {
            Some(extent % tile).filter(|left| extent > tile && *left <= STRIP_WIDTHS[STRIP_WIDTHS.len() - 1])
        };
        let strips = [few(problem.m, tile_m).unwrap_or(0), few(problem.n, tile_n).unwrap_or(0)];
        let (chunk, depth) = (CHUNK_BYTES / problem.kind.bytes(), STRIP_SLICES * self.depth);
        let slice = strip_lines(tile_m.max(tile_n)) * (depth + chunk) + strip_width(strips) * depth;
        // Work-items that share a line have chunks of each slice.
        let depths = self.work_group_size() / strip_lines(tile_m.min(tile_n));
        let has_room = self.stages * (tile_m + tile_n) * self.depth >= 2 * slice && depths * chunk <= depth;
        (strips != [0; 2] && has_room && problem.target == Target::Whole).then_some(strips)
    }
}

/// Bytes of a chunk, which is copied at once where lines are aligned to as many.
pub(super) const CHUNK_BYTES: usize = 16;

/// The widest copies that all lines of an operand are aligned to, in bytes.
pub(in crate::blas::level3::gemm) fn copy_bytes(kind: ScalarKind, operand: &Operand) -> usize {
    alignment(kind, operand).min(CHUNK_BYTES)
}

/// What all lines of an operand are aligned to, in bytes, up to what a device reads at once.
fn alignment(kind: ScalarKind, operand: &Operand) -> usize {
    let stride = if operand.row_stride == 1 { operand.column_stride } else { operand.row_stride };
    let places = (operand.offset * kind.bytes()) | (stride * kind.bytes());
    1 << places.trailing_zeros().clamp(2, 5)
}
