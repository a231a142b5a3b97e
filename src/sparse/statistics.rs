//! How a matrix's entries are spread over its rows: what plans are chosen by.

use super::RowPointer;

/// How many entries rows have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowStatistics {
    /// Rows.
    pub rows: usize,
    /// Entries of all rows.
    pub entries: usize,
    /// Entries of the longest row.
    pub longest: usize,
    /// Rows without entries.
    pub empty: usize,
}

impl RowStatistics {
    /// Those of the rows that the pointers delimit.
    pub(crate) fn of<P: RowPointer>(row_ptr: &[P]) -> Self {
        let (mut longest, mut empty) = (0, 0);
        for pair in row_ptr.windows(2) {
            let length = pair[1].count() - pair[0].count();
            longest = length.max(longest);
            empty += usize::from(length == 0);
        }
        let entries = row_ptr.last().map_or(0, |last| last.count());
        RowStatistics { rows: row_ptr.len().saturating_sub(1), entries, longest, empty }
    }

    /// True if rows are of similar length, so that an equal number of them is an equal share of the work.
    pub(crate) fn are_even(&self) -> bool {
        self.longest as f64 <= 4.0 * self.mean() + 32.0
    }

    /// Entries of a row, on average.
    pub fn mean(&self) -> f64 {
        self.entries as f64 / self.rows.max(1) as f64
    }
}
