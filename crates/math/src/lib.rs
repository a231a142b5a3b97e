//! Elementary and special functions over vectors of any width.
//!
//! A function is generic over [`Lanes`], the instructions of a machine: scalars ([`Scalar`]), SIMD registers, or the
//! values of a kernel language. Every instruction is correctly rounded, and none is contracted or reordered. So a
//! function gives the same bits on each machine.
//!
//! Single and double precision have their own algorithms, in [`single`] and [`double`].

pub mod complex;
pub mod double;
pub mod functions;
pub mod lanes;
mod layout;
mod polynomial;
pub mod scalar;
mod shared;
pub mod single;
mod tables;

pub use functions::Functions;
pub use lanes::{Lanes, Real};
pub use scalar::Scalar;
