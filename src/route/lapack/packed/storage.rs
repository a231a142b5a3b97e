//! Triangles of n (n + 1) / 2 adjacent elements, and full copies of them.

use crate::blas::device_buffer;
use crate::context::{BufferParts, MemoryExt, Queue};
use crate::error::{Error, Result};
use crate::options::{Layout, Op, Triangle};
use crate::route::dispatch::{host_start, on_host, on_host_mut};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, Memory, PackedMut, PackedRef, PackedShape, View};

/// Order of a triangle's elements in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// BLAS's packed storage: the triangle's columns, or its rows in row-major layout, one after the other.
    Packed,
    /// LAPACK's rectangular full packed storage: a rectangle of which one part is the triangle's transpose. `Trans` and
    /// `ConjTrans` are the rectangle's transpose.
    Rectangular(Op),
}

/// Place of element (i, j) of a triangle in the rectangle of rectangular full packed storage, not transposed, and
/// whether it stands there as an element of the adjoint (F. G. Gustavson et al., ACM TOMS 37(2), 2010).
const fn rectangular(triangle: Triangle, n: usize, i: usize, j: usize) -> (usize, usize, bool) {
    let half = n / 2;
    // Of an even order the rectangle has a row more than the matrix.
    let even = n.is_multiple_of(2) as usize;
    match triangle {
        Triangle::Lower if j < n - half => (i + even, j, false),
        Triangle::Lower => (j - (n - half), i + 1 - even - (n - half), true),
        Triangle::Upper if j >= half => (i, j - half, false),
        Triangle::Upper => (half + 1 + j, i, true),
    }
}

/// Rows of a column of the triangle.
const fn rows_of(triangle: Triangle, n: usize, j: usize) -> std::ops::Range<usize> {
    match triangle {
        Triangle::Upper => 0..j + 1,
        Triangle::Lower => j..n,
    }
}

/// Calls `visit` for each element of the triangle: its row and column, its index in the storage, and whether it stands
/// there conjugated.
fn indices(storage: Storage, shape: &PackedShape, mut visit: impl FnMut(usize, usize, usize, bool)) {
    let (n, triangle) = (shape.order(), shape.triangle());
    // Rows of a line: of packed storage, lines are columns, or the rows of a row-major triangle.
    let lines = |across: Triangle| (0..n).flat_map(move |line| rows_of(across, n, line).map(move |k| (k, line)));
    match storage {
        Storage::Packed => {
            let by_rows = shape.layout() == Layout::RowMajor;
            let across = if by_rows { triangle.transposed() } else { triangle };
            for (index, (k, line)) in lines(across).enumerate() {
                let (i, j) = if by_rows { (line, k) } else { (k, line) };
                visit(i, j, index, false);
            }
        }
        Storage::Rectangular(op) => {
            let rows = if n.is_multiple_of(2) { n + 1 } else { n };
            let columns = n.div_ceil(2);
            // A row-major rectangle lies as the transpose of a column-major one does.
            let transposed = (op != Op::NoTrans) != (shape.layout() == Layout::RowMajor);
            for (i, j) in lines(triangle) {
                let (row, column, adjoint) = rectangular(triangle, n, i, j);
                let index = if transposed { column + row * columns } else { row + column * rows };
                visit(i, j, index, adjoint != (op == Op::ConjTrans));
            }
        }
    }
}

/// A full copy, in the host's memory, of a matrix of which a triangle is stored. Its other triangle is zero.
pub(super) struct Full<T> {
    elements: Vec<T>,
    order: usize,
}

impl<T: Scalar> Full<T> {
    /// A matrix of zeros.
    pub(super) fn zeros(order: usize) -> Result<Self> {
        let length = order.saturating_mul(order);
        let bytes = length.saturating_mul(size_of::<T>()) as u64;
        let mut elements = Vec::new();
        let purpose = "a full copy of a packed matrix";
        elements.try_reserve_exact(length).map_err(|_| Error::OutOfHostMemory { bytes, purpose })?;
        elements.resize(length, T::ZERO);
        Ok(Full { elements, order })
    }

