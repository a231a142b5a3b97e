//! Two triangles whose product stands for a matrix.

use std::sync::Arc;

use super::check_vectors;
use crate::blas::level1::{Elementwise, copy_on};
use crate::context::Queue;
use crate::error::Result;
use crate::host;
use crate::memory::Context;
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Scalar;
use crate::sparse::{CsrArrays, CsrMatrix, RowPointer};
use crate::view::{VectorMut, VectorRef, View};

/// L and U of M = L U, each with the entries on its own side alone.
#[derive(Debug)]
pub(super) struct Triangles<T, P> {
    lower: CsrMatrix<T, P>,
    upper: CsrMatrix<T, P>,
    /// True if L's and U's diagonals are stored.
    diagonals: [Diag; 2],
    /// True if M is known to be Hermitian: its adjoint needs no transposed triangles.
    hermitian: bool,
}

impl<T: Scalar, P: RowPointer> Triangles<T, P> {
    /// Brings them to where a matrix lies.
    pub(super) fn new(
        context: &Context,
        [lower, upper]: [CsrArrays<T, P>; 2],
        diagonals: [Diag; 2],
        hermitian: bool,
    ) -> Result<Self> {
        let upload = |arrays: CsrArrays<T, P>| -> Result<CsrMatrix<T, P>> {
            let order = arrays.row_ptr.len() - 1;
            let host = CsrMatrix::from_arrays(order, order, arrays);
            if context.on_device().is_some() { host.to_context(context) } else { Ok(host) }
        };
        Ok(Triangles { lower: upload(lower)?, upper: upload(upper)?, diagonals, hermitian })
    }

    /// With the levels of the matrix on whose triangles they have their entries: found out once for all that is made of
    /// it.
    pub(super) fn with_levels_of(mut self, matrix: &CsrMatrix<T, P>, triangles: &[Triangle]) -> Result<Self> {
        if matrix.context().on_device().is_some() && matrix.rows() > 0 {
            for &triangle in triangles {
                let own = if triangle == Triangle::Lower { &mut self.lower } else { &mut self.upper };
                own.keep_triangle(triangle, Arc::clone(matrix.prepared_triangle(triangle)?));
            }
        }
        Ok(self)
    }

    pub(super) const fn context(&self) -> &Context {
        self.lower.context()
    }

    pub(super) const fn order(&self) -> usize {
        self.lower.rows()
    }

    /// y := op(M)^-1 x.
    pub(super) fn solve(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()> {
        check_vectors(self.context(), self.order(), &x, &y)?;
        if self.order() == 0 {
            return Ok(());
        }
        match self.context().on_device() {
            None => host::level1::elementwise(
                &Elementwise::Copy,
                Some(host::sparse::raw_vector(x.memory(), x.shape())),
                host::sparse::raw_vector(y.memory(), y.shape()),
            ),
            Some(device) => drop(copy_on(&Queue::new(device)?, x, VectorMut::from_parts(y.memory(), *y.shape()))?),
        }
        let op = match op {
            Op::ConjTrans if self.hermitian => Op::NoTrans,
            Op::Trans if self.hermitian => Op::ConjNoTrans,
            other => other,
        };
        let lower = |y| self.lower.solve_triangle(Triangle::Lower, op, self.diagonals[0], y).map(drop);
        let upper = |y| self.upper.solve_triangle(Triangle::Upper, op, self.diagonals[1], y).map(drop);
        // (L U)^T is U^T L^T.
        if op.transposes() {
            upper(VectorMut::from_parts(y.memory(), *y.shape()))?;
            lower(y)
        } else {
            lower(VectorMut::from_parts(y.memory(), *y.shape()))?;
            upper(y)
        }
    }
}

/// The entries of a matrix that `keep` gives a value for, with its row, its column and its value.
pub(super) fn filtered<T: Scalar, P: RowPointer>(
    matrix: &CsrArrays<T, P>,
    mut keep: impl FnMut(usize, usize, T) -> Option<T>,
) -> CsrArrays<T, P> {
    let mut result =
        CsrArrays { row_ptr: Vec::with_capacity(matrix.row_ptr.len()), col_indices: Vec::new(), values: Vec::new() };
    result.row_ptr.push(P::default());
    for (row, pair) in matrix.row_ptr.windows(2).enumerate() {
        for entry in pair[0].count()..pair[1].count() {
            if let Some(value) = keep(row, matrix.col_indices[entry] as usize, matrix.values[entry]) {
                result.col_indices.push(matrix.col_indices[entry]);
                result.values.push(value);
            }
        }
        result.row_ptr.push(P::from_count(result.col_indices.len()));
    }
    result
}

/// Makes a preconditioner of a structure around [`Triangles`].
macro_rules! precondition_by_triangles {
    ($name:ident) => {
        impl<T: Scalar, P: RowPointer> LinearOperator<T> for $name<T, P> {
            fn context(&self) -> &Context {
                self.triangles.context()
            }

            fn rows(&self) -> usize {
                self.triangles.order()
            }

            fn columns(&self) -> usize {
                self.triangles.order()
            }

            fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()> {
                self.triangles.solve(op, x, y)
            }
        }
    };
}
pub(super) use precondition_by_triangles;
