//! One call of a standard name: it runs, and what is wrong with it is told as BLAS has it.

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
    /// What error handlers get: Fortran's in upper case and at least six characters, CBLAS's as it is.
    pub(crate) name: &'static CStr,
    /// Its arguments, in order.
    pub(crate) arguments: &'static [&'static str],
    pub(crate) language: Language,
}

/// Whose calling convention a name has.
#[derive(Clone, Copy)]
pub(crate) enum Language {
    Fortran {
        /// Whether integers have 64 bits.
        wide: bool,
    },
    Cblas {
        wide: bool,
        /// Arguments that change places in row-major layout before the reference numbers them.
        exchanged: &'static [[&'static str; 2]],
    },
}

/// Runs a call.
///
/// # Safety
/// What the call's arguments tell of must be valid, and what is written nobody else's.
#[inline(always)]
pub(crate) unsafe fn complete<C: Run<Standard>>(routine: &'static Routine, call: &C) {
    // SAFETY: `complete_with_layout` has this function's contract.
    unsafe { complete_with_layout(routine, COLUMN_MAJOR, call) };
}

/// The same, for a function with a layout.
///
/// # Safety
/// As [`complete`].
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
/// As [`complete`].
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

/// A wrong argument is reported. For anything else BLAS has no word: the host does what could not be done.
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
