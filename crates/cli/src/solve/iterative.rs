//! Systems with large sparse matrices, by iterative methods.

use std::cell::RefCell;
use std::path::PathBuf;

use affinimath::sparse::matrix_market::{Coordinates, Format, Header, Symmetry};
use affinimath::sparse::{CsrMatrix, Jacobi, LinearOperator, Outcome, SolveOptions};
use affinimath::{BlockJacobi, Chebyshev, Context, Error, Ic0, Ilu0, Op, Result, Scalar, Ssor};
use affinimath::{bicgstab, cg, gmres, lsmr, lsqr, minres};
use affinimath_bench::Failure;
use serde_json::json;

use super::Steps;
use super::input::Input;
use super::plot::Curve;

/// Up to this order a dense factorisation takes a second, and always gives an answer; so does a rectangular one of as
/// much work.
const MAX_DENSE: usize = 2000;

/// Up to this order dense factors take less than a millisecond.
const MIN_SPARSE: usize = 100;

/// A matrix is sparse if less than one in this many elements is stored.
const SPARSE: usize = 20;

/// The degree of Chebyshev's polynomial.
const DEGREE: usize = 4;

/// The relaxation of SSOR: the symmetric Gauss-Seidel method, which needs no knowledge of the spectrum.
const OMEGA: f64 = 1.0;

/// The value of `--method`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// By the matrix: by factors, or by iterations where the factors of a sparse matrix are large
    Auto,
    /// By the factors of a sparse matrix: Cholesky, LDL^H, LU; QR for least squares
    Direct,
    /// By the factors of a dense matrix
    Dense,
    /// Conjugate gradients: for Hermitian positive definite matrices
    Cg,
    /// Minimal residuals: for Hermitian matrices
    Minres,
    /// Stabilised biconjugate gradients
    Bicgstab,
    /// Generalised minimal residuals
    Gmres,
    /// Least squares by bidiagonalisation: for matrices of any shape
    Lsqr,
    /// The same, with an optimality that decreases in each iteration
    Lsmr,
}

/// The value of `--precond`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreconditionerKind {
    /// Jacobi's where the diagonal allows it
    Auto,
    /// Nothing
    None,
    /// The inverse of the diagonal
    Jacobi,
    /// The inverses of blocks of 16 rows on the diagonal
    BlockJacobi,
    /// Symmetric over-relaxation
    Ssor,
    /// Incomplete Cholesky factors: for positive definite matrices
    Ic0,
    /// Incomplete LU factors
    Ilu0,
    /// A polynomial of the matrix: for positive definite ones
    Chebyshev,
}

/// The arguments that are about iterations.
#[derive(clap::Args)]
pub struct Options {
    /// Method of solution
    #[arg(long, value_enum, default_value = "auto")]
    pub method: Choice,
    /// Preconditioner of the iterations
    #[arg(long, value_enum, default_value = "auto")]
    precond: PreconditionerKind,
    /// Iterate until ||b - A x|| is this part of ||b|| (least squares: or ||A^H (b - A x)|| of ||A|| ||b - A x||)
    #[arg(long, value_name = "TOLERANCE", default_value = "1e-10")]
    #[arg(value_parser = tolerance, allow_negative_numbers = true)]
    pub tol: f64,
    /// The most iterations [default: ten times the order]
    #[arg(long, value_name = "COUNT")]
    max_iter: Option<usize>,
    /// Draw the residuals of iterations into this file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

impl Options {
    /// The message about an option that only iterations support, if one is given.
    pub fn about_iterations(&self) -> Option<&'static str> {
        match (&self.plot, self.precond) {
            (Some(_), _) => Some("--plot draws iterations"),
            (None, PreconditionerKind::Auto | PreconditionerKind::None) => None,
            (None, _) => Some("--precond helps iterations"),
        }
    }

    /// True if a matrix with this header is first solved by iterations.
    pub fn iterate(&self, header: &Header) -> bool {
        match self.method {
            Choice::Dense | Choice::Direct => false,
            Choice::Auto => is_sparse(header, MAX_DENSE),
            _ => true,
        }
    }

    /// True if a matrix with this header is first solved by sparse factors, if these are small.
    pub fn try_sparse_factors(&self, header: &Header) -> bool {
        let tall = header.rows >= header.columns;
        let iterations = self.about_iterations().is_some() || self.max_iter.is_some();
        self.method == Choice::Auto && !iterations && tall && is_sparse(header, MIN_SPARSE)
    }
}

