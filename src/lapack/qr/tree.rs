//! High panels by many work-groups: their rows are cut into parts, each part is factorised, and so are the triangles of all parts
//! together. Then the reflections of the whole panel are found from those (see cl/lapack/qr/tsqr_root.cl), so that what comes of
//! it is what a single work-group would have made.

use std::sync::Arc;

use super::panel::{PanelOperands, Rows};
use super::plan::{QrPlan, TreePlan};
use super::reflectors::by_columns;
use crate::blas::level3::gemm::Operand;
use crate::context::{ContextParts, Scratch};
use crate::error::Result;
use crate::lapack::{Block, Entries, Parts};
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;

/// The last kernel, and scratch memory.
pub(super) struct Tree<'q> {
    plan: TreePlan,
    width: usize,
    root: Arc<Program>,
    parts: Found<'q>,
    last: Found<'q>,
}

/// What is found of parts, or of their triangles: vectors, and the triangles and factors of their reflections.
struct Found<'q> {
    vectors: Scratch<'q>,
    triangles: Scratch<'q>,
    factors: Scratch<'q>,
}

impl<'q> Found<'q> {
    fn new<T: Scalar>(parts: &Parts<'q>, rows: usize, width: usize, count: usize) -> Result<Self> {
        let of = |elements: usize| Scratch::borrow(parts.queue, (elements * size_of::<T>()) as u64);
        Ok(Found { vectors: of(rows * width)?, triangles: of(count * width * width)?, factors: of(count * width)? })
    }

    /// A panel in A whose results are these, with so many rows.
    fn panel<'a>(&'a self, a: Block<'a>, [rows, width]: [usize; 2]) -> PanelOperands<'a> {
        PanelOperands {
            a,
            tau: Entries { memory: &self.factors, offset: 0 },
            t: Block::new(&self.triangles, Operand::general(0, 1, width)),
            whole: (0, Block::new(&self.vectors, Operand::general(0, 1, rows))),
        }
    }
}

impl<'q> Tree<'q> {
    /// `None` where the plan cuts no panel of so many rows and, in all, columns.
    pub(super) fn new<T: Scalar>(
        parts: &Parts<'q>,
        plan: &QrPlan,
        [rows, columns]: [usize; 2],
    ) -> Result<Option<Self>> {
        let (Some(tree), width) = (plan.tree, plan.panel) else { return Ok(None) };
        let cut = |panel: usize| Some((rows - panel * width, tree.parts(rows - panel * width, width)?));
        let Some((most, _)) = (0..columns / width).find_map(cut) else { return Ok(None) };
        // Lower panels have no more parts.
        let count = most.div_ceil(tree.rows).min(tree.most / width);
        let nvidia = usize::from(parts.device.nvidia.inline_ptx);
        let sizes = [("THREADS", tree.threads), ("WIDTH", width), ("NVIDIA", nvidia)];
        let definitions = sizes.map(|(name, size)| (name, size as i64)).to_vec();
        let path = if plan.tensor.is_some() { "lapack/qr/tsqr_root_tensor.cl" } else { "lapack/qr/tsqr_root.cl" };
        let source = ProgramSource { name: "qr root", kind: T::KIND, root: source(path), definitions };
        let context = parts.queue.context();
        Ok(Some(Tree {
            plan: tree,
            width,
            root: context.program(&source)?,
            parts: Found::new::<T>(parts, most, width, count)?,
            last: Found::new::<T>(parts, count * width, width, 1)?,
        }))
    }

    /// The parts of a panel of this size and the rows of each, if it is to be cut.
    pub(super) fn parts(&self, [rows, width]: [usize; 2]) -> Option<[usize; 2]> {
        if width == self.width { self.plan.parts(rows, width) } else { None }
    }

    /// Factorises a panel that is cut so.
    pub(super) fn reflect<T: Scalar>(
        &self,
        parts: &Parts<'_>,
        plan: &QrPlan,
        [count, part_rows]: [usize; 2],
        rows: usize,
        PanelOperands { a, tau, t, whole: (above, whole) }: PanelOperands<'_>,
    ) -> Result<()> {
        let (width, threads, stacked) = (self.width, self.plan.threads, count * self.width);
        let found = self.parts.panel(a, [rows, width]);
        parts.reflect_in_registers::<T>(plan, Rows::Parts(part_rows), [rows, width], found)?;
        let found = self.last.panel(a, [stacked, width]);
        parts.reflect_in_registers::<T>(plan, Rows::Triangles(part_rows), [stacked, width], found)?;

        let groups_of_part = part_rows.div_ceil(threads);
        let launch = Launch::new(parts.queue, &self.root, "tsqr_root")
            .count(rows)
            .count(part_rows)
            .count(groups_of_part)
            .buffer(a.memory)
            .index(a.operand.offset)
            .index(a.operand.row_stride)
            .index(a.operand.column_stride)
            .scratch(&self.parts.vectors)
            .index(rows)
            .scratch(&self.parts.triangles)
            .scratch(&self.last.vectors)
            .index(stacked)
            .scratch(&self.last.triangles)
            .buffer(tau.memory)
            .index(tau.offset);
        let launch = by_columns(launch, t);
        by_columns(launch.count(above), whole).enqueue_step([count * groups_of_part, 1, 1], [threads, 1, 1])
    }
}
