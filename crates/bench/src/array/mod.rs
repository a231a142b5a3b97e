//! `affinimath bench array`: array expressions, compared with Python libraries.
//!
//! Our library evaluates in this process. Each library of Python has an interpreter of its own ([`peers`]), which is
//! asked for one turn after the other, so that all of them run within the same rounds.

mod case;
mod data;
mod first_call;
mod ours;
mod peers;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use affinimath::{DeviceClass, ScalarKind};
use clap::Args;
use serde_json::json;

use self::case::{Case, MAX_ELEMENTS, MIN_ELEMENTS, Operation};
use self::first_call::FirstCalls;
use super::contender::Entrant;
use super::error::BenchError;
use super::options::{CommonArguments, TypeLetter, seconds};
use super::plot::Rates;
use super::python::{Peers, Python};
use super::report::Report;
use super::runner::{Measurement, Schedule, race};
use super::session::{self, Audience, Measured};
use super::sizes::Sizes;
use super::table::Table;
use super::target::{MemoryChoice, Target};

/// Text after the options of `--help`.
pub fn help() -> String {
    let notes = "
Rates count each element of operands and results once. `of copy` is the rate as a part of the copy's of as many \
elements in the same run.
Each call of ours builds its expression and evaluates it; calls follow one another, and their results share the pool's \
memory.
With --memory host a device computes with operands of the host: they come in pieces, and results go to the host's \
memory. --pinned
has both in pinned memory.

Peers are NumPy, numexpr, PyTorch (torch.compile, and as it stands) and JAX on the host and on CPU devices; CuPy, \
PyTorch and JAX on GPUs.
Each one that the interpreter of --python can import is measured, and the others are listed. Their results are \
compared with NumPy's in
double precision. Normcdf in NumPy and numexpr is SciPy's.

Examples:
  affinimath bench array
  affinimath bench array --device nvidia --cases axpy,black-scholes,softmax --sizes 2^20..2^26*8 --json array.json
  affinimath bench array --device nvidia --memory host --pinned --cases axpy,exp,dot,black-scholes --no-peers
  affinimath bench array --device host --types d --against numexpr --python venv/bin/python";
    case::help() + notes
}

/// Elements without `--sizes`.
const ON_HOST: usize = 1 << 22;
const ON_GPU: usize = 1 << 26;

/// The arguments of `affinimath bench array`.
#[derive(Args)]
pub struct ArrayArguments {
    /// Cases, by default all.
    #[arg(long, alias = "case", value_delimiter = ',', value_name = "NAME")]
    cases: Vec<Operation>,
    /// Element types: s,d for all cases but complex, which has c,z; by default all that the device has.
    #[arg(long, alias = "type", value_delimiter = ',', value_name = "s,d,c,z")]
    types: Vec<TypeLetter>,
    /// Elements of each operand: 1000000, 2^16..2^26*4 [default: 2^22, on GPUs 2^26].
    #[arg(long, alias = "size", value_delimiter = ',', value_name = "SIZES")]
    sizes: Vec<Sizes>,
    /// Measure our library alone.
    #[arg(long, conflicts_with = "against")]
    no_peers: bool,
    /// Python interpreter of the peers.
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// Seconds after which an answer of a peer counts as hanging.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    limit: Duration,
    /// With --memory host: operands and results lie in pinned memory of the host.
    #[arg(long)]
    pinned: bool,
    /// One first call, for another process.
    #[arg(long, hide = true)]
    once: bool,
    #[command(flatten)]
    common: CommonArguments,
}

