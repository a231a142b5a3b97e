//! Transforms on all devices, with the kernels of CPUs and of GPUs.

use super::super::{DeviceFft, Operand};
use super::{BACKWARD, Case, FORWARD, FftDescriptor, TRANSFORMS, Transform, layouts};
use crate::context::{BufferParts, DeviceBuffer, DeviceContext, Queue, Workspace};
use crate::device::{Device, DeviceClass, DeviceInfo};
use crate::scalar::{Element, Real, Scalar, ScalarKind};
use crate::testing::{covers, devices};

/// Elements before the operands.
const OFFSET: usize = 6;

/// The output of a transform on a device, planned with these facts.
pub(super) fn run<R: Real + Scalar + Element>(device: &Device, device_info: &DeviceInfo, case: &Case) -> Vec<f64> {
    let context = DeviceContext::for_device(device).unwrap();
    let queue = Queue::new(&context).unwrap();
    let fft = DeviceFft::for_facts(&context, device_info, &case.problem, R::KIND.is_double()).unwrap();
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
    let workspace = Workspace::borrow(&queue, fft.workspace_bytes()).unwrap();
    let operands = (Operand { memory: input, offset: from }, Operand { memory: &output, offset: to });
    fft.enqueue(&queue, operands.0, operands.1, &workspace).unwrap().wait().unwrap();
    let mut results = vec![R::ZERO; length];
    output.read(&queue, &mut results).unwrap();
    results[2 * OFFSET..].iter().map(|value| value.re()).collect()
}

/// Facts to plan with: of the device's class and, for a CPU, of a GPU, in each supported precision (`true` is double).
pub(super) fn variants(device: &Device) -> Vec<(&Device, DeviceInfo, bool)> {
    let own = device.info();
    let gpu = DeviceInfo { class: DeviceClass::Gpu, max_work_group_size: 256, ..own.clone() };
    let classes = if own.class == DeviceClass::Gpu { vec![gpu] } else { vec![own.clone(), gpu] };
    let precisions = |device_info: DeviceInfo| [false, true].map(|double| (device, device_info.clone(), double));
    classes.into_iter().flat_map(precisions).filter(|(_, device_info, double)| !double || device_info.fp64).collect()
}

/// Checks in the precisions of the covered types: real ones, if the transform has real elements.
fn check(descriptor: &FftDescriptor) {
    let case = Case::new(descriptor);
    let is_real = case.problem.transform.from_real() || case.problem.transform.to_real();
    let kinds = if is_real { [ScalarKind::S, ScalarKind::D] } else { [ScalarKind::C, ScalarKind::Z] };
    let is_covered = |double: bool| covers(kinds[usize::from(double)], &kinds);
    for (device, device_info, double) in devices().iter().flat_map(variants).filter(|(.., double)| is_covered(*double))
    {
        let output =
            if double { run::<f64>(device, &device_info, &case) } else { run::<f32>(device, &device_info, &case) };
        let precision = if double { "f64" } else { "f32" };
        case.check(&output, double, &format!("{precision} as a {}", device_info.class));
    }
}

#[test]
fn transforms_of_all_sizes_are_accurate() {
    for n in [1001, 2053, 8192, 30030] {
        check(&FftDescriptor::new(FORWARD, &[n]));
    }
    check(&FftDescriptor::new(BACKWARD, &[4096]).batch(20));
}

#[test]
fn layouts_of_all_kinds_are_right() {
    for (turn, transform) in TRANSFORMS.into_iter().enumerate() {
        // A fifth of the layouts for each transform limits the number of programs.
        let descriptors = layouts(transform).into_iter().enumerate();
        descriptors.filter(|(i, _)| (i + turn) % 5 == 0).for_each(|(_, descriptor)| check(&descriptor));
    }
    for n in [1024, 1 << 15] {
        check(&FftDescriptor::new(Transform::RealToComplex, &[n]));
        check(&FftDescriptor::new(Transform::ComplexToReal, &[n]));
    }
    check(&FftDescriptor::new(Transform::Dct2, &[6000]));
}

/// Run by `cargo test --release long_transforms -- --ignored`.
#[test]
#[ignore = "it takes a minute and gigabytes"]
fn long_transforms_are_accurate() {
    for n in [1 << 21, 3 << 20, 1 << 22, 1 << 23, 1 << 24] {
        check(&FftDescriptor::new(FORWARD, &[n]));
    }
}

mod device_small {
    use super::*;

    #[test]
    fn transforms_are_accurate() {
        for n in [1, 2, 5, 16, 60, 17] {
            check(&FftDescriptor::new(FORWARD, &[n]).batch(3));
        }
        check(&FftDescriptor::new(BACKWARD, &[48]).batch(33).in_place());
    }
}
