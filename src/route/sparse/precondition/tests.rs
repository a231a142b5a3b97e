//! Preconditioners against the matrices that they stand for: M (M^-1 x) is x again, where M is made in f64 from its
//! definition.
//!
//! The residual of each triangular system is (k + 2) eps |T| |x| for rows of k entries (Higham, 2002, theorem 8.5), so
//! that of the two together, measured as here in the norm of |L| |U| |x|, is some k eps. Inverses of blocks add the
//! condition of the block.

use proptest::prelude::*;

use super::*;
use crate::options::Op;
use crate::route::sparse::solve::problems::*;
use crate::scalar::Complex64;
use crate::sparse::testing::{Random, Sample, for_each_matrix, rounded};
use crate::sparse::{CsrMatrix, Jacobi, LinearOperator, RowPointer, SolveOptions};
use crate::testing::{assert_close, contexts};
use crate::{Chebyshev, bicgstab, cg, gmres};

/// A dense matrix, by rows.
type Dense = Vec<Vec<Complex64>>;

/// The matrix as it is in the precision: what stands more than once in a place adds up.
fn dense<T: Scalar>(sample: &Sample) -> Dense {
    let row = |entries: &Vec<(usize, Complex64)>| {
        let mut row = vec![Complex64::ZERO; sample.columns];
        entries.iter().for_each(|(column, value)| row[*column] += rounded::<T>(*value));
        row
    };
    sample.entries.iter().map(row).collect()
}

/// True if there is an entry in a place.
fn pattern(sample: &Sample) -> Vec<Vec<bool>> {
    let row = |entries: &Vec<(usize, Complex64)>| {
        let mut row = vec![false; sample.columns];
        entries.iter().for_each(|(column, _)| row[*column] = true);
        row
    };
    sample.entries.iter().map(row).collect()
}

fn times(a: &Dense, b: &Dense) -> Dense {
    let element = |row: &Vec<Complex64>, j: usize| row.iter().zip(b).map(|(a, b)| a * b[j]).sum();
    a.iter().map(|row| (0..b.len()).map(|j| element(row, j)).collect()).collect()
}

/// The elements that `keep` keeps.
fn part(a: &Dense, keep: impl Fn(usize, usize) -> bool) -> Dense {
    let row = |(i, row): (usize, &Vec<Complex64>)| {
        row.iter().enumerate().map(|(j, a)| if keep(i, j) { *a } else { Complex64::ZERO }).collect()
    };
    a.iter().enumerate().map(row).collect()
}

/// alpha A + beta B.
fn sum(alpha: f64, a: &Dense, beta: f64, b: &Dense) -> Dense {
    let row = |(a, b): (&Vec<Complex64>, &Vec<Complex64>)| a.iter().zip(b).map(|(a, b)| alpha * a + beta * b).collect();
    a.iter().zip(b).map(row).collect()
}

/// op(A) x.
fn product(op: Op, a: &Dense, x: &[Complex64]) -> Vec<Complex64> {
    let element = |i: usize, j: usize| {
        let value = if op.transposes() { a[j][i] } else { a[i][j] };
        if op.conjugates() { value.conj() } else { value }
    };
    (0..a.len()).map(|i| (0..a.len()).map(|j| element(i, j) * x[j]).sum()).collect()
}

fn norm(x: &[Complex64]) -> f64 {
    x.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt()
}

fn frobenius(a: &Dense) -> f64 {
    a.iter().flatten().map(|a| a.norm_sqr()).sum::<f64>().sqrt()
}

/// A general matrix whose diagonal is a little more than the rest of its row, so that no factor grows.
fn dominant(rows: usize, seed: u64) -> Sample {
    let mut random = Random(seed);
    let row = |i: usize| {
        let mut row: Vec<_> = (0..random.below(5)).map(|_| (random.below(rows), random.complex())).collect();
        let size: f64 = row.iter().map(|(_, value)| value.norm()).sum();
        // Twice, and not at the end: rows need not be sorted.
        row.insert(row.len() / 2, (i, Complex64::new(0.75 * size + 0.2, 0.25 * size)));
        row.push((i, Complex64::new(0.5 * size + 0.1, 0.0)));
        row
    };
    Sample { rows, columns: rows, entries: (0..rows).map(row).collect() }
}

