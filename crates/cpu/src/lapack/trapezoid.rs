//! RZ factorisation of an upper trapezoid, [R₁₁ R₁₂] = [T 0] Z with a unitary Z (LAPACK: xTZRZF, xORMRZ).
//!
//! Hᵢ = I - tau u uᴴ is applied to row i from the right; u is 1 at i, v in the last columns, and zero elsewhere. A
//! block reflector is I - U S Uᴴ with a lower triangular S (LAPACK: xLARZT).

use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::lanes::{Columns, Lanes};
use super::reflectors::larfg;
use super::workspace::{Workspace, columns};
use crate::gemm;
use crate::level3::trmm;
use crate::simd::dispatch;
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// Rows that are reflected together.
const BLOCK: usize = 32;

/// Z of an r x n trapezoid.
pub(super) struct Trapezoid<T> {
    /// The vectors v: r contiguous columns of n - r elements.
    v: Workspace<T>,
    /// Triangles S of the blocks, one below the other.
    s: Workspace<T>,
    rows: usize,
    length: usize,
}

impl<T: Scalar> Trapezoid<T> {
    /// Factorises a trapezoid with more columns than rows: T overwrites R₁₁, and the vectors v overwrite R₁₂.
    pub(super) fn factor(mut a: MatMut<'_, T>) -> Self {
        let (rows, length) = (a.nrows(), a.ncols() - a.nrows());
        let mut z = Trapezoid { v: Workspace::new(length, rows), s: Workspace::new(rows, BLOCK), rows, length };
        copy_adjoint(z.v.block(length, rows), a.as_ref().subcols(rows, length));
        for first in (0..rows).step_by(BLOCK).rev() {
            z.factor_block(first, BLOCK.min(rows - first), a.as_mut());
        }
        a.subcols_mut(rows, length).copy_from(z.v.block_ref(length, rows).transpose());
        z
    }

    /// Generates the reflectors of rows from `first` on, and applies them to the rows above.
    fn factor_block(&mut self, first: usize, width: usize, mut a: MatMut<'_, T>) {
        let mut tau = [T::ZERO; BLOCK];
        let mut v = self.v.block(self.length, self.rows);
        let (mut above, mut own) = v.as_mut().subcols_mut(0, first + width).split_at_col_mut(first);
        let diagonal = a.as_mut().submatrix_mut(first, first, width, width);
        dispatch(Rows { v: columns(&mut own), length: self.length, r: diagonal, tau: &mut tau[..width] });
        let mut s = self.s.block(self.rows, BLOCK).subrows_mut(first, width).subcols_mut(0, width);
        gemm(Op::ConjTrans, Op::NoTrans, T::ONE, own.as_ref(), own.as_ref(), T::ZERO, s.as_mut());
        form_triangle(s.as_mut(), &tau[..width]);
        if first == 0 {
            return;
        }
        // (row U)ᴴ = Uᴴ rowᴴ, and a row becomes the adjoint of (I - U Sᴴ Uᴴ) rowᴴ.
        let mut right = a.submatrix_mut(0, first, first, width);
        let mut memory = Workspace::new(width, first);
        let mut w = memory.block(width, first);
        copy_adjoint(w.as_mut(), right.as_ref());
        gemm(Op::ConjTrans, Op::NoTrans, T::ONE, own.as_ref(), above.as_ref(), T::ONE, w.as_mut());
        trmm(Side::Left, Triangle::Lower, Op::ConjTrans, Diag::NonUnit, T::ONE, s.as_ref(), w.as_mut());
        for k in 0..first {
            (0..width).for_each(|i| right[(k, i)] -= w[(i, k)].conjugate());
        }
        gemm(Op::NoTrans, Op::NoTrans, -T::ONE, own.as_ref(), w.as_ref(), T::ONE, above.as_mut());
    }

    /// B := Zᴴ B, for a B with as many rows as the trapezoid has columns.
    pub(super) fn apply_adjoint(&self, mut b: MatMut<'_, T>) {
        let mut memory = Workspace::new(BLOCK.min(self.rows), b.ncols());
        let v = self.v.block_ref(self.length, self.rows);
        for first in (0..self.rows).step_by(BLOCK) {
            let width = BLOCK.min(self.rows - first);
            let own = v.subcols(first, width);
            let s = self.s.block_ref(self.rows, BLOCK).submatrix(first, 0, width, width);
            let (top, mut tail) = b.as_mut().split_at_row_mut(self.rows);
            let mut top = top.subrows_mut(first, width);
            let mut w = memory.block(width, top.ncols());
            w.copy_from(top.as_ref());
            gemm(Op::ConjTrans, Op::NoTrans, T::ONE, own, tail.as_ref(), T::ONE, w.as_mut());
            trmm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::NonUnit, T::ONE, s, w.as_mut());
            subtract(top.as_mut(), w.as_ref());
            gemm(Op::NoTrans, Op::NoTrans, -T::ONE, own, w.as_ref(), T::ONE, tail.as_mut());
        }
    }
}

fn copy_adjoint<T: Scalar>(mut to: MatMut<'_, T>, from: MatRef<'_, T>) {
    for j in 0..to.ncols() {
        (0..to.nrows()).for_each(|i| to[(i, j)] = from[(j, i)].conjugate());
    }
}

fn subtract<T: Scalar>(mut a: MatMut<'_, T>, b: MatRef<'_, T>) {
    for j in 0..a.ncols() {
        (0..a.nrows()).for_each(|i| a[(i, j)] -= b[(i, j)]);
    }
}

/// S from Vᴴ V in its place (LAPACK: xLARZT): column i is tau on the diagonal, and -tau S Uᴴ uᵢ below it.
fn form_triangle<T: Scalar>(mut s: MatMut<'_, T>, tau: &[T]) {
    let n = tau.len();
    for i in (0..n).rev() {
        let mut column = [T::ZERO; BLOCK];
        for row in i + 1..n {
            (i + 1..=row).for_each(|k| column[row] += s[(row, k)] * s[(k, i)]);
        }
        (i + 1..n).for_each(|row| s[(row, i)] = -tau[i] * column[row]);
        s[(i, i)] = tau[i];
    }
}

/// Rows of a block, from the last to the first: each reflector is applied to the rows above it in the block.
struct Rows<'a, T> {
    /// The adjoint of R₁₂, which becomes the vectors v.
    v: Columns<T>,
    length: usize,
    /// The block of R₁₁ on the diagonal.
    r: MatMut<'a, T>,
    tau: &'a mut [T],
}

impl<T: Scalar> WithSimd for Rows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = Lanes::<T, S>::new(simd);
        let Rows { v: columns, length, mut r, tau } = self;
        for i in (0..tau.len()).rev() {
            let v = columns.at(0, i);
            let mut alpha = r[(i, i)].conjugate();
            let mut products = [T::ZERO; BLOCK];
            // SAFETY: `columns` are contiguous with `length` elements each, as many as there are factors; column i is
            // not among those that are read with it.
            unsafe {
                tau[i] = larfg(lanes, length, &mut alpha, v);
                lanes.dot_columns(length, v, columns, i, |k, dot| products[k] = dot);
            }
            r[(i, i)] = alpha;
            for (k, product) in products.iter().enumerate().take(i) {
                // uᴴ yₖ: `lanes` returns the conjugate of v's part.
                let factor = tau[i].conjugate() * (r[(k, i)] + *product).conjugate();
                r[(k, i)] -= factor.conjugate();
                // SAFETY: columns k and i have `length` elements each, and k < i.
                unsafe { lanes.add_columns(length, columns.at(0, k), columns.from(0, i), 1, |_| -factor) };
            }
        }
    }
}
