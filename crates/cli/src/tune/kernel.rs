//! `affinimath tune kernel`: the fastest parameters of a user's kernel, on a recorded launch.
//!
//! A process of its own measures each point, and compares its results with the recorded ones.

use std::path::{Path, PathBuf};

use affinimath::replay::{Case, Tolerance};
use affinimath::{Device, DeviceInfo};
use affinimath_bench::json::JsonOption;
use affinimath_bench::{Failure, input};
use affinimath_tuner::exchange::to_t4;
use affinimath_tuner::kernels::{self, Record};
use affinimath_tuner::probe::{Probe, Probes, Target};
use affinimath_tuner::search::{Budget, StrategyKind};
use affinimath_tuner::space::{Configuration, Parameter, Space, Value};
use affinimath_tuner::t1::KernelSpace;
use affinimath_tuner::tuner::{Found, Objective, Tuner};
use serde_json::json;

use super::child::Bencher;
use super::launch_sizes::LaunchSizes;
use super::messages::{Job, LaunchWork, Work};
use super::trials::{Decided, Trials, WORTH_KEEPING, ranking, speeds};
use super::workload::launch::{OPTIONS, options};
use super::{chosen_device, files, plot, progress_bar};

/// The end of the `--help` text.
pub const HELP: &str = "\
Parameters are definitions for the kernel's source: block=64 becomes -Dblock=64, a switch 0 or 1.
A group has block_size_x, block_size_y and block_size_z work-items where there are such parameters, and as many groups
as cover the recorded work-items. --items and --groups say otherwise, by expressions of the parameters, of the launch's
integer arguments by their names, and of global_x, groups_x and items_x, the recorded sizes (also of y and z).

Examples:
  AFFINIMATH_TRACE=cases,kernel=blur,count=1 ./program
  affinimath tune kernel blur.cl --case cases/000001-blur --parameter block_size_x=16,32,64 --parameter each=1,2,4
    --groups '(width + block_size_x * each - 1) / (block_size_x * each)' --tolerance 1e-6
  affinimath tune kernel blur.cl --case cases/000001-blur --space blur.t1.json --export blur.t4.json";

/// Points in the table.
const ROWS: usize = 10;

/// The arguments of `affinimath tune kernel`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The source in OpenCL C; without it, that of the case
    source: Option<PathBuf>,
    /// Folder of a launch that AFFINIMATH_TRACE or a program has recorded
    #[arg(long, value_name = "DIR")]
    case: PathBuf,
    /// Space of the parameters in the format T1
    #[arg(long, value_name = "FILE.json")]
    space: Option<PathBuf>,
    /// A parameter with its values, as in block_size_x=16,32,64 or vector=false,true (repeatable)
    #[arg(long, value_name = "NAME=VALUES", value_parser = parameter)]
    parameter: Vec<Parameter>,
    /// A rule that points satisfy, as in 'block_size_x * each <= 256' (repeatable)
    #[arg(long, value_name = "RULE")]
    constraint: Vec<String>,
    /// Options of the compiler; given several times, they are tried in turn
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    options: Vec<String>,
    /// Work-items of a group, per dimension, separated by semicolons
    #[arg(long, value_name = "X[;Y[;Z]]", value_parser = axes)]
    items: Option<Axes>,
    /// Work-groups, per dimension, separated by semicolons
    #[arg(long, value_name = "X[;Y[;Z]]", value_parser = axes)]
    groups: Option<Axes>,
    /// The kernel's name in the source; by default the recorded one
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// How near results are to be to the recorded ones: exact (the default), 2ulp, or 1e-6 relative to the largest; as
    /// in 3=1e-6 for the argument number 3 alone (repeatable)
    #[arg(long, value_name = "TOLERANCE", value_parser = tolerance, conflicts_with = "unchecked")]
    tolerance: Vec<(Option<usize>, Tolerance)>,
    /// Compare no results: the fastest may be wrong
    #[arg(long)]
    unchecked: bool,
    /// Value that is to be small: time, device-time (by the device's own clock), energy, or energy-delay (joules times
    /// seconds)
    #[arg(long, value_name = "OBJECTIVE", default_value = "time", value_parser = objective)]
    objective: Objective,
    /// Launch that points are compared with: the recorded one, or the first point that works
    #[arg(long, value_enum, default_value = "recorded")]
    baseline: Baseline,
    /// The device: auto (the one that calls are sent to, a GPU), or its index or part of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Search strategy; direct, exhaustive, gce, greedy, hooke-jeeves, local, nelder-mead, powell and others
    #[arg(long, default_value = "local")]
    strategy: StrategyKind,
    /// Measurements, or seconds; exhaustive searches need none
    #[arg(long, value_name = "N|SECONDSs", default_value = "60s", default_value_if("strategy", "exhaustive", None))]
    budget: Option<Budget>,
    /// Seed of the random choices of a search
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds after which a measurement counts as hanging
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    limit: u32,
    /// File that keeps every run, so that a search that was killed goes on
    #[arg(long, visible_alias = "resume", value_name = "FILE")]
    runs: Option<PathBuf>,
    /// Name under which programs ask for the parameters; by default the kernel's
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Write nothing to the tuning database
    #[arg(long)]
    dry_run: bool,
    /// Write all measurements in the format T4
    #[arg(long, value_name = "FILE.json")]
    export: Option<PathBuf>,
    /// Draw the best against the measurements
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
}

