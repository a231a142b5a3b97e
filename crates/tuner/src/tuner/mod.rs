//! The tuner of any workload: it measures points of a space until the budget is spent, and names the best one.
//!
//! ```
//! use affinimath_tuner::search::StrategyKind;
//! use affinimath_tuner::space::{Configuration, Space};
//! use affinimath_tuner::tuner::{Measurement, Tuner};
//!
//! let space = Space::builder()
//!     .values("block", [8, 16, 32, 64, 128])
//!     .values("unroll", 1..=8)
//!     .flag("vector")
//!     .rule("block % unroll == 0")
//!     .rule("block * unroll <= 256 or not vector")
//!     .build()?;
//!
//! // A workload may be a closure. This one models a time.
//! let mut workload = |point: &Configuration| {
//!     let (block, unroll) = (point.get("block").unwrap() as f64, point.get("unroll").unwrap() as f64);
//!     let speed = if point.value("vector").unwrap().as_boolean() == Some(true) { 2.0 } else { 1.0 };
//!     if block > 64.0 {
//!         return Measurement::Wrong("the sum differs in element 3".to_owned());
//!     }
//!     Measurement::Value((1.0 + (block / 32.0).ln().abs() + (unroll - 4.0).abs()) / speed)
//! };
//!
//! let found = Tuner::new(&space).strategy(StrategyKind::Greedy).budget("60".parse()?).run(&mut workload)?;
//! let (best, seconds) = found.best.ok_or("no point works")?;
//! assert_eq!(best.to_string(), "block=32 unroll=4 vector=true");
//! assert_eq!(seconds, 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod objective;
mod runs;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::exchange::Outcome;
use crate::probe::Reading;
use crate::search::{Budget, Search, StrategyKind};
use crate::space::{Configuration, Space};
pub use objective::Objective;

use runs::Runs;

/// Result of measuring a point.
#[derive(Clone, Debug, PartialEq)]
pub enum Measurement {
    /// The value to be minimised or maximised: seconds, joules, a rate. It is positive and finite; others count as
    /// wrong.
    Value(f64),
    /// Values of a run that [probes](crate::probe) measured; the objective is one of them.
    Reading(Reading),
    /// The result is wrong, for this reason.
    Wrong(String),
    /// The program crashed or reported an error.
    Crashed(String),
    /// A compiler refused it.
    Unbuilt(String),
    /// It was stopped after the time limit.
    TimedOut(String),
}

/// A program, kernel or model that can be measured with parameters.
pub trait Workload {
    /// Measures a point. It is called once for each point; a workload repeats runs by itself where they differ.
    fn measure(&mut self, point: &Configuration) -> Measurement;

    /// Says before the search why an objective cannot be measured here.
    ///
    /// # Errors
    /// The reason.
    fn can_measure(&mut self, _objective: Objective) -> Result<(), String> {
        Ok(())
    }
}

impl<F: FnMut(&Configuration) -> Measurement> Workload for F {
    fn measure(&mut self, point: &Configuration) -> Measurement {
        self(point)
    }
}

/// A search that cannot be made.
#[derive(Debug)]
pub enum TunerError {
    /// The file of runs cannot be used.
    File(PathBuf, io::Error),
    /// A parameter that is to be swept is not there.
    UnknownParameter(String),
    /// A start is no point of the space.
    NoPoint(Configuration),
    /// No point satisfies the rules.
    EmptySpace,
    /// The objective cannot be measured here, for this reason.
    Unmeasurable(Objective, String),
}

impl fmt::Display for TunerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TunerError::File(path, error) => write!(f, "cannot use the file of runs '{}': {error}", path.display()),
            TunerError::UnknownParameter(name) => write!(f, "there is no parameter '{name}' to be swept"),
            TunerError::NoPoint(start) => write!(f, "the start '{start}' is no point of the space"),
            TunerError::EmptySpace => f.write_str("no point satisfies the rules"),
            TunerError::Unmeasurable(objective, reason) => write!(f, "{objective} cannot be measured here: {reason}"),
        }
    }
}

impl std::error::Error for TunerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let TunerError::File(_, error) = self { Some(error) } else { None }
    }
}

/// A run of a search, as it is told while the search goes on.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The point, and its outcome.
    pub point: &'a Configuration,
    /// See `point`.
    pub outcome: &'a Outcome,
    /// False if the outcome comes from the file of runs.
    pub is_new: bool,
    /// Runs so far, with this one.
    pub runs: usize,
    /// The best value so far.
    pub best: Option<f64>,
}

/// The end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The budget is spent.
    Budget,
    /// All points are known, or the strategy proposes no more.
    Complete,
}

