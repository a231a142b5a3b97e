//! gemm of the host's matrices in tiles: what does not fit on the device at once, and what is so large that transfers
//! and arithmetic should overlap.
//!
//! C is computed in tiles of some rows and columns, in steps over the depth. One queue brings operands to the device, one
//! computes, and a thread with a queue of its own brings finished tiles back, so that the bus works in both directions
//! while the device computes.

use std::sync::mpsc::{Receiver, Sender, channel};

use opencl3::event::Event as ClEvent;

use super::Runs;
use super::pieces::{self, HostRuns};
use crate::blas::level3::gemm::gemm_on;
use crate::context::{DeviceBuffer, DeviceContext, Event, Queue, TransferLimits};
use crate::error::{Error, Result};
use crate::options::Op;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape};

/// How a product is cut: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TilePlan {
    /// Rows of A and C on the device at a time.
    pub(crate) rows: usize,
    /// Columns of B and C.
    pub(crate) columns: usize,
    /// Length of the sums in one step: the whole, unless A's rows are too long for the device.
    pub(crate) depth: usize,
}

/// Tiles of C on the device, and pairs of operands that are brought while others are used.
const TARGETS: usize = 3;
const OPERANDS: usize = 2;
/// Tiles are cut at multiples of this, where they are larger: what kernels like.
const GRAIN: usize = 128;
/// Slabs into which a product that fits is cut, so that its parts overlap.
const SLABS: usize = 12;

impl TilePlan {
    /// The plan for an m x n x k product of elements of so many bytes; `None` when it should be done in one piece.
    pub(crate) fn choose([m, n, k]: [usize; 3], element: usize, limits: &TransferLimits) -> Option<Self> {
        if limits.zero_copy || m == 0 || n == 0 || k == 0 {
            return None;
        }
        let bytes = |rows: usize, columns: usize| rows as u64 * columns as u64 * element as u64;
        let all = bytes(m, k) + bytes(k, n) + bytes(m, n);
        let largest = bytes(m, k).max(bytes(k, n)).max(bytes(m, n));
        let fits = all <= limits.operand_bytes && largest <= limits.matrix_bytes;
        if fits && all < limits.overlapped_from {
            return None;
        }
        let mut plan = TilePlan { rows: m, columns: grain(n.div_ceil(SLABS)).min(n), depth: k };
        // Halve what takes most until it fits. A that stays is worth most: it is brought once.
        while !plan.fits(element, k, limits) {
            let TilePlan { rows, columns, depth } = plan;
            plan = if columns > rows.min(4 * GRAIN) && columns > 1 {
                TilePlan { columns: smaller(columns), ..plan }
            } else if rows >= depth.min(4 * GRAIN) && rows > 1 {
                TilePlan { rows: smaller(rows), ..plan }
            } else if depth > 1 {
                TilePlan { depth: smaller(depth), ..plan }
            } else if rows > 1 || columns > 1 {
                TilePlan { rows: smaller(rows), columns: smaller(columns), ..plan }
            } else {
                return Some(plan); // Nothing is smaller: the device will say what it lacks.
            };
        }
        Some(plan)
    }

    fn fits(&self, element: usize, k: usize, limits: &TransferLimits) -> bool {
        let (a, b, c) = self.matrices(element);
        let copies_of_a = if self.depth == k { 1 } else { OPERANDS as u64 };
        let all = copies_of_a * a + OPERANDS.max(TARGETS) as u64 * b + TARGETS as u64 * c;
        all <= limits.operand_bytes && a.max(b).max(c) <= limits.matrix_bytes
    }

    fn matrices(&self, element: usize) -> (u64, u64, u64) {
        let bytes = |rows: usize, columns: usize| rows as u64 * columns as u64 * element as u64;
        (bytes(self.rows, self.depth), bytes(self.depth, self.columns), bytes(self.rows, self.columns))
    }
}

/// About half, at a multiple of the grain.
fn smaller(size: usize) -> usize {
    let half = size.div_ceil(2);
    if half >= GRAIN { grain(half).min(size - 1) } else { half }
}

