//! Choosing the tensor family's tiles, and what guards floats that are split.

use super::super::plan::Limits;
use super::super::tiles::{OPERATIONS_PER_BYTE, SUM_LAUNCH};
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
    /// Parts of the depth; with more than one, partial products are summed afterwards, always in the same order.
    pub depth_parts: usize,
    /// What guards floats that are split in halves. If nothing does, they are rounded.
    pub guard: Guard,
    /// Whether A and B are copied to lines that begin at multiples of 16 bytes, and are filled up with zeros to whole tiles.
    pub pads: [bool; 2],
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
            let counts = parameters.tiles(problem).part_counts(device, limits);
            counts.map(move |count| TensorPlan::with_parameters(problem, parameters, count, limits.tensor.singles))
        });
        let plans = plans.flat_map(|plan| [Some(plan), plan.padded(problem, limits)]).flatten();
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
        TensorPlan { parameters, depth_parts: parameters.tiles(problem).parts(depth_parts), guard, pads: [false; 2] }
    }

    /// The same with copies of the operands that have edges or whose lines are not aligned; `None` if there are none, or no memory.
    fn padded(self, problem: &GemmProblem, limits: &Limits) -> Option<Self> {
        let has_edges = self.edges(problem);
        let pads = [
            has_edges[0] || copy_bytes(problem.kind, &problem.a) < WIDEST_COPY,
            has_edges[1] || copy_bytes(problem.kind, &problem.b) < WIDEST_COPY,
        ];
        let plan = TensorPlan { pads, ..self };
        let partial = if self.depth_parts == 1 { 0 } else { self.depth_parts * problem.m * problem.n };
        let bytes = (plan.padded_elements(problem) + partial).saturating_mul(problem.kind.bytes());
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
        let products = self.parameters.tiles(problem).cost(device, self.depth_parts, percent);
        let guards = if self.guard == Guard::Around { GUARD_LAUNCHES } else { 0 };
        products + self.uneven_cost(problem, device, products) + guards + self.padding_cost(problem, device)
    }

    /// What products take more where operands are as they are: lines that are not aligned, and edges, which make the
    /// outermost tiles take twice as long, after all others (on an H200).
    fn uneven_cost(&self, problem: &GemmProblem, device: &DeviceFacts, products: u64) -> u64 {
        let unaligned = [&problem.a, &problem.b].map(|operand| copy_bytes(problem.kind, operand) < WIDEST_COPY);
        let has_edges = self.edges(problem);
        let is_left = |which: usize, is_uneven: bool| is_uneven && !self.pads[which];
        let lines = (0..2).filter(|&which| is_left(which, unaligned[which])).count() as u64;
        let edges = u64::from((0..2).any(|which| is_left(which, has_edges[which])));
        let per_unit = self.parameters.tiles(problem).count() * self.depth_parts / device.compute_units.max(1) + 1;
        lines * products / if problem.kind == ScalarKind::S { 4 } else { 16 } + edges * products / per_unit as u64
    }

    /// What copies of the operands take.
    fn padding_cost(&self, problem: &GemmProblem, device: &DeviceFacts) -> u64 {
        let bytes = self.padded_elements(problem).saturating_mul(2 * problem.kind.bytes()) as u64;
        let launch = if self.guard == Guard::Around || self.pads == [false; 2] { 0 } else { SUM_LAUNCH };
        // Doubles are multiplied at half the pace of floats.
        let per_byte = if problem.kind.is_double() { OPERATIONS_PER_BYTE / 2 } else { OPERATIONS_PER_BYTE };
        launch + (bytes / device.compute_units.max(1) as u64).saturating_mul(per_byte)
    }

    /// Whether the family computes such problems: slices are copied as they lie in memory, all of which is stored.
    pub(in crate::blas::level3::gemm) fn can(problem: &GemmProblem) -> bool {
        let lies_in_lines = |operand: &Operand| operand.row_stride == 1 || operand.column_stride == 1;
        problem.has_general_operands() && lies_in_lines(&problem.a) && lies_in_lines(&problem.b)
    }
}

/// Bytes of a chunk, which is copied at once where lines are aligned to as many.
const WIDEST_COPY: usize = 16;

/// The widest copies that all lines of an operand are aligned to, in bytes.
pub(in crate::blas::level3::gemm) fn copy_bytes(kind: ScalarKind, operand: &Operand) -> usize {
    let stride = if operand.row_stride == 1 { operand.column_stride } else { operand.row_stride };
    let alignment = (operand.offset * kind.bytes()) | (stride * kind.bytes());
    1 << alignment.trailing_zeros().clamp(2, WIDEST_COPY.trailing_zeros())
}
