//! Choice of the tensor family's tiles, and the guard of split floats.

use affinimath_core::problem::gemm::{GemmProblem, Operand};
use affinimath_core::problem::structure::{Structure, Target};

use super::super::chip::Chip;
use super::super::limits::{F32Mma, Limits};
use super::super::tiles::TileSplit;
use super::parameters::{MmaScope, Size, TensorParameters};
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

/// Treatment of floats that the hi/lo split in TF32 cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// None: elements are multiplied as stored, or rounded.
    None,
    /// The kernel checks the elements that it multiplies, and recomputes a tile if necessary: one launch.
    InKernel,
    /// A launch before the product scans all elements, and one after it recomputes tiles if necessary: for large tiles,
    /// whose kernel has no registers left.
    Separate,
}

impl Guard {
    /// The fit one for a tile of floats. Groups of warps have the one around.
    const fn of(parameters: &TensorParameters) -> Self {
        match (parameters.scope, parameters.size()) {
            (MmaScope::Warp, Size::Tiny | Size::Small) => Guard::InKernel,
            (MmaScope::Warp, Size::Large) | (MmaScope::WarpGroup, _) => Guard::Separate,
        }
    }
}

/// A tile, its split-K, its padding and the guard of its floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorPlan {
    /// The kernel's sizes.
    pub parameters: TensorParameters,
    /// Tiles with an undivided k; they are computed before the others.
    pub whole_tiles: usize,
    /// Number of split-K parts of the remaining tiles, summed in a fixed order.
    pub split_k: usize,
    /// Guard of floats that are split in hi and lo; without one, they are rounded.
    pub guard: Guard,
    /// Copy A, and B, to columns that begin at multiples of 16 bytes, padded with zeros to whole tiles.
    pub pads: [bool; 2],
    /// Persistent work-groups, each of which loops over tiles, for a product that leaves compute units to concurrent
    /// work. `None`: one group per tile.
    pub groups: Option<usize>,
    /// The last rows and columns of C that no tile has: they are few, and computed in strips.
    pub strips: [usize; 2],
}

impl TensorPlan {
    /// The cheapest plan; `None` if the tensor cores cannot or must not be used.
    pub(in crate::blas::level3::gemm) fn choose(
        problem: &GemmProblem,
        device: &DeviceInfo,
        limits: &Limits,
        tile: Option<TensorParameters>,
    ) -> Option<Self> {
        Self::plans(problem, device, limits, tile).into_iter().min_by_key(|plan| plan.fmas(problem, device))
    }

