//! Inverses of a sparse matrix's diagonal blocks on the host, and products with them.

use affinimath_macros::instances;
use rayon::prelude::*;

use crate::level1::RawVector;
use crate::threads;
use affinimath_core::division::reciprocal;
use affinimath_core::error::{Error, Result};
use affinimath_core::options::Op;
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{CsrArrays, RowPointer};
use affinimath_core::view::{Memory, VectorMut, VectorRef, View};

/// Elements of blocks that are worth a thread.
const ELEMENTS: usize = 64 << 10;

/// Inverses of the `size` x `size` diagonal blocks of a square matrix, block after block, each column-major. A smaller
/// last block is padded with zeros. The inverse of a Hermitian block is Hermitian.
///
/// # Errors
/// [`Error::ZeroPivot`] with the matrix's row.
#[instances]
pub fn inverted_blocks<T: Scalar, P: RowPointer>(matrix: &CsrArrays<T, P>, size: usize) -> Result<Vec<T>> {
    let rows = matrix.row_ptr.len() - 1;
    let count = rows.div_ceil(size);
    let mut blocks = vec![T::ZERO; count * size * size];
    let per_task = (ELEMENTS / (size * size)).max(1);
    let invert = |(task, blocks): (usize, &mut [T])| {
        let mut work = Vec::new();
        blocks.chunks_exact_mut(size * size).enumerate().try_for_each(|(index, block)| {
            let first = (task * per_task + index) * size;
            let order = size.min(rows - first);
            read_block(matrix, first, order, &mut work);
            let hermitian = is_hermitian(&work, order);
            invert(&mut work, order).map_err(|pivot| Error::ZeroPivot { index: first + pivot + 1 })?;
            for column in 0..order {
                for row in 0..order {
                    let (value, mirrored) =
                        (work[row * 2 * order + order + column], work[column * 2 * order + order + row]);
                    let half = T::from_parts(0.5, 0.0);
                    block[column * size + row] = if hermitian { (value + mirrored.conjugate()) * half } else { value };
                }
            }
            Ok(())
        })
    };
    let tasks = blocks.chunks_mut(per_task * size * size).enumerate().collect::<Vec<_>>();
    // The first error in row order, for any number of threads.
    match threads::available() {
        1 => tasks.into_iter().try_for_each(invert)?,
        _ => {
            let results: Vec<_> = threads::shared(|| tasks.into_par_iter().map(invert).collect());
            results.into_iter().collect::<Result<()>>()?;
        }
    }
    Ok(blocks)
}

/// The row-major matrix [B I] of a block B. Duplicate entries are added.
fn read_block<T: Scalar, P: RowPointer>(matrix: &CsrArrays<T, P>, first: usize, order: usize, block: &mut Vec<T>) {
    block.clear();
    block.resize(2 * order * order, T::ZERO);
    for row in 0..order {
        for entry in matrix.row_ptr[first + row].count()..matrix.row_ptr[first + row + 1].count() {
            let column = (matrix.col_indices[entry] as usize).wrapping_sub(first);
            if column < order {
                block[row * 2 * order + column] += matrix.values[entry];
            }
        }
        block[row * 2 * order + order + row] = T::ONE;
    }
}

fn is_hermitian<T: Scalar>(block: &[T], order: usize) -> bool {
    let element = |row: usize, column: usize| block[row * 2 * order + column];
    (0..order).all(|row| (0..=row).all(|column| element(row, column) == element(column, row).conjugate()))
}

/// Gauss-Jordan elimination with partial pivoting: [B I] becomes [I B^-1]. The error is the step without a pivot.
fn invert<T: Scalar>(block: &mut [T], order: usize) -> std::result::Result<(), usize> {
    let width = 2 * order;
    for step in 0..order {
        let size = |row: usize| -> f64 { block[row * width + step].sum_of_moduli().into() };
        let largest = (step + 1..order).fold(step, |best, row| if size(row) > size(best) { row } else { best });
        if size(largest) == 0.0 {
            return Err(step);
        }
        if largest != step {
            let (above, below) = block.split_at_mut(largest * width);
            above[step * width..][..width].swap_with_slice(&mut below[..width]);
        }
        let pivot = reciprocal(block[step * width + step]);
        let pivot_row: Vec<T> = block[step * width..][..width].iter().map(|value| *value * pivot).collect();
        for (row, values) in block.chunks_exact_mut(width).enumerate() {
            let factor = values[step];
            if row == step {
                values.copy_from_slice(&pivot_row);
            } else if factor != T::ZERO {
                values.iter_mut().zip(&pivot_row).for_each(|(value, pivot)| *value -= factor * *pivot);
            }
        }
    }
    Ok(())
}

/// y := op(B) x for a matrix B of square blocks on its diagonal, one after another, each by columns.
#[instances]
pub fn block_product<T: Scalar>(blocks: &[T], size: usize, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) {
    let (Memory::Host(x_start, _), Memory::Host(y_start, _)) = (x.memory(), y.memory()) else {
        unreachable!("the host works on the host's memory")
    };
    let rows = y.length();
    // SAFETY: the views hold their vectors; x is not written, and y is exclusive.
    let (x, y) = unsafe { (RawVector::new(x_start, x.shape()), RawVector::new(y_start, y.shape())) };
    let (transposed, conjugated) = (op.transposes(), op.conjugates());
    let per_task = (ELEMENTS / (size * size)).max(1);
    let task = |(task, blocks): (usize, &[T])| {
        let mut sums = vec![T::ZERO; size];
        for (index, block) in blocks.chunks_exact(size * size).enumerate() {
            let first = (task * per_task + index) * size;
            let order = size.min(rows - first);
            sums.fill(T::ZERO);
            for (j, column) in block.chunks_exact(size).take(order).enumerate() {
                let value = |i: usize| if conjugated { column[i].conjugate() } else { column[i] };
                // SAFETY: the row is one of the vector's.
                let element = |i: usize| unsafe { *x.at(first + i) };
                if transposed {
                    sums[j] = (0..order).fold(T::ZERO, |sum, i| sum + value(i) * element(i));
                } else {
                    let factor = element(j);
                    sums[..order].iter_mut().enumerate().for_each(|(i, sum)| *sum += value(i) * factor);
                }
            }
            // SAFETY: the rows are y's, and no other block has them.
            sums[..order].iter().enumerate().for_each(|(i, sum)| unsafe { *y.at(first + i) = *sum });
        }
    };
    let chunk = per_task * size * size;
    match threads::available() {
        1 => blocks.chunks(chunk).enumerate().for_each(task),
        _ => threads::shared(|| blocks.par_chunks(chunk).enumerate().for_each(task)),
    }
}
