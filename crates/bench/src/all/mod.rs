//! `affinimath bench all`: every family, on the host and on every device, against the libraries that are found, with
//! a report.
//!
//! A [`plan`] has a task for each family and place. [`task`] runs it in a process of its own ([`child`]), so that
//! whatever a driver or a library does there, the rest is still measured, and takes what it tells into the [`model`],
//! which is the JSON file. [`html`] makes a page of it.

mod child;
mod finder;
mod html;
mod html_summary;
mod interrupt;
mod machine;
mod model;
mod plan;
mod summary;
mod task;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use affinimath::Device;
use affinimath::route::{self, DeviceChoice};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::machine::Machine;
use self::model::{BackendReport, BenchReport, Limits, PeerFile};
use self::plan::{Backend, Effort, Family, Plan, Task};
use super::error::BenchError;
use super::options::{PeerSpec, TypeLetter};
use super::print;

/// Text after the options of `--help`.
pub const HELP: &str = "
Each family runs in a process of its own, and the page has the command of each. Where a library or a driver ends that \
process, or where the
time is up, what was measured until then is in the report, and also after an interrupt (Ctrl-C).

Looked for are OpenBLAS, BLIS, MKL, ATLAS, or else the reference BLAS; CLBlast, FFTW and clFFT; cuBLAS, cuSOLVER, \
cuSPARSE and cuFFT: where
Debian, conda, PyPI, MKL and CUDA have them ($VIRTUAL_ENV, $CONDA_PREFIX, $MKLROOT, $CUDA_HOME, $LD_LIBRARY_PATH), and \
in the
loader's cache. faer is built in. Arrays are measured beside the libraries that python3 imports: NumPy, numexpr, \
CuPy, PyTorch, JAX.

Examples:
  affinimath bench all --quick
  affinimath bench all --device host --against none --report /tmp/report
  affinimath bench all --device 0 --families gemm,fft --types s,d --against clblast,fftw,my=/path/libmy.so --minutes \
10";

/// Minutes for everything, without `--minutes`.
const QUICK_MINUTES: f64 = 4.0;
const FULL_MINUTES: f64 = 40.0;

/// Time for the limits of a target, whatever the total.
const LIMITS: Duration = Duration::from_secs(30);

/// The arguments of `affinimath bench all`.
#[derive(Args)]
pub struct AllArguments {
    /// Devices of our library, by default the host and every device.
    #[arg(long, value_delimiter = ',', value_name = "DEVICE")]
    device: Vec<String>,
    /// Libraries to compare with: none, or some of those that are found, or others by their paths; by default all that
    /// are found.
    #[arg(long, value_delimiter = ',', value_name = "NAME|NAME=/path/lib.so")]
    against: Vec<Against>,
    /// The families; by default all.
    #[arg(long, value_delimiter = ',', value_enum, value_name = "NAME")]
    families: Vec<Family>,
    /// Element types; by default all that the device computes in.
    #[arg(long, value_delimiter = ',', value_name = "s,d,c,z")]
    types: Vec<TypeLetter>,
    /// Some routines and sizes only, in a few minutes.
    #[arg(long)]
    quick: bool,
    /// One small case of everything: a test of the benchmark, not of the machine.
    #[arg(long, hide = true, conflicts_with = "quick")]
    smoke: bool,
    /// Minutes for everything, about [default: 40, with --quick 4].
    #[arg(long, value_parser = minutes)]
    minutes: Option<Duration>,
    /// The folder that report.json and index.html are written into; made if it is not there.
    #[arg(long, value_name = "FOLDER", default_value = "affinimath-bench")]
    report: PathBuf,
}

/// A library as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Against {
    Nobody,
    /// One that is to be found, or built in.
    Named(String),
    Given(PeerSpec),
}

impl FromStr for Against {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" => Err("a library has a name".to_owned()),
            "none" => Ok(Against::Nobody),
            text if text.contains('=') => Ok(Against::Given(text.parse()?)),
            text => Ok(Against::Named(text.to_ascii_lowercase())),
        }
    }
}

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: f64 = text.parse().map_err(|_| format!("'{text}' is not a number of minutes"))?;
    if !(minutes > 0.0 && minutes <= 1440.0) {
        return Err("between 0 and 1440 minutes, please".to_owned());
    }
    Ok(Duration::from_secs_f64(minutes * 60.0))
}

