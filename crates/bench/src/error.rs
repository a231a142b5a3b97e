//! Why a benchmark cannot be run.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::memory::readable;

/// Why a benchmark, or one contender in it, could not be run: one line each.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Error of our library.
    #[error(transparent)]
    Affinimath(#[from] affinimath::Error),

    /// A peer's library file that cannot be loaded.
    #[error("{name}: {reason}")]
    Load {
        /// Name of the peer given by the user.
        name: String,
        /// Message of the dynamic loader.
        reason: affinimath::Error,
    },

    /// A peer's library file without a function that it should have.
    #[error("{name}: '{}' has no function {symbol}: is it {expected}?", path.display())]
    Symbol {
        /// Name of the peer given by the user.
        name: String,
        /// The file.
        path: PathBuf,
        /// The function.
        symbol: String,
        /// Expected kind of library.
        expected: &'static str,
    },

    /// A peer's function that failed.
    #[error("{name}: {call} returned {code}")]
    Peer {
        /// Name of the peer given by the user.
        name: String,
        /// The function.
        call: String,
        /// Its status.
        code: i32,
    },

    /// A peer that cannot do what is asked, for a reason.
    #[error("{0}")]
    Unfit(String),

    /// Options that do not go together.
    #[error("{0}")]
    Options(String),

    /// A problem larger than the machine.
    #[error(
        "{what} needs {} of the host's memory, of which {} are free: choose smaller sizes",
        readable((*needed).into()),
        readable((*available).into())
    )]
    Memory {
        /// The problem.
        what: String,
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },

    /// A file that cannot be written.
    #[error("cannot write '{}': {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },

    /// Error of another part of the program.
    #[error("{0}")]
    Failed(String),

    /// The table cannot be printed.
    #[error("the table cannot be printed: {0}")]
    Print(String),

    /// Whoever read the table has closed the pipe.
    #[error("the reader of the table has closed the pipe")]
    NobodyReads,

    /// The user stopped it.
    #[error("interrupted: the report has what had been measured")]
    Interrupted,

    /// Our own library failed, or computed something wrong.
    #[error("{0}")]
    Ours(String),
}

impl BenchError {
    /// The peer that is the reason, by what the user calls it.
    pub(crate) fn peer(&self) -> Option<&str> {
        match self {
            BenchError::Load { name, .. } | BenchError::Symbol { name, .. } | BenchError::Peer { name, .. } => {
                Some(name)
            }
            _ => None,
        }
    }

    /// A peer that one family alone measures.
    pub(crate) fn only_in(peer: &str, family: &str) -> Self {
        BenchError::Options(format!("{peer} is measured by `affinimath bench {family}` only"))
    }

    /// A file that cannot be loaded.
    pub(crate) fn load(name: &str, reason: affinimath::Error) -> Self {
        BenchError::Load { name: name.to_owned(), reason }
    }
}

impl From<Failure> for BenchError {
    fn from(failure: Failure) -> Self {
        BenchError::Failed(failure.0)
    }
}
