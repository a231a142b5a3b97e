//! Factorisations of a length: into passes, and of a pass into radices.

use std::collections::HashMap;

/// Primes with a butterfly. Lengths with a larger prime factor use Bluestein's algorithm, which rounds more often.
const PRIMES: [usize; 11] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31];

/// True if all prime factors have a butterfly.
pub fn is_smooth(length: usize) -> bool {
    let mut rest = length;
    for prime in PRIMES {
        while rest.is_multiple_of(prime) {
            rest /= prime;
        }
    }
    rest == 1
}

/// The largest prime factor of a length that [`is_smooth`]; 1 of 1.
pub fn largest_prime(length: usize) -> usize {
    PRIMES.into_iter().rev().find(|prime| length.is_multiple_of(*prime)).unwrap_or(1)
}

/// The smallest length from `min_length` on that is a product of 2, 3, 5 and 7, and has 4 among its factors where it is
/// large.
pub fn convolution_length(min_length: usize) -> usize {
    let step = if min_length >= 64 { 16 } else { 1 };
    let first = min_length.div_ceil(step).max(1);
    let smooth = |quotient: &usize| {
        let mut rest = *quotient;
        for prime in [2, 3, 5, 7] {
            while rest.is_multiple_of(prime) {
                rest /= prime;
            }
        }
        rest == 1
    };
    (first..).find(smooth).map_or(min_length, |quotient| quotient * step)
}

/// Radices whose product is the length, which [`is_smooth`], none larger than `largest`: those of least work, where a
/// pass costs as much beside its butterflies as `pass` real operations for each number.
pub fn radices(length: usize, largest: usize, pass: f64) -> Vec<usize> {
    let mut known = HashMap::from([(1, (0.0, 1))]);
    cheapest(length, largest, pass, &mut known);
    let (mut radices, mut rest) = (Vec::new(), length);
    while rest > 1 {
        let radix = known[&rest].1;
        radices.push(radix);
        rest /= radix;
    }
    radices.sort_unstable_by(|a, b| b.cmp(a));
    if radices.is_empty() {
        radices.push(1);
    }
    radices
}

fn cheapest(length: usize, largest: usize, pass: f64, known: &mut HashMap<usize, (f64, usize)>) -> f64 {
    if let Some((cost, _)) = known.get(&length) {
        return *cost;
    }
    let mut best = (f64::INFINITY, length);
    for radix in (2..=largest).filter(|radix| length.is_multiple_of(*radix)) {
        let cost = cheapest(length / radix, largest, pass, known) + pass + operations(radix);
        if cost < best.0 {
            best = (cost, radix);
        }
    }
    known.insert(length, best);
    best.0
}

/// Estimated real operations of a butterfly for each point.
fn operations(radix: usize) -> f64 {
    match radix {
        1 => 0.0,
        2 => 2.0,
        4 => 4.0,
        _ if radix.is_multiple_of(4) => 4.0 + operations(radix / 4) + 2.5,
        _ => match (2..radix).find(|factor| radix.is_multiple_of(*factor)) {
            Some(factor) => operations(factor) + operations(radix / factor) + 2.5,
            None => radix as f64 + 2.0,
        },
    }
}

/// The cost model of [`split`].
pub trait CostModel {
    /// The longest pass.
    fn longest_pass(&self) -> usize;

    /// Cost of a split by the lengths of its passes, in order.
    fn cost(&self, lengths: &[usize]) -> f64;
}

/// The cheapest lengths of passes whose product is the length: the fewest possible passes, at least `min_passes`.
pub fn split(length: usize, min_passes: usize, model: &impl CostModel) -> Vec<usize> {
    for parts in min_passes..=5 {
        let mut best: Option<(f64, Vec<usize>)> = None;
        splits(length, parts, model.longest_pass(), &mut Vec::new(), &mut |lengths| {
            let cost = model.cost(lengths);
            if best.as_ref().is_none_or(|(best_cost, _)| cost < *best_cost) {
                best = Some((cost, lengths.to_vec()));
            }
        });
        if let Some((_, lengths)) = best {
            return lengths;
        }
    }
    vec![length]
}

fn splits(rest: usize, parts: usize, longest: usize, chosen: &mut Vec<usize>, found: &mut impl FnMut(&[usize])) {
    if parts == 1 {
        if (2..=longest).contains(&rest) {
            chosen.push(rest);
            found(chosen);
            chosen.pop();
        }
        return;
    }
    for part in (2..=longest.min(rest)).filter(|part| rest.is_multiple_of(*part)) {
        chosen.push(part);
        splits(rest / part, parts - 1, longest, chosen, found);
        chosen.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radices_make_up_the_length() {
        for length in (1..5000).filter(|length| is_smooth(*length)) {
            let largest = largest_prime(length).max(16);
            let radices = radices(length, largest, 8.0);
            assert_eq!(radices.iter().product::<usize>(), length);
            assert!(radices.iter().all(|radix| *radix <= largest), "{length}: {radices:?}");
        }
        assert_eq!(radices(1001, 16, 8.0), [13, 11, 7]);
    }

    #[test]
    fn a_convolution_is_little_longer_than_it_must_be() {
        for min_length in [1, 33, 63, 64, 65, 997, 20013, 131_073, 2_000_003] {
            let length = convolution_length(min_length);
            assert!(length >= min_length && is_smooth(length));
            assert!(length as f64 <= 1.25 * min_length as f64 + 1.0, "{min_length}: {length}");
        }
    }

    struct Balanced;
    impl CostModel for Balanced {
        fn longest_pass(&self) -> usize {
            64
        }
        fn cost(&self, lengths: &[usize]) -> f64 {
            lengths.iter().copied().max().unwrap_or(0) as f64
        }
    }

    #[test]
    fn splits_are_as_few_as_can_be() {
        assert_eq!(split(64, 1, &Balanced), [64]);
        assert_eq!(split(64, 2, &Balanced), [8, 8]);
        assert_eq!(split(1024, 1, &Balanced), [32, 32]);
        assert_eq!(split(1 << 15, 1, &Balanced), [32, 32, 32]);
        assert_eq!(split(7, 2, &Balanced), [7]);
    }
}
