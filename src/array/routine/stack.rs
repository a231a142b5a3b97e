//! Matrices for LAPACK: in column-major order, one after the other.

use std::marker::PhantomData;

use affinimath_array::plan::{Buffer, Operand};

use crate::array::memory::Block;
use crate::array::steps::{Memory, Run, of_block};
use crate::error::Result;
use crate::options::Layout;
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchShape, MatrixMut, MatrixShape};

/// Matrices of one size in memory of their own.
pub(super) struct Stack<T> {
    block: Block,
    pub(super) count: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    element: PhantomData<T>,
}

impl<T: Scalar> Stack<T> {
    /// A copy of the operand's matrices.
    pub(super) fn of(run: &Run<'_>, operand: &Operand) -> Result<Self> {
        let [rows, _] = last_two(operand);
        Self::with_rows(run, operand, rows)
    }

    /// A copy of the operand's matrices in the first rows of matrices of `rows` rows. The others have no value.
    pub(super) fn with_rows(run: &Run<'_>, operand: &Operand, rows: usize) -> Result<Self> {
        let [_, columns] = last_two(operand);
        let count = batch(operand).iter().product();
        let block = run.block(operand.element, count * rows * columns)?;
        let stack = Stack { block, count, rows, columns, element: PhantomData };
        if !operand.extents.contains(&0) {
            run.copy_to(operand, &stack.as_operand(operand), stack.memory())?;
        }
        Ok(stack)
    }

    /// Copies the first rows and columns of the matrices, as many as the output has, to the output.
    pub(super) fn store(&self, run: &Run<'_>, output: &Operand) -> Result<()> {
        match output.extents.contains(&0) {
            true => Ok(()),
            false => run.copy_from(self.memory(), &self.as_operand(output), output),
        }
    }

    /// Elements with the operand's extents, of which the last two are rows and columns of this stack's matrices.
    fn as_operand(&self, operand: &Operand) -> Operand {
        let mut strides = vec![0; operand.extents.len()];
        let axes = strides.len() - 2;
        (strides[axes], strides[axes + 1]) = (1, self.rows as i64);
        let mut next = (self.rows * self.columns) as i64;
        for axis in (0..axes).rev() {
            strides[axis] = next;
            next *= operand.extents[axis] as i64;
        }
        let (buffer, extents) = (Buffer::Temporary(usize::MAX), operand.extents.clone());
        Operand { buffer, element: operand.element, offset: 0, extents, strides, is_conjugate: false }
    }

    fn memory(&self) -> Memory<'_> {
        of_block(&self.block, self.count * self.rows * self.columns)
    }

    /// Matrix `index`, of which nothing else has a view meanwhile.
    pub(super) fn matrix(&mut self, index: usize) -> Result<MatrixMut<'_, T>> {
        let columns = self.columns;
        self.first_columns(index, columns)
    }

    /// The first columns of matrix `index`.
    pub(super) fn first_columns(&mut self, index: usize, columns: usize) -> Result<MatrixMut<'_, T>> {
        let offset = index * self.rows * self.columns;
        let shape = MatrixShape::new(Layout::ColumnMajor, self.rows, columns, offset, self.rows.max(1))?;
        match &self.block {
            // SAFETY: the block has `count` matrices of `rows x columns` elements, and the view borrows all of them.
            Block::Host(block) => Ok(unsafe { MatrixMut::from_host_raw(block.as_ptr().cast(), shape) }),
            Block::Device(buffer) => MatrixMut::from_device(buffer, shape, "a matrix of an expression"),
        }
    }

    /// All matrices.
    pub(super) fn all(&mut self) -> Result<BatchMut<'_, T>> {
        let matrix = MatrixShape::new(Layout::ColumnMajor, self.rows, self.columns, 0, self.rows.max(1))?;
        let shape = BatchShape::strided(matrix, self.rows * self.columns, self.count)?;
        match &self.block {
            // SAFETY: as for one matrix; neighbours are a matrix apart.
            Block::Host(block) => unsafe { BatchMut::from_host_raw(block.as_ptr().cast(), shape) },
            Block::Device(buffer) => BatchMut::from_device(buffer, shape, "matrices of an expression"),
        }
    }

    /// Matrix `index`, where it lies in the host's memory.
    pub(super) fn on_host(&self, index: usize) -> Option<faer::MatRef<'_, T>> {
        let Block::Host(block) = &self.block else { return None };
        let first = block.as_ptr().cast::<T>().wrapping_add(index * self.rows * self.columns);
        // SAFETY: the block has the matrix, whose elements have values, and nothing writes them while it is borrowed.
        Some(unsafe { faer::MatRef::from_raw_parts(first, self.rows, self.columns, 1, self.rows as isize) })
    }
}

/// The extents of the matrices.
pub(super) fn last_two(operand: &Operand) -> [usize; 2] {
    match operand.extents[..] {
        [.., rows, columns] => [rows, columns],
        _ => [0; 2],
    }
}

/// The extents before those of the matrices.
pub(super) fn batch(operand: &Operand) -> &[usize] {
    &operand.extents[..operand.extents.len().saturating_sub(2)]
}
