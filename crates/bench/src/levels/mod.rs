//! `affinimath bench level1`, `level2` and `level3`: the routines of a level of the BLAS.
//!
//! A [`routine::Routine`] is a row of data; what measures it, ours or another library's, is written once for all rows.

pub mod calls;
mod check;
mod data;
mod interface;
mod level1;
mod level2;
mod level3;
mod ours;
mod routine;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use affinimath::{Complex32, Complex64, Scalar, ScalarKind};
use clap::Args;

use self::data::Data;
use self::routine::Routine;
use super::checks::Check;
use super::contender::Entrant;
use super::error::BenchError;
use super::options::{CommonArguments, TypeLetter};
use super::peers::Peer;
use super::plot::Rates;
use super::report::{CaseReport, Report};
use super::runner::{Schedule, race};
use super::session::{self, Audience, Measured};
use super::sizes::Sizes;
use super::table::Table;
use super::target::Target;

/// The arguments of `affinimath bench level1` and its like.
#[derive(Args)]
pub struct LevelArguments<const LEVEL: usize> {
    /// Routines, by default all. Each as it is called for real or for complex types.
    #[arg(long, value_delimiter = ',', value_parser = known::<LEVEL>, value_name = "NAME")]
    #[arg(help = help_on_routines::<LEVEL>())]
    routines: Vec<String>,
    /// Element types; by default s,d if the device has fp64, else s.
    #[arg(long, value_delimiter = ',', value_name = "s,d,c,z")]
    types: Vec<TypeLetter>,
    /// Lengths of vectors, and rows and columns of matrices: 256, 512..4096*2, 64..512+64.
    #[arg(long, value_delimiter = ',', value_name = "SIZES", default_value = default_sizes(LEVEL))]
    sizes: Vec<Sizes>,
    #[command(flatten)]
    common: CommonArguments,
}

/// The levels that there are.
const LEVELS: [usize; 3] = [1, 2, 3];

/// A level's sizes where none are given.
const fn default_sizes(level: usize) -> &'static str {
    match level {
        1 => "4096..16777216*8",
        2 => "256..4096*2",
        _ => "256..2048*2",
    }
}

/// A level's rows.
const fn routines<T: Scalar>(level: usize) -> &'static [Routine<T>] {
    match level {
        1 => Routine::<T>::LEVEL1,
        2 => Routine::<T>::LEVEL2,
        _ => Routine::<T>::LEVEL3,
    }
}

/// The names of a level's routines, for both kinds of types.
fn names(level: usize) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in routines::<f32>(level).iter().flat_map(|routine| routine.names) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The C names of the routines of all levels for a type, without `affinimath`.
#[cfg(test)]
pub fn c_names<T: Scalar>() -> impl Iterator<Item = String> {
    let existing = LEVELS.into_iter().flat_map(routines::<T>).filter(|routine| routine.exists());
    existing.map(|routine| {
        let symbol = interface::Spelling::CuBlas.symbol(routine);
        symbol.trim_start_matches("cublas").trim_end_matches("_v2").to_owned()
    })
}

/// Text after the options of a level's `--help`: routines, units and examples.
pub fn help(level: usize) -> String {
    let mut help = "Routines:\n".to_owned();
    for routine in routines::<f32>(level) {
        let names = match routine.names {
            [real, complex] if real == complex => real.to_owned(),
            [real, ""] => format!("{real} (s, d)"),
            ["", complex] => format!("{complex} (c, z)"),
            [real, complex] => format!("{real}, {complex}"),
        };
        let label = format!("{names} {}", routine.variant);
        help += &format!("  {:<20} {}\n", label.trim_end(), routine.formula);
    }
    help + match level {
        1 => HELP1,
        2 => HELP2,
        _ => HELP3,
    }
}

const HELP1: &str = "
Bytes are counted once for each element that is read, and once for each that is written.

Examples:
  affinimath bench level1 --sizes 10000..10000000*10 --against openblas=/usr/lib/x86_64-linux-gnu/libopenblas.so.0
  affinimath bench level1 --routines axpy,copy --types s,z --device nvidia --json run.json --plot level1.svg";

const HELP2: &str = "
Bytes are counted once for each element that is read, and once for each that is written; a triangle has half of a \
matrix.

Examples:
  affinimath bench level2 --sizes 512..8192*2 --against openblas=/usr/lib/x86_64-linux-gnu/libopenblas.so.0
  affinimath bench level2 --routines gemv,trmv --types s,z --device nvidia --json run.json --plot level2.svg";

const HELP3: &str = "
Operations are real additions and multiplications: 2 n^3 for gemm, and four times as many for complex types.
For gemm with transposes and unequal sizes there is `affinimath bench gemm`.

Examples:
  affinimath bench level3 --sizes 256..4096*2 --against openblas=/usr/lib/x86_64-linux-gnu/libopenblas.so.0
  affinimath bench level3 --types s,c --device nvidia --against clblast=/path/libclblast.so --plot level3.svg";

fn help_on_routines<const LEVEL: usize>() -> String {
    format!("Routines, by default all: {}", names(LEVEL).join(", "))
}

fn known<const LEVEL: usize>(text: &str) -> Result<String, String> {
    let name = text.to_ascii_lowercase();
    let names = names(LEVEL);
    if names.contains(&name.as_str()) {
        return Ok(name);
    }
    Err(format!("level {LEVEL} has {}", names.join(", ")))
}

