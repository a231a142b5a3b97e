//! Kernels of a reduction, and the division of its vectors.

use crate::blas::level1::blocks::{Blocks, Variant};
use crate::context::ReductionMemory;
use crate::device::DeviceFacts;
use crate::program::ProgramSource;
use crate::scalar::ScalarKind;

/// A reduction of one or two vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reduction {
    /// Sum of x_i y_i, or of conj(x_i) y_i.
    Dot {
        /// x is conjugated.
        conjugate: bool,
    },
    /// Sum of products of floats, in doubles.
    Dsdot,
    /// The same plus a start value, rounded to float.
    Sdsdot(f32),
    /// Sum of |re(x_i)| + |im(x_i)|.
    Asum,
    /// Square root of the sum of |x_i|^2.
    Nrm2,
    /// The first index of the largest |re(x_i)| + |im(x_i)|.
    Iamax,
    /// The first index of the smallest |re(x_i)| + |im(x_i)|.
    Iamin,
}

impl Reduction {
    /// True if the device must have doubles for any element type.
    pub(crate) const fn needs_doubles(&self) -> bool {
        matches!(self, Reduction::Dsdot | Reduction::Sdsdot(_))
    }

    /// True if the result is an index, which depends on the vector's direction.
    pub(crate) const fn finds_index(&self) -> bool {
        matches!(self, Reduction::Iamax | Reduction::Iamin)
    }

    const fn has_y(&self) -> bool {
        matches!(self, Reduction::Dot { .. } | Reduction::Dsdot | Reduction::Sdsdot(_))
    }

    /// Files for adjacent elements on a CPU, and for the rest.
    const fn files(&self) -> [&'static [&'static str]; 2] {
        match self {
            Reduction::Dot { .. } | Reduction::Dsdot | Reduction::Sdsdot(_) => [DOT_CPU, DOT],
            Reduction::Asum => [ASUM_CPU, ASUM],
            Reduction::Nrm2 => [NRM2_CPU, NRM2],
            Reduction::Iamax | Reduction::Iamin => [INDEX_CPU, INDEX],
        }
    }
}

const VECTORS: &str = include_str!("../../../../cl/common/vectors.cl");
const SUMS: &str = include_str!("../../../../cl/common/sums.cl");
const SQUARES: &str = include_str!("../../../../cl/common/squares.cl");
const DOT_STEP: &str = include_str!("../../../../cl/blas/level1/reduction/dot.cl");
const ASUM_STEP: &str = include_str!("../../../../cl/blas/level1/reduction/asum.cl");
const NRM2_STEP: &str = include_str!("../../../../cl/blas/level1/reduction/nrm2.cl");
const INDEX_STEP: &str = include_str!("../../../../cl/blas/level1/reduction/index.cl");
const GROUP: &str = include_str!("../../../../cl/blas/level1/reduction/group.cl");
const WALK: &str = include_str!("../../../../cl/blas/level1/reduction/walk.cl");
const WALK_CPU: &str = include_str!("../../../../cl/blas/level1/reduction/walk_cpu.cl");
const WALK_INDEX_CPU: &str = include_str!("../../../../cl/blas/level1/reduction/index_cpu.cl");
const FINISH: &str = include_str!("../../../../cl/blas/level1/reduction/finish.cl");

const ARRIVAL: &str = include_str!("../../../../cl/common/arrival.cl");

const DOT: &[&str] = &[SUMS, DOT_STEP, GROUP, ARRIVAL, WALK, FINISH];
const DOT_CPU: &[&str] = &[VECTORS, SUMS, DOT_STEP, GROUP, WALK_CPU, FINISH];
const ASUM: &[&str] = &[SUMS, ASUM_STEP, GROUP, ARRIVAL, WALK, FINISH];
const ASUM_CPU: &[&str] = &[VECTORS, SUMS, ASUM_STEP, GROUP, WALK_CPU, FINISH];
const NRM2: &[&str] = &[SUMS, SQUARES, NRM2_STEP, GROUP, ARRIVAL, WALK, FINISH];
const NRM2_CPU: &[&str] = &[VECTORS, SUMS, SQUARES, NRM2_STEP, GROUP, WALK_CPU, FINISH];
const INDEX: &[&str] = &[INDEX_STEP, GROUP, ARRIVAL, WALK, FINISH];
const INDEX_CPU: &[&str] = &[VECTORS, INDEX_STEP, GROUP, WALK_INDEX_CPU, FINISH];

