//! `affinimath solve`: a linear system from files, its solution, and how far that can be trusted.

mod input;
mod iterative;
mod on_device;
mod plot;
mod report;
mod residual;
mod sparse;

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use affinimath::sparse::matrix_market::{self, Coordinates, Header, Values};
use affinimath::{Complex64, Context, Error, Scalar, route};
use affinimath_bench::stdout::print;
use affinimath_bench::{Failure, device};
use affinimath_cpu::solve::{MatrixProperties, Method, SolvePlan, SparseMethod, solve};
use faer::{Mat, MatRef};
use indicatif::{ProgressBar, ProgressStyle};

use input::{Form, Input};
use iterative::{Attempt, Choice, Iterated, Options};
use plot::Convergence;
use report::{Report, Solver, SparseFill, Step, warnings, without_full_rank};
use residual::residual;
use sparse::Columns;

/// The arguments of `affinimath solve`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The matrix, a Matrix Market file
    #[arg(value_name = "A.mtx")]
    matrix: PathBuf,
    /// The right-hand side, a Matrix Market file of as many rows as A; without it b is A times ones
    #[arg(value_name = "b.mtx")]
    right_side: Option<PathBuf>,
    /// Write the solution to this file
    #[arg(short, long, value_name = "x.mtx")]
    output: Option<PathBuf>,
    #[command(flatten)]
    iterative: Options,
    /// Device of the solution (least squares: the host) and of products: auto, host, or a device by its index or part
    /// of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Print JSON instead of text, or write it to FILE and print text
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    json: Option<Option<PathBuf>>,
}

/// Reads, solves, judges the solution and reports.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    device::choose(&arguments.device)?;
    // Devices are looked for now, so that no step below counts the time that it takes.
    route::initialize()?;
    let mut steps = Steps::new();
    let input = Input::open(&arguments.matrix, arguments.right_side.as_deref())?;
    let iterate = arguments.iterative.iterate(&input.header);
    if let Some(option) = arguments.iterative.about_iterations().filter(|_| !iterate) {
        let path = arguments.matrix.display();
        return Err(Failure(format!(
            "{path}: {option}, and this system is solved by factors: choose iterations, such as --method cg"
        )));
    }
    check_folder("the solution", arguments.output.as_deref())?;
    check_folder("the plot", arguments.iterative.plot.as_deref())?;
    let sparse = iterate || tries_factors(arguments, &input.header) || arguments.iterative.method == Choice::Direct;
    input.check_memory(if sparse { Form::Sparse } else { Form::Dense })?;
    let input = steps.time("read", "host", || input.read())?;
    let report = match input.is_complex() {
        true => solve_as::<Complex64>(arguments, &input, &mut steps, Values::Complex),
        false => solve_as::<f64>(arguments, &input, &mut steps, Values::Real),
    }?;
    steps.progress.finish_and_clear();
    match &arguments.json {
        Some(None) => print(&report.json()),
        Some(Some(path)) => {
            std::fs::write(path, report.json()).map_err(|error| Failure::file("cannot write", path, error))?;
            print(&report.text())
        }
        None => print(&report.text()),
    }
}

/// Checks that the folder of a file that will be written is there, before time is spent on what the file will hold.
fn check_folder(what: &str, file: Option<&Path>) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    match file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => {
            let why = format!("there is no folder '{}'", folder.display());
            Err(Failure::file(&format!("cannot write {what} to"), file, why))
        }
        None => Ok(()),
    }
}

