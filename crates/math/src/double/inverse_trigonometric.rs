//! Angles in radians.
//!
//! | function | largest error / ulp | special values |
//! |---|---|---|
//! | [`asin`] | 1 | NaN beyond ±1; ±0 |
//! | [`acos`] | 1 | NaN beyond ±1; acos 1 is 0 |
//! | [`atan`] | 1.1 | ±π/2 for infinities; ±0 |
//! | [`atan2`] | 1.3 | C99, Annex F |

use crate::lanes::Lanes;
use crate::shared::inverse_trigonometric as shared;

/// The angle in [-π/2, π/2] whose sine is x. NaN beyond ±1.
#[inline(always)]
pub fn asin<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::asin(l, x)
}

/// The angle in [0, π] whose cosine is x. NaN beyond ±1.
#[inline(always)]
pub fn acos<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::acos(l, x)
}

/// The angle in [-π/2, π/2] whose tangent is x.
#[inline(always)]
pub fn atan<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::atan(l, x)
}

/// The angle of (y, x) in [-π, π], with the special values of C99's Annex F.
#[inline(always)]
pub fn atan2<L: Lanes<Real = f64>>(l: L, y: L::F, x: L::F) -> L::F {
    shared::atan2(l, y, x)
}
