//! Matrices for LAPACK: in column-major order, one after the other.

use std::any::Any;
use std::marker::PhantomData;
use std::slice;
use std::sync::Arc;

use affinimath_array::node::{Leaf, Node};
use affinimath_array::plan::{Buffer, Operand};
use affinimath_array::shape::{Shape, Strides};

use crate::array::executor::ContextExecutor;
use crate::array::memory::{ArrayMemory, Block};
use crate::array::steps::{Memory, Run, of_block};
use crate::context::{BufferParts, Queue};
use crate::error::{Error, Result};
use crate::options::Layout;
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchRef, BatchShape, MatrixMut, MatrixRef, MatrixShape, VectorMut, VectorShape};

/// Matrices of one size in memory of their own, which expressions may read.
pub(super) struct Stack<T> {
    memory: Arc<ArrayMemory>,
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
        let stack = Self::new(run, operand, [count, rows, columns])?;
        if !operand.extents.contains(&0) {
            run.copy_to(operand, &stack.as_operand(operand), stack.memory())?;
        }
        Ok(stack)
    }

    /// Matrices without values, of the operand's element type, `[count, rows, columns]`.
    pub(super) fn new(run: &Run<'_>, operand: &Operand, [count, rows, columns]: [usize; 3]) -> Result<Self> {
        let length = count * rows * columns;
        let block = run.block(operand.element, length)?;
        let memory = ArrayMemory::new(run.context().clone(), operand.element, length, block);
        Ok(Stack { memory: Arc::new(memory), count, rows, columns, element: PhantomData })
    }

    /// One diagonal of each of the operand's matrices, as a column: `diagonal` above the main one, or below it where it
    /// is negative. It has one element at least.
    pub(super) fn diagonal(run: &Run<'_>, operand: &Operand, diagonal: i64) -> Result<Self> {
        Self::of(run, &diagonal_of(operand, diagonal))
    }

    /// The bands of the operand's square matrices in LAPACK's storage, with rows for those of their factors: element
    /// (i, j) in row lower + upper + i - j of column j.
    pub(super) fn band(run: &Run<'_>, operand: &Operand, [lower, upper]: [usize; 2]) -> Result<Self> {
        let ([n, _], axes, rows) = (last_two(operand), operand.extents.len() - 2, 2 * lower + upper + 1);
        let stack = Self::new(run, operand, [batch(operand).iter().product(), rows, n])?;
        let last = n.saturating_sub(1) as i64;
        for diagonal in -(lower as i64).min(last)..=(upper as i64).min(last) {
            let elements = diagonal_of(operand, diagonal);
            let mut own = stack.as_operand(&elements);
            own.offset = (lower + upper) as i64 - diagonal + diagonal.max(0) * rows as i64;
            // The next element is in the next column.
            own.strides[axes] = rows as i64;
            run.copy_to(&elements, &own, stack.memory())?;
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
        of_block(self.memory.block(), self.len())
    }

    const fn len(&self) -> usize {
        self.count * self.rows * self.columns
    }

    /// A queue of the device that has the matrices.
    pub(super) fn queue(&self) -> Result<Queue> {
        match self.memory.block() {
            Block::Host(_) => Err(Error::Internal("a queue for the host's memory".to_owned())),
            Block::Device(buffer) => Ok(Queue::new(buffer.context())?.unsignaled()),
        }
    }

    /// All elements, in column-major order.
    pub(super) fn elements(&mut self) -> Result<VectorMut<'_, T>> {
        let shape = VectorShape::new(self.len(), 0, 1)?;
        match self.memory.block() {
            Block::Host(_) => Err(Error::Internal("a device's view of the host's memory".to_owned())),
            Block::Device(buffer) => VectorMut::from_device(buffer, shape, "elements of an expression"),
        }
    }

    /// The matrices as an array: `[count, rows, columns]`.
    pub(super) fn node(&self) -> Result<Node> {
        let shape = [self.count, self.rows, self.columns];
        self.leaf(shape, &[(self.rows * self.columns) as i64, 1, self.rows as i64])
    }

    /// The transposed matrices as an array, whose row-major order is that of the memory: `[count, columns, rows]`.
    pub(super) fn transposed(&self) -> Result<Node> {
        let shape = [self.count, self.columns, self.rows];
        self.leaf(shape, &[(self.rows * self.columns) as i64, self.rows as i64, 1])
    }

    fn leaf(&self, shape: [usize; 3], strides: &[i64]) -> Result<Node> {
        let wrong = |kind: affinimath_array::ErrorKind| Error::Internal(kind.to_string());
        let (shape, strides) = (Shape::new(&shape).map_err(wrong)?, Strides::new(strides).map_err(wrong)?);
        let node = Node::leaf(self.memory.clone(), 0, shape, strides);
        match node.error() {
            Some(error) => Err(error.clone().into()),
            None => Ok(node),
        }
    }

    /// Makes these matrices those of an expression of their transposes, of the same shape.
    pub(super) fn set_transposed(&mut self, run: &Run<'_>, value: Node) -> Result<()> {
        let Leaf { storage, offset, strides } = evaluated(run, value.clone())?;
        let is_packed =
            offset == 0 && strides == Strides::row_major(value.shape()) && value.shape().len() == self.len();
        let memory: Arc<dyn Any + Send + Sync> = storage;
        match memory.downcast() {
            Ok(memory) if is_packed => {
                self.memory = memory;
                Ok(())
            }
            _ => Err(Error::Internal("matrices of an expression in an unexpected order".to_owned())),
        }
    }

    /// The elements, in column-major order.
    pub(super) fn to_vec(&self) -> Result<Vec<T>> {
        let Block::Device(buffer) = self.memory.block() else { return Ok(self.on_host()?.to_vec()) };
        let mut elements = vec![T::ZERO; self.len()];
        if !elements.is_empty() {
            buffer.read(&Queue::new(buffer.context())?, &mut elements)?;
        }
        Ok(elements)
    }

    /// The elements of matrices in the host's memory, in column-major order.
    pub(super) fn on_host(&self) -> Result<&[T]> {
        match self.memory.block() {
            Block::Host(block) => {
                let first = block.as_ptr().cast::<T>().cast_const();
                // SAFETY: the block has as many elements of T, which have values, and nothing writes them while the
                // stack is borrowed.
                Ok(unsafe { slice::from_raw_parts(first, self.len()) })
            }
            Block::Device(_) => Err(Error::Internal("elements of a device's memory".to_owned())),
        }
    }

    /// Calls a function of the elements in the host's memory: those of a device are brought over, and back.
    pub(super) fn on_host_mut(&mut self, change: impl FnOnce(&mut [T]) -> Result<()>) -> Result<()> {
        match self.memory.block() {
            // SAFETY: as in `on_host`; nothing else uses the memory while the stack is borrowed.
            Block::Host(block) => change(unsafe { slice::from_raw_parts_mut(block.as_ptr().cast::<T>(), self.len()) }),
            Block::Device(buffer) => {
                let mut elements = self.to_vec()?;
                change(&mut elements)?;
                buffer.write(&Queue::new(buffer.context())?, &elements)
            }
        }
    }

    /// The view of matrix `index` in this memory.
    fn shape_of(&self, index: usize, columns: usize) -> Result<MatrixShape> {
        let offset = index * self.rows * self.columns;
        MatrixShape::new(Layout::ColumnMajor, self.rows, columns, offset, self.rows.max(1))
    }

    /// Matrix `index`, to read.
    pub(super) fn matrix_ref(&self, index: usize) -> Result<MatrixRef<'_, T>> {
        let shape = self.shape_of(index, self.columns)?;
        match self.memory.block() {
            Block::Host(_) => MatrixRef::from_slice(self.on_host()?, shape),
            Block::Device(buffer) => MatrixRef::from_device(buffer, shape, "a matrix of an expression"),
        }
    }

    /// Matrix `index`, of which nothing else has a view meanwhile.
    pub(super) fn matrix(&mut self, index: usize) -> Result<MatrixMut<'_, T>> {
        let columns = self.columns;
        self.first_columns(index, columns)
    }

    /// The first columns of matrix `index`.
    pub(super) fn first_columns(&mut self, index: usize, columns: usize) -> Result<MatrixMut<'_, T>> {
        let shape = self.shape_of(index, columns)?;
        match self.memory.block() {
            // SAFETY: the block has `count` matrices of `rows x columns` elements, and the view borrows all of them.
            Block::Host(block) => Ok(unsafe { MatrixMut::from_host_raw(block.as_ptr().cast(), shape) }),
            Block::Device(buffer) => MatrixMut::from_device(buffer, shape, "a matrix of an expression"),
        }
    }

    /// All matrices, to read.
    pub(super) fn all_ref(&self) -> Result<BatchRef<'_, T>> {
        let shape = self.batch_shape()?;
        match self.memory.block() {
            Block::Host(_) => BatchRef::from_slice(self.on_host()?, shape),
            Block::Device(buffer) => BatchRef::from_device(buffer, shape, "matrices of an expression"),
        }
    }

    fn batch_shape(&self) -> Result<BatchShape<'static>> {
        let matrix = MatrixShape::new(Layout::ColumnMajor, self.rows, self.columns, 0, self.rows.max(1))?;
        BatchShape::strided(matrix, self.rows * self.columns, self.count)
    }

    /// All matrices.
    pub(super) fn all(&mut self) -> Result<BatchMut<'_, T>> {
        let shape = self.batch_shape()?;
        match self.memory.block() {
            // SAFETY: as for one matrix; neighbours are a matrix apart.
            Block::Host(block) => unsafe { BatchMut::from_host_raw(block.as_ptr().cast(), shape) },
            Block::Device(buffer) => BatchMut::from_device(buffer, shape, "matrices of an expression"),
        }
    }
}

/// The value of an expression of memory of this evaluation, in memory of its own.
pub(super) fn evaluated(run: &Run<'_>, value: Node) -> Result<Leaf> {
    if let Some(error) = value.error() {
        return Err(error.clone().into());
    }
    let leaves = ContextExecutor::new(run.context().clone()).whole(vec![value])?;
    leaves.into_iter().next().ok_or_else(|| Error::Internal("a result is missing".to_owned()))
}

/// One diagonal of each matrix as a column.
fn diagonal_of(operand: &Operand, diagonal: i64) -> Operand {
    let ([rows, columns], axes) = (last_two(operand), operand.extents.len() - 2);
    let [row_stride, column_stride] = [operand.strides[axes], operand.strides[axes + 1]];
    let [first_row, first_column] = [(-diagonal).max(0), diagonal.max(0)];
    let length = (rows - first_row as usize).min(columns - first_column as usize);
    let mut elements = operand.clone();
    elements.offset += first_row * row_stride + first_column * column_stride;
    (elements.extents[axes], elements.extents[axes + 1]) = (length, 1);
    elements.strides[axes] = row_stride + column_stride;
    elements
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
