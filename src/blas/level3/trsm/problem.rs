//! A triangular system in the normal form of plans and kernels: A on the left.

use crate::blas::level3::gemm::Operand;
use crate::error::{Error, Result};
use crate::options::{Diag, Op, Side, Triangle};
use crate::scalar::ScalarKind;
use crate::view::MatrixShape;

/// A X = alpha B with a triangular n x n A and an n x `columns` B, which X overwrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrsmProblem {
    /// The element type.
    pub kind: ScalarKind,
    /// Rows of A, B and X.
    pub n: usize,
    /// Columns of B and X.
    pub columns: usize,
    /// A with its operation done.
    pub a: Operand,
    /// Stored triangle of A.
    pub triangle: Triangle,
    /// Unit or stored diagonal.
    pub diagonal: Diag,
    /// B.
    pub b: Operand,
}

impl TrsmProblem {
    /// The problem for stored matrices. X op(A) = alpha B becomes op(A)ᵀ Xᵀ = alpha Bᵀ.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if A is not square, or its order does not match B.
    pub fn new(
        kind: ScalarKind,
        side: Side,
        (triangle, op, diagonal): (Triangle, Op, Diag),
        a: &MatrixShape,
        b: &MatrixShape,
    ) -> Result<Self> {
        let n = if side == Side::Left { b.rows() } else { b.columns() };
        if a.rows() != n || a.columns() != n {
            let (rows, columns) = (a.rows(), a.columns());
            return Err(Error::ShapeMismatch(format!(
                "A is {rows} x {columns}, B is {} x {}: A has to be {n} x {n}",
                b.rows(),
                b.columns()
            )));
        }
        let (operand, b_operand) = (Operand::whole(op, a), Operand::whole(Op::NoTrans, b));
        let triangle = if op.transposes() { triangle.transposed() } else { triangle };
        Ok(match side {
            Side::Left => TrsmProblem { kind, n, columns: b.columns(), a: operand, triangle, diagonal, b: b_operand },
            Side::Right => TrsmProblem {
                kind,
                n,
                columns: b.rows(),
                a: operand.transposed(),
                triangle: triangle.transposed(),
                diagonal,
                b: b_operand.transposed(),
            },
        })
    }

    /// A, or its transpose, whichever is lower triangular.
    pub(super) const fn lower(&self) -> Operand {
        match self.triangle {
            Triangle::Lower => self.a,
            Triangle::Upper => self.a.transposed(),
        }
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::options::Layout;

    #[test]
    fn every_problem_has_its_matrix_on_the_left() {
        let shape = |rows: usize, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows).unwrap();
        let new = |side, op, n| {
            let options = (Triangle::Upper, op, Diag::NonUnit);
            TrsmProblem::new(ScalarKind::C, side, options, &shape(n, n), &shape(3, 5))
        };
        let left = new(Side::Left, Op::ConjTrans, 3).unwrap();
        assert_eq!((left.n, left.columns, left.triangle, left.a.conjugate), (3, 5, Triangle::Lower, true));
        assert_eq!((left.a.row_stride, left.b.row_stride), (3, 1));
        let right = new(Side::Right, Op::ConjTrans, 5).unwrap();
        assert_eq!((right.n, right.columns, right.triangle, right.a.conjugate), (5, 3, Triangle::Upper, true));
        assert_eq!((right.a.row_stride, right.b.row_stride), (1, 3));
        assert!(new(Side::Left, Op::NoTrans, 5).is_err() && new(Side::Right, Op::NoTrans, 3).is_err());
    }
}
