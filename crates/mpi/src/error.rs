//! Errors that all ranks return alike.

/// Result of a call that all ranks of a grid make.
pub type Result<T> = std::result::Result<T, Error>;

/// Reason for which a call of all ranks could not be done.
///
/// Ranks agree on it: after wrong arguments, every rank returns the same error and nothing was changed. After
/// [`Error::Rank`] or [`Error::Lost`] in the middle of an operation, outputs hold anything and the grid is closed:
/// every later call on it returns the same error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Ranks that call one routine with different arguments.
    #[error("{operation}: {name} is {first} on rank 0 and {other} on rank {rank}")]
    Mismatch {
        /// Name of the routine.
        operation: &'static str,
        /// Name of the argument.
        name: &'static str,
        /// Value on rank 0.
        first: String,
        /// First rank with another value.
        rank: usize,
        /// Value on that rank.
        other: String,
    },

    /// Ranks that call different routines at the same time.
    #[error("rank 0 calls {first} and rank {rank} calls {other}")]
    Operations {
        /// Routine of rank 0.
        first: String,
        /// First rank with another routine.
        rank: usize,
        /// Routine of that rank.
        other: String,
    },

    /// An argument without a legal value.
    #[error("argument {name}: {reason}")]
    Argument {
        /// Name of the argument.
        name: &'static str,
        /// Rule that it breaks.
        reason: String,
    },

    /// A rank that could not do its part.
    #[error("rank {rank} of {size}: {message}")]
    Rank {
        /// Number of the rank in the grid's communicator.
        rank: usize,
        /// Ranks of the communicator.
        size: usize,
        /// Its error.
        message: String,
    },

    /// A rank whose process has ended.
    #[error("rank {rank} of {size} has ended: process {process} is no longer there")]
    Lost {
        /// Number of the rank in the grid's communicator.
        rank: usize,
        /// Ranks of the communicator.
        size: usize,
        /// Its process identifier.
        process: u32,
    },

    /// LAPACK's info of getrf: a pivot that is exactly zero. The factors are complete.
    #[error("pivot {index} is exactly zero: the matrix is singular")]
    ZeroPivot {
        /// Number of the pivot, from 1.
        index: usize,
    },

    /// LAPACK's info of potrf: a leading minor that is not positive definite.
    #[error("the leading minor of order {index} is not positive definite")]
    NotPositiveDefinite {
        /// Order of the minor, from 1.
        index: usize,
    },

    /// A function of MPI that returned an error.
    #[error("{call}: {reason}")]
    Mpi {
        /// Name of the function.
        call: &'static str,
        /// Text of the MPI library.
        reason: String,
    },

    /// An error of this process's own: a device, its memory, or the library.
    #[error("{0}")]
    Local(String),
}

impl Error {
    /// An argument without a legal value.
    #[cold]
    pub(crate) fn argument(name: &'static str, reason: impl Into<String>) -> Self {
        Error::Argument { name, reason: reason.into() }
    }
}

impl From<affinimath::Error> for Error {
    fn from(error: affinimath::Error) -> Self {
        Error::Local(error.to_string())
    }
}
