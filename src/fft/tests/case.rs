//! A transform with its operands, and what must come out.

use crate::fft::descriptor::Problem;
use crate::fft::{FftDescriptor, reference};

/// What lies where nothing is to be written.
const CANARY: f64 = 12_345.0;

/// A problem and its input's memory: numbers in (-1, 1), which `f32` holds, and NaN where nothing is to be read.
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
                let mut place = number * problem.batch.input_distance;
                for (axis, length) in problem.axes.iter().zip(&lengths).rev() {
                    place += element % length * axis.input_stride;
                    element /= length;
                }
                (0..width).for_each(|part| input[width * place + part] = next());
            }
        }
        Case { problem, input, name: format!("{descriptor:?}") }
    }

    /// Reals of the one memory of a transform in place: the input, and canaries behind it.
    pub(super) fn in_place(&self) -> Vec<f64> {
        let mut data = self.input.clone();
        data.resize(data.len().max(self.output().len()).next_multiple_of(2), CANARY);
        data
    }

    /// The output's memory, before.
    pub(super) fn output(&self) -> Vec<f64> {
        let width = if self.problem.transform.to_real() { 1 } else { 2 };
        vec![CANARY; width * self.problem.output_extent()]
    }

    /// Looks at the output's memory. In place, what is not written is the input.
    pub(super) fn check(&self, output: &[f64], double: bool, what: &str) {
        let error = self.error(output, double);
        assert!(error <= 1.0, "{what}, {}: {error} of the bound", self.name);
        if !self.problem.in_place {
            let expected = reference::transform(&self.problem, &self.input);
            let mut gaps = expected.iter().zip(output).filter(|(expected, _)| expected.is_none());
            assert!(gaps.all(|(_, canary)| *canary == CANARY), "{what}, {}: a gap was written", self.name);
        }
    }

    /// The error as a part of the bound.
    pub(super) fn error(&self, output: &[f64], double: bool) -> f64 {
        let expected = reference::transform(&self.problem, &self.input);
        let results = || expected.iter().zip(output).filter_map(|(expected, result)| Some(((*expected)?, *result)));
        let error =
            reference::relative_l2(results().map(|(_, result)| result), results().map(|(expected, _)| expected));
        // A cosine or sine transform of n numbers is a Fourier transform of 4n.
        let waves = self.problem.transform.from_real() && self.problem.transform.to_real();
        error / reference::bound(double, self.problem.points() * if waves { 4 } else { 1 })
    }
}
