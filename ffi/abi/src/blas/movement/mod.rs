//! Matrices scaled, transposed and added.

pub mod imatcopy;
pub mod omatadd;
pub mod omatcopy;
