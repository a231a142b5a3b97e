//! The estimate of a condition from factors.

use faer::{Mat, MatMut, MatRef};

use affinimath_core::scalar::Scalar;

/// Times the direction is improved: Higham found that more does not help.
const ITERATIONS: usize = 5;

/// Lower bound of the 1-norm of `B = A⁻¹`, of order n, nearly always within a factor of 3, from a few products with
/// it: `apply` overwrites x with `B x`, `apply_adjoint` with `Bᴴ x`.
///
/// N. J. Higham, *FORTRAN codes for estimating the one-norm of a real or complex matrix, with applications to condition
/// estimation*, ACM Transactions on Mathematical Software 14 (1988), 381-396; LAPACK's xLACN2.
pub fn inverse_one_norm<T: Scalar>(
    n: usize,
    apply: impl FnMut(MatMut<'_, T>),
    apply_adjoint: impl FnMut(MatMut<'_, T>),
) -> f64 {
    inverse_one_norm_and_vector(n, apply, apply_adjoint).0
}

/// [`inverse_one_norm`] with the vector v = B w for which the estimate is ||v||₁ / ||w||₁ (xLACN2's V). For an
/// inverse B, A v is small compared to v.
pub fn inverse_one_norm_and_vector<T: Scalar>(
    n: usize,
    mut apply: impl FnMut(MatMut<'_, T>),
    mut apply_adjoint: impl FnMut(MatMut<'_, T>),
) -> (f64, Mat<T>) {
    if n == 0 {
        return (0.0, Mat::zeros(0, 1));
    }
    let mut x = Mat::from_fn(n, 1, |_, _| T::from_parts(1.0 / n as f64, 0.0));
    apply(x.as_mut());
    let mut estimate = one_norm(x.as_ref());
    if n == 1 || !estimate.is_finite() {
        return (finite_or_infinite(estimate), x);
    }
    let mut vector = x.clone();
    // The gradient of ||B x|| at x is Bᴴ sign(B x): its largest component is the index of a better unit vector.
    x = signs(&x);
    apply_adjoint(x.as_mut());
    let mut best = largest(&x);
    for _ in 0..ITERATIONS {
        x = Mat::from_fn(n, 1, |i, _| if i == best { T::ONE } else { T::ZERO });
        apply(x.as_mut());
        let found = one_norm(x.as_ref());
        if !found.is_finite() {
            return (f64::INFINITY, x);
        }
        if found <= estimate {
            break;
        }
        estimate = found;
        vector.copy_from(&x);
        x = signs(&x);
        apply_adjoint(x.as_mut());
        let next = largest(&x);
        if x[(next, 0)].modulus() == x[(best, 0)].modulus() {
            break;
        }
        best = next;
    }
    // A vector of alternating signs guards against matrices for which cancellation hides the norm from the iteration.
    let mut x = Mat::from_fn(n, 1, |i, _| {
        let size = 1.0 + i as f64 / (n - 1) as f64;
        T::from_parts(if i % 2 == 0 { size } else { -size }, 0.0)
    });
    apply(x.as_mut());
    let alternating = 2.0 * one_norm(x.as_ref()) / (3 * n) as f64;
    // Not `<=`, which NaN passes.
    if alternating > estimate || !alternating.is_finite() {
        (finite_or_infinite(alternating), x)
    } else {
        (estimate, vector)
    }
}

/// Largest column sum of moduli.
pub(crate) fn one_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    let sums = a.col_iter().map(|column| column.iter().map(|element| element.modulus()).sum::<f64>());
    // NaN stays.
    sums.fold(0.0, |largest, sum| if sum <= largest { largest } else { sum })
}

/// An estimate that overflowed on its way is of something very large.
fn finite_or_infinite(estimate: f64) -> f64 {
    if estimate.is_finite() { estimate } else { f64::INFINITY }
}

fn signs<T: Scalar>(x: &Mat<T>) -> Mat<T> {
    Mat::from_fn(x.nrows(), 1, |i, _| {
        let (element, modulus) = (x[(i, 0)], x[(i, 0)].modulus());
        if modulus == 0.0 { T::ONE } else { T::from_parts(element.re() / modulus, element.im() / modulus) }
    })
}

fn largest<T: Scalar>(x: &Mat<T>) -> usize {
    let modulus = |i: usize| x[(i, 0)].modulus();
    (0..x.nrows()).reduce(|best, i| if modulus(i) > modulus(best) { i } else { best }).unwrap_or(0)
}
