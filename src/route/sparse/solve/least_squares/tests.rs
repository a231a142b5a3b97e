//! LSQR and LSMR against dense factorisations, and against the iterations that scipy 1.17.1 needs for the same problems
//! and tolerances: `lsqr` and `lsmr` with `conlim=0`, and `atol=0, btol=1e-8` for systems with a solution,
//! `atol=1e-8, btol=0` for the others.

use std::cell::RefCell;

use faer::Mat;
use faer::linalg::solvers::{Solve, SolveLstsq};
use proptest::prelude::*;

use super::super::Solver;
use super::super::problems::*;
use super::*;
use crate::error::Error;
use crate::memory::Context;
use crate::scalar::Complex64;
use crate::sparse::testing::{Random, Rows, Sample, for_each_matrix, rounded, samples};
use crate::sparse::{CsrMatrix, Jacobi, Reason, RowPointer};
use crate::testing::{assert_close, contexts, for_each_type};

/// How many more iterations than scipy's least squares may take: scipy stops by the Frobenius norm of the bidiagonal
/// matrix, which is up to the root of the iterations times the lower bound of ||A|| that is used here, and so many more
/// digits take their part of the iterations.
fn more_iterations(expected: usize) -> f64 {
    let digits = 8.0;
    expected as f64 * (expected as f64).sqrt().log10() / digits
}

fn parts<T: Scalar>(values: &[T]) -> Vec<Complex64> {
    values.iter().map(|value| Complex64::new(value.re(), value.im())).collect()
}

fn typed<T: Scalar>(values: &[Complex64]) -> Vec<T> {
    values.iter().map(|value| T::from_parts(value.re, value.im)).collect()
}

fn norm(values: &[Complex64]) -> f64 {
    values.iter().map(|value| value.norm_sqr()).sum::<f64>().sqrt()
}

/// Result of a solver from a given x.
fn improved<T: Scalar, P: RowPointer>(
    solver: Solver<T>,
    matrix: &CsrMatrix<T, P>,
    b: &[T],
    x: &[T],
    options: &SolveOptions<'_, T>,
) -> (Outcome, Vec<T>) {
    let context = CsrMatrix::context(matrix);
    let (b, mut x) = (context.upload(b).unwrap(), context.upload(x).unwrap());
    let outcome = solver(matrix, b.vector().unwrap(), x.vector_mut().unwrap(), options).unwrap();
    (outcome, x.download().unwrap())
}

fn solved<T: Scalar, P: RowPointer>(
    solver: Solver<T>,
    matrix: &CsrMatrix<T, P>,
    b: &[T],
    options: &SolveOptions<'_, T>,
) -> (Outcome, Vec<T>) {
    improved(solver, matrix, b, &vec![T::ZERO; CsrMatrix::columns(matrix)], options)
}

/// A matrix as it is in the precision, with x and b: ||b - A x||, ||A^H (b - A x)||, and A's Frobenius norm.
fn truth<T: Scalar>(sample: &Sample, b: &[T], x: &[T]) -> [f64; 3] {
    let (mut r, x) = (parts(b), parts(x));
    let mut normal = vec![Complex64::ZERO; sample.columns];
    let mut frobenius = vec![vec![Complex64::ZERO; sample.columns]; sample.rows];
    for (i, entries) in sample.entries.iter().enumerate() {
        for &(j, value) in entries {
            r[i] -= rounded::<T>(value) * x[j];
            frobenius[i][j] += rounded::<T>(value);
        }
        entries.iter().for_each(|&(j, value)| normal[j] += rounded::<T>(value).conj() * r[i]);
    }
    [norm(&r), norm(&normal), norm(&frobenius.concat())]
}

