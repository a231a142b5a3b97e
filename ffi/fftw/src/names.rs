//! The names of C, in both precisions.

use std::ffi::{c_char, c_int, c_void};

use libc::FILE;

use crate::api;
use crate::guard::guarded;
use crate::layout::{IoDim, IoDim64};
use crate::plan::Plan;
use crate::wisdom::{ReadChar, WriteChar};

/// Defines functions: the name after the prefix, the arguments, the result, and the function of `api`.
macro_rules! functions {
    (
        $prefix:literal, $real:ty;
        $($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $function:ident;)+
    ) => {$(
        const _: () = {
            #[allow(dead_code)]
            type R = $real;
            #[allow(clippy::too_many_arguments, unused_unsafe)] // FFTW's functions, some of them safe
            #[unsafe(export_name = concat!($prefix, stringify!($name)))]
            unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: FFTW requires valid plans, dimensions and arrays.
                guarded(|| unsafe { api::$function::<R>($($argument),*) })
            }
        };
    )+};
}

/// Defines the functions of the guru interface with 32-bit and 64-bit dimensions.
macro_rules! guru_functions {
    ($prefix:literal, $real:ty; $($name:ident($($argument:ident: $type:ty),*);)+) => {$(
        guru_functions!(@one $prefix, "plan_guru_", IoDim, $real; $name($($argument: $type),*));
        guru_functions!(@one $prefix, "plan_guru64_", IoDim64, $real; $name($($argument: $type),*));
    )+};
    (@one $prefix:literal, $interface:literal, $dim:ty, $real:ty; $name:ident($($argument:ident: $type:ty),*)) => {
        const _: () = {
            type R = $real;
            #[allow(clippy::too_many_arguments)] // FFTW's functions
            #[unsafe(export_name = concat!($prefix, $interface, stringify!($name)))]
            unsafe extern "C" fn plan(
                rank: c_int,
                dims: *const $dim,
                howmany_rank: c_int,
                howmany_dims: *const $dim,
                $($argument: $type),*
            ) -> *mut Plan<R> {
                // SAFETY: FFTW requires valid dimensions.
                guarded(|| unsafe {
                    api::guru::$name::<R, $dim>(rank, dims, howmany_rank, howmany_dims, $($argument),*)
                })
            }
        };
    };
}

