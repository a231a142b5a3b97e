//! Running sums and products along an axis, in the order of `affinimath_array::scan`.

use std::sync::Arc;

use affinimath_array::ElementType;
use affinimath_array::function::Reduction;
use affinimath_array::plan::{Buffer, Operand};
use affinimath_array::scan::{CHUNK, Pass, PassLaunch, Pencils, by_parts};
use affinimath_array::shape::Shape;
use rayon::prelude::*;

use super::copy;
use super::device::DeviceKernels;
use super::steps::{Memory, Run, of_block};
use crate::context::{BufferParts, DeviceBuffer, DeviceContext, Queue};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::scalar::{Complex32, Complex64};
use crate::threads;

/// Elements from which threads of the host share a scan, and that one of them scans at least.
const MIN_PARALLEL: usize = 16 << 10;

/// Scans the input to the output.
pub(super) fn run(run: &Run<'_>, reduction: Reduction, axis: usize, input: &Operand, output: &Operand) -> Result<()> {
    let pencils = Pencils::new(&input.extents, axis);
    if pencils.is_empty() {
        return Ok(());
    }
    // Memory of the evaluation's own is nobody's operand at the same time.
    let is_own = matches!(output.buffer, Buffer::Temporary(_) | Buffer::Output(_)) && output.buffer != input.buffer;
    if is_own && is_row_major(output) {
        return to_row_major(run, (reduction, pencils), input, output);
    }
    let shape = Shape::new(&input.extents).map_err(|kind| Error::Internal(kind.to_string()))?;
    let whole = copy::row_major(Buffer::Temporary(usize::MAX), input.element, &shape);
    let block = run.block(input.element, pencils.len())?;
    let memory = of_block(&block, pencils.len());
    match memory {
        Memory::Device(buffer, _) => {
            from_row_major(run, input, pencils, |x| {
                on_device(run, (input.element, reduction), pencils, x, Elements(buffer, 0))
            })?;
        }
        Memory::Host(at, length) => {
            run.copy_to(input, &whole, memory)?;
            // SAFETY: the block has as many elements, which the copy has written, and is this function's alone.
            unsafe { on_host(at, length, input.element, reduction, pencils) }?;
        }
    }
    run.copy_from(memory, &whole, output)
}

/// Scans to an output of the evaluation's own, whose elements follow each other.
fn to_row_major(
    run: &Run<'_>,
    (reduction, pencils): (Reduction, Pencils),
    input: &Operand,
    output: &Operand,
) -> Result<()> {
    let (element, first) = (input.element, run.offset(output));
    match run.memory(output)? {
        Memory::Device(buffer, _) => from_row_major(run, input, pencils, |x| {
            on_device(run, (element, reduction), pencils, x, Elements(buffer, first))
        }),
        Memory::Host(at, length) if first + pencils.len() <= length => {
            run.copy(input, output)?;
            // SAFETY: the output has as many elements from its first one on, which the copy has written, and is no
            // other operand's memory.
            unsafe { on_host(at.add(first * element.bytes()), pencils.len(), element, reduction, pencils) }
        }
        Memory::Host(..) => Err(Error::Internal("a scan's output ends outside of its memory".to_owned())),
    }
}