    /// All combinations of tiles, split-K, strips and padding that are worth comparing.
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
            TensorParameters::warp_group(kind),
            TensorParameters::narrow_warp_group(kind),
        ];
        let is_fit = |tile: &TensorParameters| {
            tile.can(kind)
                && tile.fits(kind, device)
                && (tile.is_without_opt_in(kind, device) || limits.tensor.opt_in)
                && (problem.target == Target::Whole || tile.is_square())
        };
        // Tiles whose k range depends on their position have neither split-K nor strips.
        let is_limited = KLimit::of(problem) != KLimit::None;
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
            let last_waves = tiles.last_waves(device, limits, parameters.per_unit(kind)).map(|tile_split| {
                let whole_tiles = if plan(tile_split.parts).split_k > 1 { tile_split.whole } else { tiles.count() };
                TensorPlan { whole_tiles, ..plan(tile_split.parts) }
            });
            tiles.part_counts(device, limits).map(plan).chain(last_waves).collect()
        };
        let plans = given.into_iter().chain(own).flat_map(|parameters| {
            // Persistent groups do not compute strips.
            let strips = parameters.strips(problem).filter(|_| limits.units.is_none() && !is_limited);
            let strips = strips.map(|strips| of_tile(parameters, strips));
            // With more split parts than one wave, strips would only follow after the last wave.
            let wave = parameters.per_unit(kind) * device.compute_units;
            let strips = strips.into_iter().flatten();
            let strips = strips.filter(move |plan| plan.whole_tiles > 0 || plan.products(problem) <= wave);
            of_tile(parameters, [0; 2]).into_iter().chain(strips)
        });
        let plans = plans.flat_map(|plan| [Some(plan), plan.padded(problem, limits)]).flatten();
        let grouped =
            |plan: Self| Self { groups: limits.units.filter(|units| *units < plan.products(problem)), ..plan };
        plans.map(grouped).collect()
    }

    /// A plan for given tiles and split-K.
    pub(in crate::blas::level3) fn with_parameters(
        problem: &GemmProblem,
        parameters: TensorParameters,
        split_k: usize,
        f32_mma: F32Mma,
    ) -> Self {
        let splits = !problem.kind.is_double() && f32_mma != F32Mma::Tf32;
        let guard = if splits { Guard::of(&parameters) } else { Guard::None };
        let tiles = parameters.tiles(problem);
        let split_k = tiles.parts(split_k);
        let whole_tiles = if split_k == 1 { tiles.count() } else { 0 };
        TensorPlan { parameters, whole_tiles, split_k, guard, pads: [false; 2], strips: [0; 2], groups: None }
    }

    /// The same kernel for another block of the product, without split-K or padding.
    pub(in crate::blas::level3::gemm) fn for_block(&self, problem: &GemmProblem) -> Self {
        let whole_tiles = self.parameters.tiles(problem).count();
        let groups = self.groups.filter(|groups| *groups < whole_tiles);
        TensorPlan { whole_tiles, split_k: 1, pads: [false; 2], strips: [0; 2], groups, ..*self }
    }

    /// The problem without its strips.
    pub(super) fn of_tiles(&self, problem: &GemmProblem) -> GemmProblem {
        without_strips(problem, self.strips)
    }

    /// Strips, which have a quarter of a tile's columns or rows.
    pub(super) fn strip_count(&self, problem: &GemmProblem) -> usize {
        let inner = self.of_tiles(problem);
        let of_rows = if self.strips[0] > 0 { problem.n.div_ceil(strip_extent(self.parameters.tile[1])) } else { 0 };
        of_rows + if self.strips[1] > 0 { inner.m.div_ceil(strip_extent(self.parameters.tile[0])) } else { 0 }
    }

    /// Rows or columns that strips are compiled for, rounded up to one of few values; 0 without strips.
    pub(super) fn strip_width(&self) -> usize {
        strip_width(self.strips)
    }

    /// Undivided tiles, and split-K parts of the others.
    pub(super) fn products(&self, problem: &GemmProblem) -> usize {
        self.whole_tiles + self.split_tiles(problem) * self.split_k
    }

    /// Tiles with split-K.
    pub(super) fn split_tiles(&self, problem: &GemmProblem) -> usize {
        self.parameters.tiles(&self.of_tiles(problem)).count() - self.whole_tiles
    }

    /// Elements of workspace for split-K.
    pub(super) fn partial_elements(&self, problem: &GemmProblem) -> usize {
        let [rows, columns] = self.parameters.tile;
        self.split_tiles(problem).saturating_mul(self.split_k).saturating_mul(rows * columns)
    }

    /// The plan with padded copies of unaligned operands; `None` if all are aligned, or memory is short.
    fn padded(self, problem: &GemmProblem, limits: &Limits) -> Option<Self> {
        let has_edges = self.edges(problem);
        let pads = [
            has_edges[0] || copy_bytes(problem.kind, &problem.a) < CHUNK_BYTES,
            has_edges[1] || copy_bytes(problem.kind, &problem.b) < CHUNK_BYTES,
        ];
        let plan = TensorPlan { pads, ..self };
        let elements = plan.padded_elements(problem).saturating_add(plan.partial_elements(problem));
        let bytes = elements.saturating_mul(problem.kind.bytes());
        (pads != [false; 2] && bytes as u64 <= limits.workspace_bytes).then_some(plan)
    }

    /// Padded sizes of A and B: up to whole tiles and slices, or, with strips, up to whole chunks.
    pub(super) const fn padded_sizes(&self, problem: &GemmProblem) -> [[usize; 2]; 2] {
        let [tile_m, tile_n] = self.parameters.tile;
        let tile_k = problem.k.next_multiple_of(self.parameters.tile_k);
        let rows = problem.m.next_multiple_of(if self.strips[0] > 0 { CHUNK_BYTES / 4 } else { tile_m });
        let columns = problem.n.next_multiple_of(if self.strips[1] > 0 { CHUNK_BYTES / 4 } else { tile_n });
        [[rows, tile_k], [tile_k, columns]]
    }

    /// True for an operand that ends within a tile or a slice.
    fn edges(&self, problem: &GemmProblem) -> [bool; 2] {
        let (inner, [tile_m, tile_n]) = (self.of_tiles(problem), self.parameters.tile);
        let has_slice = !problem.k.is_multiple_of(self.parameters.tile_k);
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
        let percent = |per_unit| self.parameters.rate_percent(problem.kind, per_unit, chip);
        let tile_split = TileSplit { whole: self.whole_tiles, parts: self.split_k };
        let products = self.parameters.tiles(&self.of_tiles(problem)).cost(device, tile_split, percent);
        let guards = if self.guard == Guard::Separate { guard_cost(problem, device) } else { 0 };
        let strips = self.strip_cost(problem, device, products);
        products
            + strips
            + self.misalignment_cost(problem, device, products)
            + guards
            + self.padding_cost(problem, device)
    }

    /// Cost of strips: nothing for those that fit into the idle compute units of the tiles' last wave.
    fn strip_cost(&self, problem: &GemmProblem, device: &DeviceInfo, products: u64) -> u64 {
        let strips = self.strip_count(problem) as u64;
        if strips == 0 {
            return 0;
        }
        let vectors = strip_extent(self.parameters.tile[0].max(self.parameters.tile[1]));
        let bytes = (vectors * problem.kind.bytes()) as u64 * problem.k as u64;
        // A single work-group per compute unit gets twice its share of bandwidth.
        let per_unit = self.parameters.per_unit(problem.kind);
        let chip = Chip::of(device);
        let per_byte = chip.mma_dram_fmas_per_byte(problem.kind);
        let own = chip.strip_start_fmas + bytes * per_byte * per_unit.min(2) as u64 / 2;
        let groups = self.products(problem) as u64;
        let wave = (per_unit * device.compute_units.max(1)) as u64;
        let idle = (wave - groups % wave) % wave;
        let hidden = idle * (products / groups.div_ceil(wave).max(1) / own.max(1));
        strips.saturating_sub(hidden).div_ceil(wave) * own
    }

    /// Extra cost without padding: unaligned columns, a partial last slice, and partial tiles at the edge that cannot
    /// be shifted inwards.
    fn misalignment_cost(&self, problem: &GemmProblem, device: &DeviceInfo, products: u64) -> u64 {
        let is_left = |which: usize, is_uneven: bool| is_uneven && !self.pads[which];
        // Complex doubles are copied at once at any address, but touch more 32-byte sectors.
        let aligned = if problem.kind == ScalarKind::Z { 2 * CHUNK_BYTES } else { CHUNK_BYTES };
        let unaligned = [&problem.a, &problem.b].map(|operand| alignment(problem.kind, operand) < aligned);
        let has_edges = self.fixed_edges(problem);
        let vectors = (0..2).filter(|&which| is_left(which, unaligned[which])).count() as u64;
        let edges = u64::from((0..2).any(|which| is_left(which, has_edges[which])));
        let has_slice = !problem.k.is_multiple_of(self.parameters.tile_k) && self.pads != [true; 2];
        let slice = match (has_slice, problem.kind) {
            (false, _) => 0,
            // About the cost of padding large operands.
            (true, ScalarKind::S) => products / 12,
            (true, _) => products * self.parameters.tile_k as u64 / problem.k.max(1) as u64,
        };
        let per_unit = self.products(problem) / device.compute_units.max(1) + 1;
        let share = match problem.kind {
            ScalarKind::S => 4,
            ScalarKind::C => 16,
            ScalarKind::D | ScalarKind::Z => 20,
        };
        let vectors = vectors * products / share;
        vectors + slice + edges * products / per_unit.min(6) as u64
    }

    /// True for tiles that extend beyond A's rows or B's columns and cannot be shifted inwards: see `first_of_tile` in
    /// tensor.cl.
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

    /// Cost of the padded copies.
    fn padding_cost(&self, problem: &GemmProblem, device: &DeviceInfo) -> u64 {
        // The scan of a separate guard reads the operands anyway.
        let times = if self.guard == Guard::Separate { 1 } else { 2 };
        let bytes = self.padded_elements(problem).saturating_mul(times * problem.kind.bytes()) as u64;
        let chip = Chip::of(device);
        let launch = if self.guard == Guard::Separate || self.pads == [false; 2] { 0 } else { chip.launch_fmas };
        let per_byte = chip.mma_dram_fmas_per_byte(problem.kind);
        launch + (bytes / device.compute_units.max(1) as u64).saturating_mul(per_byte)
    }

    /// True if the family takes such problems: operands that are stored completely, contiguous in one direction.
    pub(in crate::blas::level3::gemm) fn can(problem: &GemmProblem) -> bool {
        let is_contiguous = |operand: &Operand| operand.row_stride == 1 || operand.column_stride == 1;
        let is_stored = |operand: &Operand| matches!(operand.structure, Structure::General | Structure::Filled(_));
        is_stored(&problem.a) && is_stored(&problem.b) && is_contiguous(&problem.a) && is_contiguous(&problem.b)
    }
}

