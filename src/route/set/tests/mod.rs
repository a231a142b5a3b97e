//! Calls in tiny tiles on one, two and three contexts of each device, whose memory holds few of them.

mod batched;
mod lapack;
mod level3;

use std::sync::{Arc, Mutex, PoisonError};

use super::DeviceSet;
use crate::context::{ContextParts, DeviceContext, TransferLimits};
use crate::memory::Context;
use crate::options::{Layout, Op};
use crate::route::dispatch::{on_host, on_host_mut};
use crate::scalar::Scalar;
use crate::testing::{Stored, child, devices, sum_tolerance};

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

/// Order of tiles, and width of block columns: no size is a multiple of it.
const PART: usize = 8;

/// Contexts of a device: equal devices, as far as a set can tell. They stay, as their programs are built once.
const CONTEXTS: usize = 3;

/// Limits that hold some parts of eight columns of a matrix of order 40, in doubles.
fn limits(device: &crate::Device, columns: u64) -> TransferLimits {
    let bytes = columns * 40 * 8 * 8;
    TransferLimits {
        zero_copy: false,
        chunk_bytes: 1 << 10,
        staged_from: 700,
        operand_bytes: bytes,
        matrix_bytes: bytes,
        cached_bytes: 1 << 20,
        overlapped_from: 0,
        parallel: device.info().platform != "Oclgrind",
    }
}

/// For each device that can compute with the type: sets of one, two and three contexts.
fn sets<T: Scalar>() -> Vec<[DeviceSet; CONTEXTS]> {
    static MADE: Mutex<Vec<Vec<Arc<DeviceContext>>>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if made.is_empty() {
        // The second context's memory is smaller: it holds what it needs, and no more.
        let context =
            |device, index: usize| DeviceContext::with_transfers(device, limits(device, [9, 1, 7][index])).unwrap();
        made.extend(devices().iter().map(|device| (0..CONTEXTS).map(|index| context(device, index)).collect()));
    }
    let able = made.iter().filter(|contexts| contexts[0].device().info().supports(T::KIND));
    able.map(|contexts| [1, 2, 3].map(|count| DeviceSet::of_contexts(contexts[..count].to_vec(), PART))).collect()
}

/// Runs a call on a matrix by every set, and gives the results of one context, which all have in every bit.
fn run<T: Scalar>(case: &str, start: &Stored<T>, call: impl Fn(&DeviceSet, &mut Stored<T>)) -> Vec<Stored<T>> {
    let bits = |stored: &Stored<T>| -> Vec<[u64; 2]> {
        stored.data.iter().map(|value| [value.re().to_bits(), value.im().to_bits()]).collect()
    };
    let of_sets = |sets: [DeviceSet; CONTEXTS]| {
        let results = sets.each_ref().map(|set| {
            let mut result = start.clone();
            call(set, &mut result);
            result
        });
        for other in &results[1..] {
            assert!(bits(other) == bits(&results[0]), "{case}: other bits on several devices");
        }
        let [first, ..] = results;
        first
    };
    sets::<T>().into_iter().map(of_sets).collect()
}

/// The variable that tells a test that it runs in a process of its own.
const CHILD: &str = "AFFINIMATH_TEST_SET";

/// Runs a test in a process with variables.
fn in_child(test: &str, variables: &[(&str, &str)]) {
    let mut child = child(&format!("route::set::tests::{test}"), CHILD, std::path::Path::new("1"));
    child.env_remove("AFFINIMATH_TEST_DEVICE").envs(variables.iter().copied());
    let output = child.output().unwrap();
    assert!(output.status.success(), "{test}: {}", String::from_utf8_lossy(&output.stdout));
}

/// A product by the library's function, as the settings have it.
fn product_by_the_settings() {
    let n = 300;
    let (a, b) = (Stored::<f64>::new(LAYOUTS[0], n, n, 0, 1), Stored::<f64>::new(LAYOUTS[1], n, n, 1, 2));
    let mut c = Stored::<f64>::new(LAYOUTS[0], n, n, 2, 3).poisoned();
    let mut expected = c.clone();
    crate::gemm(Op::NoTrans, Op::Trans, 1.0, a.view(), b.view(), 0.0, c.view_mut()).unwrap().wait().unwrap();
    let (a, b) = (on_host(a.view()), on_host(b.view()));
    crate::host::gemm::gemm(Op::NoTrans, Op::Trans, 1.0, a, b, 0.0, on_host_mut(expected.view_mut()));
    let tolerance = sum_tolerance::<f64>(n, n as f64);
    for (found, expected) in c.data.iter().zip(&expected.data) {
        assert!(found.is_nan() == expected.is_nan() && (expected.is_nan() || (found - expected).abs() <= tolerance));
    }
}

