//! How the elements of a matrix are shared out among work-groups: blocks of rows of blocks of columns.

use crate::device::{DeviceClass, DeviceInfo};
use crate::lapack::has_groups;
use crate::options::Norm;
use crate::program::ProgramSource;
use crate::scalar::ScalarKind;

/// How the elements of a matrix with adjacent columns are walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    /// All of them, to one number.
    Elements,
    /// Along the columns, to a number for each.
    Along,
    /// Across the columns, to a number for each row.
    Across,
}

/// The blocks of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NormPlan {
    /// Work-items of a group, a power of two.
    pub(crate) threads: usize,
    /// Rows of a block.
    pub(crate) rows: usize,
    /// Columns of a block.
    pub(crate) columns: usize,
}

const MODULUS: &str = include_str!("../../../cl/lapack/norm/modulus.cl");
const LARGEST: &str = include_str!("../../../cl/lapack/norm/largest.cl");
const SUM: &str = include_str!("../../../cl/lapack/norm/sum.cl");
const PATTERN: &str = include_str!("../../../cl/lapack/norm/pattern.cl");
const ELEMENTS: &str = include_str!("../../../cl/lapack/norm/elements.cl");
const LINES: &str = include_str!("../../../cl/lapack/norm/lines.cl");
const FINISH_LINES: &str = include_str!("../../../cl/lapack/norm/finish_lines.cl");
const VECTORS: &str = include_str!("../../../cl/common/vectors.cl");
const SUMS: &str = include_str!("../../../cl/common/sums.cl");
const SQUARES: &str = include_str!("../../../cl/common/squares.cl");
const NRM2: &str = include_str!("../../../cl/blas/level1/reduction/nrm2.cl");
const GROUP: &str = include_str!("../../../cl/blas/level1/reduction/group.cl");
const FINISH: &str = include_str!("../../../cl/blas/level1/reduction/finish.cl");

const MAX_FILES: [&[&str]; 2] = [
    &[MODULUS, LARGEST, GROUP, PATTERN, ELEMENTS, FINISH],
    &[VECTORS, MODULUS, LARGEST, GROUP, PATTERN, ELEMENTS, FINISH],
];
const FROBENIUS_FILES: [&[&str]; 2] = [
    &[SUMS, SQUARES, NRM2, GROUP, PATTERN, ELEMENTS, FINISH],
    &[VECTORS, SUMS, SQUARES, NRM2, GROUP, PATTERN, ELEMENTS, FINISH],
];
const LINES_FILES: [&[&str]; 2] =
    [&[MODULUS, SUM, GROUP, PATTERN, LINES], &[VECTORS, SUMS, MODULUS, SUM, GROUP, PATTERN, LINES]];
const FINISH_FILES: &[&str] = &[MODULUS, LARGEST, GROUP, FINISH_LINES];

/// Work-items of a group, at most.
const THREADS: usize = 256;
/// Work-groups for each compute unit.
const GROUPS_PER_UNIT: usize = 8;
/// Elements that a work-item of a GPU takes of a column, at most.
const COLUMN_SHARE: usize = 32;
/// On a CPU a block is at least as many elements as cost about a launch.
const SHORTEST_BLOCK: usize = 4096;
/// Rows of a CPU's block: of a column, and of sums that stay in the cache.
const COLUMN_ROWS: usize = 1 << 16;
const CACHED_ROWS: usize = 1 << 10;

impl NormPlan {
    /// The plan for a matrix with adjacent columns, which has elements.
    pub(crate) fn choose(walk: Walk, m: usize, n: usize, device: &DeviceInfo) -> Self {
        let most = GROUPS_PER_UNIT * device.compute_units.max(1);
        if !has_groups(device) {
            let rows = m.min(if walk == Walk::Across { CACHED_ROWS } else { COLUMN_ROWS });
            let most = (m.saturating_mul(n) / SHORTEST_BLOCK).clamp(1, most);
            return Self::of(1, rows, most, [m, n]);
        }
        if walk == Walk::Across {
            return Self::of(THREADS, THREADS, most, [m, n]);
        }
        let threads = m.next_power_of_two().clamp(32, THREADS);
        Self::of(threads, m.min(threads * COLUMN_SHARE), most, [m, n])
    }

    /// As many blocks as make about so many groups.
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
        let (name, files) = match norm {
            Norm::Max => ("norm max", MAX_FILES),
            Norm::Frobenius => ("norm frobenius", FROBENIUS_FILES),
            Norm::One | Norm::Infinity => ("norm lines", LINES_FILES),
        };
        // A float's square neither overflows nor underflows in double.
        let double_sums = norm == Norm::Frobenius && device.fp64;
        let mut definitions = vec![("THREADS", self.threads as i64), ("SUM_IS_DOUBLE", i64::from(double_sums))];
        if vectors {
            definitions.push(("VECTOR_WIDTH", device.vector_width(kind) as i64));
        }
        ProgramSource { name, kind, files: files[usize::from(vectors)], definitions }
    }

    /// The program that finds the largest sum of a line, and the work-items of its group.
    pub(crate) fn finish_source(kind: ScalarKind, device: &DeviceInfo) -> (ProgramSource, usize) {
        let threads = if has_groups(device) { THREADS } else { 1 };
        let definitions = vec![("THREADS", threads as i64)];
        (ProgramSource { name: "norm finish", kind, files: FINISH_FILES, definitions }, threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_the_matrix_and_none_is_empty() {
        for class in [DeviceClass::Cpu, DeviceClass::Gpu, DeviceClass::Accelerator] {
            let device = crate::device::example(class);
            for [m, n] in [[1, 1], [1, 100_000], [100_000, 1], [33, 7], [3000, 3000], [1 << 20, 1 << 12]] {
                for walk in [Walk::Elements, Walk::Along, Walk::Across] {
                    let plan = NormPlan::choose(walk, m, n, &device);
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
        let plan = NormPlan::choose(Walk::Across, 5000, 70, &device);
        assert_eq!(plan.rows, plan.threads);
    }
}
