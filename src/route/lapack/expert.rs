//! Expert drivers and what they consist of: equilibration, condition numbers, refinement with error bounds; and the
//! rook variant of Bunch and Kaufman's factorisation. They are computed on the host: of matrices in a device's memory
//! by copies.

use affinimath_macros::instances;

use super::staged::with_copies;
use super::tridiagonal::order;
use super::{check_length, not_positive, square, zero_pivot};
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, Equed, Equilibration, Expert, Pivoting};
use crate::host::on_living_thread;
use crate::options::{Op, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef};

/// Factors of an expert driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpertFactors {
    /// They are computed: LAPACK's `N`.
    Computed,
    /// A is equilibrated, where it pays, and factorised: `E`.
    Equilibrated,
    /// They are given, with their pivots and the factors of an equilibration: `F`.
    Given,
}

/// Forward and backward errors of solutions, one of each for a column.
pub(super) type Bounds<'a, T> = (&'a mut [<T as Scalar>::RealScalar], &'a mut [<T as Scalar>::RealScalar]);

/// Factors r of the rows and c of the columns of A, with which the largest element of each row and column of
/// diag(r) A diag(c) is 1 (LAPACK: xGEEQU), and measures of what they change. With `powers` they are powers of two
/// (xGEEQUB).
///
/// # Errors
/// [`Error::ZeroPivot`] where row i or, with index m + j, column j is zero: `found` is set as far as it was computed.
/// [`Error::ShapeMismatch`] where the sizes do not agree; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Equilibration, Layout, MatrixRef, MatrixShape, geequ};
///
/// let a = MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?;
/// let (mut r, mut c, mut found) = ([0.0; 2], [0.0; 2], Equilibration::EMPTY);
/// geequ(MatrixRef::from_slice(&[4.0_f64, 2.0, 0.0, 8.0], a)?, false, &mut r, &mut c, &mut found)?;
/// assert_eq!((r, c, found.rows), ([0.25, 0.125], [1.0, 1.0], 0.5));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn geequ<T: Scalar>(
    a: MatrixRef<'_, T>,
    powers: bool,
    r: &mut [T::RealScalar],
    c: &mut [T::RealScalar],
    found: &mut Equilibration,
) -> Result<()> {
    check_length("r", r.len(), a.rows())?;
    check_length("c", c.len(), a.columns())?;
    let mut info = None;
    with_copies(None, vec![a], vec![], |mut read, _| {
        if let Some(a) = read.pop() {
            info = if powers { host::geequb(a, r, c, found) } else { host::geequ(a, r, c, found) };
        }
    })?;
    zero_pivot(info)
}

/// Factors s with which the diagonal of diag(s) A diag(s) of a positive definite A is 1 (LAPACK: xPOEQU), and measures
/// of what they change. With `powers` they are powers of two (xPOEQUB).
///
/// # Errors
/// [`Error::NotPositiveDefinite`] where a diagonal element is not positive. [`Error::ShapeMismatch`] where the sizes do
/// not agree; and what a device reports.
#[instances]
pub fn poequ<T: Scalar>(
    a: MatrixRef<'_, T>,
    powers: bool,
    s: &mut [T::RealScalar],
    found: &mut Equilibration,
) -> Result<()> {
    check_length("s", s.len(), square("A", a.rows(), a.columns())?)?;
    let mut info = None;
    with_copies(None, vec![a], vec![], |mut read, _| {
        if let Some(a) = read.pop() {
            info = if powers { host::poequb(a, s, found) } else { host::poequ(a, s, found) };
        }
    })?;
    not_positive(info)
}

/// Powers of two s with which the rows of diag(s) A diag(s) of a symmetric or Hermitian A have about the same 1-norm
/// (LAPACK: xSYEQUB, xHEEQUB).
///
/// # Errors
/// [`Error::ShapeMismatch`] where the sizes do not agree; and what a device reports.
#[instances]
pub fn syequb<T: Scalar>(
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    s: &mut [T::RealScalar],
    found: &mut Equilibration,
) -> Result<()> {
    check_length("s", s.len(), square("A", a.rows(), a.columns())?)?;
    with_copies(None, vec![a], vec![], |mut read, _| {
        if let Some(a) = read.pop() {
            host::syequb(triangle, a, s, found);
        }
    })
}

