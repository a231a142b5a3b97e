//! Expressions of large operands in the host's memory, on a device with memory of its own: in pieces, while the bus
//! works in both directions.
//!
//! ```text
//!   up       piece 0   piece 1   piece 2   ...            queue of uploads
//!   compute            piece 0   piece 1   ...            the context's own queue
//!   down                         piece 0   piece 1  ...   queues of two threads, where the host gets the result
//! ```
//!
//! Each piece has a slot with its operands' memory. A slot is used again when its piece is computed and brought back.
//! Two threads bring results back, so that one's transfer hides where the other one's begins and ends.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use affinimath_array::ElementType;
use affinimath_array::executor::Executor;
use affinimath_array::node::{Leaf, Node, Storage};
use affinimath_array::plan::Output;
use affinimath_array::shape::{Shape, Strides};
use affinimath_array::stream::{Pieces, Reducible, host_bytes, substitute};

use super::executor::ContextExecutor;
use super::memory::{ArrayMemory, Block};
use crate::context::{ContextParts, DeviceBuffer, DeviceContext, Event, Queue, QueueParts, SecondQueue};
use crate::error::{Error, Result};
use crate::transfer::{self, CopyThreads, Staging, Uploader};

/// Threads that bring results back.
const BRINGERS: usize = 2;
/// Pieces under way: one that is brought, one that is computed, and one for each thread that brings results back.
const SLOTS: usize = 2 + BRINGERS;

/// Bytes of the host's operands from which pieces pay: 16 MiB on GPUs.
fn min_bytes(device: &DeviceContext) -> usize {
    device.transfers().staged_from.saturating_mul(16)
}

/// Bytes of a piece of all of them that cross the bus in one direction: several for each thread that fills pinned
/// chunks, so that it copies one while the bus takes another, and enough pieces for all stages.
fn piece_bytes(device: &DeviceContext, all: usize) -> usize {
    let chunk = device.transfers().chunk_bytes;
    (all / 8).clamp(chunk.saturating_mul(32), chunk.saturating_mul(64))
}

/// The nodes in new arrays of the device; `None` where they are evaluated as a whole.
pub(super) fn arrays(executor: &ContextExecutor, nodes: &[Node]) -> Result<Option<Vec<Leaf>>> {
    let Some(device) = device_of(executor) else { return Ok(None) };
    if host_bytes(nodes) < min_bytes(device) {
        return Ok(None);
    }
    let nodes = reduced(executor, device, nodes)?;
    let pieces = Pieces::of(&nodes, |storage| uploaded(executor, storage))?;
    let Some(pieces) = pieces.filter(|pieces| pieces.row_bytes() * pieces.extent() >= min_bytes(device)) else {
        return executor.whole(nodes).map(Some);
    };
    let memories = results(executor, &nodes, pieces.extent())?;
    let rows = piece_bytes(device, pieces.row_bytes() * pieces.extent()) / pieces.row_bytes();
    let mut pipeline = Pipeline::new(executor, device, copy_threads([pieces.row_bytes(), 0])[0])?;
    for range in pieces.ranges(rows) {
        let parts = pipeline.slot(|slot| pieces.piece(range.clone(), |leaf, shape| slot.bring(leaf, shape)))?;
        let target = |(part, storage): (&Node, &Arc<dyn Storage>)| rows_of(storage, part.shape(), range.start);
        let targets = parts.iter().zip(&memories).map(target).collect();
        pipeline.compute(parts, targets)?;
    }
    let leaf = |(node, storage): (&Node, Arc<dyn Storage>)| Leaf {
        storage,
        offset: 0,
        strides: Strides::row_major(node.shape()),
    };
    Ok(Some(nodes.iter().zip(memories).map(leaf).collect()))
}

