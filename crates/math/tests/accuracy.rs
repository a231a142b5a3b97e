//! Largest errors of the functions against references, over arguments of every exponent.

#[allow(dead_code)]
mod support;

use std::fmt::Debug;

use support::Largest;

/// Coprime to powers of two, so that all bits of arguments vary. The example `exhaustive` runs every argument.
const STEP: usize = 50_021;
const RANDOM_ARGUMENTS: usize = 20_000;
const SEED: u64 = 1;

/// Fails with the functions whose errors are above their bounds.
fn check<A: Debug>(errors: impl Iterator<Item = (&'static str, f64, Largest<A>)>) {
    let above: Vec<_> = errors
        .filter(|(_, bound, largest)| largest.error > *bound)
        .map(|(name, bound, largest)| format!("{name}: {} ulp at {:?}, bound {bound}", largest.error, largest.argument))
        .collect();
    assert!(above.is_empty(), "{}", above.join("\n"));
}

#[test]
fn single_precision_is_within_bounds() {
    check(support::single().map(|function| (function.name, function.bound, function.largest_error(0, 1 << 32, STEP))));
}

#[test]
fn pairs_in_single_precision_are_within_bounds() {
    check(
        support::single_pairs()
            .map(|function| (function.name, function.bound, function.largest_error(SEED, 4 * RANDOM_ARGUMENTS))),
    );
}

#[test]
fn double_precision_is_within_bounds() {
    check(
        support::double()
            .map(|function| (function.name, function.bound, function.largest_error(SEED, RANDOM_ARGUMENTS))),
    );
}

#[test]
fn pairs_in_double_precision_are_within_bounds() {
    check(
        support::double_pairs()
            .map(|function| (function.name, function.bound, function.largest_error(SEED, 2 * RANDOM_ARGUMENTS))),
    );
}
