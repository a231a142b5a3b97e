//! `affinimath tune stencil`: the fastest strategy of a stencil on a device.
//!
//! A process of its own measures each candidate, and compares its bits with those of naive kernels.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use affinimath::stencil::{Plan, Schedule, Stencil, Strategy, Target};
use affinimath::{Device, DeviceContext, DeviceInfo};
use affinimath_bench::Failure;
use affinimath_bench::json::JsonOption;
use affinimath_tuner::exchange::Outcome;
use affinimath_tuner::search::{Budget, StrategyKind};
use affinimath_tuner::space::{Configuration, Space};
use affinimath_tuner::stencils::{self, Record};
use affinimath_tuner::tuner::{Found, Objective, Tuner};
use serde_json::{Value, json};

use super::child::Bencher;
use super::messages::{Job, Problem, Work};
use super::trials::{Decided, Trials, WORTH_KEEPING, ranking};
use super::workload::stencil::STEPS;
use super::{chosen_device, plot, progress_bar};
use crate::stencil::{Real, failed, parse};

/// The end of the `--help` text.
pub const HELP: &str = "Examples:
  affinimath tune stencil laplacian.stc --size N=512 --type s
  affinimath tune stencil wave.stc --problem N=512 --problem N=200@0.5 --budget 120s --strategy greedy
  affinimath tune stencil heat.stc --size nx=4096 --size ny=4096 --runs runs.jsonl --plot heat.svg
  affinimath tune stencil heat.stc --size nx=4096 --size ny=4096 --schedule blocks.stg";

/// Strategies in the table.
const ROWS: usize = 10;

/// The arguments of `affinimath tune stencil`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The stencil's text, or - for standard input
    file: PathBuf,
    /// The value of a size (repeatable)
    #[arg(long, value_name = "NAME=VALUE", required_unless_present = "problem", conflicts_with = "problem")]
    size: Vec<String>,
    /// A domain by all its sizes, with the weight of its time, which is 1 by default (repeatable)
    #[arg(long, value_name = "NAME=VALUE,...[@WEIGHT]")]
    problem: Vec<String>,
    /// Replace float and double in the text by one of them, s (float) or d (double); integers stay
    #[arg(long = "type", value_name = "TYPE", ignore_case = true)]
    real: Option<Real>,
    /// The device: auto (the one that calls are sent to, a GPU), or its index or part of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Search strategy; direct, exhaustive, gce, greedy, hooke-jeeves, local, nelder-mead, powell and others
    #[arg(long, default_value = "local")]
    strategy: StrategyKind,
    /// Search the auto parameters of a strategy's file instead; nothing is recorded
    #[arg(long, value_name = "FILE.stg")]
    schedule: Option<PathBuf>,
    /// Measurements, or seconds
    #[arg(long, value_name = "N|SECONDSs", default_value = "40")]
    budget: Budget,
    /// Seed of the random choices of a search
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds after which a measurement counts as hanging
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    limit: u32,
    /// File that keeps every run, so that a search that was killed goes on
    #[arg(long, visible_alias = "resume", value_name = "FILE")]
    runs: Option<PathBuf>,
    /// Write nothing to the tuning database
    #[arg(long)]
    dry_run: bool,
    /// Draw the best against the measurements
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
}

/// Searches, records the fastest strategy, and prints it.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.json.check_folder()?;
    let stencil = parse(&arguments.file, arguments.real)?;
    let problems = problems(arguments)?;
    let chosen = chosen_device(&arguments.device)?;
    let device = &Device::all()?[chosen.index];
    let context = DeviceContext::for_device(device)?;
    let plans = problems.iter().map(|problem| plan(&stencil, &context, problem)).collect::<Result<Vec<_>, _>>()?;
    let name = stencil.name();
    let schedule = arguments.schedule.as_deref().map(crate::stencil::schedule).transpose()?;
    let (space, starts) = candidates(&plans[0], schedule.as_ref())?;
    let text = schedule.as_ref().map(ToString::to_string);
    let work = Work::Stencil { text: stencil.to_string(), problems: problems.clone(), schedule: text };
    let job = Job { device: chosen.index, work, limit: arguments.limit.into(), objective: Objective::Time };
    let bencher = Bencher::new(job)?;
    let mut trials = Trials::new(bencher);
    let default = trials.default("the model's choice")?;
    let bar = progress_bar("{prefix} {bar:30} {msg}");
    bar.set_prefix(name.to_owned());
    if let Budget::Evaluations(most) = arguments.budget {
        bar.set_length(most as u64);
    }
    let mut tuner = Tuner::new(&space)
        .strategy(arguments.strategy)
        .seed(arguments.seed)
        .budget(arguments.budget)
        .starts(starts)
        .observer(|progress| {
            bar.set_position(progress.runs as u64);
            let gain = progress.best.map_or(1.0, |best| default / best);
            bar.set_message(format!("{} measured, best {gain:.2} x the model's speed", progress.runs));
        });
    if let Some(path) = &arguments.runs {
        let info = device.info();
        tuner = tuner.resume(path, session(&stencil, &problems, info, schedule.as_ref()));
    }
    let found = tuner.run(&mut trials);
    bar.finish_and_clear();
    let found = trials.after(found)?;
    let result = trials.decide(&found, &[Configuration::new([("naive", 1)])])?.each(STEPS as f64);
    let (stencil, schedule, plans, device) = (&stencil, schedule.as_ref(), &plans[..], device.info());
    let search = Finished { arguments, stencil, schedule, plans, device, found, default, result };
    let files = search.record()?;
    search.give(files.as_deref())
}

