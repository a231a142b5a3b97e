//! Plans of distributed Fourier transforms.

use std::ffi::c_int;

use affinimath::{Complex32, Complex64, FftReal, Scalar};
use affinimath_mpi::{Decomposition, DistFft, FftOptions, Result};

use crate::objects::{FftPlan, Grid, elements, handle, wrong};

/// C's code of [`Decomposition::Auto`].
pub(crate) const AUTO: c_int = 0;
/// C's code of [`Decomposition::Slabs`].
pub(crate) const SLABS: c_int = 1;
/// C's code of [`Decomposition::Pencils`].
pub(crate) const PENCILS: c_int = 2;

/// A type's plan as C's.
pub(crate) trait Planned: Scalar<RealScalar: FftReal> {
    fn boxed(plan: DistFft<Self>) -> Box<FftPlan>;
}

macro_rules! planned {
    ($($element:ident $variant:ident),*) => {
        $(impl Planned for $element {
            fn boxed(plan: DistFft<Self>) -> Box<FftPlan> {
                Box::new(FftPlan::$variant(plan))
            }
        })*
    };
}

planned!(f32 S, f64 D, Complex32 C, Complex64 Z);

/// # Safety
/// Pointers are null or valid: `lengths` for `rank` numbers.
#[expect(clippy::too_many_arguments, reason = "they are the C function's")]
pub(crate) unsafe fn fft_plan_create<T: Planned>(
    function: &'static str,
    grid: *const Grid,
    rank: i64,
    lengths: *const i64,
    decomposition: i64,
    rows: i64,
    columns: i64,
    transposed: i64,
    backward_scale: f64,
    plan: *mut *mut FftPlan,
) -> Result<()> {
    // SAFETY: by contract.
    let grid = &unsafe { handle(function, "grid", grid)? }.0;
    let size = |name, number: i64| usize::try_from(number).map_err(|_| wrong(name, format!("{number} is negative")));
    let parse = || {
        if !(2..=3).contains(&rank) {
            return Err(wrong("rank", format!("there are transforms of 2 and 3 dimensions, not of {rank}")));
        }
        if lengths.is_null() {
            return Err(wrong("lengths", "it is null"));
        }
        // SAFETY: not null, and valid for a number of each axis by contract.
        let lengths = unsafe { elements(lengths, rank as usize) };
        let lengths = lengths.iter().map(|length| size("lengths", *length)).collect::<Result<Vec<_>>>()?;
        let decomposition = match c_int::try_from(decomposition).unwrap_or(-1) {
            AUTO => Decomposition::Auto,
            SLABS => Decomposition::Slabs,
            PENCILS => Decomposition::Pencils(size("rows", rows)?, size("columns", columns)?),
            other => return Err(wrong("decomposition", format!("{other} is none of the three"))),
        };
        if plan.is_null() {
            return Err(wrong("plan", "it is null"));
        }
        let options = FftOptions::new().decomposition(decomposition).backward_scale(backward_scale);
        Ok((lengths, if transposed == 0 { options } else { options.transposed() }))
    };
    let parsed = parse();
    grid.agree_on(function, &[], parsed.as_ref().map(drop).map_err(Clone::clone))?;
    let (lengths, options) = parsed?;
    let made = T::boxed(DistFft::<T>::new(grid, &lengths, options)?);
    // SAFETY: not null, and valid for a write by contract.
    unsafe { plan.write(Box::into_raw(made)) };
    Ok(())
}
