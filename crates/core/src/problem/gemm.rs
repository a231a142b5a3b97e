//! A product brought into the one form that plans and kernels know.

use super::structure::{Structure, Target};
use crate::error::{Error, Result};
use crate::options::Op;
use crate::scalar::ScalarKind;
use crate::view::MatrixShape;

/// How a kernel walks over an operand: the element (i, j) of op(X) is element
/// `offset + i*row_stride + j*column_stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The first element.
    pub offset: usize,
    /// Elements between neighbouring rows of op(X).
    pub row_stride: usize,
    /// Elements between neighbouring columns of op(X).
    pub column_stride: usize,
    /// True if its elements are conjugated.
    pub conjugate: bool,
    /// Which of them are stored.
    pub structure: Structure,
}

impl Operand {
    /// A matrix of which all elements are stored.
    pub const fn general(offset: usize, row_stride: usize, column_stride: usize) -> Self {
        Operand { offset, row_stride, column_stride, conjugate: false, structure: Structure::General }
    }

    /// op(X) for a matrix X of this shape, of which all elements are stored.
    pub fn whole(op: Op, shape: &MatrixShape) -> Self {
        Self::new(op, shape, Structure::General)
    }

    fn new(op: Op, shape: &MatrixShape, structure: Structure) -> Self {
        let (row_stride, column_stride) = shape.strides();
        let operand =
            Operand { offset: shape.offset(), row_stride, column_stride, conjugate: op.conjugates(), structure };
        if op.transposes() { operand.transposed() } else { operand }
    }

    /// The operand from its element (i, j) on.
    pub const fn shifted(self, i: usize, j: usize) -> Self {
        Operand {
            offset: self.offset + i * self.row_stride + j * self.column_stride,
            structure: self.structure.shifted(i, j),
            ..self
        }
    }

    /// A contiguous copy with `rows` and `columns`, at offset 0, in the same order of elements.
    pub const fn packed(&self, rows: usize, columns: usize) -> Self {
        if self.row_stride == 1 { Operand::general(0, 1, rows) } else { Operand::general(0, columns, 1) }
    }

    /// Rows and columns exchanged.
    pub const fn transposed(self) -> Self {
        Operand {
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            structure: self.structure.transposed(),
            ..self
        }
    }
}

/// C := alpha * A * B + beta * C: A is m x k, B is k x n, and C is m x n with its columns contiguous (its rows, in the
/// transposed form that the skinny kernels take).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmProblem {
    /// The element type.
    pub kind: ScalarKind,
    /// Rows of C.
    pub m: usize,
    /// Columns of C.
    pub n: usize,
    /// Columns of A and rows of B.
    pub k: usize,
    /// op(A).
    pub a: Operand,
    /// op(B).
    pub b: Operand,
    /// C.
    pub c: Operand,
    /// Which part of C is computed.
    pub target: Target,
    /// True if the operands are swapped: the problem's A is the caller's B, transposed.
    pub swapped: bool,
}

impl GemmProblem {
    /// The problem C := op(A) * op(B) for matrices of these shapes. A row-major C is taken as the column-major Cᵀ =
    /// op(B)ᵀ op(A)ᵀ.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when the sizes do not agree.
    pub fn new(
        kind: ScalarKind,
        op_a: Op,
        op_b: Op,
        a: &MatrixShape,
        b: &MatrixShape,
        c: &MatrixShape,
    ) -> Result<Self> {
        let general = Structure::General;
        Self::structured(kind, (op_a, a, general), (op_b, b, general), (c, Target::Whole))
    }

    /// [`GemmProblem::new`] for matrices of which a part is stored, or computed. A structure is that of the stored
    /// matrix, before its operation.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when the sizes do not agree.
    pub fn structured(
        kind: ScalarKind,
        (op_a, a, a_structure): (Op, &MatrixShape, Structure),
        (op_b, b, b_structure): (Op, &MatrixShape, Structure),
        (c, target): (&MatrixShape, Target),
    ) -> Result<Self> {
        let sizes = |op: Op, x: &MatrixShape| {
            if op.transposes() { (x.columns(), x.rows()) } else { (x.rows(), x.columns()) }
        };
        let ((m, k), (b_rows, n)) = (sizes(op_a, a), sizes(op_b, b));
        if b_rows != k || c.rows() != m || c.columns() != n {
            return Err(Error::ShapeMismatch(format!(
                "op(A) is {m} x {k}, op(B) is {b_rows} x {n}, C is {} x {}",
                c.rows(),
                c.columns()
            )));
        }
        let problem = GemmProblem {
            kind,
            m,
            n,
            k,
            a: Operand::new(op_a, a, a_structure),
            b: Operand::new(op_b, b, b_structure),
            c: Operand::new(Op::NoTrans, c, Structure::General),
            target,
            swapped: false,
        };
        Ok(if problem.c.row_stride == 1 { problem } else { problem.transposed() })
    }

    /// True if all of A and B is stored, and all of C computed.
    pub const fn is_plain(&self) -> bool {
        self.has_general_operands() && matches!(self.target, Target::Whole)
    }

    /// True if all of A and B is stored.
    pub const fn has_general_operands(&self) -> bool {
        matches!((self.a.structure, self.b.structure), (Structure::General, Structure::General))
    }

    /// Cᵀ = Bᵀ Aᵀ: the same product with the roles of rows and columns exchanged.
    pub const fn transposed(self) -> Self {
        GemmProblem {
            m: self.n,
            n: self.m,
            a: self.b.transposed(),
            b: self.a.transposed(),
            c: self.c.transposed(),
            target: self.target.transposed(),
            swapped: !self.swapped,
            ..self
        }
    }
}