/// The elements of nodes, as bytes in the host's memory; false where they are evaluated as a whole.
pub(super) fn to_host(executor: &ContextExecutor, nodes: &[Node], elements: &mut [&mut [u8]]) -> Result<bool> {
    let Some(device) = device_of(executor) else { return Ok(false) };
    // Results that fit come in pieces only where their operands do.
    let result_bytes: usize = elements.iter().map(|elements| elements.len()).sum();
    let is_large = result_bytes as u64 > device.device().info().global_memory_bytes / 4;
    if host_bytes(nodes) < min_bytes(device) && !is_large {
        return Ok(false);
    }
    let nodes = reduced(executor, device, nodes)?;
    let pieces = Pieces::of(&nodes, |storage| uploaded(executor, storage))?;
    let is_streamed = |pieces: &Pieces| pieces.row_bytes() * pieces.extent() >= min_bytes(device) || is_large;
    let Some(pieces) = pieces.filter(is_streamed) else {
        let leaves = executor.whole(nodes.clone())?;
        let mut all = nodes.iter().zip(&leaves).zip(elements);
        all.try_for_each(|((node, leaf), bytes)| executor.download_bytes(leaf, node.shape(), bytes))?;
        return Ok(true);
    };
    let row_bytes = pieces.row_bytes().max(result_bytes / pieces.extent()).max(1);
    let ranges: Vec<_> = pieces.ranges(piece_bytes(device, row_bytes * pieces.extent()) / row_bytes).collect();
    let most = ranges.iter().map(Range::len).max().unwrap_or(0);
    let results = (0..SLOTS).map(|_| results(executor, &nodes, most)).collect::<Result<Vec<_>>>()?;
    let [up, down] = copy_threads([pieces.row_bytes(), result_bytes / pieces.extent()]);
    let queues = [Queue::second(device)?, Queue::second(device)?];
    let mut rest: Vec<&mut [u8]> = elements.iter_mut().map(|elements| &mut **elements).collect();
    let (finished, to_bring) = channel();
    let to_bring = Mutex::new(to_bring);
    std::thread::scope(|scope| {
        let (returned, free) = channel();
        let to_bring = &to_bring;
        let bringers = queues.each_ref().map(|queue| {
            let returned = returned.clone();
            scope.spawn(move || bring_back(queue, down, to_bring, &returned))
        });
        drop(returned);
        let compute = || {
            let mut pipeline = Pipeline::new(executor, device, up)?;
            for (index, range) in ranges.into_iter().enumerate() {
                let slot = if index < SLOTS { index } else { free.recv().map_err(|_| missing())? };
                let parts = pipeline
                    .slot_at(slot, |slot| pieces.piece(range.clone(), |leaf, shape| slot.bring(leaf, shape)))?;
                let target = |(part, storage): (&Node, &Arc<dyn Storage>)| rows_of(storage, part.shape(), 0);
                let targets = parts.iter().zip(&results[slot]).map(target).collect();
                let bytes: Vec<usize> = parts.iter().map(|part| part.shape().len() * part.element().bytes()).collect();
                pipeline.compute(parts, targets)?;
                let done = pipeline.compute.marker()?;
                let mut to = Vec::with_capacity(rest.len());
                for (rest, bytes) in rest.iter_mut().zip(bytes) {
                    let (part, others) = std::mem::take(rest).split_at_mut(bytes);
                    *rest = others;
                    to.push(part);
                }
                if finished.send(Finished { slot, results: results[slot].clone(), done, to }).is_err() {
                    break;
                }
            }
            Ok(())
        };
        let computed = compute();
        drop(finished);
        let brought = bringers.map(|thread| thread.join().unwrap_or_else(|_| Err(missing())));
        // Without those who bring results back, computing fails, too: theirs is the reason.
        brought.into_iter().fold(Ok(()), Result::and).and(computed).map(|()| true)
    })
}

/// Memory for so many rows of each output.
fn results(executor: &ContextExecutor, nodes: &[Node], rows: usize) -> Result<Vec<Arc<dyn Storage>>> {
    let memory = |node: &Node| {
        let length = rows * node.shape().iter().skip(1).product::<usize>();
        let block = Block::new(executor.context(), node.element(), length)?;
        Ok(executor.storage(block, node.element(), length))
    };
    nodes.iter().map(memory).collect()
}

/// A piece of the results that is computed after an event.
struct Finished<'a> {
    slot: usize,
    results: Vec<Arc<dyn Storage>>,
    done: Event,
    to: Vec<&'a mut [u8]>,
}

/// The threads that copy for streams of so many bytes in both directions.
fn copy_threads(bytes: [usize; 2]) -> [CopyThreads; 2] {
    CopyThreads::of_stream(bytes, BRINGERS)
}

