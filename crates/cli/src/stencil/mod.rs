//! `affinimath stencil`: a stencil's text is checked, shown, or run on grids in NumPy's files.

mod check;
mod design;
mod emit;
mod grids;
mod plot;
mod progress;
mod report;
mod strategy;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use affinimath::stencil::{Argument, Bound, Field, Language, Outcome, Plan, Span, Stencil, Type};
use affinimath::{Context, route};
use affinimath_bench::json::JsonOption;
use affinimath_bench::stdout::print;
use affinimath_bench::{Failure, device, replace};
use clap::ValueEnum;

use crate::eval::output::Sink;
use grids::Given;
use plot::Picture;
use report::Report;
pub use strategy::schedule;

/// Examples and forms of values, behind the options in `--help`.
pub const HELP: &str = "\
Sizes that are not given follow from the shapes of arrays. Arrays have the shape of a grid's memory, the border of the
domain among it, or that of the domain where sizes are given; the last axis is x, the axes of components come first:

  affinimath stencil heat.stc --print facts
  affinimath stencil heat.stc --grid u=u.npy --param k=0.2 --steps 100 --out u=v.npy
  affinimath stencil heat.stc --size nx=512 --size ny=512 --grid 'u=sin(x*0.1)' --param k=0.2 --steps 50 --check
  affinimath stencil heat.stc --size nx=512 --size ny=512 --strategy blocks.stg --auto cb=512x8 --steps 50 --bench

Grids without a value are 0, or have the initial values of the text. A program of its own, validated and timed by its
Makefile, and kernels for a device that is not here:

  affinimath stencil heat.stc --size nx=512 --size ny=512 --param k=0.2 --steps 50 --emit heat
  affinimath stencil heat.stc --size nx=512 --size ny=512 --facts h100.json --print opencl";

/// Runs that are timed by --bench.
const TIMED: usize = 5;

/// The arguments of `affinimath stencil`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The stencil's text, or - for standard input
    file: PathBuf,
    /// The value of a size (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    size: Vec<String>,
    /// The number of steps; without it that of the text
    #[arg(long, value_name = "COUNT")]
    steps: Option<u64>,
    /// The time of the first step
    #[arg(long, value_name = "TIME", default_value_t = 0, allow_hyphen_values = true)]
    first: i64,
    /// Values of a grid before the first step, of all levels or of one as in u[t-1]: an array of a .npy or .npz file,
    /// zero, random[:SEED] from 0 to 1, or an expression of coordinates and sizes (repeatable)
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    grid: Vec<String>,
    /// The value of a parameter: numbers with commas, or an array of a file (repeatable)
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    param: Vec<String>,
    /// Write the newest level of a grid to a .npy file, or those of all grids that change to a .npz file (repeatable)
    #[arg(long, value_name = "[NAME=]FILE")]
    out: Vec<String>,
    /// Draw a grid's newest level, the first one's that changes or a named one's: a line, or a map of the plane in the
    /// middle
    #[arg(long, value_name = "[NAME=]FILE.svg")]
    plot: Option<String>,
    /// Show the text in its normal form, facts about it, its expressions as trees, the strategy, or the kernels in a
    /// language, and run nothing
    #[arg(long, value_name = "WHAT")]
    print: Option<Printed>,
    /// Compare every value with the reference evaluator, which is slow
    #[arg(long)]
    check: bool,
    /// Time the run several times, and print rates
    #[arg(long)]
    bench: bool,
    /// Replace float and double in the text by one of them, s (float) or d (double); integers stay
    #[arg(long = "type", value_name = "TYPE", ignore_case = true)]
    real: Option<Real>,
    /// The way of steps over a GPU's work-items or the host's threads: naive, stream, stream-local, overlap or
    /// wavefront, with settings as in overlap:steps=3,items=64x8,points=1x4,planes=128,unroll=2; or a file in the
    /// Strategy language, whose name ends in .stg; without it, or for auto, the plan chooses
    #[arg(long, value_name = "STRATEGY")]
    strategy: Option<String>,
    /// The value of an auto parameter of a strategy's file: a number, or one for each component as in cb=64x8x8
    /// (repeatable)
    #[arg(long, value_name = "NAME=VALUE", requires = "strategy")]
    auto: Vec<String>,
    /// Show no progress, also where standard error is a terminal
    #[arg(long)]
    quiet: bool,
    /// The facts of a device that need not be here, a JSON file: --print and --emit give the strategy and the kernels
    /// for it
    #[arg(long, value_name = "FILE.json", conflicts_with = "device")]
    facts: Option<PathBuf>,
    /// Write a program of its own into a folder: kernels in OpenCL C, or in C99 with --print c99, a driver that fills,
    /// runs, validates and times, and a Makefile
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["out", "plot", "check", "bench", "json"])]
    emit: Option<PathBuf>,
    /// The driver of --emit is in Fortran, and the kernels are in C99
    #[arg(long, requires = "emit")]
    fortran: bool,
    /// Device of the run: auto (the host, unless the settings demand a device), host, or a device by its index or part
    /// of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    #[command(flatten)]
    json: JsonOption,
}

