//! Sparse matrices in compressed rows, and the files they come from.

pub(crate) mod convert;
mod coo;
mod csr;
mod lazy;
pub mod matrix_market;
mod precondition;
pub(crate) mod product;
pub(crate) mod solve;
mod statistics;
#[cfg(test)]
pub(crate) mod testing;
mod triangular;

pub use crate::host::solve::SparseMethod;
pub use affinimath_core::sparse::{Mirror, RowPointer};
pub(crate) use coo::check_count;
pub use coo::{CooArrays, CooMatrix};
pub(crate) use csr::CsrRef;
pub use csr::{CsrArrays, CsrMatrix};
pub(crate) use precondition::{BlockProduct, block_product_on, by_rows};
pub(crate) use product::{
    CsrDenseProduct, CsrProduct, PreparedProduct, Segments, dense_product_on, product_on, product_step_on,
};
pub use solve::{AllReduce, Jacobi, LinearOperator, Outcome, Reason, SolveOptions};
pub use statistics::RowStatistics;
pub(crate) use triangular::{Levels, PreparedTriangle, TriangleSolve, solve_on};
