//! One device's part of a factorisation: a thread that brings columns and computes, and one that brings them back.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use opencl3::event::Event as ClEvent;

use super::board::{Board, Task};
use super::memory::{Memory, PanelHere, Returned, Strip};
use super::{Cut, Method, NEEDED, Outcome};
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, PinnedChunks, Queue, QueueParts};
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::spread::{lost, marker, wait_for};
use crate::transfer::{CopyThreads, HostRuns, bring, bring_back};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, VectorRef, VectorShape};

/// Factorises a matrix of the host on the devices of some contexts.
///
/// # Safety
/// The matrix must be valid and nobody else's.
pub(super) unsafe fn run<T: Scalar, M: Method<T>>(
    contexts: &[Arc<DeviceContext>],
    cut: Cut<T>,
    method: &M,
) -> Result<Outcome<M::Number>> {
    contexts.iter().try_for_each(|context| context.device().info().require(T::KIND))?;
    tracing::debug!(devices = contexts.len(), width = cut.width, "a factorisation on several devices");
    let board = Board::new(cut.columns(), cut.panels());
    let threads = CopyThreads::shared_by(contexts.len());
    std::thread::scope(|scope| {
        for (device, context) in contexts.iter().enumerate() {
            let (board, cut) = (&board, &cut);
            scope.spawn(move || {
                let part = Part { context, cut, method, board, device, threads };
                let guarded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| part.run()));
                if let Err(error) = guarded.unwrap_or_else(|_| Err(ended())) {
                    tracing::debug!(device = context.device().info().name, %error, "a device failed");
                    board.fail(error);
                }
            });
        }
    });
    board.outcome()
}

#[cold]
fn ended() -> Error {
    Error::Internal("a thread of a factorisation on several devices panicked".to_owned())
}

/// A column to be brought back, and what the board is told when it is there.
struct Finished {
    column: usize,
    buffer: Arc<DeviceBuffer>,
    computed: ClEvent,
    to: HostRuns,
    then: Then,
}

/// Meaning of a column, once it is in the host's memory.
enum Then {
    /// A panel, with its numbers and its info on the device.
    Panel { numbers: Arc<DeviceBuffer>, info: DeviceBuffer },
    /// Complete.
    Done,
    /// To be taken by any device for the next panel.
    Applied,
}

struct Part<'a, T, M: Method<T>>
where
    T: Scalar,
{
    context: &'a Arc<DeviceContext>,
    cut: &'a Cut<T>,
    method: &'a M,
    board: &'a Board<M::Number>,
    device: usize,
    threads: CopyThreads,
}

/// The queues of the thread that computes.
#[derive(Clone, Copy)]
struct Queues<'a> {
    incoming: &'a Queue,
    compute: &'a Queue,
}

