//! Solvers against their own claims, and against the iterations that scipy 1.17.1 needs for the same problems,
//! tolerances and recurrences.
//!
//! scipy's numbers are those of `cg`, `bicgstab` and `gmres` of `scipy.sparse.linalg` with `rtol=1e-8, atol=0`, counted
//! by `callback` (for `gmres` with `restart=30, callback_type='pr_norm'`) on the matrices of `problems.rs` and its
//! right-hand side. `minres` stops by norms of its own: with `rtol=1e-15`, its number is the first iteration whose x
//! has ||b - A x|| <= 1e-8 ||b||.

use std::cell::RefCell;

use proptest::prelude::*;

use super::problems::*;
use super::*;
use crate::scalar::Complex64;
use crate::sparse::testing::{Random, Sample, for_each_matrix, rounded};
use crate::sparse::{AllReduce, Jacobi, Reason};
use crate::testing::{assert_close, contexts};

/// Result of a solver from x = 0.
fn solved<T: Scalar, P: RowPointer>(
    solver: Solver<T>,
    matrix: &CsrMatrix<T, P>,
    b: &[T],
    options: &SolveOptions<'_, T>,
) -> (Outcome, Vec<T>) {
    let context = CsrMatrix::context(matrix);
    let (b, mut x) = (context.upload(b).unwrap(), context.zeros(CsrMatrix::columns(matrix)).unwrap());
    let outcome = solver(matrix, b.vector().unwrap(), x.vector_mut().unwrap(), options).unwrap();
    (outcome, x.download().unwrap())
}

fn typed<T: Scalar>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_parts(value, 0.0)).collect()
}

fn norm<T: Scalar>(values: impl Iterator<Item = T>) -> f64 {
    values.map(|value| value.modulus().powi(2)).sum::<f64>().sqrt()
}

/// ||b - A x|| / ||b|| in f64, of the matrix as it is in the precision.
fn relative_residual<T: Scalar>(sample: &Sample, b: &[T], x: &[T]) -> f64 {
    let parts = |value: &T| Complex64::new(value.re(), value.im());
    let x: Vec<_> = x.iter().map(parts).collect();
    let row = |(entries, b): (&Vec<(usize, Complex64)>, &T)| {
        parts(b) - entries.iter().map(|(column, value)| rounded::<T>(*value) * x[*column]).sum::<Complex64>()
    };
    norm(sample.entries.iter().zip(b).map(row)) / norm(b.iter().copied())
}

/// Solves a problem everywhere, and compares the iterations with scipy's.
fn compare<T: Scalar>(solver: Solver<T>, sample: &Sample, b: &[T], expected: usize, with_jacobi: bool) {
    let mut on_host = None;
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T> = sample.matrix(&context);
        let jacobi = with_jacobi.then(|| Jacobi::new(&matrix).unwrap());
        let mut options = SolveOptions::new().rtol(1e-8);
        options = jacobi.as_ref().map_or(options, |jacobi| options.preconditioner(jacobi));
        let (outcome, x) = solved(solver, &matrix, b, &options);
        assert!(outcome.converged(), "{outcome}");
        assert!(relative_residual(sample, b, &x) <= 1.001e-8, "{outcome}");
        let difference = outcome.iterations.abs_diff(expected);
        assert!(difference as f64 <= (0.1 * expected as f64).max(1.0), "scipy needs {expected} iterations: {outcome}");
        let (host_iterations, host_x): &(usize, Vec<T>) = on_host.get_or_insert((outcome.iterations, x.clone()));
        assert!(host_iterations.abs_diff(outcome.iterations) <= 1, "the host needs {host_iterations}: {outcome}");
        let apart = norm(x.iter().zip(host_x).map(|(x, host_x)| *x - *host_x)) / norm(host_x.iter().copied());
        assert!(apart < 1e-4, "{apart:e} from the host's: {outcome}");
    }
}

