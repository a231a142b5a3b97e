//! trsm on the host: op(A) X = alpha B and X op(A) = alpha B. Recursive: products do most of the work, and faer solves
//! small diagonal blocks.

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
pub const BLOCK: usize = 64;
/// Minimum right-hand sides per thread.
pub const PART: usize = 128;
/// Multiply-adds from which they are worth a thread each.
const PARALLEL_WORK: usize = 1 << 20;

/// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) for matrices with any strides. X overwrites B. Only one
/// triangle of A is read, and its diagonal only if it is stored. With alpha = 0, X is zero and A is not read. An
/// element of a right-hand side that is zero is not divided, not even by zero.
///
/// # Panics
/// If the sizes do not agree: callers have checked them.
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
    let system = System { a, off_diagonal: a, triangle, diagonal, conjugate };
    let work = a.nrows().saturating_mul(a.nrows()).saturating_mul(b.ncols());
    if work < PARALLEL_WORK {
        return system.solve(b);
    }
    threads::in_pool(true, || {
        // Products with row-major right-hand sides read A by rows, so that all parts share one transposed copy.
        let by_rows = b.col_stride() == 1 && b.row_stride() != 1;
        if by_rows && a.row_stride() == 1 && a.nrows() > BLOCK && b.ncols() >= 2 * PART {
            with_square(a.nrows(), |transposed| match transposed {
                None => system.solve_in_parts(b),
                Some(mut transposed) => {
                    system.transpose_to(0, transposed.as_mut());
                    System { off_diagonal: transposed.as_ref().transpose(), ..system }.solve_in_parts(b);
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
    /// The matrix outside the diagonal blocks, possibly a copy.
    off_diagonal: MatRef<'a, T>,
    triangle: Triangle,
    diagonal: Diag,
    conjugate: bool,
}

impl<T: Scalar> System<'_, T> {
    /// Splits the right-hand sides, which are independent, by their number alone: results do not depend on the number
    /// of threads.
    fn solve_in_parts(self, b: MatMut<'_, T>) {
        let columns = b.ncols();
        if columns < 2 * PART {
            return self.solve(b);
        }
        let (left, right) = b.split_at_col_mut((columns / 2).next_multiple_of(PART));
        threads::both(true, || self.solve_in_parts(left), || self.solve_in_parts(right));
    }

    /// Transposes the matrix outside the diagonal blocks. `to` begins with column `first` of the copy.
    fn transpose_to(self, first: usize, to: MatMut<'_, T>) {
        let (n, columns) = (self.a.nrows(), to.ncols());
        if columns > BLOCK {
            let middle = columns.div_ceil(BLOCK).div_ceil(2) * BLOCK;
            let (left, right) = to.split_at_col_mut(middle);
            threads::both(true, || self.transpose_to(first, left), || self.transpose_to(first + middle, right));
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
        // A multiple of BLOCK, so that the diagonal blocks are as large as possible.
        let middle = n.div_ceil(BLOCK).div_ceil(2) * BLOCK;
        let (a11, _, _, a22) = self.a.split_at(middle, middle);
        let (off_diagonal11, a12, a21, off_diagonal22) = self.off_diagonal.split_at(middle, middle);
        let (first, last) = (
            System { a: a11, off_diagonal: off_diagonal11, ..self },
            System { a: a22, off_diagonal: off_diagonal22, ..self },
        );
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

    /// Solves with a diagonal block by faer, from a column-major copy if necessary: for a row-major one, faer would
    /// copy up to 128 KiB on the stack, which small thread stacks do not have.
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

    /// Copies the triangle, and the diagonal only if it is stored.
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
        let par = if work >= PARALLEL_WORK { threads::parallelism() } else { faer::Par::Seq };
        let solve = match (self.triangle, self.diagonal) {
            (Triangle::Lower, Diag::NonUnit) => faer_solve::solve_lower_triangular_in_place_with_conj,
            (Triangle::Lower, Diag::Unit) => faer_solve::solve_unit_lower_triangular_in_place_with_conj,
            (Triangle::Upper, Diag::NonUnit) => faer_solve::solve_upper_triangular_in_place_with_conj,
            (Triangle::Upper, Diag::Unit) => faer_solve::solve_unit_upper_triangular_in_place_with_conj,
        };
        solve(self.a, conj, b, par);
    }

    /// True if faer's solver is accurate. It multiplies by reciprocals of the diagonal and, in blocks of up to four
    /// rows, by their products with other elements; none of these may be close to overflow or underflow.
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
            // A NaN outside the diagonal is harmless: it belongs into the result.
            (limit.recip()..=limit).contains(&diagonal)
                && near.into_iter().all(|i| !exceeds(largest_part(self.a[(i, k)])))
        })
    }

    /// Substitution by division, column by column of B. Like in the reference BLAS, zero elements are not divided, and
    /// their columns of A are not read.
    fn substitute(self, b: MatMut<'_, T>) {
        let n = self.a.nrows();
        let value = |x: T| if self.conjugate { x.conjugate() } else { x };
        for mut x in b.col_iter_mut() {
            for step in 0..n {
                let (k, rest) = match self.triangle {
                    Triangle::Lower => (step, step + 1..n),
                    Triangle::Upper => (n - 1 - step, 0..n - 1 - step),
                };
                let solution = solved(x[k], value(self.a[(k, k)]));
                x[k] = solution;
                if solution != T::ZERO {
                    rest.for_each(|i| x[i] -= value(self.a[(i, k)]) * solution);
                }
            }
        }
    }
}
