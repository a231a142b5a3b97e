//! Exponential functions.

use crate::lanes::Lanes;
use crate::shared::exponential as shared;

/// e^x.
#[inline(always)]
pub fn exp<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::exp(l, x)
}

/// 2^x, exact for whole numbers.
#[inline(always)]
pub fn exp2<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::exp2(l, x)
}

/// e^x - 1, accurate near 0.
#[inline(always)]
pub fn expm1<L: Lanes<Real = f64>>(l: L, x: L::F) -> L::F {
    shared::expm1(l, x)
}
