//! FFTW's functions in both precisions. Complex arrays are pointers to their first real part.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::Ordering;

use libc::FILE;

use crate::layout::{Arrays, Embedding, list, many};
pub(crate) use crate::memory_functions::*;
use crate::pass::Parts;
use crate::plan::{Plan, Real, direction, plan};
use crate::program::Transform;
pub(crate) use crate::threads::*;
use crate::waves::Kind;
pub(crate) use crate::wisdom::*;

pub(crate) mod guru;

/// One side of the many interface: embedding, stride and distance.
pub(crate) type Side = (*const c_int, c_int, c_int);

/// A plan for the caller; null for a problem that is not supported.
fn boxed<R: Real>(plan: Option<Plan<R>>) -> *mut Plan<R> {
    plan.map_or(std::ptr::null_mut(), |plan| Box::into_raw(Box::new(plan)))
}

/// The plan of a basic layout: dense row-major arrays.
///
/// # Safety
/// The lengths are valid for reads.
unsafe fn dense<R: Real>(
    transform: Transform,
    (rank, n): (c_int, *const c_int),
    (from, to): (*mut R, *mut R),
    flags: u32,
) -> *mut Plan<R> {
    // SAFETY: by contract.
    let layout = unsafe { list(n, rank) }
        .and_then(|n| many(&transform, n, 1, [Embedding::dense(), Embedding::dense()], from == to));
    let arrays = Arrays::new(&transform, from, to);
    boxed(plan(transform, layout, arrays, flags))
}

/// # Safety
/// The lengths and embeddings are valid for reads.
unsafe fn batch<R: Real>(
    transform: Transform,
    (rank, n, howmany): (c_int, *const c_int, c_int),
    (from, source): (*mut R, Side),
    (to, target): (*mut R, Side),
    flags: u32,
) -> *mut Plan<R> {
    // SAFETY: by contract.
    let embedding = |(lengths, stride, distance): Side| unsafe {
        Embedding { lengths: if lengths.is_null() { None } else { list(lengths, rank) }, stride, distance }
    };
    // SAFETY: by contract.
    let layout = unsafe { list(n, rank) }
        .and_then(|n| many(&transform, n, howmany, [embedding(source), embedding(target)], from == to));
    let arrays = Arrays::new(&transform, from, to);
    boxed(plan(transform, layout, arrays, flags))
}

/// The kinds of the dimensions.
///
/// # Safety
/// The kinds are valid for reads.
unsafe fn kinds(rank: c_int, kinds: *const c_int) -> Option<Transform> {
    // SAFETY: by contract.
    let kinds = unsafe { list(kinds, rank) }?;
    kinds.iter().map(|kind| Kind::new(*kind)).collect::<Option<_>>().map(Transform::RealToReal)
}

/// Plans of the kinds of complex and half-complex transforms, in one to three dimensions and any number of them.
macro_rules! dense_plans {
    ($($transform:expr, ($($sign:ident)?): $any:ident $one:ident $two:ident $three:ident;)+) => {$(
        /// # Safety
        /// The lengths are valid for reads.
        pub(crate) unsafe fn $any<R: Real>(
            rank: c_int, n: *const c_int, from: *mut R, to: *mut R, $($sign: c_int,)? flags: u32,
        ) -> *mut Plan<R> {
            // SAFETY: the contracts are the same.
            unsafe { dense($transform, (rank, n), (from, to), flags) }
        }

        pub(crate) fn $one<R: Real>(n: c_int, from: *mut R, to: *mut R, $($sign: c_int,)? flags: u32) -> *mut Plan<R> {
            // SAFETY: there is one length.
            unsafe { dense($transform, (1, &raw const n), (from, to), flags) }
        }

        pub(crate) fn $two<R: Real>(
            n0: c_int, n1: c_int, from: *mut R, to: *mut R, $($sign: c_int,)? flags: u32,
        ) -> *mut Plan<R> {
            // SAFETY: there are two lengths.
            unsafe { dense($transform, (2, [n0, n1].as_ptr()), (from, to), flags) }
        }

        pub(crate) fn $three<R: Real>(
            n0: c_int, n1: c_int, n2: c_int, from: *mut R, to: *mut R, $($sign: c_int,)? flags: u32,
        ) -> *mut Plan<R> {
            // SAFETY: there are three lengths.
            unsafe { dense($transform, (3, [n0, n1, n2].as_ptr()), (from, to), flags) }
        }
    )+};
}

dense_plans! {
    Transform::Complex(direction(sign)), (sign): plan_dft plan_dft_1d plan_dft_2d plan_dft_3d;
    Transform::RealToComplex, (): plan_dft_r2c plan_dft_r2c_1d plan_dft_r2c_2d plan_dft_r2c_3d;
    Transform::ComplexToReal, (): plan_dft_c2r plan_dft_c2r_1d plan_dft_c2r_2d plan_dft_c2r_3d;
}

