//! Arrays as the matrices and vectors that the library's routines take.

use std::slice;

use affinimath_array::node::{Leaf, Op};
use affinimath_array::{Array, ArrayMut, Element, Expr};

use super::memory::ArrayMemory;
use super::steps::{Memory, of_block, of_leaf};
use crate::error::{Error, Result};
use crate::options::Layout;
use crate::scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, VectorRef, VectorShape};

/// Arrays and their views as operands of the library's routines, without a copy.
///
/// Rows, columns, layout and leading dimension follow from shape and strides. Routines that take no queue run behind
/// what was enqueued for the array before. With a queue of one's own (`gemm_on`), wait for the event before the array
/// is written, read by expressions, or dropped.
///
/// ```
/// use affinimath::array::{Array, AsMatrix, AsMatrixMut, s};
/// use affinimath::{Context, Op, gemm};
///
/// let context = Context::preferred()?;
/// let a = Array::from_slice(&context, [2, 3], &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let mut c = Array::zeros(&context, [2, 2])?;
/// let _ = gemm(Op::NoTrans, Op::Trans, 1.0, a.matrix()?, a.matrix()?, 0.0, c.matrix_mut()?)?;
/// assert_eq!(c.to_vec()?, [14.0, 32.0, 32.0, 77.0]);
///
/// // The last two columns.
/// let right = a.at(s![.., 1..]);
/// let _ = gemm(Op::NoTrans, Op::Trans, 1.0, right.matrix()?, right.matrix()?, 0.0, c.matrix_mut()?)?;
/// assert_eq!(c.to_vec()?, [13.0, 28.0, 28.0, 61.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
pub trait AsMatrix<T> {
    /// An array of rank 2 as a matrix, to read.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for another rank, and for strides of which none is 1: `contiguous` copies such a view.
    /// [`Error::InvalidArgument`] for an expression that is not computed yet.
    fn matrix(&self) -> Result<MatrixRef<'_, T>>;

    /// An array of rank 1 as a vector, to read.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for another rank, and for elements that share memory.
    /// [`Error::InvalidArgument`] for an expression that is not computed yet.
    fn vector(&self) -> Result<VectorRef<'_, T>>;
}

/// Arrays and their views as operands that the library's routines write.
///
/// The array's memory is copied first where another array or expression holds it, as by an assignment; and where BLAS
/// has no form for the strides of the whole array.
pub trait AsMatrixMut<T> {
    /// An array of rank 2 as a matrix, to read and write.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for another rank, and for a view with strides of which none is 1; errors of the copy.
    fn matrix_mut(&mut self) -> Result<MatrixMut<'_, T>>;

    /// An array of rank 1 as a vector, to read and write.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for another rank; errors of the copy.
    fn vector_mut(&mut self) -> Result<VectorMut<'_, T>>;
}

impl<T: Element + scalar::Element> AsMatrix<T> for Expr<T> {
    fn matrix(&self) -> Result<MatrixRef<'_, T>> {
        let shape = matrix_of(self)?;
        match of_leaf(leaf(self)?).ok_or_else(foreign)? {
            // SAFETY: the memory has as many elements of T; while the expression is borrowed, its handle keeps the
            // memory, and others copy it before they write.
            Memory::Host(at, len) => MatrixRef::from_slice(unsafe { slice::from_raw_parts(at.cast(), len) }, shape),
            Memory::Device(buffer, _) => MatrixRef::from_device(buffer, shape, "the array"),
        }
    }

    fn vector(&self) -> Result<VectorRef<'_, T>> {
        let shape = vector_of(self)?;
        match of_leaf(leaf(self)?).ok_or_else(foreign)? {
            // SAFETY: as above.
            Memory::Host(at, len) => VectorRef::from_slice(unsafe { slice::from_raw_parts(at.cast(), len) }, shape),
            Memory::Device(buffer, _) => VectorRef::from_device(buffer, shape, "the array"),
        }
    }
}

impl<T: Element + scalar::Element> AsMatrix<T> for Array<T> {
    fn matrix(&self) -> Result<MatrixRef<'_, T>> {
        (**self).matrix()
    }

    fn vector(&self) -> Result<VectorRef<'_, T>> {
        (**self).vector()
    }
}

impl<T: Element + scalar::Element> AsMatrixMut<T> for Array<T> {
    fn matrix_mut(&mut self) -> Result<MatrixMut<'_, T>> {
        if self.rank() == 2 && matrix_of(self).is_err() {
            *self = self.contiguous()?;
        }
        matrix_of(self)?;
        self.make_unique()?;
        matrix_in(self, matrix_of(self)?)
    }

    fn vector_mut(&mut self) -> Result<VectorMut<'_, T>> {
        if self.rank() == 1 && vector_of(self).is_err() {
            *self = self.contiguous()?;
        }
        vector_of(self)?;
        self.make_unique()?;
        vector_in(self, vector_of(self)?)
    }
}

impl<T: Element + scalar::Element> AsMatrixMut<T> for ArrayMut<'_, T> {
    fn matrix_mut(&mut self) -> Result<MatrixMut<'_, T>> {
        let shape = matrix_of(&self.make_unique()?)?;
        matrix_in(self.array(), shape)
    }

    fn vector_mut(&mut self) -> Result<VectorMut<'_, T>> {
        let shape = vector_of(&self.make_unique()?)?;
        vector_in(self.array(), shape)
    }
}

