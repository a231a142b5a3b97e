//! Error functions and the normal distribution.
//!
//! | function | largest error / ulp | special values |
//! |---|---|---|
//! | [`erf`] | 1 | ±1 for infinities; ±0 |
//! | [`erfc`] | 2.3 | 0 and 2 for infinities; subnormal results are rounded once |
//! | [`normcdf`] | 2.5 | 0 and 1 for infinities; subnormal results are rounded once |

use crate::lanes::Lanes;
use crate::shared::error as shared;

/// 2/sqrt(π) times the integral of e^(-t²) from 0 to x.
#[inline(always)]
pub fn erf<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::erf(l, x)
}

/// 1 - erf x, with a small relative error also where it is tiny.
#[inline(always)]
pub fn erfc<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::erfc(l, x)
}

/// The distribution function of the standard normal distribution, erfc(-x/√2)/2, with a small relative error.
#[inline(always)]
pub fn normcdf<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::normcdf(l, x)
}