/// The forms in which a stencil is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Printed {
    Text,
    Facts,
    Tree,
    Strategy,
    Opencl,
    Cuda,
    C99,
}

impl Printed {
    /// The language of kernels.
    fn language(self) -> Result<Language, Failure> {
        let name = self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        name.parse().map_err(failed)
    }
}

/// The letters of BLAS for real types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Real {
    /// float
    S,
    /// double
    D,
}

impl Real {
    const fn kind(self) -> Type {
        match self {
            Real::S => Type::F32,
            Real::D => Type::F64,
        }
    }
}

/// Parses, runs, and prints or writes.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    device::choose(&arguments.device)?;
    arguments.json.check_folder()?;
    let stencil = parse(&arguments.file, arguments.real)?;
    check_forms(arguments)?;
    match arguments.print {
        Some(Printed::Text) => return print(&format!("{stencil}")),
        Some(Printed::Facts) => return print(&(report::facts(&stencil) + &design::bound(arguments, &stencil)?)),
        Some(Printed::Tree) => return print(&stencil.tree()),
        _ => {}
    }
    let strategy = strategy::given(arguments.strategy.as_deref(), &arguments.auto)?;
    check_files(arguments, &stencil)?;
    let context = if route::demands_device()? { Context::preferred()? } else { Context::host() };
    let given = arguments.grid.iter().map(|given| Given::parse(given, &stencil)).collect::<Result<Vec<_>, _>>()?;
    let stencil = grids::with_expressions(stencil, &given)?;
    let arrays = grids::arrays(&given)?;
    let sizes = grids::sizes(&stencil, &arguments.size, arguments.steps, &given, &arrays)?;
    grids::check_sizes(&stencil, &sizes)?;
    let sizes: Vec<(&str, i64)> = sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    if let Some(folder) = &arguments.emit {
        let program = emit::Program { stencil: &stencil, sizes: &sizes, given: &given, arrays: &arrays };
        return print(&program.write(folder, arguments, &context)?);
    }
    if let (Some(file), Some(printed)) = (&arguments.facts, arguments.print) {
        if printed == Printed::Strategy {
            return print(&format!("{}\n", design::design(file, &stencil, &sizes, arguments)?.strategy()));
        }
        return print(&design::kernels(file, &stencil, &sizes, arguments, printed.language()?)?);
    }
    let mut plan = Plan::new(&stencil, &context, &sizes).map_err(failed)?;
    if let Some(strategy) = &strategy {
        plan = plan
            .with_strategy(strategy.clone())
            .map_err(|error| strategy::failed(arguments.strategy.as_deref(), &error))?;
    }
    if arguments.print == Some(Printed::Strategy) {
        return print(&strategy::text(&plan));
    }
    if let Some(printed) = arguments.print {
        return print(&plan.source(printed.language()?).map_err(failed)?);
    }
    run_plan(arguments, &plan, &context, (&given, &arrays))
}

/// Runs a plan, and prints or writes.
fn run_plan(
    arguments: &Arguments,
    plan: &Plan,
    context: &Context,
    (given, arrays): (&[Given], &[grids::Array]),
) -> Result<(), Failure> {
    let parameters = grids::parameters(plan.bound(), &arguments.param)?;
    if arguments.steps.is_none() && plan.bound().stencil().steps().is_none() {
        return Err(Failure("--steps COUNT is missing: the text has no t_max".into()));
    }
    let mut fields = grids::fields(plan.bound(), arguments.first, given, arrays, |fields, span| {
        execute(plan, fields, &parameters, span)
    })?;
    let before = (arguments.check || arguments.bench).then(|| fields.clone());
    let span = Span { first: arguments.first, steps: arguments.steps, initial: false };
    let start = Instant::now();
    let bar = progress::bar(arguments.quiet);
    let outcome = progress::run(plan, &mut fields, &parameters, span, bar.as_ref())?;
    let mut seconds = start.elapsed().as_secs_f64();
    let mut checked = None;
    if let Some(before) = before {
        if arguments.check {
            checked = Some(check::compare(plan.bound(), &before, &fields, &parameters, span, &outcome)?);
        }
        if arguments.bench {
            seconds = timed(plan, &before, &parameters, span)?;
        }
    }
    write(arguments, plan.bound(), &fields, &outcome)?;
    if let Some(plot) = &arguments.plot {
        let Sink { name, path } = Sink::parse(plot);
        Picture::new(plan.bound(), &fields, &outcome, name.as_deref())?.write(&path)?;
    }
    let strategy = plan.strategy().clone();
    let report = Report { bound: plan.bound(), context, outcome: &outcome, strategy, seconds, checked };
    let text = if arguments.json.replaces_text() { String::new() } else { report.text(arguments.bench) };
    arguments.json.give("stencil", report.json(), &text)
}

