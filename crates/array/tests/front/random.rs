//! Random numbers: published words, moments, ranges, independence of shape.

use crate::eager::values;
use affinimath_array::reference::philox64;
use affinimath_array::{Random, exponential, integers, normal, s, uniform};

#[test]
fn numbers_follow_from_seed_stream_and_element() {
    let x = values(&Random::new(5).stream(9).uniform::<f32>([3, 4]));
    for (i, &x) in x.iter().enumerate() {
        assert_eq!(x, (philox64(i as i64, 9, 5)[0] >> 8) as f32 / (1u32 << 24) as f32);
    }
    let d = values(&uniform::<f64>(5, [7]));
    for (i, &d) in d.iter().enumerate() {
        let [low, high, ..] = philox64(i as i64, 0, 5);
        let bits = (u64::from(high) << 32 | u64::from(low)) >> 11;
        assert_eq!(d, bits as f64 / (1u64 << 53) as f64);
    }
}

#[test]
fn a_view_and_a_reshape_keep_their_elements_numbers() {
    let line = values(&normal::<f64>(3, [24]));
    assert_eq!(values(&normal::<f64>(3, [2, 3, 4])), line);
    assert_eq!(values(&normal::<f64>(3, [2, 3, 4]).at(s![1, 2])), &line[20..]);
    assert_ne!(values(&normal::<f64>(4, [24])), line);
    assert_ne!(values(&Random::new(3).stream(1).normal::<f64>([24])), line);
}

fn moments(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    (mean, x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / x.len() as f64)
}

/// Mean and variance of `n` numbers lie within five standard errors of their own.
#[track_caller]
fn assert_moments(x: &[f64], mean: f64, variance: f64, fourth: f64) {
    let n = x.len() as f64;
    let (found, spread) = moments(x);
    assert!((found - mean).abs() < 5.0 * (variance / n).sqrt(), "mean {found}");
    assert!((spread - variance).abs() < 5.0 * ((fourth - variance * variance) / n).sqrt(), "variance {spread}");
}

#[test]
fn distributions_have_their_moments() {
    const N: usize = 20_000;
    assert_moments(&values(&uniform::<f64>(1, [N])), 0.5, 1.0 / 12.0, 1.0 / 80.0);
    assert_moments(&values(&normal::<f64>(2, [N])), 0.0, 1.0, 3.0);
    assert_moments(&values(&exponential::<f64>(3, [N])), 1.0, 1.0, 9.0);
    let single = |x: Vec<f32>| x.into_iter().map(f64::from).collect::<Vec<_>>();
    assert_moments(&single(values(&uniform::<f32>(4, [N]))), 0.5, 1.0 / 12.0, 1.0 / 80.0);
    assert_moments(&single(values(&normal::<f32>(5, [N]))), 0.0, 1.0, 3.0);
    assert_moments(&single(values(&exponential::<f32>(6, [N]))), 1.0, 1.0, 9.0);
}

#[test]
fn integers_are_the_upper_half_of_a_product() {
    let exact = |seed: i64, i: usize, start: i64, length: u64| {
        let [low, high, ..] = philox64(i as i64, 0, seed);
        let bits = u64::from(high) << 32 | u64::from(low);
        start.wrapping_add(((u128::from(bits) * u128::from(length)) >> 64) as i64)
    };
    for (start, end) in [(0, 6), (-3, 4), (0, 1 << 40), (i64::MIN, i64::MAX), (-1, 0), (5, 5 + (1 << 32))] {
        let length = end.wrapping_sub(start) as u64;
        for (i, value) in values(&integers(7, [500], start..end)).into_iter().enumerate() {
            assert_eq!(value, exact(7, i, start, length), "{start}..{end}");
            assert!((start..end).contains(&value));
        }
    }
    let dice = values(&integers::<u8>(8, [6000], 1..7));
    for face in 1..7 {
        let count = dice.iter().filter(|&&value| value == face).count() as f64;
        // Five standard deviations of a binomial count.
        assert!((count - 1000.0).abs() < 5.0 * (6000.0 * 5.0 / 36.0f64).sqrt(), "{face}: {count}");
    }
    let whole = values(&integers::<u32>(9, [500], 0..u32::MAX));
    assert!(whole.iter().any(|&value| value > 1 << 31) && whole.iter().any(|&value| value < 1 << 31));
    let negative = values(&integers::<i32>(9, [500], i32::MIN..i32::MAX));
    assert!(negative.iter().any(|&value| value > 0) && negative.iter().any(|&value| value < 0));
}
