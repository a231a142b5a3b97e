//! Blocking of QR: plain data, chosen without a device.

use crate::device::{DeviceClass, DeviceInfo};
use crate::lapack::native::Backend;
use crate::lapack::{THREADS, has_groups, has_look_ahead, has_warps};
use crate::scalar::ScalarKind;

/// Blocked QR; each block of columns is factorised recursively down to panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QrPlan {
    /// Backend of a whole factorisation; the other fields are for the device's kernels.
    pub backend: Backend,
    /// Columns of a block: reflectors that larfb applies together.
    pub block: usize,
    /// Columns of a panel.
    pub panel: usize,
    /// Maximum columns that a block reflector is applied to at a time.
    pub slab: usize,
    /// Kernel family used for the panel factorisation.
    pub panels: Panels,
    /// Tensor-core kernel for panels whose rows fit into a group's registers.
    pub tensor: Option<TensorGroup>,
    /// TSQR for tall panels.
    pub tsqr: Option<TsqrPlan>,
    /// Compute units that apply a block reflector while the next block is factorised; `None` uses one queue.
    pub look_ahead: Option<usize>,
}

/// A work-group with tensor cores for doubles: panels of real types with 16 or 32 columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorGroup {
    /// Work-items: two warps or more.
    pub threads: usize,
    /// Maximum tiles of rows per warp.
    pub tiles: usize,
}

impl TensorGroup {
    /// Rows of a tile.
    pub const TILE: usize = 8;
    /// Tiles of a warp that are not worth another kernel for fewer.
    const MIN_TILES: usize = 2;

    /// Tiles per warp of a panel of `rows` rows: a power of two, since each has a kernel of its own. `None` if there
    /// are too many.
    fn tiles(&self, rows: usize) -> Option<usize> {
        let tiles = rows.div_ceil(self.threads / WARP * Self::TILE).next_power_of_two().max(Self::MIN_TILES);
        (tiles <= self.tiles).then_some(tiles)
    }
}

/// TSQR (Demmel, Grigori, Hoemmen and Langou 2012) of a tall panel with one level: leaves of rows, then their stacked R
/// factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TsqrPlan {
    /// Work-items of a group that reconstructs the panel's reflectors: a multiple of the panel's columns that divides
    /// their square; with tensor cores a quarter of the square.
    pub threads: usize,
    /// Rows of a leaf, unless there would be too many leaves.
    pub rows: usize,
    /// Maximum rows that a group factorises in registers, of a leaf and of the stacked R factors.
    pub max_rows: usize,
    /// Maximum rows of a panel that is not split.
    pub max_uncut_rows: usize,
}

impl TsqrPlan {
    /// Number of leaves of a panel, and the rows of each but the last, which may have fewer. One group factorises the
    /// stacked R factors of all leaves. `None` if the panel is not split.
    pub fn split(&self, rows: usize, width: usize) -> Option<[usize; 2]> {
        let count = rows.div_ceil(self.rows).min(self.max_rows / width).max(1);
        let leaf_rows = rows.div_ceil(count);
        let fits = leaf_rows <= self.max_rows && rows >= (count - 1) * leaf_rows + width;
        (rows > self.max_uncut_rows && count > 1 && fits).then_some([count, leaf_rows])
    }
}

/// Kernel families of the panel factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panels {
    /// A work-group, with some columns at a time in registers.
    Group {
        /// Work-items: a multiple of 8.
        threads: usize,
        /// Maximum rows of a panel that half as many work-items factorise.
        half_group_rows: usize,
        /// Elements that a work-item has in registers: a power of two.
        elements: usize,
        /// Maximum columns that are factorised in registers one after the other: a power of two.
        width: usize,
        /// Keep all columns of a panel in registers if they fit.
        resident: bool,
        /// Reduce by NVIDIA's warp shuffles.
        warps: bool,
    },
    /// One work-item of a CPU.
    Serial,
}