mod host {
    use super::*;
    use crate::error::Error;

    #[test]
    fn all_devices_where_there_is_none_are_the_host() {
        let nowhere = [("OCL_ICD_VENDORS", "/no such folder"), ("AFFINIMATH_DEVICE", "all")];
        in_child("host::child_without_devices", &nowhere);
    }

    #[test]
    fn child_without_devices() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        assert!(crate::route::devices().unwrap().is_empty());
        product_by_the_settings();
        assert!(matches!(crate::route::set_devices("0,1"), Err(Error::UnknownDevice { .. })));
        assert!(matches!(DeviceSet::select("all"), Err(Error::NoDevice(_))));
    }

    #[test]
    fn a_set_has_devices_and_each_of_them_once() {
        assert!(matches!(DeviceSet::new(&[]), Err(Error::InvalidArgument { .. })));
        assert!(matches!(DeviceSet::new(&[Context::host()]), Err(Error::InvalidArgument { .. })));
        assert!(DeviceSet::select("no such device").is_err());
        for wrong in ["0,0", "0,,1", "host,0", ",", "0,auto", "all,0"] {
            let error = DeviceSet::select(wrong).unwrap_err();
            let expected =
                matches!(error, Error::NoDevice(_) | Error::InvalidSetting { variable: "AFFINIMATH_DEVICE", .. });
            assert!(expected, "{wrong}: {error}");
        }
    }
}

mod device {
    use super::super::share;
    use super::*;
    use crate::device::{Device, DeviceClass};
    use crate::error::Error;
    use crate::route::Family;
    use crate::tuning::database::{Key, append_machine};
    use crate::tuning::machine::Machine;

    /// PoCL can show its device twice.
    #[test]
    fn chosen_devices_share_large_calls() {
        if devices().iter().any(|device| device.info().platform == "Portable Computing Language") {
            for list in ["all", "0,1"] {
                let folder = tempfile::tempdir().unwrap();
                let variables = [
                    ("POCL_DEVICES", "pthread pthread"),
                    ("AFFINIMATH_ROUTE", "device"),
                    ("AFFINIMATH_TUNING_DIR", folder.path().to_str().unwrap()),
                    ("AFFINIMATH_DEVICE", list),
                ];
                in_child("device::child_with_two_devices", &variables);
            }
        }
    }

    #[test]
    fn child_with_two_devices() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        let a = Stored::<f64>::new(LAYOUTS[0], 3, 3, 0, 1);
        let shared = |operations| share::<f64>(Family::Product, operations, 0, &[&a.view()]).unwrap();
        // Rates of a small GPU, as measured ones.
        let device = Device::all().unwrap()[0].info();
        append_machine(&Key::of(device, "host"), &Machine::of_units(true, 16, 2)).unwrap();
        assert_eq!(crate::route::devices().unwrap(), [0, 1]);
        assert_eq!(shared(1 << 40).map(|set| set.len()), Some(2));
        assert!(shared(1).is_none());
        product_by_the_settings();
        crate::route::set_devices("1").unwrap();
        assert!(crate::route::devices().unwrap() == [1] && shared(1 << 40).is_none());
    }

    #[test]
    fn all_devices_are_a_set() {
        let is_gpu = |device: &&Device| device.info().class == DeviceClass::Gpu;
        let gpus: Vec<&Device> = devices().iter().filter(is_gpu).collect();
        let all = if gpus.is_empty() { devices().iter().collect() } else { gpus };
        let Ok(set) = DeviceSet::select("ALL") else { return assert!(all.is_empty()) };
        assert_eq!(set.len(), all.len());
        let names: Vec<_> =
            set.contexts().iter().map(|context| context.device().unwrap().info().name.clone()).collect();
        assert_eq!(names, all.iter().map(|device| device.info().name.clone()).collect::<Vec<_>>());
        let first = Context::open(&Device::all().unwrap()[0]).unwrap();
        assert!(DeviceSet::select("0").unwrap().contexts()[0].is_same(&first));
        assert!(matches!(DeviceSet::new(&[first.clone(), first]), Err(Error::InvalidArgument { .. })));
        let far = format!("0,{}", Device::all().unwrap().len());
        assert!(matches!(DeviceSet::select(&far), Err(Error::UnknownDevice { .. })));
    }
}
