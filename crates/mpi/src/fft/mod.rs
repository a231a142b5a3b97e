//! Fourier transforms of arrays that ranks have parts of: transforms of whole axes, and exchanges between them.

mod blocks;
mod exchange;
mod local;
mod plan;

pub use blocks::{Decomposition, FftBlock};
pub use plan::{DistFft, FftOptions, Spectrum};
