//! Which algorithm transforms a line of complex numbers.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use rustfft::{Fft, FftDirection, FftNum, FftPlanner};

use super::convolution::{Convolution, inner_length};
use super::four_step::{FourStep, factors};
use super::stockham::{self, Stockham, largest_prime};

/// From here on a transform is passed through in two steps by all threads, where it is one of so few that they would
/// have nothing else to do.
const LONG: usize = 1 << 17;

/// From here on the two steps are as fast as many on one thread, too.
const VERY_LONG: usize = 1 << 22;

/// The shortest columns that are worth the two steps.
const SHORTEST_COLUMN: usize = 32;

/// The longest that are convolved whole where a factor would do.
const LONGEST_CONVOLUTION: usize = 1 << 12;

/// The largest prime that rustfft has butterflies in vectors for which can be combined with others.
const LARGEST_COMMON: usize = 11;

/// Plans, of which each is made once.
pub(super) struct LinePlanner<R: FftNum> {
    rustfft: FftPlanner<R>,
    /// By length, direction, and whether they are few.
    made: HashMap<(usize, bool, bool), Arc<dyn Fft<R>>>,
}

/// The forward transform of `length` complex numbers by rustfft alone: what others are compared with.
pub fn by_rustfft(length: usize) -> Arc<dyn Fft<f64>> {
    FftPlanner::new().plan_fft_forward(length)
}

/// Whether a transform takes all threads, where there are `few` to do at once.
pub(super) fn takes_all_threads(n: usize, few: bool) -> bool {
    n >= if few { LONG } else { VERY_LONG }
}

impl<R: FftNum> LinePlanner<R> {
    pub(super) fn new() -> Self {
        LinePlanner { rustfft: FftPlanner::new(), made: HashMap::new() }
    }

    /// The transform of n complex numbers; `few`, of less lines than there are threads.
    pub(super) fn plan(&mut self, n: usize, direction: FftDirection, few: bool) -> Arc<dyn Fft<R>> {
        let key = (n, direction == FftDirection::Forward, few);
        if let Some(plan) = self.made.get(&key) {
            return Arc::clone(plan);
        }
        let plan = self.make(n, direction, few);
        self.made.insert(key, Arc::clone(&plan));
        plan
    }

    fn make(&mut self, n: usize, direction: FftDirection, few: bool) -> Arc<dyn Fft<R>> {
        match Way::of(n, size_of::<R>() == size_of::<f64>(), takes_all_threads(n, few)) {
            Way::Plain => self.rustfft.plan_fft(n, direction),
            Way::Stockham => passes(n, direction).unwrap_or_else(|| self.rustfft.plan_fft(n, direction)),
            Way::FourStep(columns, rows) => {
                let [columns, rows] = [columns, rows].map(|length| self.plan(length, direction, few));
                Arc::new(FourStep::new(direction, columns, rows, takes_all_threads(n, few)))
            }
            Way::Convolution(inner) => {
                let [forward, backward] =
                    [FftDirection::Forward, FftDirection::Inverse].map(|way| self.plan(inner, way, few));
                Arc::new(Convolution::new(n, direction, forward, backward))
            }
        }
    }
}

/// The library's own passes, of which there are some for both types that transforms have.
fn passes<R: FftNum>(n: usize, direction: FftDirection) -> Option<Arc<dyn Fft<R>>> {
    let doubles: Arc<dyn Fft<f64>>;
    let floats: Arc<dyn Fft<f32>>;
    let plan: &dyn Any = if size_of::<R>() == size_of::<f64>() {
        doubles = Arc::new(Stockham::new(n, direction));
        &doubles
    } else {
        floats = Arc::new(Stockham::new(n, direction));
        &floats
    };
    plan.downcast_ref().cloned()
}

/// How a length is transformed.
#[derive(Debug, PartialEq, Eq)]
pub enum Way {
    /// As rustfft does.
    Plain,
    /// By the library's own passes.
    Stockham,
    FourStep(usize, usize),
    /// By transforms of another length.
    Convolution(usize),
}

impl Way {
    pub fn of(n: usize, double: bool, long: bool) -> Self {
        let (columns, rows) = factors(n);
        if long && columns >= SHORTEST_COLUMN {
            return Way::FourStep(columns, rows);
        }
        let prime = largest_prime(n);
        let own = double || prime > LARGEST_COMMON || n.is_multiple_of(10) || n.is_multiple_of(15);
        if !own {
            // Rustfft rounds the arguments of its roots to doubles: floats have room for that. Fives take it longer
            // than the own passes.
            Way::Plain
        } else if stockham::takes(n) {
            Way::Stockham
        } else if prime == n || n < LONGEST_CONVOLUTION {
            Way::Convolution(inner_length(n))
        } else {
            Way::FourStep(n / prime, prime)
        }
    }
}
