//! The case studies of `examples/boast`, at small sizes: in the interpreter, by the machine's compilers, and on the
//! OpenCL devices that are there.

#[path = "../../crates/kernel/examples/kernels/axpy.rs"]
mod axpy;
#[path = "../../examples/boast/elastic.rs"]
mod elastic;
#[path = "../../examples/boast/filters.rs"]
mod filters;
#[path = "../../examples/boast/laplace.rs"]
mod laplace;
#[path = "../../examples/boast/machine.rs"]
mod machine;
#[path = "../../crates/kernel/examples/kernels/reduction.rs"]
mod reduction;
#[path = "../../examples/boast/study/mod.rs"]
mod study;

mod device;

use affinimath_opencl::device::for_tests;
use machine::Machine;

/// The interpreter, and every OpenCL device.
fn machines() -> Vec<Machine> {
    let devices = for_tests().iter().cloned().map(Machine::Device);
    std::iter::once(Machine::Interpreter).chain(devices).collect()
}

/// Options of a command line.
fn options(line: &str) -> study::Options {
    study::Options::parse(line.split_whitespace().map(str::to_owned)).unwrap()
}
