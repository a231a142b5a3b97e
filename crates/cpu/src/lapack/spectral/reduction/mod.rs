//! Reductions to tridiagonal and bidiagonal form by Householder reflectors, and their orthogonal factors: LAPACK's
//! storage, so that each routine takes the results of any implementation of the others.

mod bidiagonal;
mod tridiagonal;

use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::super::lanes::Lanes;
use super::super::reflectors::larfg;
use crate::level2;
use crate::simd::dispatch;
use affinimath_core::options::{Layout, Op, Symmetry, Triangle};
use affinimath_core::problem::product::Product;
use affinimath_core::scalar::Scalar;
use affinimath_core::view::{MatrixRef, MatrixShape, VectorMut, VectorRef, VectorShape};

pub use bidiagonal::{BidiagonalFactor, gebrd, orgbr, ormbr};
pub use tridiagonal::{hetrd, orgtr, ormtr};

/// Reflectors of a panel, whose trailing update is a product of matrices (LAPACK: the block size of ILAENV).
const PANEL: usize = 32;

/// A matrix with contiguous columns, of which level 2 multiplies blocks.
struct Slab<T> {
    memory: Vec<T>,
    rows: usize,
    leading: usize,
}

/// The first row and column of a block, and its sizes.
#[derive(Clone, Copy)]
struct Block {
    at: (usize, usize),
    sizes: (usize, usize),
}

impl<T: Scalar> Slab<T> {
    /// Zeros. Columns are never a multiple of 4 KiB apart, where they would contend for the same cache sets.
    fn zeros(rows: usize, columns: usize) -> Self {
        let leading = rows.next_multiple_of(8) + 8;
        Slab { memory: vec![T::ZERO; leading * columns], rows, leading }
    }

    fn copy_of(a: MatRef<'_, T>) -> Self {
        let mut slab = Slab::zeros(a.nrows(), a.ncols());
        let columns = a.ncols();
        slab.block_mut(Block { at: (0, 0), sizes: (a.nrows(), columns) }).copy_from(a);
        slab
    }

    fn column(&mut self, j: usize, from: usize) -> &mut [T] {
        &mut self.memory[j * self.leading + from..j * self.leading + self.rows]
    }

    fn column_ref(&self, j: usize, from: usize) -> &[T] {
        &self.memory[j * self.leading + from..j * self.leading + self.rows]
    }

    fn at(&mut self, i: usize, j: usize) -> &mut T {
        &mut self.memory[i + j * self.leading]
    }

    fn get(&self, i: usize, j: usize) -> T {
        self.memory[i + j * self.leading]
    }

    fn block(&self, Block { at, sizes }: Block) -> MatRef<'_, T> {
        let memory = self.memory.get(at.0 + at.1 * self.leading..).unwrap_or(&[]);
        MatRef::from_column_major_slice_with_stride(memory, sizes.0, sizes.1, self.leading)
    }

    fn block_mut(&mut self, Block { at, sizes }: Block) -> MatMut<'_, T> {
        let memory = self.memory.get_mut(at.0 + at.1 * self.leading..).unwrap_or(&mut []);
        MatMut::from_column_major_slice_with_stride_mut(memory, sizes.0, sizes.1, self.leading)
    }

    /// The view that level 2 takes.
    fn view(&self, Block { at, sizes }: Block) -> Option<MatrixRef<'_, T>> {
        let offset = at.0 + at.1 * self.leading;
        MatrixRef::from_slice(
            &self.memory,
            MatrixShape::new(Layout::ColumnMajor, sizes.0, sizes.1, offset, self.leading).ok()?,
        )
        .ok()
    }

    /// y := alpha op(block) x + beta y.
    fn multiply(&self, block: Block, op: Op, (alpha, x): (T, &[T]), beta: T, y: &mut [T]) {
        if y.is_empty() || x.is_empty() {
            return if beta == T::ZERO {
                y.fill(T::ZERO)
            };
        }
        let a = self.view(block).expect("the block is in the memory");
        let product = Product::gemv(op, alpha, a, vector(x), beta, vector_mut(y));
        level2::product(&product.expect("the vectors fit the block"));
    }

    /// y := A x with a Hermitian diagonal block from index `first` on, whose lower triangle is read.
    fn multiply_hermitian(&self, first: usize, x: &[T], y: &mut [T]) {
        let block = Block { at: (first, first), sizes: (x.len(), x.len()) };
        let a = self.view(block).expect("the block is in the memory");
        let (symmetry, triangle) = (Symmetry::Hermitian, Triangle::Lower);
        let product = Product::symv(symmetry, triangle, T::ONE, a, vector(x), T::ZERO, vector_mut(y));
        level2::product(&product.expect("the vectors fit the block"));
    }
}

fn vector<T: Scalar>(x: &[T]) -> VectorRef<'_, T> {
    let shape = VectorShape::new(x.len(), 0, 1).expect("a slice is a vector");
    VectorRef::from_slice(x, shape).expect("a slice is a vector")
}

fn vector_mut<T: Scalar>(y: &mut [T]) -> VectorMut<'_, T> {
    let shape = VectorShape::new(y.len(), 0, 1).expect("a slice is a vector");
    VectorMut::from_slice(y, shape).expect("a slice is a vector")
}

/// The reflector of a vector, which must not be empty: beta and the rest of v take its place (LAPACK: xLARFG).
fn reflect<T: Scalar>(x: &mut [T]) -> T {
    dispatch(Reflect(x))
}

struct Reflect<'a, T>(&'a mut [T]);

impl<T: Scalar> WithSimd for Reflect<'_, T> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> T {
        let Some((alpha, rest)) = self.0.split_first_mut() else { return T::ZERO };
        // SAFETY: the rest has its length.
        unsafe { larfg(Lanes::<T, S>::new(simd), rest.len(), alpha, rest.as_mut_ptr()) }
    }
}

/// xᴴ y.
fn inner<T: Scalar>(x: &[T], y: &[T]) -> T {
    x.iter().zip(y).fold(T::ZERO, |sum, (x, y)| sum + x.conjugate() * *y)
}

/// Q of order n - 1 in the lower right, beside a one (LAPACK: as xORGTR and xORGBR shift reflectors to the right).
fn shift_to_right<T: Scalar>(mut a: MatMut<'_, T>) {
    let n = a.nrows();
    for j in (1..n).rev() {
        a[(0, j)] = T::ZERO;
        (j + 1..n).for_each(|i| a[(i, j)] = a[(i, j - 1)]);
    }
    (0..n).for_each(|i| a[(i, 0)] = if i == 0 { T::ONE } else { T::ZERO });
}
