//! Reference transforms in double-double arithmetic, independent of the library: direct sums, and an FFT for long
//! lengths.

pub mod convolution;
mod double;
mod fast;

use affinimath_core::fft::descriptor::{Direction, Problem, Transform};

use double::{DoubleDouble, Roots, Wide};
use fast::FastTransform;

/// Longest complex transform by a direct sum.
const SHORT: usize = 32;

/// The real values of the output buffer; `None` for gaps. `input` is the input buffer, or longer.
pub fn transform(problem: &Problem, input: &[f64]) -> Vec<Option<f64>> {
    let width = if problem.transform.to_real() { 1 } else { 2 };
    let mut output = vec![None; width * problem.output_extent()];
    let axes = AxisTransforms::new(problem);
    for number in 0..problem.batch.count {
        let results = axes.apply(problem, load(problem, number, input));
        let strides = problem.axes.iter().map(|axis| axis.output_stride).collect::<Vec<_>>();
        let offsets = offsets(&problem.output_lengths(), &strides, number * problem.batch.output_distance);
        for (offset, result) in offsets.into_iter().zip(results) {
            let (re, im) = result.times(problem.scale.into()).rounded();
            output[width * offset] = Some(re);
            if width == 2 {
                output[width * offset + 1] = Some(im);
            }
        }
    }
    output
}

/// The forward transform of complex points.
pub fn complex_row(input: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let row: Vec<_> = input.iter().map(|(re, im)| Wide::new(*re, *im)).collect();
    FastTransform::new(row.len()).forward(&row).into_iter().map(Wide::rounded).collect()
}

/// The n-th roots of unity e^(-2 pi i m / n), rounded.
pub fn roots(n: usize) -> Vec<(f64, f64)> {
    Roots::table(n).into_iter().map(Wide::rounded).collect()
}

/// ||result - reference|| / ||reference||, or ||result|| for a zero reference.
pub fn relative_l2(result: impl IntoIterator<Item = f64>, reference: impl IntoIterator<Item = f64>) -> f64 {
    let mut reference = reference.into_iter();
    let (mut error, mut norm) = (0.0, 0.0);
    for (i, result) in result.into_iter().enumerate() {
        let exact: f64 = reference.next().unwrap_or_else(|| panic!("the reference has {i} numbers only"));
        error += (result - exact) * (result - exact);
        norm += exact * exact;
    }
    assert!(reference.next().is_none(), "the reference has more numbers");
    // A NaN propagates, and exceeds every bound.
    if norm == 0.0 { error.sqrt() } else { (error / norm).sqrt() }
}

/// Bound of the relative error in the 2-norm for n points.
pub fn bound(double: bool, n: usize) -> f64 {
    let passes = (n.max(2) as f64).log2();
    if double { 3e-16 * passes.sqrt() } else { 1.6e-7 * passes.sqrt() }
}

/// Offsets of the elements of an array in row-major order.
fn offsets(lengths: &[usize], strides: &[usize], start: usize) -> Vec<usize> {
    let offset = |mut element: usize| {
        let mut offset = start;
        for (length, stride) in lengths.iter().zip(strides).rev() {
            offset += element % length * stride;
            element /= length;
        }
        offset
    };
    (0..lengths.iter().product()).map(offset).collect()
}

/// Input of one transform of the batch.
fn load(problem: &Problem, number: usize, input: &[f64]) -> Vec<Wide> {
    let strides: Vec<_> = problem.axes.iter().map(|axis| axis.input_stride).collect();
    let offsets = offsets(&problem.input_lengths(), &strides, number * problem.batch.input_distance);
    let element = |offset: usize| match problem.transform.from_real() {
        true => Wide::new(input[offset], 0.0),
        false => Wide::new(input[2 * offset], input[2 * offset + 1]),
    };
    offsets.into_iter().map(element).collect()
}

/// The transforms of the pencils along each axis.
struct AxisTransforms(Vec<Pencil>);

enum Pencil {
    /// Direct sum.
    Short(Direction, Vec<Wide>),
    Long(Direction, FastTransform),
    /// The first n/2 + 1 results.
    Half(Box<Pencil>),
    /// A half spectrum to n real points.
    Whole(usize, Box<Pencil>),
    /// Direct sum of cosines or sines of multiples of pi / 2n.
    RealToReal(Transform, Vec<Wide>),
}

impl AxisTransforms {
    fn new(problem: &Problem) -> Self {
        let last = problem.axes.len() - 1;
        let lengths = problem.lengths();
        let pencils = lengths.iter().enumerate().map(|(axis, n)| match problem.transform {
            Transform::Complex(direction) => Pencil::complex(direction, *n),
            Transform::RealToComplex if axis == last => Pencil::Half(Box::new(Pencil::complex(Direction::Forward, *n))),
            Transform::RealToComplex => Pencil::complex(Direction::Forward, *n),
            Transform::ComplexToReal if axis == last => {
                Pencil::Whole(*n, Box::new(Pencil::complex(Direction::Backward, *n)))
            }
            Transform::ComplexToReal => Pencil::complex(Direction::Backward, *n),
            wave => Pencil::RealToReal(wave, Roots::table(4 * n)),
        });
        AxisTransforms(pencils.collect())
    }

