//! Matrices and vectors between canaries, and the queues to test on.

use crate::context::{BufferParts, DeviceBuffer, DeviceContext, Queue};
use crate::options::{Layout, Triangle};
use crate::scalar::{Complex64, Scalar};
use crate::testing::devices;
use crate::view::{BandShape, MatrixShape, PackedShape, VectorShape};

/// A queue of every device that there is and that has the type.
pub(super) fn queues<T: Scalar>() -> Vec<Queue> {
    let able = devices().iter().filter(|device| device.info().supports(T::KIND));
    able.map(|device| Queue::new(&DeviceContext::for_device(device).unwrap()).unwrap()).collect()
}

/// A copy of the elements in device memory.
pub(super) fn upload<T: Scalar>(queue: &Queue, data: &[T]) -> DeviceBuffer {
    let buffer = DeviceBuffer::new(queue.context(), size_of_val(data), "a test").unwrap();
    buffer.write(queue, data).unwrap();
    buffer
}

/// The elements that are in device memory now.
pub(super) fn download<T: Scalar>(queue: &Queue, buffer: &DeviceBuffer, length: usize) -> Vec<T> {
    let mut data = vec![T::ZERO; length];
    buffer.read(queue, &mut data).unwrap();
    data
}

/// Fill value of memory that an operation must neither read nor write.
pub(super) fn canary<T: Scalar>() -> T {
    T::from_parts(f64::NAN, f64::NAN)
}

pub(super) fn wide<T: Scalar>(value: T) -> Complex64 {
    Complex64::new(value.re(), value.im())
}

/// Equality with NaN equal to NaN.
pub(super) fn same<T: Scalar>(a: T, b: T) -> bool {
    a == b || (a.re().is_nan() && b.re().is_nan())
}

/// Storage of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Full(MatrixShape),
    Band(BandShape),
    Packed(PackedShape),
}

impl Form {
    pub(super) fn full(layout: Layout, rows: usize, columns: usize) -> Self {
        let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
        Form::Full(MatrixShape::new(layout, rows, columns, 5, adjacent.max(1) + 3).unwrap())
    }

    /// The triangle of a band of `reach` diagonals and the main one.
    pub(super) fn band(layout: Layout, triangle: Triangle, order: usize, reach: usize) -> Self {
        let (lower, upper) = if triangle == Triangle::Lower { (reach, 0) } else { (0, reach) };
        Form::Band(BandShape::new(layout, order, order, lower, upper, 5, reach + 3).unwrap())
    }

    pub(super) fn packed(layout: Layout, triangle: Triangle, order: usize) -> Self {
        Form::Packed(PackedShape::new(layout, triangle, order, 5).unwrap())
    }

    fn end(&self) -> usize {
        match self {
            Form::Full(shape) => shape.end(),
            Form::Band(shape) => shape.end(),
            Form::Packed(shape) => shape.end(),
        }
    }

    /// BLAS's index of element (i, j), stored or not.
    fn index(&self, i: usize, j: usize) -> usize {
        match self {
            Form::Full(shape) => {
                let (row_stride, column_stride) = shape.strides();
                shape.offset() + i * row_stride + j * column_stride
            }
            Form::Band(shape) => {
                let (offset, ld) = (shape.memory().offset(), shape.memory().leading_dimension());
                match shape.layout() {
                    Layout::ColumnMajor => offset + j * ld + shape.upper() + i - j,
                    Layout::RowMajor => offset + i * ld + shape.lower() + j - i,
                }
            }
            Form::Packed(shape) => {
                let n = shape.order();
                // Columns of an upper triangle are stored as rows of a lower one are.
                let (vector, at) = if shape.layout() == Layout::ColumnMajor { (j, i) } else { (i, j) };
                let growing = (shape.triangle() == Triangle::Upper) == (shape.layout() == Layout::ColumnMajor);
                let before =
                    if growing { vector * (vector + 1) / 2 } else { vector * (2 * n - vector + 1) / 2 - vector };
                shape.offset() + before + at
            }
        }
    }
}

/// A matrix whose elements that are not stored are canaries, as is what surrounds it.
#[derive(Clone, Debug)]
pub(super) struct Matrix<T> {
    pub(super) data: Vec<T>,
    pub(super) form: Form,
    /// Rows and columns of the stored elements.
    pub(super) stored: Vec<(usize, usize)>,
}

impl<T: Scalar> Matrix<T> {
    /// With the elements that a function of row and column gives; those for which it has none are not stored.
    pub(super) fn new(
        form: Form,
        (rows, columns): (usize, usize),
        element: impl Fn(usize, usize) -> Option<T>,
    ) -> Self {
        let mut data = vec![canary(); form.end() + 7];
        let mut stored = Vec::new();
        for j in 0..columns {
            for i in 0..rows {
                if let Some(value) = element(i, j) {
                    data[form.index(i, j)] = value;
                    stored.push((i, j));
                }
            }
        }
        Matrix { data, form, stored }
    }

    pub(super) fn element(&self, i: usize, j: usize) -> T {
        self.data[self.form.index(i, j)]
    }

    /// True if everything except the stored elements is unchanged.
    pub(super) fn surroundings_equal(&self, other: &[T]) -> bool {
        let mut is_stored = vec![false; self.data.len()];
        self.stored.iter().for_each(|&(i, j)| is_stored[self.form.index(i, j)] = true);
        (0..self.data.len()).all(|k| is_stored[k] || same(self.data[k], other[k]))
    }
}

/// A vector between canaries.
#[derive(Clone, Debug)]
pub(super) struct Vector<T> {
    pub(super) data: Vec<T>,
    pub(super) shape: VectorShape,
}

impl<T: Scalar> Vector<T> {
    pub(super) fn new(n: usize, increment: isize, element: impl Fn(usize) -> T) -> Self {
        let shape = VectorShape::new(n, 3, increment).unwrap();
        let mut vector = Vector { data: vec![canary(); shape.end() + 2], shape };
        for i in 0..n {
            let index = vector.index(i);
            vector.data[index] = element(i);
        }
        vector
    }

    fn index(&self, i: usize) -> usize {
        (self.shape.first() as isize + i as isize * self.shape.increment()) as usize
    }

    pub(super) fn element(&self, i: usize) -> T {
        self.data[self.index(i)]
    }

    /// True if everything between and around the elements is unchanged.
    pub(super) fn surroundings_equal(&self, other: &[T]) -> bool {
        let mut is_element = vec![false; self.data.len()];
        (0..self.shape.length()).for_each(|i| is_element[self.index(i)] = true);
        (0..self.data.len()).all(|k| is_element[k] || same(self.data[k], other[k]))
    }
}
