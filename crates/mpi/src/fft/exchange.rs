//! Exchanges between two cuts of an array: one packed message for each pair of ranks.
//!
//! Elements that are adjacent in both a block and a message travel without a copy.

use std::ops::Range;

use affinimath::Scalar;

use super::blocks::{FftBlock, Overlap, RawSlice, Subarray, copy, overlaps};
use crate::comm::{Communicator, Tag, Transfer};
use crate::error::Result;

/// Messages of a rank to and from the others, to go from one cut to another one.
#[derive(Debug)]
pub(super) struct Exchange {
    sends: Vec<Overlap>,
    receives: Vec<Overlap>,
    rank: usize,
}

/// Memory of packed messages: those sent, and those received.
pub(super) type Staging<C> = [Vec<C>; 2];

/// Block before an exchange.
pub(super) enum Source<'a, C> {
    /// Memory of the plan's, of which messages may be sent.
    Work(Vec<C>),
    /// The caller's memory.
    Lent(&'a [C]),
}

/// Block after an exchange.
pub(super) enum Target<'a, C> {
    /// Memory of the plan's, into which messages may come.
    Work(Vec<C>),
    /// The caller's memory.
    Lent(&'a mut [C]),
}

/// Vectors of a transfer.
const SOURCE: usize = 0;
const SENT: usize = 1;
const RECEIVED: usize = 2;
const TARGET: usize = 3;

impl Exchange {
    /// From the blocks of one cut to those of another one.
    pub(super) fn new(rank: usize, from: &[FftBlock], to: &[FftBlock]) -> Self {
        Exchange {
            sends: overlaps(&from[rank], to, rank, true),
            receives: overlaps(&to[rank], from, rank, false),
            rank,
        }
    }

    /// Elements of the packed messages, at most.
    pub(super) fn staging(&self) -> [usize; 2] {
        [&self.sends, &self.receives].map(|parts| parts.iter().map(|part| part.local.len()).sum())
    }

    /// Moves a block's elements to the ranks that have them in the other cut. The plan's vectors come back.
    pub(super) fn run<C: Scalar>(
        &self,
        comm: &Communicator,
        source: Source<'_, C>,
        target: Target<'_, C>,
        staging: &mut Staging<C>,
    ) -> Result<[Vec<C>; 2]> {
        let (work, lent) = match source {
            Source::Work(work) => (work, None),
            Source::Lent(lent) => (Vec::new(), Some(RawSlice(lent.as_ptr().cast_mut(), lent.len()))),
        };
        let (result, lent_target) = match target {
            Target::Work(work) => (work, None),
            Target::Lent(lent) => (Vec::new(), Some(RawSlice(lent.as_mut_ptr(), lent.len()))),
        };
        let [sent, received] = std::mem::take(staging);
        let mut transfer = Transfer::new(comm, Tag::Transform, [work, sent, received, result]);
        let [work, sent, received, result] = std::array::from_fn(|vector| {
            let (start, length) = transfer.memory(vector);
            RawSlice(start, length)
        });
        let (from, to) = (lent.unwrap_or(work), lent_target.unwrap_or(result));

        let mut arrivals = Vec::with_capacity(self.receives.len());
        let mut next = 0;
        for part in self.receives.iter().filter(|part| part.rank != self.rank) {
            let (vector, range) = match part.local.adjacent() {
                Some(range) if lent_target.is_none() => (TARGET, range),
                _ => (RECEIVED, take(&mut next, part.local.len())),
            };
            arrivals.push((part, transfer.receive(part.rank, vector, range.clone())?, vector, range));
        }
        next = 0;
        for part in self.sends.iter().filter(|part| part.rank != self.rank) {
            let (vector, range) = match part.local.adjacent() {
                Some(range) if lent.is_none() => (SOURCE, range),
                _ => (SENT, take(&mut next, part.local.len())),
            };
            if vector == SENT {
                // SAFETY: the elements of the block are only read, and nobody has these of the message yet.
                unsafe { copy((from, &part.local), (sent, &Subarray::packed(range.clone()))) };
            }
            transfer.send(part.rank, vector, range)?;
        }
        let own = |parts: &[Overlap]| parts.iter().find(|part| part.rank == self.rank).map(|part| part.local);
        if let (Some(before), Some(after)) = (own(&self.sends), own(&self.receives)) {
            // SAFETY: no message has these elements of the target.
            unsafe { copy((from, &before), (to, &after)) };
        }
        for (part, arrival, vector, range) in arrivals {
            transfer.wait(arrival)?;
            if vector == RECEIVED {
                // SAFETY: the message is complete, and no other one has these elements of the target.
                unsafe { copy((received, &Subarray::packed(range)), (to, &part.local)) };
            }
        }
        let [work, sent, received, result] = transfer.finish()?;
        *staging = [sent, received];
        Ok([work, result])
    }
}

/// The next elements of a packed vector.
fn take(next: &mut usize, length: usize) -> Range<usize> {
    let start = *next;
    *next += length;
    start..*next
}
