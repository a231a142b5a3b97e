//! Norms of dense matrices, in `f64` for every element type. LAPACK's xLANGE.

use affinimath_macros::instances;
use faer::MatRef;

use super::lapack::norm;
use affinimath_core::pattern::Pattern;
use affinimath_core::{Norm, Scalar};

/// 1-norm: the largest column sum of moduli.
#[instances]
pub fn one_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::One, Pattern::General, a)
}

/// Infinity norm: the largest row sum of moduli.
#[instances]
pub fn infinity_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::Infinity, Pattern::General, a)
}

/// The largest modulus of an element.
#[instances]
pub fn max_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::Max, Pattern::General, a)
}

/// Frobenius norm; intermediate sums overflow only if the norm itself does.
#[instances]
pub fn frobenius_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::Frobenius, Pattern::General, a)
}
