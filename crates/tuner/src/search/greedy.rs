//! The greedy search: all values of one parameter after the other, the best of which is kept.
//!
//! Source: Christen (2011), algorithm 8.1, repeated until no parameter changes. It finds the minimum of a sum of
//! functions of one parameter each in 1 + sum (n - 1) measurements, and suits few values and weak interactions.

use super::stepwise::{Algorithm, Objective, Step};
use crate::space::Space;

#[derive(Clone)]
pub(super) struct Greedy {
    at: Vec<i64>,
    axis: usize,
    /// True if a parameter has changed in this round.
    moved: bool,
}

impl Algorithm for Greedy {
    fn start(_: &Space, location: Vec<i64>) -> Self {
        Greedy { at: location, axis: 0, moved: false }
    }

    fn step(&mut self, objective: &Objective<'_>) -> Step<bool> {
        if self.axis == self.at.len() {
            let moved = self.moved;
            (self.axis, self.moved) = (0, false);
            return Ok(moved);
        }
        let mut best = (objective.at(&self.at)?, self.at[self.axis]);
        let mut location = self.at.clone();
        for value in 0..objective.length(self.axis) {
            location[self.axis] = value;
            let seconds = objective.at(&location)?;
            if seconds < best.0 {
                best = (seconds, value);
            }
        }
        self.moved |= best.1 != self.at[self.axis];
        self.at[self.axis] = best.1;
        self.axis += 1;
        Ok(true)
    }
}
