//! Convolutions against direct sums: interpreted, and on devices.

use super::super::convolution::ConvolutionProblem;
use super::super::pass::PassList;
use super::super::planner::Planner;
use super::super::recipe::ConvolutionRecipe;
use super::super::space::FftParameters;
use super::super::{
    ConvolutionDescriptor, ConvolutionKind, ConvolutionMode, ConvolutionOperands, DeviceConvolution, Operand,
};
use super::interpreted::{Interpreted, device_info, run_passes};
use crate::context::{BufferParts, DeviceBuffer, DeviceContext, Queue, Workspace};
use crate::device::{Device, DeviceClass, DeviceInfo};
use crate::fft::reference::convolution::{CANARY, Sample, samples};
use crate::scalar::{Element, Real, Scalar, ScalarKind};
use crate::testing::{covers, devices};

const fn kind(double: bool, complex: bool) -> ScalarKind {
    match (double, complex) {
        (false, false) => ScalarKind::S,
        (true, false) => ScalarKind::D,
        (false, true) => ScalarKind::C,
        (true, true) => ScalarKind::Z,
    }
}

fn passes(problem: &ConvolutionProblem, kind: ScalarKind, device_info: &DeviceInfo) -> PassList {
    let planner = Planner::of(device_info, kind.is_double(), &FftParameters::for_device(kind.is_double(), device_info));
    let recipe = ConvolutionRecipe::choose(problem, !kind.is_complex(), &planner);
    PassList::lower_convolution(&recipe, problem, !kind.is_complex(), &planner).0
}

fn interpret<R: Interpreted>(sample: &Sample, device_info: &DeviceInfo) -> Vec<f64> {
    let list = passes(&sample.problem, kind(R::DOUBLE, sample.complex), device_info);
    run_passes::<R>(&list, device_info, false, [&sample.signal, &sample.kernel, &vec![CANARY; sample.output_reals()]])
}

fn check(descriptor: &ConvolutionDescriptor, device_info: &DeviceInfo) {
    if descriptor.batch == 0 {
        return;
    }
    for complex in [false, true] {
        let sample = Sample::new(descriptor, complex);
        sample.check(&interpret::<f32>(&sample, device_info), false, "f32");
        sample.check(&interpret::<f64>(&sample, device_info), true, "f64");
    }
}

/// Elements before the operands.
const OFFSET: usize = 3;

fn run<R: Real + Scalar + Element>(device: &Device, device_info: &DeviceInfo, sample: &Sample) -> Vec<f64> {
    let context = DeviceContext::for_device(device).unwrap();
    let queue = Queue::new(&context).unwrap();
    let kind = kind(R::KIND.is_double(), sample.complex);
    let convolution = DeviceConvolution::for_facts(&context, device_info, &sample.problem, kind).unwrap();
    let before = OFFSET * if sample.complex { 2 } else { 1 };
    let upload = |data: &[f64], beyond: f64| {
        let around = vec![beyond; before];
        let data: Vec<R> = around.iter().chain(data).chain(&around).map(|value| R::from_parts(*value, 0.0)).collect();
        let memory = DeviceBuffer::new(&context, size_of_val(&data[..]), "an operand").unwrap();
        memory.write(&queue, &data).unwrap();
        memory
    };
    let (signal, kernel) = (upload(&sample.signal, f64::NAN), upload(&sample.kernel, f64::NAN));
    let output = upload(&vec![CANARY; sample.output_reals()], CANARY);
    let workspace = Workspace::borrow(&queue, convolution.workspace_bytes()).unwrap();
    let [signal, kernel, written] = [&signal, &kernel, &output].map(|memory| Operand { memory, offset: OFFSET });
    let operands = ConvolutionOperands { signal, kernel, output: written };
    convolution.enqueue(&queue, operands, &workspace).unwrap().wait().unwrap();
    let mut results = vec![R::ZERO; sample.output_reals() + 2 * before];
    output.read(&queue, &mut results).unwrap();
    let results: Vec<f64> = results.iter().map(|value| value.re()).collect();
    let around = results[..before].iter().chain(&results[results.len() - before..]);
    assert!(around.copied().all(|value| value == CANARY), "a canary was written");
    results[before..results.len() - before].to_vec()
}

