//! Where the matrices of a batch begin, as the kernels take it.

use std::sync::Arc;

use crate::context::{BufferParts, DeviceBuffer, DeviceMemory, Queue};
use crate::error::Result;
use crate::launch::Launch;
use crate::view::{BatchShape, Spacing};

/// Where the matrices of each of a call's operands begin, behind the operand's offset.
pub(crate) struct Places<'a> {
    count: usize,
    /// For each operand.
    spacing: Vec<Spacing<'a>>,
    /// Each operand's number among the offsets.
    numbers: Vec<usize>,
    /// All operands' offsets, one operand after the other, where one of them has offsets.
    offsets: Option<Arc<DeviceBuffer>>,
}

impl<'a> Places<'a> {
    /// The places of batches of `count` matrices each.
    pub(crate) fn of(queue: &Queue, count: usize, shapes: &[&BatchShape<'a>]) -> Result<Self> {
        let spacing: Vec<_> = shapes.iter().map(|shape| shape.spacing()).collect();
        let strided = spacing.iter().all(|spacing| matches!(spacing, Spacing::Stride(_)));
        let offsets = if strided || count == 0 {
            None
        } else {
            let all: Vec<i64> = shapes.iter().flat_map(|shape| (0..count).map(|i| shape.offset_of(i) as i64)).collect();
            Some(Arc::new(DeviceBuffer::of_indices(queue.context(), &all)?))
        };
        Ok(Places { count, numbers: (0..spacing.len()).collect(), spacing, offsets })
    }

    /// Matrices at strides, for the library's own batches.
    pub(crate) fn strided(count: usize, strides: &[usize]) -> Self {
        let spacing = strides.iter().map(|&stride| Spacing::Stride(stride)).collect();
        Places { count, spacing, numbers: (0..strides.len()).collect(), offsets: None }
    }

    /// The places of some of the operands, in another order. Offsets stay where they are, and are found by the operands'
    /// numbers.
    pub(crate) fn reordered<'p>(&'p self, operands: &[usize]) -> Places<'p>
    where
        'a: 'p,
    {
        Places {
            count: self.count,
            spacing: operands.iter().map(|&operand| self.spacing[operand]).collect(),
            numbers: operands.iter().map(|&operand| self.numbers[operand]).collect(),
            offsets: self.offsets.clone(),
        }
    }

    /// How many matrices a batch has.
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// How far behind its operand's offset matrix i begins.
    pub(crate) fn place(&self, operand: usize, i: usize) -> usize {
        match self.spacing[operand] {
            Spacing::Stride(stride) => i * stride,
            Spacing::Offsets(offsets) => offsets[i] as usize,
        }
    }

    /// The kernels' arguments: the offsets, and the strides of the operands in the kernel's order. Without offsets any memory
    /// stands in for them.
    pub(crate) fn arguments<'l>(&self, launch: Launch<'l>, any: &dyn DeviceMemory, operands: &[usize]) -> Launch<'l> {
        let launch = launch.index(self.count).flag(self.offsets.is_some());
        let mut launch = match &self.offsets {
            Some(offsets) => launch.buffer(offsets.as_ref()),
            None => launch.buffer(any),
        };
        // With offsets, a place in the kernel is found by the operand's number among them.
        for &operand in operands {
            launch = match (&self.offsets, self.spacing[operand]) {
                (None, Spacing::Stride(stride)) => launch.index(stride),
                _ => launch.index(self.numbers[operand]),
            };
        }
        launch
    }
}
