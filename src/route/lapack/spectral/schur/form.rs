//! Schur forms.

use std::ops::Range;

use affinimath_macros::instances;

use super::{DeviceEigenvalues, Target, check_optional, check_range, no_convergence};
use crate::context::{Event, Queue};
use crate::error::Result;
use crate::host::lapack::{self as host, Conditions, Info, Leading, Select};
use crate::host::on_living_thread;
use crate::route::lapack::spectral::check_length;
use crate::route::lapack::square;
use crate::route::lapack::staged::{DeviceInfo, with_copies};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, VectorMut};

/// A matrix for the Schur vectors of a Hessenberg matrix.
pub enum SchurVectors<'a, T> {
    /// They are not computed.
    None,
    /// An n x n matrix that is multiplied by them from the right: the Q of [`gehrd`](crate::gehrd) gets those of its
    /// matrix.
    Product(MatrixMut<'a, T>),
    /// An n x n matrix that they overwrite.
    Into(MatrixMut<'a, T>),
}

/// Eigenvalues of an upper Hessenberg matrix by multishift QR with early deflation (Braman, Byers and Mathias 2002;
/// LAPACK: xHSEQR), and, if `whole`, its Schur form in its place. H is triangular outside of a range, such as
/// [`gebal`](crate::gebal) gives. Without `whole`, H is not changed.
///
/// `wr` and `wi` get n real and imaginary parts. Of a real type, complex eigenvalues come in adjacent pairs, the one
/// with the positive imaginary part first.
///
/// # Errors
/// [`Error::NoConvergence`](crate::Error::NoConvergence) where an element is not finite, or the iteration does not
/// converge: eigenvalues after LAPACK's info are right.
/// [`Error::InvalidArgument`](crate::Error::InvalidArgument) where H has no such range,
/// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) where sizes do not agree; and what a device reports.
#[instances]
pub fn hseqr<T: Scalar>(
    h: MatrixMut<'_, T>,
    range: Range<usize>,
    whole: bool,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    z: SchurVectors<'_, T>,
) -> Result<()> {
    no_convergence(iterate(None, h, (range, whole), wr, wi, z)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`hseqr`]; [`Error::MixedMemory`](crate::Error::MixedMemory) where an operand lies in the host's
/// memory.
#[instances]
pub fn hseqr_on<T: Scalar>(
    queue: &Queue,
    h: MatrixMut<'_, T>,
    range: Range<usize>,
    whole: bool,
    values: DeviceEigenvalues<'_, T>,
    z: SchurVectors<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square("H", h.rows(), h.columns())?;
    let (target, info) = (Target::of(queue, &values, n)?, DeviceInfo::new(queue, &info)?);
    let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    let found = iterate(Some(queue), h, (range, whole), &mut wr, &mut wi, z)?;
    target.write::<T>(queue, &wr, &wi)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn iterate<T: Scalar>(
    queue: Option<&Queue>,
    h: MatrixMut<'_, T>,
    (range, whole): (Range<usize>, bool),
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    z: SchurVectors<'_, T>,
) -> Result<Info> {
    let n = square("H", h.rows(), h.columns())?;
    check_range(&range, n)?;
    check_length("wr", wr.len(), n)?;
    check_length("wi", wi.len(), n)?;
    let (z, fresh) = match z {
        SchurVectors::None => (None, false),
        SchurVectors::Product(z) => (Some(z), false),
        SchurVectors::Into(z) => (Some(z), true),
    };
    check_optional("Z", z.as_ref(), n, n)?;
    let mut info = None;
    with_copies(queue, vec![], [Some(h), z].into_iter().flatten().collect(), |_, matrices| {
        on_living_thread(|| {
            let mut matrices = matrices.into_iter();
            let (Some(h), mut z) = (matrices.next(), matrices.next()) else { return };
            if let (true, Some(z)) = (fresh, &mut z) {
                z.fill(T::ZERO);
                (0..n).for_each(|i| z[(i, i)] = T::ONE);
            }
            info = host::hseqr(h, z, range.clone(), whole, &mut wr[..n], &mut wi[..n]);
        });
    })?;
    Ok(info)
}

/// The Schur form of a general matrix in its place, A = Z T Zᴴ, and the Schur vectors Z where they are wanted (LAPACK:
/// xGEES). Of a real type T is quasi-triangular, with blocks of order 2 in LAPACK's standard form.
///
/// `wr` and `wi` get the real and imaginary parts of n eigenvalues, in the order of T's diagonal. Of a real type,
/// complex eigenvalues come in adjacent pairs, the one with the positive imaginary part first.
/// [`trsen`](crate::trsen) changes their order.
///
/// # Errors
/// [`Error::NoConvergence`](crate::Error::NoConvergence) where an element is not finite, or the iteration does not
/// converge. [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) where sizes do not agree; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixShape, gees};
///
/// let (mut a, mut wr, mut wi) = ([1.0_f64, 1.0, 0.0, 2.0], [0.0; 2], [0.0; 2]);
/// let a = MatrixMut::from_slice(&mut a, MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?)?;
/// gees(a, &mut wr, &mut wi, None)?;
/// assert_eq!((wr, wi), ([1.0, 2.0], [0.0; 2]));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gees<T: Scalar>(
    a: MatrixMut<'_, T>,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<()> {
    no_convergence(decompose(None, a, (wr, wi), z, None)?.0)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`hseqr_on`].
///
/// # Errors
/// The errors of [`gees`]; [`Error::MixedMemory`](crate::Error::MixedMemory) where an operand lies in the host's
/// memory.
#[instances]
pub fn gees_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    values: DeviceEigenvalues<'_, T>,
    z: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square("A", a.rows(), a.columns())?;
    let (target, info) = (Target::of(queue, &values, n)?, DeviceInfo::new(queue, &info)?);
    let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    let (found, _) = decompose(Some(queue), a, (&mut wr, &mut wi), z, None)?;
    target.write::<T>(queue, &wr, &wi)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

/// [`gees`] with the selected eigenvalues first, and estimates of their condition (LAPACK: xGEES and xGEESX with a
/// selection). `select` gets an eigenvalue's real and imaginary part, on the calling thread.
///
/// # Errors
/// The errors of [`gees`]. An order that is incomplete, or a selection that rounding has changed, is in
/// [`Leading::info`].
#[instances]
pub fn geesx<T: Scalar>(
    a: MatrixMut<'_, T>,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
    select: Select<'_>,
    wanted: Conditions,
) -> Result<Leading> {
    let (info, leading) = decompose(None, a, (wr, wi), z, Some((select, wanted)))?;
    no_convergence(info).map(|()| leading)
}

fn decompose<T: Scalar>(
    queue: Option<&Queue>,
    a: MatrixMut<'_, T>,
    (wr, wi): (&mut [T::RealScalar], &mut [T::RealScalar]),
    z: Option<MatrixMut<'_, T>>,
    selection: Option<(Select<'_>, Conditions)>,
) -> Result<(Info, Leading)> {
    let n = square("A", a.rows(), a.columns())?;
    check_length("wr", wr.len(), n)?;
    check_length("wi", wi.len(), n)?;
    check_optional("Z", z.as_ref(), n, n)?;
    let mut found = (None, Leading::default());
    with_copies(queue, vec![], [Some(a), z].into_iter().flatten().collect(), |_, matrices| {
        on_living_thread(|| {
            let mut matrices = matrices.into_iter();
            let (Some(a), z) = (matrices.next(), matrices.next()) else { return };
            let (wr, wi) = (&mut wr[..n], &mut wi[..n]);
            match selection {
                None => found.0 = host::gees(a, wr, wi, z),
                Some((select, wanted)) => found = host::geesx(a, wr, wi, z, select, wanted),
            }
        });
    })?;
    Ok(found)
}
