//! Convolutions against exact sums: interpreted, and on devices.

use super::super::recipe::Recipe;
use super::interpreted::{Interpreted, facts, run_recipe};
use crate::device::{DeviceClass, DeviceFacts};
use crate::fft::convolution::ConvolutionDescriptor;
use crate::fft::reference::convolution::{CANARY, Sample, samples};
use crate::scalar::ScalarKind;

const fn kind(double: bool, complex: bool) -> ScalarKind {
    match (double, complex) {
        (false, false) => ScalarKind::S,
        (true, false) => ScalarKind::D,
        (false, true) => ScalarKind::C,
        (true, true) => ScalarKind::Z,
    }
}

fn interpret<R: Interpreted>(sample: &Sample, facts: &DeviceFacts) -> Vec<f64> {
    let (recipe, _) = Recipe::convolution(&sample.problem, kind(R::DOUBLE, sample.complex), facts);
    run_recipe::<R>(&recipe, facts, false, [&sample.signal, &sample.kernel, &vec![CANARY; sample.output_reals()]])
}

fn check(descriptor: &ConvolutionDescriptor, facts: &DeviceFacts) {
    if descriptor.batch == 0 {
        return;
    }
    for complex in [false, true] {
        let sample = Sample::new(descriptor, complex);
        sample.check(&interpret::<f32>(&sample, facts), false, "f32");
        sample.check(&interpret::<f64>(&sample, facts), true, "f64");
    }
}

#[test]
fn convolutions_in_groups_have_no_fault() {
    samples().iter().for_each(|descriptor| check(descriptor, &facts(DeviceClass::Gpu)));
}

#[test]
fn convolutions_in_lanes_have_no_fault() {
    samples().iter().for_each(|descriptor| check(descriptor, &facts(DeviceClass::Cpu)));
    let wide = DeviceFacts { native_floats: 16, ..facts(DeviceClass::Cpu) };
    samples().iter().step_by(3).for_each(|descriptor| check(descriptor, &wide));
}

#[test]
fn an_empty_batch_has_a_recipe_for_its_convolution() {
    for class in [DeviceClass::Gpu, DeviceClass::Cpu] {
        let descriptor = samples().into_iter().find(|descriptor| descriptor.batch == 0).unwrap();
        let sample = Sample::new(&descriptor, true);
        let _ = Recipe::convolution(&sample.problem, ScalarKind::C, &facts(class));
    }
}
