//! Division of a vector into blocks of contiguous elements, one per work-group.

use crate::context::DeviceBuffer;
use crate::device::{DeviceClass, DeviceInfo};
use crate::launch::Launch;
use crate::scalar::ScalarKind;
use crate::view::VectorShape;

/// Kernel variant that processes the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Wide vectors of adjacent elements, one work-item per block: CPUs.
    Vectors,
    /// Element by element, with any increments: neighbouring work-items take neighbouring elements.
    Elements,
}

/// The blocks of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The kernels.
    pub variant: Variant,
    /// Elements of a block; the last one may have fewer.
    pub length: usize,
    /// Number of blocks, one work-group each.
    pub count: usize,
    /// Work-items of a group.
    pub threads: usize,
}

/// Block lengths are multiples of this, so that blocks begin at whole vectors.
const MULTIPLE: usize = 64;
/// Minimum block on a CPU, so that it takes longer than its launch, and maximum, so that all cores finish together.
const MIN_CPU_BLOCK: usize = 4096;
const CPU_BLOCKS_PER_UNIT: usize = 8;
/// Maximum blocks per compute unit of a GPU for reductions over a work-group: two for each group that it holds.
const SUMS_PER_UNIT: usize = 16;

impl Blocks {
    /// Blocks of `n` elements. `adjacent`: all increments are 1. `work`: elements per work-item of a GPU.
    pub(super) fn choose(n: usize, adjacent: bool, work: usize, device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu {
            let even = n.div_ceil(CPU_BLOCKS_PER_UNIT * device.compute_units);
            let length = even.max(MIN_CPU_BLOCK).next_multiple_of(MULTIPLE);
            let variant = if adjacent { Variant::Vectors } else { Variant::Elements };
            return Blocks { variant, length, count: n.div_ceil(length), threads: 1 };
        }
        let threads = 256.min(device.max_work_group_size);
        let length = threads * work;
        Blocks { variant: Variant::Elements, length, count: n.div_ceil(length), threads }
    }

    /// Blocks of a reduction, at least one. GPUs have at most [`SUMS_PER_UNIT`] per compute unit; their groups have a
    /// power of two of work-items, which take `work` elements at a time.
    pub(super) fn for_reduction(n: usize, adjacent: bool, work: usize, device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu {
            return Self::choose(n.max(1), adjacent, work, device);
        }
        let threads = 1 << 256.min(device.max_work_group_size).ilog2();
        let even = n.max(1).div_ceil(SUMS_PER_UNIT * device.compute_units);
        Self::of_length(n, even.next_multiple_of(threads * work), threads)
    }

    /// Blocks of any increments with a given length.
    pub(super) fn of_length(n: usize, length: usize, threads: usize) -> Self {
        Blocks { variant: Variant::Elements, length, count: n.max(1).div_ceil(length), threads }
    }

    /// The parameters of the kernels' sources.
    pub(super) fn definitions(&self, kind: ScalarKind, device: &DeviceInfo) -> Vec<(&'static str, i64)> {
        match self.variant {
            Variant::Vectors => vec![("VECTOR_WIDTH", device.vector_width(kind) as i64)],
            Variant::Elements => Vec::new(),
        }
    }
}

pub(super) trait VectorArguments: Sized {
    /// A vector's memory, offset and step, in the form of a variant's kernels.
    fn vector(self, buffer: &DeviceBuffer, shape: &VectorShape, variant: Variant) -> Self;
}

impl VectorArguments for Launch<'_> {
    fn vector(self, buffer: &DeviceBuffer, shape: &VectorShape, variant: Variant) -> Self {
        let launch = self.buffer(buffer).index(shape.first());
        match variant {
            Variant::Vectors => launch,
            Variant::Elements => launch.step(shape.increment()),
        }
    }
}

#[cfg(test)]
mod host {
    use super::*;

    const CLASSES: [DeviceClass; 3] = [DeviceClass::Cpu, DeviceClass::Gpu, DeviceClass::Accelerator];
    const LENGTHS: [usize; 7] = [1, 63, 64, 4096, 4097, 1 << 20, (1 << 33) + 5];

    #[test]
    fn blocks_cover_the_vector_and_begin_at_whole_vectors() {
        for (class, n) in CLASSES.into_iter().flat_map(|class| LENGTHS.map(|n| (class, n))) {
            let device = crate::device::example(class);
            for blocks in [Blocks::choose(n, true, 8, &device), Blocks::for_reduction(n, true, 8, &device)] {
                assert!(blocks.length.is_multiple_of(MULTIPLE) && blocks.length * blocks.count >= n, "{blocks:?}");
                assert!(blocks.length * (blocks.count - 1) < n, "{n}: no block is empty: {blocks:?}");
            }
        }
    }

    #[test]
    fn reductions_have_few_blocks_and_at_least_one() {
        for (class, n) in CLASSES.into_iter().flat_map(|class| LENGTHS.map(|n| (class, n))) {
            let device = crate::device::example(class);
            let blocks = Blocks::for_reduction(n, true, 4, &device);
            assert!(blocks.count <= SUMS_PER_UNIT * device.compute_units && blocks.threads.is_power_of_two());
        }
        assert_eq!(Blocks::for_reduction(0, true, 4, &crate::device::example(DeviceClass::Cpu)).count, 1);
        assert_eq!(Blocks::for_reduction(0, true, 4, &crate::device::example(DeviceClass::Gpu)).count, 1);
    }

    #[test]
    fn wide_vectors_are_for_adjacent_elements_on_cpus() {
        let variant = |class, adjacent| Blocks::choose(100, adjacent, 8, &crate::device::example(class)).variant;
        assert_eq!(variant(DeviceClass::Cpu, true), Variant::Vectors);
        assert_eq!(variant(DeviceClass::Cpu, false), Variant::Elements);
        assert_eq!(variant(DeviceClass::Gpu, true), Variant::Elements);
        assert_eq!(variant(DeviceClass::Accelerator, true), Variant::Elements);
    }
}
