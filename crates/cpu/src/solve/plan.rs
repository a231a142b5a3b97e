//! The choice of a method, as plain data.

use super::MatrixProperties;

/// A way to solve a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// `A = L Lᴴ`: half the work of LU, for a Hermitian positive definite matrix.
    Cholesky,
    /// `P A = L U` with partial pivoting, for any square matrix.
    Lu,
    /// `A P = Q R` with column pivoting, for a rectangular matrix.
    LeastSquares,
}

impl Method {
    /// Its name in a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Cholesky => "Cholesky",
            Method::Lu => "LU with partial pivoting",
            Method::LeastSquares => "least squares by QR with column pivoting",
        }
    }
}

/// How a system is to be solved, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolvePlan {
    /// The method.
    pub method: Method,
    /// What to do where it fails.
    pub fallback: Option<Method>,
    /// Why this method, for a reader.
    pub reason: &'static str,
}

impl SolvePlan {
    /// Chooses by the facts alone: Cholesky for a Hermitian matrix whose diagonal is positive, and LU after it where a
    /// minor turns out not to be positive; LU for other square matrices; least squares for rectangular ones.
    pub fn choose(properties: &MatrixProperties) -> Self {
        let plan = |method, fallback, reason| SolvePlan { method, fallback, reason };
        if properties.rows > properties.columns {
            plan(Method::LeastSquares, None, "more equations than unknowns")
        } else if properties.rows < properties.columns {
            plan(Method::LeastSquares, None, "fewer equations than unknowns: of all solutions the one of least norm")
        } else if properties.hermitian && properties.positive_diagonal {
            let reason = match properties.complex {
                true => "Hermitian with a positive diagonal",
                false => "symmetric with a positive diagonal",
            };
            plan(Method::Cholesky, Some(Method::Lu), reason)
        } else if properties.hermitian {
            plan(Method::Lu, None, "symmetric or Hermitian, but its diagonal is not positive")
        } else {
            plan(Method::Lu, None, "square, without a symmetry to use")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(a: faer::Mat<f64>) -> (Method, Option<Method>) {
        let plan = SolvePlan::choose(&MatrixProperties::of(a.as_ref()));
        (plan.method, plan.fallback)
    }

    #[test]
    fn the_matrix_decides() {
        assert_eq!(method(faer::mat![[2.0, -1.0], [-1.0, 2.0]]), (Method::Cholesky, Some(Method::Lu)));
        // Not positive definite, which only the factorisation can tell.
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
        let plan = |a: faer::Mat<affinimath_core::scalar::Complex64>| {
            SolvePlan::choose(&MatrixProperties::of(a.as_ref())).method
        };
        assert_eq!(plan(faer::mat![[one, i], [i, one]]), Method::Lu);
        assert_eq!(plan(faer::mat![[one, i], [-i, one]]), Method::Cholesky);
    }
}
