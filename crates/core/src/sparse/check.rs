//! Checks of the three arrays of a CSR matrix.

use super::RowPointer;
use crate::error::{Error, Result};

/// Indices are `i32`: a matrix has no more columns than they count.
const MAX_COLUMNS: usize = 1 << 31;

/// Refuses sizes that indices cannot name.
pub fn check_sizes(rows: usize, columns: usize) -> Result<()> {
    for (name, size) in [("rows", rows), ("columns", columns)] {
        if size > MAX_COLUMNS {
            return Err(Error::argument(name, format!("{size} is more than 2^31, and indices are 32-bit")));
        }
    }
    Ok(())
}

/// Refuses arrays that are not a `rows x columns` matrix, naming the array, the row and the entry.
pub fn check<P: RowPointer>(
    rows: usize,
    columns: usize,
    row_ptr: &[P],
    col_indices: &[i32],
    values: usize,
) -> Result<()> {
    check_sizes(rows, columns)?;
    check_pointers(rows, row_ptr, col_indices.len())?;
    if values != col_indices.len() {
        let reason = format!("there are {values} values for {} column indices", col_indices.len());
        return Err(Error::argument("values", reason));
    }
    match col_indices.iter().position(|&column| column < 0 || column as usize >= columns) {
        None => Ok(()),
        Some(entry) => {
            let row = row_ptr.partition_point(|pointer| pointer.count() <= entry) - 1;
            let column = col_indices[entry];
            let reason = format!("entry {entry}, in row {row}, has the column {column}: a matrix of {columns} columns");
            Err(Error::argument("indices", reason))
        }
    }
}

fn check_pointers<P: RowPointer>(rows: usize, row_ptr: &[P], entries: usize) -> Result<()> {
    let refuse = |reason: String| Err(Error::argument("pointers", reason));
    if row_ptr.len() != rows + 1 {
        return refuse(format!("there are {} of them, and {rows} rows need one more than rows", row_ptr.len()));
    }
    if row_ptr[0] != P::default() {
        return refuse(format!("the first one is {:?}, and should be 0", row_ptr[0]));
    }
    if let Some(row) = row_ptr.windows(2).position(|pair| pair[1] < pair[0]) {
        let (begin, end) = (row_ptr[row], row_ptr[row + 1]);
        return refuse(format!("row {row} begins at entry {begin:?} and ends at {end:?}, before it"));
    }
    if row_ptr[rows].count() != entries {
        return refuse(format!("the last one is {:?}, and there are {entries} column indices", row_ptr[rows]));
    }
    Ok(())
}
