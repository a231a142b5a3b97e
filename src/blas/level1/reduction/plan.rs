//! Which kernels make a reduction, and how the vectors are shared out among them.

use crate::blas::level1::blocks::{Blocks, Variant};
use crate::context::ReductionMemory;
use crate::device::DeviceFacts;
use crate::program::{ProgramSource, source};
use crate::scalar::ScalarKind;

/// What vectors come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reduction {
    /// The sum of x_i y_i, or of conj(x_i) y_i.
    Dot {
        /// Whether x is conjugated.
        conjugate: bool,
    },
    /// The sum of products of floats in doubles.
    Dsdot,
    /// The same and a number, rounded to float.
    Sdsdot(f32),
    /// The sum of |re(x_i)| + |im(x_i)|.
    Asum,
    /// The square root of the sum of |x_i|^2.
    Nrm2,
    /// The first index of the largest |re(x_i)| + |im(x_i)|.
    Iamax,
    /// The first index of the smallest |re(x_i)| + |im(x_i)|.
    Iamin,
}

impl Reduction {
    /// Whether the device must compute in doubles, whatever the elements are.
    pub(crate) const fn needs_doubles(&self) -> bool {
        matches!(self, Reduction::Dsdot | Reduction::Sdsdot(_))
    }

    /// Whether the result is an index, for which the vector's direction matters.
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

/// How a reduction is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionPlan {
    /// The blocks that each come to a partial result.
    pub blocks: Blocks,
    /// Elements that a work-item takes at a time, for as many sums.
    pub work: usize,
    /// Whether every vector has its elements next to each other.
    pub adjacent: bool,
    /// Whether sums are kept in doubles, whatever the elements are.
    pub double_sums: bool,
    /// Whether the last work-group to arrive makes the result, so that a second launch is not needed.
    pub one_launch: bool,
}

impl ReductionPlan {
    /// Bytes of the largest partial result: nrm2's three doubles, padded.
    pub(super) const LARGEST_PARTIAL: usize = ReductionMemory::LARGEST_PARTIAL;

    /// The plan for n elements. `adjacent` says whether every vector has its elements next to each other.
    pub fn choose(
        reduction: &Reduction,
        kind: ScalarKind,
        n: usize,
        adjacent: bool,
        device: &DeviceFacts,
    ) -> ReductionPlan {
        let work = Self::work(kind);
        let blocks = Blocks::for_sums(n, adjacent, work, device);
        // Elsewhere no fence of OpenCL 1.2 is known to reach beyond a work-group.
        let one_launch = device.nvidia.inline_ptx;
        ReductionPlan { blocks, work, adjacent, double_sums: Self::double_sums(reduction, device), one_launch }
    }

    /// A GPU hides its memory's latency behind some 32 bytes on the way per work-item.
    const fn work(kind: ScalarKind) -> usize {
        if kind.bytes() == 4 { 8 } else { 4 }
    }

    /// A float's square neither overflows nor underflows in double.
    const fn double_sums(reduction: &Reduction, device: &DeviceFacts) -> bool {
        reduction.needs_doubles() || (matches!(reduction, Reduction::Nrm2) && device.fp64)
    }

    pub(super) fn source(&self, reduction: &Reduction, kind: ScalarKind, device: &DeviceFacts) -> ProgramSource {
        let mut definitions = self.blocks.definitions(kind, device);
        definitions.extend([
            ("THREADS", self.blocks.threads as i64),
            ("WORK", self.work as i64),
            ("ADJACENT", i64::from(self.adjacent)),
            ("OPERATION", reduction.code()),
            ("HAS_Y", i64::from(reduction.has_y())),
            ("SUM_IS_DOUBLE", i64::from(self.double_sums)),
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
mod tests {
    use super::*;
    use crate::device::DeviceClass;

    #[test]
    fn floats_are_squared_in_doubles_where_there_are_any() {
        let mut device = crate::device::example(DeviceClass::Gpu);
        let double_sums = |reduction, device: &DeviceFacts| {
            ReductionPlan::choose(&reduction, ScalarKind::S, 1000, true, device).double_sums
        };
        assert!(double_sums(Reduction::Nrm2, &device) && double_sums(Reduction::Dsdot, &device));
        assert!(!double_sums(Reduction::Asum, &device) && !double_sums(Reduction::Iamax, &device));
        device.fp64 = false;
        assert!(!double_sums(Reduction::Nrm2, &device));
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
