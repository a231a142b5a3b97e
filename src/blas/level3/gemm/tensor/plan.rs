//! Choosing the tensor family's tiles, and what guards floats that are split.

use super::super::plan::Limits;
use super::super::tiles::{OPERATIONS_PER_BYTE, SUM_LAUNCH, Shares};
use super::super::trial::Singles;
use super::super::{GemmProblem, Operand, Target};
use super::parameters::{Size, TensorParameters, Unit};
use crate::device::DeviceFacts;
use crate::scalar::ScalarKind;

/// What the two launches around a product take, in multiply-adds that a compute unit does meanwhile (on an H200).
const GUARD_LAUNCHES: u64 = 3 << 19;

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
}

impl TensorPlan {
    /// `None` where there are no tensor cores for the problem, or none are to be used.
    pub(in crate::blas::level3::gemm) fn choose(
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
            let tiles = parameters.tiles(problem);
            let plan = move |count| TensorPlan::with_parameters(problem, parameters, count, limits.tensor.singles);
            let last_rounds = tiles.last_rounds(device, limits, parameters.per_unit(kind)).map(move |shares| {
                let whole_tiles = if plan(shares.parts).depth_parts > 1 { shares.whole } else { tiles.count() };
                TensorPlan { whole_tiles, ..plan(shares.parts) }
            });
            tiles.part_counts(device, limits).map(plan).chain(last_rounds)
        });
        let plans = plans.flat_map(|plan| [Some(plan), plan.padded(problem, limits)]).flatten();
        let best = plans.min_by_key(|plan| plan.cost(problem, device))?;
        Some(TensorPlan { groups: limits.units.filter(|units| *units < best.products(problem)), ..best })
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
        let tiles = parameters.tiles(problem);
        let depth_parts = tiles.parts(depth_parts);
        let whole_tiles = if depth_parts == 1 { tiles.count() } else { 0 };
        TensorPlan { parameters, whole_tiles, depth_parts, guard, pads: [false; 2], groups: None }
    }

    /// Tiles that are computed whole, and parts of the others.
    pub(super) fn products(&self, problem: &GemmProblem) -> usize {
        self.whole_tiles + self.split_tiles(problem) * self.depth_parts
    }

    /// Tiles whose depth is in parts.
    pub(super) fn split_tiles(&self, problem: &GemmProblem) -> usize {
        self.parameters.tiles(problem).count() - self.whole_tiles
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

    /// Rows and columns of A and B, up to the ends of the outermost tiles.
    pub(super) const fn padded_sizes(&self, problem: &GemmProblem) -> [[usize; 2]; 2] {
        let [tile_m, tile_n] = self.parameters.tile;
        let depth = problem.k.next_multiple_of(self.parameters.depth);
        [[problem.m.next_multiple_of(tile_m), depth], [depth, problem.n.next_multiple_of(tile_n)]]
    }

    /// Whether A and B end within a tile or a slice.
    fn edges(&self, problem: &GemmProblem) -> [bool; 2] {
        let padded = self.padded_sizes(problem);
        [padded[0] != [problem.m, problem.k], padded[1] != [problem.k, problem.n]]
    }

    /// Elements of the copies.
    fn padded_elements(&self, problem: &GemmProblem) -> usize {
        let sizes = self.padded_sizes(problem).into_iter().zip(self.pads);
        sizes.filter(|(_, is_padded)| *is_padded).map(|([rows, columns], _)| rows.saturating_mul(columns)).sum()
    }

    /// See [`Tiles::cost`].
    pub(in crate::blas::level3::gemm) fn cost(&self, problem: &GemmProblem, device: &DeviceFacts) -> u64 {
        let percent = |per_unit| self.parameters.pace_percent(problem.kind, per_unit);
        let shares = Shares { whole: self.whole_tiles, parts: self.depth_parts };
        let products = self.parameters.tiles(problem).cost(device, shares, percent);
        let guards = if self.guard == Guard::Around { GUARD_LAUNCHES } else { 0 };
        products + self.uneven_cost(problem, device, products) + guards + self.padding_cost(problem, device)
    }

    /// What products take more where operands are as they are: lines that are not aligned, and edges, which make the
    /// outermost tiles take twice as long, after all others, or a sixth of all the time (on an H200).
    fn uneven_cost(&self, problem: &GemmProblem, device: &DeviceFacts, products: u64) -> u64 {
        let unaligned = [&problem.a, &problem.b].map(|operand| copy_bytes(problem.kind, operand) < CHUNK_BYTES);
        let has_edges = self.edges(problem);
        let is_left = |which: usize, is_uneven: bool| is_uneven && !self.pads[which];
        let lines = (0..2).filter(|&which| is_left(which, unaligned[which])).count() as u64;
        let edges = u64::from((0..2).any(|which| is_left(which, has_edges[which])));
        let per_unit = self.products(problem) / device.compute_units.max(1) + 1;
        let lines = lines * products / if problem.kind == ScalarKind::S { 4 } else { 16 };
        lines + edges * products / per_unit.min(6) as u64
    }

    /// What copies of the operands take.
    fn padding_cost(&self, problem: &GemmProblem, device: &DeviceFacts) -> u64 {
        // Operands that are looked at are read in any case.
        let times = if self.guard == Guard::Around { 1 } else { 2 };
        let bytes = self.padded_elements(problem).saturating_mul(times * problem.kind.bytes()) as u64;
        let launch = if self.guard == Guard::Around || self.pads == [false; 2] { 0 } else { SUM_LAUNCH };
        // Doubles are multiplied more slowly than floats.
        let per_byte = match problem.kind {
            ScalarKind::S | ScalarKind::C => OPERATIONS_PER_BYTE,
            ScalarKind::D => OPERATIONS_PER_BYTE / 2,
            ScalarKind::Z => OPERATIONS_PER_BYTE / 3,
        };
        launch + (bytes / device.compute_units.max(1) as u64).saturating_mul(per_byte)
    }

    /// Whether the family computes such problems: slices are copied as they lie in memory, all of which is stored.
    pub(in crate::blas::level3::gemm) fn can(problem: &GemmProblem) -> bool {
        let lies_in_lines = |operand: &Operand| operand.row_stride == 1 || operand.column_stride == 1;
        problem.has_general_operands() && lies_in_lines(&problem.a) && lies_in_lines(&problem.b)
    }
}

/// Bytes of a chunk, which is copied at once where lines are aligned to as many.
pub(super) const CHUNK_BYTES: usize = 16;

/// The widest copies that all lines of an operand are aligned to, in bytes.
pub(in crate::blas::level3::gemm) fn copy_bytes(kind: ScalarKind, operand: &Operand) -> usize {
    let stride = if operand.row_stride == 1 { operand.column_stride } else { operand.row_stride };
    let alignment = (operand.offset * kind.bytes()) | (stride * kind.bytes());
    1 << alignment.trailing_zeros().clamp(2, CHUNK_BYTES.trailing_zeros())
}
