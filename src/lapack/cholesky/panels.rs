//! The launches for a block of columns: panel by panel.

use super::plan::{INNER, Panels, blocks};
use super::{Cholesky, PotrfWorkspace};
use crate::blas::level3::gemm::{Operand, Target};
use crate::context::{ContextParts, Workspace};
use crate::error::Result;
use crate::lapack::Block;
use crate::launch::Launch;
use crate::options::Op;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;

/// Blocks of workspace for the steps: the inverse of a diagonal block, L(p,p-1) and L(p+1,p-1), each
/// double-buffered.
pub(super) const STEP_BLOCKS: usize = 6;

/// Arguments of one launch of the step kernel.
struct Step {
    /// First column and width of the current panel; width 0 if only the rows below the previous panel remain.
    first: usize,
    width: usize,
    /// Columns of the block from there on.
    columns: usize,
    /// Panels of the block that were begun before.
    previous: usize,
}

impl Cholesky<'_> {
    /// Factorises a block of columns, with all rows that they have below the diagonal.
    pub(super) fn factor_columns<T: Scalar>(
        &self,
        first: usize,
        columns: usize,
        workspace: &PotrfWorkspace<'_>,
    ) -> Result<()> {
        let Panels::Groups { width, .. } = self.plan.panels else {
            return self.factor_panel_serial::<T>(first, columns, workspace);
        };
        let panels = columns.div_ceil(width);
        for previous in 0..panels {
            let done = previous * width;
            let (first, columns) = (first + done, columns - done);
            self.step::<T>(&Step { first, width: width.min(columns), columns, previous }, &workspace.blocks)?;
        }
        if first + columns == self.order {
            return Ok(());
        }
        // A block that has rows below is a multiple of a panel.
        self.step::<T>(&Step { first: first + columns, width: 0, columns: 0, previous: panels }, &workspace.blocks)
    }

    fn step<T: Scalar>(&self, step: &Step, workspace: &Workspace<'_>) -> Result<()> {
        let Panels::Groups { width, tile_k, warps, tensor, .. } = self.plan.panels else {
            unreachable!("a single work-item takes no steps")
        };
        let queue = self.executor.queue;
        let mut definitions = vec![
            ("WIDTH", width as i64),
            ("TILE_K", tile_k as i64),
            ("NVIDIA", i64::from(warps)),
            ("TENSOR", i64::from(warps && tensor)),
        ];
        if warps && tensor && !T::KIND.is_double() {
            definitions.push(("SPLIT", 1));
        }
        let source = ProgramSource {
            name: "cholesky step",
            kind: T::KIND,
            root: source("lapack/cholesky/step.cl"),
            definitions,
        };
        let program = queue.context().program(&source)?;
        let (rows, operand) = (self.order - step.first, self.a.at(step.first, step.first).operand);
        let (has_previous, has_deferred) = (step.previous > 0, step.previous > 1);
        let column_groups = if has_previous { rows.div_ceil(width) } else { 1 };
        // Work-groups right of the current panel. Without a deferred update of all of them, only the first block: the
        // diagonal block of the next panel.
        let update_groups = match step.columns.checked_sub(width) {
            Some(columns) if has_deferred && columns > 0 => blocks([rows - width, columns], width),
            Some(columns) if has_previous && columns > 0 => 1,
            _ => 0,
        };
        Launch::new(queue, &program, "potrf_step")
            .count(rows)
            .count(step.width)
            .count(step.columns)
            .flag(has_previous)
            .flag(has_deferred)
            .buffer(self.a.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .workspace(workspace)
            .count(step.previous % 2)
            .count(step.first)
            .buffer(self.info.memory)
            .index(self.info.offset)
            .enqueue_step([column_groups + update_groups, 1, 1], [INNER * INNER, 1, 1])
    }

    /// One panel, by a work-item and a product.
    fn factor_panel_serial<T: Scalar>(
        &self,
        first: usize,
        columns: usize,
        workspace: &PotrfWorkspace<'_>,
    ) -> Result<()> {
        let (queue, width) = (self.executor.queue, self.plan.panels.width());
        let definitions = vec![("WIDTH", width as i64)];
        let source = ProgramSource {
            name: "cholesky block serial",
            kind: T::KIND,
            root: source("lapack/cholesky/potrf_serial.cl"),
            definitions,
        };
        let program = queue.context().program(&source)?;
        let operand = self.a.at(first, first).operand;
        Launch::new(queue, &program, "potrf_block")
            .count(columns)
            .buffer(self.a.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .buffer(&workspace.blocks)
            .count(first)
            .buffer(self.info.memory)
            .index(self.info.offset)
            .enqueue_step([1, 1, 1], [1, 1, 1])?;
        // Rows below the diagonal block: A21 := A21 L11⁻ᴴ.
        let rows = self.order - first - columns;
        let (Some(memory), true) = (&workspace.below, rows > 0) else { return Ok(()) };
        let below = self.a.at(first + columns, first);
        let copy = Block::new(memory, below.operand.packed(rows, columns));
        self.executor.copy::<T>([rows, columns], below, copy)?;
        let inverse = Block::new(&workspace.blocks, Operand::general(0, width, 1)).with(Op::ConjTrans);
        self.executor.product([rows, columns, columns], T::ONE, copy, inverse, T::ZERO, below, Target::Whole)
    }
}
