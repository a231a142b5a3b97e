//! A genetic algorithm: the best of a population have children, whose values come from either parent, or from nowhere.

use super::samples::founders;
use super::{Random, Strategy};
use crate::space::Space;

/// Points of a population.
const POPULATION: usize = 12;
/// Those of the parents that live on.
const ELITE: usize = 2;

#[derive(Debug, Default)]
pub(super) struct Genetic {
    /// The generation that is known, the fastest first.
    parents: Vec<(usize, f64)>,
    /// Children that wait to be proposed, and the one that was.
    waiting: Vec<usize>,
    proposed: Option<usize>,
    children: Vec<(usize, f64)>,
    /// Given starts: members of the first generation.
    starts: Vec<usize>,
}

impl Genetic {
    /// The better of two parents.
    fn parent(&self, random: &mut Random) -> usize {
        self.parents[random.below(self.parents.len()).min(random.below(self.parents.len()))].0
    }

    fn child(&self, space: &Space, random: &mut Random) -> Option<usize> {
        let (a, b) = (space.coordinates(self.parent(random)), space.coordinates(self.parent(random)));
        let free = space.parameters().iter().filter(|parameter| parameter.values.len() > 1).count().max(1);
        let mut coordinates: Vec<f64> = Vec::new();
        for (axis, parameter) in space.parameters().iter().enumerate() {
            let inherited = if random.unit() < 0.5 { a[axis] } else { b[axis] };
            let mutates = random.unit() * (free as f64) < 1.0;
            coordinates.push(if mutates { random.below(parameter.values.len()) } else { inherited } as f64);
        }
        space.nearest(&coordinates)
    }
}

impl Strategy for Genetic {
    fn begin(&mut self, _: &Space, starts: &[(usize, f64)]) {
        self.starts = starts.iter().map(|(point, _)| *point).collect();
    }

    fn propose(&mut self, space: &Space, random: &mut Random) -> Option<usize> {
        if self.waiting.is_empty() {
            let mut next = std::mem::take(&mut self.children);
            next.extend(self.parents.iter().take(ELITE));
            next.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            next.dedup();
            self.parents = next;
            self.waiting = match self.parents.len() {
                0 => founders(space, POPULATION, &self.starts, random),
                _ => (0..POPULATION).filter_map(|_| self.child(space, random)).collect(),
            };
        }
        self.proposed = self.waiting.pop();
        self.proposed
    }

    fn observe(&mut self, _: &Space, point: usize, seconds: f64, _: &mut Random) {
        if self.proposed.take_if(|proposed| *proposed == point).is_some() {
            self.children.push((point, seconds));
        }
    }
}
