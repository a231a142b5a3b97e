//! Operands of texts in memory objects of an application.

use std::ops::Range;
use std::sync::Arc;

use affinimath_array::ElementType;
use affinimath_array::executor::Executor;
use affinimath_array::node::{Node, Storage};
use affinimath_array::shape::{Shape, Strides};

use super::super::executor::ContextExecutor;
use super::super::memory::{ArrayMemory, Block};
use super::Expression;
use crate::context::{BufferParts, DeviceBuffer, Event, Queue, QueueParts};
use crate::error::{Error, Result};
use crate::memory::Context;

/// An operand in a device's memory.
#[derive(Clone, Copy, Debug)]
pub struct DeviceOperand<'a> {
    /// The name in the text. Without one it receives the text's value.
    pub name: &'a str,
    /// The type of its elements.
    pub element: ElementType,
    /// Its shape.
    pub shape: Shape,
    /// Elements between neighbours, one for each axis.
    pub strides: Strides,
    /// The memory object; none is needed for an operand without elements.
    pub memory: Option<&'a DeviceBuffer>,
    /// Elements of the memory object before the one of which all indices are 0.
    pub offset: usize,
}

impl Expression {
    /// Evaluates the text for operands in a device's memory: behind what is on the queue, and before what comes on it
    /// later. Operands that the text assigns are written, and the operand without a name gets its value. An error of
    /// the text changes nothing.
    ///
    /// The kernels are enqueued on a queue of the library's own, between two barriers. Nothing is copied to the host.
    /// A text with indices in arrays or with systems of equations waits for what the host decides on.
    ///
    /// Operands of one memory object may overlap, where their types are the same: each means what it held before.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`], also of a result that does not fit its operand; [`Error::MixedMemory`] of memory of
    /// another context than the queue's; [`Error::ViewTooLarge`]; errors of the evaluation.
    pub fn run_on(&self, queue: &Queue, operands: &[DeviceOperand<'_>]) -> Result<Event> {
        let context = Context::from_queue(queue);
        let leaves = leaves(queue, &context, operands)?;
        let names: Vec<&str> = operands.iter().map(|operand| operand.name).collect();
        let (written, assignments): (Vec<usize>, Vec<_>) = self.assignments(&names, &leaves, &[])?.into_iter().unzip();
        check_aliases(operands, &written)?;
        let own = Queue::new(queue.context())?;
        own.wait_for_queue(queue)?;
        let done = ContextExecutor::new(context).assign(&assignments);
        // Commands that were enqueued before an error use the operands too.
        let ordered = queue.wait_for_queue(&own);
        done.and(ordered)?;
        if queue.makes_events() { queue.marker() } else { queue.share().map(Event::Deferred) }
    }
}

/// The bytes of an operand in its memory object; `None` without elements.
fn bytes(operand: &DeviceOperand<'_>) -> Result<Option<Range<usize>>> {
    if operand.shape.is_empty() {
        return Ok(None);
    }
    let name = operand.name;
    let Some(memory) = operand.memory else {
        return Err(Error::argument("operands", format!("the memory object of {name:?} is null")));
    };
    let (first, last) = operand.strides.span(&operand.shape).unwrap_or((0, -1));
    let (first, end) = (operand.offset as i128 + first, operand.offset as i128 + last + 1);
    if first < 0 {
        let reason = format!("{name:?} begins {} elements before its memory object", -first);
        return Err(Error::argument("operands", reason));
    }
    let size = operand.element.bytes();
    let available = memory.bytes() / size;
    if end > available as i128 {
        let needed = u64::try_from(end).unwrap_or(u64::MAX);
        return Err(Error::ViewTooLarge { name: "operands", needed, available: available as u64 });
    }
    Ok(Some(first as usize * size..end as usize * size))
}

/// The operands as memory of the context. Those that overlap are one memory, so that evaluations see it.
fn leaves(queue: &Queue, context: &Context, operands: &[DeviceOperand<'_>]) -> Result<Vec<Node>> {
    struct Group<'a> {
        memory: &'a DeviceBuffer,
        element: ElementType,
        bytes: Range<usize>,
        members: Vec<usize>,
    }
    let mut ranges = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        if let (Some(bytes), Some(memory)) = (bytes(operand)?, operand.memory) {
            ranges.push(Group { memory, element: operand.element, bytes, members: vec![index] });
        }
    }
    ranges.sort_by_key(|group| (group.memory.as_raw().addr(), group.bytes.start));
    let mut groups: Vec<Group<'_>> = Vec::new();
    for range in ranges {
        match groups.last_mut() {
            Some(last) if last.memory.as_raw() == range.memory.as_raw() && range.bytes.start < last.bytes.end => {
                if last.element != range.element {
                    let reason = "operands that overlap have the same type, and elements at the same addresses";
                    return Err(Error::argument("operands", reason));
                }
                last.bytes.end = last.bytes.end.max(range.bytes.end);
                last.members.extend(range.members);
            }
            _ => groups.push(range),
        }
    }
    let mut leaves: Vec<Option<Node>> = vec![None; operands.len()];
    for Group { memory, element, members, .. } in groups {
        // SAFETY: the handle is that of a buffer, which is borrowed.
        let shared = unsafe { DeviceBuffer::from_raw(queue, memory.as_raw(), "operands")? };
        let length = memory.bytes() / element.bytes();
        let storage: Arc<dyn Storage> =
            Arc::new(ArrayMemory::new(context.clone(), element, length, Block::Device(shared)));
        for member in members {
            let DeviceOperand { offset, shape, strides, .. } = operands[member];
            leaves[member] = Some(Node::leaf(storage.clone(), offset, shape, strides));
        }
    }
    let or_empty = |(leaf, operand): (Option<Node>, &DeviceOperand<'_>)| match leaf {
        Some(leaf) => Ok(leaf),
        None => {
            let block = Block::new(context, operand.element, 0)?;
            let memory = ArrayMemory::new(context.clone(), operand.element, 0, block);
            Ok(Node::contiguous(Arc::new(memory), operand.shape))
        }
    };
    leaves.into_iter().zip(operands).map(or_empty).collect()
}

/// Refuses what is written through one memory object and accessed through another that shares its memory.
fn check_aliases(operands: &[DeviceOperand<'_>], written: &[usize]) -> Result<()> {
    let region = |operand: &DeviceOperand<'_>| -> Result<Option<(usize, usize, Range<usize>)>> {
        let (Some(bytes), Some(memory)) = (bytes(operand)?, operand.memory) else { return Ok(None) };
        let (root, origin) = memory.root()?;
        Ok(Some((memory.as_raw().addr(), root, origin + bytes.start..origin + bytes.end)))
    };
    let regions = operands.iter().map(region).collect::<Result<Vec<_>>>()?;
    for &index in written {
        let Some((memory, root, bytes)) = &regions[index] else { continue };
        let shares = |(other, other_root, range): &(usize, usize, Range<usize>)| {
            other != memory && other_root == root && range.start < bytes.end && bytes.start < range.end
        };
        if let Some(other) = regions.iter().position(|region| region.as_ref().is_some_and(shares)) {
            let (name, other) = (operands[index].name, operands[other].name);
            let reason = format!(
                "{name:?} is written, and shares memory with {other:?} in another memory object: give one for both, \
                 with offsets"
            );
            return Err(Error::argument("operands", reason));
        }
    }
    Ok(())
}
