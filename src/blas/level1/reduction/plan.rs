//! Kernels of a reduction, and the division of its vectors.

use crate::blas::level1::blocks::{Blocks, Variant};
use crate::context::ReductionMemory;
use crate::device::DeviceInfo;
use crate::program::{ProgramSource, source};
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

    /// Its number in the kernels (cl/blas/level1/reduction/operation.cl).
    const fn code(&self) -> i64 {
        match self {
            Reduction::Dot { .. } | Reduction::Dsdot | Reduction::Sdsdot(_) => 0,
            Reduction::Asum => 1,
            Reduction::Nrm2 => 2,
            Reduction::Iamax | Reduction::Iamin => 3,
        }
    }
}

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
    pub(super) const MAX_PARTIAL_BYTES: usize = ReductionMemory::MAX_PARTIAL;

    /// The plan for n elements. `adjacent`: all increments are 1.
    pub fn choose(
        reduction: &Reduction,
        kind: ScalarKind,
        n: usize,
        adjacent: bool,
        device: &DeviceInfo,
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
    const fn double_accumulators(reduction: &Reduction, device: &DeviceInfo) -> bool {
        reduction.needs_doubles() || (matches!(reduction, Reduction::Nrm2) && device.fp64)
    }

    pub(super) fn source(&self, reduction: &Reduction, kind: ScalarKind, device: &DeviceInfo) -> ProgramSource {
        let mut definitions = self.blocks.definitions(kind, device);
        definitions.extend([
            ("THREADS", self.blocks.threads as i64),
            ("WORK", self.work as i64),
            ("ADJACENT", i64::from(self.adjacent)),
            ("OPERATION", reduction.code()),
            ("HAS_Y", i64::from(reduction.has_y())),
            ("SUM_IS_DOUBLE", i64::from(self.double_accumulators)),
            ("RESULT_IS_DOUBLE", i64::from(*reduction == Reduction::Dsdot)),
            ("ONE_LAUNCH", i64::from(self.one_launch)),
            ("NVIDIA", i64::from(device.nvidia.inline_ptx)),
        ]);
        let (name, file) = match self.blocks.variant {
            Variant::Vectors if reduction.finds_index() => {
                ("level 1 reduction cpu", "blas/level1/reduction/index_cpu.cl")
            }
            Variant::Vectors => ("level 1 reduction cpu", "blas/level1/reduction/walk_cpu.cl"),
            Variant::Elements => ("level 1 reduction", "blas/level1/reduction/walk.cl"),
        };
        ProgramSource { name, kind, root: source(file), definitions }
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::DeviceClass;

    #[test]
    fn floats_are_squared_in_doubles_where_there_are_any() {
        let mut device = crate::device::example(DeviceClass::Gpu);
        let double_accumulators = |reduction, device: &DeviceInfo| {
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
