//! Singular values, and least squares by them.

use affinimath_macros::instances;
use faer::{Mat, MatMut};
use std::cell::RefCell;

use super::*;
use crate::context::Event;
use crate::lapack as device;
use crate::route::Family;
use crate::route::dispatch::{Cost, dispatch_lapack, on_host_mut, used};
use crate::route::lapack::staged::{DeviceInfo, adjacent};
use crate::route::lapack::{operations, rows_agree};
use crate::view::View;

/// A destination of left singular vectors, as columns, or of right ones, as rows.
pub enum SingularVectors<'a, T> {
    /// They are not computed.
    None,
    /// A matrix: all m (or n) of them, or min(m, n), which its sizes tell.
    Into(MatrixMut<'a, T>),
    /// The first min(m, n) columns of A, or its rows.
    Overwrite,
}

impl<'a, T> SingularVectors<'a, T> {
    const fn is_wanted(&self) -> bool {
        !matches!(self, SingularVectors::None)
    }

    fn into_destination(self) -> Destination<MatrixMut<'a, T>> {
        match self {
            SingularVectors::None => (None, false),
            SingularVectors::Into(matrix) => (Some(matrix), false),
            SingularVectors::Overwrite => (None, true),
        }
    }
}

/// Singular values of an m x n A in descending order, A = U diag(s) Vᴴ (LAPACK: xGESVD, xGESDD), and singular vectors
/// where they are wanted: left ones are U's columns, right ones Vᴴ's rows. `s` gets min(m, n) values.
///
/// A is changed only where singular vectors overwrite it: one kind of them at most.
///
/// # Errors
/// [`Error::NoConvergence`] where an element is not finite, or the iteration does not converge: results are NaN.
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::InvalidArgument`] where both kinds of vectors overwrite
/// A; [`Error::MixedMemory`] where the matrices do not lie in one memory; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixShape, SingularVectors, gesvd};
///
/// let (mut a, mut s) = ([3.0_f64, 0.0, 4.0, 0.0, 0.0, 0.0], [0.0; 2]);
/// let a = MatrixMut::from_slice(&mut a, MatrixShape::new(Layout::RowMajor, 3, 2, 0, 2)?)?;
/// gesvd(a, &mut s, SingularVectors::None, SingularVectors::None)?;
/// assert!((s[0] - 5.0).abs() < 1e-14 && s[1].abs() < 1e-14);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gesvd<T: Scalar>(
    a: MatrixMut<'_, T>,
    s: &mut [T::RealScalar],
    u: SingularVectors<'_, T>,
    vt: SingularVectors<'_, T>,
) -> Result<()> {
    let order = check_vectors(&a, s, &u, &vt)?;
    let (long, vectors) = (a.rows().max(a.columns()), u.is_wanted() || vt.is_wanted());
    // A device hands few rows or columns back to the host.
    let is_for_devices = order >= device::SPECTRAL_MIN_ORDER;
    let operations = if is_for_devices { operations::<T>(singular(long, order, vectors)) } else { 0 };
    let cost = Cost { family: Family::Orthogonal, operations, steps: order };
    let ((u, over_u), (vt, over_vt)) = (u.into_destination(), vt.into_destination());
    let found = RefCell::new((&mut s[..order], None));
    dispatch_lapack(
        T::KIND,
        cost,
        (a, u.map(|u| used(u, false)), vt.map(|vt| used(vt, false))),
        |(a, u, vt)| {
            let (s, info) = &mut *found.borrow_mut();
            *info = overwriting(on_host_mut(a), s, (u.map(on_host_mut), over_u), (vt.map(on_host_mut), over_vt));
        },
        |queue, (a, u, vt)| {
            let (s, info) = &mut *found.borrow_mut();
            *info = decompose_on(queue, a, s, (u, over_u), (vt, over_vt))?;
            Ok(Event::Complete)
        },
    )?;
    no_convergence(found.into_inner().1)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`gesvd`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gesvd_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    s: VectorMut<'_, T::RealScalar>,
    u: SingularVectors<'_, T>,
    vt: SingularVectors<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let order = a.rows().min(a.columns());
    check_vector("s", &s, order)?;
    let (s, info) = (adjacent(queue, &s, "s")?, DeviceInfo::new(queue, &info)?);
    let mut values = vec![T::RealScalar::default(); order];
    check_vectors(&a, &values, &u, &vt)?;
    let found = decompose_on(queue, a, &mut values, u.into_destination(), vt.into_destination())?;
    s.write(queue, &values)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

/// Refuses matrices of the wrong sizes, and vectors that both overwrite A; min(m, n).
fn check_vectors<T: Scalar>(
    a: &MatrixMut<'_, T>,
    s: &[T::RealScalar],
    u: &SingularVectors<'_, T>,
    vt: &SingularVectors<'_, T>,
) -> Result<usize> {
    let (m, n) = (a.rows(), a.columns());
    let order = m.min(n);
    check_length("s", s.len(), order)?;
    if let SingularVectors::Into(u) = u {
        check_matrix("U", u, m, if u.columns() == m { m } else { order })?;
    }
    if let SingularVectors::Into(vt) = vt {
        check_matrix("VT", vt, if vt.rows() == n { n } else { order }, n)?;
    }
    if matches!((u, vt), (SingularVectors::Overwrite, SingularVectors::Overwrite)) {
        return Err(Error::argument("vt", "left singular vectors overwrite A already"));
    }
    Ok(order)
}

/// Multiplications and additions of a reduction to bidiagonal form, and with vectors of all that follows.
const fn singular(long: usize, order: usize, vectors: bool) -> u64 {
    let square = (order as u64).saturating_mul(order as u64);
    let reduction = square.saturating_mul(2 * long as u64 - order as u64 * 2 / 3);
    reduction.saturating_add(if vectors { square.saturating_mul(9 * order as u64) } else { 0 })
}

/// A destination of vectors, and whether they overwrite A.
type Destination<M> = (Option<M>, bool);

/// For a matrix in the memory of a queue's device, on it or by a copy.
fn decompose_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    s: &mut [T::RealScalar],
    (u, over_u): Destination<MatrixMut<'_, T>>,
    (vt, over_vt): Destination<MatrixMut<'_, T>>,
) -> Result<Info> {
    let (m, n, order) = (a.rows(), a.columns(), s.len());
    let part = |rows, columns| MatrixMut::<T>::from_parts(a.memory(), a.shape().block((0, rows), (0, columns)));
    let own_u = over_u.then(|| part(m, order));
    let own_vt = over_vt.then(|| part(order, n));
    if device::gesdd_on_device(queue, &a, s, u.as_ref().or(own_u.as_ref()), vt.as_ref().or(own_vt.as_ref()))? {
        return Ok(None);
    }
    let has = [u.is_some(), vt.is_some()];
    let matrices = std::iter::once(a).chain(u).chain(vt).collect();
    let mut info = None;
    with_copies(Some(queue), vec![], matrices, |_, matrices| {
        let mut matrices = matrices.into_iter();
        let Some(a) = matrices.next() else { return };
        let u = if has[0] { matrices.next() } else { None };
        let vt = if has[1] { matrices.next() } else { None };
        on_living_thread(|| info = overwriting(a, s, (u, over_u), (vt, over_vt)));
    })?;
    Ok(info)
}

fn overwriting<T: Scalar>(
    mut a: MatMut<'_, T>,
    s: &mut [T::RealScalar],
    (u, over_u): Destination<MatMut<'_, T>>,
    (vt, over_vt): Destination<MatMut<'_, T>>,
) -> Info {
    let (m, n, order) = (a.nrows(), a.ncols(), s.len());
    let mut own_u = over_u.then(|| Mat::<T>::zeros(m, order));
    let mut own_vt = over_vt.then(|| Mat::<T>::zeros(order, n));
    let u = u.or(own_u.as_mut().map(|u| u.as_mut()));
    let vt = vt.or(own_vt.as_mut().map(|vt| vt.as_mut()));
    let info = host::gesvd(a.as_ref(), s, u, vt);
    if let Some(u) = own_u {
        a.as_mut().subcols_mut(0, order).copy_from(u);
    }
    if let Some(vt) = own_vt {
        a.as_mut().subrows_mut(0, order).copy_from(vt);
    }
    info
}

/// For each column b of B, the x of least norm among those that minimise ||b - A x||, for an A of any rank by its
/// singular values (LAPACK: xGELSD, xGELSS). Gives the rank: singular values of at most `rcond` times the largest one
/// count as zero. A negative `rcond` stands for the precision's epsilon.
///
/// B has max(m, n) rows: b in the first m, then x in the first n. Where the rank is n < m, the sum of squares of rows n
/// to m is that of the residual. `s` gets min(m, n) singular values in descending order; the first min(m, n) rows of A
/// get right singular vectors.
///
/// # Errors
/// [`Error::NoConvergence`] where an element of A is not finite: results are NaN. [`Error::ShapeMismatch`] where sizes
/// do not agree; [`Error::InvalidArgument`] where `rcond` is NaN; [`Error::MixedMemory`] where the matrices do not lie
/// in one memory; and what a device reports.
#[instances]
pub fn gelsd<T: Scalar>(
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    s: &mut [T::RealScalar],
    rcond: T::RealScalar,
) -> Result<usize> {
    let (rank, info) = least_squares(None, a, b, s, rcond)?;
    no_convergence(info).map(|()| rank)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`gelsd`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gelsd_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    s: VectorMut<'_, T::RealScalar>,
    rcond: T::RealScalar,
    info: VectorMut<'_, i32>,
) -> Result<(Event, usize)> {
    let order = a.rows().min(a.columns());
    check_vector("s", &s, order)?;
    let (s, info) = (adjacent(queue, &s, "s")?, DeviceInfo::new(queue, &info)?);
    let mut values = vec![T::RealScalar::default(); order];
    let (rank, found) = least_squares(Some(queue), a, b, &mut values, rcond)?;
    s.write(queue, &values)?;
    info.write(queue, found)?;
    Ok((Event::Complete, rank))
}

fn least_squares<T: Scalar>(
    queue: Option<&Queue>,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    s: &mut [T::RealScalar],
    rcond: T::RealScalar,
) -> Result<(usize, Info)> {
    let (long, order) = (a.rows().max(a.columns()), a.rows().min(a.columns()));
    rows_agree("the longer side of A", long, &b)?;
    check_length("s", s.len(), order)?;
    let rcond = rcond.re();
    if rcond.is_nan() {
        return Err(Error::argument("rcond", "it is NaN"));
    }
    let s = &mut s[..order];
    if let Some(queue) = queue {
        return least_squares_on(queue, a, b, s, rcond);
    }
    let is_for_devices = order >= device::SPECTRAL_MIN_ORDER;
    let operations = if is_for_devices { operations::<T>(singular(long, order, true)) } else { 0 };
    let cost = Cost { family: Family::Orthogonal, operations, steps: order };
    let found = RefCell::new((s, (0, None)));
    dispatch_lapack(
        T::KIND,
        cost,
        (a, b),
        |(a, b)| {
            let (s, results) = &mut *found.borrow_mut();
            *results = host::gelsd(on_host_mut(a), on_host_mut(b), s, rcond);
        },
        |queue, (a, b)| {
            let (s, results) = &mut *found.borrow_mut();
            *results = least_squares_on(queue, a, b, s, rcond)?;
            Ok(Event::Complete)
        },
    )?;
    Ok(found.into_inner().1)
}

/// For matrices in the memory of a queue's device, on it or by copies.
fn least_squares_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    s: &mut [T::RealScalar],
    rcond: f64,
) -> Result<(usize, Info)> {
    if let Some(rank) = device::gelsd_on_device(queue, &a, &b, s, rcond)? {
        return Ok((rank, None));
    }
    let mut found = (0, None);
    with_copies(Some(queue), vec![], vec![a, b], |_, mut matrices| {
        let (Some(b), Some(a)) = (matrices.pop(), matrices.pop()) else { return };
        on_living_thread(|| found = host::gelsd(a, b, s, rcond));
    })?;
    Ok(found)
}
