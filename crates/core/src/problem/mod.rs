//! What is to be computed, without the memory and the factors: what plans, kernels and the host are chosen by.

mod elementwise;
pub mod gemm;
pub mod movement;
pub mod product;
pub mod solve;
mod stored;
pub mod structure;
pub mod update;

pub use elementwise::Elementwise;
pub use stored::{ColumnStarts, Stored};