/// Checks on every device with the precision, with the kernels of its class and, on CPUs, with those of GPUs.
fn check_on_devices(descriptor: &ConvolutionDescriptor, complex: bool) {
    let sample = Sample::new(descriptor, complex);
    let kinds = [false, true].map(|double| kind(double, complex));
    let [single, double] = kinds.map(|kind| covers(kind, &kinds));
    for device in devices() {
        let gpu = DeviceInfo { class: DeviceClass::Gpu, max_work_group_size: 256, ..device.info().clone() };
        let both = [device.info().clone(), gpu];
        for device_info in &both[..if device.info().class == DeviceClass::Gpu { 1 } else { 2 }] {
            if single {
                sample.check(
                    &run::<f32>(device, device_info, &sample),
                    false,
                    &format!("f32 as a {}", device_info.class),
                );
            }
            if double && device_info.fp64 {
                sample.check(
                    &run::<f64>(device, device_info, &sample),
                    true,
                    &format!("f64 as a {}", device_info.class),
                );
            }
        }
    }
}

fn new(kind: ConvolutionKind, signal: &[usize], kernel: &[usize], mode: ConvolutionMode) -> ConvolutionDescriptor {
    ConvolutionDescriptor::new(kind, signal, kernel).mode(mode)
}

mod host {
    use super::*;

    #[test]
    fn convolutions_in_groups_have_no_fault() {
        samples().iter().for_each(|descriptor| check(descriptor, &device_info(DeviceClass::Gpu)));
    }

    #[test]
    fn convolutions_in_lanes_have_no_fault() {
        samples().iter().for_each(|descriptor| check(descriptor, &device_info(DeviceClass::Cpu)));
        let wide = DeviceInfo { native_floats: 16, ..device_info(DeviceClass::Cpu) };
        samples().iter().step_by(3).for_each(|descriptor| check(descriptor, &wide));
    }

    #[test]
    fn an_empty_batch_has_a_recipe_for_its_convolution() {
        for class in [DeviceClass::Gpu, DeviceClass::Cpu] {
            let descriptor = samples().into_iter().find(|descriptor| descriptor.batch == 0).unwrap();
            let sample = Sample::new(&descriptor, true);
            let _ = passes(&sample.problem, ScalarKind::C, &device_info(class));
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn convolutions_of_all_sizes_are_right() {
        use ConvolutionKind::{Convolution, Correlation};
        use ConvolutionMode::{Circular, Full, Same, Valid};
        check_on_devices(&new(Convolution, &[50_000], &[37], Full), false);
        check_on_devices(&new(Correlation, &[30_011], &[150], Circular), true);
        check_on_devices(&new(Convolution, &[5000], &[3000], Same), true);
        check_on_devices(&new(Correlation, &[20_000], &[700], Valid).batch(3), false);
        check_on_devices(&new(Convolution, &[300], &[31], Same).batch(100).batched_kernels(), false);
        check_on_devices(&new(Correlation, &[70, 90], &[9, 6], Same).batch(5), false);
        check_on_devices(&new(Convolution, &[61, 64], &[5, 4], Circular).batch(2).batched_kernels(), true);
        check_on_devices(&new(Convolution, &[10, 13, 20], &[3, 4, 5], Full), false);
        check_on_devices(&new(Correlation, &[10, 13, 20], &[3, 4, 5], Valid), true);
    }
}

mod device_small {
    use super::*;

    #[test]
    fn convolutions_are_right() {
        check_on_devices(&new(ConvolutionKind::Convolution, &[70], &[5], ConvolutionMode::Same).batch(2), false);
        check_on_devices(
            &new(ConvolutionKind::Correlation, &[11], &[4], ConvolutionMode::Circular).batch(3).batched_kernels(),
            true,
        );
        check_on_devices(&new(ConvolutionKind::Convolution, &[5, 6], &[2, 3], ConvolutionMode::Full), false);
    }
}
