//! Condition numbers, refinement and expert drivers of band and tridiagonal matrices, triangular band systems, and
//! generalised eigenvalue problems made standard ones. They are computed on the host: of matrices in a device's memory
//! by copies.

use affinimath_macros::instances;

use super::expert::{Bounds, ExpertFactors, bounds, of_size, rows_of_lu};
use super::staged::with_copies;
use super::tridiagonal::order;
use super::{check_length, rows_agree, square, zero_pivot};
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, DefiniteTridiagonal, Expert, Pencil, Tridiagonal, TridiagonalFactors};
use crate::host::on_living_thread;
use crate::options::{Diag, Norm, Op, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef};

/// The 1-norm or the infinity norm, and a size that is not negative.
fn measured<T: Scalar>(norm: Norm, anorm: T::RealScalar) -> Result<f64> {
    if !matches!(norm, Norm::One | Norm::Infinity) {
        return Err(Error::argument("norm", format!("{norm:?} is neither One nor Infinity")));
    }
    let size = anorm.re();
    if size < 0.0 { Err(Error::argument("anorm", format!("{size} is negative"))) } else { Ok(size) }
}

/// An estimate of 1 / (||A|| ||A⁻¹||) in the 1-norm or the infinity norm from [`crate::gbtrf`]'s factors, and `anorm` =
/// ||A|| (LAPACK: xGBCON). It is 0 where an element of U's diagonal is zero.
///
/// # Errors
/// [`Error::InvalidArgument`] for another norm, an `anorm` that is negative, and a pivot that is no row;
/// [`Error::ShapeMismatch`] where the sizes do not agree; and what a device reports.
#[instances]
pub fn gbcon<T: Scalar>(
    norm: Norm,
    [kl, ku]: [usize; 2],
    (ab, pivots): (MatrixRef<'_, T>, &[i32]),
    anorm: T::RealScalar,
) -> Result<T::RealScalar> {
    let (size, n) = (measured::<T>(norm, anorm)?, ab.columns());
    if ab.rows() < kl.saturating_mul(2).saturating_add(ku).saturating_add(1) {
        return Err(Error::ShapeMismatch(format!("ab: {} rows, and 2 kl + ku + 1 are needed", ab.rows())));
    }
    let pivots = rows_of_lu(pivots, n)?;
    let mut rcond = 0.0;
    with_copies(None, vec![ab], vec![], |mut read, _| {
        let Some(ab) = read.pop() else { return };
        on_living_thread(|| rcond = host::gbcon(norm, [kl, ku], ab, pivots, size));
    })?;
    Ok(T::RealScalar::from_parts(rcond, 0.0))
}

/// The factors of [`crate::gttrf`], with pivots that are i + 1 or i + 2.
fn factors_fit<T: Scalar>(factors: &TridiagonalFactors<'_, T>) -> Result<()> {
    let n = order(factors.d.len())?;
    for (name, length, needed) in [
        ("dl", factors.dl.len(), n.saturating_sub(1)),
        ("du", factors.du.len(), n.saturating_sub(1)),
        ("du2", factors.du2.len(), n.saturating_sub(2)),
        ("pivots", factors.pivots.len(), n),
    ] {
        check_length(name, length, needed)?;
    }
    let fits = |(i, row): (usize, &i32)| *row == i as i32 + 1 || *row == i as i32 + 2 && i + 1 < n;
    if factors.pivots.iter().take(n).enumerate().all(fits) {
        return Ok(());
    }
    Err(Error::argument("pivots", "a pivot is neither its own row nor the next one"))
}

/// The same from [`crate::gttrf`]'s factors of a tridiagonal matrix (LAPACK: xGTCON).
///
/// # Errors
/// The errors of [`gbcon`].
#[instances]
pub fn gtcon<T: Scalar>(norm: Norm, factors: TridiagonalFactors<'_, T>, anorm: T::RealScalar) -> Result<T::RealScalar> {
    let size = measured::<T>(norm, anorm)?;
    factors_fit(&factors)?;
    Ok(T::RealScalar::from_parts(host::gtcon(norm, factors, size), 0.0))
}

/// 1 / (||A||₁ ||A⁻¹||₁) from [`crate::pttrf`]'s factors of a positive definite tridiagonal matrix, and `anorm` =
/// ||A||₁ (LAPACK: xPTCON). It is no estimate.
///
/// # Errors
/// The errors of [`gbcon`].
#[instances]
pub fn ptcon<T: Scalar>(d: &[T::RealScalar], e: &[T], anorm: T::RealScalar) -> Result<T::RealScalar> {
    check_length("e", e.len(), d.len().saturating_sub(1))?;
    let size = measured::<T>(Norm::One, anorm)?;
    Ok(T::RealScalar::from_parts(host::ptcon::<T>(d, e, size), 0.0))
}

fn tridiagonal<T: Scalar>(a: &Tridiagonal<'_, T>) -> Result<usize> {
    let n = order(a.d.len())?;
    check_length("dl", a.dl.len(), n.saturating_sub(1))?;
    check_length("du", a.du.len(), n.saturating_sub(1))?;
    Ok(n)
}

fn right_hand_sides<T: Scalar>(n: usize, b: &MatrixRef<'_, T>, x: &MatrixMut<'_, T>) -> Result<()> {
    if b.rows() != n {
        return Err(Error::ShapeMismatch(format!("B: {} rows, and not {n}", b.rows())));
    }
    of_size("X", (n, b.columns()), x)
}

/// Refines solutions of op(A) X = B of a tridiagonal A with [`crate::gttrf`]'s factors (LAPACK: xGTRFS), as
/// [`crate::gerfs`].
///
/// # Errors
/// The errors of [`crate::gerfs`].
#[instances]
pub fn gtrfs<T: Scalar>(
    op: Op,
    a: Tridiagonal<'_, T>,
    factors: TridiagonalFactors<'_, T>,
    b: MatrixRef<'_, T>,
    x: MatrixMut<'_, T>,
    (ferr, berr): Bounds<'_, T>,
) -> Result<()> {
    right_hand_sides(tridiagonal(&a)?, &b, &x)?;
    bounds(x.columns(), ferr.len(), berr.len())?;
    factors_fit(&factors)?;
    check_length("the factors", factors.d.len(), a.d.len())?;
    with_copies(None, vec![b], vec![x], |mut read, mut written| {
        let (Some(b), Some(x)) = (read.pop(), written.pop()) else { return };
        host::gtrfs(op, a, factors, b, x, ferr, berr);
    })
}

/// Memory of the factors of a tridiagonal matrix: multipliers, U's three diagonals, and pivots.
pub type TridiagonalFactorsMut<'a, T> = (&'a mut [T], &'a mut [T], &'a mut [T], &'a mut [T], &'a mut [i32]);

