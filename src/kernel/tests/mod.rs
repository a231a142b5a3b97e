//! Kernels as text, and text against the interpreter.

#[path = "../../../examples/kernels/axpy.rs"]
pub(crate) mod axpy;
#[path = "../../../examples/kernels/butterfly.rs"]
pub(crate) mod butterfly;
mod c99;
mod language;
pub(crate) mod random;
#[path = "../../../examples/kernels/reduction.rs"]
pub(crate) mod reduction;
mod texts;
