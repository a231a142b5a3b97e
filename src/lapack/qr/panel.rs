//! Launches of the panel factorisation's kernels (LAPACK: xGEQR2 with xLARFT).

use super::plan::{LANES, Panel, QrPlan, SUMMERS};
use super::reflectors::by_columns;
use crate::blas::level3::gemm::Operand;
use crate::context::{ContextParts, Workspace};
use crate::error::Result;
use crate::lapack::{Block, DeviceSlice, Executor, THREADS};
use crate::launch::Launch;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;

/// Rows that a group factorises in registers.
#[derive(Clone, Copy)]
pub(super) enum Rows {
    /// One leaf of TSQR per group, with this many rows; the last leaf may have fewer.
    Leaves(usize),
    /// The R factors of all leaves, stacked, by one group.
    Triangles(usize),
}

/// A panel's operands.
#[derive(Clone, Copy)]
pub(super) struct PanelOperands<'a> {
    pub(super) a: Block<'a>,
    pub(super) tau: DeviceSlice<'a>,
    /// T of the panel's block reflector.
    pub(super) t: Block<'a>,
    /// Copy of V with explicit ones and zeros, and the number of zero rows above it.
    pub(super) v: (usize, Block<'a>),
}

impl Executor<'_> {
    /// Factorises a `rows` x `width` panel by one group.
    pub(super) fn factor_panel<T: Scalar>(
        &self,
        plan: &QrPlan,
        [rows, width]: [usize; 2],
        panel: PanelOperands<'_>,
    ) -> Result<()> {
        if matches!(plan.kernel(rows), Panel::Registers { .. } | Panel::Tensor { .. }) {
            return self.factor_panel_in_registers::<T>(plan, Rows::Leaves(rows), [rows, width], panel);
        }
        let PanelOperands { a, tau, t, v: (above, v) } = panel;
        self.factor_panel_in_memory::<T>(plan, [rows, width], a, tau, t)?;
        self.copy_vectors::<T>([rows, width], above, a, v)
    }

    /// Factorises a panel, the leaves of one, or the stacked R factors of its leaves. T and tau of consecutive leaves
    /// are contiguous.
    pub(super) fn factor_panel_in_registers<T: Scalar>(
        &self,
        plan: &QrPlan,
        of: Rows,
        [rows, width]: [usize; 2],
        PanelOperands { a, tau, t, v: (above, v) }: PanelOperands<'_>,
    ) -> Result<()> {
        let (leaf_rows, groups, stacked) = match of {
            Rows::Leaves(leaf_rows) => (leaf_rows, rows.div_ceil(leaf_rows), false),
            Rows::Triangles(leaf_rows) => (leaf_rows, 1, true),
        };
        let group_rows = if stacked { rows } else { leaf_rows };
        let common = [("PANEL", plan.panel as i64), ("STACKED", i64::from(stacked))];
        let (path, threads, sizes) = match plan.kernel(group_rows) {
            Panel::Registers { threads, rows, width, resident, warps } => {
                let flags = [("RESIDENT", usize::from(resident)), ("NVIDIA", usize::from(warps))];
                let sizes = [("ROWS", rows), ("WIDTH", width)].into_iter().chain(flags).collect();
                ("lapack/qr/panel_registers.cl", threads, sizes)
            }
            Panel::Tensor { threads, tiles } => {
                let nvidia = usize::from(self.device.nvidia.inline_ptx);
                ("lapack/qr/panel_tensor.cl", threads, vec![("TILES", tiles), ("NVIDIA", nvidia)])
            }
            Panel::Memory | Panel::Serial => unreachable!("panels with more rows have other kernels"),
        };
        let sizes = sizes.into_iter().chain([("THREADS", threads)]).map(|(name, size)| (name, size as i64));
        let definitions = sizes.chain(common).collect();
        let source = ProgramSource { name: "qr panel in registers", kind: T::KIND, root: source(path), definitions };
        let context = self.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(self.queue, &program, "qr_panel").count(rows).count(leaf_rows).count(width);
        let launch = launch.buffer(a.memory).index(a.operand.offset);
        let launch = launch.index(a.operand.row_stride).index(a.operand.column_stride);
        let launch = by_columns(launch.buffer(tau.memory).index(tau.offset), t);
        by_columns(launch.count(above), v).enqueue_step([groups, 1, 1], [threads, 1, 1])
    }

    /// Factorises a panel; a row-major one in a column-major copy.
    pub(super) fn factor_panel_in_memory<T: Scalar>(
        &self,
        plan: &QrPlan,
        [rows, width]: [usize; 2],
        a: Block<'_>,
        tau: DeviceSlice<'_>,
        t: Block<'_>,
    ) -> Result<()> {
        if a.operand.row_stride == 1 {
            return self.factor_panel_columns::<T>(plan, [rows, width], a, tau, t);
        }
        let memory = Workspace::borrow(self.queue, (rows * width * size_of::<T>()) as u64)?;
        let copy = Block::new(&memory, Operand::general(0, 1, rows));
        self.copy::<T>([rows, width], a, copy)?;
        self.factor_panel_columns::<T>(plan, [rows, width], copy, tau, t)?;
        self.copy::<T>([rows, width], copy, a)
    }

    fn factor_panel_columns<T: Scalar>(
        &self,
        plan: &QrPlan,
        [rows, width]: [usize; 2],
        a: Block<'_>,
        tau: DeviceSlice<'_>,
        t: Block<'_>,
    ) -> Result<()> {
        let (name, path, threads, sizes) = if plan.by_groups() {
            let sizes = vec![("THREADS", THREADS), ("LANES", LANES), ("REDUCERS", SUMMERS), ("WIDTH", plan.panel)];
            ("qr panel in memory", "lapack/qr/panel_memory.cl", THREADS, sizes)
        } else {
            let sizes = vec![("VECTOR_WIDTH", self.device.vector_width(T::KIND)), ("WIDTH", plan.panel)];
            ("qr panel cpu", "lapack/qr/panel_cpu.cl", 1, sizes)
        };
        let definitions = sizes.into_iter().map(|(name, size)| (name, size as i64)).collect();
        let source = ProgramSource { name, kind: T::KIND, root: source(path), definitions };
        let context = self.queue.context();
        let program = context.program(&source)?;
        let launch = by_columns(Launch::new(self.queue, &program, "qr_panel").count(rows).count(width), a);
        let launch = by_columns(launch.buffer(tau.memory).index(tau.offset), t);
        launch.enqueue_step([1, 1, 1], [threads, 1, 1])
    }
}
