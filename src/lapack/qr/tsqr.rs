//! TSQR (Demmel, Grigori, Hoemmen and Langou 2012) of tall panels by many work-groups: factorise leaves of rows, then
//! their stacked R factors. Householder vectors of the whole panel are reconstructed from both (see
//! cl/lapack/qr/tsqr_root.cl), so that the result is that of geqr2.

use std::sync::Arc;

use super::panel::{PanelOperands, Rows};
use super::plan::{QrPlan, TsqrPlan};
use super::reflectors::by_columns;
use crate::blas::level3::gemm::Operand;
use crate::context::{ContextParts, Workspace};
use crate::error::Result;
use crate::lapack::{Block, DeviceSlice, Executor};
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;

/// The last kernel, and workspace.
pub(super) struct Tsqr<'q> {
    plan: TsqrPlan,
    width: usize,
    top_program: Arc<Program>,
    leaves: StageFactors<'q>,
    top: StageFactors<'q>,
}

/// Reflectors of one stage, of all leaves or of the stacked R factors: V, T and tau.
struct StageFactors<'q> {
    vectors: Workspace<'q>,
    triangles: Workspace<'q>,
    factors: Workspace<'q>,
}

impl<'q> StageFactors<'q> {
    fn new<T: Scalar>(executor: &Executor<'q>, rows: usize, width: usize, count: usize) -> Result<Self> {
        let of = |elements: usize| Workspace::borrow(executor.queue, (elements * size_of::<T>()) as u64);
        Ok(StageFactors {
            vectors: of(rows * width)?,
            triangles: of(count * width * width)?,
            factors: of(count * width)?,
        })
    }

    /// Operands of a factorisation in A that stores its reflectors here.
    fn panel<'a>(&'a self, a: Block<'a>, [rows, width]: [usize; 2]) -> PanelOperands<'a> {
        PanelOperands {
            a,
            tau: DeviceSlice { memory: &self.factors, offset: 0 },
            t: Block::new(&self.triangles, Operand::general(0, 1, width)),
            v: (0, Block::new(&self.vectors, Operand::general(0, 1, rows))),
        }
    }
}

impl<'q> Tsqr<'q> {
    /// `None` if the plan splits no panel of a `rows` x `columns` matrix.
    pub(super) fn new<T: Scalar>(
        executor: &Executor<'q>,
        plan: &QrPlan,
        [rows, columns]: [usize; 2],
    ) -> Result<Option<Self>> {
        let (Some(tsqr), width) = (plan.tsqr, plan.panel) else { return Ok(None) };
        let split_panel = |panel: usize| Some((rows - panel * width, tsqr.split(rows - panel * width, width)?));
        let Some((max_rows, _)) = (0..columns / width).find_map(split_panel) else { return Ok(None) };
        // Panels further right have fewer rows, and no more leaves.
        let count = max_rows.div_ceil(tsqr.rows).min(tsqr.max_rows / width);
        let nvidia = usize::from(executor.device.nvidia.inline_ptx);
        let sizes = [("THREADS", tsqr.threads), ("WIDTH", width), ("NVIDIA", nvidia)];
        let definitions = sizes.map(|(name, size)| (name, size as i64)).to_vec();
        let path = if plan.tensor.is_some() { "lapack/qr/tsqr_root_tensor.cl" } else { "lapack/qr/tsqr_root.cl" };
        let source = ProgramSource { name: "qr root", kind: T::KIND, root: source(path), definitions };
        let context = executor.queue.context();
        Ok(Some(Tsqr {
            plan: tsqr,
            width,
            top_program: context.program(&source)?,
            leaves: StageFactors::new::<T>(executor, max_rows, width, count)?,
            top: StageFactors::new::<T>(executor, count * width, width, 1)?,
        }))
    }

    /// Leaves of a panel of this size and the rows of each; `None` if it is not split.
    pub(super) fn split(&self, [rows, width]: [usize; 2]) -> Option<[usize; 2]> {
        if width == self.width { self.plan.split(rows, width) } else { None }
    }

    /// Factorises a panel that is split_panel so.
    pub(super) fn factor<T: Scalar>(
        &self,
        executor: &Executor<'_>,
        plan: &QrPlan,
        [count, leaf_rows]: [usize; 2],
        rows: usize,
        PanelOperands { a, tau, t, v: (above, v) }: PanelOperands<'_>,
    ) -> Result<()> {
        let (width, threads, stacked) = (self.width, self.plan.threads, count * self.width);
        let operands = self.leaves.panel(a, [rows, width]);
        executor.factor_panel_in_registers::<T>(plan, Rows::Leaves(leaf_rows), [rows, width], operands)?;
        let operands = self.top.panel(a, [stacked, width]);
        executor.factor_panel_in_registers::<T>(plan, Rows::Triangles(leaf_rows), [stacked, width], operands)?;

        let groups_per_leaf = leaf_rows.div_ceil(threads);
        let launch = Launch::new(executor.queue, &self.top_program, "tsqr_root")
            .count(rows)
            .count(leaf_rows)
            .count(groups_per_leaf)
            .buffer(a.memory)
            .index(a.operand.offset)
            .index(a.operand.row_stride)
            .index(a.operand.column_stride)
            .workspace(&self.leaves.vectors)
            .index(rows)
            .workspace(&self.leaves.triangles)
            .workspace(&self.top.vectors)
            .index(stacked)
            .workspace(&self.top.triangles)
            .buffer(tau.memory)
            .index(tau.offset);
        let launch = by_columns(launch, t);
        by_columns(launch.count(above), v).enqueue_step([count * groups_per_leaf, 1, 1], [threads, 1, 1])
    }
}
