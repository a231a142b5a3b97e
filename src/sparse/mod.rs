//! Sparse matrices: so far, reading and writing them.

pub mod matrix_market;
