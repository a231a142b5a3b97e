//! Factorisations by the host backend, enqueued as native kernels on a device that is the host's own processor.

use faer::MatMut;

use super::{Block, DeviceSlice, Executor};
use crate::context::{HostCommands, HostPtr, Span};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Result, status};
use crate::host::lapack::Info;
use crate::scalar::{Element, Scalar};

/// Executing backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The host's routine as a native kernel; falls back to `Device` if the memory cannot be mapped.
    Host,
    /// Kernels.
    Device,
}

/// Minimum of rows and columns, and minimum order of a triangle to invert, for which the host's routine is faster than
/// kernels: it costs a native kernel's launch.
const HOST_MIN_ORDER: usize = 48;
const HOST_MIN_TRIANGLE: usize = 256;

impl Backend {
    /// For a factorisation of a `rows` x `columns` matrix, or an inverse from its factors.
    pub fn choose([rows, columns]: [usize; 2], device: &DeviceInfo) -> Self {
        Self::from(HOST_MIN_ORDER, rows.min(columns), device)
    }

    /// The faster ones for the inverse of a triangle, and for one made of it.
    pub fn for_triangle(order: usize, device: &DeviceInfo) -> Self {
        Self::from(HOST_MIN_TRIANGLE, order, device)
    }

    fn from(min_order: usize, order: usize, device: &DeviceInfo) -> Self {
        let native = device.native_kernels && device.class == DeviceClass::Cpu && order >= min_order;
        if native { Backend::Host } else { Backend::Device }
    }
}

/// Value of info while the host's routine runs, and after it panicked.
const NOT_FINISHED: i32 = status::INTERNAL;

/// A matrix in mapped memory.
struct Mapped<T> {
    start: *mut T,
    rows: usize,
    columns: usize,
    strides: [isize; 2],
}

impl<T> Mapped<T> {
    /// # Safety
    /// The memory must be mapped for writing, hold the matrix, and not be accessed by anything else while the view
    /// lives.
    const unsafe fn view<'m>(self) -> MatMut<'m, T> {
        let Mapped { start, rows, columns, strides: [row, column] } = self;
        // SAFETY: `MatMut` has the size and strides that the block's span was computed from; the function's contract
        // covers mapping and aliasing.
        unsafe { MatMut::from_raw_parts_mut(start, rows, columns, row, column) }
    }
}

impl Executor<'_> {
    /// Enqueues a host routine for a non-empty matrix and an info. Returns false if kernels have to do the work.
    pub(super) fn on_host<T: Scalar>(
        &self,
        (a, size): (Block<'_>, [usize; 2]),
        info: DeviceSlice<'_>,
        routine: impl FnOnce(MatMut<'_, T>) -> Info + Send + 'static,
    ) -> Result<bool> {
        let spans = [a.span::<T>(size), info.span::<i32>(1)];
        let (strides, [rows, columns]) = (a.strides(), size);
        let work = move |mapped: &[HostPtr]| {
            let matrix = Mapped { start: mapped[0].cast::<T>(), rows, columns, strides };
            // SAFETY: `enqueue_on_host` maps both spans for this command alone, and the queue is in order.
            unsafe { report(mapped[1], || routine(matrix.view())) };
        };
        self.queue.enqueue_on_host(&spans, work)
    }

    /// [`Self::on_host`] for a routine with a vector besides the matrix, such as pivots, of at least one element. The
    /// routine reads it, or writes it: then it is first filled with a value that no result has.
    pub(super) fn on_host_with<T: Scalar, V: Element>(
        &self,
        (a, size): (Block<'_>, [usize; 2]),
        (vector, count, unfinished): (DeviceSlice<'_>, usize, Option<V>),
        info: Option<DeviceSlice<'_>>,
        routine: impl FnOnce(MatMut<'_, T>, &mut [V]) -> Info + Send + 'static,
    ) -> Result<bool> {
        let span = vector.span::<V>(count);
        let mut spans = vec![a.span::<T>(size), if unfinished.is_some() { span } else { span.read_only() }];
        spans.extend(info.map(|info| info.span::<i32>(1)));
        let (strides, [rows, columns]) = (a.strides(), size);
        let work = move |mapped: &[HostPtr]| {
            let matrix = Mapped { start: mapped[0].cast::<T>(), rows, columns, strides };
            // SAFETY: `enqueue_on_host` maps all spans for this command alone, and the queue is in order.
            let (matrix, vector) =
                unsafe { (matrix.view(), std::slice::from_raw_parts_mut(mapped[1].cast::<V>(), count)) };
            if let Some(unfinished) = unfinished {
                vector.fill(unfinished);
            }
            match mapped.get(2) {
                // SAFETY: the info's span is mapped for this command alone.
                Some(info) => unsafe { report(*info, || routine(matrix, vector)) },
                None => drop(routine(matrix, vector)),
            }
        };
        self.queue.enqueue_on_host(&spans, work)
    }
}

/// Runs a routine and writes its info.
///
/// # Safety
/// `span` must be the mapped memory of one i32.
unsafe fn report(span: HostPtr, routine: impl FnOnce() -> Info) {
    let span = span.cast::<i32>();
    // SAFETY: `span` is mapped for one i32, by the function's contract.
    unsafe { span.write(NOT_FINISHED) };
    let info = routine().map_or(0, |index| index as i32);
    // SAFETY: `span` is mapped for one i32, by the function's contract.
    unsafe { span.write(info) };
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

impl DeviceSlice<'_> {
    fn span<V>(&self, count: usize) -> Span {
        Span::of::<V>(self.memory, self.offset, count)
    }
}
