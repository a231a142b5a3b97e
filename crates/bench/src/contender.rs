//! A library on one problem, ready to be timed.

use std::time::Duration;

use super::error::BenchError;

/// A library on one problem: its operands are where it wants them, and it has not run yet.
pub trait Contender {
    /// Runs the operation `repetitions` times, back to back, and returns the time until all of them are done.
    ///
    /// # Errors
    /// Errors of the library.
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError>;

    /// Error of the last result, and its bound.
    ///
    /// # Errors
    /// Errors of the library while the result is read.
    fn accuracy(&mut self) -> Result<Accuracy, BenchError>;
}

/// Error of a result against a reference in higher precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The largest error found, relative to the operands' magnitude; NaN where the result is not finite.
    pub error: f64,
    /// The bound of the error analysis.
    pub bound: f64,
}

impl Accuracy {
    /// True if the result is right.
    pub fn holds(&self) -> bool {
        // Not `error > bound`: a NaN is not right.
        self.error <= self.bound
    }
}

/// A contender that could be prepared for a case, or why it could not.
pub type Entrant<'a> = Result<Box<dyn Contender + 'a>, BenchError>;
