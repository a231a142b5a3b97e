//! Matrices in bidiagonal form, and singular values of bidiagonal matrices.

use affinimath_macros::instances;

use super::super::{check_matrix, no_convergence};
use super::{Copied, off_diagonal, order_of, read_of};
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, Info};
use crate::host::on_living_thread;
use crate::options::{Op, Side, Triangle};
use crate::route::lapack::check_length;
use crate::route::lapack::staged::{DeviceInfo, with_copies};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut, VectorRef};
use host::BidiagonalFactor;

/// The bidiagonal form of a matrix, Qᴴ A P = B with a real B (LAPACK: xGEBRD): upper bidiagonal where m >= n, else
/// lower. A gets B and the vectors of the reflectors; `d` gets the min(m, n) diagonal elements of B, `e` the
/// off-diagonal ones, `tauq` and `taup` min(m, n) factors of Q's and P's reflectors.
///
/// # Errors
/// [`Error::ShapeMismatch`] where a vector is too short; and what a device reports.
#[instances]
pub fn gebrd<T: Scalar>(
    a: MatrixMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    tauq: &mut [T],
    taup: &mut [T],
) -> Result<()> {
    bidiagonal_form(None, a, (d, e), (tauq, taup))
}

/// The same for operands in a device's memory; `tau` are Q's factors and P's. It waits as [`super::hetrd_on`].
///
/// # Errors
/// The errors of [`gebrd`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gebrd_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T::RealScalar>,
    tau: [VectorMut<'_, T>; 2],
) -> Result<Event> {
    let order = a.rows().min(a.columns());
    let (mut d, mut e) = (Copied::of(queue, "d", &d, order)?, Copied::of(queue, "e", &e, off_diagonal(order))?);
    let mut tauq = Copied::of(queue, "tauq", &tau[0], order)?;
    let mut taup = Copied::of(queue, "taup", &tau[1], order)?;
    bidiagonal_form(Some(queue), a, (&mut d.values, &mut e.values), (&mut tauq.values, &mut taup.values))?;
    d.write(queue)?;
    e.write(queue)?;
    tauq.write(queue)?;
    taup.write(queue)?;
    Ok(Event::Complete)
}

fn bidiagonal_form<T: Scalar>(
    queue: Option<&Queue>,
    a: MatrixMut<'_, T>,
    (d, e): (&mut [T::RealScalar], &mut [T::RealScalar]),
    (tauq, taup): (&mut [T], &mut [T]),
) -> Result<()> {
    let order = a.rows().min(a.columns());
    check_length("d", d.len(), order)?;
    check_length("e", e.len(), off_diagonal(order))?;
    check_length("tauq", tauq.len(), order)?;
    check_length("taup", taup.len(), order)?;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|a| host::gebrd(a, d, e, tauq, taup)));
    })
}

/// The first columns of the Q of [`gebrd`], or the first rows of its Pᴴ, in place of the reflectors (LAPACK: xORGBR,
/// xUNGBR). `other` is the reduced matrix's number of columns for Q, of rows for P.
///
/// # Errors
/// [`Error::ShapeMismatch`] where A is not as tall as wide at least for Q, or as wide as tall for P, or does not have
/// all reflectors, or `tau` is too short; and what a device reports.
#[instances]
pub fn orgbr<T: Scalar>(factor: BidiagonalFactor, other: usize, a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    form_factor(None, factor, other, a, tau)
}

/// The same for operands in a device's memory. It waits as [`super::hetrd_on`].
///
/// # Errors
/// The errors of [`orgbr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn orgbr_on<T: Scalar>(
    queue: &Queue,
    factor: BidiagonalFactor,
    other: usize,
    a: MatrixMut<'_, T>,
    tau: VectorRef<'_, T>,
) -> Result<Event> {
    let tau = read_of(queue, &tau, a.rows().max(a.columns()).min(other))?;
    form_factor(Some(queue), factor, other, a, &tau)?;
    Ok(Event::Complete)
}

fn form_factor<T: Scalar>(
    queue: Option<&Queue>,
    factor: BidiagonalFactor,
    other: usize,
    a: MatrixMut<'_, T>,
    tau: &[T],
) -> Result<()> {
    let (long, short) = match factor {
        BidiagonalFactor::Q => (a.rows(), a.columns()),
        BidiagonalFactor::P => (a.columns(), a.rows()),
    };
    if short > long || short < long.min(other) {
        let min = long.min(other);
        return Err(Error::ShapeMismatch(format!("A's sizes: {long} and {short}, which is not from {min} to {long}")));
    }
    check_length("tau", tau.len(), long.min(other))?;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|a| host::orgbr(factor, other, a, tau)));
    })
}

