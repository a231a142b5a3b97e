//! Recorded launches, run again.

use std::fs;
use std::process::ExitCode;
use std::time::Duration;

use affinimath::kernel::BuildError;
use affinimath::replay::{Case, Check, Code, Error};
use affinimath::route::{DeviceChoice, RouteChoice, configure};
use affinimath::{Context, Device, Queue};
use affinimath_bench::Failure;
use affinimath_bench::stdout::print;
use serde_json::{Value, json};

use super::measure::{Measured, measure};
use super::sources::Named;
use super::{Arguments, Language, MALFORMED, Problem};

/// Runs of `--time`.
pub(super) const RUNS: usize = 10;

/// Result of one case.
enum Verdict {
    Right,
    Wrong,
    /// Run without a recorded result.
    Unchecked,
    Skipped,
    Malformed,
}

impl Verdict {
    const fn word(&self) -> &'static str {
        match self {
            Verdict::Right => "right",
            Verdict::Wrong => "wrong",
            Verdict::Unchecked => "not checked",
            Verdict::Skipped => "skipped",
            Verdict::Malformed => "malformed",
        }
    }
}

/// A line about a case.
struct Line {
    name: String,
    verdict: Verdict,
    detail: String,
    check: Option<Check>,
    times: Vec<Duration>,
    measured: Option<Measured>,
}

/// Result of a run: the comparison, the times, and what the probes say.
type Ran = (Check, Vec<Duration>, Option<Measured>);

