//! Walks downhill: from a point to a faster one of its neighbours, until there is none.

use std::collections::BTreeMap;

use super::samples::latin_hypercube;
use super::{Random, Strategy};
use crate::space::Space;

/// A walk, at a point whose neighbours are looked at one after the other.
#[derive(Debug)]
struct Walk {
    at: usize,
    seconds: f64,
    /// Neighbours that have not been looked at, the next one last.
    left: Vec<usize>,
}

impl Walk {
    fn new(space: &Space, at: usize, seconds: f64, random: &mut Random) -> Self {
        let neighbours = space.neighbours(at);
        let order = random.order(neighbours.len());
        Walk { at, seconds, left: order.into_iter().map(|index| neighbours[index]).collect() }
    }

    /// Goes on to the point if it is a faster neighbour that was proposed.
    fn observe(&mut self, space: &Space, point: usize, seconds: f64, random: &mut Random) {
        if seconds < self.seconds && point != self.at {
            *self = Walk::new(space, point, seconds, random);
        }
    }
}

/// A walk from a point at random to the first faster neighbour and on; at its end, another one.
#[derive(Debug, Default)]
pub(super) struct Local {
    walk: Option<Walk>,
    /// Start of the next walk.
    start: Option<usize>,
    /// Given starts that wait, the next one last.
    given: Vec<usize>,
}

impl Strategy for Local {
    fn begin(&mut self, _: &Space, starts: &[(usize, f64)]) {
        let right = starts.iter().filter(|(_, seconds)| seconds.is_finite());
        self.given = right.rev().map(|(point, _)| *point).collect();
    }

    fn propose(&mut self, space: &Space, random: &mut Random) -> Option<usize> {
        if let Some(next) = self.walk.as_mut().and_then(|walk| walk.left.pop()) {
            return Some(next);
        }
        self.walk = None;
        self.start = self.given.pop().or_else(|| space.sample(random));
        self.start
    }

    fn observe(&mut self, space: &Space, point: usize, seconds: f64, random: &mut Random) {
        match &mut self.walk {
            Some(walk) => walk.observe(space, point, seconds, random),
            None if self.start == Some(point) => self.walk = Some(Walk::new(space, point, seconds, random)),
            None => {}
        }
    }
}

/// Samples that are spread over the space, then walks downhill: from the best that is known, and from each next best
/// that no walk has come by.
#[derive(Debug, Default)]
pub(super) struct Refine {
    samples: Option<Vec<usize>>,
    known: BTreeMap<usize, f64>,
    /// Points at which walks were.
    visited: Vec<usize>,
    walk: Option<Walk>,
}

/// Samples before the first walk, at most, and the part of the space that they are at most.
const SAMPLES: usize = 12;
const SAMPLED_PART: usize = 4;

impl Strategy for Refine {
    fn propose(&mut self, space: &Space, random: &mut Random) -> Option<usize> {
        let count = (space.known_len().unwrap_or(usize::MAX) / SAMPLED_PART).clamp(1, SAMPLES);
        let samples = self.samples.get_or_insert_with(|| latin_hypercube(space, count, random));
        if let Some(sample) = samples.pop() {
            return Some(sample);
        }
        if let Some(next) = self.walk.as_mut().and_then(|walk| walk.left.pop()) {
            return Some(next);
        }
        let start = self.known.iter().filter(|(point, seconds)| seconds.is_finite() && !self.visited.contains(point));
        match start.min_by(|a, b| a.1.total_cmp(b.1)).map(|(point, seconds)| (*point, *seconds)) {
            Some((point, seconds)) => {
                self.visited.push(point);
                let mut walk = Walk::new(space, point, seconds, random);
                let next = walk.left.pop();
                self.walk = Some(walk);
                next.or_else(|| space.sample(random))
            }
            // Everything that works has been walked from.
            None => space.sample(random),
        }
    }

    fn observe(&mut self, space: &Space, point: usize, seconds: f64, random: &mut Random) {
        self.known.insert(point, seconds);
        if let Some(walk) = &mut self.walk {
            walk.observe(space, point, seconds, random);
            if !self.visited.contains(&walk.at) {
                self.visited.push(walk.at);
            }
        }
    }
}