fn grain(size: usize) -> usize {
    if size >= GRAIN { size.next_multiple_of(GRAIN) } else { size }
}

/// A block of the host's matrix, and its shape when it lies alone on the device.
fn block<T: Scalar>(
    start: *mut T,
    shape: &MatrixShape,
    (row, rows): (usize, usize),
    (column, columns): (usize, usize),
) -> Result<(HostRuns, MatrixShape)> {
    let (row_stride, column_stride) = shape.strides();
    let offset = shape.offset() + row * row_stride + column * column_stride;
    let part = MatrixShape::new(shape.layout(), rows, columns, offset, shape.leading_dimension())?;
    let runs = Runs::of(&part);
    let device = MatrixShape::new(shape.layout(), rows, columns, 0, runs.length.max(1))?;
    Ok((runs.on_host(start.wrapping_add(offset)), device))
}

/// A tile of C that is computed, to be brought back.
struct Finished {
    target: usize,
    computed: ClEvent,
    to: HostRuns,
}

/// A product in tiles.
pub(crate) struct Tiles<'a, T> {
    pub(crate) ops: [Op; 2],
    pub(crate) alpha: T,
    pub(crate) a: MatrixRef<'a, T>,
    pub(crate) b: MatrixRef<'a, T>,
    pub(crate) beta: T,
    pub(crate) c: MatrixMut<'a, T>,
    /// Where the three begin in the host's memory.
    pub(crate) starts: [*mut T; 3],
    pub(crate) plan: TilePlan,
}

/// The device's memory for a product in tiles.
struct Room {
    a: Vec<DeviceBuffer>,
    b: Vec<DeviceBuffer>,
    c: Vec<DeviceBuffer>,
}

impl Room {
    fn new(context: &std::sync::Arc<DeviceContext>, plan: &TilePlan, k: usize, element: usize) -> Result<Self> {
        let (a, b, c) = plan.matrices(element);
        let several = |count: usize, bytes: u64| {
            (0..count).map(|_| DeviceBuffer::new(context, bytes as usize, "a tile of a product")).collect::<Result<_>>()
        };
        let copies_of_a = if plan.depth == k { 1 } else { OPERANDS };
        Ok(Room { a: several(copies_of_a, a)?, b: several(OPERANDS, b)?, c: several(TARGETS, c)? })
    }
}

