//! Systems with large sparse matrices, by iterative methods.

use std::path::PathBuf;

use affinimath::sparse::matrix_market::{Coordinates, Format, Header, Symmetry};
use affinimath::sparse::{CsrMatrix, Jacobi, LinearOperator, Outcome, SolveOptions};
use affinimath::{Chebyshev, Context, Error, Op, Result, Scalar, bicgstab, cg, gmres, minres};
use serde_json::json;

use super::Steps;
use super::input::Input;
use super::report::{Lines, Step, step_lines};
use crate::failure::Failure;

/// Up to this order a dense factorisation takes a second, and always gives an answer.
const LARGEST_DENSE: usize = 2000;

/// Rows and columns of which less than one in so many elements is stored have a sparse matrix.
const SPARSE: usize = 20;

/// The degree of Chebyshev's polynomial.
const DEGREE: usize = 4;

/// How a system is solved.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// By the matrix: small or dense ones by factors, large sparse ones by iterations
    Auto,
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
}

/// What iterations are made with.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Helper {
    /// Jacobi's where the diagonal allows it
    Auto,
    /// Nothing
    None,
    /// The inverse of the diagonal
    Jacobi,
    /// A polynomial of the matrix: for positive definite ones
    Chebyshev,
}

/// The arguments that are about iterations.
#[derive(clap::Args)]
pub struct Wishes {
    /// How it is solved
    #[arg(long, value_enum, default_value = "auto")]
    pub method: Choice,
    /// What iterations are preconditioned with
    #[arg(long, value_enum, default_value = "auto")]
    precond: Helper,
    /// Iterate until ||b - A x|| is this part of ||b||
    #[arg(long, value_name = "TOLERANCE", default_value = "1e-10", value_parser = tolerance)]
    tol: f64,
    /// The most iterations [default: ten times the order]
    #[arg(long, value_name = "COUNT")]
    max_iter: Option<usize>,
}

impl Wishes {
    /// Whether a matrix with this header is solved by iterations, at first.
    pub fn iterate(&self, header: &Header) -> bool {
        match self.method {
            Choice::Dense => false,
            Choice::Auto => {
                let Header { rows, columns, entries, .. } = *header;
                let thin = entries.saturating_mul(SPARSE) < rows.saturating_mul(columns);
                header.format == Format::Coordinate && rows == columns && rows > LARGEST_DENSE && thin
            }
            _ => true,
        }
    }
}

/// A tolerance that a residual can have.
fn tolerance(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a number is expected".to_owned())?;
    if value >= 0.0 && value.is_finite() { Ok(value) } else { Err("a number from 0 on is expected".to_owned()) }
}

/// A method of iterations, as it is named in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Cg,
    Minres,
    Bicgstab,
    Gmres,
}

impl Method {
    const fn name(self) -> &'static str {
        match self {
            Method::Cg => "CG",
            Method::Minres => "MINRES",
            Method::Bicgstab => "BiCGStab",
            Method::Gmres => "GMRES",
        }
    }
}

/// A solve, and how it ended.
pub struct Attempt {
    method: Method,
    helper: &'static str,
    outcome: Outcome,
}

impl Attempt {
    /// One line.
    pub fn text(&self) -> String {
        format!("{}, {}: {}", self.method.name(), self.helper, self.outcome)
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "method": self.method.name(),
            "preconditioner": self.helper,
            "reason": self.outcome.reason.to_string(),
            "iterations": self.outcome.iterations,
            "residual": self.outcome.residual,
            "relative_residual": self.outcome.relative_residual,
        })
    }
}

/// What iterations came to.
pub enum Iterated<T> {
    /// Solved: all columns of x, and what is reported.
    Solved(Vec<T>, Box<Report>),
    /// No method has converged.
    Tried(Vec<Attempt>),
}

/// Everything that is reported of a system solved by iterations.
pub struct Report {
    pub matrix: PathBuf,
    pub right_side: Option<PathBuf>,
    right_sides: usize,
    header: Header,
    entries: usize,
    hermitian: bool,
    why: &'static str,
    attempts: Vec<Attempt>,
    pub steps: Vec<Step>,
    forward_error: Option<f64>,
    pub output: Option<PathBuf>,
}

