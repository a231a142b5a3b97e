//! The launches of panels' kernels.

use super::plan::{Panel, Panels};
use crate::error::Result;
use crate::lapack::{Block, Entries, Parts, THREADS};
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::Scalar;

const DIVIDE: &str = include_str!("../../../cl/common/divide.cl");
const PIVOT: &str = include_str!("../../../cl/lapack/lu/pivot.cl");
const CANDIDATE: &str = include_str!("../../../cl/lapack/lu/candidate.cl");
const SEARCH: &str = include_str!("../../../cl/lapack/lu/search.cl");
const WARPS_SEARCH: &str = include_str!("../../../cl/lapack/lu/search_nvidia.cl");
const STEP: &str = include_str!("../../../cl/lapack/lu/step.cl");
const GROUPS: &[&str] = &[DIVIDE, PIVOT, CANDIDATE, SEARCH, STEP];
const WARPS: &[&str] = &[DIVIDE, PIVOT, CANDIDATE, WARPS_SEARCH, STEP];
const MEMORY: &[&str] = &[DIVIDE, PIVOT, CANDIDATE, SEARCH, include_str!("../../../cl/lapack/lu/panel_memory.cl")];
const SERIAL: &[&str] = &[
    include_str!("../../../cl/common/vectors.cl"),
    DIVIDE,
    PIVOT,
    include_str!("../../../cl/lapack/lu/columns_cpu.cl"),
    include_str!("../../../cl/lapack/lu/panel_cpu.cl"),
];

/// Factorises a panel whose columns are contiguous, `base` columns right of the matrix's first one and as many rows below.
pub(super) fn factor<T: Scalar>(
    parts: &Parts<'_>,
    panel: Panel,
    [rows, width]: [usize; 2],
    a: Block<'_>,
    base: usize,
    (pivots, info): (Entries<'_>, Entries<'_>),
) -> Result<()> {
    let (name, files, threads, parameter) = match panel {
        Panel::Serial { width } => ("lu panel cpu", SERIAL, 1, ("WIDTH", width)),
        _ => ("lu panel in memory", MEMORY, THREADS, ("THREADS", THREADS)),
    };
    let mut definitions = vec![(parameter.0, parameter.1 as i64)];
    if threads == 1 {
        definitions.push(("VECTOR_WIDTH", parts.device.vector_width(T::KIND) as i64));
    }
    let context = parts.queue.context();
    let program = context.programs().get(context, &ProgramSource { name, kind: T::KIND, files, definitions })?;
    Launch::new(parts.queue, &program, "lu_panel")
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
        .enqueue_step([1, 1, 1], [threads, 1, 1])
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
        let sizes = [("THREADS", threads), ("ROWS", rows), ("WIDTH", width)];
        let definitions = sizes.map(|(name, size)| (name, size as i64)).to_vec();
        let files = if warps { WARPS } else { GROUPS };
        let source = ProgramSource { name: "lu step", kind: T::KIND, files, definitions };
        let context = parts.queue.context();
        let program = context.programs().get(context, &source)?;
        // As the kernel has it: rows that change places take two work-items for each column of the panel.
        let interchanged = threads / (2 * width);
        let groups = 1 + self.right.div_ceil(width) + self.left.div_ceil(interchanged);
        Launch::new(parts.queue, &program, "lu_step")
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
