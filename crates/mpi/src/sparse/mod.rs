//! Sparse matrices in blocks of rows, vectors, and iterative solvers.

mod bicgstab;
mod cg;
mod csr;
mod device;
mod ghosts;
mod gmres;
mod market;
mod minres;
mod precondition;
mod solve;
mod vector;

pub use bicgstab::bicgstab;
pub use cg::cg;
pub use csr::DistCsr;
pub use gmres::gmres;
pub use minres::minres;
pub use precondition::BlockJacobi;
pub use solve::SolveOptions;
pub use vector::{DistVector, Partition};
