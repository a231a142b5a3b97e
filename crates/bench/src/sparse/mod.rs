//! `affinimath bench sparse`: products of sparse matrices with vectors, and iterations of solvers.

mod cusparse;
mod data;
mod matrix;
mod mkl;
mod ours;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use affinimath::{Layout, Op, Scalar, ScalarKind};
use clap::{Args, ValueEnum};

use self::data::{Data, Operation};
use self::matrix::{Pattern, Source};
use self::mkl::MklLibrary;
use super::contender::Entrant;
use super::error::BenchError;
use super::levels::{ForType, for_type};
use super::options::{CommonArguments, PeerSpec, TypeLetter};
use super::peers::CuSparseLibrary;
use super::plot::Rates;
use super::report::{CaseReport, ContenderFacts, Report};
use super::runner::{Schedule, race};
use super::session::{self, Audience, Measured};
use super::sizes::Sizes;
use super::table::Table;
use super::target::Target;

/// Text after the options of `--help`.
pub const HELP: &str = "
Routines:
  csrmv n, t   y := A x, y := A^T x
  csrmm n      C := A B, for a dense B of --vectors columns, stored by rows or, with --layout column, by columns
  cg, minres   --iterations of them from x = 0, without a preconditioner, on matrices that are positive definite: \
Poisson's. Of files when
               they are named with --routines

GB/s count the bytes that a product needs: each value with its 32-bit index once, the row pointers once, x once and y \
once. For
iterations they count a product each, and 10 (cg) or 15 (minres) vectors in addition; the time has the residuals \
before and after, too.
The time of one iteration alone is the difference of two runs with more and fewer of them.
The matrix is in the memory of the computing device. With --memory host and a device, each call copies x there and y \
back.

A peer is mkl, with the path of libmkl_rt.so, or cusparse, with the path of libcusparse.so (and after colons what it \
needs). They have no
iterations.

Examples:
  affinimath bench sparse --types s,d --against mkl=/path/libmkl_rt.so.2:/path/libiomp5.so
  affinimath bench sparse --device nvidia --poisson3d 64..256*2 --against cusparse=/path/libcusparse.so.12 --plot \
sparse.svg
  affinimath bench sparse --file matrix.mtx --routines csrmv,minres";

/// The arguments of `affinimath bench sparse`.
#[derive(Args)]
pub struct SparseArguments {
    /// Routines, by default all.
    #[arg(long, value_delimiter = ',', value_enum, value_name = "NAME")]
    routines: Vec<Routine>,
    /// Element types; by default s,d if the device has fp64, else s.
    #[arg(long, value_delimiter = ',', value_name = "s,d,c,z")]
    types: Vec<TypeLetter>,
    /// Five-point stencils on squares, by the points of an edge [default, without any matrix: 300,1000].
    #[arg(long, value_delimiter = ',', value_name = "SIZES")]
    poisson2d: Vec<Sizes>,
    /// Seven-point stencils on cubes, by the points of an edge [default, without any matrix: 50,100].
    #[arg(long, value_delimiter = ',', value_name = "SIZES")]
    poisson3d: Vec<Sizes>,
    /// Rows of a matrix whose row lengths follow a power law, with columns anywhere [default, without any matrix:
    /// 100000,1000000].
    #[arg(long, value_delimiter = ',', value_name = "SIZES")]
    power_law: Vec<Sizes>,
    /// A Matrix Market file; may be given several times.
    #[arg(long, value_name = "FILE.mtx")]
    file: Vec<PathBuf>,
    /// Columns of the dense matrices of csrmm, as in 1,4,8,32,64.
    #[arg(long, value_delimiter = ',', default_value = "8", value_parser = clap::value_parser!(u16).range(1..=1024))]
    vectors: Vec<u16>,
    /// Layouts of the dense matrices of csrmm.
    #[arg(long, value_delimiter = ',', value_enum, default_value = "row")]
    layout: Vec<DenseLayout>,
    /// Iterations of cg and minres.
    #[arg(long, default_value = "20", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    #[command(flatten)]
    common: CommonArguments,
}

/// Layout of a dense matrix, by the name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DenseLayout {
    Row,
    Column,
}

impl DenseLayout {
    const fn layout(self) -> Layout {
        match self {
            DenseLayout::Row => Layout::RowMajor,
            DenseLayout::Column => Layout::ColumnMajor,
        }
    }
}

/// A routine as the user names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Routine {
    Csrmv,
    Csrmm,
    Cg,
    Minres,
}

impl SparseArguments {
    /// The matrices.
    fn sources(&self) -> Vec<Source> {
        let sizes = |of: &[Sizes]| of.iter().flat_map(|sizes| sizes.0.clone()).collect::<Vec<usize>>();
        let mut sources: Vec<Source> = sizes(&self.poisson2d).into_iter().map(Source::Poisson2).collect();
        sources.extend(sizes(&self.poisson3d).into_iter().map(Source::Poisson3));
        sources.extend(sizes(&self.power_law).into_iter().map(Source::PowerLaw));
        sources.extend(self.file.iter().cloned().map(Source::File));
        if sources.is_empty() {
            sources.extend([300, 1000].map(Source::Poisson2));
            sources.extend([50, 100].map(Source::Poisson3));
            sources.extend([100_000, 1_000_000].map(Source::PowerLaw));
        }
        sources
    }

