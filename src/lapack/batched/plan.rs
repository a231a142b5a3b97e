//! Plans of batched factorisations: plain data, chosen without a device.

use crate::device::{DeviceClass, DeviceInfo};
use crate::lapack::{THREADS, has_groups};
use crate::scalar::ScalarKind;

/// Algorithm of a batch of LU or Cholesky factorisations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchedFactorPlan {
    /// A loop over the matrices, with their own plans.
    Each,
    /// One launch; each work-item of a CPU factorises several matrices.
    Items {
        /// Matrices.
        per_item: usize,
    },
    /// One launch per panel of `width` columns of all matrices. Teams of work-items have the panel's rows in registers.
    Teams {
        /// Columns.
        width: usize,
    },
}

/// Algorithm of a batch of QR factorisations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchedQrPlan {
    /// A loop over the matrices, with their own plans.
    Each,
    /// One launch; each work-item of a CPU factorises several matrices.
    Items {
        /// Matrices.
        per_item: usize,
    },
    /// All in one launch; teams of work-items have the columns in registers.
    Teams,
    /// All in one launch, a work-group for each matrix, in memory.
    Groups {
        /// Work-items of a group.
        threads: usize,
    },
}

/// A team of work-items that has a panel in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Team {
    /// Work-items: a power of two, not fewer than the panel's rows.
    pub members: usize,
    /// Teams that share a work-group.
    pub teams: usize,
    /// Elements that a work-item has: a multiple of `step`.
    pub width: usize,
    /// Elements after which finished ones are shifted out of the registers.
    pub step: usize,
}

/// Work-items of a group, at least.
const GROUP: usize = 32;
/// Elements that stand first in the registers at a time.
const STEP: usize = 8;
/// Maximum rows of a team.
const MAX_TEAM_ROWS: usize = 512;
/// Maximum rows of a team whose work-items use all registers.
const MAX_FULL_TEAM_ROWS: usize = 256;
/// Maximum bytes and number of a work-item's elements.
const ELEMENT_BYTES: usize = 256;
const MAX_ITEM_ELEMENTS: usize = 32;
/// Order from which a CPU factorises each matrix with its own launches.
const CPU_ORDER: usize = 128;
/// Elements from which it is.
const CPU_ELEMENTS: usize = 1 << 16;
/// Elements of a matrix above which a single work-group is too slow.
const GROUP_ELEMENTS: usize = 1 << 19;
/// Work-items per core that level out their different speeds.
const ITEMS_PER_CORE: usize = 8;
/// Multiply-adds that are worth a work-item.
const WORK_PER_ITEM: usize = 1 << 14;

impl Team {
    /// A team for a `rows` x `columns` panel. Its sizes are rounded up, so that few programs are compiled.
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        let members = rows.next_power_of_two().max(4);
        let step = if columns <= STEP / 2 { STEP / 2 } else { STEP };
        Team { members, teams: (GROUP / members).max(1), width: columns.max(1).next_multiple_of(step), step }
    }

    /// The team with a work-group of its own, of at least the shared size.
    pub(crate) fn with_own_group(self) -> Self {
        Team { members: self.members.max(GROUP), teams: 1, ..self }
    }

    /// Work-items of a group.
    pub(crate) const fn threads(&self) -> usize {
        self.members * self.teams
    }
}

/// Elements per work-item in registers, in teams of `rows` rows.
fn elements(kind: ScalarKind, rows: usize) -> usize {
    let max_elements = (ELEMENT_BYTES / kind.bytes()).min(MAX_ITEM_ELEMENTS);
    if rows > MAX_FULL_TEAM_ROWS { (max_elements / 2).max(STEP) } else { max_elements }
}

/// The matrices of a CPU's work-item, unless they are large ones.
fn matrices_per_item([rows, columns]: [usize; 2], count: usize, device: &DeviceInfo) -> Option<usize> {
    if rows.min(columns) > CPU_ORDER || rows.saturating_mul(columns) > CPU_ELEMENTS {
        return None;
    }
    let work = (rows * columns * rows.min(columns) / 2).max(1);
    let even = count.div_ceil(ITEMS_PER_CORE * device.compute_units);
    Some(even.max((WORK_PER_ITEM / work).min(count)).max(1))
}

