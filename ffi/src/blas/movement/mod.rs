//! Matrices scaled, transposed and added.

pub(crate) mod imatcopy;
pub(crate) mod omatadd;
pub(crate) mod omatcopy;
