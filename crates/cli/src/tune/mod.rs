//! `affinimath tune`: measures the machine, and keeps what it finds.
//!
//! [`exec`] finds the best arguments of any program, [`kernel`] the fastest parameters of a user's kernel, and
//! [`stencil`] the fastest strategy of a stencil. [`crossovers`] measures from which size on the device is faster than
//! the host. The rest looks for the fastest parameters of a family of kernels: [`search`] asks for measurements,
//! [`child`] has a process of its own ([`worker`]) measure them, [`journal`] keeps them, and [`report`] and [`plot`]
//! show them.

mod calls;
mod check;
mod child;
mod crossovers;
mod exec;
mod files;
mod journal;
mod kernel;
mod launch_sizes;
mod messages;
mod plot;
mod report;
mod search;
mod stencil;
mod study;
mod timing;
mod trials;
mod worker;
mod workload;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use affinimath::route::{self, ChosenDevice};
use affinimath::{Device, DeviceClass, DeviceInfo, ScalarKind, tunable};
use affinimath_bench::json::JsonOption;
use affinimath_bench::{Failure, Sizes, TypeLetter, device};
use affinimath_tuner::database;
use affinimath_tuner::search::{Budget, StrategyKind};
use affinimath_tuner::space::{Configuration, Value};
use affinimath_tuner::tuned::{self, ShapeClass, Subject};
use clap::{Args, FromArgMatches};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::doctor;

/// The end of the `--help` text.
const HELP: &str = "Examples:
  affinimath tune --crossover
  affinimath tune crossovers --check --types d --sizes 64..8192
  affinimath tune gemm --types s --budget 120s --plot gemm.svg
  affinimath tune gemm --device pocl --sizes 96,768 --strategy genetic --seed 3 --resume
  affinimath tune gemm --types s --sizes 512 --strategy exhaustive --export gemm.json
  affinimath tune --study gemm.json --plot strategies.svg
  affinimath tune stencil laplacian.stc --size N=512 --type s
  affinimath tune kernel blur.cl --case cases/blur --parameter block_size_x=16,32,64
  affinimath tune exec ./bench 200 4:4:200 1:*2:16";

/// The arguments of `affinimath tune`.
#[derive(clap::Args)]
#[command(after_help = HELP, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Family of kernels, or crossovers, to tune
    #[arg(value_enum)]
    family: Option<Family>,
    /// Measure from which size on the device is faster than the host, for each family of routines: as `crossovers`
    #[arg(long, conflicts_with = "family")]
    crossover: bool,
    /// Measure the quality of route decisions instead of the crossovers: host, device and `auto` for each family over
    /// --sizes (64..8192), and the ratio of `auto` to the better one
    #[arg(long)]
    check: bool,
    /// The device: auto (the one that calls are sent to, a GPU), or its index or part of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Element types; by default s,d if the device has fp64, else s
    #[arg(long, value_delimiter = ',', value_name = "s,d,c,z")]
    types: Vec<TypeLetter>,
    /// Sizes of the problems that are measured, as in 256, 512..4096*2
    #[arg(long, value_delimiter = ',', value_name = "SIZES")]
    sizes: Vec<Sizes>,
    /// Measurements, or seconds, for each type and class of sizes; exhaustive searches need none
    #[arg(long, value_name = "N|SECONDSs", default_value = "60s", default_value_if("strategy", "exhaustive", None))]
    budget: Option<Budget>,
    /// Search strategy: local, refine, exhaustive, random, latin-hypercube, annealing, genetic, differential, greedy,
    /// gce, hooke-jeeves, powell, nelder-mead or direct
    #[arg(long, default_value = "local")]
    strategy: StrategyKind,
    /// Fixed values of parameters, as in tile_columns=8; the others are then searched together
    #[arg(long, value_delimiter = ',', value_name = "NAME=VALUE", value_parser = fixed_value)]
    fix: Vec<(String, Value)>,
    /// Seed of the random choices of a search
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds after which a measurement counts as hanging
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    limit: u32,
    /// Take up searches that were interrupted
    #[arg(long)]
    resume: bool,
    /// Write nothing to the tuning database
    #[arg(long)]
    dry_run: bool,
    /// Write all measurements in the format T4, and their space in T1
    #[arg(long, value_name = "FILE.json")]
    export: Option<PathBuf>,
    /// Take parameters into the tuning database: lines of one, or measurements in T4
    #[arg(long, value_name = "FILE", conflicts_with_all = ["family", "crossover"])]
    import: Option<PathBuf>,
    /// Draw the best against the measurements
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Compare the strategies on complete searches in T4
    #[arg(long, value_name = "FILE.json", num_args = 1.., conflicts_with_all = ["family", "crossover", "import"])]
    study: Vec<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
    /// Measure for another process
    #[arg(long, hide = true)]
    worker: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Find the best arguments of any program that prints a time
    #[command(after_help = exec::HELP)]
    Exec(exec::Arguments),
    /// Find the fastest parameters of an OpenCL kernel on a recorded launch
    #[command(after_help = kernel::HELP)]
    Kernel(Box<kernel::Arguments>),
    /// Find the fastest strategy of a stencil on a device
    #[command(after_help = stencil::HELP)]
    Stencil(stencil::Arguments),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Family {
    /// From which size on the device is faster than the host
    Crossovers,
    /// Products of matrices
    Gemm,
    /// Products of sparse matrices and vectors
    Spmv,
    /// Fourier transforms
    Fft,
}

