//! Shapes, broadcasting, axes and strides.

use affinimath_array::shape::MAX_LEN;
use affinimath_array::{Axes, ErrorKind, IntoAxes, Shape, Strides, coordinates, eye, iota, linspace, ones, zeros};
use affinimath_core::Layout;

fn shape(extents: &[usize]) -> Shape {
    Shape::new(extents).unwrap()
}

#[test]
fn a_shape_has_up_to_eight_axes_and_a_count_of_elements_that_fits() {
    assert_eq!(shape(&[]).len(), 1);
    assert_eq!(shape(&[2, 3, 4]).len(), 24);
    assert_eq!(shape(&[2, 0, 4]).len(), 0);
    assert_eq!(shape(&[1; 8]).rank(), 8);
    assert_eq!(Shape::new(&[1; 9]), Err(ErrorKind::Rank { rank: 9 }));
    assert_eq!(Shape::new(&[MAX_LEN]).unwrap().len(), MAX_LEN);
    assert!(matches!(Shape::new(&[MAX_LEN + 1]), Err(ErrorKind::TooLarge { .. })));
    assert!(matches!(Shape::new(&[1 << 40, 1 << 40]), Err(ErrorKind::TooLarge { .. })));
    // Zeros do not hide extents whose strides would overflow.
    assert!(matches!(Shape::new(&[0, 1 << 40, 1 << 40]), Err(ErrorKind::TooLarge { .. })));
}