impl<T: Scalar> Tiles<'_, T> {
    /// Computes C. It is there on return; after an error, some tiles of it may be.
    ///
    /// # Safety
    /// The starts must be those of the views, in the host's memory.
    pub(crate) unsafe fn run(&self, context: &std::sync::Arc<DeviceContext>) -> Result<()> {
        let k = if self.ops[0].transposes() { self.a.rows() } else { self.a.columns() };
        let room = Room::new(context, &self.plan, k, size_of::<T>())?;
        let [incoming, outgoing] = [Queue::beside(context)?, Queue::beside(context)?];
        let compute = Queue::of(context)?;
        tracing::debug!(plan = ?self.plan, "gemm in tiles");
        let (free, freed) = channel();
        let (finished, to_bring) = channel();
        for target in 0..TARGETS {
            free.send(target).map_err(|_| lost())?;
        }
        let result = std::thread::scope(|scope| {
            let bringer = scope.spawn(|| bring_back(&outgoing, &room, to_bring, free));
            let sent = self.compute(&Queues { incoming: &incoming, compute: &compute }, &room, k, &freed, finished);
            let brought =
                bringer.join().unwrap_or_else(|_| Err(Error::Internal("a thread for transfers ended".into())));
            brought.and(sent)
        });
        if result.is_err() {
            // The first error is the one to report; the memory must not be in use any more.
            let _ = incoming.finish().and(compute.finish()).and(outgoing.finish());
        }
        result
    }

    /// Brings operands and computes tile by tile. Dropping `finished` ends the thread that brings them back.
    fn compute(
        &self,
        queues: &Queues<'_>,
        room: &Room,
        k: usize,
        freed: &Receiver<usize>,
        finished: Sender<Finished>,
    ) -> Result<()> {
        let (m, n, plan) = (self.c.rows(), self.c.columns(), &self.plan);
        let whole = plan.depth == k;
        let mut used: Vec<Option<ClEvent>> = (0..OPERANDS).map(|_| None).collect();
        let mut step = 0;
        for row in (0..m).step_by(plan.rows) {
            let rows = (row, plan.rows.min(m - row));
            for column in (0..n).step_by(plan.columns) {
                let columns = (column, plan.columns.min(n - column));
                let target = freed.recv().map_err(|_| lost())?;
                let (to, c_shape) = block(self.starts[2], &self.c.shape, rows, columns)?;
                if self.beta != T::ZERO {
                    // SAFETY: C's view is exclusive, and the tile is brought back only later.
                    unsafe { queues.bring(&room.c[target], to)? };
                }
                for inner in (0..k).step_by(plan.depth) {
                    let depth = (inner, plan.depth.min(k - inner));
                    let slot = step % OPERANDS;
                    if whole && column == 0 {
                        // The rows of A change: nothing may still read the old ones.
                        wait_all(&mut used)?;
                    }
                    wait_for(used[slot].take())?;
                    let a_buffer = &room.a[if whole { 0 } else { slot }];
                    let a_shape = self.operand(queues, 0, a_buffer, (rows, depth), !whole || column == 0)?;
                    let b_shape = self.operand(queues, 1, &room.b[slot], (depth, columns), true)?;
                    let beta = if inner == 0 { self.beta } else { T::ONE };
                    let c = MatrixMut::from_device(&room.c[target], c_shape, "C")?;
                    let a = MatrixRef::from_device(a_buffer, a_shape, "A")?;
                    let b = MatrixRef::from_device(&room.b[slot], b_shape, "B")?;
                    let _ = gemm_on(queues.compute, self.ops[0], self.ops[1], self.alpha, a, b, beta, c)?;
                    used[slot] = Some(marker(queues.compute)?);
                    step += 1;
                }
                let computed = marker(queues.compute)?;
                finished.send(Finished { target, computed, to }).map_err(|_| lost())?;
            }
        }
        Ok(())
    }

    /// Brings a block of op(A) or op(B), unless it is there, and lets the computation wait for it.
    fn operand(
        &self,
        queues: &Queues<'_>,
        which: usize,
        buffer: &DeviceBuffer,
        (rows, columns): ((usize, usize), (usize, usize)),
        bring: bool,
    ) -> Result<MatrixShape> {
        let shape = if which == 0 { &self.a.shape } else { &self.b.shape };
        let (rows, columns) = if self.ops[which].transposes() { (columns, rows) } else { (rows, columns) };
        let (runs, on_device) = block(self.starts[which], shape, rows, columns)?;
        if bring {
            // SAFETY: the view holds the block, and lives until the product is done.
            unsafe { queues.bring(buffer, runs)? };
        }
        Ok(on_device)
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
    /// As [`pieces::upload`]; nothing may use the buffer any more.
    unsafe fn bring(&self, buffer: &DeviceBuffer, runs: HostRuns) -> Result<()> {
        // SAFETY: the caller vouches for both.
        match unsafe { pieces::upload(self.incoming, buffer, runs)? } {
            Some(there) => self.compute.wait_for(&there),
            None => Ok(()),
        }
    }
}

/// Brings finished tiles back until there are no more.
fn bring_back(queue: &Queue, room: &Room, finished: Receiver<Finished>, free: Sender<usize>) -> Result<()> {
    for Finished { target, computed, to } in finished {
        wait_for(Some(computed))?;
        // SAFETY: C's view is exclusive, and nobody else has this tile of it.
        unsafe { pieces::download(queue, &room.c[target], to)? };
        // When all tiles are sent, nobody waits for a free place.
        let _ = free.send(target);
    }
    Ok(())
}

/// An event for everything enqueued so far, which is handed to the device.
fn marker(queue: &Queue) -> Result<ClEvent> {
    let event = match queue.marker()? {
        Event::Pending(event) => event,
        Event::Complete => return Err(Error::Internal("a marker without an event".to_owned())),
    };
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
    Error::Internal("the other thread of a product in tiles has ended".to_owned())
}
