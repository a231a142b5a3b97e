//! Elementary and special functions over vectors of any width.
//!
//! A function is generic over [`Lanes`], the instructions of a machine: scalars ([`Scalar`]), SIMD registers, or the
//! values of a kernel language. Every instruction is correctly rounded, and none is contracted or reordered. So a
//! function gives the same bits on each machine.
//!
//! [`single`] and [`double`] have the functions of each precision. [`Functions`] has them for code that is generic over
//! it, and [`unary_functions`] and [`binary_functions`] list their names.
//!
//! Exponentials, logarithms, powers and hyperbolic functions have errors up to 1 ulp of the exact result,
//! [`double::expm1`] up to 1.1. Special values are those of C99, annex F. The package's README has the table.

pub mod complex;
pub mod double;
pub mod functions;
pub mod lanes;
mod layout;
#[cfg(feature = "host")]
pub mod machine;
mod polynomial;
pub mod scalar;
mod shared;
pub mod single;
mod tables;

pub use functions::Functions;
pub use lanes::{Lanes, Real};
pub use scalar::Scalar;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
