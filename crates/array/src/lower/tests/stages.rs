//! Kernels of stages, interpreted on the host, against the oracle.

use super::{DeviceClass, Elements};
use crate::element::{ElementType, Value};
use crate::lower::{STAGE_MULTIPLE, StageParameter, lower_stage, max_stage_groups};
use crate::reference;
use crate::stage::{Chain, Stage, stage_of, tests::examples};
use crate::testing::Random;
use affinimath_core::scalar::ScalarKind;
use affinimath_kernel::{Access, Argument, Launch};

/// A small number: sums of products of a few are exact.
fn small(random: &mut Random, element: ElementType) -> Value {
    let value = random.below(9) as f64 - 4.0;
    if element == ElementType::F32 { Value::F32(value as f32) } else { Value::F64(value) }
}

fn small_bytes(random: &mut Random, element: ElementType, count: usize) -> Vec<u8> {
    let values: Vec<Value> = (0..count).map(|_| small(random, element)).collect();
    bytes(&values)
}

fn bytes(values: &[Value]) -> Vec<u8> {
    let put = |value: &Value| {
        let mut bytes = vec![0; value.element_type().bytes()];
        reference::write(*value, &mut bytes);
        bytes
    };
    values.iter().flat_map(put).collect()
}

fn read(element: ElementType, bytes: &[u8]) -> Vec<Value> {
    bytes.chunks(element.bytes()).map(|part| reference::read(element, part).unwrap()).collect()
}

/// The data of a launch: the numbers of [`Chain`], and the vectors.
struct Data {
    chain: Chain,
    vectors: Vec<Vec<u8>>,
}

impl Data {
    fn random(stage: &Stage, n: usize, groups: usize, seed: u64) -> Data {
        let mut random = Random::new(seed);
        let mut state: Vec<Value> = (0..stage.numbers).map(|_| small(&mut random, stage.element)).collect();
        if !seed.is_multiple_of(5) {
            state[stage.prologue.stop] = zero(stage.element);
        }
        let sums = (0..stage.prologue.sums).map(|_| (0..groups).map(|_| small(&mut random, stage.element)).collect());
        let chain = Chain { state, sums: sums.collect(), records: Vec::new() };
        let vectors = stage.body.accesses.iter().map(|access| {
            let element = access.element;
            small_bytes(&mut random, element.part(), n * element.bytes() / element.part().bytes())
        });
        Data { chain, vectors: vectors.collect() }
    }
}

fn zero(element: ElementType) -> Value {
    if element == ElementType::F32 { Value::F32(0.0) } else { Value::F64(0.0) }
}

