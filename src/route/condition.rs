//! Reciprocal condition numbers from factors in any memory, by Higham's estimate of the inverse's norm.
//!
//! N. J. Higham, *FORTRAN codes for estimating the one-norm of a real or complex matrix, with applications to condition
//! estimation*, ACM Transactions on Mathematical Software 14 (1988), 381-396; LAPACK's xLACN2.

use affinimath_macros::instances;
use std::cell::RefCell;

use faer::{Mat, MatMut};

use super::dispatch::on_host;
use super::lapack::{check_length, square};
use super::norms::{lantr, measured_on};
use crate::blas::device_buffer;
use crate::blas::level3::trsm::trsm_on;
use crate::context::{BufferParts, DeviceBuffer, Event, MemoryExt, Queue};
use crate::error::{Error, Result};
use crate::host::lapack::norm as host_norm;
use crate::host::solve::inverse_one_norm_and_vector;
use crate::host::{on_living_thread, trsm};
use crate::options::{Diag, Layout, Norm, Op, Side, Triangle};
use crate::pattern::Pattern;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, Memory, VectorMut, View};

/// An estimate of 1 / (||A|| ||A⁻¹||) in the 1-norm or the infinity norm, from [`crate::getrf`]'s factors of A, for
/// which no pivots are needed, and `anorm` = ||A|| (LAPACK: xGECON). It is nearly always within a factor of 3 of the
/// number itself, and not below it but by roundings; 0 where A is singular, or so nearly that the estimate overflows; 1
/// for n = 0.
///
/// The result is NaN for an `anorm` that is NaN and 0 for an infinite one (LAPACK 3.12), and NaN for factors with a
/// NaN.
///
/// Right-hand sides are multiplied by `anorm`, so that solutions are as large as the condition number, whatever A's
/// scale. Factors in a device's memory are solved with there, up to 14 times with one vector, which comes back in
/// between; those in the host's memory on the host.
///
/// # Errors
/// [`Error::InvalidArgument`] for another norm, and for an `anorm` that is negative; [`Error::ShapeMismatch`] where
/// the factors are not square; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixRef, MatrixShape, Norm, gecon, getrf, lange};
///
/// let shape = MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?;
/// let mut a = [1.0_f64, 0.0, 0.0, 8.0];
/// let norm = lange(Norm::One, MatrixRef::from_slice(&a, shape)?)?;
/// getrf(MatrixMut::from_slice(&mut a, shape)?, &mut [0; 2])?;
/// assert_eq!(gecon(Norm::One, MatrixRef::from_slice(&a, shape)?, norm)?, 0.125);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gecon<T: Scalar>(norm: Norm, factors: MatrixRef<'_, T>, anorm: T::RealScalar) -> Result<T::RealScalar> {
    reciprocal_condition(None, ("the factors", norm, factors, anorm), &by_lu(), None)
}

/// [`gecon`], and a vector of n elements that A, or of the infinity norm Aᴴ, makes small: v = A⁻¹ w, or A⁻ᴴ w, where
/// the estimate is ||v||₁ / ||w||₁. LAPACK's gecon leaves it in WORK(N+1:2N), where xLATDF reads it. It stays as it
/// is where nothing is estimated: for n = 0, and where `anorm` is zero or not finite.
///
/// # Errors
/// The errors of [`gecon`]; [`Error::ShapeMismatch`] where the vector has fewer than n elements.
#[instances]
pub fn gecon_with_vector<T: Scalar>(
    norm: Norm,
    factors: MatrixRef<'_, T>,
    anorm: T::RealScalar,
    vector: &mut [T],
) -> Result<T::RealScalar> {
    reciprocal_condition(None, ("the factors", norm, factors, anorm), &by_lu(), Some(vector))
}

/// The same from factors in a device's memory, rcond in the device's memory, too: a vector of one element.
///
/// It waits on the host for what is before it in the queue, and for each solution.
///
/// # Errors
/// The errors of [`gecon`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gecon_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    factors: MatrixRef<'_, T>,
    anorm: T::RealScalar,
    rcond: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    estimate_on(queue, ("the factors", norm, factors, anorm), &by_lu(), &rcond)
}

