//! The boundary of Rust: panics and errors become a status and the text of the last error.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use affinimath_abi::log;
use affinimath_core::error::status;
use affinimath_mpi::{Error, Result};

/// A rank could not do its part.
pub(crate) const FAILED: c_int = -1100;
/// Ranks disagree.
pub(crate) const MISMATCH: c_int = -1101;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::new(CString::default());
}

/// Runs a call and returns its status. `arguments` are the C function's, in order: an error that names one of them
/// becomes its index.
pub(crate) fn boundary(
    function: &'static str,
    arguments: &[&str],
    call: impl FnOnce(&'static str) -> Result<()>,
) -> c_int {
    // A panic closes the grid, so that its other ranks do not wait: `affinimath_mpi` and `Call` see to that.
    let result = catch_unwind(AssertUnwindSafe(|| {
        log::start();
        call(function)
    }));
    match result {
        Ok(Ok(())) => status::SUCCESS,
        Ok(Err(error)) => {
            set_last_error(&format!("{function}: {error}"));
            code(&error, arguments)
        }
        Err(payload) => {
            set_last_error(&format!("{function}: internal error: {}", panic_message(&*payload)));
            // Dropping a payload may panic again, so the payload leaks: a panic is a defect anyway.
            std::mem::forget(payload);
            status::INTERNAL
        }
    }
}

fn code(error: &Error, arguments: &[&str]) -> c_int {
    match error {
        Error::Argument { name, .. } => match arguments.iter().position(|argument| argument == name) {
            Some(position) => -(position as c_int + 1),
            None => status::SHAPE_MISMATCH,
        },
        Error::ZeroPivot { index } | Error::NotPositiveDefinite { index } => {
            c_int::try_from(*index).unwrap_or(c_int::MAX)
        }
        Error::Mismatch { .. } | Error::Operations { .. } => MISMATCH,
        _ => FAILED,
    }
}

/// The calling thread's last error, as a C string. It is empty before the first error and while the thread ends.
pub(crate) fn last_error() -> *const c_char {
    LAST_ERROR.try_with(|text| text.try_borrow().map_or(c"".as_ptr(), |text| text.as_ptr())).unwrap_or(c"".as_ptr())
}

#[cold]
fn set_last_error(text: &str) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // A thread that is ending has no last error any more.
    let _ = LAST_ERROR.try_with(|last| last.replace(text));
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}