/// The space of a search, and the points to begin from.
fn candidates(plan: &Plan, schedule: Option<&Schedule>) -> Result<(Space, Vec<Configuration>), Failure> {
    if let Some(schedule) = schedule {
        // Errors of its loops are told before anything is measured.
        let start = schedule.configuration(plan.bound()).map_err(failed)?;
        schedule.check(plan.bound()).map_err(failed)?;
        return Ok((schedule.space(plan.bound()).map_err(failed)?, vec![start]));
    }
    let Some((space, starts)) = plan.strategies() else {
        let name = plan.bound().stencil().name();
        return Err(Failure(format!(
            "there is no strategy of '{name}' to choose on this device: stencils of two and three axes have some on \
             GPUs, and --schedule takes those of a file"
        )));
    };
    Ok((space, starts.iter().filter_map(Strategy::configuration).collect()))
}

/// The domains.
fn problems(arguments: &Arguments) -> Result<Vec<Problem>, Failure> {
    if arguments.problem.is_empty() {
        let sizes = arguments.size.iter().map(|size| pair("--size", size)).collect::<Result<_, _>>()?;
        return Ok(vec![Problem { sizes, weight: 1.0 }]);
    }
    let problem = |text: &String| {
        let (sizes, weight) = text.split_once('@').unwrap_or((text, "1"));
        let weight = weight.parse().ok().filter(|weight: &f64| weight.is_finite() && *weight > 0.0);
        let weight = weight.ok_or_else(|| Failure(format!("--problem {text}: the weight is no positive number")))?;
        let sizes = sizes.split(',').map(|size| pair("--problem", size)).collect::<Result<_, _>>()?;
        Ok(Problem { sizes, weight })
    };
    arguments.problem.iter().map(problem).collect()
}

fn pair(option: &str, text: &str) -> Result<(String, i64), Failure> {
    let parsed = text.split_once('=').and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    parsed.ok_or_else(|| Failure(format!("{option} {text}: a size is NAME=VALUE, as in N=512")))
}

fn plan(stencil: &Stencil, context: &Arc<DeviceContext>, problem: &Problem) -> Result<Plan, Failure> {
    let sizes: Vec<(&str, i64)> = problem.sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    Plan::new(stencil, Target::Device(context.clone()), &sizes).map_err(failed)
}

/// The subject of a file's runs.
fn session(stencil: &Stencil, problems: &[Problem], device: &DeviceInfo, schedule: Option<&Schedule>) -> Value {
    let mut session = json!({
        "library": env!("CARGO_PKG_VERSION"),
        "device": device.name,
        "driver": device.driver,
        "stencil": stencil.digest(),
        "problems": problems,
    });
    if let Some(schedule) = schedule {
        session["schedule"] = schedule.to_string().into();
    }
    session
}

/// A search that has ended.
struct Finished<'a> {
    arguments: &'a Arguments,
    stencil: &'a Stencil,
    schedule: Option<&'a Schedule>,
    plans: &'a [Plan],
    device: &'a DeviceInfo,
    found: Found,
    /// Seconds of a run with the model's choice, measured before the search.
    default: f64,
    result: Decided,
}

