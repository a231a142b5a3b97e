//! FFTW's functions on threads.
//!
//! A plan has one thread unless the program asks for more, by FFTW's rule. `AFFINIMATH_NUM_THREADS` changes the default
//! for programs that do not ask.

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};

use affinimath_core::threads;

use crate::plan::Real;

/// Threads of the next plans in each precision; 0 if the program has not asked.
static ASKED: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// Threads of the next plan.
pub(crate) fn planned<R: Real>() -> usize {
    match ASKED[R::INDEX].load(Ordering::Relaxed) {
        0 if threads::threads_are_set() => threads::available(),
        asked => asked.clamp(1, threads::available()),
    }
}

pub(crate) fn plan_with_nthreads<R: Real>(threads: c_int) {
    ASKED[R::INDEX].store(usize::try_from(threads).unwrap_or(1).max(1), Ordering::Relaxed);
}

/// The number that the program asked for, as FFTW has it.
pub(crate) fn planner_nthreads<R: Real>() -> c_int {
    ASKED[R::INDEX].load(Ordering::Relaxed).max(1) as c_int
}

pub(crate) fn init_threads<R: Real>() -> c_int {
    1
}

pub(crate) fn cleanup_threads<R: Real>() {
    ASKED[R::INDEX].store(0, Ordering::Relaxed);
}
