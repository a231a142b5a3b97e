//! Handwritten callers, by family.

pub(crate) mod level3;
