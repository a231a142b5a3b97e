//! Messages under way, which own their memory.

use std::ffi::c_int;
use std::mem;
use std::rc::Rc;
use std::time::{Duration, Instant};

use affinimath::Element;
use mpi::ffi;

use super::{Communicator, Tag, Watch, check};
use crate::error::{Error, Result};

/// Bytes of one MPI message: the count of a call is an `int`.
const CHUNK: usize = 1 << 30;
/// Time for which a wait tests without a break. A thread that sleeps afterwards is woken before busy ones, while one
/// that yields waits for their whole slices.
const SPIN: Duration = Duration::from_micros(30);
/// Longest sleep between two tests of a request.
const LONGEST_SLEEP: Duration = Duration::from_micros(500);

/// Requests of one message.
pub(super) struct Requests {
    open: Vec<ffi::MPI_Request>,
    watch: Rc<Watch>,
}

impl Requests {
    pub(super) fn new(watch: &Rc<Watch>) -> Self {
        Requests { open: Vec::new(), watch: Rc::clone(watch) }
    }

    /// Adds the request that a function of MPI makes.
    pub(super) fn start(
        &mut self,
        call: &'static str,
        begin: impl FnOnce(*mut ffi::MPI_Request) -> c_int,
    ) -> Result<()> {
        // SAFETY: the constant is one of the MPI library's.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        check(call, begin(&mut request)).map_err(|error| self.watch.raise(error))?;
        self.open.push(request);
        Ok(())
    }

    /// True if all are complete.
    pub(super) fn test(&mut self) -> Result<bool> {
        if self.open.is_empty() {
            return Ok(true);
        }
        let mut flag = 0;
        // SAFETY: these requests were started and are not complete.
        let code = unsafe {
            let (count, requests) = (self.open.len() as c_int, self.open.as_mut_ptr());
            ffi::MPI_Testall(count, requests, &mut flag, ffi::RSMPI_STATUSES_IGNORE)
        };
        check("MPI_Testall", code).map_err(|error| self.watch.raise(error))?;
        if flag != 0 {
            self.open.clear();
        }
        Ok(flag != 0)
    }

    /// Waits until all are complete, or a rank has failed.
    pub(super) fn wait(&mut self) -> Result<()> {
        let start = Instant::now();
        let mut sleep = Duration::from_micros(10);
        while !self.test()? {
            self.watch.poll()?;
            if start.elapsed() < SPIN {
                std::hint::spin_loop();
            } else {
                std::thread::sleep(sleep);
                sleep = (sleep * 2).min(LONGEST_SLEEP);
            }
        }
        Ok(())
    }

    pub(super) fn complete(&self) -> bool {
        self.open.is_empty()
    }
}

/// A message to another rank, whose memory stays as it is until it is sent.
pub(crate) struct Sending<T> {
    requests: Requests,
    buffer: Rc<Vec<T>>,
}

/// A message from another rank.
pub(crate) struct Receiving<T> {
    requests: Requests,
    buffer: Vec<T>,
}

impl<T> Sending<T> {
    /// Waits until the memory may be used again.
    pub(crate) fn wait(mut self) -> Result<()> {
        self.requests.wait()
    }

    /// True if the memory may be used again.
    pub(crate) fn test(&mut self) -> Result<bool> {
        self.requests.test()
    }
}

impl<T> Receiving<T> {
    /// Waits for the message.
    pub(crate) fn wait(mut self) -> Result<Vec<T>> {
        self.requests.wait()?;
        Ok(mem::take(&mut self.buffer))
    }
}

// Memory that the MPI library may still read or write is never freed.
impl<T> Drop for Sending<T> {
    fn drop(&mut self) {
        if !self.requests.complete() {
            mem::forget(Rc::clone(&self.buffer));
        }
    }
}

impl<T> Drop for Receiving<T> {
    fn drop(&mut self) {
        if !self.requests.complete() {
            mem::forget(mem::take(&mut self.buffer));
        }
    }
}

/// Memory for `length` elements, or an error where there is none left.
pub(crate) fn allocate<T: Clone>(length: usize, value: T) -> Result<Vec<T>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(length).map_err(|_| {
        let bytes = length.saturating_mul(size_of::<T>());
        Error::Local(format!("out of host memory: {bytes} bytes were asked for"))
    })?;
    memory.resize(length, value);
    Ok(memory)
}

