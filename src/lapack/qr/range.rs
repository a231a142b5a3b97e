//! Columns near overflow are scaled by a power of two during the factorisation.

use std::sync::Arc;

use crate::context::{ContextParts, Workspace};
use crate::device::DeviceClass;
use crate::error::Result;
use crate::lapack::{Block, Executor, THREADS};
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;

/// A matrix whose columns are scaled where products with reflectors would overflow. A kernel finds these columns.
pub(super) struct InRange<'q> {
    is_scaled: Workspace<'q>,
    program: Arc<Program>,
    threads: usize,
}

impl<'q> InRange<'q> {
    /// Enqueues the scaling of an m x n matrix.
    pub(super) fn begin<T: Scalar>(executor: &Executor<'q>, size: [usize; 2], a: Block<'_>) -> Result<Self> {
        let threads = match executor.device.class {
            DeviceClass::Cpu => 1,
            _ => THREADS.min(executor.device.max_work_group_size),
        };
        let definitions = vec![("THREADS", threads as i64)];
        let source =
            ProgramSource { name: "qr range", kind: T::KIND, root: source("lapack/qr/range_columns.cl"), definitions };
        let context = executor.queue.context();
        let program = context.program(&source)?;
        let is_scaled = Workspace::borrow(executor.queue, (size[1] * size_of::<i32>()) as u64)?;
        let range = InRange { is_scaled, program, threads };
        range.enqueue(executor, "qr_scale_into_range", size, a)?;
        Ok(range)
    }

    /// Enqueues the scaling of R's columns back.
    pub(super) fn finish(self, executor: &Executor<'_>, size: [usize; 2], a: Block<'_>) -> Result<()> {
        self.enqueue(executor, "qr_scale_back", size, a)
    }

    fn enqueue(
        &self,
        executor: &Executor<'_>,
        kernel: &'static str,
        [rows, columns]: [usize; 2],
        a: Block<'_>,
    ) -> Result<()> {
        Launch::new(executor.queue, &self.program, kernel)
            .index(rows)
            .buffer(a.memory)
            .index(a.operand.offset)
            .index(a.operand.row_stride)
            .index(a.operand.column_stride)
            .workspace(&self.is_scaled)
            .enqueue_step([columns, 1, 1], [self.threads, 1, 1])
    }
}
