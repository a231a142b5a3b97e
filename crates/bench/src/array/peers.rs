//! Array libraries of Python.

use serde_json::{Value, json};

use super::case::{Case, EXTENTS, Operation};
use super::data::bound;
use crate::contender::Entrant;
use crate::python::{self, PythonPeer};

/// The program that the interpreters run.
pub const PROGRAM: &str = concat!(
    include_str!("../python/protocol.py"),
    include_str!("peers/libraries.py"),
    "\n\n",
    include_str!("peers/cases.py"),
    "\n\nmain()\n"
);

/// Libraries on the host's processors, and on GPUs.
pub const ON_HOST: [&str; 5] = ["numpy", "numexpr", "torch", "torch-eager", "jax"];
pub const ON_GPU: [&str; 4] = ["cupy", "torch", "torch-eager", "jax"];

/// A library on a case.
pub fn entrant<'a>(peer: &'a PythonPeer, case: &Case) -> Entrant<'a> {
    peer.entrant(&request(case), bound_of(case))
}

/// The operands of a case.
pub fn request(case: &Case) -> Value {
    let extents = (case.operation == Operation::NewShape).then_some(EXTENTS);
    json!({
        "case": case.operation.name(),
        "element": python::element(case.kind),
        "operands": case.operands(),
        "shape": case.shape,
        "extents": extents,
    })
}

/// The bound of its results' error.
pub fn bound_of(case: &Case) -> f64 {
    bound(case, if case.kind.is_double() { f64::EPSILON } else { f32::EPSILON.into() })
}