    /// The matrix whose triangle has these elements.
    pub(super) fn unpacked(storage: Storage, shape: &PackedShape, stored: &[T]) -> Result<Self> {
        let mut full = Self::zeros(shape.order())?;
        let n = full.order;
        indices(storage, shape, |i, j, index, conjugate| {
            full.elements[i + j * n] = if conjugate { stored[index].conjugate() } else { stored[index] };
        });
        Ok(full)
    }

    /// Writes the triangle's elements to their indices.
    pub(super) fn pack(&self, storage: Storage, shape: &PackedShape, stored: &mut [T]) {
        indices(storage, shape, |i, j, index, conjugate| {
            let element = self.elements[i + j * self.order];
            stored[index] = if conjugate { element.conjugate() } else { element };
        });
    }

    /// Takes a triangle of a matrix of this order in the host's memory.
    pub(super) fn copy_triangle(&mut self, triangle: Triangle, a: MatrixRef<'_, T>) {
        let (a, n) = (on_host(a), self.order);
        for j in 0..n {
            for i in rows_of(triangle, n, j) {
                self.elements[i + j * n] = a[(i, j)];
            }
        }
    }

    /// Writes a triangle into a matrix of this order in the host's memory.
    pub(super) fn write_triangle(&self, triangle: Triangle, a: MatrixMut<'_, T>) {
        let (mut a, n) = (on_host_mut(a), self.order);
        for j in 0..n {
            for i in rows_of(triangle, n, j) {
                a[(i, j)] = self.elements[i + j * n];
            }
        }
    }

    /// Writes all elements into a matrix of this order.
    pub(super) fn write_to(&self, queue: Option<&Queue>, a: MatrixMut<'_, T>) -> Result<()> {
        super::on_views(queue, a, |a| {
            on_host_mut(a).copy_from(on_host(self.view()?));
            Ok(())
        })
    }

    fn shape(&self) -> Result<MatrixShape> {
        MatrixShape::new(Layout::ColumnMajor, self.order, self.order, 0, self.order.max(1))
    }

    pub(super) fn view(&self) -> Result<MatrixRef<'_, T>> {
        MatrixRef::from_slice(&self.elements, self.shape()?)
    }

    pub(super) fn view_mut(&mut self) -> Result<MatrixMut<'_, T>> {
        let shape = self.shape()?;
        MatrixMut::from_slice(&mut self.elements, shape)
    }
}

/// A stored triangle's memory, on the host or on a device, which a queue reads and writes.
pub(super) struct Stored<'a, T> {
    memory: Memory<'a, T>,
    shape: PackedShape,
    storage: Storage,
    own: Option<Queue>,
}

impl<'a, T: Scalar> Stored<'a, T> {
    /// A triangle in the host's memory, or in that of a device, to which the queue belongs where there is one.
    pub(super) fn new(
        queue: Option<&Queue>,
        storage: Storage,
        triangle: &PackedMut<'a, T>,
        name: &'static str,
    ) -> Result<Self> {
        Self::of(queue, storage, triangle.memory(), *triangle.shape(), name)
    }

    /// The same for a triangle that is read.
    pub(super) fn read_only(
        queue: Option<&Queue>,
        storage: Storage,
        triangle: &PackedRef<'a, T>,
        name: &'static str,
    ) -> Result<Self> {
        Self::of(queue, storage, triangle.memory(), *triangle.shape(), name)
    }

    fn of(
        queue: Option<&Queue>,
        storage: Storage,
        memory: Memory<'a, T>,
        shape: PackedShape,
        name: &'static str,
    ) -> Result<Self> {
        match storage {
            Storage::Rectangular(Op::ConjNoTrans) => {
                return Err(Error::argument("transr", "a rectangle is not stored conjugated and not transposed"));
            }
            Storage::Rectangular(Op::Trans) if T::KIND.is_complex() => {
                return Err(Error::argument(
                    "transr",
                    "a complex rectangle is not stored transposed without conjugation",
                ));
            }
            _ => {}
        }
        let own = match (queue, memory.buffer()) {
            (Some(queue), _) => {
                device_buffer(queue, memory, name)?;
                None
            }
            (None, Some(buffer)) => Some(Queue::new(buffer.context())?),
            (None, None) => None,
        };
        Ok(Stored { memory, shape, storage, own })
    }

