//! Products that do not fit on the device: C is computed in tiles of some rows and columns, in steps over the depth.

use std::sync::mpsc::{Receiver, Sender};

use opencl3::event::Event as ClEvent;

use super::{Finished, GRAIN, Product, ProductWorkspace, Queues, grain, lost, marker, wait_all, wait_for};
use crate::context::TransferLimits;
use crate::error::Result;
use crate::scalar::Scalar;

/// How a product is cut into tiles: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TilePlan {
    /// Rows of A and C on the device at a time.
    pub(crate) rows: usize,
    /// Columns of B and C.
    pub(crate) columns: usize,
    /// Length of the sums in one step: the whole, unless A's rows are too long for the device.
    pub(crate) depth: usize,
}

/// Tiles of C on the device, and pairs of operands that are brought while others are used.
const TARGETS: usize = 3;
const OPERANDS: usize = 2;
/// Slabs of columns to begin with.
const SLABS: usize = 12;

impl TilePlan {
    /// The plan for an m x n x k product of elements of so many bytes.
    pub(super) fn choose([m, n, k]: [usize; 3], element: usize, limits: &TransferLimits) -> Self {
        let mut plan = TilePlan { rows: m, columns: grain(n.div_ceil(SLABS)).min(n), depth: k };
        // Halve what takes most until it fits. A that stays is worth most: it is brought once.
        while !plan.fits(element, k, limits) {
            let TilePlan { rows, columns, depth } = plan;
            plan = if columns > rows.min(4 * GRAIN) && columns > 1 {
                TilePlan { columns: smaller(columns), ..plan }
            } else if rows >= depth.min(4 * GRAIN) && rows > 1 {
                TilePlan { rows: smaller(rows), ..plan }
            } else if depth > 1 {
                TilePlan { depth: smaller(depth), ..plan }
            } else if rows > 1 || columns > 1 {
                TilePlan { rows: smaller(rows), columns: smaller(columns), ..plan }
            } else {
                return plan; // Nothing is smaller: the device will say what it lacks.
            };
        }
        plan
    }

    fn fits(&self, element: usize, k: usize, limits: &TransferLimits) -> bool {
        let (a, b, c) = self.matrices(element);
        let copies_of_a = if self.depth == k { 1 } else { OPERANDS as u64 };
        let all = copies_of_a * a + OPERANDS.max(TARGETS) as u64 * b + TARGETS as u64 * c;
        all <= limits.operand_bytes && a.max(b).max(c) <= limits.matrix_bytes
    }

    fn matrices(&self, element: usize) -> (u64, u64, u64) {
        let bytes = |rows: usize, columns: usize| rows as u64 * columns as u64 * element as u64;
        (bytes(self.rows, self.depth), bytes(self.depth, self.columns), bytes(self.rows, self.columns))
    }

    /// Bytes of the memory objects for parts of A, B and C.
    pub(super) fn workspace(&self, [_, _, k]: [usize; 3], element: usize) -> [Vec<u64>; 3] {
        let (a, b, c) = self.matrices(element);
        let copies_of_a = if self.depth == k { 1 } else { OPERANDS };
        [vec![a; copies_of_a], vec![b; OPERANDS], vec![c; TARGETS]]
    }
}

/// About half, at a multiple of the grain.
fn smaller(size: usize) -> usize {
    let half = size.div_ceil(2);
    if half >= GRAIN { grain(half).min(size - 1) } else { half }
}

impl<T: Scalar> Product<'_, T> {
    /// Brings operands and computes tile by tile. Dropping `finished` ends the thread that brings them back.
    pub(super) fn compute_tiles(
        &self,
        plan: &TilePlan,
        queues: &Queues<'_>,
        workspace: &ProductWorkspace,
        freed: &Receiver<usize>,
        finished: Sender<Finished>,
    ) -> Result<()> {
        let (m, n, k) = (self.c.rows(), self.c.columns(), self.depth());
        let whole = plan.depth == k;
        let mut used: Vec<Option<ClEvent>> = (0..OPERANDS).map(|_| None).collect();
        let mut step = 0;
        for row in (0..m).step_by(plan.rows) {
            let rows = (row, plan.rows.min(m - row));
            for column in (0..n).step_by(plan.columns) {
                let columns = (column, plan.columns.min(n - column));
                let target = freed.recv().map_err(|_| lost())?;
                let (to, c_shape) = self.part_of_c(queues, &workspace.c[target], (rows, columns))?;
                for inner in (0..k).step_by(plan.depth) {
                    let depth = (inner, plan.depth.min(k - inner));
                    let slot = step % OPERANDS;
                    if whole && column == 0 {
                        // The rows of A change: nothing may still read the old ones.
                        wait_all(&mut used)?;
                    }
                    wait_for(used[slot].take())?;
                    let (a, b) = (&workspace.a[if whole { 0 } else { slot }], &workspace.b[slot]);
                    let a_shape = self.operand(queues, 0, a, (rows, depth), !whole || column == 0)?;
                    let b_shape = self.operand(queues, 1, b, (depth, columns), true)?;
                    let beta = if inner == 0 { self.beta } else { T::ONE };
                    self.multiply(queues.compute, (a, a_shape), (b, b_shape), beta, (&workspace.c[target], c_shape))?;
                    used[slot] = Some(marker(queues.compute)?);
                    step += 1;
                }
                let computed = marker(queues.compute)?;
                finished.send(Finished { target, computed, to }).map_err(|_| lost())?;
            }
        }
        Ok(())
    }
}
