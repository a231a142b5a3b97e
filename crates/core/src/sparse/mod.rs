//! Sparse matrices: their arrays, views, and what is to be computed with them.

mod arrays;
mod check;
pub mod formula;
mod mirror;
pub mod pass;
mod pointer;
mod product;
mod view;

pub use arrays::{CooArrays, CsrArrays, check_count};
pub use check::{check, check_sizes};
pub use mirror::Mirror;
pub use pointer::RowPointer;
pub use product::{CsrDenseProduct, CsrProduct, TriangleSolve};
pub use view::CsrRef;