/// The operand whose triangle of zeros limits the k range of a tile: its code in tensor.cl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KLimit {
    None = 0,
    ByRows = 1,
    ByColumns = 2,
}

impl KLimit {
    /// A's zeros take precedence.
    pub(super) const fn of(problem: &GemmProblem) -> Self {
        match (problem.a.structure, problem.b.structure) {
            (Structure::Filled(_), _) => KLimit::ByRows,
            (_, Structure::Filled(_)) => KLimit::ByColumns,
            _ => KLimit::None,
        }
    }
}

/// A problem without its last rows and columns.
const fn without_strips(problem: &GemmProblem, strips: [usize; 2]) -> GemmProblem {
    GemmProblem { m: problem.m - strips[0], n: problem.n - strips[1], ..*problem }
}

/// Widths of a strip that kernels are compiled for; the last one is the maximum.
const STRIP_WIDTHS: [usize; 2] = [1, 4];
/// k extent of a strip's slice, in slices of the tile.
const STRIP_SLICES: usize = 4;

/// Extent of a strip along the tile's side.
const fn strip_extent(tile: usize) -> usize {
    tile / 4
}

fn strip_width(strips: [usize; 2]) -> usize {
    let left_over = strips[0].max(strips[1]);
    if left_over == 0 { 0 } else { STRIP_WIDTHS.into_iter().find(|width| *width >= left_over).unwrap_or(left_over) }
}

