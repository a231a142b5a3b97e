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
    /// Rows and columns of a warp's part of the tile.
    pub warp: [usize; 2],
    /// k extent of a slice.
    pub tile_k: usize,
    /// Pipeline stages: slices in local memory, all but one of them in flight.
    pub stages: usize,
    /// Columns of tiles in a swizzle group: consecutive work-groups cover them before the next ones.
    pub swizzle: usize,
    /// Work-items that multiply a fragment together.
    pub scope: MmaScope,
}

/// Work-items that multiply a fragment together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MmaScope {
    /// A warp, with both fragments in registers.
    Warp,
    /// Four warps (wgmma), which take B from local memory: floats only.
    WarpGroup,
}

/// Maximum bytes of a kernel's own local arrays. NVIDIA's compiler accepts opt-in shared memory for them, while the 48
/// KiB that OpenCL reports hold for arguments.
pub(in crate::blas::level3::gemm) const fn local_memory(device: &DeviceInfo) -> u64 {
    let nvidia = &device.nvidia;
    if nvidia.opt_in_is_usable { nvidia.shared_memory_opt_in_bytes } else { device.local_memory_bytes }
}

/// Work-items of a warp.
pub(in crate::blas::level3::gemm) const WARP: usize = 32;

impl TensorParameters {
    const fn new(tile: [usize; 2], warp: [usize; 2], tile_k: usize, stages: usize) -> Self {
        TensorParameters { tile, warp, tile_k, stages, swizzle: 8, scope: MmaScope::Warp }
    }

    /// Tiles of warp groups, for floats. Two work-groups share a multiprocessor, so that one splits and adds while the
    /// other multiplies.
    pub const fn warp_group(kind: ScalarKind) -> Self {
        let tile = match kind {
            ScalarKind::S => Self::new([128, 128], [32, 128], 16, 4),
            _ => Self::new([128, 64], [32, 64], 8, 4),
        };
        TensorParameters { scope: MmaScope::WarpGroup, ..tile }
    }

    /// Narrower tiles of warp groups, for a C with too few of the others.
    pub const fn narrow_warp_group(kind: ScalarKind) -> Self {
        match kind {
            ScalarKind::S => TensorParameters { tile: [128, 64], warp: [32, 64], ..Self::warp_group(kind) },
            _ => Self::warp_group(kind),
        }
    }

    /// Large tiles, best for a C with many of them. In floats two small work-groups on a multiprocessor do not wait at
    /// each other's barriers. In doubles the kernel hides barriers, and a large tile saves energy.
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
        let slices = self.stages * (self.tile[0] + self.tile[1]) * self.tile_k * kind.bytes();
        // Two buffers of B, split in hi and lo.
        let split_b = match self.scope {
            MmaScope::Warp => 0,
            MmaScope::WarpGroup => 2 * 2 * self.tile[1] * self.tile_k * kind.bytes(),
        };
        (slices + split_b) as u64
    }

    /// True if the tile can multiply the type.
    pub(in crate::blas::level3::gemm) const fn can(&self, kind: ScalarKind) -> bool {
        matches!(self.scope, MmaScope::Warp) || !kind.is_double()
    }

    /// True if it needs no opt-in feature: see [`TensorUse::opt_in`](super::super::limits::TensorUse).
    pub(in crate::blas::level3::gemm) const fn is_without_opt_in(&self, kind: ScalarKind, device: &DeviceInfo) -> bool {
        matches!(self.scope, MmaScope::Warp) && self.local_bytes(kind) <= device.local_memory_bytes
    }

    pub(in crate::blas::level3::gemm) fn fits(&self, kind: ScalarKind, device: &DeviceInfo) -> bool {
        self.work_group_size() <= device.max_work_group_size && self.local_bytes(kind) <= local_memory(device)
    }

    /// The rate in percent of the best FMA tiles. Work-groups that are few on a multiprocessor do not hide their waits.
    pub(super) const fn rate_percent(&self, kind: ScalarKind, work_groups: u64, chip: &Chip) -> u64 {
        match self.scope {
            MmaScope::WarpGroup => chip.wgmma_percent(kind, self.tile[1], work_groups == 1),
            // The waits of a large work-group are hidden by its own products.
            MmaScope::Warp => {
                chip.mma_percent(kind, self.size() as usize, work_groups == 1 && self.work_group_size() < 256)
            }
        }
    }

    /// Work-groups that occupy a compute unit together, limited by its registers; with mma a single one is enough.
    pub(super) const fn per_unit(&self, kind: ScalarKind) -> usize {
        let sum_words = self.tile[0] * self.tile[1] * kind.bytes() / 4 / self.work_group_size();
        match (self.scope, sum_words) {
            (MmaScope::Warp, _) => 1,
            (MmaScope::WarpGroup, 128..) => 2,
            (MmaScope::WarpGroup, _) => 3,
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
        Tiles { problem, tile: self.tile, tile_k: self.tile_k, in_flight: self.stages - 1 }
    }
}

/// Sizes of tiles, by their elements: the order of [`Chip::mma_percent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Tiny,
    Small,
    Large,
}
