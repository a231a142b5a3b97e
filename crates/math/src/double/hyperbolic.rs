//! Hyperbolic functions.

use crate::lanes::Lanes;
use crate::shared::hyperbolic as shared;

/// (e^x - e^-x) / 2
#[inline(always)]
pub fn sinh<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::sinh(l, x)
}

/// (e^x + e^-x) / 2
#[inline(always)]
pub fn cosh<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::cosh(l, x)
}

/// sinh x / cosh x
#[inline(always)]
pub fn tanh<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::tanh(l, x)
}
