//! Iterative solvers.
//!
//! A method is a recurrence, written once: products with A, and [`pass::Pass`]es over vectors, which are data. The host
//! walks passes (`crates/cpu/src/sparse/passes.rs`); a device gets each of them as a kernel (`device`). The numbers of
//! a recurrence stay where the vectors are: a pass computes its own from the sums of the pass before, and nothing waits
//! for the host, which looks every few iterations whether the solver has stopped. A solver that has stopped does
//! nothing more, so that the result is the same whenever it looks. All sums are made in an order that depends on the
//! sizes and the device alone. Processes that share a system reduce the sums of each pass over all of them
//! (`all_reduced`).

mod all_reduced;
mod bicgstab;
mod cg;
mod device;
mod driver;
mod gmres;
mod host;
mod jacobi;
mod least_squares;
mod lsmr;
mod lsqr;
mod method;
mod minres;
mod operator;
mod options;
mod polling;
mod range;
mod runner;
mod space;

pub(crate) use all_reduced::{AllReduced, dots_of};
pub(crate) use bicgstab::BiCgStab;
pub(crate) use cg::Cg;
pub(crate) use device::DeviceRunner;
pub(crate) use driver::solve;
pub(crate) use gmres::Gmres;
pub(crate) use host::HostRunner;
pub use jacobi::Jacobi;
pub(crate) use least_squares::{Kind, LeastSquares};
pub(crate) use method::{Method, Preconditioning, passes};
pub(crate) use minres::Minres;
pub use operator::{AllReduce, LinearOperator};
pub use options::{Outcome, Reason, SolveOptions};
pub(crate) use runner::Runner;
