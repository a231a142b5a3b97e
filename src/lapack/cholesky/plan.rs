//! How Cholesky's factorisation is cut into blocks: plain data, chosen without a device.

use crate::blas::level3::gemm::{F32Mma, TensorUse};
use crate::device::DeviceInfo;
use crate::lapack::native::Backend;
use crate::lapack::{has_groups, has_warps};
use crate::scalar::ScalarKind;

/// How a matrix is factorised: by halves down to blocks of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CholeskyPlan {
    /// Who does all of it: the rest is the kernels'.
    pub backend: Backend,
    /// How a block of columns is.
    pub panels: Panels,
}

/// What a block of columns is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panels {
    /// One panel of so many columns at most: a single work-item factorises and inverts what is on the diagonal.
    Serial { width: usize },
    /// Panels of `width` columns by many work-groups, in a launch each.
    Groups {
        width: usize,
        /// Columns that a product takes at once.
        depth: usize,
        /// Blocks of `width` rows and columns that a block of columns has at most in the lower triangle, if it is not a single
        /// panel: while these are brought up to date, a work-group finds the next panel's factor.
        most_blocks: usize,
        /// Whether a warp finds factors, by NVIDIA's instructions.
        warps: bool,
        /// Whether products of real numbers are tensor cores' work, of floats as the math mode allows: in panels of 64 columns.
        tensor: bool,
    },
}

/// As the kernels have it: rows that are factorised without a product. A group has as many work-items as these have elements.
pub(super) const INNER: usize = 16;
/// Columns of a panel: as many as local memory has room for.
const WIDTHS: [usize; 2] = [64, 32];
/// Seven for each multiprocessor of an H100 or H200, where a launch has about as much to do with its panel as with so many, and ten where tensor
/// cores multiply: there 900 are up to 5 % slower at n = 4096, and 2,000 up to 13 %.
const MOST_BLOCKS: usize = 900;
const MOST_TENSOR_BLOCKS: usize = 1300;
/// The width that sums_nvidia.cl is for.
const TENSOR_WIDTH: usize = 64;
/// Rows of a block of one work-item.
const SERIAL_WIDTH: usize = 32;

impl CholeskyPlan {
    /// The plan for a matrix of an order on a device.
    pub fn choose(kind: ScalarKind, order: usize, device: &DeviceInfo) -> Self {
        CholeskyPlan { backend: Backend::choose([order; 2], device), ..Self::by_kernels(kind, device) }
    }

    /// The plan for a device's kernels.
    pub fn by_kernels(kind: ScalarKind, device: &DeviceInfo) -> Self {
        let sizes = WIDTHS.into_iter().flat_map(|width| [[width, width], [width, width / 2]]);
        let mut fitting = sizes.filter(|&size| local_bytes(kind, size) <= device.local_memory_bytes);
        let panels = match fitting.next() {
            Some([width, depth]) if has_groups(device) => {
                let warps = has_warps(device);
                let tensor = width == TENSOR_WIDTH && multiply(TensorUse::of_device(device), kind);
                let most_blocks = if tensor { MOST_TENSOR_BLOCKS } else { MOST_BLOCKS };
                Panels::Groups { width, depth, most_blocks, warps, tensor }
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

    /// Whether columns with so many rows from the diagonal on are one block.
    pub const fn are_block(self, rows: usize, columns: usize) -> bool {
        match self {
            Panels::Serial { width } => columns <= width,
            Panels::Groups { width, most_blocks, .. } => {
                columns <= width || blocks([rows, columns], width) <= most_blocks
            }
        }
    }
}

/// Blocks of the lower triangle of some columns, with all rows from the diagonal on.
pub(super) const fn blocks([rows, columns]: [usize; 2], width: usize) -> usize {
    let (down, across) = (rows.div_ceil(width), columns.div_ceil(width));
    across * down - across * across.saturating_sub(1) / 2
}

/// Whether tensor cores multiply what panels have of a type. They are NVIDIA's, whose devices have warps.
const fn multiply(cores: TensorUse, kind: ScalarKind) -> bool {
    match kind {
        ScalarKind::S => !matches!(cores.f32_mma, F32Mma::Off),
        ScalarKind::D => cores.doubles,
        ScalarKind::C | ScalarKind::Z => false,
    }
}

/// What step.cl has in local memory: operands of products, a corner of INNER rows, their factor and what finding it needs.
const fn local_bytes(kind: ScalarKind, [width, depth]: [usize; 2]) -> u64 {
    // Floats for tensor cores have more between columns (matrix.cl).
    let pitch = width + if kind.bytes() == ScalarKind::S.bytes() { 8 } else { width / INNER };
    ((2 * depth * pitch + INNER * (3 * INNER + 2) + 4 * INNER) * kind.bytes() + INNER) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceClass;

    #[test]
    fn panels_are_groups_where_groups_are_fast() {
        let gpu = crate::device::example(DeviceClass::Gpu);
        let panels = |kind, device: &DeviceInfo| CholeskyPlan::by_kernels(kind, device).panels;
        for device in [
            crate::device::example(DeviceClass::Cpu),
            DeviceInfo { max_work_group_size: 128, ..gpu.clone() },
            DeviceInfo { local_memory_bytes: 8 << 10, ..gpu.clone() },
        ] {
            assert_eq!(panels(ScalarKind::S, &device), Panels::Serial { width: SERIAL_WIDTH });
        }
        let sizes =
            |kind, local: u64| match panels(kind, &DeviceInfo { local_memory_bytes: local << 10, ..gpu.clone() }) {
                Panels::Groups { width, depth, .. } => [width, depth],
                Panels::Serial { .. } => panic!("{kind:?} with {local} KiB"),
            };
        assert_eq!([48, 32].map(|local| sizes(ScalarKind::S, local)), [[64, 64], [64, 32]]);
        assert_eq!([48, 32].map(|local| sizes(ScalarKind::D, local)), [[64, 32], [32, 32]]);
        assert_eq!([48, 32].map(|local| sizes(ScalarKind::Z, local)), [[32, 32], [32, 16]]);
    }

    #[test]
    fn tensor_cores_multiply_real_numbers_that_they_may() {
        let of = |doubles, f32_mma| {
            ScalarKind::ALL.map(|kind| multiply(TensorUse { doubles, f32_mma, unstated: false }, kind))
        };
        assert_eq!(of(true, F32Mma::Tf32x3), [true, true, false, false]);
        assert_eq!(of(false, F32Mma::Tf32), [true, false, false, false]);
        assert_eq!(of(true, F32Mma::Off), [false, true, false, false]);
    }

    #[test]
    fn the_fewer_rows_the_more_columns_are_one_block() {
        let panels = Panels::Groups { width: 64, depth: 64, most_blocks: 6, warps: false, tensor: false };
        assert_eq!(blocks([192, 192], 64), 6);
        assert_eq!(blocks([193, 129], 64), 9);
        let block = |rows: usize| (1..=rows).rev().find(|&columns| panels.are_block(rows, columns));
        assert_eq!([64, 192, 256, 384, 448, 10_000].map(block), [64, 192, 64, 64, 64, 64].map(Some));
        assert_eq!(block(200), Some(64));
    }
}