/// Measures, appends to the database, and prints what was found.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Some(Command::Exec(arguments)) => return exec::run(arguments),
        Some(Command::Kernel(arguments)) => return kernel::run(arguments),
        Some(Command::Stencil(arguments)) => return stencil::run(arguments),
        None => {}
    }
    if arguments.worker {
        return worker::run();
    }
    arguments.json.check_folder()?;
    if let Some(path) = &arguments.import {
        return files::import(path, &arguments.json);
    }
    if !arguments.study.is_empty() {
        return study::run(&arguments.study, arguments.plot.as_deref(), &arguments.json);
    }
    match arguments.family {
        None if !arguments.crossover => Err(Failure(
            "say what is to be tuned: crossovers, gemm, spmv, fft, a kernel, a stencil, or a program by exec (see \
             tune --help)"
                .to_owned(),
        )),
        None | Some(Family::Crossovers) if arguments.check => check_crossovers(arguments),
        None | Some(Family::Crossovers) => measure_crossovers(arguments),
        Some(family) => tune(arguments, family),
    }
}

/// `tune kernel` with the words of its options, for another command.
///
/// # Errors
/// Words that it refuses, and those of the search.
pub fn kernel_of(words: &[OsString], json: JsonOption) -> Result<(), Failure> {
    let command = kernel::Arguments::augment_args(clap::Command::new("kernel").no_binary_name(true));
    let matches = command.try_get_matches_from(words).map_err(|error| refused(&error))?;
    let arguments = kernel::Arguments::from_arg_matches(&matches).map_err(|error| refused(&error))?;
    kernel::run(&arguments.with_json(json))
}

/// The first line of what clap says, without its word for errors.
fn refused(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    Failure(line.strip_prefix("error: ").unwrap_or(line).to_owned())
}

fn chosen_device(name: &str) -> Result<ChosenDevice, Failure> {
    device::choose(name)?;
    // Where there is no device at all, that is what is said.
    let none = || match Device::all() {
        Ok(_) => Failure("there is no GPU to measure: --device names another device, and info lists them".to_owned()),
        Err(error) => error.into(),
    };
    route::settings()?.device()?.ok_or_else(none)
}

fn progress_bar(template: &str) -> ProgressBar {
    // A log file or a pipe gets what is printed at the end only.
    if !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style)
}

