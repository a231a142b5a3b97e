//! Level 3 beyond gemm, as algebra, against dense products computed in `f64`.
//!
//! What must not be read is NaN: the triangles that are not stored, unit diagonals, imaginary parts on Hermitian ones, and
//! what surrounds the matrices. What must not be written holds a canary. Elements are short dyadic numbers, so that the
//! reference is exact also for doubles.

mod families;
mod infinities;
mod matrix;
mod routines;
