//! Sylvester's equation of Schur forms (Bartels and Stewart 1972; LAPACK: xTRSYL), recursive (Jonsson and Kågström
//! 2002): halves of the larger order, and products between them.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::super::among_threads;
use crate::gemm;
use crate::norm::max_norm;

use affinimath_core::options::Op;
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_decompositions::schur::exchange::block_order;

/// Largest order that is substituted element by element.
const BLOCK: usize = 32;

/// A Schur form under an op.
#[derive(Clone, Copy)]
struct Side<'a, T> {
    t: MatRef<'a, T>,
    op: Op,
}

impl<'a, T: Scalar> Side<'a, T> {
    fn element(&self, i: usize, j: usize) -> Complex64 {
        let at = |i, j| Complex64::new(self.t[(i, j)].re(), self.t[(i, j)].im());
        match self.op {
            Op::NoTrans => at(i, j),
            Op::ConjNoTrans => at(i, j).conj(),
            Op::Trans => at(j, i),
            Op::ConjTrans => at(j, i).conj(),
        }
    }

    /// True if the operated form is upper triangular.
    fn is_upper(&self) -> bool {
        matches!(self.op, Op::NoTrans | Op::ConjNoTrans)
    }

    /// The two diagonal parts of half the order, and the part above the diagonal between them. No block is cut.
    fn halves(&self) -> (usize, [Self; 2], MatRef<'a, T>) {
        let (t, n) = (self.t, self.t.nrows());
        let k = n / 2 + usize::from(t[(n / 2, n / 2 - 1)] != T::ZERO);
        let of = |t| Side { t, op: self.op };
        let parts = [of(t.submatrix(0, 0, k, k)), of(t.submatrix(k, k, n - k, n - k))];
        (k, parts, t.submatrix(0, k, k, n - k))
    }

    /// First rows and orders of the blocks.
    fn blocks(&self) -> Vec<(usize, usize)> {
        let (mut blocks, mut k) = (Vec::new(), 0);
        while k < self.t.nrows() {
            let order = block_order(self.t, k);
            blocks.push((k, order));
            k += order;
        }
        blocks
    }
}

/// Solves op(A) X + sign X op(B) = scale C for Schur forms A and B, in C's place (LAPACK: xTRSYL). Returns the scale,
/// at most 1, for which X does not overflow; and true if A and -sign B have common or close eigenvalues, which were
/// perturbed.
#[instances]
pub fn trsyl<T: Scalar>(ops: [Op; 2], sign: f64, a: MatRef<'_, T>, b: MatRef<'_, T>, c: MatMut<'_, T>) -> (f64, bool) {
    let (m, n) = (c.nrows(), c.ncols());
    let largest =
        |t: MatRef<'_, T>| t.col_iter().flat_map(|column| column.iter()).map(|x| x.modulus()).fold(0.0, f64::max);
    let normal = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
    let smallest = normal * (m * n).max(1) as f64 / T::EPSILON;
    let min_pivot = smallest.max(T::EPSILON * largest(a)).max(T::EPSILON * largest(b));
    let sides = [Side { t: a, op: ops[0] }, Side { t: b, op: ops[1] }];
    among_threads(m.max(n), || recursive(sides, sign, (min_pivot, normal), c))
}

