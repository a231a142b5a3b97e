mod condition;
mod plan;
mod properties;
mod sparse;

use faer::Mat;

use affinimath_core::{Complex64, Error, Op, Result, Scalar};
use affinimath_cpu::gemm;
use affinimath_cpu::norm::{frobenius_norm, one_norm};
use affinimath_cpu::solve::{MatrixProperties, Method, Solution, SolvePlan, solve};
use affinimath_testing::{assert_close, filled, for_each_type};

fn product<T: Scalar>(op_a: Op, a: &Mat<T>, b: &Mat<T>) -> Mat<T> {
    let mut c = Mat::zeros(if op_a.transposes() { a.ncols() } else { a.nrows() }, b.ncols());
    gemm(op_a, Op::NoTrans, T::ONE, a.as_ref(), b.as_ref(), T::ZERO, c.as_mut());
    c
}

fn residual<T: Scalar>(a: &Mat<T>, x: &Mat<T>, b: &Mat<T>) -> Mat<T> {
    let mut r = b.clone();
    gemm(Op::NoTrans, Op::NoTrans, -T::ONE, a.as_ref(), x.as_ref(), T::ONE, r.as_mut());
    r
}

/// LAPACK's test ratio for a solution: ||b - A x|| / (n eps (||A|| ||x|| + ||b||)), to be below 30.
fn solution_ratio<T: Scalar>(a: &Mat<T>, x: &Mat<T>, b: &Mat<T>) -> f64 {
    let size = one_norm(a.as_ref()) * one_norm(x.as_ref()) + one_norm(b.as_ref());
    one_norm(residual(a, x, b).as_ref()) / (a.nrows().max(a.ncols()) as f64 * T::EPSILON * size)
}

fn run<T: Scalar>(a: &Mat<T>, b: &Mat<T>) -> Result<Solution<T>> {
    solve(&SolvePlan::choose(&MatrixProperties::of(a.as_ref())), a.as_ref(), b.as_ref())
}

const SIZES: [usize; 8] = [1, 2, 3, 16, 17, 64, 100, 300];

#[test]
fn cholesky_solves_hermitian_positive_definite_systems() {
    fn check<T: Scalar>(n: usize) {
        let f = filled::<T>(n, n, 1);
        // Fᴴ F is positive semidefinite; n on the diagonal makes it well conditioned.
        let mut a = product(Op::ConjTrans, &f, &f);
        for i in 0..n {
            a[(i, i)] = T::from_parts(a[(i, i)].re() + n as f64, 0.0);
            for j in 0..i {
                a[(j, i)] = a[(i, j)].conjugate();
            }
        }
        let b = filled::<T>(n, 3, 2);
        let solution = run(&a, &b).unwrap();
        assert_eq!((solution.method, solution.fell_back.is_none()), (Method::Cholesky, true));
        let ratio = solution_ratio(&a, &solution.x, &b);
        assert!(ratio < 30.0, "{:?} n = {n}: ratio {ratio}", T::KIND);
    }
    for n in SIZES {
        for_each_type!(check(n));
    }
}

#[test]
fn lu_solves_general_systems() {
    fn check<T: Scalar>(n: usize) {
        let (a, b) = (filled::<T>(n, n, 3), filled::<T>(n, 2, 4));
        let solution = run(&a, &b).unwrap();
        let ratio = solution_ratio(&a, &solution.x, &b);
        assert!(ratio < 30.0, "{:?} n = {n}: ratio {ratio}", T::KIND);
    }
    for n in &SIZES[1..] {
        for_each_type!(check(*n));
    }
}