/// Refines solutions of op(A) X = B with [`crate::getrf`]'s factors (LAPACK: xGERFS). `bounds` get a bound of the
/// relative error of each column of X in the maximum norm, and its componentwise relative backward error.
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::InvalidArgument`] where a pivot is no row; and what a
/// device reports.
#[instances]
pub fn gerfs<T: Scalar>(
    op: Op,
    a: MatrixRef<'_, T>,
    (factors, pivots): (MatrixRef<'_, T>, &[i32]),
    b: MatrixRef<'_, T>,
    x: MatrixMut<'_, T>,
    (ferr, berr): Bounds<'_, T>,
) -> Result<()> {
    let n = system((a.rows(), a.columns()), (factors.rows(), factors.columns()), &b, &x)?;
    bounds(x.columns(), ferr.len(), berr.len())?;
    let pivots = rows_of_lu(pivots, n)?;
    refined(vec![a, factors, b], x, |[a, factors, b], x| host::gerfs(op, a, factors, pivots, b, x, ferr, berr))
}

/// Refines solutions of A X = B with [`crate::potrf`]'s factor (LAPACK: xPORFS), as [`gerfs`].
///
/// # Errors
/// The errors of [`gerfs`].
#[instances]
pub fn porfs<T: Scalar>(
    triangle: Triangle,
    a: MatrixRef<'_, T>,
    factor: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    x: MatrixMut<'_, T>,
    (ferr, berr): Bounds<'_, T>,
) -> Result<()> {
    system((a.rows(), a.columns()), (factor.rows(), factor.columns()), &b, &x)?;
    bounds(x.columns(), ferr.len(), berr.len())?;
    refined(vec![a, factor, b], x, |[a, factor, b], x| host::porfs(triangle, a, factor, b, x, ferr, berr))
}

/// Refines solutions of A X = B with [`crate::sytrf`]'s or [`crate::hetrf`]'s factors (LAPACK: xSYRFS, xHERFS), as
/// [`gerfs`].
///
/// # Errors
/// The errors of [`gerfs`].
#[instances]
pub fn syrfs<T: Scalar>(
    (symmetry, triangle): (Symmetry, Triangle),
    a: MatrixRef<'_, T>,
    (factors, pivots): (MatrixRef<'_, T>, &[i32]),
    b: MatrixRef<'_, T>,
    x: MatrixMut<'_, T>,
    (ferr, berr): Bounds<'_, T>,
) -> Result<()> {
    let n = system((a.rows(), a.columns()), (factors.rows(), factors.columns()), &b, &x)?;
    bounds(x.columns(), ferr.len(), berr.len())?;
    let pivots = blocks(Pivoting::BunchKaufman, triangle, pivots, n)?;
    refined(vec![a, factors, b], x, |[a, factors, b], x| match symmetry {
        Symmetry::Symmetric => host::syrfs(triangle, a, factors, pivots, b, x, ferr, berr),
        Symmetry::Hermitian => host::herfs(triangle, a, factors, pivots, b, x, ferr, berr),
    })
}

/// An estimate of 1 / (||A||₁ ||A⁻¹||₁) from the factors of a symmetric or Hermitian A by [`crate::sytrf`],
/// [`sytrf_rook`] and their Hermitian kin, and `anorm` = ||A||₁ (LAPACK: xSYCON, xHECON). It is 0 where a block of D is
/// zero.
///
/// # Errors
/// [`Error::InvalidArgument`] for an `anorm` that is negative, and pivots of other factors; [`Error::ShapeMismatch`]
/// where the factors are not square; and what a device reports.
#[instances]
pub fn sycon<T: Scalar>(
    (symmetry, triangle): (Symmetry, Triangle),
    pivoting: Pivoting,
    (factors, pivots): (MatrixRef<'_, T>, &[i32]),
    anorm: T::RealScalar,
) -> Result<T::RealScalar> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    let size = norm_of::<T>(anorm)?;
    let pivots = blocks(pivoting, triangle, pivots, n)?;
    let mut rcond = 0.0;
    with_copies(None, vec![factors], vec![], |mut read, _| {
        let Some(factors) = read.pop() else { return };
        on_living_thread(|| {
            rcond = match symmetry {
                Symmetry::Symmetric => host::sycon(pivoting, triangle, factors, pivots, size),
                Symmetry::Hermitian => host::hecon(pivoting, triangle, factors, pivots, size),
            }
        });
    })?;
    Ok(T::RealScalar::from_parts(rcond, 0.0))
}

fn norm_of<T: Scalar>(anorm: T::RealScalar) -> Result<f64> {
    let size = anorm.re();
    if size < 0.0 { Err(Error::argument("anorm", format!("{size} is negative"))) } else { Ok(size) }
}

/// Solves op(A) X = B by LU with equilibration, refinement and error bounds (LAPACK: xGESVX).
///
/// A and B are overwritten by what `equed` says: diag(r) A diag(c), and diag(r) B or, of a transposed A, diag(c) B. X
/// is the solution of the original system. `scaling` and the factors with their pivots are read where they are given.
///
/// The result has LAPACK's info, 1 to n where a pivot is zero, and n + 1 where A is singular to working precision; the
/// estimated reciprocal condition number; and the reciprocal pivot growth.
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::InvalidArgument`] where a pivot is no row, or a given
/// scaling factor not positive; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Equed, ExpertFactors, Layout, MatrixMut, MatrixShape, Op, gesvx};
///
/// let (shape, column) =
///     (MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?, MatrixShape::new(Layout::RowMajor, 2, 1, 0, 1)?);
/// let (mut a, mut factors, mut pivots) = ([1e9_f64, 2e9, 3.0, 4.0], [0.0; 4], [0; 2]);
/// let (mut b, mut x, mut ferr, mut berr) = ([5e9, 11.0], [0.0; 2], [0.0], [0.0]);
/// let (mut r, mut c, mut equed) = ([0.0; 2], [0.0; 2], Equed::None);
/// let found = gesvx(
///     (Op::NoTrans, ExpertFactors::Equilibrated),
///     (MatrixMut::from_slice(&mut a, shape)?, MatrixMut::from_slice(&mut factors, shape)?, &mut pivots),
///     (&mut equed, &mut r, &mut c),
///     (MatrixMut::from_slice(&mut b, column)?, MatrixMut::from_slice(&mut x, column)?),
///     (&mut ferr, &mut berr),
/// )?;
/// assert!(found.info.is_none() && equed.rows() && (x[0] - 1.0).abs() <= ferr[0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gesvx<T: Scalar>(
    (op, given): (Op, ExpertFactors),
    (a, factors, pivots): (MatrixMut<'_, T>, MatrixMut<'_, T>, &mut [i32]),
    (equed, r, c): (&mut Equed, &mut [T::RealScalar], &mut [T::RealScalar]),
    (b, x): (MatrixMut<'_, T>, MatrixMut<'_, T>),
    (ferr, berr): Bounds<'_, T>,
) -> Result<Expert> {
    let n = square("A", a.rows(), a.columns())?;
    let sizes = [("the factors", n, &factors), ("B", b.columns(), &b), ("X", b.columns(), &x)];
    sizes.into_iter().try_for_each(|(name, columns, view)| of_size(name, (n, columns), view))?;
    bounds(x.columns(), ferr.len(), berr.len())?;
    check_length("pivots", pivots.len(), order(n)?)?;
    let (factored, equilibrate) = (given == ExpertFactors::Given, given == ExpertFactors::Equilibrated);
    let scaled = |applied: bool| equilibrate || factored && applied;
    scaling::<T>("r", r, if scaled(equed.rows()) { n } else { 0 }, factored)?;
    scaling::<T>("c", c, if scaled(equed.columns()) { n } else { 0 }, factored)?;
    if factored {
        rows_of_lu(pivots, n)?;
    }
    let mut found = None;
    let (rows, columns) = (n.min(r.len()), n.min(c.len()));
    let (r, c) = (&mut r[..rows], &mut c[..columns]);
    with_copies(None, vec![], vec![a, factors, b, x], |_, written| {
        let Ok([a, factors, b, x]) = <[_; 4]>::try_from(written) else { return };
        let pivots = &mut pivots[..n];
        let call = host::General { op, factored, equilibrate, a, factors, pivots, equed, r, c, b, x, ferr, berr };
        on_living_thread(|| found = Some(host::gesvx(call)));
    })?;
    found.ok_or_else(|| Error::Internal("four matrices".to_owned()))
}