/// True for a sparse matrix whose dense factorisation is more work than that of this order.
fn is_sparse(header: &Header, order: usize) -> bool {
    let Header { rows, columns, entries, .. } = *header;
    let thin = entries.saturating_mul(SPARSE) < rows.saturating_mul(columns);
    let work = rows.saturating_mul(columns).saturating_mul(rows.min(columns));
    header.format == Format::Coordinate && work > order.pow(3) && thin
}

/// A tolerance that a residual can have.
fn tolerance(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a real value is expected".to_owned())?;
    if value >= 0.0 && value.is_finite() { Ok(value) } else { Err("a value of at least 0 is expected".to_owned()) }
}

/// A method of iterations, as it is named in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Cg,
    Minres,
    Bicgstab,
    Gmres,
    Lsqr,
    Lsmr,
}

impl Method {
    const fn name(self) -> &'static str {
        match self {
            Method::Cg => "CG",
            Method::Minres => "MINRES",
            Method::Bicgstab => "BiCGStab",
            Method::Gmres => "GMRES",
            Method::Lsqr => "LSQR",
            Method::Lsmr => "LSMR",
        }
    }

    /// True for methods that take matrices of any shape and no preconditioner.
    const fn least_squares(self) -> bool {
        matches!(self, Method::Lsqr | Method::Lsmr)
    }
}

/// A solve, and how it ended.
pub struct Attempt {
    method: Method,
    helper: &'static str,
    outcome: Outcome,
    /// The residuals of all iterations, for each right-hand side.
    pub curves: Vec<Curve>,
}

impl Attempt {
    /// One line.
    pub fn text(&self) -> String {
        format!("{}, {}: {}", self.method.name(), self.helper, self.outcome)
    }

    /// The method's name.
    pub fn method_name(&self) -> &'static str {
        self.method.name()
    }

    /// The name of its line in a plot.
    pub fn legend(&self) -> String {
        let Outcome { reason, iterations, .. } = self.outcome;
        let plural = if iterations == 1 { "" } else { "s" };
        format!("{}, {}: {reason} after {iterations} iteration{plural}", self.method.name(), self.helper)
    }

    pub fn json(&self) -> serde_json::Value {
        json!({
            "method": self.method.name(),
            "preconditioner": self.helper,
            "reason": self.outcome.reason.to_string(),
            "iterations": self.outcome.iterations,
            "residual": self.outcome.residual,
            "relative_residual": self.outcome.relative_residual,
            "normal_residual": self.outcome.normal_residual,
        })
    }
}

