//! How QR is cut into panels and blocks: plain data, chosen without a device.

use crate::device::{DeviceClass, DeviceInfo};
use crate::lapack::native::Backend;
use crate::lapack::{THREADS, has_groups, has_warps, works_ahead};
use crate::scalar::ScalarKind;

/// How a matrix is factorised: by blocks of columns, each of them by halves down to panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QrPlan {
    /// Who does all of a factorisation: the rest is the kernels'.
    pub backend: Backend,
    /// Columns of a block: reflections that are applied together to what is right of them.
    pub block: usize,
    /// Columns of a panel.
    pub panel: usize,
    /// Columns that reflections are applied to at a time, at most.
    pub slab: usize,
    /// Who factorises panels.
    pub panels: Panels,
    /// Who factorises those of so few rows that a group with tensor cores has them in registers.
    pub tensor: Option<TensorGroup>,
    /// Who factorises parts of high panels.
    pub tree: Option<TreePlan>,
    /// Compute units that apply a block's reflections while the next one is factorised; without, one follows the other.
    pub ahead: Option<usize>,
}

/// A work-group with tensor cores for doubles: panels of real numbers of 16 or 32 columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorGroup {
    /// Work-items: two warps or more.
    pub threads: usize,
    /// Tiles of rows that a warp has, at most.
    pub tiles: usize,
}

impl TensorGroup {
    /// Rows of a tile.
    pub const TILE: usize = 8;
    /// Tiles of a warp that are not worth another kernel for fewer.
    const FEWEST: usize = 2;

    /// Tiles that a warp has of a panel of so many rows: one of few numbers, each a kernel. None where that is too many.
    fn tiles(&self, rows: usize) -> Option<usize> {
        let tiles = rows.div_ceil(self.threads / WARP * Self::TILE).next_power_of_two().max(Self::FEWEST);
        (tiles <= self.tiles).then_some(tiles)
    }
}

/// How the rows of a high panel are cut into parts, each of them a work-group's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreePlan {
    /// Work-items of a group that finds the reflections of the whole: a multiple of a panel's columns that divides their square; with
    /// tensor cores a quarter of it.
    pub threads: usize,
    /// Rows of a part, as long as there are not too many parts.
    pub rows: usize,
    /// Rows that a group factorises in registers, at most: of a part, and of the triangles of all parts.
    pub most: usize,
    /// Rows of a panel that is not cut, at most.
    pub uncut: usize,
}

impl TreePlan {
    /// How many parts a panel of so many rows and columns has, and the rows of each but the last, which may have fewer. The triangles
    /// of all parts are one part's work.
    pub fn parts(&self, rows: usize, width: usize) -> Option<[usize; 2]> {
        let count = rows.div_ceil(self.rows).min(self.most / width).max(1);
        let part_rows = rows.div_ceil(count);
        let fits = part_rows <= self.most && rows >= (count - 1) * part_rows + width;
        (rows > self.uncut && count > 1 && fits).then_some([count, part_rows])
    }
}

