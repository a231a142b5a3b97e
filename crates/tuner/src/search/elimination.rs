//! General combined elimination (Pan and Eigenmann 2006; Christen 2011, algorithm 8.2).
//!
//! Each round measures every value of every parameter that is not set yet, and sets the parameters that gain, those
//! with the largest gain first, while each still gains. It suits many switches that hardly depend on each other. A sum
//! of functions of one parameter each takes one round, at most 1 + sum (n - 1) + d measurements.

use super::stepwise::{Algorithm, Objective, Step};
use crate::space::Space;

#[derive(Clone)]
pub(super) struct Elimination {
    at: Vec<i64>,
    /// Parameters that are not set.
    open: Vec<usize>,
}

impl Algorithm for Elimination {
    fn start(_: &Space, location: Vec<i64>) -> Self {
        Elimination { open: (0..location.len()).collect(), at: location }
    }

    fn step(&mut self, objective: &Objective<'_>) -> Step<bool> {
        let before = objective.at(&self.at)?;
        // The best value of each parameter that gains: time, axis, value.
        let mut gains: Vec<(f64, usize, i64)> = Vec::new();
        for &axis in &self.open {
            let mut location = self.at.clone();
            let mut best: Option<(f64, usize, i64)> = None;
            for value in 0..objective.length(axis) {
                location[axis] = value;
                let seconds = objective.at(&location)?;
                if seconds < best.map_or(before, |(seconds, ..)| seconds) {
                    best = Some((seconds, axis, value));
                }
            }
            gains.extend(best);
        }
        gains.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut at, mut seconds) = (self.at.clone(), before);
        let mut open = self.open.clone();
        for &(_, axis, value) in &gains {
            let mut location = at.clone();
            location[axis] = value;
            let found = objective.at(&location)?;
            if found < seconds {
                (at, seconds) = (location, found);
                open.retain(|other| *other != axis);
            }
        }
        (self.at, self.open) = (at, open);
        Ok(!gains.is_empty() && !self.open.is_empty())
    }
}
