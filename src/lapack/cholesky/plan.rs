//! Blocking of the Cholesky factorisation: plain data, chosen without a device.

use crate::blas::level3::gemm::{F32Mma, TensorUse};
use crate::device::DeviceInfo;
use crate::lapack::native::Backend;
use crate::lapack::{has_groups, has_warps};
use crate::scalar::ScalarKind;

/// Recursive Cholesky down to blocks of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CholeskyPlan {
    /// Backend of the whole factorisation; the other field is for the device's kernels.
    pub backend: Backend,
    /// Kernel family used for a block of columns.
    pub panels: Panels,
}

/// Kernel of a block of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panels {
    /// One panel of at most `width` columns: a single work-item factorises and inverts the diagonal block.
    Serial { width: usize },
    /// Panels of `width` columns by many work-groups, in a launch each.
    Groups {
        width: usize,
        /// k extent of a slice in the products.
        tile_k: usize,
        /// Maximum number of `width` x `width` tiles in the lower triangle of a block of several panels. A work-group
        /// factorises the next diagonal block while others update these tiles.
        max_blocks: usize,
        /// Diagonal blocks are factorised by a warp with NVIDIA's instructions.
        warps: bool,
        /// Products of real types run on tensor cores, floats as the math mode allows, in panels of 64 columns.
        tensor: bool,
    },
}

/// Order of the innermost diagonal blocks, which are factorised without a product. A group has INNER * INNER
/// work-items.
pub(super) const INNER: usize = 16;
/// Columns of a panel: the first width that fits into local memory.
const WIDTHS: [usize; 2] = [64, 32];
/// Tiles of a launch at which the panel and the trailing update take about the same time on an NVIDIA GPU of 132
/// multiprocessors; more where tensor cores multiply.
const MAX_BLOCKS: usize = 900;
const MAX_TENSOR_BLOCKS: usize = 1300;
/// The width that acc_nvidia.cl is for.
const TENSOR_WIDTH: usize = 64;
/// Rows of a block of one work-item.
const SERIAL_WIDTH: usize = 32;

impl CholeskyPlan {
    /// The plan for a matrix of an order on a device.
    pub fn choose(kind: ScalarKind, order: usize, device: &DeviceInfo) -> Self {
        CholeskyPlan { backend: Backend::choose([order; 2], device), ..Self::for_kernels(kind, device) }
    }

    /// The plan for a device's kernels.
    pub fn for_kernels(kind: ScalarKind, device: &DeviceInfo) -> Self {
        let sizes = WIDTHS.into_iter().flat_map(|width| [[width, width], [width, width / 2]]);
        let mut fitting = sizes.filter(|&size| local_bytes(kind, size) <= device.local_memory_bytes);
        let panels = match fitting.next() {
            Some([width, tile_k]) if has_groups(device) => {
                let warps = has_warps(device);
                let tensor = width == TENSOR_WIDTH && multiply(TensorUse::of_device(device), kind);
                let max_blocks = if tensor { MAX_TENSOR_BLOCKS } else { MAX_BLOCKS };
                Panels::Groups { width, tile_k, max_blocks, warps, tensor }
            }
            _ => Panels::Serial { width: SERIAL_WIDTH },
        };
        CholeskyPlan { backend: Backend::Device, panels }
    }
}

impl Panels {
    /// Columns of a panel.
    pub const fn width(self) -> usize {
        match self {
            Panels::Serial { width } | Panels::Groups { width, .. } => width,
        }
    }

    /// True if `columns` columns with `rows` rows from the diagonal on are factorised as one block.
    pub const fn are_block(self, rows: usize, columns: usize) -> bool {
        match self {
            Panels::Serial { width } => columns <= width,
            Panels::Groups { width, max_blocks, .. } => {
                columns <= width || blocks([rows, columns], width) <= max_blocks
            }
        }
    }
}

/// Blocks of the lower triangle of some columns, with all rows from the diagonal on.
pub(super) const fn blocks([rows, columns]: [usize; 2], width: usize) -> usize {
    let (down, across) = (rows.div_ceil(width), columns.div_ceil(width));
    across * down - across * across.saturating_sub(1) / 2
}

/// True if the tensor cores multiply panels of this type.
const fn multiply(cores: TensorUse, kind: ScalarKind) -> bool {
    match kind {
        ScalarKind::S => !matches!(cores.f32_mma, F32Mma::Off),
        ScalarKind::D => cores.doubles,
        ScalarKind::C | ScalarKind::Z => false,
    }
}

/// Local memory of step.cl: operand slices, a diagonal block of order INNER, its factor and its workspace.
const fn local_bytes(kind: ScalarKind, [width, tile_k]: [usize; 2]) -> u64 {
    // Floats for tensor cores have more between columns (tiles.cl).
    let pitch = width + if kind.bytes() == ScalarKind::S.bytes() { 8 } else { width / INNER };
    ((2 * tile_k * pitch + INNER * (3 * INNER + 2) + 4 * INNER) * kind.bytes() + INNER) as u64
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::DeviceClass;

    #[test]
    fn panels_are_groups_where_groups_are_fast() {
        let gpu = crate::device::example(DeviceClass::Gpu);
        let panels = |kind, device: &DeviceInfo| CholeskyPlan::for_kernels(kind, device).panels;
        for device in [
            crate::device::example(DeviceClass::Cpu),
            DeviceInfo { max_work_group_size: 128, ..gpu.clone() },
            DeviceInfo { local_memory_bytes: 8 << 10, ..gpu.clone() },
        ] {
            assert_eq!(panels(ScalarKind::S, &device), Panels::Serial { width: SERIAL_WIDTH });
        }
        let sizes =
            |kind, local: u64| match panels(kind, &DeviceInfo { local_memory_bytes: local << 10, ..gpu.clone() }) {
                Panels::Groups { width, tile_k, .. } => [width, tile_k],
                Panels::Serial { .. } => panic!("{kind:?} with {local} KiB"),
            };
        assert_eq!([48, 32].map(|local| sizes(ScalarKind::S, local)), [[64, 64], [64, 32]]);
        assert_eq!([48, 32].map(|local| sizes(ScalarKind::D, local)), [[64, 32], [32, 32]]);
        assert_eq!([48, 32].map(|local| sizes(ScalarKind::Z, local)), [[32, 32], [32, 16]]);
    }

    #[test]
    fn tensor_cores_multiply_real_types_that_the_mode_allows() {
        let of = |doubles, f32_mma| {
            ScalarKind::ALL.map(|kind| multiply(TensorUse { doubles, f32_mma, opt_in: false }, kind))
        };
        assert_eq!(of(true, F32Mma::Tf32x3), [true, true, false, false]);
        assert_eq!(of(false, F32Mma::Tf32), [true, false, false, false]);
        assert_eq!(of(true, F32Mma::Off), [false, true, false, false]);
    }

    #[test]
    fn the_fewer_rows_the_more_columns_are_one_block() {
        let panels = Panels::Groups { width: 64, tile_k: 64, max_blocks: 6, warps: false, tensor: false };
        assert_eq!(blocks([192, 192], 64), 6);
        assert_eq!(blocks([193, 129], 64), 9);
        let block = |rows: usize| (1..=rows).rev().find(|&columns| panels.are_block(rows, columns));
        assert_eq!([64, 192, 256, 384, 448, 10_000].map(block), [64, 192, 64, 64, 64, 64].map(Some));
        assert_eq!(block(200), Some(64));
    }
}