/// A panel's kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// By a group with some columns in registers.
    Registers {
        /// Work-items.
        threads: usize,
        /// Rows of a work-item.
        rows: usize,
        /// Columns that are factorised in registers one after the other.
        width: usize,
        /// The remaining columns are in registers too.
        resident: bool,
        /// Reduce by warp shuffles.
        warps: bool,
    },
    /// By a group with tensor cores, with all columns in registers.
    Tensor {
        /// Work-items.
        threads: usize,
        /// Tiles of rows of a warp.
        tiles: usize,
    },
    /// By a group in its memory.
    Memory,
    /// By a work-item.
    Serial,
}

/// Columns of a block.
const GPU_BLOCK: usize = 128;
const CPU_BLOCK: usize = 64;
/// Columns of a panel: of a group, of a group in complex doubles (local memory), and of a CPU.
const GROUP_PANEL: usize = 32;
const GROUP_PANEL_Z: usize = 16;
const CPU_PANEL: usize = 16;
/// Preferred work-items of a group. On devices with warps, half as many are faster for at most LOW_ROWS rows, and for
/// at most LOW_ROWS_Z rows of complex doubles, which need more registers per work-item.
const LARGE_GROUP_THREADS: usize = 512;
const LOW_ROWS: usize = 512;
const LOW_ROWS_Z: usize = 1024;
/// Bytes of a group's registers, and of its reductions in local memory.
const REGISTER_BYTES: usize = 128 << 10;
const SUM_BYTES: usize = 16 << 10;
/// Columns that are factorised one after the other: maximum (the kernel unrolls them) and minimum.
const MAX_COLUMNS: usize = 8;
const MIN_COLUMNS: usize = 2;
/// TSQR: work-items of the groups that reconstruct the reflectors, rows of a leaf, and columns that a group has in
/// registers.
const TSQR_THREADS: usize = 256;
const TSQR_ROWS: usize = 512;
const TSQR_COLUMNS: usize = 4;
/// Rows from which a panel is split: above, a single group takes longer than the three launches of TSQR.
const TSQR_MIN_ROWS: usize = 1024;
/// Work-items of a warp.
const WARP: usize = 32;
/// The group for m16 fragments of f64: a panel of two tiles of columns fills its registers.
const TENSOR_GROUP: TensorGroup = TensorGroup { threads: 256, tiles: 8 };
/// Rows of a panel that such a group has.
const TENSOR_ROWS: usize = TENSOR_GROUP.threads / WARP * TENSOR_GROUP.tiles * TensorGroup::TILE;
/// Of a group that works in memory: work-items that share a column, and work-items that add up their partial results.
pub(super) const LANES: usize = 32;
pub(super) const SUMMERS: usize = 16;
const _: () = assert!(THREADS.is_multiple_of(LANES) && THREADS.is_multiple_of(SUMMERS));

/// Maximum side of a matrix factorised with look-ahead.
const LOOK_AHEAD_MAX_SIZE: usize = 12_288;
/// Number of reflectors from which larfb dominates.
const LARGE_ORDER: usize = 6144;

impl QrPlan {
    /// The plan for a matrix of a size on a device.
    pub fn choose(kind: ScalarKind, size: [usize; 2], device: &DeviceInfo) -> Self {
        let plan = QrPlan { backend: Backend::choose(size, device), ..Self::for_kernels(kind, device) };
        QrPlan { look_ahead: Self::choose_look_ahead(size, device), ..plan }
    }

    /// See [`QrPlan::look_ahead`]. Panels dominate for small matrices, which leave fewer units to the update.
    fn choose_look_ahead(size: [usize; 2], device: &DeviceInfo) -> Option<usize> {
        let is_small = size[0].min(size[1]) < LARGE_ORDER;
        let units = if is_small { device.compute_units * 5 / 8 } else { device.compute_units * 3 / 4 };
        has_look_ahead(size, LOOK_AHEAD_MAX_SIZE, device).then_some(units)
    }

