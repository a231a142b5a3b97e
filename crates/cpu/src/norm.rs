//! Norms of dense matrices, in `f64` for every element type. LAPACK's xLANGE.

use affinimath_macros::instances;
use faer::MatRef;

use super::lapack::norm;
use affinimath_core::pattern::Pattern;
use affinimath_core::{Norm, Scalar};

/// The 1-norm: the largest sum of moduli of a column.
#[instances]
pub fn one_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::One, Pattern::General, a)
}

/// The infinity norm: the largest sum of moduli of a row.
#[instances]
pub fn infinity_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::Infinity, Pattern::General, a)
}

/// The largest modulus of an element.
#[instances]
pub fn max_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::Max, Pattern::General, a)
}

/// The Frobenius norm: the root of the sum of squared moduli, which overflows only where the norm itself does.
#[instances]
pub fn frobenius_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::Frobenius, Pattern::General, a)
}
