//! The arrays of sparse matrices in the host's memory.

use super::RowPointer;
use crate::error::{Error, Result};

/// The arrays of a matrix, on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct CsrArrays<T, P = i32> {
    /// Index of the first entry of each row, and the end of the last row: rows + 1 values.
    pub row_ptr: Vec<P>,
    /// The column of each entry, from 0.
    pub col_indices: Vec<i32>,
    /// The value of each entry.
    pub values: Vec<T>,
}

/// The arrays of a list of entries, on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct CooArrays<T> {
    /// The row of each entry, from 0.
    pub row_indices: Vec<i32>,
    /// The column of each entry, from 0.
    pub col_indices: Vec<i32>,
    /// The value of each entry.
    pub values: Vec<T>,
}

/// Refuses more entries than pointers of the type count.
pub fn check_count<P: RowPointer>(entries: usize) -> Result<()> {
    if entries <= P::MAX_NNZ {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{entries} entries are more than 32-bit row pointers count: use i64")))
}
