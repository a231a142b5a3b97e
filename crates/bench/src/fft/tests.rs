//! Checks that find what is wrong, for every type and number of dimensions.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use affinimath::Scalar;

use super::data::{Output, agrees_with_definition};
use super::*;
use crate::target::MemoryChoice;
use affinimath_testing::assert_close;

const HOST: Target = Target { device: None, memory: MemoryChoice::Host, automatic: false };

fn data<T: Element>(lengths: &[usize], points: usize) -> Arc<Data<T>> {
    Arc::new(Data::random(&Case::new(T::KIND, lengths, points), 1).unwrap())
}

#[test]
fn ours_is_right_on_the_host() {
    fn check<T: Element>() {
        for lengths in [&[2][..], &[16], &[15], &[97], &[4, 6], &[5, 1], &[2, 3, 5]] {
            let mut ours = ours::entrant(&data::<T>(lengths, 300), &HOST).unwrap();
            ours.run(2).unwrap();
            let accuracy = ours.accuracy().unwrap();
            assert!(accuracy.holds(), "{:?} {lengths:?}: {accuracy:?}", T::KIND);
        }
    }
    check::<f32>();
    check::<f64>();
    check::<Complex32>();
    check::<Complex64>();
}

#[test]
fn the_reference_is_the_definitions_sum() {
    fn check<T: Element>() {
        for lengths in [[1, 1, 7], [1, 4, 5], [2, 3, 4]] {
            let data = data::<T>(&lengths, 100);
            let (points, row) = (data.case.points(), lengths[2]);
            let bins = data.case.output_lengths()[2];
            for (index, found) in data.reference().iter().enumerate() {
                let (transform, rest) = (index / data.case.output_points(), index % data.case.output_points());
                let k = [rest / bins / lengths[1], rest / bins % lengths[1], rest % bins];
                let mut expected = Complex64::ZERO;
                for (index, x) in data.input[transform * points..][..points].iter().enumerate() {
                    let j = [index / row / lengths[1], index / row % lengths[1], index % row];
                    let turns: f64 = (0..3).map(|axis| (j[axis] * k[axis]) as f64 / lengths[axis] as f64).sum();
                    expected += Complex64::new(x.re(), x.im()) * Complex64::cis(-TAU * turns);
                }
                assert_close!(*found, expected, 1e-12, "{lengths:?}, {index}");
            }
            let mut off = data.reference().to_vec();
            assert!(agrees_with_definition(&data.case, &data.input, &off));
            off.iter_mut().for_each(|value| *value *= 1.0 + 1e-12);
            assert!(!agrees_with_definition(&data.case, &data.input, &off), "{lengths:?}");
        }
    }
    check::<f64>();
    check::<Complex32>();
}

#[test]
fn a_result_that_is_off_is_found() {
    let data = data::<Complex32>(&[64], 64 * 20);
    let right: Vec<Output<Complex32>> =
        data.reference().iter().map(|value| Complex32::from_parts(value.re, value.im)).collect();
    assert!(data.accuracy(&right).holds());
    assert!(!data.accuracy(&data.zeros()).holds());
    // The last transform of the batch is not there.
    let mut short = right.clone();
    let end = short.len() - 64;
    short[end..].fill(Complex32::ZERO);
    assert!(!data.accuracy(&short).holds());
    let mut backward = right.clone();
    backward.iter_mut().for_each(|value| *value = value.conj());
    assert!(!data.accuracy(&backward).holds());
    let mut undefined = right.clone();
    undefined[77].re = f32::NAN;
    assert!(!data.accuracy(&undefined).holds());
    assert!(!data.accuracy(&right[1..]).holds());
}

#[test]
fn fftws_other_files_have_its_names() {
    let names = |path: &str| -> Vec<PathBuf> { fftw::siblings(Path::new(path)) };
    let expected = ["/l/libfftw3f.so.3", "/l/libfftw3_threads.so.3", "/l/libfftw3f_threads.so.3"].map(PathBuf::from);
    assert_eq!(names("/l/libfftw3.so.3"), expected);
    assert!(names("libfftw3f_threads.so").contains(&PathBuf::from("libfftw3.so")));
    assert!(names("/l/libmkl_rt.so").is_empty());
}
