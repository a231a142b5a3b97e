//! The book's kernels tuned, kept and used, and traced and replayed, by programs of their own.

use affinimath::replay::{Case, Code, Tolerance};
use affinimath::tuner::space::{Configuration, Space};
use affinimath::tuner::{Measurement, Tuner};
use affinimath::{Context, Device, DeviceKernel};
use affinimath_opencl::device::for_tests;
use affinimath_testing::child;
use affinimath_tuner::kernels::{Record, append};
use affinimath_tuner::tuner::Objective;

use super::axpy::fused_axpy;
use super::machine::{Bench, Data, Given, Machine, Step};
use super::reduction::group_sums;

const TUNING: &str = "AFFINIMATH_TUNING_DIR";
const TRACE: &str = "AFFINIMATH_TRACE";
const N: usize = 5000;
const GROUPS: usize = 4;

fn numbers() -> Vec<f32> {
    (0..N).map(|i| (i % 17) as f32).collect()
}

/// Searches the reduction's group size on a device: small whole numbers have one sum in every order.
fn tuned_items(device: &Device) -> Configuration {
    let space = Space::builder().values("items", [1, 8, 16, 32, 64]).build().unwrap();
    let machine = Machine::Device(device.clone());
    let mut bench = Bench::new(&machine, vec![Data::F32(numbers()), Data::F32(vec![f32::NAN; GROUPS])]).unwrap();
    let exact: f32 = numbers().iter().sum();
    let mut workload = |point: &Configuration| {
        let items = point.get("items").unwrap();
        // One point computes something else, and would be the fastest.
        let n = if items == 1 { 1 } else { N as i64 };
        let built = bench.build(&group_sums::<f32>(items).unwrap()).unwrap();
        let given = vec![Given::I64(n), Given::Memory(0), Given::Memory(1)];
        let step = Step { built, groups: [GROUPS, 1, 1], items: [items, 1, 1], given };
        bench.run(std::slice::from_ref(&step)).unwrap();
        let Data::F32(sums) = bench.read(1).unwrap() else { panic!("single") };
        let sum: f32 = sums.iter().sum();
        if sum != exact {
            return Measurement::Wrong(format!("the sum is {sum} instead of {exact}"));
        }
        Measurement::Value(bench.time(&[step]).unwrap())
    };
    let found = Tuner::new(&space).run(&mut workload).unwrap();
    let failed: Vec<_> = found.runs.iter().filter(|(_, run)| run.seconds.is_none()).collect();
    assert_eq!((found.runs.len(), failed.len()), (5, 1));
    assert!(failed[0].1.message.as_deref().unwrap().contains("instead of"));
    let (point, _) = found.best.unwrap();
    assert_ne!(point.get("items"), Some(1), "a wrong point never wins");
    point
}

/// The program of the test below, with a tuning folder of its own.
#[test]
fn reduction_program() {
    if std::env::var_os(TUNING).is_none_or(|folder| !folder.to_string_lossy().contains("reduction")) {
        return;
    }
    for device in for_tests() {
        let configuration = tuned_items(device);
        let info = device.info();
        append(&Record {
            library: "test".to_owned(),
            device: info.name.clone(),
            driver: info.driver.clone(),
            kernel: "group_sums".to_owned(),
            groups: [GROUPS, 1, 1],
            items: [configuration.get("items").unwrap(), 1, 1],
            configuration: configuration.clone(),
            seconds: 1.0,
            default_seconds: 2.0,
            evaluations: 5,
            objective: Objective::Time,
        })
        .unwrap();
        let context = Context::open(device).unwrap();
        let default = Configuration::new([("items", 1)]);
        let (kernel, parameters) = context
            .tuned_kernel("group_sums", &default, |point| group_sums::<f32>(point.get("items").unwrap()))
            .unwrap();
        assert_eq!(parameters, configuration);
        let (x, mut sums) = (context.upload(&numbers()).unwrap(), context.zeros::<f32>(GROUPS).unwrap());
        let items = parameters.get("items").unwrap();
        let arguments = [(N as i64).into(), (&x).into(), (&mut sums).into()];
        // SAFETY: a group has the kernel's size, and x and sums have the elements that it uses.
        unsafe { kernel.enqueue([GROUPS, 1, 1], [items, 1, 1], &arguments) }.unwrap().wait().unwrap();
        assert_eq!(sums.download().unwrap().iter().sum::<f32>(), numbers().iter().sum::<f32>());
    }
    println!("tuned");
}

#[test]
fn a_reduction_is_tuned_over_its_group_size_kept_and_used() {
    let folder = tempfile::Builder::new().prefix("reduction").tempdir().unwrap();
    let mut program = child("device::programs::reduction_program", TUNING, folder.path());
    let output = program.arg("--nocapture").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("tuned"), "{text}");
    assert_eq!(folder.path().join("kernels.jsonl").exists(), !for_tests().is_empty());
}

/// The program of the test below, which writes a trace.
#[test]
fn axpy_program() {
    if std::env::var_os(TRACE).is_none() {
        return;
    }
    let Some(device) = for_tests().first() else { return };
    let context = Context::open(device).unwrap();
    let kernel = DeviceKernel::build(&context, &fused_axpy::<f32>().unwrap()).unwrap();
    let (x, y) = (context.upload(&[1.0_f32, 2.0, 3.0]).unwrap(), context.upload(&[4.0_f32, -9.0, 16.0]).unwrap());
    let mut z = context.zeros::<f32>(3).unwrap();
    let arguments = [3_i64.into(), 10.0_f32.into(), (&x).into(), (&y).into(), (&mut z).into()];
    // SAFETY: work-items behind the third do nothing.
    unsafe { kernel.enqueue([1, 1, 1], [4, 1, 1], &arguments) }.unwrap().wait().unwrap();
    assert_eq!(z.download().unwrap(), [12.0, 23.0, 34.0]);
}

#[test]
fn a_trace_of_the_fused_expression_replays() {
    let Some(device) = for_tests().first() else { return };
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("trace");
    let output = child("device::programs::axpy_program", TRACE, &folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let case = Case::load(folder.join("000000-fused_axpy")).unwrap();
    let kernel = case.kernel().unwrap().expect("a generated kernel is recorded as data");
    assert_eq!(kernel, fused_axpy::<f32>().unwrap());
    assert!(case.check(&kernel).unwrap().within(Tolerance::Exact));
    let queue = Context::open(device).unwrap().own_queue().unwrap().unwrap();
    for code in [Code::Recorded, Code::Kernel(&kernel), Code::Text(&kernel.opencl())] {
        let check = case.check_on(&queue, code).unwrap();
        assert!(check.within(Tolerance::Exact), "{check}");
    }
}
