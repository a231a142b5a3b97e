//! Executors of a solver's passes.

use crate::error::Result;
use crate::memory::Buffer;
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef};

/// How many numbers are kept on the way: those of two looks, in one half each.
pub(crate) const HISTORY: usize = 64;
/// The most iterations between two looks at the numbers.
pub(crate) const MAX_BETWEEN_POLLS: usize = 16;

/// Executor of one method's passes on vectors in its memory: the host, or a device.
pub(crate) trait Runner<T: Scalar> {
    /// A vector of at least so many elements, which are not written yet.
    fn vector(&mut self, length: usize) -> Result<Buffer<T>>;

    /// Runs the method's pass of an index over the vectors whose indices are `bound` to its own. What it records goes
    /// to the place `slot` of the history.
    fn run(&mut self, pass: usize, vectors: &mut [Buffer<T>], bound: &[usize], slot: usize) -> Result<()>;

    /// The sums of the last pass, once everything is done.
    fn sums(&mut self, count: usize) -> Result<Vec<T>>;

    /// Other sums for the next pass.
    fn set_sums(&mut self, sums: &[T]) -> Result<()>;

    /// The numbers, once everything is done.
    fn scalars(&mut self) -> Result<Vec<T>>;

    /// Other numbers.
    fn set_scalars(&mut self, scalars: &[T]) -> Result<()>;

    /// The first numbers of the history, once everything is done.
    fn history(&mut self, count: usize) -> Result<Vec<T>>;

    /// Reader of scalars while passes run, for a runner that another thread or a device executes.
    fn watch(&mut self) -> Option<&mut dyn Watch<T>> {
        None
    }

    /// to := from.
    fn copy(&mut self, from: VectorRef<'_, T>, to: VectorMut<'_, T>) -> Result<()>;

    /// vector := factor * vector.
    fn scale(&mut self, factor: T::RealScalar, vector: VectorMut<'_, T>) -> Result<()>;

    /// The norm of a vector, without overflow or underflow on the way.
    fn norm(&mut self, vector: VectorRef<'_, T>) -> Result<f64>;

    /// After how many iterations, at the most, the numbers are looked at: 1 where that costs nothing,
    /// [`MAX_BETWEEN_POLLS`] at the most.
    fn max_between_polls(&self) -> usize;
}

/// Looks at numbers without waiting for all that is asked for.
pub(crate) trait Watch<T> {
    /// Enqueues a copy of the numbers, after everything enqueued before, into one of two slots.
    fn take_snapshot(&mut self, slot: usize) -> Result<()>;

    /// The numbers of a slot's copy, without waiting for commands enqueued after it.
    fn snapshot(&mut self, slot: usize) -> Result<Vec<T>>;

    /// Numbers of the history from a place on: recorded before the last [`Watch::snapshot`], and not since.
    fn history(&mut self, first: usize, count: usize) -> Result<Vec<T>>;
}