impl TensorParameters {
    /// Last rows and columns that these tiles would compute as strips: few of them beyond whole tiles, whose slices fit
    /// into local memory twice.
    pub(in crate::blas::level3::gemm) fn strips(&self, problem: &GemmProblem) -> Option<[usize; 2]> {
        let [tile_m, tile_n] = self.tile;
        let left_over = |extent: usize, tile: usize| {
            Some(extent % tile).filter(|left| extent > tile && *left <= STRIP_WIDTHS[STRIP_WIDTHS.len() - 1])
        };
        let strips = [left_over(problem.m, tile_m).unwrap_or(0), left_over(problem.n, tile_n).unwrap_or(0)];
        let (chunk, tile_k) = (CHUNK_BYTES / problem.kind.bytes(), STRIP_SLICES * self.tile_k);
        let slice = strip_extent(tile_m.max(tile_n)) * (tile_k + chunk) + strip_width(strips) * tile_k;
        // Work-items that share a row split a slice along k in whole chunks.
        let k_slices = self.work_group_size() / strip_extent(tile_m.min(tile_n));
        let fits = self.stages * (tile_m + tile_n) * self.tile_k >= 2 * slice && k_slices * chunk <= tile_k;
        (strips != [0; 2] && fits && problem.target == Target::Whole).then_some(strips)
    }
}

/// Bytes of an asynchronous copy, which needs aligned columns.
pub(super) const CHUNK_BYTES: usize = 16;

/// Largest asynchronous copy, in bytes, that all columns of an operand are aligned to.
pub(in crate::blas::level3::gemm) fn copy_bytes(kind: ScalarKind, operand: &Operand) -> usize {
    alignment(kind, operand).min(CHUNK_BYTES)
}

/// Alignment in bytes of all columns of an operand, at most 32, one sector.
fn alignment(kind: ScalarKind, operand: &Operand) -> usize {
    let stride = if operand.row_stride == 1 { operand.column_stride } else { operand.row_stride };
    let offsets = (operand.offset * kind.bytes()) | (stride * kind.bytes());
    1 << offsets.trailing_zeros().clamp(2, 5)
}