/// Runs every family, and writes the report.
///
/// # Errors
/// Missing targets or peers, a folder that cannot be written, an interrupt, and wrong results of our library.
pub fn run(arguments: &AllArguments) -> Result<(), BenchError> {
    let backends = backends(&arguments.device)?;
    let peers = peers(&arguments.against, finder::SearchPaths::of_system().find())?;
    let folder = &arguments.report;
    let (json, page) = (folder.join("report.json"), folder.join("index.html"));
    let unwritable = |error: std::io::Error| BenchError::Write { path: folder.clone(), reason: error.to_string() };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let effort = match (arguments.smoke, arguments.quick) {
        (true, _) => Effort::Smoke,
        (_, true) => Effort::Quick,
        _ => Effort::Full,
    };
    let families = if arguments.families.is_empty() { Family::value_variants() } else { &arguments.families };
    let types: Vec<char> = arguments.types.iter().map(|letter| letter.letter()).collect();
    let tasks = Plan {
        backends: &backends,
        families,
        effort,
        types: &types,
        peers: &peers,
        finds_peers: arguments.against.is_empty(),
    }
    .tasks();
    let mut report = empty(effort, &backends, &peers);
    // Before the first measurement, so that a folder that cannot be written costs no time.
    report.write_json(&json)?;
    announce(&report, &tasks)?;
    interrupt::listen();

    let budget = arguments.minutes.unwrap_or_else(|| {
        Duration::from_secs_f64(60.0 * if effort == Effort::Quick { QUICK_MINUTES } else { FULL_MINUTES })
    });
    measure(&mut report, &tasks, budget, &json)?;
    report.interrupted = interrupt::requested();
    report.write_json(&json)?;
    std::fs::write(&page, html::page(&report))
        .map_err(|error| BenchError::Write { path: page.clone(), reason: error.to_string() })?;
    let page = page.canonicalize().unwrap_or(page);
    print(&format!("\nthe report: {}\nas JSON: {}", page.display(), json.canonicalize().unwrap_or(json).display()))?;
    if report.interrupted {
        return Err(BenchError::Interrupted);
    }
    match report.own_failures().first() {
        None => Ok(()),
        Some(failure) => Err(BenchError::Ours(format!("affinimath failed at {failure}"))),
    }
}