/// Runs a stage's kernel, and compares state, records and vectors bit for bit, and sums but for rounding.
fn check(stage: &Stage, n: usize, (device, items): (&DeviceClass, usize), seed: u64) {
    let lowered = lower_stage(stage, device, items).unwrap();
    let launch = lowered.launch(n);
    assert!(launch.groups <= max_stage_groups(device).max(1), "{launch:?}");
    let kernel = lowered.kernel().unwrap_or_else(|error| panic!("{}: {error}", stage.name));
    let groups = 7;
    let mut data = Data::random(stage, n, groups, seed);
    let element = stage.element;
    let garbage = |count: usize| Elements::new(element, &vec![0xA5; count * element.bytes()]);
    let mut state = Elements::new(element, &bytes(&data.chain.state));
    let mut sums = Elements::new(element, &bytes(&data.chain.sums.concat()));
    let (mut new_state, mut history) = (garbage(stage.numbers), garbage(10));
    let mut new_sums = garbage(stage.body.slots.len() * launch.groups + 1);
    let mut vectors: Vec<Elements> = stage
        .body
        .accesses
        .iter()
        .zip(&data.vectors)
        .map(|(access, bytes)| Elements::new(access.element, bytes))
        .collect();
    let position = 2_usize;
    let mut arguments: Vec<Argument<'_>> = Vec::new();
    let [mut one, mut two, mut three, mut four, mut five] =
        [Some(&mut state), Some(&mut new_state), Some(&mut sums), Some(&mut new_sums), Some(&mut history)];
    for parameter in StageParameter::ALL {
        let argument = match parameter {
            StageParameter::Length => (n as i64).into(),
            StageParameter::Block => (launch.block as i64).into(),
            StageParameter::Groups => (groups as i64).into(),
            StageParameter::Position => (position as i64).into(),
            StageParameter::State => one.take().unwrap().argument(Access::Read),
            StageParameter::NewState => two.take().unwrap().argument(Access::Write),
            StageParameter::Sums => three.take().unwrap().argument(Access::Read),
            StageParameter::NewSums => four.take().unwrap().argument(Access::Write),
            StageParameter::History => five.take().unwrap().argument(Access::Write),
        };
        arguments.push(argument);
    }
    for (vector, access) in vectors.iter_mut().zip(&stage.body.accesses) {
        arguments.push(vector.argument(if access.is_written { Access::ReadWrite } else { Access::Read }));
    }
    let run = Launch::new(&kernel, [launch.groups, 1, 1], [launch.items, 1, 1]).run(arguments);
    run.unwrap_or_else(|fault| panic!("{fault}\n{launch:?}\n{}", kernel.opencl()));
    let has_ended = data.chain.state[stage.prologue.stop] != zero(element);
    data.chain.run(stage, n, launch.block, &mut data.vectors).unwrap();
    let name = format!("{} {:?} n {n} {:?}", stage.name, element, device.kind);
    assert_eq!(bits(&read(element, &new_state.bytes())), bits(&data.chain.state), "{name}");
    for (found, expected) in vectors.iter().zip(&data.vectors) {
        let [found, expected] = [&found.bytes(), expected].map(|bytes| bits(&read(element, bytes)));
        assert_eq!(found, expected, "{name}\n{}", kernel.opencl());
    }
    if has_ended {
        return;
    }
    let records = &read(element, &history.bytes())[position * data.chain.records.len()..];
    assert_eq!(bits(&records[..data.chain.records.len()]), bits(&data.chain.records), "{name}");
    let found = read(element, &new_sums.bytes());
    for (found, expected) in found.iter().zip(data.chain.sums.concat()) {
        let (found, expected) = (number(*found), number(expected));
        let epsilon = if element == ElementType::F32 { 1e-5 } else { 1e-13 };
        let is_near = (found - expected).abs() <= epsilon * (1.0 + expected.abs()) * 100.0;
        assert!(is_near || found.is_nan() && expected.is_nan(), "{name}: {found} {expected}");
    }
}

/// The bits of numbers, where any NaN is any other.
fn bits(values: &[Value]) -> Vec<u64> {
    values.iter().map(|value| if number(*value).is_nan() { u64::MAX } else { value.bits() }).collect()
}

fn number(value: Value) -> f64 {
    match value {
        Value::F32(x) => x.into(),
        Value::F64(x) => x,
        other => panic!("{other:?} is no real"),
    }
}

fn check_all(device: (&DeviceClass, usize), sizes: &[usize]) {
    for kind in [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z] {
        for (number, pass) in examples().iter().enumerate() {
            let stage = stage_of(pass, kind).stage;
            for (seed, n) in sizes.iter().enumerate() {
                let n = if pass.vectors == 0 { 0 } else { *n };
                check(&stage, n, device, (10 * seed + number) as u64);
            }
        }
    }
}

#[test]
fn stages_on_a_cpu_do_what_the_oracle_does() {
    check_all((&DeviceClass::cpu(1), 4096), &[STAGE_MULTIPLE, 640, 4096, 4160, 20_032]);
    check_all((&DeviceClass::cpu(8), 1), &[8192]);
}

#[test]
fn stages_on_a_gpu_do_what_the_oracle_does() {
    check_all((&DeviceClass::gpu(1), 1024), &[STAGE_MULTIPLE, 1984]);
    check_all((&DeviceClass::gpu(4), 100), &[STAGE_MULTIPLE, 4160]);
}