    /// A full copy.
    pub(super) fn full(&self, queue: Option<&Queue>) -> Result<Full<T>> {
        let (offset, length) = (self.shape.offset(), self.shape.length());
        match (self.memory.buffer(), queue.or(self.own.as_ref())) {
            _ if length == 0 => Full::zeros(0),
            (Some(buffer), Some(queue)) => {
                let mut elements = vec![T::ZERO; length];
                buffer.read_at(queue, offset, &mut elements)?;
                Full::unpacked(self.storage, &self.shape, &elements)
            }
            _ => {
                let start = host_start(self.memory).wrapping_add(offset);
                // SAFETY: the view holds a triangle of this shape.
                let elements = unsafe { std::slice::from_raw_parts(start, length) };
                Full::unpacked(self.storage, &self.shape, elements)
            }
        }
    }

    /// Writes the triangle of a full matrix, of which this is exclusive.
    pub(super) fn write(&self, queue: Option<&Queue>, full: &Full<T>) -> Result<()> {
        let (offset, length) = (self.shape.offset(), self.shape.length());
        match (self.memory.buffer(), queue.or(self.own.as_ref())) {
            _ if length == 0 => Ok(()),
            (Some(buffer), Some(queue)) => {
                let mut elements = vec![T::ZERO; length];
                full.pack(self.storage, &self.shape, &mut elements);
                buffer.write_at(queue, offset, &elements)
            }
            _ => {
                let start = host_start(self.memory).wrapping_add(offset);
                // SAFETY: the view, of which this was made, is exclusive and holds a triangle of this shape.
                let elements = unsafe { std::slice::from_raw_parts_mut(start, length) };
                full.pack(self.storage, &self.shape, elements);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod host {
    use super::*;

    /// Elements (i, j) as the number 10 i + j, as the literature draws them.
    fn drawn(triangle: Triangle, n: usize, op: Op) -> Vec<i32> {
        let shape = PackedShape::new(Layout::ColumnMajor, triangle, n, 0).unwrap();
        let mut stored = vec![-1; shape.length()];
        indices(Storage::Rectangular(op), &shape, |i, j, index, _| stored[index] = (10 * i + j) as i32);
        stored
    }

    #[test]
    fn rectangles_are_those_of_the_literature() {
        let upper = [3, 13, 23, 33, 0, 1, 2, 4, 14, 24, 34, 44, 11, 12, 5, 15, 25, 35, 45, 55, 22];
        assert_eq!(drawn(Triangle::Upper, 6, Op::NoTrans), upper);
        let lower = [33, 0, 10, 20, 30, 40, 50, 43, 44, 11, 21, 31, 41, 51, 53, 54, 55, 22, 32, 42, 52];
        assert_eq!(drawn(Triangle::Lower, 6, Op::NoTrans), lower);
        let upper = [2, 12, 22, 0, 1, 3, 13, 23, 33, 11, 4, 14, 24, 34, 44];
        assert_eq!(drawn(Triangle::Upper, 5, Op::NoTrans), upper);
        let lower = [0, 10, 20, 30, 40, 33, 11, 21, 31, 41, 43, 44, 22, 32, 42];
        assert_eq!(drawn(Triangle::Lower, 5, Op::NoTrans), lower);
        let transposed = [0, 33, 43, 10, 11, 44, 20, 21, 22, 30, 31, 32, 40, 41, 42];
        assert_eq!(drawn(Triangle::Lower, 5, Op::Trans), transposed);
    }

    #[test]
    fn every_element_has_an_index_of_its_own() {
        for n in 0..12 {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                for layout in [Layout::ColumnMajor, Layout::RowMajor] {
                    let shape = PackedShape::new(layout, triangle, n, 0).unwrap();
                    for storage in [
                        Storage::Packed,
                        Storage::Rectangular(Op::NoTrans),
                        Storage::Rectangular(Op::Trans),
                        Storage::Rectangular(Op::ConjTrans),
                    ] {
                        let mut seen = vec![0; shape.length()];
                        indices(storage, &shape, |i, j, index, _| {
                            assert!(if triangle == Triangle::Lower { i >= j } else { i <= j } && i < n && j < n);
                            seen[index] += 1;
                        });
                        assert!(seen.iter().all(|count| *count == 1), "{storage:?} {shape:?}");
                    }
                }
            }
        }
    }
}
