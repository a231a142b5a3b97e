//! The minimum along a line of places.

use super::stepwise::{Objective, Step};

/// Lines of up to so many places are measured whole.
const SHORT: i64 = 8;

/// The best place on the line through a place. The largest component of the direction is 1 or -1, and the places are
/// those nearest to its multiples.
///
/// A long line is measured at [`SHORT`] places first, and then around the best one with steps that are halved: about
/// `SHORT + 2 log2(n / SHORT)` measurements, which find the minimum where there is one valley.
pub(super) fn minimum(objective: &Objective<'_>, from: &[i64], direction: &[f64]) -> Step<Vec<i64>> {
    let place =
        |t: i64| -> Vec<i64> { from.iter().zip(direction).map(|(x, d)| x + (t as f64 * d).round() as i64).collect() };
    let is_inside = |t: i64| place(t).iter().enumerate().all(|(axis, x)| (0..objective.length(axis)).contains(x));
    let end = |sign: i64| sign * (1..).take_while(|t| is_inside(sign * t)).last().unwrap_or(0);
    let (low, high) = (end(-1), end(1));
    let mut best = (objective.at(from)?, 0);
    let look = |t: i64, best: &mut (f64, i64)| -> Step<()> {
        let seconds = objective.at(&place(t))?;
        if seconds < best.0 {
            *best = (seconds, t);
        }
        Ok(())
    };
    let mut step = ((high - low) / SHORT).max(1);
    // The given place is one of them.
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
    Ok(place(best.1))
}