/// Brings pieces to the host's memory as they come.
fn bring_back(
    queue: &Queue,
    threads: CopyThreads,
    pieces: &Mutex<Receiver<Finished<'_>>>,
    free: &Sender<usize>,
) -> Result<()> {
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok(Finished { slot, results, done, to }) = next() {
        done.wait()?;
        for (storage, to) in results.iter().zip(to) {
            transfer::download_by(queue, buffer_of(storage)?, to, threads)?;
        }
        // Nobody takes it where the evaluation has ended.
        let _ = free.send(slot);
    }
    Ok(())
}

/// The expressions with the values of reductions of large operands of the host in their place.
fn reduced(executor: &ContextExecutor, device: &Arc<DeviceContext>, nodes: &[Node]) -> Result<Vec<Node>> {
    let mut nodes = nodes.to_vec();
    loop {
        let found = Reducible::find(&nodes, min_bytes(device));
        if found.is_empty() {
            return Ok(nodes);
        }
        let value = |reducible: &Reducible| Ok((reducible.node().clone(), reduced_value(executor, device, reducible)?));
        let values = found.iter().map(value).collect::<Result<Vec<_>>>()?;
        nodes = substitute(&nodes, &values);
    }
}

fn reduced_value(executor: &ContextExecutor, device: &Arc<DeviceContext>, reducible: &Reducible) -> Result<Node> {
    let (element, chunks) = (reducible.node().element(), reducible.chunks());
    let storage = executor.storage(Block::new(executor.context(), element, chunks)?, element, chunks);
    let bytes = (reducible.host_bytes() / reducible.len()).max(1) * reducible.chunk();
    let step = (piece_bytes(device, reducible.host_bytes()) / bytes).max(1);
    let mut pipeline = Pipeline::new(executor, device, copy_threads([reducible.host_bytes(), 0])[0])?;
    for first in (0..chunks).step_by(step) {
        let range = first..chunks.min(first + step);
        let part = pipeline.slot(|slot| reducible.piece(range, |leaf, shape| slot.bring(leaf, shape)))?;
        let target = rows_of(&storage, part.shape(), first);
        pipeline.compute(vec![part], vec![target])?;
    }
    let mut results = vec![0; chunks * element.bytes()];
    transfer::download(&Queue::new(device)?, buffer_of(&storage)?, &mut results)?;
    let mut rest = Vec::new();
    if let Some(node) = pipeline.slot(|slot| reducible.rest(|leaf, shape| slot.bring(leaf, shape)))? {
        rest.resize(node.shape().len() * node.element().bytes(), 0);
        pipeline.compute.wait_for_queue(&pipeline.up)?;
        let leaf = executor.whole(vec![node.clone()])?.pop().ok_or_else(missing)?;
        executor.download_bytes(&leaf, node.shape(), &mut rest)?;
    }
    Ok(reducible.value(&results, &rest))
}

/// Memory of the operands of pieces under way, and the queues that they pass.
struct Pipeline<'a> {
    executor: &'a ContextExecutor,
    compute: Queue,
    up: SecondQueue,
    threads: CopyThreads,
    slots: [Slot; SLOTS],
    next: usize,
    used: usize,
}

/// Memory of the operands of a piece.
#[derive(Default)]
struct Slot {
    operands: Vec<Arc<dyn Storage>>,
    /// The end of the piece that used it last.
    done: Option<Event>,
}

/// A slot that a piece's operands are brought to.
struct Filling<'a> {
    slot: &'a mut Slot,
    executor: &'a ContextExecutor,
    compute: &'a Queue,
    up: Staging<'a>,
    /// Storages of the operands that were staged.
    operands: Vec<Arc<dyn Storage>>,
    count: usize,
}

impl<'a> Pipeline<'a> {
    fn new(executor: &'a ContextExecutor, device: &Arc<DeviceContext>, threads: CopyThreads) -> Result<Self> {
        let (compute, up) = (Queue::new(device)?, Queue::second(device)?);
        Ok(Pipeline { executor, compute, up, threads, slots: Default::default(), next: 0, used: 0 })
    }

