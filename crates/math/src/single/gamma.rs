//! The gamma function and its logarithm.
//!
//! | function | largest error / ulp | special values |
//! |---|---|---|
//! | [`gamma`] | 5 | ±∞ for ±0, NaN for negative whole numbers and -∞ |
//! | [`lgamma`] | 4 · 2^-23 max(1, \|result\|) (absolute) | ∞ at poles and for infinities |

use crate::lanes::Lanes;
use crate::shared::gamma as shared;

/// The gamma function: ±∞ for ±0, NaN for negative whole numbers and -∞.
#[inline(always)]
pub fn gamma<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::gamma(l, x)
}

/// ln |gamma x|, ∞ at poles and for infinities.
///
/// Near zeros the absolute error is bounded, not the relative one.
#[inline(always)]
pub fn lgamma<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::lgamma(l, x)
}
