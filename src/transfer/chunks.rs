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

use super::copy_threads::CopyThreads;
use super::direct;
use super::runs::HostRuns;
use crate::context::{
    Chunk, ContextParts, DeviceBuffer, DeviceMemory, PinnedChunks, Queue, QueueParts, wait_for_event,
};
use crate::error::Result;
use crate::status::check;
use crate::trace;

/// Bytes of a piece, at least, where there are so many: to hand one to a device takes a thread microseconds.
const SMALLEST_PIECE: usize = 512 << 10;
/// Pieces of a transfer that are all on their way at once, at most: a quarter of those that a context keeps.
const AT_ONCE: usize = 16;

/// Hands the pieces of a transfer out to threads, each a range of bytes.
struct Chunks {
    total: usize,
    length: usize,
    threads: CopyThreads,
    next: AtomicUsize,
}

impl Chunks {
    fn of(queue: &Queue, total: usize, threads: CopyThreads) -> Self {
        let limits = queue.context().transfers();
        let threads = if limits.parallel { threads } else { CopyThreads { count: 1, ..threads } };
        // Of a small transfer every thread has a part.
        let parts = threads.count * threads.pieces;
        let length = total.div_ceil(parts).max(SMALLEST_PIECE).min(limits.chunk_bytes).max(1);
        Chunks { total, length, threads, next: AtomicUsize::new(0) }
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
        match self.threads.count.min(self.count()) {
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
    most: usize,
}

impl<'a> Flight<'a> {
    fn new(queue: &'a Queue, most: usize) -> Self {
        Flight { queue, chunks: VecDeque::with_capacity(most), most }
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
        let landed = if self.chunks.len() < self.most { None } else { self.land()? };
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
/// are there. The host's memory is not needed any more, unless it is pinned memory of a user: that is, until the event.
///
/// # Safety
/// The runs must be valid, and written by nobody meanwhile.
pub(super) unsafe fn upload(
    queue: &Queue,
    to: &DeviceBuffer,
    runs: HostRuns,
    threads: CopyThreads,
) -> Result<Option<ClEvent>> {
    assert!(runs.bytes() <= to.bytes());
    if runs.is_pinned(queue.context()) {
        // SAFETY: by contract, the runs are valid until the event.
        let event = unsafe { direct::write(queue, to.handle(), runs)? };
        return queue.flush().map(|()| Some(event));
    }
    trace::written(to.handle(), 0, runs.bytes(), || None);
    let chunks = Chunks::of(queue, runs.bytes(), threads);
    chunks.share(|| {
        let mut flight = Flight::new(queue, chunks.threads.in_flight);
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
/// written by nobody meanwhile. Those in pinned memory of a user must be so until the queue is done.
pub(super) unsafe fn upload_all(queue: &Queue, uploads: &[Upload], threads: CopyThreads) -> Result<()> {
    let is_pinned = |upload: &&Upload| upload.runs.is_pinned(queue.context());
    let (pinned, pageable): (Vec<&Upload>, Vec<&Upload>) = uploads.iter().partition(is_pinned);
    for upload in &pinned {
        // SAFETY: by contract, the runs are valid until the queue is done, and the object is as large.
        drop(unsafe { direct::write(queue, upload.to, upload.runs)? });
    }
    if !pinned.is_empty() {
        queue.flush()?;
    }
    pageable.iter().for_each(|upload| trace::written(upload.to, 0, upload.runs.bytes(), || None));
    let total = pageable.iter().map(|upload| upload.runs.bytes()).sum();
    let chunks = Chunks::of(queue, total, threads);
    let parts: Vec<(&Upload, usize)> = pageable
        .into_iter()
        .flat_map(|upload| (0..upload.runs.bytes()).step_by(chunks.length).map(move |from| (upload, from)))
        .collect();
    let next = AtomicUsize::new(0);
    chunks.share(|| {
        let mut flight = Flight::new(queue, chunks.threads.in_flight);
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
pub(super) unsafe fn download(queue: &Queue, from: &DeviceBuffer, runs: HostRuns, threads: CopyThreads) -> Result<()> {
    assert!(runs.bytes() <= from.bytes());
    if runs.is_pinned(queue.context()) {
        // SAFETY: by contract, the runs are valid, and nobody else's; the read is waited for.
        return wait_for_event(&unsafe { direct::read(queue, from.handle(), runs)? });
    }
    trace::read(from.handle(), 0, runs.bytes());
    let chunks = Chunks::of(queue, runs.bytes(), threads);
    if chunks.count() <= AT_ONCE {
        // SAFETY: by contract, the runs are valid, and nobody else's; `from` holds them, asserted above.
        return unsafe { download_at_once(queue, from, runs, &chunks) };
    }
    chunks.share(|| {
        let mut flight = Flight::new(queue, chunks.threads.in_flight);
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
            if next.is_some() && flight.chunks.len() < flight.most {
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
    let mut flight = Flight::new(queue, AT_ONCE);
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
