//! The minimum along a line of places.

use super::stepwise::{Objective, Step};

/// Lines of up to so many places are measured whole.
const SHORT: i64 = 8;

/// The best place on the line through a place, in multiples of a direction that is not 0.
///
/// A long line is measured at [`SHORT`] places first, and then around the best one with steps that are halved: about
/// `SHORT + 2 log2(n / SHORT)` measurements, which find the minimum where there is one valley.
pub(super) fn minimum(objective: &Objective<'_>, from: &[i64], direction: &[i64]) -> Step<(Vec<i64>, f64)> {
    let place = |t: i64| -> Vec<i64> { from.iter().zip(direction).map(|(x, d)| x + t * d).collect() };
    let (low, high) = range(objective, from, direction);
    let mut best = (objective.at(from)?, 0);
    let look = |t: i64, best: &mut (f64, i64)| -> Step<()> {
        let seconds = objective.at(&place(t))?;
        if seconds < best.0 {
            *best = (seconds, t);
        }
        Ok(())
    };
    let mut step = ((high - low) / SHORT).max(1);
    // From the given place outwards, so that it is one of them.
    let first = low + (-low).rem_euclid(step);
    let mut t = first;
    while t <= high {
        look(t, &mut best)?;
        t += step;
    }
    while step > 1 {
        step = (step + 1) / 2;
        let middle = best.1;
        for t in [middle - step, middle + step] {
            if (low..=high).contains(&t) {
                look(t, &mut best)?;
            }
        }
    }
    Ok((place(best.1), best.0))
}

/// The multiples of a direction with which a place stays among the values.
fn range(objective: &Objective<'_>, from: &[i64], direction: &[i64]) -> (i64, i64) {
    let (mut low, mut high) = (i64::MIN, i64::MAX);
    for (axis, (&x, &d)) in from.iter().zip(direction).enumerate() {
        let last = objective.length(axis) - 1;
        // Steps down to 0 and up to the last value.
        match d {
            0 => continue,
            1.. => (low, high) = (low.max(-(x / d)), high.min((last - x) / d)),
            _ => (low, high) = (low.max(-((last - x) / -d)), high.min(x / -d)),
        }
    }
    if low > high || low == i64::MIN { (0, 0) } else { (low, high) }
}
