//! The cosine and sine transforms, by a real transform of the same length (Makhoul 1980).

use num_complex::Complex;
use rustfft::{FftDirection, FftNum};

use super::memory::{complex_mut, part, room};
use super::planner::LinePlanner;
use super::real::RealLine;
use super::roots::root;
use affinimath_core::fft::descriptor::Transform;

/// A transform of kind II or III.
pub(super) struct WaveLine<R> {
    n: usize,
    /// Kind III, the backward one.
    third: bool,
    sine: bool,
    fft: RealLine<R>,
    /// e^(-pi i k / 2n) for k up to n/2, doubled for kind II.
    roots: Vec<Complex<R>>,
}

impl<R: FftNum> WaveLine<R> {
    pub(super) fn new(n: usize, transform: Transform, few: bool, planner: &mut LinePlanner<R>) -> Self {
        let third = matches!(transform, Transform::Dct3 | Transform::Dst3);
        let sine = matches!(transform, Transform::Dst2 | Transform::Dst3);
        let direction = if third { FftDirection::Inverse } else { FftDirection::Forward };
        let factor = |root: Complex<R>| if third { root } else { root + root };
        let roots = (0..=n / 2).map(|k| factor(root(k, 4 * n))).collect();
        WaveLine { n, third, sine, fft: RealLine::new(n, direction, few, planner), roots }
    }

    /// Reals of scratch memory.
    pub(super) fn scratch(&self) -> usize {
        room(self.n) + room(2 * self.roots.len()) + 2 * self.fft.scratch()
    }

    /// n reals to n reals.
    pub(super) fn transform(&self, from: &[R], to: &mut [R], memory: &mut [R]) {
        let (reals, memory) = part(memory, self.n);
        let (spectrum, memory) = part(memory, 2 * self.roots.len());
        let (spectrum, scratch) = (complex_mut(spectrum), complex_mut(memory));
        if self.third {
            self.turn_back(from, spectrum);
            self.fft.backward(spectrum, reals, scratch);
            self.unfold(reals, to);
        } else {
            self.fold(from, reals);
            self.fft.forward(reals, spectrum, scratch);
            self.turn(spectrum, to);
        }
    }

    /// The even ones in their order, then the odd ones in the opposite one; for the sine transform those with a minus.
    fn fold(&self, from: &[R], to: &mut [R]) {
        let (even, odd) = to.split_at_mut(self.n.div_ceil(2));
        let sine = self.sine;
        even.iter_mut().zip(from.iter().step_by(2)).for_each(|(to, x)| *to = *x);
        let odd = odd.iter_mut().rev().zip(from.iter().skip(1).step_by(2));
        odd.for_each(|(to, x)| *to = if sine { -*x } else { *x });
    }

    /// The opposite of [`WaveLine::fold`].
    fn unfold(&self, from: &[R], to: &mut [R]) {
        let (even, odd) = from.split_at(self.n.div_ceil(2));
        let sine = self.sine;
        to.iter_mut().step_by(2).zip(even).for_each(|(to, x)| *to = *x);
        let odd = to.iter_mut().skip(1).step_by(2).zip(odd.iter().rev());
        odd.for_each(|(to, x)| *to = if sine { -*x } else { *x });
    }

    /// Where the cosine transform's k-th number is: the sine transform's are in the opposite order.
    #[inline(always)]
    fn place(&self, k: usize) -> usize {
        if self.sine { self.n - 1 - k } else { k }
    }

    /// With t the k-th number times its root: X_k = Re t, and X_(n-k) = -Im t.
    fn turn(&self, spectrum: &[Complex<R>], to: &mut [R]) {
        to[self.place(0)] = (spectrum[0] * self.roots[0]).re;
        for k in 1..=self.n / 2 {
            let turned = spectrum[k] * self.roots[k];
            to[self.place(self.n - k)] = -turned.im;
            to[self.place(k)] = turned.re;
        }
    }

    /// The half spectrum (x_k - i x_(n-k)) e^(pi i k / 2n), with x_n = 0, whose backward transform is ours, folded.
    fn turn_back(&self, from: &[R], spectrum: &mut [Complex<R>]) {
        spectrum[0] = Complex::new(from[self.place(0)], R::zero());
        for k in 1..=self.n / 2 {
            let pair = Complex::new(from[self.place(k)], -from[self.place(self.n - k)]);
            spectrum[k] = pair * self.roots[k].conj();
        }
    }
}
