//! The strategy of a run: a name with settings, or a file in the Strategy language.

use std::path::Path;

use affinimath::stencil::{Plan, Schedule, Strategy};
use affinimath_bench::Failure;

/// The strategy that is asked for, with values for its parameters.
pub fn given(strategy: Option<&str>, auto: &[String]) -> Result<Option<Strategy>, Failure> {
    let Some(name) = strategy.filter(|name| *name != "auto" || !auto.is_empty()) else { return Ok(None) };
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "stg") {
        let file = path.with_extension("stg");
        let strategy = name.parse::<Strategy>().map_err(|error| match file.exists() {
            true => Failure(format!("{error}; there is a file {}", file.display())),
            false => super::failed(error),
        })?;
        return match auto {
            [] => Ok(Some(strategy)),
            _ => Err(Failure(format!("--auto: '{name}' is no file of a strategy, and has no such parameters"))),
        };
    }
    let mut schedule = schedule(path)?;
    for value in auto {
        let (name, values) = parse(value)?;
        schedule = schedule.with(name, &values).map_err(super::failed)?;
    }
    Ok(Some(schedule.into()))
}

/// The strategy of a file.
pub fn schedule(path: &Path) -> Result<Schedule, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file("cannot read", path, error))?;
    Schedule::parse(&text).map_err(|error| failed(path.to_str(), &error))
}

/// A parameter's name and the numbers of its components.
fn parse(text: &str) -> Result<(&str, Vec<i64>), Failure> {
    let wrong = || Failure(format!("--auto {text}: a name and numbers are wanted, as in cb=64x8x8"));
    let (name, values) = text.split_once('=').ok_or_else(wrong)?;
    let values = values.split(['x', ',']).map(|value| value.trim().parse().map_err(|_| wrong()));
    Ok((name.trim(), values.collect::<Result<_, _>>()?))
}

/// An error of a strategy: one with a location is in its file.
pub fn failed(strategy: Option<&str>, error: &affinimath::stencil::Error) -> Failure {
    match strategy.filter(|_| error.location.is_some()) {
        Some(file) => Failure(format!("{file}:{error}")),
        None => Failure(error.to_string()),
    }
}

/// A plan's strategy: a text in its normal form with the values of its parameters, or a name with settings.
pub fn text(plan: &Plan) -> String {
    let Strategy::Schedule(schedule) = plan.strategy() else { return format!("{}\n", plan.strategy()) };
    let mut text = schedule.to_string();
    for (name, values) in schedule.values(plan.bound()).unwrap_or_default() {
        let values: Vec<String> = values.iter().map(i64::to_string).collect();
        text += &format!("// {name} = {}\n", values.join(" x "));
    }
    text
}
