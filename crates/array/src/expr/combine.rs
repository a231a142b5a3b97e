//! Gathers, joins and matrix products.

use super::{Expr, IntoExpr};
use crate::node::Node;
use crate::types::{Element, Floating};

impl<T: Element> Expr<T> {
    /// Elements at these indices along the first axis, which the indices' axes replace. Negative indices count
    /// from the end. One out of range is an error, which the evaluation finds.
    #[track_caller]
    pub fn index(&self, indices: impl IntoExpr<i64>) -> Expr<T> {
        self.index_along(0, indices)
    }

    /// The same along another axis.
    #[track_caller]
    pub fn index_along(&self, axis: i64, indices: impl IntoExpr<i64>) -> Expr<T> {
        Expr::new(self.node.gather(axis, indices.into_expr().node()))
    }
}

impl<T: Floating> Expr<T> {
    /// The matrix product of the last two axes. An operand of rank 1 is a row on the left and a column on the right,
    /// whose axis the result lacks; other axes broadcast.
    ///
    /// ```
    /// use affinimath_array::ones;
    ///
    /// let (a, v) = (ones::<f64>([7, 4, 3]), ones::<f64>([3]));
    /// assert_eq!(a.matmul(&v).shape(), &[7, 4]);
    /// ```
    #[track_caller]
    pub fn matmul(&self, other: impl IntoExpr<T>) -> Expr<T> {
        Expr::new(self.node.matmul(other.into_expr().node()))
    }
}

/// The operands as nodes.
fn nodes<T: Element, E: IntoExpr<T>>(operands: impl IntoIterator<Item = E>) -> Vec<Node> {
    operands.into_iter().map(|operand| operand.into_expr().node).collect()
}

/// Arrays one after the other along the axis. Their other extents are equal; there is at least one.
#[track_caller]
pub fn concatenate<T: Element, E: IntoExpr<T>>(axis: i64, arrays: impl IntoIterator<Item = E>) -> Expr<T> {
    Expr::from_node(Node::concatenate(axis, &nodes(arrays)))
}

/// Arrays of one shape along a new axis, which stands before `axis`; -1 is behind the last one. There is at least one.
#[track_caller]
pub fn stack<T: Element, E: IntoExpr<T>>(axis: i64, arrays: impl IntoIterator<Item = E>) -> Expr<T> {
    Expr::from_node(Node::stack(axis, &nodes(arrays)))
}
