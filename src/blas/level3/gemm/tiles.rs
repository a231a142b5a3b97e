//! What the families of tiles have in common: how many tiles a problem has, in how many parts of the depth, and what that costs.

use super::plan::{Limits, split};
use super::{GemmProblem, Target};
use crate::device::DeviceFacts;

/// A problem cut into tiles of C and slices of the depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles<'a> {
    pub(super) problem: &'a GemmProblem,
    /// Rows and columns of a tile.
    pub(super) tile: [usize; 2],
    /// Depth of a slice.
    pub(super) depth: usize,
}

/// What a launch takes, and what a byte of memory, in multiply-adds that a compute unit does meanwhile (on an H200).
pub(super) const SUM_LAUNCH: u64 = 1 << 20;
pub(super) const OPERATIONS_PER_BYTE: u64 = 10;

/// Shortest depth worth a part of its own: below it the sum of the parts costs more than it gains.
const SHORTEST_PART: usize = 128;

impl Tiles<'_> {
    /// Tiles of C that are computed.
    pub(super) fn count(&self) -> usize {
        let (rows, columns) = (self.problem.m.div_ceil(self.tile[0]), self.problem.n.div_ceil(self.tile[1]));
        match self.problem.target {
            Target::Whole => rows * columns,
            Target::Triangle(wedge, _) => {
                debug_assert!(self.tile[0] == self.tile[1] && wedge.diagonal == 0);
                let (long, short) = if wedge.is_upper() { (columns, rows) } else { (rows, columns) };
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
    pub(super) fn part_counts(&self, device: &DeviceFacts, limits: &Limits) -> impl Iterator<Item = usize> + use<> {
        let most = self.most_parts(limits);
        let filling = 2 * device.compute_units / self.count().max(1);
        [1, 2, 3, 4, filling.min(most)].into_iter().filter(move |count| (1..=most).contains(count))
    }

    /// The most parts that the depth and scratch memory allow.
    fn most_parts(&self, limits: &Limits) -> usize {
        let problem = self.problem;
        let elements = (problem.m as u64).saturating_mul(problem.n as u64);
        let part_bytes = elements.saturating_mul(problem.kind.bytes() as u64);
        let by_memory = (limits.scratch_bytes / part_bytes.max(1)).min(1 << 20) as usize;
        self.parts((problem.k / SHORTEST_PART).min(by_memory).max(1))
    }

    /// How long it takes about, counted in the multiply-adds of reals that a compute unit does in that time at the pace of
    /// the best multiply-adds. `percent` tells the tiles' own pace where so many work-groups share a compute unit.
    pub(super) fn cost(&self, device: &DeviceFacts, depth_parts: usize, percent: impl Fn(u64) -> u64) -> u64 {
        let problem = self.problem;
        let per_unit = (self.count() * depth_parts).div_ceil(device.compute_units.max(1)) as u64;
        let depth = problem.k.div_ceil(depth_parts).next_multiple_of(self.depth) as u64;
        let real_operations = problem.kind.multiply_add_operations() / 2;
        let operations = depth.saturating_mul((self.tile[0] * self.tile[1]) as u64 * real_operations);
        let products = per_unit.saturating_mul(operations).saturating_mul(100) / percent(per_unit);
        if depth_parts == 1 {
            return products;
        }
        // The parts are written, and read by a launch of its own.
        let elements = (problem.m as u64).saturating_mul(problem.n as u64);
        let bytes = elements.saturating_mul(2 * problem.kind.bytes() as u64 * depth_parts as u64);
        products.saturating_add(SUM_LAUNCH + bytes / device.compute_units.max(1) as u64 * OPERATIONS_PER_BYTE)
    }
}
