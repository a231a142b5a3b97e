//! A call of all ranks: its arguments on this rank, on which the ranks agree before anything is changed.

use std::ffi::c_int;

use affinimath_mpi::{Error, Result};

use crate::objects::{Grid, handle, wrong};

/// A call's arguments on this rank, and what is wrong with the first wrong one.
pub(crate) struct Call<'g> {
    pub(crate) function: &'static str,
    pub(crate) grid: &'g affinimath_mpi::Grid,
    /// Integers that ranks compare: options' codes and descriptors.
    pub(crate) integers: Vec<(&'static str, i64)>,
    own: Result<()>,
}

impl<'g> Call<'g> {
    /// A call on a grid that C has given.
    ///
    /// # Safety
    /// `grid` is null or a live grid.
    pub(crate) unsafe fn new(function: &'static str, grid: *const Grid) -> Result<Self> {
        // SAFETY: by contract.
        Ok(Self::on(function, &unsafe { handle(function, "grid", grid)? }.0))
    }

    /// A call on the grid of an object.
    pub(crate) fn on(function: &'static str, grid: &'g affinimath_mpi::Grid) -> Self {
        Call { function, grid, integers: Vec::new(), own: Ok(()) }
    }

    /// Keeps the first error of this rank's arguments.
    pub(crate) fn refuse(&mut self, error: Error) {
        if self.own.is_ok() {
            self.own = Err(error);
        }
    }

    /// An option, if its code is legal.
    pub(crate) fn option<O>(&mut self, name: &'static str, code: c_int, option: affinimath::Result<O>) -> Option<O> {
        self.integers.push((name, i64::from(code)));
        let text = |error| match error {
            affinimath::Error::InvalidArgument { reason, .. } => reason,
            other => other.to_string(),
        };
        option.map_err(|error| self.refuse(wrong(name, text(error)))).ok()
    }

    /// An argument that was parsed.
    pub(crate) fn take<O>(&mut self, parsed: Result<O>) -> Option<O> {
        parsed.map_err(|error| self.refuse(error)).ok()
    }

    /// An array that may be null where it has no elements.
    pub(crate) fn array<T>(&mut self, name: &'static str, pointer: *const T, length: usize) {
        if pointer.is_null() && length > 0 {
            self.refuse(wrong(name, "it is null"));
        }
    }

    /// Refuses what is not a rule's case.
    pub(crate) fn demand(&mut self, holds: bool, name: &'static str, reason: impl FnOnce() -> String) {
        if !holds {
            self.refuse(wrong(name, reason()));
        }
    }

    /// Lets all ranks agree. The arguments are there afterwards.
    pub(crate) fn agree(&self) -> Result<()> {
        self.grid.agree_on(self.function, &self.integers, self.own.clone())
    }
}

/// A panic in a call closes the grid: the other ranks are in the call, or come to it.
impl Drop for Call<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.grid.fail("it has panicked");
        }
    }
}

/// An argument's error under C's name of it.
pub(crate) fn renamed(error: Error, name: &'static str) -> Error {
    match error {
        Error::Argument { reason, .. } => Error::Argument { name, reason },
        other => other,
    }
}

/// Arguments that ranks have agreed on and that are not there: a defect.
#[cold]
pub(crate) fn missing() -> Error {
    Error::Local("an argument is missing that ranks have agreed on".to_owned())
}
