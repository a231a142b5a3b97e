//! Products of small matrices without packing: tiles of C with accumulators in registers.

use pulp::{Simd, WithSimd};

use crate::small::Strided;
use affinimath_core::scalar::Scalar;

/// Vector registers that a tile of two vectors by eight columns needs.
const ENOUGH_REGISTERS: usize = 32;

/// C := alpha A B + beta C with contiguous columns of A and C, A not conjugated, and exclusive access to C.
pub(crate) struct Direct<T> {
    /// Rows and columns of C, and the columns of A.
    pub(crate) sizes: [usize; 3],
    pub(crate) alpha: T,
    pub(crate) a: Strided<T>,
    pub(crate) b: Strided<T>,
    pub(crate) beta: T,
    pub(crate) c: Strided<T>,
}

impl<T: Scalar> WithSimd for &Direct<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = T::width::<S>();
        let m = self.sizes[0];
        let mut i = 0;
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            while i + 2 * width <= m {
                self.rows::<S, 2, true>(simd, i);
                i += 2 * width;
            }
            match m - i {
                0 => {}
                rest if rest > width => self.rows::<S, 2, false>(simd, i),
                rest if rest == width => self.rows::<S, 1, true>(simd, i),
                _ => self.rows::<S, 1, false>(simd, i),
            }
        }
    }
}

impl<T: Scalar> Direct<T> {
    /// V vectors of rows from row i on; without `WHOLE`, the last vector is partial.
    #[inline(always)]
    unsafe fn rows<S: Simd, const V: usize, const WHOLE: bool>(&self, simd: S, i: usize) {
        let n = self.sizes[1];
        let mut j = 0;
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            if S::REGISTER_COUNT >= ENOUGH_REGISTERS {
                while j + 8 <= n {
                    self.tile::<S, V, 8, WHOLE>(simd, i, j);
                    j += 8;
                }
            }
            while j + 4 <= n {
                self.tile::<S, V, 4, WHOLE>(simd, i, j);
                j += 4;
            }
            match n - j {
                1 => self.tile::<S, V, 1, WHOLE>(simd, i, j),
                2 => self.tile::<S, V, 2, WHOLE>(simd, i, j),
                3 => self.tile::<S, V, 3, WHOLE>(simd, i, j),
                _ => {}
            }
        }
    }

    /// The tile of J columns from column j on.
    #[inline(always)]
    unsafe fn tile<S: Simd, const V: usize, const J: usize, const WHOLE: bool>(&self, simd: S, i: usize, j: usize) {
        let [m, _, k] = self.sizes;
        let width = T::width::<S>();
        let last = T::first(simd, if WHOLE { width } else { m - i - (V - 1) * width });
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            let (a, b, c) =
                (self.a.first.add(i), self.b.first.add(j * self.b.column), self.c.first.add(i + j * self.c.column));
            let mut accumulators = [[T::zero(simd); V]; J];
            for p in 0..k {
                let mut rows = [T::zero(simd); V];
                for (v, row) in rows.iter_mut().enumerate() {
                    *row = load::<T, S, V, WHOLE>(simd, last, a.add(p * self.a.column), v);
                }
                for (s, accumulators) in accumulators.iter_mut().enumerate() {
                    let factor = T::factor(simd, self.b.element(b.add(p * self.b.row + s * self.b.column)));
                    for (sum, rows) in accumulators.iter_mut().zip(rows) {
                        *sum = T::add_multiple(simd, factor, rows, *sum);
                    }
                }
            }
            // All of C is read before any is written: a load soon after an overlapping store would stall.
            for (s, accumulators) in accumulators.iter_mut().enumerate() {
                let column = c.add(s * self.c.column);
                for (v, sum) in accumulators.iter_mut().enumerate() {
                    *sum = T::scale(simd, self.alpha, *sum);
                    // BLAS: with beta = 0, C is not read.
                    if self.beta != T::ZERO {
                        *sum = T::scale_and_add(simd, self.beta, load::<T, S, V, WHOLE>(simd, last, column, v), *sum);
                    }
                }
            }
            for (s, accumulators) in accumulators.into_iter().enumerate() {
                let column = c.add(s * self.c.column);
                for (v, sum) in accumulators.into_iter().enumerate() {
                    let to = column.add(v * width);
                    if WHOLE || v + 1 < V { T::store(simd, to, sum) } else { T::store_first(simd, last, to, sum) }
                }
            }
        }
    }
}

/// Vector v of the V in a column. Without `WHOLE`, the last one is partial.
///
/// # Safety
/// The column must have these elements.
#[inline(always)]
unsafe fn load<T: Scalar, S: Simd, const V: usize, const WHOLE: bool>(
    simd: S,
    last: T::First<S>,
    column: *const T,
    v: usize,
) -> T::Vector<S> {
    // SAFETY: the column has these elements, by this function's contract.
    unsafe {
        let from = column.add(v * T::width::<S>());
        if WHOLE || v + 1 < V { T::load(simd, from) } else { T::load_first(simd, last, from) }
    }
}