/// Result of an operator applied to x.
fn applied<T: Scalar>(operator: &dyn LinearOperator<T>, op: Op, x: &[T]) -> Vec<T> {
    let (x, mut y) = (operator.context().upload(x).unwrap(), operator.context().zeros(x.len()).unwrap());
    operator.apply(op, x.vector().unwrap(), y.vector_mut().unwrap()).unwrap();
    y.download().unwrap()
}

/// An operator is op(M)^-1 in every way, twice the same; `size` is the norm of what M is the product of.
fn check_inverse<T: Scalar>(operator: &dyn LinearOperator<T>, m: &Dense, size: f64, ops: &[Op]) {
    let mut random = Random(11);
    let x: Vec<T> = (0..m.len()).map(|_| random.complex()).map(|x| T::from_parts(x.re, x.im)).collect();
    let parts = |values: &[T]| -> Vec<Complex64> { values.iter().map(|v| Complex64::new(v.re(), v.im())).collect() };
    for &op in ops {
        let y = applied(operator, op, &x);
        assert!(y == applied(operator, op, &x), "{op:?}: other bits the second time");
        let back = product(op, m, &parts(&y));
        let difference: Vec<_> = back.iter().zip(parts(&x)).map(|(back, x)| back - x).collect();
        let bound = 50.0 * T::EPSILON * (size * norm(&parts(&y)) + norm(&parts(&x)));
        assert!(norm(&difference) <= bound, "{op:?}: {:e} > {bound:e}", norm(&difference));
    }
}

/// L and U of an incomplete factorisation, from its definition: (L U)_ij = a_ij on the pattern, solved for one element
/// after another.
fn reference_ilu(a: &Dense, pattern: &[Vec<bool>]) -> [Dense; 2] {
    let n = a.len();
    let zeros = vec![vec![Complex64::ZERO; n]; n];
    let (mut l, mut u) = (zeros.clone(), zeros);
    for i in 0..n {
        l[i][i] = Complex64::ONE;
        for j in (0..n).filter(|&j| pattern[i][j]) {
            let known: Complex64 = (0..i.min(j)).map(|k| l[i][k] * u[k][j]).sum();
            if j < i { l[i][j] = (a[i][j] - known) / u[j][j] } else { u[i][j] = a[i][j] - known }
        }
    }
    [l, u]
}

fn check_ilu<T: Scalar, P: RowPointer>(sample: &Sample, ops: &[Op]) {
    let (a, pattern) = (dense::<T>(sample), pattern(sample));
    let [l, u] = reference_ilu(&a, &pattern);
    let m = times(&l, &u);
    for (i, j) in (0..a.len()).flat_map(|i| (0..a.len()).map(move |j| (i, j))).filter(|&(i, j)| pattern[i][j]) {
        assert_close!(m[i][j], a[i][j], 1e-13 * frobenius(&a), "(L U) is A on the pattern");
    }
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        check_inverse(&Ilu0::new(&matrix).unwrap(), &m, frobenius(&l) * frobenius(&u), ops);
    }
}

fn check_ic<T: Scalar, P: RowPointer>(sample: &Sample, ops: &[Op]) {
    let (a, pattern) = (dense::<T>(sample), pattern(sample));
    // For a Hermitian matrix U is D L^H with the pivots D.
    let [l, u] = reference_ilu(&a, &pattern);
    let m = times(&l, &u);
    let size = frobenius(&m).max(frobenius(&a));
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        let ic = Ic0::new(&matrix).unwrap();
        assert_eq!(ic.shift(), 0.0);
        check_inverse(&ic, &m, size, ops);
    }
}

fn check_ssor<T: Scalar, P: RowPointer>(sample: &Sample, omega: f64, ops: &[Op]) {
    let a = dense::<T>(sample);
    let d = part(&a, |i, j| i == j);
    let (l, u) = (sum(1.0, &d, omega, &part(&a, |i, j| j < i)), sum(1.0, &d, omega, &part(&a, |i, j| j > i)));
    let mut inverse = d;
    (0..a.len()).for_each(|i| inverse[i][i] = inverse[i][i].inv() / (omega * (2.0 - omega)));
    let m = times(&times(&l, &inverse), &u);
    let size = frobenius(&l) * frobenius(&inverse) * frobenius(&u);
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        check_inverse(&Ssor::new(&matrix, omega).unwrap(), &m, size, ops);
    }
}

