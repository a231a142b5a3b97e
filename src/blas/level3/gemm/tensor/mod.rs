//! The tensor family: tiles for tensor cores, with slices that are copied ahead.
//!
//! Doubles are multiplied as they are. Floats are split in halves that the tensor cores take, whose three products keep
//! the error bound of multiply-adds (Ootomo and Yokota, *Recovering single precision accuracy from Tensor Cores*, 2022), or, by
//! [`MathMode::Fast`](crate::MathMode), rounded to 11 bits. Products of floats that are too small for halves are computed with
//! multiply-adds, and so are tiles whose sums are not finite: see [`Guard`].
//!
//! Fragments are multiplied by a warp, or, where the device has instructions for that, by a group of four: see [`Unit`].

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
