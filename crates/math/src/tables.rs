//! Coefficients and constants, made by `derive/derive.py`.

pub mod error;
pub mod estimates;
pub mod exponential;
pub mod gamma;
pub mod hyperbolic;
pub mod inverse_trigonometric;
pub mod logarithm;
pub mod power;
pub mod trigonometric;
