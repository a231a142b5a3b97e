//! Bluestein's algorithm (1970) for lengths with large prime factors.
//!
//! X_k = c_k sum of (x_j c_j) conj(c_(k-j)) with the chirp c_j = e^(-pi i j^2 / n): a cyclic convolution of a padded
//! length.

use std::sync::Arc;

use num_complex::Complex;
use pulp::Arch;
use rustfft::{Direction, Fft, FftDirection, FftNum, Length};

use super::roots::{number, root};

pub(super) struct Bluestein<R> {
    n: usize,
    direction: FftDirection,
    /// c, for the backward transform its conjugate.
    chirp: Vec<Complex<R>>,
    /// The transform of the conjugate chirp, divided by the padded length.
    kernel: Vec<Complex<R>>,
    forward: Arc<dyn Fft<R>>,
    backward: Arc<dyn Fft<R>>,
}

/// The shortest fast length for the cyclic convolution.
pub(super) fn padded_length(n: usize) -> usize {
    let min_length = 2 * n - 1;
    let fitting = |odd: usize| odd * min_length.div_ceil(odd).next_power_of_two();
    [1, 3, 5, 7, 9, 15].into_iter().map(fitting).min().unwrap_or(min_length)
}

impl<R: FftNum> Bluestein<R> {
    /// `forward` and `backward` are transforms of [`padded_length`].
    pub(super) fn new(n: usize, direction: FftDirection, forward: Arc<dyn Fft<R>>, backward: Arc<dyn Fft<R>>) -> Self {
        let directed = |root: Complex<R>| if direction == FftDirection::Forward { root } else { root.conj() };
        let square = |j: usize| (j as u128 * j as u128 % (2 * n as u128)) as usize;
        let chirp: Vec<_> = (0..n).map(|j| directed(root(square(j), 2 * n))).collect();
        let length = forward.len();
        let mut kernel = vec![Complex::new(R::zero(), R::zero()); length];
        for (j, c) in chirp.iter().enumerate() {
            kernel[j] = c.conj();
            kernel[(length - j) % length] = c.conj();
        }
        forward.process(&mut kernel);
        let factor: R = number(1.0 / length as f64);
        kernel.iter_mut().for_each(|k| *k = *k * factor);
        Bluestein { n, direction, chirp, kernel, forward, backward }
    }

    fn workspace(&self) -> usize {
        let inner = self.forward.get_inplace_scratch_len().max(self.backward.get_inplace_scratch_len());
        self.kernel.len() + inner
    }

    /// The cyclic convolution of the input with the chirp, without the last product.
    fn convolve(&self, input: &[Complex<R>], padded: &mut [Complex<R>], workspace: &mut [Complex<R>]) {
        let (head, tail) = padded.split_at_mut(self.n);
        multiply(input, &self.chirp, head);
        tail.fill(Complex::new(R::zero(), R::zero()));
        self.forward.process_with_scratch(padded, workspace);
        multiply_by(&self.kernel, padded);
        self.backward.process_with_scratch(padded, workspace);
    }
}

/// z = x y, elementwise.
fn multiply<R: FftNum>(x: &[Complex<R>], y: &[Complex<R>], z: &mut [Complex<R>]) {
    Arch::new().dispatch(
        #[inline(always)]
        || x.iter().zip(y).zip(z).for_each(|((x, y), z)| *z = *x * *y),
    );
}

/// z = x z, elementwise.
pub(super) fn multiply_by<R: FftNum>(x: &[Complex<R>], z: &mut [Complex<R>]) {
    Arch::new().dispatch(
        #[inline(always)]
        || x.iter().zip(z).for_each(|(x, z)| *z = *x * *z),
    );
}

impl<R: FftNum> Fft<R> for Bluestein<R> {
    fn process_with_scratch(&self, buffer: &mut [Complex<R>], workspace: &mut [Complex<R>]) {
        let (padded, workspace) = workspace.split_at_mut(self.kernel.len());
        for pencil in buffer.chunks_exact_mut(self.n) {
            self.convolve(pencil, padded, workspace);
            multiply(&padded[..self.n], &self.chirp, pencil);
        }
    }

    fn process_outofplace_with_scratch(
        &self,
        input: &mut [Complex<R>],
        output: &mut [Complex<R>],
        workspace: &mut [Complex<R>],
    ) {
        self.process_immutable_with_scratch(input, output, workspace);
    }

    fn process_immutable_with_scratch(
        &self,
        input: &[Complex<R>],
        output: &mut [Complex<R>],
        workspace: &mut [Complex<R>],
    ) {
        let (padded, workspace) = workspace.split_at_mut(self.kernel.len());
        for (input, output) in input.chunks_exact(self.n).zip(output.chunks_exact_mut(self.n)) {
            self.convolve(input, padded, workspace);
            multiply(&padded[..self.n], &self.chirp, output);
        }
    }

    fn get_inplace_scratch_len(&self) -> usize {
        self.workspace()
    }

    fn get_outofplace_scratch_len(&self) -> usize {
        self.workspace()
    }

    fn get_immutable_scratch_len(&self) -> usize {
        self.workspace()
    }
}

impl<R> Length for Bluestein<R> {
    fn len(&self) -> usize {
        self.n
    }
}

impl<R> Direction for Bluestein<R> {
    fn fft_direction(&self) -> FftDirection {
        self.direction
    }
}
