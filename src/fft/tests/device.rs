//! Transforms on the devices there are, as CPUs and as GPUs do them.

use super::super::{DeviceFft, Operand};
use super::{BACKWARD, Case, FORWARD, FftDescriptor, TRANSFORMS, layouts};
use crate::context::{DeviceBuffer, DeviceContext, Queue, Scratch};
use crate::device::{Device, DeviceClass, DeviceFacts};
use crate::scalar::{Element, Real, Scalar};

/// Elements before the operands.
const OFFSET: usize = 6;

fn run<R: Real + Scalar + Element>(device: &Device, facts: &DeviceFacts, case: &Case) -> Vec<f64> {
    let context = DeviceContext::for_device(device).unwrap();
    let queue = Queue::of(&context).unwrap();
    let fft = DeviceFft::for_facts(&context, facts, &case.problem, R::KIND.is_double()).unwrap();
    let upload = |data: &[f64]| {
        let data: Vec<R> = [f64::NAN; 2 * OFFSET].iter().chain(data).map(|value| R::from_parts(*value, 0.0)).collect();
        let memory = DeviceBuffer::new(&context, size_of_val(&data[..]), "an operand").unwrap();
        memory.write(&queue, &data).unwrap();
        (memory, data.len())
    };
    let offset = |real: bool| if real { 2 * OFFSET } else { OFFSET };
    let (from, to) = (offset(case.problem.transform.from_real()), offset(case.problem.transform.to_real()));
    let (output, length) = upload(&if case.problem.in_place { case.in_place() } else { case.output() });
    let (input, _) = upload(&case.input);
    let input = if case.problem.in_place { &output } else { &input };
    let scratch = Scratch::borrow(&queue, fft.scratch_bytes()).unwrap();
    let operands = (Operand { memory: input, offset: from }, Operand { memory: &output, offset: to });
    fft.enqueue(&queue, operands.0, operands.1, &scratch).unwrap().wait().unwrap();
    let mut results = vec![R::ZERO; length];
    output.read(&queue, &mut results).unwrap();
    results[2 * OFFSET..].iter().map(|value| value.re()).collect()
}

/// On every device that has the precision, as its own class and, on CPUs, as GPUs do it.
fn check(descriptor: &FftDescriptor) {
    let case = Case::new(descriptor);
    for device in Device::all().unwrap_or_default() {
        let gpu = DeviceFacts { class: DeviceClass::Gpu, max_work_group_size: 256, ..device.facts().clone() };
        let both = [device.facts().clone(), gpu];
        for facts in &both[..if device.facts().class == DeviceClass::Gpu { 1 } else { 2 }] {
            case.check(&run::<f32>(device, facts, &case), false, &format!("f32 as a {}", facts.class));
            if facts.fp64 {
                case.check(&run::<f64>(device, facts, &case), true, &format!("f64 as a {}", facts.class));
            }
        }
    }
}

#[test]
fn small_transforms_are_accurate() {
    for n in [1, 2, 5, 16, 60, 17] {
        check(&FftDescriptor::new(FORWARD, &[n]).batch(3));
    }
    check(&FftDescriptor::new(BACKWARD, &[48]).batch(33).in_place());
}

#[test]
fn transforms_of_all_sizes_are_accurate() {
    for n in [128, 1000, 1001, 2187, 2053, 4096, 8192, 10007, 65536, 30030] {
        check(&FftDescriptor::new(FORWARD, &[n]));
    }
    check(&FftDescriptor::new(BACKWARD, &[4096]).batch(20));
}

#[test]
fn layouts_of_all_kinds_are_right() {
    for (turn, transform) in TRANSFORMS.into_iter().enumerate() {
        // Each transform takes some of them: programs are many.
        let descriptors = layouts(transform).into_iter().enumerate();
        descriptors.filter(|(i, _)| (i + turn) % 4 == 0).for_each(|(_, descriptor)| check(&descriptor));
    }
    check(&FftDescriptor::new(crate::fft::Transform::RealToComplex, &[1 << 15]));
    check(&FftDescriptor::new(crate::fft::Transform::ComplexToReal, &[1 << 15]));
    check(&FftDescriptor::new(crate::fft::Transform::Cosine2, &[6000]));
}
