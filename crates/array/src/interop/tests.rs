//! Conversions copy once and keep values, shapes and orders.

use crate::eager::Eager;
use crate::{Array, AsHostArray, HostArray, ones};
use affinimath_core::Layout;
use std::sync::Arc;

mod faer;
mod host;
mod nalgebra;
mod ndarray;

fn context() -> Arc<Eager> {
    Eager::new(1)
}

/// The value as an array.
#[track_caller]
fn array<V: AsHostArray>(value: &V) -> Array<V::Element> {
    Array::from_host(&context(), value).unwrap()
}

/// Checks shape, strides and elements of the array of a value, and of its operand.
#[track_caller]
fn check<V: AsHostArray>(value: &V, shape: &[usize], strides: &[i64], elements: &[V::Element]) {
    let array = array(value);
    assert_eq!((array.shape().extents(), &array.strides()[..]), (shape, strides));
    assert!(array.to_vec().unwrap() == elements, "{array}");
    let operand = crate::from_host(value).eval_on(&context()).unwrap();
    assert!(operand.to_vec().unwrap() == elements && operand.shape() == array.shape());
}

/// Elements of each type, one call for each.
macro_rules! for_each_type {
    ($check:ident) => {
        $check(&[true, false, true, true, false, false]);
        $check(&[1u8, 2, 3, 4, 5, 255]);
        $check(&[1i32, -2, 3, -4, 5, i32::MIN]);
        $check(&[1u32, 2, 3, 4, 5, u32::MAX]);
        $check(&[1i64, -2, 3, -4, 5, i64::MAX]);
        $check(&[1.0f32, -2.5, 0.0, f32::INFINITY, 5.0, 1e-40]);
        $check(&[1.0f64, -2.5, 0.0, f64::INFINITY, 5.0, 1e-310]);
        $check(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].map(|x| affinimath_core::Complex32::new(x, -x)));
        $check(&[1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0].map(|x| affinimath_core::Complex64::new(x, 1.0 / x)));
    };
}
use for_each_type;

#[test]
fn strides_must_stay_within_the_elements() {
    let elements = [0, 1, 2, 3, 4, 5];
    let view = |extents: &[usize], strides: &[i64], offset| HostArray::strided(extents, strides, offset, &elements[..]);
    check(&view(&[2, 2], &[-3, 1], 3).unwrap(), &[2, 2], &[-3, 1], &[3, 4, 0, 1]);
    check(&view(&[0, 2], &[7, 7], 0).unwrap(), &[0, 2], &[7, 7], &[]);
    for (extents, strides, offset) in [
        (&[2, 2][..], &[-3, 1][..], 2),
        (&[2, 2], &[3, 1], 2),
        (&[2, 2], &[1], 0),
        (&[2], &[i64::MAX], 0),
        (&[1], &[1], usize::MAX),
        (&[1; 9], &[1; 9], 0),
    ] {
        assert!(view(extents, strides, offset).is_err(), "{extents:?} {strides:?} {offset}");
    }
    assert!(HostArray::new(Layout::RowMajor, &[2, 2], &elements[..]).is_err());
}

#[test]
fn an_expression_with_an_error_has_no_value() {
    let wrong = ones::<f64>([2, 3]) + ones([3, 2]);
    let text = |error: affinimath_core::Error| assert!(error.to_string().contains("[2, 3] and [3, 2]"), "{error}");
    text(Vec::try_from(&wrong).unwrap_err());
    text(<[f64; 1]>::try_from(&wrong).unwrap_err());
    text(<[[f64; 1]; 1]>::try_from(&wrong).unwrap_err());
    text(::ndarray::ArrayD::try_from(&wrong).unwrap_err());
    text(::nalgebra::DMatrix::try_from(&wrong).unwrap_err());
    text(::nalgebra::Matrix2::try_from(&wrong).unwrap_err());
    text(::faer::Mat::try_from(&wrong).unwrap_err());
    text(::faer::Col::try_from(&wrong).unwrap_err());
}