fn by_lu() -> Inverse<2> {
    let lower = |op| Solve { triangle: Triangle::Lower, op, diagonal: Diag::Unit };
    let upper = |op| Solve { triangle: Triangle::Upper, op, diagonal: Diag::NonUnit };
    let solves = [[lower(Op::NoTrans), upper(Op::NoTrans)], [upper(Op::ConjTrans), lower(Op::ConjTrans)]];
    Inverse { solves, read: Pattern::General }
}

/// The same in the 1-norm, from [`crate::potrf`]'s factor of A (LAPACK: xPOCON).
///
/// # Errors
/// The errors of [`gecon`].
#[instances]
pub fn pocon<T: Scalar>(triangle: Triangle, factor: MatrixRef<'_, T>, anorm: T::RealScalar) -> Result<T::RealScalar> {
    reciprocal_condition(None, ("the factor", Norm::One, factor, anorm), &by_cholesky(triangle), None)
}

/// [`pocon`] with the vector of [`gecon_with_vector`].
///
/// # Errors
/// The errors of [`gecon_with_vector`].
#[instances]
pub fn pocon_with_vector<T: Scalar>(
    triangle: Triangle,
    factor: MatrixRef<'_, T>,
    anorm: T::RealScalar,
    vector: &mut [T],
) -> Result<T::RealScalar> {
    reciprocal_condition(None, ("the factor", Norm::One, factor, anorm), &by_cholesky(triangle), Some(vector))
}

/// The same from a factor in a device's memory, as [`gecon_on`].
///
/// # Errors
/// The errors of [`gecon_on`].
#[instances]
pub fn pocon_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    factor: MatrixRef<'_, T>,
    anorm: T::RealScalar,
    rcond: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    estimate_on(queue, ("the factor", Norm::One, factor, anorm), &by_cholesky(triangle), &rcond)
}

fn by_cholesky(triangle: Triangle) -> Inverse<2> {
    let solve = |op| Solve { triangle, op, diagonal: Diag::NonUnit };
    let ops = if triangle == Triangle::Lower { [Op::NoTrans, Op::ConjTrans] } else { [Op::ConjTrans, Op::NoTrans] };
    Inverse { solves: [ops.map(solve); 2], read: Pattern::Triangular(triangle, Diag::NonUnit) }
}

/// The same in the 1-norm or the infinity norm, of a triangular A, whose norm is found here (LAPACK: xTRCON). As
/// LAPACK has it, the result is 0 where that norm is infinite or NaN.
///
/// # Errors
/// The errors of [`gecon`].
#[instances]
pub fn trcon<T: Scalar>(norm: Norm, triangle: Triangle, diagonal: Diag, a: MatrixRef<'_, T>) -> Result<T::RealScalar> {
    of_triangle(norm, triangle, diagonal, a, None)
}

/// [`trcon`] with the vector of [`gecon_with_vector`].
///
/// # Errors
/// The errors of [`gecon_with_vector`].
#[instances]
pub fn trcon_with_vector<T: Scalar>(
    norm: Norm,
    triangle: Triangle,
    diagonal: Diag,
    a: MatrixRef<'_, T>,
    vector: &mut [T],
) -> Result<T::RealScalar> {
    of_triangle(norm, triangle, diagonal, a, Some(vector))
}

fn of_triangle<T: Scalar>(
    norm: Norm,
    triangle: Triangle,
    diagonal: Diag,
    a: MatrixRef<'_, T>,
    vector: Option<&mut [T]>,
) -> Result<T::RealScalar> {
    square("A", a.rows(), a.columns())?;
    let anorm = finite_or_zero::<T>(lantr(norm, triangle, diagonal, again(&a))?);
    reciprocal_condition(None, ("A", norm, a, anorm), &by_substitution(triangle, diagonal), vector)
}

/// A norm as xTRCON goes on with it: it has no condition to tell of a matrix whose norm is not finite.
fn finite_or_zero<T: Scalar>(norm: T::RealScalar) -> T::RealScalar {
    if norm.re().is_finite() { norm } else { T::RealScalar::default() }
}

