//! Rank-one and rank-two updates on the host.

use std::ops::Range;

use rayon::prelude::*;

use super::{BYTES_PER_THREAD, gathered, host};
use crate::blas::level2::Stored;
use crate::blas::level2::update::{Conjugated, Update};
use crate::division::scale_by;
use crate::host::threads;
use crate::scalar::Scalar;

/// A := A + alpha x yᵀ, or A := A + alpha x yᵀ + beta y xᵀ, for operands in the host's memory.
pub(crate) fn update<T: Scalar>(update: &Update<'_, T>) {
    let (a, x, y) = (host(update.a), host(update.x.memory), host(update.y.memory));
    if update.changes_nothing() {
        return;
    }
    let stored = update.stored;
    let of_rows = |start, shape| {
        // SAFETY: the view holds its elements.
        unsafe { gathered(start, shape, update.conjugated == Conjugated::Rows) }
    };
    let of_columns = |start, shape| {
        // SAFETY: the view holds its elements.
        unsafe { gathered(start, shape, update.conjugated == Conjugated::Columns) }
    };
    let first =
        Term { rows: of_rows(x, &update.x.shape), columns: of_columns(y, &update.y.shape), factor: update.alpha };
    let second = update.beta.map(|factor| {
        let (rows, columns) = (of_rows(y, &update.y.shape), of_columns(x, &update.x.shape));
        Term { rows, columns, factor }
    });
    let a = Columns { start: a, stored };
    in_runs(&stored, size_of::<T>(), |columns| {
        for j in columns {
            let rows = stored.rows_of(j);
            // SAFETY: the rows are the stored ones, and a column is in one run.
            let column = unsafe { a.column(j, &rows) };
            match &second {
                None => add(column, &first, j, &rows),
                Some(second) => add_both(column, &first, second, j, &rows),
            }
            if update.real_diagonal {
                let diagonal = &mut column[j - rows.start];
                *diagonal = T::from_parts(diagonal.re(), 0.0);
            }
        }
    });
}

/// The matrix's memory, for several threads that write columns of their own.
#[derive(Clone, Copy)]
struct Columns<T> {
    start: *mut T,
    stored: Stored,
}

// SAFETY: threads write different columns.
unsafe impl<T: Send> Send for Columns<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Columns<T> {}

impl<T> Columns<T> {
    /// The stored elements of column `j`, in rows `rows`.
    ///
    /// # Safety
    /// These must be stored, and nobody else may touch the column.
    unsafe fn column<'a>(&self, j: usize, rows: &Range<usize>) -> &'a mut [T] {
        // SAFETY: stored elements of a column are adjacent, and the view that the memory came from holds them.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(self.stored.place(rows.start, j)), rows.len()) }
    }
}

/// One product of a column and a row.
struct Term<T> {
    rows: Vec<T>,
    columns: Vec<T>,
    factor: T,
}

fn add<T: Scalar>(column: &mut [T], term: &Term<T>, j: usize, rows: &Range<usize>) {
    let factor = scale_by(term.factor, term.columns[j]);
    for (element, x) in column.iter_mut().zip(&term.rows[rows.clone()]) {
        *element += *x * factor;
    }
}

fn add_both<T: Scalar>(column: &mut [T], first: &Term<T>, second: &Term<T>, j: usize, rows: &Range<usize>) {
    let (alpha, beta) = (scale_by(first.factor, first.columns[j]), scale_by(second.factor, second.columns[j]));
    for ((element, x), y) in column.iter_mut().zip(&first.rows[rows.clone()]).zip(&second.rows[rows.clone()]) {
        *element += *x * alpha + *y * beta;
    }
}

/// Calls `work` for runs of columns that together are all of them, in several threads where it pays. A thread's columns
/// come from both ends, so that in a triangle all threads have as much to do.
fn in_runs(stored: &Stored, element_bytes: usize, work: impl Fn(Range<usize>) + Sync) {
    let columns = stored.columns;
    let bytes = stored.rows.saturating_mul(columns).saturating_mul(element_bytes);
    let threads = threads::available().min(bytes / BYTES_PER_THREAD);
    if threads <= 1 {
        return work(0..columns);
    }
    // Several runs for each thread, so that one that was held up leaves the others something to take.
    let pairs = (4 * threads).min(columns.div_ceil(2));
    let length = columns.div_ceil(2 * pairs);
    let run = |index: usize| (index * length).min(columns)..((index + 1) * length).min(columns);
    let pair = |index: usize| {
        work(run(index));
        work(run(2 * pairs - 1 - index));
    };
    threads::shared(|| (0..pairs).into_par_iter().for_each(pair));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::options::Layout;
    use crate::view::MatrixShape;

    #[test]
    fn runs_are_all_columns_once() {
        for columns in [0, 1, 2, 7, 64, 1001] {
            let shape = MatrixShape::new(Layout::ColumnMajor, 1000, columns, 0, 1000).unwrap();
            let seen = Mutex::new(vec![0; columns]);
            in_runs(&Stored::full(&shape).0, 16, |run| {
                let mut seen = seen.lock().unwrap();
                run.for_each(|j| seen[j] += 1);
            });
            assert!(seen.into_inner().unwrap().iter().all(|times| *times == 1), "{columns}");
        }
    }
}
