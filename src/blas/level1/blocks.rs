//! How the elements of a vector are shared out: blocks of adjacent elements, one per work-group.

use crate::device::{DeviceClass, DeviceFacts};
use crate::scalar::ScalarKind;

/// Which kernels walk the blocks.
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
    /// The number of blocks, and of work-groups.
    pub count: usize,
    /// Work-items of a group.
    pub threads: usize,
}

/// Blocks are multiples of this, so that they begin at whole vectors.
const MULTIPLE: usize = 64;
/// On a CPU a block is at least as long as what costs about a launch, and at most what keeps all cores busy to the end.
const SHORTEST_CPU_BLOCK: usize = 4096;
const CPU_BLOCKS_PER_UNIT: usize = 8;

impl Blocks {
    /// The blocks of `n` elements. `adjacent` says whether every vector has its elements next to each other, and
    /// `work` how many elements a work-item of a GPU takes.
    pub(super) fn choose(n: usize, adjacent: bool, work: usize, device: &DeviceFacts) -> Self {
        if device.class == DeviceClass::Cpu {
            let even = n.div_ceil(CPU_BLOCKS_PER_UNIT * device.compute_units);
            let length = even.max(SHORTEST_CPU_BLOCK).next_multiple_of(MULTIPLE);
            let variant = if adjacent { Variant::Vectors } else { Variant::Elements };
            return Blocks { variant, length, count: n.div_ceil(length), threads: 1 };
        }
        let threads = 256.min(device.max_work_group_size);
        let length = threads * work;
        Blocks { variant: Variant::Elements, length, count: n.div_ceil(length), threads }
    }

    /// The parameters of the kernels' sources.
    pub(super) fn definitions(&self, kind: ScalarKind, device: &DeviceFacts) -> Vec<(&'static str, i64)> {
        match self.variant {
            Variant::Vectors => vec![("VECTOR_WIDTH", device.vector_width(kind) as i64)],
            Variant::Elements => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_the_vector_and_begin_at_whole_vectors() {
        for class in [DeviceClass::Cpu, DeviceClass::Gpu, DeviceClass::Accelerator] {
            let device = DeviceFacts::example(class);
            for n in [1, 63, 64, 4096, 4097, 1 << 20, (1 << 33) + 5] {
                let blocks = Blocks::choose(n, true, 8, &device);
                assert!(blocks.length.is_multiple_of(MULTIPLE) && blocks.length * blocks.count >= n, "{blocks:?}");
                assert!(blocks.length * (blocks.count - 1) < n, "{n}: no block is empty: {blocks:?}");
            }
        }
    }

    #[test]
    fn wide_vectors_are_for_adjacent_elements_on_cpus() {
        let variant = |class, adjacent| Blocks::choose(100, adjacent, 8, &DeviceFacts::example(class)).variant;
        assert_eq!(variant(DeviceClass::Cpu, true), Variant::Vectors);
        assert_eq!(variant(DeviceClass::Cpu, false), Variant::Elements);
        assert_eq!(variant(DeviceClass::Gpu, true), Variant::Elements);
        assert_eq!(variant(DeviceClass::Accelerator, true), Variant::Elements);
    }
}