/// Solves a problem everywhere by both methods, and compares the iterations with scipy's.
fn compare<T: Scalar>(sample: &Sample, b: &[Complex64], damping: f64, reason: Reason, expected: [usize; 2]) {
    let b = typed::<T>(b);
    let mut on_host = [None, None];
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T> = sample.matrix(&context);
        for (index, (solver, expected)) in [lsqr as Solver<T>, lsmr].into_iter().zip(expected).enumerate() {
            let options = SolveOptions::new().rtol(1e-8).damping(damping);
            let (outcome, x) = solved(solver, &matrix, &b, &options);
            assert_eq!(outcome.reason, reason, "{outcome}");
            let more = outcome.iterations as f64 - expected as f64;
            let apart = (0.1 * expected as f64).max(1.0);
            let most = apart + if reason == Reason::LeastSquares { more_iterations(expected) } else { 0.0 };
            assert!(-apart <= more && more <= most, "scipy needs {expected}: {outcome}");
            let [residual, normal, frobenius] = truth(sample, &b, &x);
            assert_close!(residual, outcome.residual, 1e-12 * norm(&parts(&b)), "{outcome}");
            if damping == 0.0 && reason == Reason::LeastSquares {
                assert!(normal <= 1e-8 * frobenius * residual, "{normal:e}: {outcome}");
                assert_close!(normal, outcome.normal_residual.unwrap(), 1e-12 * frobenius * residual, "{outcome}");
            }
            // Orthogonality is lost to rounding, in another way where sums have another order: the ends of long
            // recurrences differ.
            let (iterations, host_x): &(usize, Vec<T>) = on_host[index].get_or_insert((outcome.iterations, x.clone()));
            assert!(
                iterations.abs_diff(outcome.iterations) <= 1 + expected / 20,
                "the host needs {iterations}: {outcome}"
            );
            let apart: Vec<_> = parts(&x).iter().zip(parts(host_x)).map(|(x, host_x)| x - host_x).collect();
            assert!(norm(&apart) <= 1e-5 * norm(&parts(host_x)), "{:e} from the host's: {outcome}", norm(&apart));
        }
    }
}

fn scalars(count: usize) -> Vec<Complex64> {
    right_hand_side(count).into_iter().map(Complex64::from).collect()
}

/// The solution that is nearest to x_0, by dense factors.
fn dense_solution(sample: &Sample, b: &[Complex64], origin: &[Complex64], damping: f64) -> Vec<Complex64> {
    let (m, n) = (sample.rows, sample.columns);
    let stacked = if damping > 0.0 { m + n } else { m };
    let mut a = Mat::<Complex64>::zeros(stacked, n);
    let mut r = Mat::<Complex64>::zeros(stacked, 1);
    for (i, entries) in sample.entries.iter().enumerate() {
        r[(i, 0)] = b[i];
        for &(j, value) in entries {
            a[(i, j)] += value;
            r[(i, 0)] -= value * origin[j];
        }
    }
    (m..stacked).for_each(|i| a[(i, i - m)] = damping.into());
    let step = match stacked >= n {
        true => a.qr().solve_lstsq(&r),
        // x = A^H (A A^H)^-1 r.
        false => a.adjoint() * (&a * a.adjoint()).partial_piv_lu().solve(&r),
    };
    (0..n).map(|j| origin[j] + step[(j, 0)]).collect()
}

mod host {
    use super::*;