impl Arguments {
    /// The arguments with another way of giving JSON.
    pub fn with_json(self, json: JsonOption) -> Self {
        Arguments { json, ..self }
    }
}

/// A tolerance, of one argument or of all others.
fn tolerance(text: &str) -> Result<(Option<usize>, Tolerance), String> {
    match text.split_once('=') {
        None => Ok((None, text.parse()?)),
        Some((index, text)) => {
            let index = index.trim().parse().map_err(|_| format!("'{index}' is no number of an argument"))?;
            Ok((Some(index), text.trim().parse()?))
        }
    }
}

/// Launch that points are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Baseline {
    Recorded,
    First,
}

impl Baseline {
    const fn name(self) -> &'static str {
        match self {
            Baseline::Recorded => "the recorded launch",
            Baseline::First => "the first point that works",
        }
    }
}

/// An objective of launches.
fn objective(text: &str) -> Result<Objective, String> {
    let known = [Objective::Time, Objective::DeviceTime, Objective::Energy, Objective::EnergyDelay];
    let found = text.parse().ok().filter(|objective| known.contains(objective));
    found.ok_or_else(|| format!("it is none of {}", known.map(|objective| objective.to_string()).join(", ")))
}

/// Says before anything is measured that a device has no energy.
fn measurable(objective: Objective, device: &Device) -> Result<(), Failure> {
    if !objective.needs_energy() {
        return Ok(());
    }
    let probes = Probes::new(Target::of_device(device), &[Probe::Energy]);
    let name = &device.info().name;
    match probes.energy() {
        Ok(_) => Ok(()),
        Err(reason) => Err(Failure(format!("{objective} of {name} cannot be measured here: {reason}"))),
    }
}

/// Expressions of dimensions.
#[derive(Clone, Debug)]
struct Axes([Option<String>; 3]);

fn axes(text: &str) -> Result<Axes, String> {
    let mut axes = [const { None }; 3];
    let parts: Vec<&str> = text.split(';').map(str::trim).collect();
    if parts.len() > axes.len() {
        return Err("a launch has three dimensions at most".to_owned());
    }
    for (axis, part) in axes.iter_mut().zip(parts) {
        *axis = (!part.is_empty()).then(|| part.to_owned());
    }
    Ok(Axes(axes))
}

