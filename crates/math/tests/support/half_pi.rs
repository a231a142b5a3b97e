//! Angles modulo π/2, by long arithmetic.

use std::sync::LazyLock;

use super::double_double::{DoubleDouble, exponent_of, scale};

/// Words of 32 bits after the binary point.
const FRACTION_WORDS: usize = 40;
const WORDS: usize = FRACTION_WORDS + 36;
/// π/2 as a sum.
const HALF_PI: [f64; 4] =
    [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33, 5.562271104316826e-50];

/// A number of fixed point, lowest word first.
type Long = Vec<u32>;

/// π/2 from Machin's formula: 8 atan(1/5) - 2 atan(1/239).
static LONG_HALF_PI: LazyLock<Long> = LazyLock::new(|| subtract(&inverse_tangent(8, 5), &inverse_tangent(2, 239)));

/// x = n π/2 + rest, with n modulo 4 and |rest| near π/4 at most.
pub fn reduce(x: f64) -> (DoubleDouble, u32) {
    if x.abs() < 1e5 {
        let n = (x / HALF_PI[0]).round_ties_even();
        let rest = HALF_PI.iter().fold(DoubleDouble::from(x), |rest, &part| rest - DoubleDouble::product(n, part));
        // Cancellation leaves fewer bits: long arithmetic has enough.
        if rest.hi.abs() > 1e-6 || n == 0.0 {
            return (rest, n.rem_euclid(4.0) as u32);
        }
    }
    let (rest, n) = reduce_long(x.abs());
    if x < 0.0 { (-rest, (4 - n) % 4) } else { (rest, n) }
}

fn reduce_long(x: f64) -> (DoubleDouble, u32) {
    let mut rest = from_double(x);
    let mut n = 0;
    for shift in (0..=exponent_of(x).max(0) as usize).rev() {
        let multiple = shift_left(&LONG_HALF_PI, shift);
        if !is_less(&rest, &multiple) {
            rest = subtract(&rest, &multiple);
            n |= if shift < 2 { 1 << shift } else { 0 };
        }
    }
    let opposite = subtract(&LONG_HALF_PI, &rest);
    if is_less(&opposite, &rest) { (-to_double(&opposite), (n + 1) % 4) } else { (to_double(&rest), n) }
}

fn from_double(x: f64) -> Long {
    let exponent = exponent_of(x) - 52;
    let mantissa = scale(x, -exponent) as u64;
    let mut long = vec![0; WORDS];
    let position = (exponent + 32 * FRACTION_WORDS as i32) as usize;
    (long[0], long[1]) = (mantissa as u32, (mantissa >> 32) as u32);
    shift_left(&long, position)
}

fn to_double(long: &Long) -> DoubleDouble {
    let terms = long.iter().enumerate().rev().skip_while(|(_, word)| **word == 0).take(5);
    terms.fold(DoubleDouble::from(0.0), |sum, (i, &word)| {
        sum + scale(f64::from(word), 32 * (i as i32 - FRACTION_WORDS as i32)).into()
    })
}

fn shift_left(long: &Long, count: usize) -> Long {
    let (words, bits) = (count / 32, count % 32);
    let word = |i: usize| if i < words { 0 } else { u64::from(long[i - words]) };
    let below = |i: usize| if i == 0 { 0 } else { word(i - 1) };
    (0..long.len()).map(|i| ((word(i) << 32 | below(i)) << bits >> 32) as u32).collect()
}

fn is_less(a: &Long, b: &Long) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

fn subtract(a: &Long, b: &Long) -> Long {
    let mut borrow = 0;
    let word = |(&a, &b): (&u32, &u32)| {
        let difference = i64::from(a) - i64::from(b) - borrow;
        borrow = i64::from(difference < 0);
        difference as u32
    };
    a.iter().zip(b).map(word).collect()
}

fn add(a: &Long, b: &Long) -> Long {
    let mut carry = 0;
    let word = |(&a, &b): (&u32, &u32)| {
        let sum = u64::from(a) + u64::from(b) + carry;
        carry = sum >> 32;
        sum as u32
    };
    a.iter().zip(b).map(word).collect()
}

fn divide(a: &Long, divisor: u32) -> Long {
    let mut rest = 0;
    let mut quotient: Long = a
        .iter()
        .rev()
        .map(|&word| {
            let value = rest << 32 | u64::from(word);
            rest = value % u64::from(divisor);
            (value / u64::from(divisor)) as u32
        })
        .collect();
    quotient.reverse();
    quotient
}

/// factor atan(1/divisor)
fn inverse_tangent(factor: u32, divisor: u32) -> Long {
    let mut power = vec![0; WORDS];
    power[FRACTION_WORDS] = factor;
    power = divide(&power, divisor);
    let mut sum = vec![0; WORDS];
    for k in 0.. {
        let term = divide(&power, 2 * k + 1);
        if term.iter().all(|&word| word == 0) {
            return sum;
        }
        sum = if k % 2 == 0 { add(&sum, &term) } else { subtract(&sum, &term) };
        power = divide(&power, divisor * divisor);
    }
    unreachable!("powers vanish")
}