impl Report {
    /// Aligned lines.
    pub fn text(&self) -> String {
        let mut lines = Lines::default();
        let Header { rows, columns, .. } = self.header;
        let symmetry = if self.hermitian { "Hermitian" } else { "not Hermitian" };
        lines.add("matrix", &format!("{}: {rows} x {columns}, {symmetry}, sparse", self.matrix.display()));
        let share = 100.0 * self.entries as f64 / rows as f64 / columns as f64;
        lines.add("", &format!("{} entries, {share:.3} %", self.entries));
        let right_side = self.right_side.as_ref().map_or("A times ones".into(), |path| path.display().to_string());
        lines.add("right side", &right_side);
        for (i, attempt) in self.attempts.iter().enumerate() {
            lines.add(if i == 0 { "method" } else { "" }, &attempt.text());
        }
        lines.add("", self.why);
        step_lines(&mut lines, &self.steps);
        if let Some(error) = self.forward_error {
            lines.add("error", &format!("{error:.1e}  max |x - 1|, since b is A times ones"));
        }
        if let Some(path) = &self.output {
            lines.add("solution", &path.display().to_string());
        }
        lines.text()
    }

    /// The same as JSON.
    pub fn json(&self) -> String {
        let last = self.attempts.last().map(Attempt::json);
        let report = json!({
            "matrix": {
                "file": self.matrix,
                "format": self.header.format,
                "field": self.header.field,
                "symmetry": self.header.symmetry,
                "rows": self.header.rows,
                "columns": self.header.columns,
                "entries": self.entries,
                "hermitian": self.hermitian,
            },
            "right_side": { "file": self.right_side, "columns": self.right_sides },
            "method": last.as_ref().map(|last| &last["method"]),
            "preconditioner": last.as_ref().map(|last| &last["preconditioner"]),
            "iterations": last.as_ref().map(|last| &last["iterations"]),
            "relative_residual": last.as_ref().map(|last| &last["relative_residual"]),
            "reason": self.why,
            "attempts": self.attempts.iter().map(Attempt::json).collect::<Vec<_>>(),
            "steps": self.steps,
            "forward_error": self.forward_error,
            "output": self.output,
        });
        format!("{report:#}\n")
    }
}

