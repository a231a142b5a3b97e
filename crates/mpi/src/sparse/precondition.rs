//! Block Jacobi: each rank solves with its own block on the diagonal.

use affinimath::sparse::LinearOperator;
use affinimath::{Context, Layout, MatrixMut, MatrixRef, MatrixShape, Op, Scalar, SparseFactors, VectorMut, VectorRef};
use affinimath_core::view::View;

use super::csr::DistCsr;
use crate::error::{Error, Result};

/// Sparse factors of each rank's block on the diagonal, as a preconditioner.
///
/// Of a Hermitian positive definite matrix, blocks are factorised by Cholesky, and it is positive definite too. Factors
/// lie in host memory. For a matrix on devices, vectors are copied to the host and back.
#[derive(Debug)]
pub struct BlockJacobi<T: Scalar> {
    context: Context,
    order: usize,
    /// None of an empty block.
    factors: Option<SparseFactors<T>>,
}

impl<T: Scalar> BlockJacobi<T> {
    /// Factorises the blocks. All ranks call it.
    ///
    /// # Errors
    /// [`Error::Argument`] if A's rows and columns have different partitions; [`Error::Rank`] on all ranks if a block
    /// is singular.
    pub fn new(a: &DistCsr<T>) -> Result<Self> {
        let order = a.interior().rows();
        let factors = if a.rows() != a.columns() {
            Err(Error::argument("A", "its rows and columns have different partitions"))
        } else if order == 0 {
            Ok(None)
        } else {
            a.interior().factorize().map_err(Error::from).and_then(|factors| {
                try_out(&factors, order)?;
                Ok(Some(factors))
            })
        };
        a.grid().agree(a.agreement("BlockJacobi::new"), factors.as_ref().map(drop).map_err(Clone::clone))?;
        Ok(BlockJacobi { context: a.interior().context().clone(), order, factors: factors? })
    }
}

/// Solves once: a zero pivot of LU makes solutions infinite, which would be found in the middle of a solver.
fn try_out<T: Scalar>(factors: &SparseFactors<T>, order: usize) -> Result<()> {
    let (b, mut x) = (vec![T::ONE; order], vec![T::ZERO; order]);
    let shape = MatrixShape::new(Layout::ColumnMajor, order, 1, 0, order)?;
    factors.solve(Op::NoTrans, MatrixRef::from_slice(&b, shape)?, MatrixMut::from_slice(&mut x, shape)?)?;
    Ok(())
}

impl<T: Scalar> LinearOperator<T> for BlockJacobi<T> {
    fn context(&self) -> &Context {
        &self.context
    }

    fn rows(&self) -> usize {
        self.order
    }

    fn columns(&self) -> usize {
        self.order
    }

    fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> affinimath::Result<()> {
        let Some(factors) = &self.factors else { return Ok(()) };
        if x.shape().increment() != 1 || y.shape().increment() != 1 {
            return Err(affinimath::Error::ShapeMismatch("a vector's elements are not adjacent".to_owned()));
        }
        let column = |offset: usize| MatrixShape::new(Layout::ColumnMajor, self.order, 1, offset, self.order);
        let b = MatrixRef::from_parts(x.memory(), column(x.shape().offset())?);
        let x = MatrixMut::from_parts(y.memory(), column(y.shape().offset())?);
        factors.solve(op, b, x)
    }
}
