//! Expressions by routines of the library: linear systems, factorisations and Fourier transforms.

mod factor;
mod fourier;
mod solve;
mod structured;

pub use fourier::Spectral;
pub use solve::{System, solve};
pub use structured::{IntoMatrix, StructuredMatrix};

use crate::build::routine;
use crate::element::ElementType;
use crate::library::LibraryCall;
use crate::node::Node;
use crate::shape::Shape;
use crate::slice::Slice;
use crate::view::{AxisMap, ViewMap};
use std::sync::Arc;

/// The outputs of a call, of these types; of a call that is not legal its error.
#[track_caller]
fn outputs<const N: usize>(call: LibraryCall, operands: &[Node], elements: [ElementType; N]) -> [Node; N] {
    let nodes = routine(Arc::new(call), operands, elements[0]);
    match <[Node; N]>::try_from(nodes) {
        Ok(nodes) => nodes,
        Err(nodes) => elements.map(|element| nodes[0].same_error(element)),
    }
}

/// The diagonal of the matrices of the last two axes, along the last axis. There are two axes at least.
#[track_caller]
fn diagonal(matrix: &Node) -> Node {
    let shape = matrix.shape();
    let batch = shape.rank() - 2;
    let extents = [&shape[..batch], &[shape[batch].min(shape[batch + 1])]].concat();
    let view = match Shape::new(&extents) {
        Ok(view) => view,
        Err(kind) => return Node::from_error(kind, matrix.element()),
    };
    let axes = (0..batch + 2).map(|axis| AxisMap::along(axis.min(batch)));
    matrix.mapped(ViewMap::new(axes.collect(), &view), view)
}

/// The first `rows` rows and `columns` columns of the matrices of the last two axes.
#[track_caller]
fn leading(matrix: &Node, rows: usize, columns: usize) -> Node {
    matrix.slice(&[Slice::Ellipsis, Slice::from(..rows as i64), Slice::from(..columns as i64)])
}