fn is_identifier(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A parameter of the command line. Words that are no numbers and no truth values are names.
fn parameter(text: &str) -> Result<Parameter, String> {
    let (name, values) = text.split_once('=').ok_or("a parameter is NAME=VALUES, as in block_size_x=16,32,64")?;
    let value = |word: &str| match word.trim() {
        "true" => Value::Boolean(true),
        "false" => Value::Boolean(false),
        word => word.parse().map_or_else(|_| Value::Name(word.to_owned()), Value::Integer),
    };
    Ok(Parameter { name: name.trim().to_owned(), values: values.split(',').map(value).collect(), group: 0 })
}

/// Subject of a search: a kernel's text, its launch, and its space.
struct Subject {
    work: LaunchWork,
    space: Space,
    start: Option<Configuration>,
    case: Case,
}

/// Searches, records the fastest parameters, and prints them.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.json.check_folder()?;
    let subject = subject(arguments)?;
    let chosen = chosen_device(&arguments.device)?;
    let device = Device::all()?[chosen.index].info().clone();
    let (work, objective) = (Work::Launch(subject.work.clone()), arguments.objective);
    measurable(objective, &Device::all()?[chosen.index])?;
    let bencher = Bencher::new(Job { device: chosen.index, work, limit: arguments.limit.into(), objective })?;
    let mut trials = Trials::new(bencher);
    let recorded = match arguments.baseline {
        Baseline::Recorded => Some(trials.default(Baseline::Recorded.name())?),
        Baseline::First => None,
    };
    let bar = progress_bar("{prefix} {bar:30} {msg}");
    bar.set_prefix(subject.work.kernel.clone());
    match arguments.budget {
        Some(Budget::Evaluations(most)) => bar.set_length(most as u64),
        Some(Budget::Time(_)) | None => bar.set_length(subject.space.known_len().unwrap_or_default() as u64),
    }
    let mut tuner = Tuner::new(&subject.space)
        .strategy(arguments.strategy)
        .seed(arguments.seed)
        .objective(objective)
        .starts(subject.start.clone())
        .observer(|progress| {
            bar.set_position(progress.runs as u64);
            let best = progress.best.map(|best| match recorded {
                Some(recorded) => format!("{:.2} x as good as the recorded launch", recorded / best),
                None => format!("{:.4} m{}", 1e3 * best, objective.unit()),
            });
            bar.set_message(format!("{} measured, best {}", progress.runs, best.as_deref().unwrap_or("none")));
        });
    if let Some(budget) = arguments.budget {
        tuner = tuner.budget(budget);
    }
    if let Some(path) = &arguments.runs {
        let session = json!({
            "library": env!("CARGO_PKG_VERSION"), "device": device.name, "driver": device.driver, "work": subject.work,
            "objective": objective,
        });
        tuner = tuner.resume(path, session);
    }
    let found = tuner.run(&mut trials);
    bar.finish_and_clear();
    let found = trials.after(found)?;
    let first = found.runs.iter().find_map(|(point, outcome)| Some((point.clone(), outcome.seconds?)));
    let (default, result) = match (recorded, first) {
        (Some(recorded), _) => (recorded, trials.decide(&found, &[])?),
        (None, Some((point, value))) => (value, trials.decide_against(Some(&point), &found, &[])?),
        (None, None) => (f64::NAN, Decided { winner: None, seconds: f64::INFINITY, default_seconds: f64::INFINITY }),
    };
    let search = Finished { arguments, subject: &subject, device: &device, found, default, result };
    let file = search.record()?;
    search.give(file.as_deref())
}

