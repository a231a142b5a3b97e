//! The passes of a problem, by the layout of its operands.

use rustfft::FftNum;

use super::pass::{Buffer, LoopDimension, Pass};
use super::pencil::PencilTransform;
use super::planner::{PencilPlanner, takes_all_threads};
use affinimath_core::fft::descriptor::{Problem, Transform};
use affinimath_core::threads;

/// An array in a buffer, with the strides of its axes and the distance between transforms, in real values.
#[derive(Clone)]
struct Operand {
    buffer: Buffer,
    strides: Vec<usize>,
    distance: usize,
}

pub(super) struct Layout<'a> {
    problem: &'a Problem,
    input: Operand,
    /// The operand between two passes.
    between: Operand,
    output: Operand,
    /// True if each pass covers all transforms of the batch: those of one dimension, and interleaved ones.
    together: bool,
}

impl<'a> Layout<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let width = |real: bool| if real { 1 } else { 2 };
        let (axes, batch) = (&problem.axes, &problem.batch);
        let (from, to) = (width(problem.transform.from_real()), width(problem.transform.to_real()));
        let input = Operand {
            buffer: if problem.in_place { Buffer::Output } else { Buffer::Input },
            strides: axes.iter().map(|axis| from * axis.input_stride).collect(),
            distance: from * batch.input_distance,
        };
        let output = Operand {
            buffer: Buffer::Output,
            strides: axes.iter().map(|axis| to * axis.output_stride).collect(),
            distance: to * batch.output_distance,
        };
        let between = match problem.transform {
            // The output of real values is too small for the complex points between the passes.
            Transform::ComplexToReal if problem.in_place => input.clone(),
            Transform::ComplexToReal => dense(&problem.input_lengths()),
            _ => output.clone(),
        };
        let interleaved = axes.iter().any(|axis| axis.length > 1 && axis.output_stride > batch.output_distance);
        Layout { problem, input, between, output, together: axes.len() == 1 || interleaved }
    }

    /// Loop over the transforms that are computed one by one.
    pub(super) fn rounds(&self) -> LoopDimension {
        let batch = self.batch(&self.input, &self.output);
        if self.together { LoopDimension { count: batch.count.min(1), ..batch } } else { batch }
    }

    /// Real values between the passes of a round.
    pub(super) fn work(&self) -> usize {
        self.between.distance * if self.together { self.problem.batch.count } else { 1 }
    }

    pub(super) fn passes<R: FftNum>(&self) -> Vec<Pass<R>> {
        let mut planner = PencilPlanner::new();
        let axes = self.axes();
        let end = axes.len() - 1;
        let pass = |(i, axis): (usize, usize)| {
            let from = if i == 0 { &self.input } else { &self.between };
            let to = if i == end { &self.output } else { &self.between };
            let n = self.problem.axes[axis].length;
            let outer = axis + 1 < self.problem.axes.len();
            let loops = self.loops(axis, from, to);
            let few_pencils = loops.iter().map(|l| l.count).product::<usize>() < threads::available();
            let pencil = PencilTransform::new(self.problem.transform, outer, n, few_pencils, &mut planner);
            let scale = if i == end { self.problem.scale } else { 1.0 };
            let strides = [from.strides[axis], to.strides[axis]];
            Pass::new([from.buffer, to.buffer], pencil, (n, takes_all_threads(n, few_pencils)), strides, loops, scale)
        };
        axes.into_iter().enumerate().map(pass).collect()
    }

    /// The axes in the order of their passes. Complex axes of length 1 need no pass.
    fn axes(&self) -> Vec<usize> {
        let (transform, last) = (self.problem.transform, self.problem.axes.len() - 1);
        let halved = matches!(transform, Transform::RealToComplex | Transform::ComplexToReal);
        let idle = |axis: usize| match transform {
            Transform::Complex(_) => self.problem.axes[axis].length == 1,
            _ => halved && axis < last && self.problem.axes[axis].length == 1,
        };
        let mut axes: Vec<_> = (0..=last).filter(|axis| !idle(*axis)).collect();
        if axes.is_empty() {
            axes.push(last);
        }
        if transform != Transform::ComplexToReal {
            axes.reverse();
        }
        axes
    }

    /// Dimensions of the pencils along an axis.
    fn loops(&self, axis: usize, from: &Operand, to: &Operand) -> Vec<LoopDimension> {
        // The other axes are transformed while the last one holds n/2 + 1 points.
        let counts = match self.problem.transform {
            Transform::ComplexToReal => self.problem.input_lengths(),
            _ => self.problem.output_lengths(),
        };
        let others = (0..counts.len()).filter(|other| *other != axis);
        let loops = others.map(|other| LoopDimension {
            count: counts[other],
            from: from.strides[other],
            to: to.strides[other],
        });
        let batch = self.together.then(|| self.batch(from, to));
        loops.chain(batch).collect()
    }

    fn batch(&self, from: &Operand, to: &Operand) -> LoopDimension {
        LoopDimension { count: self.problem.batch.count, from: from.distance, to: to.distance }
    }
}

/// A row-major complex array in the plan's own memory.
fn dense(lengths: &[usize]) -> Operand {
    let mut strides = vec![0; lengths.len()];
    let mut next = 2;
    for (stride, length) in strides.iter_mut().zip(lengths).rev() {
        *stride = next;
        next *= length;
    }
    Operand { buffer: Buffer::Work, strides, distance: next }
}
