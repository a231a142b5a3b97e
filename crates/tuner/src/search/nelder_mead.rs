//! The simplex search (Nelder and Mead 1965; Christen 2011, algorithm 8.5).
//!
//! A simplex of d + 1 locations is reflected, expanded, contracted and shrunk with the factors 1, 2, 1/2 and 1/2. Its
//! corners are real numbers, and the time of a corner is that of the nearest values. Once all corners have the same
//! values, a second simplex of single steps starts there. It suits smooth landscapes with up to some six parameters.

use std::cmp::Ordering;

use super::stepwise::{Algorithm, Objective, Step};
use crate::space::Space;

#[derive(Clone)]
pub(super) struct NelderMead {
    corners: Vec<Vec<f64>>,
    /// True in the second simplex, whose centre this was.
    again: Option<Vec<i64>>,
    moves: usize,
}

/// Moves of a simplex, for each dimension, after which it ends: on a plateau it may go round.
const MAX_MOVES: usize = 60;

/// The simplex of a location and of steps along the axes, which go towards the middle.
fn simplex(lengths: &[i64], location: &[i64], part: f64) -> Vec<Vec<f64>> {
    let centre: Vec<f64> = location.iter().map(|&x| x as f64).collect();
    let mut corners = vec![centre.clone()];
    for (axis, &length) in lengths.iter().enumerate() {
        let step = (length as f64 * part).max(1.0);
        let mut corner = centre.clone();
        corner[axis] += if 2 * location[axis] < length - 1 || location[axis] == 0 { step } else { -step };
        if length > 1 {
            corners.push(corner);
        }
    }
    corners
}

/// The values nearest to a location, not beyond the ends.
fn rounded(objective: &Objective<'_>, corner: &[f64]) -> Vec<i64> {
    let axes = corner.iter().enumerate();
    axes.map(|(axis, x)| (x.round() as i64).clamp(0, objective.length(axis) - 1)).collect()
}

fn on_the_line(from: &[f64], towards: &[f64], t: f64) -> Vec<f64> {
    from.iter().zip(towards).map(|(a, b)| a + t * (b - a)).collect()
}

impl Algorithm for NelderMead {
    fn start(space: &Space, location: Vec<i64>) -> Self {
        let lengths: Vec<i64> = space.parameters().iter().map(|parameter| parameter.values.len() as i64).collect();
        NelderMead { corners: simplex(&lengths, &location, 0.25), again: None, moves: 0 }
    }

    fn step(&mut self, objective: &Objective<'_>) -> Step<bool> {
        let time = |corner: &[f64]| objective.at(&rounded(objective, corner));
        let times = self.corners.iter().map(|corner| time(corner)).collect::<Step<Vec<f64>>>()?;
        let mut sorted: Vec<(f64, Vec<f64>)> = times.into_iter().zip(self.corners.iter().cloned()).collect();
        sorted.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
        let last = sorted.len() - 1;
        let best = rounded(objective, &sorted[0].1);
        let is_point = sorted.iter().all(|(_, corner)| rounded(objective, corner) == best);
        self.moves += 1;
        if is_point || self.moves > MAX_MOVES * self.corners.len() {
            return Ok(self.restart(objective, &best));
        }
        let dimensions = sorted[0].1.len();
        let centroid: Vec<f64> = (0..dimensions)
            .map(|axis| sorted[..last].iter().map(|(_, corner)| corner[axis]).sum::<f64>() / last as f64)
            .collect();
        let worst = sorted[last].1.clone();
        let reflected = on_the_line(&centroid, &worst, -1.0);
        let at_reflected = time(&reflected)?;
        let mut shrinks = false;
        if at_reflected < sorted[0].0 {
            let expanded = on_the_line(&centroid, &worst, -2.0);
            let is_better = time(&expanded)? < at_reflected;
            sorted[last].1 = if is_better { expanded } else { reflected };
        } else if last > 1 && at_reflected < sorted[last - 1].0 {
            sorted[last].1 = reflected;
        } else {
            let contracted = on_the_line(&worst, &centroid, 0.5);
            shrinks = time(&contracted)? >= sorted[last].0;
            if !shrinks {
                sorted[last].1 = contracted;
            }
        }
        self.corners = sorted.into_iter().map(|(_, corner)| corner).collect();
        if shrinks {
            let (best, others) = self.corners.split_at_mut(1);
            others.iter_mut().for_each(|corner| *corner = on_the_line(&best[0], corner, 0.5));
        }
        Ok(true)
    }
}

impl NelderMead {
    /// A simplex of single steps around a location; false if one has been there before.
    fn restart(&mut self, objective: &Objective<'_>, best: &[i64]) -> bool {
        if self.again.as_deref() == Some(best) {
            return false;
        }
        let lengths: Vec<i64> = (0..objective.axes()).map(|axis| objective.length(axis)).collect();
        self.corners = simplex(&lengths, best, 0.0);
        (self.again, self.moves) = (Some(best.to_vec()), 0);
        true
    }
}
