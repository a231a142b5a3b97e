//! Errors of long transforms, and of every short one.

use rayon::prelude::*;

use super::*;
use affinimath_core::fft::descriptor::{Direction, Transform};
use affinimath_cpu::fft::stockham::plan::largest_prime;
use affinimath_testing::fft::complex_row;

fn plan_of(transform: Transform, n: usize) -> Problem {
    Problem::new(&FftDescriptor::new(transform, &[n])).unwrap()
}

/// Bound of the relative error in the 2-norm, in units of ε √log₂ n.
///
/// The first factor bounds the root mean square over random inputs, by the largest prime factor
/// (docs/src/internals/fft.md). The second one allows for the deviation of a single input, about 1/√n.
fn bound_of<R: Number>(n: usize) -> f64 {
    let units = match largest_prime(n) {
        0..=2 => 0.33,
        3..=31 => 0.45,
        32..=127 => 0.55,
        _ => 0.75,
    };
    let epsilon = if is_double::<R>() { f64::EPSILON } else { f32::EPSILON.into() };
    units * (1.0 + 2.0 / (n as f64).sqrt()) * epsilon * (n.max(2) as f64).log2().sqrt()
}

/// The error of both directions in units of the bound.
fn error<R: Number>(n: usize, input: &[f64], exact: &[(f64, f64)]) -> f64 {
    let of = |direction: Direction| {
        let results = execute::<R>(&plan_of(Transform::Complex(direction), n), input);
        let exact = (0..n).flat_map(|k| {
            let (re, im) = exact[if direction == Direction::Forward { k } else { (n - k) % n }];
            [re, im]
        });
        relative_l2(results, exact) / bound_of::<R>(n)
    };
    of(Direction::Forward).max(of(Direction::Backward))
}

fn check_length(n: usize) -> [f64; 2] {
    let input = numbers(2 * n, n);
    let row: Vec<_> = input.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    let exact = complex_row(&row);
    let errors = [error::<f32>(n, &input, &exact), error::<f64>(n, &input, &exact)];
    assert!(errors.iter().all(|error| *error <= 1.0), "n = {n}: {errors:?} of the bounds");
    errors
}

fn check_lengths(lengths: impl IntoIterator<Item = usize>) {
    let errors: Vec<_> =
        lengths.into_iter().collect::<Vec<_>>().into_par_iter().map(|n| (check_length(n), n)).collect();
    for which in 0..2 {
        let worst = errors.iter().map(|(error, n)| (error[which], n)).max_by(|a, b| a.0.total_cmp(&b.0));
        println!("{which}: {worst:?}");
    }
}

#[test]
fn every_short_length_is_accurate() {
    check_lengths((1..=2048).rev());
}

#[test]
fn primes_and_their_powers_are_accurate() {
    check_lengths([3, 5, 7, 11, 13, 17, 31, 37].map(|p: usize| p.pow(100_000_usize.ilog(p))));
    check_lengths([
        2053,
        4099,
        10007,
        47 * 47,
        53 * 53,
        32771,
        65537,
        41 * 1024,
        2 * 2053,
        3 * 5 * 1009,
        96 * 97,
        65539,
    ]);
}

#[test]
fn smooth_lengths_are_accurate() {
    check_lengths([
        2500, 3000, 3600, 5625, 10_000, 12_288, 46_656, 50_625, 59_049, 65_610, 72_000, 100_000, 177_147, 331_776,
    ]);
    check_lengths((12..=20).map(|k| 1 << k));
}

/// Sums and differences of integers are exact, so an inexact cosine of 2 pi / 3 would show.
#[test]
fn planes_of_whole_numbers_have_exact_zeros() {
    let input: Vec<f64> = (1..=9).flat_map(|x| [f64::from(x), 0.0]).collect();
    let problem = Problem::new(&FftDescriptor::new(Transform::Complex(Direction::Forward), &[3, 3])).unwrap();
    let results = execute::<f64>(&problem, &input);
    for (k1, k2) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        assert_eq!(results[2 * (3 * k1 + k2)..][..2], [0.0, 0.0], "({k1}, {k2})");
    }
    assert_eq!(results[..2], [45.0, 0.0]);
}

#[test]
fn reals_are_half_of_complex_numbers() {
    for n in [1 << 16, 3 << 16, 1 << 18, 65_537, 2 * 10_007, 98_415] {
        let input = numbers(n, n);
        let exact = complex_row(&input.iter().map(|x| (*x, 0.0)).collect::<Vec<_>>());
        let half = exact[..=n / 2].iter().flat_map(|(re, im)| [*re, *im]);
        let spectrum = execute::<f64>(&plan_of(Transform::RealToComplex, n), &input);
        assert!(relative_l2(spectrum.iter().copied(), half.clone()) <= bound(true, n), "{n}");
        let floats = execute::<f32>(&plan_of(Transform::RealToComplex, n), &input);
        assert!(relative_l2(floats, half) <= bound(false, n), "{n}");
        let back = execute::<f64>(&plan_of(Transform::ComplexToReal, n), &spectrum);
        assert!(relative_l2(back, input.iter().map(|x| x * n as f64)) <= 2.0 * bound(true, n), "{n} and back");
    }
}

#[test]
fn every_transform_of_reals_is_accurate() {
    let lengths = (1..=130).chain([243, 256, 487, 512, 974, 1000, 1001, 1009, 1024]);
    lengths.collect::<Vec<_>>().into_par_iter().for_each(|n| {
        let waves = [Transform::Dct2, Transform::Dct3, Transform::Dst2, Transform::Dst3];
        for transform in [Transform::RealToComplex, Transform::ComplexToReal].into_iter().chain(waves) {
            check(&FftDescriptor::new(transform, &[n]).scale(0.75));
        }
    });
}

#[test]
fn imaginary_parts_that_would_be_zero_are_not_looked_at() {
    for n in [1, 2, 3, 4, 7, 8, 61, 64, 122] {
        let problem = plan_of(Transform::ComplexToReal, n);
        let mut input = numbers(2 * (n / 2 + 1), n);
        input[1] = f64::NAN;
        if n % 2 == 0 {
            input[n + 1] = f64::INFINITY;
        }
        check_numbers::<f32>(&problem, &input);
        check_numbers::<f64>(&problem, &input);
    }
}
