//! QR with column pivoting, and least squares of matrices of any rank. Both are computed on the host: of a matrix in
//! a device's memory by a copy.

use affinimath_macros::instances;

use super::staged::{adjacent, with_copies};
use super::{check_length, rows_agree};
use crate::blas::device_buffer;
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack as host;
use crate::host::on_living_thread;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, VectorMut, View};

/// A P = Q R with column pivoting, for any m x n A (LAPACK: xGEQP3). R and the reflections are as [`crate::geqrf`]
/// has them; the moduli on R's diagonal do not increase among the free columns.
///
/// A column of A whose element of `jpvt` is not zero is an initial one: it goes to the front of A P, and is not
/// exchanged. On return `jpvt[j]` is the number, from 1, of the column of A that is column j of A P. `tau` gets
/// min(m, n) factors of reflections.
///
/// It is computed on the host, also where A lies in a device's memory.
///
/// # Errors
/// [`Error::ShapeMismatch`] where `jpvt` has fewer than n elements or `tau` fewer than min(m, n);
/// [`Error::InvalidArgument`] where A has more columns than an `i32` counts; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixShape, geqp3};
///
/// let shape = MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?;
/// let (mut a, mut jpvt, mut tau) = ([0.0_f64, 3.0, 1.0, 4.0], [0; 2], [0.0; 2]);
/// geqp3(MatrixMut::from_slice(&mut a, shape)?, &mut jpvt, &mut tau)?;
/// assert_eq!(jpvt, [2, 1]);
/// assert!((a[0].abs() - 5.0).abs() < 1e-15);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn geqp3<T: Scalar>(a: MatrixMut<'_, T>, jpvt: &mut [i32], tau: &mut [T]) -> Result<()> {
    let n = check_columns(&a, jpvt.len())?;
    let order = a.rows().min(n);
    check_length("tau", tau.len(), order)?;
    let (jpvt, tau) = (&mut jpvt[..n], &mut tau[..order]);
    with_copies(None, vec![], vec![a], |_, matrices| on_living_thread(|| host::geqp3(first(matrices), jpvt, tau)))
}

/// The same for operands in a device's memory.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`geqp3`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn geqp3_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    jpvt: VectorMut<'_, i32>,
    tau: VectorMut<'_, T>,
) -> Result<Event> {
    let n = check_columns(&a, jpvt.length())?;
    let order = a.rows().min(n);
    check_length("tau", tau.length(), order)?;
    let (jpvt, tau) = (adjacent(queue, &jpvt, "jpvt")?, adjacent(queue, &tau, "tau")?);
    device_buffer(queue, a.memory(), "A")?;
    let (mut columns, mut factors) = (jpvt.read(queue, n)?, vec![T::ZERO; order]);
    with_copies(Some(queue), vec![], vec![a], |_, matrices| {
        on_living_thread(|| host::geqp3(first(matrices), &mut columns, &mut factors));
    })?;
    jpvt.write(queue, &columns)?;
    tau.write(queue, &factors)?;
    Ok(Event::Complete)
}

/// For each column b of B, the x of least norm among those that minimise ||b - A x||, for an A of any rank (LAPACK:
/// xGELSY). Gives the rank r of A.
///
/// A is factorised with column pivoting. Its rank is the order of the largest leading triangle of R whose condition
/// is estimated to be at most 1 / `rcond`; what is right of and below that triangle's columns counts as rounding. A
/// sensible `rcond` is max(m, n) times the precision's epsilon, or the relative error of A's elements where that is
/// more.
///
/// B has max(m, n) rows: b in the first m, then x in the first n. Where r = n < m, the sum of squares of rows n to m
/// is that of the residual. A is overwritten. `jpvt` is as for [`geqp3`].
///
/// It is computed on the host, also where the matrices lie in a device's memory. NaN in A or B goes into X.
///
/// # Errors
/// [`Error::ShapeMismatch`] where the sizes do not agree; [`Error::InvalidArgument`] where `rcond` is NaN, or A has
/// more columns than an `i32` counts; [`Error::MixedMemory`] where the matrices do not lie in one memory; and what a
/// device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixShape, gelsy};
///
/// // Both columns are the same: of all a + b = 2 the least is a = b = 1.
/// let (mut a, mut b) = ([1.0_f64; 6], [2.0, 2.0, 2.0]);
/// let (of_a, of_b) = (MatrixShape::new(Layout::RowMajor, 3, 2, 0, 2)?, MatrixShape::new(Layout::ColumnMajor, 3, 1,
/// 0, 3)?);
/// let (a, x) = (MatrixMut::from_slice(&mut a, of_a)?, MatrixMut::from_slice(&mut b, of_b)?);
/// assert_eq!(gelsy(a, x, &mut [0; 2], 3.0 * f64::EPSILON)?, 1);
/// assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 1.0).abs() < 1e-15);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gelsy<T: Scalar>(
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    jpvt: &mut [i32],
    rcond: T::RealScalar,
) -> Result<usize> {
    least_squares(None, a, b, jpvt, rcond)
}

/// The same for matrices and `jpvt` in a device's memory.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`gelsy`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gelsy_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    jpvt: VectorMut<'_, i32>,
    rcond: T::RealScalar,
) -> Result<(Event, usize)> {
    let n = check_columns(&a, jpvt.length())?;
    let jpvt = adjacent(queue, &jpvt, "jpvt")?;
    device_buffer(queue, a.memory(), "A")?;
    device_buffer(queue, b.memory(), "B")?;
    let mut columns = jpvt.read(queue, n)?;
    let rank = least_squares(Some(queue), a, b, &mut columns, rcond)?;
    jpvt.write(queue, &columns)?;
    Ok((Event::Complete, rank))
}

fn least_squares<T: Scalar>(
    queue: Option<&Queue>,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    jpvt: &mut [i32],
    rcond: T::RealScalar,
) -> Result<usize> {
    let n = check_columns(&a, jpvt.len())?;
    rows_agree("the longer side of A", a.rows().max(n), &b)?;
    if rcond.re().is_nan() {
        return Err(Error::argument("rcond", "it is NaN"));
    }
    let mut rank = 0;
    with_copies(queue, vec![], vec![a, b], |_, mut matrices| {
        let (Some(b), Some(a)) = (matrices.pop(), matrices.pop()) else { return };
        on_living_thread(|| rank = host::gelsy(a, b, &mut jpvt[..n], rcond.re()));
    })?;
    Ok(rank)
}

/// The columns of A, which `jpvt` has to number.
fn check_columns<T: Scalar>(a: &MatrixMut<'_, T>, length: usize) -> Result<usize> {
    let n = a.columns();
    if i32::try_from(n).is_err() {
        return Err(Error::argument("n", format!("{n} columns are more than jpvt can number")));
    }
    check_length("jpvt", length, n)?;
    Ok(n)
}

/// The only matrix of a list.
fn first<T: Scalar>(matrices: Vec<faer::MatMut<'_, T>>) -> faer::MatMut<'_, T> {
    matrices.into_iter().next().unwrap_or_else(|| unreachable!("there is one matrix"))
}
