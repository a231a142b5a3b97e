//! Groups of neighbouring stored columns, whose common rows are processed together.

use std::ops::Range;

use pulp::Simd;

use super::kernels::{axpy_columns, both_columns, dot_columns};
use affinimath_core::problem::{ColumnStarts, Stored};
use affinimath_core::scalar::Scalar;

/// Columns that are processed at a time.
pub(super) const GROUP: usize = 4;

/// Neighbouring columns: first index, and count, at most [`GROUP`].
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) first: usize,
    pub(super) count: usize,
}

/// Rows from the first one to one past the last.
pub(crate) type Rows = [usize; 2];

/// A matrix's stored columns in the host's memory.
#[derive(Clone, Copy)]
pub struct Columns<T> {
    pub start: *const T,
    pub stored: Stored,
}

// SAFETY: threads that share a matrix only read it, or write different columns.
unsafe impl<T: Send + Sync> Sync for Columns<T> {}

impl<T: Scalar> Columns<T> {
    /// The square block of these rows and columns of a triangle, or of a band.
    pub fn diagonal_block(&self, block: &Range<usize>) -> Self {
        let Stored { starts: ColumnStarts { linear, quadratic, .. }, above, below, .. } = self.stored;
        let (first, order) = (block.start as isize, block.len());
        // column_start(first + j) + first = shift + j (linear + 2 quadratic first + quadratic j) / 2
        let shift = (self.stored.column_start(block.start) + first) as usize;
        let linear = (linear as isize + 2 * quadratic * first) as usize;
        let starts = ColumnStarts { shift, linear, quadratic };
        let stored = Stored { rows: order, columns: order, offset: self.stored.offset, starts, above, below };
        Columns { start: self.start, stored }
    }

    /// The address of row i of column j, if that went on so far.
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> *const T {
        let offset = self.stored.offset as isize + self.stored.column_start(j) + i as isize;
        self.start.wrapping_offset(offset)
    }

    /// The stored rows of column j within limits.
    #[inline(always)]
    pub(super) fn rows(&self, j: usize, [begin, end]: Rows) -> Rows {
        let own = self.stored.rows_of(j);
        let begin = own.start.max(begin);
        [begin, own.end.min(end).max(begin)]
    }

    /// Rows within limits that all columns of a group store. Those of later columns begin and end no earlier.
    #[inline(always)]
    fn common(&self, group: Group, limits: Rows) -> Rows {
        let [_, end] = self.rows(group.first, limits);
        let [begin, _] = self.rows(group.first + group.count - 1, limits);
        [begin, end.max(begin)]
    }

    /// The rows of column j above the common ones, and below them.
    #[inline(always)]
    fn rest(&self, j: usize, limits: Rows, [begin, end]: Rows) -> [Rows; 2] {
        let own = self.rows(j, limits);
        if begin == end {
            return [own, [own[1], own[1]]];
        }
        [[own[0], begin.max(own[0])], [end.min(own[1]), own[1]]]
    }

    /// The addresses of a row in neighbouring columns, if these went on so far.
    #[inline(always)]
    pub(super) fn addresses(&self, row: usize, first: usize) -> [*const T; GROUP] {
        let mut addresses = [self.start; GROUP];
        for (k, address) in addresses.iter_mut().enumerate() {
            *address = self.at(row, first + k);
        }
        addresses
    }

    /// y_i += sum over the group of factors[k] a_ik, for the stored rows within limits.
    ///
    /// # Safety
    /// The matrix must be valid, and y must have an element for each row and not be accessed by anything else.
    #[inline(always)]
    pub(super) unsafe fn add<S: Simd, const CONJUGATE: bool>(
        &self,
        simd: S,
        group: Group,
        limits: Rows,
        factors: &[T; GROUP],
        y: *mut T,
    ) {
        let mut common = [0, 0];
        // SAFETY: the rows are stored ones; the matrix and y are valid, by this function's contract.
        unsafe {
            if group.count == GROUP {
                common = self.common(group, limits);
                let [begin, end] = common;
                if begin < end {
                    let columns = self.addresses(begin, group.first);
                    axpy_columns::<T, S, GROUP, CONJUGATE>(simd, end - begin, &columns, factors, y.add(begin));
                }
            }
            for (k, factor) in factors.iter().enumerate().take(group.count) {
                let j = group.first + k;
                for [begin, end] in self.rest(j, limits, common) {
                    if begin < end {
                        let column = [self.at(begin, j)];
                        axpy_columns::<T, S, 1, CONJUGATE>(simd, end - begin, &column, &[*factor], y.add(begin));
                    }
                }
            }
        }
    }

    /// For each column of a group the sum of a_ik x_i, or of conj(a_ik) x_i, over the stored rows within limits.
    ///
    /// # Safety
    /// The matrix must be valid, and x must have an element for each row.
    #[inline(always)]
    pub(super) unsafe fn dots<S: Simd>(
        &self,
        simd: S,
        group: Group,
        limits: Rows,
        conjugate: bool,
        x: *const T,
    ) -> [T; GROUP] {
        let (mut sums, mut common) = ([T::ZERO; GROUP], [0, 0]);
        // SAFETY: the rows are stored ones; the matrix and x are valid, by this function's contract.
        unsafe {
            if group.count == GROUP {
                common = self.common(group, limits);
                let [begin, end] = common;
                if begin < end {
                    let columns = self.addresses(begin, group.first);
                    sums = dot_columns::<T, S, GROUP>(simd, end - begin, &columns, conjugate, x.add(begin));
                }
            }
            for (k, total) in sums.iter_mut().enumerate().take(group.count) {
                let j = group.first + k;
                for [begin, end] in self.rest(j, limits, common) {
                    if begin < end {
                        let column = [self.at(begin, j)];
                        let [sum] = dot_columns::<T, S, 1>(simd, end - begin, &column, conjugate, x.add(begin));
                        *total += sum;
                    }
                }
            }
        }
        sums
    }

    /// Both at once: y like [`Self::add`], and the sums with x like [`Self::dots`].
    ///
    /// # Safety
    /// That of both; x and y must not overlap.
    #[inline(always)]
    pub(super) unsafe fn both<S: Simd, const CONJUGATE: bool>(
        &self,
        simd: S,
        group: Group,
        limits: Rows,
        factors: &[T; GROUP],
        (conjugate, x): (bool, *const T),
        y: *mut T,
    ) -> [T; GROUP] {
        let (mut sums, mut common) = ([T::ZERO; GROUP], [0, 0]);
        // SAFETY: the rows are stored ones; the matrix, x and y are valid, by this function's contract.
        unsafe {
            if group.count == GROUP {
                common = self.common(group, limits);
                let [begin, end] = common;
                if begin < end {
                    let (n, columns) = (end - begin, self.addresses(begin, group.first));
                    let x = (conjugate, x.add(begin));
                    sums = both_columns::<T, S, GROUP, CONJUGATE>(simd, n, &columns, factors, x, y.add(begin));
                }
            }
            for k in 0..group.count {
                let j = group.first + k;
                for [begin, end] in self.rest(j, limits, common) {
                    if begin < end {
                        let (n, column, x) = (end - begin, [self.at(begin, j)], (conjugate, x.add(begin)));
                        let factor = [factors[k]];
                        let [sum] = both_columns::<T, S, 1, CONJUGATE>(simd, n, &column, &factor, x, y.add(begin));
                        sums[k] += sum;
                    }
                }
            }
        }
        sums
    }
}
