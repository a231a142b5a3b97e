//! The guru interface: any strides of any number of dimensions, on interleaved and split arrays.

use std::ffi::c_int;

use super::{boxed, kinds};
use crate::layout::{Arrays, Dimension, guru};
use crate::pass::Parts;
use crate::plan::{Plan, Real, direction, plan};
use crate::program::Transform;

/// The plan of a guru layout.
///
/// # Safety
/// The dimensions are valid for reads.
unsafe fn guru_plan<R: Real, D: Dimension>(
    transform: Transform,
    dims: (c_int, *const D),
    howmany: (c_int, *const D),
    arrays: Arrays<R>,
    flags: u32,
) -> *mut Plan<R> {
    // SAFETY: the contracts are the same.
    let layout = unsafe { guru(&transform, dims, howmany, arrays.split) };
    boxed(plan(transform, layout, arrays, flags))
}

/// Plans of the guru interface on interleaved arrays.
macro_rules! guru_plans {
    ($($transform:expr, ($($sign:ident)?): $name:ident;)+) => {$(
        /// # Safety
        /// The dimensions are valid for reads.
        #[allow(clippy::too_many_arguments)] // FFTW's function
        pub(crate) unsafe fn $name<R: Real, D: Dimension>(
            rank: c_int, dims: *const D, howmany_rank: c_int, howmany_dims: *const D,
            from: *mut R, to: *mut R, $($sign: c_int,)? flags: u32,
        ) -> *mut Plan<R> {
            let transform = $transform;
            let arrays = Arrays::new(&transform, from, to);
            // SAFETY: the contracts are the same.
            unsafe { guru_plan(transform, (rank, dims), (howmany_rank, howmany_dims), arrays, flags) }
        }
    )+};
}

guru_plans! {
    Transform::Complex(direction(sign)), (sign): dft;
    Transform::RealToComplex, (): dft_r2c;
    Transform::ComplexToReal, (): dft_c2r;
}

/// # Safety
/// The dimensions and kinds are valid for reads.
#[allow(clippy::too_many_arguments)] // FFTW's function
pub(crate) unsafe fn r2r<R: Real, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    from: *mut R,
    to: *mut R,
    kind: *const c_int,
    flags: u32,
) -> *mut Plan<R> {
    // SAFETY: the contracts are the same.
    unsafe {
        let Some(transform) = kinds(rank, kind) else { return std::ptr::null_mut() };
        let arrays = Arrays::new(&transform, from, to);
        guru_plan(transform, (rank, dims), (howmany_rank, howmany_dims), arrays, flags)
    }
}

/// # Safety
/// The dimensions are valid for reads.
#[allow(clippy::too_many_arguments)] // FFTW's function
pub(crate) unsafe fn split_dft<R: Real, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    ri: *mut R,
    ii: *mut R,
    ro: *mut R,
    io: *mut R,
    flags: u32,
) -> *mut Plan<R> {
    let arrays = Arrays { from: Parts { re: ri, im: ii }, to: Parts { re: ro, im: io }, split: true };
    let howmany = (howmany_rank, howmany_dims);
    // SAFETY: the contracts are the same.
    unsafe { guru_plan(Transform::Complex(direction(crate::plan::FORWARD)), (rank, dims), howmany, arrays, flags) }
}

/// # Safety
/// The dimensions are valid for reads.
#[allow(clippy::too_many_arguments)] // FFTW's function
pub(crate) unsafe fn split_dft_r2c<R: Real, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    from: *mut R,
    ro: *mut R,
    io: *mut R,
    flags: u32,
) -> *mut Plan<R> {
    let arrays = Arrays { from: Parts::real(from), to: Parts { re: ro, im: io }, split: true };
    // SAFETY: the contracts are the same.
    unsafe { guru_plan(Transform::RealToComplex, (rank, dims), (howmany_rank, howmany_dims), arrays, flags) }
}

/// # Safety
/// The dimensions are valid for reads.
#[allow(clippy::too_many_arguments)] // FFTW's function
pub(crate) unsafe fn split_dft_c2r<R: Real, D: Dimension>(
    rank: c_int,
    dims: *const D,
    howmany_rank: c_int,
    howmany_dims: *const D,
    ri: *mut R,
    ii: *mut R,
    to: *mut R,
    flags: u32,
) -> *mut Plan<R> {
    let arrays = Arrays { from: Parts { re: ri, im: ii }, to: Parts::real(to), split: true };
    // SAFETY: the contracts are the same.
    unsafe { guru_plan(Transform::ComplexToReal, (rank, dims), (howmany_rank, howmany_dims), arrays, flags) }
}
