//! Panels of columns: kernels that make reflections.

use super::plan::{LANES, Panel, QrPlan, SUMMERS};
use super::reflectors::by_columns;
use crate::blas::level3::gemm::Operand;
use crate::context::{ContextParts, Scratch};
use crate::error::Result;
use crate::lapack::{Block, Entries, Parts, THREADS};
use crate::launch::Launch;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;

/// What rows groups with columns in registers have.
#[derive(Clone, Copy)]
pub(super) enum Rows {
    /// Those of parts of so many, a group each; the last part may have fewer.
    Parts(usize),
    /// Those of the triangles at the tops of such parts: a group's.
    Triangles(usize),
}

/// A panel's operands.
#[derive(Clone, Copy)]
pub(super) struct PanelOperands<'a> {
    pub(super) a: Block<'a>,
    pub(super) tau: Entries<'a>,
    /// The triangle of its reflections.
    pub(super) t: Block<'a>,
    /// Where its vectors are also written with ones and zeros, and so many rows of zeros above them.
    pub(super) whole: (usize, Block<'a>),
}

impl Parts<'_> {
    /// Factorises a panel of so many rows and columns by one group.
    pub(super) fn reflect_panel<T: Scalar>(
        &self,
        plan: &QrPlan,
        [rows, width]: [usize; 2],
        panel: PanelOperands<'_>,
    ) -> Result<()> {
        if matches!(plan.kernel(rows), Panel::Registers { .. } | Panel::Tensor { .. }) {
            return self.reflect_in_registers::<T>(plan, Rows::Parts(rows), [rows, width], panel);
        }
        let PanelOperands { a, tau, t, whole: (above, whole) } = panel;
        self.reflect_in_memory::<T>(plan, [rows, width], a, tau, t)?;
        self.copy_vectors::<T>([rows, width], above, a, whole)
    }

    /// Factorises a panel, or the parts of it, or the triangles at their tops. The triangles of the parts' reflections and their
    /// factors are beside each other.
    pub(super) fn reflect_in_registers<T: Scalar>(
        &self,
        plan: &QrPlan,
        of: Rows,
        [rows, width]: [usize; 2],
        PanelOperands { a, tau, t, whole: (above, whole) }: PanelOperands<'_>,
    ) -> Result<()> {
        let (part_rows, groups, stacked) = match of {
            Rows::Parts(part_rows) => (part_rows, rows.div_ceil(part_rows), false),
            Rows::Triangles(part_rows) => (part_rows, 1, true),
        };
        let group_rows = if stacked { rows } else { part_rows };
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
        let launch = Launch::new(self.queue, &program, "qr_panel").count(rows).count(part_rows).count(width);
        let launch = launch.buffer(a.memory).index(a.operand.offset);
        let launch = launch.index(a.operand.row_stride).index(a.operand.column_stride);
        let launch = by_columns(launch.buffer(tau.memory).index(tau.offset), t);
        by_columns(launch.count(above), whole).enqueue_step([groups, 1, 1], [threads, 1, 1])
    }

    /// Factorises a panel, in a copy by columns where the matrix lies by rows.
    pub(super) fn reflect_in_memory<T: Scalar>(
        &self,
        plan: &QrPlan,
        [rows, width]: [usize; 2],
        a: Block<'_>,
        tau: Entries<'_>,
        t: Block<'_>,
    ) -> Result<()> {
        if a.operand.row_stride == 1 {
            return self.reflect_columns::<T>(plan, [rows, width], a, tau, t);
        }
        let memory = Scratch::borrow(self.queue, (rows * width * size_of::<T>()) as u64)?;
        let copy = Block::new(&memory, Operand::general(0, 1, rows));
        self.copy::<T>([rows, width], a, copy)?;
        self.reflect_columns::<T>(plan, [rows, width], copy, tau, t)?;
        self.copy::<T>([rows, width], copy, a)
    }

    fn reflect_columns<T: Scalar>(
        &self,
        plan: &QrPlan,
        [rows, width]: [usize; 2],
        a: Block<'_>,
        tau: Entries<'_>,
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