/// # Safety
/// The lengths and kinds are valid for reads.
pub(crate) unsafe fn plan_r2r<R: Real>(
    rank: c_int,
    n: *const c_int,
    from: *mut R,
    to: *mut R,
    kind: *const c_int,
    flags: u32,
) -> *mut Plan<R> {
    // SAFETY: by contract.
    unsafe { kinds(rank, kind).map_or(std::ptr::null_mut(), |wave| dense(wave, (rank, n), (from, to), flags)) }
}

pub(crate) fn plan_r2r_1d<R: Real>(n: c_int, from: *mut R, to: *mut R, kind: c_int, flags: u32) -> *mut Plan<R> {
    // SAFETY: there is one length and one kind.
    unsafe { plan_r2r(1, &raw const n, from, to, &raw const kind, flags) }
}

pub(crate) fn plan_r2r_2d<R: Real>(
    n0: c_int,
    n1: c_int,
    from: *mut R,
    to: *mut R,
    kind0: c_int,
    kind1: c_int,
    flags: u32,
) -> *mut Plan<R> {
    // SAFETY: there are two lengths and kinds.
    unsafe { plan_r2r(2, [n0, n1].as_ptr(), from, to, [kind0, kind1].as_ptr(), flags) }
}

#[allow(clippy::too_many_arguments)] // FFTW's function
pub(crate) fn plan_r2r_3d<R: Real>(
    n0: c_int,
    n1: c_int,
    n2: c_int,
    from: *mut R,
    to: *mut R,
    kind0: c_int,
    kind1: c_int,
    kind2: c_int,
    flags: u32,
) -> *mut Plan<R> {
    // SAFETY: there are three lengths and kinds.
    unsafe { plan_r2r(3, [n0, n1, n2].as_ptr(), from, to, [kind0, kind1, kind2].as_ptr(), flags) }
}

/// # Safety
/// The lengths and embeddings are valid for reads.
#[allow(clippy::too_many_arguments)] // FFTW's function
pub(crate) unsafe fn plan_many_dft<R: Real>(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    from: *mut R,
    inembed: *const c_int,
    istride: c_int,
    idist: c_int,
    to: *mut R,
    onembed: *const c_int,
    ostride: c_int,
    odist: c_int,
    sign: c_int,
    flags: u32,
) -> *mut Plan<R> {
    let (from, to) = ((from, (inembed, istride, idist)), (to, (onembed, ostride, odist)));
    // SAFETY: the contracts are the same.
    unsafe { batch(Transform::Complex(direction(sign)), (rank, n, howmany), from, to, flags) }
}

/// Plans of many transforms between real and complex numbers.
macro_rules! many_plans {
    ($($name:ident: $transform:ident;)+) => {$(
        /// # Safety
        /// The lengths and embeddings are valid for reads.
        #[allow(clippy::too_many_arguments)] // FFTW's function
        pub(crate) unsafe fn $name<R: Real>(
            rank: c_int, n: *const c_int, howmany: c_int,
            from: *mut R, inembed: *const c_int, istride: c_int, idist: c_int,
            to: *mut R, onembed: *const c_int, ostride: c_int, odist: c_int,
            flags: u32,
        ) -> *mut Plan<R> {
            let (from, to) = ((from, (inembed, istride, idist)), (to, (onembed, ostride, odist)));
            // SAFETY: the contracts are the same.
            unsafe { batch(Transform::$transform, (rank, n, howmany), from, to, flags) }
        }
    )+};
}

many_plans! {
    plan_many_dft_r2c: RealToComplex;
    plan_many_dft_c2r: ComplexToReal;
}

/// # Safety
/// The lengths, embeddings and kinds are valid for reads.
#[allow(clippy::too_many_arguments)] // FFTW's function
pub(crate) unsafe fn plan_many_r2r<R: Real>(
    rank: c_int,
    n: *const c_int,
    howmany: c_int,
    from: *mut R,
    inembed: *const c_int,
    istride: c_int,
    idist: c_int,
    to: *mut R,
    onembed: *const c_int,
    ostride: c_int,
    odist: c_int,
    kind: *const c_int,
    flags: u32,
) -> *mut Plan<R> {
    let (from, to) = ((from, (inembed, istride, idist)), (to, (onembed, ostride, odist)));
    // SAFETY: the contracts are the same.
    unsafe { kinds(rank, kind).map_or(std::ptr::null_mut(), |wave| batch(wave, (rank, n, howmany), from, to, flags)) }
}

/// Executes a plan on the arrays of planning.
///
/// # Safety
/// The plan is not destroyed, and its arrays are valid.
#[inline]
pub(crate) unsafe fn execute<R: Real>(plan: *const Plan<R>) {
    // SAFETY: by contract, a plan or null.
    let Some(plan) = (unsafe { plan.as_ref() }) else { return };
    let arrays = plan.arrays();
    // SAFETY: by contract, the arrays of the plan are valid.
    unsafe { plan.execute(arrays.from, arrays.to) };
}

