//! trsm on the host: op(A) X = alpha B and X op(A) = alpha B, by halves whose products do the work, over faer's solutions for
//! small blocks.

use affinimath_macros::instances;
use faer::linalg::triangular_solve as faer_solve;
use faer::{Conj, MatMut, MatRef};

use super::gemm::pack::{copy_tiled, with_square};
use super::gemm::{gemm, scale};
use super::threads;
use affinimath_core::division::{largest_part, solved};
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// Rows that faer solves at once: its own recursion's products are slower than ours.
const BLOCK: usize = 64;
/// Right-hand sides that one thread takes, at least.
const PART: usize = 128;
/// Multiply-adds from which they are worth a thread each.
const SHARED_WORK: usize = 1 << 20;

/// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) for stored matrices with any strides, X in B's place.
/// Only one triangle of A is read, and its diagonal only if it is stored; with alpha = 0, X is zero and A is not read. A right-hand
/// side that is zero is not divided, not by zero either.
///
/// # Panics
/// Where the sizes do not agree: the callers have checked them.
#[instances]
pub fn trsm<T: Scalar>(
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: MatRef<'_, T>,
    mut b: MatMut<'_, T>,
) {
    if b.nrows() == 0 || b.ncols() == 0 {
        return; // BLAS: nothing changes.
    }
    scale(alpha, b.as_mut());
    if alpha == T::ZERO {
        return; // BLAS: A is not read.
    }
    // X op(A) = B is op(A)ᵀ Xᵀ = Bᵀ.
    let transposes = op.transposes() != (side == Side::Right);
    let (a, triangle) = if transposes { (a.transpose(), triangle.transposed()) } else { (a, triangle) };
    let b = if side == Side::Right { b.transpose_mut() } else { b };
    let conjugate = op.conjugates() && T::KIND.is_complex();
    let system = System { a, beside: a, triangle, diagonal, conjugate };
    let work = a.nrows().saturating_mul(a.nrows()).saturating_mul(b.ncols());
    if work < SHARED_WORK {
        return system.solve(b);
    }
    threads::in_pool(true, || {
        // Products with right-hand sides by rows read A by rows: for all parts, it is turned once.
        let by_rows = b.col_stride() == 1 && b.row_stride() != 1;
        if by_rows && a.row_stride() == 1 && a.nrows() > BLOCK && b.ncols() >= 2 * PART {
            with_square(a.nrows(), |turned| match turned {
                None => system.solve_in_parts(b),
                Some(mut turned) => {
                    system.turn(0, turned.as_mut());
                    System { beside: turned.as_ref().transpose(), ..system }.solve_in_parts(b);
                }
            });
        } else {
            system.solve_in_parts(b);
        }
    });
}

/// A triangular matrix on the left.
#[derive(Clone, Copy)]
struct System<'a, T> {
    a: MatRef<'a, T>,
    /// The same for what is beside its blocks on the diagonal, maybe in a copy.
    beside: MatRef<'a, T>,
    triangle: Triangle,
    diagonal: Diag,
    conjugate: bool,
}