    /// The parts of a piece, whose operands come to the next slot.
    fn slot<R>(&mut self, piece: impl FnOnce(&mut Filling<'_>) -> Result<R>) -> Result<R> {
        self.slot_at(self.next, piece)
    }

    /// The parts of a piece, whose operands come to a slot.
    fn slot_at<R>(&mut self, index: usize, piece: impl FnOnce(&mut Filling<'_>) -> Result<R>) -> Result<R> {
        (self.used, self.next) = (index, (index + 1) % SLOTS);
        let slot = &mut self.slots[index];
        if let Some(done) = slot.done.take() {
            done.wait()?;
        }
        let (executor, compute, up) = (self.executor, &self.compute, Staging::by(&self.up, self.threads));
        let mut filling = Filling { slot, executor, compute, up, operands: Vec::new(), count: 0 };
        let parts = piece(&mut filling)?;
        // SAFETY: `operands` holds what was staged, and the slot the memory that it goes to. The expression outlives
        // the pipeline, which waits for the queue when it is dropped.
        unsafe { filling.up.send()? };
        Ok(parts)
    }

    /// Enqueues the kernels of the piece whose operands were brought last.
    fn compute(&mut self, parts: Vec<Node>, targets: Vec<Leaf>) -> Result<()> {
        self.compute.wait_for_queue(&self.up)?;
        let output = |(node, target)| Output { node, target: Some(target) };
        self.executor.assign_all(&parts.into_iter().zip(targets).map(output).collect::<Vec<_>>())?;
        self.slots[self.used].done = Some(self.compute.marker()?);
        self.compute.flush()
    }
}

impl Drop for Pipeline<'_> {
    /// Nothing is on its way to memory that goes back, also after an error.
    fn drop(&mut self) {
        let _ = self.up.finish();
    }
}

impl Filling<'_> {
    /// The elements of an operand of the host in the slot's memory.
    fn bring(&mut self, leaf: &Leaf, shape: &Shape) -> Result<Leaf> {
        let host = leaf.storage.host().ok_or_else(missing)?;
        let (first, last) = leaf.strides.span(shape).unwrap_or((0, -1));
        let (from, length) = ((leaf.offset as i128 + first) as usize, (last - first + 1) as usize);
        let elements = host.range(from..from + length);
        let storage = self.memory(elements.element(), length)?;
        self.operands.push(leaf.storage.clone());
        // SAFETY: `operands` holds the elements, and the expression after it. Nobody writes them meanwhile.
        unsafe { transfer::stage(&self.up, buffer_of(&storage)?, super::bytes_of(&elements))? };
        Ok(Leaf { storage, offset: -first as usize, strides: leaf.strides })
    }

    fn memory(&mut self, element: ElementType, length: usize) -> Result<Arc<dyn Storage>> {
        let index = self.count;
        self.count += 1;
        let fits = |storage: &&Arc<dyn Storage>| storage.element() == element && storage.len() >= length;
        if let Some(storage) = self.slot.operands.get(index).filter(fits) {
            return Ok(storage.clone());
        }
        let block = Block::new(self.executor.context(), element, length)?;
        // The block may be another array's, which commands before use.
        self.up.queue().wait_for_queue(self.compute)?;
        let storage = self.executor.storage(block, element, length);
        self.slot.operands.truncate(index);
        self.slot.operands.push(storage.clone());
        Ok(storage)
    }
}

/// The device, where it has memory of its own.
fn device_of(executor: &ContextExecutor) -> Option<&Arc<DeviceContext>> {
    executor.context().on_device().filter(|device| !device.transfers().zero_copy)
}

/// An operand of the host in memory of the device, whole.
fn uploaded(executor: &ContextExecutor, storage: &Arc<dyn Storage>) -> Result<Arc<dyn Storage>> {
    executor.upload(storage.host().ok_or_else(missing)?)
}

/// Rows of an array from one on, of the shape of a piece.
fn rows_of(storage: &Arc<dyn Storage>, piece: &Shape, first: usize) -> Leaf {
    let row: usize = piece.iter().skip(1).product();
    Leaf { storage: storage.clone(), offset: first * row, strides: Strides::row_major(piece) }
}

/// The buffer of an array of the device.
fn buffer_of(storage: &Arc<dyn Storage>) -> Result<&DeviceBuffer> {
    let any: &dyn std::any::Any = &**storage;
    match any.downcast_ref::<ArrayMemory>().map(ArrayMemory::block) {
        Some(Block::Device(buffer)) => Ok(buffer),
        _ => Err(missing()),
    }
}

fn missing() -> Error {
    Error::Internal("a piece of an expression is missing".to_owned())
}
