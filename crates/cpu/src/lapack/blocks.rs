//! A unit lower triangle with inverted diagonal blocks, so that solving many right-hand sides is a sequence of
//! products.

use faer::{Mat, MatMut, MatRef};

use super::triangular::trtri;
use crate::gemm::pack::copy_of;
use crate::threads::both;
use crate::{gemm, trsm};
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// Columns or rows that a thread processes at a time, so that they fit into its cache with their factor.
pub(super) const STRIP: usize = 128;

/// Maximum rows of a block: those of one or two tiles of gemm.
const ROWS: usize = 96;

/// The inverse of a unit lower triangle, with zeros above it.
fn inverse<T: Scalar>(l: MatRef<'_, T>) -> Mat<T> {
    let n = l.nrows();
    let mut inverse = Mat::identity(n, n);
    for j in 0..n {
        let below = j + 1..n;
        inverse.as_mut().col_mut(j).subrows_mut(j + 1, below.len()).copy_from(l.col(j).subrows(j + 1, below.len()));
    }
    // A diagonal of ones has no zero.
    let _ = trtri(Triangle::Lower, Diag::Unit, inverse.as_mut());
    inverse
}

/// Maximum modulus in an inverted block. With larger elements, products are less accurate than substitution; partial
/// pivoting makes them very rare.
const MAX_ORDINARY: f64 = 100.0;

/// A unit lower triangle and the inverses of its diagonal blocks; `None` for a block whose inverse has large elements.
pub(super) struct Inverses<'a, T> {
    l: MatRef<'a, T>,
    blocks: Vec<Option<Mat<T>>>,
}

impl<'a, T: Scalar> Inverses<'a, T> {
    pub(super) fn new(l: MatRef<'a, T>) -> Self {
        let mut blocks = vec![None; l.nrows().div_ceil(ROWS)];
        invert_blocks(l, 0, &mut blocks);
        Inverses { l, blocks }
    }

    /// B := L⁻¹ B, by this thread.
    pub(super) fn solve(&self, mut b: MatMut<'_, T>) {
        for (k, inverse) in self.blocks.iter().enumerate() {
            let first = k * ROWS;
            let (solved, rest) = b.as_mut().split_at_row_mut(first);
            let size = ROWS.min(self.l.nrows() - first);
            let mut own = rest.subrows_mut(0, size);
            if first > 0 {
                let l = self.l.submatrix(first, 0, own.nrows(), first);
                subtract(l, solved.as_ref(), own.as_mut());
            }
            if let Some(inverse) = inverse {
                // The product overwrites its operand, so that it needs a copy.
                let source = copy_of(own.as_ref());
                gemm(Op::NoTrans, Op::NoTrans, T::ONE, inverse.as_ref(), source.as_ref(), T::ZERO, own);
            } else {
                let l = self.l.submatrix(first, first, size, size);
                trsm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::Unit, T::ONE, l, own);
            }
        }
    }
}

/// Maximum k of a product: longer ones may be split among threads, and the result would depend on their number.
const K_BLOCK: usize = 2048;

/// C := C - A B.
pub(super) fn subtract<T: Scalar>(a: MatRef<'_, T>, b: MatRef<'_, T>, mut c: MatMut<'_, T>) {
    for first in (0..a.ncols()).step_by(K_BLOCK) {
        let k = K_BLOCK.min(a.ncols() - first);
        let (a, b) = (a.subcols(first, k), b.subrows(first, k));
        gemm(Op::NoTrans, Op::NoTrans, -T::ONE, a, b, T::ONE, c.as_mut());
    }
}

/// Inverts the blocks from index `index` on.
fn invert_blocks<T: Scalar>(l: MatRef<'_, T>, index: usize, blocks: &mut [Option<Mat<T>>]) {
    if blocks.len() > 1 {
        let (left, right) = blocks.split_at_mut(blocks.len() / 2);
        let middle = index + left.len();
        both(true, || invert_blocks(l, index, left), || invert_blocks(l, middle, right));
    } else if let [block] = blocks {
        let first = index * ROWS;
        let size = ROWS.min(l.nrows() - first);
        let inverse = inverse(l.submatrix(first, first, size, size));
        let small = |x: &T| x.re().abs() + x.im().abs() <= MAX_ORDINARY;
        let is_small = inverse.col_iter().all(|column| column.iter().all(small));
        *block = is_small.then_some(inverse);
    }
}
