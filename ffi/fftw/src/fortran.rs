//! The names of Fortran's legacy interface, in both precisions. Arguments are pointers, and dimensions in reverse
//! order.

use std::ffi::{c_char, c_int, c_void};

use crate::api;
use crate::guard::guarded;
use crate::layout::{IoDim, list};
use crate::plan::Plan;

/// An integer argument.
type Int = *const c_int;

/// Fortran's `write_char` and `read_char`.
type FortranWriteChar = unsafe extern "C" fn(*const c_char, *mut c_void);
type FortranReadChar = unsafe extern "C" fn(*mut c_int, *mut c_void);

/// A list for C.
struct List<T>(Vec<T>);

impl<T> List<T> {
    /// Null for no values.
    fn as_ptr(&self) -> *const T {
        if self.0.is_empty() { std::ptr::null() } else { self.0.as_ptr() }
    }
}

/// Values in reverse order; none for a wrong count.
///
/// # Safety
/// `count` values are valid for reads.
unsafe fn reversed(count: c_int, values: Int) -> List<c_int> {
    // SAFETY: the contracts are the same.
    List(unsafe { list(values, count) }.unwrap_or_default().iter().rev().copied().collect())
}

/// Guru dimensions from arrays of lengths and strides.
///
/// # Safety
/// `rank` values of each are valid for reads.
unsafe fn dims(rank: c_int, n: Int, is: Int, os: Int) -> List<IoDim> {
    let count = if rank == c_int::MAX { 0 } else { rank };
    // SAFETY: the contracts are the same.
    let [n, is, os] = [n, is, os].map(|values| unsafe { list(values, count) }.unwrap_or_default());
    List(n.iter().zip(is.iter().zip(os)).map(|(n, (is, os))| IoDim { n: *n, is: *is, os: *os }).collect())
}

/// The adapter between a Fortran callback and C's.
struct Callback<F> {
    function: F,
    data: *mut c_void,
}

unsafe extern "C" fn write_char(letter: c_char, data: *mut c_void) {
    // SAFETY: `data` is the callback of `export_wisdom`.
    unsafe {
        let callback = &*data.cast::<Callback<FortranWriteChar>>();
        (callback.function)(&raw const letter, callback.data);
    }
}

unsafe extern "C" fn read_char(data: *mut c_void) -> c_int {
    let mut letter = -1;
    // SAFETY: `data` is the callback of `import_wisdom`.
    unsafe {
        let callback = &*data.cast::<Callback<FortranReadChar>>();
        (callback.function)(&raw mut letter, callback.data);
    }
    letter
}

/// Defines subroutines: the name between prefix and underscore, the arguments, and the body.
macro_rules! subroutines {
    ($prefix:literal, $real:ty; $($name:ident($($argument:ident: $type:ty),*) $body:block)+) => {$(
        subroutines!(@one $prefix, "_", $real, $name($($argument: $type),*) $body);
        subroutines!(@one $prefix, "__", $real, $name($($argument: $type),*) $body);
    )+};
    (@one $prefix:literal, $suffix:literal, $real:ty, $name:ident($($argument:ident: $type:ty),*) $body:block) => {
        const _: () = {
            #[allow(dead_code)]
            type R = $real;
            #[allow(clippy::too_many_arguments, unused_unsafe)] // FFTW's subroutines, some of them safe
            #[unsafe(export_name = concat!($prefix, stringify!($name), $suffix))]
            unsafe extern "C" fn $name($($argument: $type),*) {
                // SAFETY: FFTW requires valid plans, lengths and arrays.
                guarded(|| unsafe { $body })
            }
        };
    };
}

