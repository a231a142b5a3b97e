//! Coefficients and constants, made by `derive/derive.py`.

pub mod exponential;
pub mod logarithm;
pub mod error;
pub mod estimates;
pub mod inverse_trigonometric;
pub mod trigonometric;
