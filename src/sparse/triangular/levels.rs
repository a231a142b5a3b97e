//! Which rows of a triangular system can be solved at the same time.

use crate::options::Triangle;
use crate::sparse::RowPointer;

/// The rows of a triangle by levels: those of a level need only unknowns of levels before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    /// All rows, by levels, and in a level from the first to the last.
    pub(crate) rows: Vec<i32>,
    /// Index of the first row of each level, and the end of the last level.
    pub(crate) starts: Vec<i32>,
}

/// Levels that are solved in one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// One that is wide enough for the whole device.
    Wide {
        /// The level.
        level: usize,
    },
    /// A run of narrow ones, from the first to before the last, for a single work-group.
    Narrow {
        /// The first one.
        first: usize,
        /// One past the last.
        last: usize,
    },
}

impl Levels {
    /// Those of a square matrix's triangle.
    pub(crate) fn of<P: RowPointer>(triangle: Triangle, row_ptr: &[P], col_indices: &[i32]) -> Self {
        let n = row_ptr.len() - 1;
        let mut level = vec![0_i32; n];
        let mut find = |row: usize| {
            let needed =
                col_indices[row_ptr[row].count()..row_ptr[row + 1].count()].iter().filter(|&&column| match triangle {
                    Triangle::Lower => (column as usize) < row,
                    Triangle::Upper => column as usize > row,
                });
            level[row] = needed.map(|&column| level[column as usize] + 1).max().unwrap_or(0);
        };
        match triangle {
            Triangle::Lower => (0..n).for_each(&mut find),
            Triangle::Upper => (0..n).rev().for_each(&mut find),
        }
        let count = level.iter().max().map_or(0, |&last| last as usize + 1);
        let mut starts = vec![0; count + 1];
        for &level in &level {
            starts[level as usize + 1] += 1;
        }
        for level in 0..count {
            starts[level + 1] += starts[level];
        }
        let mut slots = starts.clone();
        let mut rows = vec![0; n];
        for (row, &level) in level.iter().enumerate() {
            rows[slots[level as usize] as usize] = row as i32;
            slots[level as usize] += 1;
        }
        Levels { rows, starts }
    }

    /// The launches, where levels of at least `wide` rows get one each.
    pub(super) fn steps(&self, wide: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        for (level, pair) in self.starts.windows(2).enumerate() {
            if (pair[1] - pair[0]) as usize >= wide {
                steps.push(Step::Wide { level });
            } else if let Some(Step::Narrow { last, .. }) = steps.last_mut() {
                *last = level + 1;
            } else {
                steps.push(Step::Narrow { first: level, last: level + 1 });
            }
        }
        steps
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn rows_are_in_the_level_after_all_that_they_need() {
        // Row 1 needs 0, row 3 needs 1 and 2; entries above the diagonal do not count.
        let (row_ptr, col_indices) = ([0, 1, 3, 4, 7], [3, 0, 1, 2, 1, 2, 3]);
        let levels = Levels::of(Triangle::Lower, &row_ptr, &col_indices);
        assert_eq!(levels, Levels { rows: vec![0, 2, 1, 3], starts: vec![0, 2, 3, 4] });
        let steps = levels.steps(2);
        assert_eq!(steps, [Step::Wide { level: 0 }, Step::Narrow { first: 1, last: 3 }]);
        let upper = Levels::of(Triangle::Upper, &row_ptr, &col_indices);
        assert_eq!(upper, Levels { rows: vec![1, 2, 3, 0], starts: vec![0, 3, 4] });
        assert_eq!(Levels::of(Triangle::Lower, &[0], &[]), Levels { rows: vec![], starts: vec![0] });
    }
}
