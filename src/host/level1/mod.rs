//! Level 1 on the host: plain loops that the compiler turns into wide vectors, in several threads where it pays.

pub(in crate::host) mod adjacent;
mod elementwise;
mod givens;
pub(in crate::host) mod reduction;
pub(in crate::host) mod squares;
mod strand;

pub(crate) use elementwise::elementwise;
pub use givens::{Givens, ModifiedGivens, rotg, rotm_factors, rotmg};
pub(in crate::host) use reduction::reals;
pub(crate) use reduction::{asum, dot, dsdot, index, nrm2};
pub(crate) use strand::Strand;
