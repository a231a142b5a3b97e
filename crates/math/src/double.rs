//! Functions in double precision.

pub mod exponential;
pub mod logarithm;

pub use exponential::{exp, exp2, expm1};
pub use logarithm::{ln, log1p, log2, log10};
