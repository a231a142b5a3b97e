//! Properties of a matrix's values.

use affinimath_macros::instances;
use faer::MatRef;

use crate::norm::{infinity_norm, one_norm};
use affinimath_core::{Error, Result, Scalar};

/// Properties that select a method, computed from the values: a header may be incomplete or wrong.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct MatrixProperties {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Elements that are not zero.
    pub nonzeros: usize,
    /// At least one element has an imaginary part.
    pub complex: bool,
    /// `A = Aᵀ`, exactly.
    pub symmetric: bool,
    /// `A = -Aᵀ`, exactly.
    pub skew_symmetric: bool,
    /// `A = Aᴴ`, exactly; symmetric for a real matrix.
    pub hermitian: bool,
    /// All diagonal elements are real and positive.
    pub positive_diagonal: bool,
    /// The 1-norm.
    pub one_norm: f64,
    /// The infinity norm.
    pub infinity_norm: f64,
}

impl MatrixProperties {
    /// The facts of a matrix.
    pub fn of<T: Scalar>(a: MatRef<'_, T>) -> Self {
        let elements = || a.col_iter().flat_map(|column| column.iter());
        let square = a.nrows() == a.ncols();
        let size = a.nrows().min(a.ncols());
        MatrixProperties {
            rows: a.nrows(),
            columns: a.ncols(),
            nonzeros: elements().filter(|element| **element != T::ZERO).count(),
            complex: elements().any(|element| element.im() != 0.0),
            symmetric: square && mirrors(a, |element| element),
            skew_symmetric: square && mirrors(a, |element| -element),
            hermitian: square && mirrors(a, |element| element.conjugate()),
            positive_diagonal: (0..size).all(|i| a[(i, i)].re() > 0.0 && a[(i, i)].im() == 0.0),
            one_norm: one_norm(a),
            infinity_norm: infinity_norm(a),
        }
    }

    /// The share of elements that are not zero; 0 for an empty matrix.
    pub fn density(&self) -> f64 {
        let elements = self.rows as f64 * self.columns as f64;
        if elements == 0.0 { 0.0 } else { self.nonzeros as f64 / elements }
    }
}

/// Sides of the blocks in which a matrix is compared with its transpose, so that both stay in the cache.
pub const BLOCK: usize = 32;

/// True if every `a(i, j)` is the image of `a(j, i)`; stops at the first difference.
fn mirrors<T: Scalar>(a: MatRef<'_, T>, image: impl Fn(T) -> T) -> bool {
    let n = a.nrows();
    for left in (0..n).step_by(BLOCK) {
        for top in (left..n).step_by(BLOCK) {
            for j in left..n.min(left + BLOCK) {
                for i in top.max(j)..n.min(top + BLOCK) {
                    if a[(i, j)] != image(a[(j, i)]) {
                        return false;
                    }
                }
            }
        }
    }
    true
}

/// # Errors
/// [`Error::NotFinite`] with the indices of the first NaN or infinity in column-major order.
#[instances]
pub fn check_finite<T: Scalar>(what: &'static str, a: MatRef<'_, T>) -> Result<()> {
    for (j, column) in a.col_iter().enumerate() {
        if let Some(i) = column.iter().position(|element| !element.finite()) {
            let element = a[(i, j)];
            let value = match T::KIND.is_complex() {
                true => format!("{} + {} i", element.re(), element.im()),
                false => element.re().to_string(),
            };
            return Err(Error::NotFinite { what, row: i + 1, column: j + 1, value });
        }
    }
    Ok(())
}
