//! Choice of a method, as plain data.

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

/// Method for a system, and the reason for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolvePlan {
    /// The method.
    pub method: Method,
    /// Second method, if the first one fails.
    pub fallback: Option<Method>,
    /// Why this method, for a reader.
    pub reason: &'static str,
}

impl SolvePlan {
    /// Chooses by the matrix's properties alone. A Hermitian matrix with a positive diagonal: Cholesky, then LU if a
    /// minor is not positive. Other square matrices: LU. Rectangular matrices: least squares.
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
