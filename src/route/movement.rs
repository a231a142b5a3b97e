//! omatcopy, imatcopy and omatadd on any memory.

use affinimath_macros::instances;

use super::dispatch::{dispatch, used};
use super::{Family, Route, Work, decide, without_vendors};
use crate::blas::movement::{check_in_place, check_sizes, imatcopy_on, omatadd_on, omatcopy_on};
use crate::context::{BufferParts, DeviceBuffer, Event, Queue};
use crate::error::Result;
use crate::host::movement as host;
use crate::options::{Layout, Op};
use crate::scalar::Scalar;
use crate::vendor::Request;
use crate::view::{InPlace, MatrixMut, MatrixRef, MatrixShape, Memory, View};

/// B := alpha op(A), for any layouts of A and B (BLAS extension: xOMATCOPY). With alpha = 0, A is not read and B
/// becomes zeros; alpha = 1 changes no bit. A and B do not overlap.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when B is not as large as op(A), [`crate::Error::MixedMemory`] when the matrices do
/// not lie in one memory, and what the device reports.
///
/// # Example
/// ```
/// use affinimath::{Context, Op, omatcopy};
///
/// let context = Context::preferred()?;
/// let a = context.upload(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?; // columns (1, 2), (3, 4) and (5, 6)
/// let mut b = context.zeros::<f32>(6)?;
/// omatcopy(Op::Trans, 10.0, a.matrix(2, 3)?, b.matrix_mut(3, 2)?)?.wait()?;
/// assert_eq!(b.download()?, [10.0, 30.0, 50.0, 20.0, 40.0, 60.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn omatcopy<T: Scalar>(op: Op, alpha: T, a: MatrixRef<'_, T>, b: MatrixMut<'_, T>) -> Result<Event> {
    check_sizes(op, a.shape(), b.shape(), "B")?;
    if b.rows() == 0 || b.columns() == 0 {
        return Ok(Event::Complete); // An empty matrix is left as it is.
    }
    dispatch(
        Family::Movement,
        operations::<T>(b.shape()),
        (used(a, alpha != T::ZERO), used(b, false)),
        |(a, b)| host::omatcopy(op, alpha, &a, &b),
        |queue, (a, b)| omatcopy_on(queue, op, alpha, a, b),
        |_: &mut Request<T>, _| None, // It is no part of CBLAS.
    )
}

/// C := alpha op(A) + beta op(B), for any layouts (BLAS extension: xOMATADD). A matrix whose factor is 0 is not read. C
/// overlaps neither A nor B.
///
/// # Errors
/// The errors of [`omatcopy`].
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's omatadd")]
#[instances]
pub fn omatadd<T: Scalar>(
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    beta: T,
    b: MatrixRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    check_sizes(op_a, a.shape(), c.shape(), "C")?;
    check_sizes(op_b, b.shape(), c.shape(), "C")?;
    if c.rows() == 0 || c.columns() == 0 {
        return Ok(Event::Complete); // An empty matrix is left as it is.
    }
    dispatch(
        Family::Movement,
        operations::<T>(c.shape()),
        (used(a, alpha != T::ZERO), used(b, beta != T::ZERO), used(c, false)),
        |(a, b, c)| host::omatadd([op_a, op_b], alpha, &a, beta, &b, &c),
        |queue, (a, b, c)| omatadd_on(queue, op_a, op_b, alpha, a, beta, b, c),
        |_: &mut Request<T>, _| None, // It is no part of CBLAS.
    )
}

/// B := alpha op(A), where B takes A's place (BLAS extension: xIMATCOPY). Elements of the memory that belong to neither
/// matrix stay as they are. With alpha = 0, A is not read.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when the view's second shape is not that of op(A), [`crate::Error::OutOfHostMemory`]
/// and [`crate::Error::OutOfDeviceMemory`] where a copy is needed, and what the device reports.
#[instances]
pub fn imatcopy<T: Scalar>(op: Op, alpha: T, matrix: InPlace<'_, T>) -> Result<Event> {
    check_in_place(op, &matrix)?;
    if matrix.after().rows() == 0 || matrix.after().columns() == 0 {
        return Ok(Event::Complete); // An empty matrix is left as it is.
    }
    let start = match matrix.memory() {
        Memory::Device(object) => {
            return imatcopy_on(&Queue::new(DeviceBuffer::of(object).context())?, op, alpha, matrix);
        }
        Memory::Host(start, _) => start,
    };
    let bytes = (matrix.after().rows() * matrix.after().columns()) as u64 * size_of::<T>() as u64;
    let operations = operations::<T>(matrix.after());
    let work =
        Work { family: Family::Movement, kind: T::KIND, operations, steps: 0, bytes_to: bytes, bytes_from: bytes };
    let route = match decide(&work)? {
        Route::Vendor(vendor) => without_vendors(&work, vendor, "imatcopy is no part of CBLAS".to_owned())?,
        route => route,
    };
    match route {
        Route::Host | Route::Vendor(_) => host::imatcopy(op, alpha, &matrix)?,
        Route::Device(_) => {
            // To the device and back the matrix passes through memory of its own anyway.
            let (rows, columns) = (matrix.after().rows(), matrix.after().columns());
            let mut copy = vec![T::ZERO; rows * columns];
            let dense = MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows)?;
            // SAFETY: the view holds the matrix before and after; each is used while the other is not.
            unsafe {
                let before = MatrixRef::from_host_raw(start, *matrix.before());
                omatcopy(op, alpha, before, MatrixMut::from_slice(&mut copy, dense)?)?.wait()?;
                let after = MatrixMut::from_host_raw(start, *matrix.after());
                omatcopy(Op::NoTrans, T::ONE, MatrixRef::from_slice(&copy, dense)?, after)?.wait()?;
            }
        }
    }
    Ok(Event::Complete)
}

fn operations<T: Scalar>(result: &MatrixShape) -> u64 {
    ((result.rows() * result.columns()) as u64).saturating_mul(T::KIND.multiply_add_operations())
}
