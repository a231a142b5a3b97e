//! Powell's method (Powell 1964; Christen 2011, algorithm 8.4).
//!
//! Searches along lines: at first the axes, then directions made of the way of each round, which takes the place of the
//! oldest one. Directions are of whole values. It suits smooth landscapes whose parameters depend on each other: for a
//! quadratic form the directions become conjugate. A round takes about 8 to 20 measurements for each parameter.

use super::line;
use super::stepwise::{Algorithm, Objective, Step};
use crate::space::Space;

#[derive(Clone)]
pub(super) struct Powell {
    at: Vec<i64>,
    directions: Vec<Vec<i64>>,
    /// Where the round began, and the direction that is next.
    round: Vec<i64>,
    next: usize,
    /// True if the directions are the axes.
    are_axes: bool,
}

impl Powell {
    fn axes(dimensions: usize) -> Vec<Vec<i64>> {
        (0..dimensions).map(|axis| (0..dimensions).map(|other| i64::from(other == axis)).collect()).collect()
    }
}

impl Algorithm for Powell {
    fn start(_: &Space, place: Vec<i64>) -> Self {
        let directions = Self::axes(place.len());
        Powell { round: place.clone(), at: place, directions, next: 0, are_axes: true }
    }

    fn step(&mut self, objective: &Objective<'_>) -> Step<bool> {
        if let Some(direction) = self.directions.get(self.next) {
            self.at = line::minimum(objective, &self.at, direction)?.0;
            self.next += 1;
            return Ok(true);
        }
        let way: Vec<i64> = self.at.iter().zip(&self.round).map(|(a, b)| a - b).collect();
        if way.iter().all(|x| *x == 0) {
            // No direction gains. The axes have the last word, since the others may depend on each other.
            let ends = self.are_axes;
            (self.directions, self.are_axes, self.next) = (Self::axes(self.at.len()), true, 0);
            return Ok(!ends);
        }
        let divisor = way.iter().fold(0, |divisor, x| greatest_common_divisor(divisor, x.abs()));
        let direction: Vec<i64> = way.iter().map(|x| x / divisor).collect();
        let at = line::minimum(objective, &self.at, &direction)?.0;
        if way.iter().filter(|x| **x != 0).count() > 1 {
            self.directions.remove(0);
            self.directions.push(direction);
            self.are_axes = false;
        }
        (self.round, self.at, self.next) = (at.clone(), at, 0);
        Ok(true)
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
