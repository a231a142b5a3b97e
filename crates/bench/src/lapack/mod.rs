//! `affinimath bench lapack`: factorisations, inverses from them, and eigenvalues.
//!
//! A factorisation takes the matrix's place, so that each call begins with a new copy, which is not timed.

mod cusolver;
mod data;
mod fortran;
mod ours;
mod routine;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use affinimath::{Scalar, ScalarKind};
use clap::Args;

use self::data::Data;
use self::routine::Routine;
use super::checks::Check;
use super::contender::Entrant;
use super::error::BenchError;
use super::levels::{ForType, for_type};
use super::options::{CommonArguments, TypeLetter};
use super::peers::Peer;
use super::plot::Rates;
use super::report::{CaseReport, Report};
use super::runner::{Schedule, race};
use super::session::{self, Audience, Measured};
use super::sizes::MatrixSizes;
use super::table::Table;
use super::target::Target;

/// The arguments of `affinimath bench lapack`.
#[derive(Args)]
pub struct LapackArguments {
    /// Which routines; by default all.
    #[arg(long, value_delimiter = ',', value_parser = known, value_name = "NAME")]
    routines: Vec<Routine>,
    /// Element types; by default s,d if the device has fp64, else s.
    #[arg(long, value_delimiter = ',', value_name = "s,d,c,z")]
    types: Vec<TypeLetter>,
    /// Rows and columns: 256, 512..4096*2, 64..512+64, or MxN for what is not square
    #[arg(long, value_delimiter = ',', value_name = "SIZES", default_value = "256..2048*2")]
    sizes: Vec<MatrixSizes>,
    #[command(flatten)]
    common: CommonArguments,
}

/// The names of the routines.
#[cfg(test)]
pub fn names() -> impl Iterator<Item = &'static str> {
    // A routine has one name, whatever it computes.
    Routine::ALL.into_iter().map(Routine::name).filter(|name| !name.contains('-'))
}

/// Text after the options of `--help`.
pub fn help() -> String {
    let mut help = "Routines:\n".to_owned();
    for routine in Routine::ALL {
        help += &format!("  {:<11}  {}\n", routine.name(), routine.formula());
    }
    help + "
Operations are real additions and multiplications, four times as many for complex types. Each call works on \
a new copy
of the matrix, which is not timed. A peer is any LAPACK with Fortran's names, or cuSOLVER (its path, and after colons \
what it
needs).

Examples:
  affinimath bench lapack --sizes 256..4096*2 --against openblas=/usr/lib/x86_64-linux-gnu/libopenblas.so.0
  affinimath bench lapack --routines getrf,potrf,geqrf --types s,d --device nvidia --plot lapack.svg
  affinimath bench lapack --routines syev,syev-values --types d --sizes 1024..8192*2 --against \
cusolver=/usr/local/cuda/lib64/libcusolver.so
  affinimath bench lapack --routines getrf,geqrf,gels,geqp3,gelsy --sizes 16384x1024,1024x16384"
}

fn known(text: &str) -> Result<Routine, String> {
    let found = Routine::ALL.into_iter().find(|routine| text.eq_ignore_ascii_case(routine.name()));
    found.ok_or_else(|| format!("there are {}", Routine::ALL.map(Routine::name).join(", ")))
}

/// Calls each routine once.
pub fn checks<T: Scalar>(target: &Target) -> Vec<Check> {
    /// Several panels, and a part of one.
    const SIZE: usize = 201;
    let check = |routine: Routine| {
        let entrant =
            Data::<T>::random(routine, (SIZE, SIZE), 1).and_then(|data| ours::entrant(&Arc::new(data), target));
        Check::once(routine.name().to_owned(), entrant)
    };
    Routine::ALL.into_iter().map(check).collect()
}

/// A routine, a type and a size.
struct Case {
    kind: ScalarKind,
    routine: Routine,
    /// Rows and columns.
    size: (usize, usize),
}

