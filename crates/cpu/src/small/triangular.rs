//! trmm and trsm of small matrices: X := X T or X := X T⁻¹ in a copy of whole vectors, whose rows are independent.

use pulp::{Simd, WithSimd};

use super::Strided;
use super::memory::{padded, with_memory};
use super::products::ByColumns;
use crate::simd::dispatch;
use affinimath_core::division::{largest_part, reciprocal, scale_by};
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// Maximum order of a triangle that is not split.
pub const MAX_ORDER: usize = 32;

/// The triangle of a product or a system, by columns, on the given side of B.
#[derive(Clone, Copy, Debug)]
pub struct Factor<T> {
    /// First element and leading dimension of the whole matrix.
    pub matrix: ByColumns<T>,
    /// On which side of B it stands.
    pub side: Side,
    /// Stored triangle.
    pub triangle: Triangle,
    /// op of it is meant.
    pub op: Op,
    /// Unit or stored diagonal.
    pub diagonal: Diag,
}

/// B := alpha op(A) B or alpha B op(A), and with `SOLVE` B := alpha op(A)⁻¹ B or alpha B op(A)⁻¹, for an m x n B.
/// alpha is not 0. Returns false, and does nothing, for operands that the small path does not take, such as triangles
/// with a diagonal close to overflow or underflow.
///
/// # Safety
/// The matrices must be valid, and B must not be accessed by anything else.
pub unsafe fn triangular<T: Scalar, const SOLVE: bool>(
    factor: Factor<T>,
    [m, n]: [usize; 2],
    alpha: T,
    b: ByColumns<T>,
) -> bool {
    let Factor { matrix, side, triangle, op, diagonal } = factor;
    let left = side == Side::Left;
    // op(A) X = B is Xᵀ op(A)ᵀ = Bᵀ.
    let (order, rows) = if left { (m, n) } else { (n, m) };
    let transposes = op.transposes() != left;
    let stored = Strided { conjugate: op.conjugates(), ..matrix.strided() };
    let t = if transposes { stored.transposed() } else { stored };
    let upper = (triangle == Triangle::Upper) != transposes;
    let unit = diagonal == Diag::Unit;
    // SAFETY: the diagonal has as many elements, by this function's contract.
    if order > MAX_ORDER || (SOLVE && !unit && !unsafe { has_reciprocals(order, matrix) }) {
        return false;
    }
    let ld = padded::<T>(rows);
    let diagonal = |scales: *mut T| {
        // SAFETY: the diagonal has `order` elements, and the memory as many.
        (0..order).for_each(|j| unsafe {
            let value = t.element(t.first.add(j * (t.row + t.column)));
            scales.add(j).write(if SOLVE { reciprocal(value) } else { value });
        });
    };
    if !left && alpha == T::ONE && ld == rows {
        // The columns are whole vectors already.
        return with_memory(order, |scales: *mut T| {
            if !unit {
                diagonal(scales);
            }
            dispatch(&OnRight::<T, SOLVE> { x: b, rows, order, t, upper, scales: (!unit).then_some(scales) });
            true
        });
    }
    with_memory((ld + 1) * order, |copy: *mut T| {
        let x = ByColumns { first: copy, leading_dimension: ld };
        let scales = copy.wrapping_add(ld * order);
        let (in_factor, out_factor) = if SOLVE { (alpha, T::ONE) } else { (T::ONE, alpha) };
        let (down, along) = if left { (b.leading_dimension, 1) } else { (1, b.leading_dimension) };
        let address = |i: usize, j: usize| b.first.wrapping_add(i * down + j * along);
        // SAFETY: the matrices are valid, by this function's contract; the memory holds X and an element for each of
        // the diagonal.
        unsafe {
            for j in 0..order {
                for i in 0..rows {
                    x.at(i, j).write(scaled(in_factor, *address(i, j)));
                }
                for i in rows..ld {
                    x.at(i, j).write(T::ZERO);
                }
            }
            if !unit {
                diagonal(scales);
            }
            dispatch(&OnRight::<T, SOLVE> { x, rows: ld, order, t, upper, scales: (!unit).then_some(scales) });
            for j in 0..order {
                for i in 0..rows {
                    *address(i, j) = scaled(out_factor, *x.at(i, j));
                }
            }
        }
        true
    })
}

