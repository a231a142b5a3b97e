//! Cases: lengths, batch, operations and bytes.

use std::str::FromStr;

use affinimath::{Direction, FftDescriptor, ScalarKind, Transform};

use crate::report::CaseReport;
use crate::sizes::{Sizes, number};

/// Lengths where none are given, as far as there are points enough: powers of two, other products of small primes,
/// primes.
const DEFAULT: [usize; 16] =
    [16, 64, 512, 1024, 4096, 1 << 15, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1000, 1001, 2187, 3125, 10_007, 65_537];

/// Names of the sizes of one, two and three dimensions, in reports.
const NAMES: [&[&str]; 3] = [&["n"], &["n0", "n1"], &["n0", "n1", "n2"]];

/// Lengths of the axes of a transform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shapes(pub Vec<Vec<usize>>);

impl Shapes {
    /// The default lengths up to a count of points.
    pub fn default_for(points: usize) -> Self {
        Shapes(DEFAULT.into_iter().filter(|length| *length <= points).map(|length| vec![length]).collect())
    }
}

impl FromStr for Shapes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lengths = text.split(['x', 'X']).collect::<Vec<_>>();
        let shapes = match lengths[..] {
            [range] => range.parse::<Sizes>()?.0.into_iter().map(|length| vec![length]).collect(),
            [_, _] | [_, _, _] => vec![lengths.into_iter().map(number).collect::<Result<Vec<_>, _>>()?],
            _ => return Err(format!("'{text}' has more than three dimensions: write 1024, 512x512 or 64x64x64")),
        };
        if shapes.iter().any(|shape| shape.iter().all(|length| *length == 1)) {
            return Err("a transform of one point is a copy, and has no rate: lengths begin at 2".to_owned());
        }
        if shapes.iter().any(|shape| shape.iter().try_fold(1_usize, |n, length| n.checked_mul(*length)).is_none()) {
            return Err(format!("'{text}' has more elements than any memory"));
        }
        Ok(Shapes(shapes))
    }
}

/// A batch of forward transforms out of place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The type of the input: complex, or real for transforms to the half of complex numbers that the others follow
    /// from.
    pub kind: ScalarKind,
    /// Lengths of the axes, the contiguous one last.
    pub lengths: Vec<usize>,
    /// Transforms of the batch.
    pub batch: usize,
}

impl Case {
    /// The batch with about `points` points, at least one transform.
    pub fn new(kind: ScalarKind, lengths: &[usize], points: usize) -> Self {
        let each: usize = lengths.iter().product();
        Case { kind, lengths: lengths.to_vec(), batch: (points / each).max(1) }
    }

    /// Points of one transform, which are the elements of its input.
    pub fn points(&self) -> usize {
        self.lengths.iter().product()
    }

    /// Lengths of the output.
    pub fn output_lengths(&self) -> Vec<usize> {
        let mut lengths = self.lengths.clone();
        if let Some(last) = lengths.last_mut().filter(|_| !self.kind.is_complex()) {
            *last = *last / 2 + 1;
        }
        lengths
    }

    /// Elements of one transform's output, which are complex.
    pub fn output_points(&self) -> usize {
        self.output_lengths().iter().product()
    }

    /// Descriptor for our library.
    pub fn descriptor(&self) -> FftDescriptor {
        let transform =
            if self.kind.is_complex() { Transform::Complex(Direction::Forward) } else { Transform::RealToComplex };
        FftDescriptor::new(transform, &self.lengths).batch(self.batch)
    }

    /// The customary count: 5 n log2 n real operations for n complex points, half of that for n real ones.
    pub fn operations(&self) -> f64 {
        let n = self.points() as f64;
        (if self.kind.is_complex() { 5.0 } else { 2.5 }) * n * n.log2() * self.batch as f64
    }

    /// Bytes of the input and of the output: each is touched once at least.
    pub fn traffic(&self) -> f64 {
        let input = (self.points() * self.batch) as f64 * self.kind.bytes() as f64;
        input + (self.output_points() * self.batch) as f64 * 2.0 * self.kind.real_bytes() as f64
    }

    /// The case without results.
    pub fn report(&self) -> CaseReport {
        let dimensions = self.lengths.len();
        let to = if self.kind.is_complex() { "c2c" } else { "r2c" };
        CaseReport {
            kind: self.kind,
            routine: "fft".to_owned(),
            variant: if dimensions == 1 { to.to_owned() } else { format!("{to} {dimensions}D") },
            sizes: NAMES[dimensions - 1].iter().map(|name| (*name).into()).zip(self.lengths.iter().copied()).collect(),
            batch: Some(self.batch),
            size: (self.points() as f64).powf(1.0 / dimensions as f64),
            work: self.operations(),
            traffic: Some(self.traffic()),
            roofs: Vec::new(),
            results: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinimath_testing::assert_close;

    fn shapes(text: &str) -> Vec<Vec<usize>> {
        text.parse::<Shapes>().unwrap().0
    }

    #[test]
    fn shapes_are_ranges_of_lengths_or_products() {
        assert_eq!(shapes("8..32"), [[8], [16], [32]]);
        assert_eq!(shapes("2^10"), [[1024]]);
        assert_eq!(shapes("4x6"), [[4, 6]]);
        assert_eq!(shapes("2X3x2^2"), [[2, 3, 4]]);
        assert_eq!(shapes("1x7"), [[1, 7]]);
    }

    #[test]
    fn shapes_that_cannot_be_are_refused_with_a_reason() {
        for (text, reason) in [
            ("2x2x2x2", "more than three dimensions"),
            ("1", "begin at 2"),
            ("1x1", "begin at 2"),
            ("0x4", "begin at 1"),
            ("4x", "not a whole number"),
            ("2^40x2^40", "more elements than any memory"),
        ] {
            let error = text.parse::<Shapes>().unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn default_lengths_are_those_that_fit() {
        assert_eq!(Shapes::default_for(1 << 22).0.len(), DEFAULT.len());
        assert_eq!(Shapes::default_for(1000).0, [[16], [64], [512], [1000]]);
    }

    #[test]
    fn batches_fill_the_points_and_are_counted_by_convention() {
        let complex = Case::new(ScalarKind::C, &[1000], 1 << 22);
        assert_eq!((complex.batch, complex.output_points()), (4194, 1000));
        assert_close!(complex.operations() / (5.0 * 4_194_000.0 * 1000_f64.log2()), 1.0, 1e-12);
        assert_eq!(complex.traffic(), 4_194_000.0 * 16.0);
        let real = Case::new(ScalarKind::D, &[4, 6], 3);
        assert_eq!((real.batch, real.output_lengths()), (1, vec![4, 4]));
        assert_eq!(real.operations(), 2.5 * 24.0 * 24_f64.log2());
        assert_eq!(real.traffic(), 24.0 * 8.0 + 16.0 * 16.0);
        assert_eq!(real.report().describe(), "Dfft r2c 2D 4x6");
    }
}