/// Reads everything that the command line names, before anything is measured.
fn subject(arguments: &Arguments) -> Result<Subject, Failure> {
    let malformed = |error: &dyn std::fmt::Display| Failure::file("cannot use", &arguments.case, error.to_string());
    let case = Case::load(&arguments.case).map_err(|error| malformed(&error))?;
    let t1 = arguments.space.as_ref().map(|path| {
        let read = KernelSpace::parse(&input::text(path)?);
        read.map_err(|error| Failure::file("cannot use", path, error.to_string()))
    });
    let t1 = t1.transpose()?;
    let space = space(arguments, t1.as_ref())?;
    let source = match &arguments.source {
        Some(path) => input::text(path)?,
        None => case.source().to_owned(),
    };
    let of_t1 = |pick: fn(&KernelSpace) -> Option<String>| t1.as_ref().and_then(pick);
    let recorded = case.launch().kernel.clone();
    let kernel = arguments.kernel.clone().or_else(|| of_t1(|t1| t1.kernel.clone())).unwrap_or(recorded);
    if !is_identifier(&kernel) {
        return Err(Failure(format!("'{kernel}' is no name of a kernel")));
    }
    let given = match &arguments.options[..] {
        [one] => one.clone(),
        _ => of_t1(|t1| Some(t1.options.clone())).unwrap_or_default(),
    };
    let options = if given.is_empty() { case.launch().options.clone() } else { given };
    let (items, groups) = sizes(arguments, t1.as_ref());
    let is_parameter = |name: &str| space.parameters().iter().any(|parameter| parameter.name == name);
    LaunchSizes::parse(&items, &groups, &is_parameter, case.launch()).map_err(Failure)?;
    let has_results = (0..case.recorded().memories.len()).any(|memory| case.recorded().expected(memory).is_some());
    if !has_results && !arguments.unchecked {
        return Err(malformed(&"it has no results to compare with, which --unchecked does without"));
    }
    let tolerance = (!arguments.unchecked).then(|| {
        let general = arguments.tolerance.iter().rev().find(|(index, _)| index.is_none());
        general.map_or(Tolerance::Exact, |(_, tolerance)| *tolerance).to_string()
    });
    let own =
        arguments.tolerance.iter().filter_map(|(index, tolerance)| Some((*index.as_ref()?, tolerance.to_string())));
    let own_tolerances = own.collect();
    let start = t1.as_ref().and_then(|t1| t1.default.clone()).filter(|start| space.find(start).is_some());
    let folder = std::path::absolute(&arguments.case).map_err(|error| malformed(&error))?;
    let work = LaunchWork { case: folder, source, kernel, options, items, groups, tolerance, own_tolerances };
    Ok(Subject { work, space, start, case })
}

/// Parameters of the file and of the command line, with the rules of both.
fn space(arguments: &Arguments, t1: Option<&KernelSpace>) -> Result<Space, Failure> {
    let of_file = t1.map_or(&[][..], |t1| t1.space.parameters());
    let mut builder = Space::builder();
    for Parameter { name, values, .. } in of_file.iter().chain(&arguments.parameter) {
        builder = builder.parameter(name, values.clone());
    }
    if arguments.options.len() > 1 {
        builder = builder.choice(OPTIONS, arguments.options.iter().cloned());
    }
    for constraint in t1.map_or(&[][..], |t1| t1.space.constraints()) {
        builder = builder.constraint(constraint.clone());
    }
    let space = arguments.constraint.iter().fold(builder, |builder, rule| builder.rule(rule)).build();
    let space = space.map_err(|error| Failure(error.to_string()))?;
    if space.parameters().is_empty() {
        return Err(Failure("there is nothing to tune: --parameter, --options or --space give parameters".to_owned()));
    }
    for Parameter { name, values, .. } in space.parameters() {
        if !is_identifier(name) {
            return Err(Failure(format!("'{name}' is no name of a definition")));
        }
        let spaced = values.iter().filter_map(Value::as_name).find(|value| value.contains(char::is_whitespace));
        if let Some(value) = spaced.filter(|_| name != OPTIONS) {
            return Err(Failure(format!("the value '{value}' of '{name}' has a space: it is no definition")));
        }
    }
    Ok(space)
}

/// Expressions of the work-items of a group, and of the work-groups.
fn sizes(arguments: &Arguments, t1: Option<&KernelSpace>) -> ([Option<String>; 3], [Option<String>; 3]) {
    let mut items = t1.map(|t1| t1.items.clone()).unwrap_or_default();
    let mut groups = t1.map(|t1| t1.groups.clone()).unwrap_or_default();
    for axis in 0..3 {
        if let Some(text) = arguments.items.as_ref().and_then(|axes| axes.0[axis].clone()) {
            items[axis] = Some(text);
        }
        let global = t1.and_then(|t1| t1.global[axis].as_ref());
        if let (Some(global), Some(items)) = (global, &items[axis]) {
            groups[axis] = Some(format!("(({global}) + ({items}) - 1) / ({items})"));
        }
        if let Some(text) = arguments.groups.as_ref().and_then(|axes| axes.0[axis].clone()) {
            groups[axis] = Some(text);
        }
    }
    (items, groups)
}

