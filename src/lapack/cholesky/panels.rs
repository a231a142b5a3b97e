//! The launches for a block of columns: panel by panel.

use super::plan::{INNER, Panels, blocks};
use super::{Cholesky, Room};
use crate::blas::level3::gemm::{Operand, Target};
use crate::context::{ContextParts, Scratch};
use crate::error::Result;
use crate::lapack::Block;
use crate::launch::Launch;
use crate::options::Op;
use crate::program::ProgramSource;
use crate::scalar::Scalar;

const MATRIX: &str = include_str!("../../../cl/lapack/cholesky/matrix.cl");
const ITEMS_INNER: &str = include_str!("../../../cl/lapack/cholesky/inner.cl");
const WARP_INNER: &str = include_str!("../../../cl/lapack/cholesky/inner_nvidia.cl");
const WARP_CORNER: &str = include_str!("../../../cl/lapack/cholesky/corner_nvidia.cl");
const PRODUCTS: &str = include_str!("../../../cl/lapack/cholesky/products.cl");
const BLOCK: &str = include_str!("../../../cl/lapack/cholesky/block.cl");
const STEP: &str = include_str!("../../../cl/lapack/cholesky/step.cl");
const SUMS: &str = include_str!("../../../cl/lapack/cholesky/sums.cl");
const TENSOR_SUMS: &str = include_str!("../../../cl/lapack/cholesky/sums_nvidia.cl");
const HALVES: &str = include_str!("../../../cl/blas/level3/gemm/tensor_halves.cl");
const ROWS: &str = include_str!("../../../cl/lapack/cholesky/rows.cl");
const TENSOR_ROWS: &str = include_str!("../../../cl/lapack/cholesky/rows_nvidia.cl");
const GROUPS: &[&str] = &[MATRIX, ITEMS_INNER, SUMS, ROWS, PRODUCTS, BLOCK, STEP];
const WARPS: &[&str] = &[MATRIX, WARP_INNER, WARP_CORNER, SUMS, ROWS, PRODUCTS, BLOCK, STEP];
const TENSOR_SINGLES: &[&str] = &[MATRIX, WARP_INNER, WARP_CORNER, HALVES, TENSOR_SUMS, ROWS, PRODUCTS, BLOCK, STEP];
const TENSOR_DOUBLES: &[&str] = &[MATRIX, WARP_INNER, TENSOR_SUMS, TENSOR_ROWS, PRODUCTS, BLOCK, STEP];
const SERIAL: &[&str] = &[include_str!("../../../cl/lapack/cholesky/block_serial.cl")];

/// Blocks of scratch memory that steps have: two inverses, and twice the rows beside a block on the diagonal and beside the next one.
pub(super) const STEP_BLOCKS: usize = 6;

/// A step of a block of columns, as the kernel has it.
struct Step {
    /// The next panel's first column, and its columns; none where only rows of the panel before are left.
    first: usize,
    width: usize,
    /// Columns of the block from there on.
    columns: usize,
    /// Panels of the block that were begun before.
    before: usize,
}

impl Cholesky<'_> {
    /// Factorises a block of columns, with all rows that they have below the diagonal.
    pub(super) fn factor_columns<T: Scalar>(&self, first: usize, columns: usize, room: &Room<'_>) -> Result<()> {
        let Panels::Groups { width, .. } = self.plan.panels else {
            return self.factor_serially::<T>(first, columns, room);
        };
        let panels = columns.div_ceil(width);
        for before in 0..panels {
            let done = before * width;
            let (first, columns) = (first + done, columns - done);
            self.step::<T>(&Step { first, width: width.min(columns), columns, before }, &room.blocks)?;
        }
        if first + columns == self.order {
            return Ok(());
        }
        // A block that has rows below is a multiple of a panel.
        self.step::<T>(&Step { first: first + columns, width: 0, columns: 0, before: panels }, &room.blocks)
    }

    fn step<T: Scalar>(&self, step: &Step, scratch: &Scratch<'_>) -> Result<()> {
        let Panels::Groups { width, depth, warps, tensor, .. } = self.plan.panels else {
            unreachable!("a single work-item takes no steps")
        };
        let queue = self.parts.queue;
        let mut definitions = vec![("WIDTH", width as i64), ("DEPTH", depth as i64), ("TENSOR", i64::from(tensor))];
        let files = match (warps, tensor) {
            (false, _) => GROUPS,
            (true, false) => WARPS,
            (true, true) if T::KIND.is_double() => TENSOR_DOUBLES,
            (true, true) => {
                definitions.push(("SPLIT", 1));
                TENSOR_SINGLES
            }
        };
        let source = ProgramSource { name: "cholesky step", kind: T::KIND, files, definitions };
        let program = queue.context().program(&source)?;
        let (rows, operand) = (self.order - step.first, self.a.at(step.first, step.first).operand);
        let (is_after, owes) = (step.before > 0, step.before > 1);
        let beside = if is_after { rows.div_ceil(width) } else { 1 };
        // Those right of the next panel. Without a panel that is owed to all of them, only the first one, which is next.
        let right = match step.columns.checked_sub(width) {
            Some(columns) if owes && columns > 0 => blocks([rows - width, columns], width),
            Some(columns) if is_after && columns > 0 => 1,
            _ => 0,
        };
        Launch::new(queue, &program, "cholesky_step")
            .count(rows)
            .count(step.width)
            .count(step.columns)
            .flag(is_after)
            .flag(owes)
            .buffer(self.a.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .scratch(scratch)
            .count(step.before % 2)
            .count(step.first)
            .buffer(self.info.memory)
            .index(self.info.offset)
            .enqueue_step([beside + right, 1, 1], [INNER * INNER, 1, 1])
    }

    /// One panel, by a work-item and a product.
    fn factor_serially<T: Scalar>(&self, first: usize, columns: usize, room: &Room<'_>) -> Result<()> {
        let (queue, width) = (self.parts.queue, self.plan.panels.width());
        let definitions = vec![("WIDTH", width as i64)];
        let source = ProgramSource { name: "cholesky block serial", kind: T::KIND, files: SERIAL, definitions };
        let program = queue.context().program(&source)?;
        let operand = self.a.at(first, first).operand;
        Launch::new(queue, &program, "cholesky_block")
            .count(columns)
            .buffer(self.a.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .buffer(&room.blocks)
            .count(first)
            .buffer(self.info.memory)
            .index(self.info.offset)
            .enqueue_step([1, 1, 1], [1, 1, 1])?;
        // What is below is multiplied with the inverse: A21 := A21 L11⁻ᴴ.
        let rows = self.order - first - columns;
        let (Some(memory), true) = (&room.below, rows > 0) else { return Ok(()) };
        let below = self.a.at(first + columns, first);
        let copy = Block::new(memory, below.operand.packed(rows, columns));
        self.parts.copy::<T>([rows, columns], below, copy)?;
        let inverse = Block::new(&room.blocks, Operand::general(0, width, 1)).with(Op::ConjTrans);
        self.parts.product([rows, columns, columns], T::ONE, copy, inverse, T::ZERO, below, Target::Whole)
    }
}
