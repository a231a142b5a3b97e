//! Agreement of all ranks on the arguments of a call.

use affinimath::Scalar;

use crate::comm::Communicator;
use crate::error::{Error, Result};

/// Most arguments of a call.
const ARGUMENTS: usize = 32;

/// Arguments of a call that must be the same on all ranks.
pub(crate) struct Agreement {
    operation: &'static str,
    arguments: Vec<(&'static str, i64, Kind)>,
}

/// How an argument is written in a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Real,
}

impl Agreement {
    /// A call of a routine.
    pub(crate) fn new(operation: &'static str) -> Self {
        Agreement { operation, arguments: Vec::new() }
    }

    /// A size or index.
    pub(crate) fn size(self, name: &'static str, value: usize) -> Self {
        self.integer(name, value as i64)
    }

    /// An integer, or an option's code.
    pub(crate) fn integer(mut self, name: &'static str, value: i64) -> Self {
        self.arguments.push((name, value, Kind::Integer));
        self
    }

    /// A number, compared bit by bit.
    pub(crate) fn scalar<T: Scalar>(mut self, name: &'static str, value: T) -> Self {
        self.arguments.push((name, value.re().to_bits() as i64, Kind::Real));
        self.arguments.push((name, value.im().to_bits() as i64, Kind::Real));
        self
    }

    /// Compares the arguments of all ranks, and takes each rank's opinion of its own ones.
    ///
    /// # Errors
    /// The same error on all ranks.
    pub(crate) fn conclude(self, all: &Communicator, own: Result<()>) -> Result<()> {
        debug_assert!(self.arguments.len() <= ARGUMENTS);
        all.watch().poll()?;
        // Each value and its complement: where the smallest of both are complements, all ranks have one value.
        let rank = if own.is_err() { all.rank() as i64 } else { i64::MAX };
        let values = std::iter::once(digest(self.operation)).chain(self.arguments.iter().map(|(_, value, _)| *value));
        let mut values: Vec<i64> = values.collect();
        values.resize(ARGUMENTS + 1, 0);
        let mut message: Vec<i64> = values.iter().flat_map(|value| [*value, !*value]).collect();
        message.push(rank);
        let smallest = all.minimum(message).map_err(|error| all.watch().raise(error))?;
        let differs = smallest.chunks_exact(2).position(|pair| pair[0] != !pair[1]);
        let failed = smallest[2 * (ARGUMENTS + 1)];
        let error = match differs {
            Some(0) => self.operations_differ(all),
            Some(index) => self.values_differ(all, values[index], index - 1),
            None if failed != i64::MAX => rank_failed(all, failed as usize, own),
            None => return Ok(()),
        };
        // An MPI error in an exchange is not agreed on: this rank raises it.
        Err(match error {
            Ok(error) => error,
            Err(error) => all.watch().raise(error),
        })
    }

    #[cold]
    fn operations_differ(&self, all: &Communicator) -> Result<Error> {
        let digests = all.gather_all(vec![digest(self.operation)])?;
        let rank = digests.iter().position(|other| *other != digests[0]).unwrap_or(0);
        let first = all.broadcast_text(0, self.operation)?;
        let other = all.broadcast_text(rank, self.operation)?;
        Ok(Error::Operations { first, rank, other })
    }

    #[cold]
    fn values_differ(&self, all: &Communicator, value: i64, index: usize) -> Result<Error> {
        let values = all.gather_all(vec![value])?;
        let rank = values.iter().position(|other| *other != values[0]).unwrap_or(0);
        let (name, kind) = self.arguments.get(index).map_or(("an argument", Kind::Integer), |(n, _, k)| (*n, *k));
        let shown = |value: i64| match kind {
            Kind::Integer => value.to_string(),
            Kind::Real => f64::from_bits(value as u64).to_string(),
        };
        let operation = self.operation;
        Ok(Error::Mismatch { operation, name, first: shown(values[0]), rank, other: shown(values[rank]) })
    }
}

/// The error of the first rank that has one. Where all ranks refuse one argument, it is that argument's: reasons may
/// hold a rank's own numbers, so that the first rank's reason is every rank's.
#[cold]
fn rank_failed(all: &Communicator, rank: usize, own: Result<()>) -> Result<Error> {
    let text = own.as_ref().err().map_or_else(String::new, ToString::to_string);
    let message = all.broadcast_text(rank, &text)?;
    let name = match &own {
        Err(Error::Argument { name, .. }) => digest(name),
        _ => 0,
    };
    let smallest = all.minimum(vec![i64::from(text == message), name, !name])?;
    let (same_text, same_name) = (smallest[0] == 1, smallest[1] == !smallest[2]);
    Ok(match own {
        Err(error) if same_text => error,
        Err(Error::Argument { name, .. }) if same_name => {
            let reason = message.strip_prefix(&format!("argument {name}: ")).unwrap_or(&message);
            Error::Argument { name, reason: format!("{reason}, on rank {rank}") }
        }
        _ => Error::Rank { rank, size: all.size(), message },
    })
}

/// FNV-1a of a name.
fn digest(name: &str) -> i64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
        as i64
}