/// Runs all cases, or prints their kernels.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Problem> {
    arguments.json.check_folder()?;
    let all = arguments.launches()?;
    if let Some(language) = arguments.text {
        return all.iter().try_for_each(|named| print_text(named, language)).map(|()| ExitCode::SUCCESS);
    }
    let text = arguments
        .kernel
        .as_ref()
        .map(|path| fs::read_to_string(path).map_err(|error| Failure::file("cannot read", path, error)));
    let text = text.transpose()?;
    let devices = if arguments.interpret { None } else { Some(Devices::choose(&arguments.device)?) };
    let (mut lines, width) = (Vec::new(), all.iter().map(|named| named.name.len()).max().unwrap_or_default());
    for named in &all {
        let line = one(arguments, named, devices.as_ref(), text.as_deref())?;
        if !arguments.json.replaces_text() {
            print(&format!("{:width$}  {}\n", line.name, shown(&line)))?;
        }
        lines.push(line);
    }
    let count = |wanted: &str| lines.iter().filter(|line| line.verdict.word() == wanted).count();
    let [right, wrong, unchecked, skipped, malformed] =
        ["right", "wrong", "not checked", "skipped", "malformed"].map(count);
    let rest = [(unchecked, "not checked"), (skipped, "skipped"), (malformed, "malformed")];
    let rest: String = rest.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!(", {n} {word}")).collect();
    if !arguments.json.replaces_text() {
        print(&format!("{right} right, {wrong} wrong{rest}\n"))?;
    }
    if arguments.json.is_asked() {
        let results: Vec<Value> = lines.iter().map(document).collect();
        let tolerance = arguments.check.to_string();
        arguments.json.document("replay", json!({ "tolerance": tolerance, "cases": results }))?;
    }
    if malformed > 0 {
        return Ok(MALFORMED.into());
    }
    if right + wrong + unchecked == 0 {
        return Err(Failure("no launch could be replayed".to_owned()).into());
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn one(arguments: &Arguments, named: &Named, devices: Option<&Devices>, text: Option<&str>) -> Result<Line, Problem> {
    let line = |verdict: Verdict, detail: String| Line {
        name: named.name.clone(),
        verdict,
        detail,
        check: None,
        times: Vec::new(),
        measured: None,
    };
    let run = || -> Result<Option<Ran>, Error> {
        let case = Case::from_files(&*named.files)?;
        let (outcome, times, measured) = match devices {
            None => match case.kernel()? {
                Some(kernel) => {
                    let outcome = case.run(&kernel)?;
                    let times = vec![outcome.elapsed];
                    (outcome, times, None)
                }
                None => return Ok(None),
            },
            Some(devices) => {
                let queue = devices.queue(&case)?;
                let code = text.map_or(Code::Recorded, Code::Text);
                let (outcome, times) = case.run_times(&queue, code, if arguments.time { RUNS } else { 1 })?;
                let is_measured = arguments.time || arguments.energy;
                let measured = is_measured.then(|| measure(&case, &queue, code, arguments.energy)).transpose()?;
                (outcome, times, measured)
            }
        };
        Ok(Some((case.compare(&outcome), times, measured)))
    };
    match run() {
        Err(error) if error.is_malformed() => Ok(line(Verdict::Malformed, error.to_string())),
        Err(Error::Unfit(reason)) if text.is_none() => Ok(line(Verdict::Skipped, reason)),
        Err(error @ Error::OutOfBounds(_)) => Ok(line(Verdict::Wrong, error.to_string())),
        Err(Error::Fault(fault)) => Ok(line(Verdict::Wrong, fault.to_string())),
        Err(Error::Device(error)) => Err(Failure(format!("{}: {error}", named.name)).into()),
        Err(error) => Err(Failure(format!("{}: {error}", named.name)).into()),
        Ok(None) => Ok(line(Verdict::Skipped, "its kernel was not generated".to_owned())),
        Ok(Some((check, times, measured))) => {
            let verdict = match check.first_beyond(arguments.check) {
                Some(_) => Verdict::Wrong,
                None if check.arguments.is_empty() => Verdict::Unchecked,
                None => Verdict::Right,
            };
            let wrong = check.arguments.iter().filter(|one| !one.comparison.within(arguments.check));
            let detail: Vec<String> = wrong.map(ToString::to_string).collect();
            Ok(Line { check: Some(check), times, measured, ..line(verdict, detail.join("; ")) })
        }
    }
}

fn shown(line: &Line) -> String {
    let mut shown = line.verdict.word().to_owned();
    if !line.detail.is_empty() {
        shown += &format!(": {}", line.detail);
    }
    if line.times.len() > 1 {
        let [least, median] = least_and_median(&line.times);
        shown += &format!("  {least:.1} us at least, {median:.1} us in the middle of {}", line.times.len());
    }
    if let Some(measured) = line.measured.as_ref().map(Measured::text).filter(|text| !text.is_empty()) {
        shown += &format!("{} {measured}", if line.times.len() > 1 { "," } else { " " });
    }
    shown
}

/// Microseconds.
fn least_and_median(times: &[Duration]) -> [f64; 2] {
    let mut times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
    times.sort_by(f64::total_cmp);
    [times[0], times[times.len() / 2]]
}

fn document(line: &Line) -> Value {
    let arguments = line.check.iter().flat_map(|check| &check.arguments).map(|one| {
        json!({
            "argument": one.argument,
            "name": one.name,
            "elements": one.comparison.elements,
            "different": one.comparison.different,
            "first": one.comparison.first.as_ref().map(|first| first.index),
            "ulps": one.comparison.worst.as_ref().map(|worst| worst.ulps),
            "relative": one.comparison.relative,
        })
    });
    let nanoseconds: Vec<u128> = line.times.iter().map(Duration::as_nanos).collect();
    json!({
        "case": line.name,
        "verdict": line.verdict.word(),
        "detail": line.detail,
        "arguments": arguments.collect::<Vec<_>>(),
        "nanoseconds": nanoseconds,
        "reading": line.measured.as_ref().map(|measured| measured.reading),
        "energy": line.measured.as_ref().and_then(|measured| measured.energy.as_ref()?.as_ref().ok()),
    })
}

fn print_text(named: &Named, language: Language) -> Result<(), Problem> {
    let read = |error: Error| match error.is_malformed() {
        true => Problem::Malformed(format!("{}: {error}", named.name)),
        false => Failure(format!("{}: {error}", named.name)).into(),
    };
    let case = Case::from_files(&*named.files).map_err(read)?;
    let printed = |text: Result<String, BuildError>| text.map_err(|error| Failure(format!("{}: {error}", named.name)));
    let text = match (case.kernel().map_err(read)?, language) {
        (_, Language::Opencl) => case.source().to_owned(),
        (None, _) => return Err(Failure(format!("{}: its kernel was not generated", named.name)).into()),
        (Some(kernel), Language::Cuda) => kernel.cuda(),
        (Some(kernel), Language::Hip) => kernel.hip(),
        (Some(kernel), Language::C99) => printed(kernel.c99())?,
        (Some(kernel), Language::CVectors) => printed(kernel.c_vectors())?,
        (Some(kernel), Language::Fortran) => printed(kernel.fortran())?,
    };
    Ok(print(&text)?)
}

/// Devices of the runs.
pub(super) struct Devices {
    /// The one that was asked for.
    chosen: Option<Context>,
}

impl Devices {
    pub(super) fn choose(name: &str) -> Result<Self, Problem> {
        match DeviceChoice::parse(name) {
            DeviceChoice::Auto => Ok(Devices { chosen: None }),
            DeviceChoice::Host => {
                Err(Failure("the host runs no OpenCL: --interpret runs generated kernels".to_owned()).into())
            }
            device => {
                configure(RouteChoice::Device, &device)?;
                Ok(Devices { chosen: Some(Context::preferred()?) })
            }
        }
    }

    /// A queue of the chosen device, of the recorded one, or of the first.
    pub(super) fn queue(&self, case: &Case) -> affinimath::Result<Queue> {
        let context = match &self.chosen {
            Some(context) => context.clone(),
            None => {
                let (devices, recorded) = (Device::all()?, &case.launch().device);
                let same = |device: &&Device| {
                    device.info().name == recorded.name && device.info().platform == recorded.platform
                };
                Context::open(devices.iter().find(same).unwrap_or(&devices[0]))?
            }
        };
        let none = || affinimath::Error::NoDevice("the host has no queue".to_owned());
        context.own_queue()?.ok_or_else(none)
    }
}
