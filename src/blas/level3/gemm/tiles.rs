//! Common parts of the tile families: number of tiles, split-K, and the cost model.

use affinimath_core::problem::gemm::GemmProblem;
use affinimath_core::problem::structure::Target;

use super::chip::Chip;
use super::limits::{Limits, split};
use crate::device::DeviceInfo;

/// A problem divided into tiles of C and slices of k.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles<'a> {
    pub(super) problem: &'a GemmProblem,
    /// Rows and columns of a tile.
    pub(super) tile: [usize; 2],
    /// k extent of a slice.
    pub(super) tile_k: usize,
    /// Slices in flight while one is multiplied; 0 for copies through registers, whose latency is part of the rates.
    pub(super) in_flight: usize,
}

/// Split-K of the last tiles only, after tiles with an undivided k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileSplit {
    /// Tiles with an undivided k.
    pub(super) whole: usize,
    /// Split-K parts of each remaining tile.
    pub(super) parts: usize,
}

/// Minimum k extent of a split-K part: below, the sum costs more than it gains.
const MIN_PART_K: usize = 128;

impl Tiles<'_> {
    /// Tiles of C that are computed.
    pub(super) fn count(&self) -> usize {
        let (rows, columns) = (self.problem.m.div_ceil(self.tile[0]), self.problem.n.div_ceil(self.tile[1]));
        match self.problem.target {
            Target::Whole => rows * columns,
            Target::Triangle(trapezoid, _) => {
                debug_assert!(self.tile[0] == self.tile[1] && trapezoid.diagonal == 0);
                let (long, short) = if trapezoid.is_upper() { (columns, rows) } else { (rows, columns) };
                debug_assert!(long >= short);
                short * (short + 1) / 2 + (long - short) * short
            }
        }
    }

    /// k extent of a split-K part, a multiple of the slice, for about `parts` parts.
    pub(super) fn part_k(&self, parts: usize) -> usize {
        split(self.problem.k, self.problem.k.div_ceil(parts.max(1)), self.tile_k)
    }

    /// Number of split-K parts, none of them empty, for about `about` parts.
    pub(super) fn parts(&self, about: usize) -> usize {
        self.problem.k.div_ceil(self.part_k(about)).max(1)
    }

    /// Split-K counts worth comparing: one, a few for a last wave that would leave most of the device idle, and as many
    /// as occupy the device twice.
    pub(super) fn part_counts(&self, device: &DeviceInfo, limits: &Limits) -> impl Iterator<Item = usize> + use<> {
        let limit = self.max_split_k(limits);
        let filling = 2 * device.compute_units / self.count().max(1);
        [1, 2, 3, 4, (filling / 2).min(limit), filling.min(limit)]
            .into_iter()
            .filter(move |count| (1..=limit).contains(count))
    }

    /// Splits of the tiles in the last wave, where they would leave most of the device idle. A wave has `per_unit`
    /// tiles on each compute unit.
    pub(super) fn last_waves(
        &self,
        device: &DeviceInfo,
        limits: &Limits,
        per_unit: usize,
    ) -> impl Iterator<Item = TileSplit> + use<> {
        let (count, units) = (self.count(), device.compute_units.max(1));
        let wave = per_unit * units;
        let (whole, split) = (count / wave * wave, count % wave);
        let part_bytes = split as u64 * (self.tile[0] * self.tile[1] * self.problem.kind.bytes()) as u64;
        let max_split_k = self.problem.k / MIN_PART_K;
        let limit = max_split_k.min((limits.workspace_bytes / part_bytes.max(1)) as usize);
        let is_left = whole > 0 && split > 0 && 2 * split <= wave;
        let parts = [1, 2].into_iter().map(move |times| (times * units / split.max(1)).min(max_split_k));
        parts.filter(move |parts| is_left && (2..=limit).contains(parts)).map(move |parts| TileSplit { whole, parts })
    }

    /// Maximum split-K that k and workspace allow.
    fn max_split_k(&self, limits: &Limits) -> usize {
        let problem = self.problem;
        let elements = (problem.m as u64).saturating_mul(problem.n as u64);
        let part_bytes = elements.saturating_mul(problem.kind.bytes() as u64);
        let by_memory = (limits.workspace_bytes / part_bytes.max(1)).min(1 << 20) as usize;
        self.parts((problem.k / MIN_PART_K).min(by_memory).max(1))
    }

    /// Estimated time in the FMAs of [`Chip`]. `percent` is the tiles' rate for a number of work-groups per compute
    /// unit.
    pub(super) fn cost(&self, device: &DeviceInfo, tile_split: TileSplit, percent: impl Fn(u64) -> u64) -> u64 {
        let (problem, units, chip) = (self.problem, device.compute_units.max(1), Chip::of(device));
        let wait = chip.copy_latency_fmas.checked_div(self.in_flight as u64).unwrap_or(0);
        let real_operations = problem.kind.multiply_add_operations() / 2;
        let products = |tiles: usize, parts: usize| {
            let per_unit = (tiles * parts).div_ceil(units) as u64;
            let tile_k = problem.k.div_ceil(parts).next_multiple_of(self.tile_k) as u64;
            let operations = tile_k.saturating_mul((self.tile[0] * self.tile[1]) as u64 * real_operations);
            let waits = (tile_k / self.tile_k as u64)
                .saturating_mul(wait.saturating_mul(per_unit.div_ceil(chip.overlapping_groups)));
            (per_unit.saturating_mul(operations).saturating_mul(100) / percent(per_unit)).max(waits)
        };
        let split = self.count() - tile_split.whole;
        if split == 0 {
            return products(tile_split.whole, 1);
        }
        // Partial products are written, and read by another launch.
        let elements = (problem.m as u64).saturating_mul(problem.n as u64) * split as u64 / self.count() as u64;
        let bytes = elements.saturating_mul(2 * problem.kind.bytes() as u64 * tile_split.parts as u64);
        let is_cached = self.in_flight > 0 && (tile_split.whole > 0 || bytes / 2 <= chip.l2_bytes);
        let per_byte = if is_cached { chip.l2_fmas_per_byte } else { chip.dram_fmas_per_byte };
        let sum = chip.launch_fmas + bytes / units as u64 * per_byte;
        let whole = if tile_split.whole == 0 { 0 } else { products(tile_split.whole, 1) };
        // Split tiles must gain more than the model's error.
        whole.saturating_add(whole / 64).saturating_add(products(split, tile_split.parts)).saturating_add(sum)
    }
}