/// The same of a triangular A in a device's memory, as [`gecon_on`].
///
/// # Errors
/// The errors of [`gecon_on`].
#[instances]
pub fn trcon_on<T: Scalar>(
    queue: &Queue,
    norm: Norm,
    triangle: Triangle,
    diagonal: Diag,
    a: MatrixRef<'_, T>,
    rcond: VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    square("A", a.rows(), a.columns())?;
    let anorm = finite_or_zero::<T>(measured_on(queue, norm, Pattern::Triangular(triangle, diagonal), again(&a))?);
    estimate_on(queue, ("A", norm, a, anorm), &by_substitution(triangle, diagonal), &rcond)
}

fn by_substitution(triangle: Triangle, diagonal: Diag) -> Inverse<1> {
    let solve = |op| Solve { triangle, op, diagonal };
    let solves = [[solve(Op::NoTrans)], [solve(Op::ConjTrans)]];
    Inverse { solves, read: Pattern::Triangular(triangle, diagonal) }
}

/// How the inverse is multiplied with a vector.
struct Inverse<const COUNT: usize> {
    /// The solutions, one after another, that make A⁻¹ x, and those that make A⁻ᴴ x.
    solves: [[Solve; COUNT]; 2],
    /// Which elements of the factors they read.
    read: Pattern,
}

/// Name of A in errors, the norm, A or its factors, and ||A||.
type Measured<'a, T> = (&'static str, Norm, MatrixRef<'a, T>, <T as Scalar>::RealScalar);

/// rcond := the estimate.
fn estimate_on<T: Scalar, const COUNT: usize>(
    queue: &Queue,
    (name, norm, a, anorm): Measured<'_, T>,
    inverse: &Inverse<COUNT>,
    rcond: &VectorMut<'_, T::RealScalar>,
) -> Result<Event> {
    let Some(buffer) = rcond.memory().buffer() else {
        return Err(Error::MixedMemory("rcond lies in the host's memory".to_owned()));
    };
    if rcond.length() != 1 {
        return Err(Error::ShapeMismatch(format!("rcond is one number, not {}", rcond.length())));
    }
    device_buffer(queue, a.memory(), name)?;
    let found = reciprocal_condition(Some(queue), (name, norm, a, anorm), inverse, None)?;
    buffer.write_at(queue, rcond.shape().offset(), &[found])?;
    Ok(Event::Complete)
}

/// A solution with a triangle of a matrix.
#[derive(Clone, Copy)]
struct Solve {
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
}

/// The same view once more.
fn again<'a, T>(a: &MatrixRef<'a, T>) -> MatrixRef<'a, T> {
    MatrixRef::from_parts(a.memory(), *a.shape())
}