/// Result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The best point with its value; `None` if all failed.
    pub best: Option<(Configuration, f64)>,
    /// All runs of the search in their order, those from the file of runs among them.
    pub runs: Vec<(Configuration, Outcome)>,
    /// Runs that were made now.
    pub measured: usize,
    /// Why it ended.
    pub end: End,
}

/// Search for the best point of a space.
pub struct Tuner<'a> {
    space: &'a Space,
    objective: Objective,
    strategy: StrategyKind,
    seed: u64,
    budget: Option<Budget>,
    starts: Vec<Configuration>,
    swept: Vec<String>,
    file: Option<(PathBuf, Value)>,
    observer: Box<dyn FnMut(Progress<'_>) + 'a>,
}

impl<'a> Tuner<'a> {
    /// A search that minimises with the default strategy, until all points are known.
    pub fn new(space: &'a Space) -> Self {
        Tuner {
            space,
            objective: Objective::Minimize,
            strategy: StrategyKind::ALL[0],
            seed: 1,
            budget: None,
            starts: Vec::new(),
            swept: Vec::new(),
            file: None,
            observer: Box::new(|_| {}),
        }
    }

    /// Value of a point that is searched for.
    #[must_use]
    pub fn objective(mut self, objective: Objective) -> Self {
        self.objective = objective;
        self
    }

    /// The strategy.
    #[must_use]
    pub fn strategy(mut self, strategy: StrategyKind) -> Self {
        self.strategy = strategy;
        self
    }

    /// The seed: the same one, with the same measurements, gives the same search.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The most runs or the longest time, with runs that the file of runs has.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Points to begin from: they are measured first.
    #[must_use]
    pub fn starts(mut self, starts: impl IntoIterator<Item = Configuration>) -> Self {
        self.starts = starts.into_iter().collect();
        self
    }

    /// Parameters that are swept: the others are searched for each combination of their values, with an equal part of
    /// the budget.
    #[must_use]
    pub fn sweep<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.swept = names.into_iter().map(Into::into).collect();
        self
    }

    /// Keeps each run in a file, and takes those that are there. The session says what is measured: a file of another
    /// session is refused.
    #[must_use]
    pub fn resume(mut self, path: impl AsRef<Path>, session: impl Into<Value>) -> Self {
        self.file = Some((path.as_ref().to_owned(), session.into()));
        self
    }

    /// A function that is told of each run.
    #[must_use]
    pub fn observer(mut self, observer: impl FnMut(Progress<'_>) + 'a) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// Searches.
    ///
    /// # Errors
    /// [`TunerError`]. A point that fails is no error.
    pub fn run(self, workload: &mut dyn Workload) -> Result<Found, TunerError> {
        let axis = |name: &String| {
            let found = self.space.parameters().iter().position(|parameter| parameter.name == *name);
            found.ok_or_else(|| TunerError::UnknownParameter(name.clone()))
        };
        let axes = self.swept.iter().map(axis).collect::<Result<Vec<usize>, _>>()?;
        if let Some(start) = self.starts.iter().find(|start| self.space.find(start).is_none()) {
            return Err(TunerError::NoPoint(start.clone()));
        }
        if self.space.is_empty() {
            return Err(TunerError::EmptySpace);
        }
        let objective = self.objective;
        workload.can_measure(objective).map_err(|reason| TunerError::Unmeasurable(objective, reason))?;
        let runs = match &self.file {
            Some((path, session)) => {
                Runs::open(path, session).map_err(|error| TunerError::File(path.clone(), error))?
            }
            None => Runs::default(),
        };
        let found = Found { best: None, runs: Vec::new(), measured: 0, end: End::Complete };
        Session { tuner: self, runs, workload, found, begin: Instant::now() }.run(&axes)
    }
}

/// A search that goes on.
struct Session<'t, 'a> {
    tuner: Tuner<'a>,
    runs: Runs,
    workload: &'t mut dyn Workload,
    found: Found,
    begin: Instant,
}

impl Session<'_, '_> {
    fn run(mut self, axes: &[usize]) -> Result<Found, TunerError> {
        let parts = combinations(self.tuner.space, axes);
        for (index, fixed) in parts.iter().enumerate() {
            let whole = self.tuner.space;
            let part = if fixed.is_empty() { whole.clone() } else { whole.with_fixed(fixed) };
            let budget = self.tuner.budget.map(|budget| self.left(budget, parts.len() - index));
            if budget == Some(Budget::Evaluations(0)) {
                self.found.end = End::Budget;
                break;
            }
            self.search(&part, budget, index as u64)?;
        }
        // Runs that the file has, but this search has not asked for, count too.
        let (space, objective) = (self.tuner.space, self.tuner.objective);
        let known = self.runs.known.iter().filter(|(point, _)| space.find(point).is_some());
        let best = known.map(|(point, outcome)| (objective.cost(outcome), point, outcome));
        let best = best.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
        let best = best.and_then(|(_, point, outcome)| Some((point.clone(), outcome.seconds?)));
        Ok(Found { best, ..self.found })
    }

