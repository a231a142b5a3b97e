//! Operands of a case, and the check of all results against a transform in doubles.

use std::f64::consts::TAU;
use std::ops::Range;
use std::sync::Arc;

use affinimath::{Complex32, Complex64, FftReal, Scalar};
use affinimath_cpu as host;
use rustfft::Fft;

use super::case::Case;
use crate::contender::Accuracy;
use crate::error::BenchError;
use crate::memory;
use crate::random::Random;

/// An element type of the input.
pub trait Element: Scalar {
    /// The precision.
    type Precision: FftReal;
}

/// The element type of the output.
pub type Output<T> = <<T as Element>::Precision as FftReal>::Complex;

impl Element for f32 {
    type Precision = f32;
}
impl Element for f64 {
    type Precision = f64;
}
impl Element for Complex32 {
    type Precision = f32;
}
impl Element for Complex64 {
    type Precision = f64;
}

/// Error bounds in doubles and in floats, before the factor [`growth`].
const DOUBLE: f64 = 1e-14;
const SINGLE: f64 = 1e-6;

fn growth(case: &Case) -> f64 {
    (case.points() as f64).log2().max(1.0).sqrt()
}

/// Operands of a case.
pub struct Data<T> {
    /// The batch.
    pub case: Case,
    /// The input, row-major and contiguous.
    pub input: Vec<T>,
    /// Expected results.
    reference: Vec<Complex64>,
}

impl<T: Element> Data<T> {
    /// Random input, of which each of the `contenders` gets a copy, and its transform.
    ///
    /// # Errors
    /// [`BenchError::Memory`], and [`BenchError::Ours`] should the transforms be wrong.
    pub fn random(case: &Case, contenders: usize) -> Result<Self, BenchError> {
        let (inputs, outputs) = (case.points().saturating_mul(case.batch), case.output_points() * case.batch);
        let wide = size_of::<Complex64>();
        let each = inputs.saturating_mul(size_of::<T>()).saturating_add(outputs.saturating_mul(size_of::<Output<T>>()));
        let lines = case.points().saturating_mul(host::threads().min(case.batch) * wide);
        let needed =
            each.saturating_mul(contenders + 2).saturating_add(outputs.saturating_mul(wide)).saturating_add(lines)
                as u64;
        let available = memory::available().unwrap_or(u64::MAX);
        if needed > available {
            return Err(BenchError::Memory { what: case.report().describe(), needed, available });
        }
        let input: Vec<T> = Random::new(0x9E37_79B9_7F4A_7C15).elements(inputs);
        let reference = transforms(case, &input);
        if !agrees_with_definition(case, &input, &reference) {
            let what = case.report().describe();
            return Err(BenchError::Ours(format!("the double-precision reference transform is wrong at {what}")));
        }
        Ok(Data { case: case.clone(), input, reference })
    }

    /// A zero vector as long as the results.
    pub fn zeros(&self) -> Vec<Output<T>> {
        vec![Output::<T>::ZERO; self.reference.len()]
    }

    /// The relative error of results in the 2-norm, over the whole batch.
    ///
    /// That of a good algorithm grows as sqrt(log2 n) (Gentleman and Sande 1966); the bound allows for large
    /// primes, which are transformed by way of convolutions.
    pub fn accuracy(&self, results: &[Output<T>]) -> Accuracy {
        let bound = if T::KIND.is_double() { DOUBLE } else { SINGLE } * growth(&self.case);
        if results.len() != self.reference.len() {
            return Accuracy { error: f64::NAN, bound };
        }
        let (mut difference, mut size) = (0.0, 0.0);
        for (result, reference) in results.iter().zip(&self.reference) {
            difference += (Complex64::new(result.re(), result.im()) - reference).norm_sqr();
            size += reference.norm_sqr();
        }
        Accuracy { error: (difference / size).sqrt(), bound }
    }

    /// The transforms that the results are compared with.
    #[cfg(test)]
    pub fn reference(&self) -> &[Complex64] {
        &self.reference
    }
}

