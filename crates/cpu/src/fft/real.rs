//! Transforms between n real points and n/2 + 1 complex ones. For even n, a complex transform of n/2 points has even
//! points as real parts and odd points as imaginary parts.

use std::sync::Arc;

use num_complex::Complex;
use pulp::Arch;
use rustfft::{Fft, FftDirection, FftNum};

use super::memory::{complex, complex_mut};
use super::planner::PencilPlanner;
use super::roots::{RootTable, number};

/// A real-to-complex or complex-to-real transform.
pub struct RealTransform<R> {
    n: usize,
    /// Of n/2 points for even n, of n for odd n.
    fft: Arc<dyn Fft<R>>,
    /// For even n: e^(-2 pi i k / n), 0 < k < n/4.
    roots: Vec<Complex<R>>,
}

impl<R: FftNum> RealTransform<R> {
    pub fn new(n: usize, direction: FftDirection, few_pencils: bool, planner: &mut PencilPlanner<R>) -> Self {
        let even = n.is_multiple_of(2);
        let fft = planner.plan(if even { n / 2 } else { n }, direction, few_pencils);
        let table = RootTable::new(n);
        let roots = if even { (1..n.div_ceil(4)).map(|k| table.get(k)).collect() } else { Vec::new() };
        RealTransform { n, fft, roots }
    }

    /// Complex points of workspace.
    pub fn workspace(&self) -> usize {
        let inner = self.fft.get_inplace_scratch_len().max(self.fft.get_immutable_scratch_len());
        if self.n.is_multiple_of(2) { inner } else { inner + self.n }
    }

    pub fn forward(&self, from: &[R], to: &mut [Complex<R>], workspace: &mut [Complex<R>]) {
        if self.n.is_multiple_of(2) {
            let half = self.n / 2;
            self.fft.process_immutable_with_scratch(complex(from), &mut to[..half], workspace);
            split_spectrum(&self.roots, to);
        } else {
            let (whole, workspace) = workspace.split_at_mut(self.n);
            whole.iter_mut().zip(from).for_each(|(z, x)| *z = Complex::new(*x, R::zero()));
            self.fft.process_with_scratch(whole, workspace);
            to.copy_from_slice(&whole[..to.len()]);
            to[0].im = R::zero();
        }
    }

    /// Ignores the imaginary part of the first point and, for even n, of the last one.
    pub fn backward(&self, from: &[Complex<R>], to: &mut [R], workspace: &mut [Complex<R>]) {
        if self.n.is_multiple_of(2) {
            let to = complex_mut(to);
            join_spectrum(&self.roots, from, to);
            self.fft.process_with_scratch(to, workspace);
        } else {
            let (whole, workspace) = workspace.split_at_mut(self.n);
            let (head, tail) = whole.split_at_mut(from.len());
            head.copy_from_slice(from);
            head[0].im = R::zero();
            tail.iter_mut().rev().zip(&from[1..]).for_each(|(z, x)| *z = x.conj());
            self.fft.process_with_scratch(whole, workspace);
            to.iter_mut().zip(whole).for_each(|(x, z)| *x = z.re);
        }
    }
}

/// The first h + 1 points of the real transform, from the transform Z of h points of even + i odd: with E = (Z_k + conj
/// Z_(h-k)) / 2 and O = (Z_k - conj Z_(h-k)) / 2i, X_k = E + w^k O and X_(h-k) = conj(E - w^k O).
fn split_spectrum<R: FftNum>(roots: &[Complex<R>], points: &mut [Complex<R>]) {
    let half = points.len() - 1;
    let first = points[0];
    points[half] = Complex::new(first.re - first.im, R::zero());
    points[0] = Complex::new(first.re + first.im, R::zero());
    if half.is_multiple_of(2) {
        points[half / 2] = points[half / 2].conj();
    }
    let (low, high) = points[1..half].split_at_mut(roots.len());
    let scale: R = number(0.5);
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for ((low, high), root) in low.iter_mut().zip(high.iter_mut().rev()).zip(roots) {
                let (sum, difference) = (*low + high.conj(), *low - high.conj());
                let odd = Complex::new(difference.im, -difference.re) * *root;
                *low = (sum + odd) * scale;
                *high = (sum - odd).conj() * scale;
            }
        },
    );
}

/// Twice the inverse of [`split_spectrum`].
fn join_spectrum<R: FftNum>(roots: &[Complex<R>], from: &[Complex<R>], to: &mut [Complex<R>]) {
    let half = to.len();
    let (first, last) = (from[0].re, from[half].re);
    to[0] = Complex::new(first + last, first - last);
    if half.is_multiple_of(2) {
        let middle = from[half / 2].conj();
        to[half / 2] = middle + middle;
    }
    let (low, high) = to[1..].split_at_mut(roots.len());
    let (from_low, from_high) = from[1..half].split_at(roots.len());
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let sources = from_low.iter().zip(from_high.iter().rev());
            let targets = low.iter_mut().zip(high.iter_mut().rev());
            for (((x, mirror), (low, high)), root) in sources.zip(targets).zip(roots) {
                let (even, turned) = (*x + mirror.conj(), *x - mirror.conj());
                let odd = turned * root.conj();
                let odd = Complex::new(-odd.im, odd.re);
                *low = even + odd;
                *high = (even - odd).conj();
            }
        },
    );
}
