//! `affinimath-mpi solve`: a linear system from files, over all ranks.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use affinimath::sparse::matrix_market::{self, Coordinates, Field, Header, Reader, Symmetry, Values};
use affinimath::sparse::{Jacobi, LinearOperator, Outcome};
use affinimath::{Buffer, Complex64, Context, Ic0, Ilu0, Op, Scalar, Triangle, VectorMut, VectorRef};
use affinimath_bench::Failure;
use affinimath_bench::json::JsonOption;
use affinimath_bench::replace::check_folder;
use affinimath_bench::stdout::print;
use affinimath_mpi::{
    BlockJacobi, DistCsr, DistMatrix, DistVector, Error, Grid, MatrixLayout, Memory, Partition, Result, SolveOptions,
    bicgstab, cg, gesv, gmres, minres, posv,
};
use serde_json::json;

use crate::on_one_rank;

/// The text below the options.
pub const HELP: &str = "\
A is a Matrix Market file in the coordinate format, of which each rank reads and parses its part. b is one in the array
format. Ranks have blocks of adjacent rows. `lu` and `cholesky` solve with a dense matrix over all ranks.

Preconditioners are those of each rank's block on the diagonal, so that iterations depend on the number of ranks.
The exit code is 1 where the residual is not as small as was asked for.";

/// Rows and columns of a dense matrix' blocks.
const BLOCK: usize = 64;

/// The arguments of `affinimath-mpi solve`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The matrix, a Matrix Market file that all ranks can read
    #[arg(value_name = "A.mtx")]
    matrix: PathBuf,
    /// The right-hand side; without it b is A times ones
    #[arg(value_name = "b.mtx")]
    right_side: Option<PathBuf>,
    /// Write the solution to this file
    #[arg(short, long, value_name = "x.mtx")]
    output: Option<PathBuf>,
    /// Method of solution
    #[arg(long, value_enum, default_value = "auto")]
    method: Method,
    /// Preconditioner of the iterations
    #[arg(long, alias = "precondition", value_enum, default_value = "none")]
    precond: Preconditioner,
    /// Iterate until ||b - A x|| is this part of ||b||
    #[arg(long, value_name = "TOLERANCE", default_value = "1e-10", value_parser = tolerance)]
    #[arg(allow_negative_numbers = true)]
    tol: f64,
    /// The most iterations [default: ten times the order]
    #[arg(long, value_name = "COUNT")]
    max_iter: Option<usize>,
    /// Vectors of GMRES between two restarts
    #[arg(long, value_name = "VECTORS", default_value = "30", value_parser = clap::value_parser!(u32).range(1..))]
    restart: u32,
    /// Memory of the matrix and vectors in iterations, which run there
    #[arg(long, value_enum, value_name = "MEMORY", default_value = "host")]
    memory: crate::MemoryName,
    #[command(flatten)]
    json: JsonOption,
}

/// The value of `--method`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// Conjugate gradients where the file says that A is symmetric or Hermitian, else GMRES
    Auto,
    /// Conjugate gradients: for Hermitian positive definite matrices
    Cg,
    /// Minimal residuals: for Hermitian matrices
    Minres,
    /// Stabilised biconjugate gradients
    Bicgstab,
    /// Generalised minimal residuals
    Gmres,
    /// LU factors of a dense matrix
    Lu,
    /// Cholesky factors of a dense matrix: for Hermitian positive definite ones
    Cholesky,
}

/// The value of `--precond`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Preconditioner {
    /// Nothing
    None,
    /// The inverse of the diagonal
    Jacobi,
    /// Sparse factors of each rank's block
    BlockJacobi,
    /// Incomplete Cholesky factors of each rank's block: for positive definite matrices
    Ic0,
    /// Incomplete LU factors of each rank's block
    Ilu0,
}

