//! Matrices of `faer`.

use super::{array, check, for_each_type};
use crate::Element;
use affinimath_core::Error;
use faer::{Col, Mat};

#[test]
fn elements_of_each_type_come_back() {
    fn round_trip<T: Element>(elements: &[T; 6]) {
        let matrix = Mat::from_fn(2, 3, |i, j| elements[3 * i + j]);
        check(&matrix, &[2, 3], &[1, 2], elements);
        let back = Mat::try_from(&array(&matrix)).unwrap();
        assert!((0..6).all(|k| back[(k / 3, k % 3)] == elements[k]) && (back.nrows(), back.ncols()) == (2, 3));
        let column = Col::from_fn(6, |i| elements[i]);
        check(&column, &[6], &[1], elements);
        let back = Col::try_from(&array(&column)).unwrap();
        assert!(back.nrows() == 6 && (0..6).all(|i| back[i] == elements[i]));
    }
    for_each_type!(round_trip);
}

#[test]
fn views_have_any_strides() {
    let a = Mat::from_fn(5, 4, |i, j| (10 * i + j) as i32);
    check(&a.as_ref().submatrix(1, 1, 3, 2), &[3, 2], &[1, 3], &[11, 12, 21, 22, 31, 32]);
    check(&a.as_ref().submatrix(1, 1, 3, 2).transpose(), &[2, 3], &[3, 1], &[11, 21, 31, 12, 22, 32]);
    check(&a.as_ref().get(..2, ..2).reverse_rows(), &[2, 2], &[1, 2], &[10, 11, 0, 1]);
    check(&a.as_ref().get(..2, ..2).reverse_cols(), &[2, 2], &[1, 2], &[1, 0, 11, 10]);
    check(&a.as_ref().col(2), &[5], &[1], &[2, 12, 22, 32, 42]);
    check(&a.as_ref().col(2).reverse_rows(), &[5], &[1], &[42, 32, 22, 12, 2]);
    check(&a.as_ref().row(3).transpose(), &[4], &[1], &[30, 31, 32, 33]);
    check(&Mat::<f64>::zeros(0, 3), &[0, 3], &[1, 1], &[]);
    check(&Mat::<f64>::zeros(3, 0).as_ref(), &[3, 0], &[1, 3], &[]);
}

#[test]
fn ranks_are_checked() {
    let x = array(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let turned = Mat::try_from(&x.t()).unwrap();
    assert!((turned.nrows(), turned.ncols(), turned[(2, 0)], turned[(0, 1)]) == (3, 2, 3.0, 4.0));
    for error in [Mat::try_from(&x.flatten()).unwrap_err(), Col::try_from(&x).unwrap_err()] {
        assert!(matches!(error, Error::ShapeMismatch(_)), "{error}");
    }
}
