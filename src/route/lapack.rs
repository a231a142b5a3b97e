//! LAPACK on the host's memory.
//!
//! Every routine returns when it is done. What LAPACK tells by a positive info is an error that says what is done and what is
//! not; its status, [`Error::status`], is the info.

use std::ops::Range;

use super::dispatch::{on_host, on_host_mut};
use crate::error::{Error, Result};
use crate::host::lapack as host;
pub use crate::host::lapack::PivotOrder;
use crate::options::{Diagonal, Op, Side, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, Memory};

/// P A = L U with partial pivoting (LAPACK: xGETRF), for any m x n A: L, unit lower trapezoidal, and U, upper trapezoidal, take
/// A's place. Row i was interchanged with row `pivots[i]`, counted from 1, for i from 0 to min(m, n) - 1.
///
/// # Errors
/// [`Error::ZeroPivot`] where an element on U's diagonal is exactly zero: the factorisation is complete, but U is singular.
/// [`Error::ShapeMismatch`] where there is no place for min(m, n) pivots; [`Error::InvalidArgument`] where A does not lie in the
/// host's memory.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixRef, MatrixShape, Op, getrf, getrs};
///
/// let shape = MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?;
/// let mut a = [1.0_f64, 2.0, 4.0, 4.0];
/// let mut pivots = [0; 2];
/// getrf(MatrixMut::from_slice(&mut a, shape)?, &mut pivots)?;
/// assert_eq!((a, pivots), ([4.0, 4.0, 0.25, 1.0], [2, 2]));
///
/// let mut b = [3.0, 8.0];
/// let column = MatrixShape::new(Layout::ColumnMajor, 2, 1, 0, 2)?;
/// getrs(Op::Keep, MatrixRef::from_slice(&a, shape)?, &pivots, MatrixMut::from_slice(&mut b, column)?)?;
/// assert_eq!(b, [1.0, 1.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
pub fn getrf<T: Scalar>(a: MatrixMut<'_, T>, pivots: &mut [i32]) -> Result<()> {
    let order = a.rows().min(a.columns());
    check_length("pivots", pivots.len(), order)?;
    check_pivots_count(&a)?;
    zero_pivot(host::getrf(on_the_host_mut("a", a)?, &mut pivots[..order]))
}

/// Solves op(A) X = B with [`getrf`]'s factors of a square A, X in B's place (LAPACK: xGETRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where the sizes do not agree; [`Error::InvalidArgument`] where a pivot is no row of A, or a matrix
/// does not lie in the host's memory.
pub fn getrs<T: Scalar>(op: Op, factors: MatrixRef<'_, T>, pivots: &[i32], b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    rows_agree("the factors", n, &b)?;
    let pivots = check_pivots(pivots, n, n)?;
    host::getrs(op, on_the_host("factors", factors)?, pivots, on_the_host_mut("b", b)?);
    Ok(())
}

/// Solves A X = B for a square A, by [`getrf`] and [`getrs`]: the factors take A's place and X takes B's (LAPACK: xGESV).
///
/// # Errors
/// [`Error::ZeroPivot`] where A is singular: it is factorised, and B is as it was. Others as for [`getrf`] and [`getrs`].
pub fn gesv<T: Scalar>(a: MatrixMut<'_, T>, pivots: &mut [i32], b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    rows_agree("A", n, &b)?;
    check_length("pivots", pivots.len(), n)?;
    check_pivots_count(&a)?;
    zero_pivot(host::gesv(on_the_host_mut("a", a)?, &mut pivots[..n], on_the_host_mut("b", b)?))
}

/// The inverse of a square matrix from [`getrf`]'s factors, in their place (LAPACK: xGETRI).
///
/// # Errors
/// [`Error::ZeroPivot`] where the matrix is singular: the factors are as they were. Others as for [`getrs`].
pub fn getri<T: Scalar>(factors: MatrixMut<'_, T>, pivots: &[i32]) -> Result<()> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    let pivots = check_pivots(pivots, n, n)?;
    zero_pivot(host::getri(on_the_host_mut("factors", factors)?, pivots))
}

/// Interchanges each of some rows of A with row `pivots[row]`, counted from 1, one after another (LAPACK: xLASWP).
///
/// # Errors
/// [`Error::ShapeMismatch`] where there are fewer rows or pivots; [`Error::InvalidArgument`] where a pivot is no row of A, or A does
/// not lie in the host's memory.
pub fn laswp<T: Scalar>(a: MatrixMut<'_, T>, rows: Range<usize>, pivots: &[i32], order: PivotOrder) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    if rows.end > a.rows() {
        return Err(Error::ShapeMismatch(format!("rows up to {} of A, which has {}", rows.end, a.rows())));
    }
    check_length("pivots", pivots.len(), rows.end)?;
    check_pivots(&pivots[rows.start..], rows.len(), a.rows())?;
    host::laswp(on_the_host_mut("a", a)?, rows.start, &pivots[rows], order);
    Ok(())
}

