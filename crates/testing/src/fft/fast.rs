//! The fast transform in double-double arithmetic: Cooley and Tukey's recursion over a length's prime factors, and
//! Bluestein's convolution for large primes.

use super::double::{Roots, Wide};

/// Primes up to here are summed as they are defined.
const SMALL_PRIME: usize = 48;

/// The forward transform of so many numbers.
pub struct FastTransform {
    n: usize,
    roots: Vec<Wide>,
    /// Of the large prime that is left when n is divided by its small ones.
    convolution: Option<Box<Convolution>>,
}

/// Bluestein's: X_k = c_k sum of (x_j c_j) conj(c_(k-j)), with c_j = e^(-pi i j^2 / p), as a product of transforms of a
/// power of two.
struct Convolution {
    chirp: Vec<Wide>,
    inner: FastTransform,
    /// The transform of conj(c), divided by the inner length.
    kernel: Vec<Wide>,
}

fn smallest_prime(n: usize) -> usize {
    (2..).take_while(|p| p * p <= n).find(|p| n.is_multiple_of(*p)).unwrap_or(n)
}

impl FastTransform {
    pub fn new(n: usize) -> Self {
        let mut large = n;
        while large > 1 && smallest_prime(large) < large {
            large /= smallest_prime(large);
        }
        let convolution = (large > SMALL_PRIME).then(|| Box::new(Convolution::new(large)));
        FastTransform { n, roots: Roots::table(n), convolution }
    }

    pub fn forward(&self, input: &[Wide]) -> Vec<Wide> {
        assert_eq!(input.len(), self.n);
        let mut output = vec![Wide::default(); self.n];
        self.recurse(input, 1, &mut output);
        output
    }

    /// Of every stride-th number of the input, as many as the output has.
    fn recurse(&self, input: &[Wide], stride: usize, output: &mut [Wide]) {
        let n = output.len();
        let p = smallest_prime(n);
        match &self.convolution {
            _ if n == 1 => output[0] = input[0],
            Some(convolution) if p == n && n == convolution.chirp.len() => convolution.apply(input, stride, output),
            _ => {
                let part = n / p;
                for (q, output) in output.chunks_exact_mut(part).enumerate() {
                    self.recurse(&input[q * stride..], stride * p, output);
                }
                if p == 2 { self.join_two(output, stride) } else { self.join(output, p, stride) }
            }
        }
    }

    fn join_two(&self, output: &mut [Wide], stride: usize) {
        let (even, odd) = output.split_at_mut(output.len() / 2);
        for ((a, b), root) in even.iter_mut().zip(odd).zip(self.roots.iter().step_by(stride)) {
            let turned = *b * *root;
            (*a, *b) = (*a + turned, *a - turned);
        }
    }

    fn join(&self, output: &mut [Wide], p: usize, stride: usize) {
        let part = output.len() / p;
        let mut turned = vec![Wide::default(); p];
        for k in 0..part {
            for (q, turned) in turned.iter_mut().enumerate() {
                *turned = output[q * part + k] * self.roots[q * k * stride];
            }
            for s in 0..p {
                let term = |q: usize| turned[q] * self.roots[q * s % p * part * stride];
                output[s * part + k] = (1..p).fold(turned[0], |sum, q| sum + term(q));
            }
        }
    }
}

impl Convolution {
    fn new(p: usize) -> Self {
        let roots = Roots::new(2 * p);
        let chirp: Vec<_> = (0..p).map(|j| roots.get((j as u128 * j as u128 % (2 * p) as u128) as usize)).collect();
        let n = (2 * p - 1).next_power_of_two();
        let inner = FastTransform::new(n);
        let mut kernel = vec![Wide::default(); n];
        for (j, c) in chirp.iter().enumerate() {
            let value = c.conjugate().over(n as f64);
            kernel[j] = value;
            kernel[(n - j) % n] = value;
        }
        let kernel = inner.forward(&kernel);
        Convolution { chirp, inner, kernel }
    }

    fn apply(&self, input: &[Wide], stride: usize, output: &mut [Wide]) {
        let mut padded = vec![Wide::default(); self.kernel.len()];
        for ((padded, x), c) in padded.iter_mut().zip(input.iter().step_by(stride)).zip(&self.chirp) {
            *padded = *x * *c;
        }
        // The inverse transform is the conjugate of the conjugate's.
        let product: Vec<_> =
            self.inner.forward(&padded).iter().zip(&self.kernel).map(|(x, k)| (*x * *k).conjugate()).collect();
        for ((y, x), c) in output.iter_mut().zip(self.inner.forward(&product)).zip(&self.chirp) {
            *y = x.conjugate() * *c;
        }
    }
}
