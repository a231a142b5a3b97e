//! Offsets of the matrices of a batch, as kernel arguments.

use std::sync::Arc;

use crate::context::{BufferParts, DeviceBuffer, DeviceMemory, Queue};
use crate::error::Result;
use crate::launch::Launch;
use crate::view::{BatchShape, Spacing};

/// First elements of the matrices in each operand of a call, relative to the operand's offset.
pub(crate) struct MatrixOffsets<'a> {
    count: usize,
    /// For each operand.
    spacing: Vec<Spacing<'a>>,
    /// Each operand's row in `offsets`.
    numbers: Vec<usize>,
    /// Offsets of all operands, one row each; `None` if every operand has a stride.
    offsets: Option<Arc<DeviceBuffer>>,
}

impl<'a> MatrixOffsets<'a> {
    /// Offsets of batches of `count` matrices each.
    pub(crate) fn of(queue: &Queue, count: usize, shapes: &[&BatchShape<'a>]) -> Result<Self> {
        let spacing: Vec<_> = shapes.iter().map(|shape| shape.spacing()).collect();
        let strided = spacing.iter().all(|spacing| matches!(spacing, Spacing::Stride(_)));
        let offsets = if strided || count == 0 {
            None
        } else {
            let all: Vec<i64> = shapes.iter().flat_map(|shape| (0..count).map(|i| shape.offset_of(i) as i64)).collect();
            Some(Arc::new(DeviceBuffer::of_indices(queue.context(), &all)?))
        };
        Ok(MatrixOffsets { count, numbers: (0..spacing.len()).collect(), spacing, offsets })
    }

    /// Matrices at strides, for the library's own batches.
    pub(crate) fn strided(count: usize, strides: &[usize]) -> Self {
        let spacing = strides.iter().map(|&stride| Spacing::Stride(stride)).collect();
        MatrixOffsets { count, spacing, numbers: (0..strides.len()).collect(), offsets: None }
    }

    /// Offsets of a selection of operands in another order. The buffer stays, and `numbers` selects its rows.
    pub(crate) fn reordered<'p>(&'p self, operands: &[usize]) -> MatrixOffsets<'p>
    where
        'a: 'p,
    {
        MatrixOffsets {
            count: self.count,
            spacing: operands.iter().map(|&operand| self.spacing[operand]).collect(),
            numbers: operands.iter().map(|&operand| self.numbers[operand]).collect(),
            offsets: self.offsets.clone(),
        }
    }

    /// Number of matrices in a batch.
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// Offset of matrix i relative to its operand's offset.
    pub(crate) fn offset_of(&self, operand: usize, i: usize) -> usize {
        match self.spacing[operand] {
            Spacing::Stride(stride) => i * stride,
            Spacing::Offsets(offsets) => offsets[i] as usize,
        }
    }

    /// Offsets, and strides of the operands in the kernel's order, as arguments. Without offsets, `any` memory takes
    /// their argument.
    pub(crate) fn arguments<'l>(&self, launch: Launch<'l>, any: &dyn DeviceMemory, operands: &[usize]) -> Launch<'l> {
        let launch = launch.index(self.count).flag(self.offsets.is_some());
        let mut launch = match &self.offsets {
            Some(offsets) => launch.buffer(offsets.as_ref()),
            None => launch.buffer(any),
        };
        // With offsets, the kernel selects an operand's row by its number.
        for &operand in operands {
            launch = match (&self.offsets, self.spacing[operand]) {
                (None, Spacing::Stride(stride)) => launch.index(stride),
                _ => launch.index(self.numbers[operand]),
            };
        }
        launch
    }
}
