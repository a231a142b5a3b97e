//! Arrays in memory of the host, which belong to no context.

use super::element::{ElementType, HostSlice};
use super::error::ErrorKind;
use super::expr::Expr;
use super::node::{ContextId, Node, Storage};
use super::shape::IntoShape;
use super::types::Element;
use std::sync::Arc;

/// Elements in a vector.
pub(crate) struct Elements<T>(pub(crate) Vec<T>);

impl<T: Element> Storage for Elements<T> {
    fn element(&self) -> ElementType {
        T::TYPE
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn context(&self) -> Option<ContextId> {
        None
    }

    fn host(&self) -> Option<HostSlice<'_>> {
        Some(T::host(&self.0))
    }
}

/// Elements of the host, in row-major order, as an operand among arrays of any context: the evaluation brings them
/// over.
///
/// ```
/// let x = affinimath_array::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0]);
/// assert_eq!((&x + 1.0).shape(), &[2, 2]);
/// ```
#[track_caller]
pub fn from_vec<T: Element>(shape: impl IntoShape, elements: Vec<T>) -> Expr<T> {
    match shape.into_shape() {
        Ok(shape) if shape.len() == elements.len() => Expr::new(Node::contiguous(Arc::new(Elements(elements)), shape)),
        Ok(shape) => {
            let reason = format!("{} elements are given for shape {shape}", elements.len());
            Expr::failed(ErrorKind::Argument { operation: "from_vec", reason })
        }
        Err(kind) => Expr::failed(kind),
    }
}