/// Calls `scan` with the input's elements in row-major order: where they are, or a copy.
fn from_row_major(
    run: &Run<'_>,
    input: &Operand,
    pencils: Pencils,
    scan: impl FnOnce(Elements<'_>) -> Result<()>,
) -> Result<()> {
    if is_row_major(input)
        && let Memory::Device(buffer, _) = run.memory(input)?
    {
        return scan(Elements(buffer, run.offset(input)));
    }
    let shape = Shape::new(&input.extents).map_err(|kind| Error::Internal(kind.to_string()))?;
    let whole = copy::row_major(Buffer::Temporary(usize::MAX), input.element, &shape);
    let block = run.block(input.element, pencils.len())?;
    run.copy_to(input, &whole, of_block(&block, pencils.len()))?;
    match of_block(&block, pencils.len()) {
        Memory::Device(buffer, _) => scan(Elements(buffer, 0)),
        Memory::Host(..) => Err(Error::Internal("a scan's operand is not on the device".to_owned())),
    }
}

/// True if elements follow each other in row-major order.
fn is_row_major(operand: &Operand) -> bool {
    let mut next = 1;
    let mut axes = operand.extents.iter().zip(&operand.strides).rev();
    !operand.is_conjugate
        && axes.all(|(&extent, &stride)| {
            let fits = extent == 1 || stride == next;
            next *= extent as i64;
            fits
        })
}

fn on_device(
    run: &Run<'_>,
    (element, reduction): (ElementType, Reduction),
    pencils: Pencils,
    x: Elements<'_>,
    y: Elements<'_>,
) -> Result<()> {
    let context = y.0.context();
    let (part, by_parts) = by_parts(element, reduction, pencils);
    // Offsets count elements of the kernel's type.
    let parts = by_parts.inner / pencils.inner;
    let scan = OnDevice { kernels: run.kernels()?, context, queue: Queue::new(context)?, join: (part, reduction) };
    scan.scan(Elements(x.0, x.1 * parts), Elements(y.0, y.1 * parts), by_parts)
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
            if reduction == Reduction::Product {
                scan_slice(elements, pencils, $product);
            } else {
                scan_slice(elements, pencils, $sum);
            }
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
fn scan_slice<T: Copy + Send + Sync>(
    elements: &mut [T],
    pencils: Pencils,
    join: impl Fn(T, T) -> T + Copy + Send + Sync,
) {
    let inner = pencils.inner;
    for_each_chunk(elements, pencils, |_, chunk| {
        if let (1, [first, rest @ ..]) = (inner, &mut *chunk) {
            let mut running = *first;
            rest.iter_mut().for_each(|element| {
                running = join(running, *element);
                *element = running;
            });
            return;
        }
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
        if let [carry] = carries {
            return chunk.iter_mut().for_each(|element| *element = join(*carry, *element));
        }
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

/// The elements of a scan on a device: the buffer, and the first element.
#[derive(Clone, Copy)]
struct Elements<'a>(&'a DeviceBuffer, usize);

/// A scan on a device.
struct OnDevice<'a> {
    kernels: &'a DeviceKernels,
    context: &'a Arc<DeviceContext>,
    queue: Queue,
    join: (ElementType, Reduction),
}

impl OnDevice<'_> {
    /// Scans row-major elements of x to y, which do not overlap.
    fn scan(&self, x: Elements<'_>, y: Elements<'_>, pencils: Pencils) -> Result<()> {
        if pencils.is_one_chunk() {
            return self.pass(Pass::Whole, pencils, [x, y], None);
        }
        let of_totals = pencils.totals();
        let workspace = || DeviceBuffer::for_step(&self.queue, of_totals.len() * self.join.0.bytes());
        let (totals, carries) = (workspace()?, workspace()?);
        self.pass(Pass::Totals, pencils, [x, Elements(&totals, 0)], None)?;
        self.scan(Elements(&totals, 0), Elements(&carries, 0), of_totals)?;
        self.pass(Pass::Chunks, pencils, [x, y], Some(&carries))
    }

    fn pass(
        &self,
        pass: Pass,
        pencils: Pencils,
        [x, y]: [Elements<'_>; 2],
        carries: Option<&DeviceBuffer>,
    ) -> Result<()> {
        let pass = PassLaunch::new(self.join, pass, pencils, [x.1, y.1], self.kernels.class());
        let program = self.kernels.scan_program(self.context, pass.variant)?;
        let mut launch = Launch::new(&self.queue, &program, pass.variant.pass.name()).buffer(x.0).buffer(y.0);
        if let Some(carries) = carries {
            launch = launch.buffer(carries);
        }
        for number in pass.numbers {
            launch = match i32::try_from(number) {
                Ok(number) if !pass.variant.is_wide => launch.raw(number),
                _ => launch.raw(number),
            };
        }
        launch.enqueue_step([pass.groups, 1, 1], [pass.items, 1, 1])
    }
}
