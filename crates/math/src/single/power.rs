//! Powers and roots.

use crate::lanes::Lanes;
use crate::shared::power as shared;

/// x^y, with C99's special values: x^0 = 1^y = 1 also for NaN; whole y for x < 0.
#[inline(always)]
pub fn pow<L: Lanes<Real = f32>>(l: L, x: L::F, y: L::F) -> L::F {
    shared::pow(l, x, y)
}

/// The cube root, also of negative numbers.
#[inline(always)]
pub fn cbrt<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::cbrt(l, x)
}

/// sqrt(x² + y²) without overflow. An infinity prevails over NaN.
#[inline(always)]
pub fn hypot<L: Lanes<Real = f32>>(l: L, x: L::F, y: L::F) -> L::F {
    shared::hypot(l, x, y)
}