/// The new-array execute functions. A plan of another kind is not executed.
macro_rules! execute_on {
    ($($name:ident $kind:pat, |$plan:ident| ($($array:ident),+) -> ($from:expr, $to:expr);)+) => {$(
        /// # Safety
        /// The plan is not destroyed. The arrays are valid for it, and in place if those of planning are.
        #[inline]
        pub(crate) unsafe fn $name<R: Real>(plan: *const Plan<R>, $($array: *mut R),+) {
            // SAFETY: by contract, a plan or null.
            let Some($plan) = (unsafe { plan.as_ref() }) else { return };
            if matches!($plan.transform(), $kind) {
                // SAFETY: by contract, the arrays are valid for the plan.
                unsafe { $plan.execute($from, $to) };
            }
        }
    )+};
}

execute_on! {
    execute_dft Transform::Complex(_), |plan| (from, to) -> (plan.interleaved(from), plan.interleaved(to));
    execute_split_dft Transform::Complex(_), |plan| (ri, ii, ro, io) -> (plan.split(ri, ii), plan.split(ro, io));
    execute_dft_r2c Transform::RealToComplex, |plan| (from, to) -> (Parts::real(from), plan.interleaved(to));
    execute_split_dft_r2c Transform::RealToComplex, |plan| (from, ro, io) -> (Parts::real(from), plan.split(ro, io));
    execute_dft_c2r Transform::ComplexToReal, |plan| (from, to) -> (plan.interleaved(from), Parts::real(to));
    execute_split_dft_c2r Transform::ComplexToReal, |plan| (ri, ii, to) -> (plan.split(ri, ii), Parts::real(to));
    execute_r2r Transform::RealToReal(_), |plan| (from, to) -> (Parts::real(from), Parts::real(to));
}

/// Another reference to a plan, which is destroyed with the last one.
///
/// # Safety
/// The plan is not destroyed yet, or null.
pub(crate) unsafe fn copy_plan<R: Real>(plan: *mut Plan<R>) -> *mut Plan<R> {
    // SAFETY: by contract, a plan or null.
    if let Some(plan) = unsafe { plan.as_ref() } {
        plan.references.fetch_add(1, Ordering::Relaxed);
    }
    plan
}

/// # Safety
/// The plan is not destroyed yet, or null.
pub(crate) unsafe fn destroy_plan<R: Real>(plan: *mut Plan<R>) {
    // SAFETY: by contract, a plan or null.
    let is_last = unsafe { plan.as_ref() }.is_some_and(|plan| plan.references.fetch_sub(1, Ordering::AcqRel) == 1);
    if is_last {
        // SAFETY: the plan comes from `boxed`, and this was the last reference.
        drop(unsafe { Box::from_raw(plan) });
    }
}

/// # Safety
/// The plan is not destroyed, and the results are writable.
pub(crate) unsafe fn flops<R: Real>(plan: *const Plan<R>, add: *mut f64, mul: *mut f64, fma: *mut f64) {
    // SAFETY: by contract.
    unsafe {
        let [additions, products] = plan.as_ref().map_or([0.0; 2], Plan::operations);
        add.write(additions);
        mul.write(products);
        fma.write(0.0);
    }
}

/// # Safety
/// The plan is not destroyed.
pub(crate) unsafe fn cost<R: Real>(plan: *const Plan<R>) -> f64 {
    // SAFETY: by contract.
    unsafe { plan.as_ref() }.map_or(0.0, |plan| plan.operations().iter().sum())
}

/// # Safety
/// The plan is not destroyed.
pub(crate) unsafe fn sprint_plan<R: Real>(plan: *const Plan<R>) -> *mut c_char {
    // SAFETY: by contract.
    c_string(&unsafe { plan.as_ref() }.map_or("(null)".to_owned(), Plan::describe))
}

/// # Safety
/// The plan is not destroyed, and the file is open for writing.
pub(crate) unsafe fn fprint_plan<R: Real>(plan: *const Plan<R>, file: *mut FILE) {
    // SAFETY: by contract.
    unsafe { write_to(file, &plan.as_ref().map_or("(null)".to_owned(), Plan::describe)) };
}

/// # Safety
/// The plan is not destroyed.
pub(crate) unsafe fn print_plan<R: Real>(plan: *const Plan<R>) {
    unsafe extern "C" {
        static stdout: *mut FILE;
    }
    // SAFETY: by contract; C's standard output is open or null.
    unsafe { fprint_plan(plan, stdout) };
}

pub(crate) fn cleanup<R: Real>() {
    cleanup_threads::<R>();
    R::cache().clear();
}

// Plans need no wisdom and no time limit.

pub(crate) fn forget_wisdom<R: Real>() {}

pub(crate) fn set_timelimit<R: Real>(_seconds: f64) {}

pub(crate) fn make_planner_thread_safe<R: Real>() {}

/// The library's own threads do the work.
pub(crate) fn threads_set_callback<R: Real>(_parallel_loop: *mut c_void, _data: *mut c_void) {}
