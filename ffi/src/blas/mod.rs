//! Handwritten callers, by family.

pub(crate) mod level1;
pub(crate) mod level2;
pub(crate) mod level3;
pub(crate) mod movement;
