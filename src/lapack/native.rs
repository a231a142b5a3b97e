//! Factorisations on a device that is the host's own processor, by the host backend's routines, as commands of the queue.

use faer::MatMut;

use super::{Block, Entries, Parts};
use crate::context::{HostCommands, HostPtr, Span};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Result, status};
use crate::host::lapack::Info;
use crate::scalar::{Element, Scalar};

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The host's routine, as a native kernel; where it cannot have the memory, kernels.
    Host,
    /// Kernels.
    Device,
}

/// The shorter side of a matrix, or the order of a triangle to invert, from which the host's routine is faster than kernels: on
/// PoCL to hand the work over takes about 50 microseconds.
const FACTORISED_FROM: usize = 48;
const INVERTED_FROM: usize = 256;

impl Backend {
    /// The faster ones for a factorisation of a matrix with so many rows and columns, and for an inverse from factors.
    pub fn choose([rows, columns]: [usize; 2], device: &DeviceInfo) -> Self {
        Self::from(FACTORISED_FROM, rows.min(columns), device)
    }

    /// The faster ones for the inverse of a triangle, and for one made of it.
    pub fn for_triangle(order: usize, device: &DeviceInfo) -> Self {
        Self::from(INVERTED_FROM, order, device)
    }

    fn from(least: usize, order: usize, device: &DeviceInfo) -> Self {
        let native = device.native_kernels && device.class == DeviceClass::Cpu && order >= least;
        if native { Backend::Host } else { Backend::Device }
    }
}

/// What the info says while the host's routine runs, and ever after where it ended by a panic: the status of an internal error.
const UNFINISHED: i32 = status::INTERNAL;

/// A matrix in mapped memory.
struct Mapped<T> {
    start: *mut T,
    rows: usize,
    columns: usize,
    strides: [isize; 2],
}

impl<T> Mapped<T> {
    /// # Safety
    /// The memory must be mapped, and nobody else's as long as the view is used.
    const unsafe fn view<'m>(self) -> MatMut<'m, T> {
        let Mapped { start, rows, columns, strides: [row, column] } = self;
        // SAFETY: the caller vouches for the memory, which holds the matrix as the view of it was checked.
        unsafe { MatMut::from_raw_parts_mut(start, rows, columns, row, column) }
    }
}

impl Parts<'_> {
    /// Enqueues a routine of the host's for a matrix that is not empty, and an info. Gives false where kernels have to do it.
    pub(super) fn on_host<T: Scalar>(
        &self,
        (a, size): (Block<'_>, [usize; 2]),
        info: Entries<'_>,
        routine: impl FnOnce(MatMut<'_, T>) -> Info + Send + 'static,
    ) -> Result<bool> {
        let spans = [a.span::<T>(size), info.span::<i32>(1)];
        let (strides, [rows, columns]) = (a.strides(), size);
        let work = move |places: &[HostPtr]| {
            let matrix = Mapped { start: places[0].cast::<T>(), rows, columns, strides };
            // SAFETY: both are mapped for this command, and the queue runs no other one now.
            unsafe { report(places[1], || routine(matrix.view())) };
        };
        self.queue.enqueue_on_host(&spans, work)
    }

    /// The same for a routine with numbers beside the matrix (at least one), such as pivots, which it reads, or finds: then they are first
    /// what no result is.
    pub(super) fn on_host_with<T: Scalar, V: Element>(
        &self,
        (a, size): (Block<'_>, [usize; 2]),
        (numbers, count, unfinished): (Entries<'_>, usize, Option<V>),
        info: Option<Entries<'_>>,
        routine: impl FnOnce(MatMut<'_, T>, &mut [V]) -> Info + Send + 'static,
    ) -> Result<bool> {
        let place = numbers.span::<V>(count);
        let mut spans = vec![a.span::<T>(size), if unfinished.is_some() { place } else { place.read_only() }];
        spans.extend(info.map(|info| info.span::<i32>(1)));
        let (strides, [rows, columns]) = (a.strides(), size);
        let work = move |places: &[HostPtr]| {
            let matrix = Mapped { start: places[0].cast::<T>(), rows, columns, strides };
            // SAFETY: all are mapped for this command, and the queue runs no other one now.
            let (matrix, numbers) =
                unsafe { (matrix.view(), std::slice::from_raw_parts_mut(places[1].cast::<V>(), count)) };
            if let Some(unfinished) = unfinished {
                numbers.fill(unfinished);
            }
            match places.get(2) {
                // SAFETY: as above.
                Some(info) => unsafe { report(*info, || routine(matrix, numbers)) },
                None => drop(routine(matrix, numbers)),
            }
        };
        self.queue.enqueue_on_host(&spans, work)
    }
}

/// Writes a routine's info.
///
/// # Safety
/// Its place must be mapped.
unsafe fn report(place: HostPtr, routine: impl FnOnce() -> Info) {
    let place = place.cast::<i32>();
    // SAFETY: the caller vouches for the place.
    unsafe { place.write(UNFINISHED) };
    let info = routine().map_or(0, |index| index as i32);
    // SAFETY: as above.
    unsafe { place.write(info) };
}

impl Block<'_> {
    fn strides(&self) -> [isize; 2] {
        [self.operand.row_stride as isize, self.operand.column_stride as isize]
    }

    /// From the first to the last element of a matrix that is not empty.
    fn span<T>(&self, [rows, columns]: [usize; 2]) -> Span {
        let (row, column) = (self.operand.row_stride, self.operand.column_stride);
        Span::of::<T>(self.memory, self.operand.offset, (rows - 1) * row + (columns - 1) * column + 1)
    }
}

impl Entries<'_> {
    fn span<V>(&self, count: usize) -> Span {
        Span::of::<V>(self.memory, self.offset, count)
    }
}
