//! Matrices of `nalgebra`.

use super::{array, check, for_each_type};
use crate::Element;
use affinimath_core::Error;
use nalgebra::{DMatrix, DVector, Dyn, Matrix2x3, OMatrix, RowDVector, SMatrix, U2, Vector3};

#[test]
fn elements_of_each_type_come_back() {
    fn round_trip<T: Element>(elements: &[T; 6]) {
        // 2 x 3, by columns; in row-major order the elements are these.
        let rows = [0, 2, 4, 1, 3, 5].map(|i| elements[i]);
        let dynamic = DMatrix::from_vec(2, 3, elements.to_vec());
        check(&dynamic, &[2, 3], &[1, 2], &rows);
        assert!(DMatrix::try_from(&array(&dynamic)).unwrap() == dynamic);
        let fixed = Matrix2x3::from_column_slice(elements);
        check(&fixed, &[2, 3], &[1, 2], &rows);
        assert!(Matrix2x3::try_from(&array(&fixed)).unwrap() == fixed);
        let vector = DVector::from_column_slice(elements);
        check(&vector, &[6], &[1], elements);
        assert!(DVector::try_from(&array(&vector)).unwrap() == vector);
    }
    for_each_type!(round_trip);
}

#[test]
fn views_have_any_strides() {
    let a = DMatrix::from_fn(5, 4, |i, j| (10 * i + j) as i32);
    let block = a.view((1, 1), (3, 2));
    check(&block, &[3, 2], &[1, 3], &[11, 12, 21, 22, 31, 32]);
    let stepped = a.view_with_steps((0, 0), (2, 2), (2, 1));
    check(&stepped, &[2, 2], &[1, 2], &[0, 2, 30, 32]);
    check(&a.columns(1, 2), &[5, 2], &[1, 5], &[1, 2, 11, 12, 21, 22, 31, 32, 41, 42]);
    check(&a.column(3), &[5], &[1], &[3, 13, 23, 33, 43]);
    check(&a.row(2), &[1, 4], &[1, 1], &[20, 21, 22, 23]);
    check(&DMatrix::<f32>::zeros(0, 3), &[0, 3], &[1, 1], &[]);
    check(&DMatrix::<f32>::zeros(3, 0), &[3, 0], &[1, 3], &[]);
}

#[test]
fn sizes_of_types_are_checked() {
    let x = array(&[[1, 2, 3], [4, 5, 6]]);
    assert_eq!(OMatrix::<i32, U2, Dyn>::try_from(&x).unwrap().as_slice(), [1, 4, 2, 5, 3, 6]);
    assert_eq!(DMatrix::try_from(&x.t()).unwrap(), DMatrix::from_vec(3, 2, vec![1, 2, 3, 4, 5, 6]));
    assert_eq!(Vector3::try_from(&x.sum(0)).unwrap(), Vector3::new(5, 7, 9));
    assert_eq!(Vector3::try_from(&x.sum(0).new_axis(1)).unwrap(), Vector3::new(5, 7, 9));
    assert_eq!(RowDVector::try_from(&x.sum(0).new_axis(0)).unwrap(), RowDVector::from_vec(vec![5, 7, 9]));
    for error in [
        DMatrix::try_from(&x.flatten()).unwrap_err(),
        DVector::try_from(&x).unwrap_err(),
        SMatrix::<i32, 3, 2>::try_from(&x).unwrap_err(),
        OMatrix::<i32, U2, Dyn>::try_from(&x.t()).unwrap_err(),
        RowDVector::try_from(&x.flatten()).unwrap_err(),
        DMatrix::try_from(&x.new_axis(0)).unwrap_err(),
    ] {
        assert!(matches!(error, Error::ShapeMismatch(_)), "{error}");
    }
}
