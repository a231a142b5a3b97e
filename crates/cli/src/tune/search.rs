//! The search for the fastest parameters of a subject: joins the strategy and the measurements.

use std::time::{Duration, Instant};

use affinimath::tunable;
use affinimath::{Device, DeviceInfo};
use affinimath_bench::Failure;
use affinimath_tuner::exchange::{Invalidity, Outcome, Results};
use affinimath_tuner::search::{Budget, Search, StrategyKind};
use affinimath_tuner::space::{Configuration, Space};
use affinimath_tuner::tuned::{Record, Subject};
use affinimath_tuner::tuner::Objective;
use indicatif::ProgressBar;

use super::child::Bencher;
use super::journal::{Journal, Session};
use super::messages::{Incumbent, Job, Work};

/// The fastest that run against each other, and against the default parameters, at the end.
const FINALISTS: usize = 4;
/// The least speedup over the default parameters with which the fastest ones are recorded.
const WORTH_KEEPING: f64 = 1.02;

#[derive(Clone, Debug)]
pub struct Settings {
    pub strategy: StrategyKind,
    pub seed: u64,
    /// `None`: until the strategy ends.
    pub budget: Option<Budget>,
    /// Seconds that a measurement may take.
    pub limit: f64,
    pub resume: bool,
    /// Values that parameters keep.
    pub fixed: Configuration,
}

pub struct Found {
    pub space: Space,
    pub results: Results,
    /// The fastest parameters, if they are worth keeping.
    pub record: Option<Record>,
    /// Measurements, without those that a resumed search found in its journal.
    pub measured: usize,
    /// Speedup of the fastest parameters over the default ones, in rounds of both.
    pub gain: f64,
}

/// Searches for a subject's parameters.
pub fn search(
    index: usize,
    subject: Subject,
    sizes: &[usize],
    settings: &Settings,
    bar: &ProgressBar,
) -> Result<Found, Failure> {
    let device_info = Device::all()?[index].info();
    let space = space(&subject, device_info, &settings.fixed)?;
    let session = Session {
        library: env!("CARGO_PKG_VERSION").to_owned(),
        device: device_info.name.clone(),
        driver: device_info.driver.clone(),
        subject,
        sizes: sizes.to_vec(),
    };
    let journal = Journal::open(&session, settings.resume)?;
    let work = Work::Kernels { subject, sizes: sizes.to_vec() };
    let bencher = Bencher::new(Job { device: index, work, limit: settings.limit, objective: Objective::Time })?;
    // Where the default parameters are no point, the search begins anywhere.
    let mut around = space.find(&tunable::default_configuration(&subject, device_info));
    let mut tuner = Tuner::begin(bencher, journal, bar, around.map(|point| space.configuration(point)))?;
    for group in space.groups() {
        let part = match around {
            Some(point) => space.of_group(group, point),
            None => space.clone(),
        };
        let best = tuner.search(&part, around.map(|point| space.configuration(point)), settings, &space, group)?;
        around = best.and_then(|configuration| space.find(&configuration)).or(around);
    }
    tuner.finish(device_info, subject, space)
}

/// The points that have the fixed values. Where there are any, the other parameters are searched together.
fn space(subject: &Subject, device_info: &DeviceInfo, fixed: &Configuration) -> Result<Space, Failure> {
    let whole = tunable::space(subject, device_info);
    if fixed.0.is_empty() {
        return Ok(whole);
    }
    let has = |point: &Configuration| fixed.0.iter().all(|(name, value)| point.0.get(name) == Some(value));
    let points: Vec<Configuration> = whole.points().map(|point| whole.configuration(point)).filter(has).collect();
    match points.is_empty() {
        true => Err(Failure(format!("no point of {subject} has {fixed}"))),
        false => Ok(Space::of_configurations(points.iter())),
    }
}

struct Tuner<'b> {
    bencher: Bencher,
    journal: Journal,
    bar: &'b ProgressBar,
    /// The default parameters, if they are a point, and their time.
    default: Option<Configuration>,
    default_seconds: f64,
    best: Incumbent,
    trials: Vec<(Configuration, Outcome)>,
    measured: usize,
}

impl<'b> Tuner<'b> {
    /// Measures the default parameters, to which all others are compared.
    fn begin(
        bencher: Bencher,
        journal: Journal,
        bar: &'b ProgressBar,
        default: Option<Configuration>,
    ) -> Result<Self, Failure> {
        let best = Incumbent { configuration: None, seconds: f64::INFINITY };
        let mut tuner = Tuner {
            bencher,
            journal,
            bar,
            default,
            default_seconds: f64::INFINITY,
            best,
            trials: Vec::new(),
            measured: 0,
        };
        if tuner.journal.measured() > 0 {
            let count = tuner.journal.measured();
            bar.suspend(|| eprintln!("resumed: {count} measurements are there already"));
        }
        let outcome = tuner.measure(None)?;
        match outcome.seconds {
            Some(seconds) => {
                tuner.default_seconds = seconds;
                tuner.best.seconds = seconds;
                tuner.trials.extend(tuner.default.clone().map(|default| (default, outcome)));
                Ok(tuner)
            }
            None => {
                let reason = outcome.message.unwrap_or_default();
                Err(Failure(format!("the default parameters cannot be measured: {reason}")))
            }
        }
    }

