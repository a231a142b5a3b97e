//! Solutions of linear systems.

use super::outputs;
use super::structured::{IntoMatrix, Structure, StructuredMatrix};
use crate::array::Array;
use crate::element::ElementType;
use crate::error::ErrorKind;
use crate::executor::AsExecutor;
use crate::expr::{Expr, IntoExpr, eval, eval_on};
use crate::function::Binary;
use crate::library::{LibraryCall, Solve, SolveMethod, SolveReport};
use crate::node::Node;
use crate::shape::Shape;
use crate::slice::Slice;
use crate::types::Floating;
use affinimath_core::Result;

/// X of A X = B; where A is not square, the X of least squares, or of many solutions the one of least norm.
///
/// A has two axes at least, `m x n`; those before them are a batch. A `b` of rank 1 is one column; any other has
/// columns in its last two axes, `m x k`, and axes of a batch that broadcast with A's.
///
/// The method follows from the structure of A: [`triangular`](Expr::triangular), [`diagonal`](Expr::diagonal),
/// [`tridiagonal`](Expr::tridiagonal), [`banded`](Expr::banded), [`positive_definite`](Expr::positive_definite),
/// [`hermitian`](Expr::hermitian), [`symmetric`](Expr::symmetric) or [`general`](Expr::general). Of a matrix without
/// one, bandwidths, symmetry and a positive diagonal are found in the values. LAPACK's routines do it: trtrs, gtsv,
/// gbsv, pbsv, posv, sysv, hesv, gesv, gels. [`System`] tells which one it was.
///
/// # Errors
/// The evaluation fails where A is singular, or said to be positive definite and is not, or of least squares has not
/// full rank; and where a NaN or an infinity of A or of `b` comes into the solution.
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
    System::new(a, b).solution()
}

/// A linear system A X = B with options, and a report of how it was solved. [`solve`] is its solution by default ones.
///
/// ```
/// use affinimath_array::{System, ones};
///
/// let system = System::new(ones::<f64>([3, 3]).banded(1, 1), ones::<f64>([3])).mixed(true);
/// assert_eq!(system.solution().shape(), &[3]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "it is solved by `solution` or `eval`"]
pub struct System<T: Floating> {
    matrix: StructuredMatrix<T>,
    b: Expr<T>,
    is_mixed: bool,
}

impl<T: Floating> System<T> {
    /// The system of the operands of [`solve`].
    pub fn new(a: impl IntoMatrix<T>, b: impl IntoExpr<T>) -> Self {
        System { matrix: a.into_matrix(), b: b.into_expr(), is_mixed: false }
    }

    /// Takes factors in single precision, where the method is LU or Cholesky of a dense matrix in double precision, and
    /// refines the solution to double precision (LAPACK: dsgesv, dsposv). Where that does not come about, the matrix is
    /// factorised in double precision. It pays for large matrices that are not ill-conditioned.
    pub fn mixed(self, is_mixed: bool) -> Self {
        System { is_mixed, ..self }
    }

    /// The solution, as an expression.
    #[track_caller]
    pub fn solution(&self) -> Expr<T> {
        Expr::new(self.solved(false).x)
    }

    /// The solution in memory of the operands' context, and how it was found.
    ///
    /// # Errors
    /// Those of the evaluation of [`solve`].
    #[track_caller]
    pub fn eval(&self) -> Result<(Array<T>, SolveReport)> {
        let solved = self.solved(true);
        let x = Expr::new(solved.x);
        match solved.report {
            Some(report) => {
                let (x, report) = eval((x, Expr::<i64>::new(report)))?;
                Ok((x, SolveReport::from_words(&report.to_vec()?)?))
            }
            None => Ok((x.eval()?, DIVISION)),
        }
    }

    /// The solution in memory of this context, and how it was found.
    ///
    /// # Errors
    /// Those of the evaluation of [`solve`].
    #[track_caller]
    pub fn eval_on(&self, context: &impl AsExecutor) -> Result<(Array<T>, SolveReport)> {
        let solved = self.solved(true);
        let x = Expr::new(solved.x);
        match solved.report {
            Some(report) => {
                let (x, report) = eval_on(context, (x, Expr::<i64>::new(report)))?;
                Ok((x, SolveReport::from_words(&report.to_vec()?)?))
            }
            None => Ok((x.eval_on(context)?, DIVISION)),
        }
    }