impl Finished<'_> {
    /// A point's strategy.
    fn strategy(&self, point: &Configuration) -> Strategy {
        let own = match self.schedule {
            Some(schedule) => schedule.at(point, self.plans[0].bound()).ok().map(Strategy::from),
            None => Strategy::of_configuration(point),
        };
        own.unwrap_or(Strategy::Naive)
    }

    /// The strategy that is worth a record.
    fn better(&self) -> Option<Strategy> {
        self.result.winner.as_ref().filter(|_| self.result.gain() >= WORTH_KEEPING).map(|point| self.strategy(point))
    }

    /// Appends a record for each domain, and gives the database's file.
    fn record(&self) -> Result<Option<PathBuf>, Failure> {
        let is_recorded = !self.arguments.dry_run && self.schedule.is_none();
        let Some(strategy) = self.better().filter(|_| is_recorded) else { return Ok(None) };
        let mut file = None;
        for plan in self.plans {
            file = Some(stencils::append(&Record {
                library: env!("CARGO_PKG_VERSION").to_owned(),
                device: self.device.name.clone(),
                driver: self.device.driver.clone(),
                definition: self.stencil.digest(),
                name: self.stencil.name().to_owned(),
                lengths: plan.bound().lengths().to_vec(),
                strategy: strategy.to_string(),
                seconds: self.result.seconds,
                default_seconds: self.result.default_seconds,
                evaluations: self.found.runs.len(),
            })?);
        }
        Ok(file)
    }

    /// Prints the text or JSON, and draws the plot.
    fn give(&self, file: Option<&Path>) -> Result<(), Failure> {
        self.arguments.json.give("tune-stencil", self.json(file), &self.text(file))?;
        if let Some(path) = &self.arguments.plot {
            let title = format!("{}: the best so far, the model's choice being 1", self.stencil.name());
            plot::best_so_far(path, title, self.speeds())?;
        }
        Ok(())
    }

    /// After each measurement, the speed of the best so far.
    fn speeds(&self) -> Vec<f64> {
        super::trials::speeds(&self.found, self.default)
    }

    /// Billions of points per second on the only domain, as a text.
    fn rate(&self, seconds: f64) -> String {
        match self.plans {
            [plan] => format!(", {:.1} Gpoint/s", 1e-9 * plan.bound().points() as f64 / seconds),
            _ => String::new(),
        }
    }

    fn text(&self, file: Option<&Path>) -> String {
        let runs = &self.found.runs;
        let failed = runs.iter().filter(|(_, outcome)| outcome.seconds.is_none()).count();
        let name = self.stencil.name();
        let device = &self.device.name;
        let mut text = format!("{name} on {device}: {} strategies measured, {failed} of them failed\n", runs.len());
        for (invalidity, what) in super::exec::FAILURES {
            let first = runs.iter().find(|(_, outcome)| outcome.invalidity == invalidity);
            if let Some((point, outcome)) = first {
                let why = outcome.message.as_deref().unwrap_or(what);
                text += &format!("  {what}, the first: {}: {why}\n", self.strategy(point));
            }
        }
        text += "       ms a step   speed  strategy\n";
        for (point, seconds) in ranking(&self.found).into_iter().take(ROWS) {
            let step = 1e3 * seconds / STEPS as f64;
            text += &format!("{step:>16.4}{:>8.2}  {}\n", self.default / seconds, self.strategy(point));
        }
        let Decided { seconds, default_seconds, .. } = self.result;
        let model: Vec<String> = self.plans.iter().map(|plan| plan.model_strategy().to_string()).collect();
        let rate = self.rate(default_seconds);
        text += &format!("the model's choice: {}, {:.4} ms a step{rate}\n", model.join(" and "), 1e3 * default_seconds);
        match self.better() {
            Some(strategy) => {
                let rate = self.rate(seconds);
                text += &format!("the fastest: {strategy}, {:.4} ms a step{rate}", 1e3 * seconds);
                text += &format!(", {:.2} times as fast in rounds of both\n", self.result.gain());
                let why = if self.schedule.is_some() { "a strategy of a file" } else { "--dry-run" };
                text +=
                    &file.map_or(format!("not recorded ({why})\n"), |file| format!("recorded in {}\n", file.display()));
            }
            None => text += "the model's choice stays: nothing is clearly faster\n",
        }
        text
    }

    fn json(&self, file: Option<&Path>) -> Value {
        let run = |(point, outcome): &(Configuration, Outcome)| {
            json!({
                "strategy": self.strategy(point).to_string(), "configuration": point,
                "seconds": outcome.seconds.map(|seconds| seconds / STEPS as f64),
                "invalidity": outcome.invalidity, "message": outcome.message,
            })
        };
        let lengths: Vec<_> = self.plans.iter().map(|plan| plan.bound().lengths()).collect();
        json!({
            "stencil": self.stencil.name(),
            "definition": self.stencil.digest(),
            "device": self.device.name,
            "domains": lengths,
            "model": self.plans.iter().map(|plan| plan.model_strategy().to_string()).collect::<Vec<_>>(),
            "model_seconds": self.result.default_seconds,
            "best": self.better().map(|strategy| strategy.to_string()),
            "best_seconds": self.result.seconds,
            "gain": self.result.gain(),
            "measured_now": self.found.measured,
            "best_so_far": self.speeds(),
            "runs": self.found.runs.iter().map(run).collect::<Vec<_>>(),
            "file": file,
        })
    }
}
