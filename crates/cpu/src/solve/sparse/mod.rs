//! Sparse systems by direct methods on the host: Cholesky, LDLᴴ, LU and QR with fill-reducing orderings.

mod factors;
mod scaling;

use affinimath_macros::instances;
use std::time::{Duration, Instant};

use faer::sparse::SparseColMatRef;
use faer::{Mat, MatRef};

use affinimath_core::{Error, Result, Scalar};

pub use factors::{SparseAnalysis, SparseFactors};

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
    /// The factorisations that suit a matrix, the cheapest first: of a square one, LU is the last.
    pub fn candidates<T: Scalar>(a: SparseColMatRef<'_, usize, T>) -> Vec<SparseMethod> {
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
        return Ok(SparseSolution::empty(SparseMethod::candidates(a)[0], b.ncols()));
    }
    let mut tried = Vec::new();
    let mut factor_time = Duration::ZERO;
    let mut analysis = None;
    for method in SparseMethod::candidates(a) {
        let start = Instant::now();
        let factored =
            analysis_of(method, a, &mut analysis).and_then(|own| SparseFactors::new(method, &own, a, memory));
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
    check_sparse_finite(a)
}

/// Refuses a NaN or an infinity.
///
/// # Errors
/// [`Error::NotFinite`] with the first one.
pub fn check_sparse_finite<T: Scalar>(a: SparseColMatRef<'_, usize, T>) -> Result<()> {
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

/// The analysis for a method: Cholesky's serves LDLᴴ too.
fn analysis_of<T: Scalar>(
    method: SparseMethod,
    a: SparseColMatRef<'_, usize, T>,
    cached: &mut Option<SparseAnalysis>,
) -> Result<SparseAnalysis> {
    match cached {
        Some(analysis) if analysis.serves(method) => Ok(analysis.clone()),
        _ => Ok(cached.insert(SparseAnalysis::of(method, a.symbolic())?).clone()),
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
