//! Functions in single precision.

pub mod exponential;

pub use exponential::{exp, exp2, expm1};