/// alpha x; 1 x is x, whatever it is.
#[inline(always)]
fn scaled<T: Scalar>(alpha: T, x: T) -> T {
    if alpha == T::ONE { x } else { scale_by(alpha, x) }
}

/// True if the diagonal's reciprocals, and products with them, are far from overflow and underflow.
///
/// # Safety
/// The matrix must be valid.
pub(super) unsafe fn has_reciprocals<T: Scalar>(n: usize, a: ByColumns<T>) -> bool {
    let limit = limit::<T>();
    // SAFETY: the matrix is valid, by this function's contract.
    (0..n).all(|i| (limit.recip()..=limit).contains(&largest_part(unsafe { *a.at(i, i) })))
}

/// Values between this and its reciprocal have ordinary quotients.
#[inline(always)]
pub(super) fn limit<T: Scalar>() -> f64 {
    if T::KIND.is_double() { f64::from_bits((1023 + 500) << 52) } else { f64::from_bits((1023 + 60) << 52) }
}

/// X T or X T⁻¹ in place of X, in columns of whole vectors.
struct OnRight<T, const SOLVE: bool> {
    x: ByColumns<T>,
    rows: usize,
    order: usize,
    t: Strided<T>,
    upper: bool,
    /// The diagonal, or its reciprocals, unless it is all ones.
    scales: Option<*mut T>,
}

impl<T: Scalar, const SOLVE: bool> WithSimd for &OnRight<T, SOLVE> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = T::width::<S>();
        let mut i = 0;
        // SAFETY: the operands have these sizes, checked before `self` was built; rows are padded to whole vectors.
        unsafe {
            while i + 4 * width <= self.rows {
                self.run::<S, 4, 1>(simd, i);
                i += 4 * width;
            }
            while i + 2 * width <= self.rows {
                self.run::<S, 2, 2>(simd, i);
                i += 2 * width;
            }
            while i < self.rows {
                self.run::<S, 1, 4>(simd, i);
                i += width;
            }
        }
    }
}

impl<T: Scalar, const SOLVE: bool> OnRight<T, SOLVE> {
    /// V vectors of rows from row i on. A column is a sum over those that it depends on, P at a time.
    #[inline(always)]
    unsafe fn run<S: Simd, const V: usize, const P: usize>(&self, simd: S, i: usize) {
        let (width, order) = (T::width::<S>(), self.order);
        // A solution begins with the column that depends on no other, a product with the one that no other depends on.
        let ascending = self.upper == SOLVE;
        for step in 0..order {
            let j = if ascending { step } else { order - 1 - step };
            let [begin, end] = if self.upper { [0, j] } else { [j + 1, order] };
            let column = self.x.at(i, j);
            let mut sums = [[T::zero(simd); V]; P];
            // SAFETY: the columns are those of X, and the elements those of the triangle.
            unsafe {
                let mut k = begin;
                while k < end {
                    for (p, sums) in sums.iter_mut().enumerate() {
                        if k + p < end {
                            let address = self.t.first.add((k + p) * self.t.row + j * self.t.column);
                            let factor = T::factor(simd, self.t.element(address));
                            for (v, sum) in sums.iter_mut().enumerate() {
                                let x = T::load(simd, self.x.at(i + v * width, k + p));
                                *sum = T::add_multiple(simd, factor, x, *sum);
                            }
                        }
                    }
                    k += P;
                }
                for v in 0..V {
                    let mut sum = sums[0][v];
                    for others in sums.iter().skip(1) {
                        sum = T::plus(simd, sum, others[v]);
                    }
                    let to = column.add(v * width);
                    let own = T::load(simd, to);
                    let result = match (SOLVE, self.scales) {
                        (true, None) => T::scale_and_add(simd, -T::ONE, sum, own),
                        (true, Some(scales)) => {
                            T::scale(simd, *scales.add(j), T::scale_and_add(simd, -T::ONE, sum, own))
                        }
                        (false, None) => T::plus(simd, own, sum),
                        (false, Some(scales)) => T::scale_and_add(simd, *scales.add(j), own, sum),
                    };
                    T::store(simd, to, result);
                }
            }
        }
    }
}