/// Runs the benchmark.
///
/// # Errors
/// See [`super::run`].
pub fn run(arguments: &ArrayArguments, audience: &Audience) -> Result<(), BenchError> {
    let common = &arguments.common;
    let target = target(common)?;
    if arguments.once {
        return once(arguments, &target);
    }
    let cases = arguments.cases(&target)?;
    let peers = arguments.peers(&target)?;
    let cases: Vec<_> = cases.into_iter().map(|case| (case.report(), case)).collect();
    let mut report = Report::new("array", "GB/s", &target, peers.facts());
    report.notes.clone_from(&peers.notes);
    let widest = cases.iter().map(|(row, _)| row.label("array").len()).max().unwrap_or(0);
    let largest = cases.iter().map(|(_, case)| case.elements()).max().unwrap_or(0);
    let table = Table::new(&report, ("case", widest), &[("elements", largest)], common.first_call).with_times();
    let run = Run { arguments, target, peers, copies: RefCell::default() };
    session::run(report, &table, (common, audience), Rates::Linear, cases, |case, schedule, turn| {
        run.measure(case, schedule, turn)
    })
}

/// The target. Arrays lie in the memory of the device that computes, unless the host's memory is asked for.
fn target(common: &CommonArguments) -> Result<Target, BenchError> {
    let target = Target::choose(&common.device, common.memory)?;
    let memory = match (target.device, common.memory) {
        (None, _) => return Ok(target),
        (Some(_), memory) => memory.unwrap_or(MemoryChoice::Device),
    };
    Ok(Target { memory, automatic: false, ..target })
}

/// True for operands of the host that a device computes with.
fn is_streamed(target: &Target) -> bool {
    target.device.is_some() && target.memory == MemoryChoice::Host
}

impl ArrayArguments {
    /// The cases by type, each with the copy that bounds it before it.
    fn cases(&self, target: &Target) -> Result<Vec<Case>, BenchError> {
        let on_gpu = target.info().is_some_and(|facts| facts.class == DeviceClass::Gpu);
        let default = [Sizes(vec![if on_gpu { ON_GPU } else { ON_HOST }])];
        let sizes = if self.sizes.is_empty() { &default[..] } else { &self.sizes };
        let sizes: Vec<usize> = sizes.iter().flat_map(|sizes| sizes.0.iter().copied()).collect();
        if let Some(size) = sizes.iter().find(|size| !(MIN_ELEMENTS..=MAX_ELEMENTS).contains(*size)) {
            let problem = format!("sizes are {MIN_ELEMENTS} to {MAX_ELEMENTS} elements, and not {size}");
            return Err(BenchError::Options(problem));
        }
        let is_streamed = is_streamed(target);
        if self.pinned && !is_streamed {
            let problem = "--pinned is for operands of the host that a device computes with: give --memory host";
            return Err(BenchError::Options(problem.to_owned()));
        }
        if let Some(case) = self.cases.iter().find(|case| is_streamed && !case.has_host_operands()) {
            let problem = format!("the case {} has no operands in the host's memory on a device", case.name());
            return Err(BenchError::Options(problem));
        }
        let is_asked = |operation: &Operation| {
            let is_possible = operation.has_host_operands() || !is_streamed;
            is_possible && (self.cases.is_empty() || self.cases.contains(operation))
        };
        let has_copy = Operation::all().any(|operation| operation.moves_memory() && is_asked(&operation));
        let mut cases = Vec::new();
        for kind in self.kinds(target) {
            let of_kind: Vec<Case> =
                Operation::all().filter(is_asked).flat_map(|operation| Case::of(operation, kind, &sizes)).collect();
            if has_copy
                && !is_streamed
                && !is_asked(&Operation::Copy)
                && of_kind.iter().any(|case| case.operation.moves_memory())
            {
                cases.extend(Case::of(Operation::Copy, kind, &sizes));
            }
            cases.extend(of_kind);
        }
        if cases.is_empty() {
            let problem = "the case complex has the types c,z, and the others have s,d: give --types to match --cases";
            return Err(BenchError::Options(problem.to_owned()));
        }
        Ok(cases)
    }

    fn kinds(&self, target: &Target) -> Vec<ScalarKind> {
        if !self.types.is_empty() {
            return TypeLetter::kinds(&self.types, target);
        }
        let doubles = target.info().is_none_or(|facts| facts.fp64);
        ScalarKind::ALL.into_iter().filter(|kind| doubles || !kind.is_double()).collect()
    }