/// Options that go together.
fn check_forms(arguments: &Arguments) -> Result<(), Failure> {
    let is_kernels = matches!(arguments.print, Some(Printed::Opencl | Printed::Cuda | Printed::C99));
    if arguments.emit.is_some() && arguments.print.is_some() && !is_kernels {
        return Err(Failure("--emit goes with --print opencl or c99, the languages of its kernels".into()));
    }
    let is_told = matches!(arguments.print, Some(Printed::Facts | Printed::Strategy));
    let has_device = is_kernels || arguments.emit.is_some() || is_told;
    if arguments.facts.is_some() && !has_device {
        return Err(Failure("--facts goes with --print facts, strategy, opencl, cuda or c99, or with --emit".into()));
    }
    Ok(())
}

/// A stencil's error is a fact about what was given: no argument of a function is named.
pub fn failed(error: affinimath::stencil::Error) -> Failure {
    Failure(error.to_string())
}

/// The stencil of a file.
pub fn parse(file: &Path, real: Option<Real>) -> Result<Stencil, Failure> {
    let mut text = String::new();
    if file == Path::new("-") {
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| Failure(format!("standard input cannot be read: {error}")))?;
    } else {
        text = std::fs::read_to_string(file).map_err(|error| Failure::file("cannot read", file, error))?;
    }
    let stencil = match real {
        Some(real) => Stencil::parse_as(&text, real.kind()),
        None => Stencil::parse(&text),
    };
    stencil.map_err(|error| {
        let separator = if error.location.is_some() { ":" } else { ": " };
        Failure(format!("{}{separator}{error}", file.display()))
    })
}

fn execute(plan: &Plan, fields: &mut [Field], parameters: &[Argument], span: Span) -> Result<Outcome, Failure> {
    let mut grids: Vec<_> = fields.iter_mut().map(Field::slices).collect();
    plan.run(&mut grids, parameters, span).map_err(failed)
}

/// The median of several runs' seconds.
fn timed(plan: &Plan, before: &[Field], parameters: &[Argument], span: Span) -> Result<f64, Failure> {
    let mut all = Vec::new();
    for _ in 0..TIMED {
        let mut fields = before.to_vec();
        let start = Instant::now();
        execute(plan, &mut fields, parameters, span)?;
        all.push(start.elapsed().as_secs_f64());
    }
    all.sort_by(f64::total_cmp);
    Ok(all[all.len() / 2])
}

/// Files that cannot be written are told before the run.
fn check_files(arguments: &Arguments, stencil: &Stencil) -> Result<(), Failure> {
    for sink in arguments.out.iter().map(|given| Sink::parse(given)) {
        replace::check_folder(&sink.path)?;
        let grids = || (0..stencil.grids().len()).filter(|&grid| stencil.written_level(grid).is_some());
        if let Some(name) = sink.name.filter(|name| !grids().any(|grid| stencil.grids()[grid].name == *name)) {
            return Err(Failure(format!("{}: there is no {name} among the grids that change", sink.path.display())));
        }
    }
    arguments.plot.as_ref().map_or(Ok(()), |plot| replace::check_folder(&Sink::parse(plot).path))
}

/// Writes the newest levels that are asked for.
fn write(arguments: &Arguments, bound: &Bound, fields: &[Field], outcome: &Outcome) -> Result<(), Failure> {
    let sinks: Vec<Sink> = arguments.out.iter().map(|given| Sink::parse(given)).collect();
    if sinks.is_empty() {
        return Ok(());
    }
    let outputs = grids::outputs(bound, fields, outcome)?;
    let chosen = sinks.iter().map(|sink| sink.chosen(&outputs)).collect::<Result<Vec<_>, _>>()?;
    sinks.iter().zip(&chosen).try_for_each(|(sink, chosen)| sink.write(chosen))
}
