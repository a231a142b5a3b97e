//! Running sums and stable sorting on a device.

use std::sync::Arc;

use crate::context::{ContextParts, DeviceBuffer, Queue};
use crate::device::DeviceClass;
use crate::error::Result;
use crate::launch::Launch;
use crate::memory::{Buffer, Context};
use crate::program::{Program, ProgramSource, source};
use crate::scalar::{Element, ScalarKind};
use crate::sparse::RowPointer;

/// Work-items of a group of kernels that treat elements apart from each other.
pub(super) const THREADS: usize = 64;
/// Elements of a work-item of a GPU that walks a chunk: a cache line or two of them.
const GPU_CHUNK: usize = 32;
/// Elements that are worth a work-item of a CPU.
const CPU_CHUNK: usize = 4096;

/// Radix sort and prefix sums on one queue.
pub(super) struct Order<'a> {
    pub(super) queue: &'a Queue,
    context: &'a Context,
    program: Arc<Program>,
    radix_bits: usize,
    long: bool,
}

/// Integers on a device that begin at a place in their memory.
#[derive(Clone, Copy)]
pub(super) struct Keys<'a> {
    pub(super) memory: &'a DeviceBuffer,
    pub(super) first: usize,
    pub(super) count: usize,
}

impl<'a> Keys<'a> {
    pub(super) fn of(buffer: &'a Buffer<i32>) -> Self {
        Keys { memory: device(buffer), first: 0, count: buffer.len() }
    }
}

/// A buffer's memory on the device that it is known to be on.
pub(super) fn device<T: Element>(buffer: &Buffer<T>) -> &DeviceBuffer {
    buffer.on_device().expect("the matrix lies on a device")
}

impl<'a> Order<'a> {
    pub(super) fn new<P: RowPointer>(context: &'a Context, queue: &'a Queue) -> Result<Self> {
        let cpu = queue.context().device().info().class == DeviceClass::Cpu;
        // Counters of a work-item: many digits in a CPU's cache, few in a GPU's registers.
        let radix_bits = if cpu { 8 } else { 4 };
        let source = ProgramSource {
            name: "sparse order",
            kind: ScalarKind::S,
            root: source("sparse/convert/order.cl"),
            definitions: vec![("POINTER_IS_LONG", i64::from(P::LONG)), ("RADIX_BITS", radix_bits as i64)],
        };
        let program = queue.context().program(&source)?;
        Ok(Order { queue, context, program, radix_bits, long: P::LONG })
    }