    /// The outcome of parameters, measured now or before the search was interrupted.
    fn measure(&mut self, configuration: Option<&Configuration>) -> Result<Outcome, Failure> {
        if let Some(outcome) = self.journal.outcome(configuration) {
            return Ok(outcome);
        }
        self.measured += 1;
        self.journal.trying(configuration)?;
        let incumbent = self.best.seconds.is_finite().then(|| self.best.clone());
        let outcome = self.bencher.trial(configuration, incumbent)?;
        self.journal.tried(configuration, &outcome)?;
        Ok(outcome)
    }

    /// Searches a part of the space, and gives its fastest point. Its share of the budget is that of its points.
    fn search(
        &mut self,
        part: &Space,
        start: Option<Configuration>,
        settings: &Settings,
        whole: &Space,
        group: usize,
    ) -> Result<Option<Configuration>, Failure> {
        let all: usize = match start.as_ref().and_then(|start| whole.find(start)) {
            Some(point) => whole.groups().iter().map(|group| whole.of_group(*group, point).len()).sum(),
            None => part.len() * whole.groups().len(),
        };
        let budget = settings.budget.map(|budget| budget.share(part.len() as f64 / all.max(1) as f64));
        let mut search = Search::new(part, settings.strategy.start(), settings.seed.wrapping_add(group as u64), &[]);
        if let Some(point) = start.as_ref().and_then(|start| part.find(start)) {
            search.tell(point, self.best.seconds);
        }
        let (begin, told) = (Instant::now(), search.evaluations());
        let time = || begin.elapsed();
        while budget.is_none_or(|budget| !budget.is_spent(search.evaluations() - told, time())) {
            let Some(point) = search.ask() else { break };
            let configuration = part.configuration(point);
            let outcome = self.measure(Some(&configuration))?;
            search.tell(point, outcome.score());
            if outcome.score() < self.best.seconds {
                self.best = Incumbent { configuration: Some(configuration.clone()), seconds: outcome.score() };
            }
            self.trials.push((configuration, outcome));
            self.show(budget, search.evaluations() - told, time(), part.len());
        }
        Ok(search.best().map(|(point, _)| part.configuration(point)))
    }

    fn show(&self, budget: Option<Budget>, evaluations: usize, time: Duration, points: usize) {
        let (position, length) = match budget {
            Some(Budget::Time(most)) => (time.as_millis() as u64, most.as_millis() as u64),
            Some(Budget::Evaluations(most)) => (evaluations as u64, most.min(points) as u64),
            None => (evaluations as u64, points as u64),
        };
        self.bar.set_length(length);
        self.bar.set_position(position.min(length));
        let gain = self.default_seconds / self.best.seconds;
        self.bar.set_message(format!("{} measured, best {gain:.2} x the default's speed", self.trials.len()));
    }

    /// The fastest run against each other; the first one that also beats the default parameters is recorded.
    fn finish(mut self, device_info: &DeviceInfo, subject: Subject, space: Space) -> Result<Found, Failure> {
        let mut right: Vec<&(Configuration, Outcome)> =
            self.trials.iter().filter(|(_, outcome)| outcome.invalidity == Invalidity::Correct).collect();
        right.sort_by(|a, b| a.1.score().total_cmp(&b.1.score()));
        let mut contenders: Vec<Option<Configuration>> = vec![None];
        for (configuration, _) in right {
            let contender = Some(configuration.clone());
            if contenders.len() <= FINALISTS && contender != self.default && !contenders.contains(&contender) {
                contenders.push(contender);
            }
        }
        self.bar.set_message("the fastest run against each other");
        let times = self.bencher.race(contenders.clone())?;
        let seconds = |index: usize| times[index].unwrap_or(f64::INFINITY);
        let winner = (0..times.len()).min_by(|a, b| seconds(*a).total_cmp(&seconds(*b))).unwrap_or(0);
        let gain = seconds(0) / seconds(winner);
        let record = contenders[winner].clone().filter(|_| gain.is_finite() && gain >= WORTH_KEEPING);
        let record = record.map(|configuration| Record {
            library: env!("CARGO_PKG_VERSION").to_owned(),
            device: device_info.name.clone(),
            driver: device_info.driver.clone(),
            subject,
            configuration,
            seconds: seconds(winner),
            default_seconds: seconds(0),
            evaluations: self.trials.len(),
        });
        self.journal.done()?;
        let results = Results {
            library: env!("CARGO_PKG_VERSION").to_owned(),
            device: device_info.name.clone(),
            driver: device_info.driver.clone(),
            subject,
            default_seconds: self.default_seconds,
            trials: self.trials,
        };
        let gain = if gain.is_finite() { gain } else { 1.0 };
        Ok(Found { space, results, record, measured: self.measured, gain })
    }
}
