//! Powell's method (Powell 1964; Christen 2011, algorithm 8.4).
//!
//! Searches along lines: at first the axes, then directions made of the way of each round, which takes the place of the
//! oldest one. It suits smooth landscapes whose parameters depend on each other: for a quadratic form the directions
//! become conjugate. A round takes about 8 to 20 measurements for each parameter. Between whole values a valley may
//! have no direction that gains: the diagonals of pairs of axes are searched last.

use super::line;
use super::stepwise::{Algorithm, Objective, Step};
use crate::space::Space;

/// The directions of a round.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Axes,
    Ways,
    Diagonals,
}

/// Axes up to which all pairs have their diagonals; beyond, neighbouring axes alone.
const MAX_PAIRED: usize = 4;

#[derive(Clone)]
pub(super) struct Powell {
    at: Vec<i64>,
    directions: Vec<Vec<f64>>,
    stage: Stage,
    /// Where the round began, and the direction that is next.
    round: Vec<i64>,
    next: usize,
}

fn axes(dimensions: usize) -> Vec<Vec<f64>> {
    let axis = |axis: usize| (0..dimensions).map(|other| if other == axis { 1.0 } else { 0.0 }).collect();
    (0..dimensions).map(axis).collect()
}

fn diagonals(dimensions: usize) -> Vec<Vec<f64>> {
    let mut found = Vec::new();
    for first in 0..dimensions {
        for second in first + 1..dimensions {
            if dimensions <= MAX_PAIRED || second == first + 1 {
                for sign in [1.0, -1.0] {
                    let mut direction = vec![0.0; dimensions];
                    (direction[first], direction[second]) = (1.0, sign);
                    found.push(direction);
                }
            }
        }
    }
    found
}

impl Powell {
    fn begin(&mut self, stage: Stage, directions: Vec<Vec<f64>>) {
        (self.stage, self.directions, self.next) = (stage, directions, 0);
        self.round.clone_from(&self.at);
    }
}

impl Algorithm for Powell {
    fn start(_: &Space, location: Vec<i64>) -> Self {
        let directions = axes(location.len());
        Powell { round: location.clone(), at: location, directions, stage: Stage::Axes, next: 0 }
    }

    fn step(&mut self, objective: &Objective<'_>) -> Step<bool> {
        if let Some(direction) = self.directions.get(self.next) {
            self.at = line::minimum(objective, &self.at, direction)?;
            self.next += 1;
            return Ok(true);
        }
        let way: Vec<i64> = self.at.iter().zip(&self.round).map(|(a, b)| a - b).collect();
        let largest = way.iter().map(|x| x.abs()).max().unwrap_or(0);
        let dimensions = way.len();
        match (largest, self.stage) {
            // Directions of ways may depend on each other: the axes, and then the diagonals, have the last word.
            (0, Stage::Ways) => self.begin(Stage::Axes, axes(dimensions)),
            (0, Stage::Axes) => self.begin(Stage::Diagonals, diagonals(dimensions)),
            (0, Stage::Diagonals) => return Ok(false),
            (_, Stage::Diagonals) => self.begin(Stage::Axes, axes(dimensions)),
            _ => {
                let direction: Vec<f64> = way.iter().map(|x| *x as f64 / largest as f64).collect();
                self.at = line::minimum(objective, &self.at, &direction)?;
                let mut directions = self.directions.clone();
                let is_axis = way.iter().filter(|x| **x != 0).count() == 1;
                if !is_axis {
                    directions.remove(0);
                    directions.push(direction);
                }
                self.begin(if is_axis { self.stage } else { Stage::Ways }, directions);
            }
        }
        Ok(true)
    }
}