/// 1 / (anorm ||A⁻¹||), of a matrix in a device's memory on this queue, or on one of its own. `vector` gets A⁻¹ w.
fn reciprocal_condition<T: Scalar, const COUNT: usize>(
    queue: Option<&Queue>,
    (name, norm, a, anorm): Measured<'_, T>,
    inverse: &Inverse<COUNT>,
    vector: Option<&mut [T]>,
) -> Result<T::RealScalar> {
    let number = |value| T::RealScalar::from_parts(value, 0.0);
    // The infinity norm is the adjoint's 1-norm.
    let [direct, adjoint] = match norm {
        Norm::One => [&inverse.solves[0], &inverse.solves[1]],
        Norm::Infinity => [&inverse.solves[1], &inverse.solves[0]],
        other => return Err(Error::argument("norm", format!("{other:?} is neither One nor Infinity"))),
    };
    let n = square(name, a.rows(), a.columns())?;
    if let Some(vector) = &vector {
        check_length("the vector", vector.len(), n)?;
    }
    let size = anorm.re();
    if size < 0.0 {
        return Err(Error::argument("anorm", format!("{size} is negative")));
    }
    // LAPACK's.
    match size {
        _ if n == 0 => return Ok(number(1.0)),
        _ if size.is_nan() => return Ok(anorm),
        _ if size == 0.0 || size.is_infinite() => return Ok(number(0.0)),
        _ => {}
    }
    let scale = away_from_ends::<T>(size);
    let factor = T::from_parts(size * scale, 0.0);
    let (condition, direction) = match a.memory() {
        Memory::Host(..) => {
            let a = on_host(a);
            let apply = |solves: &[Solve], mut x: MatMut<'_, T>| {
                for (k, solve) in solves.iter().enumerate() {
                    let Solve { triangle, op, diagonal } = *solve;
                    let factor = if k == 0 { factor } else { T::ONE };
                    trsm(Side::Left, triangle, op, diagonal, factor, a, x.as_mut());
                }
            };
            let mut found = (0.0, Mat::zeros(0, 1));
            on_living_thread(|| {
                found = inverse_one_norm_and_vector(n, |x| apply(direct, x), |x| apply(adjoint, x));
                if found.0.is_infinite() && host_norm(Norm::Max, inverse.read, a).is_nan() {
                    found.0 = f64::NAN;
                }
            });
            found
        }
        Memory::Device(object) => {
            let buffer = DeviceBuffer::of(object);
            let own = if queue.is_none() { Some(Queue::new(buffer.context())?) } else { None };
            let queue = queue.or(own.as_ref()).ok_or_else(|| Error::Internal("a queue of its own".to_owned()))?;
            let right = DeviceBuffer::new(queue.context(), n * size_of::<T>(), "a vector")?;
            // The estimate goes on after an error, which then counts.
            let failure = RefCell::new(None);
            let apply = |solves: &[Solve], x: MatMut<'_, T>| {
                if let Err(error) = solve_on_device(queue, &right, &a, factor, solves, x) {
                    failure.borrow_mut().get_or_insert(error);
                }
            };
            let (mut condition, direction) =
                inverse_one_norm_and_vector(n, |x| apply(direct, x), |x| apply(adjoint, x));
            if let Some(error) = failure.take() {
                return Err(error);
            }
            if condition.is_infinite() && measured_on(queue, Norm::Max, inverse.read, again(&a))?.re().is_nan() {
                condition = f64::NAN;
            }
            (condition, direction)
        }
    };
    if let Some(vector) = vector {
        // Right-hand sides were multiplied by anorm.
        vector.iter_mut().enumerate().take(n).for_each(|(i, v)| *v = direction[(i, 0)] / factor);
    }
    Ok(number(scale / condition))
}

/// The power of two that leaves room on both sides of a norm: the estimate's vectors are up to twice as large, and
/// their elements a fraction of it.
fn away_from_ends<T: Scalar>(norm: f64) -> f64 {
    let (smallest, largest) =
        if T::KIND.is_double() { (f64::MIN_POSITIVE, f64::MAX) } else { (f32::MIN_POSITIVE.into(), f32::MAX.into()) };
    let lift = 2f64.powi(40);
    match norm {
        _ if norm > largest / 16.0 => 1.0 / 16.0,
        _ if norm < smallest * lift => lift,
        _ => 1.0,
    }
}

/// x := the solutions of factor x, one after another, by a vector in the device's memory.
fn solve_on_device<T: Scalar>(
    queue: &Queue,
    vector: &DeviceBuffer,
    a: &MatrixRef<'_, T>,
    factor: T,
    solves: &[Solve],
    x: MatMut<'_, T>,
) -> Result<()> {
    let n = x.nrows();
    let column = x.col_mut(0).try_as_col_major_mut();
    let column =
        column.ok_or_else(|| Error::Internal("the elements of a vector are adjacent".to_owned()))?.as_slice_mut();
    vector.write(queue, column)?;
    for (k, solve) in solves.iter().enumerate() {
        let Solve { triangle, op, diagonal } = *solve;
        let factor = if k == 0 { factor } else { T::ONE };
        let shape = MatrixShape::new(Layout::ColumnMajor, n, 1, 0, n)?;
        let right = MatrixMut::from_device(vector, shape, "a vector")?;
        // The queue's order is enough.
        drop(trsm_on(queue, Side::Left, triangle, op, diagonal, factor, again(a), right)?);
    }
    vector.read(queue, column)
}
