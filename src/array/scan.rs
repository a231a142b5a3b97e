//! Running sums and products along an axis, in the order of `affinimath_array::scan`.

use std::sync::Arc;

use affinimath_array::ElementType;
use affinimath_array::function::Reduction;
use affinimath_array::plan::{Buffer, Operand};
use affinimath_array::scan::{CHUNK, Pencils, carries_kernel, chunks_kernel};
use affinimath_array::shape::Shape;
use affinimath_kernel::{BuildError, Kernel};
use rayon::prelude::*;

use super::copy;
use super::steps::{Memory, Run, of_block};
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, Queue};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::program::{GeneratedSource, Program};
use crate::scalar::{Complex32, Complex64};
use crate::threads;

/// Work-items of a group on a device.
const GROUP: usize = 128;
/// Elements from which threads of the host share a scan, and that one of them scans at least.
const MIN_PARALLEL: usize = 16 << 10;

/// Scans the input to the output.
pub(super) fn run(run: &Run<'_>, reduction: Reduction, axis: usize, input: &Operand, output: &Operand) -> Result<()> {
    let pencils = Pencils::new(&input.extents, axis);
    if pencils.is_empty() {
        return Ok(());
    }
    let shape = Shape::new(&input.extents).map_err(|kind| Error::Internal(kind.to_string()))?;
    let whole = copy::row_major(Buffer::Temporary(usize::MAX), input.element, &shape);
    let block = run.block(input.element, pencils.len())?;
    // A row-major copy, which is scanned in place.
    run.copy_to(input, &whole, of_block(&block, pencils.len()))?;
    match of_block(&block, pencils.len()) {
        Memory::Device(buffer, _) => OnDevice::new(buffer, input.element, reduction)?.scan(buffer, pencils)?,
        // SAFETY: the block has as many elements, which the copy has written, and is this function's alone.
        Memory::Host(at, length) => unsafe { on_host(at, length, input.element, reduction, pencils) }?,
    }
    run.copy_from(of_block(&block, pencils.len()), &whole, output)
}

/// # Safety
/// There are `length` elements of the type at the address, and nobody else uses them.
unsafe fn on_host(
    at: *mut u8,
    length: usize,
    element: ElementType,
    reduction: Reduction,
    pencils: Pencils,
) -> Result<()> {
    macro_rules! scan_as {
        ($type:ty, $sum:expr, $product:expr) => {{
            // SAFETY: by contract.
            let elements = unsafe { std::slice::from_raw_parts_mut(at.cast::<$type>(), length) };
            let join: fn($type, $type) -> $type = if reduction == Reduction::Product { $product } else { $sum };
            scan_slice(elements, pencils, join);
        }};
    }
    match element {
        ElementType::Bool => return Err(Error::Internal("a running sum of bool".to_owned())),
        ElementType::U8 => scan_as!(u8, u8::wrapping_add, u8::wrapping_mul),
        ElementType::I32 => scan_as!(i32, i32::wrapping_add, i32::wrapping_mul),
        ElementType::U32 => scan_as!(u32, u32::wrapping_add, u32::wrapping_mul),
        ElementType::I64 => scan_as!(i64, i64::wrapping_add, i64::wrapping_mul),
        ElementType::F32 => scan_as!(f32, |a, b| a + b, |a, b| a * b),
        ElementType::F64 => scan_as!(f64, |a, b| a + b, |a, b| a * b),
        ElementType::C32 => scan_as!(Complex32, |a, b| a + b, |a, b| {
            Complex32::new(a.re.mul_add(b.re, -a.im * b.im), a.re.mul_add(b.im, a.im * b.re))
        }),
        ElementType::C64 => scan_as!(Complex64, |a, b| a + b, |a, b| {
            Complex64::new(a.re.mul_add(b.re, -a.im * b.im), a.re.mul_add(b.im, a.im * b.re))
        }),
    }
    Ok(())
}

