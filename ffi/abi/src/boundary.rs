//! The boundary of Rust: panics and errors become a status and the text of the last error.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use affinimath::{Error, Result};
use affinimath_core::error::status;

use crate::form::{Host, Run, Unreported, run_small};
use crate::log;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::new(CString::default());
}

/// Runs a call and returns its status. `arguments` are the C function's, in order: an error that names one of them
/// becomes its index.
pub fn boundary(function: &str, arguments: &[&str], call: impl FnOnce() -> Result<()>) -> c_int {
    match guarded(call) {
        Ok(()) => status::SUCCESS,
        Err(error) => {
            set_last_error(&format!("{function}: {error}"));
            position(&error, arguments).map_or(error.status(), |position| -(position as c_int))
        }
    }
}

/// Runs a routine on host memory and returns its status, like [`boundary`].
///
/// # Safety
/// The contract of [`Run::run`].
#[inline(always)]
pub unsafe fn host_boundary<C: Run<Host>>(function: &str, arguments: &[&str], call: &C) -> c_int {
    // SAFETY: this function has `Run::run`'s contract.
    unsafe { if run_small(call) { status::SUCCESS } else { host_boundary_of_any(function, arguments, call) } }
}

/// # Safety
/// The contract of [`Run::run`].
#[inline(never)]
unsafe fn host_boundary_of_any<C: Run<Host>>(function: &str, arguments: &[&str], call: &C) -> c_int {
    // SAFETY: this function has `Run::run`'s contract.
    let found = boundary(function, arguments, || unsafe { call.run(Host) });
    if found != status::SUCCESS {
        return found;
    }
    // SAFETY: `run` returned, and the call is still valid.
    match unsafe { call.unreported() } {
        Unreported::Status(info) => info as c_int,
        _ => status::SUCCESS,
    }
}

/// Runs a call; a panic in it becomes an error.
#[inline]
pub fn guarded(call: impl FnOnce() -> Result<()>) -> Result<()> {
    // A call that panics leaves only locks of the library behind, and these expect to be poisoned.
    catch_unwind(AssertUnwindSafe(|| {
        log::start();
        call()
    }))
    .unwrap_or_else(panicked)
}

#[cold]
fn panicked(payload: Box<dyn Any + Send>) -> Result<()> {
    let text = panic_message(&*payload).to_owned();
    // Dropping a payload may panic again, so the payload leaks: a panic is a defect anyway.
    std::mem::forget(payload);
    Err(Error::Internal(text))
}

/// The calling thread's last error, as a C string. It is empty before the first error and while the thread ends.
pub fn last_error() -> *const c_char {
    LAST_ERROR.try_with(|text| text.try_borrow().map_or(c"".as_ptr(), |text| text.as_ptr())).unwrap_or(c"".as_ptr())
}

#[cold]
fn set_last_error(text: &str) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // A thread that is ending has no last error any more.
    let _ = LAST_ERROR.try_with(|last| last.replace(text));
}

/// The index, from 1, of the argument that an error names, if it is one of these.
#[cold]
pub fn position(error: &Error, arguments: &[&str]) -> Option<usize> {
    let (Error::InvalidArgument { name, .. } | Error::ViewTooLarge { name, .. }) = error else { return None };
    arguments.iter().position(|argument| argument == name).map(|position| position + 1)
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

#[cfg(test)]
mod host {
    use std::ffi::CStr;

    use super::*;

    fn text() -> String {
        // SAFETY: `last_error` points to a `CString`, and nothing replaces it here.
        unsafe { CStr::from_ptr(last_error()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(boundary("f", &[], || panic!("no such {}", "thing")), status::INTERNAL);
        assert_eq!(text(), "f: internal error: no such thing");
        assert_eq!(boundary("f", &[], || std::panic::panic_any(7)), status::INTERNAL);
    }

    #[test]
    fn an_argument_becomes_its_index() {
        let arguments = ["m", "n", "a", "lda"];
        assert_eq!(boundary("f", &arguments, || Err(Error::argument("lda", "2 is less than 3"))), -4);
        assert_eq!(text(), "f: argument lda: 2 is less than 3");
        assert_eq!(boundary("f", &arguments, || Err(Error::ViewTooLarge { name: "a", needed: 9, available: 8 })), -3);
        assert_eq!(boundary("f", &arguments, || Err(Error::NoDevice("none".to_owned()))), status::NO_DEVICE);
    }

    #[test]
    fn a_success_leaves_the_last_error_and_threads_have_their_own() {
        assert_eq!(boundary("f", &[], || Err(Error::Internal("x".to_owned()))), status::INTERNAL);
        assert_eq!(boundary("f", &[], || Ok(())), status::SUCCESS);
        assert_eq!(text(), "f: internal error: x");
        assert_eq!(std::thread::spawn(text).join().unwrap(), "");
    }
}
