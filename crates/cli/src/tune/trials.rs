//! Candidates that another process measures: each against the fastest so far, and the fastest against each other.

use affinimath_bench::Failure;
use affinimath_tuner::exchange::{Invalidity, Outcome};
use affinimath_tuner::space::Configuration;
use affinimath_tuner::tuner::{Found, Measurement, TunerError, Workload};

use super::child::Bencher;
use super::messages::Incumbent;

/// The fastest that run against each other, and against the default, at the end.
const FINALISTS: usize = 4;
/// The least speedup over the default with which a candidate is recorded.
pub const WORTH_KEEPING: f64 = 1.02;

/// Measurements in another process.
pub struct Trials {
    bencher: Bencher,
    best: Incumbent,
    /// The other process cannot be started any more.
    failure: Option<Failure>,
}

/// Result of the last rounds, in which the fastest run against each other.
pub struct Decided {
    /// `None` for the default.
    pub winner: Option<Configuration>,
    /// Values of the objective of the winner, and of the default: seconds, unless there is another one.
    pub seconds: f64,
    /// See `seconds`.
    pub default_seconds: f64,
}

impl Decided {
    /// The speedup over the default.
    pub fn gain(&self) -> f64 {
        let gain = self.default_seconds / self.seconds;
        if gain.is_finite() { gain } else { 1.0 }
    }

    /// Seconds of one of the `count` equal parts that a run has.
    pub fn each(self, count: f64) -> Self {
        Decided { seconds: self.seconds / count, default_seconds: self.default_seconds / count, ..self }
    }
}

impl Trials {
    pub const fn new(bencher: Bencher) -> Self {
        Trials { bencher, best: Incumbent { configuration: None, seconds: f64::INFINITY }, failure: None }
    }

    /// Seconds of a run without parameters; `what` names it.
    pub fn default(&mut self, what: &str) -> Result<f64, Failure> {
        let outcome = self.bencher.trial(None, None)?;
        match outcome.seconds {
            Some(seconds) => {
                self.best.seconds = seconds;
                Ok(seconds)
            }
            None => {
                let reason = outcome.message.unwrap_or_default();
                Err(Failure(format!("{what} cannot be measured: {reason}")))
            }
        }
    }

    /// The end of a search, unless the other process is gone.
    pub fn after(&mut self, found: Result<Found, TunerError>) -> Result<Found, Failure> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => found.map_err(|error| Failure(error.to_string())),
        }
    }

    /// The fastest, the default and others in turn.
    pub fn decide(&mut self, found: &Found, others: &[Configuration]) -> Result<Decided, Failure> {
        self.decide_against(None, found, others)
    }

    /// [`Trials::decide`] with a point in the default's place.
    pub fn decide_against(
        &mut self,
        default: Option<&Configuration>,
        found: &Found,
        others: &[Configuration],
    ) -> Result<Decided, Failure> {
        let mut contenders = vec![default.cloned()];
        contenders.extend(others.iter().cloned().map(Some));
        contenders.extend(ranking(found).into_iter().take(FINALISTS).map(|(point, _)| Some(point.clone())));
        let times = self.bencher.race(contenders.clone())?;
        let seconds = |index: usize| times[index].unwrap_or(f64::INFINITY);
        let winner = (0..times.len()).min_by(|a, b| seconds(*a).total_cmp(&seconds(*b))).unwrap_or(0);
        Ok(Decided { winner: contenders[winner].clone(), seconds: seconds(winner), default_seconds: seconds(0) })
    }
}

impl Workload for Trials {
    fn measure(&mut self, point: &Configuration) -> Measurement {
        if self.failure.is_some() {
            return Measurement::Crashed("the measuring process is gone".to_owned());
        }
        // Before any point works there is nothing to compare with.
        let best = Some(self.best.clone()).filter(|best| best.seconds.is_finite());
        let outcome = match self.bencher.trial(Some(point), best) {
            Ok(outcome) => outcome,
            Err(failure) => {
                let reason = failure.0.clone();
                self.failure = Some(failure);
                return Measurement::Crashed(reason);
            }
        };
        if outcome.score() < self.best.seconds {
            self.best = Incumbent { configuration: Some(point.clone()), seconds: outcome.score() };
        }
        let Outcome { invalidity, seconds, message, reading, .. } = outcome;
        let message = message.unwrap_or_default();
        match (invalidity, seconds) {
            (Invalidity::Correct, Some(seconds)) => reading.map_or(Measurement::Value(seconds), Measurement::Reading),
            (Invalidity::Correctness, _) => Measurement::Wrong(message),
            (Invalidity::Compile, _) => Measurement::Unbuilt(message),
            (Invalidity::Timeout, _) => Measurement::TimedOut(message),
            _ => Measurement::Crashed(message),
        }
    }
}

/// The points that work, the fastest first.
pub fn ranking(found: &Found) -> Vec<(&Configuration, f64)> {
    let mut right: Vec<_> = found.runs.iter().filter_map(|(point, outcome)| Some((point, outcome.seconds?))).collect();
    right.sort_by(|a, b| a.1.total_cmp(&b.1));
    right
}

/// After each measurement, the speed of the best so far; the default's is 1.
pub fn speeds(found: &Found, default: f64) -> Vec<f64> {
    let mut best = default;
    let after = |(_, outcome): &(Configuration, Outcome)| {
        best = best.min(outcome.score());
        default / best
    };
    found.runs.iter().map(after).collect()
}
