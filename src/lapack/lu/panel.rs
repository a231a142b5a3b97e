//! The launches of panels' kernels.

use super::plan::{MAX_TALL_GROUPS, Panels, RowSplit};
use crate::context::{ContextParts, Queue, Workspace};
use crate::error::Result;
use crate::lapack::{Block, DeviceSlice, Executor};
use crate::launch::Launch;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;

/// Factorises a panel with contiguous columns by one work-item of a CPU. The panel begins at element (`base`, `base`)
/// of the matrix.
pub(super) fn factor_panel_serial<T: Scalar>(
    executor: &Executor<'_>,
    max_width: usize,
    [rows, width]: [usize; 2],
    a: Block<'_>,
    base: usize,
    (pivots, info): (DeviceSlice<'_>, DeviceSlice<'_>),
) -> Result<()> {
    let vector_width = executor.device.vector_width(T::KIND) as i64;
    let definitions = vec![("WIDTH", max_width as i64), ("VECTOR_WIDTH", vector_width)];
    let source =
        ProgramSource { name: "lu panel cpu", kind: T::KIND, root: source("lapack/lu/panel_cpu.cl"), definitions };
    let context = executor.queue.context();
    let program = context.program(&source)?;
    Launch::new(executor.queue, &program, "getf2_panel")
        .count(rows)
        .count(width)
        .buffer(a.memory)
        .index(a.operand.offset)
        .index(a.operand.column_stride)
        .count(base)
        .buffer(pivots.memory)
        .index(pivots.offset + base)
        .buffer(info.memory)
        .index(info.offset)
        .enqueue_step([1, 1, 1], [1, 1, 1])
}

/// A tall panel with contiguous columns, whose rows are split among work-groups.
pub(super) struct TallPanel<'a> {
    pub(super) split_rows: RowSplit,
    /// Columns that the kernel is compiled for.
    pub(super) max_width: usize,
    pub(super) warps: bool,
    /// Rows and columns of the panel.
    pub(super) size: [usize; 2],
    pub(super) a: Block<'a>,
    /// Columns of the matrix left of the panel, and rows above it.
    pub(super) base: usize,
}

impl TallPanel<'_> {
    /// Factorises it, with interchanges in its own columns, by a launch for each of them and one more.
    pub(super) fn enqueue<T: Scalar>(
        &self,
        executor: &Executor<'_>,
        candidates: &PivotCandidates<'_>,
        (pivots, info): (DeviceSlice<'_>, DeviceSlice<'_>),
    ) -> Result<()> {
        let RowSplit { threads, groups, rows: rows_per_group } = self.split_rows;
        let nvidia = usize::from(self.warps);
        let sizes = [("THREADS", threads), ("GROUPS", MAX_TALL_GROUPS), ("WIDTH", self.max_width), ("NVIDIA", nvidia)];
        let definitions = sizes.map(|(name, size)| (name, size as i64)).to_vec();
        let source =
            ProgramSource { name: "lu column", kind: T::KIND, root: source("lapack/lu/column.cl"), definitions };
        let context = executor.queue.context();
        let program = context.program(&source)?;
        let [rows, width] = self.size;
        for searched in 0..=width {
            Launch::new(executor.queue, &program, "getrf_column")
                .count(rows)
                .count(width)
                .count(searched)
                .count(rows_per_group)
                .buffer(self.a.memory)
                .index(self.a.operand.offset)
                .index(self.a.operand.column_stride)
                .count(self.base)
                .buffer(pivots.memory)
                .index(pivots.offset + self.base)
                .buffer(info.memory)
                .index(info.offset)
                .workspace(&candidates.values)
                .workspace(&candidates.rows)
                .enqueue_step([groups, 1, 1], [threads, 1, 1])?;
        }
        Ok(())
    }
}

/// Workspace for pivot search across work-groups: candidate rows and the diagonal row, double-buffered.
pub(super) struct PivotCandidates<'q> {
    values: Workspace<'q>,
    rows: Workspace<'q>,
}

impl<'q> PivotCandidates<'q> {
    /// Space for at most `groups` candidates in panels of at most `columns` columns.
    pub(super) fn borrow<T: Scalar>(queue: &'q Queue, groups: usize, columns: usize) -> Result<Self> {
        let sets = 2;
        let values = Workspace::borrow(queue, (sets * (groups + 1) * columns * size_of::<T>()) as u64)?;
        let rows = Workspace::borrow(queue, (sets * groups * size_of::<i32>()) as u64)?;
        Ok(PivotCandidates { values, rows })
    }
}

/// A panel in registers, and the columns left and right of it that the same launch updates. Columns are contiguous.
pub(super) struct Step {
    /// Rows from the panel's first one on.
    pub(super) rows: usize,
    /// Columns of the previous panel, of this one, right of this one, and left of the previous one.
    pub(super) before: usize,
    pub(super) width: usize,
    pub(super) right: usize,
    pub(super) left: usize,
    /// Columns of the matrix left of the panel, and rows above it.
    pub(super) base: usize,
}

impl Step {
    /// `a` begins with the panel.
    pub(super) fn enqueue<T: Scalar>(
        &self,
        executor: &Executor<'_>,
        panels: Panels,
        [rows, width]: [usize; 2],
        a: Block<'_>,
        (pivots, info): (DeviceSlice<'_>, DeviceSlice<'_>),
    ) -> Result<()> {
        let Panels::Group { threads, warps, .. } = panels else { unreachable!("a CPU has no panels in registers") };
        let sizes = [("THREADS", threads), ("ROWS", rows), ("WIDTH", width), ("NVIDIA", usize::from(warps))];
        let definitions = sizes.map(|(name, size)| (name, size as i64)).to_vec();
        let source = ProgramSource { name: "lu step", kind: T::KIND, root: source("lapack/lu/step.cl"), definitions };
        let context = executor.queue.context();
        let program = context.program(&source)?;
        // The kernel uses two work-items per column of the panel for each interchanged pair of rows.
        let interchanged = threads / (2 * width);
        let groups = 1 + self.right.div_ceil(width) + self.left.div_ceil(interchanged);
        Launch::new(executor.queue, &program, "getrf_step")
            .count(self.rows)
            .count(self.before)
            .count(self.width)
            .count(self.right)
            .count(self.left)
            .buffer(a.memory)
            .index(a.operand.offset)
            .index(a.operand.column_stride)
            .count(self.base)
            .buffer(pivots.memory)
            .index(pivots.offset + self.base)
            .buffer(info.memory)
            .index(info.offset)
            .enqueue_step([groups, 1, 1], [threads, 1, 1])
    }
}
