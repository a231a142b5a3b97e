//! gemm of the host's matrices on a device in parts: what does not fit on the device at once ([`tiles`]), and what is
//! so large that transfers and arithmetic should overlap ([`stages`]).
//!
//! One queue brings operands to the device, one computes, and two threads with queues of their own bring finished parts
//! of C back, so that the bus works in both directions while the device computes: while one copies what has come, the
//! other one's part is on its way. No memory object is used by two queues without an event between them.

mod stages;
mod tiles;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use opencl3::event::Event as ClEvent;

use super::{CopyThreads, HostRuns, Span, block, chunks};
use crate::blas::level3::gemm::gemm_on;
use crate::context::{
    BufferParts, DeviceBuffer, DeviceContext, Event, PinnedChunks, Queue, QueueParts, TransferLimits,
};
use crate::error::{Error, Result};
use crate::options::Op;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape};
pub(crate) use stages::StagePlan;
pub(crate) use tiles::TilePlan;

/// Parts are cut at multiples of this, where they are larger: what kernels like.
const GRAIN: usize = 128;

fn grain(size: usize) -> usize {
    if size >= GRAIN { size.next_multiple_of(GRAIN) } else { size }
}

/// How a product is cut: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProductPlan {
    /// It does not fit.
    Tiles(TilePlan),
    /// It does, and is large.
    Stages(StagePlan),
}

impl ProductPlan {
    /// The plan for an m x n x k product of elements of so many bytes; `None` when it should be done in one piece.
    pub(crate) fn choose([m, n, k]: [usize; 3], element: usize, limits: &TransferLimits) -> Option<Self> {
        if limits.zero_copy || m == 0 || n == 0 || k == 0 {
            return None;
        }
        let bytes = |rows: usize, columns: usize| rows as u64 * columns as u64 * element as u64;
        let matrices = [bytes(m, k), bytes(k, n), bytes(m, n)];
        let all: u64 = matrices.iter().sum();
        match limits.hold(&matrices) {
            true if all < limits.overlapped_from => None,
            true => Some(ProductPlan::Stages(StagePlan::choose([m, n, k]))),
            false => Some(ProductPlan::Tiles(TilePlan::choose([m, n, k], element, limits))),
        }
    }
}

/// A part of C that is computed, to be brought back.
struct Finished {
    target: usize,
    computed: ClEvent,
    to: HostRuns,
}

/// A product of matrices in the host's memory.
pub(crate) struct Product<'a, T> {
    pub(crate) ops: [Op; 2],
    pub(crate) alpha: T,
    pub(crate) a: MatrixRef<'a, T>,
    pub(crate) b: MatrixRef<'a, T>,
    pub(crate) beta: T,
    pub(crate) c: MatrixMut<'a, T>,
    /// Starts of the three matrices in host memory.
    pub(crate) starts: [*mut T; 3],
}

/// The device's memory for a product in parts.
struct ProductWorkspace {
    a: Vec<DeviceBuffer>,
    b: Vec<DeviceBuffer>,
    c: Vec<DeviceBuffer>,
}

impl ProductWorkspace {
    /// Memory objects of so many bytes each. What other queues do with them has to end before they are dropped.
    fn new(queue: &Queue, bytes: [Vec<u64>; 3]) -> Result<Self> {
        let several = |bytes: Vec<u64>| {
            let one = |bytes: u64| DeviceBuffer::for_operand(queue, bytes as usize, "a part of a product");
            bytes.into_iter().map(one).collect::<Result<_>>()
        };
        let [a, b, c] = bytes;
        Ok(ProductWorkspace { a: several(a)?, b: several(b)?, c: several(c)? })
    }
}

