//! Many products or triangular solutions of one shape in one call.

mod gemm;
mod offsets;
mod plan;
mod trsm;

#[cfg(test)]
mod tests;

pub use gemm::{BatchedProblem, gemm_batched_on};
pub(crate) use gemm::{batched_problem, execute_batched};
pub(crate) use offsets::MatrixOffsets;
pub use plan::{BatchedPlan, BatchedTrsmPlan};
pub use trsm::trsm_batched_on;
pub(crate) use trsm::{batched_system, execute_systems};
