//! Large transfers through pinned pieces, which several threads of the host fill or empty: while the device has one
//! piece of a thread, the thread copies its other one.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use opencl3::command_queue::{enqueue_read_buffer, enqueue_write_buffer};
use opencl3::event::Event as ClEvent;
use opencl3::types::{CL_FALSE, cl_mem};
use rayon::prelude::*;

use crate::context::{
    Chunk, ContextParts, DeviceBuffer, DeviceMemory, PinnedChunks, Queue, QueueParts, wait_for_event,
};
use crate::error::Result;
use crate::status::check;

/// Runs of contiguous bytes of a matrix in host memory. On the device the runs are adjacent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostRuns {
    pub(crate) start: *mut u8,
    pub(crate) count: usize,
    /// Bytes of a run, not 0, and between the starts of neighbours.
    pub(crate) length: usize,
    pub(crate) pitch: usize,
}

// SAFETY: an address and numbers: the memory is accessed by unsafe functions alone, which state its validity.
unsafe impl Send for HostRuns {}
// SAFETY: as above.
unsafe impl Sync for HostRuns {}

/// Pieces that a thread keeps on their way: while the device has one, the thread copies the other. They are its own
/// during a transfer, and stay in its cache.
const IN_FLIGHT: usize = 2;
/// Bytes of a piece, at least, where there are so many: to hand one to a device takes a thread microseconds.
const SMALLEST_PIECE: usize = 512 << 10;
/// Pieces of a transfer that are all on their way at once, at most: a quarter of those that a context keeps.
const AT_ONCE: usize = 16;
/// Bytes below which one thread copies.
const ONE_THREAD: usize = 512 << 10;

impl HostRuns {
    /// All bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.count * self.length
    }

    /// The segments of the host's memory that are bytes `from..to` of the matrix, each with its place after `from`.
    fn segments(self, from: usize, to: usize) -> impl Iterator<Item = (*mut u8, usize, usize)> {
        let mut at = from;
        std::iter::from_fn(move || {
            if at >= to {
                return None;
            }
            // Without gaps, all is one run.
            let (run, inside) = if self.pitch == self.length { (0, at) } else { (at / self.length, at % self.length) };
            let left = if self.pitch == self.length { to - at } else { self.length - inside };
            let bytes = left.min(to - at);
            let segment = (self.start.wrapping_add(run * self.pitch + inside), at - from, bytes);
            at += bytes;
            Some(segment)
        })
    }

    /// Copies bytes `from..to` to or from `chunk`, by several threads where it pays.
    ///
    /// # Safety
    /// The conditions of [`HostRuns::copy`].
    pub(crate) unsafe fn copy_by_threads(self, from: usize, to: usize, chunk: *mut u8, into_piece: bool) {
        let threads = if to - from < ONE_THREAD { 1 } else { crate::threads::available() };
        let share = (to - from).div_ceil(threads);
        let chunk = Shared(chunk);
        let part = |index: usize| {
            let chunk = &chunk;
            let (begin, end) = (from + index * share, to.min(from + (index + 1) * share));
            // SAFETY: by contract, the runs are valid, and `chunk` holds `to - from` bytes; parts are disjoint.
            unsafe { self.copy(begin, end, chunk.0.wrapping_add(begin - from), into_piece) };
        };
        if threads == 1 { part(0) } else { (0..threads).into_par_iter().for_each(part) }
    }

    /// Copies bytes `from..to` to or from `chunk`.
    ///
    /// # Safety
    /// The runs must be valid, and nobody else's where they are written; `chunk` must hold `to - from` bytes.
    unsafe fn copy(self, from: usize, to: usize, chunk: *mut u8, into_piece: bool) {
        for (host, offset, bytes) in self.segments(from, to) {
            let pinned = chunk.wrapping_add(offset);
            let (source, target) = if into_piece { (host, pinned) } else { (pinned, host) };
            // SAFETY: by contract, the segment is valid, and `chunk` holds it; memory of a matrix is no pinned piece.
            unsafe { ptr::copy_nonoverlapping(source, target, bytes) };
        }
    }
}

struct Shared(*mut u8);
// SAFETY: threads use disjoint parts of the memory.
unsafe impl Sync for Shared {}

/// Hands the pieces of a transfer out to threads, each a range of bytes.
struct Chunks {
    total: usize,
    length: usize,
    threads: usize,
    next: AtomicUsize,
}

impl Chunks {
    fn of(queue: &Queue, total: usize) -> Self {
        let limits = queue.context().transfers();
        let threads = if limits.parallel { Self::threads() } else { 1 };
        // Of a small transfer every thread has a part.
        let length = total.div_ceil(threads).max(SMALLEST_PIECE).min(limits.chunk_bytes).max(1);
        Chunks { total, length, threads, next: AtomicUsize::new(0) }
    }

    /// Not all there are: there may be a transfer in the other direction at the same time.
    fn threads() -> usize {
        let threads = crate::threads::available();
        threads - threads / 4
    }

