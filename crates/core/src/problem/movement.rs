//! Copies and sums of matrices.

use super::gemm::Operand;
use crate::options::Op;
use crate::scalar::{Scalar, ScalarKind};
use crate::view::MatrixShape;

/// C := the sum of one or two terms, each a matrix as large as C, or zeros where there are none. C's columns are
/// contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovementProblem {
    /// The element type.
    pub kind: ScalarKind,
    /// Rows of C.
    pub rows: usize,
    /// Columns of C.
    pub columns: usize,
    /// C.
    pub target: Operand,
    /// The terms; the first ones are there.
    pub terms: [Option<Operand>; 2],
}

impl MovementProblem {
    /// The problem in its one form: C lies by columns, and what is dense from end to end is one column.
    pub fn canonical(self) -> Self {
        let problem = if self.target.row_stride == 1 { self } else { self.transposed() };
        let dense = |operand: &Operand| operand.row_stride == 1 && operand.column_stride == problem.rows;
        if !dense(&problem.target) || !problem.terms.iter().flatten().all(dense) {
            return problem;
        }
        let rows = problem.rows * problem.columns;
        let long = |operand: Operand| Operand { column_stride: rows, ..operand };
        MovementProblem {
            rows,
            columns: 1,
            target: long(problem.target),
            terms: problem.terms.map(|term| term.map(long)),
            ..problem
        }
    }

    fn transposed(self) -> Self {
        MovementProblem {
            rows: self.columns,
            columns: self.rows,
            target: self.target.transposed(),
            terms: self.terms.map(|term| term.map(Operand::transposed)),
            ..self
        }
    }

    /// True for each term whose rows, and not its columns, are contiguous; false for one that is not there.
    pub fn across(&self) -> [bool; 2] {
        self.terms.map(|term| term.is_some_and(|term| term.row_stride != 1))
    }
}

/// How a matrix takes its own place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It is empty, or stays as it is.
    Nothing,
    /// Every element stays where it is.
    Stay,
    /// The element (i, j) changes places with (j, i).
    Exchange,
    /// The result lies elsewhere than the matrix did: through other memory.
    Through,
}

impl Way {
    /// The way for a matrix of one shape that becomes op of it in another shape.
    pub fn choose<T: Scalar>(op: Op, alpha: T, before: &MatrixShape, after: &MatrixShape) -> Self {
        let (operand, target) = (Operand::whole(op, before), Operand::whole(Op::NoTrans, after));
        if after.rows() == 0 || after.columns() == 0 {
            return Way::Nothing;
        }
        if alpha == T::ZERO {
            return Way::Stay; // Zeros are written, and nothing is read.
        }
        let conjugates = op.conjugates() && T::KIND.is_complex();
        if (Operand { conjugate: false, ..operand }) == target {
            return if alpha == T::ONE && !conjugates { Way::Nothing } else { Way::Stay };
        }
        let turned = Operand { conjugate: false, ..operand.transposed() } == target;
        if turned && after.rows() == after.columns() { Way::Exchange } else { Way::Through }
    }
}