    /// An equal part of the budget that is left; no run at all once it is spent.
    fn left(&self, budget: Budget, parts: usize) -> Budget {
        match budget {
            Budget::Evaluations(most) => Budget::Evaluations((most - self.found.runs.len().min(most)).div_ceil(parts)),
            Budget::Time(most) => match most.saturating_sub(self.begin.elapsed()) {
                Duration::ZERO => Budget::Evaluations(0),
                time => Budget::Time(time / u32::try_from(parts).unwrap_or(u32::MAX)),
            },
        }
    }

    /// Searches a part of the space, from the starts in it and from the best point so far.
    fn search(&mut self, part: &Space, budget: Option<Budget>, index: u64) -> Result<(), TunerError> {
        let mut starts: Vec<usize> = self.tuner.starts.iter().filter_map(|start| part.find(start)).collect();
        starts.extend(self.best().and_then(|best| moved(part, &best)));
        let seed = self.tuner.seed.wrapping_add(index);
        let mut search = Search::new(part, self.tuner.strategy.start(), seed, &starts);
        let begin = Instant::now();
        loop {
            if budget.is_some_and(|budget| budget.is_spent(search.evaluations(), begin.elapsed())) {
                self.found.end = End::Budget;
                return Ok(());
            }
            let Some(point) = search.ask() else { return Ok(()) };
            let configuration = part.configuration(point);
            let outcome = self.measure(&configuration)?;
            search.tell(point, self.tuner.objective.cost(&outcome));
        }
    }

    /// The best point so far.
    fn best(&self) -> Option<Configuration> {
        let cost = |outcome: &Outcome| self.tuner.objective.cost(outcome);
        let right = self.found.runs.iter().filter(|(_, outcome)| outcome.seconds.is_some());
        right.min_by(|a, b| cost(&a.1).total_cmp(&cost(&b.1))).map(|(point, _)| point.clone())
    }

    /// The outcome of a point, measured now or before the search was interrupted.
    fn measure(&mut self, point: &Configuration) -> Result<Outcome, TunerError> {
        let known = self.runs.known.get(point).cloned();
        let is_new = known.is_none();
        let outcome = match known {
            Some(outcome) => outcome,
            None => {
                let failed = |error| TunerError::File(self.tuner.file.clone().unwrap_or_default().0, error);
                self.runs.trying(point).map_err(failed)?;
                let measured = self.workload.measure(point);
                let outcome = self.tuner.objective.outcome(measured)?;
                let failed = |error| TunerError::File(self.tuner.file.clone().unwrap_or_default().0, error);
                self.runs.tried(point, &outcome).map_err(failed)?;
                self.found.measured += 1;
                outcome
            }
        };
        self.found.runs.push((point.clone(), outcome.clone()));
        let values = self.found.runs.iter().filter_map(|(_, outcome)| outcome.seconds);
        let objective = self.tuner.objective;
        let best = values.reduce(|a, b| if objective.is_better(b, a) { b } else { a });
        let runs = self.found.runs.len();
        (self.tuner.observer)(Progress { point, outcome: &outcome, is_new, runs, best });
        Ok(outcome)
    }
}

/// All combinations of the values of some axes; one empty combination if there are no axes.
fn combinations(space: &Space, axes: &[usize]) -> Vec<Vec<(usize, usize)>> {
    axes.iter().fold(vec![Vec::new()], |begun, &axis| {
        let values = 0..space.parameters()[axis].values.len();
        let with = |fixed: &Vec<(usize, usize)>, value| [&fixed[..], &[(axis, value)]].concat();
        begun.iter().flat_map(|fixed| values.clone().map(move |value| with(fixed, value))).collect()
    })
}

/// The point of a part whose values are nearest to those of a point of the whole.
fn moved(part: &Space, point: &Configuration) -> Option<usize> {
    let location = part.parameters().iter().map(|parameter| {
        let value = point.value(&parameter.name)?;
        Some(parameter.values.iter().position(|own| own == value).unwrap_or(0) as f64)
    });
    part.nearest(&location.collect::<Option<Vec<f64>>>()?)
}