fn measure_crossovers(arguments: &Arguments) -> Result<(), Failure> {
    let chosen = chosen_device(&arguments.device)?;
    let bar = progress_bar("{msg} {bar:30} {pos}/{len}");
    bar.set_message("measuring");
    let device_info = Device::all()?[chosen.index].info();
    let kinds = match arguments.types.as_slice() {
        [] => ScalarKind::ALL.into_iter().filter(|kind| device_info.supports(*kind)).collect(),
        letters => TypeLetter::kinds_for(letters, device_info),
    };
    for kind in &kinds {
        device_info.require(*kind)?;
    }
    let record = crossovers::measure(chosen.index, &kinds, |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    // Types that were not measured now stay as they were measured before.
    let record = record?.completed(&database::records());
    let file = if arguments.dry_run { None } else { Some(database::append(&record)?) };
    let model = record.model(device_info);
    let table = doctor::crossovers_json(chosen.index, &model)?;
    let result = serde_json::json!({ "file": file, "record": record, "crossovers": table });
    let recorded = file.map_or("not recorded (--dry-run)".to_owned(), |file| format!("recorded in {}", file.display()));
    let text = format!("{}{recorded}\n", doctor::crossovers(chosen.index, &model)?);
    arguments.json.give("tune-crossovers", result, &text)
}

fn check_crossovers(arguments: &Arguments) -> Result<(), Failure> {
    let chosen = chosen_device(&arguments.device)?;
    let device_info = Device::all()?[chosen.index].info();
    let kinds = TypeLetter::kinds_for(&arguments.types, device_info);
    let mut sizes: Vec<usize> = arguments.sizes.iter().flat_map(|sizes| sizes.0.clone()).collect();
    if sizes.is_empty() {
        sizes = (6..=13).map(|exponent| 1 << exponent).collect();
    }
    let check = check::check(&chosen, &kinds, &sizes, f64::from(arguments.limit))?;
    arguments.json.give("tune-check", check.json(), &check.text())
}

fn fixed_value(text: &str) -> Result<(String, Value), String> {
    let pair =
        text.split_once('=').and_then(|(name, value)| Some((name.to_owned(), Value::Integer(value.parse().ok()?))));
    pair.ok_or_else(|| format!("'{text}' is not a name and a value, as in tile_columns=8"))
}

/// A search: its subject, and the sizes of its problems.
type Task = (Subject, Vec<usize>);

fn tune(arguments: &Arguments, family: Family) -> Result<(), Failure> {
    let chosen = chosen_device(&arguments.device)?;
    let device_info = Device::all()?[chosen.index].info();
    let settings = search::Settings {
        strategy: arguments.strategy,
        seed: arguments.seed,
        budget: arguments.budget,
        limit: arguments.limit.into(),
        resume: arguments.resume,
        fixed: Configuration(arguments.fix.iter().cloned().collect()),
    };
    let tasks = tasks(arguments, family, device_info)?;
    let mut report = report::Report::new(device_info, &arguments.json);
    for (subject, sizes) in &tasks {
        let bar = progress_bar("{prefix} {bar:30} {msg}");
        bar.set_prefix(subject.to_string());
        let found = search::search(chosen.index, *subject, sizes, &settings, &bar);
        bar.finish_and_clear();
        let found = found?;
        let file = match &found.record {
            Some(record) if !arguments.dry_run => Some(tuned::append(record)?),
            _ => None,
        };
        if let Some(path) = &arguments.export {
            files::export(&files::name(path, subject, tasks.len()), &found, device_info)?;
        }
        report.add(&found, file)?;
    }
    report.finish(&settings, arguments.plot.as_deref())
}

/// Every type, with the classes that the sizes belong to.
fn tasks(arguments: &Arguments, family: Family, device_info: &DeviceInfo) -> Result<Vec<Task>, Failure> {
    let kinds = kinds(arguments, family, device_info);
    let sizes: Vec<usize> = match arguments.sizes.is_empty() {
        true => default_sizes(family, device_info),
        false => arguments.sizes.iter().flat_map(|sizes| sizes.0.clone()).collect(),
    };
    let mut tasks = Vec::new();
    for kind in kinds {
        device_info.require(kind)?;
        let Some(kernels) = kernels(family, kind, device_info) else {
            eprintln!("{}: nothing to tune on {}", kind.letter(), device_info.name);
            continue;
        };
        for class in ShapeClass::ALL {
            let subject = Subject { family: kernels, kind, class };
            let own: Vec<usize> =
                sizes.iter().copied().filter(|size| tunable::class_of(kernels, *size) == class).collect();
            if own.iter().any(|size| *size < tunable::min_size(kernels)) {
                let min_size = tunable::min_size(kernels);
                return Err(Failure(format!(
                    "problems of {family:?} smaller than {min_size} are computed by other kernels"
                )));
            }
            tasks.extend((!own.is_empty()).then_some((subject, own)));
        }
    }
    Ok(tasks)
}

/// The chosen types; for Fourier transforms, their complex types.
fn kinds(arguments: &Arguments, family: Family, device_info: &DeviceInfo) -> Vec<ScalarKind> {
    let mut kinds = TypeLetter::kinds_for(&arguments.types, device_info);
    if family == Family::Fft {
        kinds.iter_mut().for_each(|kind| *kind = if kind.is_double() { ScalarKind::Z } else { ScalarKind::C });
        kinds.dedup();
    }
    kinds
}

fn kernels(family: Family, kind: ScalarKind, device_info: &DeviceInfo) -> Option<tuned::KernelFamily> {
    match family {
        Family::Crossovers => None,
        Family::Gemm => tunable::gemm_family(kind, device_info),
        Family::Spmv => Some(tunable::spmv_family(device_info)),
        Family::Fft => Some(tunable::fft_family(device_info)),
    }
}

fn default_sizes(family: Family, device_info: &DeviceInfo) -> Vec<usize> {
    match (family, device_info.class) {
        (Family::Crossovers, _) => Vec::new(),
        (Family::Gemm, DeviceClass::Gpu) => vec![128, 256, 2048, 4096],
        (Family::Gemm, _) => vec![128, 256, 512, 1024, 2048],
        (Family::Spmv, _) => vec![1 << 12, 1 << 16, 1 << 20],
        (Family::Fft, _) => vec![64, 1000, 4096, 1 << 16, 1 << 18],
    }
}
