//! What a transform has to give, in double-double arithmetic and by other ways than the library's: the definitions,
//! summed term by term, and for the long ones a fast transform of its own.

pub mod convolution;
mod double;
mod fast;

use affinimath_core::fft::descriptor::{Direction, Problem, Transform};

use double::{DoubleDouble, Roots, Wide};
use fast::FastTransform;

/// Complex transforms up to this length are summed as they are defined.
const SHORT: usize = 32;

/// The numbers that are to lie in the output's memory, real by real: `None` where nothing is to be written.
///
/// The input is its memory, real by real; its length may exceed the problem's.
pub fn transform(problem: &Problem, input: &[f64]) -> Vec<Option<f64>> {
    let width = if problem.transform.to_real() { 1 } else { 2 };
    let mut output = vec![None; width * problem.output_extent()];
    let axes = AxisTransforms::new(problem);
    for number in 0..problem.batch.count {
        let results = axes.apply(problem, load(problem, number, input));
        let strides = problem.axes.iter().map(|axis| axis.output_stride).collect::<Vec<_>>();
        let places = places(&problem.output_lengths(), &strides, number * problem.batch.output_distance);
        for (place, result) in places.into_iter().zip(results) {
            let (re, im) = result.times(problem.scale.into()).rounded();
            output[width * place] = Some(re);
            if width == 2 {
                output[width * place + 1] = Some(im);
            }
        }
    }
    output
}

/// The transform of a row of complex numbers; the backward one is the forward one's mirror image.
pub fn complex_row(input: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let row: Vec<_> = input.iter().map(|(re, im)| Wide::new(*re, *im)).collect();
    FastTransform::new(row.len()).forward(&row).into_iter().map(Wide::rounded).collect()
}

/// The n-th roots of unity e^(-2 pi i m / n), rounded.
pub fn roots(n: usize) -> Vec<(f64, f64)> {
    Roots::table(n).into_iter().map(Wide::rounded).collect()
}

/// ||result - reference|| / ||reference||, which is the norm itself where the reference is 0.
pub fn relative_l2(result: impl IntoIterator<Item = f64>, reference: impl IntoIterator<Item = f64>) -> f64 {
    let mut reference = reference.into_iter();
    let (mut error, mut norm) = (0.0, 0.0);
    for (i, result) in result.into_iter().enumerate() {
        let exact: f64 = reference.next().unwrap_or_else(|| panic!("the reference has {i} numbers only"));
        error += (result - exact) * (result - exact);
        norm += exact * exact;
    }
    assert!(reference.next().is_none(), "the reference has more numbers");
    // A NaN stays one, and is below no bound.
    if norm == 0.0 { error.sqrt() } else { (error / norm).sqrt() }
}

/// The relative error in the L2 norm that a transform of n numbers may have.
pub fn bound(double: bool, n: usize) -> f64 {
    let passes = (n.max(2) as f64).log2();
    if double { 3e-16 * passes.sqrt() } else { 1.6e-7 * passes.sqrt() }
}

/// The places of an array's elements, the last index running fastest.
fn places(lengths: &[usize], strides: &[usize], start: usize) -> Vec<usize> {
    let place = |mut element: usize| {
        let mut place = start;
        for (length, stride) in lengths.iter().zip(strides).rev() {
            place += element % length * stride;
            element /= length;
        }
        place
    };
    (0..lengths.iter().product()).map(place).collect()
}

/// One transform's input.
fn load(problem: &Problem, number: usize, input: &[f64]) -> Vec<Wide> {
    let strides: Vec<_> = problem.axes.iter().map(|axis| axis.input_stride).collect();
    let places = places(&problem.input_lengths(), &strides, number * problem.batch.input_distance);
    let element = |place: usize| match problem.transform.from_real() {
        true => Wide::new(input[place], 0.0),
        false => Wide::new(input[2 * place], input[2 * place + 1]),
    };
    places.into_iter().map(element).collect()
}