/// Solves A X = B of a positive definite A, of which a triangle is read, with equilibration, refinement and error
/// bounds (LAPACK: xPOSVX), as [`gesvx`]. `scaled` says whether A is diag(s) A diag(s).
///
/// # Errors
/// The errors of [`gesvx`].
#[instances]
pub fn posvx<T: Scalar>(
    (triangle, given): (Triangle, ExpertFactors),
    (a, factor): (MatrixMut<'_, T>, MatrixMut<'_, T>),
    (scaled, s): (&mut bool, &mut [T::RealScalar]),
    (b, x): (MatrixMut<'_, T>, MatrixMut<'_, T>),
    (ferr, berr): Bounds<'_, T>,
) -> Result<Expert> {
    let n = square("A", a.rows(), a.columns())?;
    let sizes = [("the factor", n, &factor), ("B", b.columns(), &b), ("X", b.columns(), &x)];
    sizes.into_iter().try_for_each(|(name, columns, view)| of_size(name, (n, columns), view))?;
    bounds(x.columns(), ferr.len(), berr.len())?;
    let (factored, equilibrate) = (given == ExpertFactors::Given, given == ExpertFactors::Equilibrated);
    let needed = equilibrate || factored && *scaled;
    scaling::<T>("s", s, if needed { n } else { 0 }, factored)?;
    let mut found = None;
    let count = n.min(s.len());
    let s = &mut s[..count];
    with_copies(None, vec![], vec![a, factor, b, x], |_, written| {
        let Ok([a, factor, b, x]) = <[_; 4]>::try_from(written) else { return };
        let call = host::Definite { triangle, factored, equilibrate, a, factor, scaled, s, b, x, ferr, berr };
        on_living_thread(|| found = Some(host::posvx(call)));
    })?;
    found.ok_or_else(|| Error::Internal("four matrices".to_owned()))
}

