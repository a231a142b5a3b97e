//! The integers that count a matrix's entries.

use crate::scalar::Element;

mod sealed {
    /// Closes [`super::RowPointer`].
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

/// Type of row pointers: `i32`, for up to 2^31 - 1 entries, or `i64`.
pub trait RowPointer: sealed::Sealed + Element + Ord {
    /// True for 64 bits.
    const LONG: bool;
    /// The most entries that it counts.
    const MAX_NNZ: usize;

    /// A count that is known to fit.
    fn from_count(count: usize) -> Self;
    /// The count, of a pointer that is known not to be negative.
    fn count(self) -> usize;
}

impl RowPointer for i32 {
    const LONG: bool = false;
    const MAX_NNZ: usize = i32::MAX as usize;

    #[inline(always)]
    fn from_count(count: usize) -> Self {
        count as i32
    }
    #[inline(always)]
    fn count(self) -> usize {
        self as u32 as usize
    }
}

impl RowPointer for i64 {
    const LONG: bool = true;
    const MAX_NNZ: usize = i64::MAX as usize;

    #[inline(always)]
    fn from_count(count: usize) -> Self {
        count as i64
    }
    #[inline(always)]
    fn count(self) -> usize {
        self as usize
    }
}
