//! Sparse systems by direct methods on the host: Cholesky, LDLᴴ, LU and QR with fill-reducing orderings.

mod scaling;

use affinimath_macros::instances;
use std::time::{Duration, Instant};

use faer::reborrow::ReborrowMut;
use faer::sparse::SparseColMatRef;
use faer::{Mat, MatMut, MatRef};

use crate::norm::infinity_norm;
use affinimath_core::{Error, Result, Scalar};
use affinimath_decompositions::condition::inverse_one_norm;
use affinimath_decompositions::sparse::{cholesky, ldl, lu, qr};
use scaling::Equilibrated;

/// A sparse factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SparseMethod {
    /// `A = L Lᴴ`, for Hermitian positive definite matrices.
    Cholesky,
    /// `A = L D Lᴴ` without pivoting, for Hermitian matrices; accepted only if the residual shows that it is stable.
    Ldl,
    /// `P A Q = L U` with partial pivoting, for square matrices.
    Lu,
    /// `A P = Q R` by Householder reflectors, for least squares with matrices of full column rank.
    Qr,
}

impl SparseMethod {
    /// Its name in a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            SparseMethod::Cholesky => "sparse Cholesky",
            SparseMethod::Ldl => "sparse LDL^H",
            SparseMethod::Lu => "sparse LU with partial pivoting",
            SparseMethod::Qr => "sparse QR",
        }
    }

    /// The fill-reducing ordering: approximate minimum degree (Amestoy, Davis and Duff 1996) or its column form (Davis,
    /// Gilbert, Larimore and Ng 2004).
    pub const fn ordering(self) -> &'static str {
        match self {
            SparseMethod::Cholesky | SparseMethod::Ldl => "AMD",
            SparseMethod::Lu | SparseMethod::Qr => "COLAMD",
        }
    }
}

/// The solution of a sparse system, and how it was found.
#[derive(Debug)]
pub struct SparseSolution<T> {
    /// A column for each of b's.
    pub x: Mat<T>,
    /// The factorisation.
    pub method: SparseMethod,
    /// The factorisations before it, and why they gave no solution.
    pub tried: Vec<(SparseMethod, Error)>,
    /// Stored entries of the factors. For LU an upper bound that is known before pivoting (George and Ng 1987).
    pub factor_nnz: usize,
    /// An estimate of A's condition in the 1-norm; for QR of R's, with A's columns scaled to like size.
    pub condition: f64,
    /// Orderings, symbolic and numeric factorisations, failed ones included.
    pub factor_time: Duration,
    /// Triangular solves and iterative refinement.
    pub solve_time: Duration,
    /// The condition estimate.
    pub condition_time: Duration,
}

impl<T: Scalar> SparseSolution<T> {
    /// Of no unknowns.
    fn empty(method: SparseMethod, columns: usize) -> Self {
        let none = Duration::ZERO;
        SparseSolution {
            x: Mat::zeros(0, columns),
            method,
            tried: Vec::new(),
            factor_nnz: 0,
            condition: 0.0,
            factor_time: none,
            solve_time: none,
            condition_time: none,
        }
    }
}

/// Solves `A X = B` by sparse factors, or minimises `||A x - b||` for each column if A has more rows than columns.
///
/// Rows and columns are first scaled by powers of two (only columns for least squares), and the solution is refined.
/// `memory` bounds the bytes of factors and workspace; nothing beyond it is allocated for factors.
///
/// ```
/// use affinimath::host::solve::{SparseMethod, solve_sparse};
/// use faer::sparse::{SparseColMat, Triplet};
///
/// let entries = [Triplet::new(0, 0, 4.0), Triplet::new(1, 0, 1.0), Triplet::new(0, 1, 1.0), Triplet::new(1, 1, 3.0)];
/// let a = SparseColMat::<usize, f64>::try_new_from_triplets(2, 2, &entries).unwrap();
/// let solution = solve_sparse(a.as_ref(), faer::mat![[1.0], [2.0]].as_ref(), None)?;
/// assert_eq!(solution.method, SparseMethod::Cholesky);
/// assert!((solution.x[(0, 0)] - 1.0 / 11.0).abs() <= solution.condition * f64::EPSILON);
/// # Ok::<(), affinimath::Error>(())
/// ```
///
/// # Errors
/// Those of the last factorisation tried: [`Error::ZeroPivot`] or [`Error::Singular`] for a singular matrix,
/// [`Error::RankDeficient`] for dependent columns, [`Error::OutOfHostMemory`] with the bytes. [`Error::ShapeMismatch`]
/// if A and B have different numbers of rows, or A has more columns than rows; [`Error::NotFinite`] for a NaN or an
/// infinity.
#[instances]
pub fn solve_sparse<T: Scalar>(
    a: SparseColMatRef<'_, usize, T>,
    b: MatRef<'_, T>,
    memory: Option<u64>,
) -> Result<SparseSolution<T>> {
    check(a, b)?;
    if a.ncols() == 0 {
        return Ok(SparseSolution::empty(methods(a)[0], b.ncols()));
    }
    let mut tried = Vec::new();
    let mut factor_time = Duration::ZERO;
    for method in methods(a) {
        let start = Instant::now();
        let factored = SparseFactors::factor(method, a, memory);
        factor_time += start.elapsed();
        let start = Instant::now();
        let error = match factored.and_then(|factors| Ok((factors.solve(b)?, factors))) {
            Ok((x, factors)) => {
                let solve_time = start.elapsed();
                let start = Instant::now();
                let condition = factors.condition()?;
                let (condition_time, factor_nnz) = (start.elapsed(), factors.nnz());
                return Ok(SparseSolution {
                    x,
                    method,
                    tried,
                    factor_nnz,
                    condition,
                    factor_time,
                    solve_time,
                    condition_time,
                });
            }
            Err(error) => error,
        };
        tried.push((method, error));
    }
    Err(tried.pop().map_or(Error::Singular, |(_, error)| error))
}