/// Solves A X = B of a symmetric or Hermitian A, of which a triangle is read, by Bunch and Kaufman's factorisation,
/// with refinement and error bounds (LAPACK: xSYSVX, xHESVX), as [`gesvx`]. Nothing is equilibrated.
///
/// # Errors
/// The errors of [`gesvx`].
#[instances]
pub fn sysvx<T: Scalar>(
    (symmetry, triangle, given): (Symmetry, Triangle, ExpertFactors),
    (a, factors, pivots): (MatrixRef<'_, T>, MatrixMut<'_, T>, &mut [i32]),
    (b, x): (MatrixRef<'_, T>, MatrixMut<'_, T>),
    (ferr, berr): Bounds<'_, T>,
) -> Result<Expert> {
    let n = system((a.rows(), a.columns()), (factors.rows(), factors.columns()), &b, &x)?;
    bounds(x.columns(), ferr.len(), berr.len())?;
    check_length("pivots", pivots.len(), order(n)?)?;
    let factored = given == ExpertFactors::Given;
    if factored {
        blocks(Pivoting::BunchKaufman, triangle, pivots, n)?;
    }
    let mut found = None;
    with_copies(None, vec![a, b], vec![factors, x], |read, written| {
        let (Ok([a, b]), Ok([factors, x])) = (<[_; 2]>::try_from(read), <[_; 2]>::try_from(written)) else { return };
        let pivots = &mut pivots[..n];
        let call = host::Indefinite { symmetry, triangle, factored, a, factors, pivots, b, x, ferr, berr };
        on_living_thread(|| found = Some(host::sysvx(call)));
    })?;
    found.ok_or_else(|| Error::Internal("four matrices".to_owned()))
}

