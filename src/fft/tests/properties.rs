//! Properties of Fourier transforms, on all devices.

use proptest::prelude::*;

use super::device::{run, variants};
use super::{BACKWARD, Case, FORWARD, FftDescriptor, Transform};
use crate::device::{Device, DeviceInfo};
use crate::fft::reference::{bound, relative_l2};
use crate::scalar::{Element, Real, Scalar, ScalarKind};
use crate::testing::{covers, devices, is_close};

/// One length for each algorithm: each is a program or more.
const LENGTHS: [usize; 4] = [60, 1000, 1001, 2053];

/// A device, the facts to plan with, and the precision.
struct Variant<'a> {
    device: &'a Device,
    device_info: &'a DeviceInfo,
    double: bool,
}

impl Variant<'_> {
    fn apply(&self, transform: Transform, n: usize, scale: f64, input: &[f64]) -> Vec<f64> {
        let mut case = Case::new(&FftDescriptor::new(transform, &[n]).scale(scale));
        assert_eq!(case.input.len(), input.len());
        case.input = input.to_vec();
        if self.double { self.run::<f64>(&case) } else { self.run::<f32>(&case) }
    }

    fn run<R: Real + Scalar + Element>(&self, case: &Case) -> Vec<f64> {
        run::<R>(self.device, self.device_info, case)
    }
}

/// A device's variants in the precisions of the covered types.
fn covered_variants(device: &Device) -> Vec<(&Device, DeviceInfo, bool)> {
    let kinds = [ScalarKind::C, ScalarKind::Z];
    variants(device).into_iter().filter(|(.., double)| covers(kinds[usize::from(*double)], &kinds)).collect()
}

/// Values in (-1, 1) that are exact in `f32`.
fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec((1 - (1 << 23)..1 << 23).prop_map(|x: i32| f64::from(x) / f64::from(1 << 23)), count)
}

/// A length, two complex signals, and a shift.
fn signals() -> impl Strategy<Value = (usize, Vec<f64>, Vec<f64>, usize)> {
    proptest::sample::select(&LENGTHS[..]).prop_flat_map(|n| (Just(n), numbers(2 * n), numbers(2 * n), 0..n))
}

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum()
}

/// z_k e^(2 pi i k by / n).
fn turned(z: &[f64], by: usize) -> Vec<f64> {
    let n = z.len() / 2;
    let number = |(k, z): (usize, &[f64])| {
        let (sin, cos) = (std::f64::consts::TAU * ((k * by % n) as f64 / n as f64)).sin_cos();
        [z[0] * cos - z[1] * sin, z[0] * sin + z[1] * cos]
    };
    z.chunks_exact(2).enumerate().flat_map(number).collect()
}

mod device {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]

        #[test]
        fn energy_shifts_sums_and_inverses((n, x, y, by) in signals()) {
            for (device, device_info, double) in devices().iter().flat_map(covered_variants) {
                let variant = Variant { device, device_info: &device_info, double };
                let bound = bound(double, n);
                let spectrum = variant.apply(FORWARD, n, 1.0, &x);
                let energy = squares(&spectrum) / (n as f64 * squares(&x));
                let sums = 2.0 * n as f64 * f64::EPSILON;
                prop_assert!(is_close(energy, 1.0, 3.0 * bound + sums), "energy of {n}: {energy}");

                let shifted = [&x[2 * by..], &x[..2 * by]].concat();
                let error = relative_l2(variant.apply(FORWARD, n, 1.0, &shifted), turned(&spectrum, by));
                prop_assert!(error < 2.0 * bound + 1e-15, "shift of {n} by {by}: {error}");

                let sum: Vec<f64> = x.iter().zip(&y).map(|(x, y)| 0.5 * (x + y)).collect();
                let other = variant.apply(FORWARD, n, 1.0, &y);
                let separate = spectrum.iter().zip(&other).map(|(x, y)| 0.5 * (x + y));
                let error = relative_l2(variant.apply(FORWARD, n, 1.0, &sum), separate);
                // The sum itself is rounded to `f32`.
                prop_assert!(error < 3.0 * bound + if double { 0.0 } else { 1e-7 }, "sum of {n}: {error}");

                let again = variant.apply(BACKWARD, n, 1.0 / n as f64, &spectrum);
                prop_assert!(relative_l2(again, x.iter().copied()) < 2.0 * bound, "there and back, {n}");
                let half = variant.apply(Transform::RealToComplex, n, 1.0, &x[..n]);
                let again = variant.apply(Transform::ComplexToReal, n, 1.0 / n as f64, &half);
                prop_assert!(relative_l2(again, x[..n].iter().copied()) < 2.0 * bound, "real there and back, {n}");
            }
        }
    }
}
