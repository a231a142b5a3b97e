//! Triangular solves with one right-hand side on any memory.
//!
//! The memory of the views tells where a solve runs. In the host's memory, the route decides, and the result is there
//! on return. In a device's memory, it is enqueued on the context's own queue, and the event tells when it is done.

use affinimath_macros::instances;

use crate::blas::level2::solve::{Solve, solve_on};
use crate::context::Event;
use crate::error::Result;
use crate::host;
use crate::options::{Diag, Op, Triangle};
use crate::route::Family;
use crate::route::dispatch::dispatch;
use crate::scalar::Scalar;
use crate::vendor::level2::solve as vendor;
use crate::view::{BandRef, MatrixRef, PackedRef, VectorMut, View};

/// The constructor of [`Solve`] and its first arguments, then the operands.
macro_rules! solve {
    ($constructor:ident($($option:expr),*; $a:ident, $x:ident)) => {{
        let again = VectorMut::from_parts($x.memory(), *$x.shape());
        let solve = Solve::$constructor($($option,)* $a, again)?;
        if $x.length() == 0 {
            return Ok(Event::Complete); // BLAS: n = 0 changes nothing.
        }
        dispatch(
            Family::VectorSolve,
            solve.operations(),
            ($a, $x),
            |($a, $x)| {
                let solve = Solve::$constructor($($option,)* $a, $x);
                host::level2::solve(&solve.expect("the sizes agree, as they did before"));
            },
            |queue, ($a, $x)| solve_on(queue, &Solve::$constructor($($option,)* $a, $x)?),
            |call, ($a, $x)| vendor::$constructor(call, $($option,)* $a, $x),
        )
    }};
}

/// x := op(A)⁻¹ x for a triangle A; with [`Diag::Unit`] its diagonal is not read (BLAS: xTRSV). As in BLAS, A is not
/// tested for singularity: a zero on the diagonal gives infinities and NaN, but an element of x that is zero by then
/// stays zero.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when the sizes do not agree, [`crate::Error::MixedMemory`] when the operands do not
/// lie in one memory, and what the device reports.
///
/// # Example
/// ```
/// use affinimath::{Context, Diag, Op, Triangle, trsv};
///
/// let context = Context::preferred()?;
/// let a = context.upload(&[2.0_f64, 1.0, f64::NAN, 4.0])?; // columns (2, 1) and (not read, 4)
/// let mut x = context.upload(&[6.0, 11.0])?;
/// trsv(Triangle::Lower, Op::NoTrans, Diag::NonUnit, a.matrix(2, 2)?, x.vector_mut()?)?.wait()?;
/// assert_eq!(x.download()?, [3.0, 2.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn trsv<T: Scalar>(
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    a: MatrixRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    solve!(full(triangle, op, diagonal; a, x))
}

/// x := op(A)⁻¹ x for a triangular band matrix A (BLAS: xTBSV). Of a band that has both triangles, the given one is
/// used. As [`trsv`] otherwise.
///
/// # Errors
/// The errors of [`trsv`].
#[instances]
pub fn tbsv<T: Scalar>(
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    a: BandRef<'_, T>,
    x: VectorMut<'_, T>,
) -> Result<Event> {
    solve!(band(triangle, op, diagonal; a, x))
}

/// x := op(A)⁻¹ x for a packed triangle A (BLAS: xTPSV). As [`trsv`] otherwise.
///
/// # Errors
/// The errors of [`trsv`].
#[instances]
pub fn tpsv<T: Scalar>(op: Op, diagonal: Diag, a: PackedRef<'_, T>, x: VectorMut<'_, T>) -> Result<Event> {
    solve!(packed(op, diagonal; a, x))
}
