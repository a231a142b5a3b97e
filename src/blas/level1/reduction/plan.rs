//! Which kernels make a reduction, and how the vectors are shared out among them.

use crate::blas::level1::blocks::{Blocks, Variant};
use crate::context::ReductionMemory;
use crate::device::DeviceInfo;
use crate::program::ProgramSource;
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
    pub(super) const LARGEST_PARTIAL: usize = ReductionMemory::MAX_PARTIAL;

    /// The plan for n elements. `adjacent` says whether every vector has its elements next to each other.
    pub fn choose(
        reduction: &Reduction,
        kind: ScalarKind,
        n: usize,
        adjacent: bool,
        device: &DeviceInfo,
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
    const fn double_sums(reduction: &Reduction, device: &DeviceInfo) -> bool {
        reduction.needs_doubles() || (matches!(reduction, Reduction::Nrm2) && device.fp64)
    }

    pub(super) fn source(&self, reduction: &Reduction, kind: ScalarKind, device: &DeviceInfo) -> ProgramSource {
        let mut definitions = self.blocks.definitions(kind, device);
        definitions.extend([
            ("THREADS", self.blocks.threads as i64),
            ("WORK", self.work as i64),
            ("ADJACENT", i64::from(self.adjacent)),
            ("HAS_Y", i64::from(reduction.has_y())),
            ("SUM_IS_DOUBLE", i64::from(self.double_sums)),
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
        let double_sums = |reduction, device: &DeviceInfo| {
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
