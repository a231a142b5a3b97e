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
    /// Halos of a stencil's grids.
    Halos,
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

/// Handle of a communicator of the library's own, which is freed with the value.
pub(crate) struct OwnedComm(ffi::MPI_Comm);

impl OwnedComm {
    /// The handle that a function of MPI makes.
    fn make(call: &'static str, function: impl FnOnce(*mut ffi::MPI_Comm) -> c_int) -> Result<Self> {
        // SAFETY: the constant is one of the MPI library's.
        let mut raw = unsafe { ffi::RSMPI_COMM_NULL };
        check(call, function(&mut raw))?;
        Ok(OwnedComm(raw))
    }

    fn rank_and_size(&self) -> Result<(usize, usize)> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the communicator is valid while the value lives.
        check("MPI_Comm_rank", unsafe { ffi::MPI_Comm_rank(self.0, &mut rank) })?;
        // SAFETY: as above.
        check("MPI_Comm_size", unsafe { ffi::MPI_Comm_size(self.0, &mut size) })?;
        Ok((rank as usize, size as usize))
    }

    /// Handle that the caller frees.
    fn into_raw(self) -> ffi::MPI_Comm {
        std::mem::ManuallyDrop::new(self).0
    }
}

impl Drop for OwnedComm {
    fn drop(&mut self) {
        if !std::thread::panicking() && !mpi::environment::is_finalized() {
            // SAFETY: the communicator is the value's own, and nothing was sent on it.
            let _ = unsafe { ffi::MPI_Comm_free(&mut self.0) };
        }
    }
}

/// Duplicates a communicator, and lets the copy return its errors.
///
/// # Safety
/// `raw` is a valid communicator, and all of its ranks make the call.
pub(crate) unsafe fn duplicate(raw: ffi::MPI_Comm) -> Result<OwnedComm> {
    // SAFETY: by contract.
    let copy = OwnedComm::make("MPI_Comm_dup", |copy| unsafe { ffi::MPI_Comm_dup(raw, copy) })?;
    // SAFETY: the communicator was made above.
    check("MPI_Comm_set_errhandler", unsafe { ffi::MPI_Comm_set_errhandler(copy.0, ffi::RSMPI_ERRORS_RETURN) })?;
    Ok(copy)
}

impl Communicator {
    /// Takes a communicator that returns its errors.
    pub(crate) fn new(comm: OwnedComm, watch: Rc<Watch>) -> Result<Self> {
        let (rank, size) = comm.rank_and_size()?;
        Ok(Communicator { raw: comm.into_raw(), rank, size, watch })
    }

    /// Ranks with the same colour, in the order of their keys.
    pub(crate) fn split(&self, colour: usize, key: usize) -> Result<Self> {
        // SAFETY: the communicator is valid while the value lives.
        let part = OwnedComm::make("MPI_Comm_split", |part| unsafe {
            ffi::MPI_Comm_split(self.raw, colour as c_int, key as c_int, part)
        })?;
        // Error handlers are inherited.
        Self::new(part, Rc::clone(&self.watch))
    }

    /// Ranks that share memory with this one.
    pub(crate) fn split_shared(&self) -> Result<Self> {
        // SAFETY: the communicator is valid while the value lives; MPI_INFO_NULL is no information.
        let part = OwnedComm::make("MPI_Comm_split_type", |part| unsafe {
            let kind = ffi::RSMPI_COMM_TYPE_SHARED;
            ffi::MPI_Comm_split_type(self.raw, kind, self.rank as c_int, ffi::RSMPI_INFO_NULL, part)
        })?;
        Self::new(part, Rc::clone(&self.watch))
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
