//! Cosine and sine transforms of types II and III by a real transform of the same length (Makhoul 1980).

use num_complex::Complex;
use rustfft::{FftDirection, FftNum};

use super::memory::{aligned_length, complex_mut, split_aligned};
use super::planner::PencilPlanner;
use super::real::RealTransform;
use super::roots::root;
use affinimath_core::fft::descriptor::Transform;

pub struct RealToReal<R> {
    n: usize,
    /// Type III, the inverse of type II.
    is_type_3: bool,
    is_sine: bool,
    fft: RealTransform<R>,
    /// e^(-pi i k / 2n) for k up to n/2, doubled for type II.
    roots: Vec<Complex<R>>,
}

impl<R: FftNum> RealToReal<R> {
    pub fn new(n: usize, transform: Transform, few_pencils: bool, planner: &mut PencilPlanner<R>) -> Self {
        let is_type_3 = matches!(transform, Transform::Dct3 | Transform::Dst3);
        let is_sine = matches!(transform, Transform::Dst2 | Transform::Dst3);
        let direction = if is_type_3 { FftDirection::Inverse } else { FftDirection::Forward };
        let factor = |root: Complex<R>| if is_type_3 { root } else { root + root };
        let roots = (0..=n / 2).map(|k| factor(root(k, 4 * n))).collect();
        RealToReal { n, is_type_3, is_sine, fft: RealTransform::new(n, direction, few_pencils, planner), roots }
    }

    /// Real values of workspace.
    pub fn workspace(&self) -> usize {
        aligned_length(self.n) + aligned_length(2 * self.roots.len()) + 2 * self.fft.workspace()
    }

    pub fn transform(&self, from: &[R], to: &mut [R], memory: &mut [R]) {
        let (reals, memory) = split_aligned(memory, self.n);
        let (spectrum, memory) = split_aligned(memory, 2 * self.roots.len());
        let (spectrum, workspace) = (complex_mut(spectrum), complex_mut(memory));
        if self.is_type_3 {
            self.inverse_quarter_shift(from, spectrum);
            self.fft.backward(spectrum, reals, workspace);
            self.natural_order(reals, to);
        } else {
            self.makhoul_order(from, reals);
            self.fft.forward(reals, spectrum, workspace);
            self.quarter_shift(spectrum, to);
        }
    }

    /// Even points in order, then odd points in reverse, which the sine transform negates.
    fn makhoul_order(&self, from: &[R], to: &mut [R]) {
        let (even, odd) = to.split_at_mut(self.n.div_ceil(2));
        let is_sine = self.is_sine;
        even.iter_mut().zip(from.iter().step_by(2)).for_each(|(to, x)| *to = *x);
        let odd = odd.iter_mut().rev().zip(from.iter().skip(1).step_by(2));
        odd.for_each(|(to, x)| *to = if is_sine { -*x } else { *x });
    }

    /// The inverse of [`RealToReal::makhoul_order`].
    fn natural_order(&self, from: &[R], to: &mut [R]) {
        let (even, odd) = from.split_at(self.n.div_ceil(2));
        let is_sine = self.is_sine;
        to.iter_mut().step_by(2).zip(even).for_each(|(to, x)| *to = *x);
        let odd = to.iter_mut().skip(1).step_by(2).zip(odd.iter().rev());
        odd.for_each(|(to, x)| *to = if is_sine { -*x } else { *x });
    }

    /// Index of frequency k: the sine transform has the reverse order.
    #[inline(always)]
    fn index(&self, k: usize) -> usize {
        if self.is_sine { self.n - 1 - k } else { k }
    }

    /// With t = spectrum_k root_k: X_k = Re t and X_(n-k) = -Im t.
    fn quarter_shift(&self, spectrum: &[Complex<R>], to: &mut [R]) {
        to[self.index(0)] = (spectrum[0] * self.roots[0]).re;
        for k in 1..=self.n / 2 {
            let shifted = spectrum[k] * self.roots[k];
            to[self.index(self.n - k)] = -shifted.im;
            to[self.index(k)] = shifted.re;
        }
    }

    /// The half spectrum (x_k - i x_(n-k)) e^(pi i k / 2n), with x_n = 0.
    fn inverse_quarter_shift(&self, from: &[R], spectrum: &mut [Complex<R>]) {
        spectrum[0] = Complex::new(from[self.index(0)], R::zero());
        for k in 1..=self.n / 2 {
            let pair = Complex::new(from[self.index(k)], -from[self.index(self.n - k)]);
            spectrum[k] = pair * self.roots[k].conj();
        }
    }
}
