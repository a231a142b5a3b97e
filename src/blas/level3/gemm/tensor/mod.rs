//! The tensor family: tiles for tensor cores, with slices prefetched by asynchronous copies.
//!
//! Doubles are multiplied exactly as stored. Floats are split into hi and lo parts in TF32, whose three products keep
//! the error bound of multiply-adds (Ootomo and Yokota, *Recovering single precision accuracy from Tensor Cores*,
//! 2022). [`MathMode::Fast`](crate::MathMode) rounds them to 11 bits instead. Tiles with floats too small for the
//! split, or with accumulators that are not finite, are recomputed with multiply-adds: see [`Guard`].
//!
//! A warp multiplies fragments (mma), or a group of four warps on devices that have wgmma: see [`MmaScope`].

mod family;
mod operands;
mod parameters;
mod plan;
mod run;

pub use parameters::TensorParameters;
pub(super) use parameters::{MmaScope, WARP, local_memory};
#[cfg(test)]
pub(super) use plan::Guard;
pub use plan::TensorPlan;
pub(super) use plan::copy_bytes;
pub(super) use run::run;