macro_rules! precision {
    ($prefix:literal, $real:ty) => {
        subroutines! {
            $prefix, $real;
            execute(plan: *const *mut Plan<R>) { api::execute(*plan) }
            execute_dft(plan: *const *mut Plan<R>, from: *mut R, to: *mut R) { api::execute_dft(*plan, from, to) }
            execute_split_dft(plan: *const *mut Plan<R>, ri: *mut R, ii: *mut R, ro: *mut R, io: *mut R) {
                api::execute_split_dft(*plan, ri, ii, ro, io)
            }
            execute_dft_r2c(plan: *const *mut Plan<R>, from: *mut R, to: *mut R) {
                api::execute_dft_r2c(*plan, from, to)
            }
            execute_split_dft_r2c(plan: *const *mut Plan<R>, from: *mut R, ro: *mut R, io: *mut R) {
                api::execute_split_dft_r2c(*plan, from, ro, io)
            }
            execute_dft_c2r(plan: *const *mut Plan<R>, from: *mut R, to: *mut R) {
                api::execute_dft_c2r(*plan, from, to)
            }
            execute_split_dft_c2r(plan: *const *mut Plan<R>, ri: *mut R, ii: *mut R, to: *mut R) {
                api::execute_split_dft_c2r(*plan, ri, ii, to)
            }
            execute_r2r(plan: *const *mut Plan<R>, from: *mut R, to: *mut R) { api::execute_r2r(*plan, from, to) }
            copy_plan(copy: *mut *mut Plan<R>, plan: *const *mut Plan<R>) { *copy = api::copy_plan(*plan) }
            destroy_plan(plan: *const *mut Plan<R>) { api::destroy_plan(*plan) }

            plan_dft(plan: *mut *mut Plan<R>, rank: Int, n: Int, from: *mut R, to: *mut R, sign: Int, flags: Int) {
                *plan = api::plan_dft(*rank, reversed(*rank, n).as_ptr(), from, to, *sign, *flags as u32)
            }
            plan_dft_1d(plan: *mut *mut Plan<R>, n: Int, from: *mut R, to: *mut R, sign: Int, flags: Int) {
                *plan = api::plan_dft_1d(*n, from, to, *sign, *flags as u32)
            }
            plan_dft_2d(plan: *mut *mut Plan<R>, nx: Int, ny: Int, from: *mut R, to: *mut R, sign: Int, flags: Int) {
                *plan = api::plan_dft_2d(*ny, *nx, from, to, *sign, *flags as u32)
            }
            plan_dft_3d(
                plan: *mut *mut Plan<R>, nx: Int, ny: Int, nz: Int, from: *mut R, to: *mut R, sign: Int, flags: Int
            ) {
                *plan = api::plan_dft_3d(*nz, *ny, *nx, from, to, *sign, *flags as u32)
            }
            plan_dft_r2c(plan: *mut *mut Plan<R>, rank: Int, n: Int, from: *mut R, to: *mut R, flags: Int) {
                *plan = api::plan_dft_r2c(*rank, reversed(*rank, n).as_ptr(), from, to, *flags as u32)
            }
            plan_dft_r2c_1d(plan: *mut *mut Plan<R>, n: Int, from: *mut R, to: *mut R, flags: Int) {
                *plan = api::plan_dft_r2c_1d(*n, from, to, *flags as u32)
            }
            plan_dft_r2c_2d(plan: *mut *mut Plan<R>, nx: Int, ny: Int, from: *mut R, to: *mut R, flags: Int) {
                *plan = api::plan_dft_r2c_2d(*ny, *nx, from, to, *flags as u32)
            }
            plan_dft_r2c_3d(
                plan: *mut *mut Plan<R>, nx: Int, ny: Int, nz: Int, from: *mut R, to: *mut R, flags: Int
            ) {
                *plan = api::plan_dft_r2c_3d(*nz, *ny, *nx, from, to, *flags as u32)
            }
            plan_dft_c2r(plan: *mut *mut Plan<R>, rank: Int, n: Int, from: *mut R, to: *mut R, flags: Int) {
                *plan = api::plan_dft_c2r(*rank, reversed(*rank, n).as_ptr(), from, to, *flags as u32)
            }
            plan_dft_c2r_1d(plan: *mut *mut Plan<R>, n: Int, from: *mut R, to: *mut R, flags: Int) {
                *plan = api::plan_dft_c2r_1d(*n, from, to, *flags as u32)
            }
            plan_dft_c2r_2d(plan: *mut *mut Plan<R>, nx: Int, ny: Int, from: *mut R, to: *mut R, flags: Int) {
                *plan = api::plan_dft_c2r_2d(*ny, *nx, from, to, *flags as u32)
            }
            plan_dft_c2r_3d(
                plan: *mut *mut Plan<R>, nx: Int, ny: Int, nz: Int, from: *mut R, to: *mut R, flags: Int
            ) {
                *plan = api::plan_dft_c2r_3d(*nz, *ny, *nx, from, to, *flags as u32)
            }
            plan_r2r(plan: *mut *mut Plan<R>, rank: Int, n: Int, from: *mut R, to: *mut R, kind: Int, flags: Int) {
                let (n, kind) = (reversed(*rank, n), reversed(*rank, kind));
                *plan = api::plan_r2r(*rank, n.as_ptr(), from, to, kind.as_ptr(), *flags as u32)
            }
            plan_r2r_1d(plan: *mut *mut Plan<R>, n: Int, from: *mut R, to: *mut R, kind: Int, flags: Int) {
                *plan = api::plan_r2r_1d(*n, from, to, *kind, *flags as u32)
            }
            plan_r2r_2d(
                plan: *mut *mut Plan<R>, nx: Int, ny: Int, from: *mut R, to: *mut R, kindx: Int, kindy: Int, flags: Int
            ) {
                *plan = api::plan_r2r_2d(*ny, *nx, from, to, *kindy, *kindx, *flags as u32)
            }
            plan_r2r_3d(
                plan: *mut *mut Plan<R>, nx: Int, ny: Int, nz: Int, from: *mut R, to: *mut R,
                kindx: Int, kindy: Int, kindz: Int, flags: Int
            ) {
                *plan = api::plan_r2r_3d(*nz, *ny, *nx, from, to, *kindz, *kindy, *kindx, *flags as u32)
            }
            plan_many_dft(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, howmany: Int,
                from: *mut R, inembed: Int, istride: Int, idist: Int,
                to: *mut R, onembed: Int, ostride: Int, odist: Int, sign: Int, flags: Int
            ) {
                let [n, inembed, onembed] = [n, inembed, onembed].map(|values| reversed(*rank, values));
                *plan = api::plan_many_dft(
                    *rank, n.as_ptr(), *howmany, from, inembed.as_ptr(), *istride, *idist,
                    to, onembed.as_ptr(), *ostride, *odist, *sign, *flags as u32,
                )
            }
            plan_many_dft_r2c(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, howmany: Int,
                from: *mut R, inembed: Int, istride: Int, idist: Int,
                to: *mut R, onembed: Int, ostride: Int, odist: Int, flags: Int
            ) {
                let [n, inembed, onembed] = [n, inembed, onembed].map(|values| reversed(*rank, values));
                *plan = api::plan_many_dft_r2c(
                    *rank, n.as_ptr(), *howmany, from, inembed.as_ptr(), *istride, *idist,
                    to, onembed.as_ptr(), *ostride, *odist, *flags as u32,
                )
            }
            plan_many_dft_c2r(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, howmany: Int,
                from: *mut R, inembed: Int, istride: Int, idist: Int,
                to: *mut R, onembed: Int, ostride: Int, odist: Int, flags: Int
            ) {
                let [n, inembed, onembed] = [n, inembed, onembed].map(|values| reversed(*rank, values));
                *plan = api::plan_many_dft_c2r(
                    *rank, n.as_ptr(), *howmany, from, inembed.as_ptr(), *istride, *idist,
                    to, onembed.as_ptr(), *ostride, *odist, *flags as u32,
                )
            }
            plan_many_r2r(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, howmany: Int,
                from: *mut R, inembed: Int, istride: Int, idist: Int,
                to: *mut R, onembed: Int, ostride: Int, odist: Int, kind: Int, flags: Int
            ) {
                let [n, inembed, onembed, kind] = [n, inembed, onembed, kind].map(|values| reversed(*rank, values));
                *plan = api::plan_many_r2r(
                    *rank, n.as_ptr(), *howmany, from, inembed.as_ptr(), *istride, *idist,
                    to, onembed.as_ptr(), *ostride, *odist, kind.as_ptr(), *flags as u32,
                )
            }
            plan_guru_dft(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, is: Int, os: Int,
                howmany_rank: Int, h_n: Int, h_is: Int, h_os: Int,
                from: *mut R, to: *mut R, sign: Int, flags: Int
            ) {
                let (each, loops) = (dims(*rank, n, is, os), dims(*howmany_rank, h_n, h_is, h_os));
                *plan = api::guru::dft(
                    *rank, each.as_ptr(), *howmany_rank, loops.as_ptr(), from, to, *sign, *flags as u32,
                )
            }
            plan_guru_dft_r2c(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, is: Int, os: Int,
                howmany_rank: Int, h_n: Int, h_is: Int, h_os: Int, from: *mut R, to: *mut R, flags: Int
            ) {
                let (each, loops) = (dims(*rank, n, is, os), dims(*howmany_rank, h_n, h_is, h_os));
                *plan = api::guru::dft_r2c(
                    *rank, each.as_ptr(), *howmany_rank, loops.as_ptr(), from, to, *flags as u32,
                )
            }
            plan_guru_dft_c2r(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, is: Int, os: Int,
                howmany_rank: Int, h_n: Int, h_is: Int, h_os: Int, from: *mut R, to: *mut R, flags: Int
            ) {
                let (each, loops) = (dims(*rank, n, is, os), dims(*howmany_rank, h_n, h_is, h_os));
                *plan = api::guru::dft_c2r(
                    *rank, each.as_ptr(), *howmany_rank, loops.as_ptr(), from, to, *flags as u32,
                )
            }
            plan_guru_r2r(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, is: Int, os: Int,
                howmany_rank: Int, h_n: Int, h_is: Int, h_os: Int, from: *mut R, to: *mut R, kind: Int, flags: Int
            ) {
                let (each, loops) = (dims(*rank, n, is, os), dims(*howmany_rank, h_n, h_is, h_os));
                // FFTW has these kinds in reverse order, as those of the other subroutines.
                let kind = reversed(*rank, kind);
                *plan = api::guru::r2r(
                    *rank, each.as_ptr(), *howmany_rank, loops.as_ptr(), from, to, kind.as_ptr(), *flags as u32,
                )
            }
            plan_guru_split_dft(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, is: Int, os: Int,
                howmany_rank: Int, h_n: Int, h_is: Int, h_os: Int,
                ri: *mut R, ii: *mut R, ro: *mut R, io: *mut R, flags: Int
            ) {
                let (each, loops) = (dims(*rank, n, is, os), dims(*howmany_rank, h_n, h_is, h_os));
                *plan = api::guru::split_dft(
                    *rank, each.as_ptr(), *howmany_rank, loops.as_ptr(), ri, ii, ro, io, *flags as u32,
                )
            }
            plan_guru_split_dft_r2c(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, is: Int, os: Int,
                howmany_rank: Int, h_n: Int, h_is: Int, h_os: Int,
                from: *mut R, ro: *mut R, io: *mut R, flags: Int
            ) {
                let (each, loops) = (dims(*rank, n, is, os), dims(*howmany_rank, h_n, h_is, h_os));
                *plan = api::guru::split_dft_r2c(
                    *rank, each.as_ptr(), *howmany_rank, loops.as_ptr(), from, ro, io, *flags as u32,
                )
            }
            plan_guru_split_dft_c2r(
                plan: *mut *mut Plan<R>, rank: Int, n: Int, is: Int, os: Int,
                howmany_rank: Int, h_n: Int, h_is: Int, h_os: Int,
                ri: *mut R, ii: *mut R, to: *mut R, flags: Int
            ) {
                let (each, loops) = (dims(*rank, n, is, os), dims(*howmany_rank, h_n, h_is, h_os));
                *plan = api::guru::split_dft_c2r(
                    *rank, each.as_ptr(), *howmany_rank, loops.as_ptr(), ri, ii, to, *flags as u32,
                )
            }

            cleanup() { api::cleanup::<R>() }
            forget_wisdom() { api::forget_wisdom::<R>() }
            set_timelimit(seconds: *const f64) { api::set_timelimit::<R>(*seconds) }
            print_plan(plan: *const *mut Plan<R>) { api::print_plan(*plan) }
            flops(plan: *const *mut Plan<R>, add: *mut f64, mul: *mut f64, fma: *mut f64) {
                api::flops(*plan, add, mul, fma)
            }
            cost(cost: *mut f64, plan: *const *mut Plan<R>) { *cost = api::cost(*plan) }
            estimate_cost(cost: *mut f64, plan: *const *mut Plan<R>) { *cost = api::cost(*plan) }
            export_wisdom(function: FortranWriteChar, data: *mut c_void) {
                let mut callback = Callback { function, data };
                api::export_wisdom::<R>(Some(write_char), (&raw mut callback).cast())
            }
            import_wisdom(success: *mut c_int, function: FortranReadChar, data: *mut c_void) {
                let mut callback = Callback { function, data };
                *success = api::import_wisdom::<R>(Some(read_char), (&raw mut callback).cast())
            }
            import_system_wisdom(success: *mut c_int) { *success = api::import_system_wisdom::<R>() }
            init_threads(success: *mut c_int) { *success = api::init_threads::<R>() }
            plan_with_nthreads(threads: Int) { api::plan_with_nthreads::<R>(*threads) }
            planner_nthreads(threads: *mut c_int) { *threads = api::planner_nthreads::<R>() }
            cleanup_threads() { api::cleanup_threads::<R>() }
        }
    };
}

precision!("dfftw_", f64);
precision!("sfftw_", f32);
