//! Dense systems and least-squares problems on the host: the facts of a matrix, the choice of a method, the method.
//!
//! ```
//! use affinimath::host::solve::{MatrixProperties, SolvePlan, solve};
//!
//! let a = faer::mat![[4.0_f64, 1.0], [1.0, 3.0]];
//! let b = faer::mat![[1.0], [2.0]];
//! let plan = SolvePlan::choose(&MatrixProperties::of(a.as_ref()));
//! let solution = solve(&plan, a.as_ref(), b.as_ref())?;
//! // The relative error is of the order of the condition times the rounding error.
//! assert!((solution.x[(0, 0)] - 1.0 / 11.0).abs() <= solution.condition * f64::EPSILON);
//! # Ok::<(), affinimath::Error>(())
//! ```

pub mod plan;
pub mod properties;
pub mod sparse;

use affinimath_macros::instances;
use std::time::{Duration, Instant};

use faer::{Mat, MatRef};

use super::lapack::gelsy;
use super::norm::{max_norm, one_norm};
use affinimath_core::{Error, Result, Scalar};

pub use affinimath_decompositions::cholesky::Cholesky;
pub use affinimath_decompositions::condition::{inverse_one_norm, inverse_one_norm_and_vector};
pub use affinimath_decompositions::least_squares::LeastSquares;
pub use affinimath_decompositions::lu::Lu;
pub use plan::{Method, SolvePlan};
pub use properties::{MatrixProperties, check_finite};
pub use sparse::{SparseAnalysis, SparseFactors, SparseMethod, SparseSolution, check_sparse_finite, solve_sparse};

/// Result of [`solve`].
#[derive(Debug)]
pub struct Solution<T> {
    /// The solution, or the least-squares solution of least norm; a column for each of b's.
    pub x: Mat<T>,
    /// The method that gave it.
    pub method: Method,
    /// Why it was not the plan's first.
    pub fell_back: Option<Error>,
    /// A's rank, if it is not full: x is then the least-squares solution of least norm, by a complete orthogonal
    /// factorisation.
    pub deficient_rank: Option<usize>,
    /// Estimated condition in the 1-norm: of A, or of the triangular factor for least squares. Infinite if it
    /// overflows, or if A has not full rank.
    pub condition: f64,
    /// Factorisation time, failed attempts included.
    pub factor_time: Duration,
    /// Time of the triangular solves.
    pub solve_time: Duration,
    /// Time of the condition estimate.
    pub condition_time: Duration,
}

/// Solves `A X = B`, or minimises `||A x - b||` for each column, by the plan's method.
///
/// # Errors
/// [`Error::NotFinite`] if A or B has a NaN or an infinity; [`Error::ZeroPivot`] if A is square and singular;
/// [`Error::ShapeMismatch`] if A and B have different numbers of rows.
#[instances]
pub fn solve<T: Scalar>(plan: &SolvePlan, a: MatRef<'_, T>, b: MatRef<'_, T>) -> Result<Solution<T>> {
    if a.nrows() != b.nrows() {
        let sizes = (a.nrows(), a.ncols(), b.nrows());
        return Err(Error::ShapeMismatch(format!("A is {}x{} and B has {} rows", sizes.0, sizes.1, sizes.2)));
    }
    check_finite("A", a)?;
    check_finite("B", b)?;
    let scale = range_scale(max_norm(a));
    let scaled = |a: MatRef<'_, T>| Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * T::from_parts(scale, 0.0));

    let start = Instant::now();
    let (factors, method, fell_back) = match Factors::compute(plan.method, scaled(a)) {
        Ok(factors) => (factors, plan.method, None),
        Err(Error::RankDeficient { .. }) => return Ok(least_norm(scaled(a), b, scale, start)),
        Err(error) => {
            let method = plan.fallback.ok_or_else(|| error.clone())?;
            (Factors::compute(method, scaled(a))?, method, Some(error))
        }
    };
    let factor_time = start.elapsed();

    let start = Instant::now();
    let x = scaled(factors.solve(b.to_owned()).as_ref());
    check_finite("the solution", x.as_ref())?;
    let solve_time = start.elapsed();

    let start = Instant::now();
    let condition = factors.condition(one_norm(a) * scale);
    let condition_time = start.elapsed();
    Ok(Solution { x, method, fell_back, deficient_rank: None, condition, factor_time, solve_time, condition_time })
}

/// The least-squares solution of least norm of s A x = b, times s, for an A that has not full rank.
fn least_norm<T: Scalar>(mut a: Mat<T>, b: MatRef<'_, T>, scale: f64, start: Instant) -> Solution<T> {
    let (m, n) = (a.nrows(), a.ncols());
    let mut x = Mat::zeros(m.max(n), b.ncols());
    x.as_mut().subrows_mut(0, m).copy_from(b);
    let rank = gelsy(a.as_mut(), x.as_mut(), &mut vec![0; n], m.max(n) as f64 * T::EPSILON);
    let x = Mat::from_fn(n, b.ncols(), |i, j| x[(i, j)] * T::from_parts(scale, 0.0));
    Solution {
        x,
        method: Method::LeastSquares,
        fell_back: None,
        deficient_rank: (rank < m.min(n)).then_some(rank),
        condition: f64::INFINITY,
        factor_time: start.elapsed(),
        solve_time: Duration::ZERO,
        condition_time: Duration::ZERO,
    }
}

/// Power of two that moves a matrix away from overflow and underflow, where reciprocals of pivots overflow; 1 for
/// others. `(s A) y = b` gives `x = s y`.
fn range_scale(largest: f64) -> f64 {
    match largest {
        _ if largest > 2f64.powi(900) => 2f64.powi(-900),
        _ if largest > 0.0 && largest < 2f64.powi(-900) => 2f64.powi(900),
        _ => 1.0,
    }
}

/// The factors of any method.
enum Factors<T> {
    Cholesky(Cholesky<T>),
    Lu(Lu<T>),
    LeastSquares(LeastSquares<T>),
}

impl<T: Scalar> Factors<T> {
    fn compute(method: Method, a: Mat<T>) -> Result<Self> {
        Ok(match method {
            Method::Cholesky => Factors::Cholesky(Cholesky::factor(a)?),
            Method::Lu => Factors::Lu(Lu::factor(a)?),
            Method::LeastSquares => Factors::LeastSquares(LeastSquares::factor(a)?),
        })
    }

    fn solve(&self, mut b: Mat<T>) -> Mat<T> {
        match self {
            Factors::Cholesky(factors) => factors.solve_in_place(b.as_mut()),
            Factors::Lu(factors) => factors.solve_in_place(b.as_mut()),
            Factors::LeastSquares(factors) => return factors.solve(b),
        }
        b
    }

    fn condition(&self, norm: f64) -> f64 {
        match self {
            Factors::Cholesky(factors) => factors.condition(norm),
            Factors::Lu(factors) => factors.condition(norm),
            Factors::LeastSquares(factors) => factors.condition(),
        }
    }
}
