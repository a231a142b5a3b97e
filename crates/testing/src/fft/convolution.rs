//! Convolutions by direct sums in integers, which are exact.

use affinimath_core::fft::convolution::{ConvolutionDescriptor, ConvolutionKind, ConvolutionMode, ConvolutionProblem};

/// Values are multiples of 2^-BITS.
const BITS: u32 = 20;

/// Value of elements that are not written.
pub const CANARY: f64 = 12_345.0;

/// A convolution with its operands as real values.
pub struct Sample {
    pub problem: ConvolutionProblem,
    pub complex: bool,
    pub signal: Vec<f64>,
    pub kernel: Vec<f64>,
    name: String,
}

/// A complex integer.
type Whole = (i64, i64);

impl Sample {
    /// Pseudorandom values in (-1, 1) that are exact in `f32`.
    pub fn new(descriptor: &ConvolutionDescriptor, complex: bool) -> Self {
        let problem = ConvolutionProblem::new(descriptor).unwrap();
        let width = if complex { 2 } else { 1 };
        let mut state = 0x9e37_79b9_u64.wrapping_add(problem.output_points() as u64);
        let mut numbers = |count: usize| -> Vec<f64> {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                f64::from((state >> 43) as i32 - (1 << BITS)) / f64::from(1 << BITS)
            };
            (0..count * width).map(|_| next()).collect()
        };
        let signal = numbers(problem.signal_points() * problem.batch);
        let kernel = numbers(problem.kernel_points() * problem.kernels());
        let name = format!("{}{descriptor:?}", if complex { "complex " } else { "" });
        Sample { problem, complex, signal, kernel, name }
    }

    const fn width(&self) -> usize {
        if self.complex { 2 } else { 1 }
    }

    /// Real values of the output.
    pub fn output_reals(&self) -> usize {
        self.problem.output_points() * self.problem.batch * self.width()
    }

    /// The results of one signal.
    fn expected(&self, signal: &[Whole], kernel: &[Whole], kind: ConvolutionKind) -> Vec<(f64, f64)> {
        let axes = &self.problem.axes;
        let lengths = |of: fn(&affinimath_core::fft::convolution::ConvolvedAxis) -> usize| {
            axes.iter().map(of).collect::<Vec<_>>()
        };
        let (signals, kernels, outputs) = (lengths(|a| a.signal), lengths(|a| a.kernel), lengths(|a| a.output));
        // A full correlation is a convolution with the reversed conjugate kernel.
        let reversed = kind == ConvolutionKind::Correlation;
        let taps: Vec<(Vec<usize>, Whole)> = kernel
            .iter()
            .enumerate()
            .map(|(number, h)| {
                let mut j = coordinates(number, &kernels);
                if reversed {
                    j.iter_mut().zip(axes).for_each(|(j, axis)| *j = axis.kernel - 1 - *j);
                }
                (j, if reversed { (h.0, -h.1) } else { *h })
            })
            .collect();
        let result = |output: Vec<usize>| {
            let mut sum = (0_i128, 0_i128);
            for (j, h) in &taps {
                let mut offset = Some(0);
                for (d, axis) in axes.iter().enumerate() {
                    let index = output[d] as i64 + axis.start as i64 - j[d] as i64;
                    let index = if axis.circular && index < 0 { index + axis.signal as i64 } else { index };
                    let index =
                        if axis.circular && index >= axis.signal as i64 { index - axis.signal as i64 } else { index };
                    let inside = (0..axis.signal as i64).contains(&index);
                    offset = offset.filter(|_| inside).map(|offset| offset * signals[d] + index as usize);
                }
                let Some(offset) = offset else { continue };
                let x = signal[offset];
                sum.0 += i128::from(x.0 * h.0 - x.1 * h.1);
                sum.1 += i128::from(x.0 * h.1 + x.1 * h.0);
            }
            let number = |sum: i128| sum as f64 / f64::from(1 << BITS) / f64::from(1 << BITS) * self.problem.scale;
            (number(sum.0), number(sum.1))
        };
        (0..outputs.iter().product()).map(|number| result(coordinates(number, &outputs))).collect()
    }

    /// Asserts that each error is at most a few roundings for each radix, relative to the product of the norms.
    pub fn check(&self, output: &[f64], double: bool, what: &str) {
        assert_eq!(output.len(), self.output_reals());
        let whole = |numbers: &[f64]| -> Vec<Whole> {
            let number = |value: f64| (value * f64::from(1 << BITS)) as i64;
            numbers.chunks(self.width()).map(|z| (number(z[0]), z.get(1).map_or(0, |im| number(*im)))).collect()
        };
        let norm = |numbers: &[f64]| numbers.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (n, m, results) =
            (self.problem.signal_points(), self.problem.kernel_points(), self.problem.output_points());
        let width = self.width();
        let eps = if double { f64::EPSILON } else { f64::from(f32::EPSILON) };
        for number in 0..self.problem.batch {
            let signal = &self.signal[number * n * width..][..n * width];
            let own = if self.problem.batched_kernels { number } else { 0 };
            let kernel = &self.kernel[own * m * width..][..m * width];
            let expected = self.expected(&whole(signal), &whole(kernel), self.problem.kind);
            let levels = ((2 * (n + m)) as f64).log2();
            let bound = 2.0 * eps * levels * norm(signal) * norm(kernel) * self.problem.scale.abs();
            let found = output[number * results * width..].chunks(width);
            for (element, (found, (re, im))) in found.zip(expected).enumerate() {
                let error = (found[0] - re).hypot(found.get(1).map_or(0.0, |found| found - im));
                assert!(
                    error <= bound,
                    "{what}, {}: {found:?} instead of {re} {im} at {element} of {number}: {} of the bound",
                    self.name,
                    error / bound
                );
            }
        }
    }
}