fn check<T: Scalar>(a: SparseColMatRef<'_, usize, T>, b: MatRef<'_, T>) -> Result<()> {
    if a.nrows() != b.nrows() || a.nrows() < a.ncols() {
        let sizes = (a.nrows(), a.ncols(), b.nrows());
        let what = format!("A is {}x{} and B has {} rows; sparse factors take no wide A", sizes.0, sizes.1, sizes.2);
        return Err(Error::ShapeMismatch(what));
    }
    super::check_finite("B", b)?;
    for column in 0..a.ncols() {
        for (row, value) in a.row_idx_of_col(column).zip(a.val_of_col(column)) {
            if !value.finite() {
                let value = format!("{value:?}");
                return Err(Error::NotFinite { what: "A", row: row + 1, column: column + 1, value });
            }
        }
    }
    Ok(())
}

/// The factorisations that suit a matrix, the cheapest first.
fn methods<T: Scalar>(a: SparseColMatRef<'_, usize, T>) -> Vec<SparseMethod> {
    if a.nrows() != a.ncols() {
        return vec![SparseMethod::Qr];
    }
    if !is_hermitian(a) {
        return vec![SparseMethod::Lu];
    }
    let diagonal = diagonal(a);
    if diagonal.iter().all(|value| *value > 0.0) {
        vec![SparseMethod::Cholesky, SparseMethod::Ldl, SparseMethod::Lu]
    } else if diagonal.iter().all(|value| *value != 0.0) {
        vec![SparseMethod::Ldl, SparseMethod::Lu]
    } else {
        vec![SparseMethod::Lu]
    }
}

fn diagonal<T: Scalar>(a: SparseColMatRef<'_, usize, T>) -> Vec<f64> {
    let on_diagonal = |j: usize| {
        let entries = a.row_idx_of_col(j).zip(a.val_of_col(j));
        entries.filter(|(i, _)| *i == j).map(|(_, value)| value.re()).sum()
    };
    (0..a.ncols()).map(on_diagonal).collect()
}

/// True if `A = Aᴴ`, exactly. Entries are traversed by columns; a cursor per row finds each entry's image.
fn is_hermitian<T: Scalar>(a: SparseColMatRef<'_, usize, T>) -> bool {
    let mut next: Vec<usize> = (0..a.ncols()).map(|j| a.col_range(j).start).collect();
    for j in 0..a.ncols() {
        for (i, value) in a.row_idx_of_col(j).zip(a.val_of_col(j)) {
            // Row i of A met in the order of columns is column i of its transpose in the order of rows.
            let entry = next[i];
            if entry == a.col_range(i).end || a.row_idx()[entry] != j || a.val()[entry] != value.conjugate() {
                return false;
            }
            next[i] += 1;
        }
    }
    true
}

enum Factors<T> {
    Cholesky(cholesky::Cholesky<T>),
    Ldl(ldl::Ldl<T>),
    Lu(lu::Lu<T>),
    Qr(qr::Qr<T>),
}

/// The sparse factors of a matrix.
pub struct SparseFactors<T: Scalar> {
    a: Equilibrated<T>,
    factors: Factors<T>,
    one_norm: f64,
}

/// Maximum steps of iterative refinement.
const REFINEMENTS: usize = 4;

impl<T: Scalar> SparseFactors<T> {
    /// Factorises a matrix with at least as many rows as columns and ascending row indices in each column.
    ///
    /// # Errors
    /// Those of [`solve_sparse`], and [`Error::NotPositiveDefinite`] for Cholesky.
    pub fn factor(method: SparseMethod, a: SparseColMatRef<'_, usize, T>, memory: Option<u64>) -> Result<Self> {
        let a = match method {
            SparseMethod::Cholesky | SparseMethod::Ldl => Equilibrated::hermitian(a),
            SparseMethod::Lu => Equilibrated::general(a),
            SparseMethod::Qr => Equilibrated::columns(a),
        };
        let factors = match method {
            SparseMethod::Cholesky => Factors::Cholesky(cholesky::Cholesky::factor(a.matrix(), memory)?),
            SparseMethod::Ldl => Factors::Ldl(ldl::Ldl::factor(a.matrix(), memory)?),
            SparseMethod::Lu => Factors::Lu(lu::Lu::factor(a.matrix(), memory)?),
            SparseMethod::Qr => Factors::Qr(qr::Qr::factor(a.matrix(), memory)?),
        };
        let one_norm = a.original_one_norm();
        Ok(SparseFactors { a, factors, one_norm })
    }

