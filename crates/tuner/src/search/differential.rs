//! Differential evolution (Storn and Price, 1997) on places among the values, moved to the nearest point.

use super::samples::founders;
use super::{Random, Strategy};
use crate::space::Space;

/// Points of a population.
const POPULATION: usize = 12;
/// How much of a difference is added.
const WEIGHT: f64 = 0.7;
/// How likely a value comes from the changed point.
const CROSSOVER: f64 = 0.7;

#[derive(Debug, Default)]
pub(super) struct Differential {
    population: Vec<(usize, f64)>,
    /// The first generation's points that wait, and how many they were.
    first: Option<Vec<usize>>,
    founders: usize,
    /// The member whose turn it is, and the point that would take its place.
    turn: usize,
    proposed: Option<usize>,
    /// Given starts: members of the first generation.
    starts: Vec<usize>,
}

impl Differential {
    /// The best member, and a difference of two others, crossed with the member whose turn it is.
    fn trial(&self, space: &Space, random: &mut Random) -> Option<usize> {
        let member = |index: usize| space.coordinates(self.population[index].0);
        let best = (0..self.population.len()).min_by(|a, b| self.population[*a].1.total_cmp(&self.population[*b].1))?;
        let order = random.order(self.population.len());
        let (base, a, b) = (member(best), member(order[0]), member(order[order.len() - 1]));
        let own = member(self.turn);
        let forced = random.below(own.len().max(1));
        let mut coordinates = Vec::new();
        for axis in 0..own.len() {
            let changed = base[axis] as f64 + WEIGHT * (a[axis] as f64 - b[axis] as f64) + random.unit() - 0.5;
            coordinates.push(if axis == forced || random.unit() < CROSSOVER { changed } else { own[axis] as f64 });
        }
        space.nearest(&coordinates)
    }
}

impl Strategy for Differential {
    fn begin(&mut self, _: &Space, starts: &[(usize, f64)]) {
        self.starts = starts.iter().map(|(point, _)| *point).collect();
    }

    fn propose(&mut self, space: &Space, random: &mut Random) -> Option<usize> {
        if self.first.is_none() {
            let first = founders(space, POPULATION, &self.starts, random);
            self.founders = first.len();
            self.first = Some(first);
        }
        self.proposed = match self.first.as_mut().and_then(Vec::pop) {
            Some(point) => Some(point),
            None => self.trial(space, random),
        };
        self.proposed
    }

    fn observe(&mut self, _: &Space, point: usize, seconds: f64, _: &mut Random) {
        if self.proposed.take_if(|proposed| *proposed == point).is_none() {
            return;
        }
        if self.population.len() < self.founders {
            self.population.push((point, seconds));
            return;
        }
        if seconds < self.population[self.turn].1 {
            self.population[self.turn] = (point, seconds);
        }
        self.turn = (self.turn + 1) % self.founders;
    }
}
