//! Norms of matrices in any memory.

use affinimath_macros::instances;
use std::cell::Cell;

use super::Family;
use super::dispatch::{Cost, dispatch_lapack, on_host};
use super::lapack::square;
use crate::context::{BufferParts, DeviceBuffer, Event, Queue};
use crate::error::Result;
use crate::host::lapack as host;
use crate::lapack::enqueue_norm;
use crate::options::{Diag, Norm, Symmetry, Triangle};
use crate::pattern::Pattern;
use crate::scalar::Scalar;
use crate::view::{MatrixRef, VectorMut, VectorShape};

/// A norm of an m x n matrix (LAPACK: xLANGE); 0 where m or n is 0. Of complex elements the moduli count.
///
/// It is NaN where an element that is read is. The Frobenius norm neither overflows nor underflows on the way.
///
/// # Errors
/// Errors of the device.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixRef, MatrixShape, Norm, lange};
///
/// let a = [3.0_f64, -4.0, 0.0, 12.0];
/// let norm = |norm| lange(norm, MatrixRef::from_slice(&a, MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?)?);
/// assert_eq!((norm(Norm::One)?, norm(Norm::Infinity)?), (16.0, 12.0));
/// assert_eq!((norm(Norm::Max)?, norm(Norm::Frobenius)?), (12.0, 13.0));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn lange<T: Scalar>(norm: Norm, a: MatrixRef<'_, T>) -> Result<T::RealScalar> {
    measured(norm, Pattern::General, a)
}

/// A norm of a symmetric matrix, of which the triangle named is read (LAPACK: xLANSY). Its 1-norm is its infinity norm.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] where A is not square; and as [`lange`].
#[instances]
pub fn lansy<T: Scalar>(norm: Norm, triangle: Triangle, a: MatrixRef<'_, T>) -> Result<T::RealScalar> {
    square("A", a.rows(), a.columns())?;
    measured(norm, Pattern::Mirrored(triangle, Symmetry::Symmetric), a)
}

/// A norm of a Hermitian matrix, of which the triangle named is read, and of its diagonal the real parts (LAPACK:
/// xLANHE).
///
/// # Errors
/// The errors of [`lansy`].
#[instances]
pub fn lanhe<T: Scalar>(norm: Norm, triangle: Triangle, a: MatrixRef<'_, T>) -> Result<T::RealScalar> {
    square("A", a.rows(), a.columns())?;
    measured(norm, Pattern::Mirrored(triangle, Symmetry::Hermitian), a)
}

/// A norm of a triangular or trapezoidal m x n matrix, of which the triangle named is read (LAPACK: xLANTR). A diagonal
/// of ones counts, and is not read.
///
/// # Errors
/// The errors of [`lange`].
#[instances]
pub fn lantr<T: Scalar>(norm: Norm, triangle: Triangle, diagonal: Diag, a: MatrixRef<'_, T>) -> Result<T::RealScalar> {
    measured(norm, Pattern::Triangular(triangle, diagonal), a)
}

fn measured<T: Scalar>(norm: Norm, pattern: Pattern, a: MatrixRef<'_, T>) -> Result<T::RealScalar> {
    let result = Cell::new(T::RealScalar::default());
    if a.rows() == 0 || a.columns() == 0 {
        return Ok(result.get()); // LAPACK: 0.
    }
    let elements = (a.rows() as u64).saturating_mul(a.columns() as u64);
    dispatch_lapack(
        T::KIND,
        Cost {
            family: Family::Reduction,
            operations: elements.saturating_mul(T::KIND.multiply_add_operations()),
            steps: 0,
        },
        (a,),
        |(a,)| result.set(T::RealScalar::from_parts(host::norm(norm, pattern, on_host(a)), 0.0)),
        |queue, (a,)| {
            result.set(measured_on(queue, norm, pattern, a)?);
            Ok(Event::Complete)
        },
    )?;
    Ok(result.get())
}

/// A norm of a matrix in a device's memory, brought back.
pub(super) fn measured_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    pattern: Pattern,
    a: MatrixRef<'_, T>,
) -> Result<T::RealScalar> {
    let mut number = [T::RealScalar::default()];
    let memory = DeviceBuffer::new(queue.context(), size_of_val(&number), "a norm")?;
    let result = VectorMut::from_device(&memory, VectorShape::new(1, 0, 1)?, "a norm")?;
    enqueue_norm(queue, norm, pattern, a, &result)?.wait()?;
    memory.read(queue, &mut number)?;
    Ok(number[0])
}
