//! Transforms on the host against double-double references.

mod accuracy;
mod convolution;
mod layouts;
mod planner;
mod properties;
mod stockham;

use rustfft::FftNum;

use affinimath_core::fft::descriptor::{FftDescriptor, Problem};
use affinimath_cpu::fft::HostFft;
use affinimath_cpu::fft::roots::number;
use affinimath_testing::fft::{bound, relative_l2, transform};

trait Number: FftNum + Into<f64> {}
impl<R: FftNum + Into<f64>> Number for R {}

/// Value of elements that are not written.
const CANARY: f64 = -77.25;

fn is_double<R>() -> bool {
    size_of::<R>() == 8
}

/// Pseudorandom values in (-1, 1) that are exact in `f32`.
fn numbers(count: usize, seed: usize) -> Vec<f64> {
    let mut state = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn rounded<R: Number>(values: &[f64]) -> Vec<R> {
    values.iter().map(|value| number(*value)).collect()
}

fn widened<R: Number>(values: &[R]) -> Vec<f64> {
    values.iter().map(|value| (*value).into()).collect()
}

/// Real values of both sides; `input` marks those of elements.
struct Memory {
    input: Vec<bool>,
    output: usize,
}

impl Memory {
    fn of(problem: &Problem) -> Self {
        let width = |real: bool| if real { 1 } else { 2 };
        let (from, to) = (width(problem.transform.from_real()), width(problem.transform.to_real()));
        let mut indices = vec![0];
        let batch = (problem.batch.count, problem.batch.input_distance);
        let axes = problem.input_lengths().into_iter().zip(problem.axes.iter().map(|axis| axis.input_stride));
        for (count, stride) in axes.chain([batch]) {
            indices = indices.iter().flat_map(|index| (0..count).map(move |i| index + i * stride)).collect();
        }
        let mut input = vec![false; from * problem.input_extent()];
        indices.into_iter().for_each(|index| input[from * index..from * (index + 1)].fill(true));
        Memory { input, output: to * problem.output_extent() }
    }
}

/// The output of a plan. Gaps are canaries in the output and NaN in the input.
fn execute<R: Number>(problem: &Problem, input: &[f64]) -> Vec<f64> {
    let memory = Memory::of(problem);
    let plan = HostFft::<R>::new(problem);
    let gap = if problem.in_place { CANARY } else { f64::NAN };
    let mut data: Vec<f64> = input.iter().zip(&memory.input).map(|(x, used)| if *used { *x } else { gap }).collect();
    if problem.in_place {
        data.resize(data.len().max(memory.output), CANARY);
        let mut data = rounded::<R>(&data);
        // SAFETY: the buffer has the extents of both sides.
        unsafe { plan.execute(data.as_ptr(), data.as_mut_ptr()) };
        return widened(&data);
    }
    let before = data;
    let data = rounded::<R>(&before);
    let mut results = vec![number::<R>(CANARY); memory.output];
    // SAFETY: the buffers have the extents of both sides.
    unsafe { plan.execute(data.as_ptr(), results.as_mut_ptr()) };
    let unchanged = |(after, before): (f64, &f64)| after == *before || after.is_nan() && before.is_nan();
    assert!(widened(&data).into_iter().zip(&before).all(unchanged), "the input was written to: {problem:?}");
    widened(&results)
}

/// Asserts the error bound, and that gaps are unchanged.
fn check_numbers<R: Number>(problem: &Problem, input: &[f64]) {
    let memory = Memory::of(problem);
    let (results, expected) = (execute::<R>(problem, input), transform(problem, input));
    let (mut found, mut exact) = (Vec::new(), Vec::new());
    for (index, result) in results.iter().enumerate() {
        match expected.get(index).copied().flatten() {
            Some(expected) => {
                found.push(*result);
                exact.push(expected);
            }
            None if problem.in_place && memory.input.get(index) == Some(&true) => {}
            None => assert!(*result == CANARY, "{index} was written to: {problem:?}"),
        }
    }
    let (error, bound) = (relative_l2(found, exact), bound(is_double::<R>(), problem.points()));
    assert!(error <= bound, "{error:e} > {bound:e}: {problem:?}");
}

/// Checks a transform of pseudorandom values in both precisions.
fn check(descriptor: &FftDescriptor) {
    let problem = Problem::new(descriptor).unwrap_or_else(|error| panic!("{error}: {descriptor:?}"));
    let input = numbers(Memory::of(&problem).input.len(), problem.points());
    check_numbers::<f32>(&problem, &input);
    check_numbers::<f64>(&problem, &input);
}