    /// A launch over `n` elements.
    pub(super) fn launch(&self, kernel: &'static str, n: usize) -> Launch<'_> {
        Launch::new(self.queue, &self.program, kernel).index(n)
    }

    /// The elements of a chunk of `n`, and the number of chunks.
    pub(super) fn chunks(&self, n: usize) -> (usize, usize) {
        let device_info = self.queue.context().device().info();
        let chunk = match device_info.class {
            DeviceClass::Cpu => n.div_ceil(8 * device_info.compute_units).max(CPU_CHUNK),
            _ => GPU_CHUNK,
        };
        (chunk, n.div_ceil(chunk))
    }

    /// Enqueues a launch whose work-items walk chunks.
    pub(super) fn enqueue_chunks(&self, launch: Launch<'_>, chunks: usize) -> Result<()> {
        let threads = if self.queue.context().device().info().class == DeviceClass::Cpu { 1 } else { THREADS };
        launch.enqueue_step([chunks.div_ceil(threads), 1, 1], [threads, 1, 1])
    }

    /// Replaces each of `n` pointers by the sum of those before it.
    pub(super) fn running_sums<P: RowPointer>(&self, data: &Buffer<P>, n: usize) -> Result<()> {
        debug_assert!(P::LONG == self.long && n <= data.len());
        let (chunk, chunks) = self.chunks(n);
        if n <= 2 * chunk {
            let launch = self.launch("scan_chunks", n).index(n).flag(true);
            return self.enqueue_chunks(launch.buffer(device(data)).buffer(device(data)), 1);
        }
        let sums = self.context.unwritten::<P>(chunks)?;
        let launch = self.launch("scan_sums", n).index(chunk).buffer(device(data)).buffer(device(&sums));
        self.enqueue_chunks(launch, chunks)?;
        self.running_sums(&sums, chunks)?;
        let launch = self.launch("scan_chunks", n).index(chunk).flag(false);
        self.enqueue_chunks(launch.buffer(device(data)).buffer(device(&sums)), chunks)
    }

    /// Sorts keys below `bound`, keeping the order of equal ones: the sorted keys, and where each one was. With `order`
    /// the places are those that the keys had before another sorting.
    pub(super) fn sort<P: RowPointer>(
        &self,
        keys: Keys<'_>,
        bound: usize,
        order: Option<Buffer<P>>,
    ) -> Result<(Buffer<i32>, Buffer<P>)> {
        let n = keys.count;
        let (chunk, chunks) = self.chunks(n);
        let bits = (usize::BITS - bound.saturating_sub(1).leading_zeros()) as usize;
        let counts = self.context.unwritten::<P>(chunks << self.radix_bits)?;
        let mut current: (Option<Buffer<i32>>, Option<Buffer<P>>) = (None, order);
        for pass in 0..bits.div_ceil(self.radix_bits).max(1) {
            let from = current.0.as_ref().map_or(keys, Keys::of);
            let next = (self.context.unwritten::<i32>(n)?, self.context.unwritten::<P>(n)?);
            if n > 0 {
                let digits = |kernel| {
                    let launch = self.launch(kernel, n).index(chunk).index(chunks).count(pass * self.radix_bits);
                    launch.buffer(from.memory).index(from.first)
                };
                self.enqueue_chunks(digits("sort_count").buffer(device(&counts)), chunks)?;
                self.running_sums(&counts, chunks << self.radix_bits)?;
                let numbered = current.1.is_none();
                let launch = digits("sort_scatter").flag(numbered);
                let launch = launch.buffer(device(current.1.as_ref().unwrap_or(&next.1))).buffer(device(&counts));
                self.enqueue_chunks(launch.buffer(device(&next.0)).buffer(device(&next.1)), chunks)?;
            }
            current = (Some(next.0), Some(next.1));
        }
        let (Some(keys), Some(order)) = current else { unreachable!("there is a pass") };
        Ok((keys, order))
    }

    /// Integers in another order.
    pub(super) fn gather<P: RowPointer>(&self, order: &Buffer<P>, from: Keys<'_>) -> Result<Buffer<i32>> {
        let to = self.context.unwritten::<i32>(order.len())?;
        let launch = self.launch("gather_indices", order.len()).buffer(device(order));
        self.each(launch.buffer(from.memory).index(from.first).buffer(device(&to)), order.len())?;
        Ok(to)
    }

    /// Index at which each of `lines` lines begins among sorted keys, and the end of the last one. With `slots` (one
    /// more than keys), slots of keys replace their indices.
    pub(super) fn row_ptr<P: RowPointer>(
        &self,
        lines: usize,
        keys: &Buffer<i32>,
        slots: Option<&Buffer<P>>,
    ) -> Result<Buffer<P>> {
        let row_ptr = self.context.unwritten::<P>(lines + 1)?;
        let launch = self.launch("lower_bounds", lines + 1).index(keys.len()).buffer(device(keys));
        let launch = launch.flag(slots.is_some()).buffer(device(slots.unwrap_or(&row_ptr)));
        self.each(launch.buffer(device(&row_ptr)), lines + 1)?;
        Ok(row_ptr)
    }

    /// Enqueues a launch of a work-item for each of `n` elements.
    pub(super) fn each(&self, launch: Launch<'_>, n: usize) -> Result<()> {
        each(launch, n)
    }
}

/// Enqueues a launch of a work-item for each of `n` elements.
pub(super) fn each(launch: Launch<'_>, n: usize) -> Result<()> {
    if n == 0 {
        return Ok(());
    }
    launch.enqueue_step([n.div_ceil(THREADS), 1, 1], [THREADS, 1, 1])
}
