//! The tensor family's tiles.

use affinimath_core::problem::gemm::GemmProblem;

use super::super::chip::Chip;
use super::super::tiles::Tiles;
use crate::device::DeviceInfo;
use crate::scalar::ScalarKind;

/// The sizes that are compiled into the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorParameters {
    /// Rows and columns of C that a work-group computes.
    pub tile: [usize; 2],
    /// The part of a tile that a warp of 32 work-items computes.
    pub warp: [usize; 2],
    /// Depth of a slice.
    pub depth: usize,
    /// Slices that there is room for: all but one are on their way while that one is multiplied.
    pub stages: usize,
    /// Columns of tiles that work-groups walk together.
    pub band: usize,
    /// Who multiplies fragments.
    pub unit: Unit,
}

/// Who multiplies fragments together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A warp, with both fragments in registers.
    Warp,
    /// A group of four warps (wgmma), which takes B from local memory: floats only.
    Group,
}

/// Local memory of a kernel's own arrays, at most, in bytes. NVIDIA's compiler takes opt-in shared memory for them, though the device
/// states 48 KiB, which holds for arguments.
pub(in crate::blas::level3::gemm) const fn local_memory(device: &DeviceInfo) -> u64 {
    let nvidia = &device.nvidia;
    if nvidia.opt_in_is_usable { nvidia.shared_memory_opt_in_bytes } else { device.local_memory_bytes }
}

/// Work-items of a warp.
pub(in crate::blas::level3::gemm) const WARP: usize = 32;

impl TensorParameters {
    const fn new(tile: [usize; 2], warp: [usize; 2], depth: usize, stages: usize) -> Self {
        TensorParameters { tile, warp, depth, stages, band: 8, unit: Unit::Warp }
    }

    /// The tiles of groups of warps, for floats: two work-groups on a multiprocessor, one of which splits and adds while the other multiplies.
    pub const fn group(kind: ScalarKind) -> Self {
        let tile = match kind {
            ScalarKind::S => Self::new([128, 128], [32, 128], 16, 4),
            _ => Self::new([128, 64], [32, 64], 8, 4),
        };
        TensorParameters { unit: Unit::Group, ..tile }
    }

    /// The same for a C that those would not fill the device with.
    pub const fn narrow_group(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => TensorParameters { tile: [128, 64], warp: [32, 64], ..Self::group(kind) },
            _ => Self::group(kind),
        }
    }

    /// The large tiles, best where C has many of them. In floats two small work-groups on a multiprocessor do not wait for each other's
    /// barriers; in doubles, whose kernel hides them, the energy that a large tile saves is worth more.
    pub const fn large(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => Self::new([128, 64], [64, 32], 16, 4),
            ScalarKind::D => Self::new([128, 128], [64, 32], 16, 3),
            ScalarKind::C => Self::new([128, 64], [64, 32], 8, 4),
            ScalarKind::Z => Self::new([128, 64], [32, 32], 8, 4),
        }
    }

    /// The smallest tiles, for a C that small ones would not fill the device with.
    pub const fn tiny(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => Self::new([64, 32], [32, 32], 16, 4),
            ScalarKind::D => Self::new([32, 32], [16, 16], 16, 3),
            ScalarKind::C => Self::new([32, 32], [16, 16], 16, 3),
            ScalarKind::Z => Self::new([32, 32], [16, 16], 16, 3),
        }
    }

    /// The small tiles, for a C that large ones would not fill the device with.
    pub const fn small(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => Self::new([64, 64], [32, 32], 16, 3),
            ScalarKind::D => Self::new([64, 64], [32, 32], 16, 3),
            ScalarKind::C => Self::new([64, 64], [32, 32], 8, 4),
            ScalarKind::Z => Self::new([64, 64], [32, 32], 8, 3),
        }
    }

    /// The large tiles for a triangle of C, which is made of square ones.
    pub(super) const fn square(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => Self::new([128, 128], [64, 32], 16, 3),
            ScalarKind::C => Self::new([128, 128], [64, 32], 8, 3),
            ScalarKind::D => Self::large(kind),
            ScalarKind::Z => Self::small(kind),
        }
    }

    pub(super) const fn is_square(&self) -> bool {
        self.tile[0] == self.tile[1]
    }

    pub(super) const fn work_group_size(&self) -> usize {
        self.tile[0] / self.warp[0] * (self.tile[1] / self.warp[1]) * WARP
    }

    const fn local_bytes(&self, kind: ScalarKind) -> u64 {
        let slices = self.stages * (self.tile[0] + self.tile[1]) * self.depth * kind.bytes();
        // Two slices of B in halves.
        let halves = match self.unit {
            Unit::Warp => 0,
            Unit::Group => 2 * 2 * self.tile[1] * self.depth * kind.bytes(),
        };
        (slices + halves) as u64
    }

    /// Whether it can multiply the type.
    pub(in crate::blas::level3::gemm) const fn can(&self, kind: ScalarKind) -> bool {
        matches!(self.unit, Unit::Warp) || !kind.is_double()
    }

    /// Whether it needs no more than the device states: see [`TensorUse::unstated`](super::super::limits::TensorUse).
    pub(in crate::blas::level3::gemm) const fn is_stated(&self, kind: ScalarKind, device: &DeviceInfo) -> bool {
        matches!(self.unit, Unit::Warp) && self.local_bytes(kind) <= device.local_memory_bytes
    }

    pub(in crate::blas::level3::gemm) fn fits(&self, kind: ScalarKind, device: &DeviceInfo) -> bool {
        self.work_group_size() <= device.max_work_group_size && self.local_bytes(kind) <= local_memory(device)
    }

    /// The rate in percent of the best FMA tiles. Work-groups that are few on a multiprocessor do not hide their waits.
    pub(super) const fn pace_percent(&self, kind: ScalarKind, work_groups: u64, chip: &Chip) -> u64 {
        match self.unit {
            Unit::Group => chip.wgmma_percent(kind, self.tile[1], work_groups == 1),
            // The waits of a large work-group are hidden by its own products.
            Unit::Warp => {
                chip.mma_percent(kind, self.size() as usize, work_groups == 1 && self.work_group_size() < 256)
            }
        }
    }

    /// Work-groups that keep a compute unit busy together, as many as it has registers for: one of warps does alone.
    pub(super) const fn per_unit(&self, kind: ScalarKind) -> usize {
        let sum_words = self.tile[0] * self.tile[1] * kind.bytes() / 4 / self.work_group_size();
        match (self.unit, sum_words) {
            (Unit::Warp, _) => 1,
            (Unit::Group, 128..) => 2,
            (Unit::Group, _) => 3,
        }
    }

    pub(super) const fn size(&self) -> Size {
        match self.tile[0] * self.tile[1] {
            ..4096 => Size::Tiny,
            4096 => Size::Small,
            _ => Size::Large,
        }
    }

    pub(super) const fn tiles<'a>(&self, problem: &'a GemmProblem) -> Tiles<'a> {
        Tiles { problem, tile: self.tile, depth: self.depth, in_flight: self.stages - 1 }
    }
}

/// Sizes of tiles, by their elements: the order of [`Chip::mma_percent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Tiny,
    Small,
    Large,
}
