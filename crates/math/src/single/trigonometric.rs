//! Sines, cosines and tangents.
//!
//! | function | largest error / ulp | special values |
//! |---|---|---|
//! | [`sin`] | 1 | NaN for infinities; ±0 |
//! | [`cos`] | 1 | NaN for infinities |
//! | [`tan`] | 1.2 | NaN for infinities; ±0 |
//! | [`sinpi`] | 1 | NaN for infinities; zeros have the sign of x |
//! | [`cospi`] | 1 | NaN for infinities; zeros are positive |

use crate::lanes::Lanes;
use crate::shared::trigonometric as shared;

/// sin x, x in radians. NaN for infinities.
#[inline(always)]
pub fn sin<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::sin(l, x)
}

/// cos x, x in radians. NaN for infinities.
#[inline(always)]
pub fn cos<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::cos(l, x)
}

/// tan x, x in radians. NaN for infinities.
#[inline(always)]
pub fn tan<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::tan(l, x)
}

/// sin x and cos x, with one reduction of the argument and the same bits as [`sin`] and [`cos`].
#[inline(always)]
pub fn sincos<L: Lanes<Real = f32>>(l: L, x: L::F) -> (L::F, L::F) {
    shared::sincos(l, x)
}

/// sin(π x), exact at multiples of 1/2. Zeros have the sign of x. NaN for infinities.
#[inline(always)]
pub fn sinpi<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::sinpi(l, x)
}

/// cos(π x), exact at multiples of 1/2, where zeros are positive. NaN for infinities.
#[inline(always)]
pub fn cospi<L: Lanes<Real = f32>>(l: L, x: L::F) -> L::F {
    shared::cospi(l, x)
}
