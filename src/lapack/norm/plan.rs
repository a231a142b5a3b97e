//! Division of a matrix among work-groups: blocks of rows of blocks of columns.

use crate::device::{DeviceClass, DeviceInfo};
use crate::lapack::has_groups;
use crate::options::Norm;
use crate::program::{ProgramSource, source};
use crate::scalar::ScalarKind;

/// Reduction over a matrix with contiguous columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Reduce all elements.
    All,
    /// Reduce each column.
    Columns,
    /// Reduce each row.
    Rows,
}

/// Blocks of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NormPlan {
    /// Work-items of a group, a power of two.
    pub(crate) threads: usize,
    /// Rows of a block.
    pub(crate) rows: usize,
    /// Columns of a block.
    pub(crate) columns: usize,
}

/// Work-items of a group, at most.
const THREADS: usize = 256;
/// Work-groups for each compute unit.
const GROUPS_PER_UNIT: usize = 8;
/// Maximum elements of a column per work-item of a GPU.
const COLUMN_ELEMENTS: usize = 32;
/// Minimum elements of a CPU's block, so that it takes longer than its launch.
const MIN_BLOCK_ELEMENTS: usize = 4096;
/// Rows of a CPU's block: of a column, and of row sums, which stay in the cache.
const COLUMN_ROWS: usize = 1 << 16;
const CACHED_ROWS: usize = 1 << 10;

impl NormPlan {
    /// The plan for a matrix with adjacent columns, which has elements.
    pub(crate) fn choose(reduction: Reduction, m: usize, n: usize, device: &DeviceInfo) -> Self {
        let max_groups = GROUPS_PER_UNIT * device.compute_units.max(1);
        if !has_groups(device) {
            let rows = m.min(if reduction == Reduction::Rows { CACHED_ROWS } else { COLUMN_ROWS });
            let max_groups = (m.saturating_mul(n) / MIN_BLOCK_ELEMENTS).clamp(1, max_groups);
            return Self::of(1, rows, max_groups, [m, n]);
        }
        if reduction == Reduction::Rows {
            return Self::of(THREADS, THREADS, max_groups, [m, n]);
        }
        let threads = m.next_power_of_two().clamp(32, THREADS);
        Self::of(threads, m.min(threads * COLUMN_ELEMENTS), max_groups, [m, n])
    }

    /// Blocks that make about `groups` work-groups.
    fn of(threads: usize, rows: usize, groups: usize, [m, n]: [usize; 2]) -> Self {
        let slabs = (groups / m.div_ceil(rows)).clamp(1, n);
        NormPlan { threads, rows, columns: n.div_ceil(slabs) }
    }

    /// Blocks of rows, and blocks of columns.
    pub(crate) fn blocks(&self, m: usize, n: usize) -> [usize; 2] {
        [m.div_ceil(self.rows), n.div_ceil(self.columns)]
    }

    /// The program of a norm.
    pub(crate) fn source(&self, norm: Norm, kind: ScalarKind, device: &DeviceInfo) -> ProgramSource {
        // Moduli of complex elements are found one by one.
        let vectors = device.class == DeviceClass::Cpu && (norm == Norm::Frobenius || !kind.is_complex());
        let (name, root) = match norm {
            Norm::Max => ("norm max", source("lapack/norm/elements.cl")),
            Norm::Frobenius => ("norm frobenius", source("lapack/norm/elements.cl")),
            Norm::One | Norm::Infinity => ("norm lines", source("lapack/norm/lines.cl")),
        };
        // A float's square neither overflows nor underflows in double.
        let double_accumulators = norm == Norm::Frobenius && device.fp64;
        let mut definitions = vec![
            ("THREADS", self.threads as i64),
            ("SUM_IS_DOUBLE", i64::from(double_accumulators)),
            ("FROBENIUS", i64::from(norm == Norm::Frobenius)),
        ];
        if vectors {
            definitions.push(("VECTOR_WIDTH", device.vector_width(kind) as i64));
        }
        ProgramSource { name, kind, root, definitions }
    }

    /// Program that finds the largest sum, and the work-items of its group.
    pub(crate) fn finish_source(kind: ScalarKind, device: &DeviceInfo) -> (ProgramSource, usize) {
        let threads = if has_groups(device) { THREADS } else { 1 };
        let definitions = vec![("THREADS", threads as i64)];
        (ProgramSource { name: "norm finish", kind, root: source("lapack/norm/finish_lines.cl"), definitions }, threads)
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn blocks_cover_the_matrix_and_none_is_empty() {
        for class in [DeviceClass::Cpu, DeviceClass::Gpu, DeviceClass::Accelerator] {
            let device = crate::device::example(class);
            for [m, n] in [[1, 1], [1, 100_000], [100_000, 1], [33, 7], [3000, 3000], [1 << 20, 1 << 12]] {
                for reduction in [Reduction::All, Reduction::Columns, Reduction::Rows] {
                    let plan = NormPlan::choose(reduction, m, n, &device);
                    let [blocks, slabs] = plan.blocks(m, n);
                    assert!((blocks - 1) * plan.rows < m && blocks * plan.rows >= m, "{plan:?}");
                    assert!((slabs - 1) * plan.columns < n && slabs * plan.columns >= n, "{plan:?}");
                    assert!(plan.threads.is_power_of_two());
                }
            }
        }
    }

    #[test]
    fn a_row_across_columns_has_a_work_item_of_a_gpu() {
        let device = crate::device::example(DeviceClass::Gpu);
        let plan = NormPlan::choose(Reduction::Rows, 5000, 70, &device);
        assert_eq!(plan.rows, plan.threads);
    }
}
