//! Norms of dense matrices, in `f64` for every element type. LAPACK's xLANGE.

use affinimath_macros::instances;
use faer::MatRef;

use super::lapack::norm;
use affinimath_core::pattern::Pattern;
use affinimath_core::{Norm, Scalar};

/// 1-norm: the largest column sum of moduli.
#[instances]
pub fn one_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::One, Pattern::General, a)
}

/// Infinity norm: the largest row sum of moduli.
#[instances]
pub fn infinity_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::Infinity, Pattern::General, a)
}

/// The largest modulus of an element.
#[instances]
pub fn max_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::Max, Pattern::General, a)
}

/// Frobenius norm; intermediate sums overflow only if the norm itself does.
#[instances]
pub fn frobenius_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    norm(Norm::Frobenius, Pattern::General, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinimath_core::scalar::Complex64;

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
        assert!((frobenius_norm(large.as_ref()) - 5e300).abs() <= 4.0 * f64::EPSILON * 5e300);
        let small = faer::mat![[3e-320], [4e-320]];
        assert!(frobenius_norm(small.as_ref()) > 4e-320);
        let nan = faer::mat![[1.0, f64::NAN], [2.0, 0.0]];
        for norm in [one_norm(nan.as_ref()), infinity_norm(nan.as_ref()), max_norm(nan.as_ref())] {
            assert!(norm.is_nan());
        }
        assert_eq!(one_norm(faer::Mat::<f64>::zeros(0, 0).as_ref()), 0.0);
    }
}