    #[track_caller]
    fn solved(&self, reports: bool) -> Solved {
        let (stored, whole, b) = (&self.matrix.stored, self.matrix.whole.node(), self.b.node());
        let (operation, shape) = ("solve", whole.shape());
        if let Some(failed) = [stored, whole, b].into_iter().find(|node| node.error().is_some()) {
            return failed.same_error(stored.element()).into();
        }
        if shape.rank() < 2 || b.shape().rank() == 0 {
            let reason = format!("a system has a matrix and columns, not shapes {shape} and {}", b.shape());
            return Node::from_error(ErrorKind::Argument { operation, reason }, stored.element()).into();
        }
        let is_vector = b.shape().rank() == 1;
        let columns = if is_vector { b.new_axis(1) } else { b.clone() };
        let rows = shape[shape.rank() - 2];
        if columns.shape()[columns.shape().rank() - 2] != rows {
            let kind = ErrorKind::Shapes { operation, left: (*shape).into(), right: (*b.shape()).into() };
            return Node::from_error(kind, stored.element()).into();
        }
        let solved = match self.matrix.structure {
            // An operation of elements, which is fused with those around it.
            Structure::Diagonal => columns.binary(Binary::Div, &stored.new_axis(-1)).into(),
            Structure::Stored(structure) => {
                let solve = Solve { structure, is_mixed: self.is_mixed, reports };
                match shape.rank() == 2 && columns.shape().rank() > 2 {
                    true => together(solve, stored, &columns),
                    false => batched(solve, stored, &columns),
                }
            }
        };
        match is_vector {
            true => Solved { x: solved.x.slice(&[Slice::Ellipsis, Slice::Index(0)]), ..solved },
            false => solved,
        }
    }
}

/// The report of a division by a diagonal, which is no call.
const DIVISION: SolveReport =
    SolveReport { method: SolveMethod::Division, fallback: None, fallbacks: 0, refinement: None };

/// A solution, and the words of its report where that is asked for.
struct Solved {
    x: Node,
    report: Option<Node>,
}

impl From<Node> for Solved {
    fn from(x: Node) -> Self {
        Solved { x, report: None }
    }
}

/// One matrix, and columns of the last two axes of a batch: all are columns of one system.
#[track_caller]
fn together(solve: Solve, a: &Node, b: &Node) -> Solved {
    let (shape, batch) = (*b.shape(), b.shape().rank() - 2);
    // (.., m, k) to (m, .., k), and back.
    let to: Vec<i64> = [batch].into_iter().chain(0..batch).chain([batch + 1]).map(|axis| axis as i64).collect();
    let back: Vec<i64> = (1..=batch).chain([0, batch + 1]).map(|axis| axis as i64).collect();
    let unknowns = a.shape()[1];
    let one =
        Shape::new(&[shape[batch], shape.iter().enumerate().filter(|(k, _)| *k != batch).map(|(_, n)| n).product()]);
    let many = Shape::new(&[&[unknowns], &shape[..batch], &shape[batch + 1..]].concat());
    match (one, many) {
        (Ok(one), Ok(many)) => {
            let solved = call(solve, a, &b.permute(&to).reshape(&one));
            Solved { x: solved.x.reshape(&many).permute(&back), ..solved }
        }
        (Err(kind), _) | (_, Err(kind)) => Node::from_error(kind, a.element()).into(),
    }
}

/// Matrices and columns, whose batches broadcast.
#[track_caller]
fn batched(solve: Solve, a: &Node, b: &Node) -> Solved {
    let parts = |node: &Node| {
        let (batch, matrix) = node.shape().split_at(node.shape().rank() - 2);
        (Shape::new(batch), [matrix[0], matrix[1]])
    };
    let ((a_batch, a_matrix), (b_batch, b_matrix)) = (parts(a), parts(b));
    let both = a_batch.and_then(|a| a.broadcast(&b_batch?, "solve"));
    let whole = |batch: &Shape, matrix: [usize; 2]| Shape::new(&[&batch[..], &matrix].concat());
    match both.and_then(|batch| Ok([whole(&batch, a_matrix)?, whole(&batch, b_matrix)?])) {
        Ok([a_shape, b_shape]) => call(solve, &a.broadcast_to(&a_shape), &b.broadcast_to(&b_shape)),
        Err(kind) => Node::from_error(kind, a.element()).into(),
    }
}

#[track_caller]
fn call(solve: Solve, a: &Node, b: &Node) -> Solved {
    let (call, operands) = (LibraryCall::Solve(solve), [a.clone(), b.clone()]);
    if !solve.reports {
        let [x] = outputs(call, &operands, [a.element()]);
        return x.into();
    }
    let [x, report] = outputs(call, &operands, [a.element(), ElementType::I64]);
    Solved { x, report: Some(report) }
}
