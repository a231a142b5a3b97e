//! The factors of a sparse matrix, and solves with iterative refinement.

use affinimath_macros::instances;
use faer::reborrow::ReborrowMut;
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Mat, MatMut, MatRef};

use super::SparseMethod;
use super::scaling::Equilibrated;
use crate::norm::infinity_norm;
use affinimath_core::options::Op;
use affinimath_core::{Error, Result, Scalar};
use affinimath_decompositions::condition::inverse_one_norm;
use affinimath_decompositions::sparse::{HermitianPattern, LuPattern, QrPattern, cholesky, ldl, lu, qr};

/// Ordering and pattern of factors, which serve all matrices of one pattern (the symbolic factorisation).
#[derive(Clone)]
pub struct SparseAnalysis {
    pattern: Pattern,
    columns: usize,
}

#[derive(Clone)]
enum Pattern {
    Hermitian(HermitianPattern),
    Lu(LuPattern),
    Qr(QrPattern),
}

impl SparseAnalysis {
    /// Orders a matrix with ascending row indices in each column.
    ///
    /// # Errors
    /// [`Error::OutOfHostMemory`].
    pub fn of(method: SparseMethod, a: SymbolicSparseColMatRef<'_, usize>) -> Result<Self> {
        let pattern = match method {
            SparseMethod::Cholesky | SparseMethod::Ldl => Pattern::Hermitian(HermitianPattern::of(a)?),
            SparseMethod::Lu => Pattern::Lu(LuPattern::of(a)?),
            SparseMethod::Qr => Pattern::Qr(QrPattern::of(a)?),
        };
        Ok(SparseAnalysis { pattern, columns: a.ncols() })
    }

    /// True if a factorisation by this method has this analysis.
    pub fn serves(&self, method: SparseMethod) -> bool {
        match self.pattern {
            Pattern::Hermitian(_) => matches!(method, SparseMethod::Cholesky | SparseMethod::Ldl),
            Pattern::Lu(_) => method == SparseMethod::Lu,
            Pattern::Qr(_) => method == SparseMethod::Qr,
        }
    }

    /// Stored entries of the factors; of LU an upper bound.
    pub fn nnz(&self) -> usize {
        match &self.pattern {
            Pattern::Hermitian(pattern) => pattern.nnz(),
            Pattern::Lu(pattern) => pattern.nnz(),
            Pattern::Qr(pattern) => pattern.nnz(),
        }
    }

    /// Multiplications of the factorisation if all columns were alike: nnz²/n. Uneven columns need several times as
    /// many.
    pub fn work(&self) -> f64 {
        let nnz = self.nnz() as f64;
        if self.columns == 0 { 0.0 } else { nnz * nnz / self.columns as f64 }
    }
}

enum Factors<T> {
    Cholesky(cholesky::Cholesky<T>),
    Ldl(ldl::Ldl<T>),
    Lu(Box<lu::Lu<T>>),
    Qr(qr::Qr<T>),
}

/// The sparse factors of a matrix.
pub struct SparseFactors<T: Scalar> {
    a: Equilibrated<T>,
    factors: Factors<T>,
}

/// Maximum steps of iterative refinement.
const REFINEMENTS: usize = 4;

impl<T: Scalar> SparseFactors<T> {
    /// Factorises a matrix with at least as many rows as columns and ascending row indices in each column.
    ///
    /// # Errors
    /// Those of [`super::solve_sparse`], and for Cholesky [`Error::NotPositiveDefinite`]; [`Error::InvalidArgument`]
    /// for Cholesky and LDLᴴ of a matrix that is not Hermitian.
    pub fn factor(method: SparseMethod, a: SparseColMatRef<'_, usize, T>, memory: Option<u64>) -> Result<Self> {
        Self::new(method, &SparseAnalysis::of(method, a.symbolic())?, a, memory)
    }

