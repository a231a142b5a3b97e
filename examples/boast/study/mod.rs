//! The studies: searches, checks and tables.

pub mod elastic;
pub mod filters;
pub mod laplace;

use std::collections::BTreeMap;
use std::path::PathBuf;

use affinimath::tuner::search::{Budget, StrategyKind};
use affinimath::tuner::space::{Configuration, Space};
use affinimath::tuner::{Found, Measurement, Tuner};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::laplace::Image;
use crate::machine::{Machine, Outcome};

/// Points that results name.
const ROWS: usize = 5;

/// Options of the command line.
#[derive(Clone, Debug)]
pub struct Options {
    pub machine: Option<String>,
    pub sizes: Vec<Image>,
    pub n: usize,
    pub elements: usize,
    pub filter: Option<String>,
    pub budget: Budget,
    pub first_budget: Option<Budget>,
    pub strategy: StrategyKind,
    pub runs: Option<PathBuf>,
    pub cuda: Option<PathBuf>,
    pub wrong: bool,
    pub once: bool,
    pub json: Option<PathBuf>,
}

impl Options {
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut options = Options {
            machine: None,
            sizes: Vec::new(),
            n: 32,
            elements: 4,
            filter: None,
            budget: Budget::Evaluations(24),
            first_budget: None,
            strategy: StrategyKind::Local,
            runs: None,
            cuda: None,
            wrong: false,
            once: false,
            json: None,
        };
        while let Some(name) = arguments.next() {
            match name.as_str() {
                "--wrong" => options.wrong = true,
                "--once" => options.once = true,
                _ => {
                    let value = arguments.next().ok_or_else(|| format!("{name} takes a value"))?;
                    options.set(&name, &value)?;
                }
            }
        }
        if options.sizes.is_empty() {
            options.sizes.push(Image { width: 192, height: 96 });
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &str) -> Outcome<()> {
        match name {
            "--machine" => self.machine = Some(value.to_owned()),
            "--size" => {
                let (width, height) = value.split_once('x').ok_or("a size is WIDTHxHEIGHT, as in 768x432")?;
                self.sizes.push(Image { width: width.parse()?, height: height.parse()? });
            }
            "--n" => self.n = value.parse()?,
            "--elements" => self.elements = value.parse()?,
            "--filter" => self.filter = Some(value.to_owned()),
            "--budget" => self.budget = value.parse()?,
            "--first-budget" => self.first_budget = Some(value.parse()?),
            "--strategy" => self.strategy = value.parse()?,
            "--runs" => self.runs = Some(value.into()),
            "--cuda" => self.cuda = Some(value.into()),
            "--json" => self.json = Some(value.into()),
            _ => return Err(format!("there is no option {name}").into()),
        }
        Ok(())
    }

    /// The machine that is named, or else the first OpenCL device, or else the interpreter.
    pub fn machine(&self) -> Outcome<Machine> {
        match &self.machine {
            Some(name) => Machine::named(name),
            None => Ok(Machine::named("opencl").unwrap_or(Machine::Interpreter)),
        }
    }

    /// Searches a space: `measure` gives seconds, or the reason why a point is wrong.
    pub fn search(
        &self,
        space: &Space,
        starts: Vec<Configuration>,
        session: &str,
        mut measure: impl FnMut(&Configuration) -> Outcome<Result<f64, String>>,
    ) -> Outcome<Found> {
        let mut workload = |point: &Configuration| match measure(point) {
            Ok(Ok(seconds)) => Measurement::Value(seconds),
            Ok(Err(reason)) => Measurement::Wrong(reason),
            Err(error) => Measurement::Crashed(error.to_string()),
        };
        let starts = starts.into_iter().filter(|start| space.find(start).is_some());
        let starts: Vec<_> = starts.collect();
        let budget = self.first_budget.filter(|_| starts.is_empty()).unwrap_or(self.budget);
        let mut tuner = Tuner::new(space).strategy(self.strategy).budget(budget).starts(starts);
        if let Some(file) = &self.runs {
            let name = format!("{}-{session}", file.display());
            tuner = tuner.resume(name, session);
        }
        Ok(tuner.run(&mut workload)?)
    }
}

/// The best points, the failures, and the best time for each value of each parameter.
pub fn report(space: &Space, found: &Found) -> Value {
    let mut right: Vec<_> = found.runs.iter().filter_map(|(point, run)| Some((point, run.seconds?))).collect();
    right.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut values: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for (point, seconds) in &right {
        for (name, value) in &point.0 {
            let best = values.entry(name.clone()).or_default().entry(value.to_string()).or_insert(*seconds);
            *best = best.min(*seconds);
        }
    }
    let wrong = found.runs.iter().filter(|(_, run)| run.seconds.is_none());
    let failures: Vec<_> = wrong.map(|(point, run)| format!("{point}: {:?}", run.message)).collect();
    let best =
        right.iter().take(ROWS).map(|(point, seconds)| json!({ "point": point.to_string(), "seconds": seconds }));
    json!({
        "points": space.len(), "measured": found.runs.len(), "failures": failures,
        "best": best.collect::<Vec<_>>(), "by_value": values,
    })
}

/// The largest error of elements, in units of their bounds: the bound of each is `roundings` units of the precision
/// times its sum of absolute values.
pub fn worst<T>(found: &[T], exact: &[f64], sums: &[f64], roundings: f64, unit: f64) -> f64
where
    T: Copy + Into<f64> + Sync,
{
    let tiny = f64::from(f32::MIN_POSITIVE);
    let errors = found.par_iter().zip(exact.par_iter().zip(sums)).map(|(found, (exact, sum))| {
        let error = ((*found).into() - exact).abs() / (roundings * unit * sum + tiny);
        if error.is_nan() { f64::INFINITY } else { error }
    });
    if found.len() == exact.len() { errors.reduce(|| 0.0, f64::max) } else { f64::INFINITY }
}
