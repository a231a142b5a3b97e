//! Rates of a machine, measured over its ranks.

use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

use affinimath::{
    Complex64, Direction, FftDescriptor, FftPlan, Layout, MatrixMut, MatrixRef, MatrixShape, Op, Transform, VectorMut,
    VectorRef, VectorShape,
};
use serde::{Deserialize, Serialize};

use super::{Prediction, Routine};
use crate::agree::Agreement;
use crate::comm::{Sending, Tag};
use crate::error::{Error, Result};
use crate::grid::Grid;

/// Rates of a rank and of the network between ranks, in double precision.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Seconds from one rank to another for a message without bytes.
    pub latency: f64,
    /// Bytes per second between two ranks, for large messages.
    pub bandwidth: f64,
    /// Operations per second of a rank's large matrix products.
    pub flops: f64,
    /// Operations per second of a rank's products of panels: those of 64 columns.
    pub panel: f64,
    /// Bytes per second of a rank's memory, reads and writes together.
    pub memory: f64,
    /// Operations per second of a rank's Fourier transforms, 5 n log2(n) for n elements.
    pub fft: f64,
    /// Ranks that were busy when all this was measured.
    pub ranks: usize,
}

/// Times of a measurement, of which the median counts.
const REPEATS: usize = 5;

impl Machine {
    /// Measures all ranks at work together, in about a second: shared memory and caches count as they do in a run. The
    /// slowest rank's rates count. All ranks call it.
    ///
    /// # Errors
    /// [`Error::Argument`] for a single rank, which sends no messages, and the error of a rank that failed.
    pub fn measure(grid: &Grid) -> Result<Self> {
        let own = match grid.size() {
            1 => Err(Error::argument("grid", "latency and bandwidth are those between two ranks or more")),
            _ => Ok(()),
        };
        grid.agree(Agreement::new("Machine::measure"), own)?;
        grid.together(|| Self::measured(grid))
    }

    fn measured(grid: &Grid) -> Result<Self> {
        let latency = grid.ping_pong(1, 200)?;
        let elements = 1 << 20;
        let large = grid.ping_pong(elements, 8)?;
        let bandwidth = (elements * size_of::<f64>()) as f64 / (large - latency).max(1e-12);
        let (n, k) = (768, 64);
        let flops = 2.0 * (n as f64).powi(3) / median(grid, product(n, n, n)?)?;
        let panel = 2.0 * (n * k * k) as f64 / median(grid, product(n, k, k)?)?;
        let (length, mut x, mut y) = (1 << 22, vec![1.0; 1 << 22], vec![0.0; 1 << 22]);
        let memory = median(grid, || {
            for (y, x) in y.iter_mut().zip(&mut x) {
                *y = 0.5 * *y + *x;
            }
            black_box(&y);
            Ok(())
        })?;
        let memory = 3.0 * length as f64 * size_of::<f64>() as f64 / memory;
        let side = 64;
        let transform = transform(side)?;
        let fft = 5.0 * (side as f64).powi(3) * 3.0 * (side as f64).log2() / median(grid, transform)?;
        Ok(Machine { latency, bandwidth, flops, panel, memory, fft, ranks: grid.size() })
    }

    /// The predicted time of a routine on a number of ranks.
    pub fn predict(&self, routine: &Routine, ranks: usize) -> Prediction {
        routine.on(self, ranks.max(1))
    }

    /// Part of perfect scaling that is left: the time of one rank over `ranks` times that of all.
    pub fn efficiency(&self, routine: &Routine, ranks: usize) -> f64 {
        self.predict(routine, 1).seconds() / (ranks as f64 * self.predict(routine, ranks).seconds())
    }

    /// Ranks from which on less than half of perfect scaling is left, to a few percent; none up to `most`.
    pub fn half_efficiency(&self, routine: &Routine, most: usize) -> Option<usize> {
        let is_below = |ranks: &usize| self.efficiency(routine, *ranks) < 0.5;
        let powers = (1..usize::BITS).map(|power| 1_usize << power);
        let above = powers.take_while(|ranks| *ranks <= most).find(is_below)?;
        // Multiples of a power of two have grids that are nearly square.
        let step = (above / 32).max(1);
        (above / 2 + step..=above).step_by(step).find(is_below)
    }

