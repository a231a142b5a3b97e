//! Searching a space for its fastest point: strategies that propose points, and a search that asks for measurements.
//!
//! [`Search::ask`] names a point, whoever measures it answers with [`Search::tell`]. A strategy sees every answer;
//! points that it proposes again are answered from memory. All of them draw from one seeded generator, so that the same
//! answers lead to the same search.

mod annealing;
mod differential;
mod genetic;
mod local;
mod random;
mod samples;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::space::Space;

pub use random::Random;

/// A way to search.
pub trait Strategy {
    /// The next point; `None` when there is nothing more that it would propose.
    fn propose(&mut self, space: &Space, random: &mut Random) -> Option<usize>;

    /// How long a point took, in seconds: infinity where it failed. Points come in the order in which they were
    /// proposed, and others too, such as where the search begins.
    fn observe(&mut self, space: &Space, point: usize, seconds: f64, random: &mut Random);
}

/// The strategies that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyKind {
    /// Samples spread over the space, then a walk downhill from each of the best.
    Refine,
    /// Every point in its order.
    Exhaustive,
    /// Points at random.
    Random,
    /// Samples whose values of each parameter are spread evenly (a Latin hypercube).
    LatinHypercube,
    /// A walk downhill from a point at random, and again.
    Local,
    /// A walk that goes uphill too, ever less (simulated annealing).
    Annealing,
    /// Parents' values crossed and mutated.
    Genetic,
    /// Differences of points added to others (differential evolution).
    Differential,
}

impl StrategyKind {
    /// All of them, the default one first.
    pub const ALL: [StrategyKind; 8] = [
        StrategyKind::Local,
        StrategyKind::Refine,
        StrategyKind::Exhaustive,
        StrategyKind::Random,
        StrategyKind::LatinHypercube,
        StrategyKind::Annealing,
        StrategyKind::Genetic,
        StrategyKind::Differential,
    ];

    /// Its name for users.
    pub const fn name(self) -> &'static str {
        match self {
            StrategyKind::Refine => "refine",
            StrategyKind::Exhaustive => "exhaustive",
            StrategyKind::Random => "random",
            StrategyKind::LatinHypercube => "latin-hypercube",
            StrategyKind::Local => "local",
            StrategyKind::Annealing => "annealing",
            StrategyKind::Genetic => "genetic",
            StrategyKind::Differential => "differential",
        }
    }

    /// The strategy at its beginning.
    pub fn start(self) -> Box<dyn Strategy> {
        match self {
            StrategyKind::Refine => Box::new(local::Refine::default()),
            StrategyKind::Exhaustive => Box::new(samples::Exhaustive::default()),
            StrategyKind::Random => Box::new(samples::Shuffled::default()),
            StrategyKind::LatinHypercube => Box::new(samples::LatinHypercube::default()),
            StrategyKind::Local => Box::new(local::Local::default()),
            StrategyKind::Annealing => Box::new(annealing::Annealing::default()),
            StrategyKind::Genetic => Box::new(genetic::Genetic::default()),
            StrategyKind::Differential => Box::new(differential::Differential::default()),
        }
    }
}

impl fmt::Display for StrategyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for StrategyKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || StrategyKind::ALL.map(StrategyKind::name).join(", ");
        let found = StrategyKind::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("'{text}' is none of {}", names()))
    }
}

/// When a search ends, if it has not been through the space before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// After so many measurements.
    Evaluations(usize),
    /// After so long.
    Time(Duration),
}

impl Budget {
    /// True if it is used up.
    pub fn is_spent(&self, evaluations: usize, time: Duration) -> bool {
        match *self {
            Budget::Evaluations(most) => evaluations >= most,
            Budget::Time(most) => time >= most,
        }
    }

    /// A part of it, which is not nothing.
    #[must_use]
    pub fn share(&self, part: f64) -> Self {
        match *self {
            Budget::Evaluations(most) => Budget::Evaluations(((most as f64 * part).round() as usize).max(1)),
            Budget::Time(most) => Budget::Time(most.mul_f64(part)),
        }
    }
}

/// `200` for measurements, `90s` for seconds.
impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("'{text}' is neither a number of measurements, such as 200, nor one of seconds, such as 90s");
        match text.strip_suffix('s') {
            Some(seconds) => {
                let seconds = seconds.parse::<f64>().ok().and_then(|value| Duration::try_from_secs_f64(value).ok());
                seconds.filter(|time| !time.is_zero()).map(Budget::Time).ok_or_else(wrong)
            }
            None => text.parse().ok().filter(|count| *count > 0).map(Budget::Evaluations).ok_or_else(wrong),
        }
    }
}

/// Proposals of known points in a row after which a point at random takes their place.
const MAX_REPEATS: usize = 200;

/// A search: which points are known, and what the strategy makes of them.
pub struct Search<'s> {
    space: &'s Space,
    strategy: Box<dyn Strategy>,
    random: Random,
    /// Measured seconds of each point.
    seconds: Vec<Option<f64>>,
    asked: Option<usize>,
    evaluations: usize,
    best: Option<(usize, f64)>,
}

impl<'s> Search<'s> {
    /// The search of a space. The same seed and the same answers lead to the same questions.
    pub fn new(space: &'s Space, strategy: Box<dyn Strategy>, seed: u64) -> Self {
        let seconds = vec![None; space.len()];
        Search { space, strategy, random: Random::new(seed), seconds, asked: None, evaluations: 0, best: None }
    }

    /// The next point to measure, none of which is asked for twice, or the one that was asked for and not told yet.
    /// `None` when all are known, or the strategy has come to its end.
    pub fn ask(&mut self) -> Option<usize> {
        if self.asked.is_some() {
            return self.asked;
        }
        if self.evaluations == self.space.len() {
            return None;
        }
        for _ in 0..MAX_REPEATS {
            let point = self.strategy.propose(self.space, &mut self.random)?;
            match self.seconds[point] {
                Some(seconds) => self.strategy.observe(self.space, point, seconds, &mut self.random),
                None => {
                    self.asked = Some(point);
                    return self.asked;
                }
            }
        }
        let unknown: Vec<usize> = (0..self.space.len()).filter(|point| self.seconds[*point].is_none()).collect();
        self.asked = Some(unknown[self.random.below(unknown.len())]);
        self.asked
    }

    /// How long a point took: infinity, or anything that is no time, where it failed. It need not have been asked for.
    pub fn tell(&mut self, point: usize, seconds: f64) {
        let seconds = if seconds > 0.0 { seconds } else { f64::INFINITY };
        if self.seconds[point].replace(seconds).is_none() {
            self.evaluations += 1;
        }
        if seconds < self.best.map_or(f64::INFINITY, |(_, best)| best) {
            self.best = Some((point, seconds));
        }
        if self.asked == Some(point) {
            self.asked = None;
        }
        self.strategy.observe(self.space, point, seconds, &mut self.random);
    }

    /// The fastest point so far, and its time.
    pub fn best(&self) -> Option<(usize, f64)> {
        self.best
    }

    /// Points that are known.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// The known points that did not fail, the fastest first.
    pub fn ranking(&self) -> Vec<(usize, f64)> {
        let known = self.seconds.iter().enumerate().filter_map(|(point, seconds)| Some((point, (*seconds)?)));
        let mut ranking: Vec<(usize, f64)> = known.filter(|(_, seconds)| seconds.is_finite()).collect();
        ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
        ranking
    }
}
