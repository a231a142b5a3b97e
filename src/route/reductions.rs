//! The reductions of level 1 on any memory: one or two vectors become a number, which is waited for.

use affinimath_macros::instances;
use std::cell::Cell;

use super::Family;
use super::dispatch::dispatch_number;
use super::level1::raw_vector;
use crate::blas::level1::elementwise::check_lengths;
use crate::blas::level1::reduction::{Reduction, reduced};
use crate::context::Event;
use crate::error::Result;
use crate::host::level1 as host;
use crate::scalar::{Element, Scalar};
use crate::vendor::{Number, level1 as vendor};
use crate::view::{VectorRef, View};

/// The sum of x_i y_i (BLAS: SDOT, DDOT, CDOTU, ZDOTU); 0 for empty vectors.
///
/// The location of the views selects the backend. Repeated runs there give the same bits; so do all reductions of this
/// module.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] when the lengths differ, [`crate::Error::MixedMemory`] when the vectors do not lie
/// in one memory, and what the device reports.
///
/// # Example
/// ```
/// use affinimath::{Context, dot, iamax, nrm2};
///
/// let context = Context::preferred()?;
/// let x = context.upload(&[3.0_f64, -4.0])?;
/// assert_eq!(dot(x.vector()?, x.vector()?)?, 25.0);
/// assert_eq!(nrm2(x.vector()?)?, 5.0);
/// assert_eq!(iamax(x.vector()?)?, Some(1));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn dot<T: Scalar>(x: VectorRef<'_, T>, y: VectorRef<'_, T>) -> Result<T> {
    of_two(&Reduction::Dot { conjugate: false }, x, y, |x, y| host::dot(false, raw_vector(x), raw_vector(y)), element)
}

/// The sum of conj(x_i) y_i (BLAS: CDOTC, ZDOTC); the same as [`dot`] for the real types.
///
/// # Errors
/// The errors of [`dot`].
#[instances]
pub fn dotc<T: Scalar>(x: VectorRef<'_, T>, y: VectorRef<'_, T>) -> Result<T> {
    of_two(&Reduction::Dot { conjugate: true }, x, y, |x, y| host::dot(true, raw_vector(x), raw_vector(y)), element)
}

/// The sum of x_i y_i, of floats in doubles (BLAS: DSDOT).
///
/// # Errors
/// The errors of [`dot`]; [`crate::Error::PrecisionNotSupported`] on a device that does not compute in doubles.
pub fn dsdot(x: VectorRef<'_, f32>, y: VectorRef<'_, f32>) -> Result<f64> {
    of_two(&Reduction::Dsdot, x, y, |x, y| host::dsdot(0.0, raw_vector(x), raw_vector(y)), real)
}

/// `start` plus the sum of x_i y_i, of floats in doubles, rounded to float (BLAS: SDSDOT).
///
/// # Errors
/// The errors of [`dsdot`].
pub fn sdsdot(start: f32, x: VectorRef<'_, f32>, y: VectorRef<'_, f32>) -> Result<f32> {
    of_two(
        &Reduction::Sdsdot(start),
        x,
        y,
        |x, y| host::dsdot(f64::from(start), raw_vector(x), raw_vector(y)) as f32,
        real,
    )
}

/// The square root of the sum of |x_i|^2 (BLAS: SNRM2, DNRM2, SCNRM2, DZNRM2), without overflow or underflow on the
/// way; 0 for an empty vector.
///
/// Floats are squared in doubles. Doubles, and floats on a device without doubles, are kept in Blue's three sums
/// (Anderson, Algorithm 978, 2017).
///
/// # Errors
/// The errors of [`dot`].
#[instances]
pub fn nrm2<T: Scalar>(x: VectorRef<'_, T>) -> Result<T::RealScalar> {
    of_one(&Reduction::Nrm2, x, |x| host::nrm2(raw_vector(x)), real)
}

/// The sum of |re(x_i)| + |im(x_i)| (BLAS: SASUM, DASUM, SCASUM, DZASUM); 0 for an empty vector.
///
/// # Errors
/// The errors of [`dot`].
#[instances]
pub fn asum<T: Scalar>(x: VectorRef<'_, T>) -> Result<T::RealScalar> {
    of_one(&Reduction::Asum, x, |x| host::asum(raw_vector(x)), real)
}