/// C := op(Q) C or C op(Q) for the Q or the P of [`gebrd`] (LAPACK: xORMBR, xUNMBR). `other` is the reduced matrix's
/// number of columns for Q, of rows for P; A has the reflectors in its columns, or in its rows.
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
#[instances]
pub fn ormbr<T: Scalar>(
    factor: BidiagonalFactor,
    (side, op): (Side, Op),
    other: usize,
    a: MatrixRef<'_, T>,
    tau: &[T],
    c: MatrixMut<'_, T>,
) -> Result<()> {
    apply_factor(None, (factor, side, op), other, a, tau, c)
}

/// The same for operands in a device's memory. It waits as [`super::hetrd_on`].
///
/// # Errors
/// The errors of [`ormbr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn ormbr_on<T: Scalar>(
    queue: &Queue,
    (factor, side, op): (BidiagonalFactor, Side, Op),
    other: usize,
    a: MatrixRef<'_, T>,
    tau: VectorRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let tau = read_of(queue, &tau, order_of(side, &c).min(other))?;
    apply_factor(Some(queue), (factor, side, op), other, a, &tau, c)?;
    Ok(Event::Complete)
}

fn apply_factor<T: Scalar>(
    queue: Option<&Queue>,
    (factor, side, op): (BidiagonalFactor, Side, Op),
    other: usize,
    a: MatrixRef<'_, T>,
    tau: &[T],
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let order = order_of(side, &c);
    let count = order.min(other);
    let needed = if factor == BidiagonalFactor::Q { (order, count) } else { (count, order) };
    if (a.rows(), a.columns()) != needed {
        let (given, (rows, columns)) = ((a.rows(), a.columns()), needed);
        return Err(Error::ShapeMismatch(format!("A: {} x {}, and not {rows} x {columns}", given.0, given.1)));
    }
    check_length("tau", tau.len(), count)?;
    with_copies(queue, vec![a], vec![c], |read, written| {
        let (Some(a), Some(c)) = (read.into_iter().next(), written.into_iter().next()) else { return };
        on_living_thread(|| host::ormbr(factor, (side, op), other, a, tau, c));
    })
}

/// Matrices that the singular vectors of a bidiagonal B = Q diag(s) Pᵀ multiply.
pub struct BidiagonalVectors<'a, T> {
    /// n rows: gets Pᵀ Vᴴ.
    pub vt: Option<MatrixMut<'a, T>>,
    /// n columns: gets U Q.
    pub u: Option<MatrixMut<'a, T>>,
    /// n rows: gets Qᵀ C.
    pub c: Option<MatrixMut<'a, T>>,
}

/// Singular values of a real bidiagonal matrix in descending order, in place of its diagonal `d`, each to high relative
/// accuracy (LAPACK: xBDSQR). `e` has the n - 1 elements above the diagonal, or below it, which are overwritten.
///
/// # Errors
/// [`Error::NoConvergence`] where an element is not finite, or the iteration does not converge.
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
#[instances]
pub fn bdsqr<T: Scalar>(
    triangle: Triangle,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    vectors: BidiagonalVectors<'_, T>,
) -> Result<()> {
    no_convergence(iterate_bidiagonal(None, triangle, d, e, vectors)?)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`super::hetrd_on`].
///
/// # Errors
/// The errors of [`bdsqr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn bdsqr_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T::RealScalar>,
    vectors: BidiagonalVectors<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = d.length();
    let (mut d, mut e) = (Copied::of(queue, "d", &d, n)?, Copied::of(queue, "e", &e, off_diagonal(n))?);
    let info = DeviceInfo::new(queue, &info)?;
    let found = iterate_bidiagonal(Some(queue), triangle, &mut d.values, &mut e.values, vectors)?;
    d.write(queue)?;
    e.write(queue)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn iterate_bidiagonal<T: Scalar>(
    queue: Option<&Queue>,
    triangle: Triangle,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    vectors: BidiagonalVectors<'_, T>,
) -> Result<Info> {
    let n = d.len();
    check_length("e", e.len(), off_diagonal(n))?;
    let BidiagonalVectors { vt, u, c } = vectors;
    for (name, matrix) in [("VT", &vt), ("C", &c)] {
        if let Some(matrix) = matrix {
            check_matrix(name, matrix, n, matrix.columns())?;
        }
    }
    if let Some(u) = &u {
        check_matrix("U", u, u.rows(), n)?;
    }
    let has = [vt.is_some(), u.is_some(), c.is_some()];
    let mut info = None;
    with_copies(queue, vec![], [vt, u, c].into_iter().flatten().collect(), |_, matrices| {
        let mut matrices = matrices.into_iter();
        let [vt, u, c] = has.map(|has| if has { matrices.next() } else { None });
        on_living_thread(|| info = host::bdsqr::<T>(triangle, d, e, vt, u, c));
    })?;
    Ok(info)
}
