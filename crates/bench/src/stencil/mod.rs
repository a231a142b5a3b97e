//! `affinimath bench stencil`: steps of stencils, compared with Python libraries and with what memory and arithmetic
//! allow.

mod case;
mod domain;
mod ours;
mod peers;
mod program;
mod samples;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use affinimath::{DeviceClass, ScalarKind};
use clap::Args;

pub use self::domain::Domain;

use self::case::{Case, Subject};
use super::contender::Entrant;
use super::error::BenchError;
use super::limits;
use super::options::{CommonArguments, TypeLetter, seconds};
use super::plot::Rates;
use super::python::{Peers, Python};
use super::report::{Report, Roof};
use super::runner::{Schedule, race};
use super::session::{self, Audience, Measured};
use super::sizes::Sizes;
use super::table::Table;
use super::target::{MemoryChoice, Target};

/// Text after the options of `--help`.
pub fn help() -> String {
    let notes = "
Rates count each point once a step. GB/s are the bytes that a step reads and writes at least, once each. `of copy` is \
that rate as a
part of a copy's of as many bytes, which runs in turn with the others: with several steps in a call it can be more \
than 1.
Our results have the bits of naive kernels, by a digest of all points, and those of the host's arithmetic at some \
thousand
points after up to three steps; else they are wrong. A plot has the rates that the copy, a copy within the caches \
and
multiply-adds in registers allow, as lines.

Peers are Devito, pystencils, numba, PyTorch (torch.compile) and JAX on the host and on CPU devices; PyTorch, JAX and \
CuPy on GPUs.
Each one that the interpreter of --python can import is measured on the stencils that it is asked for: those of one \
stage without
boundary conditions, filters and results. Their results are compared with NumPy's in double precision.

Examples:
  affinimath bench stencil
  affinimath bench stencil --device nvidia --cases laplacian,wave --sizes 200,512 --steps 1,8 --plot stencil.svg
  affinimath bench stencil --cases heat.stc --param k=0.2 --device host --types d --no-peers
  affinimath bench stencil --device host --against devito --python venv/bin/python";
    case::help() + notes
}

/// Points on each axis without `--sizes`, by the number of axes.
const ON_HOST: [usize; 6] = [1 << 24, 4096, 256, 64, 24, 16];
const ON_GPU: [usize; 6] = [1 << 28, 16384, 512, 128, 48, 24];

/// Bytes of arrays that caches hold.
const CACHED_ON_HOST: usize = 1 << 18;
const CACHED_ON_GPU: usize = 8 << 20;

/// The arguments of `affinimath bench stencil`.
#[derive(Args)]
pub struct StencilArguments {
    /// Stencils by name, or files with their texts.
    #[arg(long, alias = "case", value_delimiter = ',', value_name = "NAME|FILE")]
    cases: Vec<String>,
    /// Element types s,d, by default all that the device has.
    #[arg(long, alias = "type", value_delimiter = ',', value_name = "s,d")]
    types: Vec<TypeLetter>,
    /// Points on each axis: 200, 64..512*2 [default: 4096 in 2D and 256 in 3D, on GPUs 16384 and 512].
    #[arg(long, alias = "size", value_delimiter = ',', value_name = "SIZES")]
    sizes: Vec<Sizes>,
    /// Steps of one call.
    #[arg(long, value_delimiter = ',', value_name = "COUNTS", default_value = "1",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    steps: Vec<u64>,
    /// The value of a parameter, of all its elements; else 0.1, or 1 where it is an integer (repeatable).
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    param: Vec<(String, f64)>,
    /// The way of steps over work-items or threads: naive, stream, stream-local, overlap or wavefront, with settings;
    /// without it the plan chooses (repeatable).
    #[arg(long, value_name = "STRATEGY")]
    strategy: Vec<String>,
    /// Measure our library alone.
    #[arg(long, conflicts_with = "against")]
    no_peers: bool,
    /// Python interpreter of the peers.
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// Seconds after which an answer of a peer counts as hanging.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    limit: Duration,
    #[command(flatten)]
    common: CommonArguments,
}

fn parameter(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("a parameter is NAME=VALUE, as in k=0.2")?;
    let value: f64 = value.parse().map_err(|_| format!("'{value}' is not a number"))?;
    Ok((name.to_owned(), value))
}