/// The index, from 0, of the first element with the largest |re(x_i)| + |im(x_i)| (BLAS: ISAMAX, IDAMAX, ICAMAX,
/// IZAMAX); `None` for an empty vector. With a negative increment the element at the highest address has index 0.
///
/// The reference BLAS compares one element after another with the largest before it, and a comparison with NaN is
/// false. So it is here, in whatever order elements are looked at: a NaN is passed over, but in the first place, where
/// nothing replaces it and the index is 0.
///
/// # Errors
/// The errors of [`dot`].
#[instances]
pub fn iamax<T: Scalar>(x: VectorRef<'_, T>) -> Result<Option<usize>> {
    index(&Reduction::Iamax, x)
}

/// The index, from 0, of the first element with the smallest |re(x_i)| + |im(x_i)| (BLAS extension: ISAMIN, IDAMIN,
/// ICAMIN, IZAMIN). Otherwise as [`iamax`].
///
/// # Errors
/// The errors of [`dot`].
#[instances]
pub fn iamin<T: Scalar>(x: VectorRef<'_, T>) -> Result<Option<usize>> {
    index(&Reduction::Iamin, x)
}

fn index<T: Scalar>(reduction: &Reduction, x: VectorRef<'_, T>) -> Result<Option<usize>> {
    let smallest = matches!(reduction, Reduction::Iamin);
    let n = x.length();
    let index: i64 = of_one(
        reduction,
        x,
        |x| host::index(smallest, raw_vector(x)) as i64,
        |number| match number {
            Number::Index(index) => Some(index),
            _ => None,
        },
    )?;
    Ok((n > 0).then_some(index as usize))
}

/// A vector as [`raw_vector`] takes it.
type Operand<'a, T> = crate::blas::level1::elementwise::Operand<'a, T>;

/// The number of the element type that a vendor's library gave, if it was asked.
fn element<T: Scalar>(number: Number<T>) -> Option<T> {
    match number {
        Number::Element(element) => Some(element),
        _ => None,
    }
}

/// The real number that it gave, exact in its own precision.
fn real<T: Scalar, R: Scalar>(number: Number<T>) -> Option<R> {
    match number {
        Number::Real(real) => Some(R::from_parts(real, 0.0)),
        _ => None,
    }
}

fn of_one<T: Scalar, R: Element>(
    reduction: &Reduction,
    x: VectorRef<'_, T>,
    on_host: impl Fn(Operand<'_, T>) -> R,
    from_vendor: impl FnOnce(Number<T>) -> Option<R>,
) -> Result<R> {
    let result = Cell::new(R::default());
    let (event, number) = dispatch_number(
        Family::Reduction,
        operations::<T>(x.length()),
        (x,),
        |(x,)| result.set(on_host((x.memory(), *x.shape()))),
        |queue, (x,)| {
            result.set(reduced(queue, reduction, (x.memory(), *x.shape()), None)?);
            Ok(Event::Complete)
        },
        |call, (x,)| vendor::reduction(call, reduction, (&x).into(), None),
    )?;
    event.wait()?;
    Ok(from_vendor(number).unwrap_or_else(|| result.get()))
}

fn of_two<T: Scalar, R: Element>(
    reduction: &Reduction,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    on_host: impl Fn(Operand<'_, T>, Operand<'_, T>) -> R,
    from_vendor: impl FnOnce(Number<T>) -> Option<R>,
) -> Result<R> {
    check_lengths(x.shape(), y.shape())?;
    let result = Cell::new(R::default());
    let (event, number) = dispatch_number(
        Family::Reduction,
        operations::<T>(x.length()),
        (x, y),
        |(x, y)| result.set(on_host((x.memory(), *x.shape()), (y.memory(), *y.shape()))),
        |queue, (x, y)| {
            result.set(reduced(queue, reduction, (x.memory(), *x.shape()), Some((y.memory(), *y.shape())))?);
            Ok(Event::Complete)
        },
        |call, (x, y)| vendor::reduction(call, reduction, (&x).into(), Some((&y).into())),
    )?;
    event.wait()?;
    Ok(from_vendor(number).unwrap_or_else(|| result.get()))
}

/// One multiplication and addition per element.
fn operations<T: Scalar>(n: usize) -> u64 {
    (n as u64).saturating_mul(T::KIND.multiply_add_operations())
}