    /// The smallest size at which at least half of perfect scaling is left on `ranks` ranks.
    pub fn smallest_size(&self, routine: &Routine, ranks: usize) -> Option<usize> {
        let is_enough = |n: usize| self.efficiency(&routine.with_size(n), ranks) >= 0.5;
        let above = (4..40).map(|power| 1_usize << power).find(|n| is_enough(*n))?;
        let (mut low, mut high) = (above / 2, above);
        while high - low > (high / 64).max(1) {
            let middle = low.midpoint(high);
            if is_enough(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// The machine of a JSON text.
    ///
    /// # Errors
    /// [`Error::Argument`] for a text that is none, and for rates that are not positive.
    pub fn from_json(text: &str) -> Result<Self> {
        let machine: Machine =
            serde_json::from_str(text).map_err(|error| Error::argument("model", error.to_string()))?;
        let rates = [machine.bandwidth, machine.flops, machine.panel, machine.memory, machine.fft];
        if !rates.iter().all(|rate| *rate > 0.0 && rate.is_finite())
            || machine.latency.is_nan()
            || machine.latency < 0.0
        {
            return Err(Error::argument("model", "rates are positive numbers, and so is the latency"));
        }
        Ok(machine)
    }

    /// The machine as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl Grid {
    /// Seconds for a message of doubles from one rank to another: half of a round trip. Pairs of ranks do it
    /// at the same time.
    fn ping_pong(&self, elements: usize, times: usize) -> Result<f64> {
        let (comm, rank) = (self.all(), self.rank());
        let other = rank ^ 1;
        let mut seconds = Vec::new();
        if other < comm.size() {
            let message = Rc::new(vec![0.0; elements]);
            for _ in 0..times {
                let start = Instant::now();
                if rank < other {
                    comm.send(other, Tag::Exchange, Rc::clone(&message)).and_then(Sending::wait)?;
                    comm.receive::<f64>(other, Tag::Exchange, elements)?.wait()?;
                } else {
                    comm.receive::<f64>(other, Tag::Exchange, elements)?.wait()?;
                    comm.send(other, Tag::Exchange, Rc::clone(&message)).and_then(Sending::wait)?;
                }
                seconds.push(start.elapsed().as_secs_f64() / 2.0);
            }
        }
        let own = middle(seconds).unwrap_or(0.0);
        Ok(comm.maximum(&[own])?[0])
    }
}

fn middle(mut seconds: Vec<f64>) -> Option<f64> {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied()
}

/// The median of a computation's seconds on the slowest rank, after a first run that does not count.
fn median(grid: &Grid, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    work()?;
    let mut seconds = Vec::new();
    for _ in 0..REPEATS {
        let start = Instant::now();
        work()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(grid.all().maximum(&[middle(seconds).unwrap_or(0.0)])?[0])
}

/// A product of m x k and k x n elements.
fn product(m: usize, n: usize, k: usize) -> Result<impl FnMut() -> Result<()>> {
    let shape = |rows: usize, columns: usize| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows);
    let shapes = (shape(m, k)?, shape(k, n)?, shape(m, n)?);
    let (a, b, mut c) = (vec![1.0_f64; m * k], vec![0.5_f64; k * n], vec![0.0_f64; m * n]);
    Ok(move || {
        let (left, right) = (MatrixRef::from_slice(&a, shapes.0)?, MatrixRef::from_slice(&b, shapes.1)?);
        let target = MatrixMut::from_slice(&mut c, shapes.2)?;
        affinimath::gemm(Op::NoTrans, Op::NoTrans, 1.0, left, right, 0.0, target)?.wait()?;
        black_box(&c);
        Ok(())
    })
}

/// A transform of side^3 complex elements.
fn transform(side: usize) -> Result<impl FnMut() -> Result<()>> {
    let plan = FftPlan::<f64>::new(FftDescriptor::new(Transform::Complex(Direction::Forward), &[side, side, side]))?;
    let shape = VectorShape::new(side.pow(3), 0, 1)?;
    let (from, mut to) = (vec![Complex64::new(1.0, 0.0); side.pow(3)], vec![Complex64::default(); side.pow(3)]);
    Ok(move || {
        let (source, target) = (VectorRef::from_slice(&from, shape)?, VectorMut::from_slice(&mut to, shape)?);
        plan.execute(source, target)?.wait()?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_read_as_it_was_written() {
        let machine =
            Machine { latency: 2e-6, bandwidth: 1e10, flops: 1e12, panel: 1e11, memory: 1e11, fft: 3e10, ranks: 4 };
        assert_eq!(Machine::from_json(&machine.to_json()), Ok(machine));
        assert!(Machine::from_json("{}").unwrap_err().to_string().contains("latency"));
        let negative = Machine { flops: -1.0, ..machine };
        assert!(Machine::from_json(&negative.to_json()).unwrap_err().to_string().contains("positive"));
    }
}
