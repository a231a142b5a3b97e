//! BLAS, one file for each routine's arguments.

pub mod level1;
pub mod level2;
pub mod level3;
pub mod movement;
pub(crate) mod small;