/// The result of the iterations.
pub enum Iterated<T> {
    /// Solved: all columns of x, those of b, the attempts, and why these were tried.
    Solved { x: Vec<T>, b: Vec<T>, attempts: Vec<Attempt>, why: &'static str },
    /// No method has converged; and why these were tried.
    Tried(Vec<Attempt>, &'static str),
}

/// Why a method for Hermitian matrices is tried on another one.
const NOT_HERMITIAN: &str = "as asked for, though the matrix is not Hermitian, which the method is for";

/// The methods that are tried in turn, and why.
fn methods(choice: Choice, header: &Header, Facts { hermitian, positive, .. }: &Facts) -> (Vec<Method>, &'static str) {
    match (choice, hermitian, positive) {
        (Choice::Lsqr, ..) => (vec![Method::Lsqr], "as asked for"),
        (Choice::Lsmr, ..) => (vec![Method::Lsmr], "as asked for"),
        (Choice::Auto, ..) if header.rows != header.columns => {
            (vec![Method::Lsqr], "the matrix is large, sparse and rectangular")
        }
        (Choice::Cg, true, _) => (vec![Method::Cg], "as asked for"),
        (Choice::Minres, true, _) => (vec![Method::Minres], "as asked for"),
        (Choice::Cg, ..) => (vec![Method::Cg], NOT_HERMITIAN),
        (Choice::Minres, ..) => (vec![Method::Minres], NOT_HERMITIAN),
        (Choice::Bicgstab, ..) => (vec![Method::Bicgstab], "as asked for"),
        (Choice::Gmres, ..) => (vec![Method::Gmres], "as asked for"),
        (_, true, true) => {
            (vec![Method::Cg, Method::Minres], "the matrix is large, sparse and Hermitian, with a positive diagonal")
        }
        (_, true, false) => {
            (vec![Method::Minres], "the matrix is large, sparse and Hermitian, with a diagonal that is not positive")
        }
        _ => (vec![Method::Bicgstab, Method::Gmres], "the matrix is large, sparse and not Hermitian"),
    }
}

/// Solves for all right-hand sides, on the device if there is one.
pub fn solve<T: Scalar>(
    iterative: &Options,
    input: &Input<Coordinates>,
    (matrix_path, right_side_path): (&PathBuf, Option<&PathBuf>),
    context: &Context,
    steps: &mut Steps,
) -> std::result::Result<Iterated<T>, Failure> {
    let failed = |error: Error| Failure(format!("{}: {error}", matrix_path.display()));
    let Header { rows, columns, .. } = input.header;
    if rows != columns && !matches!(iterative.method, Choice::Auto | Choice::Lsqr | Choice::Lsmr) {
        return Err(failed(Error::ShapeMismatch(format!(
            "the matrix is {rows} by {columns}: the method takes square ones, lsqr and lsmr any"
        ))));
    }
    let host = Context::host();
    let backend = context.device().map_or("host", |device| &device.info().name).to_owned();
    let a = steps.time("rows", "host", || CsrMatrix::<T>::from_file(&host, &input.matrix)).map_err(failed)?;
    let properties = steps.time("inspect", "host", || Facts::of(&a, &input.header)).map_err(failed)?;
    if !properties.finite {
        return Err(Failure(format!("{}: the matrix has an element that is not finite", matrix_path.display())));
    }
    let a = steps.time("upload", &backend, || a.to_context(context)).map_err(failed)?;
    let right_sides = match (&input.right_side, right_side_path) {
        (Some(b), Some(path)) => {
            let values = b.to_dense::<T>()?;
            if !values.iter().all(is_finite) {
                return Err(Failure(format!(
                    "{}: the right-hand side has an element that is not finite",
                    path.display()
                )));
            }
            values
        }
        _ => steps.time("make b", &backend, || sums(&a)).map_err(failed)?,
    };
    let count = right_sides.len() / rows;

    let (methods, why) = methods(iterative.method, &input.header, &properties);
    let mut attempts = Vec::new();
    // Incomplete factors are tried after Jacobi's preconditioner, where there is a diagonal.
    let incomplete = iterative.method == Choice::Auto
        && iterative.precond == PreconditionerKind::Auto
        && properties.full
        && !properties.hermitian
        && rows == columns;
    let first = methods.iter().map(|method| (*method, iterative.precond));
    let second =
        [Method::Bicgstab, Method::Gmres].into_iter().filter(|_| incomplete).map(|m| (m, PreconditionerKind::Ilu0));
    for (method, precond) in first.chain(second) {
        let start = std::time::Instant::now();
        let helper = match Preconditioner::new(precond, method, &a, &properties) {
            // An automatic choice: if a factorisation fails, the next method follows.
            Err(_) if precond == PreconditionerKind::Ilu0 && incomplete => continue,
            helper => helper.map_err(failed)?,
        };
        let mut solution = Vec::with_capacity(columns * count);
        let mut worst: Option<Outcome> = None;
        let mut curves = Vec::with_capacity(count);
        for b in right_sides.chunks_exact(rows) {
            let (x, outcome, curve) = iterate(iterative, method, &helper, &a, b, steps).map_err(failed)?;
            solution.extend(x);
            curves.push(curve);
            worst = worst.filter(|worst| worst.relative_residual >= outcome.relative_residual && outcome.converged());
            worst = worst.or(Some(outcome));
            if !outcome.converged() {
                break;
            }
        }
        steps.hide_residual();
        steps.add("iterate", &backend, start.elapsed());
        let solved = worst.is_some_and(|worst| worst.converged());
        attempts.extend(worst.map(|outcome| Attempt { method, helper: helper.name, outcome, curves }));
        if solved {
            return Ok(Iterated::Solved { x: solution, b: right_sides, attempts, why });
        }
    }
    Ok(Iterated::Tried(attempts, why))
}

/// One solve, from zeros.
fn iterate<T: Scalar>(
    iterative: &Options,
    method: Method,
    helper: &Preconditioner<'_, T>,
    a: &CsrMatrix<T>,
    b: &[T],
    steps: &Steps,
) -> Result<(Vec<T>, Outcome, Curve)> {
    let context = a.context();
    let size = b.iter().fold(0.0, |size: f64, b| size.hypot(b.modulus()));
    let (b, mut x) = (context.upload(b)?, context.zeros::<T>(a.columns())?);
    let residuals = RefCell::new(vec![if size > 0.0 { 1.0 } else { 0.0 }]);
    let report = |iteration: usize, residual: f64| {
        steps.show_residual(method.name(), iteration, residual / size, iterative.tol);
        if iterative.plot.is_some() {
            residuals.borrow_mut().push(residual / size);
        }
    };
    let mut options = SolveOptions::new().rtol(iterative.tol).history(&report);
    if let Some(most) = iterative.max_iter {
        options = options.max_iterations(most);
    }
    if let Some(operator) = helper.operator.as_deref() {
        options = options.preconditioner(operator);
    }
    let solver = match method {
        Method::Cg => cg,
        Method::Minres => minres,
        Method::Bicgstab => bicgstab,
        Method::Gmres => gmres,
        Method::Lsqr => lsqr,
        Method::Lsmr => lsmr,
    };
    let outcome = solver(a, b.vector()?, x.vector_mut()?, &options)?;
    let end = (outcome.iterations, outcome.relative_residual);
    Ok((x.download()?, outcome, Curve { residuals: residuals.into_inner(), end }))
}

/// Properties of a matrix that select the method.
struct Facts {
    finite: bool,
    hermitian: bool,
    positive: bool,
    /// No element of the diagonal is zero.
    full: bool,
}

impl Facts {
    fn of<T: Scalar>(a: &CsrMatrix<T>, header: &Header) -> Result<Self> {
        let arrays = a.download()?;
        let diagonal = a.diagonal()?.download()?;
        let hermitian = match header.symmetry {
            Symmetry::Hermitian => true,
            Symmetry::Symmetric if !T::KIND.is_complex() => true,
            Symmetry::SkewSymmetric => false,
            _ => {
                let transposed = a.transpose()?.download()?;
                let conjugates = |(a, b): (&T, &T)| a.re() == b.re() && a.im() == -b.im();
                transposed.row_ptr == arrays.row_ptr
                    && transposed.col_indices == arrays.col_indices
                    && transposed.values.iter().zip(&arrays.values).all(conjugates)
            }
        };
        Ok(Facts {
            finite: arrays.values.iter().all(is_finite),
            hermitian,
            positive: diagonal.iter().all(|value| value.re() > 0.0 && value.im() == 0.0),
            full: diagonal.iter().all(|value| *value != T::ZERO),
        })
    }
}

/// A preconditioner that has been made.
struct Preconditioner<'a, T> {
    name: &'static str,
    operator: Option<Box<dyn LinearOperator<T> + 'a>>,
}

impl<'a, T: Scalar> Preconditioner<'a, T> {
    fn new(helper: PreconditionerKind, method: Method, a: &'a CsrMatrix<T>, properties: &Facts) -> Result<Self> {
        // CG and MINRES take positive definite ones.
        let suits = if matches!(method, Method::Cg | Method::Minres) { properties.positive } else { properties.full };
        let suits = suits && !method.least_squares();
        let (name, operator): (_, Option<Box<dyn LinearOperator<T> + 'a>>) = match helper {
            PreconditionerKind::None => ("no preconditioner", None),
            PreconditionerKind::Auto if !suits => ("no preconditioner", None),
            PreconditionerKind::Auto | PreconditionerKind::Jacobi => {
                ("Jacobi's preconditioner", Some(Box::new(Jacobi::new(a)?)))
            }
            PreconditionerKind::BlockJacobi => {
                ("block Jacobi", Some(Box::new(BlockJacobi::new(a, BlockJacobi::<T>::DEFAULT_SIZE)?)))
            }
            PreconditionerKind::Ssor => ("SSOR", Some(Box::new(Ssor::new(a, OMEGA)?))),
            PreconditionerKind::Ic0 => {
                let factors = Ic0::new(a)?;
                let name = if factors.shift() == 0.0 { "IC(0)" } else { "IC(0) with a shift" };
                (name, Some(Box::new(factors)))
            }
            PreconditionerKind::Ilu0 => ("ILU(0)", Some(Box::new(Ilu0::new(a)?))),
            PreconditionerKind::Chebyshev => ("Chebyshev's polynomial", Some(Box::new(Chebyshev::new(a, DEGREE)?))),
        };
        Ok(Preconditioner { name, operator })
    }
}

fn is_finite<T: Scalar>(value: &T) -> bool {
    value.re().is_finite() && value.im().is_finite()
}

/// A times a vector of ones.
fn sums<T: Scalar>(a: &CsrMatrix<T>) -> Result<Vec<T>> {
    let context = a.context();
    let (ones, mut b) = (context.upload(&vec![T::ONE; a.columns()])?, context.zeros::<T>(a.rows())?);
    a.multiply(Op::NoTrans, T::ONE, ones.vector()?, T::ZERO, b.vector_mut()?)?.wait()?;
    b.download()
}

#[cfg(test)]
impl Attempt {
    /// One with a curve.
    pub fn example(curve: Curve) -> Self {
        let reason = affinimath::sparse::Reason::Converged;
        let outcome = Outcome {
            reason,
            iterations: curve.end.0,
            residual: curve.end.1,
            relative_residual: curve.end.1,
            normal_residual: None,
        };
        Attempt { method: Method::Cg, helper: "no preconditioner", outcome, curves: vec![curve] }
    }
}
