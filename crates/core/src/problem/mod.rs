//! Problems: sizes, strides and options, without the memory and the factors. They choose plans, kernels and the host.

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
