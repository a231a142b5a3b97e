//! Vector operations.

mod blocks;
pub mod elementwise;

pub use elementwise::{Elementwise, axpby_on, axpy_on, copy_on, scal_on, scal_real_on, swap_on};
