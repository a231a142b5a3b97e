//! Which algorithm transforms a line of complex numbers.

use std::collections::HashMap;
use std::sync::Arc;

use rustfft::algorithm::MixedRadix;
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};

use super::convolution::{Convolution, inner_length};
use super::four_step::{FourStep, factors};

/// From here on a transform is passed through in two steps by all threads, where it is one of so few that they would have nothing else
/// to do.
const LONG: usize = 1 << 17;

/// From here on the two steps are as fast as rustfft's many on one thread, too.
const VERY_LONG: usize = 1 << 22;

/// The shortest columns that are worth the two steps.
const SHORTEST_COLUMN: usize = 32;

/// The longest that are convolved whole where a factor would do.
const LONGEST_CONVOLUTION: usize = 1 << 12;

/// So many times a prime's square, other factors' errors outweigh the prime's.
const DILUTED: usize = 4;

/// The largest prime that rustfft sums by a kernel of its own.
const LARGEST_KERNEL: usize = 31;

/// Plans, of which each is made once.
pub(super) struct LinePlanner<R: FftNum> {
    rustfft: FftPlanner<R>,
    /// By length, direction, and whether they are few.
    made: HashMap<(usize, bool, bool), Arc<dyn Fft<R>>>,
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
            Way::FourStep(columns, rows) => {
                let [columns, rows] = [columns, rows].map(|length| self.plan(length, direction, few));
                Arc::new(FourStep::new(direction, columns, rows))
            }
            Way::Product(width, height) => {
                let [width, height] = [width, height].map(|length| self.plan(length, direction, few));
                Arc::new(MixedRadix::new(width, height))
            }
            Way::Convolution(inner) => {
                let [forward, backward] =
                    [FftDirection::Forward, FftDirection::Inverse].map(|way| self.plan(inner, way, few));
                Arc::new(Convolution::new(n, direction, forward, backward))
            }
        }
    }
}

/// How a length is transformed.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    /// As rustfft does.
    Plain,
    FourStep(usize, usize),
    /// The same by rustfft, for short ones.
    Product(usize, usize),
    /// By transforms of another length.
    Convolution(usize),
}

impl Way {
    fn of(n: usize, double: bool, long: bool) -> Self {
        let (columns, rows) = factors(n);
        if long && columns >= SHORTEST_COLUMN {
            return Way::FourStep(columns, rows);
        }
        // Rustfft's ways with large primes, and with several that it has no vectors for, lose what doubles could have: the arguments of
        // its roots are not reduced.
        let rest = without(n, &[2, 3, 5, 7, 11]);
        let prime = largest_prime(rest);
        if rest == 1 || rest == prime && prime <= LARGEST_KERNEL {
            Way::Plain
        } else if prime <= LARGEST_KERNEL {
            if double { Way::Product(prime, n / prime) } else { Way::Plain }
        } else if !double && !long || rest == prime && prime < n / prime / DILUTED {
            Way::Plain
        } else if prime == n || n < LONGEST_CONVOLUTION {
            Way::Convolution(inner_length(n))
        } else {
            Way::Product(prime, n / prime)
        }
    }
}

/// n without these factors.
fn without(mut n: usize, primes: &[usize]) -> usize {
    for p in primes {
        while n.is_multiple_of(*p) {
            n /= p;
        }
    }
    n
}

fn largest_prime(n: usize) -> usize {
    let (mut rest, mut p) = (n, 2);
    while p * p <= rest {
        if rest.is_multiple_of(p) && rest > p { rest /= p } else { p += 1 }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_find_their_ways() {
        for n in [1, 2, 1024, 1000, 1001, 13 * 40, 31] {
            assert_eq!(Way::of(n, true, false), Way::Plain, "{n}");
        }
        assert_eq!(Way::of(17 * 17, true, false), Way::Product(17, 17));
        assert_eq!(Way::of(17 * 17, false, false), Way::Plain);
        assert_eq!(Way::of(1009, true, false), Way::Convolution(2048));
        assert_eq!(Way::of(2 * 10_007, true, false), Way::Product(10_007, 2));
        assert_eq!(Way::of(1 << 20, false, true), Way::FourStep(1024, 1024));
        assert_eq!(largest_prime(2 * 3 * 49), 7);
    }
}
