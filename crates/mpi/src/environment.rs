//! Beginning and end of MPI in a program.

use mpi::environment::Universe;
use mpi::ffi;
use mpi::topology::SimpleCommunicator;

use crate::error::{Error, Result};

/// MPI of this process: made once, at the start of `main`, and ended when it is dropped.
///
/// After a failure in the middle of an operation, MPI cannot be finalised: messages are under way that nobody takes.
/// The value ends all processes then, in place of waiting for ever: by `MPI_Abort` with code 1.
pub struct Environment {
    // Dropped at the end of this value's own drop, unless the job was aborted.
    universe: Universe,
}

impl Environment {
    /// Begins MPI, for one thread that calls it.
    ///
    /// # Errors
    /// [`Error::Local`] if MPI has begun already.
    pub fn initialize() -> Result<Self> {
        let begun = mpi::initialize_with_threading(mpi::Threading::Funneled);
        let (universe, _) = begun.ok_or_else(|| Error::Local("MPI has begun already in this process".to_owned()))?;
        Ok(Environment { universe })
    }

    /// The communicator of all processes of the job.
    pub fn world(&self) -> SimpleCommunicator {
        self.universe.world()
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        if std::thread::panicking() || crate::grid::any_failed() {
            // Others write their own messages meanwhile.
            std::thread::sleep(std::time::Duration::from_millis(1500));
            // SAFETY: MPI has begun and has not ended. The call does not return.
            unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, 1) };
        }
    }
}
