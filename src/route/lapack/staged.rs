//! Operands of routines that are computed on the host alone: of a device's memory, copies that are brought back.

use crate::blas::device_buffer;
use crate::context::{BufferParts, DeviceBuffer, MemoryExt, Queue};
use crate::error::{Error, Result};
use crate::host::lapack as host;
use crate::options::Layout;
use crate::route::dispatch::{on_host, on_host_mut};
use crate::scalar::{Element, Scalar};
use crate::view::{BatchShape, MatrixMut, MatrixRef, MatrixShape, Memory, VectorMut, VectorRef, View};

/// Does work on matrices in the host's memory, some to read and some to write: on them themselves, or, where they all
/// lie in a device's, on copies. Those that are written are brought back.
pub(in crate::route) fn with_copies<T: Scalar>(
    queue: Option<&Queue>,
    read: Vec<MatrixRef<'_, T>>,
    written: Vec<MatrixMut<'_, T>>,
    work: impl for<'m> FnOnce(Vec<faer::MatRef<'m, T>>, Vec<faer::MatMut<'m, T>>),
) -> Result<()> {
    with_views(queue, read, written, |read, written| {
        work(read.into_iter().map(on_host).collect(), written.into_iter().map(on_host_mut).collect());
    })
}

/// The same for work on the library's views.
pub(super) fn with_views<T: Scalar>(
    queue: Option<&Queue>,
    read: Vec<MatrixRef<'_, T>>,
    written: Vec<MatrixMut<'_, T>>,
    work: impl for<'m> FnOnce(Vec<MatrixRef<'m, T>>, Vec<MatrixMut<'m, T>>),
) -> Result<()> {
    let memories = || read.iter().map(|a| a.memory()).chain(written.iter().map(|a| a.memory()));
    if !memories().any(|memory| matches!(memory, Memory::Device(_))) {
        work(read, written);
        return Ok(());
    }
    let mixed = || Error::MixedMemory("the matrices do not lie in one memory".to_owned());
    let buffers = memories().map(|memory| memory.buffer().ok_or_else(mixed)).collect::<Result<Vec<_>>>()?;
    let own = match (queue, buffers.first()) {
        (None, Some(buffer)) => Some(Queue::new(buffer.context())?),
        _ => None,
    };
    let queue = queue.or(own.as_ref()).ok_or_else(|| Error::Internal("a queue of its own".to_owned()))?;
    for buffer in &buffers {
        device_buffer(queue, Memory::<T>::Device(*buffer), "a matrix")?;
    }
    let lines: Vec<_> =
        read.iter().map(|a| *a.shape()).chain(written.iter().map(|a| *a.shape())).map(Lines::of).collect();
    let copies = lines.iter().zip(&buffers).map(|(lines, buffer)| lines.read::<T>(queue, buffer));
    let mut copies = copies.collect::<Result<Vec<_>>>()?;
    let (constant, changed) = copies.split_at_mut(read.len());
    let (of_read, of_written) = lines.split_at(read.len());
    let views = constant.iter().zip(of_read).map(|(copy, lines)| MatrixRef::from_slice(copy, lines.copy_shape()?));
    let views_mut =
        changed.iter_mut().zip(of_written).map(|(copy, lines)| MatrixMut::from_slice(copy, lines.copy_shape()?));
    work(views.collect::<Result<Vec<_>>>()?, views_mut.collect::<Result<Vec<_>>>()?);
    for ((buffer, lines), copy) in buffers[read.len()..].iter().zip(of_written).zip(&*changed) {
        lines.write(queue, buffer, copy)?;
    }
    Ok(())
}

/// The lines of adjacent elements that a matrix in a device's memory consists of. A copy has them one after the other.
struct Lines {
    shape: MatrixShape,
    count: usize,
    length: usize,
}

impl Lines {
    fn of(shape: MatrixShape) -> Self {
        let (count, length) = match shape.layout() {
            Layout::ColumnMajor => (shape.columns(), shape.rows()),
            Layout::RowMajor => (shape.rows(), shape.columns()),
        };
        Lines { shape, count, length }
    }

    fn copy_shape(&self) -> Result<MatrixShape> {
        MatrixShape::new(self.shape.layout(), self.shape.rows(), self.shape.columns(), 0, self.length.max(1))
    }

    /// Contiguous runs: start in the device's memory, start in the copy, length.
    fn runs(&self) -> Vec<(usize, usize, usize)> {
        let (offset, leading) = (self.shape.offset(), self.shape.leading_dimension());
        if self.count == 0 || self.length == 0 {
            return Vec::new();
        }
        if self.count == 1 || leading == self.length {
            return vec![(offset, 0, self.count * self.length)];
        }
        (0..self.count).map(|i| (offset + i * leading, i * self.length, self.length)).collect()
    }

    fn read<T: Scalar>(&self, queue: &Queue, buffer: &DeviceBuffer) -> Result<Vec<T>> {
        let mut copy = vec![T::ZERO; self.count * self.length];
        for (from, to, length) in self.runs() {
            buffer.read_at(queue, from, &mut copy[to..to + length])?;
        }
        Ok(copy)
    }

