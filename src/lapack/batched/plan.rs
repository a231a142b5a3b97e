//! How the matrices of a batch are factorised: plain data, chosen without a device.

use crate::device::{DeviceClass, DeviceInfo};
use crate::lapack::{THREADS, has_groups};
use crate::scalar::ScalarKind;

/// How the matrices of a batch are factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchedFactorPlan {
    /// One after the other, as matrices of their own.
    Each,
    /// All in one launch, so many matrices by a work-item of a CPU.
    Items {
        /// Matrices.
        per_item: usize,
    },
    /// A launch for all matrices' panels of so many columns, whose rows teams of work-items have in registers; a matrix that is not
    /// wider is one launch.
    Teams {
        /// Columns.
        width: usize,
    },
}

/// How the matrices of a batch are brought to triangular form by reflections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchedQrPlan {
    /// One after the other, as matrices of their own.
    Each,
    /// All in one launch, so many matrices by a work-item of a CPU.
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
    /// Work-items: a power of two, at least as many as the panel has rows.
    pub members: usize,
    /// Teams that share a work-group.
    pub teams: usize,
    /// Elements that a work-item has: a multiple of `step`.
    pub width: usize,
    /// Elements after which those that are done make place.
    pub step: usize,
}

/// Work-items of a group, at least.
const GROUP: usize = 32;
/// Elements that stand first in the registers at a time.
const STEP: usize = 8;
/// Rows that a team has, at most.
const MOST_ROWS: usize = 512;
/// The same where its work-items may have as many elements as would fill all registers.
const MANY_ROWS: usize = 256;
/// Bytes of a work-item's elements, and the most that they are.
const ELEMENT_BYTES: usize = 256;
const MOST_ELEMENTS: usize = 32;
/// Order from which a matrix is worth its own launches on a CPU.
const CPU_ORDER: usize = 128;
/// Elements from which it is.
const CPU_ELEMENTS: usize = 1 << 16;
/// Elements of a matrix from which a work-group takes too long for it alone.
const GROUP_ELEMENTS: usize = 1 << 19;
/// Work-items per core that level out their different speeds.
const ITEMS_PER_CORE: usize = 8;
/// Multiply-adds that are worth a work-item.
const WORK_PER_ITEM: usize = 1 << 14;

impl Team {
    /// A team for a panel of so many rows and columns. It has no more programs than it needs.
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        let members = rows.next_power_of_two().max(4);
        let step = if columns <= STEP / 2 { STEP / 2 } else { STEP };
        Team { members, teams: (GROUP / members).max(1), width: columns.max(1).next_multiple_of(step), step }
    }

    /// The same with a work-group of its own, and no smaller one than it would share.
    pub(crate) fn alone(self) -> Self {
        Team { members: self.members.max(GROUP), teams: 1, ..self }
    }

    /// Work-items of a group.
    pub(crate) const fn threads(&self) -> usize {
        self.members * self.teams
    }
}

/// Elements that a work-item has in registers, in groups for so many rows.
fn elements(kind: ScalarKind, rows: usize) -> usize {
    let most = (ELEMENT_BYTES / kind.bytes()).min(MOST_ELEMENTS);
    if rows > MANY_ROWS { (most / 2).max(STEP) } else { most }
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
    /// The plan for LU of `count` matrices of so many rows and columns, and for Cholesky's factorisation.
    pub fn choose(kind: ScalarKind, [rows, columns]: [usize; 2], count: usize, device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu {
            let per_item = matrices_per_item([rows, columns], count, device);
            return per_item.map_or(BatchedFactorPlan::Each, |per_item| BatchedFactorPlan::Items { per_item });
        }
        if !has_groups(device) || rows > MOST_ROWS.min(device.max_work_group_size) || columns > 4 * MOST_ROWS {
            return BatchedFactorPlan::Each;
        }
        BatchedFactorPlan::Teams { width: elements(kind, rows) }
    }
}

impl BatchedQrPlan {
    /// The plan for `count` matrices of so many rows and columns.
    pub fn choose(kind: ScalarKind, [rows, columns]: [usize; 2], count: usize, device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu {
            let per_item = matrices_per_item([rows, columns], count, device);
            return per_item.map_or(BatchedQrPlan::Each, |per_item| BatchedQrPlan::Items { per_item });
        }
        if !has_groups(device) || rows.saturating_mul(columns) > GROUP_ELEMENTS {
            return BatchedQrPlan::Each;
        }
        if rows <= elements(kind, columns) && columns <= MANY_ROWS.min(device.max_work_group_size) {
            return BatchedQrPlan::Teams;
        }
        // A work-item has a column at a time.
        BatchedQrPlan::Groups { threads: columns.next_power_of_two().clamp(GROUP, THREADS) }
    }
}

#[cfg(test)]
mod tests {
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
                assert!((GROUP..=MOST_ROWS).contains(&team.threads()), "{team:?}");
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