    /// Quantities measured on a matrix.
    fn operations(&self, source: &Source) -> Vec<Operation> {
        let mut all =
            vec![(Routine::Csrmv, Operation::Vector(Op::NoTrans)), (Routine::Csrmv, Operation::Vector(Op::Trans))];
        for layout in &self.layout {
            let dense = |columns: &u16| (Routine::Csrmm, Operation::Dense((*columns).into(), layout.layout()));
            all.extend(self.vectors.iter().map(dense));
        }
        all.push((Routine::Cg, Operation::Cg(self.iterations as usize)));
        all.push((Routine::Minres, Operation::Minres(self.iterations as usize)));
        // True if a file's matrix is what the methods ask for, the user may know.
        let may_solve =
            |routine| source.is_definite() || (matches!(source, Source::File(_)) && self.routines.contains(&routine));
        let asked = all.into_iter().filter(|(routine, operation)| {
            (self.routines.is_empty() || self.routines.contains(routine))
                && (operation.iterations().is_none() || may_solve(*routine))
        });
        asked.map(|(_, operation)| operation).collect()
    }
}

/// Another library that is measured.
enum Library {
    /// MKL.
    Mkl(MklLibrary),
    /// cuSPARSE.
    CuSparse(CuSparseLibrary),
}

impl Library {
    /// Loads what the user names. The name tells the interface: `cusparse` has its own, all others MKL's.
    fn load(spec: &PeerSpec, target: &Target) -> Result<Self, BenchError> {
        if spec.python_library().is_some() {
            return Err(BenchError::only_in(&spec.name, "array"));
        }
        match spec.name.to_ascii_lowercase().as_str() {
            "cusparse" => Ok(Library::CuSparse(CuSparseLibrary::load(spec, target)?)),
            name if spec.has_only_transforms() || ["faer", "clblast", "cublas", "cusolver"].contains(&name) => {
                let problem = format!("{} has no sparse matrices: give mkl or cusparse, with its path", spec.name);
                Err(BenchError::Options(problem))
            }
            _ => Ok(Library::Mkl(MklLibrary::load(spec)?)),
        }
    }

    fn info(&self) -> ContenderFacts {
        match self {
            Library::Mkl(library) => library.info(),
            Library::CuSparse(library) => library.info(),
        }
    }

    fn entrant<'a, T: Scalar>(&'a self, data: &Arc<Data<T>>) -> Entrant<'a> {
        match self {
            Library::Mkl(library) => mkl::entrant(data, library),
            Library::CuSparse(library) => cusparse::entrant(data, library),
        }
    }
}

fn without_solvers(name: &str) -> BenchError {
    BenchError::Unfit(format!("{name} has no iterations"))
}

/// A matrix, a type and an operation.
struct Case {
    kind: ScalarKind,
    pattern: Arc<Pattern>,
    operation: Operation,
}

impl Case {
    fn report(&self) -> CaseReport {
        let (routine, variant) = self.operation.name();
        let Pattern { name, rows, .. } = &*self.pattern;
        CaseReport {
            kind: self.kind,
            routine: routine.to_owned(),
            variant: format!("{variant} {name}"),
            sizes: vec![("rows".into(), *rows), ("entries".into(), self.pattern.nnz())],
            batch: None,
            size: *rows as f64,
            work: self.operation.bytes(&self.pattern, self.kind),
            traffic: None,
            roofs: Vec::new(),
            results: Vec::new(),
        }
    }
}

/// Runs the benchmark.
///
/// # Errors
/// See [`super::run`].
pub fn run(arguments: &SparseArguments, audience: &Audience) -> Result<(), BenchError> {
    let common = &arguments.common;
    let target = Target::choose(&common.device, common.memory)?;
    let libraries = common.against.iter().map(|spec| Library::load(spec, &target)).collect::<Result<Vec<_>, _>>()?;
    let kinds = TypeLetter::kinds(&arguments.types, &target);
    let mut matrices = Vec::new();
    for source in arguments.sources() {
        let pattern = Arc::new(source.pattern()?);
        if pattern.is_complex() && kinds.iter().any(|kind| !kind.is_complex()) {
            let problem = format!("the matrix {} is complex: give --types c,z", pattern.name);
            return Err(BenchError::Options(problem));
        }
        matrices.push((arguments.operations(&source), pattern));
    }
    let mut cases = Vec::new();
    for &kind in &kinds {
        for (operations, pattern) in &matrices {
            for &operation in operations {
                let case = Case { kind, pattern: pattern.clone(), operation };
                cases.push((case.report(), case));
            }
        }
    }
    let report = Report::new("sparse", "GB/s", &target, libraries.iter().map(Library::info).collect());
    let widest = cases.iter().map(|(row, _)| row.label("sparse").len()).max().unwrap_or(0);
    let largest = |size: fn(&Pattern) -> usize| matrices.iter().map(|(_, pattern)| size(pattern)).max().unwrap_or(0);
    let columns = [("rows", largest(|pattern| pattern.rows)), ("entries", largest(Pattern::nnz))];
    let table = Table::new(&report, ("routine", widest), &columns, common.first_call);
    session::run(report, &table, (common, audience), Rates::Logarithmic, cases, |case, schedule, turn| {
        for_type(case.kind, Measure { case, target: &target, libraries: &libraries, schedule, turn })
    })
}

/// Measures a case.
struct Measure<'a> {
    case: &'a Case,
    target: &'a Target,
    libraries: &'a [Library],
    schedule: &'a Schedule,
    turn: &'a mut dyn FnMut(usize),
}

impl ForType for Measure<'_> {
    type Output = Measured;

    fn run<T: Scalar>(self) -> Measured {
        let Case { pattern, operation, .. } = self.case;
        let data = Arc::new(Data::<T>::random(pattern, *operation, self.libraries.len() + 1)?);
        let mut entrants: Vec<Entrant<'_>> = vec![ours::entrant(&data, self.target)];
        entrants.extend(self.libraries.iter().map(|library| library.entrant(&data)));
        Ok(race(entrants, self.schedule, self.turn))
    }
}
