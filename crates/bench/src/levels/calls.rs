//! `affinimath bench calls`: what calls of the standard BLAS names cost, from one element on, in our drop-in library
//! against others.
//!
//! Ours is loaded and called as theirs are, by CBLAS's names, so that what is measured is what a program sees.

use std::path::PathBuf;
use std::sync::Arc;

use affinimath::{Scalar, ScalarKind};
use clap::Args;

use super::data::Data;
use super::routine::Routine;
use super::{ForType, LEVELS, exists, for_type, interface, names, routines};
use crate::error::BenchError;
use crate::options::{CommonArguments, PeerSpec, TypeLetter};
use crate::peers::Peer;
use crate::plot::Rates;
use crate::report::{CaseReport, Report};
use crate::runner::{Schedule, race};
use crate::session::{self, Audience, Measured};
use crate::sizes::Sizes;
use crate::table::Table;
use crate::target::{MemoryChoice, Target};

/// The names of the routines of all levels, for both kinds of types.
fn all_names() -> impl Iterator<Item = &'static str> {
    LEVELS.into_iter().flat_map(names)
}

fn known(text: &str) -> Result<String, String> {
    let name = text.to_ascii_lowercase();
    if all_names().any(|known| known == name) {
        return Ok(name);
    }
    Err(format!("there are {}", all_names().collect::<Vec<_>>().join(", ")))
}

fn help_on_routines() -> String {
    format!("Routines, by default all: {}", all_names().collect::<Vec<_>>().join(", "))
}

/// The drop-in library's file.
pub const FILE: &str = "libaffinimath_blas.so";

/// Text after the options of `affinimath bench calls --help`.
pub const HELP: &str = "
Our library is libaffinimath_blas.so, which programs load in place of their BLAS; it is called by CBLAS's names, as \
are the others.
AFFINIMATH_ROUTE and AFFINIMATH_DEVICE say where it computes, as in any program.

Examples:
  affinimath bench calls --against openblas=/usr/lib/x86_64-linux-gnu/libopenblas.so.0
  affinimath bench calls --routines gemm --types s,d,c,z --sizes 1..32+1 --against openblas=/path/lib.so --plot \
calls.svg";

/// The arguments of `affinimath bench calls`.
#[derive(Args)]
pub struct CallArguments {
    /// Our drop-in library; by default the one in this program's folder, or in the folder ../lib.
    #[arg(long, value_name = "/path/libaffinimath_blas.so")]
    library: Option<PathBuf>,
    /// Routines, by default all. Each as it is called for real or for complex types.
    #[arg(long, value_delimiter = ',', value_name = "NAME", value_parser = known, help = help_on_routines())]
    routines: Vec<String>,
    /// Element types.
    #[arg(long, value_delimiter = ',', value_name = "s,d,c,z", default_value = "d")]
    types: Vec<TypeLetter>,
    /// Lengths of vectors, and rows and columns of matrices: 256, 512..4096*2, 64..512+64.
    #[arg(long, value_delimiter = ',', value_name = "SIZES", default_value = "1..4096*2")]
    sizes: Vec<Sizes>,
    #[command(flatten)]
    common: CommonArguments,
}

/// A routine, a type and a size.
struct Case {
    kind: ScalarKind,
    level: usize,
    /// The row's index in the level's table.
    row: usize,
    n: usize,
}

