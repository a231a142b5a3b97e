//! Solutions of linear systems.

use super::outputs;
use super::structured::{IntoMatrix, Structure};
use crate::error::ErrorKind;
use crate::expr::{Expr, IntoExpr};
use crate::function::Binary;
use crate::library::{LibraryCall, SolveMethod};
use crate::node::Node;
use crate::shape::Shape;
use crate::slice::Slice;
use crate::types::Floating;

/// X of A X = B; where A is not square, the X of least squares, or of many solutions the one of least norm.
///
/// A has two axes at least, `m x n`; those before them are a batch. A `b` of rank 1 is one column; any other has
/// columns in its last two axes, `m x k`, and axes of a batch that broadcast with A's.
///
/// The method follows from the structure of A: [`triangular`](Expr::triangular), [`diagonal`](Expr::diagonal),
/// [`positive_definite`](Expr::positive_definite), [`hermitian`](Expr::hermitian) or [`symmetric`](Expr::symmetric).
/// Of a matrix without one, the host looks for symmetry in the values, and takes LU where there is none; a device takes
/// LU. LAPACK's routines do it: trtrs, posv, gesv, gels.
///
/// # Errors
/// The evaluation fails where A is singular, or said to be positive definite and is not, or of least squares has not
/// full rank.
///
/// ```
/// use affinimath_array::{ones, solve};
///
/// let (a, b) = (ones::<f64>([3, 3]), ones::<f64>([3, 2]));
/// assert_eq!(solve(&a, &b).shape(), &[3, 2]);
/// assert_eq!(solve(ones::<f64>([5, 4, 3, 3]), ones::<f64>([3])).shape(), &[5, 4, 3]);
/// ```
#[track_caller]
pub fn solve<T: Floating>(a: impl IntoMatrix<T>, b: impl IntoExpr<T>) -> Expr<T> {
    let (matrix, b) = (a.into_matrix(), b.into_expr());
    Expr::new(solution(&matrix.stored, matrix.whole.node(), matrix.structure, b.node()))
}

/// `whole` is the matrix with all of its elements, `stored` the part that is read: of a diagonal one, the diagonal.
#[track_caller]
fn solution(stored: &Node, whole: &Node, structure: Structure, b: &Node) -> Node {
    let (operation, shape) = ("solve", whole.shape());
    if let Some(failed) = [stored, whole, b].into_iter().find(|node| node.error().is_some()) {
        return failed.same_error(stored.element());
    }
    if shape.rank() < 2 || b.shape().rank() == 0 {
        let reason = format!("a system has a matrix and columns, not shapes {shape} and {}", b.shape());
        return Node::from_error(ErrorKind::Argument { operation, reason }, stored.element());
    }
    let is_vector = b.shape().rank() == 1;
    let columns = if is_vector { b.new_axis(1) } else { b.clone() };
    let rows = shape[shape.rank() - 2];
    if columns.shape()[columns.shape().rank() - 2] != rows {
        let kind = ErrorKind::Shapes { operation, left: (*shape).into(), right: (*b.shape()).into() };
        return Node::from_error(kind, stored.element());
    }
    let x = match structure {
        Structure::Diagonal => columns.binary(Binary::Div, &stored.new_axis(-1)),
        Structure::Method(method) if shape.rank() == 2 && columns.shape().rank() > 2 => {
            together(method, stored, &columns)
        }
        Structure::Method(method) => batched(method, stored, &columns),
    };
    if is_vector { x.slice(&[Slice::Ellipsis, Slice::Index(0)]) } else { x }
}

/// One matrix, and columns of the last two axes of a batch: all are columns of one system.
#[track_caller]
fn together(method: SolveMethod, a: &Node, b: &Node) -> Node {
    let (shape, batch) = (*b.shape(), b.shape().rank() - 2);
    // (.., m, k) to (m, .., k), and back.
    let to: Vec<i64> = [batch].into_iter().chain(0..batch).chain([batch + 1]).map(|axis| axis as i64).collect();
    let back: Vec<i64> = (1..=batch).chain([0, batch + 1]).map(|axis| axis as i64).collect();
    let unknowns = a.shape()[1];
    let one =
        Shape::new(&[shape[batch], shape.iter().enumerate().filter(|(k, _)| *k != batch).map(|(_, n)| n).product()]);
    let many = Shape::new(&[&[unknowns], &shape[..batch], &shape[batch + 1..]].concat());
    match (one, many) {
        (Ok(one), Ok(many)) => call(method, a, &b.permute(&to).reshape(&one)).reshape(&many).permute(&back),
        (Err(kind), _) | (_, Err(kind)) => Node::from_error(kind, a.element()),
    }
}

/// Matrices and columns, whose batches broadcast.
#[track_caller]
fn batched(method: SolveMethod, a: &Node, b: &Node) -> Node {
    let parts = |node: &Node| {
        let (batch, matrix) = node.shape().split_at(node.shape().rank() - 2);
        (Shape::new(batch), [matrix[0], matrix[1]])
    };
    let ((a_batch, a_matrix), (b_batch, b_matrix)) = (parts(a), parts(b));
    let both = a_batch.and_then(|a| a.broadcast(&b_batch?, "solve"));
    let whole = |batch: &Shape, matrix: [usize; 2]| Shape::new(&[&batch[..], &matrix].concat());
    match both.and_then(|batch| Ok([whole(&batch, a_matrix)?, whole(&batch, b_matrix)?])) {
        Ok([a_shape, b_shape]) => call(method, &a.broadcast_to(&a_shape), &b.broadcast_to(&b_shape)),
        Err(kind) => Node::from_error(kind, a.element()),
    }
}

#[track_caller]
fn call(method: SolveMethod, a: &Node, b: &Node) -> Node {
    let [x] = outputs(LibraryCall::Solve(method), &[a.clone(), b.clone()], [a.element()]);
    x
}
