//! ScaLAPACK's two-dimensional block-cyclic layout.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::grid::Grid;

/// One dimension: `length` indices in blocks of `block`, dealt in turn to `parts` parts, beginning with part `source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockCyclic {
    length: usize,
    block: usize,
    parts: usize,
    source: usize,
}

impl BlockCyclic {
    /// Deals indices. `block` and `parts` are at least 1, `source` is less than `parts`.
    ///
    /// # Errors
    /// [`Error::Argument`].
    pub fn new(length: usize, block: usize, parts: usize, source: usize) -> Result<Self> {
        if block == 0 {
            return Err(Error::argument("block", "a block has at least one row and one column"));
        }
        if source >= parts {
            return Err(Error::argument("source", format!("{source} is not less than {parts}, the parts of the grid")));
        }
        // Indices are dealt with as signed numbers of 64 bits, beyond the end by less than a round of blocks.
        if length.checked_add(block.saturating_mul(parts)).is_none_or(|end| end > i64::MAX as usize) {
            return Err(Error::argument("length", format!("{length} in blocks of {block} is too large")));
        }
        Ok(BlockCyclic { length, block, parts, source })
    }

    /// Indices in all.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Indices of a block; the last one may be shorter.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Parts among which blocks are dealt.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Part that has the first block.
    pub fn source(&self) -> usize {
        self.source
    }

    /// Part that has an index.
    pub fn owner(&self, index: usize) -> usize {
        (index / self.block + self.source) % self.parts
    }

    /// Number of an index among those of its owner.
    pub fn local(&self, index: usize) -> usize {
        index / (self.block * self.parts) * self.block + index % self.block
    }

    /// Index of which `local` is the number in a part.
    pub fn global(&self, part: usize, local: usize) -> usize {
        let turn = (part + self.parts - self.source) % self.parts;
        (local / self.block * self.parts + turn) * self.block + local % self.block
    }

    /// Indices of a part: ScaLAPACK's `numroc`.
    pub fn local_length(&self, part: usize) -> usize {
        self.local_from(part, self.length)
    }

    /// How many of a part's indices are less than `index`, which is at most the length.
    pub fn local_from(&self, part: usize, index: usize) -> usize {
        let turn = (part + self.parts - self.source) % self.parts;
        let (blocks, rest) = (index / self.block, index % self.block);
        let more = match turn.cmp(&(blocks % self.parts)) {
            std::cmp::Ordering::Less => self.block,
            std::cmp::Ordering::Equal => rest,
            std::cmp::Ordering::Greater => 0,
        };
        blocks / self.parts * self.block + more
    }

    /// A part's numbers of the indices in a range.
    pub(crate) fn local_range(&self, part: usize, range: Range<usize>) -> Range<usize> {
        self.local_from(part, range.start)..self.local_from(part, range.end)
    }

    /// The end of the block with an index.
    pub(crate) fn block_end(&self, index: usize) -> usize {
        ((index / self.block + 1) * self.block).min(self.length)
    }

    /// Indices of a part, ascending.
    pub(crate) fn indices(&self, part: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.local_length(part)).map(move |local| self.global(part, local))
    }
}

/// Layout of a distributed matrix: how its rows are dealt to the grid's rows, and its columns to the grid's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixLayout {
    /// Rows, over the rows of ranks.
    pub rows: BlockCyclic,
    /// Columns, over the columns of ranks.
    pub columns: BlockCyclic,
}

impl MatrixLayout {
    /// Layout of an `m x n` matrix in blocks of `mb x nb`, the first of which lies on rank (0, 0).
    ///
    /// # Errors
    /// [`Error::Argument`] for blocks of size 0.
    pub fn new(grid: &Grid, (m, n): (usize, usize), (mb, nb): (usize, usize)) -> Result<Self> {
        Self::at(grid, (m, n), (mb, nb), (0, 0))
    }

    /// [`MatrixLayout::new`] with the first block on another rank, given by its row and column.
    ///
    /// # Errors
    /// [`Error::Argument`] for blocks of size 0, and for a rank outside the grid.
    pub fn at(grid: &Grid, (m, n): (usize, usize), (mb, nb): (usize, usize), source: (usize, usize)) -> Result<Self> {
        Ok(MatrixLayout {
            rows: BlockCyclic::new(m, mb, grid.rows(), source.0)?,
            columns: BlockCyclic::new(n, nb, grid.columns(), source.1)?,
        })
    }

    /// Layout that a ScaLAPACK descriptor of nine integers describes, and the leading dimension of the local array:
    /// type (1), context (not read), m, n, mb, nb, first row and first column of ranks, leading dimension.
    ///
    /// # Errors
    /// [`Error::Argument`] for another type, negative sizes, empty blocks, a source outside the grid, or a leading
    /// dimension that is less than the local rows.
    pub fn from_descriptor(grid: &Grid, descriptor: &[i64; 9]) -> Result<(Self, usize)> {
        let [kind, _, m, n, mb, nb, row, column, leading_dimension] = *descriptor;
        if kind != 1 {
            return Err(Error::argument("descriptor", format!("type {kind} is not 1, that of a dense matrix")));
        }
        let wrong = |what: &str, value: i64| Error::argument("descriptor", format!("{what} is {value}"));
        let size = |what: &str, value: i64| usize::try_from(value).map_err(|_| wrong(what, value));
        let (m, n) = (size("m", m)?, size("n", n)?);
        let (mb, nb) = (size("mb", mb)?, size("nb", nb)?);
        let (row, column) = (size("the source row", row)?, size("the source column", column)?);
        let layout = Self::at(grid, (m, n), (mb, nb), (row, column))?;
        let ld = size("the leading dimension", leading_dimension)?;
        let needed = layout.rows.local_length(grid.row()).max(1);
        if ld < needed {
            let rule = format!("the leading dimension is {ld}, less than the {needed} local rows");
            return Err(Error::argument("descriptor", rule));
        }
        Ok((layout, ld))
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows.length(), self.columns.length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_one_owner_and_one_number() {
        for (length, block, parts, source) in [(0, 3, 2, 1), (1, 1, 1, 0), (17, 3, 4, 2), (64, 8, 2, 0), (5, 7, 3, 1)] {
            let deal = BlockCyclic::new(length, block, parts, source).unwrap();
            let mut counts = vec![0; parts];
            for index in 0..length {
                let owner = deal.owner(index);
                assert_eq!(deal.local(index), counts[owner]);
                assert_eq!(deal.global(owner, counts[owner]), index);
                (0..parts).for_each(|part| assert_eq!(deal.local_from(part, index), counts[part]));
                counts[owner] += 1;
            }
            (0..parts).for_each(|part| assert_eq!(deal.local_length(part), counts[part]));
        }
    }

    #[test]
    fn impossible_deals_are_refused() {
        assert!(BlockCyclic::new(4, 0, 1, 0).is_err());
        assert!(BlockCyclic::new(4, 1, 2, 2).is_err());
        assert!(BlockCyclic::new(usize::MAX, 1, 2, 0).is_err());
    }
}