impl<T: Scalar, M: Method<T>> Part<'_, T, M> {
    fn run(&self) -> Result<()> {
        let compute = Queue::new(self.context)?.unsignaled();
        let (incoming, outgoing) = (Queue::second(self.context)?, Queue::second(self.context)?);
        let (free, freed) = channel();
        let (finished, to_bring) = channel();
        let bytes = self.cut.column_bytes();
        let limit = self.context.transfers().operand_bytes / (bytes as u64).max(1);
        let mut memory = Memory::new(&compute, bytes, limit as usize, freed);
        let queues = Queues { incoming: &incoming, compute: &compute };
        let result = std::thread::scope(|scope| {
            let outgoing = &*outgoing;
            let bringer = scope.spawn(move || {
                let brought = self.bring_all_back(outgoing, to_bring, &free);
                brought.inspect_err(|error| self.board.fail(error.clone()))
            });
            let computed = self.compute(queues, &mut memory, &finished);
            if let Err(error) = &computed {
                self.board.fail(error.clone());
            }
            drop(finished);
            bringer.join().unwrap_or_else(|_| Err(ended())).and(computed)
        });
        // The memory must not be in use any more when it goes back, and neither the host's.
        let ends = [&*incoming, &compute, &*outgoing].map(Queue::finish);
        result.and(ends.into_iter().fold(Ok(()), Result::and))
    }

    fn compute(&self, queues: Queues<'_>, memory: &mut Memory<'_>, finished: &Sender<Finished>) -> Result<()> {
        loop {
            memory.wait_for_turn()?;
            let Some(task) = self.board.next(self.device) else { return Ok(()) };
            self.task(queues, memory, task, finished)?;
        }
    }

    fn task(&self, queues: Queues<'_>, memory: &mut Memory<'_>, task: Task, finished: &Sender<Finished>) -> Result<()> {
        let panel = task.panel.map(|panel| self.panel(queues, memory, panel)).transpose()?;
        let row = task.panel.map_or(0, |panel| self.cut.first(panel));
        let strip = match memory.resident.remove(&task.column) {
            Some(strip) => strip,
            None => {
                let first_row = if M::FROM_DIAGONAL { self.cut.first(task.column) } else { row };
                self.load(queues, memory, task.column, first_row)?
            }
        };
        if let Some(PanelHere { index, strip: of_panel, numbers }) = &panel {
            let count = self.cut.pivots(*index);
            let view = VectorRef::from_device(&**numbers, VectorShape::new(count, 0, 1)?, "pivots")?;
            let skipped = row.saturating_sub(strip.first_row);
            let column = below(&strip, skipped, strip.shape.columns());
            let skipped = self.cut.first(*index) - of_panel.first_row;
            let part = below(of_panel, skipped, count);
            self.method.update(
                queues.compute,
                MatrixRef::from_device(&*of_panel.buffer, part, "a panel")?,
                view,
                MatrixMut::from_device(&*strip.buffer, column, "a column")?,
            )?;
        }
        let then = match (task.factors, task.last) {
            (true, _) => self.factor(queues, memory, task.column, &strip)?,
            (false, true) => Then::Done,
            (false, false) if memory.has_space() => {
                memory.runs(marker(queues.compute)?);
                memory.resident.insert(task.column, strip);
                self.board.applied(task.column, Some(self.device));
                return Ok(());
            }
            (false, false) => Then::Applied,
        };
        memory.runs(marker(queues.compute)?);
        let computed = marker(queues.compute)?;
        let (to, _) = self.cut.column(task.column, strip.first_row)?;
        let buffer = strip.buffer.clone();
        finished.send(Finished { column: task.column, buffer, computed, to, then }).map_err(|_| lost())
    }

    /// Factorises a column, which is a panel on this device from now on.
    fn factor(&self, queues: Queues<'_>, memory: &mut Memory<'_>, index: usize, strip: &Strip) -> Result<Then> {
        let count = self.cut.pivots(index);
        let numbers = Arc::new(DeviceBuffer::new(self.context, count * size_of::<M::Number>(), "pivots")?);
        let info = DeviceBuffer::new(self.context, size_of::<i32>(), "info")?;
        info.write(queues.compute, &[0_i32])?;
        let shape = below(strip, self.cut.first(index) - strip.first_row, strip.shape.columns());
        drop(self.method.factor(
            queues.compute,
            MatrixMut::from_device(&*strip.buffer, shape, "a panel")?,
            VectorMut::from_device(&*numbers, VectorShape::new(count, 0, 1)?, "pivots")?,
            VectorMut::from_device(&info, VectorShape::new(1, 0, 1)?, "info")?,
        )?);
        memory.add_own_panel(PanelHere { index, strip: strip.clone(), numbers: numbers.clone() });
        Ok(Then::Panel { numbers, info })
    }

    /// A panel on this device, which is brought unless it is there.
    fn panel(&self, queues: Queues<'_>, memory: &mut Memory<'_>, index: usize) -> Result<PanelHere> {
        if let Some(panel) = memory.panels.iter().find(|panel| panel.index == index) {
            return Ok(panel.clone());
        }
        let strip = self.load(queues, memory, index, self.cut.first(index))?;
        let from = self.board.numbers(index);
        let bytes = size_of_val(from.as_slice());
        let numbers = Arc::new(DeviceBuffer::new(self.context, bytes, "pivots")?);
        if bytes > 0 {
            numbers.write(queues.incoming, &from)?;
        }
        let panel = PanelHere { index, strip, numbers };
        memory.add_panel(panel.clone());
        Ok(panel)
    }

    /// Brings a column from a row on.
    fn load(&self, queues: Queues<'_>, memory: &mut Memory<'_>, column: usize, first_row: usize) -> Result<Strip> {
        let (buffer, (runs, shape)) = (memory.take()?, self.cut.column(column, first_row)?);
        // SAFETY: by the contract of `run`, the matrix is valid; the board gives a column to one device at a time, and
        // nobody writes a panel. No command uses the buffer.
        if let Some(there) = unsafe { bring(queues.incoming, &buffer, runs, self.threads)? } {
            queues.compute.wait_for(&there)?;
        }
        Ok(Strip { buffer, shape, first_row })
    }

    /// Brings columns back until there are no more, and tells the board.
    fn bring_all_back(&self, queue: &Queue, finished: Receiver<Finished>, free: &Sender<Returned>) -> Result<()> {
        while let Ok(Finished { column, buffer, computed, to, then }) = finished.recv() {
            wait_for(Some(computed))?;
            let mut panel = None;
            if let Then::Panel { numbers, info } = &then {
                let mut values = vec![M::Number::default(); self.cut.pivots(column)];
                numbers.read(queue, &mut values)?;
                let mut found = [0_i32];
                info.read(queue, &mut found)?;
                self.inform(column, found[0])?;
                panel = Some(values);
            }
            let of_panel = panel.is_some().then_some(column);
            if !self.board.has_ended() {
                // SAFETY: by the contract of `run`, the matrix is the call's alone, and the column is this device's.
                unsafe { bring_back(queue, &buffer, to, self.threads)? };
                match then {
                    Then::Applied => self.board.applied(column, None),
                    Then::Done | Then::Panel { .. } => self.board.done(column, panel),
                }
            }
            // When all columns are sent, nobody waits for free memory.
            let _ = free.send(Returned { buffer, panel: of_panel });
        }
        Ok(())
    }

    fn inform(&self, panel: usize, info: i32) -> Result<()> {
        let index = usize::try_from(info)
            .map_err(|_| Error::Internal("the host's routine panicked on the device's memory".to_owned()))?;
        if index > 0 {
            self.board.found(self.cut.first(panel) + index, M::ENDS);
        }
        Ok(())
    }
}

/// The rows of a strip below the first `skipped` ones, and its first columns.
fn below(strip: &Strip, skipped: usize, columns: usize) -> MatrixShape {
    strip.shape.block((skipped, strip.shape.rows() - skipped), (0, columns))
}

const _: () = assert!(NEEDED >= 5, "two panels, one column at work, two on their way");
