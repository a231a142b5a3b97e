//! DIRECT (Jones, Perttunen and Stuckman 1993) on boxes of values.
//!
//! Boxes are measured at their centre, and those are divided in three along their longest axis that would have the
//! least time for some rate of change. A box whose centre failed or is forbidden counts as the box that it comes from
//! (after Gablonsky 2001). It has no starts and no chance: it suits landscapes with several valleys, and goes on until
//! every point is measured.

use super::stepwise::{Algorithm, Objective, Step};
use crate::space::Space;

#[derive(Clone)]
struct Cell {
    /// First and last value of each axis.
    ends: Vec<(i64, i64)>,
    /// Time of the centre, or else of the box that it comes from; `None` where no such box has a time.
    counted: Option<f64>,
}

impl Cell {
    fn centre(&self) -> Vec<i64> {
        self.ends.iter().map(|(low, high)| low.midpoint(*high)).collect()
    }

    /// The longest side as a part of the axis; 0 for a single point.
    fn size(&self, lengths: &[i64]) -> f64 {
        let sides = self.ends.iter().zip(lengths);
        sides
            .map(|((low, high), length)| if low == high { 0.0 } else { (high - low + 1) as f64 / *length as f64 })
            .fold(0.0, f64::max)
    }

    /// The boxes beside the middle one, which keeps the centre.
    fn divide(&mut self, lengths: &[i64]) -> Vec<Cell> {
        let size = self.size(lengths);
        let long = |axis: &usize| {
            let (low, high) = self.ends[*axis];
            high > low && (high - low + 1) as f64 / lengths[*axis] as f64 >= size
        };
        let Some(axis) = (0..lengths.len()).find(long) else { return Vec::new() };
        let (low, high) = self.ends[axis];
        let centre = low.midpoint(high);
        // The middle one has an odd length, with the centre in its middle.
        let half = (high - low + 1) / 3 / 2;
        let (left, right) = ((low, centre - half - 1), (centre + half + 1, high));
        let sides = [left, right].into_iter().filter(|(low, high)| low <= high);
        let with = |ends: (i64, i64)| {
            let mut cell = self.clone();
            cell.ends[axis] = ends;
            cell
        };
        let cells: Vec<Cell> = sides.map(with).collect();
        self.ends[axis] = (centre - half, centre + half);
        cells
    }
}

#[derive(Clone)]
pub(super) struct Direct {
    lengths: Vec<i64>,
    cells: Vec<Cell>,
    /// Cells that are to be divided, the next one last.
    chosen: Vec<usize>,
}

/// Gain over the best time, as a part of it, that a box must promise.
const LEAST_GAIN: f64 = 1e-4;

impl Direct {
    /// Cells on the lower right hull of sizes and times: those that promise most for some rate of change.
    fn choose(&self) -> Vec<usize> {
        // The best cell of each size, the smallest size first.
        let mut best: Vec<(f64, usize)> = Vec::new();
        let mut order: Vec<(f64, usize)> =
            self.cells.iter().enumerate().map(|(index, cell)| (cell.size(&self.lengths), index)).collect();
        order.retain(|(size, _)| *size > 0.0);
        // A box of no known time counts as the slowest.
        let slowest = self.cells.iter().filter_map(|cell| cell.counted).fold(0.0, f64::max);
        let counted = |index: usize| self.cells[index].counted.unwrap_or(slowest);
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(counted(a.1).total_cmp(&counted(b.1))).then(a.1.cmp(&b.1)));
        for (size, index) in order {
            if best.last().is_none_or(|(other, _)| *other < size) {
                best.push((size, index));
            }
        }
        let min = (0..self.cells.len()).map(counted).fold(f64::INFINITY, f64::min);
        let goal = min - LEAST_GAIN * min.abs();
        let mut hull: Vec<(f64, usize)> = Vec::new();
        for (size, index) in best {
            while let [.., (first, a), (second, b)] = hull[..] {
                let is_above =
                    (counted(b) - counted(a)) * (size - first) >= (counted(index) - counted(a)) * (second - first);
                if !is_above {
                    break;
                }
                hull.pop();
            }
            // Smaller boxes with larger times promise less whatever the rate is.
            while hull.last().is_some_and(|(_, other)| counted(*other) >= counted(index)) {
                hull.pop();
            }
            hull.push((size, index));
        }
        let promises = |rank: usize| {
            let (size, index) = hull[rank];
            hull.get(rank + 1).is_none_or(|(larger, other)| {
                let rate = (counted(*other) - counted(index)) / (larger - size);
                !rate.is_finite() || counted(index) - rate * size <= goal
            })
        };
        (0..hull.len()).filter(|rank| promises(*rank)).map(|rank| hull[rank].1).collect()
    }

    /// Measures a new cell; `parent` is the time that counts where it has none.
    fn measure(mut cell: Cell, parent: Option<f64>, objective: &Objective<'_>) -> Step<Cell> {
        let seconds = objective.at(&cell.centre())?;
        // Slightly more than the parent, so that a measured box comes first.
        cell.counted = if seconds.is_finite() { Some(seconds) } else { parent.map(|time| time * (1.0 + LEAST_GAIN)) };
        Ok(cell)
    }
}

impl Algorithm for Direct {
    fn start(space: &Space, _: Vec<i64>) -> Self {
        let lengths = space.parameters().iter().map(|parameter| parameter.values.len() as i64).collect();
        Direct { lengths, cells: Vec::new(), chosen: Vec::new() }
    }

    fn step(&mut self, objective: &Objective<'_>) -> Step<bool> {
        if self.cells.is_empty() {
            let ends = self.lengths.iter().map(|length| (0, length - 1)).collect();
            let whole = Cell { ends, counted: None };
            self.cells.push(Self::measure(whole, None, objective)?);
            return Ok(true);
        }
        if let Some(index) = self.chosen.pop() {
            let mut cell = self.cells[index].clone();
            let sides = cell.divide(&self.lengths);
            let measured = sides.into_iter().map(|side| Self::measure(side, cell.counted, objective));
            let measured = measured.collect::<Step<Vec<Cell>>>()?;
            self.cells[index] = cell;
            self.cells.extend(measured);
            return Ok(true);
        }
        self.chosen = self.choose();
        Ok(!self.chosen.is_empty())
    }
}
