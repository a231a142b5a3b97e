//! The transform of one pencil with adjacent points.

use std::sync::Arc;

use rustfft::{Fft, FftDirection, FftNum};

use super::memory::{complex, complex_mut};
use super::planner::PencilPlanner;
use super::real::RealTransform;
use super::real_to_real::RealToReal;
use affinimath_core::fft::descriptor::{Direction, Transform};

pub(super) enum PencilTransform<R> {
    Complex(Arc<dyn Fft<R>>),
    RealToComplex(RealTransform<R>),
    ComplexToReal(RealTransform<R>),
    RealToReal(RealToReal<R>),
}

/// Elements of a pencil on one side, of `width` real values each.
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

impl<R: FftNum> PencilTransform<R> {
    /// Pencils of n points along the last axis, or (`outer`) another one; `few_pencils`, fewer than threads.
    pub(super) fn new(
        transform: Transform,
        outer: bool,
        n: usize,
        few_pencils: bool,
        planner: &mut PencilPlanner<R>,
    ) -> Self {
        let mut complex = |direction| PencilTransform::Complex(planner.plan(n, direction, few_pencils));
        let (forward, backward) = (FftDirection::Forward, FftDirection::Inverse);
        match transform {
            Transform::Complex(Direction::Forward) => complex(forward),
            Transform::Complex(Direction::Backward) => complex(backward),
            Transform::RealToComplex if outer => complex(forward),
            Transform::RealToComplex => {
                PencilTransform::RealToComplex(RealTransform::new(n, forward, few_pencils, planner))
            }
            Transform::ComplexToReal if outer => complex(backward),
            Transform::ComplexToReal => {
                PencilTransform::ComplexToReal(RealTransform::new(n, backward, few_pencils, planner))
            }
            wave => PencilTransform::RealToReal(RealToReal::new(n, wave, few_pencils, planner)),
        }
    }

    /// Extents of input and output.
    pub(super) fn extents(&self, n: usize) -> (Extent, Extent) {
        let (real, complex) = (Extent { elements: n, width: 1 }, Extent { elements: n, width: 2 });
        let half = Extent { elements: n / 2 + 1, width: 2 };
        match self {
            PencilTransform::Complex(_) => (complex, complex),
            PencilTransform::RealToComplex(_) => (real, half),
            PencilTransform::ComplexToReal(_) => (half, real),
            PencilTransform::RealToReal(_) => (real, real),
        }
    }

    /// Real values of workspace.
    pub(super) fn workspace(&self) -> usize {
        match self {
            PencilTransform::Complex(fft) => {
                2 * fft
                    .get_inplace_scratch_len()
                    .max(fft.get_outofplace_scratch_len())
                    .max(fft.get_immutable_scratch_len())
            }
            PencilTransform::RealToComplex(pencil) | PencilTransform::ComplexToReal(pencil) => 2 * pencil.workspace(),
            PencilTransform::RealToReal(pencil) => pencil.workspace(),
        }
    }

    /// Transforms all pencils of `from`.
    pub(super) fn transform(&self, n: usize, from: &[R], to: &mut [R], workspace: &mut [R]) {
        let (before, after) = self.extents(n);
        let pencils = from.chunks_exact(before.reals()).zip(to.chunks_exact_mut(after.reals()));
        match self {
            PencilTransform::Complex(fft) => {
                fft.process_immutable_with_scratch(complex(from), complex_mut(to), complex_mut(workspace));
            }
            PencilTransform::RealToComplex(pencil) => {
                pencils.for_each(|(from, to)| pencil.forward(from, complex_mut(to), complex_mut(workspace)));
            }
            PencilTransform::ComplexToReal(pencil) => {
                pencils.for_each(|(from, to)| pencil.backward(complex(from), to, complex_mut(workspace)));
            }
            PencilTransform::RealToReal(pencil) => pencils.for_each(|(from, to)| pencil.transform(from, to, workspace)),
        }
    }

    /// [`PencilTransform::transform`] that may overwrite its input.
    pub(super) fn consume(&self, n: usize, from: &mut [R], to: &mut [R], workspace: &mut [R]) {
        match self {
            PencilTransform::Complex(fft) => {
                fft.process_outofplace_with_scratch(complex_mut(from), complex_mut(to), complex_mut(workspace));
            }
            _ => self.transform(n, from, to, workspace),
        }
    }

    /// The in-place transform of complex pencils.
    pub(super) fn in_place(&self) -> Option<&dyn Fft<R>> {
        match self {
            PencilTransform::Complex(fft) => Some(&**fft),
            _ => None,
        }
    }
}
