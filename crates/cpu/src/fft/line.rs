//! The transform of a line whose numbers are adjacent.

use std::sync::Arc;

use rustfft::{Fft, FftDirection, FftNum};

use super::memory::{complex, complex_mut};
use super::planner::LinePlanner;
use super::real::RealLine;
use super::wave::WaveLine;
use affinimath_core::fft::descriptor::{Direction, Transform};

pub(super) enum LineTransform<R> {
    Complex(Arc<dyn Fft<R>>),
    RealToComplex(RealLine<R>),
    ComplexToReal(RealLine<R>),
    Wave(WaveLine<R>),
}

/// The elements of a line on one side, each of so many reals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) elements: usize,
    pub(super) width: usize,
}

impl Extent {
    pub(super) fn reals(self) -> usize {
        self.elements * self.width
    }
}

impl<R: FftNum> LineTransform<R> {
    /// Of the last axis, or (`outer`) of another one, of n numbers; `few`, of less lines than there are threads.
    pub(super) fn new(transform: Transform, outer: bool, n: usize, few: bool, planner: &mut LinePlanner<R>) -> Self {
        let mut complex = |direction| LineTransform::Complex(planner.plan(n, direction, few));
        let (forward, backward) = (FftDirection::Forward, FftDirection::Inverse);
        match transform {
            Transform::Complex(Direction::Forward) => complex(forward),
            Transform::Complex(Direction::Backward) => complex(backward),
            Transform::RealToComplex if outer => complex(forward),
            Transform::RealToComplex => LineTransform::RealToComplex(RealLine::new(n, forward, few, planner)),
            Transform::ComplexToReal if outer => complex(backward),
            Transform::ComplexToReal => LineTransform::ComplexToReal(RealLine::new(n, backward, few, planner)),
            wave => LineTransform::Wave(WaveLine::new(n, wave, few, planner)),
        }
    }

    /// What a line of n numbers has before and after.
    pub(super) fn extents(&self, n: usize) -> (Extent, Extent) {
        let (real, complex) = (Extent { elements: n, width: 1 }, Extent { elements: n, width: 2 });
        let half = Extent { elements: n / 2 + 1, width: 2 };
        match self {
            LineTransform::Complex(_) => (complex, complex),
            LineTransform::RealToComplex(_) => (real, half),
            LineTransform::ComplexToReal(_) => (half, real),
            LineTransform::Wave(_) => (real, real),
        }
    }

    /// Reals of scratch memory.
    pub(super) fn scratch(&self) -> usize {
        match self {
            LineTransform::Complex(fft) => {
                2 * fft
                    .get_inplace_scratch_len()
                    .max(fft.get_outofplace_scratch_len())
                    .max(fft.get_immutable_scratch_len())
            }
            LineTransform::RealToComplex(line) | LineTransform::ComplexToReal(line) => 2 * line.scratch(),
            LineTransform::Wave(line) => line.scratch(),
        }
    }

    /// One line after the other, without a change of the input.
    pub(super) fn transform(&self, n: usize, from: &[R], to: &mut [R], scratch: &mut [R]) {
        let (before, after) = self.extents(n);
        let lines = from.chunks_exact(before.reals()).zip(to.chunks_exact_mut(after.reals()));
        match self {
            LineTransform::Complex(fft) => {
                fft.process_immutable_with_scratch(complex(from), complex_mut(to), complex_mut(scratch));
            }
            LineTransform::RealToComplex(line) => {
                lines.for_each(|(from, to)| line.forward(from, complex_mut(to), complex_mut(scratch)));
            }
            LineTransform::ComplexToReal(line) => {
                lines.for_each(|(from, to)| line.backward(complex(from), to, complex_mut(scratch)));
            }
            LineTransform::Wave(line) => lines.for_each(|(from, to)| line.transform(from, to, scratch)),
        }
    }

    /// The same, where the input need not be kept.
    pub(super) fn consume(&self, n: usize, from: &mut [R], to: &mut [R], scratch: &mut [R]) {
        match self {
            LineTransform::Complex(fft) => {
                fft.process_outofplace_with_scratch(complex_mut(from), complex_mut(to), complex_mut(scratch));
            }
            _ => self.transform(n, from, to, scratch),
        }
    }

    /// The transform of complex lines in their place; `None` for others.
    pub(super) fn in_place(&self) -> Option<&dyn Fft<R>> {
        match self {
            LineTransform::Complex(fft) => Some(&**fft),
            _ => None,
        }
    }
}
