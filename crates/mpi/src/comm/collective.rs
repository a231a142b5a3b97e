//! Collective operations: reductions in a fixed order, gathers, and broadcasts of text.

use std::ffi::c_int;
use std::mem;
use std::rc::Rc;

use affinimath::Element;
use mpi::ffi;

use super::request::Requests;
use super::{Communicator, Tag};
use crate::error::Result;

impl Communicator {
    /// Runs a nonblocking collective operation over memory that stays with MPI if it does not end.
    fn collective<A: 'static, B: 'static>(
        &self,
        call: &'static str,
        from: Vec<A>,
        to: Vec<B>,
        begin: impl FnOnce(*const A, *mut B, *mut ffi::MPI_Request) -> c_int,
    ) -> Result<Vec<B>> {
        let (from, mut to) = (mem::ManuallyDrop::new(from), mem::ManuallyDrop::new(to));
        let mut requests = Requests::new(self.watch());
        let (start, target) = (from.as_ptr(), to.as_mut_ptr());
        requests.start(call, |request| begin(start, target, request))?;
        requests.wait()?;
        drop(mem::ManuallyDrop::into_inner(from));
        Ok(mem::ManuallyDrop::into_inner(to))
    }

    /// Element by element, the smallest value of all ranks.
    pub(crate) fn minimum(&self, values: Vec<i64>) -> Result<Vec<i64>> {
        let (count, target) = (values.len() as c_int, vec![0_i64; values.len()]);
        // SAFETY: both have `count` numbers of 64 bits, and live until the request is complete.
        self.collective("MPI_Iallreduce", values, target, |from, to, request| unsafe {
            let (kind, operation) = (ffi::RSMPI_INT64_T, ffi::RSMPI_MIN);
            ffi::MPI_Iallreduce(from.cast(), to.cast(), count, kind, operation, self.raw, request)
        })
    }

    /// Element by element, the sum over all ranks: the same bits on all of them and in every run.
    pub(crate) fn sum(&self, values: &[f64]) -> Result<Vec<f64>> {
        self.fold(values, |sum, value| sum + value)
    }

    /// Element by element, the largest value of all ranks; NaN where a rank has it.
    pub(crate) fn maximum(&self, values: &[f64]) -> Result<Vec<f64>> {
        self.fold(values, |largest, value| if value > largest || value.is_nan() { value } else { largest })
    }

    fn fold(&self, values: &[f64], combine: impl Fn(f64, f64) -> f64) -> Result<Vec<f64>> {
        if self.size == 1 || values.is_empty() {
            return Ok(values.to_vec());
        }
        let combined = self.reduce(values.to_vec(), |sums: &mut [f64], others: &[f64]| {
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum = combine(*sum, *other));
        })?;
        Ok(combined)
    }

    /// Combines the ranks' vectors of one length along a binomial tree, and gives all ranks the result.
    pub(crate) fn reduce<T: Element>(&self, mine: Vec<T>, combine: impl Fn(&mut [T], &[T])) -> Result<Vec<T>> {
        let (rank, size, length) = (self.rank, self.size, mine.len());
        let mut mine = mine;
        let mut step = 1;
        // Up the tree: a rank combines those above it, in the order of their distance.
        while step < size && rank & step == 0 {
            if rank + step < size {
                let other = self.receive(rank + step, Tag::Reduce, length)?.wait()?;
                combine(&mut mine, &other);
            }
            step *= 2;
        }
        if rank != 0 {
            self.send(rank - step, Tag::Reduce, Rc::new(mine))?.wait()?;
            mine = self.receive(rank - step, Tag::Broadcast, length)?.wait()?;
        }
        // Down again: the children, the most distant ones first.
        let result = Rc::new(mine);
        let mut sending = Vec::new();
        while step > 1 {
            step /= 2;
            if rank + step < size {
                sending.push(self.send(rank + step, Tag::Broadcast, Rc::clone(&result))?);
            }
        }
        for message in sending {
            message.wait()?;
        }
        Ok(Rc::try_unwrap(result).unwrap_or_else(|shared| shared.to_vec()))
    }

    /// All ranks' vectors of one length, in the order of the ranks.
    pub(crate) fn gather_all<T: Element>(&self, mine: Vec<T>) -> Result<Vec<T>> {
        let bytes = size_of_val(mine.as_slice()) as c_int;
        let target = vec![T::default(); mine.len() * self.size];
        // SAFETY: each rank sends `bytes` bytes, and there is memory for those of all ranks.
        self.collective("MPI_Iallgather", mine, target, |from, to, request| unsafe {
            let kind = ffi::RSMPI_UINT8_T;
            ffi::MPI_Iallgather(from.cast(), bytes, kind, to.cast(), bytes, kind, self.raw, request)
        })
    }

    /// One number of each rank for each rank: those that the others have for this one.
    pub(crate) fn exchange_counts(&self, counts: Vec<i64>) -> Result<Vec<i64>> {
        debug_assert_eq!(counts.len(), self.size);
        let target = vec![0_i64; self.size];
        // SAFETY: there is one number for each rank on both sides.
        self.collective("MPI_Ialltoall", counts, target, |from, to, request| unsafe {
            let kind = ffi::RSMPI_INT64_T;
            ffi::MPI_Ialltoall(from.cast(), 1, kind, to.cast(), 1, kind, self.raw, request)
        })
    }

    /// Text of a rank, cut at 1,024 bytes, for all ranks.
    pub(crate) fn broadcast_text(&self, root: usize, text: &str) -> Result<String> {
        let mut bytes = vec![0_u8; 1024];
        if self.rank == root {
            let length = text.len().min(bytes.len());
            bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        }
        let count = bytes.len() as c_int;
        // SAFETY: the buffer has `count` bytes on all ranks.
        let bytes = self.collective("MPI_Ibcast", Vec::<u8>::new(), bytes, |_, to, request| unsafe {
            ffi::MPI_Ibcast(to.cast(), count, ffi::RSMPI_UINT8_T, root as c_int, self.raw, request)
        })?;
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    /// Numbers of a rank for all ranks, all of which know how many they are.
    pub(crate) fn broadcast<T: Element>(&self, root: usize, values: Vec<T>) -> Result<Vec<T>> {
        let bytes = size_of_val(values.as_slice()) as c_int;
        // SAFETY: the buffer has `bytes` bytes on all ranks.
        self.collective("MPI_Ibcast", Vec::<u8>::new(), values, |_, to, request| unsafe {
            ffi::MPI_Ibcast(to.cast(), bytes, ffi::RSMPI_UINT8_T, root as c_int, self.raw, request)
        })
    }
}