/// Runs the benchmark.
///
/// # Errors
/// See [`super::run`].
pub fn run(arguments: &LapackArguments, audience: &Audience) -> Result<(), BenchError> {
    let common = &arguments.common;
    let target = Target::choose(&common.device, common.memory)?;
    let peers = common.against.iter().map(|spec| Peer::load(spec, &target)).collect::<Result<Vec<_>, _>>()?;
    let routines = if arguments.routines.is_empty() { &Routine::ALL[..] } else { &arguments.routines };
    let sizes: Vec<(usize, usize)> = arguments.sizes.iter().flat_map(|sizes| sizes.0.clone()).collect();
    let squares = sizes.iter().all(|(m, n)| m == n);
    if let Some(routine) = arguments.routines.iter().find(|routine| routine.is_square() && !squares) {
        let name = routine.name();
        return Err(BenchError::Options(format!("{name} needs square matrices: --sizes has others")));
    }
    let mut cases = Vec::new();
    for kind in TypeLetter::kinds(&arguments.types, &target) {
        for &routine in routines {
            require(&peers, routine, kind)?;
            let sizes = sizes.iter().filter(|(m, n)| m == n || !routine.is_square());
            cases.extend(sizes.map(|&size| (describe(kind, routine, size, !squares), Case { kind, routine, size })));
        }
    }
    let report = Report::new("lapack", "GFLOP/s", &target, peers.iter().map(Peer::info).collect());
    let rows = ("m", sizes.iter().map(|(m, _)| *m).max().unwrap_or(0));
    let columns = ("n", sizes.iter().map(|(_, n)| *n).max().unwrap_or(0));
    let largest: &[_] = if squares { &[columns] } else { &[rows, columns] };
    let table = Table::new(&report, ("routine", 11), largest, common.first_call);
    session::run(report, &table, (common, audience), Rates::Logarithmic, cases, |case, schedule, turn| {
        for_type(case.kind, Measure { case, target: &target, peers: &peers, schedule, turn })
    })
}

/// Finds out before the first measurement that a peer is not the library it was taken for.
fn require(peers: &[Peer], routine: Routine, kind: ScalarKind) -> Result<(), BenchError> {
    for peer in peers {
        match peer {
            Peer::Cblas(library) => fortran::require(library, routine, kind)?,
            Peer::CuSolver(_) => {}
            Peer::Faer | Peer::ClBlast(_) | Peer::CuBlas(_) => return Err(without_lapack(peer)),
        }
    }
    Ok(())
}

fn without_lapack(peer: &Peer) -> BenchError {
    let name = peer.info().name;
    BenchError::Options(format!(
        "{name} is not measured here: give a LAPACK, such as OpenBLAS, or cusolver=/path/libcusolver.so"
    ))
}

/// A case without results yet.
fn describe(kind: ScalarKind, routine: Routine, (m, n): (usize, usize), with_rows: bool) -> CaseReport {
    let rows = with_rows.then(|| ("m".into(), m));
    CaseReport {
        kind,
        routine: routine.name().to_owned(),
        variant: String::new(),
        sizes: rows.into_iter().chain([("n".into(), n)]).collect(),
        batch: None,
        size: (m as f64 * n as f64).sqrt(),
        work: routine.operations(kind, (m, n)),
        traffic: None,
        roofs: Vec::new(),
        results: Vec::new(),
    }
}

/// Measures a case.
struct Measure<'a> {
    case: &'a Case,
    target: &'a Target,
    peers: &'a [Peer],
    schedule: &'a Schedule,
    turn: &'a mut dyn FnMut(usize),
}

impl ForType for Measure<'_> {
    type Output = Measured;

    fn run<T: Scalar>(self) -> Measured {
        let data = Arc::new(Data::<T>::random(self.case.routine, self.case.size, self.peers.len() + 1)?);
        let mut entrants: Vec<Entrant<'_>> = vec![ours::entrant(&data, self.target)];
        entrants.extend(self.peers.iter().map(|peer| match peer {
            Peer::Cblas(library) => fortran::entrant(&data, library),
            Peer::CuSolver(library) => cusolver::entrant(&data, library),
            Peer::Faer | Peer::ClBlast(_) | Peer::CuBlas(_) => Err(without_lapack(peer)),
        }));
        Ok(race(entrants, self.schedule, self.turn))
    }
}
