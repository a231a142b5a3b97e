//! Copies of a batch's matrices to work on, and the selection of elements that is copied back.

use super::{INDEPENDENT, Matrices};
use crate::blas::level3::batched::MatrixOffsets;
use crate::context::{ContextParts, DeviceMemory, Workspace};
use crate::device::DeviceClass;
use crate::error::Result;
use crate::lapack::{DeviceSlice, Executor};
use crate::launch::Launch;
use crate::options::Layout;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{BatchShape, MatrixShape};

/// Elements and matrices to copy.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    /// Only the diagonal and below.
    pub(super) lower: bool,
    /// Only matrices whose info is 0.
    pub(super) guard: Option<DeviceSlice<'a>>,
}

/// All of them.
pub(super) const ALL: Selection<'static> = Selection { lower: false, guard: None };

impl Executor<'_> {
    /// B := A for the selected elements of each matrix of batches.
    pub(super) fn copy_batched<T: Scalar>(
        &self,
        selection: Selection<'_>,
        a: &Matrices<'_>,
        b: &Matrices<'_>,
    ) -> Result<()> {
        let ([rows, columns], count) = (b.size(), b.count());
        if rows == 0 || columns == 0 || count == 0 {
            return Ok(());
        }
        let (from, to) = (a.operand(), b.operand());
        // On a CPU a work-item goes along the memory, on a GPU neighbouring ones do.
        let by_columns = selection.lower || (self.device.class == DeviceClass::Cpu) == (to.row_stride == 1);
        let [vectors, length] = if by_columns { [columns, rows] } else { [rows, columns] };
        let source = ProgramSource {
            name: "lapack batched copy",
            kind: T::KIND,
            root: source("lapack/batched/copy.cl"),
            definitions: Vec::new(),
        };
        let context = self.queue.context();
        let program = context.program(&source)?;
        let launch =
            Launch::new(self.queue, &program, "copy_batched").index(vectors).index(length).flag(selection.lower);
        let launch = [(a.memory, from), (b.memory, to)].into_iter().fold(launch, |launch, (memory, operand)| {
            let (vector_stride, step) = if by_columns {
                (operand.column_stride, operand.row_stride)
            } else {
                (operand.row_stride, operand.column_stride)
            };
            launch.buffer(memory).index(operand.offset).index(vector_stride).index(step)
        });
        let launch = match selection.guard {
            Some(info) => launch.flag(true).buffer(info.memory).index(info.offset),
            None => launch.flag(false).buffer(b.memory).index(0),
        };
        let offsets = MatrixOffsets::of(self.queue, count, &[&a.shape, &b.shape])?;
        let local = INDEPENDENT.min(self.device.max_work_group_size);
        offsets
            .arguments(launch, b.memory, &[0, 1])
            .enqueue_step([(vectors * count).div_ceil(local), 1, 1], [local, 1, 1])
    }

    /// Runs `work` on column-major copies of slabs of the batch, and copies the selection back. `work` gets the index
    /// of the slab's first matrix.
    pub(super) fn on_copies<'g, T: Scalar>(
        &self,
        a: &Matrices<'_>,
        (take, give): (Selection<'_>, impl Fn(usize) -> Selection<'g>),
        work: impl Fn(usize, &Matrices<'_>) -> Result<()>,
    ) -> Result<()> {
        let ([rows, columns], count) = (a.size(), a.count());
        let elements = rows * columns;
        if elements == 0 || count == 0 {
            return Ok(());
        }
        let bytes = (elements * size_of::<T>()) as u64;
        let slab = (self.limits.workspace_bytes / bytes).clamp(1, count as u64) as usize;
        let memory = Workspace::borrow(self.queue, slab as u64 * bytes)?;
        let matrix = MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows)?;
        for first in (0..count).step_by(slab) {
            let part = a.part(first, slab.min(count - first));
            let shape = BatchShape::strided(matrix, elements, part.count())?;
            let copies = Matrices { memory: &memory as &dyn DeviceMemory, shape };
            self.copy_batched::<T>(take, &part, &copies)?;
            work(first, &copies)?;
            self.copy_batched::<T>(give(first), &copies, &part)?;
        }
        Ok(())
    }
}
