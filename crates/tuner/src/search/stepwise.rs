//! Algorithms that read as in their papers: they ask for the time of a location, and are stopped where it is not known.
//!
//! A step of an algorithm is a function of its state and of the known times. Where it needs a time that is not known,
//! the step is given up, the point is proposed, and the step is made again from the same state afterwards.

use std::collections::HashMap;

use super::{Random, Strategy, unknown};
use crate::space::Space;

/// A point whose time is not known yet.
pub(super) struct Unknown(usize);

/// A step's result, or the point that it needs.
pub(super) type Step<T> = Result<T, Unknown>;

/// The function that is minimised, over locations among the values.
pub(super) struct Objective<'s> {
    pub(super) space: &'s Space,
    known: &'s HashMap<usize, f64>,
}

impl Objective<'_> {
    /// The time of a location: infinity where a rule forbids it, beyond the values, and where it failed.
    pub(super) fn at(&self, location: &[i64]) -> Step<f64> {
        match self.point(location) {
            None => Ok(f64::INFINITY),
            Some(point) => self.known.get(&point).copied().ok_or(Unknown(point)),
        }
    }

    /// The legal point of a location.
    pub(super) fn point(&self, location: &[i64]) -> Option<usize> {
        let at: Option<Vec<usize>> = location.iter().map(|&x| usize::try_from(x).ok()).collect();
        self.space.at(&at?)
    }

    /// Values of an axis.
    pub(super) fn length(&self, axis: usize) -> i64 {
        self.space.parameters()[axis].values.len() as i64
    }

    pub(super) fn axes(&self) -> usize {
        self.space.parameters().len()
    }
}

/// An algorithm that starts at a location, and goes on step by step until it ends there or elsewhere.
pub(super) trait Algorithm: Clone {
    /// The state at the start, a legal point.
    fn start(space: &Space, location: Vec<i64>) -> Self;

    /// A step; false at the end.
    fn step(&mut self, objective: &Objective<'_>) -> Step<bool>;
}

/// Steps and ends without a proposal after which an unknown point at random takes its place.
const MAX_STEPS: usize = 20_000;
const MAX_ENDS: usize = 20;

/// The strategy of an algorithm: from each given start, then from points at random.
pub(super) struct Stepwise<A> {
    known: HashMap<usize, f64>,
    state: Option<A>,
    /// Starts that wait, the next one last.
    starts: Vec<usize>,
    ends: usize,
}

impl<A> Default for Stepwise<A> {
    fn default() -> Self {
        Stepwise { known: HashMap::new(), state: None, starts: Vec::new(), ends: 0 }
    }
}

impl<A: Algorithm> Strategy for Stepwise<A> {
    fn begin(&mut self, _: &Space, starts: &[(usize, f64)]) {
        let right = starts.iter().filter(|(_, seconds)| seconds.is_finite());
        self.starts = right.rev().map(|(point, _)| *point).collect();
    }

    fn propose(&mut self, space: &Space, random: &mut Random) -> Option<usize> {
        let before = self.ends;
        for _ in 0..MAX_STEPS {
            if self.ends > before + MAX_ENDS {
                break;
            }
            let mut next = match &self.state {
                Some(state) => state.clone(),
                None => {
                    let start = self.starts.pop().or_else(|| space.sample(random))?;
                    A::start(space, space.coordinates(start).into_iter().map(|x| x as i64).collect())
                }
            };
            // A start is kept even if its first step is given up.
            self.state.get_or_insert_with(|| next.clone());
            match next.step(&Objective { space, known: &self.known }) {
                Err(Unknown(point)) => return Some(point),
                Ok(true) => self.state = Some(next),
                Ok(false) => {
                    self.state = None;
                    self.ends += 1;
                }
            }
        }
        unknown(space, random, |point| self.known.contains_key(&point))
    }

    fn observe(&mut self, _: &Space, point: usize, seconds: f64, _: &mut Random) {
        self.known.insert(point, seconds);
    }

    fn ends(&self) -> usize {
        self.ends
    }
}
