//! The launches of panels' kernels.

use super::plan::{MOST_TALL_GROUPS, Panels, Shares};
use crate::context::{ContextParts, Queue, Scratch};
use crate::error::Result;
use crate::lapack::{Block, Entries, Parts};
use crate::launch::Launch;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;

/// Factorises a panel whose columns are contiguous by one work-item of a CPU, `base` columns right of the matrix's first one and as many
/// rows below.
pub(super) fn factor_serially<T: Scalar>(
    parts: &Parts<'_>,
    most: usize,
    [rows, width]: [usize; 2],
    a: Block<'_>,
    base: usize,
    (pivots, info): (Entries<'_>, Entries<'_>),
) -> Result<()> {
    let vector_width = parts.device.vector_width(T::KIND) as i64;
    let definitions = vec![("WIDTH", most as i64), ("VECTOR_WIDTH", vector_width)];
    let source =
        ProgramSource { name: "lu panel cpu", kind: T::KIND, root: source("lapack/lu/panel_cpu.cl"), definitions };
    let context = parts.queue.context();
    let program = context.program(&source)?;
    Launch::new(parts.queue, &program, "getf2_panel")
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

/// A panel of contiguous columns whose rows many groups share.
pub(super) struct Tall<'a> {
    pub(super) shares: Shares,
    /// Columns that the kernel is compiled for.
    pub(super) most: usize,
    pub(super) warps: bool,
    /// Rows and columns of the panel.
    pub(super) size: [usize; 2],
    pub(super) a: Block<'a>,
    /// Columns of the matrix left of the panel, and rows above it.
    pub(super) base: usize,
}

impl Tall<'_> {
    /// Factorises it, with interchanges in its own columns, by a launch for each of them and one more.
    pub(super) fn enqueue<T: Scalar>(
        &self,
        parts: &Parts<'_>,
        offers: &Offers<'_>,
        (pivots, info): (Entries<'_>, Entries<'_>),
    ) -> Result<()> {
        let Shares { threads, groups, rows: rows_each } = self.shares;
        let nvidia = usize::from(self.warps);
        let sizes = [("THREADS", threads), ("GROUPS", MOST_TALL_GROUPS), ("WIDTH", self.most), ("NVIDIA", nvidia)];
        let definitions = sizes.map(|(name, size)| (name, size as i64)).to_vec();
        let source =
            ProgramSource { name: "lu column", kind: T::KIND, root: source("lapack/lu/column.cl"), definitions };
        let context = parts.queue.context();
        let program = context.program(&source)?;
        let [rows, width] = self.size;
        for searched in 0..=width {
            Launch::new(parts.queue, &program, "getrf_column")
                .count(rows)
                .count(width)
                .count(searched)
                .count(rows_each)
                .buffer(self.a.memory)
                .index(self.a.operand.offset)
                .index(self.a.operand.column_stride)
                .count(self.base)
                .buffer(pivots.memory)
                .index(pivots.offset + self.base)
                .buffer(info.memory)
                .index(info.offset)
                .scratch(&offers.values)
                .scratch(&offers.rows)
                .enqueue_step([groups, 1, 1], [threads, 1, 1])?;
        }
        Ok(())
    }
}

/// Scratch memory for the rows that groups offer as the pivot's: two sets, each with the one on the diagonal.
pub(super) struct Offers<'q> {
    values: Scratch<'q>,
    rows: Scratch<'q>,
}

impl<'q> Offers<'q> {
    /// For so many groups, at most, and panels of so many columns.
    pub(super) fn borrow<T: Scalar>(queue: &'q Queue, groups: usize, columns: usize) -> Result<Self> {
        let sets = 2;
        let values = Scratch::borrow(queue, (sets * (groups + 1) * columns * size_of::<T>()) as u64)?;
        let rows = Scratch::borrow(queue, (sets * groups * size_of::<i32>()) as u64)?;
        Ok(Offers { values, rows })
    }
}

/// A panel in registers, of a block whose columns are contiguous, and what is brought up to date beside it.
pub(super) struct Step {
    /// Rows from the panel's first one on.
    pub(super) rows: usize,
    /// Columns of the panel before, of this one, and of what is right of this one and left of the one before.
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
        parts: &Parts<'_>,
        panels: Panels,
        [rows, width]: [usize; 2],
        a: Block<'_>,
        (pivots, info): (Entries<'_>, Entries<'_>),
    ) -> Result<()> {
        let Panels::Group { threads, warps, .. } = panels else { unreachable!("a CPU has no panels in registers") };
        let sizes = [("THREADS", threads), ("ROWS", rows), ("WIDTH", width), ("NVIDIA", usize::from(warps))];
        let definitions = sizes.map(|(name, size)| (name, size as i64)).to_vec();
        let source = ProgramSource { name: "lu step", kind: T::KIND, root: source("lapack/lu/step.cl"), definitions };
        let context = parts.queue.context();
        let program = context.program(&source)?;
        // As the kernel has it: rows that change places take two work-items for each column of the panel.
        let interchanged = threads / (2 * width);
        let groups = 1 + self.right.div_ceil(width) + self.left.div_ceil(interchanged);
        Launch::new(parts.queue, &program, "getrf_step")
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
