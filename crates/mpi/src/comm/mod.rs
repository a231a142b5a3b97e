//! MPI's functions with their errors, and waits that end when a rank has failed.

mod collective;
mod request;
mod ring;
mod transfer;
mod watch;

pub(crate) use request::{Receiving, Sending, allocate};
pub(crate) use ring::Ring;
pub(crate) use transfer::Transfer;
pub(crate) use watch::{Process, Watch};

use std::ffi::{c_char, c_int};
use std::rc::Rc;

use mpi::ffi;

use crate::error::{Error, Result};

/// Streams of messages between two ranks of a communicator. Messages of one tag arrive in the order of their sends.
#[derive(Clone, Copy, Debug)]
#[repr(i32)]
pub(crate) enum Tag {
    /// Panels of the left operand, along a row of ranks.
    RowPanel = 1,
    /// Panels of the right operand, along a column of ranks.
    ColumnPanel,
    /// Pivots of a panel.
    Pivots,
    /// Parts of a reduction.
    Reduce,
    /// Results of a reduction.
    Broadcast,
    /// Redistributed elements.
    Exchange,
    /// Row interchanges.
    Interchange,
    /// Blocks of a panel for the other triangle.
    Gather,
    /// Ghost elements of a vector.
    Ghosts,
    /// Parts of a Fourier transform's array.
    Transform,
}

/// A communicator of this library's own, with errors returned.
pub(crate) struct Communicator {
    raw: ffi::MPI_Comm,
    rank: usize,
    size: usize,
    watch: Rc<Watch>,
}

/// Result of an MPI function: its error class as text.
pub(crate) fn check(call: &'static str, code: c_int) -> Result<()> {
    // MPI_SUCCESS is 0 in every implementation, as the standard demands.
    if code == 0 {
        return Ok(());
    }
    // MPI_MAX_ERROR_STRING is 512 in MPICH and 256 in Open MPI.
    let mut text = [0_u8; 1024];
    let mut length = 0;
    // SAFETY: the text is longer than any MPI library's.
    let known = unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &mut length) } == 0;
    let reason = match usize::try_from(length) {
        Ok(length) if known && length <= text.len() => String::from_utf8_lossy(&text[..length]).into_owned(),
        _ => format!("error {code}"),
    };
    Err(Error::Mpi { call, reason })
}

/// Duplicates a communicator, and lets the copy return its errors.
///
/// # Safety
/// `raw` is a valid communicator, and all of its ranks make the call.
pub(crate) unsafe fn duplicate(raw: ffi::MPI_Comm) -> Result<ffi::MPI_Comm> {
    // SAFETY: the constant is one of the MPI library's.
    let mut copy = unsafe { ffi::RSMPI_COMM_NULL };
    // SAFETY: by contract.
    check("MPI_Comm_dup", unsafe { ffi::MPI_Comm_dup(raw, &mut copy) })?;
    // SAFETY: the communicator was made above.
    check("MPI_Comm_set_errhandler", unsafe { ffi::MPI_Comm_set_errhandler(copy, ffi::RSMPI_ERRORS_RETURN) })?;
    Ok(copy)
}

/// Rank and size of a communicator.
///
/// # Safety
/// `raw` is a valid communicator.
pub(crate) unsafe fn rank_and_size(raw: ffi::MPI_Comm) -> Result<(usize, usize)> {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: by contract.
    check("MPI_Comm_rank", unsafe { ffi::MPI_Comm_rank(raw, &mut rank) })?;
    // SAFETY: by contract.
    check("MPI_Comm_size", unsafe { ffi::MPI_Comm_size(raw, &mut size) })?;
    Ok((rank as usize, size as usize))
}

impl Communicator {
    /// Takes a communicator, which is freed with the value.
    ///
    /// # Safety
    /// `raw` is a valid communicator of the library's own, with errors returned.
    pub(crate) unsafe fn from_raw(raw: ffi::MPI_Comm, watch: Rc<Watch>) -> Result<Self> {
        // SAFETY: by contract.
        let (rank, size) = unsafe { rank_and_size(raw)? };
        Ok(Communicator { raw, rank, size, watch })
    }

    /// Ranks with the same colour, in the order of their keys.
    pub(crate) fn split(&self, colour: usize, key: usize) -> Result<Self> {
        // SAFETY: the constant is one of the MPI library's.
        let mut part = unsafe { ffi::RSMPI_COMM_NULL };
        // SAFETY: the communicator is valid while the value lives.
        let code = unsafe { ffi::MPI_Comm_split(self.raw, colour as c_int, key as c_int, &mut part) };
        check("MPI_Comm_split", code)?;
        // Error handlers are inherited.
        // SAFETY: the communicator was made above.
        unsafe { Self::from_raw(part, Rc::clone(&self.watch)) }
    }

    /// Ranks that share memory with this one.
    pub(crate) fn split_shared(&self) -> Result<Self> {
        // SAFETY: the constant is one of the MPI library's.
        let mut part = unsafe { ffi::RSMPI_COMM_NULL };
        // SAFETY: the communicator is valid while the value lives; MPI_INFO_NULL is no information.
        let code = unsafe {
            let kind = ffi::RSMPI_COMM_TYPE_SHARED;
            ffi::MPI_Comm_split_type(self.raw, kind, self.rank as c_int, ffi::RSMPI_INFO_NULL, &mut part)
        };
        check("MPI_Comm_split_type", code)?;
        // SAFETY: the communicator was made above.
        unsafe { Self::from_raw(part, Rc::clone(&self.watch)) }
    }

    /// Number of this rank.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// Ranks of the communicator.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Watch for failed ranks.
    pub(crate) fn watch(&self) -> &Rc<Watch> {
        &self.watch
    }

    /// Lets the MPI library move messages along, in the middle of local work.
    pub(crate) fn progress(&self) -> Result<()> {
        self.watch.poll()
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        // Freeing is collective in some MPI libraries: after a failure it could wait for a rank that is gone.
        if self.watch.failure().is_none() && !std::thread::panicking() && !mpi::environment::is_finalized() {
            // SAFETY: the communicator is the value's own, and no request on it is open.
            let _ = unsafe { ffi::MPI_Comm_free(&mut self.raw) };
        }
    }
}
