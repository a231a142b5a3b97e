//! Runs of bytes of a matrix in the host's memory, and their copies to and from pinned memory.

use std::ptr;

use rayon::prelude::*;

use crate::context::{ContextParts, DeviceContext};

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

/// Bytes below which one thread copies.
const ONE_THREAD: usize = 512 << 10;
/// Matrices from this size on are written past the caches, which would not hold them, and need not be read for it.
const PAST_CACHES: usize = 16 << 20;

impl HostRuns {
    /// All bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.count * self.length
    }

    /// True if there are no gaps between runs.
    pub(super) const fn contiguous(&self) -> bool {
        self.count <= 1 || self.pitch == self.length
    }

    /// True if all runs lie in pinned memory that a user has of the context.
    pub(super) fn is_pinned(&self, context: &DeviceContext) -> bool {
        let span = self.count.saturating_sub(1) * self.pitch + self.length;
        context.is_pinned(self.start, span)
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
    pub(super) unsafe fn copy(self, from: usize, to: usize, chunk: *mut u8, into_piece: bool) {
        let past_caches = self.bytes() >= PAST_CACHES;
        for (host, offset, bytes) in self.segments(from, to) {
            let pinned = chunk.wrapping_add(offset);
            // SAFETY: by contract, the segment is valid, and `chunk` holds it; memory of a matrix is no pinned piece.
            unsafe {
                match into_piece {
                    // The bus reads the piece soon, out of the caches.
                    true => ptr::copy_nonoverlapping(host, pinned, bytes),
                    false if past_caches => copy_past_caches(pinned, host, bytes),
                    false => ptr::copy_nonoverlapping(pinned, host, bytes),
                }
            };
        }
    }
}

struct Shared(*mut u8);
// SAFETY: threads use disjoint parts of the memory.
unsafe impl Sync for Shared {}

/// Copies bytes by stores that go past the caches, where the processor has them: memory is written, and not read
/// before.
///
/// # Safety
/// Both must be valid for `bytes` bytes, and not overlap.
#[cfg(target_arch = "x86_64")]
unsafe fn copy_past_caches(from: *const u8, to: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    /// Bytes of a cache line, of which partial ones are written as usual.
    const LINE: usize = 64;
    const VECTOR: usize = size_of::<__m128i>();
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: by contract for all bytes; vectors are stored at multiples of their size, from `head` on.
    unsafe {
        ptr::copy_nonoverlapping(from, to, head);
        for at in (head..tail).step_by(LINE) {
            let part = |index: usize| _mm_loadu_si128(from.add(at + index * VECTOR).cast());
            let line = [part(0), part(1), part(2), part(3)];
            for (index, part) in line.into_iter().enumerate() {
                _mm_stream_si128(to.add(at + index * VECTOR).cast(), part);
            }
        }
        // Such stores have no order: whoever is told that the copy is made must see it.
        _mm_sfence();
        ptr::copy_nonoverlapping(from.add(tail), to.add(tail), bytes - tail);
    }
}

/// Copies bytes.
///
/// # Safety
/// Both must be valid for `bytes` bytes, and not overlap.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn copy_past_caches(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: by contract.
    unsafe { ptr::copy_nonoverlapping(from, to, bytes) };
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

        #[test]
        fn copies_past_the_caches_copy_every_byte_and_no_other() {
            let from: Vec<u8> = (0..700_u32).map(|byte| (byte % 251) as u8).collect();
            for first in [0, 1, 15, 16, 63, 64] {
                for bytes in [0, 1, 48, 63, 64, 65, 127, 128, 300, 513] {
                    let mut to = vec![255_u8; 700];
                    // SAFETY: both vectors have 700 bytes.
                    unsafe { copy_past_caches(from.as_ptr().add(3), to.as_mut_ptr().add(first), bytes) };
                    assert_eq!(to[first..first + bytes], from[3..3 + bytes], "{bytes} bytes at {first}");
                    let rest = to[..first].iter().chain(&to[first + bytes..]);
                    assert!(rest.copied().all(|byte| byte == 255), "{bytes} bytes at {first}");
                }
            }
        }
    }
}