/// A = L Lᴴ or Uᴴ U for a symmetric or Hermitian positive definite A, of which the triangle named is read, and overwritten by
/// its factor; the other one is not touched (LAPACK: xPOTRF).
///
/// # Errors
/// [`Error::NotPositiveDefinite`] where a leading minor is not positive: the triangle is partly overwritten. Others as for
/// [`getrf`].
pub fn potrf<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>) -> Result<()> {
    square("A", a.rows(), a.columns())?;
    not_positive(host::potrf(triangle, on_the_host_mut("a", a)?))
}

/// Solves A X = B with [`potrf`]'s factor of A, X in B's place (LAPACK: xPOTRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where the sizes do not agree; [`Error::InvalidArgument`] where a matrix does not lie in the host's memory.
pub fn potrs<T: Scalar>(triangle: Triangle, factor: MatrixRef<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("the factor", factor.rows(), factor.columns())?;
    rows_agree("the factor", n, &b)?;
    host::potrs(triangle, on_the_host("factor", factor)?, on_the_host_mut("b", b)?);
    Ok(())
}

/// Solves A X = B for a symmetric or Hermitian positive definite A, by [`potrf`] and [`potrs`] (LAPACK: xPOSV).
///
/// # Errors
/// As for [`potrf`]; then B is as it was.
pub fn posv<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    rows_agree("A", n, &b)?;
    not_positive(host::posv(triangle, on_the_host_mut("a", a)?, on_the_host_mut("b", b)?))
}

/// The triangle named of the inverse, from [`potrf`]'s factor in it (LAPACK: xPOTRI).
///
/// # Errors
/// [`Error::ZeroPivot`] where an element of the factor's diagonal is zero: nothing is changed. Others as for [`potrf`].
pub fn potri<T: Scalar>(triangle: Triangle, factor: MatrixMut<'_, T>) -> Result<()> {
    square("the factor", factor.rows(), factor.columns())?;
    zero_pivot(host::potri(triangle, on_the_host_mut("factor", factor)?))
}

/// A = Q R for any m x n A (LAPACK: xGEQRF): R takes the place of A's diagonal and of what is above it. Below it are the vectors
/// v of reflections I - tau v vᴴ, whose first elements are 1 and not stored, and whose product Q is; their factors are in `tau`,
/// min(m, n) of them. R's diagonal is real.
///
/// # Errors
/// [`Error::ShapeMismatch`] where there is no place for min(m, n) factors; [`Error::InvalidArgument`] where A does not lie in the
/// host's memory.
pub fn geqrf<T: Scalar>(a: MatrixMut<'_, T>, tau: &mut [T]) -> Result<()> {
    let order = a.rows().min(a.columns());
    check_length("tau", tau.len(), order)?;
    host::geqrf(on_the_host_mut("a", a)?, &mut tau[..order]);
    Ok(())
}

/// The first n columns of the Q of k reflections that [`geqrf`] left in the first k columns of an m x n A, in A's place (LAPACK:
/// xORGQR, xUNGQR). `tau` holds their k factors; m >= n >= k.
///
/// # Errors
/// As for [`geqrf`], and [`Error::ShapeMismatch`] where the sizes do not agree.
pub fn orgqr<T: Scalar>(a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    let (m, n, k) = (a.rows(), a.columns(), tau.len());
    if n > m || k > n {
        return Err(Error::ShapeMismatch(format!("{n} columns of Q have {m} rows and are made of {k} reflections")));
    }
    host::orgqr(on_the_host_mut("a", a)?, tau);
    Ok(())
}

/// C := op(Q) C (left) or C op(Q) (right) for the Q of the reflections that [`geqrf`] left in A's columns, of which there are as
/// many as factors in `tau` (LAPACK: xORMQR, xUNMQR). All four operations are allowed.
///
/// # Errors
/// As for [`orgqr`].
pub fn ormqr<T: Scalar>(side: Side, op: Op, a: MatrixRef<'_, T>, tau: &[T], c: MatrixMut<'_, T>) -> Result<()> {
    let order = if side == Side::Left { c.rows() } else { c.columns() };
    let (m, k) = (a.rows(), tau.len());
    if m != order || k > m || k > a.columns() {
        let (rows, columns) = (c.rows(), c.columns());
        let sizes = format!("{k} reflections in a {m} x {} matrix, applied to a {rows} x {columns} one", a.columns());
        return Err(Error::ShapeMismatch(sizes));
    }
    host::ormqr(side, op, on_the_host("a", a)?, tau, on_the_host_mut("c", c)?);
    Ok(())
}

