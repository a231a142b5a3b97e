//! Arrays of `ndarray`.

use super::{array, check, for_each_type};
use crate::{Array, Element, s as slices};
use affinimath_core::Error;
use ndarray::{Array1, Array2, Array3, ArrayD, Axis, Ix2, IxDyn, ShapeBuilder, arr0, s};

#[test]
fn elements_of_each_type_come_back() {
    fn round_trip<T: Element>(elements: &[T; 6]) {
        let rows = Array2::from_shape_vec((2, 3), elements.to_vec()).unwrap();
        check(&rows, &[2, 3], &[3, 1], elements);
        assert!(Array2::try_from(&array(&rows)).unwrap() == rows);
        assert!(ArrayD::try_from(&array(&rows)).unwrap() == rows.clone().into_dyn());
        let columns = Array2::from_shape_vec((2, 3).f(), elements.to_vec()).unwrap();
        let turned = [0, 2, 4, 1, 3, 5].map(|i| elements[i]);
        check(&columns, &[2, 3], &[1, 2], &turned);
        let back = Array2::try_from(&array(&columns)).unwrap();
        assert!(back == columns && back.strides() == [1, 2]);
    }
    for_each_type!(round_trip);
}

#[test]
fn views_have_any_strides() {
    let cube = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i32);
    // Without gaps: axes in another order, also reversed, stay as they are.
    let turned = cube.view().permuted_axes([2, 0, 1]);
    check(&turned, &[4, 2, 3], &[1, 12, 4], &turned.iter().copied().collect::<Vec<_>>());
    let reversed = cube.slice(s![..;-1, .., ..;-1]);
    check(&reversed, &[2, 3, 4], &[-12, 4, -1], &reversed.iter().copied().collect::<Vec<_>>());
    // With gaps, or with repeated elements: copied row by row.
    for view in [cube.slice(s![.., ..;2, ..]), cube.slice(s![..;-1, 1.., ..;-2]), cube.slice(s![.., 1..1, ..])] {
        let elements: Vec<_> = view.iter().copied().collect();
        let x = array(&view);
        assert!(x.shape().extents() == view.shape() && x.is_contiguous());
        assert_eq!(x.to_vec().unwrap(), elements);
        assert_eq!(Array3::try_from(&x).unwrap(), view);
    }
    let row = cube.index_axis(Axis(0), 1);
    let repeated = row.broadcast((5, 3, 4)).unwrap();
    assert_eq!(Array3::try_from(&array(&repeated)).unwrap(), repeated);
    let mut own = cube.clone();
    let mutable = own.slice_mut(s![1, .., 2]);
    check(&mutable, &[3], &[1], &[102, 112, 122]);
}

#[test]
fn views_of_arrays_come_out_in_row_major_order() {
    let x = array(&[[1, 2, 3], [4, 5, 6]]);
    let reversed = x.at(slices![..;-1, ..;2]);
    assert_eq!(Array2::try_from(&reversed).unwrap(), ndarray::array![[4, 6], [1, 3]]);
    assert_eq!(Array2::try_from(&x.t()).unwrap(), ndarray::array![[1, 4], [2, 5], [3, 6]]);
    assert_eq!(Array1::try_from(&(x.sum(1) * 2)).unwrap(), ndarray::array![12, 30]);
}

#[test]
fn ranks_are_checked() {
    check(&arr0(7.5), &[], &[], &[7.5]);
    assert_eq!(ArrayD::try_from(&array(&arr0(7.5))).unwrap(), arr0(7.5).into_dyn());
    let eight = ArrayD::<u8>::zeros(IxDyn(&[1; 8]));
    assert_eq!(array(&eight).rank(), 8);
    let nine = ArrayD::<u8>::zeros(IxDyn(&[1; 9]));
    let error = Array::from_host(&super::context(), &nine).unwrap_err();
    assert!(error.to_string().contains("at most 8 axes, not 9"), "{error}");
    assert!(crate::from_host(&nine).error().is_some());
    let error = ndarray::Array::<u8, Ix2>::try_from(&array(&eight)).unwrap_err();
    assert!(matches!(error, Error::ShapeMismatch(_)) && error.to_string().contains("of 2 axes"), "{error}");
}

#[test]
fn empty_arrays_keep_their_shapes() {
    for shape in [[0, 3], [3, 0], [0, 0]] {
        let empty = Array2::<f64>::zeros(shape);
        assert_eq!(Array2::try_from(&array(&empty)).unwrap(), empty);
        let columns = Array2::<f64>::zeros((shape[0], shape[1]).f());
        assert_eq!(Array2::try_from(&array(&columns)).unwrap(), columns);
    }
}
