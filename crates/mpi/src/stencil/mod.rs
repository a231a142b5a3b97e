//! Stencils on grids in blocks with halos.

mod blocks;
mod exchange;
mod parts;
mod passes;
mod plan;
mod topology;

pub use blocks::StencilBlock;
pub use plan::{DistStencil, StencilOptions, StencilOutcome};
