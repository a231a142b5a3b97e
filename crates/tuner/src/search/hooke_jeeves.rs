//! Pattern search (Hooke and Jeeves 1961; Christen 2011, algorithm 8.3).
//!
//! Exploratory steps along the axes, then a pattern step as long as all of them together, with steps that are halved
//! where nothing gains. A step is counted in values, at first a quarter of an axis. It suits smooth landscapes and good
//! starts, and ends after few measurements in the valley of its start.

use super::stepwise::{Algorithm, Objective, Step};
use crate::space::Space;

#[derive(Clone)]
pub(super) struct HookeJeeves {
    at: Vec<i64>,
    steps: Vec<i64>,
}

impl HookeJeeves {
    /// The best location that steps along the axes lead to, one after the other.
    fn explore(&self, objective: &Objective<'_>, from: &[i64]) -> Step<(Vec<i64>, f64)> {
        let (mut location, mut best) = (from.to_vec(), objective.at(from)?);
        for axis in 0..location.len() {
            for step in [self.steps[axis], -self.steps[axis]] {
                let mut other = location.clone();
                other[axis] = (other[axis] + step).clamp(0, objective.length(axis) - 1);
                let seconds = objective.at(&other)?;
                if seconds < best {
                    (location, best) = (other, seconds);
                    break;
                }
            }
        }
        Ok((location, best))
    }
}

impl Algorithm for HookeJeeves {
    fn start(space: &Space, location: Vec<i64>) -> Self {
        let steps = space.parameters().iter().map(|parameter| (parameter.values.len() as i64 / 4).max(1)).collect();
        HookeJeeves { at: location, steps }
    }

    fn step(&mut self, objective: &Objective<'_>) -> Step<bool> {
        let before = objective.at(&self.at)?;
        let (mut location, best) = self.explore(objective, &self.at)?;
        if best < before {
            // The pattern: as far again, and steps from there.
            let inside = |axis: usize, x: i64| x.clamp(0, objective.length(axis) - 1);
            let pattern = |(axis, (&new, &old)): (usize, (&i64, &i64))| inside(axis, 2 * new - old);
            let ahead: Vec<i64> = location.iter().zip(&self.at).enumerate().map(pattern).collect();
            let (other, seconds) = self.explore(objective, &ahead)?;
            if seconds < best {
                location = other;
            }
            self.at = location;
            return Ok(true);
        }
        let is_finest = self.steps.iter().all(|step| *step == 1);
        self.steps.iter_mut().for_each(|step| *step = (*step / 2).max(1));
        Ok(!is_finest)
    }
}