fn check_blocks<T: Scalar, P: RowPointer>(sample: &Sample, size: usize, ops: &[Op]) {
    let m = part(&dense::<T>(sample), |i, j| i / size == j / size);
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        // Their diagonals dominate: the conditions are some tens.
        check_inverse(&BlockJacobi::new(&matrix, size).unwrap(), &m, 10.0 * frobenius(&m), ops);
    }
}

type Solver<T> = fn(
    &dyn LinearOperator<T>,
    VectorRef<'_, T>,
    VectorMut<'_, T>,
    &SolveOptions<'_, T>,
) -> Result<crate::sparse::Outcome>;

/// Iterations of a solver from x = 0, which must converge.
fn iterations<T: Scalar>(
    solver: Solver<T>,
    matrix: &CsrMatrix<T>,
    b: &[f64],
    preconditioner: Option<&dyn LinearOperator<T>>,
) -> usize {
    let context = CsrMatrix::context(matrix);
    let b = context.upload(&b.iter().map(|b| T::from_parts(*b, 0.0)).collect::<Vec<_>>()).unwrap();
    let mut x = context.zeros(CsrMatrix::rows(matrix)).unwrap();
    let options = SolveOptions::new().rtol(1e-8);
    let options = preconditioner.map_or(options, |operator| options.preconditioner(operator));
    let outcome = solver(matrix, b.vector().unwrap(), x.vector_mut().unwrap(), &options).unwrap();
    assert!(outcome.converged(), "{outcome}");
    outcome.iterations
}

mod host {
    use super::*;

