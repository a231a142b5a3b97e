use affinimath_core::scalar::Complex64;
use affinimath_cpu::solve::properties::{BLOCK, MatrixProperties, check_finite};

#[test]
fn facts_of_values() {
    let skew = MatrixProperties::of(faer::mat![[0.0, 2.0], [-2.0, 0.0]].as_ref());
    assert!(skew.skew_symmetric && !skew.symmetric && !skew.positive_diagonal);
    assert_eq!((skew.nonzeros, skew.density()), (2, 0.5));
    let n = 2 * BLOCK + 3;
    let mut large = faer::Mat::<f64>::from_fn(n, n, |i, j| (i * j) as f64);
    assert!(MatrixProperties::of(large.as_ref()).symmetric);
    large[(n - 1, 1)] += 1.0;
    assert!(!MatrixProperties::of(large.as_ref()).symmetric);
    assert!(!MatrixProperties::of(faer::Mat::<f64>::zeros(2, 3).as_ref()).symmetric);
    let hermitian = faer::mat![[Complex64::ONE, Complex64::I], [-Complex64::I, Complex64::ONE]];
    let properties = MatrixProperties::of(hermitian.as_ref());
    assert!(properties.hermitian && properties.complex && !properties.symmetric);
}

#[test]
fn an_element_that_is_not_finite_is_found() {
    let a = faer::mat![[1.0, 2.0], [3.0, f64::NEG_INFINITY]];
    let error = check_finite("A", a.as_ref()).unwrap_err();
    assert_eq!(error.to_string(), "A has the value -inf in row 2, column 2");
}