/// Offsets and counts of the MPI messages that a number of bytes takes.
pub(super) fn chunks(bytes: usize) -> impl Iterator<Item = (usize, c_int)> {
    (0..bytes).step_by(CHUNK).map(move |offset| (offset, CHUNK.min(bytes - offset) as c_int))
}

/// Lanes of each tag.
pub(super) const LANES: usize = 4;

/// MPI's tag of a lane.
pub(super) fn message_tag((tag, lane): (Tag, usize)) -> c_int {
    tag as c_int * LANES as c_int + lane as c_int
}

impl Communicator {
    /// Sends elements. The receiver knows how many they are; none are no message.
    pub(crate) fn send<T: Element>(&self, to: usize, tag: Tag, buffer: Rc<Vec<T>>) -> Result<Sending<T>> {
        self.send_in_lane(to, (tag, 0), buffer)
    }

    /// [`Communicator::send`] in one of [`LANES`] lanes, whose messages may pass those of other lanes.
    pub(super) fn send_in_lane<T: Element>(
        &self,
        to: usize,
        lane: (Tag, usize),
        buffer: Rc<Vec<T>>,
    ) -> Result<Sending<T>> {
        let tag = message_tag(lane);
        let mut requests = Requests::new(self.watch());
        let (start, bytes) = (buffer.as_ptr().cast::<u8>(), size_of_val(buffer.as_slice()));
        for (offset, count) in chunks(bytes) {
            // SAFETY: the part lies in the buffer, which the value keeps until the request is complete.
            requests.start("MPI_Isend", |request| unsafe {
                let (part, kind) = (start.add(offset).cast(), ffi::RSMPI_UINT8_T);
                ffi::MPI_Isend(part, count, kind, to as c_int, tag, self.raw, request)
            })?;
        }
        Ok(Sending { requests, buffer })
    }

    /// Receives `length` elements.
    pub(crate) fn receive<T: Element>(&self, from: usize, tag: Tag, length: usize) -> Result<Receiving<T>> {
        self.receive_in_lane(from, (tag, 0), length)
    }

    /// [`Communicator::receive`] in a lane.
    pub(super) fn receive_in_lane<T: Element>(
        &self,
        from: usize,
        lane: (Tag, usize),
        length: usize,
    ) -> Result<Receiving<T>> {
        let tag = message_tag(lane);
        let mut receiving =
            Receiving { requests: Requests::new(self.watch()), buffer: allocate(length, T::default())? };
        let (start, bytes) = (receiving.buffer.as_mut_ptr().cast::<u8>(), size_of_val(receiving.buffer.as_slice()));
        for (offset, count) in chunks(bytes) {
            // SAFETY: the part lies in the buffer, which the value keeps until the request is complete. Every pattern
            // of bits is an element: the trait is closed to numbers.
            receiving.requests.start("MPI_Irecv", |request| unsafe {
                let (part, kind) = (start.add(offset).cast(), ffi::RSMPI_UINT8_T);
                ffi::MPI_Irecv(part, count, kind, from as c_int, tag, self.raw, request)
            })?;
        }
        Ok(receiving)
    }

    /// Sends one vector to each rank and receives one from each. `lengths` are the elements that each rank sends here.
    pub(crate) fn exchange<T: Element>(&self, tag: Tag, parts: Vec<Vec<T>>, lengths: &[usize]) -> Result<Vec<Vec<T>>> {
        debug_assert!(parts.len() == self.size && lengths.len() == self.size);
        let mut parts = parts;
        // In the order of the distance, so that not all ranks send to the same one.
        let distances = 1..self.size;
        let mut receiving = Vec::new();
        for distance in distances.clone() {
            let from = (self.rank + self.size - distance) % self.size;
            receiving.push((from, self.receive(from, tag, lengths[from])?));
        }
        let mut sending = Vec::new();
        for distance in distances {
            let to = (self.rank + distance) % self.size;
            sending.push(self.send(to, tag, Rc::new(mem::take(&mut parts[to])))?);
        }
        let mut received: Vec<Vec<T>> = (0..self.size).map(|_| Vec::new()).collect();
        received[self.rank] = mem::take(&mut parts[self.rank]);
        for (from, message) in receiving {
            received[from] = message.wait()?;
        }
        for message in sending {
            message.wait()?;
        }
        Ok(received)
    }
}
