//! Typed expressions.

mod combine;
mod complex;
mod evaluate;
mod functions;
mod generators;
mod operators;
mod reductions;
mod routines;
mod views;

pub use combine::{concatenate, stack};
pub use complex::{complex, polar};
pub(crate) use evaluate::executor_of;
pub use evaluate::{HostOutput, Output, Outputs, eval, eval_into_on, eval_on, explain};
pub use generators::{arange, coordinates, eye, full, iota, linspace, ones, zeros};
pub use operators::Operand;
pub use reductions::{Keep, keep};
pub use routines::{IntoMatrix, Spectral, StructuredMatrix, System, solve};

use crate::array::Array;
use crate::error::{ArrayError, ErrorKind};
use crate::node::Node;
use crate::shape::Shape;
use crate::types::Element;
use std::fmt;
use std::marker::PhantomData;

/// An array that is not computed yet: operations on arrays, as a graph.
///
/// Operators and functions make larger expressions and compute nothing. [`eval`](Expr::eval) computes all in as few
/// passes over memory as possible. A clone shares the graph. Operands broadcast by NumPy's rules; scalars have the
/// element type, and nothing is widened silently.
///
/// An operation that is not legal gives an expression with an error, which the evaluation returns, with the line of
/// the operation.
///
/// ```
/// use affinimath_array::{ones, Expr};
///
/// let x: Expr<f64> = ones([4, 3]);
/// let y = 2.5 * &x + x.abs().sqrt();
/// assert_eq!(y.shape(), &[4, 3]);
/// assert_eq!(y.sum(1).shape(), &[4]);
///
/// let wrong = &y + ones([4, 2]);
/// assert!(wrong.error().unwrap().to_string().contains("[4, 3] and [4, 2]"));
/// ```
pub struct Expr<T: Element> {
    node: Node,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Expr<T> {
    /// The expression of a node that is known to have the type.
    pub(crate) fn new(node: Node) -> Self {
        debug_assert_eq!(node.element(), T::TYPE);
        Expr { node, element: PhantomData }
    }

    /// The expression of a node. One of another type is an error.
    #[track_caller]
    pub fn from_node(node: Node) -> Self {
        match node.element() == T::TYPE {
            true => Expr::new(node),
            false if node.error().is_some() => Expr::new(node.same_error(T::TYPE)),
            false => {
                let (left, right) = (node.element(), T::TYPE);
                Expr::failed(ErrorKind::Types { operation: "an expression", left, right })
            }
        }
    }

    /// An expression without a value, with the caller's line.
    #[track_caller]
    pub(crate) fn failed(kind: ErrorKind) -> Self {
        Expr::new(Node::from_error(kind, T::TYPE))
    }

    /// One value, of rank 0.
    #[track_caller]
    pub fn scalar(value: T) -> Self {
        Expr::new(Node::scalar(value.number()))
    }

    /// The graph.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The shape; of an expression with an error that of a single element.
    pub fn shape(&self) -> &Shape {
        self.node.shape()
    }

    /// The count of axes.
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// The count of elements.
    pub fn len(&self) -> usize {
        self.shape().len()
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape().is_empty()
    }

    /// The reason why the expression has no value, if so.
    pub fn error(&self) -> Option<&ArrayError> {
        self.node.error()
    }
}

impl<T: Element> Clone for Expr<T> {
    fn clone(&self) -> Self {
        Expr::new(self.node.clone())
    }
}

impl<T: Element> fmt::Debug for Expr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.node, f)
    }
}

/// An operand of type `T`: an expression, an array, or a scalar.
pub trait IntoExpr<T: Element> {
    /// The operand as an expression.
    fn into_expr(self) -> Expr<T>;
}

impl<T: Element> IntoExpr<T> for T {
    #[track_caller]
    fn into_expr(self) -> Expr<T> {
        Expr::scalar(self)
    }
}

impl<T: Element> IntoExpr<T> for Expr<T> {
    fn into_expr(self) -> Expr<T> {
        self
    }
}

impl<T: Element> IntoExpr<T> for &Expr<T> {
    fn into_expr(self) -> Expr<T> {
        self.clone()
    }
}

impl<T: Element> IntoExpr<T> for Array<T> {
    fn into_expr(self) -> Expr<T> {
        (*self).clone()
    }
}

impl<T: Element> IntoExpr<T> for &Array<T> {
    fn into_expr(self) -> Expr<T> {
        (**self).clone()
    }
}

impl<T: Element> From<T> for Expr<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Expr::scalar(value)
    }
}

impl<T: Element> From<Array<T>> for Expr<T> {
    fn from(array: Array<T>) -> Self {
        array.into_expr()
    }
}

impl<T: Element> From<&Array<T>> for Expr<T> {
    fn from(array: &Array<T>) -> Self {
        array.into_expr()
    }
}
