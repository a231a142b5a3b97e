//! Searching a space for its fastest point: strategies that propose points, and a search that asks for measurements.
//!
//! [`Search::ask`] names a point, whoever measures it answers with [`Search::tell`]. A strategy sees every answer;
//! points that it proposes again are answered from memory. All of them draw from one seeded generator, so that the same
//! answers lead to the same search.

mod annealing;
mod budget;
mod differential;
mod direct;
mod elimination;
mod genetic;
mod greedy;
mod hooke_jeeves;
mod kind;
mod line;
mod local;
mod nelder_mead;
mod powell;
mod random;
mod samples;
mod stepwise;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::space::Space;

pub use budget::Budget;
pub use kind::StrategyKind;
pub use random::Random;

/// A way to search.
pub trait Strategy {
    /// The next point; `None` when there is nothing more that it would propose.
    fn propose(&mut self, space: &Space, random: &mut Random) -> Option<usize>;

    /// How long a point took, in seconds: infinity where it failed. Points come in the order in which they were
    /// proposed, and others too, such as where the search begins.
    fn observe(&mut self, space: &Space, point: usize, seconds: f64, random: &mut Random);

    /// Points from which the search should begin. They are measured before the first proposal, and observed like
    /// others; the best one comes first.
    fn begin(&mut self, space: &Space, starts: &[(usize, f64)]) {
        let _ = (space, starts);
    }

    /// How many times it has come to an end, and begun anew somewhere else: where it cannot improve any more.
    fn ends(&self) -> usize {
        0
    }
}

/// Proposals of known points in a row after which a point at random takes their place.
const MAX_REPEATS: usize = 200;
/// Points drawn at random after which the first unknown one of a lazy space takes their place.
const MAX_DRAWS: usize = 1000;

/// A point at random that is not known; `None` if all are.
fn unknown(space: &Space, random: &mut Random, is_known: impl Fn(usize) -> bool) -> Option<usize> {
    if space.is_lazy() {
        let drawn = (0..MAX_DRAWS).map_while(|_| space.sample(random)).find(|point| !is_known(*point));
        return drawn.or_else(|| space.points().find(|point| !is_known(*point)));
    }
    let unknown: Vec<usize> = space.points().filter(|point| !is_known(*point)).collect();
    (!unknown.is_empty()).then(|| unknown[random.below(unknown.len())])
}

/// A search: which points are known, and what the strategy makes of them.
pub struct Search<'s> {
    space: &'s Space,
    strategy: Box<dyn Strategy>,
    random: Random,
    /// Measured seconds of each known point.
    seconds: HashMap<usize, f64>,
    /// Points to begin from, the next one last, and those of them that are known, until the strategy has them.
    starts: Vec<usize>,
    begun: Option<Vec<(usize, f64)>>,
    asked: Option<usize>,
    best: Option<(usize, f64)>,
}

impl<'s> Search<'s> {
    /// The search of a space, which measures the points in `starts` first. The same seed, starts and answers lead to
    /// the same questions.
    pub fn new(space: &'s Space, strategy: Box<dyn Strategy>, seed: u64, starts: &[usize]) -> Self {
        Search {
            space,
            strategy,
            random: Random::new(seed),
            seconds: HashMap::new(),
            starts: starts.iter().rev().copied().collect(),
            begun: Some(Vec::new()),
            asked: None,
            best: None,
        }
    }

    /// The next point to measure, none of which is asked for twice, or the one that was asked for and not told yet.
    /// `None` when all are known, or the strategy has come to its end.
    pub fn ask(&mut self) -> Option<usize> {
        if self.asked.is_none() {
            self.asked = self.next();
        }
        self.asked
    }

    fn next(&mut self) -> Option<usize> {
        while let Some(start) = self.starts.pop() {
            match self.seconds.get(&start) {
                Some(&seconds) => self.begun.iter_mut().for_each(|begun| begun.push((start, seconds))),
                None => return Some(start),
            }
        }
        if let Some(mut begun) = self.begun.take() {
            begun.sort_by(|a, b| a.1.total_cmp(&b.1));
            begun.dedup();
            self.strategy.begin(self.space, &begun);
        }
        if self.space.known_len() == Some(self.seconds.len()) {
            return None;
        }
        for _ in 0..MAX_REPEATS {
            let point = self.strategy.propose(self.space, &mut self.random)?;
            match self.seconds.get(&point) {
                Some(&seconds) => self.strategy.observe(self.space, point, seconds, &mut self.random),
                None => return Some(point),
            }
        }
        unknown(self.space, &mut self.random, |point| self.seconds.contains_key(&point))
    }

    /// How long a point took: infinity, or anything that is no time, where it failed. It need not have been asked for.
    pub fn tell(&mut self, point: usize, seconds: f64) {
        let seconds = if seconds > 0.0 { seconds } else { f64::INFINITY };
        self.seconds.insert(point, seconds);
        if seconds < self.best.map_or(f64::INFINITY, |(_, best)| best) {
            self.best = Some((point, seconds));
        }
        if self.asked == Some(point) {
            self.asked = None;
            // Until the strategy begins, only starts are asked for.
            self.begun.iter_mut().for_each(|begun| begun.push((point, seconds)));
        }
        self.strategy.observe(self.space, point, seconds, &mut self.random);
    }

    /// The fastest point so far, and its time.
    pub fn best(&self) -> Option<(usize, f64)> {
        self.best
    }

    /// Points that are known.
    pub fn evaluations(&self) -> usize {
        self.seconds.len()
    }

    /// How many times the strategy has come to an end, and begun anew somewhere else.
    pub fn ends(&self) -> usize {
        self.strategy.ends()
    }

    /// The known points that did not fail, the fastest first.
    pub fn ranking(&self) -> Vec<(usize, f64)> {
        let known = self.seconds.iter().map(|(point, seconds)| (*point, *seconds));
        let mut ranking: Vec<(usize, f64)> = known.filter(|(_, seconds)| seconds.is_finite()).collect();
        ranking.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        ranking
    }
}
