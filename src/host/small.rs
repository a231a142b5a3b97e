//! Operands so small that everything around the arithmetic counts: adjacent real numbers, one thread, no other memory.
//!
//! The callers have checked what BLAS checks; sizes that are 0 and factors that leave operands unread are not for here.

use faer::traits::pulp::Arch;

use super::level1::short_dot;
use crate::scalar::Scalar;

/// Elements of a vector up to which one thread is enough, and the sum is one part.
pub const VECTOR: usize = 16 << 10;

/// Multiplications of a product of matrices that are done here.
pub const PRODUCT: usize = 24 * 24 * 24;

/// Elements of a matrix whose product with a vector is done here.
pub const MATRIX: usize = 64 * 64;

/// Elements of a matrix that is brought into another order first.
const TURNED: usize = 32 * 32;

/// A matrix from its first element on, by the distances between neighbours in a column and in a row.
#[derive(Clone, Copy, Debug)]
pub struct Strided<T> {
    /// The first element.
    pub first: *mut T,
    /// Elements from each row to the next.
    pub row: usize,
    /// Elements from each column to the next.
    pub column: usize,
}

impl<T> Strided<T> {
    /// Its transpose.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Strided { first: self.first, row: self.column, column: self.row }
    }
}

/// The sum of x_i y_i, for at most [`VECTOR`] elements.
///
/// # Safety
/// There must be n elements behind both pointers.
pub unsafe fn dot<R: Scalar>(n: usize, x: *const R, y: *const R) -> R {
    // SAFETY: the caller vouches for the vectors.
    unsafe { short_dot(std::slice::from_raw_parts(x, n), std::slice::from_raw_parts(y, n)) }
}

/// y := alpha x + y, for at most [`VECTOR`] elements.
///
/// # Safety
/// There must be n elements behind both pointers, and those of y must be nobody else's.
pub unsafe fn axpy<R: Scalar>(n: usize, alpha: R, x: *const R, y: *mut R) {
    // SAFETY: the caller vouches for the vectors.
    let (x, y) = unsafe { (std::slice::from_raw_parts(x, n), std::slice::from_raw_parts_mut(y, n)) };
    let add = |x: &[R], y: &mut [R]| x.iter().zip(y).for_each(|(x, y)| *y += alpha * *x);
    // A few elements are done before the widest vectors are found.
    if n < 16 { add(x, y) } else { Arch::new().dispatch(|| add(x, y)) }
}

/// C := alpha A B + beta C for m x k A, k x n B and m x n C, whose columns or rows are of adjacent elements. Gives false, and
/// does nothing, for operands that are not for here.
///
/// # Safety
/// The matrices must be valid, and C must be nobody else's.
pub unsafe fn gemm<R: Scalar>(
    [m, n, k]: [usize; 3],
    alpha: R,
    a: Strided<R>,
    b: Strided<R>,
    beta: R,
    c: Strided<R>,
) -> bool {
    if m.saturating_mul(n).saturating_mul(k) > PRODUCT {
        return false;
    }
    if c.row != 1 {
        // The product of the transposed matrices, in the other order. A C of one row and one column has both.
        // SAFETY: the caller vouches for the matrices.
        return c.column == 1
            && unsafe { gemm([n, m, k], alpha, b.transposed(), a.transposed(), beta, c.transposed()) };
    }
    if a.row == 1 {
        // SAFETY: as above.
        Arch::new().dispatch(|| unsafe { columns([m, n, k], alpha, a, b, beta, c) });
        return true;
    }
    if m * k > TURNED {
        return false;
    }
    let mut turned = [R::ZERO; TURNED];
    for column in 0..k {
        for row in 0..m {
            // SAFETY: as above; the copy has room for m k elements.
            turned[column * m + row] = unsafe { *a.first.add(row * a.row + column * a.column) };
        }
    }
    let a = Strided { first: turned.as_mut_ptr(), row: 1, column: m };
    // SAFETY: as above.
    Arch::new().dispatch(|| unsafe { columns([m, n, k], alpha, a, b, beta, c) });
    true
}

/// The product where the columns of A and C are of adjacent elements: by pieces of rows that fit into registers.
///
/// # Safety
/// As [`gemm`].
#[inline(always)]
unsafe fn columns<R: Scalar>([m, n, k]: [usize; 3], alpha: R, a: Strided<R>, b: Strided<R>, beta: R, c: Strided<R>) {
    let mut row = 0;
    macro_rules! pieces {
        ($($width:literal),+) => {$(
            while m - row >= $width {
                // SAFETY: the piece is one of the matrices'.
                unsafe { piece::<R, $width>([n, k], alpha, a.first.add(row), a.column, b, beta, c.first.add(row), c.column) };
                row += $width;
            }
        )+};
    }
    pieces!(16, 8, 4, 2, 1);
}