/// The part that each of four processes has of the block diagonal matrix of four equal blocks.
struct QuarterOfFour<'a, T>(&'a CsrMatrix<T>);

impl<T: Scalar> LinearOperator<T> for QuarterOfFour<'_, T> {
    fn context(&self) -> &Context {
        CsrMatrix::context(self.0)
    }
    fn rows(&self) -> usize {
        CsrMatrix::rows(self.0)
    }
    fn columns(&self) -> usize {
        CsrMatrix::columns(self.0)
    }
    fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()> {
        self.0.multiply(op, T::ONE, x, T::ZERO, y).map(drop)
    }
    fn all_reduce(&self) -> Option<&dyn AllReduce> {
        Some(self)
    }
}

impl<T> AllReduce for QuarterOfFour<'_, T> {
    fn sum(&self, values: &mut [f64]) -> Result<()> {
        values.iter_mut().for_each(|value| *value *= 4.0);
        Ok(())
    }
    fn maximum(&self, _: &mut [f64]) -> Result<()> {
        Ok(())
    }
}

/// A preconditioner that hides what it is.
struct Opaque<'a, T>(&'a CsrMatrix<T>);

impl<T: Scalar> LinearOperator<T> for Opaque<'_, T> {
    fn context(&self) -> &Context {
        CsrMatrix::context(self.0)
    }
    fn rows(&self) -> usize {
        CsrMatrix::rows(self.0)
    }
    fn columns(&self) -> usize {
        CsrMatrix::columns(self.0)
    }
    fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()> {
        self.0.apply(op, x, y)
    }
}

/// Whatever is claimed is so.
fn check_claims<T: Scalar, P: RowPointer>(sample: &Sample, solver: Solver<T>, must_converge: bool) {
    let mut random = Random(7);
    let b: Vec<T> = (0..sample.rows).map(|_| random.complex()).map(|b| T::from_parts(b.re, b.im)).collect();
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        let options = SolveOptions::new();
        let (outcome, x) = solved(solver, &matrix, &b, &options);
        assert!(!must_converge || outcome.converged(), "{:?} {outcome}", T::KIND);
        let residual = relative_residual(sample, &b, &x);
        // Results of the working precision differ from those of f64 by rounding.
        let rounding = 100.0 * T::EPSILON;
        assert_close!(residual, outcome.relative_residual, 0.01 * residual + rounding, "{residual:e}: {outcome}");
        assert!(!outcome.converged() || residual <= 1.01 * options.rtol + rounding, "{residual:e}: {outcome}");
    }
}

mod device {
    use super::*;

    #[test]
    fn processes_with_equal_blocks_need_the_iterations_of_one_block() {
        let (laplacian, flow) = (poisson(&[23, 17], &[1.0, 1.0], 0.0), convection(19, 0.3));
        let problems: [(Solver<Complex64>, &Sample); 4] =
            [(cg, &laplacian), (minres, &laplacian), (bicgstab, &flow), (gmres, &flow)];
        for context in contexts::<Complex64>() {
            for (index, (solver, sample)) in problems.into_iter().enumerate() {
                let matrix: CsrMatrix<Complex64> = sample.matrix(&context);
                let mut random = Random(78);
                let b: Vec<Complex64> = (0..sample.rows).map(|_| random.complex()).collect();
                let jacobi = Jacobi::new(&matrix).unwrap();
                for preconditioned in [false, true] {
                    let options = SolveOptions::new().rtol(1e-9).max_iterations(2000);
                    let options = if preconditioned { options.preconditioner(&jacobi) } else { options };
                    let (alone, x) = solved(solver, &matrix, &b, &options);
                    let (b_there, mut x_there) =
                        (context.upload(&b).unwrap(), context.zeros::<Complex64>(sample.columns).unwrap());
                    let operator = QuarterOfFour(&matrix);
                    let outcome =
                        solver(&operator, b_there.vector().unwrap(), x_there.vector_mut().unwrap(), &options).unwrap();
                    assert!(outcome.converged(), "solver {index}: {outcome}");
                    assert!(outcome.iterations.abs_diff(alone.iterations) <= 1, "{index}: {outcome}, {alone}");
                    let found = x_there.download().unwrap();
                    assert!(relative_residual(sample, &b, &found) <= 1.001e-9);
                    let apart = norm(found.iter().zip(&x).map(|(x, alone)| *x - *alone)) / norm(x.iter().copied());
                    assert!(apart < 1e-6, "solver {index}: {apart:e}");
                    // The norm is that of all blocks.
                    let rest = 2.0 * relative_residual(sample, &b, &found) * norm(b.iter().copied());
                    assert!((outcome.residual - rest).abs() <= 1e-3 * rest, "solver {index}: {rest:e}, {outcome}");
                }
            }
        }
    }