fn recursive<T: Scalar>(
    [left, right]: [Side<'_, T>; 2],
    sign: f64,
    limits: (f64, f64),
    c: MatMut<'_, T>,
) -> (f64, bool) {
    let (m, n) = (c.nrows(), c.ncols());
    if m.max(n) <= BLOCK {
        return substitute([left, right], sign, limits, c);
    }
    // The first part of X is substituted in the rest of C.
    let by_rows = m >= n;
    let (k, [front, back], coupling) = if by_rows { left.halves() } else { right.halves() };
    let (front_c, back_c) = if by_rows { c.split_at_row_mut(k) } else { c.split_at_col_mut(k) };
    // An upper triangle on the left is solved from its end, on the right from its begin.
    let back_first = if by_rows { left.is_upper() } else { !right.is_upper() };
    let ((first, mut x), (second, mut rest)) =
        if back_first { ((back, back_c), (front, front_c)) } else { ((front, front_c), (back, back_c)) };
    let of = |half| if by_rows { [half, right] } else { [left, half] };
    let (mut scale, near) = recursive(of(first), sign, limits, x.as_mut());
    scale_by(rest.as_mut(), scale);
    let factor = safe_factor::<T>(max_norm(coupling) * m.max(n) as f64, max_norm(x.as_ref()), max_norm(rest.as_ref()));
    scale_by(x.as_mut(), factor);
    scale_by(rest.as_mut(), factor);
    scale *= factor;
    let minus = T::from_parts(if by_rows { -1.0 } else { -sign }, 0.0);
    if by_rows {
        gemm(left.op, Op::NoTrans, minus, coupling, x.as_ref(), T::ONE, rest.as_mut());
    } else {
        gemm(Op::NoTrans, right.op, minus, x.as_ref(), coupling, T::ONE, rest.as_mut());
    }
    let (last, also_near) = recursive(of(second), sign, limits, rest);
    scale_by(x, last);
    (scale * last, near || also_near)
}

/// A factor for a product of two matrices and for the matrix that it is added to, so that the sum does not overflow.
fn safe_factor<T: Scalar>(a: f64, x: f64, c: f64) -> f64 {
    let limit = (if T::KIND.is_double() { f64::MAX } else { f64::from(f32::MAX) }) / 8.0;
    let of_product = if x > 0.0 && a > limit / x { limit / x / a } else { 1.0 };
    let of_sum = if c > limit { limit / c } else { 1.0 };
    f64::min(of_product, of_sum)
}

fn scale_by<T: Scalar>(mut c: MatMut<'_, T>, factor: f64) {
    if factor != 1.0 {
        for j in 0..c.ncols() {
            (0..c.nrows()).for_each(|i| c[(i, j)] = super::scaled(c[(i, j)], factor));
        }
    }
}

/// Substitution by blocks of order 1 and 2.
fn substitute<T: Scalar>(
    [left, right]: [Side<'_, T>; 2],
    sign: f64,
    (min_pivot, normal): (f64, f64),
    mut c: MatMut<'_, T>,
) -> (f64, bool) {
    let (mut rows, mut columns) = (left.blocks(), right.blocks());
    if left.is_upper() {
        rows.reverse();
    }
    if !right.is_upper() {
        columns.reverse();
    }
    let (mut scale, mut perturbed) = (1.0, false);
    for (at, &(j, wide)) in columns.iter().enumerate() {
        for (above, &(i, high)) in rows.iter().enumerate() {
            let mut rhs = [Complex64::ZERO; 4];
            for q in 0..wide {
                for p in 0..high {
                    let mut sum = Complex64::new(c[(i + p, j + q)].re(), c[(i + p, j + q)].im());
                    for &(k, order) in &rows[..above] {
                        for k in k..k + order {
                            let x = c[(k, j + q)];
                            sum -= left.element(i + p, k) * Complex64::new(x.re(), x.im());
                        }
                    }
                    for &(k, order) in &columns[..at] {
                        for k in k..k + order {
                            let x = c[(i + p, k)];
                            sum -= right.element(k, j + q) * Complex64::new(x.re(), x.im()) * sign;
                        }
                    }
                    rhs[p + high * q] = sum;
                }
            }
            let system = system((&left, i, high), (&right, j, wide), sign);
            let (factor, near) = solve(system, &mut rhs, high * wide, min_pivot, normal);
            perturbed |= near;
            if factor != 1.0 {
                scale *= factor;
                scale_by(c.as_mut(), factor);
            }
            for q in 0..wide {
                for p in 0..high {
                    let x = rhs[p + high * q];
                    c[(i + p, j + q)] = T::from_parts(x.re, x.im);
                }
            }
        }
    }
    (scale, perturbed)
}

/// The equations of a block: unknown p + high * q is X's element (p, q).
fn system<T: Scalar>(
    (left, i, high): (&Side<'_, T>, usize, usize),
    (right, j, wide): (&Side<'_, T>, usize, usize),
    sign: f64,
) -> [[Complex64; 4]; 4] {
    let mut a = [[Complex64::ZERO; 4]; 4];
    for q in 0..wide {
        for p in 0..high {
            let row = p + high * q;
            (0..high).for_each(|k| a[row][k + high * q] += left.element(i + p, i + k));
            (0..wide).for_each(|k| a[row][p + high * k] += right.element(j + k, j + q) * sign);
        }
    }
    a
}

/// Elimination with complete pivoting, for a right-hand side that is scaled if the solution would overflow. Returns its
/// factor, and true if a pivot was too small.
fn solve(mut a: [[Complex64; 4]; 4], b: &mut [Complex64; 4], n: usize, min_pivot: f64, normal: f64) -> (f64, bool) {
    let (mut order, mut near, mut least) = ([0, 1, 2, 3], false, f64::INFINITY);
    for k in 0..n {
        let candidates = (k..n).flat_map(|i| (k..n).map(move |j| (i, j)));
        let (row, column) =
            candidates.fold((k, k), |best, at| if a[at.0][at.1].norm() > a[best.0][best.1].norm() { at } else { best });
        a.swap(k, row);
        b.swap(k, row);
        a.iter_mut().for_each(|row| row.swap(k, column));
        order.swap(k, column);
        if a[k][k].norm() < min_pivot {
            a[k][k] = Complex64::new(min_pivot, 0.0);
            near = true;
        }
        least = least.min(a[k][k].norm());
        for i in k + 1..n {
            let factor = super::quotient(a[i][k], a[k][k]);
            (k..n).for_each(|j| {
                let change = factor * a[k][j];
                a[i][j] -= change;
            });
            let change = factor * b[k];
            b[i] -= change;
        }
    }
    let size = b[..n].iter().map(|x| x.norm()).fold(0.0, f64::max);
    // 8: sums of up to four quotients, and complex parts.
    let limit = least.min(1.0) / (8.0 * normal);
    let factor = if size > limit { limit / size } else { 1.0 };
    b.iter_mut().for_each(|x| *x *= factor);
    let mut x = [Complex64::ZERO; 4];
    for k in (0..n).rev() {
        let sum: Complex64 = (k + 1..n).map(|j| a[k][j] * x[order[j]]).sum();
        x[order[k]] = super::quotient(b[k] - sum, a[k][k]);
    }
    *b = x;
    (factor, near)
}
