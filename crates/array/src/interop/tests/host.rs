//! Rust's own slices, vectors and arrays.

use super::{array, check, context, for_each_type};
use crate::{Array, Element, Expr, from_vec, ones, s};
use affinimath_core::Error;

#[test]
fn elements_of_each_type_come_back() {
    fn round_trip<T: Element>(elements: &[T; 6]) {
        check(elements, &[6], &[1], elements);
        check(&elements.to_vec(), &[6], &[1], elements);
        check(&&elements[..4], &[4], &[1], &elements[..4]);
        let x = array(elements);
        assert!(Vec::try_from(&x).unwrap() == elements && <[T; 6]>::try_from(&x).unwrap() == *elements);
        let rows = <[[T; 3]; 2]>::try_from(&x.reshape([2, 3])).unwrap();
        assert!(rows.as_flattened() == elements);
        check(&rows, &[2, 3], &[3, 1], elements);
        check(&rows.to_vec(), &[2, 3], &[3, 1], elements);
    }
    for_each_type!(round_trip);
}

#[test]
fn empty_ones_keep_their_shapes() {
    check(&[0.0f32; 0], &[0], &[1], &[]);
    check(&[[0.0f32; 3]; 0], &[0, 3], &[3, 1], &[]);
    check(&[[0.0f32; 0]; 3], &[3, 0], &[1, 1], &[]);
    assert_eq!(<[[f32; 0]; 3]>::try_from(&array(&[[0.0f32; 0]; 3])).unwrap(), [[0.0f32; 0]; 3]);
}

#[test]
fn a_wrong_shape_is_an_error() {
    let x = array(&[[1, 2, 3], [4, 5, 6]]);
    for error in [
        <[i32; 6]>::try_from(&x).unwrap_err(),
        <[[i32; 2]; 3]>::try_from(&x).unwrap_err(),
        <[[i32; 3]; 2]>::try_from(&x.flatten()).unwrap_err(),
    ] {
        assert!(matches!(error, Error::ShapeMismatch(_)), "{error}");
    }
}

#[test]
fn values_of_the_host_are_operands() {
    let mut x = array(&[[1.0, 2.0], [3.0, 4.0]]);
    let row: Expr<f64> = [10.0, 20.0].into();
    assert_eq!((&x + row).to_vec().unwrap(), [11.0, 22.0, 13.0, 24.0]);
    x.at_mut(s![1, ..]).assign([7.0, 8.0]).unwrap();
    assert_eq!(<[[f64; 2]; 2]>::try_from(&x).unwrap(), [[1.0, 2.0], [7.0, 8.0]]);
    x.assign([[0.0, 1.0], [2.0, 3.0]]).unwrap();
    x.at_mut(s![.., 0]).assign(vec![5.0, 6.0]).unwrap();
    x.at_mut(s![0, ..]).assign(&[9.0][..]).unwrap();
    assert_eq!(x.to_vec().unwrap(), [9.0, 9.0, 6.0, 3.0]);
}

#[test]
fn a_value_that_changes_later_leaves_the_array() {
    let mut elements = vec![1, 2, 3];
    let x = array(&elements);
    elements[0] = 9;
    assert_eq!(x.to_vec().unwrap(), [1, 2, 3]);
}

#[test]
fn one_element_is_read_by_its_index() {
    let x = array(&[[1, 2, 3], [4, 5, 6]]);
    assert_eq!((x.get([1, 0]).unwrap(), x.get([-1, -1]).unwrap(), x.get([0usize, 2]).unwrap()), (4, 6, 3));
    assert_eq!((&x * 2).get([1, 1]).unwrap(), 10);
    let error = x.get([0, 3]).unwrap_err();
    assert!(error.to_string().contains("index 3 is outside axis 1"), "{error}");
    assert!(x.get([0]).is_err() && x.get([0, 0, 0]).is_err());
}

#[test]
fn a_contiguous_array_is_its_own_copy() {
    let x = array(&[[1, 2, 3], [4, 5, 6]]);
    assert_eq!(x.contiguous().unwrap().leaf().id(), x.leaf().id());
    let turned = x.t().contiguous().unwrap();
    assert!(turned.is_contiguous() && turned.leaf().id() != x.leaf().id());
    assert_eq!(turned.to_vec().unwrap(), [1, 4, 2, 5, 3, 6]);
    assert!(from_vec(2, vec![1, 2]).contiguous().is_err());
}

#[test]
fn unique_memory_is_copied_only_where_it_is_shared() {
    let mut x = array(&[1, 2, 3]);
    let memory = x.leaf().id();
    x.make_unique().unwrap();
    assert_eq!(x.leaf().id(), memory);
    let other = x.clone();
    x.make_unique().unwrap();
    assert!(x.leaf().id() != memory && other.leaf().id() == memory);
    let view = x.at(s![1..]);
    let memory = x.leaf().id();
    x.make_unique().unwrap();
    assert!(x.leaf().id() != memory && view.to_vec().unwrap() == [2, 3]);

    let mut y = array(&[1, 2, 3]);
    let memory = y.leaf().id();
    let mut part = y.at_mut(s![1..]);
    assert_eq!(part.make_unique().unwrap().to_vec().unwrap(), [2, 3]);
    assert_eq!(part.array().leaf().id(), memory);
    assert!(y.at_mut(s![5]).make_unique().is_err() && y.leaf().id() == memory);
    let broadcast = ones::<i32>([1]).eval_on(&context()).unwrap();
    let leaf = broadcast.broadcast_to([3]).eval().unwrap().leaf().clone();
    drop(broadcast);
    let shape = crate::Shape::new(&[3]).unwrap();
    let mut z = Array::<i32>::from_storage(leaf.storage, leaf.offset, shape, leaf.strides).unwrap();
    z.make_unique().unwrap();
    assert!(z.is_contiguous() && z.to_vec().unwrap() == [1, 1, 1]);
}
