//! Level 3 beyond gemm, as algebra, against dense products computed in `f64`.
//!
//! Memory that must not be read is NaN: triangles that are not stored, unit diagonals, imaginary parts on Hermitian
//! ones, and the surroundings of the matrices. Memory that must not be written holds a canary. Elements are short
//! dyadic numbers, so that the reference is exact for doubles too.

mod families;
mod infinities;
mod matrix;
mod routines;
