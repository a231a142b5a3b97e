//! General matrices.

use affinimath_macros::instances;

use super::*;
use crate::context::Event;
use crate::route::lapack::staged::{DeviceInfo, adjacent};

/// Eigenvalues of a general A, and left and right eigenvectors where they are wanted (LAPACK: xGEEV): uᴴ A = lambda uᴴ
/// and A v = lambda v. A is not changed.
///
/// `wr` and `wi` get real and imaginary parts, n of each. Of a real type, complex eigenvalues come in adjacent pairs,
/// the one with the positive imaginary part first; its column has the real parts of the vector, and the next column the
/// imaginary parts. Vectors have length 1, and their largest element is real.
///
/// # Errors
/// [`Error::NoConvergence`] where an element is not finite, or the iteration does not converge.
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixRef, MatrixShape, geev};
///
/// // A rotation by a right angle.
/// let (a, mut wr, mut wi) = ([0.0_f64, -1.0, 1.0, 0.0], [0.0; 2], [0.0; 2]);
/// let a = MatrixRef::from_slice(&a, MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?)?;
/// geev(a, &mut wr, &mut wi, None, None)?;
/// assert_eq!((wr, wi), ([0.0; 2], [1.0, -1.0]));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn geev<T: Scalar>(
    a: MatrixRef<'_, T>,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    vl: Option<MatrixMut<'_, T>>,
    vr: Option<MatrixMut<'_, T>>,
) -> Result<()> {
    no_convergence(decompose(None, a, wr, wi, vl, vr)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`geev`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn geev_on<T: Scalar>(
    queue: &Queue,
    a: MatrixRef<'_, T>,
    wr: VectorMut<'_, T::RealScalar>,
    wi: VectorMut<'_, T::RealScalar>,
    vl: Option<MatrixMut<'_, T>>,
    vr: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square("A", a.rows(), a.columns())?;
    check_vector("wr", &wr, n)?;
    check_vector("wi", &wi, n)?;
    let (re, im) = (adjacent(queue, &wr, "wr")?, adjacent(queue, &wi, "wi")?);
    let info = DeviceInfo::new(queue, &info)?;
    let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    let found = decompose(Some(queue), a, &mut wr, &mut wi, vl, vr)?;
    re.write(queue, &wr)?;
    im.write(queue, &wi)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

/// The same with eigenvalues as elements of A's type, which are complex (LAPACK: CGEEV, ZGEEV).
///
/// # Errors
/// The errors of [`geev_on`].
#[instances]
pub fn geev_complex_on<T: Scalar>(
    queue: &Queue,
    a: MatrixRef<'_, T>,
    w: VectorMut<'_, T>,
    vl: Option<MatrixMut<'_, T>>,
    vr: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square("A", a.rows(), a.columns())?;
    check_vector("w", &w, n)?;
    let (w, info) = (adjacent(queue, &w, "w")?, DeviceInfo::new(queue, &info)?);
    let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    let found = decompose(Some(queue), a, &mut wr, &mut wi, vl, vr)?;
    let values: Vec<T> = wr.iter().zip(&wi).map(|(re, im)| T::from_parts(re.re(), im.re())).collect();
    w.write(queue, &values)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn decompose<T: Scalar>(
    queue: Option<&Queue>,
    a: MatrixRef<'_, T>,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    vl: Option<MatrixMut<'_, T>>,
    vr: Option<MatrixMut<'_, T>>,
) -> Result<Info> {
    let n = square("A", a.rows(), a.columns())?;
    check_length("wr", wr.len(), n)?;
    check_length("wi", wi.len(), n)?;
    for (name, v) in [("VL", &vl), ("VR", &vr)] {
        v.as_ref().map_or(Ok(()), |v| check_matrix(name, v, n, n))?;
    }
    let has_left = vl.is_some();
    let mut info = None;
    with_copies(queue, vec![a], [vl, vr].into_iter().flatten().collect(), |read, written| {
        let Some(a) = read.into_iter().next() else { return };
        let mut written = written.into_iter();
        let vl = if has_left { written.next() } else { None };
        let vr = written.next();
        on_living_thread(|| info = host::geev(a, &mut wr[..n], &mut wi[..n], vl, vr));
    })?;
    Ok(info)
}
