//! Fused kernels of arrays on the host: a register bytecode over blocks of elements.
//!
//! ```text
//!   Structure --compile--> Program: for each phase actions of a launch, a run and a block
//!                             |
//!   Arguments, operands --> parts of 16 Ki points, shared out among threads
//!                             |
//!                          worker: blocks of a part; one loop an action, registers in the first cache
//! ```
//!
//! A block is a stretch of points along the last axis, a run, or of several short runs. Loops read contiguous operands
//! where they are, and write results there; other operands are gathered into registers. Values that are the same along
//! the last axis are computed once a run, and those that are the same everywhere once a part. A loop is compiled for
//! each set of instructions; [`machine`] chooses. Reductions follow `ReductionOrder` bit by bit, whatever the threads.

mod access;
mod across;
mod code;
mod compile;
mod layout;
mod loops;
mod operand;
mod program;
mod reduce;
mod rows;
mod space;
mod tiles;
mod worker;
mod workspace;

pub use affinimath_math::machine;
pub use operand::Operand;
pub use program::Program;