/// The indices of an element of a row-major array.
fn coordinates(mut number: usize, lengths: &[usize]) -> Vec<usize> {
    let mut coordinates = vec![0; lengths.len()];
    for (coordinate, length) in coordinates.iter_mut().zip(lengths).rev() {
        *coordinate = number % length;
        number /= length;
    }
    coordinates
}

/// Short convolutions of each operation, extent and rank.
pub fn samples() -> Vec<ConvolutionDescriptor> {
    let mut samples = Vec::new();
    for (turn, mode) in
        [ConvolutionMode::Full, ConvolutionMode::Same, ConvolutionMode::Valid, ConvolutionMode::Circular]
            .into_iter()
            .enumerate()
    {
        for kind in [ConvolutionKind::Convolution, ConvolutionKind::Correlation] {
            let new = |signal: &[usize], kernel: &[usize]| ConvolutionDescriptor::new(kind, signal, kernel).mode(mode);
            samples.extend([
                new(&[12], &[5]).batch(3),
                new(&[11], &[4]).batch(17).scale(-0.5),
                new(&[7], &[1]).batch(2),
                new(&[9], &[9]).batch(5).batched_kernels(),
                new(&[1], &[1]),
                new(&[100], &[3]),
                new(&[167], &[10]).batch(2).batched_kernels(),
                new(&[97], &[70]),
                new(&[6, 5], &[3, 2]).batch(2),
                new(&[5, 19], &[2, 4]).batch(3).batched_kernels(),
                new(&[4, 3, 5], &[2, 3, 1]).scale(3.0),
                new(&[3, 4, 22], &[3, 2, 7]).batch(2),
            ]);
            if mode != ConvolutionMode::Circular {
                samples.extend([new(&[3], &[14]).batch(2), new(&[2, 3], &[4, 5]), new(&[5], &[130])]);
            }
            if turn == 0 {
                samples.push(new(&[8], &[3]).batch(0));
            }
        }
    }
    samples
}