    #[test]
    fn laplacians_need_scipys_iterations() {
        for (sides, weights, conjugate_gradients, minimal_residuals, generalised) in [
            (&[200][..], &[1.0][..], 200, 200, None),
            (&[40, 40], &[1.0, 1.0], 108, 106, Some(195)),
            (&[12, 12, 12], &[1.0, 1.0, 1.0], 46, 46, Some(56)),
            (&[40, 40], &[1.0, 0.01], 207, 196, Some(247)),
        ] {
            let sample = poisson(sides, weights, 0.0);
            let b = right_hand_side(sample.rows);
            compare(cg::<f64>, &sample, &b, conjugate_gradients, false);
            compare(minres::<f64>, &sample, &b, minimal_residuals, false);
            if let Some(iterations) = generalised {
                compare(gmres::<f64>, &sample, &b, iterations, false);
            }
        }
        let sample = poisson(&[12, 12, 12], &[1.0; 3], 0.0);
        compare(bicgstab::<f64>, &sample, &right_hand_side(1728), 34, false);
    }

    #[test]
    fn hermitian_matrices_need_scipys_iterations() {
        let sample = magnetic(24, 0.1);
        let b = typed::<Complex64>(&right_hand_side(sample.rows));
        compare(cg, &sample, &b, 24, false);
        compare(minres, &sample, &b, 24, false);
    }

    #[test]
    fn jacobis_preconditioner_needs_scipys_iterations() {
        let mut sample = poisson(&[40, 40], &[1.0, 1.0], 0.0);
        for (row, entries) in sample.entries.iter_mut().enumerate() {
            entries.push((row, Complex64::new(((13 * row) % 50) as f64, 0.0)));
        }
        let b = right_hand_side(sample.rows);
        for (solver, plain, preconditioned) in [(cg::<f64> as Solver<f64>, 32, 9), (minres, 32, 9)] {
            compare(solver, &sample, &b, plain, false);
            compare(solver, &sample, &b, preconditioned, true);
        }
    }

    #[test]
    fn indefinite_matrices_need_scipys_iterations() {
        let saddle_point = saddle_point(300, 40);
        compare(minres::<f64>, &saddle_point, &right_hand_side(340), 65, false);
        compare(gmres::<f64>, &saddle_point, &right_hand_side(340), 69, false);
        let shifted = poisson(&[20, 20], &[1.0, 1.0], 0.3);
        compare(minres::<f64>, &shifted, &right_hand_side(400), 92, false);
    }

    #[test]
    fn singular_systems_that_have_solutions_are_solved() {
        let sample = neumann(30);
        let x: Vec<_> = right_hand_side(900).into_iter().map(Complex64::from).collect();
        let b: Vec<f64> = product(&sample, &x).into_iter().map(|value| value.re).collect();
        for (solver, iterations) in [(cg::<f64> as Solver<f64>, 110), (minres, 108)] {
            compare(solver, &sample, &b, iterations, false);
        }
    }

