// python3 crates/math/derive/derive.py estimates
//! Constants of estimates by the bits of numbers.

#![allow(clippy::approx_constant)]

/// For `f32`.
pub mod single {
    /// Less 1 times the bits of x: the bits of x^-1. Error 0.051.
    pub const RECIPROCAL: i32 = 2129859010;

    /// Less 0.5 times the bits of x: the bits of x^-0.5. Error 0.034.
    pub const INVERSE_SQRT: i32 = 1597465376;
}

/// For `f64`.
pub mod double {
    /// Less 1 times the bits of x: the bits of x^-1. Error 0.051.
    pub const RECIPROCAL: i64 = 9213909881783924475;

    /// Less 0.5 times the bits of x: the bits of x^-0.5. Error 0.034.
    pub const INVERSE_SQRT: i64 = 6910470592502955932;
}