/// The transforms of the lines along each axis.
struct AxisTransforms(Vec<Line>);

enum Line {
    /// The sum of x_j e^(-2 pi i j k / n), or its mirror image.
    Short(Direction, Vec<Wide>),
    Long(Direction, FastTransform),
    /// The first half of the results.
    Half(Box<Line>),
    /// A half spectrum to so many reals, beside which the imaginary parts are rounding.
    Whole(usize, Box<Line>),
    /// Sums of cosines and sines of multiples of pi / 2n.
    Wave(Transform, Vec<Wide>),
}

impl AxisTransforms {
    fn new(problem: &Problem) -> Self {
        let last = problem.axes.len() - 1;
        let lengths = problem.lengths();
        let lines = lengths.iter().enumerate().map(|(axis, n)| match problem.transform {
            Transform::Complex(direction) => Line::complex(direction, *n),
            Transform::RealToComplex if axis == last => Line::Half(Box::new(Line::complex(Direction::Forward, *n))),
            Transform::RealToComplex => Line::complex(Direction::Forward, *n),
            Transform::ComplexToReal if axis == last => {
                Line::Whole(*n, Box::new(Line::complex(Direction::Backward, *n)))
            }
            Transform::ComplexToReal => Line::complex(Direction::Backward, *n),
            wave => Line::Wave(wave, Roots::table(4 * n)),
        });
        AxisTransforms(lines.collect())
    }

    fn apply(&self, problem: &Problem, mut data: Vec<Wide>) -> Vec<Wide> {
        let mut lengths = problem.input_lengths();
        for axis in 0..lengths.len() {
            let inner: usize = lengths[axis + 1..].iter().product();
            let length = lengths[axis];
            let results = problem.output_lengths()[axis];
            let mut next = vec![Wide::default(); data.len() / length * results];
            for line in 0..data.len() / length {
                let (outer, column) = (line / inner, line % inner);
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

impl Line {
    fn complex(direction: Direction, n: usize) -> Self {
        if n <= SHORT { Line::Short(direction, Roots::table(n)) } else { Line::Long(direction, FastTransform::new(n)) }
    }

    fn apply(&self, x: &[Wide]) -> Vec<Wide> {
        let n = x.len();
        match self {
            Line::Short(direction, roots) => mirrored(*direction, (0..n).map(|k| sum(x, roots, k)).collect()),
            Line::Long(direction, fast) => mirrored(*direction, fast.forward(x)),
            Line::Half(line) => {
                let mut results = line.apply(x);
                results.truncate(n / 2 + 1);
                results
            }
            Line::Whole(n, line) => line.apply(&whole_spectrum(x, *n)),
            Line::Wave(transform, roots) => (0..n).map(|k| wave(*transform, x, roots, k)).collect(),
        }
    }
}

fn sum(x: &[Wide], roots: &[Wide], k: usize) -> Wide {
    x.iter().enumerate().fold(Wide::default(), |sum, (j, x)| sum + *x * roots[j * k % roots.len()])
}

/// The forward transform's results, or the backward one's: those at -k.
fn mirrored(direction: Direction, mut results: Vec<Wide>) -> Vec<Wide> {
    if direction == Direction::Backward {
        results[1..].reverse();
    }
    results
}

/// The n numbers whose transform is real, from the first n/2 + 1. The mean and, for even n, the highest frequency are
/// real whatever the imaginary parts are.
fn whole_spectrum(half: &[Wide], n: usize) -> Vec<Wide> {
    let number = |k: usize| match k {
        _ if k == 0 || 2 * k == n => Wide { im: DoubleDouble::default(), ..half[k] },
        _ if k <= n / 2 => half[k],
        _ => half[n - k].conjugate(),
    };
    (0..n).map(number).collect()
}

/// X_k of the cosine and sine transforms: the root m is e^(-pi i m / 2n).
fn wave(transform: Transform, x: &[Wide], roots: &[Wide], k: usize) -> Wide {
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
