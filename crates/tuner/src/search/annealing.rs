//! Simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983).

use super::{Random, Strategy};
use crate::space::Space;

/// A walk that goes on to slower neighbours too: the slower and the later, the more rarely. Times are compared by their
/// ratios.
#[derive(Debug, Default)]
pub(super) struct Annealing {
    at: Option<(usize, f64)>,
    proposed: Option<usize>,
    steps: i32,
}

/// How much slower a neighbour may be, about, at the beginning: a temperature.
const HOTTEST: f64 = 0.5;
/// Factor of the temperature after each step.
const COOLING: f64 = 0.94;
/// Temperature at which the walk restarts.
const COLDEST: f64 = 0.002;

impl Strategy for Annealing {
    fn propose(&mut self, space: &Space, random: &mut Random) -> Option<usize> {
        if HOTTEST * COOLING.powi(self.steps) < COLDEST {
            *self = Annealing::default();
        }
        let neighbours = self.at.map(|(at, _)| space.neighbours(at)).unwrap_or_default();
        self.proposed = Some(match neighbours.len() {
            0 => space.sample(random)?,
            count => neighbours[random.below(count)],
        });
        self.proposed
    }

    fn begin(&mut self, _: &Space, starts: &[(usize, f64)]) {
        self.at = starts.first().copied().filter(|(_, seconds)| seconds.is_finite());
    }

    fn observe(&mut self, _: &Space, point: usize, seconds: f64, random: &mut Random) {
        if self.proposed != Some(point) {
            return;
        }
        self.proposed = None;
        self.steps += 1;
        let temperature = HOTTEST * COOLING.powi(self.steps);
        let accepted = match self.at {
            None => seconds.is_finite(),
            Some((_, before)) => seconds < before || random.unit() < ((before - seconds) / before / temperature).exp(),
        };
        if accepted {
            self.at = Some((point, seconds));
        }
    }
}
