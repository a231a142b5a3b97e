//! Sparse matrices in compressed rows, and the files they come from.

mod csr;
mod lazy;
pub mod matrix_market;
mod pointer;
pub(crate) mod product;
mod statistics;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use csr::CsrRef;
pub use csr::{CsrArrays, CsrMatrix};
pub use pointer::RowPointer;
pub(crate) use product::{CsrProduct, PreparedProduct, product_on};
pub use statistics::RowStatistics;