    /// Only the matrix's own elements are written.
    fn write<T: Scalar>(&self, queue: &Queue, buffer: &DeviceBuffer, copy: &[T]) -> Result<()> {
        for (to, from, length) in self.runs() {
            buffer.write_at(queue, to, &copy[from..from + length])?;
        }
        Ok(())
    }
}

/// A batch in a device's memory, of which the host has copies one after the other.
pub(super) struct BatchLines {
    matrix: MatrixShape,
    count: usize,
    /// Contiguous runs: start in the device's memory, start in the copies, length.
    runs: Vec<(usize, usize, usize)>,
}

impl BatchLines {
    pub(super) fn of(shape: &BatchShape<'_>) -> Result<Self> {
        let matrix = Lines::of(*shape.matrix()).copy_shape()?;
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for i in 0..shape.count() {
            let start = i * matrix.rows() * matrix.columns();
            for (from, to, length) in Lines::of(shape.one(i)).runs() {
                match runs.last_mut() {
                    Some(last) if (last.0 + last.2, last.1 + last.2) == (from, start + to) => last.2 += length,
                    _ => runs.push((from, start + to, length)),
                }
            }
        }
        Ok(BatchLines { matrix, count: shape.count(), runs })
    }

    /// Shape of the copies.
    pub(super) fn copy_shape(&self) -> Result<BatchShape<'static>> {
        BatchShape::strided(self.matrix, self.matrix.rows() * self.matrix.columns(), self.count)
    }

    pub(super) fn read<T: Scalar>(&self, queue: &Queue, buffer: &DeviceBuffer) -> Result<Vec<T>> {
        let mut copies = vec![T::ZERO; self.count * self.matrix.rows() * self.matrix.columns()];
        for &(from, to, length) in &self.runs {
            buffer.read_at(queue, from, &mut copies[to..to + length])?;
        }
        Ok(copies)
    }

    /// Only the matrices' own elements are written.
    pub(super) fn write<T: Scalar>(&self, queue: &Queue, buffer: &DeviceBuffer, copies: &[T]) -> Result<()> {
        for &(to, from, length) in &self.runs {
            buffer.write_at(queue, to, &copies[from..from + length])?;
        }
        Ok(())
    }
}

/// Adjacent elements of a vector in a device's memory.
pub(super) struct Adjacent<'a> {
    buffer: &'a DeviceBuffer,
    offset: usize,
}

/// A vector's elements, which are adjacent.
pub(super) fn adjacent<'a, V: Element>(
    queue: &Queue,
    vector: &VectorMut<'a, V>,
    name: &'static str,
) -> Result<Adjacent<'a>> {
    adjacent_of(queue, &VectorRef::from_parts(vector.memory(), *vector.shape()), name)
}

/// The elements of a vector that is read, which are adjacent.
pub(super) fn adjacent_of<'a, V: Element>(
    queue: &Queue,
    vector: &VectorRef<'a, V>,
    name: &'static str,
) -> Result<Adjacent<'a>> {
    device_buffer(queue, vector.memory(), name)?;
    let shape = vector.shape();
    match vector.memory().buffer() {
        Some(buffer) if shape.increment() == 1 || shape.length() <= 1 => {
            Ok(Adjacent { buffer, offset: shape.offset() })
        }
        _ => Err(Error::argument(name, "its elements are not adjacent in a device's memory")),
    }
}

impl Adjacent<'_> {
    pub(super) fn read<V: Element>(&self, queue: &Queue, count: usize) -> Result<Vec<V>> {
        let mut numbers = vec![V::default(); count];
        if count > 0 {
            self.buffer.read_at(queue, self.offset, &mut numbers)?;
        }
        Ok(numbers)
    }

    /// Writes `each` elements for each matrix of a batch, `stride` apart, from copies without gaps.
    pub(super) fn write_each<V: Element>(
        &self,
        queue: &Queue,
        numbers: &[V],
        (each, stride): (usize, usize),
    ) -> Result<()> {
        if each == stride {
            return self.write(queue, numbers);
        }
        for (i, part) in numbers.chunks_exact(each.max(1)).enumerate() {
            self.buffer.write_at(queue, self.offset + i * stride, part)?;
        }
        Ok(())
    }

    pub(super) fn write<V: Element>(&self, queue: &Queue, numbers: &[V]) -> Result<()> {
        if numbers.is_empty() { Ok(()) } else { self.buffer.write_at(queue, self.offset, numbers) }
    }
}

/// LAPACK's info in a device's memory.
pub(super) struct DeviceInfo<'a>(Adjacent<'a>);

impl<'a> DeviceInfo<'a> {
    /// A vector of one element.
    pub(super) fn new(queue: &Queue, info: &VectorMut<'a, i32>) -> Result<Self> {
        if info.length() != 1 {
            return Err(Error::ShapeMismatch(format!("the info is one number, not {}", info.length())));
        }
        Ok(DeviceInfo(adjacent(queue, info, "info")?))
    }

    pub(super) fn write(&self, queue: &Queue, info: host::Info) -> Result<()> {
        self.0.write(queue, &[info.map_or(0, |index| index as i32)])
    }
}
