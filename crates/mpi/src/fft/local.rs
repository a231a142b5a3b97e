//! Transforms of a rank's block along axes that it has in full, where the route says.

use affinimath::{Direction, FftDescriptor, FftPlan, FftReal, Scalar, Transform, VectorMut, VectorRef, VectorShape};

use super::blocks::{AXES, FftBlock};
use crate::error::Result;

/// A transform of all pencils or planes of a block, one plan for each round.
#[derive(Debug)]
pub(super) struct LocalTransform<R: FftReal> {
    /// None of an empty block.
    plan: Option<FftPlan<R>>,
    rounds: usize,
    /// Elements between rounds.
    step: usize,
    in_place: bool,
}

/// Axes that are transformed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    /// All from this one to the last, which is halved on the complex side of a real transform.
    From(usize),
    /// One of complex elements, of which others lie between neighbours.
    One(usize),
}

impl<R: FftReal> LocalTransform<R> {
    /// `real` is the length of the last axis' real side, for a transform between real and complex elements.
    pub(super) fn new(
        block: &FftBlock,
        along: Along,
        direction: Direction,
        real: Option<usize>,
        in_place: bool,
        scale: f64,
    ) -> Result<Self> {
        let sizes = block.size();
        let product = |axes: std::ops::Range<usize>| sizes[axes].iter().product::<usize>();
        if block.is_empty() {
            return Ok(LocalTransform { plan: None, rounds: 0, step: 0, in_place });
        }
        let (descriptor, rounds, step) = match along {
            Along::From(axis) => {
                let mut lengths = sizes[axis..].to_vec();
                let last = lengths.len() - 1;
                if let Some(real) = real {
                    lengths[last] = real;
                }
                let transform = match (real, direction) {
                    (None, direction) => Transform::Complex(direction),
                    (Some(_), Direction::Forward) => Transform::RealToComplex,
                    (Some(_), Direction::Backward) => Transform::ComplexToReal,
                };
                (FftDescriptor::new(transform, &lengths).batch(product(0..axis)), 1, 0)
            }
            Along::One(axis) => {
                let stride = product(axis + 1..AXES);
                let descriptor = FftDescriptor::new(Transform::Complex(direction), &[sizes[axis]]).batch(stride);
                let strided = descriptor.input_layout(&[stride], 1).output_layout(&[stride], 1);
                (strided, product(0..axis), product(axis..AXES))
            }
        };
        let descriptor = if in_place { descriptor.in_place() } else { descriptor };
        let plan = Some(FftPlan::new(descriptor.scale(scale))?);
        Ok(LocalTransform { plan, rounds, step, in_place })
    }

    /// True of a plan for [`LocalTransform::run_in_place`].
    pub(super) fn is_in_place(&self) -> bool {
        self.in_place
    }

    /// Transforms a block to another one.
    pub(super) fn run<I: Scalar, O: Scalar>(&self, input: &[I], output: &mut [O]) -> Result<()> {
        let Some(plan) = &self.plan else { return Ok(()) };
        for round in 0..self.rounds {
            let (from, to) = (&input[round * self.step..], &mut output[round * self.step..]);
            let (read, written) = (shape(plan.input_length())?, shape(plan.output_length())?);
            plan.execute(VectorRef::from_slice(from, read)?, VectorMut::from_slice(to, written)?)?.wait()?;
        }
        Ok(())
    }

    /// Transforms a block in its place, of a plan for that.
    pub(super) fn run_in_place<C: Scalar>(&self, block: &mut [C]) -> Result<()> {
        let Some(plan) = &self.plan else { return Ok(()) };
        for round in 0..self.rounds {
            let part = &mut block[round * self.step..];
            plan.execute_in_place(VectorMut::from_slice(part, shape(plan.input_length())?)?)?.wait()?;
        }
        Ok(())
    }
}

fn shape(length: usize) -> Result<VectorShape> {
    Ok(VectorShape::new(length, 0, 1)?)
}
