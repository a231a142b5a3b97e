//! Functions in single precision.

pub mod exponential;
pub mod hyperbolic;
pub mod logarithm;
pub mod power;

pub use exponential::{exp, exp2, expm1};
pub use hyperbolic::{cosh, sinh, tanh};
pub use logarithm::{ln, log1p, log2, log10};
pub use power::{cbrt, hypot, pow};
