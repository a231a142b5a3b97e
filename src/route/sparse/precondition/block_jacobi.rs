//! The blocks on a matrix's diagonal as a preconditioner.

use super::check_vectors;
use crate::context::Queue;
use crate::error::{Error, Result};
use crate::host;
use crate::memory::{Buffer, Context};
use crate::options::Op;
use crate::scalar::Scalar;
use crate::sparse::{BlockProduct, CsrMatrix, LinearOperator, RowPointer, block_product_on, by_rows};
use crate::view::{VectorMut, VectorRef};

/// Block Jacobi's preconditioner: the inverses of the blocks on a matrix's diagonal, of so many adjacent rows each
/// (Saad, *Iterative methods for sparse linear systems*, 2003, section 12.2). It suits matrices whose unknowns come in
/// groups, such as the displacements of a node. For a Hermitian positive definite matrix it is Hermitian positive
/// definite.
///
/// The blocks are inverted on the host, by several threads; what is made lies where the matrix does, in as many
/// elements as the order times the blocks' size. One launch applies it, on the host a loop that threads share.
///
/// ```
/// use affinimath::sparse::{CsrMatrix, SolveOptions};
/// use affinimath::{BlockJacobi, Context, cg};
///
/// // [ 2 1 0 ]
/// // [ 1 3 1 ]
/// // [ 0 1 4 ]
/// let context = Context::host();
/// let (row_ptr, col_indices) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
/// let a = CsrMatrix::new(&context, 3, 3, &row_ptr, &col_indices, &[2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 4.0])?;
/// let b = context.upload(&[3.0, 5.0, 5.0])?;
/// let mut x = context.zeros(3)?;
/// let blocks = BlockJacobi::new(&a, 2)?;
/// let outcome = cg(&a, b.vector()?, x.vector_mut()?, &SolveOptions::new().preconditioner(&blocks))?;
/// assert!(outcome.converged() && x.download()?.iter().all(|x: &f64| (x - 1.0).abs() < 1e-7));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[derive(Debug)]
pub struct BlockJacobi<T> {
    context: Context,
    order: usize,
    size: usize,
    blocks: Buffer<T>,
}

impl<T: Scalar> BlockJacobi<T> {
    /// A size that costs about what a product with a matrix of a dozen entries a row does.
    pub const DEFAULT_SIZE: usize = 16;
    /// The largest size.
    pub const MAX_SIZE: usize = 256;

    /// That of a square matrix with blocks of `size x size` elements, of which the last one may be smaller. Entries
    /// that stand more than once in a place add up.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a size that is not from 1 to [`BlockJacobi::MAX_SIZE`], [`Error::ShapeMismatch`]
    /// for a matrix that is not square, [`Error::ZeroPivot`] with the row, counted from 1, at which a block is found to
    /// be singular, and what the device reports.
    pub fn new<P: RowPointer>(matrix: &CsrMatrix<T, P>, size: usize) -> Result<Self> {
        let (order, context) = (matrix.order()?, CsrMatrix::context(matrix));
        if !(1..=Self::MAX_SIZE).contains(&size) {
            return Err(Error::argument("size", format!("blocks of {size} are not from 1 to {}", Self::MAX_SIZE)));
        }
        let mut blocks = host::sparse::inverted_blocks(&matrix.download()?, size)?;
        if context.device().is_some_and(|device| by_rows(device.info())) {
            blocks.chunks_exact_mut(size * size).for_each(|block| transpose(block, size));
        }
        Ok(BlockJacobi { context: context.clone(), order, size, blocks: context.upload(&blocks)? })
    }
}

/// A square block across its diagonal.
fn transpose<T>(block: &mut [T], size: usize) {
    for row in 0..size {
        (0..row).for_each(|column| block.swap(row * size + column, column * size + row));
    }
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

    fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()> {
        check_vectors(&self.context, self.order, &x, &y)?;
        if self.order == 0 {
            return Ok(());
        }
        match (self.context.on_device(), self.blocks.on_host()) {
            (Some(device), _) => {
                let product = BlockProduct { blocks: &self.blocks, size: self.size, op, x, y };
                block_product_on(&Queue::new(device)?, &product)?;
            }
            (None, Some(blocks)) => host::on_living_thread(|| host::sparse::block_product(blocks, self.size, op, x, y)),
            (None, None) => unreachable!("the blocks lie in the context's memory"),
        }
        Ok(())
    }
}
