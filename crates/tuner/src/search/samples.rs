//! Strategies that do not look at what they find.

use super::{Random, Strategy};
use crate::space::Space;

/// Every point in its order.
#[derive(Debug, Default)]
pub(super) struct Exhaustive {
    last: Option<usize>,
}

impl Strategy for Exhaustive {
    fn propose(&mut self, space: &Space, _: &mut Random) -> Option<usize> {
        let next = space.next_point(self.last);
        self.last = next.or(self.last);
        next
    }

    fn observe(&mut self, _: &Space, _: usize, _: f64, _: &mut Random) {}
}

/// All points in a random order; points at random in a lazy space.
#[derive(Debug, Default)]
pub(super) struct Shuffled {
    order: Option<Vec<usize>>,
}

impl Strategy for Shuffled {
    fn propose(&mut self, space: &Space, random: &mut Random) -> Option<usize> {
        match space.known_len() {
            Some(len) => self.order.get_or_insert_with(|| random.order(len)).pop(),
            None => space.sample(random),
        }
    }

    fn observe(&mut self, _: &Space, _: usize, _: f64, _: &mut Random) {}
}

/// Points in each of which every parameter comes from another part of its values; places where there is none are moved
/// to the nearest (McKay, Beckman and Conover, 1979).
pub(super) fn latin_hypercube(space: &Space, count: usize, random: &mut Random) -> Vec<usize> {
    let parts: Vec<Vec<usize>> = space.parameters().iter().map(|_| random.order(count)).collect();
    let coordinates = |sample: usize, random: &mut Random| -> Vec<f64> {
        let axes = space.parameters().iter().zip(&parts);
        axes.map(|(parameter, part)| {
            let unit = (part[sample] as f64 + random.unit()) / count as f64;
            unit * parameter.values.len() as f64 - 0.5
        })
        .collect()
    };
    (0..count).filter_map(|sample| space.nearest(&coordinates(sample, random))).collect()
}

/// A first generation: given points, the best one last, and samples by [`latin_hypercube`].
pub(super) fn founders(space: &Space, count: usize, given: &[usize], random: &mut Random) -> Vec<usize> {
    let count = count.min(space.known_len().unwrap_or(count));
    let given = &given[..given.len().min(count)];
    let mut founders = latin_hypercube(space, count, random);
    founders.truncate(count - given.len());
    founders.extend(given.iter().rev());
    founders
}

/// Samples by [`latin_hypercube`], so many at a time.
#[derive(Debug, Default)]
pub(super) struct LatinHypercube {
    samples: Vec<usize>,
}

/// Samples of a hypercube.
const SAMPLES: usize = 16;

impl Strategy for LatinHypercube {
    fn propose(&mut self, space: &Space, random: &mut Random) -> Option<usize> {
        if self.samples.is_empty() {
            self.samples = latin_hypercube(space, SAMPLES.min(space.known_len().unwrap_or(SAMPLES)), random);
        }
        self.samples.pop()
    }

    fn observe(&mut self, _: &Space, _: usize, _: f64, _: &mut Random) {}
}
