//! Functions in double precision.

pub mod error;
pub mod exponential;
pub mod gamma;
pub mod hyperbolic;
pub mod inverse_trigonometric;
pub mod logarithm;
pub mod power;
pub mod trigonometric;

pub use error::{erf, erfc, normcdf};
pub use exponential::{exp, exp2, expm1};
pub use gamma::{gamma, lgamma};
pub use hyperbolic::{cosh, sinh, tanh};
pub use inverse_trigonometric::{acos, asin, atan, atan2};
pub use logarithm::{ln, log1p, log2, log10};
pub use power::{cbrt, hypot, pow};
pub use trigonometric::{cos, cospi, sin, sincos, sinpi, tan};