/// The name of a choice, as it is written.
fn named<E: clap::ValueEnum>(choice: E) -> String {
    choice.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn tolerance(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a real value is expected".to_owned())?;
    if value >= 0.0 && value.is_finite() { Ok(value) } else { Err("a value of at least 0 is expected".to_owned()) }
}

/// How a system was solved.
struct Solved<T: Scalar> {
    x: DistVector<T>,
    /// Of iterations.
    outcome: Option<Outcome>,
    relative_residual: f64,
    seconds: [f64; 3],
}

/// Reads, solves and reports.
///
/// # Errors
/// Errors of files and options, and a residual that is not small, the same on all ranks.
pub fn run(grid: &Grid, arguments: &Arguments) -> Result<()> {
    let direct = matches!(arguments.method, Method::Lu | Method::Cholesky);
    if direct && arguments.precond != Preconditioner::None {
        return Err(Error::Local("--precond helps iterations: choose them by --method".to_owned()));
    }
    if direct && arguments.memory.memory() == Memory::Device {
        return Err(Error::Local("--memory device is for iterations: choose them by --method".to_owned()));
    }
    on_one_rank(grid, || {
        arguments.output.as_deref().map_or(Ok(()), check_folder)?;
        arguments.json.check_folder()
    })?;
    let headers = Files::open(arguments);
    let own = headers.as_ref().map(drop).map_err(Clone::clone);
    grid.agree_on("affinimath-mpi", &[], own)?;
    let files = headers?;
    match files.is_complex() {
        true => solve::<Complex64>(grid, arguments, &files, Values::Complex),
        false => solve::<f64>(grid, arguments, &files, Values::Real),
    }
}

/// Headers of the system's files.
struct Files {
    matrix: Header,
    right_side: Option<Header>,
}

impl Files {
    fn open(arguments: &Arguments) -> Result<Self> {
        let matrix = header(&arguments.matrix)?;
        let right_side = arguments.right_side.as_deref().map(header).transpose()?;
        let Header { rows, columns, .. } = matrix;
        let path = arguments.matrix.display();
        if rows != columns || rows == 0 {
            return Err(Error::Local(format!("{path}: the matrix is {rows} by {columns}: a square one is solved")));
        }
        if let (Some(b), Some(path)) = (&right_side, &arguments.right_side)
            && (b.rows, b.columns) != (rows, 1)
        {
            let path = path.display();
            let size = format!("{} by {}", b.rows, b.columns);
            return Err(Error::Local(format!("{path}: b is {size}, and a vector of {rows} elements is needed")));
        }
        Ok(Files { matrix, right_side })
    }

    fn is_complex(&self) -> bool {
        [Some(&self.matrix), self.right_side.as_ref()].into_iter().flatten().any(|file| file.field == Field::Complex)
    }

    fn is_hermitian(&self) -> bool {
        match self.matrix.symmetry {
            Symmetry::Hermitian => true,
            Symmetry::Symmetric => self.matrix.field != Field::Complex,
            _ => false,
        }
    }
}

fn header(path: &Path) -> Result<Header> {
    let file = File::open(path).map_err(|error| Error::Local(Failure::file("cannot open", path, error).0))?;
    let reader = Reader::new(file).map_err(|error| Error::Local(format!("{}: {error}", path.display())))?;
    Ok(*reader.header())
}

fn solve<T: Scalar>(
    grid: &Grid,
    arguments: &Arguments,
    files: &Files,
    values: impl FnOnce(Vec<T>) -> Values,
) -> Result<()> {
    let start = Instant::now();
    let a = DistCsr::<T>::read_matrix_market(grid, &arguments.matrix).map_err(|error| match error {
        Error::Argument { reason, .. } => Error::Local(format!("{}: {reason}", arguments.matrix.display())),
        error => error,
    })?;
    let b = right_side(grid, arguments, &a)?;
    let read = start.elapsed().as_secs_f64();
    let method = match arguments.method {
        Method::Auto if files.is_hermitian() => Method::Cg,
        Method::Auto => Method::Gmres,
        method => method,
    };
    let mut solved = match method {
        Method::Lu | Method::Cholesky => by_factors(grid, method, &a, &b)?,
        method => by_iterations(grid, arguments, method, &a, &b)?,
    };
    solved.seconds[0] = read;
    report(grid, arguments, files, method, &solved)?;
    write(grid, arguments, &solved.x, values)?;
    match &solved.outcome {
        Some(outcome) if !outcome.converged() => {
            let residual = outcome.relative_residual;
            Err(Error::Local(format!("not solved: {} {}, residual {residual:.1e}", named(method), outcome.reason)))
        }
        _ => Ok(()),
    }
}

/// b, of which each rank keeps its part; A times ones without a file.
fn right_side<T: Scalar>(grid: &Grid, arguments: &Arguments, a: &DistCsr<T>) -> Result<DistVector<T>> {
    let Some(path) = &arguments.right_side else {
        let ones = DistVector::from_fn(grid, a.columns(), |_| T::ONE)?;
        let mut b = DistVector::zeros(grid, a.rows())?;
        a.multiply(Op::NoTrans, T::ONE, &ones, T::ZERO, &mut b)?;
        return Ok(b);
    };
    let read = || -> Result<Vec<T>> {
        let file = File::open(path).map_err(|error| Error::Local(Failure::file("cannot open", path, error).0))?;
        let file = matrix_market::read(file).map_err(|error| Error::Local(format!("{}: {error}", path.display())))?;
        Ok(file.to_dense::<T>()?)
    };
    let all = read();
    grid.agree_on("affinimath-mpi", &[], all.as_ref().map(drop).map_err(Clone::clone))?;
    let all = all?;
    DistVector::from_fn(grid, a.rows(), |row| all[row])
}

/// A preconditioner of a rank's block; none of an empty one.
struct Local<P>(Option<P>, Context);

impl<T: Scalar, P: LinearOperator<T>> LinearOperator<T> for Local<P> {
    fn context(&self) -> &Context {
        &self.1
    }

    fn rows(&self) -> usize {
        self.0.as_ref().map_or(0, LinearOperator::rows)
    }

    fn columns(&self) -> usize {
        self.0.as_ref().map_or(0, LinearOperator::columns)
    }

    fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> affinimath::Result<()> {
        self.0.as_ref().map_or(Ok(()), |own| own.apply(op, x, y))
    }

    fn diagonal(&self) -> Option<&Buffer<T>> {
        self.0.as_ref().and_then(LinearOperator::diagonal)
    }
}

/// The inverse of the diagonal, on a rank's rows.
struct Diagonal<T>(Vec<T>, Context);

impl<T: Scalar> Diagonal<T> {
    fn new(grid: &Grid, a: &DistCsr<T>) -> Result<Self> {
        let rows = a.rows().range(grid.rank());
        let mut inverse = vec![T::ZERO; rows.len()];
        a.for_each_entry(|row, column, value| {
            if row == column {
                inverse[row - rows.start] = value;
            }
        })?;
        let zero = inverse.iter().position(|value| *value == T::ZERO).map(|row| rows.start + row + 1);
        let own = match zero {
            Some(row) => Err(Error::Local(format!("--precond jacobi: row {row} has no element on the diagonal"))),
            None => Ok(()),
        };
        grid.agree_on("affinimath-mpi", &[], own)?;
        inverse.iter_mut().for_each(|value| *value = T::ONE / *value);
        Ok(Diagonal(inverse, Context::host()))
    }
}

impl<T: Scalar> LinearOperator<T> for Diagonal<T> {
    fn context(&self) -> &Context {
        &self.1
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn columns(&self) -> usize {
        self.0.len()
    }

    fn apply(&self, op: Op, x: VectorRef<'_, T>, mut y: VectorMut<'_, T>) -> affinimath::Result<()> {
        let adjacent = || affinimath::Error::ShapeMismatch("a vector's elements are not adjacent".to_owned());
        let x = x.as_slice().ok_or_else(adjacent)?;
        let y = y.as_slice_mut().ok_or_else(adjacent)?;
        for ((y, x), inverse) in y.iter_mut().zip(x).zip(&self.0) {
            let own = if op.conjugates() { inverse.conjugate() } else { *inverse };
            *y = own * *x;
        }
        Ok(())
    }
}

/// Makes a preconditioner of each rank's block, which has rows.
fn local<T: Scalar, P: LinearOperator<T> + 'static>(
    grid: &Grid,
    a: &DistCsr<T>,
    make: impl FnOnce() -> affinimath::Result<P>,
) -> Result<Box<dyn LinearOperator<T>>> {
    let made = if a.interior().rows() > 0 { make().map(Some).map_err(Error::from) } else { Ok(None) };
    grid.agree_on("affinimath-mpi", &[], made.as_ref().map(drop).map_err(Clone::clone))?;
    Ok(Box::new(Local(made?, a.interior().context().clone())))
}

fn by_iterations<T: Scalar>(
    grid: &Grid,
    arguments: &Arguments,
    method: Method,
    a: &DistCsr<T>,
    b: &DistVector<T>,
) -> Result<Solved<T>> {
    let start = Instant::now();
    let moved = match arguments.memory.memory() {
        Memory::Host => None,
        Memory::Device => Some(a.to_memory(Memory::Device)?),
    };
    let a = moved.as_ref().unwrap_or(a);
    let preconditioner: Option<Box<dyn LinearOperator<T>>> = match arguments.precond {
        Preconditioner::None => None,
        Preconditioner::Jacobi if moved.is_some() => Some(local(grid, a, || Jacobi::new(a.interior()))?),
        Preconditioner::Jacobi => Some(Box::new(Diagonal::new(grid, a)?)),
        Preconditioner::Ic0 => Some(local(grid, a, || Ic0::new(a.interior()))?),
        Preconditioner::Ilu0 => Some(local(grid, a, || Ilu0::new(a.interior()))?),
        Preconditioner::BlockJacobi => Some(Box::new(BlockJacobi::new(a)?)),
    };
    let set_up = start.elapsed().as_secs_f64();
    let mut options = SolveOptions::new().rtol(arguments.tol).restart(arguments.restart as usize);
    if let Some(iterations) = arguments.max_iter {
        options = options.max_iterations(iterations);
    }
    if let Some(preconditioner) = &preconditioner {
        options = options.preconditioner(preconditioner.as_ref());
    }
    let mut x = DistVector::zeros(grid, a.columns())?;
    let start = Instant::now();
    let outcome = match method {
        Method::Minres => minres(a, b, &mut x, &options)?,
        Method::Bicgstab => bicgstab(a, b, &mut x, &options)?,
        Method::Gmres => gmres(a, b, &mut x, &options)?,
        _ => cg(a, b, &mut x, &options)?,
    };
    let seconds = [0.0, set_up, start.elapsed().as_secs_f64()];
    Ok(Solved { x, outcome: Some(outcome), relative_residual: outcome.relative_residual, seconds })
}

/// Solves with a dense matrix. A rank's rows of A are its columns of the transpose.
fn by_factors<T: Scalar>(grid: &Grid, method: Method, a: &DistCsr<T>, b: &DistVector<T>) -> Result<Solved<T>> {
    let start = Instant::now();
    let (n, ranks) = (a.rows().length(), grid.size());
    let each = n.div_ceil(ranks);
    let own = (grid.rank() * each).min(n)..((grid.rank() + 1) * each).min(n);
    let partition = Partition::from_own_length(grid, own.len())?;
    let mut entries = Vec::new();
    a.for_each_entry(|row, column, value| entries.push((row, column, value)))?;
    let rows = DistCsr::from_entries(grid, &partition, &partition, &entries)?;
    let mut transpose = DistMatrix::<T>::zeros(grid, MatrixLayout::new(grid, (n, n), (n, each))?)?;
    let ld = transpose.leading_dimension();
    let local = transpose.local_mut();
    rows.for_each_entry(|row, column, value| local[(row - own.start) * ld + column] = value)?;
    let mut dense = transpose.redistribute(Op::Trans, MatrixLayout::new(grid, (n, n), (BLOCK, BLOCK))?)?;
    let all = b.to_all()?;
    let mut right = DistMatrix::from_fn(grid, MatrixLayout::new(grid, (n, 1), (BLOCK, BLOCK))?, |row, _| all[row])?;
    let set_up = start.elapsed().as_secs_f64();
    let start = Instant::now();
    match method {
        Method::Cholesky => posv(Triangle::Lower, &mut dense, &mut right)?,
        _ => drop(gesv(&mut dense, &mut right)?),
    }
    let seconds = [0.0, set_up, start.elapsed().as_secs_f64()];
    let whole = right.gather(0)?.unwrap_or_default();
    let mut x = DistVector::zeros(grid, a.columns())?;
    // All of x lies on rank 0: a vector in the partition that has it there.
    let spread = DistVector::from_local(grid, whole)?.to_all()?;
    let first = a.columns().range(grid.rank()).start;
    x.local_mut().iter_mut().enumerate().for_each(|(index, value)| *value = spread[first + index]);
    let mut residual = b.clone();
    a.multiply(Op::NoTrans, -T::ONE, &x, T::ONE, &mut residual)?;
    let (size, norm) = (residual.norm()?, b.norm()?);
    let relative_residual = if size == 0.0 { 0.0 } else { size / norm };
    Ok(Solved { x, outcome: None, relative_residual, seconds })
}

fn report<T: Scalar>(
    grid: &Grid,
    arguments: &Arguments,
    files: &Files,
    method: Method,
    solved: &Solved<T>,
) -> Result<()> {
    let Header { rows, entries, .. } = files.matrix;
    let iterations = solved.outcome.map(|outcome| outcome.iterations);
    let reason = solved.outcome.map(|outcome| outcome.reason.to_string());
    let [read, set_up, solve] = solved.seconds;
    let (name, precond) = (named(method), named(arguments.precond));
    let fields = json!({
        "rows": rows, "entries": entries, "ranks": grid.size(), "method": name, "precond": precond,
        "iterations": iterations, "reason": reason, "relative_residual": solved.relative_residual,
        "seconds": { "read": read, "set_up": set_up, "solve": solve },
    });
    let with = if arguments.precond == Preconditioner::None { String::new() } else { format!(" with {precond}") };
    let ended = match (iterations, &reason) {
        (Some(iterations), Some(reason)) => format!("{reason} in {iterations} iterations, "),
        _ => String::new(),
    };
    let text = format!(
        "{}: {rows} by {rows}, {entries} entries, {} ranks\n{name}{with}: {ended}relative residual {:.1e}\n\
         seconds: read {read:.3}, set up {set_up:.3}, solve {solve:.3}\n",
        arguments.matrix.display(),
        grid.size(),
        solved.relative_residual,
    );
    on_one_rank(grid, || arguments.json.give("mpi-solve", fields, &text))
}

fn write<T: Scalar>(
    grid: &Grid,
    arguments: &Arguments,
    x: &DistVector<T>,
    values: impl FnOnce(Vec<T>) -> Values,
) -> Result<()> {
    let Some(path) = &arguments.output else { return Ok(()) };
    let all = x.to_all()?;
    let written = arguments.json.replaces_text();
    on_one_rank(grid, || {
        let solution = Coordinates::array(all.len(), 1, values(all));
        File::create(path)
            .and_then(|file| matrix_market::write(&solution, BufWriter::new(file)))
            .map_err(|error| Failure::file("cannot write the solution to", path, error))?;
        if written { Ok(()) } else { print(&format!("the solution is in '{}'\n", path.display())) }
    })
}