#[test]
fn broadcasting_follows_numpy() {
    type Row = (&'static [usize], &'static [usize], Option<&'static [usize]>);
    let table: [Row; 12] = [
        (&[], &[], Some(&[])),
        (&[3], &[], Some(&[3])),
        (&[], &[2, 3], Some(&[2, 3])),
        (&[3], &[2, 3], Some(&[2, 3])),
        (&[2, 1], &[3], Some(&[2, 3])),
        (&[2, 1], &[1, 3], Some(&[2, 3])),
        (&[8, 1, 6, 1], &[7, 1, 5], Some(&[8, 7, 6, 5])),
        (&[0], &[1], Some(&[0])),
        (&[1], &[0], Some(&[0])),
        (&[0], &[3], None),
        (&[2, 1], &[8, 4, 3], None),
        (&[3], &[4], None),
    ];
    for (left, right, expected) in table {
        let result = shape(left).broadcast(&shape(right), "+").ok();
        assert_eq!(result.as_ref().map(Shape::extents), expected, "{left:?} {right:?}");
        let result = shape(right).broadcast(&shape(left), "+").ok();
        assert_eq!(result.as_ref().map(Shape::extents), expected, "{right:?} {left:?}");
    }
}

#[test]
fn a_broadcast_result_that_is_too_large_is_an_error() {
    let (tall, wide) = (shape(&[1 << 40, 1]), shape(&[1 << 40]));
    assert!(matches!(tall.broadcast(&wide, "+"), Err(ErrorKind::TooLarge { .. })));
}

#[test]
fn broadcasts_to_is_one_sided() {
    assert!(shape(&[1, 3]).broadcasts_to(&shape(&[5, 2, 3])));
    assert!(!shape(&[2, 3]).broadcasts_to(&shape(&[1, 3])));
    assert!(!shape(&[2, 3]).broadcasts_to(&shape(&[3])));
}

#[test]
fn negative_axes_count_from_the_last() {
    let s = shape(&[2, 3, 4]);
    assert_eq!((s.axis(0), s.axis(2), s.axis(-1), s.axis(-3)), (Ok(0), Ok(2), Ok(2), Ok(0)));
    for axis in [3, -4, i64::MAX, i64::MIN] {
        assert_eq!(s.axis(axis), Err(ErrorKind::Axis { axis, rank: 3 }));
    }
    assert!(shape(&[]).axis(0).is_err());
}

#[test]
fn axes_are_named_by_a_number_an_array_or_a_full_range() {
    let s = shape(&[2, 3, 4]);
    assert_eq!((..).into_axes(&s, "sum"), Ok(Axes::all(3)));
    assert_eq!(().into_axes(&s, "sum"), Ok(Axes::all(3)));
    assert_eq!((-1).into_axes(&s, "sum"), Ok(Axes::one(2)));
    assert_eq!([0, -1].into_axes(&s, "sum"), Ok(Axes::one(0).with(2)));
    assert!(matches!([0, -3].into_axes(&s, "sum"), Err(ErrorKind::Axes { .. })));
    assert_eq!(Axes::all(8).iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!((Axes::all(0).len(), Axes::all(8).len()), (0, 8));
}

#[test]
fn strides_follow_the_layout() {
    let s = shape(&[2, 3, 4]);
    assert_eq!(Strides::row_major(&s)[..], [12, 4, 1]);
    assert_eq!(Strides::of(&s, Layout::ColumnMajor)[..], [1, 2, 6]);
    assert!(Strides::row_major(&s).is_row_major(&s));
    assert!(!Strides::column_major(&s).is_row_major(&s));
    // Strides of axes of extent 1 do not count.
    assert!(Strides::new(&[99, 1]).unwrap().is_row_major(&shape(&[1, 5])));
}

#[test]
fn the_span_of_strides_has_both_ends() {
    let span = |strides: &[i64], extents: &[usize]| Strides::new(strides).unwrap().span(&shape(extents));
    assert_eq!(span(&[4, 1], &[3, 4]), Some((0, 11)));
    assert_eq!(span(&[-4, 1], &[3, 4]), Some((-8, 3)));
    assert_eq!(span(&[0, -1], &[3, 4]), Some((-3, 0)));
    assert_eq!(span(&[4, 1], &[0, 4]), None);
    assert_eq!(span(&[], &[]), Some((0, 0)));
}

#[test]
fn strides_tell_that_elements_lie_apart() {
    let apart = |strides: &[i64], extents: &[usize]| Strides::new(strides).unwrap().is_injective(&shape(extents));
    assert!(apart(&[4, 1], &[3, 4]));
    assert!(apart(&[1, -3], &[3, 4]));
    assert!(apart(&[0, 1], &[1, 4]));
    assert!(!apart(&[0, 1], &[2, 4]));
    assert!(!apart(&[1, 1], &[2, 2]));
    assert!(!apart(&[3, 1], &[2, 4]));
}

#[test]
fn reshapes_are_views_where_axes_continue_each_other() {
    let reshaped = |strides: &[i64], from: &[usize], to: &[usize]| {
        Strides::new(strides).unwrap().reshaped(&shape(from), &shape(to)).map(|strides| strides.to_vec())
    };
    assert_eq!(reshaped(&[12, 4, 1], &[2, 3, 4], &[6, 4]), Some(vec![4, 1]));
    assert_eq!(reshaped(&[12, 4, 1], &[2, 3, 4], &[24]), Some(vec![1]));
    assert_eq!(reshaped(&[1], &[24], &[2, 3, 4]), Some(vec![12, 4, 1]));
    assert_eq!(reshaped(&[2], &[12], &[3, 1, 4]), Some(vec![8, 8, 2]));
    // A part of each row: rows can be split, not joined.
    assert_eq!(reshaped(&[10, 1], &[6, 4], &[2, 3, 4]), Some(vec![30, 10, 1]));
    assert_eq!(reshaped(&[10, 1], &[6, 4], &[6, 2, 2]), Some(vec![10, 2, 1]));
    assert_eq!(reshaped(&[10, 1], &[6, 4], &[24]), None);
    assert_eq!(reshaped(&[10, 1], &[6, 4], &[3, 8]), None);
    // The transpose of a matrix.
    assert_eq!(reshaped(&[1, 3], &[3, 4], &[12]), None);
    // Repetitions join, and so do reversals.
    assert_eq!(reshaped(&[0, 0], &[3, 4], &[12]), Some(vec![0]));
    assert_eq!(reshaped(&[-4, -1], &[3, 4], &[12]), Some(vec![-1]));
}

#[test]
fn generators_have_the_shapes_asked_for() {
    assert_eq!(zeros::<f32>([2, 3]).shape(), &[2, 3]);
    assert_eq!(ones::<f32>(5).shape(), &[5]);
    assert_eq!(ones::<f32>([]).rank(), 0);
    assert_eq!(ones::<f32>(vec![1, 2]).shape(), &[1, 2]);
    assert_eq!(iota([2, 2]).shape(), &[2, 2]);
    assert_eq!(coordinates([2, 5], 0).shape(), &[2, 5]);
    assert_eq!(linspace(0.0, 1.0, 0).shape(), &[0]);
    assert_eq!(eye::<f64>([3, 4], -1).shape(), &[3, 4]);
    assert!(eye::<f64>([3], 0).error().is_some());
    assert!(ones::<f32>([1; 9]).error().is_some());
}