/// All names of a precision. An array of complex numbers is a pointer to its first real part.
macro_rules! precision {
    ($prefix:literal, $real:ty) => {
        functions! {
            $prefix, $real;
            execute(plan: *const Plan<R>) = execute;
            execute_dft(plan: *const Plan<R>, from: *mut R, to: *mut R) = execute_dft;
            execute_split_dft(plan: *const Plan<R>, ri: *mut R, ii: *mut R, ro: *mut R, io: *mut R) = execute_split_dft;
            execute_dft_r2c(plan: *const Plan<R>, from: *mut R, to: *mut R) = execute_dft_r2c;
            execute_split_dft_r2c(plan: *const Plan<R>, from: *mut R, ro: *mut R, io: *mut R) = execute_split_dft_r2c;
            execute_dft_c2r(plan: *const Plan<R>, from: *mut R, to: *mut R) = execute_dft_c2r;
            execute_split_dft_c2r(plan: *const Plan<R>, ri: *mut R, ii: *mut R, to: *mut R) = execute_split_dft_c2r;
            execute_r2r(plan: *const Plan<R>, from: *mut R, to: *mut R) = execute_r2r;
            copy_plan(plan: *mut Plan<R>) -> *mut Plan<R> = copy_plan;
            destroy_plan(plan: *mut Plan<R>) = destroy_plan;

            plan_dft(rank: c_int, n: *const c_int, from: *mut R, to: *mut R, sign: c_int, flags: u32)
                -> *mut Plan<R> = plan_dft;
            plan_dft_1d(n: c_int, from: *mut R, to: *mut R, sign: c_int, flags: u32) -> *mut Plan<R> = plan_dft_1d;
            plan_dft_2d(n0: c_int, n1: c_int, from: *mut R, to: *mut R, sign: c_int, flags: u32)
                -> *mut Plan<R> = plan_dft_2d;
            plan_dft_3d(n0: c_int, n1: c_int, n2: c_int, from: *mut R, to: *mut R, sign: c_int, flags: u32)
                -> *mut Plan<R> = plan_dft_3d;
            plan_dft_r2c(rank: c_int, n: *const c_int, from: *mut R, to: *mut R, flags: u32)
                -> *mut Plan<R> = plan_dft_r2c;
            plan_dft_r2c_1d(n: c_int, from: *mut R, to: *mut R, flags: u32) -> *mut Plan<R> = plan_dft_r2c_1d;
            plan_dft_r2c_2d(n0: c_int, n1: c_int, from: *mut R, to: *mut R, flags: u32)
                -> *mut Plan<R> = plan_dft_r2c_2d;
            plan_dft_r2c_3d(n0: c_int, n1: c_int, n2: c_int, from: *mut R, to: *mut R, flags: u32)
                -> *mut Plan<R> = plan_dft_r2c_3d;
            plan_dft_c2r(rank: c_int, n: *const c_int, from: *mut R, to: *mut R, flags: u32)
                -> *mut Plan<R> = plan_dft_c2r;
            plan_dft_c2r_1d(n: c_int, from: *mut R, to: *mut R, flags: u32) -> *mut Plan<R> = plan_dft_c2r_1d;
            plan_dft_c2r_2d(n0: c_int, n1: c_int, from: *mut R, to: *mut R, flags: u32)
                -> *mut Plan<R> = plan_dft_c2r_2d;
            plan_dft_c2r_3d(n0: c_int, n1: c_int, n2: c_int, from: *mut R, to: *mut R, flags: u32)
                -> *mut Plan<R> = plan_dft_c2r_3d;
            plan_r2r(rank: c_int, n: *const c_int, from: *mut R, to: *mut R, kind: *const c_int, flags: u32)
                -> *mut Plan<R> = plan_r2r;
            plan_r2r_1d(n: c_int, from: *mut R, to: *mut R, kind: c_int, flags: u32) -> *mut Plan<R> = plan_r2r_1d;
            plan_r2r_2d(n0: c_int, n1: c_int, from: *mut R, to: *mut R, kind0: c_int, kind1: c_int, flags: u32)
                -> *mut Plan<R> = plan_r2r_2d;
            plan_r2r_3d(
                n0: c_int, n1: c_int, n2: c_int, from: *mut R, to: *mut R,
                kind0: c_int, kind1: c_int, kind2: c_int, flags: u32
            ) -> *mut Plan<R> = plan_r2r_3d;
            plan_many_dft(
                rank: c_int, n: *const c_int, howmany: c_int,
                from: *mut R, inembed: *const c_int, istride: c_int, idist: c_int,
                to: *mut R, onembed: *const c_int, ostride: c_int, odist: c_int,
                sign: c_int, flags: u32
            ) -> *mut Plan<R> = plan_many_dft;
            plan_many_dft_r2c(
                rank: c_int, n: *const c_int, howmany: c_int,
                from: *mut R, inembed: *const c_int, istride: c_int, idist: c_int,
                to: *mut R, onembed: *const c_int, ostride: c_int, odist: c_int,
                flags: u32
            ) -> *mut Plan<R> = plan_many_dft_r2c;
            plan_many_dft_c2r(
                rank: c_int, n: *const c_int, howmany: c_int,
                from: *mut R, inembed: *const c_int, istride: c_int, idist: c_int,
                to: *mut R, onembed: *const c_int, ostride: c_int, odist: c_int,
                flags: u32
            ) -> *mut Plan<R> = plan_many_dft_c2r;
            plan_many_r2r(
                rank: c_int, n: *const c_int, howmany: c_int,
                from: *mut R, inembed: *const c_int, istride: c_int, idist: c_int,
                to: *mut R, onembed: *const c_int, ostride: c_int, odist: c_int,
                kind: *const c_int, flags: u32
            ) -> *mut Plan<R> = plan_many_r2r;

            malloc(bytes: usize) -> *mut c_void = malloc;
            alloc_real(elements: usize) -> *mut R = alloc_real;
            alloc_complex(elements: usize) -> *mut R = alloc_complex;
            free(memory: *mut c_void) = free;
            alignment_of(array: *mut R) -> c_int = alignment_of;

            flops(plan: *const Plan<R>, add: *mut f64, mul: *mut f64, fma: *mut f64) = flops;
            cost(plan: *const Plan<R>) -> f64 = cost;
            estimate_cost(plan: *const Plan<R>) -> f64 = cost;
            print_plan(plan: *const Plan<R>) = print_plan;
            fprint_plan(plan: *const Plan<R>, file: *mut FILE) = fprint_plan;
            sprint_plan(plan: *const Plan<R>) -> *mut c_char = sprint_plan;

            cleanup() = cleanup;
            forget_wisdom() = forget_wisdom;
            set_timelimit(seconds: f64) = set_timelimit;
            export_wisdom(write: Option<WriteChar>, data: *mut c_void) = export_wisdom;
            export_wisdom_to_string() -> *mut c_char = export_wisdom_to_string;
            export_wisdom_to_file(file: *mut FILE) = export_wisdom_to_file;
            export_wisdom_to_filename(name: *const c_char) -> c_int = export_wisdom_to_filename;
            import_wisdom(read: Option<ReadChar>, data: *mut c_void) -> c_int = import_wisdom;
            import_wisdom_from_string(text: *const c_char) -> c_int = import_wisdom_from_string;
            import_wisdom_from_file(file: *mut FILE) -> c_int = import_wisdom_from_file;
            import_wisdom_from_filename(name: *const c_char) -> c_int = import_wisdom_from_filename;
            import_system_wisdom() -> c_int = import_system_wisdom;

            init_threads() -> c_int = init_threads;
            plan_with_nthreads(threads: c_int) = plan_with_nthreads;
            planner_nthreads() -> c_int = planner_nthreads;
            make_planner_thread_safe() = make_planner_thread_safe;
            threads_set_callback(parallel_loop: *mut c_void, data: *mut c_void) = threads_set_callback;
            cleanup_threads() = cleanup_threads;
        }

        guru_functions! {
            $prefix, $real;
            dft(from: *mut R, to: *mut R, sign: c_int, flags: u32);
            dft_r2c(from: *mut R, to: *mut R, flags: u32);
            dft_c2r(from: *mut R, to: *mut R, flags: u32);
            r2r(from: *mut R, to: *mut R, kind: *const c_int, flags: u32);
            split_dft(ri: *mut R, ii: *mut R, ro: *mut R, io: *mut R, flags: u32);
            split_dft_r2c(from: *mut R, ro: *mut R, io: *mut R, flags: u32);
            split_dft_c2r(ri: *mut R, ii: *mut R, to: *mut R, flags: u32);
        }

        const _: () = {
            #[unsafe(export_name = concat!($prefix, "version"))]
            static VERSION: [u8; VERSION_TEXT.len()] = *VERSION_TEXT;
            #[unsafe(export_name = concat!($prefix, "cc"))]
            static CC: [u8; 6] = *b"rustc\0";
            #[unsafe(export_name = concat!($prefix, "codelet_optim"))]
            static CODELET_OPTIM: [u8; 1] = *b"\0";
        };
    };
}

/// The version of FFTW whose names these are, and the library's.
const VERSION_TEXT: &[u8; 18 + env!("CARGO_PKG_VERSION").len() + 7] = {
    const TEXT: &str = concat!("fftw-3.3.10-affinimath-", env!("CARGO_PKG_VERSION"), "\0\0");
    match TEXT.as_bytes().first_chunk() {
        Some(text) => text,
        None => panic!("the text is as long as its type says"),
    }
};

precision!("fftw_", f64);
precision!("fftwf_", f32);
