//! Norms of dense matrices, in `f64` for every element type. LAPACK's xLANGE.

use faer::MatRef;

use crate::Scalar;

/// The 1-norm: the largest sum of moduli of a column.
pub fn one_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    a.col_iter().map(|column| column.iter().map(modulus).sum()).fold(0.0, largest)
}

/// The infinity norm: the largest sum of moduli of a row.
pub fn infinity_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    let mut sums = vec![0.0; a.nrows()];
    for column in a.col_iter() {
        for (sum, element) in sums.iter_mut().zip(column.iter()) {
            *sum += modulus(element);
        }
    }
    sums.into_iter().fold(0.0, largest)
}

/// The largest modulus of an element.
pub fn max_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    a.col_iter().flat_map(|column| column.iter()).map(modulus).fold(0.0, largest)
}

/// The Frobenius norm: the root of the sum of squared moduli, which overflows only where the norm itself does.
pub fn frobenius_norm<T: Scalar>(a: MatRef<'_, T>) -> f64 {
    let scale = max_norm(a);
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    let squares = |element: &T| (modulus(element) / scale).powi(2);
    scale * a.col_iter().flat_map(|column| column.iter()).map(squares).sum::<f64>().sqrt()
}

/// The modulus, without the square root that a real number does not need.
fn modulus<T: Scalar>(element: &T) -> f64 {
    if T::KIND.is_complex() { element.modulus() } else { element.re().abs() }
}

/// The larger of two; NaN where one is, which `f64::max` would hide.
fn largest(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Complex64;

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
