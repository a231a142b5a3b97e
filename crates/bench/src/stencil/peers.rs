//! Libraries of Python that compute a stencil's steps.

use serde_json::json;

use super::case::Case;
use super::program::Program;
use crate::contender::Entrant;
use crate::error::BenchError;
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
pub const ON_HOST: [&str; 5] = ["devito", "pystencils", "numba", "torch", "jax"];
pub const ON_GPU: [&str; 3] = ["torch", "jax", "cupy"];

/// Roundings of a result for each operation of a step, relative to the larger of 1 and the values. Values begin at 0.1
/// or less, and three steps whose weights sum to at most 10 in modulus magnify the first roundings by 10^2. That makes
/// 30; three times as many are allowed.
const ROUNDINGS: f64 = 100.0;

/// A library on a case.
pub fn entrant<'a>(peer: &'a PythonPeer, case: &Case) -> Entrant<'a> {
    let unfit = |what| BenchError::Unfit(format!("{}: {} has {what}", peer.name(), case.name));
    let Program { code, outputs, grids, radius } = Program::new(&case.stencil, &case.parameters).map_err(unfit)?;
    let epsilon = if case.kind.is_double() { f64::EPSILON } else { f32::EPSILON.into() };
    let bound = ROUNDINGS * epsilon * code.len() as f64;
    let request = json!({
        "element": python::element(case.kind),
        "shape": case.shape()?,
        "steps": case.steps,
        "code": code,
        "outputs": outputs,
        "grids": grids,
        "radius": radius,
    });
    peer.entrant(&request, bound)
}