impl<T: Scalar> System<'_, T> {
    /// The right-hand sides know nothing of each other. Their parts depend on their number alone, so that their bits do.
    fn solve_in_parts(self, b: MatMut<'_, T>) {
        let columns = b.ncols();
        if columns < 2 * PART {
            return self.solve(b);
        }
        let (left, right) = b.split_at_col_mut((columns / 2).next_multiple_of(PART));
        threads::both(true, || self.solve_in_parts(left), || self.solve_in_parts(right));
    }

    /// Makes `to`, which begins with row `first` of the transposed matrix's columns, the transpose of what is beside the blocks.
    fn turn(self, first: usize, to: MatMut<'_, T>) {
        let (n, columns) = (self.a.nrows(), to.ncols());
        if columns > BLOCK {
            let middle = columns.div_ceil(BLOCK).div_ceil(2) * BLOCK;
            let (left, right) = to.split_at_col_mut(middle);
            threads::both(true, || self.turn(first, left), || self.turn(first + middle, right));
            return;
        }
        // Column j of the copy is row j of A.
        let part = match self.triangle {
            Triangle::Lower => 0..first,
            Triangle::Upper => first + columns..n,
        };
        let from = self.a.submatrix(first, part.start, columns, part.len());
        copy_tiled(from.transpose(), to.subrows_mut(part.start, part.len()));
    }

    fn solve(self, b: MatMut<'_, T>) {
        let n = self.a.nrows();
        if n <= BLOCK {
            return self.solve_block(b);
        }
        // Whole blocks, so that the leaves are as large as can be.
        let middle = n.div_ceil(BLOCK).div_ceil(2) * BLOCK;
        let (a11, _, _, a22) = self.a.split_at(middle, middle);
        let (beside11, a12, a21, beside22) = self.beside.split_at(middle, middle);
        let (first, last) = (System { a: a11, beside: beside11, ..self }, System { a: a22, beside: beside22, ..self });
        let (mut b1, mut b2) = b.split_at_row_mut(middle);
        let op = if self.conjugate { Op::ConjNoTrans } else { Op::NoTrans };
        match self.triangle {
            Triangle::Lower => {
                first.solve(b1.as_mut());
                gemm(op, Op::NoTrans, -T::ONE, a21, b1.as_ref(), T::ONE, b2.as_mut());
                last.solve(b2);
            }
            Triangle::Upper => {
                last.solve(b2.as_mut());
                gemm(op, Op::NoTrans, -T::ONE, a12, b2.as_ref(), T::ONE, b1.as_mut());
                first.solve(b1);
            }
        }
    }

    /// By faer, which would multiply by a triangle that lies by rows through copies on the stack, of up to 128 KiB: threads
    /// with small stacks call, too. So it gets one by columns.
    fn solve_block(self, b: MatMut<'_, T>) {
        if self.diagonal == Diag::NonUnit && !self.has_ordinary_quotients() {
            return self.substitute(b);
        }
        let by_rows = self.a.row_stride() != 1 && b.row_stride() == 1 && b.ncols() > 1;
        if !by_rows {
            return self.solve_as_it_lies(b);
        }
        with_square(self.a.nrows(), |copy| match copy {
            None => self.solve_as_it_lies(b),
            Some(mut copy) => {
                self.copy_triangle(copy.as_mut());
                System { a: copy.as_ref(), ..self }.solve_as_it_lies(b);
            }
        });
    }

    /// Copies what is read of the triangle, and nothing else of the matrix.
    fn copy_triangle(self, mut to: MatMut<'_, T>) {
        let (n, stored) = (self.a.nrows(), self.diagonal == Diag::NonUnit);
        for i in 0..n {
            let columns = match self.triangle {
                Triangle::Lower => 0..i + usize::from(stored),
                Triangle::Upper => i + usize::from(!stored)..n,
            };
            for j in columns {
                to[(i, j)] = self.a[(i, j)];
            }
        }
    }

    fn solve_as_it_lies(self, b: MatMut<'_, T>) {
        let conj = if self.conjugate { Conj::Yes } else { Conj::No };
        let work = self.a.nrows().pow(2).saturating_mul(b.ncols());
        let par = if work >= SHARED_WORK { threads::parallelism() } else { faer::Par::Seq };
        let solve = match (self.triangle, self.diagonal) {
            (Triangle::Lower, Diag::NonUnit) => faer_solve::solve_lower_triangular_in_place_with_conj,
            (Triangle::Lower, Diag::Unit) => faer_solve::solve_unit_lower_triangular_in_place_with_conj,
            (Triangle::Upper, Diag::NonUnit) => faer_solve::solve_upper_triangular_in_place_with_conj,
            (Triangle::Upper, Diag::Unit) => faer_solve::solve_unit_upper_triangular_in_place_with_conj,
        };
        solve(self.a, conj, b, par);
    }

    /// Whether faer's solution may be used, which multiplies by the reciprocals of the diagonal and, in its blocks of up to four rows,
    /// by their products with what is beside it: none of these may be near an end of the range.
    fn has_ordinary_quotients(self) -> bool {
        const FAER_BLOCK: usize = 4;
        let limit = if T::KIND.is_double() { 2f64.powi(500) } else { 2f64.powi(60) };
        let exceeds = |size: f64| size > limit;
        let n = self.a.nrows();
        (0..n).all(|k| {
            let diagonal = largest_part(self.a[(k, k)]);
            let near = match self.triangle {
                Triangle::Lower => k + 1..n.min(k + FAER_BLOCK),
                Triangle::Upper => (k + 1).saturating_sub(FAER_BLOCK)..k,
            };
            // A NaN beside the diagonal does no harm: it belongs into the result.
            (limit.recip()..=limit).contains(&diagonal)
                && near.into_iter().all(|i| !exceeds(largest_part(self.a[(i, k)])))
        })
    }

    /// Substitution by division, column by column of B. As in the reference, what is zero is not divided, and columns of A that
    /// belong to it are not read.
    fn substitute(self, b: MatMut<'_, T>) {
        let n = self.a.nrows();
        let value = |x: T| if self.conjugate { x.conjugate() } else { x };
        for mut x in b.col_iter_mut() {
            for step in 0..n {
                let (k, rest) = match self.triangle {
                    Triangle::Lower => (step, step + 1..n),
                    Triangle::Upper => (n - 1 - step, 0..n - 1 - step),
                };
                let known = solved(x[k], value(self.a[(k, k)]));
                x[k] = known;
                if known != T::ZERO {
                    rest.for_each(|i| x[i] -= value(self.a[(i, k)]) * known);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;
    use affinimath_core::scalar::Complex64;
    use affinimath_testing::filled;

    /// Enough rows of B for the triangle to be turned, and rows of it one by one, for which it is not: nothing of the other triangle
    /// is read in either.
    fn check<T: Scalar>(triangle: Triangle, op: Op) {
        let (n, rows) = (3 * BLOCK + 5, 2 * PART + 3);
        let (numbers, b) = (filled::<T>(n, n, 1), filled::<T>(rows, n, 2));
        let a = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => numbers[(i, j)] + T::from_parts(3.0, 0.0),
            order if (order == std::cmp::Ordering::Greater) == (triangle == Triangle::Lower) => {
                numbers[(i, j)] * T::from_parts(1.0 / n as f64, 0.0)
            }
            _ => T::from_parts(f64::NAN, f64::NAN),
        });
        let solve = |b: MatMut<'_, T>| trsm(Side::Right, triangle, op, Diag::NonUnit, T::ONE, a.as_ref(), b);
        let (mut whole, mut one_by_one) = (b.clone(), b);
        solve(whole.as_mut());
        for i in 0..rows {
            solve(one_by_one.as_mut().subrows_mut(i, 1));
        }
        for j in 0..n {
            for i in 0..rows {
                let (x, y) = (whole[(i, j)], one_by_one[(i, j)]);
                let error = (x - y).modulus();
                assert!(error <= 50.0 * T::EPSILON * (1.0 + y.modulus()), "({i}, {j}), {triangle:?}, {op:?}: {error}");
            }
        }
    }

    #[test]
    fn many_right_hand_sides_by_rows_are_solved_for() {
        for &triangle in Triangle::ALL {
            for op in [Op::NoTrans, Op::Trans, Op::ConjTrans] {
                check::<f32>(triangle, op);
                check::<Complex64>(triangle, op);
            }
        }
    }
}