/// P A Pᵀ = L D Lᵀ, or of a Hermitian A L D Lᴴ, by rook pivoting (LAPACK: xSYTRF_ROOK, xHETRF_ROOK), in place of a
/// triangle of A; L is then bounded. As [`crate::sytrf`], but a block of order 2 has two interchanges: `pivots[k]` = -p
/// and `pivots[k + 1]` = -q, of its first and of its second row and column.
///
/// # Errors
/// [`Error::ZeroPivot`] where a block of D is exactly zero, or NaN: the factorisation is complete.
/// [`Error::ShapeMismatch`] where A is not square, or there are fewer than n pivots; and what a device reports.
#[instances]
pub fn sytrf_rook<T: Scalar>(
    (symmetry, triangle): (Symmetry, Triangle),
    a: MatrixMut<'_, T>,
    pivots: &mut [i32],
) -> Result<()> {
    let n = order(square("A", a.rows(), a.columns())?)?;
    check_length("pivots", pivots.len(), n)?;
    let mut info = None;
    with_copies(None, vec![], vec![a], |_, mut written| {
        let Some(a) = written.pop() else { return };
        on_living_thread(|| {
            info = match symmetry {
                Symmetry::Symmetric => host::sytrf_rook(triangle, a, &mut pivots[..n]),
                Symmetry::Hermitian => host::hetrf_rook(triangle, a, &mut pivots[..n]),
            }
        });
    })?;
    zero_pivot(info)
}

/// Solves A X = B with [`sytrf_rook`]'s factors, X in B's place (LAPACK: xSYTRS_ROOK, xHETRS_ROOK).
///
/// # Errors
/// The errors of [`crate::sytrs`].
#[instances]
pub fn sytrs_rook<T: Scalar>(
    (symmetry, triangle): (Symmetry, Triangle),
    (factors, pivots): (MatrixRef<'_, T>, &[i32]),
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    of_size("B", (n, b.columns()), &b)?;
    let pivots = blocks(Pivoting::Rook, triangle, pivots, n)?;
    with_copies(None, vec![factors], vec![b], |mut read, mut written| {
        let (Some(factors), Some(b)) = (read.pop(), written.pop()) else { return };
        on_living_thread(|| match symmetry {
            Symmetry::Symmetric => host::sytrs_rook(triangle, factors, pivots, b),
            Symmetry::Hermitian => host::hetrs_rook(triangle, factors, pivots, b),
        });
    })
}

/// Solves A X = B by [`sytrf_rook`] and [`sytrs_rook`] (LAPACK: xSYSV_ROOK, xHESV_ROOK).
///
/// # Errors
/// [`Error::ZeroPivot`] where A is singular: it is factorised, and B is as it was. Others as for [`sytrf_rook`] and
/// [`sytrs_rook`].
#[instances]
pub fn sysv_rook<T: Scalar>(
    (symmetry, triangle): (Symmetry, Triangle),
    a: MatrixMut<'_, T>,
    pivots: &mut [i32],
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let n = order(square("A", a.rows(), a.columns())?)?;
    of_size("B", (n, b.columns()), &b)?;
    check_length("pivots", pivots.len(), n)?;
    let mut info = None;
    with_copies(None, vec![], vec![a, b], |_, mut written| {
        let (Some(b), Some(a)) = (written.pop(), written.pop()) else { return };
        on_living_thread(|| {
            info = match symmetry {
                Symmetry::Symmetric => host::sysv_rook(triangle, a, &mut pivots[..n], b),
                Symmetry::Hermitian => host::hesv_rook(triangle, a, &mut pivots[..n], b),
            }
        });
    })?;
    zero_pivot(info)
}

/// The inverse from [`sytrf_rook`]'s factors, in place of the triangle (LAPACK: xSYTRI_ROOK, xHETRI_ROOK).
///
/// # Errors
/// [`Error::ZeroPivot`] where a block of D of order 1 is zero: the factors are as they were. Others as for
/// [`sytrs_rook`].
#[instances]
pub fn sytri_rook<T: Scalar>(
    (symmetry, triangle): (Symmetry, Triangle),
    factors: MatrixMut<'_, T>,
    pivots: &[i32],
) -> Result<()> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    let pivots = blocks(Pivoting::Rook, triangle, pivots, n)?;
    let mut info = None;
    with_copies(None, vec![], vec![factors], |_, mut written| {
        let Some(factors) = written.pop() else { return };
        on_living_thread(|| {
            info = match symmetry {
                Symmetry::Symmetric => host::sytri_rook(triangle, factors, pivots),
                Symmetry::Hermitian => host::hetri_rook(triangle, factors, pivots),
            }
        });
    })?;
    zero_pivot(info)
}