/// Runs the benchmark.
///
/// # Errors
/// See [`crate::run`].
pub fn run(arguments: &CallArguments, audience: &Audience) -> Result<(), BenchError> {
    let common = &arguments.common;
    if common.device != "auto" || common.memory.is_some() {
        let problem = "bench calls has no --device and no --memory: AFFINIMATH_ROUTE and AFFINIMATH_DEVICE say where \
         the library computes";
        return Err(BenchError::Options(problem.to_owned()));
    }
    let target = Target { device: None, memory: MemoryChoice::Host, automatic: false };
    let ours = PeerSpec { name: "affinimath".to_owned(), paths: vec![arguments.library()?] };
    let load = |spec: &PeerSpec| Peer::load(spec, &target);
    let libraries = std::iter::once(&ours).chain(&common.against).map(load).collect::<Result<Vec<_>, BenchError>>()?;
    let rows = arguments.rows();
    let mut cases = Vec::new();
    for kind in TypeLetter::kinds(&arguments.types, &target) {
        let existing: Vec<_> = rows.iter().copied().filter(|(level, row)| exists(*level, *row, kind)).collect();
        for_type(kind, Require { rows: &existing, libraries: &libraries })?;
        for (level, row) in existing {
            if !for_type(kind, IsNamed { level, row, library: &libraries[0] }) {
                continue;
            }
            for &n in arguments.sizes.iter().flat_map(|sizes| &sizes.0) {
                let case = Case { kind, level, row, n };
                cases.push((for_type(kind, Describe(&case)), case));
            }
        }
    }
    let mut report = Report::new("calls", "kcalls/s", &target, libraries[1..].iter().map(Peer::info).collect());
    report.contenders[0].path = ours.paths.first().cloned();
    let widest = cases.iter().map(|(row, _)| row.label("calls").len()).max().unwrap_or(0);
    let largest = cases.iter().map(|(_, case)| case.n).max().unwrap_or(0);
    let table = Table::new(&report, ("routine", widest), &[("n", largest)], common.first_call);
    session::run(report, &table, (common, audience), Rates::Logarithmic, cases, |case, schedule, turn| {
        for_type(case.kind, Measure { case, libraries: &libraries, schedule, turn })
    })
}

impl CallArguments {
    fn library(&self) -> Result<PathBuf, BenchError> {
        if let Some(path) = &self.library {
            return Ok(path.clone());
        }
        let program = std::env::current_exe().unwrap_or_default();
        let own_folder = program.ancestors().nth(1).map(|folder| folder.join(FILE));
        let installed = program.ancestors().nth(2).map(|folder| folder.join("lib").join(FILE));
        own_folder.into_iter().chain(installed).find(|path| path.is_file()).ok_or_else(|| {
            BenchError::Options(format!("{FILE} is not in this program's folder: name it with --library"))
        })
    }

    /// The selected rows, by level and index.
    fn rows(&self) -> Vec<(usize, usize)> {
        let asked =
            |names: [&str; 2]| self.routines.is_empty() || self.routines.iter().any(|asked| names.contains(&&**asked));
        let mut rows = Vec::new();
        for level in LEVELS {
            let found = routines::<f32>(level).iter().enumerate().filter(|(_, routine)| asked(routine.names));
            rows.extend(found.map(|(row, _)| (level, row)));
        }
        rows
    }
}

/// Looks at the libraries before the first measurement.
struct Require<'a> {
    rows: &'a [(usize, usize)],
    libraries: &'a [Peer],
}

impl ForType for Require<'_> {
    type Output = Result<(), BenchError>;

    fn run<T: Scalar>(self) -> Self::Output {
        let asked: Vec<&Routine<T>> = self.rows.iter().map(|&(level, row)| &routines::<T>(level)[row]).collect();
        self.libraries.iter().try_for_each(|library| interface::require(library, &asked))
    }
}

/// Tells whether a library has a routine under a CBLAS name. Complex symv and syr have none: they are LAPACK's.
struct IsNamed<'a> {
    level: usize,
    row: usize,
    library: &'a Peer,
}

impl ForType for IsNamed<'_> {
    type Output = bool;

    fn run<T: Scalar>(self) -> bool {
        interface::require(self.library, &[&routines::<T>(self.level)[self.row]]).is_ok()
    }
}

/// Description of a case in reports.
struct Describe<'a>(&'a Case);

impl ForType for Describe<'_> {
    type Output = CaseReport;

    fn run<T: Scalar>(self) -> CaseReport {
        let Case { kind, level, row, n } = *self.0;
        // A rate is 1e-9 of this a second: so it counts thousands of calls.
        CaseReport { work: 1e6, ..super::describe(&routines::<T>(level)[row], kind, n) }
    }
}

/// Measures a case.
struct Measure<'a> {
    case: &'a Case,
    libraries: &'a [Peer],
    schedule: &'a Schedule,
    turn: &'a mut dyn FnMut(usize),
}

impl ForType for Measure<'_> {
    type Output = Measured;

    fn run<T: Scalar>(self) -> Measured {
        let routine = &routines::<T>(self.case.level)[self.case.row];
        let data = Arc::new(Data::<T>::random(routine, self.case.n, self.libraries.len())?);
        let entrants = self.libraries.iter().map(|library| interface::entrant(&data, library)).collect();
        Ok(race(entrants, self.schedule, self.turn))
    }
}
