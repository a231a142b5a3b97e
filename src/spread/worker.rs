//! One device's part of a plan: a thread that brings operands and computes, and two that bring results back.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use opencl3::event::Event as ClEvent;

use super::board::Board;
use super::plan::{Chain, Job, Plan, Step};
use super::slots::{Slots, slot_bytes};
use super::tile::Tiled;
use super::{Failure, marker, wait_for};
use crate::blas::level3::gemm::gemm_on;
use crate::blas::level3::trsm::trsm_on;
use crate::blas::level3::{hemm_on, her2k_on, herk_on, symm_on, syr2k_on, syrk_on, trmm_on};
use crate::context::{ContextParts, DeviceBuffer, DeviceContext, Queue, QueueParts};
use crate::error::{Error, Result};
use crate::options::Symmetry;
use crate::scalar::Scalar;
use crate::transfer::{CopyThreads, HostRuns, bring_back};
use crate::view::{MatrixMut, MatrixRef};

/// Computes a plan on the devices of some contexts. The result is there on return; after an error, some tiles of it may
/// be.
///
/// # Safety
/// The plan's matrices must be valid, what it reads written by nobody else, and what it writes nobody else's.
pub(crate) unsafe fn run<T: Scalar>(contexts: &[Arc<DeviceContext>], plan: Plan<T>) -> Result<()> {
    contexts.iter().try_for_each(|context| context.device().info().require(T::KIND))?;
    tracing::debug!(devices = contexts.len(), groups = plan.groups.len(), "a call on several devices");
    let board = Board::new(plan.groups, contexts.len());
    let failure = Failure::default();
    let callers = contexts.len();
    std::thread::scope(|scope| {
        for (device, context) in contexts.iter().enumerate() {
            let (board, matrices, failure) = (&board, &plan.matrices, &failure);
            scope.spawn(move || {
                let part = Part { context, matrices, board, device, failure, callers };
                let guarded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| part.run()));
                if let Err(error) = guarded.unwrap_or_else(|_| Err(ended())) {
                    tracing::debug!(device = context.device().info().name, %error, "a device failed");
                    failure.report(error);
                }
            });
        }
    });
    failure.result()
}

#[cold]
fn ended() -> Error {
    Error::Internal("a thread of a call on several devices panicked".to_owned())
}

/// A result that is computed, to be brought back.
struct Finished {
    slot: usize,
    buffer: Arc<DeviceBuffer>,
    computed: ClEvent,
    to: HostRuns,
}

/// One device's part.
struct Part<'a, T> {
    context: &'a Arc<DeviceContext>,
    matrices: &'a [Tiled<T>; 3],
    board: &'a Board<T>,
    device: usize,
    failure: &'a Failure,
    callers: usize,
}

impl<T: Scalar> Part<'_, T> {
    fn run(&self) -> Result<()> {
        let compute = Queue::new(self.context)?.unsignaled();
        let incoming = Queue::second(self.context)?;
        let outgoing = [Queue::second(self.context)?, Queue::second(self.context)?];
        let (free, freed) = channel();
        let (finished, to_bring) = channel();
        let to_bring = Mutex::new(to_bring);
        let threads = CopyThreads::shared_by(self.callers);
        let limit = self.context.transfers().operand_bytes / slot_bytes(self.matrices) as u64;
        let mut slots = Slots::new(self.matrices, [&incoming, &compute], threads, limit as usize, freed);
        let result = std::thread::scope(|scope| {
            let bringers = outgoing.each_ref().map(|queue| {
                let (queue, to_bring, free): (&Queue, _, _) = (queue, &to_bring, free.clone());
                scope.spawn(move || {
                    let brought = bring_all_back(queue, to_bring, &free, threads);
                    // Before the thread that computes notices that this one is gone.
                    brought.inspect_err(|error| self.failure.report(error.clone()))
                })
            });
            drop(free);
            let computed = self.compute(&compute, &mut slots, &finished);
            drop(finished);
            let brought = bringers.map(|bringer| bringer.join().unwrap_or_else(|_| Err(ended())));
            // Where a thread that brings results back fails, the other one only loses it.
            brought.into_iter().fold(Ok(()), Result::and).and(computed)
        });
        // The slots must not be in use any more when they go back, and neither the host's memory.
        let ends = [&*incoming, &compute, &outgoing[0], &outgoing[1]].map(Queue::finish);
        result.and(ends.into_iter().fold(Ok(()), Result::and))
    }

    fn compute(&self, queue: &Queue, slots: &mut Slots<'_, T>, finished: &Sender<Finished>) -> Result<()> {
        while let Some(chain) = self.next() {
            for job in &chain {
                if self.failure.is_there() {
                    return Ok(());
                }
                self.job(queue, slots, job, finished)?;
            }
        }
        Ok(())
    }

    fn next(&self) -> Option<Chain<T>> {
        if self.failure.is_there() { None } else { self.board.next(self.device) }
    }

    fn job(&self, queue: &Queue, slots: &mut Slots<'_, T>, job: &Job<T>, finished: &Sender<Finished>) -> Result<()> {
        // SAFETY: by the contract of `run`, the matrices are valid. A tile is written by one chain alone, which reads
        // it before.
        let target = unsafe { slots.target(job.target, job.read)? };
        for step in &job.steps {
            let [first, second] = step.operands();
            let mut operands = [target; 2];
            if let Some(tile) = first {
                // SAFETY: as above.
                operands[0] = unsafe { slots.operand(tile, &[target])? };
            }
            if let Some(tile) = second {
                // SAFETY: as above.
                operands[1] = unsafe { slots.operand(tile, &[target, operands[0]])? };
            }
            enqueue(queue, slots, step, target, operands)?;
            for slot in operands {
                slots.used(slot, marker(queue)?);
            }
        }
        let computed = marker(queue)?;
        slots.used(target, marker(queue)?);
        let (to, _) = slots.on_host(job.target)?;
        slots.returns(target, job.target, job.is_operand);
        let buffer = slots.get(target).buffer.clone();
        finished.send(Finished { slot: target, buffer, computed, to }).map_err(|_| super::lost())
    }
}

