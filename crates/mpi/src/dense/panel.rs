//! LU panels with partial pivoting: recursive (Toledo 1997) over the ranks of one column.

use std::ops::Range;

use affinimath::{Diag, Op, Scalar, Side, Triangle};

use super::blocks::{Panel, block, block_mut, multiply, pack, solve, unpack};
use crate::comm::{Communicator, Ring, Tag};
use crate::error::Result;
use crate::layout::BlockCyclic;

/// Columns below which a panel is factorised column by column.
const COLUMNS: usize = 8;

/// A panel of this rank's rows, packed by columns, from the row `start` of the whole matrix on.
pub(super) struct LuPanel<'a, T> {
    comm: &'a Communicator,
    rows: BlockCyclic,
    /// First row and column of the panel in the whole matrix.
    start: usize,
    /// Columns to factorise.
    width: usize,
    /// Number of the first local row.
    first: usize,
    /// Local rows.
    count: usize,
    elements: Vec<T>,
    pivots: Vec<usize>,
    /// LAPACK's info: the first zero pivot, from 1, of the whole matrix.
    info: usize,
}

impl<'a, T: Scalar> LuPanel<'a, T> {
    /// Takes the local rows from `start` on, packed by columns. The ranks of `comm` have the rows of the layout.
    pub(super) fn new(comm: &'a Communicator, rows: BlockCyclic, start: usize, width: usize, elements: Vec<T>) -> Self {
        let first = rows.local_from(comm.rank(), start);
        let count = rows.local_length(comm.rank()) - first;
        let pivots = (start..start + width).collect();
        LuPanel { comm, rows, start, width, first, count, elements, pivots, info: 0 }
    }

    /// Factorises. The results are the elements, the rows of the pivots, and LAPACK's info.
    pub(super) fn factor(mut self) -> Result<(Vec<T>, Vec<usize>, usize)> {
        if self.comm.size() == 1 {
            self.factor_alone()?;
        } else {
            self.recurse(0..self.width)?;
        }
        Ok((self.elements, self.pivots, self.info))
    }

    /// All rows are here: LAPACK's routine.
    fn factor_alone(&mut self) -> Result<()> {
        let mut pivots = vec![0_i32; self.width];
        let target = block_mut(&mut self.elements, self.count.max(1), &(0..self.count), &(0..self.width))?;
        match affinimath::getrf(target, &mut pivots) {
            Ok(()) => {}
            Err(affinimath::Error::ZeroPivot { index }) => self.info = self.start + index,
            Err(error) => return Err(error.into()),
        }
        for (pivot, local) in self.pivots.iter_mut().zip(pivots) {
            *pivot = self.start + local as usize - 1;
        }
        Ok(())
    }

    fn recurse(&mut self, columns: Range<usize>) -> Result<()> {
        if columns.len() <= COLUMNS {
            return columns.clone().try_for_each(|column| self.eliminate(column, columns.end));
        }
        let middle = columns.start + columns.len() / 2;
        let (left, right) = (columns.start..middle, middle..columns.end);
        self.recurse(left.clone())?;
        self.update(&left, &right)?;
        self.recurse(right)
    }

    /// How many of the panel's local rows come before a row of the whole matrix.
    fn rows_before(&self, row: usize) -> usize {
        self.rows.local_from(self.comm.rank(), row.min(self.rows.length())) - self.first
    }

    /// A12 := L11^-1 A12 where the diagonal block lies, and A22 -= L21 A12 everywhere.
    fn update(&mut self, left: &Range<usize>, right: &Range<usize>) -> Result<()> {
        let ld = self.count.max(1);
        let root = self.rows.owner(self.start);
        let top = self.rows_before(self.start + left.start)..self.rows_before(self.start + left.end);
        let mut ring = Ring::new(self.comm, Tag::ColumnPanel);
        let elements = &mut self.elements;
        let solution = ring.broadcast(root, left.len() * right.len(), || {
            let triangle = pack(elements, ld, &top, left);
            let triangle = block(&triangle, left.len(), &(0..left.len()), &(0..left.len()))?;
            let target = block_mut(elements, ld, &top, right)?;
            solve((Side::Left, Triangle::Lower, Op::NoTrans, Diag::Unit), triangle, target)?;
            Ok(pack(elements, ld, &top, right))
        })?;
        let below = self.rows_before(self.start + left.end)..self.count;
        let factor = pack(&self.elements, ld, &below, left);
        let (factor, solution) = (Panel::new(&factor, below.len()), Panel::new(&solution, left.len()));
        let (a, b) = ((factor, &(0..below.len())), (solution, Op::NoTrans, &(0..right.len())));
        let target = (self.elements.as_mut_slice(), ld);
        multiply(self.comm, -T::ONE, a, b, &(0..left.len()), target, (&below, right))?;
        ring.flush()
    }

