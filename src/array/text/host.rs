//! Operands of texts in the host's memory.

use std::sync::Arc;

use affinimath_array::executor::{Assignment, Executor};
use affinimath_array::node::{Node, Storage};
use affinimath_array::shape::{Shape, Strides};
use affinimath_array::{AsExecutor, ElementType};

use super::super::any::{Borrowed, elements_at_mut};
use super::super::executor::ContextExecutor;
use crate::error::{Error, Result};
use crate::memory::Context;

/// An operand in the host's memory.
#[derive(Clone, Copy, Debug)]
pub struct HostOperand<'a> {
    /// The name in the text. Without one it receives the text's value.
    pub name: &'a str,
    /// The type of its elements.
    pub element: ElementType,
    /// Its shape.
    pub shape: Shape,
    /// Elements between neighbours, one for each axis.
    pub strides: Strides,
    /// The element of which all indices are 0.
    pub start: *mut u8,
}

/// The operands as memory of the host. Those that overlap are one memory, so that evaluations see it.
///
/// # Safety
/// The conditions of [`Expression::run`](super::Expression::run).
pub(super) unsafe fn leaves(operands: &[HostOperand<'_>]) -> Result<Vec<Node>> {
    struct Range {
        element: ElementType,
        start: usize,
        end: usize,
        members: Vec<usize>,
    }
    let mut ranges: Vec<Range> = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        let bytes = operand.element.bytes() as i128;
        let (first, last) = operand.strides.span(&operand.shape).unwrap_or((0, -1));
        let at = operand.start.addr() as i128;
        if operand.shape.is_empty() {
            continue;
        }
        if operand.start.is_null() || at % operand.element.part().bytes() as i128 != 0 {
            let reason = format!("{:?} has an address that is null or not aligned", operand.name);
            return Err(Error::argument("operands", reason));
        }
        let (start, end) = ((at + first * bytes) as usize, (at + (last + 1) * bytes) as usize);
        ranges.push(Range { element: operand.element, start, end, members: vec![index] });
    }
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => {
                if last.element != range.element || (range.start - last.start) % range.element.bytes() != 0 {
                    let reason = "operands that overlap have the same type, and elements at the same addresses";
                    return Err(Error::argument("operands", reason));
                }
                last.end = last.end.max(range.end);
                last.members.extend(range.members);
            }
            _ => merged.push(range),
        }
    }
    let mut leaves: Vec<Option<Node>> = vec![None; operands.len()];
    for range in merged {
        let bytes = range.element.bytes();
        let first = operands[range.members[0]].start;
        let start = first.with_addr(range.start);
        // SAFETY: this function requires valid, aligned elements of each operand, which together are the range.
        let memory = unsafe { Borrowed::new(range.element, start, (range.end - range.start) / bytes) };
        let storage: Arc<dyn Storage> = Arc::new(memory);
        for member in range.members {
            let operand = &operands[member];
            let offset = (operand.start.addr() - range.start) / bytes;
            leaves[member] = Some(Node::leaf(storage.clone(), offset, operand.shape, operand.strides));
        }
    }
    let empty = |operand: &HostOperand<'_>| {
        // SAFETY: no element is accessed.
        let memory = unsafe { Borrowed::new(operand.element, std::ptr::dangling_mut::<u128>().cast(), 0) };
        Node::contiguous(Arc::new(memory), operand.shape)
    };
    Ok(leaves.into_iter().zip(operands).map(|(leaf, operand)| leaf.unwrap_or_else(|| empty(operand))).collect())
}

/// Evaluates on a device what the host's memory receives.
///
/// # Safety
/// The targets' elements must be valid, and nobody else's.
pub(super) unsafe fn assign_from_device(context: &Context, assignments: &[Assignment]) -> Result<()> {
    let executor = context.as_executor();
    let mut results: Vec<Vec<u128>> = Vec::with_capacity(assignments.len());
    for Assignment { value, .. } in assignments {
        let bytes = value.shape().len() * value.element().bytes();
        let mut memory: Vec<u128> = Vec::new();
        let failed = |_| Error::OutOfHostMemory { bytes: bytes as u64, purpose: "results of a text" };
        memory.try_reserve_exact(bytes.div_ceil(16)).map_err(failed)?;
        memory.resize(bytes.div_ceil(16), 0);
        results.push(memory);
    }
    let outputs = assignments.iter().zip(&mut results).map(|(Assignment { value, .. }, memory)| {
        // SAFETY: the vector has as many bytes, whose alignment is that of all types.
        let elements = unsafe { elements_at_mut(value.element(), memory.as_mut_ptr().cast(), value.shape().len()) };
        (value.clone(), elements)
    });
    executor.evaluate_to_host(outputs.filter(|(value, _)| !value.shape().is_empty()).collect())?;
    let copies = assignments.iter().zip(&mut results).map(|(Assignment { target, value }, memory)| {
        // SAFETY: the vector lives until the copies are made.
        let memory = unsafe { Borrowed::new(value.element(), memory.as_mut_ptr().cast(), value.shape().len()) };
        Assignment { target: target.clone(), value: Node::contiguous(Arc::new(memory), *value.shape()) }
    });
    ContextExecutor::new(Context::host()).assign(&copies.collect::<Vec<_>>())
}