    #[test]
    fn matrices_that_are_not_symmetric_need_scipys_iterations() {
        let sample = convection(30, 0.8);
        compare(bicgstab::<f64>, &sample, &right_hand_side(900), 49, false);
        compare(bicgstab::<f64>, &sample, &right_hand_side(900), 49, true);
        compare(gmres::<f64>, &sample, &right_hand_side(900), 144, false);
        // With less damping rounding grows so fast in BiCGStab that two machines need different iterations.
        let sample = helmholtz(24, 0.5, 2.0);
        let b = typed::<Complex64>(&right_hand_side(576));
        compare(bicgstab, &sample, &b, 18, false);
        compare(gmres, &sample, &b, 26, false);
        let with_less: Solver<Complex64> = |a, b, x, options| gmres(a, b, x, &options.restart(10));
        compare(with_less, &sample, &b, 27, false);
    }

    #[test]
    fn an_operator_is_as_good_a_preconditioner_as_a_diagonal() {
        fn check<T: Scalar, P: RowPointer>() {
            let sample = random_hermitian(400, 1.05, false, T::KIND.is_complex(), 3);
            let diagonal = |row: usize| -> f64 {
                let own = sample.entries[row].iter().filter(|(column, _)| *column == row);
                own.map(|(_, value)| value.re).sum()
            };
            let entries = (0..400).map(|row| vec![(row, Complex64::from(1.0 / diagonal(row)))]).collect();
            let inverse = Sample { rows: 400, columns: 400, entries };
            let b = typed::<T>(&right_hand_side(400));
            for context in contexts::<T>() {
                let matrix: CsrMatrix<T, P> = sample.matrix(&context);
                let (jacobi, opaque) = (Jacobi::new(&matrix).unwrap(), inverse.matrix(&context));
                for solver in [cg as Solver<T>, minres, bicgstab, gmres] {
                    let options = SolveOptions::new();
                    let (by_diagonal, _) = solved(solver, &matrix, &b, &options.preconditioner(&jacobi));
                    let (by_operator, x) = solved(solver, &matrix, &b, &options.preconditioner(&Opaque(&opaque)));
                    assert!(by_diagonal.converged() && by_operator.converged(), "{by_diagonal}; {by_operator}");
                    assert!(
                        by_diagonal.iterations.abs_diff(by_operator.iterations) <= 1,
                        "{by_diagonal}; {by_operator}"
                    );
                    assert!(relative_residual(&sample, &b, &x) <= 1.01 * options.rtol);
                }
            }
        }
        for_each_matrix!(check());
    }

    #[test]
    fn chebyshevs_polynomials_save_iterations() {
        fn check<T: Scalar, P: RowPointer>() {
            let sample = poisson(&[40, 40], &[1.0, 1.0], 0.0);
            let b = typed::<T>(&right_hand_side(1600));
            let mut on_host = None;
            for context in contexts::<T>() {
                let matrix: CsrMatrix<T, P> = sample.matrix(&context);
                let chebyshev = Chebyshev::new(&matrix, 4).unwrap();
                for solver in [cg as Solver<T>, minres] {
                    let options = SolveOptions::new().rtol(1e-5);
                    let (plain, _) = solved(solver, &matrix, &b, &options);
                    let (outcome, x) = solved(solver, &matrix, &b, &options.preconditioner(&chebyshev));
                    assert!(outcome.converged() && relative_residual(&sample, &b, &x) < 1.01e-5, "{outcome}");
                    assert!(3 * outcome.iterations < plain.iterations, "{outcome}; without: {plain}");
                    assert!(outcome.iterations.abs_diff(*on_host.get_or_insert(outcome.iterations)) <= 1, "{outcome}");
                }
            }
            assert!(Chebyshev::<T>::with_bounds(&sample.matrix::<T, P>(&Context::host()), 2, 1.0, 0.5).is_err());
        }
        for_each_matrix!(check());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn positive_definite_matrices_are_solved(rows in 1..200_usize, margin in 1.05..3.0_f64, seed: u64) {
            fn check<T: Scalar, P: RowPointer>(rows: usize, margin: f64, seed: u64) {
                let sample = random_hermitian(rows, margin, false, T::KIND.is_complex(), seed);
                check_claims::<T, P>(&sample, cg, true);
                check_claims::<T, P>(&sample, minres, true);
                check_claims::<T, P>(&sample, bicgstab, true);
                check_claims::<T, P>(&sample, gmres, true);
            }
            for_each_matrix!(check(rows, margin, seed));
        }

        #[test]
        fn indefinite_matrices_are_solved_by_minres_and_cg_says_what_is_so(rows in 1..100_usize, seed: u64) {
            fn check<T: Scalar, P: RowPointer>(rows: usize, seed: u64) {
                let sample = random_hermitian(rows, 1.2, true, T::KIND.is_complex(), seed);
                check_claims::<T, P>(&sample, cg, false);
                check_claims::<T, P>(&sample, minres, true);
            }
            for_each_matrix!(check(rows, seed));
        }
    }