/// Solves by iterations, or by factors where that suits the matrix or iterations came to nothing; gives the report.
fn solve_as<T: Scalar>(
    arguments: &Arguments,
    input: &Input<Coordinates>,
    steps: &mut Steps,
    values: impl FnOnce(Vec<T>) -> Values,
) -> Result<Report, Failure> {
    let mut attempts = Vec::new();
    let mut failed = None;
    let choice = arguments.iterative.method;
    let iterate = arguments.iterative.iterate(&input.header);
    if tries_factors(arguments, &input.header) {
        match solve_by_small_factors(arguments, input, steps)? {
            Some(Ok(system)) => {
                return report_sparse(arguments, input, steps, (attempts, SMALL), system, values);
            }
            Some(Err(error)) => failed = Some(error),
            None => {}
        }
    }
    if iterate {
        let context = on_device::asked::<T>(&arguments.device)?.unwrap_or(Context::host());
        let paths = (&arguments.matrix, arguments.right_side.as_ref());
        match iterative::solve::<T>(&arguments.iterative, input, paths, &context, steps)? {
            Iterated::Solved { x, b, attempts, why } => {
                plot_attempts(arguments, &input.header, &attempts)?;
                return report_iterations(arguments, input, steps, (x, b), (attempts, why), values);
            }
            Iterated::Tried(tried, why) => {
                plot_attempts(arguments, &input.header, &tried)?;
                if choice != Choice::Auto {
                    let all = tried.iter().map(Attempt::text).collect::<Vec<_>>().join("; ");
                    return Err(Failure(format!("{}: not solved: {all} ({why})", arguments.matrix.display())));
                }
                attempts = tried;
            }
        }
    }
    let wide = input.header.rows < input.header.columns;
    if choice == Choice::Direct || iterate && !wide && failed.is_none() {
        match solve_sparse_system(arguments, input, steps)? {
            Ok((columns, b, solution)) => {
                let reason = if attempts.is_empty() { "as asked for" } else { "iterations did not solve it" };
                return report_sparse(arguments, input, steps, (attempts, reason), (columns, b, solution), values);
            }
            Err(error) => failed = Some(error),
        }
    }
    let failed = match failed {
        Some(error) if choice == Choice::Direct || input.check_dense(&arguments.matrix).is_err() => {
            return Err(unsolved(arguments, &input.header, &error));
        }
        failed => failed.iter().map(|error| format!("sparse factors: {error}")).collect(),
    };
    input.check_dense(&arguments.matrix)?;
    solve_dense(arguments, input, steps, (attempts, failed), values)
}

/// True if sparse factors are tried first: where nothing asks for iterations, or for a device.
fn tries_factors(arguments: &Arguments, header: &Header) -> bool {
    matches!(arguments.device.as_str(), "auto" | "host") && arguments.iterative.try_sparse_factors(header)
}

/// A failure of factors. Of a singular matrix, with the methods that suit it and may still solve the system.
fn unsolved(arguments: &Arguments, header: &Header, error: &Error) -> Failure {
    use affinimath::sparse::matrix_market::{Field, Symmetry};
    let path = arguments.matrix.display();
    if !matches!(error, Error::ZeroPivot { .. } | Error::Singular | Error::RankDeficient { .. }) {
        return Failure(format!("{path}: {error}"));
    }
    let hermitian = match header.symmetry {
        Symmetry::Hermitian => true,
        Symmetry::Symmetric => header.field != Field::Complex,
        _ => false,
    };
    let methods = if hermitian { "minres, lsqr or lsmr" } else { "lsqr or lsmr" };
    Failure(format!(
        "{path}: {error}; if b is in its range, --method {methods} may solve it, else in the least squares"
    ))
}

type Sparse<T> = (Columns<T>, Mat<T>, affinimath_cpu::solve::SparseSolution<T>);

/// The reason for sparse factors that were chosen.
const SMALL: &str = "the matrix is sparse, and its factors are small";

/// Solves by sparse factors if these are small; nothing if they are not.
fn solve_by_small_factors<T: Scalar>(
    arguments: &Arguments,
    input: &Input<Coordinates>,
    steps: &mut Steps,
) -> Result<Option<Result<Sparse<T>, Error>>, Failure> {
    let columns = steps.time("columns", "host", || Columns::<T>::from_file(&input.matrix))?;
    if !steps.time("analyse", "host", || columns.has_small_factors()) {
        return Ok(None);
    }
    solve_columns(arguments, input, steps, columns).map(Some)
}

/// Reads a sparse system and solves it by sparse factors.
fn solve_sparse_system<T: Scalar>(
    arguments: &Arguments,
    input: &Input<Coordinates>,
    steps: &mut Steps,
) -> Result<Result<Sparse<T>, Error>, Failure> {
    let columns = steps.time("columns", "host", || Columns::<T>::from_file(&input.matrix))?;
    solve_columns(arguments, input, steps, columns)
}

