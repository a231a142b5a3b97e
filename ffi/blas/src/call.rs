//! Calls of standard names: a call runs, and an error is reported by BLAS's rules.

use std::ffi::{CStr, c_int};

use affinimath::{Error, Result, route};
use affinimath_abi::boundary::{guarded, position};
use affinimath_abi::form::{Run, Standard, run_small};
use affinimath_abi::log;
use tracing::level_filters::LevelFilter;

use crate::kinds::COLUMN_MAJOR;
use crate::{threads, xerbla};

/// A routine under one of its standard names, for reports.
pub(crate) struct Routine {
    /// The name for error handlers: Fortran's in upper case and padded to six characters, CBLAS's unchanged.
    pub(crate) name: &'static CStr,
    /// Names of the arguments, in order.
    pub(crate) arguments: &'static [&'static str],
    pub(crate) language: Language,
}

/// The calling convention of a name.
#[derive(Clone, Copy)]
pub(crate) enum Language {
    Fortran {
        /// True if integers have 64 bits.
        wide: bool,
    },
    Cblas {
        wide: bool,
        /// Arguments that the reference exchanges in row-major layout before it counts them.
        exchanged: &'static [[&'static str; 2]],
    },
}

/// Runs a call.
///
/// # Safety
/// The contract of [`Run::run`].
#[inline(always)]
pub(crate) unsafe fn complete<C: Run<Standard>>(routine: &'static Routine, call: &C) {
    // SAFETY: `complete_with_layout` has this function's contract.
    unsafe { complete_with_layout(routine, COLUMN_MAJOR, call) };
}

/// Runs a call of a function with a layout.
///
/// # Safety
/// The contract of [`Run::run`].
#[inline(always)]
pub(crate) unsafe fn complete_with_layout<C: Run<Standard>>(routine: &'static Routine, layout: c_int, call: &C) {
    // SAFETY: this function has `Run::run`'s contract.
    if unsafe { run_small(call) } {
        return;
    }
    // SAFETY: `run` has this function's contract.
    unsafe { run(routine, layout, call) };
}

/// # Safety
/// The contract of [`Run::run`].
#[inline(never)]
unsafe fn run<C: Run<Standard>>(routine: &'static Routine, layout: c_int, call: &C) {
    log::start();
    threads::settle();
    if LevelFilter::current() >= LevelFilter::DEBUG {
        tell(routine);
    }
    // SAFETY: this function has `Run::run`'s contract.
    let run = || unsafe { call.run(Standard) };
    if let Err(error) = guarded(run) {
        failed(routine, layout, &error, &run);
    }
}

#[cold]
pub(crate) fn tell(routine: &Routine) {
    tracing::debug!(routine = %routine.name.to_string_lossy().trim_end(), "called");
}

/// Reports a wrong argument. BLAS has no other errors, so after any other failure the host does the work.
#[cold]
fn failed(routine: &Routine, layout: c_int, error: &Error, call: &dyn Fn() -> Result<()>) {
    if let Some(position) = position(error, routine.arguments) {
        return xerbla::report(routine, layout, position, &error.to_string());
    }
    let name = routine.name.to_string_lossy();
    tracing::warn!("{}: {error}; it is done on the host", name.trim_end());
    if let Err(error) = route::on_host(|| guarded(call)) {
        xerbla::say(&format!(" ** {}: {error}", name.trim_end()));
    }
}
