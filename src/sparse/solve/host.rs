//! Passes over vectors in the host's memory.

use affinimath_core::problem::Elementwise;
use affinimath_core::sparse::pass::Pass;
use affinimath_cpu::level1::{elementwise, nrm2};
use affinimath_cpu::sparse::{Passes, raw_vector};

use super::runner::{HISTORY, Runner};
use crate::error::Result;
use crate::memory::Buffer;
use crate::scalar::Scalar;
use crate::view::{Memory, VectorMut, VectorRef, View};

/// Passes in the host's memory.
pub(crate) struct HostRunner<T> {
    passes: Passes<T>,
    history: [T; HISTORY],
}

impl<T: Scalar> HostRunner<T> {
    /// For the passes of a method.
    pub(crate) fn new(passes: Vec<Pass>) -> Self {
        HostRunner { passes: Passes::new(passes), history: [T::ZERO; HISTORY] }
    }
}

impl<T: Scalar> Runner<T> for HostRunner<T> {
    fn vector(&mut self, length: usize) -> Result<Buffer<T>> {
        Ok(vec![T::ZERO; length].into())
    }

    fn run(&mut self, pass: usize, vectors: &mut [Buffer<T>], bound: &[usize], slot: usize) -> Result<()> {
        let length = bound.first().map_or(0, |&vector| vectors[vector].len());
        let starts = bound.iter().map(|&vector| start(&mut vectors[vector])).collect::<Result<_>>()?;
        // SAFETY: the vectors are different buffers of one length, which are borrowed meanwhile.
        if let Some(number) = unsafe { self.passes.run(pass, length, starts) } {
            self.history[slot] = number;
        }
        Ok(())
    }

    fn sums(&mut self, count: usize) -> Result<Vec<T>> {
        Ok(self.passes.sums[..count].to_vec())
    }

    fn set_sums(&mut self, sums: &[T]) -> Result<()> {
        self.passes.sums[..sums.len()].copy_from_slice(sums);
        Ok(())
    }

    fn scalars(&mut self) -> Result<Vec<T>> {
        Ok(self.passes.scalars.clone())
    }

    fn set_scalars(&mut self, scalars: &[T]) -> Result<()> {
        self.passes.scalars.copy_from_slice(scalars);
        Ok(())
    }

    fn history(&mut self, count: usize) -> Result<Vec<T>> {
        Ok(self.history[..count].to_vec())
    }

    fn copy(&mut self, from: VectorRef<'_, T>, to: VectorMut<'_, T>) -> Result<()> {
        elementwise(
            &Elementwise::Copy,
            Some(raw_vector(from.memory(), from.shape())),
            raw_vector(to.memory(), to.shape()),
        );
        Ok(())
    }

    fn scale(&mut self, factor: T::RealScalar, vector: VectorMut<'_, T>) -> Result<()> {
        elementwise(&Elementwise::ScalReal(factor), None, raw_vector(vector.memory(), vector.shape()));
        Ok(())
    }

    fn norm(&mut self, vector: VectorRef<'_, T>) -> Result<f64> {
        Ok(nrm2(raw_vector(vector.memory(), vector.shape())).into())
    }

    fn max_between_polls(&self) -> usize {
        1
    }
}

/// Start of a vector's elements.
fn start<T: Scalar>(vector: &mut Buffer<T>) -> Result<*mut T> {
    match vector.vector_mut()?.memory() {
        Memory::Host(start, _) => Ok(start),
        Memory::Device(_) => unreachable!("the host works on the host's memory"),
    }
}