    #[test]
    fn conjugate_gradients_find_what_is_not_positive_definite() {
        for context in contexts::<f64>() {
            let matrix: CsrMatrix<f64> = poisson(&[20, 20], &[1.0, 1.0], 3.0).matrix(&context);
            let (outcome, x) = solved(cg, &matrix, &right_hand_side(400), &SolveOptions::new());
            assert_eq!(outcome.reason, Reason::NotPositiveDefinite, "{outcome}");
            assert!(x.iter().all(|x| x.is_finite()) && outcome.residual.is_finite());
        }
    }

    #[test]
    fn nothing_is_needed_for_a_right_hand_side_of_zeros() {
        for context in contexts::<f64>() {
            let matrix: CsrMatrix<f64> = poisson(&[5, 5], &[1.0, 1.0], 0.0).matrix(&context);
            let none = Outcome {
                reason: Reason::Converged,
                iterations: 0,
                residual: 0.0,
                relative_residual: 0.0,
                normal_residual: None,
            };
            for solver in [cg as Solver<f64>, minres, bicgstab, gmres] {
                let (b, mut x) = (context.zeros(25).unwrap(), context.upload(&[1.0; 25]).unwrap());
                let outcome =
                    solver(&matrix, b.vector().unwrap(), x.vector_mut().unwrap(), &SolveOptions::new()).unwrap();
                assert_eq!((outcome, x.download().unwrap()), (none, vec![0.0; 25]));
                let empty = CsrMatrix::<f64>::new(&context, 0, 0, &[0], &[], &[]).unwrap();
                assert_eq!(solved(solver, &empty, &[], &SolveOptions::new()), (none, vec![]));
            }
        }
    }

    #[test]
    fn systems_that_are_solved_at_the_same_time_do_not_know_of_each_other() {
        let (laplacian, flow) = (poisson(&[40, 40], &[1.0, 1.0], 0.0), convection(30, 0.8));
        for context in contexts::<f64>() {
            let matrices: [CsrMatrix<f64>; 2] = [laplacian.matrix(&context), flow.matrix(&context)];
            let solve = &|which: usize| {
                let solver = [cg as Solver<f64>, gmres][which];
                let b = right_hand_side(CsrMatrix::rows(&matrices[which]));
                solved(solver, &matrices[which], &b, &SolveOptions::new())
            };
            let alone = [solve(0), solve(1)];
            assert!(alone.iter().all(|(outcome, _)| outcome.converged()));
            std::thread::scope(|scope| {
                let threads = [0, 1].map(|which| (which, scope.spawn(move || solve(which))));
                threads.into_iter().for_each(|(which, thread)| assert!(thread.join().unwrap() == alone[which]));
            });
        }
    }

