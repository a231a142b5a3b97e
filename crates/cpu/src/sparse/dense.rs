//! Sparse matrix times dense matrix on the host (SpMM): a few columns of the result at a time, which share one pass
//! over the matrix.
//!
//! Like in SpMV, each segment of the matrix stores its complete rows and returns partial sums of the others. These are
//! added in the order of the segments, so that results do not depend on the number of threads.

use affinimath_macros::instances;
use std::ops::Range;

use super::convert::offset;
use super::segments::Segment;
use super::{Shared, segments, slice};
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{CsrDenseProduct, RowPointer};
use affinimath_core::view::{Memory, View};

/// C := alpha A B + beta C, or with conj(A), for operands in the host's memory.
#[instances]
pub fn dense_product<T: Scalar, P: RowPointer>(product: &CsrDenseProduct<'_, T, P>) {
    let (Memory::Host(b, _), Memory::Host(c, _)) = (product.b.memory(), product.c.memory()) else {
        unreachable!("the host works on the host's memory")
    };
    let columns = Columns { product, b: Shared(b), c: Shared(c) };
    let carry = segments::each(slice(&product.matrix.row_ptr), |segment| columns.segment(segment));
    columns.store_carry(carry);
}

/// A segment's incomplete rows: each row's index and partial sums.
type Carry<T> = [Option<(usize, Vec<T>)>; 2];

struct Columns<'a, T, P> {
    product: &'a CsrDenseProduct<'a, T, P>,
    b: Shared<T>,
    c: Shared<T>,
}

impl<T: Scalar, P: RowPointer> Columns<'_, T, P> {
    fn segment(&self, segment: Segment) -> Carry<T> {
        let row_ptr = slice(&self.product.matrix.row_ptr);
        let Segment { mut rows, entries } = segment;
        let mut begin = entries.start;
        let mut head = None;
        if rows.start + 1 < row_ptr.len() && begin > row_ptr[rows.start].count() {
            let end = row_ptr[rows.start + 1].count().min(entries.end);
            head = Some((rows.start, self.sums(begin..end)));
            if rows.is_empty() {
                return [head, None];
            }
            rows.start += 1;
            begin = end;
        }
        for row in rows.clone() {
            let end = row_ptr[row + 1].count();
            self.for_each_sum(begin..end, |column, sum| self.store(row, column, sum));
            begin = end;
        }
        let tail = (begin < entries.end).then(|| (rows.end, self.sums(begin..entries.end)));
        [head, tail]
    }

    /// Sums over entries of a row, for all columns.
    fn sums(&self, entries: Range<usize>) -> Vec<T> {
        let mut sums = vec![T::ZERO; self.product.c.columns()];
        self.for_each_sum(entries, |column, sum| sums[column] = sum);
        sums
    }

    /// Calls `take` with each column and its sum over entries of a row.
    #[inline(always)]
    fn for_each_sum(&self, entries: Range<usize>, mut take: impl FnMut(usize, T)) {
        let columns = self.product.c.columns();
        let mut column = 0;
        while column + 8 <= columns {
            let sums = self.few::<8>(entries.clone(), column);
            sums.into_iter().enumerate().for_each(|(j, sum)| take(column + j, sum));
            column += 8;
        }
        if column + 4 <= columns {
            let sums = self.few::<4>(entries.clone(), column);
            sums.into_iter().enumerate().for_each(|(j, sum)| take(column + j, sum));
            column += 4;
        }
        for column in column..columns {
            take(column, self.few::<1>(entries.clone(), column)[0]);
        }
    }

    /// Sums over entries of a row, for N neighbouring columns.
    #[inline(always)]
    fn few<const N: usize>(&self, entries: Range<usize>, column: usize) -> [T; N] {
        let (product, mut sums) = (self.product, [T::ZERO; N]);
        // BLAS: with alpha = 0 A and B are not read.
        if product.alpha != T::ZERO {
            if product.b.shape().strides().1 == 1 {
                self.add::<N>(entries, column, 1, &mut sums);
            } else {
                self.add::<N>(entries, column, product.b.shape().strides().1, &mut sums);
            }
        }
        sums
    }

    #[inline(always)]
    fn add<const N: usize>(&self, entries: Range<usize>, column: usize, column_stride: usize, sums: &mut [T; N]) {
        let matrix = &self.product.matrix;
        let (col_indices, values) = (slice(&matrix.col_indices), slice(&matrix.values));
        for entry in entries {
            let value = if self.product.conjugate { values[entry].conjugate() } else { values[entry] };
            let b = self.b.0.wrapping_add(offset(self.product.b.shape(), col_indices[entry] as usize, column));
            for (j, sum) in sums.iter_mut().enumerate() {
                // SAFETY: the matrix's indices name rows of B, and the view holds its elements.
                *sum += value * unsafe { *b.add(j * column_stride) };
            }
        }
    }

    #[inline(always)]
    fn store(&self, row: usize, column: usize, sum: T) {
        let product = self.product;
        // SAFETY: the view holds its elements, and each row is stored by one thread.
        let c = unsafe { &mut *self.c.0.add(offset(product.c.shape(), row, column)) };
        let sum = if product.alpha == T::ZERO { T::ZERO } else { product.alpha * sum };
        // BLAS: with beta = 0 C is not read.
        *c = if product.beta == T::ZERO { sum } else { sum + product.beta * *c };
    }

    /// Adds up the rows that several segments share.
    fn store_carry(&self, carry: Vec<Carry<T>>) {
        let mut open: Option<(usize, Vec<T>)> = None;
        for (row, part) in carry.into_iter().flatten().flatten() {
            match &mut open {
                Some((same, sums)) if *same == row => sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part),
                _ => {
                    if let Some(done) = open.replace((row, part)) {
                        self.store_row(done);
                    }
                }
            }
        }
        if let Some(done) = open {
            self.store_row(done);
        }
    }

    fn store_row(&self, (row, sums): (usize, Vec<T>)) {
        sums.into_iter().enumerate().for_each(|(column, sum)| self.store(row, column, sum));
    }
}
