//! Exchange of ghost elements: those of other ranks' ranges that a rank's rows refer to.

use std::ops::Range;
use std::rc::Rc;

use affinimath::Scalar;

use super::vector::Partition;
use crate::comm::{Communicator, Receiving, Sending, Tag};
use crate::error::Result;

/// Ranks to exchange with, found once for a matrix.
#[derive(Debug, Clone)]
pub(super) struct Ghosts {
    /// Indices of the ghosts in the whole vector, ascending.
    indices: Vec<usize>,
    /// Ranks that own ghosts, and the ghosts' numbers.
    owners: Vec<(usize, Range<usize>)>,
    /// Ranks for which own elements are ghosts, and these elements' local numbers.
    readers: Vec<(usize, Vec<usize>)>,
}

/// An exchange that has begun.
pub(super) struct UnderWay<T> {
    receiving: Vec<(usize, Receiving<T>)>,
    sending: Vec<Sending<T>>,
}

impl Ghosts {
    /// Finds the owners of ghosts, and tells them. `indices` ascend and lie outside this rank's range.
    pub(super) fn new(comm: &Communicator, partition: &Partition, indices: Vec<usize>) -> Result<Self> {
        let mut owners: Vec<(usize, Range<usize>)> = Vec::new();
        for (ghost, index) in indices.iter().enumerate() {
            let owner = partition.owner(*index);
            match owners.last_mut() {
                Some((last, range)) if *last == owner => range.end = ghost + 1,
                _ => owners.push((owner, ghost..ghost + 1)),
            }
        }
        let mut counts = vec![0_i64; comm.size()];
        owners.iter().for_each(|(rank, range)| counts[*rank] = range.len() as i64);
        let asked = comm.exchange_counts(counts)?;
        let mut receiving = Vec::new();
        for (rank, count) in asked.iter().enumerate().filter(|(_, count)| **count > 0) {
            receiving.push((rank, comm.receive::<i64>(rank, Tag::Ghosts, *count as usize)?));
        }
        let mut sending = Vec::new();
        for (rank, range) in &owners {
            let list: Vec<i64> = indices[range.clone()].iter().map(|index| *index as i64).collect();
            sending.push(comm.send(*rank, Tag::Ghosts, Rc::new(list))?);
        }
        let start = partition.range(comm.rank()).start;
        let mut readers = Vec::new();
        for (rank, message) in receiving {
            let own = message.wait()?.into_iter().map(|index| index as usize - start).collect();
            readers.push((rank, own));
        }
        sending.into_iter().try_for_each(Sending::wait)?;
        Ok(Ghosts { indices, owners, readers })
    }

    /// Number of ghosts.
    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    /// Ranks that own ghosts, and the ghosts' numbers.
    pub(super) fn owners(&self) -> &[(usize, Range<usize>)] {
        &self.owners
    }

    /// Ranks for which own elements are ghosts, and these elements' local numbers.
    pub(super) fn readers(&self) -> &[(usize, Vec<usize>)] {
        &self.readers
    }

    /// The index of a ghost in the whole vector.
    pub(super) fn index(&self, ghost: usize) -> usize {
        self.indices[ghost]
    }

    /// Sends own elements to their readers, and begins to receive the ghosts.
    pub(super) fn begin<T: Scalar>(&self, comm: &Communicator, own: &[T]) -> Result<UnderWay<T>> {
        let mut receiving = Vec::with_capacity(self.owners.len());
        for (rank, range) in &self.owners {
            receiving.push((range.start, comm.receive(*rank, Tag::Ghosts, range.len())?));
        }
        let mut sending = Vec::with_capacity(self.readers.len());
        for (rank, list) in &self.readers {
            let packed = list.iter().map(|index| own[*index]).collect();
            sending.push(comm.send(*rank, Tag::Ghosts, Rc::new(packed))?);
        }
        Ok(UnderWay { receiving, sending })
    }

    /// Sends contributions to the ghosts to their owners, and begins to receive those to own elements.
    pub(super) fn begin_reverse<T: Scalar>(&self, comm: &Communicator, ghosts: &[T]) -> Result<UnderWay<T>> {
        let mut receiving = Vec::with_capacity(self.readers.len());
        for (number, (rank, list)) in self.readers.iter().enumerate() {
            receiving.push((number, comm.receive(*rank, Tag::Ghosts, list.len())?));
        }
        let mut sending = Vec::with_capacity(self.owners.len());
        for (rank, range) in &self.owners {
            sending.push(comm.send(*rank, Tag::Ghosts, Rc::new(ghosts[range.clone()].to_vec()))?);
        }
        Ok(UnderWay { receiving, sending })
    }

    /// Adds what other ranks contribute, in the order of the ranks.
    pub(super) fn add_reverse<T: Scalar>(&self, under_way: UnderWay<T>, own: &mut [T]) -> Result<()> {
        for (number, message) in under_way.receiving {
            let part = message.wait()?;
            self.readers[number].1.iter().zip(part).for_each(|(index, value)| own[*index] += value);
        }
        under_way.sending.into_iter().try_for_each(Sending::wait)
    }
}

impl<T: Scalar> UnderWay<T> {
    /// The ghosts, in the order of their indices.
    pub(super) fn finish(self, count: usize) -> Result<Vec<T>> {
        let mut ghosts = vec![T::ZERO; count];
        for (start, message) in self.receiving {
            let part = message.wait()?;
            ghosts[start..start + part.len()].copy_from_slice(&part);
        }
        self.sending.into_iter().try_for_each(Sending::wait)?;
        Ok(ghosts)
    }
}
