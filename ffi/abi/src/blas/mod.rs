//! Handwritten callers, by family.

pub mod level1;
pub mod level2;
pub mod level3;
pub mod movement;
pub(crate) mod small;
