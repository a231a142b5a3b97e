//! Sparse matrix times vector on the host (SpMV), merge-based (Merrill and Garland 2016).
//!
//! Each segment of the matrix stores its complete rows and returns partial sums of the others. These are added in the
//! order of the segments, so that results do not depend on the number of threads.

use affinimath_macros::instances;
use std::borrow::Cow;

use super::{segments, slice};
use crate::level1::{RawVector, elementwise};
use crate::prefetch::prefetch;
use affinimath_core::problem::Elementwise;
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{CsrProduct, RowPointer};
use affinimath_core::view::{Memory, View};

use segments::Segment;

/// y := alpha A x + beta y, or with conj(A), for operands in the host's memory.
#[instances]
pub fn product<T: Scalar, P: RowPointer>(product: &CsrProduct<'_, T, P>) {
    let (Memory::Host(x_start, _), Memory::Host(y_start, _)) = (product.x.memory(), product.y.memory()) else {
        unreachable!("the host works on the host's memory")
    };
    // SAFETY: the views hold their vectors, and y is exclusive.
    let (x, y) = unsafe { (RawVector::new(x_start, product.x.shape()), RawVector::new(y_start, product.y.shape())) };
    if product.alpha == T::ZERO {
        // BLAS: A and x are not read.
        if let Some(operation) = Elementwise::axpby(T::ZERO, product.beta) {
            elementwise(&operation, None, y);
        }
        return;
    }
    let x = match x.as_slice() {
        Some(x) => Cow::Borrowed(x),
        // SAFETY: indices are below the vector's length.
        None => (0..x.length()).map(|i| unsafe { *x.at(i) }).collect(),
    };
    let matrix = &product.matrix;
    let (row_ptr, col_indices, values) = (slice(&matrix.row_ptr), slice(&matrix.col_indices), slice(&matrix.values));
    let rows = Rows { row_ptr, col_indices, values, x: &x };
    let output = Output { y, alpha: product.alpha, beta: product.beta };
    let work = |segment| {
        if product.conjugate { rows.segment::<true>(segment, &output) } else { rows.segment::<false>(segment, &output) }
    };
    output.store_carry(segments::each(row_ptr, work));
}

/// Prefetch distance in bytes of values: less is too late, and more does not arrive earlier.
const PREFETCH_BYTES: usize = 4096;

/// A segment's incomplete rows: each row's index and partial sum.
type Carry<T> = [Option<(usize, T)>; 2];

/// The matrix, and the vector that it is multiplied by.
struct Rows<'a, T, P> {
    row_ptr: &'a [P],
    col_indices: &'a [i32],
    values: &'a [T],
    x: &'a [T],
}

impl<T: Scalar, P: RowPointer> Rows<'_, T, P> {
    fn segment<const CONJUGATE: bool>(&self, segment: Segment, output: &Output<T>) -> Carry<T> {
        let Segment { mut rows, entries } = segment;
        let mut begin = entries.start;
        let mut head = None;
        if rows.start + 1 < self.row_ptr.len() && begin > self.row_ptr[rows.start].count() {
            let end = self.row_ptr[rows.start + 1].count().min(entries.end);
            head = Some((rows.start, self.sum::<CONJUGATE>(begin, end)));
            if rows.is_empty() {
                return [head, None];
            }
            rows.start += 1;
            begin = end;
        }
        for row in rows.clone() {
            let end = self.row_ptr[row + 1].count();
            output.store(row, self.sum::<CONJUGATE>(begin, end));
            begin = end;
        }
        let tail = (begin < entries.end).then(|| (rows.end, self.sum::<CONJUGATE>(begin, entries.end)));
        [head, tail]
    }

    /// Sum over entries of a row in four accumulators. The remainder is not a loop, whose overhead would exceed a short
    /// row's sum.
    #[inline(always)]
    fn sum<const CONJUGATE: bool>(&self, mut begin: usize, end: usize) -> T {
        let mut sums = [T::ZERO; 4];
        while begin + 4 <= end {
            self.prefetch(begin);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum += self.term::<CONJUGATE>(begin + i);
            }
            begin += 4;
        }
        self.prefetch(begin);
        if begin + 2 <= end {
            sums[0] += self.term::<CONJUGATE>(begin);
            sums[1] += self.term::<CONJUGATE>(begin + 1);
            begin += 2;
        }
        if begin < end {
            sums[2] += self.term::<CONJUGATE>(begin);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// Prefetches [`PREFETCH_BYTES`] bytes of values ahead: hardware prefetchers are disturbed by stores of the result
    /// in between.
    #[inline(always)]
    fn prefetch(&self, entry: usize) {
        let entry = entry + PREFETCH_BYTES / size_of::<T>();
        prefetch(self.values.as_ptr().wrapping_add(entry));
        prefetch(self.col_indices.as_ptr().wrapping_add(entry));
    }

    #[inline(always)]
    fn term<const CONJUGATE: bool>(&self, entry: usize) -> T {
        debug_assert!(entry < self.values.len() && (self.col_indices[entry] as usize) < self.x.len());
        // SAFETY: the matrix is valid: its row pointers are entries, and its indices are columns, of which x has as
        // many.
        unsafe {
            let value = *self.values.get_unchecked(entry);
            let column = *self.col_indices.get_unchecked(entry) as u32 as usize;
            (if CONJUGATE { value.conjugate() } else { value }) * *self.x.get_unchecked(column)
        }
    }
}

/// Stores y := alpha sums + beta y.
struct Output<T> {
    y: RawVector<T>,
    alpha: T,
    beta: T,
}

impl<T: Scalar> Output<T> {
    #[inline(always)]
    fn store(&self, row: usize, sum: T) {
        // SAFETY: the index is below the vector's length, and each row is stored by one thread.
        let y = unsafe { &mut *self.y.at(row) };
        // BLAS: with beta = 0 y is not read.
        *y = if self.beta == T::ZERO { self.alpha * sum } else { self.alpha * sum + self.beta * *y };
    }

    /// Adds up the rows that several segments share.
    fn store_carry(&self, carry: Vec<Carry<T>>) {
        let mut open: Option<(usize, T)> = None;
        for (row, part) in carry.into_iter().flatten().flatten() {
            open = match open {
                Some((same, sum)) if same == row => Some((row, sum + part)),
                Some((done, sum)) => {
                    self.store(done, sum);
                    Some((row, part))
                }
                None => Some((row, part)),
            };
        }
        if let Some((row, sum)) = open {
            self.store(row, sum);
        }
    }
}
