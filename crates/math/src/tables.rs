//! Coefficients and constants, made by `derive/derive.py`.

pub mod exponential;
