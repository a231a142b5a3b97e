//! Errors of running a case.

use affinimath_kernel::{Fault, LoadError};
use affinimath_trace::CaseError;

/// A result, or why a case could not be run.
pub type Result<T> = std::result::Result<T, Error>;

/// Reason for which a case could not be read, recorded or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A folder that is no case.
    #[error(transparent)]
    Malformed(#[from] CaseError),
    /// A kernel of a case that is none.
    #[error("kernel.json: {0}")]
    Kernel(#[from] LoadError),
    /// A case without what is asked of it, or a kernel that does not take its arguments.
    #[error("{0}")]
    Unfit(String),
    /// A launch that wrote behind the end of a memory object.
    #[error("it writes behind the end of {0}")]
    OutOfBounds(String),
    /// A fault that the interpreter found.
    #[error("the interpreter: {0}")]
    Fault(#[from] Fault),
    /// An error of the device.
    #[error(transparent)]
    Device(#[from] affinimath_core::Error),
    /// A folder that cannot be written.
    #[error("the case cannot be written: {0}")]
    Io(#[from] std::io::Error),
}

impl Error {
    /// True where the case itself is at fault.
    pub const fn is_malformed(&self) -> bool {
        matches!(self, Error::Malformed(_) | Error::Kernel(_))
    }
}

/// An [`Error::Unfit`].
pub(crate) fn unfit<T>(reason: impl Into<String>) -> Result<T> {
    Err(Error::Unfit(reason.into()))
}