/// Runs the benchmark.
///
/// # Errors
/// See [`super::run`].
pub fn run(arguments: &StencilArguments, audience: &Audience) -> Result<(), BenchError> {
    let common = &arguments.common;
    let target = Target::choose(&common.device, common.memory)?;
    if target.device.is_some() && common.memory == Some(MemoryChoice::Host) {
        let problem = "grids lie in the memory of the device that computes: leave --memory host out";
        return Err(BenchError::Options(problem.to_owned()));
    }
    let memory = if target.device.is_some() { MemoryChoice::Device } else { MemoryChoice::Host };
    let target = Target { memory, automatic: false, ..target };
    let cases = arguments.cases(&target)?;
    let peers = arguments.peers(&target)?;
    let mut report = Report::new("stencil", "Gpoint/s", &target, peers.facts());
    report.notes.clone_from(&peers.notes);
    let roofs = Roofs::measure(&cases, &target, &common.schedule())?;
    let cases: Vec<_> = cases.into_iter().map(|case| (roofs.over(&case), case)).collect();
    let widest = cases.iter().map(|(row, _)| row.label("stencil").len()).max().unwrap_or(0);
    let largest = cases.iter().map(|(_, case)| case.size).max().unwrap_or(0);
    let table = Table::new(&report, ("case", widest), &[("n", largest)], common.first_call).with_times().with_memory();
    session::run(report, &table, (common, audience), Rates::Linear, cases, |case, schedule, turn| {
        measure(case, (&target, &peers), schedule, turn)
    })
}

impl StencilArguments {
    fn cases(&self, target: &Target) -> Result<Vec<Case>, BenchError> {
        let subjects = match &self.cases[..] {
            [] => Subject::default_ones(),
            names => names.iter().map(|name| Subject::named(name)).collect::<Result<_, _>>()?,
        };
        let on_gpu = target.info().is_some_and(|facts| facts.class == DeviceClass::Gpu);
        let defaults = if on_gpu { ON_GPU } else { ON_HOST };
        let kinds = TypeLetter::kinds(&self.types, target);
        if kinds.iter().any(|kind| kind.is_complex()) {
            return Err(BenchError::Options("stencils have real elements: give --types s,d".to_owned()));
        }
        let strategies: Vec<_> = match &self.strategy[..] {
            [] => vec![None],
            strategies => strategies.iter().map(Some).collect(),
        };
        let mut cases = Vec::new();
        for subject in &subjects {
            for &kind in &kinds {
                let dimension = subject.stencil(kind)?.dimension();
                let sizes: Vec<usize> = match &self.sizes[..] {
                    [] => vec![defaults[dimension - 1]],
                    sizes => sizes.iter().flat_map(|sizes| sizes.0.iter().copied()).collect(),
                };
                for &steps in &self.steps {
                    for &strategy in &strategies {
                        for &size in &sizes {
                            cases.push(subject.case(kind, size, steps, &self.param, strategy)?);
                        }
                    }
                }
            }
        }
        self.check_parameters(&cases)?;
        Ok(cases)
    }

    /// Every parameter that was given is one of some case.
    fn check_parameters(&self, cases: &[Case]) -> Result<(), BenchError> {
        let declared = |name: &String| cases.iter().any(|case| case.has_parameter(name));
        match self.param.iter().find(|(name, _)| !declared(name)) {
            None => Ok(()),
            Some((name, _)) => Err(BenchError::Options(format!("no case has a parameter {name}"))),
        }
    }

    fn peers(&self, target: &Target) -> Result<Peers, BenchError> {
        if self.no_peers {
            return Ok(Peers::none());
        }
        let on_gpu = target.info().is_some_and(|facts| facts.class != DeviceClass::Cpu);
        let here = if on_gpu { &peers::ON_GPU[..] } else { &peers::ON_HOST };
        let mut names = Vec::new();
        for spec in &self.common.against {
            let known =
                spec.python_library().and_then(|name| here.iter().find(|known| **known == name)).ok_or_else(|| {
                    BenchError::Options(format!("{} computes no stencils here: give {}", spec.name, here.join(", ")))
                })?;
            if !names.contains(known) {
                names.push(*known);
            }
        }
        let python = Python { path: self.python.clone(), program: peers::PROGRAM, limit: self.limit };
        Ok(Peers::start(&python, if names.is_empty() { here } else { &names }, target))
    }
}

