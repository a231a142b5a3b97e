//! Small row-major calls against the same calls in column-major layout: a row-major matrix is the transpose.

use std::cell::RefCell;

use affinimath::{Complex64, Diag, Layout, Op, Scalar, Side, Triangle};

use crate::blas::level3::{her2k, herk, symm, syr2k, syrk, trmm, trsm};
use crate::form::{Host, HostLocation, Run};
use crate::lapack::{Pivots, gesv, getrf, getrs, potrs};
use affinimath_testing::assert_close;

/// Orders on both sides of the switches between scalar loops and wide vectors.
const ORDERS: [usize; 5] = [1, 3, 8, 17, 32];

/// Orders up to which solutions with any triangle are of moderate size.
const MAX_SOLVED: usize = 8;

type Z = Complex64;

/// A column-major matrix of order n with a larger diagonal.
fn matrix(n: usize, seed: usize) -> Vec<Z> {
    let part = |i: usize, period: usize| (i % period) as f64 / 50.0 - 1.0;
    let number = |i: usize| Z::from_parts(part(i * 7919 + seed, 101), part(i * 104_729 + seed, 97));
    let diagonal = |i: usize| if i.is_multiple_of(n + 1) { Z::from_parts(4.0, 0.3) } else { Z::ZERO };
    (0..n * n).map(|i| number(i) + diagonal(i)).collect()
}

fn transposed(n: usize, a: &[Z]) -> Vec<Z> {
    (0..n * n).map(|location| a[(location % n) * n + location / n]).collect()
}

/// Runs a small call on three column-major matrices, and on their row-major copies.
fn compare(n: usize, what: &str, call: impl Fn(i32, [HostLocation<Z>; 3]) -> bool) {
    let mut by_columns = [1, 2, 3].map(|seed| matrix(n, seed));
    let mut by_rows = by_columns.each_ref().map(|a| transposed(n, a));
    for (layout, matrices) in [(Layout::ColumnMajor, &mut by_columns), (Layout::RowMajor, &mut by_rows)] {
        let locations = matrices.each_mut().map(|a| HostLocation(a.as_mut_ptr()));
        assert!(call(layout.code(), locations), "{what} of order {n} is small");
    }
    for (x, y) in by_columns.iter().zip(&by_rows) {
        for (x, y) in x.iter().zip(transposed(n, y)) {
            assert_close!(*x, y, 1e-9 * (1.0 + y.modulus()), "{what}, order {n}");
        }
    }
}

/// Scalars of all calls.
const ALPHA: Z = Z::new(1.5, -0.5);
const BETA: Z = Z::new(0.3, 0.7);

mod host {
    use super::*;

    #[test]
    fn small_products_by_rows_are_those_by_columns() {
        for (n, uplo) in ORDERS.into_iter().flat_map(|n| Triangle::ALL.iter().map(move |uplo| (n, uplo.code()))) {
            let (ld, k) = (n as i64, (n / 2).max(1) as i64);
            for side in Side::ALL {
                let (m, n, lda, ldb, ldc) = if *side == Side::Left { (ld, k, ld, ld, ld) } else { (k, ld, ld, ld, ld) };
                let (order, side, alpha, beta) = (ld as usize, side.code(), ALPHA, BETA);
                // SAFETY: each matrix has n x n elements, and no call uses more.
                compare(order, "symm", |layout, [a, b, c]| unsafe {
                    symm::Call::<Z, Host> { layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc }.run_small()
                });
                // SAFETY: as above.
                compare(order, "hemm", |layout, [a, b, c]| unsafe {
                    symm::Symmetric::<Z, Host, true> { layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc }
                        .run_small()
                });
                for (op, diagonal) in Op::ALL.iter().flat_map(|op| Diag::ALL.iter().map(move |d| (op, d))) {
                    let (transa, diag) = (op.code(), diagonal.code());
                    // SAFETY: as above.
                    compare(order, "trmm", |layout, [a, b, _]| unsafe {
                        trmm::Call::<Z, Host> { layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb }
                            .run_small()
                    });
                    if order <= MAX_SOLVED {
                        // SAFETY: as above.
                        compare(order, "trsm", |layout, [a, b, _]| unsafe {
                            trsm::Call::<Z, Host> { layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb }
                                .run_small()
                        });
                    }
                }
            }
            let (lda, ldb, ldc) = (ld, ld, ld);
            for trans in [Op::NoTrans, Op::Trans].map(Op::code) {
                let (n, alpha, beta) = (ld, ALPHA, BETA);
                // SAFETY: as above.
                compare(n as usize, "syrk", |layout, [a, _, c]| unsafe {
                    syrk::Call::<Z, Host> { layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc }.run_small()
                });
                // SAFETY: as above.
                compare(n as usize, "syr2k", |layout, [a, b, c]| unsafe {
                    syr2k::Call::<Z, Host> { layout, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc }
                        .run_small()
                });
            }
            for trans in [Op::NoTrans, Op::ConjTrans].map(Op::code) {
                let (n, beta) = (ld, 0.5);
                // SAFETY: as above.
                compare(n as usize, "herk", |layout, [a, _, c]| unsafe {
                    let alpha = 1.5;
                    herk::Call::<Z, Host> { layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc }.run_small()
                });
                // SAFETY: as above.
                compare(n as usize, "her2k", |layout, [a, b, c]| unsafe {
                    let alpha = ALPHA;
                    her2k::Call::<Z, Host> { layout, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc }
                        .run_small()
                });
            }
        }
    }

    #[test]
    fn small_solutions_by_rows_are_those_by_columns() {
        for (n, columns) in ORDERS.into_iter().flat_map(|n| [1, 4, 5, n].map(|columns| (n, columns.min(n)))) {
            let (ld, nrhs) = (n as i64, columns as i64);
            let (lda, ldb) = (ld, ld);
            let pivots = RefCell::new(vec![0; n]);
            let ipiv = || Pivots::Narrow(HostLocation(pivots.borrow_mut().as_mut_ptr()));
            // SAFETY: each matrix has n x n elements, and there are n pivots.
            compare(n, "gesv", |layout, [a, b, _]| unsafe {
                gesv::Call::<Z, Host> { layout, n: ld, nrhs, a, lda, ipiv: ipiv(), b, ldb }.run_small()
            });
            // SAFETY: as above.
            compare(n, "getrf", |layout, [a, _, _]| unsafe {
                getrf::Call::<Z, Host> { layout, m: nrhs, n: ld, a, lda, ipiv: ipiv() }.run_small()
            });
            if n > MAX_SOLVED {
                continue;
            }
            // Row i is exchanged with row i + 1.
            pivots.replace((0..n).map(|i| (i + 2).min(n) as i32).collect());
            for trans in Op::ALL.iter().map(|op| op.code()) {
                // SAFETY: as above.
                compare(n, "getrs", |layout, [a, b, _]| unsafe {
                    getrs::Call::<Z, Host> { layout, trans, n: ld, nrhs, a, lda, ipiv: ipiv(), b, ldb }.run_small()
                });
            }
            for uplo in Triangle::ALL.iter().map(|uplo| uplo.code()) {
                // SAFETY: as above.
                compare(n, "potrs", |layout, [a, b, _]| unsafe {
                    potrs::Definite::<Z, Host, false> { layout, uplo, n: ld, nrhs, a, lda, b, ldb }.run_small()
                });
            }
        }
    }
}
