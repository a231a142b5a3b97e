//! Blocks with more rows than fit into a work-group's registers: recursive LU (Toledo 1997) down to tall panels, whose
//! rows are split among work-groups.

use std::ops::Range;

use super::Lu;
use super::panel::{PivotCandidates, TallPanel};
use super::plan::Panels;
use crate::blas::level3::gemm::Target;
use crate::error::Result;
use crate::lapack::interchange::{Interchange, LaswpWorkspace};
use crate::lapack::{Block, Executor};
use crate::scalar::Scalar;

/// A block of contiguous columns, and workspace for its panels.
struct TallBlock<'l, 'a> {
    lu: &'l Lu<'a>,
    a: Block<'l>,
    rows: usize,
    /// Columns of the matrix left of the block, and rows above it.
    base: usize,
    candidates: PivotCandidates<'l>,
    workspace: LaswpWorkspace<'l>,
}

impl Lu<'_> {
    /// Factorises columns of a block with `rows` rows. Their rows are interchanged in these columns only.
    pub(super) fn factor_tall<T: Scalar>(
        &self,
        base: usize,
        rows: usize,
        columns: Range<usize>,
        a: Block<'_>,
    ) -> Result<()> {
        let Panels::Group { columns: max_width, .. } = self.plan.panels else { unreachable!("a CPU has no groups") };
        let candidates =
            PivotCandidates::borrow::<T>(self.executor.queue, self.plan.split_rows(rows).groups, max_width)?;
        let workspace = LaswpWorkspace::borrow(&self.executor, columns.len())?;
        TallBlock { lu: self, a, rows, base, candidates, workspace }.factor::<T>(columns)
    }
}

impl TallBlock<'_, '_> {
    fn executor(&self) -> &Executor<'_> {
        &self.lu.executor
    }

    fn factor<T: Scalar>(&self, columns: Range<usize>) -> Result<()> {
        let Panels::Group { columns: max_width, warps, .. } = self.lu.plan.panels else { unreachable!("no groups") };
        let Range { start: first, end } = columns;
        if columns.len() <= max_width {
            let (size, a) = ([self.rows - first, columns.len()], self.a.at(first, first));
            let panel = TallPanel {
                split_rows: self.lu.plan.split_rows(size[0]),
                max_width,
                warps,
                size,
                a,
                base: self.base + first,
            };
            return panel.enqueue::<T>(self.executor(), &self.candidates, (self.lu.pivots, self.lu.info));
        }
        let middle = first + (columns.len() / 2).next_multiple_of(max_width);
        self.factor::<T>(first..middle)?;
        self.trailing_update::<T>(first..middle, end)?;
        self.factor::<T>(middle..end)?;
        self.interchange::<T>(middle..end, first..middle, None)
    }

    /// Interchanges, solves for and updates the columns from some factorised ones to `end`.
    fn trailing_update<T: Scalar>(&self, done: Range<usize>, end: usize) -> Result<()> {
        let (middle, right) = (done.end, done.end..end);
        if !Interchange::can_solve(done.len()) {
            self.interchange::<T>(done.clone(), right.clone(), None)?;
            return self.lu.trailing_update_in::<T>((self.a, self.rows), done, right);
        }
        self.interchange::<T>(done.clone(), done.start..end, Some(done.len()))?;
        let (left, upper) = (self.a.at(middle, done.start), self.a.at(done.start, middle));
        let sizes = [self.rows - middle, right.len(), done.len()];
        self.executor().subtract::<T>(sizes, left, upper, self.a.at(middle, middle), Target::Whole)
    }

    /// Interchanges rows in some columns. With `solved`, the first columns hold L11: they are left alone, and the
    /// others are solved with it.
    fn interchange<T: Scalar>(&self, rows: Range<usize>, columns: Range<usize>, solved: Option<usize>) -> Result<()> {
        let a = self.a.at(0, columns.start);
        let all = Interchange::all(a, self.rows, columns.len(), self.lu.pivots);
        let gap = 0..solved.unwrap_or(0);
        let (first, count, base) = (rows.start, rows.len(), self.base);
        Interchange { first, count, gap, base, solve_from: solved, ..all }
            .enqueue_in::<T>(self.executor(), &self.workspace)
    }
}