    /// Stored entries of the factors; of LU an upper bound.
    pub fn nnz(&self) -> usize {
        match &self.factors {
            Factors::Cholesky(factors) => factors.nnz(),
            Factors::Ldl(factors) => factors.nnz(),
            Factors::Lu(factors) => factors.nnz(),
            Factors::Qr(factors) => factors.nnz(),
        }
    }

    /// Solution for each column of B, refined.
    ///
    /// # Errors
    /// [`Error::Singular`] if it is not finite, or if factors without pivoting are unstable.
    pub fn solve(&self, b: MatRef<'_, T>) -> Result<Mat<T>> {
        let (scaled, exponents) = self.a.scale_right_sides(b);
        let mut y = self.apply(&scaled);
        let mut error = self.backward_error(&scaled, &y)?;
        let stable = !matches!(self.factors, Factors::Ldl(_)) || error <= T::EPSILON.sqrt();
        for _ in 0..REFINEMENTS {
            if error <= T::EPSILON {
                break;
            }
            let correction = self.apply(&self.a.residual(&scaled, &y));
            let refined = Mat::from_fn(y.nrows(), y.ncols(), |i, j| y[(i, j)] + correction[(i, j)]);
            let found = self.backward_error(&scaled, &refined)?;
            if found >= error {
                break;
            }
            (y, error) = (refined, found);
        }
        if !stable || matches!(self.factors, Factors::Ldl(_)) && error > 16.0 * T::EPSILON {
            return Err(Error::Singular);
        }
        let x = self.a.unscale_solution(&y, &exponents);
        if x.col_iter().flat_map(|column| column.iter()).all(|value| value.finite()) {
            Ok(x)
        } else {
            Err(Error::Singular)
        }
    }

    /// `||r|| / (||A|| ||y|| + ||b||)` of the scaled system, the columns' largest; of least squares that of `Aᴴ r`.
    fn backward_error(&self, b: &Mat<T>, y: &Mat<T>) -> Result<f64> {
        let r = self.a.residual(b, y);
        let (size, adjoint_size) = (self.a.infinity_norm(), self.a.one_norm());
        let least_squares = matches!(self.factors, Factors::Qr(_));
        let part = if least_squares { self.a.adjoint_product(&r) } else { r };
        let mut worst = 0.0f64;
        for j in 0..b.ncols() {
            let of = |m: &Mat<T>| infinity_norm(m.as_ref().subcols(j, 1));
            let whole = (size * of(y) + of(b)) * if least_squares { adjoint_size } else { 1.0 };
            let found = if of(&part) == 0.0 { 0.0 } else { of(&part) / whole };
            if !found.is_finite() || !of(y).is_finite() {
                return Err(Error::Singular);
            }
            worst = worst.max(found);
        }
        Ok(worst)
    }

    fn apply(&self, b: &Mat<T>) -> Mat<T> {
        let mut x = b.clone();
        match &self.factors {
            Factors::Cholesky(factors) => factors.solve_in_place(x.as_mut()),
            Factors::Ldl(factors) => factors.solve_in_place(x.as_mut()),
            Factors::Lu(factors) => factors.solve_in_place(x.as_mut()),
            Factors::Qr(factors) => return factors.solve(x),
        }
        x
    }

    /// Estimated condition in the 1-norm, by solves with A and Aᴴ (Higham 1988).
    ///
    /// # Errors
    /// [`Error::RankDeficient`] if the condition of QR's triangular factor exceeds the precision.
    pub fn condition(&self) -> Result<f64> {
        let inverse = match &self.factors {
            Factors::Qr(factors) => return factors.condition(),
            Factors::Cholesky(factors) => {
                self.inverse_norm(|x| factors.solve_in_place(x), |x| factors.solve_in_place(x))
            }
            Factors::Ldl(factors) => self.inverse_norm(|x| factors.solve_in_place(x), |x| factors.solve_in_place(x)),
            Factors::Lu(factors) => {
                self.inverse_norm(|x| factors.solve_in_place(x), |x| factors.solve_adjoint_in_place(x))
            }
        };
        Ok(self.one_norm * inverse)
    }

    fn inverse_norm(&self, solve: impl Fn(MatMut<'_, T>), solve_adjoint: impl Fn(MatMut<'_, T>)) -> f64 {
        inverse_one_norm::<T>(
            self.a.matrix().ncols(),
            |mut x| {
                self.a.scale_rows(x.rb_mut());
                solve(x.rb_mut());
                self.a.scale_columns(x);
            },
            |mut x| {
                self.a.scale_columns(x.rb_mut());
                solve_adjoint(x.rb_mut());
                self.a.scale_rows(x);
            },
        )
    }
}
