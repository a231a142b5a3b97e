//! Sums of squares that neither overflow nor underflow, in doubles.

use std::ops::Add;

use crate::scalar::Real;

/// Blue's three sums of squares of doubles, with the constants of Anderson (Algorithm 978, 2017): those of the ordinary
/// numbers, and those of the small and of the large ones, scaled up and down. A NaN counts as ordinary, an Inf as large.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Squares {
    small: f64,
    ordinary: f64,
    large: f64,
}

const SMALLEST_ORDINARY: f64 = power_of_two(-511);
const LARGEST_ORDINARY: f64 = power_of_two(486);
const SCALE_UP: f64 = power_of_two(537);
const SCALE_DOWN: f64 = power_of_two(-538);

/// 2^k, for a normal number.
pub(super) const fn power_of_two(k: i32) -> f64 {
    assert!(-1022 <= k && k <= 1023);
    f64::from_bits(((k + 1023) as u64) << 52)
}

const LANES: usize = 8;

/// The squares of a run of real numbers.
pub(super) fn of_run<R: Real>(reals: &[R]) -> Squares {
    // The square of a float is an ordinary double, whatever the float.
    if R::KIND.is_double() { sum(reals, three_sums) } else { sum(reals, one_sum) }
}

fn sum<R: Copy + Into<f64>>(reals: &[R], step: impl Fn(&mut [Squares; LANES], [f64; LANES])) -> Squares {
    let mut lanes = [Squares::default(); LANES];
    let (chunks, rest) = reals.as_chunks::<LANES>();
    for chunk in chunks {
        step(&mut lanes, chunk.map(Into::into));
    }
    let mut last = [0.0; LANES];
    last.iter_mut().zip(rest).for_each(|(place, real)| *place = (*real).into());
    step(&mut lanes, last);
    lanes.into_iter().fold(Squares::default(), Add::add)
}

fn one_sum(lanes: &mut [Squares; LANES], numbers: [f64; LANES]) {
    for (lane, v) in lanes.iter_mut().zip(numbers) {
        lane.ordinary += v * v;
    }
}

fn three_sums(lanes: &mut [Squares; LANES], numbers: [f64; LANES]) {
    for (lane, v) in lanes.iter_mut().zip(numbers) {
        let (size, up, down) = (v.abs(), v * SCALE_UP, v * SCALE_DOWN);
        let (is_small, is_large) = (size < SMALLEST_ORDINARY, size > LARGEST_ORDINARY);
        lane.small += if is_small { up * up } else { 0.0 };
        lane.large += if is_large { down * down } else { 0.0 };
        lane.ordinary += if is_small || is_large { 0.0 } else { v * v };
    }
}

impl Add for Squares {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Squares {
            small: self.small + other.small,
            ordinary: self.ordinary + other.ordinary,
            large: self.large + other.large,
        }
    }
}

impl Squares {
    /// The square root of their sum.
    pub(super) fn square_root(self) -> f64 {
        if self.large > 0.0 {
            // The small ones do not count.
            return (self.large + self.ordinary * SCALE_DOWN * SCALE_DOWN).sqrt() / SCALE_DOWN;
        }
        let (ordinary, small) = (self.ordinary.sqrt(), self.small.sqrt() / SCALE_UP);
        // hypot answers to NaN and to either being 0.
        ordinary.hypot(small)
    }
}