fn solve_columns<T: Scalar>(
    arguments: &Arguments,
    input: &Input<Coordinates>,
    steps: &mut Steps,
    columns: Columns<T>,
) -> Result<Result<Sparse<T>, Error>, Failure> {
    let b = match (&input.right_side, &arguments.right_side) {
        (Some(b), Some(path)) => {
            let dense = b.to_dense::<T>()?;
            let b = MatRef::from_column_major_slice(&dense, b.rows, b.columns);
            input.check_finite(b, "the right-hand side", path)?;
            b.to_owned()
        }
        _ => columns.sums(),
    };
    steps.progress.set_message("sparse factors");
    let solution = match columns.solve(b.as_ref()) {
        Ok(solution) => solution,
        Err(error) => return Ok(Err(error)),
    };
    steps.add("factorise", "host", solution.factor_time);
    steps.add("solve", "host", solution.solve_time);
    steps.add("condition", "host", solution.condition_time);
    Ok(Ok((columns, b, solution)))
}

fn report_sparse<T: Scalar>(
    arguments: &Arguments,
    input: &Input<Coordinates>,
    steps: &mut Steps,
    (attempts, reason): (Vec<Attempt>, &'static str),
    (columns, b, solution): Sparse<T>,
    values: impl FnOnce(Vec<T>) -> Values,
) -> Result<Report, Failure> {
    let method = solution.method;
    let failed = solution.tried.iter().map(|(method, error)| format!("{}: {error}", method.name())).collect();
    let judged = Judged {
        solver: Solver {
            id: format!("sparse-{}", json_name(method)).into(),
            name: method.name().into(),
            reason: reason.into(),
        },
        attempts,
        iterated: false,
        failed,
        fill: Some(SparseFill {
            ordering: method.ordering(),
            entries: solution.factor_nnz,
            bound: method == SparseMethod::Lu,
        }),
        condition: Ok(solution.condition),
        least_squares: method == SparseMethod::Qr,
    };
    report_columns(arguments, input, steps, (&columns, solution.x.as_ref(), b.as_ref()), judged, values)
}

const fn json_name(method: SparseMethod) -> &'static str {
    match method {
        SparseMethod::Cholesky => "cholesky",
        SparseMethod::Ldl => "ldl",
        SparseMethod::Lu => "lu",
        SparseMethod::Qr => "qr",
    }
}