/// Enqueues a step on tiles in slots.
fn enqueue<T: Scalar>(
    queue: &Queue,
    slots: &Slots<'_, T>,
    step: &Step<T>,
    target: usize,
    operands: [usize; 2],
) -> Result<()> {
    let read = |slot: usize| {
        let slot = slots.get(slot);
        MatrixRef::from_device(&*slot.buffer, slot.shape, "a tile")
    };
    let written = slots.get(target);
    let c = MatrixMut::from_device(&*written.buffer, written.shape, "a tile")?;
    let (first, second) = (operands[0], operands[1]);
    let real = |factor: T| T::RealScalar::from_parts(factor.re(), 0.0);
    let done = match *step {
        Step::Gemm { alpha, a: (op_a, _), b: (op_b, _), beta } => {
            gemm_on(queue, op_a, op_b, alpha, read(first)?, read(second)?, beta, c)
        }
        Step::Symm { of: (side, triangle, symmetry), alpha, beta, .. } => match symmetry {
            Symmetry::Symmetric => symm_on(queue, side, triangle, alpha, read(first)?, read(second)?, beta, c),
            Symmetry::Hermitian => hemm_on(queue, side, triangle, alpha, read(first)?, read(second)?, beta, c),
        },
        Step::RankK { of: (triangle, symmetry, op), alpha, beta, .. } => match symmetry {
            Symmetry::Symmetric => syrk_on(queue, triangle, op, alpha, read(first)?, beta, c),
            Symmetry::Hermitian => herk_on(queue, triangle, op, real(alpha), read(first)?, real(beta), c),
        },
        Step::Rank2K { of: (triangle, symmetry, op), alpha, beta, .. } => match symmetry {
            Symmetry::Symmetric => syr2k_on(queue, triangle, op, alpha, read(first)?, read(second)?, beta, c),
            Symmetry::Hermitian => her2k_on(queue, triangle, op, alpha, read(first)?, read(second)?, real(beta), c),
        },
        Step::Trmm { of: (side, triangle, op, diagonal), alpha, .. } => {
            trmm_on(queue, side, triangle, op, diagonal, alpha, read(first)?, c)
        }
        Step::Trsm { of: (side, triangle, op, diagonal), alpha, .. } => {
            trsm_on(queue, side, triangle, op, diagonal, alpha, read(first)?, c)
        }
    };
    done.map(drop)
}

/// Brings finished tiles back until there are no more.
fn bring_all_back(
    queue: &Queue,
    finished: &Mutex<Receiver<Finished>>,
    free: &Sender<usize>,
    threads: CopyThreads,
) -> Result<()> {
    let next = || finished.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok(Finished { slot, buffer, computed, to }) = next() {
        wait_for(Some(computed))?;
        // SAFETY: the result is the call's alone, and nobody else has this tile of it.
        unsafe { bring_back(queue, &buffer, to, threads)? };
        // When all tiles are sent, nobody waits for a free slot.
        let _ = free.send(slot);
    }
    Ok(())
}