/// Runs the tasks, each in its share of the time that is left.
fn measure(
    report: &mut BenchReport,
    tasks: &[Task],
    budget: Duration,
    json: &std::path::Path,
) -> Result<(), BenchError> {
    let start = Instant::now();
    let bar = progress_bar(tasks.len());
    for (number, task) in tasks.iter().enumerate() {
        if interrupt::requested() {
            break;
        }
        let weights: f64 = tasks[number..].iter().map(|task| task.family.weight()).sum();
        let share = budget.saturating_sub(start.elapsed()).mul_f64(task.family.weight() / weights);
        // The others' plots need them, and they are few.
        let share = if task.family == Family::Limits { share.max(LIMITS) } else { share };
        let backend = report.backends[task.backend].name.clone();
        let run = task::run(task, share, |done, doing| {
            bar.set_position((number as f64 * TICKS + done * TICKS) as u64);
            bar.set_message(format!("{backend}: {} {doing}", task.family.name()));
        });
        if let (Family::Limits, Some(limits)) = (task.family, &run.report) {
            report.backends[task.backend].limits = Limits::of(limits);
        }
        for contender in run.report.iter().flat_map(|report| &report.contenders) {
            let mut peers =
                report.peers.iter_mut().filter(|peer| peer.name == contender.name && peer.version.is_none());
            peers.by_ref().for_each(|peer| peer.version.clone_from(&contender.version));
        }
        report.runs.push(run);
        (report.comparisons, report.shortfalls) = summary::of(&report.runs);
        report.seconds = start.elapsed().as_secs_f64();
        let lines = task::lines(&report.runs[number], &backend, &report.comparisons);
        bar.suspend(|| lines.iter().try_for_each(|line| print(line)))?;
        // Writes the results so far.
        report.write_json(json)?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// The host and the devices that are asked for.
fn backends(asked: &[String]) -> Result<Vec<Backend>, BenchError> {
    let host = || Backend { option: "host".to_owned(), device_info: None };
    let device =
        |index: usize, device: &Device| Backend { option: index.to_string(), device_info: Some(device.info().clone()) };
    if asked.is_empty() {
        // Without OpenCL there are none.
        let devices = Device::all().map_or(&[][..], |devices| devices);
        return Ok(std::iter::once(host()).chain(devices.iter().enumerate().map(|(i, one)| device(i, one))).collect());
    }
    let mut backends: Vec<Backend> = Vec::new();
    for name in asked {
        if DeviceChoice::parse(name) == DeviceChoice::Auto {
            let problem = "--device auto has no meaning here: leave it out, or name the host or devices";
            return Err(BenchError::Options(problem.to_owned()));
        }
        crate::device::choose(name)?;
        let backend = match route::settings()?.device()? {
            Some(chosen) => device(chosen.index, &Device::all()?[chosen.index]),
            None => host(),
        };
        if backends.iter().all(|other| other.option != backend.option) {
            backends.push(backend);
        }
    }
    Ok(backends)
}

/// The libraries to compare with.
fn peers(asked: &[Against], found: Vec<PeerSpec>) -> Result<Vec<PeerSpec>, BenchError> {
    let faer = PeerSpec { name: "faer".to_owned(), paths: Vec::new() };
    let known: Vec<PeerSpec> = std::iter::once(faer).chain(found).collect();
    match asked {
        [] => return Ok(known),
        [Against::Nobody] => return Ok(Vec::new()),
        _ => {}
    }
    let mut peers: Vec<PeerSpec> = Vec::new();
    for one in asked {
        let spec = match one {
            Against::Nobody => {
                return Err(BenchError::Options("--against none goes with no other library".to_owned()));
            }
            Against::Given(spec) => spec.clone(),
            Against::Named(name) => {
                known.iter().find(|spec| spec.name == *name).cloned().or_else(|| python(name)).ok_or_else(|| {
                    let names: Vec<&str> = known.iter().map(|spec| spec.name.as_str()).collect();
                    let names = names.join(", ");
                    BenchError::Options(format!(
                        "{name} was not found: give its path, as in {name}=/path/lib.so; there are {names}"
                    ))
                })?
            }
        };
        if peers.iter().any(|other| other.name == spec.name) {
            return Err(BenchError::Options(format!("{} is there twice: give one of them another name", spec.name)));
        }
        peers.push(spec);
    }
    Ok(peers)
}

/// A library of Python, which the family of arrays looks for.
fn python(name: &str) -> Option<PeerSpec> {
    name.parse::<PeerSpec>().ok().filter(|spec| spec.python_library().is_some())
}

fn empty(effort: Effort, backends: &[Backend], peers: &[PeerSpec]) -> BenchReport {
    let backends = backends.iter().map(|backend| BackendReport {
        name: backend.name(),
        device: backend.device_info.clone(),
        limits: Limits::default(),
    });
    let name = std::env::args().next().unwrap_or_default();
    let name = std::path::Path::new(&name)
        .file_name()
        .map_or_else(|| "affinimath".into(), |name| name.to_string_lossy().into_owned());
    BenchReport {
        schema: "affinimath/bench-all/1",
        affinimath: env!("CARGO_PKG_VERSION").to_owned(),
        command: std::iter::once(name).chain(std::env::args().skip(1)).collect(),
        started: model::now(),
        seconds: 0.0,
        effort,
        interrupted: false,
        machine: Machine::this(),
        peers: peers.iter().map(PeerFile::new).collect(),
        backends: backends.collect(),
        comparisons: Vec::new(),
        shortfalls: Vec::new(),
        runs: Vec::new(),
    }
}

/// Tasks and peers of the run.
fn announce(report: &BenchReport, tasks: &[Task]) -> Result<(), BenchError> {
    let processor = report.machine.processor.as_deref().unwrap_or("the processor");
    print(&format!("affinimath {} on {processor}, {} threads", report.affinimath, report.machine.threads))?;
    for backend in report.backends.iter().filter(|backend| backend.device.is_some()) {
        print(&format!("and on {}", backend.name))?;
    }
    if report.peers.is_empty() {
        print("against no other library")?;
    }
    for peer in &report.peers {
        let file = peer.paths.first().map(String::as_str);
        let file = file.unwrap_or(if python(&peer.name).is_some() { "by Python" } else { "built in" });
        print(&format!("against {}: {file}", peer.name))?;
    }
    print(&format!("families and backends: {}\n", tasks.len()))
}

/// Steps of the bar for a task.
const TICKS: f64 = 1000.0;

fn progress_bar(tasks: usize) -> ProgressBar {
    let length = (tasks as f64 * TICKS) as u64;
    // A log file or a pipe gets a line for each task.
    if !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:30} {percent}% {elapsed}  {wide_msg}");
    let bar = ProgressBar::new(length);
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> PeerSpec {
        text.parse().unwrap()
    }

    #[test]
    fn libraries_are_those_that_are_found_or_named() {
        let found = || vec![spec("openblas=/o.so"), spec("fftw=/f.so")];
        let asked = |texts: &[&str]| {
            let asked: Vec<Against> = texts.iter().map(|text| text.parse().unwrap()).collect();
            peers(&asked, found()).map(|peers| peers.into_iter().map(|peer| peer.name).collect::<Vec<_>>())
        };
        assert_eq!(asked(&[]).unwrap(), ["faer", "openblas", "fftw"]);
        assert!(asked(&["none"]).unwrap().is_empty());
        assert_eq!(asked(&["FFTW", "my=/m.so"]).unwrap(), ["fftw", "my"]);
        assert_eq!(asked(&["torch", "openblas"]).unwrap(), ["torch", "openblas"]);
        assert!(asked(&["mkl"]).unwrap_err().to_string().contains("mkl=/path/lib.so"));
        assert!(asked(&["none", "fftw"]).is_err() && asked(&["fftw", "fftw=/x.so"]).is_err());
        assert!("".parse::<Against>().is_err() && "x=".parse::<Against>().is_err());
    }

    #[test]
    fn minutes_make_sense() {
        assert_eq!(minutes("1.5").unwrap(), Duration::from_secs(90));
        assert!(minutes("0").is_err() && minutes("nan").is_err() && minutes("soon").is_err());
    }
}
