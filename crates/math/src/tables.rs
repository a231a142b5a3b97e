//! Coefficients and constants, made by `derive/derive.py`.

pub mod exponential;
pub mod hyperbolic;
pub mod logarithm;
pub mod power;
