//! Kernels as text, and text against the interpreter.

#[path = "../../examples/kernels/axpy.rs"]
mod axpy;
#[path = "../../examples/kernels/butterfly.rs"]
mod butterfly;
mod c99;
mod integers;
mod lanes;
mod random;
#[path = "../../examples/kernels/reduction.rs"]
mod reduction;
mod refused;
mod targets;
mod texts;