    /// The plan for a device's kernels.
    pub fn for_kernels(kind: ScalarKind, device: &DeviceInfo) -> Self {
        let backend = Backend::Device;
        let (slab, bytes) = (usize::MAX, kind.bytes());
        if !has_groups(device) {
            let block = if device.class == DeviceClass::Cpu { CPU_BLOCK } else { GPU_BLOCK };
            let (panel, panels) = (CPU_PANEL, Panels::Serial);
            return QrPlan { backend, block, panel, slab, panels, tensor: None, tsqr: None, look_ahead: None };
        }
        let warps = has_warps(device);
        let threads = if device.max_work_group_size >= LARGE_GROUP_THREADS { LARGE_GROUP_THREADS } else { THREADS };
        let half_group_rows = match kind {
            _ if !warps => 0,
            ScalarKind::Z => LOW_ROWS_Z,
            _ => LOW_ROWS,
        };
        // With shuffles, partial results take hardly any local memory.
        let width = if warps { MAX_COLUMNS } else { (SUM_BYTES / threads / bytes).min(MAX_COLUMNS) };
        let elements = REGISTER_BYTES / threads / bytes;
        let panels = Panels::Group { threads, half_group_rows, elements, width, resident: warps, warps };
        let panel = if kind == ScalarKind::Z { GROUP_PANEL_Z } else { GROUP_PANEL };
        // Without warps, reductions of as many columns take too much local memory.
        let max_rows = threads * elements / TSQR_COLUMNS;
        let tensor = (!kind.is_complex() && device.nvidia.fast_mma_f64).then_some(TENSOR_GROUP);
        // Taller panels of doubles do not fit the tensor-core kernel and take a single group much longer.
        let max_uncut_rows = if tensor.is_some() && kind.is_double() { TENSOR_ROWS } else { TSQR_MIN_ROWS };
        let tsqr = warps.then_some(TsqrPlan { threads: TSQR_THREADS, rows: TSQR_ROWS, max_rows, max_uncut_rows });
        QrPlan { backend, block: GPU_BLOCK, panel, slab, panels, tensor, tsqr, look_ahead: None }
    }

    /// The plan after a failed probe of the tensor cores.
    pub fn without_tensor_cores(self) -> Self {
        let tsqr = self.tsqr.map(|tsqr| TsqrPlan { max_uncut_rows: TSQR_MIN_ROWS, ..tsqr });
        QrPlan { tensor: None, tsqr, ..self }
    }

    /// True if work-groups factorise panels. A block then goes panel by panel, and V is copied with explicit ones and
    /// zeros, so that larfb uses general products.
    pub fn by_groups(&self) -> bool {
        self.panels != Panels::Serial
    }