    /// Their number.
    const fn count(&self) -> usize {
        self.total.div_ceil(self.length)
    }

    fn take(&self) -> Option<(usize, usize)> {
        let from = self.next.fetch_add(1, Ordering::Relaxed).checked_mul(self.length)?;
        (from < self.total).then(|| (from, self.total.min(from + self.length)))
    }

    /// Has several threads do their parts of it.
    fn share(&self, part: impl Fn() -> Result<()> + Sync) -> Result<()> {
        match self.threads.min(self.count()) {
            0 => Ok(()),
            1 => part(),
            threads => (0..threads).into_par_iter().map(|_| part()).reduce(|| Ok(()), Result::and),
        }
    }
}

/// A piece that the device reads or writes, and the bytes that are in it.
struct Flying {
    chunk: Chunk,
    event: ClEvent,
    range: (usize, usize),
}

/// The pieces of a thread, the oldest first. Dropped, they go back; who takes them next waits for the device.
struct Flight<'a> {
    queue: &'a Queue,
    chunks: VecDeque<Flying>,
}

impl<'a> Flight<'a> {
    fn new(queue: &'a Queue) -> Self {
        Flight { queue, chunks: VecDeque::with_capacity(IN_FLIGHT) }
    }

    /// Enqueues what the device does with a piece.
    fn send(
        &mut self,
        chunk: Chunk,
        range: (usize, usize),
        enqueue: impl FnOnce(*mut c_void) -> Enqueued,
    ) -> Result<()> {
        match enqueue(chunk.address().cast()) {
            Ok(event) => {
                self.chunks.push_back(Flying { chunk, event: ClEvent::new(event), range });
                self.queue.flush()
            }
            Err(error) => {
                self.queue.give_back_piece(chunk, None);
                Err(error)
            }
        }
    }

    /// The oldest piece, when the device is done with it.
    fn land(&mut self) -> Result<Option<(Chunk, (usize, usize))>> {
        let Some(Flying { chunk, event, range }) = self.chunks.pop_front() else { return Ok(None) };
        match wait_for_event(&event) {
            Ok(()) => Ok(Some((chunk, range))),
            Err(error) => {
                self.queue.give_back_piece(chunk, None);
                Err(error)
            }
        }
    }

    /// A piece to use: a new one, until there are enough.
    fn chunk(&mut self) -> Result<Chunk> {
        let landed = if self.chunks.len() < IN_FLIGHT { None } else { self.land()? };
        landed.map_or_else(|| self.queue.take_piece(), |(chunk, _)| Ok(chunk))
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        for Flying { chunk, event, .. } in self.chunks.drain(..) {
            self.queue.give_back_piece(chunk, Some(event));
        }
    }
}

type Enqueued = Result<opencl3::types::cl_event>;

/// Copies a matrix to the beginning of a buffer. Returns when the last piece is on its way: the event tells when all
/// are there. The host's memory is not needed any more.
///
/// # Safety
/// The runs must be valid, and written by nobody meanwhile.
pub(super) unsafe fn upload(queue: &Queue, to: &DeviceBuffer, runs: HostRuns) -> Result<Option<ClEvent>> {
    assert!(runs.bytes() <= to.bytes());
    let chunks = Chunks::of(queue, runs.bytes());
    chunks.share(|| {
        let mut flight = Flight::new(queue);
        while let Some((from, end)) = chunks.take() {
            let chunk = flight.chunk()?;
            // SAFETY: by contract, the runs are valid; a piece is this thread's alone, of `chunk_bytes >= end - from`.
            unsafe { runs.copy(from, end, chunk.address(), true) };
            let handle = queue.handle().get();
            flight.send(chunk, (from, end), |pinned| {
                // SAFETY: the piece is not lent again before the event.
                let event = unsafe {
                    enqueue_write_buffer(handle, to.handle(), CL_FALSE, from, end - from, pinned, 0, ptr::null())
                };
                check("clEnqueueWriteBuffer", event)
            })?;
        }
        Ok(())
    })?;
    queue.mark().map(Some)
}

/// A matrix of the host, and the memory object to whose beginning it is copied.
pub(super) struct Upload {
    pub(super) to: cl_mem,
    pub(super) runs: HostRuns,
}

// SAFETY: OpenCL's functions accept a memory object on any thread; `HostRuns` is Sync.
unsafe impl Sync for Upload {}