    #[test]
    fn least_squares_refuse_what_they_cannot_use() {
        let host = Context::host();
        let matrix: CsrMatrix<f64> = convection(3, 0.5).matrix(&host);
        let (b, mut x) = (host.zeros(9).unwrap(), host.zeros(9).unwrap());
        let jacobi = Jacobi::new(&matrix).unwrap();
        for solver in [lsqr as Solver<f64>, lsmr] {
            let mut refused = |options: &SolveOptions<'_, f64>| {
                solver(&matrix, b.vector().unwrap(), x.vector_mut().unwrap(), options).unwrap_err()
            };
            let error = refused(&SolveOptions::new().preconditioner(&jacobi));
            assert!(matches!(error, Error::InvalidArgument { name: "preconditioner", .. }), "{error}");
            for damping in [-1.0, f64::NAN, f64::INFINITY] {
                let error = refused(&SolveOptions::new().damping(damping));
                assert!(matches!(error, Error::InvalidArgument { name: "damping", .. }), "{error}");
            }
            let short = host.zeros(8).unwrap();
            let error = solver(&matrix, short.vector().unwrap(), x.vector_mut().unwrap(), &SolveOptions::new());
            assert!(matches!(error, Err(Error::ShapeMismatch(_))));
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn least_squares_need_scipys_iterations() {
        let tall = |grades| equations(300, 120, grades, false);
        for (grades, damping, expected) in
            [(1, 0.0, [20, 20]), (1, 0.3, [20, 20]), (3, 0.0, [61, 61]), (4, 0.0, [101, 98]), (5, 0.0, [136, 130])]
        {
            compare::<f64>(&tall(grades), &scalars(300), damping, Reason::LeastSquares, expected);
        }
        compare::<f64>(&tall(5), &scalars(300), 0.01, Reason::LeastSquares, [136, 130]);
        compare::<f64>(&equations(120, 300, 1, false), &scalars(120), 0.3, Reason::LeastSquares, [17, 17]);
        compare::<Complex64>(&equations(200, 90, 1, true), &scalars(200), 0.0, Reason::LeastSquares, [21, 21]);
    }

    #[test]
    fn systems_with_solutions_need_scipys_iterations() {
        for (grades, expected) in [(1, [21, 21]), (3, [65, 66]), (4, [107, 109]), (5, [144, 146])] {
            let sample = equations(300, 120, grades, false);
            compare::<f64>(&sample, &product(&sample, &scalars(120)), 0.0, Reason::Converged, expected);
        }
        compare::<f64>(&equations(120, 300, 1, false), &scalars(120), 0.0, Reason::Converged, [17, 17]);
        let complex = equations(200, 90, 1, true);
        compare::<Complex64>(&complex, &product(&complex, &scalars(90)), 0.0, Reason::Converged, [22, 22]);
        compare::<f64>(&convection(12, 0.8), &scalars(144), 0.0, Reason::Converged, [126, 126]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(8) })]

        #[test]
        fn solutions_are_those_of_dense_factors(
            rows in 1..60_usize,
            columns in 1..60_usize,
            damping in 0..2_u8,
            seed: u64,
        ) {
            fn check<T: Scalar, P: RowPointer>(rows: usize, columns: usize, damping: f64, seed: u64) {
                let mut random = Random(seed);
                let mut sample = Sample::new(rows, columns, Rows::Even(2), seed);
                // Of full rank, and not near to less.
                (0..rows).for_each(|i| sample.entries[i].push((i % columns, Complex64::new(3.0, 0.0))));
                let b: Vec<T> = typed(&(0..rows).map(|_| random.complex()).collect::<Vec<_>>());
                let origin: Vec<T> = typed(&(0..columns).map(|_| random.complex()).collect::<Vec<_>>());
                sample.entries.iter_mut().flatten().for_each(|(_, value)| *value = rounded::<T>(*value));
                let exact = dense_solution(&sample, &parts(&b), &parts(&origin), damping);
                for context in contexts::<T>() {
                    let matrix: CsrMatrix<T, P> = sample.matrix(&context);
                    for solver in [lsqr as Solver<T>, lsmr] {
                        let options = SolveOptions::new().rtol(if T::KIND.is_double() { 1e-12 } else { 1e-5 });
                        let (outcome, x) = improved(solver, &matrix, &b, &origin, &options.damping(damping));
                        // For a small b - A x, rounding of A^H (b - A x) exceeds the tolerance.
                        let frobenius = truth(&sample, &b, &x)[2].hypot(damping * (columns as f64).sqrt());
                        let sizes = frobenius * (norm(&parts(&x)) + norm(&parts(&origin))) + norm(&parts(&b));
                        let rounding = 20.0 * T::EPSILON * frobenius * sizes;
                        let is_rounding = outcome.normal_residual.is_some_and(|normal| normal <= rounding);
                        let stagnated = outcome.reason == Reason::Stagnated && is_rounding;
                        assert!(outcome.converged() || stagnated, "{outcome}");
                        let error: Vec<_> = parts(&x).iter().zip(&exact).map(|(x, exact)| x - exact).collect();
                        // Some 100 times the tolerance, for the condition.
                        let bound = 300.0 * options.rtol * (norm(&exact) + norm(&parts(&b)) + norm(&parts(&origin)));
                        assert!(norm(&error) <= bound, "{:e} > {bound:e}: {outcome}", norm(&error));
                    }
                }
            }
            for_each_matrix!(check(rows, columns, 0.5 * f64::from(damping), seed));
        }