    #[test]
    fn what_has_no_preconditioner_is_refused_with_the_row() {
        let host = Context::host();
        let matrix = |rows: usize, columns: usize, entries: &[(usize, usize, f64)]| -> CsrMatrix<f64> {
            let mut sample = Sample { rows, columns, entries: vec![Vec::new(); rows] };
            entries.iter().for_each(|&(i, j, value)| sample.entries[i].push((j, Complex64::from(value))));
            sample.matrix(&host)
        };
        let wide = matrix(2, 3, &[(0, 0, 1.0), (1, 1, 1.0)]);
        assert!(matches!(BlockJacobi::new(&wide, 2), Err(Error::ShapeMismatch(_))));
        assert!(matches!(Ssor::new(&wide, 1.0), Err(Error::ShapeMismatch(_))));
        assert!(matches!(Ilu0::new(&wide), Err(Error::ShapeMismatch(_))));
        assert!(matches!(Ic0::new(&wide), Err(Error::ShapeMismatch(_))));

        // The last row is empty.
        let empty_row = matrix(3, 3, &[(0, 0, 1.0), (1, 1, 1.0)]);
        assert!(matches!(BlockJacobi::new(&empty_row, 2), Err(Error::ZeroPivot { index: 3 })));
        assert!(matches!(Ssor::new(&empty_row, 1.0), Err(Error::ZeroPivot { index: 3 })));
        for error in [Ilu0::new(&empty_row).unwrap_err(), Ic0::new(&empty_row).unwrap_err()] {
            assert!(error.to_string().contains("row 2, counted from 0, has no entry on the diagonal"), "{error}");
        }

        // [1 2; 2 4] is singular.
        let singular = matrix(3, 3, &[(0, 0, 5.0), (1, 1, 1.0), (1, 2, 2.0), (2, 1, 2.0), (2, 2, 4.0)]);
        assert!(matches!(Ilu0::new(&singular), Err(Error::ZeroPivot { index: 3 })));
        assert!(matches!(Ic0::shifted(&singular, 0.0), Err(Error::IncompletePivot { index: 3 })));
        let block = matrix(3, 3, &[(0, 0, 5.0), (2, 1, 2.0), (2, 2, 4.0)]);
        assert!(matches!(BlockJacobi::new(&block, 3), Err(Error::ZeroPivot { index: 3 })));
        // No shift helps a diagonal that is not positive, and none is tried for what is not finite.
        let negative = matrix(2, 2, &[(0, 0, 1.0), (1, 1, -1.0)]);
        assert!(matches!(Ic0::new(&negative), Err(Error::IncompletePivot { index: 2 })));
        let nan = matrix(2, 2, &[(0, 0, 1.0), (1, 0, f64::NAN), (1, 1, 1.0)]);
        assert!(matches!(Ic0::new(&nan), Err(Error::IncompletePivot { index: 2 })));

        let good = matrix(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
        for omega in [0.0, 2.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Ssor::new(&good, omega), Err(Error::InvalidArgument { name: "omega", .. })), "{omega}");
        }
        for size in [0, 257] {
            assert!(
                matches!(BlockJacobi::new(&good, size), Err(Error::InvalidArgument { name: "size", .. })),
                "{size}"
            );
        }
        for shift in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(Ic0::shifted(&good, shift), Err(Error::InvalidArgument { name: "shift", .. })), "{shift}");
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn a_zero_on_the_diagonal_has_no_jacobi_preconditioner() {
        fn check<T: Scalar, P: RowPointer>() {
            let number = |re: f64| Complex64::new(re, 0.0);
            let entries =
                vec![vec![(0, number(2.0))], vec![(0, number(1.0)), (2, number(1.0))], vec![(2, number(3.0))]];
            let sample = Sample { rows: 3, columns: 3, entries };
            for context in contexts::<T>() {
                let matrix: CsrMatrix<T, P> = sample.matrix(&context);
                assert!(matches!(Jacobi::new(&matrix), Err(Error::ZeroPivot { index: 2 })), "{context:?}");
            }
        }
        for_each_matrix!(check());
    }

    #[test]
    fn chebyshevs_bound_is_the_largest_sum_of_moduli_of_a_row() {
        fn check<T: Scalar, P: RowPointer>() {
            let mut sample = poisson(&[5, 5], &[1.0, 1.0], 0.0);
            let corner = sample.entries[0].len();
            for context in contexts::<T>() {
                let matrix: CsrMatrix<T, P> = sample.matrix(&context);
                assert_eq!(Chebyshev::new(&matrix, 2).unwrap().bounds(), (8.0 / 30.0, 8.0), "{context:?}");
            }
            // A NaN in any row is no bound.
            sample.entries[0][corner - 1].1 = Complex64::from(f64::NAN);
            for context in contexts::<T>() {
                assert!(Chebyshev::new(&sample.matrix::<T, P>(&context), 2).is_err(), "{context:?}");
            }
        }
        for_each_matrix!(check());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(8) })]

        #[test]
        fn incomplete_factors_are_the_matrix_on_its_pattern(rows in 1..60_usize, seed: u64) {
            for_each_matrix!(check_ilu(&dominant(rows, seed), Op::ALL));
        }

        #[test]
        fn incomplete_cholesky_factors_are_the_matrix_on_its_pattern(rows in 1..60_usize, seed: u64) {
            fn check<T: Scalar, P: RowPointer>(rows: usize, seed: u64) {
                check_ic::<T, P>(&random_hermitian(rows, 1.05, false, T::KIND.is_complex(), seed), Op::ALL);
            }
            for_each_matrix!(check(rows, seed));
        }

        #[test]
        fn relaxation_is_its_formula(rows in 1..60_usize, omega in 0.1..1.9_f64, seed: u64) {
            for_each_matrix!(check_ssor(&dominant(rows, seed), omega, Op::ALL));
        }

        #[test]
        fn blocks_are_inverted(rows in 1..60_usize, size in 1..20_usize, seed: u64) {
            for_each_matrix!(check_blocks(&dominant(rows, seed), size, Op::ALL));
        }
    }

    /// Levels that are wide and narrow, many blocks, and several threads.
    #[test]
    fn large_preconditioners_undo_products() {
        fn check<T: Scalar, P: RowPointer>() {
            // Each row needs at most the one before, so that nothing fills in: M is the matrix.
            let n = 30_000;
            let linked = |i: usize| !i.is_multiple_of(64) && i < 900 || !i.is_multiple_of(2);
            let mut sample =
                Sample { rows: n, columns: n, entries: (0..n).map(|i| vec![(i, Complex64::new(4.0, 0.0))]).collect() };
            for i in (1..n).filter(|&i| linked(i)) {
                let value = Complex64::new(1.0, if T::KIND.is_complex() { 0.5 } else { 0.0 });
                sample.entries[i].push((i - 1, value));
                sample.entries[i - 1].push((i, value.conj()));
            }
            let mut random = Random(2);
            let x: Vec<T> = (0..n).map(|_| random.complex()).map(|x| T::from_parts(x.re, x.im)).collect();
            let exact: Vec<_> = x.iter().map(|x| Complex64::new(x.re(), x.im())).collect();
            let b = crate::route::sparse::solve::problems::product(&sample, &exact);
            let b: Vec<T> = b.into_iter().map(|b| T::from_parts(b.re, b.im)).collect();
            for context in contexts::<T>() {
                let matrix: CsrMatrix<T, P> = sample.matrix(&context);
                let (ilu, ic) = (Ilu0::new(&matrix).unwrap(), Ic0::new(&matrix).unwrap());
                // 64 divides the runs of links, so that the blocks are the matrix, too.
                let blocks = BlockJacobi::new(&matrix, 64).unwrap();
                for operator in [&ilu as &dyn LinearOperator<T>, &ic, &blocks] {
                    let y = applied(operator, Op::NoTrans, &b);
                    y.iter().zip(&x).for_each(|(y, x)| assert_close!(*y, *x, 50.0 * T::EPSILON, "on {context:?}"));
                }
            }
        }
        for_each_matrix!(check());
    }

    #[test]
    fn block_jacobi_of_a_hermitian_matrix_is_hermitian() {
        let sample = random_hermitian(37, 1.05, false, true, 5);
        for context in contexts::<Complex64>() {
            let blocks = BlockJacobi::new(&sample.matrix::<Complex64, i32>(&context), 8).unwrap();
            let columns: Vec<Vec<Complex64>> = (0..37)
                .map(|j| {
                    applied(
                        &blocks,
                        Op::NoTrans,
                        &(0..37).map(|i| Complex64::from(f64::from(i == j))).collect::<Vec<_>>(),
                    )
                })
                .collect();
            assert!((0..37).all(|i| (0..37).all(|j| columns[j][i] == columns[i][j].conj())));
        }
    }

    #[test]
    fn a_shift_makes_pivots_positive() {
        // Kershaw's matrix (1978) is positive definite, and its third pivot is -5 without the fill that is left out.
        let rows: [[f64; 4]; 4] =
            [[3.0, -2.0, 0.0, 2.0], [-2.0, 3.0, -2.0, 0.0], [0.0, -2.0, 3.0, -2.0], [2.0, 0.0, -2.0, 3.0]];
        let row = |row: &[f64; 4]| {
            row.iter().enumerate().filter(|(_, a)| **a != 0.0).map(|(j, a)| (j, Complex64::from(*a))).collect()
        };
        let sample = Sample { rows: 4, columns: 4, entries: rows.iter().map(row).collect() };
        for context in contexts::<f64>() {
            let matrix: CsrMatrix<f64> = sample.matrix(&context);
            assert!(matches!(Ic0::shifted(&matrix, 0.0), Err(Error::IncompletePivot { index: 4 })));
            let ic = Ic0::new(&matrix).unwrap();
            assert!(ic.shift() > 0.0 && Ic0::shifted(&matrix, ic.shift() / 2.0).is_err(), "{}", ic.shift());
            let again = Ic0::shifted(&matrix, ic.shift()).unwrap();
            let x = [1.0, -2.0, 0.5, 3.0];
            assert_eq!(applied(&again, Op::NoTrans, &x), applied(&ic, Op::NoTrans, &x));
            // And it is that of the shifted matrix.
            let mut shifted = sample.clone();
            (0..4).for_each(|i| shifted.entries[i].push((i, Complex64::from(3.0 * ic.shift()))));
            let [l, u] = reference_ilu(&dense::<f64>(&shifted), &pattern(&shifted));
            check_inverse(&ic, &times(&l, &u), frobenius(&l) * frobenius(&u), &[Op::NoTrans]);
        }
    }

    #[test]
    fn preconditioners_of_nothing_do_nothing() {
        for context in contexts::<f64>() {
            let empty = CsrMatrix::<f64>::new(&context, 0, 0, &[0], &[], &[]).unwrap();
            let (blocks, ssor) = (BlockJacobi::new(&empty, 4).unwrap(), Ssor::new(&empty, 1.0).unwrap());
            let (ilu, ic) = (Ilu0::new(&empty).unwrap(), Ic0::new(&empty).unwrap());
            for operator in [&blocks as &dyn LinearOperator<f64>, &ssor, &ilu, &ic] {
                assert_eq!(applied(operator, Op::NoTrans, &[]), [0.0; 0]);
            }
        }
    }

    #[test]
    fn vectors_that_do_not_fit_are_refused() {
        let host = Context::host();
        let matrix: CsrMatrix<f64> = dominant(5, 1).matrix(&host);
        let (blocks, ilu) = (BlockJacobi::new(&matrix, 2).unwrap(), Ilu0::new(&matrix).unwrap());
        for operator in [&blocks as &dyn LinearOperator<f64>, &ilu] {
            let (x, mut y) = (host.zeros(5).unwrap(), host.zeros(4).unwrap());
            let wrong = operator.apply(Op::NoTrans, x.vector().unwrap(), y.vector_mut().unwrap());
            assert!(matches!(wrong, Err(Error::ShapeMismatch(_))));
            for device in contexts::<f64>().into_iter().skip(1) {
                let mut y = device.zeros(5).unwrap();
                let wrong = operator.apply(Op::NoTrans, x.vector().unwrap(), y.vector_mut().unwrap());
                assert!(matches!(wrong, Err(Error::MixedMemory(_))));
            }
        }
    }

    #[test]
    fn preconditioners_save_iterations() {
        // The counts are those of scipy 1.17.1 with the same tolerance, and with these preconditioners written down in
        // numpy.
        let (poisson, wind) = (poisson(&[40, 40], &[1.0, 1.0], 0.0), convection(30, 0.8));
        for context in contexts::<f64>() {
            let matrix: CsrMatrix<f64> = poisson.matrix(&context);
            let b = right_hand_side(1600);
            let blocks = BlockJacobi::new(&matrix, BlockJacobi::<f64>::DEFAULT_SIZE).unwrap();
            let (ssor, ic) = (Ssor::new(&matrix, 1.5).unwrap(), Ic0::new(&matrix).unwrap());
            for (preconditioner, expected) in
                [(None, 108), (Some(&blocks as &dyn LinearOperator<f64>), 93), (Some(&ssor), 31), (Some(&ic), 41)]
            {
                let count = iterations(cg, &matrix, &b, preconditioner);
                assert!(count.abs_diff(expected) <= 1, "{count} for {expected} on {context:?}");
            }

            let matrix: CsrMatrix<f64> = wind.matrix(&context);
            let (ilu, b) = (Ilu0::new(&matrix).unwrap(), right_hand_side(900));
            for (solver, expected) in [(bicgstab as Solver<f64>, 15), (gmres, 24)] {
                let count = iterations(solver, &matrix, &b, Some(&ilu));
                assert!(count.abs_diff(expected) <= 1, "{count} for {expected} on {context:?}");
            }
        }
    }

    #[test]
    fn results_are_the_same_bits_in_any_thread() {
        let sample = magnetic(40, 0.07);
        for context in contexts::<Complex64>() {
            let matrix: CsrMatrix<Complex64> = sample.matrix(&context);
            let mut random = Random(3);
            let x: Vec<Complex64> = (0..sample.rows).map(|_| random.complex()).collect();
            let (blocks, ssor) = (BlockJacobi::new(&matrix, 16).unwrap(), Ssor::new(&matrix, 1.1).unwrap());
            let (ilu, ic) = (Ilu0::new(&matrix).unwrap(), Ic0::new(&matrix).unwrap());
            let all = || {
                let operators = [&blocks as &dyn LinearOperator<Complex64>, &ssor, &ilu, &ic];
                operators.map(|operator| [Op::NoTrans, Op::ConjTrans].map(|op| applied(operator, op, &x)))
            };
            let first = all();
            std::thread::scope(|scope| {
                let threads = [(); 2].map(|()| scope.spawn(all));
                threads.into_iter().for_each(|thread| assert!(thread.join().unwrap() == first));
            });
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn preconditioners_are_inverses() {
        let (general, hermitian) = (dominant(9, 3), random_hermitian(9, 1.1, false, false, 4));
        check_blocks::<f32, i32>(&general, 4, &[Op::NoTrans]);
        check_ssor::<f32, i32>(&general, 1.3, &[Op::NoTrans]);
        check_ilu::<f32, i64>(&general, &[Op::ConjTrans]);
        check_ic::<f32, i32>(&hermitian, &[Op::NoTrans]);
    }
}
