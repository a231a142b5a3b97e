//! Dense and sparse linear algebra, Fourier transforms and stencils distributed over the ranks of an MPI program, one
//! device for each rank.
//!
//! Every function here is called by all ranks of a [`Grid`], with the same arguments but for local parts. Wrong
//! arguments, ranks that disagree and ranks that fail are the same error on all of them, and nobody waits for ever.
//!
#![cfg_attr(feature = "mpi", doc = "```no_run")]
#![cfg_attr(not(feature = "mpi"), doc = "```ignore")]
//! use affinimath::Norm;
//! use affinimath_mpi::{DistMatrix, Environment, Grid, MatrixLayout, gesv};
//!
//! fn main() -> Result<(), affinimath_mpi::Error> {
//!     let environment = Environment::initialize()?;
//!     let grid = Grid::new(&environment.world(), 2, 2)?;
//!     let n = 10_000;
//!     let layout = MatrixLayout::new(&grid, (n, n), (128, 128))?;
//!     let mut a = DistMatrix::from_fn(&grid, layout, |i, j| if i == j { 2.0 } else { 1.0 / (1 + i + j) as f64 })?;
//!     let mut x = DistMatrix::from_fn(&grid, MatrixLayout::new(&grid, (n, 1), (128, 1))?, |i, _| i as f64)?;
//!     gesv(&mut a, &mut x)?;
//!     let largest = x.norm(Norm::Max)?; // all ranks
//!     if grid.rank() == 0 {
//!         println!("the largest element of x is {largest}");
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The feature `mpi` makes the crate: building it needs an MPI library and libclang.

#![cfg(feature = "mpi")]

mod agree;
mod comm;
mod dense;
mod environment;
mod error;
mod fft;
mod grid;
mod layout;
mod memory;
pub mod model;
mod sparse;
mod stencil;

pub use dense::{
    DistMatrix, gemm, geqrf, gesv, getrf, getrf_info, getrs, hemm, herk, ormqr, posv, potrf, potrs, symm, syrk, trsm,
};
pub use environment::Environment;
pub use error::{Error, Result};
pub use fft::{Decomposition, DistFft, FftBlock, FftOptions, Spectrum};
pub use grid::Grid;
pub use layout::{BlockCyclic, MatrixLayout};
pub use memory::Memory;
pub use sparse::{BlockJacobi, DistCsr, DistVector, Partition, SolveOptions, bicgstab, cg, gmres, minres};
pub use stencil::{DistStencil, StencilBlock, StencilOptions, StencilOutcome};