/// A search that has ended.
struct Finished<'a> {
    arguments: &'a Arguments,
    subject: &'a Subject,
    device: &'a DeviceInfo,
    found: Found,
    /// Value of the baseline, as it was measured in the search or before it.
    default: f64,
    result: Decided,
}

impl Finished<'_> {
    /// The point that is worth a record.
    fn better(&self) -> Option<&Configuration> {
        let is_kept = self.arguments.baseline == Baseline::First || self.result.gain() >= WORTH_KEEPING;
        self.result.winner.as_ref().filter(|_| is_kept && self.result.seconds.is_finite())
    }

    /// Name under which programs ask.
    fn name(&self) -> &str {
        self.arguments.name.as_ref().unwrap_or(&self.subject.work.kernel)
    }

    /// Groups and items of a point.
    fn sizes(&self, point: &Configuration) -> ([usize; 3], [usize; 3]) {
        let (work, record) = (&self.subject.work, self.subject.case.launch());
        let sizes = LaunchSizes::parse(&work.items, &work.groups, &|_| true, record);
        sizes.and_then(|sizes| sizes.at(point, record)).unwrap_or((record.groups, record.items))
    }

    /// Appends a record, writes the measurements for others, and gives the database's file.
    fn record(&self) -> Result<Option<PathBuf>, Failure> {
        if let Some(path) = &self.arguments.export {
            let metadata = json!({
                "library": env!("CARGO_PKG_VERSION"),
                "device": self.device.name,
                "driver": self.device.driver,
                "kernel": self.name(),
                "default_seconds": self.default,
            });
            let text = files::lines_of(&to_t4(&metadata, &self.found.runs, self.arguments.objective));
            std::fs::write(path, text).map_err(|error| Failure::file("cannot write", path, error))?;
        }
        let Some(point) = self.better().filter(|_| !self.arguments.dry_run) else { return Ok(None) };
        let (groups, items) = self.sizes(point);
        Ok(Some(kernels::append(&Record {
            library: env!("CARGO_PKG_VERSION").to_owned(),
            device: self.device.name.clone(),
            driver: self.device.driver.clone(),
            kernel: self.name().to_owned(),
            groups,
            items,
            configuration: point.clone(),
            seconds: self.result.seconds,
            default_seconds: self.result.default_seconds,
            evaluations: self.found.runs.len(),
            objective: self.arguments.objective,
        })?))
    }

    /// Prints the text or JSON, and draws the plot.
    fn give(&self, file: Option<&Path>) -> Result<(), Failure> {
        self.arguments.json.give("tune-kernel", self.json(file), &self.text(file))?;
        if let Some(path) = &self.arguments.plot {
            let title = format!("{}: the best so far, {} being 1", self.name(), self.arguments.baseline.name());
            plot::best_so_far(path, title, speeds(&self.found, self.default))?;
        }
        Ok(())
    }

    fn text(&self, file: Option<&Path>) -> String {
        let runs = &self.found.runs;
        let failed = runs.iter().filter(|(_, outcome)| outcome.seconds.is_none()).count();
        let device = &self.device.name;
        let mut text =
            format!("{} on {device}: {} points measured, {failed} of them failed\n", self.name(), runs.len());
        for (invalidity, what) in super::exec::FAILURES {
            if let Some((point, outcome)) = runs.iter().find(|(_, outcome)| outcome.invalidity == invalidity) {
                let why = outcome.message.as_deref().unwrap_or(what).trim_end();
                text += &format!("  {what}, the first: {point}: {why}\n");
            }
        }
        let (unit, baseline) = (self.arguments.objective.unit(), self.arguments.baseline.name());
        text += &format!("{:>16}    gain  parameters\n", format!("m{unit}"));
        for (point, seconds) in ranking(&self.found).into_iter().take(ROWS) {
            text += &format!("{:>16.4}{:>8.2}  {point}\n", 1e3 * seconds, self.default / seconds);
        }
        let Decided { seconds, default_seconds, .. } = self.result;
        if default_seconds.is_finite() {
            text += &format!("{baseline}: {:.4} m{unit}\n", 1e3 * default_seconds);
        }
        match self.better() {
            Some(point) => {
                let (groups, items) = self.sizes(point);
                text += &format!("the best: {point}, {:.4} m{unit}", 1e3 * seconds);
                text += &format!(", {:.2} times as good in rounds of both\n", self.result.gain());
                text += &format!("  {groups:?} groups of {items:?} work-items, options {}\n", self.options(point));
                text += &file.map_or("not recorded (--dry-run)\n".to_owned(), |file| {
                    format!("recorded as '{}' in {}\n", self.name(), file.display())
                });
            }
            None if self.arguments.baseline == Baseline::First => text += "no point works\n",
            None => text += "the recorded launch stays: nothing is clearly better\n",
        }
        text
    }

    fn options(&self, point: &Configuration) -> String {
        options(&self.subject.work, point)
    }

    fn json(&self, file: Option<&Path>) -> serde_json::Value {
        let objective = self.arguments.objective;
        let seconds = |value: Option<f64>| value.filter(|_| objective.unit() == Objective::Time.unit());
        let run = |(point, outcome): &(Configuration, affinimath_tuner::exchange::Outcome)| {
            json!({
                "configuration": point, "value": outcome.seconds, "seconds": seconds(outcome.seconds),
                "invalidity": outcome.invalidity, "message": outcome.message, "reading": outcome.reading,
            })
        };
        let best = self.better().map(|point| {
            let (groups, items) = self.sizes(point);
            json!({
                "configuration": point, "options": self.options(point), "groups": groups, "items": items,
                "value": self.result.seconds, "seconds": seconds(Some(self.result.seconds)),
            })
        });
        json!({
            "kernel": self.name(),
            "device": self.device.name,
            "driver": self.device.driver,
            "objective": objective,
            "unit": objective.unit(),
            "baseline": self.arguments.baseline.name(),
            "baseline_value": Some(self.result.default_seconds).filter(|value| value.is_finite()),
            "best": best,
            "gain": self.result.gain(),
            "measured_now": self.found.measured,
            "best_so_far": speeds(&self.found, self.default),
            "runs": self.found.runs.iter().map(run).collect::<Vec<_>>(),
            "file": file,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_values_of_one_kind() {
        let read = |text: &str| parameter(text).unwrap();
        assert_eq!(read("a=4,2").values, [Value::Integer(4), Value::Integer(2)]);
        assert_eq!(read("b = true,false").name, "b");
        assert_eq!(read("b=true,false").values, [Value::Boolean(true), Value::Boolean(false)]);
        assert_eq!(read("t=float,float4").values, [Value::from("float"), Value::from("float4")]);
        assert!(parameter("a").unwrap_err().contains("NAME=VALUES"));
    }

    #[test]
    fn objectives_are_values_of_launches() {
        assert_eq!(objective("energy-delay"), Ok(Objective::EnergyDelay));
        assert!(objective("maximize").unwrap_err().contains("time, device-time, energy, energy-delay"));
    }

    #[test]
    fn tolerances_are_of_one_argument_or_of_all() {
        assert_eq!(tolerance("2ulp"), Ok((None, Tolerance::Ulps(2))));
        assert_eq!(tolerance("3 = 1e-6"), Ok((Some(3), Tolerance::Relative(1e-6))));
        assert!(tolerance("y=1e-6").unwrap_err().contains("'y' is no number of an argument"));
    }

    #[test]
    fn sizes_of_dimensions_may_be_left_out() {
        assert_eq!(axes("a; ;2").unwrap().0, [Some("a".to_owned()), None, Some("2".to_owned())]);
        assert_eq!(axes("n / 2").unwrap().0, [Some("n / 2".to_owned()), None, None]);
        assert!(axes("1;2;3;4").is_err());
    }
}
