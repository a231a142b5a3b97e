use affinimath_cpu::solve::MatrixProperties;
use affinimath_cpu::solve::plan::{Method, SolvePlan};

fn method(a: faer::Mat<f64>) -> (Method, Option<Method>) {
    let plan = SolvePlan::choose(&MatrixProperties::of(a.as_ref()));
    (plan.method, plan.fallback)
}

#[test]
fn the_matrix_decides() {
    assert_eq!(method(faer::mat![[2.0, -1.0], [-1.0, 2.0]]), (Method::Cholesky, Some(Method::Lu)));
    // Not positive definite, which only the factorisation detects.
    assert_eq!(method(faer::mat![[1.0, 2.0], [2.0, 1.0]]), (Method::Cholesky, Some(Method::Lu)));
    assert_eq!(method(faer::mat![[0.0, 1.0], [1.0, 2.0]]), (Method::Lu, None));
    assert_eq!(method(faer::mat![[2.0, 1.0], [0.0, 2.0]]), (Method::Lu, None));
    assert_eq!(method(faer::mat![[1.0], [2.0]]), (Method::LeastSquares, None));
    assert_eq!(method(faer::mat![[1.0, 2.0]]), (Method::LeastSquares, None));
}

#[test]
fn a_complex_symmetric_matrix_is_not_hermitian() {
    let i = affinimath_core::scalar::Complex64::I;
    let one = affinimath_core::scalar::Complex64::ONE;
    let plan =
        |a: faer::Mat<affinimath_core::scalar::Complex64>| SolvePlan::choose(&MatrixProperties::of(a.as_ref())).method;
    assert_eq!(plan(faer::mat![[one, i], [i, one]]), Method::Lu);
    assert_eq!(plan(faer::mat![[one, i], [-i, one]]), Method::Cholesky);
}
