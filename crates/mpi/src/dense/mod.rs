//! Dense matrices in a block-cyclic layout, and their BLAS and LAPACK.

mod blocks;
mod cholesky;
mod exchange;
mod gemm;
mod interchange;
mod lu;
mod matrix;
mod norms;
mod panel;
mod qr;
mod symmetric;
mod trsm;

pub use cholesky::{posv, potrf, potrs};
pub use gemm::gemm;
pub use lu::{gesv, getrf, getrf_info, getrs};
pub use matrix::DistMatrix;
pub use qr::{geqrf, ormqr};
pub use symmetric::{hemm, herk, symm, syrk};
pub use trsm::trsm;