/// Who factorises panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panels {
    /// A work-group, with some columns at a time in registers.
    Group {
        /// Work-items: a multiple of 8.
        threads: usize,
        /// Rows up to which half as many do.
        low: usize,
        /// Elements that a work-item has in registers: a power of two.
        elements: usize,
        /// Columns that are reflected one after the other in registers, at most: a power of two.
        width: usize,
        /// Whether all columns of a panel are in registers where there is room for them.
        resident: bool,
        /// Whether it adds by the shuffles of NVIDIA's warps.
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
        /// Columns that are reflected one after the other in registers.
        width: usize,
        /// Whether the others are in registers too.
        resident: bool,
        /// Whether sums are made by shuffles.
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
/// Columns of a panel of a group, and of complex doubles, whose products would take too much local memory; and of a CPU.
const GROUP_PANEL: usize = 32;
const GROUP_PANEL_Z: usize = 16;
const CPU_PANEL: usize = 16;
/// Work-items of a group, where a device has groups of so many. Where they are in warps, half as many are faster for so few rows;
/// and for more rows of complex doubles, of which two for a work-item do not fit into the registers that it then has.
const MANY_THREADS: usize = 512;
const LOW_ROWS: usize = 512;
const LOW_ROWS_Z: usize = 1024;
/// Bytes that a group has in registers, and those of its columns' sums.
const REGISTER_BYTES: usize = 128 << 10;
const SUM_BYTES: usize = 16 << 10;
/// Columns that are reflected one after the other: the most, since each is written out in the kernel, and the fewest.
const MOST_COLUMNS: usize = 8;
const FEWEST_COLUMNS: usize = 2;
/// Of high panels: work-items of the groups that find the whole's reflections, rows of a part, and columns that a group has in
/// registers.
const TREE_THREADS: usize = 256;
const TREE_ROWS: usize = 512;
const TREE_COLUMNS: usize = 4;
/// Rows from which on a panel is cut: there a group alone takes longer than the parts' three launches (on an H200).
const UNCUT_ROWS: usize = 1024;
/// Work-items of a warp.
const WARP: usize = 32;
/// The group for tensor cores with m16 fragments of f64, as high as a panel's two tiles of columns.
const TENSOR_GROUP: TensorGroup = TensorGroup { threads: 256, tiles: 8 };
/// Rows of a panel that such a group has.
const TENSOR_ROWS: usize = TENSOR_GROUP.threads / WARP * TENSOR_GROUP.tiles * TensorGroup::TILE;
/// Of a group that works in memory, work-items that have a column together, and that add the sums of all.
pub(super) const LANES: usize = 32;
pub(super) const SUMMERS: usize = 16;
const _: () = assert!(THREADS.is_multiple_of(LANES) && THREADS.is_multiple_of(SUMMERS));

/// Rows and columns of a matrix, at most, that is factorised with look-ahead.
const AHEAD_TO: usize = 12_288;
/// Reflections from which what they are applied to is most of the work.
const LARGE_ORDER: usize = 6144;

impl QrPlan {
    /// The plan for a matrix of a size on a device.
    pub fn choose(kind: ScalarKind, size: [usize; 2], device: &DeviceInfo) -> Self {
        let plan = QrPlan { backend: Backend::choose(size, device), ..Self::by_kernels(kind, device) };
        QrPlan { ahead: Self::units_ahead(size, device), ..plan }
    }

    /// See [`QrPlan::ahead`]. Of a small matrix, panels are most of the work.
    fn units_ahead(size: [usize; 2], device: &DeviceInfo) -> Option<usize> {
        let is_small = size[0].min(size[1]) < LARGE_ORDER;
        let units = if is_small { device.compute_units * 5 / 8 } else { device.compute_units * 3 / 4 };
        works_ahead(size, AHEAD_TO, device).then_some(units)
    }

    /// The plan for a device's kernels.
    pub fn by_kernels(kind: ScalarKind, device: &DeviceInfo) -> Self {
        let backend = Backend::Device;
        let (slab, bytes) = (usize::MAX, kind.bytes());
        if !has_groups(device) {
            let block = if device.class == DeviceClass::Cpu { CPU_BLOCK } else { GPU_BLOCK };
            let (panel, panels) = (CPU_PANEL, Panels::Serial);
            return QrPlan { backend, block, panel, slab, panels, tensor: None, tree: None, ahead: None };
        }
        let warps = has_warps(device);
        let threads = if device.max_work_group_size >= MANY_THREADS { MANY_THREADS } else { THREADS };
        let low = match kind {
            _ if !warps => 0,
            ScalarKind::Z => LOW_ROWS_Z,
            _ => LOW_ROWS,
        };
        // With shuffles, the parts of sums take hardly any memory.
        let width = if warps { MOST_COLUMNS } else { (SUM_BYTES / threads / bytes).min(MOST_COLUMNS) };
        let elements = REGISTER_BYTES / threads / bytes;
        let panels = Panels::Group { threads, low, elements, width, resident: warps, warps };
        let panel = if kind == ScalarKind::Z { GROUP_PANEL_Z } else { GROUP_PANEL };
        // Elsewhere, sums of so many columns at a time take too much local memory.
        let most = threads * elements / TREE_COLUMNS;
        let tensor = (!kind.is_complex() && device.nvidia.fast_mma_f64).then_some(TENSOR_GROUP);
        // Of doubles higher ones take a group more than twice as long.
        let uncut = if tensor.is_some() && kind.is_double() { TENSOR_ROWS } else { UNCUT_ROWS };
        let tree = warps.then_some(TreePlan { threads: TREE_THREADS, rows: TREE_ROWS, most, uncut });
        QrPlan { backend, block: GPU_BLOCK, panel, slab, panels, tensor, tree, ahead: None }
    }

    /// The same plan for a device whose tensor cores do not do what they should.
    pub fn without_tensor_cores(self) -> Self {
        let tree = self.tree.map(|tree| TreePlan { uncut: UNCUT_ROWS, ..tree });
        QrPlan { tensor: None, tree, ..self }
    }

    /// Whether work-groups factorise panels: then a block's panels are factorised one after the other, and its vectors copied into
    /// a matrix for products that take whole ones only.
    pub fn by_groups(&self) -> bool {
        self.panels != Panels::Serial
    }

    /// The kernel for a panel of so many rows.
    pub fn kernel(&self, rows: usize) -> Panel {
        let Panels::Group { mut threads, low, mut elements, width, resident, warps } = self.panels else {
            return Panel::Serial;
        };
        if let Some((group, tiles)) = self.tensor.and_then(|group| Some((group, group.tiles(rows)?))) {
            return Panel::Tensor { threads: group.threads, tiles };
        }
        if rows <= low {
            (threads, elements) = (threads / 2, elements * 2);
        }
        let rows = rows.div_ceil(threads).next_power_of_two();
        let resident = resident && rows * self.panel <= elements;
        let width = width.min(elements / rows);
        if width < FEWEST_COLUMNS {
            return Panel::Memory;
        }
        Panel::Registers { threads, rows, width, resident, warps }
    }
}

#[cfg(test)]
mod tests {
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
        for max_work_group_size in [THREADS, MANY_THREADS] {
            let device = DeviceInfo { max_work_group_size, ..crate::device::example(DeviceClass::Gpu) };
            for kind in [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z] {
                let plan = QrPlan::by_kernels(kind, &device);
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
    fn warps_leave_their_parts_of_sums_in_the_local_memory_that_nvidia_s_gpus_have() {
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        for kind in [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z] {
            let plan = QrPlan::by_kernels(kind, &device);
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
        let plan = QrPlan::by_kernels(ScalarKind::S, &crate::device::example(DeviceClass::Gpu));
        let Panels::Group { threads, .. } = plan.panels else { panic!("{plan:?}") };
        let (most, found) = (REGISTER_BYTES / ScalarKind::S.bytes() / FEWEST_COLUMNS, registers(threads, false));
        assert_eq!([1, threads + 1].map(|rows| plan.kernel(rows)), [found(1, 8, false), found(2, 8, false)]);
        assert_eq!(plan.kernel(most), found(most / threads, FEWEST_COLUMNS, false));
        assert_eq!(plan.kernel(most + 1), Panel::Memory);

        let nvidia = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        for kind in [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z] {
            let (plan, threads) = (QrPlan { tensor: None, ..QrPlan::by_kernels(kind, &nvidia) }, MANY_THREADS);
            let resident = REGISTER_BYTES / kind.bytes() / plan.panel;
            let [fewer, many] = [threads / 2, threads].map(|threads| registers(threads, true));
            let higher = match kind {
                ScalarKind::Z => fewer(4, MOST_COLUMNS, false),
                _ => many(2, MOST_COLUMNS, resident > LOW_ROWS),
            };
            assert_eq!([0, 1].map(|more| plan.kernel(LOW_ROWS + more)), [fewer(2, MOST_COLUMNS, true), higher]);
            assert_eq!(plan.kernel(1025), many(4, MOST_COLUMNS.min(64 / kind.bytes()), false));
        }
    }

    #[test]
    fn tensor_cores_have_panels_of_real_numbers_in_registers() {
        let [h100, l4, a100] = [90, 89, 80].map(|capability| {
            let device =
                DeviceInfo { nvidia: NvidiaFeatures::of(capability), ..crate::device::example(DeviceClass::Gpu) };
            [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z].map(|kind| QrPlan::by_kernels(kind, &device))
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
            let tree = plan.tree.unwrap();
            assert_eq!(tree.threads, plan.panel * plan.panel / 4);
            // The triangles of up to 16 parts are such a panel, too.
            let [count, part_rows] = tree.parts(16 * TENSOR_ROWS, plan.panel).unwrap();
            assert!(
                [count * plan.panel, part_rows].iter().all(|&rows| matches!(plan.kernel(rows), Panel::Tensor { .. }))
            );
            // Sums, a tile and a panel's T are in the local memory that devices state.
            let (TensorGroup { threads, tiles }, tile) = (TENSOR_GROUP, TensorGroup::TILE);
            let share = tile * plan.panel;
            let sums = threads / WARP * share.max(tiles * tile * tile);
            let found = 2 * (share + 2 * tile * tile + tile);
            let doubles = sums + 3 * share + found + tile * tile + 5 * tile;
            assert!(doubles * 8 + 4 * (plan.panel + tile + 8) <= 48 << 10, "{plan:?}");
        }
        let cut = h100[..2].iter().map(|plan| plan.tree.unwrap().parts(TENSOR_ROWS + 1, plan.panel));
        assert_eq!(cut.collect::<Vec<_>>(), [None, Some([2, 257])]);
    }

    #[test]
    fn parts_of_high_panels_fit_a_group_and_so_do_their_triangles() {
        assert_eq!(QrPlan::by_kernels(ScalarKind::S, &crate::device::example(DeviceClass::Gpu)).tree, None);
        let device = DeviceInfo { nvidia: NvidiaFeatures::of(90), ..crate::device::example(DeviceClass::Gpu) };
        for kind in [ScalarKind::S, ScalarKind::Z] {
            let plan = QrPlan::by_kernels(kind, &device);
            let (tree, width) = (plan.tree.unwrap(), plan.panel);
            assert!(tree.threads.is_multiple_of(width) && (width * width).is_multiple_of(tree.threads), "{plan:?}");
            assert!(matches!(plan.kernel(tree.most), Panel::Registers { width: TREE_COLUMNS, .. }), "{plan:?}");
            assert_eq!(tree.parts(tree.uncut, width), None);
            let (cut, parts) = (tree.uncut + 1, tree.uncut / tree.rows + 1);
            assert_eq!(tree.parts(cut, width), Some([parts, cut.div_ceil(parts)]));
            // More rows than so many parts have are theirs too, as long as they fit into a group.
            let count = tree.most / width;
            assert_eq!(tree.parts(count * tree.rows, width), Some([count, tree.rows]));
            assert_eq!(tree.parts(count * tree.rows + 1, width), Some([count, tree.rows + 1]));
            assert_eq!(tree.parts(count * tree.most, width), Some([count, tree.most]));
            assert_eq!(tree.parts(count * tree.most + 1, width), None);
        }
        // The last part would have fewer rows than columns, or the triangles of two parts are too high.
        let tree = TreePlan { threads: 8, rows: 8, most: 16, uncut: 0 };
        assert_eq!((tree.parts(17, 2), tree.parts(25, 2)), (Some([3, 6]), Some([4, 7])));
        assert_eq!((tree.parts(25, 5), tree.parts(17, 9)), (Some([3, 9]), None));
        let tree = TreePlan { most: 64, ..tree };
        assert_eq!(tree.parts(17, 6), None);
    }

    #[test]
    fn without_work_groups_a_panel_is_one_work_items() {
        let tiny = DeviceInfo { local_memory_bytes: 16 << 10, ..crate::device::example(DeviceClass::Gpu) };
        for device in [tiny, crate::device::example(DeviceClass::Cpu), crate::device::example(DeviceClass::Accelerator)]
        {
            assert_eq!(QrPlan::by_kernels(ScalarKind::S, &device).kernel(1000), Panel::Serial);
        }
    }
}
