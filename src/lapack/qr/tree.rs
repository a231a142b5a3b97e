//! High panels by many work-groups: their rows are cut into parts, each part is factorised, and so are the triangles of all parts
//! together. Then the reflections of the whole panel are found from those (see cl/lapack/qr/tree_root.cl), so that what comes of
//! it is what a single work-group would have made.

use std::sync::Arc;

use super::plan::{Panels, QrPlan, TreePlan};
use super::reflectors::{DIVIDE, SCALED, SUMS, WARPS_SUMS, by_columns};
use crate::context::Scratch;
use crate::error::Result;
use crate::lapack::{Block, Entries, Parts};
use crate::launch::Launch;
use crate::program::{Program, ProgramSource};
use crate::scalar::Scalar;

const LEAF: &str = include_str!("../../../cl/lapack/qr/tree_leaf.cl");
const LEAF_BY_SUMS: &[&str] = &[DIVIDE, SCALED, SUMS, LEAF];
const LEAF_BY_WARPS: &[&str] = &[DIVIDE, SCALED, WARPS_SUMS, LEAF];
const ROOT: &[&str] = &[DIVIDE, include_str!("../../../cl/lapack/qr/tree_root.cl")];

/// The two kernels, and scratch memory for them.
pub(super) struct Tree<'q> {
    plan: TreePlan,
    width: usize,
    leaf: Arc<Program>,
    root: Arc<Program>,
    parts: Found<'q>,
    last: Found<'q>,
}

/// What a launch of leaves finds: vectors, how they belong together, and triangles, one below the other.
struct Found<'q> {
    vectors: Scratch<'q>,
    links: Scratch<'q>,
    triangles: Scratch<'q>,
}

impl<'q> Found<'q> {
    fn new<T: Scalar>(parts: &Parts<'q>, rows: usize, width: usize, count: usize) -> Result<Self> {
        let of = |rows: usize| Scratch::borrow(parts.queue, (rows * width * size_of::<T>()) as u64);
        Ok(Found { vectors: of(rows)?, links: of(count * width)?, triangles: of(count * width)? })
    }
}

impl<'q> Tree<'q> {
    /// `None` where the plan cuts no panel of so many rows and, in all, columns.
    pub(super) fn new<T: Scalar>(
        parts: &Parts<'q>,
        plan: &QrPlan,
        [rows, columns]: [usize; 2],
    ) -> Result<Option<Self>> {
        let (Some(tree), width, Panels::Group { warps, .. }) = (plan.tree, plan.panel, plan.panels) else {
            return Ok(None);
        };
        if !(0..columns / width).any(|panel| tree.parts(rows - panel * width, width).is_some()) {
            return Ok(None);
        }
        // Higher panels are not cut at all, and have no use for more.
        let most = tree.threads * tree.rows;
        let count = rows.div_ceil(most).min(most / width);
        let context = parts.queue.context();
        let program = |name, files, sizes: &[(&'static str, usize)]| {
            let definitions = sizes.iter().map(|&(name, size)| (name, size as i64)).collect();
            let source = ProgramSource { name, kind: T::KIND, files, definitions };
            context.programs().get(context, &source)
        };
        let sizes = [("THREADS", tree.threads), ("WIDTH", width), ("ROWS", tree.rows)];
        let leaf_files = if warps { LEAF_BY_WARPS } else { LEAF_BY_SUMS };
        Ok(Some(Tree {
            plan: tree,
            width,
            leaf: program("qr leaf", leaf_files, &sizes)?,
            root: program("qr root", ROOT, &sizes[..2])?,
            parts: Found::new::<T>(parts, rows.min(count * most), width, count)?,
            last: Found::new::<T>(parts, count * width, width, 1)?,
        }))
    }

    /// The parts of a panel of this size and the rows of each, if it is to be cut.
    pub(super) fn parts(&self, [rows, width]: [usize; 2]) -> Option<[usize; 2]> {
        if width == self.width { self.plan.parts(rows, width) } else { None }
    }

    /// Factorises a panel that is cut so. Its vectors are also written with ones and zeros, and so many rows of zeros above them.
    #[allow(clippy::too_many_arguments, reason = "a panel's operands")]
    pub(super) fn reflect(
        &self,
        parts: &Parts<'_>,
        [count, part_rows]: [usize; 2],
        rows: usize,
        a: Block<'_>,
        tau: Entries<'_>,
        t: Block<'_>,
        (above, whole): (usize, Block<'_>),
    ) -> Result<()> {
        let (width, threads) = (self.width, self.plan.threads);
        let stacked = count * width;
        let leaf = || Launch::new(parts.queue, &self.leaf, "qr_leaf");
        let found = |launch: Launch<'_>, found: &Found<'_>, [rows, count]: [usize; 2]| {
            launch
                .scratch(&found.vectors)
                .index(rows)
                .scratch(&found.links)
                .scratch(&found.triangles)
                .index(count * width)
                .enqueue_step([count, 1, 1], [threads, 1, 1])
        };
        let launch = leaf().count(rows).count(part_rows).buffer(a.memory);
        let launch = launch.index(a.operand.offset).index(a.operand.row_stride).index(a.operand.column_stride);
        found(launch, &self.parts, [rows, count])?;
        let launch =
            leaf().count(stacked).count(stacked).scratch(&self.parts.triangles).index(0).index(1).index(stacked);
        found(launch, &self.last, [stacked, 1])?;

        let groups_of_part = part_rows.div_ceil(threads);
        let launch = Launch::new(parts.queue, &self.root, "qr_root")
            .count(rows)
            .count(part_rows)
            .count(groups_of_part)
            .buffer(a.memory)
            .index(a.operand.offset)
            .index(a.operand.row_stride)
            .index(a.operand.column_stride)
            .scratch(&self.parts.vectors)
            .index(rows)
            .scratch(&self.parts.links)
            .scratch(&self.last.vectors)
            .index(stacked)
            .scratch(&self.last.links)
            .scratch(&self.last.triangles)
            .index(width)
            .buffer(tau.memory)
            .index(tau.offset);
        let launch = by_columns(launch, t);
        by_columns(launch.count(above), whole).enqueue_step([count * groups_of_part, 1, 1], [threads, 1, 1])
    }
}