    fn peers(&self, target: &Target) -> Result<Peers, BenchError> {
        if self.no_peers {
            return Ok(Peers::none());
        }
        // Operands of the host are those that libraries of the host compute with.
        let on_device = target.info().is_some_and(|facts| facts.class != DeviceClass::Cpu) && !is_streamed(target);
        let here = if on_device { &peers::ON_GPU[..] } else { &peers::ON_HOST };
        let mut names = Vec::new();
        for spec in &self.common.against {
            let has_arrays = |name: &&str| peers::ON_HOST.contains(name) || peers::ON_GPU.contains(name);
            let known = spec.python_library().filter(has_arrays).ok_or_else(|| {
                let problem =
                    format!("{} has no arrays: give numpy, numexpr, cupy, torch, torch-eager or jax", spec.name);
                BenchError::Options(problem)
            })?;
            if !here.contains(&known) {
                let site = if on_device { "a GPU" } else { "the host" };
                return Err(BenchError::Options(format!("{known} does not run on {site}: give {}", here.join(", "))));
            }
            if !names.contains(&known) {
                names.push(known);
            }
        }
        let python = Python { path: self.python.clone(), program: peers::PROGRAM, limit: self.limit };
        Ok(Peers::start(&python, if names.is_empty() { here } else { &names }, target))
    }
}

/// A run with its peers.
struct Run<'a> {
    arguments: &'a ArrayArguments,
    target: Target,
    peers: Peers,
    /// Rates of our copies, by type and size.
    copies: RefCell<Vec<(ScalarKind, usize, f64)>>,
}

impl Run<'_> {
    fn measure(&self, case: &Case, schedule: &Schedule, turn: &mut dyn FnMut(usize)) -> Measured {
        if case.operation == Operation::FirstCall {
            let ArrayArguments { common, limit, .. } = self.arguments;
            let calls = FirstCalls { case, device: &common.device, limit: *limit, peers: &self.peers };
            return calls.measure(schedule.rounds, turn);
        }
        let copies = self.peers.libraries.len() + 1;
        let ours = match ours::entrant(case, &self.target, copies, self.arguments.pinned) {
            Err(error @ BenchError::Memory { .. }) => return Err(error),
            ours => ours,
        };
        let mut entrants: Vec<Entrant<'_>> = vec![ours];
        entrants.extend(self.peers.libraries.iter().map(|peer| peers::entrant(peer, case)));
        let mut measured = race(entrants, schedule, turn);
        self.compare_with_copy(case, &mut measured);
        Ok(measured)
    }

    /// Notes our copy's rate, and gives it to the cases that it bounds.
    fn compare_with_copy(&self, case: &Case, measured: &mut [Result<Measurement, BenchError>]) {
        if !case.operation.moves_memory() {
            return;
        }
        let mut copies = self.copies.borrow_mut();
        if let (Operation::Copy, Some(Ok(ours))) = (case.operation, measured.first()) {
            copies.push((case.kind, case.size, case.report().work / ours.median() / 1e9));
        }
        let copy = copies.iter().find(|(kind, size, _)| (*kind, *size) == (case.kind, case.size));
        for measurement in measured.iter_mut().flatten() {
            measurement.copy_rate = copy.map(|(.., rate)| *rate);
        }
    }
}

/// A first call in this process, told to the one that started it.
fn once(arguments: &ArrayArguments, target: &Target) -> Result<(), BenchError> {
    let kind = arguments.kinds(target).into_iter().find(|kind| !kind.is_complex()).unwrap_or(ScalarKind::S);
    let case = &Case::of(Operation::FirstCall, kind, &[])[0];
    let mut ours = ours::entrant(case, target, 1, false)?;
    let seconds = ours.run(1)?.as_secs_f64();
    let error = ours.accuracy()?.error;
    super::print(&json!({ "first": { "seconds": seconds, "error": error } }).to_string())
}
