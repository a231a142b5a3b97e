//! Logarithms.

use crate::lanes::Lanes;
use crate::shared::logarithm as shared;

/// The natural logarithm.
#[inline(always)]
pub fn ln<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::ln(l, x)
}

/// The logarithm to base 2, exact for powers of 2.
#[inline(always)]
pub fn log2<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::log2(l, x)
}

/// The logarithm to base 10, exact for powers of 10.
#[inline(always)]
pub fn log10<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::log10(l, x)
}

/// ln(1 + x), accurate near 0.
#[inline(always)]
pub fn log1p<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::log1p(l, x)
}