/// Blocks and accumulation of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionPlan {
    /// Blocks with a partial result each.
    pub blocks: Blocks,
    /// Independent accumulators of a work-item, one per element that it takes at a time.
    pub work: usize,
    /// All increments are 1.
    pub adjacent: bool,
    /// Accumulate in doubles for any element type.
    pub double_accumulators: bool,
    /// The last work-group to arrive writes the result, without a second launch.
    pub one_launch: bool,
}

impl ReductionPlan {
    /// Bytes of the largest partial result: nrm2's three doubles, padded.
    pub(super) const MAX_PARTIAL_BYTES: usize = ReductionMemory::LARGEST_PARTIAL;

    /// The plan for n elements. `adjacent`: all increments are 1.
    pub fn choose(
        reduction: &Reduction,
        kind: ScalarKind,
        n: usize,
        adjacent: bool,
        device: &DeviceFacts,
    ) -> ReductionPlan {
        let work = Self::work(kind);
        let blocks = Blocks::for_reduction(n, adjacent, work, device);
        // In OpenCL 1.2 no fence orders memory between work-groups; NVIDIA's PTX has one.
        let one_launch = device.nvidia.inline_ptx;
        ReductionPlan {
            blocks,
            work,
            adjacent,
            double_accumulators: Self::double_accumulators(reduction, device),
            one_launch,
        }
    }

    /// About 32 bytes in flight per work-item hide a GPU's memory latency.
    const fn work(kind: ScalarKind) -> usize {
        if kind.bytes() == 4 { 8 } else { 4 }
    }

    /// A float's square neither overflows nor underflows in double.
    const fn double_accumulators(reduction: &Reduction, device: &DeviceFacts) -> bool {
        reduction.needs_doubles() || (matches!(reduction, Reduction::Nrm2) && device.fp64)
    }

    pub(super) fn source(&self, reduction: &Reduction, kind: ScalarKind, device: &DeviceFacts) -> ProgramSource {
        let mut definitions = self.blocks.definitions(kind, device);
        definitions.extend([
            ("THREADS", self.blocks.threads as i64),
            ("WORK", self.work as i64),
            ("ADJACENT", i64::from(self.adjacent)),
            ("HAS_Y", i64::from(reduction.has_y())),
            ("SUM_IS_DOUBLE", i64::from(self.double_accumulators)),
            ("RESULT_IS_DOUBLE", i64::from(*reduction == Reduction::Dsdot)),
            ("ONE_LAUNCH", i64::from(self.one_launch)),
            ("NVIDIA", i64::from(device.nvidia.inline_ptx)),
        ]);
        let [vectors, elements] = reduction.files();
        let (name, files) = match self.blocks.variant {
            Variant::Vectors => ("level 1 reduction cpu", vectors),
            Variant::Elements => ("level 1 reduction", elements),
        };
        ProgramSource { name, kind, files, definitions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceClass;

    #[test]
    fn floats_are_squared_in_doubles_where_there_are_any() {
        let mut device = crate::device::example(DeviceClass::Gpu);
        let double_accumulators = |reduction, device: &DeviceFacts| {
            ReductionPlan::choose(&reduction, ScalarKind::S, 1000, true, device).double_accumulators
        };
        assert!(double_accumulators(Reduction::Nrm2, &device) && double_accumulators(Reduction::Dsdot, &device));
        assert!(!double_accumulators(Reduction::Asum, &device) && !double_accumulators(Reduction::Iamax, &device));
        device.fp64 = false;
        assert!(!double_accumulators(Reduction::Nrm2, &device));
    }

    #[test]
    fn a_block_of_a_gpu_is_whole_steps_of_its_group() {
        let device = crate::device::example(DeviceClass::Gpu);
        for kind in ScalarKind::ALL {
            let plan = ReductionPlan::choose(&Reduction::Asum, kind, 1 << 26, true, &device);
            assert!(plan.blocks.length.is_multiple_of(plan.blocks.threads * plan.work), "{plan:?}");
            assert!(plan.blocks.count > 8 * device.compute_units, "{plan:?}");
        }
    }
}
