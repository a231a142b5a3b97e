//! Info in device memory, and results that are stored only if it is zero.

use super::{Block, DeviceSlice, Executor, THREADS};
use crate::context::{ContextParts, DeviceMemory, Workspace};
use crate::device::DeviceClass;
use crate::error::Result;
use crate::launch::Launch;
use crate::options::Diag;
use crate::program::{ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};

/// Work-items of a group that copies a column.
const COPY_THREADS: usize = 64;

/// Elements of a matrix to store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All.
    Whole,
    /// The diagonal and below.
    Lower,
    /// Below the diagonal.
    Below,
}

impl Part {
    const fn code(self) -> usize {
        match self {
            Part::Whole => 0,
            Part::Lower => 1,
            Part::Below => 2,
        }
    }
}

impl Executor<'_> {
    /// info := 0.
    pub(super) fn clear(&self, info: DeviceSlice<'_>) -> Result<()> {
        let source = ProgramSource {
            name: "lapack info",
            kind: ScalarKind::S,
            root: source("lapack/info.cl"),
            definitions: Vec::new(),
        };
        let context = self.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(self.queue, &program, "clear_info");
        launch.buffer(info.memory).index(info.offset).enqueue_step([1, 1, 1], [1, 1, 1])
    }

    /// info := 1-based index of the first zero on a diagonal of n elements, or 0; 0 for a unit diagonal.
    pub(super) fn scan<T: Scalar>(&self, n: usize, diagonal: Diag, a: Block<'_>, info: DeviceSlice<'_>) -> Result<()> {
        if n == 0 || diagonal == Diag::Unit {
            return self.clear(info);
        }
        let threads =
            if self.device.class == DeviceClass::Cpu { 1 } else { THREADS.min(self.device.max_work_group_size) };
        let definitions = vec![("THREADS", threads as i64)];
        let source = ProgramSource { name: "lapack scan", kind: T::KIND, root: source("lapack/scan.cl"), definitions };
        let context = self.queue.context();
        let program = context.program(&source)?;
        Launch::new(self.queue, &program, "scan_diagonal")
            .index(n)
            .buffer(a.memory)
            .index(a.operand.offset)
            .index(a.operand.row_stride + a.operand.column_stride)
            .buffer(info.memory)
            .index(info.offset)
            .enqueue_step([1, 1, 1], [threads, 1, 1])
    }

    /// A := X if info is 0.
    pub(super) fn commit<T: Scalar>(
        &self,
        [rows, columns]: [usize; 2],
        part: Part,
        info: DeviceSlice<'_>,
        x: Block<'_>,
        a: Block<'_>,
    ) -> Result<()> {
        let source = ProgramSource {
            name: "lapack commit",
            kind: T::KIND,
            root: source("lapack/commit.cl"),
            definitions: Vec::new(),
        };
        let context = self.queue.context();
        let program = context.program(&source)?;
        let threads =
            if self.device.class == DeviceClass::Cpu { 1 } else { COPY_THREADS.min(self.device.max_work_group_size) };
        let launch = Launch::new(self.queue, &program, "copy_if_successful").index(rows).count(part.code());
        let launch = launch.buffer(info.memory).index(info.offset);
        [x, a]
            .into_iter()
            .fold(launch, |launch, Block { memory, operand }| {
                let launch = launch.buffer(memory).index(operand.offset);
                launch.index(operand.row_stride).index(operand.column_stride)
            })
            .enqueue_step([columns, 1, 1], [threads, 1, 1])
    }

    /// Changes B (rows x columns) by work on a copy of some of its columns at a time, unless the info is not 0 then.
    pub(super) fn modify_if_info_is_zero<T: Scalar>(
        &self,
        [rows, columns]: [usize; 2],
        b: Block<'_>,
        info: DeviceSlice<'_>,
        work: impl Fn(usize, Block<'_>) -> Result<()>,
    ) -> Result<()> {
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        let column_bytes = (rows * size_of::<T>()) as u64;
        let slab = (self.limits.workspace_bytes / column_bytes).clamp(1, columns as u64) as usize;
        let memory = Workspace::borrow(self.queue, slab as u64 * column_bytes)?;
        for first in (0..columns).step_by(slab) {
            let count = slab.min(columns - first);
            let copy = Block::new(&memory as &dyn DeviceMemory, b.operand.packed(rows, count));
            let b = b.at(0, first);
            self.copy::<T>([rows, count], b, copy)?;
            work(count, copy)?;
            self.commit::<T>([rows, count], Part::Whole, info, copy, b)?;
        }
        Ok(())
    }
}
