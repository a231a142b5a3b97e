//! Choosing the tensor family's tiles, and what guards floats that are split.

use super::super::plan::Limits;
use super::super::trial::Singles;
use super::super::{GemmProblem, Operand, Target};
use super::parameters::{Size, TensorParameters, Unit};
use crate::device::DeviceFacts;

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
    pub(in crate::blas::level3::gemm) fn cost(&self, problem: &GemmProblem, device: &DeviceFacts) -> u64 {
        let percent = |per_unit| self.parameters.pace_percent(problem.kind, per_unit);
        let products = self.parameters.tiles(problem).cost(device, self.depth_parts, percent);
        products + if self.guard == Guard::Around { GUARD_LAUNCHES } else { 0 }
    }

    /// Whether the family computes such problems: slices are copied as they lie in memory, all of which is stored.
    pub(in crate::blas::level3::gemm) fn can(problem: &GemmProblem) -> bool {
        let lies_in_lines = |operand: &Operand| operand.row_stride == 1 || operand.column_stride == 1;
        problem.has_general_operands() && lies_in_lines(&problem.a) && lies_in_lines(&problem.b)
    }
}