impl<T: Scalar> Product<'_, T> {
    fn depth(&self) -> usize {
        if self.ops[0].transposes() { self.a.rows() } else { self.a.columns() }
    }

    /// Computes C. It is there on return; after an error, some parts of it may be.
    ///
    /// # Safety
    /// The starts must be those of the views, in the host's memory.
    pub(crate) unsafe fn run(&self, context: &Arc<DeviceContext>, plan: &ProductPlan) -> Result<()> {
        tracing::debug!(?plan, "gemm in parts");
        let size = [self.c.rows(), self.c.columns(), self.depth()];
        let compute = Queue::new(context)?;
        let workspace = ProductWorkspace::new(
            &compute,
            match plan {
                ProductPlan::Tiles(plan) => plan.workspace(size, size_of::<T>()),
                ProductPlan::Stages(plan) => plan.workspace(size, size_of::<T>(), self.c.shape().layout()),
            },
        )?;
        let incoming = Queue::second(context)?;
        let outgoing = [Queue::second(context)?, Queue::second(context)?];
        let queues = Queues { incoming: &incoming, compute: &compute };
        let (free, freed) = channel();
        let (finished, to_bring) = channel();
        for target in 0..workspace.c.len() {
            free.send(target).map_err(|_| lost())?;
        }
        let to_bring = Mutex::new(to_bring);
        let result = std::thread::scope(|scope| {
            let bringers = outgoing.each_ref().map(|queue| {
                let (workspace, to_bring, free) = (&workspace, &to_bring, free.clone());
                scope.spawn(move || bring_back(queue, workspace, to_bring, &free))
            });
            drop(free);
            let sent = match plan {
                ProductPlan::Tiles(plan) => self.compute_tiles(plan, &queues, &workspace, &freed, finished),
                ProductPlan::Stages(plan) => self.compute_stages(plan, &queues, &workspace, finished),
            };
            let brought = bringers.map(|bringer| {
                bringer.join().unwrap_or_else(|_| Err(Error::Internal("a thread for transfers ended".into())))
            });
            brought.into_iter().fold(Ok(()), Result::and).and(sent)
        });
        if result.is_err() {
            // The first error is the one to report; the memory must not be in use any more.
            let _ = [&*incoming, &compute, &outgoing[0], &outgoing[1]].map(Queue::finish);
        }
        result
    }

    /// Brings a block of op(A), which is 0, or of op(B), which is 1, unless it is there, and lets the computation wait
    /// for it.
    fn operand(
        &self,
        queues: &Queues<'_>,
        which: usize,
        buffer: &DeviceBuffer,
        (rows, columns): (Span, Span),
        bring: bool,
    ) -> Result<MatrixShape> {
        let shape = if which == 0 { self.a.shape() } else { self.b.shape() };
        let (rows, columns) = if self.ops[which].transposes() { (columns, rows) } else { (rows, columns) };
        let (runs, on_device) = block(self.starts[which], shape, rows, columns)?;
        if bring {
            // SAFETY: the view holds the block, and lives until the product is done.
            unsafe { queues.bring(buffer, runs)? };
        }
        Ok(on_device)
    }

    /// The part of C in the host's memory, and its shape on the device, where its old elements are brought if they are
    /// needed.
    fn part_of_c(
        &self,
        queues: &Queues<'_>,
        buffer: &DeviceBuffer,
        (rows, columns): (Span, Span),
    ) -> Result<(HostRuns, MatrixShape)> {
        let (runs, shape) = block(self.starts[2], self.c.shape(), rows, columns)?;
        if self.beta != T::ZERO {
            // SAFETY: C's view is exclusive, and the part is brought back only later.
            unsafe { queues.bring(buffer, runs)? };
        }
        Ok((runs, shape))
    }

    /// Enqueues C := alpha op(A) op(B) + beta C for parts on the device.
    fn multiply(
        &self,
        queue: &Queue,
        a: (&DeviceBuffer, MatrixShape),
        b: (&DeviceBuffer, MatrixShape),
        beta: T,
        c: (&DeviceBuffer, MatrixShape),
    ) -> Result<()> {
        let a = MatrixRef::from_device(a.0, a.1, "A")?;
        let b = MatrixRef::from_device(b.0, b.1, "B")?;
        let c = MatrixMut::from_device(c.0, c.1, "C")?;
        gemm_on(queue, self.ops[0], self.ops[1], self.alpha, a, b, beta, c).map(drop)
    }
}

/// The queues of the thread that computes.
struct Queues<'a> {
    incoming: &'a Queue,
    compute: &'a Queue,
}

impl Queues<'_> {
    /// Brings a block, and lets the computation wait for it.
    ///
    /// # Safety
    /// The conditions of [`chunks::upload`]; no command may use the buffer any more.
    unsafe fn bring(&self, buffer: &DeviceBuffer, runs: HostRuns) -> Result<()> {
        // SAFETY: by contract, the runs are valid, and no command uses the buffer.
        match unsafe { chunks::upload(self.incoming, buffer, runs, CopyThreads::default())? } {
            Some(there) => self.compute.wait_for(&there),
            None => Ok(()),
        }
    }
}

/// Brings finished tiles back until there are no more.
fn bring_back(
    queue: &Queue,
    workspace: &ProductWorkspace,
    finished: &Mutex<Receiver<Finished>>,
    free: &Sender<usize>,
) -> Result<()> {
    let next = || finished.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok(Finished { target, computed, to }) = next() {
        wait_for(Some(computed))?;
        // SAFETY: C's view is exclusive, and nobody else has this tile of it.
        unsafe { chunks::download(queue, &workspace.c[target], to, CopyThreads::default())? };
        // When all tiles are sent, nobody waits for a free place.
        let _ = free.send(target);
    }
    Ok(())
}

/// An event for everything enqueued so far, which is handed to the device.
fn marker(queue: &Queue) -> Result<ClEvent> {
    let event = queue.mark()?;
    queue.flush()?;
    Ok(event)
}

fn wait_for(event: Option<ClEvent>) -> Result<()> {
    event.map_or(Ok(()), |event| Event::Pending(event).wait())
}

fn wait_all(events: &mut [Option<ClEvent>]) -> Result<()> {
    events.iter_mut().try_for_each(|event| wait_for(event.take()))
}

/// The other thread has ended: its error is the one to report.
#[cold]
fn lost() -> Error {
    Error::Internal("the other thread of a product in parts has ended".to_owned())
}
