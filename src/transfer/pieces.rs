//! Large transfers through pinned pieces: while the device takes one piece, threads of the host copy the next.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr;

use opencl3::command_queue::{enqueue_read_buffer, enqueue_write_buffer};
use opencl3::event::Event as ClEvent;
use opencl3::types::CL_FALSE;
use rayon::prelude::*;

use crate::context::{DeviceBuffer, DeviceMemory, Piece, Queue, check};
use crate::error::Result;

/// Where a matrix lies in the host's memory: runs of adjacent bytes. On the device they lie next to each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostRuns {
    pub(crate) start: *mut u8,
    pub(crate) count: usize,
    /// Bytes of a run, not 0, and between the starts of neighbours.
    pub(crate) length: usize,
    pub(crate) pitch: usize,
}

// SAFETY: it is an address; whoever uses it vouches for the memory.
unsafe impl Send for HostRuns {}
// SAFETY: as above.
unsafe impl Sync for HostRuns {}

/// Pieces that one transfer keeps on their way.
const IN_FLIGHT: usize = 3;
/// Bytes below which a piece is copied by one thread.
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

    /// Copies bytes `from..to` to or from `piece`, by several threads where it pays.
    ///
    /// # Safety
    /// The runs must be valid, and nobody else's where they are written; the piece must have room.
    pub(crate) unsafe fn copy(self, from: usize, to: usize, piece: *mut u8, into_piece: bool) {
        let threads = if to - from < ONE_THREAD { 1 } else { crate::host::available_threads() };
        let share = (to - from).div_ceil(threads);
        let piece = Shared(piece);
        let part = |index: usize| {
            let piece = &piece;
            let (begin, end) = (from + index * share, to.min(from + (index + 1) * share));
            for (host, place, bytes) in self.segments(begin, end) {
                let pinned = piece.0.wrapping_add(begin - from + place);
                let (source, target) = if into_piece { (host, pinned) } else { (pinned, host) };
                // SAFETY: the caller vouches for both sides, which do not overlap; parts are disjoint.
                unsafe { ptr::copy_nonoverlapping(source, target, bytes) };
            }
        };
        if threads == 1 { part(0) } else { (0..threads).into_par_iter().for_each(part) }
    }
}

struct Shared(*mut u8);
// SAFETY: threads use disjoint parts of the memory.
unsafe impl Sync for Shared {}

/// Copies a matrix to the beginning of a buffer. Returns when the last piece is on its way: the event tells when it is
/// there. The host's memory is not needed any more.
///
/// # Safety
/// The runs must be valid, and written by nobody meanwhile.
pub(super) unsafe fn upload(queue: &Queue, to: &DeviceBuffer, runs: HostRuns) -> Result<Option<ClEvent>> {
    let (total, mut done, mut last) = (runs.bytes(), 0, None);
    assert!(total <= to.bytes());
    while done < total {
        let piece = queue.take_piece()?;
        let bytes = piece.bytes().min(total - done);
        // SAFETY: the caller vouches for the runs, and nobody else has the piece.
        unsafe { runs.copy(done, done + bytes, piece.address(), true) };
        let (handle, from) = (queue.handle().get(), piece.address().cast::<c_void>());
        // SAFETY: the piece is kept by the pool, which waits for the event before it lends it again.
        let event = unsafe { enqueue_write_buffer(handle, to.handle(), CL_FALSE, done, bytes, from, 0, ptr::null()) };
        let event = check("clEnqueueWriteBuffer", event).map(ClEvent::new);
        match event {
            Ok(event) => {
                queue.give_back_piece(piece, Some(ClEvent::new(retained(&event)?)));
                last = Some(event);
            }
            Err(error) => {
                queue.give_back_piece(piece, None);
                return Err(error);
            }
        }
        queue.flush()?;
        done += bytes;
    }
    Ok(last)
}

/// The event's handle, retained for one more owner.
fn retained(event: &ClEvent) -> Result<opencl3::types::cl_event> {
    // SAFETY: the event is valid.
    check("clRetainEvent", unsafe { opencl3::event::retain_event(event.get()) })?;
    Ok(event.get())
}

/// Copies the beginning of a buffer into a matrix, after everything that was enqueued before, and waits for it. Only
/// bytes of the runs are written.
///
/// # Safety
/// The runs must be valid, and nobody else's meanwhile.
pub(super) unsafe fn download(queue: &Queue, from: &DeviceBuffer, runs: HostRuns) -> Result<()> {
    assert!(runs.bytes() <= from.bytes());
    let mut flight = VecDeque::new();
    // SAFETY: the caller vouches for the runs.
    let result = unsafe { download_pieces(queue, from, runs, &mut flight) };
    // After an error, what is still on its way must end before the pieces are lent again.
    for Reading { piece, event, .. } in flight {
        queue.give_back_piece(piece, Some(event));
    }
    result
}

/// A piece that the device writes.
struct Reading {
    piece: Piece,
    event: ClEvent,
    from: usize,
    to: usize,
}

/// # Safety
/// As [`download`].
unsafe fn download_pieces(
    queue: &Queue,
    from: &DeviceBuffer,
    runs: HostRuns,
    flight: &mut VecDeque<Reading>,
) -> Result<()> {
    let (total, mut asked) = (runs.bytes(), 0);
    loop {
        while asked < total && flight.len() < IN_FLIGHT {
            let piece = queue.take_piece()?;
            let bytes = piece.bytes().min(total - asked);
            let (handle, to) = (queue.handle().get(), piece.address().cast::<c_void>());
            // SAFETY: the piece stays in flight until the event is waited for.
            let event =
                unsafe { enqueue_read_buffer(handle, from.handle(), CL_FALSE, asked, bytes, to, 0, ptr::null()) };
            match check("clEnqueueReadBuffer", event) {
                Ok(event) => {
                    let event = ClEvent::new(event);
                    flight.push_back(Reading { piece, event, from: asked, to: asked + bytes });
                }
                Err(error) => {
                    queue.give_back_piece(piece, None);
                    return Err(error);
                }
            }
            asked += bytes;
        }
        queue.flush()?;
        let Some(reading) = flight.pop_front() else { return Ok(()) };
        let waited = check("clWaitForEvents", reading.event.wait());
        if waited.is_ok() {
            // SAFETY: the caller vouches for the runs; the device is done with the piece.
            unsafe { runs.copy(reading.from, reading.to, reading.piece.address(), false) };
        }
        queue.give_back_piece(reading.piece, None);
        waited?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cover_runs_with_gaps_and_leave_the_gaps_out() {
        let mut memory = [0_u8; 40];
        let runs = HostRuns { start: memory.as_mut_ptr(), count: 4, length: 5, pitch: 9 };
        for (from, to) in [(0, 20), (0, 7), (3, 17), (5, 10), (19, 20)] {
            let mut places = Vec::new();
            for (address, place, bytes) in runs.segments(from, to) {
                assert_eq!(place, places.len());
                places.extend((0..bytes).map(|byte| address as usize - runs.start as usize + byte));
            }
            let expected: Vec<usize> = (from..to).map(|byte| byte / 5 * 9 + byte % 5).collect();
            assert_eq!(places, expected, "{from}..{to}");
        }
    }
}
