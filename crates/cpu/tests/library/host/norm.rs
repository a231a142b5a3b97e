use affinimath_core::scalar::Complex64;
use affinimath_cpu::norm::{frobenius_norm, infinity_norm, max_norm, one_norm};
use affinimath_testing::assert_close;

#[test]
fn norms_of_a_matrix() {
    let a = faer::mat![[3.0, -4.0], [0.0, 12.0]];
    assert_eq!(one_norm(a.as_ref()), 16.0);
    assert_eq!(infinity_norm(a.as_ref()), 12.0);
    assert_eq!(max_norm(a.as_ref()), 12.0);
    assert_eq!(frobenius_norm(a.as_ref()), 13.0);
    let z = faer::mat![[Complex64::new(3.0, 4.0)]];
    assert_eq!(one_norm(z.as_ref()), 5.0);
}

#[test]
fn norms_neither_overflow_nor_hide_nan() {
    let large = faer::mat![[3e300, 4e300]];
    assert_close!(frobenius_norm(large.as_ref()), 5e300, 4.0 * f64::EPSILON * 5e300);
    let small = faer::mat![[3e-320], [4e-320]];
    assert!(frobenius_norm(small.as_ref()) > 4e-320);
    let nan = faer::mat![[1.0, f64::NAN], [2.0, 0.0]];
    for norm in [one_norm(nan.as_ref()), infinity_norm(nan.as_ref()), max_norm(nan.as_ref())] {
        assert!(norm.is_nan());
    }
    assert_eq!(one_norm(faer::Mat::<f64>::zeros(0, 0).as_ref()), 0.0);
}