        /// Of any rank, with empty rows and columns: whatever is claimed is so.
        #[test]
        fn claims_are_true(sample in samples()) {
            fn check<T: Scalar, P: RowPointer>(sample: &Sample) {
                let mut random = Random(7);
                let b: Vec<T> = typed(&(0..sample.rows).map(|_| random.complex()).collect::<Vec<_>>());
                for context in contexts::<T>() {
                    let matrix: CsrMatrix<T, P> = sample.matrix(&context);
                    for solver in [lsqr as Solver<T>, lsmr] {
                        let options = SolveOptions::new();
                        let (outcome, x) = solved(solver, &matrix, &b, &options);
                        let [residual, normal, frobenius] = truth(sample, &b, &x);
                        let rounding = 100.0 * T::EPSILON * (norm(&parts(&b)) + frobenius * norm(&parts(&x)));
                        assert_close!(residual, outcome.residual, rounding, "{residual:e}: {outcome}");
                        let normal_rounding = rounding * frobenius;
                        let claimed = outcome.normal_residual.unwrap();
                        assert_close!(normal, claimed, normal_rounding, "{normal:e}: {outcome}");
                        match outcome.reason {
                            Reason::Converged => assert!(residual <= options.rtol * norm(&parts(&b)) + rounding),
                            Reason::LeastSquares => {
                                let bound = options.rtol * frobenius * residual + normal_rounding;
                                assert!(normal <= bound, "{normal:e} > {bound:e}: {outcome}");
                            }
                            _ => {}
                        }
                    }
                }
            }
            for_each_matrix!(check(&sample));
        }
    }

    #[test]
    fn what_is_orthogonal_to_all_columns_leaves_x_as_it_is() {
        // The last row is empty, and b has nothing elsewhere.
        let mut sample = equations(10, 4, 1, false);
        sample.entries[9].clear();
        let mut b = vec![0.0; 10];
        b[9] = 2.0;
        for context in contexts::<f64>() {
            let matrix: CsrMatrix<f64> = sample.matrix(&context);
            for solver in [lsqr as Solver<f64>, lsmr] {
                let (outcome, x) = solved(solver, &matrix, &b, &SolveOptions::new());
                assert_eq!((outcome.reason, outcome.iterations, x), (Reason::LeastSquares, 0, vec![0.0; 4]));
                assert_eq!((outcome.residual, outcome.normal_residual), (2.0, Some(0.0)));
                let (outcome, x) = solved(solver, &matrix, &[0.0; 10], &SolveOptions::new());
                assert_eq!((outcome.reason, outcome.iterations, x), (Reason::Converged, 0, vec![0.0; 4]));
            }
        }
    }

    /// A above A, with b above -b: the sums of A^H b are rounding where they are not exact, and x = 0 is best.
    #[test]
    fn zero_is_the_solution_where_halves_of_b_cancel() {
        fn check<T: Scalar>() {
            let mut sample = equations(37, 19, 2, T::KIND.is_complex());
            let (count, columns) = (sample.rows, sample.columns);
            let below = sample.entries.clone();
            sample.entries.extend(below);
            sample.rows *= 2;
            let half = scalars(count);
            let b: Vec<T> = typed(&[half.clone(), half.iter().map(|value| -value).collect()].concat());
            for context in contexts::<T>() {
                let matrix: CsrMatrix<T> = sample.matrix(&context);
                for solver in [lsqr as Solver<T>, lsmr] {
                    let (outcome, x) = solved(solver, &matrix, &b, &SolveOptions::new());
                    assert_eq!(outcome.reason, Reason::LeastSquares, "{outcome}");
                    assert!(norm(&parts(&x)) <= 100.0 * T::EPSILON * norm(&parts(&b)), "{columns} columns: {outcome}");
                }
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn matrices_without_rows_or_columns_are_solved() {
        for context in contexts::<f64>() {
            for solver in [lsqr as Solver<f64>, lsmr] {
                for (rows, columns) in [(0, 0), (0, 3), (3, 0)] {
                    let empty = CsrMatrix::<f64>::new(&context, rows, columns, &vec![0; rows + 1], &[], &[]).unwrap();
                    let (outcome, _) = solved(solver, &empty, &vec![1.0; rows], &SolveOptions::new());
                    let reason = if rows == 0 { Reason::Converged } else { Reason::LeastSquares };
                    assert_eq!((outcome.reason, outcome.iterations), (reason, 0), "{rows} x {columns}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_ends_least_squares() {
        for context in contexts::<f64>() {
            for solver in [lsqr as Solver<f64>, lsmr] {
                let mut sample = equations(12, 5, 1, false);
                let mut b = right_hand_side(12);
                sample.entries[3][0].1 = Complex64::new(f64::NAN, 0.0);
                let matrix: CsrMatrix<f64> = sample.matrix(&context);
                assert_eq!(solved(solver, &matrix, &b, &SolveOptions::new()).0.reason, Reason::Breakdown);
                b[2] = f64::INFINITY;
                assert_eq!(solved(solver, &matrix, &b, &SolveOptions::new()).0.reason, Reason::Breakdown);
            }
        }
    }

    #[test]
    fn iterations_of_least_squares_are_limited_and_reported_and_go_on_from_x() {
        let sample = equations(300, 120, 5, false);
        let b = right_hand_side(300);
        for context in contexts::<f64>() {
            let matrix: CsrMatrix<f64> = sample.matrix(&context);
            for solver in [lsqr as Solver<f64>, lsmr] {
                let reported = RefCell::new(Vec::new());
                let report = |iteration, residual: f64| reported.borrow_mut().push((iteration, residual));
                let options = SolveOptions::new().max_iterations(40).history(&report);
                let (outcome, x) = solved(solver, &matrix, &b, &options);
                assert_eq!((outcome.reason, outcome.iterations), (Reason::Limit, 40), "{outcome}");
                let reported = reported.into_inner();
                assert!(reported.iter().map(|(iteration, _)| *iteration).eq(1..=40));
                assert_close!(reported[39].1, outcome.residual, 1e-9, "{}: {outcome}", reported[39].1);
                assert!(reported.windows(2).all(|pair| pair[1].1 <= 1.000_001 * pair[0].1));
                let (rest, solution) = improved(solver, &matrix, &b, &x, &SolveOptions::new());
                assert!(rest.reason == Reason::LeastSquares && rest.iterations > 0, "{rest}");
                let (again, _) = improved(solver, &matrix, &b, &solution, &SolveOptions::new().rtol(2e-8));
                assert!(again.reason == Reason::LeastSquares && again.iterations < 20, "{again}");
            }
        }
    }

    #[test]
    fn least_squares_are_the_same_bits_however_often_one_looks_and_in_any_thread() {
        let sample = equations(700, 300, 2, true);
        let b = scalars(700);
        for context in contexts::<Complex64>() {
            let matrix: CsrMatrix<Complex64> = sample.matrix(&context);
            for solver in [lsqr as Solver<Complex64>, lsmr] {
                let solve = |poll| solved(solver, &matrix, &b, &SolveOptions::new().poll(poll));
                let first = solve(16);
                assert!(first.0.converged() && [1, 5].into_iter().all(|poll| solve(poll) == first));
                std::thread::scope(|scope| {
                    let threads = [3, 16].map(|poll| scope.spawn(move || solve(poll)));
                    threads.into_iter().for_each(|thread| assert!(thread.join().unwrap() == first));
                });
            }
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn least_squares_are_solved() {
        let sample = equations(9, 4, 1, false);
        let b = typed::<f32>(&scalars(9));
        for context in contexts::<f32>() {
            let matrix: CsrMatrix<f32> = sample.matrix(&context);
            for solver in [lsqr as Solver<f32>, lsmr] {
                let (outcome, x) = solved(solver, &matrix, &b, &SolveOptions::new());
                let [residual, normal, frobenius] = truth(&sample, &b, &x);
                assert_eq!(outcome.reason, Reason::LeastSquares, "{outcome}");
                assert!(normal <= 1.1e-5 * frobenius * residual, "{normal:e}: {outcome}");
            }
        }
    }
}
