//! Partially stored matrices with canaries, and the dense matrices that they represent.

use std::sync::Arc;

use crate::context::{BufferParts, DeviceBuffer, DeviceContext, Queue};
use crate::options::{Diag, Layout, Op, Symmetry, Triangle};
use crate::scalar::{Complex64, Scalar};
use crate::testing::{assert_close, sum_tolerance};
use crate::view::MatrixShape;

/// A small generator, so that a test is the same in every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A multiple of 1/16 in [-1, 1): products and sums of a few hundred of them are exact in `f64`.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 59) as f64 - 16.0) / 16.0
    }

    fn scalar<T: Scalar>(&mut self) -> T {
        let (re, im) = (self.next(), self.next());
        T::from_parts(re, im)
    }
}

/// Stored elements of a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Whole,
    Mirrored(Triangle, Symmetry),
    Triangular(Triangle, Diag),
}

impl Part {
    pub(super) fn structured() -> impl Iterator<Item = Part> {
        Triangle::ALL.iter().flat_map(|&triangle| {
            [
                Part::Mirrored(triangle, Symmetry::Symmetric),
                Part::Mirrored(triangle, Symmetry::Hermitian),
                Part::Triangular(triangle, Diag::NonUnit),
                Part::Triangular(triangle, Diag::Unit),
            ]
        })
    }

    const fn triangle(self) -> Option<Triangle> {
        match self {
            Part::Whole => None,
            Part::Mirrored(triangle, _) | Part::Triangular(triangle, _) => Some(triangle),
        }
    }

    /// True if the element (i, j) is stored.
    fn stores(self, i: usize, j: usize) -> bool {
        match self.triangle() {
            None => true,
            Some(_) if i == j => !matches!(self, Part::Triangular(_, Diag::Unit)),
            Some(Triangle::Upper) => i < j,
            Some(Triangle::Lower) => i > j,
        }
    }
}

/// Fill value that must not be read: it would spoil every result.
pub(super) fn nan<T: Scalar>() -> T {
    T::from_parts(f64::NAN, f64::NAN)
}

/// Fill value that must not be written.
pub(super) fn canary<T: Scalar>() -> T {
    T::from_parts(1e30, -1e30)
}

/// A matrix in a memory of its own.
#[derive(Clone)]
pub(super) struct Matrix<T> {
    pub(super) data: Vec<T>,
    pub(super) shape: MatrixShape,
    pub(super) part: Part,
}

impl<T: Scalar> Matrix<T> {
    /// With `gap` elements before it, and between its columns (rows).
    pub(super) fn shape(layout: Layout, [rows, columns]: [usize; 2], gap: usize) -> MatrixShape {
        let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
        MatrixShape::new(layout, rows, columns, gap, adjacent.max(1) + gap).unwrap()
    }

    /// Random stored elements, and `other` everywhere else. Imaginary parts of a Hermitian matrix's diagonal are NaN.
    pub(super) fn new(
        random: &mut Random,
        layout: Layout,
        [rows, columns]: [usize; 2],
        gap: usize,
        part: Part,
        other: T,
    ) -> Self {
        let shape = Self::shape(layout, [rows, columns], gap);
        let mut matrix = Matrix { data: vec![other; shape.end() + gap], shape, part };
        for j in 0..columns {
            for i in 0..rows {
                if part.stores(i, j) {
                    let index = matrix.index(i, j);
                    let value = random.scalar::<T>();
                    let real_only = i == j && matches!(part, Part::Mirrored(_, Symmetry::Hermitian));
                    matrix.data[index] = if real_only { T::from_parts(value.re(), f64::NAN) } else { value };
                }
            }
        }
        matrix
    }

    pub(super) fn index(&self, i: usize, j: usize) -> usize {
        let (row_stride, column_stride) = self.shape.strides();
        self.shape.offset() + i * row_stride + j * column_stride
    }

    fn stored(&self, i: usize, j: usize) -> Complex64 {
        let value = self.data[self.index(i, j)];
        Complex64::new(value.re(), value.im())
    }

    /// The element (i, j) that the matrix has, stored or not.
    fn element(&self, i: usize, j: usize) -> Complex64 {
        match self.part {
            Part::Mirrored(_, Symmetry::Hermitian) if i == j => Complex64::new(self.stored(i, j).re, 0.0),
            _ if self.part.stores(i, j) => self.stored(i, j),
            Part::Whole | Part::Mirrored(_, Symmetry::Symmetric) => self.stored(j, i),
            Part::Mirrored(_, Symmetry::Hermitian) => self.stored(j, i).conj(),
            Part::Triangular(..) if i == j => Complex64::ONE,
            Part::Triangular(..) => Complex64::ZERO,
        }
    }

