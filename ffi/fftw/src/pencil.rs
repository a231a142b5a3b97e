//! The transform of pencils with adjacent points.

use std::sync::Arc;

use affinimath_cpu::fft::real::RealTransform;
use rustfft::{Fft, FftNum};

use crate::memory::{complex, complex_mut};
use crate::waves::Wave;

pub(crate) enum Pencil<R> {
    Complex(Arc<dyn Fft<R>>),
    RealToComplex(RealTransform<R>),
    ComplexToReal(RealTransform<R>),
    RealToReal(Wave<R>),
    /// Of elements with this number of real values.
    Copy(usize),
}

/// Elements of a pencil on one side, of `width` real values each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) elements: usize,
    pub(crate) width: usize,
}

impl Extent {
    pub(crate) fn reals(self) -> usize {
        self.elements * self.width
    }
}

impl<R: FftNum> Pencil<R> {
    /// Extents of input and output.
    pub(crate) fn extents(&self, n: usize) -> [Extent; 2] {
        let (real, complex) = (Extent { elements: n, width: 1 }, Extent { elements: n, width: 2 });
        let half = Extent { elements: n / 2 + 1, width: 2 };
        match self {
            Pencil::Complex(_) => [complex, complex],
            Pencil::RealToComplex(_) => [real, half],
            Pencil::ComplexToReal(_) => [half, real],
            Pencil::RealToReal(_) => [real, real],
            Pencil::Copy(width) => [Extent { elements: n, width: *width }; 2],
        }
    }

    /// Real values of workspace.
    pub(crate) fn workspace(&self) -> usize {
        match self {
            Pencil::Complex(fft) => {
                2 * fft
                    .get_inplace_scratch_len()
                    .max(fft.get_outofplace_scratch_len())
                    .max(fft.get_immutable_scratch_len())
            }
            Pencil::RealToComplex(fft) | Pencil::ComplexToReal(fft) => 2 * fft.workspace(),
            Pencil::RealToReal(wave) => wave.workspace(),
            Pencil::Copy(_) => 0,
        }
    }

    /// Transforms all pencils of `from`, n points each.
    #[inline]
    pub(crate) fn transform(&self, n: usize, from: &[R], to: &mut [R], workspace: &mut [R]) {
        let [before, after] = self.extents(n);
        let pencils = from.chunks_exact(before.reals()).zip(to.chunks_exact_mut(after.reals()));
        match self {
            Pencil::Complex(fft) => {
                fft.process_immutable_with_scratch(complex(from), complex_mut(to), complex_mut(workspace));
            }
            Pencil::RealToComplex(fft) => {
                pencils.for_each(|(from, to)| fft.forward(from, complex_mut(to), complex_mut(workspace)));
            }
            Pencil::ComplexToReal(fft) => {
                pencils.for_each(|(from, to)| fft.backward(complex(from), to, complex_mut(workspace)));
            }
            Pencil::RealToReal(wave) => pencils.for_each(|(from, to)| wave.transform(from, to, workspace)),
            Pencil::Copy(_) => to.copy_from_slice(from),
        }
    }

    /// Transforms one pencil.
    #[inline]
    pub(crate) fn transform_one(&self, from: &[R], to: &mut [R], workspace: &mut [R]) {
        match self {
            Pencil::Complex(fft) => {
                fft.process_immutable_with_scratch(complex(from), complex_mut(to), complex_mut(workspace));
            }
            Pencil::RealToComplex(fft) => fft.forward(from, complex_mut(to), complex_mut(workspace)),
            Pencil::ComplexToReal(fft) => fft.backward(complex(from), to, complex_mut(workspace)),
            Pencil::RealToReal(wave) => wave.transform(from, to, workspace),
            Pencil::Copy(_) => to.copy_from_slice(from),
        }
    }

    /// [`Pencil::transform`] that may overwrite its input.
    pub(crate) fn consume(&self, n: usize, from: &mut [R], to: &mut [R], workspace: &mut [R]) {
        match self {
            Pencil::Complex(fft) => {
                fft.process_outofplace_with_scratch(complex_mut(from), complex_mut(to), complex_mut(workspace));
            }
            _ => self.transform(n, from, to, workspace),
        }
    }

    /// Transforms complex pencils in place, and says if it could.
    #[inline]
    pub(crate) fn in_place(&self, points: &mut [R], workspace: &mut [R]) -> bool {
        match self {
            Pencil::Complex(fft) => fft.process_with_scratch(complex_mut(points), complex_mut(workspace)),
            Pencil::Copy(_) => {}
            _ => return false,
        }
        true
    }

    /// True if [`Pencil::in_place`] transforms.
    pub(crate) fn has_in_place(&self) -> bool {
        matches!(self, Pencil::Complex(_) | Pencil::Copy(_))
    }
}