/// Scans a row-major array in place.
fn scan_slice<T: Copy + Send + Sync>(elements: &mut [T], pencils: Pencils, join: fn(T, T) -> T) {
    let inner = pencils.inner;
    for_each_chunk(elements, pencils, |_, chunk| {
        for first in (inner..chunk.len()).step_by(inner) {
            let (before, row) = chunk[first - inner..].split_at_mut(inner);
            for (element, before) in row.iter_mut().zip(before) {
                *element = join(*before, *element);
            }
        }
    });
    if pencils.is_one_chunk() {
        return;
    }
    let last_rows = chunks(elements, pencils).flat_map(|chunk| &chunk[chunk.len() - inner..]);
    let mut totals: Vec<T> = last_rows.copied().collect();
    scan_slice(&mut totals, pencils.totals(), join);
    for_each_chunk(elements, pencils, |index, chunk| {
        // The first chunk of a pencil has none before it.
        if index % pencils.totals().length == 0 {
            return;
        }
        let carries = &totals[(index - 1) * inner..index * inner];
        for row in chunk.chunks_mut(inner) {
            for (element, carry) in row.iter_mut().zip(carries) {
                *element = join(*carry, *element);
            }
        }
    });
}

/// The chunks of all pencils, in order.
fn chunks<T>(elements: &[T], Pencils { length, inner, .. }: Pencils) -> impl Iterator<Item = &[T]> {
    elements.chunks(length * inner).flat_map(move |pencil| pencil.chunks(CHUNK * inner))
}

/// Calls `work` with the index and the elements of each chunk, shared out among the threads that the library may use.
fn for_each_chunk<T: Send>(
    elements: &mut [T],
    Pencils { length, inner, .. }: Pencils,
    work: impl Fn(usize, &mut [T]) + Send + Sync,
) {
    let is_small = elements.len() < MIN_PARALLEL;
    let chunks = elements.chunks_mut(length * inner).flat_map(|pencil| pencil.chunks_mut(CHUNK * inner));
    // A forked child has no threads to share with.
    if is_small || threads::available() == 1 {
        return chunks.enumerate().for_each(|(index, chunk)| work(index, chunk));
    }
    let mut chunks: Vec<_> = chunks.collect();
    let min_chunks = (MIN_PARALLEL / (CHUNK * inner)).max(1);
    threads::shared(|| {
        let parts = chunks.par_iter_mut().enumerate().with_min_len(min_chunks);
        parts.for_each(|(index, chunk)| work(index, chunk));
    });
}

/// The programs of a type and an operation.
struct OnDevice {
    context: Arc<DeviceContext>,
    chunks: Arc<Program>,
    carries: Arc<Program>,
    element_bytes: usize,
}

impl OnDevice {
    fn new(buffer: &DeviceBuffer, element: ElementType, reduction: Reduction) -> Result<Self> {
        let context = buffer.context().clone();
        let program = |kernel: std::result::Result<Kernel, BuildError>| {
            let kernel = kernel.map_err(|error| Error::Internal(error.to_string()))?;
            context.generated_program(&GeneratedSource::from(&kernel))
        };
        let chunks = program(chunks_kernel(element, reduction))?;
        let carries = program(carries_kernel(element, reduction))?;
        Ok(OnDevice { context: context.clone(), chunks, carries, element_bytes: element.bytes() })
    }

    /// Scans a row-major array in place.
    fn scan(&self, elements: &DeviceBuffer, pencils: Pencils) -> Result<()> {
        let queue = Queue::new(&self.context)?;
        let totals_pencils = pencils.totals();
        let totals = DeviceBuffer::for_step(&queue, totals_pencils.len() * self.element_bytes)?;
        let scan = Launch::new(&queue, &self.chunks, "scan_chunks").buffer(elements).buffer(elements).buffer(&totals);
        Self::enqueue(scan, pencils, totals_pencils.len())?;
        if pencils.is_one_chunk() {
            return Ok(());
        }
        self.scan(&totals, totals_pencils)?;
        let carry = Launch::new(&queue, &self.carries, "scan_carries").buffer(&totals).buffer(elements);
        Self::enqueue(carry, pencils, pencils.len())
    }

    fn enqueue(launch: Launch<'_>, pencils: Pencils, count: usize) -> Result<()> {
        let launch = launch.index(pencils.length).index(pencils.inner).index(pencils.totals().length).index(count);
        launch.enqueue_step([count.div_ceil(GROUP), 1, 1], [GROUP, 1, 1])
    }
}
