//! Level 1 on the host: loops that the compiler vectorises, on several threads for long vectors.

pub(crate) mod adjacent;
mod elementwise;
mod givens;
mod raw_vector;
pub(crate) mod reduction;
pub(crate) mod squares;

pub use elementwise::elementwise;
pub use givens::{Givens, ModifiedGivens, rotg, rotm_factors, rotmg};
pub use raw_vector::RawVector;
pub(crate) use reduction::reals;
pub use reduction::{asum, dot, dsdot, index, nrm2};
