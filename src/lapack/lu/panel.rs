//! The launches of panels' kernels.

use super::plan::{Panel, Panels};
use crate::device::DeviceFacts;
use crate::error::Result;
use crate::lapack::{Block, Entries, Parts};
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::{Scalar, ScalarKind};

const DIVIDE: &str = include_str!("../../../cl/common/divide.cl");
const PIVOT: &str = include_str!("../../../cl/lapack/lu/pivot.cl");
const CANDIDATE: &str = include_str!("../../../cl/lapack/lu/candidate.cl");
const SEARCH: &str = include_str!("../../../cl/lapack/lu/search.cl");
const WARPS_SEARCH: &str = include_str!("../../../cl/lapack/lu/search_nvidia.cl");
const IN_REGISTERS: &str = include_str!("../../../cl/lapack/lu/panel_registers.cl");
const REGISTERS: &[&str] = &[DIVIDE, PIVOT, CANDIDATE, SEARCH, IN_REGISTERS];
const WARPS: &[&str] = &[DIVIDE, PIVOT, CANDIDATE, WARPS_SEARCH, IN_REGISTERS];
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
    (panels, panel): (Panels, Panel),
    [rows, width]: [usize; 2],
    a: Block<'_>,
    base: usize,
    (pivots, info): (Entries<'_>, Entries<'_>),
) -> Result<()> {
    let context = parts.queue.context();
    let (threads, warps) = match panels {
        Panels::Group { threads, warps, .. } => (threads, warps),
        Panels::Serial { .. } => (1, false),
    };
    let program = context.programs().get(context, &source(T::KIND, panel, (threads, warps), parts.device))?;
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

fn source(kind: ScalarKind, panel: Panel, (threads, warps): (usize, bool), device: &DeviceFacts) -> ProgramSource {
    let group = ("THREADS", threads as i64);
    let (name, files, definitions) = match panel {
        Panel::Registers { rows, width, columns } => {
            let sizes = [("ROWS", rows as i64), ("WIDTH", width as i64), ("PANEL", columns as i64)];
            let files = if warps { WARPS } else { REGISTERS };
            ("lu panel in registers", files, [group].into_iter().chain(sizes).collect())
        }
        Panel::Memory { .. } => ("lu panel in memory", MEMORY, vec![group]),
        Panel::Serial { width } => {
            let vector_width = device.vector_width(kind) as i64;
            ("lu panel cpu", SERIAL, vec![("VECTOR_WIDTH", vector_width), ("WIDTH", width as i64)])
        }
    };
    ProgramSource { name, kind, files, definitions }
}