/// Copies matrices to their buffers, one after another, by the same threads. Returns when the last piece is on its way.
///
/// # Safety
/// The memory objects must be as large as the runs, and live until the queue is done; the runs must be valid, and
/// written by nobody meanwhile.
pub(super) unsafe fn upload_all(queue: &Queue, uploads: &[Upload]) -> Result<()> {
    let total = uploads.iter().map(|upload| upload.runs.bytes()).sum();
    let chunks = Chunks::of(queue, total);
    let parts: Vec<(&Upload, usize)> = uploads
        .iter()
        .flat_map(|upload| (0..upload.runs.bytes()).step_by(chunks.length).map(move |from| (upload, from)))
        .collect();
    let next = AtomicUsize::new(0);
    chunks.share(|| {
        let mut flight = Flight::new(queue);
        while let Some((upload, from)) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (from, end) = (*from, upload.runs.bytes().min(from + chunks.length));
            let chunk = flight.chunk()?;
            // SAFETY: by contract, the runs are valid; a piece is this thread's alone, of `chunk_bytes >= end - from`.
            unsafe { upload.runs.copy(from, end, chunk.address(), true) };
            let handle = queue.handle().get();
            flight.send(chunk, (from, end), |pinned| {
                // SAFETY: the piece is not lent again before the event.
                let event = unsafe {
                    enqueue_write_buffer(handle, upload.to, CL_FALSE, from, end - from, pinned, 0, ptr::null())
                };
                check("clEnqueueWriteBuffer", event)
            })?;
        }
        Ok(())
    })
}

/// Copies the beginning of a buffer into a matrix, after everything that was enqueued before, and waits for it. Only
/// bytes of the runs are written.
///
/// # Safety
/// The runs must be valid, and nobody else's meanwhile.
pub(super) unsafe fn download(queue: &Queue, from: &DeviceBuffer, runs: HostRuns) -> Result<()> {
    assert!(runs.bytes() <= from.bytes());
    let chunks = Chunks::of(queue, runs.bytes());
    if chunks.count() <= AT_ONCE {
        // SAFETY: by contract, the runs are valid, and nobody else's; `from` holds them, asserted above.
        return unsafe { download_at_once(queue, from, runs, &chunks) };
    }
    chunks.share(|| {
        let mut flight = Flight::new(queue);
        loop {
            let next = chunks.take();
            if let Some((begin, end)) = next {
                let chunk = queue.take_piece()?;
                let handle = queue.handle().get();
                flight.send(chunk, (begin, end), |pinned| {
                    // SAFETY: the piece is not lent again before the event.
                    let event = unsafe {
                        enqueue_read_buffer(handle, from.handle(), CL_FALSE, begin, end - begin, pinned, 0, ptr::null())
                    };
                    check("clEnqueueReadBuffer", event)
                })?;
            }
            if next.is_some() && flight.chunks.len() < IN_FLIGHT {
                continue;
            }
            let Some((chunk, (begin, end))) = flight.land()? else { return Ok(()) };
            // SAFETY: by contract, the runs are valid, and nobody else's; `land` waited for the read into the piece.
            unsafe { runs.copy(begin, end, chunk.address(), false) };
            queue.give_back_piece(chunk, None);
        }
    })
}

/// [`download`] where there is a pinned piece for every part: all reads are enqueued before threads are woken, so that
/// the bus does not wait for them.
///
/// # Safety
/// The conditions of that function.
unsafe fn download_at_once(queue: &Queue, from: &DeviceBuffer, runs: HostRuns, chunks: &Chunks) -> Result<()> {
    let mut flight = Flight::new(queue);
    while let Some((begin, end)) = chunks.take() {
        let (chunk, handle) = (queue.take_piece()?, queue.handle().get());
        flight.send(chunk, (begin, end), |pinned| {
            // SAFETY: the piece is not lent again before the event.
            let event = unsafe {
                enqueue_read_buffer(handle, from.handle(), CL_FALSE, begin, end - begin, pinned, 0, ptr::null())
            };
            check("clEnqueueReadBuffer", event)
        })?;
    }
    let flight = Mutex::new(flight);
    chunks.share(|| {
        let next = || flight.lock().unwrap_or_else(PoisonError::into_inner).chunks.pop_front();
        while let Some(Flying { chunk, event, range: (begin, end) }) = next() {
            let landed = wait_for_event(&event);
            if landed.is_ok() {
                // SAFETY: by contract, the runs are valid, and nobody else's; the read into the piece was waited for.
                unsafe { runs.copy(begin, end, chunk.address(), false) };
            }
            queue.give_back_piece(chunk, None);
            landed?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    mod host {
        use super::*;

        #[test]
        fn segments_cover_runs_with_gaps_and_leave_the_gaps_out() {
            let mut memory = [0_u8; 40];
            let runs = HostRuns { start: memory.as_mut_ptr(), count: 4, length: 5, pitch: 9 };
            for (from, to) in [(0, 20), (0, 7), (3, 17), (5, 10), (19, 20)] {
                let mut offsets = Vec::new();
                for (address, offset, bytes) in runs.segments(from, to) {
                    assert_eq!(offset, offsets.len());
                    offsets.extend((0..bytes).map(|byte| address as usize - runs.start as usize + byte));
                }
                let expected: Vec<usize> = (from..to).map(|byte| byte / 5 * 9 + byte % 5).collect();
                assert_eq!(offsets, expected, "{from}..{to}");
            }
        }
    }
}
