//! CLBlast, through its C interface, on the device that our library runs on.

use affinimath::Device;

use super::opencl::without_device;
use super::{LibraryFile, OpenClSession};
use crate::error::BenchError;
use crate::report::ContenderFacts;
use crate::target::MemoryChoice;

/// CLBlast, with a context and a queue of its own: what it builds and enqueues does not mix with ours.
pub struct ClBlastLibrary {
    file: LibraryFile,
    session: Option<OpenClSession>,
}

impl ClBlastLibrary {
    /// Expected library, for a file without one of its functions.
    pub const EXPECTED: &str = "CLBlast, built with its C interface";

    /// Its file.
    pub const fn file(&self) -> &LibraryFile {
        &self.file
    }

    pub(super) fn new(file: LibraryFile, device: Option<&'static Device>) -> Result<Self, BenchError> {
        let session = device.map(|device| OpenClSession::open(&file, device)).transpose()?;
        Ok(ClBlastLibrary { file, session })
    }

    /// A function of CLBlast's C interface.
    ///
    /// # Errors
    /// [`BenchError::Symbol`].
    ///
    /// # Safety
    /// `F` must be the type of the function.
    pub unsafe fn function<F: Copy>(&self, symbol: &str) -> Result<F, BenchError> {
        // SAFETY: this function requires that `F` is the symbol's type, too.
        unsafe { self.file.function(symbol, Self::EXPECTED) }
    }

    /// Its device and queue.
    ///
    /// # Errors
    /// [`BenchError::Unfit`] when our library runs on the host: there is no device for CLBlast then.
    pub fn session(&self) -> Result<&OpenClSession, BenchError> {
        self.session.as_ref().ok_or_else(|| without_device(&self.file))
    }

    /// A failed call as an error.
    ///
    /// # Errors
    /// [`BenchError::Peer`] when the status is not zero.
    pub fn check(&self, call: &str, status: i32) -> Result<(), BenchError> {
        self.file.check(call, status)
    }

    pub(super) fn info(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: self.file.library().version_in_name().map(|version| format!("CLBlast {version}")),
            threads: None,
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Device,
        }
    }
}