    /// Pivots and eliminates one column, in the columns up to `end`. Interchanged rows go over the whole panel.
    fn eliminate(&mut self, column: usize, end: usize) -> Result<()> {
        let (ld, row) = (self.count.max(1), self.start + column);
        let (pivot, pivot_row, current_row) = self.find_pivot(column)?;
        self.pivots[column] = pivot;
        let here = self.comm.rank();
        if pivot != row {
            for (target, elements) in [(row, &pivot_row), (pivot, &current_row)] {
                if self.rows.owner(target) == here {
                    let local = self.rows_before(target);
                    unpack(elements, &mut self.elements, ld, &(local..local + 1), &(0..self.width));
                }
            }
        }
        let below = self.rows_before(row + 1)..self.count;
        let value = pivot_row[column];
        if value == T::ZERO {
            if self.info == 0 {
                self.info = row + 1;
            }
            return Ok(());
        }
        if below.is_empty() {
            return Ok(());
        }
        let multipliers = &mut self.elements[column * ld + below.start..column * ld + below.end];
        multipliers.iter_mut().for_each(|element| *element /= value);
        let multipliers = multipliers.to_vec();
        for (other, factor) in (column + 1..end).zip(&pivot_row[column + 1..end]) {
            let target = &mut self.elements[other * ld + below.start..other * ld + below.end];
            target.iter_mut().zip(&multipliers).for_each(|(element, multiplier)| *element -= *multiplier * *factor);
        }
        Ok(())
    }

    /// Row of the largest element of a column by |re| + |im|, the first of equal ones, its elements, and those of the
    /// current row: one reduction.
    fn find_pivot(&mut self, column: usize) -> Result<(usize, Vec<T>, Vec<T>)> {
        let (ld, width, row) = (self.count.max(1), self.width, self.start + column);
        let here = self.comm.rank();
        let candidates = self.rows_before(row)..self.count;
        let mut best: Option<(f64, usize)> = None;
        for local in candidates {
            let size = self.elements[column * ld + local].sum_of_moduli().into();
            if best.is_none_or(|(largest, _)| size > largest) {
                best = Some((size, local));
            }
        }
        // [size, row, pivot row, owner of the current row, current row]: numbers of all types are exact in doubles.
        let mut message = vec![0.0; 3 + 4 * width];
        let put = |message: &mut [f64], local: usize| {
            for (pair, column) in message.chunks_exact_mut(2).zip(0..width) {
                let element = self.elements[column * ld + local];
                (pair[0], pair[1]) = (element.re(), element.im());
            }
        };
        message[0] = -1.0;
        if let Some((size, local)) = best {
            message[0] = size;
            message[1] = self.rows.global(here, self.first + local) as f64;
            put(&mut message[2..2 + 2 * width], local);
        }
        if self.rows.owner(row) == here {
            message[2 + 2 * width] = 1.0;
            let local = self.rows.local(row) - self.first;
            put(&mut message[3 + 2 * width..], local);
        }
        let message = self.comm.reduce(message, |mine, other| {
            let (first, second) = mine.split_at_mut(2 + 2 * width);
            if other[0] > first[0] || (other[0] == first[0] && other[1] < first[1]) {
                first.copy_from_slice(&other[..2 + 2 * width]);
            }
            if other[2 + 2 * width] != 0.0 {
                second.copy_from_slice(&other[2 + 2 * width..]);
            }
        })?;
        let elements =
            |part: &[f64]| part.chunks_exact(2).map(|pair| T::from_parts(pair[0], pair[1])).collect::<Vec<T>>();
        let (pivot_row, current_row) = (&message[2..2 + 2 * width], &message[3 + 2 * width..]);
        Ok((message[1] as usize, elements(pivot_row), elements(current_row)))
    }
}