    pub fn kernel(&self, rows: usize) -> Panel {
        let Panels::Group { mut threads, half_group_rows, mut elements, width, resident, warps } = self.panels else {
            return Panel::Serial;
        };
        if let Some((group, tiles)) = self.tensor.and_then(|group| Some((group, group.tiles(rows)?))) {
            return Panel::Tensor { threads: group.threads, tiles };
        }
        if rows <= half_group_rows {
            (threads, elements) = (threads / 2, elements * 2);
        }
        let rows = rows.div_ceil(threads).next_power_of_two();
        let resident = resident && rows * self.panel <= elements;
        let width = width.min(elements / rows);
        if width < MIN_COLUMNS {
            return Panel::Memory;
        }
        Panel::Registers { threads, rows, width, resident, warps }
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::NvidiaFeatures;
    use crate::lapack::LOCAL_BYTES;

    /// Bytes of local memory that a panel's group takes, with columns in registers and without.
    fn local_bytes(plan: &QrPlan, kind: ScalarKind) -> [usize; 2] {
        let Panels::Group { threads, width, .. } = plan.panels else { panic!("{plan:?}") };
        let (bytes, real) = (kind.bytes(), kind.bytes() / if kind.is_complex() { 2 } else { 1 });
        let sums = width * (threads + threads / 8 + threads / 64 + 1);
        let squares = plan.panel * (2 * width + plan.panel) + width * (width + 3);
        let shared = plan.panel.div_ceil(THREADS / LANES);
        [
            bytes * (sums + squares) + real * plan.panel,
            3 * real * (THREADS + SUMMERS) + bytes * (shared * THREADS + plan.panel),
        ]
    }

    #[test]
    fn a_panel_s_group_has_the_local_memory_that_it_needs() {
        for max_work_group_size in [THREADS, LARGE_GROUP_THREADS] {
            let device = DeviceInfo { max_work_group_size, ..crate::device::example(DeviceClass::Gpu) };
            for kind in [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z] {
                let plan = QrPlan::for_kernels(kind, &device);
                assert!(plan.block.is_multiple_of(plan.panel), "{plan:?}");
                assert!(
                    local_bytes(&plan, kind).iter().all(|&bytes| bytes as u64 <= LOCAL_BYTES),
                    "{plan:?}, {kind:?}"
                );
                assert!(matches!(plan.kernel(1), Panel::Registers { .. }), "{plan:?}");
            }
        }
    }

    #[test]
    fn warp_reductions_fit_into_the_local_memory_of_nvidia_gpus() {
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        for kind in [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z] {
            let plan = QrPlan::for_kernels(kind, &device);
            let Panels::Group { threads, width, .. } = plan.panels else { panic!("{plan:?}") };
            let (panel, warps) = (plan.panel, threads / 32);
            let sums = (warps + 2) * panel * width + 2 * warps * width + panel * panel + width * (width + 3);
            assert!((sums + panel) * kind.bytes() <= 48 << 10, "{plan:?}, {kind:?}");
        }
    }

    #[test]
    fn registers_hold_the_fewer_columns_the_higher_a_panel_is() {
        let registers =
            |threads, warps| move |rows, width, resident| Panel::Registers { threads, rows, width, resident, warps };
        let plan = QrPlan::for_kernels(ScalarKind::S, &crate::device::example(DeviceClass::Gpu));
        let Panels::Group { threads, .. } = plan.panels else { panic!("{plan:?}") };
        let (max_rows, found) = (REGISTER_BYTES / ScalarKind::S.bytes() / MIN_COLUMNS, registers(threads, false));
        assert_eq!([1, threads + 1].map(|rows| plan.kernel(rows)), [found(1, 8, false), found(2, 8, false)]);
        assert_eq!(plan.kernel(max_rows), found(max_rows / threads, MIN_COLUMNS, false));
        assert_eq!(plan.kernel(max_rows + 1), Panel::Memory);

        let nvidia = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        for kind in [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z] {
            let (plan, threads) = (QrPlan { tensor: None, ..QrPlan::for_kernels(kind, &nvidia) }, LARGE_GROUP_THREADS);
            let resident = REGISTER_BYTES / kind.bytes() / plan.panel;
            let [fewer, large_group] = [threads / 2, threads].map(|threads| registers(threads, true));
            let higher = match kind {
                ScalarKind::Z => fewer(4, MAX_COLUMNS, false),
                _ => large_group(2, MAX_COLUMNS, resident > LOW_ROWS),
            };
            assert_eq!([0, 1].map(|more| plan.kernel(LOW_ROWS + more)), [fewer(2, MAX_COLUMNS, true), higher]);
            assert_eq!(plan.kernel(1025), large_group(4, MAX_COLUMNS.min(64 / kind.bytes()), false));
        }
    }

    #[test]
    fn tensor_cores_have_panels_of_real_types_in_registers() {
        let [h100, l4, a100] = [90, 89, 80].map(|capability| {
            let device =
                DeviceInfo { nvidia: NvidiaFeatures::of(capability), ..crate::device::example(DeviceClass::Gpu) };
            [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z].map(|kind| QrPlan::for_kernels(kind, &device))
        });
        assert!(l4.iter().chain(&a100).chain(&h100[2..]).all(|plan| plan.tensor.is_none()));
        // Without, the plan is that of a chip with the same warps.
        assert!(h100.iter().zip(&a100).all(|(with, without)| with.without_tensor_cores() == *without));
        for plan in &h100[..2] {
            assert!(plan.panel.is_multiple_of(2 * TensorGroup::TILE) && plan.panel <= WARP, "{plan:?}");
            let tiles = [1, 128, 129, 256, 512].map(|rows| plan.kernel(rows));
            let expected = [2, 2, 4, 4, 8].map(|tiles| Panel::Tensor { threads: TENSOR_GROUP.threads, tiles });
            assert_eq!(tiles, expected);
            assert!(matches!(plan.kernel(513), Panel::Registers { .. }));
            let tsqr = plan.tsqr.unwrap();
            assert_eq!(tsqr.threads, plan.panel * plan.panel / 4);
            // The triangles of up to 16 parts are such a panel, too.
            let [count, leaf_rows] = tsqr.split(16 * TENSOR_ROWS, plan.panel).unwrap();
            assert!(
                [count * plan.panel, leaf_rows].iter().all(|&rows| matches!(plan.kernel(rows), Panel::Tensor { .. }))
            );
            // Sums, a tile and a panel's T are in the local memory that devices state.
            let (TensorGroup { threads, tiles }, tile) = (TENSOR_GROUP, TensorGroup::TILE);
            let share = tile * plan.panel;
            let sums = threads / WARP * share.max(tiles * tile * tile);
            let found = 2 * (share + 2 * tile * tile + tile);
            let doubles = sums + 3 * share + found + tile * tile + 5 * tile;
            assert!(doubles * 8 + 4 * (plan.panel + tile + 8) <= 48 << 10, "{plan:?}");
        }
        let cut = h100[..2].iter().map(|plan| plan.tsqr.unwrap().split(TENSOR_ROWS + 1, plan.panel));
        assert_eq!(cut.collect::<Vec<_>>(), [None, Some([2, 257])]);
    }

    #[test]
    fn parts_of_high_panels_fit_a_group_and_so_do_their_triangles() {
        assert_eq!(QrPlan::for_kernels(ScalarKind::S, &crate::device::example(DeviceClass::Gpu)).tsqr, None);
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        for kind in [ScalarKind::S, ScalarKind::Z] {
            let plan = QrPlan::for_kernels(kind, &device);
            let (tsqr, width) = (plan.tsqr.unwrap(), plan.panel);
            assert!(tsqr.threads.is_multiple_of(width) && (width * width).is_multiple_of(tsqr.threads), "{plan:?}");
            assert!(matches!(plan.kernel(tsqr.max_rows), Panel::Registers { width: TSQR_COLUMNS, .. }), "{plan:?}");
            assert_eq!(tsqr.split(tsqr.max_uncut_rows, width), None);
            let (cut, leaves) = (tsqr.max_uncut_rows + 1, tsqr.max_uncut_rows / tsqr.rows + 1);
            assert_eq!(tsqr.split(cut, width), Some([leaves, cut.div_ceil(leaves)]));
            // With the maximum number of leaves, they take more rows each, as long as these fit into a group.
            let count = tsqr.max_rows / width;
            assert_eq!(tsqr.split(count * tsqr.rows, width), Some([count, tsqr.rows]));
            assert_eq!(tsqr.split(count * tsqr.rows + 1, width), Some([count, tsqr.rows + 1]));
            assert_eq!(tsqr.split(count * tsqr.max_rows, width), Some([count, tsqr.max_rows]));
            assert_eq!(tsqr.split(count * tsqr.max_rows + 1, width), None);
        }
        // The last leaf would have fewer rows than columns, or the stacked triangles of two leaves have too many rows.
        let tsqr = TsqrPlan { threads: 8, rows: 8, max_rows: 16, max_uncut_rows: 0 };
        assert_eq!((tsqr.split(17, 2), tsqr.split(25, 2)), (Some([3, 6]), Some([4, 7])));
        assert_eq!((tsqr.split(25, 5), tsqr.split(17, 9)), (Some([3, 9]), None));
        let tsqr = TsqrPlan { max_rows: 64, ..tsqr };
        assert_eq!(tsqr.split(17, 6), None);
    }

    #[test]
    fn without_work_groups_a_panel_is_one_work_items() {
        let tiny = DeviceInfo { local_memory_bytes: 16 << 10, ..crate::device::example(DeviceClass::Gpu) };
        for device in [tiny, crate::device::example(DeviceClass::Cpu), crate::device::example(DeviceClass::Accelerator)]
        {
            assert_eq!(QrPlan::for_kernels(ScalarKind::S, &device).kernel(1000), Panel::Serial);
        }
    }
}
