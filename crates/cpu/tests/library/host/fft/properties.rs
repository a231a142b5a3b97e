//! Properties of Fourier transforms of any length.

use proptest::prelude::*;

use super::*;
use affinimath_core::fft::descriptor::{Direction, Transform};
use affinimath_testing::is_close;

const FORWARD: Transform = Transform::Complex(Direction::Forward);
const BACKWARD: Transform = Transform::Complex(Direction::Backward);

fn apply(transform: Transform, scale: f64, lengths: &[usize], input: &[f64]) -> Vec<f64> {
    let problem = Problem::new(&FftDescriptor::new(transform, lengths).scale(scale)).unwrap();
    execute::<f64>(&problem, input)
}

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum()
}

#[test]
fn long_cosine_transforms_have_their_inverses() {
    for n in [1 << 18, 140_001] {
        let x = numbers(n, n);
        let scale = 0.5 / n as f64;
        let cosines = apply(Transform::Dct3, scale, &[n], &apply(Transform::Dct2, 1.0, &[n], &x));
        let sines = apply(Transform::Dst3, scale, &[n], &apply(Transform::Dst2, 1.0, &[n], &x));
        assert!(relative_l2(cosines, x.clone()) < 2.0 * bound(true, n));
        assert!(relative_l2(sines, x) < 2.0 * bound(true, n));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn energy_is_kept(n in 1_usize..3000, seed in 0_usize..1000) {
        let x = numbers(2 * n, seed);
        let ratio = squares(&apply(FORWARD, 1.0, &[n], &x)) / (n as f64 * squares(&x));
        prop_assert!(is_close(ratio, 1.0, 3.0 * bound(true, n) + n as f64 * f64::EPSILON), "{ratio}");
    }

    #[test]
    fn a_shift_turns_the_phases(n in 1_usize..3000, by in 0_usize..3000, seed in 0_usize..1000) {
        let by = by % n;
        let x = numbers(2 * n, seed);
        let shifted: Vec<f64> = x[2 * by..].iter().chain(&x[..2 * by]).copied().collect();
        let turned = apply(FORWARD, 1.0, &[n], &x).chunks_exact(2).enumerate().flat_map(|(k, z)| {
            let (sin, cos) = (std::f64::consts::TAU * ((k * by % n) as f64 / n as f64)).sin_cos();
            [z[0] * cos - z[1] * sin, z[0] * sin + z[1] * cos]
        }).collect::<Vec<_>>();
        prop_assert!(relative_l2(apply(FORWARD, 1.0, &[n], &shifted), turned) < 2.0 * bound(true, n) + 1e-15);
    }

    #[test]
    fn sums_go_to_sums(n in 1_usize..3000, factor in -2.0..2.0_f64, seed in 0_usize..1000) {
        let (x, y) = (numbers(2 * n, seed), numbers(2 * n, seed + 1));
        let sum: Vec<f64> = x.iter().zip(&y).map(|(x, y)| factor * x + y).collect();
        let (x, y) = (apply(FORWARD, factor, &[n], &x), apply(FORWARD, 1.0, &[n], &y));
        let separate = x.iter().zip(&y).map(|(x, y)| x + y);
        prop_assert!(relative_l2(apply(FORWARD, 1.0, &[n], &sum), separate) < 3.0 * bound(true, n));
    }

    #[test]
    fn every_transform_has_its_inverse(
        lengths in proptest::collection::vec(1_usize..40, 1..4), which in 0_usize..4, seed in 0_usize..1000,
    ) {
        let (there, back, per_axis) = [
            (FORWARD, BACKWARD, 1.0),
            (Transform::RealToComplex, Transform::ComplexToReal, 1.0),
            (Transform::Dct2, Transform::Dct3, 2.0),
            (Transform::Dst2, Transform::Dst3, 2.0),
        ][which];
        let points: usize = lengths.iter().product();
        let x = numbers(points * if there == FORWARD { 2 } else { 1 }, seed);
        let scale = 1.0 / lengths.iter().map(|n| per_axis * *n as f64).product::<f64>();
        let again = apply(back, scale, &lengths, &apply(there, 1.0, &lengths, &x));
        prop_assert!(relative_l2(again, x) < 2.0 * bound(true, points));
    }
}