/// Runs a refinement on copies of operands in a device's memory.
fn refined<'a, T: Scalar>(
    read: Vec<MatrixRef<'a, T>>,
    x: MatrixMut<'a, T>,
    work: impl for<'m> FnOnce([faer::MatRef<'m, T>; 3], faer::MatMut<'m, T>),
) -> Result<()> {
    with_copies(None, read, vec![x], |read, mut written| {
        let (Ok(read), Some(x)) = (<[_; 3]>::try_from(read), written.pop()) else { return };
        on_living_thread(|| work(read, x));
    })
}

pub(super) fn of_size<T: Scalar>(name: &str, (rows, columns): (usize, usize), view: &MatrixMut<'_, T>) -> Result<()> {
    if (view.rows(), view.columns()) == (rows, columns) {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{name}: {} x {}, and not {rows} x {columns}", view.rows(), view.columns())))
}

/// The order of a system whose operands agree.
fn system<T: Scalar>(
    a: (usize, usize),
    factors: (usize, usize),
    b: &MatrixRef<'_, T>,
    x: &MatrixMut<'_, T>,
) -> Result<usize> {
    let n = square("A", a.0, a.1)?;
    if factors != (n, n) {
        return Err(Error::ShapeMismatch(format!("the factors: {} x {}, and not {n} x {n}", factors.0, factors.1)));
    }
    if b.rows() != n {
        return Err(Error::ShapeMismatch(format!("B: {} rows, and not {n}", b.rows())));
    }
    of_size("X", (n, b.columns()), x)?;
    Ok(n)
}

pub(super) fn bounds(columns: usize, ferr: usize, berr: usize) -> Result<()> {
    check_length("ferr", ferr, columns)?;
    check_length("berr", berr, columns)
}

/// Refuses scaling factors that are too few, or given and not positive.
fn scaling<T: Scalar>(name: &'static str, factors: &[T::RealScalar], n: usize, given: bool) -> Result<()> {
    check_length(name, factors.len(), n)?;
    if given && factors[..n].iter().any(|factor| factor.re() <= 0.0) {
        return Err(Error::argument(name, "a factor is not positive"));
    }
    Ok(())
}

/// getrf's pivots.
pub(super) fn rows_of_lu(pivots: &[i32], n: usize) -> Result<&[i32]> {
    check_length("pivots", pivots.len(), n)?;
    let pivots = &pivots[..n];
    if pivots.iter().any(|row| *row < 1 || *row as usize > n) {
        return Err(Error::argument("pivots", format!("a pivot is not between 1 and {n}")));
    }
    Ok(pivots)
}

/// Pivots of a symmetric matrix.
fn blocks(pivoting: Pivoting, triangle: Triangle, pivots: &[i32], n: usize) -> Result<&[i32]> {
    check_length("pivots", pivots.len(), n)?;
    let pivots = &pivots[..n];
    let fit = match pivoting {
        Pivoting::BunchKaufman => host::pivots_fit(triangle, pivots),
        Pivoting::Rook => host::rook_pivots_fit(triangle, pivots),
    };
    if fit { Ok(pivots) } else { Err(Error::argument("pivots", "they are not of this triangle's factors")) }
}
