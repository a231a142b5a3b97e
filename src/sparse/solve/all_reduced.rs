//! Passes over vectors of which each process has a part.

use super::operator::AllReduce;
use super::runner::Runner;
use crate::error::Result;
use crate::memory::Buffer;
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef};
use affinimath_core::sparse::pass::Pass;

/// The passes of a runner, whose sums and norms are made over all processes.
///
/// The sums of a pass are read, reduced and written again before the next pass. Numbers of the recurrence are computed
/// from them on every process alike, so that all processes stop at the same iteration.
pub(crate) struct AllReduced<'r, T: Scalar> {
    runner: &'r mut dyn Runner<T>,
    processes: &'r dyn AllReduce,
    /// How many sums each pass makes.
    dots: Vec<usize>,
}

impl<'r, T: Scalar> AllReduced<'r, T> {
    /// For the passes of the runner.
    pub(crate) fn new(runner: &'r mut dyn Runner<T>, processes: &'r dyn AllReduce, dots: Vec<usize>) -> Self {
        AllReduced { runner, processes, dots }
    }
}

/// How many sums each pass makes.
pub(crate) fn dots_of(passes: &[Pass]) -> Vec<usize> {
    passes.iter().map(|pass| pass.dots.len()).collect()
}

impl<T: Scalar> Runner<T> for AllReduced<'_, T> {
    /// A process without rows has a vector too: all processes run the same passes.
    fn vector(&mut self, length: usize) -> Result<Buffer<T>> {
        self.runner.vector(length.max(1))
    }

    fn run(&mut self, pass: usize, vectors: &mut [Buffer<T>], bound: &[usize], slot: usize) -> Result<()> {
        self.runner.run(pass, vectors, bound, slot)?;
        let count = self.dots[pass];
        if count == 0 {
            return Ok(());
        }
        let own = self.runner.sums(count)?;
        let mut values: Vec<f64> = own.iter().flat_map(|sum| [sum.re(), sum.im()]).collect();
        self.processes.sum(&mut values)?;
        let sums: Vec<T> = values.chunks_exact(2).map(|parts| T::from_parts(parts[0], parts[1])).collect();
        self.runner.set_sums(&sums)
    }

    fn sums(&mut self, count: usize) -> Result<Vec<T>> {
        self.runner.sums(count)
    }

    fn set_sums(&mut self, sums: &[T]) -> Result<()> {
        self.runner.set_sums(sums)
    }

    fn scalars(&mut self) -> Result<Vec<T>> {
        self.runner.scalars()
    }

    fn set_scalars(&mut self, scalars: &[T]) -> Result<()> {
        self.runner.set_scalars(scalars)
    }

    fn history(&mut self, count: usize) -> Result<Vec<T>> {
        self.runner.history(count)
    }

    fn copy(&mut self, from: VectorRef<'_, T>, to: VectorMut<'_, T>) -> Result<()> {
        self.runner.copy(from, to)
    }

    fn scale(&mut self, factor: T::RealScalar, vector: VectorMut<'_, T>) -> Result<()> {
        self.runner.scale(factor, vector)
    }

    fn norm(&mut self, vector: VectorRef<'_, T>) -> Result<f64> {
        let own = if vector.length() == 0 { 0.0 } else { self.runner.norm(vector)? };
        let is_nan = if own.is_nan() { 1.0 } else { 0.0 };
        let mut largest = [if own.is_nan() { 0.0 } else { own }, is_nan];
        self.processes.maximum(&mut largest)?;
        let [largest, is_nan] = largest;
        if is_nan > 0.0 {
            return Ok(f64::NAN);
        }
        if largest == 0.0 || !largest.is_finite() {
            return Ok(largest);
        }
        let mut square = [(own / largest).powi(2)];
        self.processes.sum(&mut square)?;
        Ok(largest * square[0].sqrt())
    }

    /// Sums are waited for at every pass: to look at the numbers costs little more.
    fn max_between_polls(&self) -> usize {
        1
    }
}