fn report_iterations<T: Scalar>(
    arguments: &Arguments,
    input: &Input<Coordinates>,
    steps: &mut Steps,
    (x, b): (Vec<T>, Vec<T>),
    (attempts, why): (Vec<Attempt>, &'static str),
    values: impl FnOnce(Vec<T>) -> Values,
) -> Result<Report, Failure> {
    let Header { rows, columns: unknowns, .. } = input.header;
    let columns = steps.time("columns", "host", || Columns::<T>::from_file(&input.matrix))?;
    let condition = steps.time("condition", "host", || columns.condition());
    let last = attempts.last().expect("some iterations gave the solution");
    let judged = Judged {
        solver: Solver { id: last.method_name().into(), name: last.text(), reason: why.into() },
        attempts,
        iterated: true,
        failed: Vec::new(),
        fill: None,
        condition,
        least_squares: rows != unknowns,
    };
    let x = MatRef::from_column_major_slice(&x, unknowns, x.len() / unknowns);
    let b = MatRef::from_column_major_slice(&b, rows, b.len() / rows);
    report_columns(arguments, input, steps, (&columns, x, b), judged, values)
}

/// The parts of a report that differ between methods for sparse matrices.
struct Judged {
    solver: Solver,
    attempts: Vec<Attempt>,
    iterated: bool,
    failed: Vec<String>,
    fill: Option<SparseFill>,
    condition: Result<f64, String>,
    least_squares: bool,
}

/// Judges and writes the solution of a sparse system.
fn report_columns<T: Scalar>(
    arguments: &Arguments,
    input: &Input<Coordinates>,
    steps: &mut Steps,
    (columns, x, b): (&Columns<T>, MatRef<'_, T>, MatRef<'_, T>),
    judged: Judged,
    values: impl FnOnce(Vec<T>) -> Values,
) -> Result<Report, Failure> {
    let quality = steps.time("residual", "host", || columns.quality(x, b));
    if let Some(path) = &arguments.output {
        steps.time("write x", "host", || write_solution(path, x, values))?;
    }
    let properties = columns.properties;
    let comparable = input.right_side.is_none() && properties.rows >= properties.columns;
    let warnings = match &judged.condition {
        Ok(condition) => {
            // Iterations end at residuals above the rounding error: digits are lost from there.
            let precision = if judged.iterated { quality.residual.max(T::EPSILON) } else { T::EPSILON };
            warnings(*condition, precision)
        }
        Err(_) => Vec::new(),
    };
    Ok(Report {
        matrix: arguments.matrix.clone(),
        right_side: arguments.right_side.clone(),
        right_sides: b.ncols(),
        header: input.header,
        properties,
        solver: judged.solver,
        planned: None,
        fell_back: None,
        attempts: judged.attempts,
        iterated: judged.iterated,
        failed: judged.failed,
        fill: judged.fill,
        steps: std::mem::take(&mut steps.done),
        residual: quality.residual,
        optimality: judged.least_squares.then_some(quality.optimality),
        condition: judged.condition,
        forward_error: comparable.then(|| error_against_ones(x)),
        first_elements: first_elements(x),
        rank: None,
        warnings,
        output: arguments.output.clone(),
    })
}

fn first_elements<T: Scalar>(x: MatRef<'_, T>) -> Vec<(f64, f64)> {
    (0..x.nrows().min(4)).map(|i| (x[(i, 0)].re(), x[(i, 0)].im())).collect()
}

/// Draws the convergence, if `--plot` is given.
fn plot_attempts(arguments: &Arguments, header: &Header, attempts: &[Attempt]) -> Result<(), Failure> {
    let Some(path) = &arguments.iterative.plot else { return Ok(()) };
    let file = arguments.matrix.file_name().unwrap_or_default().display();
    let properties = format!(
        "{} x {}, {} entries in the file; right-hand side: {}. A line ends at the residual that was computed from x.",
        header.rows,
        header.columns,
        header.entries,
        arguments.right_side.as_ref().map_or("A times ones".into(), |path| path.display().to_string()),
    );
    let tolerance = arguments.iterative.tol;
    Convergence { title: format!("Convergence for {file}"), properties, attempts, tolerance }.write(path)
}

/// The steps done, and a sign of life on a terminal while the next one runs.
struct Steps {
    done: Vec<Step>,
    progress: ProgressBar,
}

/// Steps of a full progress bar.
const BAR: u64 = 320;

impl Steps {
    fn new() -> Self {
        // On stderr, and drawn only where that is a terminal.
        let progress = ProgressBar::new_spinner();
        progress.enable_steady_tick(std::time::Duration::from_millis(100));
        Steps { done: Vec::new(), progress }
    }

    fn time<R>(&mut self, name: &'static str, backend: &str, work: impl FnOnce() -> R) -> R {
        self.progress.set_message(name);
        let start = Instant::now();
        let result = work();
        self.add(name, backend, start.elapsed());
        result
    }

    /// A bar that is full where the residual is the tolerance: its length is the part of the digits that x has.
    fn show_residual(&self, method: &str, iteration: usize, residual: f64, tolerance: f64) {
        if self.progress.length().is_none() && 0.0 < tolerance && tolerance < 1.0 {
            let bar = ProgressStyle::with_template("{spinner} [{bar:32}] {msg}").expect("the template is one");
            self.progress.set_style(bar);
            self.progress.set_length(BAR);
        }
        let done = (residual.ln() / tolerance.ln()).clamp(0.0, 1.0);
        self.progress.set_position((done * BAR as f64) as u64);
        self.progress.set_message(format!("{method} {iteration}: {residual:.2e} of ||b||, to {tolerance:.0e}"));
    }

    /// Back to the sign of life alone.
    fn hide_residual(&self) {
        self.progress.unset_length();
        self.progress.set_style(ProgressStyle::default_spinner());
    }

    fn add(&mut self, name: &'static str, backend: &str, time: std::time::Duration) {
        self.done.push(Step { name, backend: backend.into(), seconds: time.as_secs_f64() });
    }
}

fn solve_dense<T: Scalar>(
    arguments: &Arguments,
    input: &Input<Coordinates>,
    steps: &mut Steps,
    (attempts, failed): (Vec<Attempt>, Vec<String>),
    values: impl FnOnce(Vec<T>) -> Values,
) -> Result<Report, Failure> {
    let a = steps.time("expand", "host", || input.matrix.to_dense::<T>())?;
    let a = MatRef::from_column_major_slice(&a, input.matrix.rows, input.matrix.columns);
    let properties = steps.time("inspect", "host", || MatrixProperties::of(a));
    input.check_finite(a, "the matrix", &arguments.matrix)?;
    let b = match (&input.right_side, &arguments.right_side) {
        (Some(b), Some(path)) => {
            let dense = b.to_dense::<T>()?;
            let b = MatRef::from_column_major_slice(&dense, b.rows, b.columns);
            input.check_finite(b, "the right-hand side", path)?;
            b.to_owned()
        }
        _ => steps.time("make b", "host", || row_sums(a)),
    };

    let plan = SolvePlan::choose(&properties);
    steps.progress.set_message(plan.method.name());
    let device = on_device::chosen::<T>(&arguments.device, &plan)?;
    let backend = device.as_ref().and_then(|context| context.device()).map_or("host", |device| &device.info().name);
    let solution = match &device {
        Some(context) => on_device::solve(context, &plan, a, b.as_ref()),
        None => solve(&plan, a, b.as_ref()),
    };
    let solution = solution.map_err(|error| unsolved(arguments, &input.header, &error))?;
    steps.add("factorise", backend, solution.factor_time);
    steps.add("solve", backend, solution.solve_time);
    steps.add("condition", backend, solution.condition_time);
    let x = solution.x.as_ref();
    let start = Instant::now();
    let quality = residual(a, x, b.as_ref())?;
    steps.add("residual", &quality.backend, start.elapsed());

    if let Some(path) = &arguments.output {
        steps.time("write x", "host", || write_solution(path, x, values))?;
    }
    // Where there are many solutions, ones are one but not that of least norm.
    let unique = properties.rows >= properties.columns && solution.deficient_rank.is_none();
    let comparable = input.right_side.is_none() && unique;
    let warnings = match solution.deficient_rank {
        Some(rank) => vec![without_full_rank(rank, properties.rows.min(properties.columns))],
        None => warnings(solution.condition, T::EPSILON),
    };
    Ok(Report {
        matrix: arguments.matrix.clone(),
        right_side: arguments.right_side.clone(),
        right_sides: b.ncols(),
        header: input.header,
        properties,
        solver: Solver {
            id: serde_json::json!(solution.method),
            name: plan.method.name().into(),
            reason: plan.reason.into(),
        },
        planned: Some(serde_json::json!(plan.method)),
        fell_back: solution.fell_back.map(|error| format!("then {}: {error}", solution.method.name())),
        attempts,
        iterated: false,
        failed,
        fill: None,
        steps: std::mem::take(&mut steps.done),
        residual: quality.residual,
        optimality: (solution.method == Method::LeastSquares).then_some(quality.optimality),
        condition: Ok(solution.condition),
        forward_error: comparable.then(|| error_against_ones(x)),
        first_elements: first_elements(x),
        rank: solution.deficient_rank,
        warnings,
        output: arguments.output.clone(),
    })
}

/// A times a vector of ones.
fn row_sums<T: Scalar>(a: MatRef<'_, T>) -> Mat<T> {
    let mut sums = Mat::zeros(a.nrows(), 1);
    for column in a.col_iter() {
        for (i, element) in column.iter().enumerate() {
            sums[(i, 0)] += *element;
        }
    }
    sums
}

fn error_against_ones<T: Scalar>(x: MatRef<'_, T>) -> f64 {
    x.col_iter().flat_map(|column| column.iter()).map(|element| (*element - T::ONE).modulus()).fold(0.0, f64::max)
}

fn write_solution<T: Scalar>(
    path: &Path,
    x: MatRef<'_, T>,
    values: impl FnOnce(Vec<T>) -> Values,
) -> Result<(), Failure> {
    let elements = x.col_iter().flat_map(|column| column.iter()).copied().collect();
    let solution = Coordinates::array(x.nrows(), x.ncols(), values(elements));
    File::create(path)
        .and_then(|file| matrix_market::write(&solution, BufWriter::new(file)))
        .map_err(|error| Failure::file("cannot write the solution to", path, error))
}