    /// Factorises a matrix of the pattern that was analysed for this method.
    ///
    /// # Errors
    /// Those of [`Self::factor`].
    ///
    /// # Panics
    /// If the analysis is that of another method.
    pub fn new(
        method: SparseMethod,
        analysis: &SparseAnalysis,
        a: SparseColMatRef<'_, usize, T>,
        memory: Option<u64>,
    ) -> Result<Self> {
        factor(method, analysis, a, memory)
    }

    /// Factorises a matrix by the first of [`SparseMethod::candidates`] that succeeds. LDLᴴ succeeds if it solves a
    /// system with a known solution.
    ///
    /// # Errors
    /// Those of the last factorisation tried.
    pub fn choose(a: SparseColMatRef<'_, usize, T>, memory: Option<u64>) -> Result<(Self, SparseAnalysis)> {
        choose(a, memory)
    }

    /// The pattern of the factorised matrix.
    pub fn pattern(&self) -> SymbolicSparseColMatRef<'_, usize> {
        self.a.matrix().symbolic()
    }

    /// The factorisation.
    pub fn method(&self) -> SparseMethod {
        match &self.factors {
            Factors::Cholesky(_) => SparseMethod::Cholesky,
            Factors::Ldl(_) => SparseMethod::Ldl,
            Factors::Lu(_) => SparseMethod::Lu,
            Factors::Qr(_) => SparseMethod::Qr,
        }
    }

    /// Rows and columns of the matrix.
    pub fn shape(&self) -> (usize, usize) {
        (self.a.matrix().nrows(), self.a.matrix().ncols())
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

    /// Solution of `A X = B`, refined; by QR the X that minimises `||A x - b||` for each column.
    ///
    /// # Errors
    /// [`Error::Singular`] if it is not finite, or if factors without pivoting are unstable.
    pub fn solve(&self, b: MatRef<'_, T>) -> Result<Mat<T>> {
        solve_by(self, false, b)
    }

    /// Solution of `op(A) X = B`, refined. QR has no solutions for a transposed A.
    ///
    /// # Errors
    /// Those of [`Self::solve`]; [`Error::InvalidArgument`] for QR of a transposed A.
    pub fn solve_op(&self, op: Op, b: MatRef<'_, T>) -> Result<Mat<T>> {
        let is_real = !T::KIND.is_complex();
        let (transposed, conjugated) = match op {
            Op::NoTrans => (false, false),
            Op::ConjNoTrans => (false, !is_real),
            Op::Trans => (true, !is_real),
            Op::ConjTrans => (true, false),
        };
        if transposed && matches!(self.factors, Factors::Qr(_)) {
            return Err(Error::argument(
                "op",
                "QR factors solve least-squares problems of A alone, not of its transpose",
            ));
        }
        // conj(A) x = b is A conj(x) = conj(b).
        let conjugate = |m: MatRef<'_, T>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].conjugate());
        match conjugated {
            false => solve_by(self, transposed, b),
            true => Ok(conjugate(solve_by(self, transposed, conjugate(b).as_ref())?.as_ref())),
        }
    }

    /// The factors, if they have solved a system whose solution is ones; only LDLᴴ has to.
    fn stable(self, a: SparseColMatRef<'_, usize, T>) -> Result<Self> {
        if matches!(self.factors, Factors::Ldl(_)) {
            let mut b = Mat::zeros(a.nrows(), 1);
            for j in 0..a.ncols() {
                a.row_idx_of_col(j).zip(a.val_of_col(j)).for_each(|(i, value)| b[(i, 0)] += *value);
            }
            self.solve(b.as_ref())?;
        }
        Ok(self)
    }

    /// `||r|| / (||A|| ||y|| + ||b||)` of the scaled system, the columns' largest; of least squares that of `Aᴴ r`.
    fn backward_error(&self, adjoint: bool, b: &Mat<T>, y: &Mat<T>) -> Result<f64> {
        let r = self.a.residual(adjoint, b, y);
        let (mut size, mut adjoint_size) = (self.a.infinity_norm(), self.a.one_norm());
        if adjoint {
            std::mem::swap(&mut size, &mut adjoint_size);
        }
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

    fn apply(&self, adjoint: bool, b: &Mat<T>) -> Mat<T> {
        let mut x = b.clone();
        match &self.factors {
            Factors::Cholesky(factors) => factors.solve_in_place(x.as_mut()),
            Factors::Ldl(factors) => factors.solve_in_place(x.as_mut()),
            Factors::Lu(factors) if adjoint => factors.solve_adjoint_in_place(x.as_mut()),
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
        Ok(self.a.original_one_norm() * inverse)
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

#[instances]
fn factor<T: Scalar>(
    method: SparseMethod,
    analysis: &SparseAnalysis,
    a: SparseColMatRef<'_, usize, T>,
    memory: Option<u64>,
) -> Result<SparseFactors<T>> {
    let a = match method {
        // Factors come from one triangle, residuals from both.
        SparseMethod::Cholesky | SparseMethod::Ldl if !super::is_hermitian(a) => {
            return Err(Error::argument("a", format!("{} is of Hermitian matrices, and it is not one", method.name())));
        }
        SparseMethod::Cholesky | SparseMethod::Ldl => Equilibrated::hermitian(a),
        SparseMethod::Lu => Equilibrated::general(a),
        SparseMethod::Qr => Equilibrated::columns(a),
    };
    let matrix = a.matrix();
    let factors = match (method, &analysis.pattern) {
        (SparseMethod::Cholesky, Pattern::Hermitian(pattern)) => {
            Factors::Cholesky(cholesky::Cholesky::factor(pattern, matrix, memory)?)
        }
        (SparseMethod::Ldl, Pattern::Hermitian(pattern)) => Factors::Ldl(ldl::Ldl::factor(pattern, matrix, memory)?),
        (SparseMethod::Lu, Pattern::Lu(pattern)) => Factors::Lu(Box::new(lu::Lu::factor(pattern, matrix, memory)?)),
        (SparseMethod::Qr, Pattern::Qr(pattern)) => Factors::Qr(qr::Qr::factor(pattern, matrix, memory)?),
        _ => panic!("the analysis of another method"),
    };
    Ok(SparseFactors { a, factors })
}

#[instances]
fn choose<T: Scalar>(
    a: SparseColMatRef<'_, usize, T>,
    memory: Option<u64>,
) -> Result<(SparseFactors<T>, SparseAnalysis)> {
    super::check_sparse_finite(a)?;
    let (mut cached, mut last) = (None, Error::Singular);
    for method in SparseMethod::candidates(a) {
        let analysis = super::analysis_of(method, a, &mut cached)?;
        match SparseFactors::new(method, &analysis, a, memory).and_then(|factors| factors.stable(a)) {
            Ok(factors) => return Ok((factors, analysis)),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Solves with A, or with Aᴴ.
#[instances]
fn solve_by<T: Scalar>(of: &SparseFactors<T>, adjoint: bool, b: MatRef<'_, T>) -> Result<Mat<T>> {
    let (scaled, exponents) = of.a.scale_right_sides(adjoint, b);
    let mut y = of.apply(adjoint, &scaled);
    let mut error = of.backward_error(adjoint, &scaled, &y)?;
    let stable = !matches!(of.factors, Factors::Ldl(_)) || error <= T::EPSILON.sqrt();
    for _ in 0..REFINEMENTS {
        if error <= T::EPSILON {
            break;
        }
        let correction = of.apply(adjoint, &of.a.residual(adjoint, &scaled, &y));
        let refined = Mat::from_fn(y.nrows(), y.ncols(), |i, j| y[(i, j)] + correction[(i, j)]);
        let found = of.backward_error(adjoint, &scaled, &refined)?;
        if found >= error {
            break;
        }
        (y, error) = (refined, found);
    }
    if !stable || matches!(of.factors, Factors::Ldl(_)) && error > 16.0 * T::EPSILON {
        return Err(Error::Singular);
    }
    let x = of.a.unscale_solution(adjoint, &y, &exponents);
    if x.col_iter().flat_map(|column| column.iter()).all(|value| value.finite()) { Ok(x) } else { Err(Error::Singular) }
}
