//! Kernels as text, and text against the interpreter.

mod accesses;
#[path = "../../examples/kernels/axpy.rs"]
mod axpy;
#[path = "../../examples/kernels/butterfly.rs"]
mod butterfly;
mod c99;
mod compiled;
mod conversions;
mod dynamic;
mod elementary;
mod generator;
#[path = "../../examples/kernels/host.rs"]
mod host;
mod integers;
mod lanes;
mod printers;
mod random;
#[path = "../../examples/kernels/reduction.rs"]
mod reduction;
mod refused;
#[path = "../../examples/kernels/roots.rs"]
mod roots;
mod targets;
mod texts;
mod views;