impl BatchedFactorPlan {
    /// The plan for LU of `count` `rows` x `columns` matrices, and for Cholesky.
    pub fn choose(kind: ScalarKind, [rows, columns]: [usize; 2], count: usize, device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu {
            let per_item = matrices_per_item([rows, columns], count, device);
            return per_item.map_or(BatchedFactorPlan::Each, |per_item| BatchedFactorPlan::Items { per_item });
        }
        if !has_groups(device) || rows > MAX_TEAM_ROWS.min(device.max_work_group_size) || columns > 4 * MAX_TEAM_ROWS {
            return BatchedFactorPlan::Each;
        }
        BatchedFactorPlan::Teams { width: elements(kind, rows) }
    }
}

impl BatchedQrPlan {
    /// The plan for `count` `rows` x `columns` matrices.
    pub fn choose(kind: ScalarKind, [rows, columns]: [usize; 2], count: usize, device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu {
            let per_item = matrices_per_item([rows, columns], count, device);
            return per_item.map_or(BatchedQrPlan::Each, |per_item| BatchedQrPlan::Items { per_item });
        }
        if !has_groups(device) || rows.saturating_mul(columns) > GROUP_ELEMENTS {
            return BatchedQrPlan::Each;
        }
        if rows <= elements(kind, columns) && columns <= MAX_FULL_TEAM_ROWS.min(device.max_work_group_size) {
            return BatchedQrPlan::Teams;
        }
        // A work-item has a column at a time.
        BatchedQrPlan::Groups { threads: columns.next_power_of_two().clamp(GROUP, THREADS) }
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn a_gpus_teams_have_panels_in_registers() {
        let device = crate::device::example(DeviceClass::Gpu);
        let plan = |kind, rows, columns| BatchedFactorPlan::choose(kind, [rows, columns], 100, &device);
        assert_eq!(plan(ScalarKind::S, 32, 32), BatchedFactorPlan::Teams { width: 32 });
        assert_eq!(plan(ScalarKind::Z, 32, 32), BatchedFactorPlan::Teams { width: 16 });
        assert_eq!(plan(ScalarKind::D, 512, 512), BatchedFactorPlan::Teams { width: 16 });
        assert_eq!(plan(ScalarKind::D, 513, 5), BatchedFactorPlan::Each);
        let small = DeviceInfo { max_work_group_size: 64, ..device.clone() };
        assert_eq!(BatchedFactorPlan::choose(ScalarKind::S, [8, 8], 9, &small), BatchedFactorPlan::Each);
    }

    #[test]
    fn teams_share_a_group_and_cover_their_panel() {
        for rows in [0, 1, 3, 4, 5, 17, 32, 33, 100, 512] {
            for columns in [0, 1, 4, 5, 8, 9, 31, 32] {
                let team = Team::new(rows, columns);
                assert!(team.members >= rows && team.width >= columns && team.width > 0, "{team:?}");
                assert!(team.members.is_power_of_two() && team.width.is_multiple_of(team.step), "{team:?}");
                assert!((GROUP..=MAX_TEAM_ROWS).contains(&team.threads()), "{team:?}");
            }
        }
        assert_eq!(Team::new(4, 3), Team { members: 4, teams: 8, width: 4, step: 4 });
        assert_eq!(Team::new(20, 20), Team { members: 32, teams: 1, width: 24, step: 8 });
    }

    #[test]
    fn work_items_share_out_the_batch() {
        let device = crate::device::example(DeviceClass::Cpu);
        let plan = |n, count| BatchedFactorPlan::choose(ScalarKind::D, [n, n], count, &device);
        assert_eq!(plan(64, 16), BatchedFactorPlan::Items { per_item: 1 });
        assert_eq!(plan(64, 1600), BatchedFactorPlan::Items { per_item: 100 });
        assert_eq!(plan(2, 10), BatchedFactorPlan::Items { per_item: 10 });
        assert_eq!(plan(CPU_ORDER + 1, 10), BatchedFactorPlan::Each);
    }

    #[test]
    fn columns_too_high_for_registers_are_reflected_in_memory() {
        let device = crate::device::example(DeviceClass::Gpu);
        let plan = |kind, rows, columns| BatchedQrPlan::choose(kind, [rows, columns], 100, &device);
        assert_eq!(plan(ScalarKind::S, 32, 200), BatchedQrPlan::Teams);
        assert_eq!(plan(ScalarKind::Z, 17, 17), BatchedQrPlan::Groups { threads: 32 });
        assert_eq!(plan(ScalarKind::S, 65, 33), BatchedQrPlan::Groups { threads: 64 });
        assert_eq!(plan(ScalarKind::S, 1024, 1024), BatchedQrPlan::Each);
    }
}
