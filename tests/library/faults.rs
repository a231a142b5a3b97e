//! Calls of OpenCL that fail under some work: an error or a right result, nothing lost, and the next call succeeds.
//! tests/faults.sh puts its loader in the place of OpenCL's.

use affinimath::Result;
use std::ffi::{CStr, CString, c_char, c_int, c_long};

/// Kinds of objects that the loader counts.
const KINDS: c_int = 6;
const CL_OUT_OF_RESOURCES: c_int = -5;

/// The loader's controls, of tests/faults/faults.h.
pub struct Loader {
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
    pub fn find() -> Option<Self> {
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

    /// Fails the first and the last call of each function, and all of them, in work that has made what it reuses.
    ///
    /// With `is_steady`, each run makes the same calls, and has the same objects afterwards.
    pub fn fail_each<R: PartialEq>(&self, name: &str, is_steady: bool, evaluate: &dyn Fn() -> Result<R>) {
        let functions = self.functions();
        let expected = evaluate().unwrap();
        for _ in 0..3 {
            assert!(evaluate().unwrap() == expected);
        }
        let live = self.live();
        let calls = self.count(&functions, || assert!(evaluate().unwrap() == expected));
        let assert_live = |after: &str| assert!(!is_steady || self.live() == live, "{name}, {after}: objects are lost");
        assert_live("without a fault");
        let mut faults = 0;
        for (function, &calls) in functions.iter().zip(&calls).filter(|(_, calls)| **calls > 0) {
            for (nth, all) in [(1, false), (calls, false), (1, true)] {
                let (result, failed) = self.inflict(function, nth, all, evaluate);
                let fault = format!("{function:?} {nth} of {calls}");
                assert!(failed > 0 || !is_steady, "{name}: {fault} did not come");
                match result {
                    Ok(found) => assert!(found == expected, "{name}, {fault}: success, and a wrong result"),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
                let next = evaluate().unwrap_or_else(|error| panic!("{name}, after {fault}: {error}"));
                assert!(next == expected, "{name}, after {fault}: another result");
                assert_live(&fault);
                faults += c_long::from(failed > 0);
            }
        }
        // Each fault that loses an object would add one.
        let lost = self.live().iter().zip(&live).any(|(now, before)| *now > before + faults / 4);
        assert!(!lost, "{name}: objects are lost: {live:?} before, {:?} now", self.live());
        println!("{name}: {faults} faults");
    }
}