/// The methods that are tried in turn, and why.
fn methods(choice: Choice, hermitian: bool, positive: bool) -> (Vec<Method>, &'static str) {
    match (choice, hermitian, positive) {
        (Choice::Cg, ..) => (vec![Method::Cg], "as asked for"),
        (Choice::Minres, ..) => (vec![Method::Minres], "as asked for"),
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

/// Solves for all right sides, on the device if there is one.
pub fn solve<T: Scalar>(
    wishes: &Wishes,
    input: &Input<Coordinates>,
    (matrix_path, right_side_path): (&PathBuf, Option<&PathBuf>),
    context: &Context,
    steps: &mut Steps,
) -> std::result::Result<Iterated<T>, Failure> {
    let failed = |error: Error| Failure(format!("{}: {error}", matrix_path.display()));
    if input.header.rows != input.header.columns {
        let Header { rows, columns, .. } = input.header;
        return Err(failed(Error::ShapeMismatch(format!(
            "the matrix is {rows} by {columns}: these methods take square ones"
        ))));
    }
    let host = Context::host();
    let place = context.device().map_or("host", |device| &device.facts().name).to_owned();
    let a = steps.time("rows", "host", || CsrMatrix::<T>::from_file(&host, &input.matrix)).map_err(failed)?;
    let facts = steps.time("inspect", "host", || Facts::of(&a, &input.header)).map_err(failed)?;
    if !facts.finite {
        return Err(Failure(format!("{}: the matrix has an element that is not finite", matrix_path.display())));
    }
    let a = steps.time("upload", &place, || a.to_context(context)).map_err(failed)?;
    let n = a.rows();
    let right_sides = match (&input.right_side, right_side_path) {
        (Some(b), Some(path)) => {
            let values = b.to_dense::<T>()?;
            if !values.iter().all(is_finite) {
                return Err(Failure(format!("{}: the right side has an element that is not finite", path.display())));
            }
            values
        }
        _ => steps.time("make b", &place, || sums(&a)).map_err(failed)?,
    };
    let count = right_sides.len() / n;

    let (methods, why) = methods(wishes.method, facts.hermitian, facts.positive);
    let mut attempts = Vec::new();
    for method in methods {
        let start = std::time::Instant::now();
        let helper = Preconditioner::new(wishes.precond, method, &a, &facts).map_err(failed)?;
        let mut solution = Vec::with_capacity(n * count);
        let mut worst: Option<Outcome> = None;
        for b in right_sides.chunks_exact(n) {
            let (x, outcome) = iterate(wishes, method, &helper, &a, b, steps).map_err(failed)?;
            solution.extend(x);
            worst = worst.filter(|worst| worst.relative_residual >= outcome.relative_residual && outcome.converged());
            worst = worst.or(Some(outcome));
            if !outcome.converged() {
                break;
            }
        }
        steps.add("iterate", &place, start.elapsed());
        let solved = worst.is_some_and(|worst| worst.converged());
        attempts.extend(worst.map(|outcome| Attempt { method, helper: helper.name, outcome }));
        if solved {
            let known = input.right_side.is_none();
            let error = |x: &T| (*x - T::ONE).modulus();
            let report = Report {
                matrix: matrix_path.clone(),
                right_side: right_side_path.cloned(),
                right_sides: count,
                header: input.header,
                entries: a.entries(),
                hermitian: facts.hermitian,
                why,
                attempts,
                steps: Vec::new(),
                forward_error: known.then(|| solution.iter().map(error).fold(0.0, f64::max)),
                output: None,
            };
            return Ok(Iterated::Solved(solution, Box::new(report)));
        }
    }
    Ok(Iterated::Tried(attempts))
}

/// One solve, from zeros.
fn iterate<T: Scalar>(
    wishes: &Wishes,
    method: Method,
    helper: &Preconditioner<'_, T>,
    a: &CsrMatrix<T>,
    b: &[T],
    steps: &Steps,
) -> Result<(Vec<T>, Outcome)> {
    let context = a.context();
    let (b, mut x) = (context.upload(b)?, context.zeros::<T>(b.len())?);
    let report = |iteration: usize, residual: f64| {
        steps.progress.set_message(format!("{} {iteration}: ||r|| = {residual:.2e}", method.name()));
    };
    let mut options = SolveOptions::new().rtol(wishes.tol).history(&report);
    if let Some(most) = wishes.max_iter {
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
    };
    let outcome = solver(a, b.vector()?, x.vector_mut()?, &options)?;
    Ok((x.download()?, outcome))
}

/// What decides between the methods.
struct Facts {
    finite: bool,
    hermitian: bool,
    /// Whether the diagonal is.
    positive: bool,
    /// Whether no element of the diagonal is zero.
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
                transposed.pointers == arrays.pointers
                    && transposed.indices == arrays.indices
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
    fn new(helper: Helper, method: Method, a: &'a CsrMatrix<T>, facts: &Facts) -> Result<Self> {
        // CG and MINRES take positive definite ones.
        let suits = if matches!(method, Method::Cg | Method::Minres) { facts.positive } else { facts.full };
        let (name, operator): (_, Option<Box<dyn LinearOperator<T> + 'a>>) = match helper {
            Helper::None => ("no preconditioner", None),
            Helper::Auto if !suits => ("no preconditioner", None),
            Helper::Auto | Helper::Jacobi => ("Jacobi's preconditioner", Some(Box::new(Jacobi::new(a)?))),
            Helper::Chebyshev => ("Chebyshev's polynomial", Some(Box::new(Chebyshev::new(a, DEGREE)?))),
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
    a.multiply(Op::Keep, T::ONE, ones.vector()?, T::ZERO, b.vector_mut()?)?.wait()?;
    b.download()
}