/// A matrix in the memory of an array that holds it alone and is borrowed to be written.
fn matrix_in<T: Element + scalar::Element>(array: &Array<T>, shape: MatrixShape) -> Result<MatrixMut<'_, T>> {
    match own_memory(array)? {
        // SAFETY: the memory has as many elements of T, and the caller's exclusive borrow is of its only holder.
        Memory::Host(at, len) => MatrixMut::from_slice(unsafe { slice::from_raw_parts_mut(at.cast(), len) }, shape),
        Memory::Device(buffer, _) => MatrixMut::from_device(buffer, shape, "the array"),
    }
}

/// A vector in the memory of an array that holds it alone and is borrowed to be written.
fn vector_in<T: Element + scalar::Element>(array: &Array<T>, shape: VectorShape) -> Result<VectorMut<'_, T>> {
    match own_memory(array)? {
        // SAFETY: as of a matrix.
        Memory::Host(at, len) => VectorMut::from_slice(unsafe { slice::from_raw_parts_mut(at.cast(), len) }, shape),
        Memory::Device(buffer, _) => VectorMut::from_device(buffer, shape, "the array"),
    }
}

/// Memory that can be written: that of a context.
fn own_memory<T: Element>(array: &Array<T>) -> Result<Memory<'_>> {
    let memory = ArrayMemory::of(array.leaf()).ok_or_else(foreign)?;
    Ok(of_block(memory.block(), array.leaf().storage.len()))
}

#[cold]
fn foreign() -> Error {
    Error::argument("context", "the array's memory belongs to no context")
}

/// The memory of an expression that is an array or a view of one.
fn leaf<T: Element>(expr: &Expr<T>) -> Result<&Leaf> {
    match expr.node().op() {
        Op::Leaf(leaf) => Ok(leaf),
        Op::Error(error) => Err(error.as_ref().clone().into()),
        _ => Err(Error::argument("expression", "it is not in memory: `eval` computes it")),
    }
}

#[cold]
fn wrong_rank<T: Element>(expr: &Expr<T>, wanted: &str) -> Error {
    Error::ShapeMismatch(format!("an array of shape {} is no {wanted}", expr.shape()))
}

/// The shape of an array of rank 2 as a matrix in its memory.
fn matrix_of<T: Element>(expr: &Expr<T>) -> Result<MatrixShape> {
    let leaf = leaf(expr)?;
    let ([rows, columns], [row_stride, column_stride]) = (expr.shape().extents(), &*leaf.strides) else {
        return Err(wrong_rank(expr, "matrix: it needs 2 axes"));
    };
    matrix_shape(leaf.offset, [*rows, *columns], [*row_stride, *column_stride])
}

/// A matrix with these extents and strides, in row-major layout where both would do.
///
/// # Errors
/// [`Error::ShapeMismatch`] where BLAS has no form for the strides.
pub(super) fn matrix_shape(offset: usize, extents: [usize; 2], strides: [i64; 2]) -> Result<MatrixShape> {
    let form = |adjacent: usize, apart: usize, inner: i64, outer: i64| {
        let is_adjacent = inner == 1 || adjacent <= 1;
        let leading = if apart <= 1 { adjacent.max(1) as i64 } else { outer };
        (is_adjacent && leading >= adjacent.max(1) as i64).then_some(leading as usize)
    };
    let ([rows, columns], [row_stride, column_stride]) = (extents, strides);
    if let Some(leading) = form(columns, rows, column_stride, row_stride) {
        return MatrixShape::new(Layout::RowMajor, rows, columns, offset, leading);
    }
    if let Some(leading) = form(rows, columns, row_stride, column_stride) {
        return MatrixShape::new(Layout::ColumnMajor, rows, columns, offset, leading);
    }
    let reason =
        format!("a {rows} x {columns} matrix with strides {strides:?}: neither rows nor columns lie side by side");
    Err(Error::ShapeMismatch(format!("{reason}; `contiguous` makes a copy that does")))
}

/// The shape of an array of rank 1 as a vector in its memory. BLAS counts the offset of a negative increment from the
/// vector's end.
fn vector_of<T: Element>(expr: &Expr<T>) -> Result<VectorShape> {
    let leaf = leaf(expr)?;
    let ([length], [stride]) = (expr.shape().extents(), &*leaf.strides) else {
        return Err(wrong_rank(expr, "vector: it needs 1 axis"));
    };
    match (*length, *stride) {
        (0 | 1, _) => VectorShape::new(*length, leaf.offset, 1),
        (_, 0) => {
            let reason = format!("the {length} elements of the vector share memory; `contiguous` makes a copy");
            Err(Error::ShapeMismatch(reason))
        }
        (_, 1..) => VectorShape::new(*length, leaf.offset, *stride as isize),
        // The leaf's elements lie in its memory, the last one too.
        (_, ..0) => {
            let lowest = leaf.offset - (length - 1) * stride.unsigned_abs() as usize;
            VectorShape::new(*length, lowest, *stride as isize)
        }
    }
}
