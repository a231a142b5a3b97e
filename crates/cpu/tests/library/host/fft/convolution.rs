//! Convolutions and correlations against direct sums.

use super::{Number, is_double, rounded, widened};
use affinimath_core::fft::convolution::ConvolutionDescriptor;
use affinimath_core::fft::{ConvolutionKind, ConvolutionMode};
use affinimath_cpu::fft::HostConvolution;
use affinimath_testing::fft::convolution::{CANARY, Sample, samples};

fn check<R: Number>(descriptor: &ConvolutionDescriptor, complex: bool) {
    let sample = Sample::new(descriptor, complex);
    let plan = HostConvolution::<R>::new(&sample.problem, !complex);
    let (signal, kernel) = (rounded::<R>(&sample.signal), rounded::<R>(&sample.kernel));
    let mut output = rounded::<R>(&vec![CANARY; sample.output_reals() + 4]);
    // SAFETY: the slices have the lengths of the problem.
    unsafe { plan.execute(signal.as_ptr(), kernel.as_ptr(), output.as_mut_ptr().add(2)) };
    let output = widened(&output);
    let (before, rest) = output.split_at(2);
    let (results, after) = rest.split_at(sample.output_reals());
    assert!(before.iter().chain(after).all(|value| *value == CANARY), "{descriptor:?}: a canary was written");
    sample.check(results, is_double::<R>(), "on the host");
}

#[test]
fn convolutions_of_all_kinds_are_exact() {
    for descriptor in samples() {
        for complex in [false, true] {
            check::<f32>(&descriptor, complex);
            check::<f64>(&descriptor, complex);
        }
    }
}

#[test]
fn long_convolutions_are_exact() {
    let new =
        |signal: &[usize], kernel: &[usize]| ConvolutionDescriptor::new(ConvolutionKind::Correlation, signal, kernel);
    for descriptor in [
        new(&[50_000], &[37]),
        new(&[10_007], &[300]).mode(ConvolutionMode::Circular).batch(3),
        new(&[4000], &[1000]).batch(8).mode(ConvolutionMode::Same),
        new(&[300], &[31]).batch(100).batched_kernels(),
        new(&[130, 150], &[9, 7]).batch(3).mode(ConvolutionMode::Same),
        new(&[97, 64], &[5, 5]).batch(9).mode(ConvolutionMode::Circular),
    ] {
        check::<f32>(&descriptor, false);
        check::<f64>(&descriptor, true);
    }
}
