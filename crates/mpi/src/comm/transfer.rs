//! Messages between parts of vectors, which stay where they are.

use std::ffi::c_int;
use std::mem;
use std::ops::{DerefMut, Range};

use affinimath::Element;
use mpi::ffi;

use super::request::{Requests, chunks, message_tag};
use super::{Communicator, Tag};
use crate::error::Result;

/// Vectors of which parts are sent, and into parts of which messages come.
///
/// No part is in two messages, but for those that are only sent. Vectors are those of Rust, or pinned memory: their
/// elements do not move with the value.
pub(crate) struct Transfer<'c, T, const N: usize, V = Vec<T>> {
    comm: &'c Communicator,
    tag: Tag,
    /// None once they are given back.
    vectors: Option<[V; N]>,
    /// Memory of the vectors, which are not looked at while messages are under way.
    memory: [(*mut T, usize); N],
    sending: Requests,
    open: usize,
}

/// A message that comes into a part of a vector.
pub(crate) struct Arrival(Requests);

impl<'c, T: Element, const N: usize, V: DerefMut<Target = [T]>> Transfer<'c, T, N, V> {
    /// Takes vectors. [`Transfer::finish`] gives them back.
    pub(crate) fn new(comm: &'c Communicator, tag: Tag, mut vectors: [V; N]) -> Self {
        let memory = std::array::from_fn(|number| (vectors[number].as_mut_ptr(), vectors[number].len()));
        let vectors = Some(vectors);
        Transfer { comm, tag, vectors, memory, sending: Requests::new(comm.watch()), open: 0 }
    }

    fn start(&self, vector: usize, part: &Range<usize>) -> *mut T {
        let (start, length) = self.memory[vector];
        assert!(part.start <= part.end && part.end <= length, "part {part:?} of {length} elements");
        start.wrapping_add(part.start)
    }

    /// Memory of a vector, and its elements. Those that messages have are the MPI library's.
    pub(crate) fn memory(&self, vector: usize) -> (*mut T, usize) {
        self.memory[vector]
    }

    /// Sends a part, which nobody writes from now on.
    pub(crate) fn send(&mut self, to: usize, vector: usize, part: Range<usize>) -> Result<()> {
        let (start, tag, raw) = (self.start(vector, &part).cast::<u8>(), message_tag((self.tag, 0)), self.comm.raw);
        for (offset, count) in chunks(part.len() * size_of::<T>()) {
            // SAFETY: the part lies in a vector that the value keeps until the requests are complete.
            self.sending.start("MPI_Isend", |request| unsafe {
                ffi::MPI_Isend(start.add(offset).cast(), count, ffi::RSMPI_UINT8_T, to as c_int, tag, raw, request)
            })?;
        }
        Ok(())
    }

    /// Receives into a part, which nobody uses until the message is there.
    pub(crate) fn receive(&mut self, from: usize, vector: usize, part: Range<usize>) -> Result<Arrival> {
        let (start, tag, raw) = (self.start(vector, &part).cast::<u8>(), message_tag((self.tag, 0)), self.comm.raw);
        let mut requests = Requests::new(self.comm.watch());
        self.open += 1;
        for (offset, count) in chunks(part.len() * size_of::<T>()) {
            // SAFETY: the part lies in a vector that the value keeps until the requests are complete. Every pattern of
            // bits is an element: the trait is closed to numbers.
            requests.start("MPI_Irecv", |request| unsafe {
                ffi::MPI_Irecv(start.add(offset).cast(), count, ffi::RSMPI_UINT8_T, from as c_int, tag, raw, request)
            })?;
        }
        Ok(Arrival(requests))
    }

    /// Waits for a message.
    pub(crate) fn wait(&mut self, mut arrival: Arrival) -> Result<()> {
        arrival.0.wait()?;
        self.open -= 1;
        Ok(())
    }

    /// Waits until all is sent. The vectors are the caller's again.
    pub(crate) fn finish(mut self) -> Result<[V; N]> {
        assert!(self.open == 0, "messages were not waited for");
        self.sending.wait()?;
        Ok(self.vectors.take().expect("only the end gives them back"))
    }
}

// Memory that the MPI library may still read or write is never freed.
impl<T, const N: usize, V> Drop for Transfer<'_, T, N, V> {
    fn drop(&mut self) {
        if self.open > 0 || !self.sending.complete() {
            mem::forget(self.vectors.take());
        }
    }
}
