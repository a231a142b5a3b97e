//! Vector operations.

mod blocks;
pub mod elementwise;
pub mod reduction;
pub mod rotation;
#[cfg(test)]
mod testing;

pub use elementwise::{Elementwise, axpby_on, axpy_on, copy_on, scal_on, scal_real_on, swap_on};
pub use reduction::{asum_on, dot_on, dotc_on, dsdot_on, iamax_on, iamin_on, nrm2_on, sdsdot_on};
pub use rotation::{rot_on, rot_real_on, rotg_on, rotm_on, rotmg_on};
