//! A transform with its operands, and the check of its results.

use crate::fft::descriptor::Problem;
use crate::fft::{FftDescriptor, reference};

/// Value of all elements that are not written.
const CANARY: f64 = 12_345.0;

/// A problem and its input: values in (-1, 1) that are exact in `f32`, and NaN where nothing is read.
pub(super) struct Case {
    pub(super) problem: Problem,
    pub(super) input: Vec<f64>,
    name: String,
}

impl Case {
    pub(super) fn new(descriptor: &FftDescriptor) -> Self {
        let problem = Problem::new(descriptor).unwrap();
        let width = if problem.transform.from_real() { 1 } else { 2 };
        let mut input = vec![f64::NAN; width * problem.input_extent()];
        let mut state = 0x2545_f491_u64.wrapping_add(problem.points() as u64);
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from((state >> 40) as i32 - (1 << 23)) / f64::from(1 << 23)
        };
        let lengths = problem.input_lengths();
        for number in 0..problem.batch.count {
            for mut element in 0..lengths.iter().product() {
                let mut index = number * problem.batch.input_distance;
                for (axis, length) in problem.axes.iter().zip(&lengths).rev() {
                    index += element % length * axis.input_stride;
                    element /= length;
                }
                (0..width).for_each(|part| input[width * index + part] = next());
            }
        }
        Case { problem, input, name: format!("{descriptor:?}") }
    }

    /// The buffer of a transform in place: the input, then canaries.
    pub(super) fn in_place(&self) -> Vec<f64> {
        let mut data = self.input.clone();
        data.resize(data.len().max(self.output().len()).next_multiple_of(2), CANARY);
        data
    }

    /// The output before the transform: canaries.
    pub(super) fn output(&self) -> Vec<f64> {
        let width = if self.problem.transform.to_real() { 1 } else { 2 };
        vec![CANARY; width * self.problem.output_extent()]
    }

    /// Asserts the error bound, and out of place that no gap was written.
    pub(super) fn check(&self, output: &[f64], double: bool, what: &str) {
        let error = self.error(output, double);
        assert!(error <= 1.0, "{what}, {}: {error} of the bound", self.name);
        if !self.problem.in_place {
            let expected = reference::transform(&self.problem, &self.input);
            let mut gaps = expected.iter().zip(output).filter(|(expected, _)| expected.is_none());
            assert!(gaps.all(|(_, canary)| *canary == CANARY), "{what}, {}: a gap was written", self.name);
        }
    }

    /// The error divided by the bound.
    pub(super) fn error(&self, output: &[f64], double: bool) -> f64 {
        let expected = reference::transform(&self.problem, &self.input);
        let results = || expected.iter().zip(output).filter_map(|(expected, result)| Some(((*expected)?, *result)));
        let error =
            reference::relative_l2(results().map(|(_, result)| result), results().map(|(expected, _)| expected));
        // A cosine or sine transform of n points is a Fourier transform of 4n points.
        let trigonometric = self.problem.transform.from_real() && self.problem.transform.to_real();
        error / reference::bound(double, self.problem.points() * if trigonometric { 4 } else { 1 })
    }
}
