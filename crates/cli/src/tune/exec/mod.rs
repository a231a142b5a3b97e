//! `affinimath tune exec`: the best arguments of any program that prints a time, or takes one.
//!
//! [`ranges`] reads the arguments, [`program`] runs a candidate, and [`report`] shows what came out. The tuner's crate
//! has the space, the search and the file of runs.

mod program;
mod ranges;
mod report;

use std::path::PathBuf;

use affinimath_bench::Failure;
use affinimath_bench::json::JsonOption;
use affinimath_tuner::search::{Budget, StrategyKind};
use affinimath_tuner::space::Space;
use affinimath_tuner::tuner::{Objective, Tuner};
use serde_json::{Value, json};

use super::progress_bar;
pub use report::FAILURES;

use program::{Program, Timing};
use ranges::Template;

/// The end of the `--help` text.
pub const HELP: &str = "Arguments:
  4:4:200      from 4 to 200 in steps of 4; without the middle part in steps of 1
  1:*2:16      1, 2, 4, 8, 16
  8,12,20      these values; words too: row,column
  1:*2:16!     swept: the other arguments are searched for each of its values
  --tile=4:16  a named argument, which rules call tile
  200          any other text is passed on; with a backslash in front, text that looks like a range

Examples:
  affinimath tune exec ./bench 200 4:4:200 1:*2:16! --constraint '($1 + $2 - 1) / $2 >= 2'
  affinimath tune exec --runs runs.jsonl --strategy nelder-mead --budget 90s -- ./bench --tile=8:8:256 --order=xyz,zyx
  affinimath tune exec --wall --repeat 3 --limit 10 ./sort 1:*2:4096";

/// The arguments of `affinimath tune exec`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The program, which prints a time on its last line: smaller is better
    #[arg(value_name = "PROGRAM")]
    program: String,
    /// Its arguments: ranges, lists, or fixed text; those with a hyphen in front come after --
    #[arg(value_name = "RANGES", required = true)]
    ranges: Vec<String>,
    /// Rule on the arguments by their places or names: '$1 * $3 <= 1024', 'tile % unroll == 0'; $NAME is a variable of
    /// the environment
    #[arg(long = "constraint", value_name = "RULE")]
    constraints: Vec<String>,
    /// Search strategy; direct, exhaustive, gce, greedy, hooke-jeeves, local, nelder-mead, powell and others
    #[arg(long, default_value = "local")]
    strategy: StrategyKind,
    /// Runs, or seconds; exhaustive searches need none
    #[arg(long, value_name = "N|SECONDSs", default_value = "200", default_value_if("strategy", "exhaustive", None))]
    budget: Option<Budget>,
    /// Seed of the random choices of a search
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File that keeps every run, so that a search that was killed goes on, and no candidate runs twice
    #[arg(long, visible_alias = "resume", value_name = "FILE")]
    runs: Option<PathBuf>,
    /// Seconds after which a run counts as hanging, and is killed
    #[arg(long, visible_alias = "timeout", value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    limit: f64,
    /// Take the time of the whole process instead of the number that it prints
    #[arg(long)]
    wall: bool,
    /// Runs of each candidate, the best of which counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// The number that is printed is a rate: larger is better
    #[arg(long, conflicts_with = "wall")]
    maximize: bool,
    /// Draw the best against the runs
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    seconds.filter(|value| *value > 0.0 && *value <= 1e6).ok_or_else(|| format!("'{text}' is no number of seconds"))
}

/// Searches, and prints the best arguments.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.json.check_folder()?;
    let template = Template::read(&arguments.ranges).map_err(Failure)?;
    let space = space(&template, &arguments.constraints)?;
    program::find(&arguments.program)?;
    let timing = if arguments.wall { Timing::Wall } else { Timing::LastLine };
    let objective = if arguments.maximize { Objective::Maximize } else { Objective::Minimize };
    let mut program = Program::new(&arguments.program, &template, timing, objective, arguments.repeat, arguments.limit);
    let bar = progress_bar("{prefix} {bar:30} {msg}");
    bar.set_prefix(arguments.program.clone());
    let mut tuner = Tuner::new(&space)
        .objective(objective)
        .strategy(arguments.strategy)
        .seed(arguments.seed)
        .sweep(template.swept())
        .observer(|progress| {
            bar.set_position(progress.runs as u64);
            let best = progress.best.map_or_else(|| "none works".to_owned(), |best| format!("best {best:.4e}"));
            bar.set_message(format!("{} runs, {best}", progress.runs));
        });
    if let Some(Budget::Evaluations(most)) = arguments.budget {
        bar.set_length(most as u64);
    }
    if let Some(budget) = arguments.budget {
        tuner = tuner.budget(budget);
    }
    if let Some(path) = &arguments.runs {
        tuner = tuner.resume(path, session(arguments, &template));
    }
    let found = tuner.run(&mut program);
    bar.finish_and_clear();
    let found = found.map_err(|error| Failure(error.to_string()))?;
    report::Report { arguments, template: &template, space: &space, found: &found, output: program.best_output() }
        .give(arguments.plot.as_deref())
}

/// The points of a template that satisfy the rules.
fn space(template: &Template, rules: &[String]) -> Result<Space, Failure> {
    let rules = rules.iter().map(|rule| template.rule(rule)).collect::<Result<Vec<_>, _>>();
    let rules = rules.map_err(|error| Failure(error.to_string()))?;
    let mut builder = Space::builder();
    for (name, values) in template.parameters() {
        builder = builder.parameter(name, values.to_vec());
    }
    let built = rules.into_iter().fold(builder, affinimath_tuner::space::SpaceBuilder::constraint).build();
    built.map_err(|error| Failure(error.to_string()))
}

/// The subject of a file's runs: other ranges and rules may go on with them.
fn session(arguments: &Arguments, template: &Template) -> Value {
    json!({
        "program": arguments.program,
        "arguments": template.shape(),
        "value": if arguments.wall { "wall" } else { "last line" },
        "repeat": arguments.repeat,
        "maximize": arguments.maximize,
    })
}
