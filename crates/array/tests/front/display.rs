//! Printed arrays against NumPy's own output (`i` in the place of `j`, booleans in lower case).

use affinimath_array::display::format;
use affinimath_array::{Axes, Element, Shape};
use affinimath_core::{Complex32, Complex64};

fn text<T: Element>(shape: &[usize], elements: &[T]) -> String {
    format(T::host(elements), &Shape::new(shape).unwrap(), Axes::default())
}

#[test]
fn integers_and_booleans_are_aligned() {
    assert_eq!(text(&[4], &[1, -20, 300, 4]), "[  1 -20 300   4]");
    assert_eq!(text(&[2, 2], &[1u8, 255, 0, 10]), "[[  1 255]\n [  0  10]]");
    assert_eq!(text(&[2], &[true, false]), "[ true false]");
    assert_eq!(text(&[0], &[0i64; 0]), "[]");
    assert_eq!(text(&[3, 0], &[0i64; 0]), "[]");
}

#[test]
fn single_elements_have_all_digits() {
    assert_eq!(text(&[], &[0.1]), "0.1");
    assert_eq!(text(&[], &[1.0]), "1.0");
    assert_eq!(text(&[], &[1.0 / 3.0]), "0.3333333333333333");
    assert_eq!(text(&[], &[7u32]), "7");
    assert_eq!(text(&[], &[true]), "true");
    assert_eq!(text(&[], &[Complex64::new(1.0, -2.5)]), "1.0-2.5i");
}

#[test]
fn points_stand_in_one_column() {
    assert_eq!(text(&[3], &[1.0, 2.0, 3.0]), "[1. 2. 3.]");
    assert_eq!(text(&[3], &[1.0, -2.5, 3.25]), "[ 1.   -2.5   3.25]");
    assert_eq!(text(&[2], &[1.0 / 3.0, 100.0]), "[  0.33333333 100.        ]");
    assert_eq!(text(&[2], &[0.1f32, 0.7]), "[0.1 0.7]");
    assert_eq!(text(&[2], &[1.0f32 / 3.0, 100.0]), "[  0.33333334 100.        ]");
    assert_eq!(text(&[2], &[-0.0, 0.0]), "[-0.  0.]");
    assert_eq!(text(&[3], &[0.999999999, 2.0, 3.0]), "[1. 2. 3.]");
}

#[test]
fn wide_ranges_have_exponents() {
    assert_eq!(text(&[2], &[1e-5, 1.0]), "[1.e-05 1.e+00]");
    assert_eq!(text(&[2], &[1e8, 2.5]), "[1.0e+08 2.5e+00]");
    assert_eq!(text(&[3], &[1.0, 1234.5, 0.0]), "[1.0000e+00 1.2345e+03 0.0000e+00]");
    assert_eq!(text(&[2], &[1.0, 1000.0]), "[   1. 1000.]");
    assert_eq!(text(&[2], &[1.0f32 / 3.0, 2e9]), "[3.3333334e-01 2.0000000e+09]");
    assert_eq!(text(&[2], &[-1e100, 1.0 / 3.0]), "[-1.00000000e+100  3.33333333e-001]");
}

#[test]
fn values_that_are_not_finite_are_aligned_too() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    assert_eq!(text(&[4], &[1.0, nan, inf, -inf]), "[  1.  nan  inf -inf]");
    assert_eq!(text(&[2], &[nan, 1.25]), "[ nan 1.25]");
    assert_eq!(text(&[2], &[nan, nan]), "[nan nan]");
    assert_eq!(text(&[2], &[-inf, 1e10]), "[  -inf 1.e+10]");
    assert_eq!(text(&[3], &[inf, 1e-300, 5.0]), "[    inf 1.e-300 5.e+000]");
}

#[test]
fn complex_parts_are_aligned_each() {
    let z = [Complex64::new(1.0, 2.0), Complex64::new(-3.5, -0.25)];
    assert_eq!(text(&[2], &z), "[ 1. +2.i   -3.5-0.25i]");
    let z = [Complex32::new(1.0, 0.0), Complex32::new(0.0, -1.0)];
    assert_eq!(text(&[2], &z), "[1.+0.i 0.-1.i]");
    let z = [Complex64::new(f64::NAN, 1.0), Complex64::new(2.0, -f64::INFINITY)];
    assert_eq!(text(&[2], &z), "[nan +1.i  2.-infi]");
}

#[test]
fn long_rows_are_wrapped_and_planes_are_apart() {
    let row: Vec<i64> = (0..40).map(|i| i * 1000).collect();
    let expected = "\
[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000
 12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000
 24000 25000 26000 27000 28000 29000 30000 31000 32000 33000 34000 35000
 36000 37000 38000 39000]";
    assert_eq!(text(&[40], &row), expected);
    let cube: Vec<i64> = (0..8).collect();
    assert_eq!(text(&[2, 2, 2], &cube), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
}

#[test]
fn the_middle_of_a_cut_axis_is_dots() {
    let shape = Shape::new(&[6, 6]).unwrap();
    let elements: Vec<u8> = (0..36).map(|i| i % 10).collect();
    let expected = "\
[[0 1 2 ... 3 4 5]
 [6 7 8 ... 9 0 1]
 [2 3 4 ... 5 6 7]
 ...
 [8 9 0 ... 1 2 3]
 [4 5 6 ... 7 8 9]
 [0 1 2 ... 3 4 5]]";
    assert_eq!(format(u8::host(&elements), &shape, Axes::all(2)), expected);
    let expected =
        "[[0 1 2 3 4 5]\n [6 7 8 9 0 1]\n [2 3 4 5 6 7]\n ...\n [8 9 0 1 2 3]\n [4 5 6 7 8 9]\n [0 1 2 3 4 5]]";
    assert_eq!(format(u8::host(&elements), &shape, Axes::one(0)), expected);
}