/// For each column b of B, the x that minimises ||b - op(A) x||; where that is zero for many x, the one of least norm (LAPACK:
/// xGELS). A has full rank; it is overwritten by its factors, those of geqrf or, where it is wider than high, of gelqf. B has
/// max(m, n) rows: b in the first ones, and then x.
///
/// `op` is [`Op::Keep`] or [`Op::Adjoint`]; for the real types [`Op::Transpose`] is the same.
///
/// # Errors
/// [`Error::RankDeficient`] where the triangular factor has a zero on its diagonal: A and B are overwritten.
/// [`Error::ShapeMismatch`] where the sizes do not agree; [`Error::InvalidArgument`] where another operation is asked for, or a
/// matrix does not lie in the host's memory.
pub fn gels<T: Scalar>(op: Op, a: MatrixMut<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    let op = match op {
        Op::Keep | Op::Adjoint => op,
        Op::Transpose | Op::Conjugate if !T::KIND.is_complex() => {
            if op.transposes() {
                Op::Adjoint
            } else {
                Op::Keep
            }
        }
        _ => return Err(Error::argument("op", format!("{op:?} is neither Keep nor Adjoint"))),
    };
    let (rows, order) = (a.rows().max(a.columns()), a.rows().min(a.columns()));
    rows_agree("the longer side of A", rows, &b)?;
    match host::gels(op, on_the_host_mut("a", a)?, on_the_host_mut("b", b)?) {
        Some(index) => Err(Error::RankDeficient { rank: index - 1, full: order }),
        None => Ok(()),
    }
}

/// The inverse of a triangular matrix, in its place (LAPACK: xTRTRI). The other triangle, and a diagonal of ones, are not
/// touched.
///
/// # Errors
/// [`Error::ZeroPivot`] where an element of the diagonal is zero: nothing is changed. Others as for [`potrf`].
pub fn trtri<T: Scalar>(triangle: Triangle, diagonal: Diagonal, a: MatrixMut<'_, T>) -> Result<()> {
    square("A", a.rows(), a.columns())?;
    zero_pivot(host::trtri(triangle, diagonal, on_the_host_mut("a", a)?))
}

/// Solves op(A) X = B for a triangular A, X in B's place (LAPACK: xTRTRS).
///
/// # Errors
/// [`Error::ZeroPivot`] where an element of the diagonal is zero: nothing is changed. Others as for [`potrs`].
pub fn trtrs<T: Scalar>(
    triangle: Triangle,
    op: Op,
    diagonal: Diagonal,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    rows_agree("A", n, &b)?;
    zero_pivot(host::trtrs(triangle, op, diagonal, on_the_host("a", a)?, on_the_host_mut("b", b)?))
}

/// U Uᴴ or Lᴴ L in the place of the triangular factor (LAPACK: xLAUUM). The other triangle is not touched.
///
/// # Errors
/// As for [`potrs`].
pub fn lauum<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>) -> Result<()> {
    square("A", a.rows(), a.columns())?;
    host::lauum(triangle, on_the_host_mut("a", a)?);
    Ok(())
}

fn zero_pivot(info: host::Info) -> Result<()> {
    info.map_or(Ok(()), |index| Err(Error::ZeroPivot { index }))
}

fn not_positive(info: host::Info) -> Result<()> {
    info.map_or(Ok(()), |index| Err(Error::NotPositiveDefinite { index }))
}

fn on_the_host<'a, T: Scalar>(name: &'static str, a: MatrixRef<'a, T>) -> Result<faer::MatRef<'a, T>> {
    check_memory(name, &a.memory)?;
    Ok(on_host(a))
}

fn on_the_host_mut<'a, T: Scalar>(name: &'static str, a: MatrixMut<'a, T>) -> Result<faer::MatMut<'a, T>> {
    check_memory(name, &a.memory)?;
    Ok(on_host_mut(a))
}

fn check_memory<T>(name: &'static str, memory: &Memory<'_, T>) -> Result<()> {
    match memory {
        Memory::Host(..) => Ok(()),
        Memory::Device(_) => Err(Error::argument(name, "it lies in a device's memory; LAPACK works in the host's")),
    }
}

fn square(name: &str, rows: usize, columns: usize) -> Result<usize> {
    if rows == columns {
        return Ok(rows);
    }
    Err(Error::ShapeMismatch(format!("{name}: {rows} x {columns}, and not square")))
}

fn rows_agree<T: Scalar>(name: &str, rows: usize, b: &MatrixMut<'_, T>) -> Result<()> {
    if b.rows() == rows {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{name}: {rows} rows; B: {}", b.rows())))
}

fn check_length(name: &str, length: usize, needed: usize) -> Result<()> {
    if length >= needed {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{name}: {length} elements, and {needed} are needed")))
}

/// Rows are numbered by `i32`.
fn check_pivots_count<T: Scalar>(a: &MatrixMut<'_, T>) -> Result<()> {
    if a.rows() <= i32::MAX as usize {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{} rows are more than pivots can number", a.rows())))
}

/// The first `count` pivots, which number rows from 1 to `rows`.
fn check_pivots(pivots: &[i32], count: usize, rows: usize) -> Result<&[i32]> {
    check_length("pivots", pivots.len(), count)?;
    let pivots = &pivots[..count];
    match pivots.iter().find(|pivot| !usize::try_from(**pivot).is_ok_and(|row| (1..=rows).contains(&row))) {
        Some(pivot) => Err(Error::argument("pivots", format!("{pivot} is no row from 1 to {rows}"))),
        None => Ok(pivots),
    }
}
