//! Eigenvalues and singular values on the host: reductions and iterations by faer, under LAPACK's contract.
//!
//! Matrices are scaled by a power of two where squares of their elements could overflow or underflow. An element that
//! is not finite has no iteration: results are NaN, and the info is positive.

mod balance;
mod band;
mod bidiagonal;
mod bisection;
mod definite;
mod general;
mod generalised;
mod hermitian;
mod hessenberg;
mod inverse;
mod least;
mod reduction;
mod reorder;
mod rotations;
mod schur;
mod sensitivity;
mod singular;
mod sylvester;
mod tridiagonal;
mod vectors;

use faer::{Mat, MatMut, MatRef, Par};

use super::Info;
use crate::threads;
use affinimath_core::scalar::{Complex64, Scalar};

pub use balance::{Balancing, gebak, gebal};
pub use band::{hbev, hbevx, hbtrd};
pub use bidiagonal::bdsqr;
pub use bisection::{count_between, stebz, stein, stemr};
pub use definite::{Pencil, hegst, hegv, hegvx};
pub use general::{Balanced, Sensitivity, geev, geevx};
pub use generalised::{LeadingQuotients, Quotients, SelectPencil, gges, ggev, tgsen};
pub use hermitian::{Spectrum, heev, heevr};
pub use hessenberg::{gehrd, orghr, ormhr};
pub use least::gelsd;
pub use reduction::{BidiagonalFactor, gebrd, hetrd, orgbr, orgtr, ormbr, ormtr};
pub use reorder::{Conditions, Order, trexc, trsen};
pub use schur::{Leading, Select, gees, geesx, hseqr};
pub use sensitivity::trsna;
pub use singular::gesvd;
pub use sylvester::trsyl;
pub use tridiagonal::{stedc, steqr, sterf, stevr};
pub use vectors::{Wanted, selected_pairs, trevc};

/// Minimum order with several threads.
const PARALLEL_MIN: usize = 128;

fn parallelism(order: usize) -> Par {
    if order >= PARALLEL_MIN { threads::parallelism() } else { Par::Seq }
}

/// Factor, a power of two, that brings elements of at most this size away from overflow and underflow of their squares
/// (LAPACK: sqrt(safmin / eps) and its reciprocal). 1 if they are.
fn into_range<T: Scalar>(size: f64) -> f64 {
    let min_normal = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
    let smallest = (min_normal / T::EPSILON).sqrt();
    if size > 0.0 && size.is_finite() && !(smallest..=smallest.recip()).contains(&size) {
        // 2^1000 and its reciprocal are normal numbers.
        2f64.powi(-(size.log2() as i32).clamp(-1000, 1000))
    } else {
        1.0
    }
}

/// An element times a factor that its type may not represent.
fn scaled<T: Scalar>(element: T, factor: f64) -> T {
    if factor == 1.0 { element } else { T::from_parts(element.re() * factor, element.im() * factor) }
}

/// A scaled copy with contiguous columns.
fn scaled_copy<T: Scalar>(a: MatRef<'_, T>, factor: f64) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| scaled(a[(i, j)], factor))
}

/// A quotient without the square of the divisor's modulus, which may underflow.
fn quotient(x: Complex64, divisor: Complex64) -> Complex64 {
    let size = divisor.norm();
    (x / size) * (divisor.conj() / size)
}

fn real<T: Scalar>(value: f64) -> T::RealScalar {
    <T::RealScalar as Scalar>::from_parts(value, 0.0)
}

/// NaN in all elements.
fn spoil<T: Scalar>(mut a: MatMut<'_, T>) {
    a.fill(T::from_parts(f64::NAN, f64::NAN));
}

/// Results of a matrix with elements that are not finite: NaN. The info is that of no convergence at all.
fn not_finite<'a, T: Scalar>(
    values: &mut [T::RealScalar],
    matrices: impl IntoIterator<Item = Option<MatMut<'a, T>>>,
) -> Info {
    values.fill(real::<T>(f64::NAN));
    matrices.into_iter().flatten().for_each(|matrix| spoil(matrix));
    Some(values.len().max(1))
}