/// So many adjacent rows of the product.
///
/// # Safety
/// As [`gemm`].
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "three matrices")]
unsafe fn piece<R: Scalar, const ROWS: usize>(
    [n, k]: [usize; 2],
    alpha: R,
    a: *const R,
    a_column: usize,
    b: Strided<R>,
    beta: R,
    c: *mut R,
    c_column: usize,
) {
    for j in 0..n {
        let mut sums = [R::ZERO; ROWS];
        for p in 0..k {
            // SAFETY: the caller vouches for the matrices.
            let (column, factor) =
                unsafe { (&*a.add(p * a_column).cast::<[R; ROWS]>(), *b.first.add(p * b.row + j * b.column)) };
            for i in 0..ROWS {
                sums[i] += column[i] * factor;
            }
        }
        // SAFETY: as above, and C is nobody else's.
        let place = unsafe { &mut *c.add(j * c_column).cast::<[R; ROWS]>() };
        for i in 0..ROWS {
            // BLAS: with beta = 0, C is not read.
            place[i] = if beta == R::ZERO { alpha * sums[i] } else { alpha * sums[i] + beta * place[i] };
        }
    }
}

/// y := alpha A x + beta y for m x n A of at most [`MATRIX`] elements, whose columns or rows are adjacent elements, and adjacent
/// x and y.
///
/// # Safety
/// The matrix and the vectors must be valid, and y must be nobody else's.
pub unsafe fn gemv<R: Scalar>([m, n]: [usize; 2], alpha: R, a: Strided<R>, x: *const R, beta: R, y: *mut R) {
    if a.row == 1 {
        let x = Strided { first: x.cast_mut(), row: 1, column: n };
        let y = Strided { first: y, row: 1, column: m };
        // SAFETY: the caller vouches for the operands; x and y are matrices of one column.
        return Arch::new().dispatch(|| unsafe { columns([m, 1, n], alpha, a, x, beta, y) });
    }
    for row in 0..m {
        // SAFETY: as above, for a row of adjacent elements.
        unsafe {
            let sum = alpha * dot(n, a.first.add(row * a.row), x);
            let place = y.add(row);
            *place = if beta == R::ZERO { sum } else { sum + beta * *place };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small whole numbers, so that all sums are exact.
    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|i| ((i * 7 + seed * 13) % 19) as f64 - 9.0).collect()
    }

    #[test]
    fn a_small_product_is_the_sum_of_products_for_all_orders() {
        for (m, n, k) in [(1, 1, 1), (4, 4, 4), (7, 5, 3), (16, 1, 9), (23, 24, 24), (3, 17, 31)] {
            for orders in 0..8 {
                let order = |bit: usize, rows: usize, columns: usize| {
                    if orders & bit == 0 { (1, rows + 1) } else { (columns + 1, 1) }
                };
                let [mut a, mut b, mut c] = [1, 2, 3].map(|seed| numbers(40 * 40, seed));
                let view = |memory: &mut Vec<f64>, (row, column)| Strided { first: memory.as_mut_ptr(), row, column };
                let (oa, ob, oc) = (order(1, m, k), order(2, k, n), order(4, m, n));
                let before = c.clone();
                let at =
                    |memory: &[f64], (row, column): (usize, usize), i: usize, j: usize| memory[i * row + j * column];
                let (va, vb, vc) = (view(&mut a, oa), view(&mut b, ob), view(&mut c, oc));
                // SAFETY: the matrices lie in memory of 40 x 40 elements.
                assert!(unsafe { gemm([m, n, k], 2.0, va, vb, 3.0, vc) });
                for i in 0..m {
                    for j in 0..n {
                        let sum: f64 = (0..k).map(|p| at(&a, oa, i, p) * at(&b, ob, p, j)).sum();
                        assert_eq!(at(&c, oc, i, j), 2.0 * sum + 3.0 * at(&before, oc, i, j), "{m} {n} {k} {orders}");
                    }
                }
                let touched = (0..m).flat_map(|i| (0..n).map(move |j| i * oc.0 + j * oc.1)).collect::<Vec<_>>();
                assert!((0..c.len()).all(|i| touched.contains(&i) || c[i] == before[i]));
            }
        }
    }

    #[test]
    fn small_vectors_are_multiplied_and_added() {
        for n in [1, 3, 15, 16, 17, 64, 100, 1000] {
            let (x, mut y) = (numbers(n, 4), numbers(n, 5));
            let sum: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
            // SAFETY: both have n elements.
            assert_eq!(unsafe { dot(n, x.as_ptr(), y.as_ptr()) }, sum);
            let expected: Vec<f64> = x.iter().zip(&y).map(|(x, y)| 2.0 * x + y).collect();
            // SAFETY: as above.
            unsafe { axpy(n, 2.0, x.as_ptr(), y.as_mut_ptr()) };
            assert_eq!(y, expected);
        }
    }

    #[test]
    fn with_beta_0_nothing_is_read() {
        let (mut a, x, mut y) = (numbers(12, 1), numbers(4, 2), vec![f64::NAN; 4]);
        for (row, column, m, n) in [(1, 4, 3, 3), (4, 1, 3, 4)] {
            y.fill(f64::NAN);
            let view = Strided { first: a.as_mut_ptr(), row, column };
            // SAFETY: the matrix lies within 12 elements.
            unsafe { gemv([m, n], 1.0, view, x.as_ptr(), 0.0, y.as_mut_ptr()) };
            for i in 0..m {
                assert_eq!(y[i], (0..n).map(|j| a[i * row + j * column] * x[j]).sum::<f64>());
            }
        }
    }
}
