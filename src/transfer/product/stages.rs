//! Large products that fit on the device, in stages that hide the transfers behind the arithmetic.
//!
//! C is cut into slabs. The first half of the sums' terms is added step by step, each step over all slabs: a step can
//! begin when its part of A and B is there, and what is still missing arrives meanwhile. The second half is added in
//! one step, slab by slab: each finished slab goes back while the next is computed. Bare are only the transfers of the
//! first step's operands and of the last slab.

use std::sync::mpsc::Sender;

use super::{Finished, GRAIN, Product, ProductWorkspace, Queues, Span, grain, lost, marker};
use crate::error::Result;
use crate::options::Layout;
use crate::scalar::Scalar;
use crate::view::MatrixShape;

/// How a product is cut into stages: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StagePlan {
    /// Terms of the sums that are added in an early step, and in all of them: 0 where the sums are short.
    pub(crate) step: usize,
    pub(crate) early: usize,
    /// Width of a slab: of columns of C, of rows where C is row-major.
    pub(crate) slab: [usize; 2],
}

/// Early steps, which have half of the terms, and slabs: as many as leave a slab's product large enough for all of a
/// device.
const STEPS: usize = 5;
const SLABS: usize = 8;

impl StagePlan {
    pub(super) fn choose([m, n, k]: [usize; 3]) -> Self {
        let step = grain(k.div_ceil(2 * STEPS));
        // With short sums the matrices A and B are small beside C.
        let early = if k < 4 * GRAIN { 0 } else { STEPS * step };
        let slab = |size: usize| grain(size.div_ceil(SLABS)).min(size);
        StagePlan { step, early: early.min(k - 1), slab: [slab(m), slab(n)] }
    }

    /// Bytes of the memory objects for parts of A, B and C: the early steps' operands, and then the last step's.
    pub(super) fn workspace(&self, [m, n, k]: [usize; 3], element: usize, layout: Layout) -> [Vec<u64>; 3] {
        let bytes = |rows: usize, columns: usize| rows as u64 * columns as u64 * element as u64;
        let last = k - self.early;
        let slabs = |size: usize, slab: usize, other: usize| {
            spans(size, slab).map(move |(_, width)| bytes(width, other)).collect::<Vec<_>>()
        };
        let (a, b, c) = match layout {
            Layout::ColumnMajor => (vec![bytes(m, last)], slabs(n, self.slab[1], last), slabs(n, self.slab[1], m)),
            Layout::RowMajor => (slabs(m, self.slab[0], last), vec![bytes(last, n)], slabs(m, self.slab[0], n)),
        };
        let early = |size: usize| spans(self.early, self.step).map(move |(_, depth)| bytes(size, depth));
        [early(m).chain(a).collect(), early(n).chain(b).collect(), c]
    }
}

/// A length in parts.
fn spans(length: usize, part: usize) -> impl Iterator<Item = Span> + Clone {
    (0..length).step_by(part.max(1)).map(move |start| (start, part.min(length - start)))
}

impl<T: Scalar> Product<'_, T> {
    /// Brings operands and computes stage by stage. Dropping `finished` ends the thread that brings slabs back.
    pub(super) fn compute_stages(
        &self,
        plan: &StagePlan,
        queues: &Queues<'_>,
        workspace: &ProductWorkspace,
        finished: Sender<Finished>,
    ) -> Result<()> {
        let (m, n, k) = (self.c.rows(), self.c.columns(), self.depth());
        let by_columns = self.c.shape().layout() == Layout::ColumnMajor;
        let (size, width) = if by_columns { (n, plan.slab[1]) } else { (m, plan.slab[0]) };
        let slabs = || spans(size, width).enumerate();
        // The rows and columns of C in a slab, or all of them.
        let of_c = |slab: Span| if by_columns { ((0, m), slab) } else { (slab, (0, n)) };
        let mut on_device = Vec::new();

        let mut steps = 0;
        for depth in spans(plan.early, plan.step) {
            let (a, b) = (&workspace.a[steps], &workspace.b[steps]);
            let a_shape = self.operand(queues, 0, a, ((0, m), depth), true)?;
            let b_shape = self.operand(queues, 1, b, (depth, (0, n)), true)?;
            for (target, slab) in slabs() {
                let (rows, columns) = of_c(slab);
                if steps == 0 {
                    on_device.push(self.part_of_c(queues, &workspace.c[target], (rows, columns))?);
                }
                let part_of_a = self.part(0, &a_shape, (rows, (0, depth.1)));
                let part_of_b = self.part(1, &b_shape, ((0, depth.1), columns));
                let beta = if steps == 0 { self.beta } else { T::ONE };
                let c = (&workspace.c[target], on_device[target].1);
                self.multiply(queues.compute, (a, part_of_a), (b, part_of_b), beta, c)?;
            }
            steps += 1;
        }

        let depth = (plan.early, k - plan.early);
        for (target, slab) in slabs() {
            let (rows, columns) = of_c(slab);
            // One operand is whole and brought first, the other one comes slab by slab.
            let first = target == 0;
            let (of_a, of_b) = if by_columns { (0, target) } else { (target, 0) };
            let (a, b) = (&workspace.a[steps + of_a], &workspace.b[steps + of_b]);
            let a_shape = self.operand(queues, 0, a, (rows, depth), first || !by_columns)?;
            let b_shape = self.operand(queues, 1, b, (depth, columns), first || by_columns)?;
            if steps == 0 {
                on_device.push(self.part_of_c(queues, &workspace.c[target], (rows, columns))?);
            }
            let beta = if steps == 0 { self.beta } else { T::ONE };
            let (to, shape) = on_device[target];
            self.multiply(queues.compute, (a, a_shape), (b, b_shape), beta, (&workspace.c[target], shape))?;
            let computed = marker(queues.compute)?;
            finished.send(Finished { target, computed, to }).map_err(|_| lost())?;
        }
        Ok(())
    }

    /// A block of an operand that is on the device.
    fn part(&self, which: usize, shape: &MatrixShape, (rows, columns): (Span, Span)) -> MatrixShape {
        if self.ops[which].transposes() { shape.block(columns, rows) } else { shape.block(rows, columns) }
    }
}