    #[test]
    fn what_is_not_finite_ends_a_solve() {
        for context in contexts::<f32>() {
            for solver in [cg as Solver<f32>, minres, bicgstab, gmres] {
                let mut sample = poisson(&[6, 6], &[1.0, 1.0], 0.0);
                let matrix: CsrMatrix<f32> = sample.matrix(&context);
                let mut b = typed::<f32>(&right_hand_side(36));
                b[3] = f32::NAN;
                assert_eq!(solved(solver, &matrix, &b, &SolveOptions::new()).0.reason, Reason::Breakdown);
                b[3] = f32::INFINITY;
                assert_eq!(solved(solver, &matrix, &b, &SolveOptions::new()).0.reason, Reason::Breakdown);
                b[3] = 1.0;
                sample.entries[5][0].1 = Complex64::new(f64::NAN, 0.0);
                let matrix: CsrMatrix<f32> = sample.matrix(&context);
                assert_eq!(solved(solver, &matrix, &b, &SolveOptions::new()).0.reason, Reason::Breakdown);
            }
        }
    }

    #[test]
    fn a_tolerance_that_the_precision_does_not_have_is_not_claimed() {
        let sample = poisson(&[60, 60], &[1.0, 1.0], 0.0);
        let b = typed::<f32>(&right_hand_side(3600));
        for context in contexts::<f32>() {
            let matrix: CsrMatrix<f32> = sample.matrix(&context);
            for solver in [cg as Solver<f32>, minres] {
                let (outcome, x) = solved(solver, &matrix, &b, &SolveOptions::new().rtol(1e-9));
                assert_eq!(outcome.reason, Reason::Stagnated, "{outcome}");
                assert!(relative_residual(&sample, &b, &x) < 1e-4 && outcome.iterations < 3600, "{outcome}");
            }
        }
    }

    #[test]
    fn norms_that_squares_cannot_have_do_no_harm() {
        let sample = poisson(&[10, 10], &[1.0, 1.0], 0.0);
        for (context, size) in contexts::<f32>().iter().flat_map(|context| [(context, 1e-30), (context, 1e30)]) {
            let b: Vec<f32> = right_hand_side(100).iter().map(|b| (b * size) as f32).collect();
            let (outcome, x) = solved(cg, &sample.matrix::<_, i32>(context), &b, &SolveOptions::new());
            assert!(outcome.converged() && relative_residual(&sample, &b, &x) < 1.1e-5, "{outcome}");
        }
    }

    #[test]
    fn results_are_the_same_bits_however_often_one_looks_and_in_any_thread() {
        let sample = magnetic(40, 0.07);
        let b = typed::<Complex64>(&right_hand_side(sample.rows));
        for context in contexts::<Complex64>() {
            let matrix: CsrMatrix<Complex64> = sample.matrix(&context);
            for solver in [cg as Solver<Complex64>, minres, bicgstab, gmres] {
                let solve = |poll| solved(solver, &matrix, &b, &SolveOptions::new().poll(poll));
                let first = solve(16);
                assert!(first.0.converged());
                for poll in [1, 5, 16] {
                    assert!(solve(poll) == first, "poll {poll}");
                }
                std::thread::scope(|scope| {
                    let threads = [3, 16].map(|poll| scope.spawn(move || solve(poll)));
                    threads.into_iter().for_each(|thread| assert!(thread.join().unwrap() == first));
                });
            }
        }
    }

    #[test]
    fn iterations_are_reported_one_by_one() {
        let sample = poisson(&[30], &[1.0], 0.0);
        for context in contexts::<f64>() {
            let matrix: CsrMatrix<f64> = sample.matrix(&context);
            for solver in [cg as Solver<f64>, minres, bicgstab, gmres] {
                let run = |poll| {
                    let reported = RefCell::new(Vec::new());
                    let report = |iteration, residual| reported.borrow_mut().push((iteration, residual));
                    let options = SolveOptions::new().poll(poll).history(&report);
                    let (outcome, _) = solved(solver, &matrix, &right_hand_side(30), &options);
                    (reported.into_inner(), outcome)
                };
                let (reported, outcome) = run(16);
                for poll in [1, 5, 9] {
                    assert_eq!(run(poll), (reported.clone(), outcome), "poll {poll}");
                }
                let iterations: Vec<usize> = reported.iter().map(|(iteration, _)| *iteration).collect();
                assert_eq!(iterations, (1..=outcome.iterations).collect::<Vec<_>>());
                let last = reported.last().unwrap().1;
                assert_close!(last, outcome.residual, 1e-10, "{last}: {outcome}");
            }
        }
    }

