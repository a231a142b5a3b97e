//! The algorithm for complex transforms of each length.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use affinimath_macros::instances;
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};

use super::bluestein::{Bluestein, padded_length};
use super::four_step::{FourStep, factors};
use super::stockham::short::Short;
use super::stockham::{self, Stockham, largest_prime};

/// From this length on, a transform uses the four-step method on all threads, if there are fewer transforms than
/// threads.
const LONG: usize = 1 << 17;

/// From this length on, the four-step method on all threads is as fast as one transform for each thread.
const VERY_LONG: usize = 1 << 22;

/// From this length on, the four-step method on one thread is faster than passes over all points.
const LONG_ALONE: usize = 1 << 17;

/// The shortest columns for which the four-step method pays.
const SHORTEST_COLUMN: usize = 32;

/// The longest composite length whose large prime factor is not split off.
const LONGEST_BLUESTEIN: usize = 1 << 12;

/// The largest prime with a SIMD butterfly in rustfft's mixed-radix algorithms.
const LARGEST_RUSTFFT_PRIME: usize = 11;

/// Makes each plan once.
pub struct PencilPlanner<R: FftNum> {
    rustfft: FftPlanner<R>,
    /// By length, direction, and whether there are few pencils.
    made: HashMap<(usize, bool, bool), Arc<dyn Fft<R>>>,
    /// True if no transform may use several threads.
    alone: bool,
}

/// The forward transform of `length` complex points by rustfft alone, the baseline of comparisons.
pub fn by_rustfft(length: usize) -> Arc<dyn Fft<f64>> {
    FftPlanner::new().plan_fft_forward(length)
}

/// True if each transform uses all threads; `few_pencils`, there are fewer transforms than threads.
pub(super) fn takes_all_threads(n: usize, few_pencils: bool) -> bool {
    n >= if few_pencils { LONG } else { VERY_LONG }
}

impl<R: FftNum> PencilPlanner<R> {
    pub(super) fn new() -> Self {
        PencilPlanner { rustfft: FftPlanner::new(), made: HashMap::new(), alone: false }
    }

    /// A planner of transforms on the calling thread.
    pub fn alone() -> Self {
        PencilPlanner { alone: true, ..PencilPlanner::new() }
    }

    /// A planner of transforms that use all threads where that pays.
    pub fn shared() -> Self {
        PencilPlanner::new()
    }

    /// The transform of n complex points; `few_pencils`, fewer transforms than threads.
    pub fn plan(&mut self, n: usize, direction: FftDirection, few_pencils: bool) -> Arc<dyn Fft<R>> {
        let key = (n, direction == FftDirection::Forward, few_pencils);
        if let Some(plan) = self.made.get(&key) {
            return Arc::clone(plan);
        }
        let plan = make(self, n, direction, few_pencils);
        self.made.insert(key, Arc::clone(&plan));
        plan
    }
}

/// Compiled once for each precision, with all algorithms.
#[instances]
fn make<R: FftNum>(
    planner: &mut PencilPlanner<R>,
    n: usize,
    direction: FftDirection,
    few_pencils: bool,
) -> Arc<dyn Fft<R>> {
    let shared = !planner.alone && takes_all_threads(n, few_pencils);
    let long = shared || planner.alone && n >= LONG_ALONE;
    match Algorithm::of(n, size_of::<R>() == size_of::<f64>(), long) {
        Algorithm::RustFft => planner.rustfft.plan_fft(n, direction),
        Algorithm::Stockham => passes(n, direction).unwrap_or_else(|| planner.rustfft.plan_fft(n, direction)),
        Algorithm::FourStep(columns, rows) => {
            let [columns, rows] = [columns, rows].map(|length| planner.plan(length, direction, few_pencils));
            Arc::new(FourStep::new(direction, columns, rows, shared))
        }
        Algorithm::Bluestein(padded) => {
            let [forward, backward] = [FftDirection::Forward, FftDirection::Inverse]
                .map(|direction| planner.plan(padded, direction, few_pencils));
            Arc::new(Bluestein::new(n, direction, forward, backward))
        }
    }
}

/// The library's own Stockham transform, in the precision of `R`.
fn passes<R: FftNum>(n: usize, direction: FftDirection) -> Option<Arc<dyn Fft<R>>> {
    let doubles: Arc<dyn Fft<f64>>;
    let floats: Arc<dyn Fft<f32>>;
    let plan: &dyn Any = if size_of::<R>() == size_of::<f64>() {
        doubles = match Short::new(n, direction) {
            Some(short) => Arc::new(short),
            None => Arc::new(Stockham::new(n, direction)),
        };
        &doubles
    } else {
        floats = match Short::new(n, direction) {
            Some(short) => Arc::new(short),
            None => Arc::new(Stockham::new(n, direction)),
        };
        &floats
    };
    plan.downcast_ref().cloned()
}

/// The algorithm for a length.
#[derive(Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Planned by rustfft.
    RustFft,
    Stockham,
    /// Columns and rows.
    FourStep(usize, usize),
    /// Length of the cyclic convolution.
    Bluestein(usize),
}

impl Algorithm {
    pub fn of(n: usize, double: bool, long: bool) -> Self {
        let (columns, rows) = factors(n);
        if long && columns >= SHORTEST_COLUMN {
            return Algorithm::FourStep(columns, rows);
        }
        let prime = largest_prime(n);
        let own = double || prime > LARGEST_RUSTFFT_PRIME || n.is_multiple_of(10) || n.is_multiple_of(15);
        if !own {
            // Rustfft computes twiddles from rounded angles: exact enough in single precision. Its radix 5 is slower
            // than that of `stockham`.
            Algorithm::RustFft
        } else if stockham::is_supported(n) {
            Algorithm::Stockham
        } else if prime == n || n < LONGEST_BLUESTEIN {
            Algorithm::Bluestein(padded_length(n))
        } else {
            Algorithm::FourStep(n / prime, prime)
        }
    }
}