/// The transforms of a batch in doubles by rustfft, one axis after the other, on all threads.
fn transforms<T: Element>(case: &Case, input: &[T]) -> Vec<Complex64> {
    let (points, outputs) = (case.points(), case.output_points());
    let (row, bins) = (case.lengths[case.lengths.len() - 1], outputs / (points / case.lengths[case.lengths.len() - 1]));
    let axes: Vec<Arc<dyn Fft<f64>>> = case.lengths.iter().map(|length| host::fft::by_rustfft(*length)).collect();
    let mut reference = vec![Complex64::ZERO; outputs * case.batch];
    let share = case.batch.div_ceil(host::threads().max(1));
    std::thread::scope(|scope| {
        for (input, reference) in input.chunks(share * points).zip(reference.chunks_mut(share * outputs)) {
            let axes = &axes;
            scope.spawn(move || {
                let mut numbers = vec![Complex64::ZERO; points];
                for (input, reference) in input.chunks(points).zip(reference.chunks_mut(outputs)) {
                    numbers.iter_mut().zip(input).for_each(|(number, x)| *number = Complex64::new(x.re(), x.im()));
                    transform(axes, &mut numbers);
                    for (to, from) in reference.chunks_mut(bins).zip(numbers.chunks(row)) {
                        to.copy_from_slice(&from[..bins]);
                    }
                }
            });
        }
    });
    reference
}

/// One transform in index.
fn transform(axes: &[Arc<dyn Fft<f64>>], numbers: &mut [Complex64]) {
    let mut stride = 1;
    for axis in axes.iter().rev() {
        let length = axis.len();
        if stride == 1 {
            // Contiguous rows.
            axis.process(numbers);
        } else {
            let mut line = vec![Complex64::ZERO; length];
            for plane in numbers.chunks_mut(length * stride) {
                for start in 0..stride {
                    line.iter_mut().zip(plane[start..].iter().step_by(stride)).for_each(|(to, from)| *to = *from);
                    axis.process(&mut line);
                    plane[start..].iter_mut().step_by(stride).zip(&line).for_each(|(to, from)| *to = *from);
                }
            }
        }
        stride *= length;
    }
}

/// True if a few elements of the last transform agree with direct sums.
///
/// Our library also uses rustfft on the host, so agreement with rustfft alone would prove little.
pub(super) fn agrees_with_definition<T: Element>(case: &Case, input: &[T], reference: &[Complex64]) -> bool {
    const SAMPLES: usize = 2;
    let (input, reference) =
        (&input[input.len() - case.points()..], &reference[reference.len() - case.output_points()..]);
    let size = input.iter().map(|x| x.re() * x.re() + x.im() * x.im()).sum::<f64>().sqrt();
    let mut random = Random::new(0xD1B5_4A32_D192_ED03);
    (0..SAMPLES).map(|_| random.below(reference.len())).all(|index| {
        let error = (reference[index] - definition(case, input, index)).norm() / size;
        error <= DOUBLE * growth(case)
    })
}

/// One element of a transform by a direct sum over the input.
fn definition<T: Element>(case: &Case, input: &[T], index: usize) -> Complex64 {
    let mut rest = index;
    let mut axes: Vec<Vec<Complex64>> = Vec::new();
    for (length, outputs) in case.lengths.iter().zip(case.output_lengths()).rev() {
        let k = rest % outputs;
        rest /= outputs;
        // e^(-2 pi i j k / n) for all j, from j k modulo n.
        let turns = std::iter::successors(Some(0), |turn| Some((turn + k) % length)).take(*length);
        axes.push(turns.map(|turn| Complex64::cis(-TAU * turn as f64 / *length as f64)).collect());
    }
    let term = |index: usize| {
        let (x, mut rest) = (&input[index], index);
        axes.iter().fold(Complex64::new(x.re(), x.im()), |product, axis| {
            let factor = axis[rest % axis.len()];
            rest /= axis.len();
            product * factor
        })
    };
    pairwise(0..input.len(), &term)
}

/// Pairwise sum: its rounding error grows with the logarithm of the length.
fn pairwise(range: Range<usize>, term: &impl Fn(usize) -> Complex64) -> Complex64 {
    if range.len() <= 16 {
        return range.map(term).sum();
    }
    let middle = range.start + range.len() / 2;
    pairwise(range.start..middle, term) + pairwise(middle..range.end, term)
}