#[test]
fn an_indefinite_symmetric_matrix_falls_back_to_lu() {
    let a = faer::mat![[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let b = faer::mat![[3.0], [3.0], [1.0]];
    let solution = run(&a, &b).unwrap();
    assert_eq!(solution.method, Method::Lu);
    assert!(matches!(solution.fell_back, Some(Error::NotPositiveDefinite { index: 2 })));
    assert!(solution_ratio(&a, &solution.x, &b) < 30.0);
}

#[test]
fn least_squares_leave_a_residual_orthogonal_to_the_columns() {
    fn check<T: Scalar>(n: usize) {
        for m in [n + 1, 2 * n + 5] {
            let (a, b) = (filled::<T>(m, n, 5), filled::<T>(m, 2, 6));
            let solution = run(&a, &b).unwrap();
            assert_eq!(solution.method, Method::LeastSquares);
            let r = residual(&a, &solution.x, &b);
            let normal = frobenius_norm(product(Op::ConjTrans, &a, &r).as_ref());
            // ||Aᴴ r|| <= c m eps ||A|| (||A|| ||x|| + ||b||): Higham, Accuracy and Stability, theorem 20.3.
            let norm = frobenius_norm(a.as_ref());
            let size = norm * (norm * frobenius_norm(solution.x.as_ref()) + frobenius_norm(b.as_ref()));
            let ratio = normal / (m as f64 * T::EPSILON * size);
            assert!(ratio < 30.0, "{:?} {m}x{n}: ratio {ratio}", T::KIND);
        }
    }
    for n in SIZES {
        for_each_type!(check(n));
    }
}

#[test]
fn an_underdetermined_system_gets_the_solution_of_least_norm() {
    fn check<T: Scalar>(m: usize) {
        let n = m + 7;
        let (a, b) = (filled::<T>(m, n, 7), filled::<T>(m, 2, 8));
        let x = run(&a, &b).unwrap().x;
        let ratio = solution_ratio(&a, &x, &b);
        assert!(ratio < 30.0, "{:?} {m}x{n}: ratio {ratio}", T::KIND);
        // Least norm means in the range of Aᴴ: x is its own projection Aᴴ y, where y fits it best.
        let adjoint = Mat::from_fn(n, m, |i, j| a[(j, i)].conjugate());
        let fit = run(&adjoint, &x).unwrap();
        let outside = one_norm(residual(&adjoint, &fit.x, &x).as_ref());
        let size = fit.condition * one_norm(x.as_ref());
        assert!(outside <= 30.0 * n as f64 * T::EPSILON * size, "{:?} {m}x{n}: {outside:e} outside", T::KIND);
    }
    for n in SIZES {
        for_each_type!(check(n));
    }
}

#[test]
fn a_singular_matrix_is_refused_with_its_pivot() {
    let ones = faer::mat![[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [2.0, 1.0, 0.0]];
    assert!(matches!(run(&ones, &Mat::zeros(3, 1)), Err(Error::ZeroPivot { index: 3 })));
    assert!(matches!(run(&Mat::<Complex64>::zeros(2, 2), &Mat::zeros(2, 1)), Err(Error::ZeroPivot { index: 1 })));
    // A column of zeros in a matrix large enough for faer's blocked path.
    let mut large = filled::<f64>(200, 200, 9);
    large.as_mut().col_mut(120).fill(0.0);
    assert!(matches!(run(&large, &Mat::zeros(200, 1)), Err(Error::ZeroPivot { index: 121 })));
}

#[test]
fn a_rank_deficient_problem_gets_the_solution_of_least_norm_and_its_rank() {
    let a = Mat::from_fn(6, 3, |i, j| ((i + 1) * [1, 2, 5][j]) as f64 + if j == 2 && i == 0 { 1.0 } else { 0.0 });
    for problem in [a.clone(), a.transpose().to_owned()] {
        // The range of Aᴴ A is that of Aᴴ: x = Aᴴ A y is the solution of least norm of A x = b.
        let y = filled::<f64>(problem.ncols(), 2, 3);
        let adjoint = problem.transpose().to_owned();
        let expected =
            residual(&adjoint, &residual(&problem, &y, &Mat::zeros(problem.nrows(), 2)), &Mat::zeros(y.nrows(), 2));
        let b = residual(&problem, &expected, &Mat::zeros(problem.nrows(), 2));
        let b = Mat::from_fn(b.nrows(), 2, |i, j| -b[(i, j)]);
        for scale in [1.0, 1e-290, 1e290] {
            let scaled = Mat::from_fn(problem.nrows(), problem.ncols(), |i, j| problem[(i, j)] * scale);
            let solution = run(&scaled, &b).unwrap();
            assert_eq!(solution.deficient_rank, Some(2));
            assert_eq!(solution.condition, f64::INFINITY);
            // The other singular values are at most 1e3 apart.
            let unscaled = Mat::from_fn(expected.nrows(), 2, |i, j| solution.x[(i, j)] * scale - expected[(i, j)]);
            let bound = 1e3 * 30.0 * f64::EPSILON * one_norm(expected.as_ref());
            assert!(one_norm(unscaled.as_ref()) <= bound, "{scale}: {:e}", one_norm(unscaled.as_ref()));
        }
    }
    let solution = run(&Mat::<f64>::zeros(4, 2), &filled::<f64>(4, 1, 5)).unwrap();
    assert_eq!((solution.deficient_rank, one_norm(solution.x.as_ref())), (Some(0), 0.0));
}

#[test]
fn the_condition_of_a_diagonal_matrix_is_its_ratio() {
    let a = Mat::from_fn(4, 4, |i, j| if i == j { 10f64.powi(i as i32) } else { 0.0 });
    let b = Mat::from_fn(4, 1, |_, _| 1.0);
    let rounding = 16.0 * f64::EPSILON;
    for plan in [Method::Cholesky, Method::Lu, Method::LeastSquares] {
        let plan = SolvePlan { method: plan, fallback: None, reason: "each in turn" };
        let condition = solve(&plan, a.as_ref(), b.as_ref()).unwrap().condition;
        assert_close!(condition, 1e3, rounding * 1e3, "{plan:?}");
    }
}

#[test]
fn the_condition_of_the_hilbert_matrix_is_that_of_the_books() {
    // kappa_1 of order 6: Higham, Accuracy and Stability, table 28.1 has kappa_2; kappa_1 = 29 070 279 exactly.
    let hilbert = Mat::from_fn(6, 6, |i, j| 1.0 / (i + j + 1) as f64);
    let exact = 29_070_279.0;
    let solution = run(&hilbert, &Mat::from_fn(6, 1, |_, _| 1.0)).unwrap();
    assert_close!(solution.condition / exact, 1.0, exact * 6.0 * f64::EPSILON, "{}", solution.condition);
}

#[test]
fn empty_systems_have_empty_solutions() {
    for (m, n) in [(0, 0), (3, 0), (0, 3)] {
        let solution = run(&Mat::<f64>::zeros(m, n), &Mat::zeros(m, 1)).unwrap();
        assert_eq!(solution.x, Mat::<f64>::zeros(n, 1));
    }
}

#[test]
fn sizes_and_values_that_make_no_sense_are_refused() {
    assert!(matches!(run(&Mat::<f64>::zeros(2, 2), &Mat::zeros(3, 1)), Err(Error::ShapeMismatch(_))));
    let nan = faer::mat![[1.0, 0.0], [f64::NAN, 1.0]];
    assert!(matches!(run(&nan, &Mat::zeros(2, 1)), Err(Error::NotFinite { what: "A", row: 2, column: 1, .. })));
}

#[test]
fn matrices_at_the_ends_of_the_range_are_solved() {
    for scale in [1e-310, 1e-300, 1e300] {
        let a = Mat::from_fn(3, 3, |i, j| [[2.0, 1.0, 0.0], [-1.0, 3.0, 1.0], [0.0, 1.0, 4.0]][i][j] * scale);
        let b = Mat::from_fn(3, 1, |i, _| (0..3).map(|j| a[(i, j)]).sum::<f64>());
        let x = run(&a, &b).unwrap().x;
        // The elements themselves were rounded to multiples of the smallest subnormal number.
        let bound = 100.0 * (f64::EPSILON + f64::from_bits(1) / scale);
        (0..3).for_each(|i| assert_close!(x[(i, 0)], 1.0, bound, "{scale:e}: x[{i}]"));
    }
}
