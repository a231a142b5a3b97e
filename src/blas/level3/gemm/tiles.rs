//! What the families of tiles have in common: how many tiles a problem has, in how many parts of the depth, and what that costs.

use affinimath_core::problem::gemm::GemmProblem;
use affinimath_core::problem::structure::Target;

use super::chip::Chip;
use super::limits::{Limits, split};
use crate::device::DeviceInfo;

/// A problem cut into tiles of C and slices of the depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles<'a> {
    pub(super) problem: &'a GemmProblem,
    /// Rows and columns of a tile.
    pub(super) tile: [usize; 2],
    /// Depth of a slice.
    pub(super) depth: usize,
    /// Slices whose copies are in flight while one is multiplied. 0: through registers, whose latency the rates include.
    pub(super) in_flight: usize,
}

/// How tiles are computed: the first ones whole, and the depth of the others in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// Tiles that are computed whole.
    pub(super) whole: usize,
    /// Parts of the depth of each of the others.
    pub(super) parts: usize,
}

/// Shortest depth worth a part of its own: below it the sum of the parts costs more than it gains.
const SHORTEST_PART: usize = 128;

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

    /// The depth of a part, whole slices, when there are about so many parts.
    pub(super) fn part_depth(&self, parts: usize) -> usize {
        split(self.problem.k, self.problem.k.div_ceil(parts.max(1)), self.depth)
    }

    /// How many parts there are when about so many are asked for, none of them empty.
    pub(super) fn parts(&self, about: usize) -> usize {
        self.problem.k.div_ceil(self.part_depth(about)).max(1)
    }

    /// Parts of the depth that are worth a try: one, and as many as occupy the device twice, or a few, where the last round of
    /// tiles would leave most of it idle.
    pub(super) fn part_counts(&self, device: &DeviceInfo, limits: &Limits) -> impl Iterator<Item = usize> + use<> {
        let most = self.most_parts(limits);
        let filling = 2 * device.compute_units / self.count().max(1);
        [1, 2, 3, 4, (filling / 2).min(most), filling.min(most)]
            .into_iter()
            .filter(move |count| (1..=most).contains(count))
    }

    /// Ways to compute the tiles of the last round in parts, with which they fill the device where they would leave most of it idle. In a
    /// round each compute unit has `per_unit` tiles.
    pub(super) fn last_rounds(
        &self,
        device: &DeviceInfo,
        limits: &Limits,
        per_unit: usize,
    ) -> impl Iterator<Item = Shares> + use<> {
        let (count, units) = (self.count(), device.compute_units.max(1));
        let round = per_unit * units;
        let (whole, split) = (count / round * round, count % round);
        let part_bytes = split as u64 * (self.tile[0] * self.tile[1] * self.problem.kind.bytes()) as u64;
        let longest = self.problem.k / SHORTEST_PART;
        let most = longest.min((limits.scratch_bytes / part_bytes.max(1)) as usize);
        let is_left = whole > 0 && split > 0 && 2 * split <= round;
        let parts = [1, 2].into_iter().map(move |times| (times * units / split.max(1)).min(longest));
        parts.filter(move |parts| is_left && (2..=most).contains(parts)).map(move |parts| Shares { whole, parts })
    }

    /// The most parts that the depth and scratch memory allow.
    fn most_parts(&self, limits: &Limits) -> usize {
        let problem = self.problem;
        let elements = (problem.m as u64).saturating_mul(problem.n as u64);
        let part_bytes = elements.saturating_mul(problem.kind.bytes() as u64);
        let by_memory = (limits.scratch_bytes / part_bytes.max(1)).min(1 << 20) as usize;
        self.parts((problem.k / SHORTEST_PART).min(by_memory).max(1))
    }

    /// How long it takes about, in the FMAs of [`Chip`]. `percent` tells the tiles' own pace where so many work-groups share a compute unit.
    pub(super) fn cost(&self, device: &DeviceInfo, shares: Shares, percent: impl Fn(u64) -> u64) -> u64 {
        let (problem, units, chip) = (self.problem, device.compute_units.max(1), Chip::of(device));
        let wait = chip.copy_latency_fmas.checked_div(self.in_flight as u64).unwrap_or(0);
        let real_operations = problem.kind.multiply_add_operations() / 2;
        let products = |tiles: usize, parts: usize| {
            let per_unit = (tiles * parts).div_ceil(units) as u64;
            let depth = problem.k.div_ceil(parts).next_multiple_of(self.depth) as u64;
            let operations = depth.saturating_mul((self.tile[0] * self.tile[1]) as u64 * real_operations);
            let waits = (depth / self.depth as u64)
                .saturating_mul(wait.saturating_mul(per_unit.div_ceil(chip.overlapping_groups)));
            (per_unit.saturating_mul(operations).saturating_mul(100) / percent(per_unit)).max(waits)
        };
        let split = self.count() - shares.whole;
        if split == 0 {
            return products(shares.whole, 1);
        }
        // The parts are written, and read by another launch.
        let elements = (problem.m as u64).saturating_mul(problem.n as u64) * split as u64 / self.count() as u64;
        let bytes = elements.saturating_mul(2 * problem.kind.bytes() as u64 * shares.parts as u64);
        let is_cached = self.in_flight > 0 && (shares.whole > 0 || bytes / 2 <= chip.l2_bytes);
        let per_byte = if is_cached { chip.l2_fmas_per_byte } else { chip.dram_fmas_per_byte };
        let sum = chip.launch_fmas + bytes / units as u64 * per_byte;
        let whole = if shares.whole == 0 { 0 } else { products(shares.whole, 1) };
        // What the last tiles gain has to be more than this model can tell.
        whole.saturating_add(whole / 64).saturating_add(products(split, shares.parts)).saturating_add(sum)
    }
}
