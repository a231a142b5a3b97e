//! Calls of OpenCL that fail under an evaluation: an error or a right result, nothing lost, and the next one succeeds.
//! tests/faults.sh puts its loader in the place of OpenCL's.

use affinimath::array::{self, Array, s};
use affinimath::{Context, Device, Result};
use std::ffi::{CStr, CString, c_char, c_int, c_long};

/// Kinds of objects that the loader counts.
const KINDS: c_int = 6;
const CL_OUT_OF_RESOURCES: c_int = -5;

/// The loader's controls, of tests/faults/faults.h.
struct Loader {
    arm: unsafe extern "C" fn(*const c_char, c_long, c_int, c_int),
    disarm: unsafe extern "C" fn() -> c_long,
    calls: unsafe extern "C" fn(*const c_char) -> c_long,
    restart: unsafe extern "C" fn(),
    function: unsafe extern "C" fn(c_int) -> *const c_char,
    live: unsafe extern "C" fn(c_int) -> c_long,
    _library: libloading::Library,
}

impl Loader {
    /// `None` where OpenCL's own loader is in its place.
    fn find() -> Option<Self> {
        std::env::var_os("FAULT_LIBRARY")?;
        // SAFETY: the library's initialisation has no conditions, and the types are those of its header.
        unsafe {
            let library = libloading::Library::new("libOpenCL.so.1").ok()?;
            Some(Loader {
                arm: *library.get(b"fault_arm").ok()?,
                disarm: *library.get(b"fault_disarm").ok()?,
                calls: *library.get(b"fault_calls").ok()?,
                restart: *library.get(b"fault_restart").ok()?,
                function: *library.get(b"fault_function").ok()?,
                live: *library.get(b"fault_live").ok()?,
                _library: library,
            })
        }
    }

    /// The functions that can fail.
    fn functions(&self) -> Vec<CString> {
        // SAFETY: names are constant texts, and a null pointer is behind the last one.
        let name = |number| unsafe { (self.function)(number) };
        let names = (0..).map(name).take_while(|name| !name.is_null());
        // SAFETY: as above.
        names.map(|name| unsafe { CStr::from_ptr(name) }.to_owned()).collect()
    }

    fn live(&self) -> Vec<c_long> {
        // SAFETY: the kinds are those of the header.
        (0..KINDS).map(|kind| unsafe { (self.live)(kind) }).collect()
    }

    /// The calls of each function in some work.
    fn count(&self, functions: &[CString], work: impl FnOnce()) -> Vec<c_long> {
        // SAFETY: it has no conditions.
        unsafe { (self.restart)() };
        work();
        // SAFETY: the names are the loader's own.
        functions.iter().map(|function| unsafe { (self.calls)(function.as_ptr()) }).collect()
    }

    /// The work with one failing call. How many have failed.
    fn inflict<R>(&self, function: &CStr, nth: c_long, all: bool, work: impl FnOnce() -> R) -> (R, c_long) {
        // SAFETY: the name is the loader's own.
        unsafe { (self.arm)(function.as_ptr(), nth, CL_OUT_OF_RESOURCES, c_int::from(all)) };
        let result = work();
        // SAFETY: it has no conditions.
        (result, unsafe { (self.disarm)() })
    }
}

/// Fused kernels, a reduction of a long row, a scan, a product, an assignment and copies.
fn work(context: &Context) -> Result<Vec<f32>> {
    let a: Vec<f32> = (0..3000).map(|k| (k % 17) as f32).collect();
    let x = Array::from_slice(context, [3000], &a)?;
    let (root, total) = array::eval((x.sqrt() * 2.0 + &x, x.sum(..)))?;
    let matrix = x.at(s![..64]).reshape([8, 8]);
    let product = (matrix.matmul(&matrix) + 1.0).eval()?;
    let mut y = x.cumsum(0).eval()?;
    y.at_mut(s![..;2]).assign(&root.at(s![..;2]) - 1.0)?;
    let mut all = y.to_vec()?;
    all.extend(product.to_vec()?);
    all.push(total.value()?);
    Ok(all)
}

/// Fails the last call of each function, and all of them, in work on a context that has all kernels and on a new one.
pub fn failing_calls_are_errors_and_lose_nothing(device: &Device) {
    let Some(loader) = Loader::find() else { return };
    let functions = loader.functions();
    let warm = Context::open(device).unwrap();
    let expected = work(&warm).unwrap();
    let on_warm = || work(&warm);
    let on_cold = || work(&Context::open(device)?);
    let mut faults = 0;
    for evaluate in [&on_warm as &dyn Fn() -> Result<Vec<f32>>, &on_cold] {
        for _ in 0..3 {
            assert!(evaluate().unwrap() == expected);
        }
        let live = loader.live();
        let calls = loader.count(&functions, || assert!(evaluate().unwrap() == expected));
        assert_eq!(loader.live(), live, "without a fault");
        for (function, &calls) in functions.iter().zip(&calls).filter(|(_, calls)| **calls > 0) {
            for (nth, all) in [(1, false), (calls, false), (1, true)] {
                let (result, failed) = loader.inflict(function, nth, all, evaluate);
                let name = format!("{function:?} {nth} of {calls}");
                assert!(failed > 0, "{name} did not come");
                match result {
                    Ok(found) => assert!(found == expected, "{name}: success, and a wrong result"),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
                let next = evaluate().unwrap_or_else(|error| panic!("after {name}: {error}"));
                assert!(next == expected, "after {name}: another result");
                assert_eq!(loader.live(), live, "after {name}");
                faults += 1;
            }
        }
    }
    println!("arrays: {faults} faults");
}