/// Solves op(A) X = B of a tridiagonal A, with refinement and error bounds (LAPACK: xGTSVX), as [`crate::gesvx`].
/// Nothing is equilibrated.
///
/// # Errors
/// The errors of [`crate::gesvx`].
#[instances]
pub fn gtsvx<T: Scalar>(
    (op, given): (Op, ExpertFactors),
    a: Tridiagonal<'_, T>,
    (dl, d, du, du2, pivots): TridiagonalFactorsMut<'_, T>,
    (b, x): (MatrixRef<'_, T>, MatrixMut<'_, T>),
    (ferr, berr): Bounds<'_, T>,
) -> Result<Expert> {
    let n = tridiagonal(&a)?;
    right_hand_sides(n, &b, &x)?;
    bounds(x.columns(), ferr.len(), berr.len())?;
    let off = n.saturating_sub(1);
    for (name, length, needed) in [
        ("dlf", dl.len(), off),
        ("df", d.len(), n),
        ("duf", du.len(), off),
        ("du2", du2.len(), n.saturating_sub(2)),
        ("pivots", pivots.len(), n),
    ] {
        check_length(name, length, needed)?;
    }
    let (dl, d, du) = (&mut dl[..off], &mut d[..n], &mut du[..off]);
    let factored = given == ExpertFactors::Given;
    if factored {
        factors_fit(&TridiagonalFactors { dl, d, du, du2, pivots })?;
    }
    let a = Tridiagonal { dl: &a.dl[..off], d: a.d, du: &a.du[..off] };
    let mut found = None;
    with_copies(None, vec![b], vec![x], |mut read, mut written| {
        let (Some(b), Some(x)) = (read.pop(), written.pop()) else { return };
        found = Some(host::gtsvx(op, factored, a, (dl, d, du, du2, pivots), b, x, ferr, berr));
    })?;
    found.ok_or_else(|| Error::Internal("two matrices".to_owned()))
}

fn definite<T: Scalar>(a: &DefiniteTridiagonal<'_, T>) -> Result<usize> {
    let n = order(a.d.len())?;
    check_length("e", a.e.len(), n.saturating_sub(1))?;
    Ok(n)
}