/// Calls each routine of a level once.
pub fn checks<T: Scalar>(level: usize, target: &Target) -> Vec<Check> {
    /// Past the lengths of vectors and the blocks that routines go by, and no multiple of them.
    const SIZES: [usize; 3] = [10_007, 201, 201];
    let check = |routine: &'static Routine<T>| {
        let entrant =
            Data::random(routine, SIZES[level - 1], 1).and_then(|data| ours::entrant(&Arc::new(data), target));
        Check::once(routine.label(), entrant)
    };
    routines::<T>(level).iter().filter(|routine| routine.exists()).map(check).collect()
}

/// A routine, a type and a size.
struct Case {
    kind: ScalarKind,
    /// The row's index in the level's table.
    row: usize,
    n: usize,
}

/// Runs the benchmark.
///
/// # Errors
/// See [`super::run`].
pub fn run<const LEVEL: usize>(arguments: &LevelArguments<LEVEL>, audience: &Audience) -> Result<(), BenchError> {
    let common = &arguments.common;
    let target = Target::choose(&common.device, common.memory)?;
    let peers = common.against.iter().map(|spec| Peer::load(spec, &target)).collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<usize> = (0..routines::<f32>(LEVEL).len()).filter(|row| arguments.asks_for(*row)).collect();
    let mut cases = Vec::new();
    for kind in TypeLetter::kinds(&arguments.types, &target) {
        for_type(kind, Require { level: LEVEL, rows: &rows, peers: &peers })?;
        for &row in rows.iter().filter(|row| exists(LEVEL, **row, kind)) {
            for &n in arguments.sizes.iter().flat_map(|sizes| &sizes.0) {
                let case = Case { kind, row, n };
                cases.push((for_type(kind, Describe { level: LEVEL, case: &case }), case));
            }
        }
    }
    let (operation, unit) = [("level1", "GB/s"), ("level2", "GB/s"), ("level3", "GFLOP/s")][LEVEL - 1];
    let report = Report::new(operation, unit, &target, peers.iter().map(Peer::info).collect());
    let widest = cases.iter().map(|(row, _)| row.label(operation).len()).max().unwrap_or(0);
    let largest = cases.iter().map(|(_, case)| case.n).max().unwrap_or(0);
    let table = Table::new(&report, ("routine", widest), &[("n", largest)], common.first_call);
    session::run(report, &table, (common, audience), Rates::Logarithmic, cases, |case, schedule, turn| {
        for_type(case.kind, Measure { level: LEVEL, case, target: &target, peers: &peers, schedule, turn })
    })
}

/// True if a type has a row's routine.
fn exists(level: usize, row: usize, kind: ScalarKind) -> bool {
    !routines::<f32>(level)[row].names[usize::from(kind.is_complex())].is_empty()
}

impl<const LEVEL: usize> LevelArguments<LEVEL> {
    fn asks_for(&self, row: usize) -> bool {
        let names = routines::<f32>(LEVEL)[row].names;
        self.routines.is_empty() || self.routines.iter().any(|asked| names.contains(&asked.as_str()))
    }
}

/// Something that is done for one element type.
pub trait ForType {
    /// Expected results.
    type Output;
    /// Does it for a type.
    fn run<T: Scalar>(self) -> Self::Output;
}

/// Does something for the type that is named.
pub fn for_type<F: ForType>(kind: ScalarKind, what: F) -> F::Output {
    match kind {
        ScalarKind::S => what.run::<f32>(),
        ScalarKind::D => what.run::<f64>(),
        ScalarKind::C => what.run::<Complex32>(),
        ScalarKind::Z => what.run::<Complex64>(),
    }
}

/// Looks at the peers before the first measurement.
struct Require<'a> {
    level: usize,
    rows: &'a [usize],
    peers: &'a [Peer],
}

impl ForType for Require<'_> {
    type Output = Result<(), BenchError>;

    fn run<T: Scalar>(self) -> Self::Output {
        let rows = self.rows.iter().map(|row| &routines::<T>(self.level)[*row]);
        let asked: Vec<_> = rows.filter(|routine| routine.exists()).collect();
        self.peers.iter().try_for_each(|peer| interface::require(peer, &asked))
    }
}

/// Description of a case in reports.
struct Describe<'a> {
    level: usize,
    case: &'a Case,
}

impl ForType for Describe<'_> {
    type Output = CaseReport;

    fn run<T: Scalar>(self) -> CaseReport {
        let Case { kind, row, n } = *self.case;
        describe(&routines::<T>(self.level)[row], kind, n)
    }
}

/// A case of a routine, without results yet.
fn describe<T: Scalar>(routine: &Routine<T>, kind: ScalarKind, n: usize) -> CaseReport {
    CaseReport {
        kind,
        routine: routine.name().to_owned(),
        variant: routine.variant.to_owned(),
        sizes: vec![("n".into(), n)],
        batch: None,
        size: n as f64,
        work: routine.work(n),
        traffic: None,
        roofs: Vec::new(),
        results: Vec::new(),
    }
}

/// Measures a case.
struct Measure<'a> {
    level: usize,
    case: &'a Case,
    target: &'a Target,
    peers: &'a [Peer],
    schedule: &'a Schedule,
    turn: &'a mut dyn FnMut(usize),
}

impl ForType for Measure<'_> {
    type Output = Measured;

    fn run<T: Scalar>(self) -> Measured {
        let routine = &routines::<T>(self.level)[self.case.row];
        let data = Arc::new(Data::<T>::random(routine, self.case.n, self.peers.len() + 1)?);
        let mut entrants: Vec<Entrant<'_>> = vec![ours::entrant(&data, self.target)];
        entrants.extend(self.peers.iter().map(|peer| interface::entrant(&data, peer)));
        Ok(race(entrants, self.schedule, self.turn))
    }
}
