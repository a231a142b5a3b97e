//! Sparse matrix times dense matrix on the host: a few columns of the result at a time, so that the matrix is read once for them.

use super::convert::place;
use super::{Shared, segments, slice};
use crate::scalar::Scalar;
use crate::sparse::{CsrDenseProduct, RowPointer};
use crate::view::Memory;

/// C := alpha A B + beta C, or with conj(A), for operands in the host's memory.
pub(crate) fn dense_product<T: Scalar, P: RowPointer>(product: &CsrDenseProduct<'_, T, P>) {
    let (Memory::Host(b, _), Memory::Host(c, _)) = (product.b.memory, product.c.memory) else {
        unreachable!("the host works on the host's memory")
    };
    let columns = Columns { product, b: Shared(b), c: Shared(c) };
    segments::each(slice(&product.matrix.pointers), |segment| {
        // The rows that end in the segment, from their beginnings on.
        for row in segment.rows {
            columns.row(row);
        }
    });
}

struct Columns<'a, T, P> {
    product: &'a CsrDenseProduct<'a, T, P>,
    b: Shared<T>,
    c: Shared<T>,
}

impl<T: Scalar, P: RowPointer> Columns<'_, T, P> {
    /// A row of C.
    fn row(&self, row: usize) {
        let columns = self.product.c.columns();
        let mut column = 0;
        while column + 8 <= columns {
            self.few::<8>(row, column);
            column += 8;
        }
        if column + 4 <= columns {
            self.few::<4>(row, column);
            column += 4;
        }
        for column in column..columns {
            self.few::<1>(row, column);
        }
    }

    /// N elements of it.
    #[inline(always)]
    fn few<const N: usize>(&self, row: usize, column: usize) {
        let product = self.product;
        let mut sums = [T::ZERO; N];
        if product.alpha != T::ZERO {
            if product.b.shape.strides().1 == 1 {
                self.add::<N>(row, column, 1, &mut sums);
            } else {
                self.add::<N>(row, column, product.b.shape.strides().1, &mut sums);
            }
        }
        for (j, sum) in sums.into_iter().enumerate() {
            // SAFETY: the view holds its elements, and nobody else touches this row.
            let c = unsafe { &mut *self.c.0.add(place(&product.c.shape, row, column + j)) };
            let sum = if product.alpha == T::ZERO { T::ZERO } else { product.alpha * sum };
            // As in BLAS, with beta = 0 C is not read.
            *c = if product.beta == T::ZERO { sum } else { sum + product.beta * *c };
        }
    }

    #[inline(always)]
    fn add<const N: usize>(&self, row: usize, column: usize, column_stride: usize, sums: &mut [T; N]) {
        let matrix = &self.product.matrix;
        let (pointers, indices, values) = (slice(&matrix.pointers), slice(&matrix.indices), slice(&matrix.values));
        for entry in pointers[row].count()..pointers[row + 1].count() {
            let value = if self.product.conjugate { values[entry].conjugate() } else { values[entry] };
            let b = self.b.0.wrapping_add(place(&self.product.b.shape, indices[entry] as usize, column));
            for (j, sum) in sums.iter_mut().enumerate() {
                // SAFETY: the matrix's indices name rows of B, and the view holds its elements.
                *sum += value * unsafe { *b.add(j * column_stride) };
            }
        }
    }
}