/// Refines solutions of A X = B of a positive definite tridiagonal A with [`crate::pttrf`]'s factors (LAPACK: xPTRFS),
/// as [`crate::gerfs`].
///
/// # Errors
/// The errors of [`crate::gerfs`].
#[instances]
pub fn ptrfs<T: Scalar>(
    a: DefiniteTridiagonal<'_, T>,
    factors: DefiniteTridiagonal<'_, T>,
    b: MatrixRef<'_, T>,
    x: MatrixMut<'_, T>,
    (ferr, berr): Bounds<'_, T>,
) -> Result<()> {
    let n = definite(&a)?;
    right_hand_sides(n, &b, &x)?;
    bounds(x.columns(), ferr.len(), berr.len())?;
    if definite(&factors)? != n {
        return Err(Error::ShapeMismatch(format!("the factors: {} elements, and not {n}", factors.d.len())));
    }
    with_copies(None, vec![b], vec![x], |mut read, mut written| {
        let (Some(b), Some(x)) = (read.pop(), written.pop()) else { return };
        host::ptrfs(a, factors, b, x, ferr, berr);
    })
}

/// Solves A X = B of a positive definite tridiagonal A, with refinement and error bounds (LAPACK: xPTSVX), as
/// [`crate::gesvx`]. Nothing is equilibrated.
///
/// # Errors
/// The errors of [`crate::gesvx`].
#[instances]
pub fn ptsvx<T: Scalar>(
    given: ExpertFactors,
    a: DefiniteTridiagonal<'_, T>,
    (d, e): (&mut [T::RealScalar], &mut [T]),
    (b, x): (MatrixRef<'_, T>, MatrixMut<'_, T>),
    (ferr, berr): Bounds<'_, T>,
) -> Result<Expert> {
    let n = definite(&a)?;
    right_hand_sides(n, &b, &x)?;
    bounds(x.columns(), ferr.len(), berr.len())?;
    let off = n.saturating_sub(1);
    check_length("df", d.len(), n)?;
    check_length("ef", e.len(), off)?;
    let (d, e) = (&mut d[..n], &mut e[..off]);
    let a = DefiniteTridiagonal { e: &a.e[..off], ..a };
    let factored = given == ExpertFactors::Given;
    let mut found = None;
    with_copies(None, vec![b], vec![x], |mut read, mut written| {
        let (Some(b), Some(x)) = (read.pop(), written.pop()) else { return };
        found = Some(host::ptsvx(factored, a, (d, e), b, x, ferr, berr));
    })?;
    found.ok_or_else(|| Error::Internal("two matrices".to_owned()))
}

/// Solves op(A) X = B of a triangular band matrix, X in B's place (LAPACK: xTBTRS). A's kd + 1 diagonals are the rows
/// of `ab`, as in [`crate::pbtrf`].
///
/// # Errors
/// [`Error::ZeroPivot`] where an element of the diagonal is zero: B is not changed. [`Error::ShapeMismatch`] where the
/// sizes do not agree; and what a device reports.
#[instances]
pub fn tbtrs<T: Scalar>(
    (triangle, op, diagonal): (Triangle, Op, Diag),
    kd: usize,
    ab: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    if ab.rows() <= kd {
        return Err(Error::ShapeMismatch(format!("ab: {} rows, and kd + 1 are needed", ab.rows())));
    }
    rows_agree("ab's columns", ab.columns(), &b)?;
    let mut info = None;
    with_copies(None, vec![ab], vec![b], |mut read, mut written| {
        let (Some(ab), Some(b)) = (read.pop(), written.pop()) else { return };
        info = host::tbtrs(triangle, op, diagonal, kd, ab, b);
    })?;
    zero_pivot(info)
}

/// The matrix of the standard problem that a generalised one of a symmetric or Hermitian A and a positive definite B
/// becomes, in place of A's triangle, from [`crate::potrf`]'s factor of B (LAPACK: xSYGST, xHEGST).
///
/// # Errors
/// [`Error::ShapeMismatch`] where the sizes do not agree; and what a device reports.
#[instances]
pub fn hegst<T: Scalar>(
    (pencil, triangle): (Pencil, Triangle),
    a: MatrixMut<'_, T>,
    factor: MatrixRef<'_, T>,
) -> Result<()> {
    let n = square("the factor", factor.rows(), factor.columns())?;
    of_size("A", (n, n), &a)?;
    with_copies(None, vec![factor], vec![a], |mut read, mut written| {
        let (Some(b), Some(a)) = (read.pop(), written.pop()) else { return };
        on_living_thread(|| host::hegst(pencil, triangle, a, b));
    })
}