    #[test]
    fn the_limit_and_the_initial_guess_count() {
        let sample = poisson(&[200], &[1.0], 0.0);
        let b = right_hand_side(200);
        for context in contexts::<f64>() {
            let matrix: CsrMatrix<f64> = sample.matrix(&context);
            let (outcome, x) = solved(cg, &matrix, &b, &SolveOptions::new().max_iterations(50));
            assert_eq!((outcome.reason, outcome.iterations), (Reason::Limit, 50));
            assert_close!(relative_residual(&sample, &b, &x), outcome.relative_residual, 1e-10);
            let (_, solution) = solved(cg, &matrix, &b, &SolveOptions::new());
            let (b, mut x) = (context.upload(&b).unwrap(), context.upload(&solution).unwrap());
            let outcome = cg(&matrix, b.vector().unwrap(), x.vector_mut().unwrap(), &SolveOptions::new()).unwrap();
            assert_eq!((outcome.reason, outcome.iterations), (Reason::Converged, 0));
        }
    }

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        let context = Context::host();
        let matrix: CsrMatrix<f64> = poisson(&[4], &[1.0], 0.0).matrix(&context);
        let (b, mut x) = (context.zeros(3).unwrap(), context.zeros(4).unwrap());
        let error = cg(&matrix, b.vector().unwrap(), x.vector_mut().unwrap(), &SolveOptions::new()).unwrap_err();
        assert!(error.to_string().contains("A is 4 x 4, b has 3 elements"), "{error}");
        for device in contexts::<f64>().into_iter().skip(1) {
            let b = device.zeros(4).unwrap();
            assert!(cg(&matrix, b.vector().unwrap(), x.vector_mut().unwrap(), &SolveOptions::new()).is_err());
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn systems_are_solved() {
        for alternate in [false, true] {
            let solver_is = |complex| random_hermitian(9, 1.5, alternate, complex, 1);
            check_claims::<f32, i32>(&solver_is(false), if alternate { minres } else { cg }, true);
            check_claims::<Complex64, i64>(&solver_is(true), if alternate { minres } else { cg }, true);
        }
    }

    #[test]
    fn preconditioned_systems_are_solved() {
        let sample = random_hermitian(7, 1.5, false, false, 2);
        for context in contexts::<f32>() {
            let matrix: CsrMatrix<f32> = sample.matrix(&context);
            let jacobi = Jacobi::new(&matrix).unwrap();
            for solver in [cg as Solver<f32>, minres, bicgstab, gmres] {
                let options = SolveOptions::new().preconditioner(&jacobi);
                let (outcome, _) = solved(solver, &matrix, &[1.0, 2.0, 0.0, -1.0, 0.5, 3.0, 1.0], &options);
                assert!(outcome.converged(), "{outcome}");
            }
        }
    }

    #[test]
    fn a_system_without_a_solution_comes_to_its_smallest_residual() {
        let sample = neumann(12);
        let b: Vec<f64> = right_hand_side(144).iter().map(|b| b + 1.0).collect();
        let mean = b.iter().sum::<f64>() / 144.0;
        let smallest = mean * 12.0 / norm(b.iter().copied());
        for context in contexts::<f64>() {
            let (outcome, _) = solved(minres, &sample.matrix::<_, i32>(&context), &b, &SolveOptions::new());
            assert_eq!(outcome.reason, Reason::Stagnated, "{outcome}");
            assert_close!(outcome.relative_residual, smallest, 1e-8, "{outcome}");
            assert!(outcome.iterations < 200, "{outcome}");
        }
    }
}
