//! Balancing.

use std::ops::Range;

use affinimath_macros::instances;

use super::{check_range, copy_of};
use crate::context::{Event, Queue};
use crate::error::Result;
use crate::host::lapack::{self as host, Balancing};
use crate::host::on_living_thread;
use crate::route::lapack::spectral::{check_length, check_vector};
use crate::route::lapack::square;
use crate::route::lapack::staged::{adjacent, with_copies};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, VectorMut, VectorRef};

/// Balances a general matrix before its eigenvalues are computed (LAPACK: xGEBAL): a permutation that isolates
/// eigenvalues, and a diagonal similarity by powers of two. Gives the rows and columns outside of which the matrix is
/// upper triangular.
///
/// In the range, `scale` gets n factors of columns; outside of it the row and column, from 1, that each one was
/// exchanged with. Elements that are not finite stay, and have no factor.
///
/// # Errors
/// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) where A is not square, or `scale` is too short; and what a
/// device reports.
///
/// # Example
/// ```
/// use affinimath::{Balancing, Layout, MatrixMut, MatrixShape, gebal};
///
/// let (mut a, mut scale) = ([1.0_f64, 1024.0, 0.0009765625, 1.0], [0.0; 2]);
/// let view = MatrixMut::from_slice(&mut a, MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?)?;
/// assert_eq!(gebal(view, Balancing::BOTH, &mut scale)?, 0..2);
/// assert_eq!(a, [1.0, 2.0, 0.5, 1.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gebal<T: Scalar>(
    a: MatrixMut<'_, T>,
    balancing: Balancing,
    scale: &mut [T::RealScalar],
) -> Result<Range<usize>> {
    balance(None, a, balancing, scale)
}

/// The same for operands in a device's memory.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`gebal`]; [`Error::MixedMemory`](crate::Error::MixedMemory) where an operand lies in the host's
/// memory.
#[instances]
pub fn gebal_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    balancing: Balancing,
    scale: VectorMut<'_, T::RealScalar>,
) -> Result<(Event, Range<usize>)> {
    let n = square("A", a.rows(), a.columns())?;
    check_vector("scale", &scale, n)?;
    let target = adjacent(queue, &scale, "scale")?;
    let mut scale = vec![T::RealScalar::default(); n];
    let range = balance(Some(queue), a, balancing, &mut scale)?;
    target.write(queue, &scale)?;
    Ok((Event::Complete, range))
}

fn balance<T: Scalar>(
    queue: Option<&Queue>,
    a: MatrixMut<'_, T>,
    balancing: Balancing,
    scale: &mut [T::RealScalar],
) -> Result<Range<usize>> {
    let n = square("A", a.rows(), a.columns())?;
    check_length("scale", scale.len(), n)?;
    let mut range = 0..n;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|a| range = host::gebal(a, balancing, &mut scale[..n])));
    })?;
    Ok(range)
}

/// Eigenvectors of a matrix from those of the balanced one, in V's place (LAPACK: xGEBAK): left ones, or right ones.
/// The range and `scale` are [`gebal`]'s.
///
/// # Errors
/// [`Error::InvalidArgument`](crate::Error::InvalidArgument) where V's rows have no such range,
/// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) where `scale` is shorter than V is high; and what a device
/// reports.
#[instances]
pub fn gebak<T: Scalar>(
    v: MatrixMut<'_, T>,
    balancing: Balancing,
    range: Range<usize>,
    scale: &[T::RealScalar],
    left: bool,
) -> Result<()> {
    restore(None, v, (balancing, left), range, scale)
}

/// The same for operands in a device's memory. It waits as [`gebal_on`].
///
/// # Errors
/// The errors of [`gebak`]; [`Error::MixedMemory`](crate::Error::MixedMemory) where an operand lies in the host's
/// memory.
#[instances]
pub fn gebak_on<T: Scalar>(
    queue: &Queue,
    v: MatrixMut<'_, T>,
    balancing: Balancing,
    range: Range<usize>,
    scale: VectorRef<'_, T::RealScalar>,
    left: bool,
) -> Result<Event> {
    let scale = copy_of(queue, "scale", &scale, v.rows())?;
    restore(Some(queue), v, (balancing, left), range, &scale)?;
    Ok(Event::Complete)
}

fn restore<T: Scalar>(
    queue: Option<&Queue>,
    v: MatrixMut<'_, T>,
    (balancing, left): (Balancing, bool),
    range: Range<usize>,
    scale: &[T::RealScalar],
) -> Result<()> {
    let n = v.rows();
    check_range(&range, n)?;
    check_length("scale", scale.len(), n)?;
    with_copies(queue, vec![], vec![v], |_, matrices| {
        let scale = &scale[..n];
        on_living_thread(|| matrices.into_iter().for_each(|v| host::gebak(v, balancing, range.clone(), scale, left)));
    })
}