    /// op(X), dense.
    pub(super) fn dense(&self, op: Op) -> Dense {
        let (rows, columns) = (self.shape.rows(), self.shape.columns());
        let (m, n) = if op.transposes() { (columns, rows) } else { (rows, columns) };
        Dense::from_fn(m, n, |i, j| {
            let value = if op.transposes() { self.element(j, i) } else { self.element(i, j) };
            if op.conjugates() { value.conj() } else { value }
        })
    }

    pub(super) fn upload(&self, context: &Arc<DeviceContext>) -> DeviceBuffer {
        let queue = Queue::new(context).unwrap();
        let buffer = DeviceBuffer::new(context, size_of_val(self.data.as_slice()), "a test").unwrap();
        if !self.data.is_empty() {
            buffer.write(&queue, &self.data).unwrap();
        }
        buffer
    }

    pub(super) fn download(&mut self, buffer: &DeviceBuffer) {
        let queue = Queue::new(buffer.context()).unwrap();
        if !self.data.is_empty() {
            buffer.read(&queue, &mut self.data).unwrap();
        }
    }

    /// Fills stored elements with NaN: a factor of zero must not read them.
    pub(super) fn spoil(&mut self) {
        for j in 0..self.shape.columns() {
            for i in 0..self.shape.rows() {
                if self.part.stores(i, j) {
                    let index = self.index(i, j);
                    self.data[index] = nan();
                }
            }
        }
    }
}

/// A dense matrix in `f64`.
#[derive(Clone)]
pub(super) struct Dense {
    rows: usize,
    columns: usize,
    elements: Vec<Complex64>,
}

impl Dense {
    fn from_fn(rows: usize, columns: usize, element: impl Fn(usize, usize) -> Complex64) -> Self {
        let elements = (0..rows * columns).map(|index| element(index % rows, index / rows)).collect();
        Dense { rows, columns, elements }
    }

    /// The element (i, j) of the product with `right`, and the sum of its terms' moduli.
    fn product(&self, right: &Dense, i: usize, j: usize) -> (Complex64, f64) {
        let (mut sum, mut size) = (Complex64::ZERO, 0.0);
        for p in 0..self.columns {
            let (x, y) = (self.elements[i + p * self.rows], right.elements[p + j * right.rows]);
            sum += x * y;
            size += x.l1_norm() * y.l1_norm();
        }
        (sum, size)
    }
}

/// Checks that `after` is the sum of the products, each with its factor, plus `beta` times `before`, in stored
/// elements, and unchanged elsewhere.
///
/// The bound is that of the error analysis: |C - C_ref| <= c (k + 3) eps (|alpha| |A| |B| + |beta| |C|) for each
/// element and each product, with c = 4 for complex types.
pub(super) fn compare<T: Scalar>(
    products: &[(T, Dense, Dense)],
    beta: T,
    before: &Matrix<T>,
    after: &Matrix<T>,
    what: &dyn Fn() -> String,
) {
    let wide = |x: T| Complex64::new(x.re(), x.im());
    let hermitian = matches!(before.part, Part::Mirrored(_, Symmetry::Hermitian));
    let mut expected_elsewhere = before.data.clone();
    for j in 0..before.shape.columns() {
        for i in 0..before.shape.rows() {
            if !before.part.stores(i, j) {
                continue;
            }
            let (mut expected, mut size, mut terms) = (Complex64::ZERO, 0.0, 3);
            for (alpha, left, right) in products {
                let (sum, moduli) = left.product(right, i, j);
                expected += wide(*alpha) * sum;
                size += wide(*alpha).l1_norm() * moduli;
                terms += left.columns;
            }
            if beta != T::ZERO {
                expected += wide(beta) * before.element(i, j);
                size += wide(beta).l1_norm() * before.element(i, j).l1_norm();
            }
            let index = before.index(i, j);
            let value = wide(after.data[index]);
            if hermitian && i == j {
                expected.im = 0.0;
                assert!(value.im == 0.0, "({i}, {i}) is not real: {value} {}", what());
            }
            assert_close!(value, expected, sum_tolerance::<T>(terms, size), "({i}, {j}): {}", what());
            expected_elsewhere[index] = after.data[index];
        }
    }
    for (index, (expected, value)) in expected_elsewhere.iter().zip(&after.data).enumerate() {
        assert!(expected == value || expected.re().is_nan(), "element {index} was written: {}", what());
    }
}