    fn apply(&self, problem: &Problem, mut data: Vec<Wide>) -> Vec<Wide> {
        let mut lengths = problem.input_lengths();
        for axis in 0..lengths.len() {
            let inner: usize = lengths[axis + 1..].iter().product();
            let length = lengths[axis];
            let results = problem.output_lengths()[axis];
            let mut next = vec![Wide::default(); data.len() / length * results];
            for pencil in 0..data.len() / length {
                let (outer, column) = (pencil / inner, pencil % inner);
                let start = outer * length * inner + column;
                let row: Vec<_> = data[start..].iter().step_by(inner).take(length).copied().collect();
                for (k, result) in self.0[axis].apply(&row).into_iter().enumerate() {
                    next[outer * results * inner + k * inner + column] = result;
                }
            }
            data = next;
            lengths[axis] = results;
        }
        data
    }
}

impl Pencil {
    fn complex(direction: Direction, n: usize) -> Self {
        if n <= SHORT {
            Pencil::Short(direction, Roots::table(n))
        } else {
            Pencil::Long(direction, FastTransform::new(n))
        }
    }

    fn apply(&self, x: &[Wide]) -> Vec<Wide> {
        let n = x.len();
        match self {
            Pencil::Short(direction, roots) => mirrored(*direction, (0..n).map(|k| sum(x, roots, k)).collect()),
            Pencil::Long(direction, fast) => mirrored(*direction, fast.forward(x)),
            Pencil::Half(pencil) => {
                let mut results = pencil.apply(x);
                results.truncate(n / 2 + 1);
                results
            }
            Pencil::Whole(n, pencil) => pencil.apply(&whole_spectrum(x, *n)),
            Pencil::RealToReal(transform, roots) => (0..n).map(|k| real_to_real(*transform, x, roots, k)).collect(),
        }
    }
}

fn sum(x: &[Wide], roots: &[Wide], k: usize) -> Wide {
    x.iter().enumerate().fold(Wide::default(), |sum, (j, x)| sum + *x * roots[j * k % roots.len()])
}

/// Results of a forward transform; of a backward one, those at -k.
fn mirrored(direction: Direction, mut results: Vec<Wide>) -> Vec<Wide> {
    if direction == Direction::Backward {
        results[1..].reverse();
    }
    results
}

/// The Hermitian spectrum of n points from the first n/2 + 1. Imaginary parts of the mean and, for even n, of the
/// highest frequency are ignored.
fn whole_spectrum(half: &[Wide], n: usize) -> Vec<Wide> {
    let number = |k: usize| match k {
        _ if k == 0 || 2 * k == n => Wide { im: DoubleDouble::default(), ..half[k] },
        _ if k <= n / 2 => half[k],
        _ => half[n - k].conjugate(),
    };
    (0..n).map(number).collect()
}

/// X_k of a cosine or sine transform, with roots e^(-pi i m / 2n).
fn real_to_real(transform: Transform, x: &[Wide], roots: &[Wide], k: usize) -> Wide {
    let n = x.len();
    let two = DoubleDouble::from(2.0);
    let (cos, sin) = (|m: usize| roots[m % (4 * n)].re, |m: usize| -roots[m % (4 * n)].im);
    let term = |j: usize| match transform {
        Transform::Dct2 => two * cos((2 * j + 1) * k),
        Transform::Dct3 if j == 0 => 1.0.into(),
        Transform::Dct3 => two * cos(j * (2 * k + 1)),
        Transform::Dst2 => two * sin((2 * j + 1) * (k + 1)),
        Transform::Dst3 if j + 1 == n => (if k.is_multiple_of(2) { 1.0 } else { -1.0 }).into(),
        Transform::Dst3 => two * sin((j + 1) * (2 * k + 1)),
        _ => unreachable!("{transform:?} is no sum of cosines or sines"),
    };
    x.iter().enumerate().fold(Wide::default(), |sum, (j, x)| sum + x.times(term(j)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_transform_is_the_definition() {
        for n in (1..=130).chain([49 * 53, 1009, 1024, 2 * 1031]) {
            let x: Vec<_> = (0..n).map(|j| Wide::new((j as f64 * 0.7).sin(), (j as f64 * j as f64).cos())).collect();
            let (fast, roots) = (FastTransform::new(n).forward(&x), Roots::table(n));
            for k in (0..n).step_by(1 + n / 100) {
                let off = fast[k] - sum(&x, &roots, k);
                assert!(off.re.high.abs() + off.im.high.abs() < 1e-29 * n as f64, "{k} of {n}: {off:?}");
            }
        }
    }
}
