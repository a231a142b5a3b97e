//! OpenBLAS's functions on threads, which programs and threadpoolctl call to limit a BLAS's threads.

use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::{Once, OnceLock};

use crate::xerbla;

/// Reads the settings at the first call, since BLAS has no status to report a wrong one with.
///
/// `OPENBLAS_NUM_THREADS` applies if neither `AFFINIMATH_NUM_THREADS` nor a call has set the threads: programs set it
/// for the library that this one replaces.
pub(crate) fn settle() {
    static SETTLED: Once = Once::new();
    SETTLED.call_once(|| {
        let threads = match affinimath::num_threads() {
            Ok(threads) => openblas_setting().filter(|_| !affinimath_cpu::threads_are_set()).unwrap_or(threads),
            Err(error) => {
                let threads = affinimath_cpu::threads();
                xerbla::say(&format!(" ** Affinimath: {error}; there are {threads} threads"));
                threads
            }
        };
        // There is at least one.
        let _ = affinimath::set_num_threads(threads);
    });
}

/// OpenBLAS's rule: a value that is no positive integer is ignored.
fn openblas_setting() -> Option<usize> {
    std::env::var("OPENBLAS_NUM_THREADS").ok()?.trim().parse().ok().filter(|threads| *threads > 0)
}

fn get() -> c_int {
    settle();
    affinimath_cpu::threads() as c_int
}

/// OpenBLAS's rule: a value that is not positive means as many threads as processors.
fn set(threads: c_int) {
    settle();
    let threads = usize::try_from(threads).ok().filter(|threads| *threads > 0).unwrap_or_else(processors);
    let _ = affinimath::set_num_threads(threads);
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn config() -> *const c_char {
    static TEXT: OnceLock<CString> = OnceLock::new();
    let text = || format!("Affinimath {} {} MAX_THREADS={}", env!("CARGO_PKG_VERSION"), ARCHITECTURE, processors());
    TEXT.get_or_init(|| CString::new(text()).unwrap_or_default()).as_ptr()
}

/// The processor's architecture as a C string.
const CORE: &CStr = if cfg!(target_arch = "x86_64") {
    c"x86_64"
} else if cfg!(target_arch = "aarch64") {
    c"aarch64"
} else {
    c"unknown"
};
const ARCHITECTURE: &str = std::env::consts::ARCH;

/// OpenBLAS's code for its own threads; 0 is for none, 2 for OpenMP's.
const OWN_THREADS: c_int = 1;

/// Each function under its spellings in C, and in Fortran, which passes integers by pointer.
macro_rules! export {
    ($(fn $body:expr => $result:ty: $($name:ident)+;)+) => {$($(
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> $result {
            $body
        }
    )+)+};
}

export! {
    fn get() => c_int: openblas_get_num_threads openblas_get_num_threads64_ openblas_get_num_threads_64
        scipy_openblas_get_num_threads scipy_openblas_get_num_threads64_ openblas_get_num_threads_
        openblas_get_num_threads_64_ scipy_openblas_get_num_threads_ scipy_openblas_get_num_threads_64_;
    fn processors() as c_int => c_int: openblas_get_num_procs openblas_get_num_procs64_ openblas_get_num_procs_64
        scipy_openblas_get_num_procs scipy_openblas_get_num_procs64_ openblas_get_num_procs_
        openblas_get_num_procs_64_ scipy_openblas_get_num_procs_ scipy_openblas_get_num_procs_64_;
    fn OWN_THREADS => c_int: openblas_get_parallel openblas_get_parallel64_ openblas_get_parallel_64
        scipy_openblas_get_parallel scipy_openblas_get_parallel64_ openblas_get_parallel_
        openblas_get_parallel_64_ scipy_openblas_get_parallel_ scipy_openblas_get_parallel_64_;
    fn config() => *const c_char: openblas_get_config openblas_get_config64_ openblas_get_config_64
        scipy_openblas_get_config scipy_openblas_get_config64_;
    fn CORE.as_ptr() => *const c_char: openblas_get_corename openblas_get_corename64_ openblas_get_corename_64
        scipy_openblas_get_corename scipy_openblas_get_corename64_;
}

macro_rules! setters {
    ($($name:ident)+; $($fortran:ident)+; $($wide:ident)+;) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name(threads: c_int) {
                set(threads);
            }
        )+
        setters!(@fortran i32: $($fortran)+);
        setters!(@fortran i64: $($wide)+);
    };
    (@fortran $integer:ty: $($name:ident)+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(threads: *const $integer) {
            // SAFETY: OpenBLAS's Fortran function requires a readable integer.
            set(unsafe { threads.read() }.clamp(0, c_int::MAX as $integer) as c_int);
        }
    )+};
}

setters! {
    openblas_set_num_threads openblas_set_num_threads64_ openblas_set_num_threads_64 scipy_openblas_set_num_threads
        scipy_openblas_set_num_threads64_ goto_set_num_threads scipy_goto_set_num_threads64_;
    openblas_set_num_threads_ scipy_openblas_set_num_threads_;
    openblas_set_num_threads_64_ scipy_openblas_set_num_threads_64_;
}
