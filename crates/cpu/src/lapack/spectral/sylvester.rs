//! Sylvester's equation of Schur forms (Bartels and Stewart 1972; LAPACK: xTRSYL).

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use affinimath_core::options::Op;
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_decompositions::schur::exchange::block_order;

/// A Schur form under an op.
struct Side<'a, T> {
    t: MatRef<'a, T>,
    op: Op,
}

impl<T: Scalar> Side<'_, T> {
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
    let mut c = c;
    let (m, n) = (c.nrows(), c.ncols());
    let (left, right) = (Side { t: a, op: ops[0] }, Side { t: b, op: ops[1] });
    let largest =
        |t: MatRef<'_, T>| t.col_iter().flat_map(|column| column.iter()).map(|x| x.modulus()).fold(0.0, f64::max);
    let normal = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
    let smallest = normal * (m * n).max(1) as f64 / T::EPSILON;
    let min_pivot = smallest.max(T::EPSILON * largest(a)).max(T::EPSILON * largest(b));
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
                for l in 0..n {
                    (0..m).for_each(|k| c[(k, l)] = super::scaled(c[(k, l)], factor));
                }
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
