//! Spaces that are too large for a list of their points: these are numbered by the combinations of values, legal or
//! not, with the last parameter as the fastest.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::rules::Rules;
use super::walk::Walk;
use super::{Coordinates, Parameter};
use crate::search::Random;

/// Combinations that are drawn before subtrees are counted.
const DRAWS: usize = 2000;
/// Combinations that are looked at around a location before any legal one nearby will do.
const LOOKS: usize = 4000;

/// Counts of a lazy space, once they are known.
#[derive(Debug, Default)]
pub(super) struct Lazy {
    points: OnceLock<usize>,
    /// By the beginning of a point: the points below each value of its next axis.
    subtrees: Mutex<HashMap<Coordinates, Arc<[u64]>>>,
}

/// The parts of a space that lazy functions need.
#[derive(Clone, Copy)]
pub(super) struct Tree<'s> {
    pub(super) parameters: &'s [Parameter],
    pub(super) rules: &'s Rules,
}

impl Tree<'_> {
    /// The number of a combination.
    pub(super) fn number(self, at: &[usize]) -> usize {
        let pairs = self.parameters.iter().zip(at);
        pairs.fold(0, |number, (parameter, &value)| number * parameter.values.len() + value)
    }

    /// The combination of a number.
    pub(super) fn combination(self, mut number: usize) -> Coordinates {
        let mut at = vec![0; self.parameters.len()];
        for (value, parameter) in at.iter_mut().zip(self.parameters).rev() {
            *value = number % parameter.values.len();
            number /= parameter.values.len();
        }
        at
    }

    /// The first point after one, or the first of all.
    pub(super) fn next(self, after: Option<&[usize]>) -> Option<Coordinates> {
        let Tree { parameters, rules } = self;
        let mut walk = match after {
            Some(point) => Walk::after(parameters, rules, point),
            None => Walk::below(parameters, rules, &[], parameters.len()),
        };
        walk.next().map(<[usize]>::to_vec)
    }

    /// Points that begin like this. Below the last rule they are a product.
    fn count(self, beginning: &[usize]) -> u64 {
        let Tree { parameters, rules } = self;
        let end = rules.end().max(beginning.len());
        let each = parameters[end..].iter().map(|parameter| parameter.values.len() as u64).product::<u64>();
        let mut walk = Walk::below(parameters, rules, beginning, end);
        let mut beginnings = 0;
        while walk.next().is_some() {
            beginnings += 1;
        }
        beginnings * each
    }
}

impl Lazy {
    /// The count of all points.
    pub(super) fn len(&self, tree: Tree<'_>) -> usize {
        *self.points.get_or_init(|| tree.count(&[]) as usize)
    }

    /// A point at random, each one as likely as any other: by rejection, and in sparse spaces by counted subtrees.
    pub(super) fn sample(&self, tree: Tree<'_>, random: &mut Random) -> Option<Coordinates> {
        let Tree { parameters, rules } = tree;
        for _ in 0..DRAWS {
            let at: Coordinates = parameters.iter().map(|parameter| random.below(parameter.values.len())).collect();
            if rules.hold(parameters, &at) {
                return Some(at);
            }
        }
        let mut at = Vec::new();
        while at.len() < parameters.len() {
            let counts = self.subtrees(tree, &at);
            let total: u64 = counts.iter().sum();
            if total == 0 {
                return None;
            }
            let mut rest = random.below(total as usize) as u64;
            let value = counts.iter().position(|&count| {
                let is_here = rest < count;
                rest = rest.saturating_sub(count);
                is_here
            });
            at.push(value?);
        }
        Some(at)
    }

    fn subtrees(&self, tree: Tree<'_>, beginning: &[usize]) -> Arc<[u64]> {
        if let Some(counts) = self.subtrees.lock().unwrap_or_else(PoisonError::into_inner).get(beginning) {
            return counts.clone();
        }
        let mut counts = vec![0; tree.parameters[beginning.len()].values.len()];
        let mut walk = Walk::below(tree.parameters, tree.rules, beginning, beginning.len() + 1);
        while let Some(at) = walk.next() {
            counts[at[beginning.len()]] = tree.count(&at[..=beginning.len()]);
        }
        let counts: Arc<[u64]> = counts.into();
        let mut known = self.subtrees.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(beginning.to_vec(), counts.clone());
        counts
    }
}

/// A combination in the order of its distance, then of its values.
#[derive(PartialEq)]
struct Near(f64, Coordinates);

impl Eq for Near {}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then_with(|| self.1.cmp(&other.1))
    }
}

/// The legal point that is nearest to a location, with distances along axes added up; where there is none among the
/// nearest combinations, a point whose values are near one after the other.
pub(super) fn nearest(tree: Tree<'_>, location: &[f64], scale: &[f64]) -> Option<Coordinates> {
    let Tree { parameters, rules } = tree;
    // The values of each axis, the nearest first.
    let order: Vec<Vec<usize>> = parameters
        .iter()
        .zip(location)
        .map(|(parameter, &x)| {
            let mut order: Vec<usize> = (0..parameter.values.len()).collect();
            order.sort_by(|&a, &b| (a as f64 - x).abs().total_cmp(&(b as f64 - x).abs()));
            order
        })
        .collect();
    let distance = |ranks: &[usize]| -> f64 {
        let axes = ranks.iter().enumerate();
        axes.map(|(axis, &rank)| (order[axis][rank] as f64 - location[axis]).abs() * scale[axis]).sum()
    };
    let start = vec![0; parameters.len()];
    let mut seen = HashSet::from([start.clone()]);
    let mut heap = BinaryHeap::from([Reverse(Near(distance(&start), start))]);
    for _ in 0..LOOKS {
        let Reverse(Near(_, ranks)) = heap.pop()?;
        let at: Coordinates = ranks.iter().enumerate().map(|(axis, &rank)| order[axis][rank]).collect();
        if rules.hold(parameters, &at) {
            return Some(at);
        }
        for axis in 0..ranks.len() {
            let mut next = ranks.clone();
            next[axis] += 1;
            if next[axis] < order[axis].len() && seen.insert(next.clone()) {
                heap.push(Reverse(Near(distance(&next), next)));
            }
        }
    }
    let mut at = vec![0; parameters.len()];
    let mut codes = vec![0; parameters.len()];
    complete(tree, &order, 0, &mut at, &mut codes).then_some(at)
}

/// Depth first, with the values of each axis in the given order.
fn complete(tree: Tree<'_>, order: &[Vec<usize>], axis: usize, at: &mut [usize], codes: &mut [i64]) -> bool {
    axis == order.len()
        || order[axis].iter().any(|&value| {
            (at[axis], codes[axis]) = (value, tree.rules.codes[axis][value]);
            tree.rules.hold_at(axis, tree.parameters, at, codes) && complete(tree, order, axis + 1, at, codes)
        })
}
