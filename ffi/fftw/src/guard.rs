//! The boundary of Rust.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Results of a call that has panicked.
pub(crate) trait Failed {
    const FAILED: Self;
}

impl Failed for () {
    const FAILED: Self = ();
}

impl Failed for c_int {
    const FAILED: Self = 0;
}

impl Failed for f64 {
    const FAILED: Self = 0.0;
}

impl<T> Failed for *mut T {
    const FAILED: Self = std::ptr::null_mut();
}

/// Runs a call. No panic crosses the boundary: a plan is null then, and other calls have no result.
#[inline(always)]
pub(crate) fn guarded<T: Failed>(call: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        // Dropping a payload may panic again, so the payload leaks: a panic is a defect anyway.
        std::mem::forget(payload);
        T::FAILED
    })
}
