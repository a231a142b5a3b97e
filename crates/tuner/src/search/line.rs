//! The minimum along a line of locations.

use super::stepwise::{Objective, Step};

/// Lines of up to so many locations are measured whole.
const SHORT: i64 = 8;

/// The best location on the line through a location. The largest component of the direction is 1 or -1, and the
/// locations are those nearest to its multiples.
///
/// A long line is measured at [`SHORT`] locations first, and then around the best one with steps that are halved: about
/// `SHORT + 2 log2(n / SHORT)` measurements, which find the minimum where there is one valley.
pub(super) fn minimum(objective: &Objective<'_>, from: &[i64], direction: &[f64]) -> Step<Vec<i64>> {
    let location =
        |t: i64| -> Vec<i64> { from.iter().zip(direction).map(|(x, d)| x + (t as f64 * d).round() as i64).collect() };
    let is_inside = |t: i64| location(t).iter().enumerate().all(|(axis, x)| (0..objective.length(axis)).contains(x));
    let end = |sign: i64| sign * (1..).take_while(|t| is_inside(sign * t)).last().unwrap_or(0);
    let (low, high) = (end(-1), end(1));
    let mut best = (objective.at(from)?, 0);
    let look = |t: i64, best: &mut (f64, i64)| -> Step<()> {
        let seconds = objective.at(&location(t))?;
        if seconds < best.0 {
            *best = (seconds, t);
        }
        Ok(())
    };
    let mut step = ((high - low) / SHORT).max(1);
    // The given location is one of them.
    let mut t = low + (-low).rem_euclid(step);
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
    Ok(location(best.1))
}