/// Rates that no library goes beyond, in GB/s and GFLOP/s.
struct Roofs {
    copy: f64,
    cache: f64,
    /// By type.
    flops: Vec<(ScalarKind, f64)>,
}

impl Roofs {
    fn measure(cases: &[Case], target: &Target, schedule: &Schedule) -> Result<Self, BenchError> {
        let on_gpu = target.info().is_some_and(|facts| facts.class == DeviceClass::Gpu);
        let large = cases.iter().map(bytes_of_copy).max().unwrap_or(CACHED_ON_GPU);
        let small = if on_gpu { CACHED_ON_GPU } else { CACHED_ON_HOST * host_threads(target) };
        let rate = |(entrant, work): (Entrant<'_>, f64)| {
            let mut measured = race(vec![entrant], schedule, &mut |_| {});
            let measurement = measured.pop().unwrap_or_else(|| Err(BenchError::Failed("no rate".to_owned())))?;
            Ok::<_, BenchError>(work / measurement.median() / 1e9)
        };
        let copy_of = |bytes: usize| rate((limits::copy_entrant(bytes, target), 2.0 * bytes as f64));
        let mut flops: Vec<(ScalarKind, f64)> = Vec::new();
        for case in cases {
            if !flops.iter().any(|(kind, _)| *kind == case.kind) {
                flops.push((case.kind, rate(limits::multiply_add_entrant(case.kind, target))?));
            }
        }
        Ok(Roofs { copy: copy_of(large)?, cache: copy_of(small)?, flops })
    }

    /// A case without results, under the roofs.
    fn over(&self, case: &Case) -> super::report::CaseReport {
        let mut report = case.report();
        let mut roof = |name: &str, rate: f64| report.roofs.push(Roof { name: name.to_owned(), rate });
        let bytes = case.bytes.max(1) as f64;
        roof("copy", self.copy / bytes);
        roof("copy in caches", self.cache / bytes);
        if let Some((_, rate)) = self.flops.iter().find(|(kind, _)| *kind == case.kind)
            && case.flops > 0
        {
            roof("multiply-adds", rate / case.flops as f64);
        }
        report
    }
}

fn host_threads(target: &Target) -> usize {
    target.info().map_or_else(affinimath_cpu::threads, |facts| facts.compute_units).max(1)
}

/// Bytes of a copy that is to a case what memory allows: half of what a step moves, in whole vectors.
fn bytes_of_copy(case: &Case) -> usize {
    let half = (case.traffic() / case.steps as f64 / 2.0) as usize;
    half.clamp(1 << 12, 1 << 30).next_multiple_of(256)
}

fn measure(
    case: &Case,
    (target, peers): (&Target, &Peers),
    schedule: &Schedule,
    turn: &mut dyn FnMut(usize),
) -> Measured {
    // Every library has grids of its own, and ours the first values.
    let on_host = target.info().is_none_or(|facts| facts.class == DeviceClass::Cpu);
    let needed = case.memory()?.saturating_mul(if on_host { peers.libraries.len() as u64 + 2 } else { 1 });
    let available = super::memory::available().unwrap_or(u64::MAX);
    if needed > available {
        return Err(BenchError::Memory { what: case.report().describe(), needed, available });
    }
    let mut entrants: Vec<Entrant<'_>> = vec![ours::entrant(case, target)];
    entrants.extend(peers.libraries.iter().map(|peer| peers::entrant(peer, case)));
    let last = entrants.len() - 1;
    let bytes = bytes_of_copy(case);
    entrants.push(limits::copy_entrant(bytes, target));
    let mut measured = race(entrants, schedule, &mut |index| turn(index.min(last)));
    let copy = measured.pop().and_then(Result::ok);
    let copy = copy.map(|copy| 2.0 * bytes as f64 / copy.median() / 1e9 / case.bytes.max(1) as f64);
    measured.iter_mut().flatten().for_each(|measurement| measurement.copy_rate = copy);
    Ok(measured)
}
