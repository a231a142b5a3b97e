//! Slices against tables that were made by hand from Python's rules.

use crate::eager::values;
use affinimath_array::{Ellipsis, ErrorKind, Expr, NewAxis, Slice, from_vec, iota, s};

fn line(n: usize) -> Expr<i64> {
    iota(n)
}

/// The indices that a slice of `0..n` takes.
fn taken(n: usize, slice: Slice) -> Vec<i64> {
    let expr = line(n).at([slice]);
    let list = values(&expr);
    // Memory has the same slices by strides.
    assert_eq!(values(&from_vec(n, (0..n as i64).collect()).at([slice])), list);
    list
}

fn range(start: Option<i64>, end: Option<i64>, step: i64) -> Slice {
    Slice::Range { start, end, step }
}

#[test]
fn ranges_follow_python() {
    type Row = (Option<i64>, Option<i64>, i64, &'static [i64]);
    let table: [Row; 24] = [
        (None, None, 1, &[0, 1, 2, 3, 4, 5]),
        (Some(1), Some(-1), 1, &[1, 2, 3, 4]),
        (Some(2), Some(4), 1, &[2, 3]),
        (None, Some(-4), 1, &[0, 1]),
        (Some(-2), None, 1, &[4, 5]),
        (None, None, 2, &[0, 2, 4]),
        (Some(1), None, 2, &[1, 3, 5]),
        (Some(1), Some(5), 3, &[1, 4]),
        (None, None, 100, &[0]),
        (None, None, -1, &[5, 4, 3, 2, 1, 0]),
        (None, None, -2, &[5, 3, 1]),
        (Some(4), Some(1), -1, &[4, 3, 2]),
        (Some(4), None, -3, &[4, 1]),
        (None, Some(2), -1, &[5, 4, 3]),
        (Some(-2), Some(-5), -1, &[4, 3, 2]),
        (Some(1), Some(4), -1, &[]),
        (Some(4), Some(1), 1, &[]),
        (Some(3), Some(3), 1, &[]),
        (Some(-100), Some(100), 1, &[0, 1, 2, 3, 4, 5]),
        (Some(100), Some(-100), -1, &[5, 4, 3, 2, 1, 0]),
        (Some(100), None, 1, &[]),
        (Some(0), Some(-100), -1, &[0]),
        (Some(i64::MIN), Some(i64::MAX), i64::MAX, &[0]),
        (Some(i64::MAX), Some(i64::MIN), i64::MIN, &[5]),
    ];
    for (start, end, step, expected) in table {
        assert_eq!(taken(6, range(start, end, step)), expected, "{start:?}:{end:?}:{step}");
    }
    for slice in [range(None, None, 1), range(None, None, -1), range(Some(-1), None, 1), range(Some(1), None, -2)] {
        assert_eq!(taken(0, slice), [0i64; 0]);
    }
}

#[test]
fn the_macro_takes_literals_and_variables() {
    let (n, step, negative) = (4usize, 2usize, -1i64);
    assert_eq!(s![1..-1], [range(Some(1), Some(-1), 1)]);
    assert_eq!(
        s![..n, n.., negative..;step],
        [range(None, Some(4), 1), range(Some(4), None, 1), range(Some(-1), None, 2),]
    );
    assert_eq!(
        s![..=2, 1..=-1, ..=n - 1,],
        [range(None, Some(3), 1), range(Some(1), None, 1), range(None, Some(4), 1),]
    );
    assert_eq!(s![..;-1, 3, NewAxis, Ellipsis], [Slice::FULL.by(-1), Slice::Index(3), NewAxis, Ellipsis]);
}

#[test]
fn slices_of_several_axes_take_the_elements_of_each() {
    let u = iota([3, 4]);
    assert_eq!(values(&u.at(s![1..-1, ..])), [4, 5, 6, 7]);
    assert_eq!(values(&u.at(s![.., 1..;2])), [1, 3, 5, 7, 9, 11]);
    assert_eq!(values(&u.at(s![..;-2, 0])), [8, 0]);
    assert_eq!(values(&u.at(s![-1])), [8, 9, 10, 11]);
    assert_eq!(u.at(s![-1]).shape(), &[4]);
    assert_eq!(u.at(s![1, 2]).shape(), &[] as &[usize; 0]);
    assert_eq!(values(&u.at(s![1, 2])), [6]);
    assert_eq!(u.at(s![.., NewAxis, 0..2]).shape(), &[3, 1, 2]);
    assert_eq!(u.at(s![NewAxis, Ellipsis, 3]).shape(), &[1, 3]);
    assert_eq!(u.at(s![Ellipsis, NewAxis]).shape(), &[3, 4, 1]);
    assert_eq!(u.at(s![Ellipsis, 0, 0]).shape(), &[] as &[usize; 0]);
    assert_eq!(u.at([]).shape(), &[3, 4]);
}

#[test]
fn a_slice_of_a_slice_is_one_view() {
    let u = iota([6, 8]);
    let twice = u.at(s![1..;2, ..;-1]).at(s![..;-1, 1..6]).at(s![1, 2..]);
    assert_eq!(twice.node().operands()[0].id(), u.node().id());
    // Row 3, columns 6, 5, 4, 3, 2 from the third one on.
    assert_eq!(values(&twice), [28, 27, 26]);
}

#[test]
fn bad_slices_are_errors() {
    let kind = |expr: Expr<i64>| expr.error().unwrap().kind.clone();
    let u = iota([3, 4]);
    assert_eq!(kind(u.at(s![3])), ErrorKind::Index { index: 3, axis: 0, extent: 3 });
    assert_eq!(kind(u.at(s![0, -5])), ErrorKind::Index { index: -5, axis: 1, extent: 4 });
    assert_eq!(kind(u.at(s![.., .., ..])), ErrorKind::TooManySlices { count: 3, rank: 2 });
    assert_eq!(kind(u.at(s![..;0])), ErrorKind::ZeroStep);
    assert!(matches!(kind(u.at(s![Ellipsis, Ellipsis])), ErrorKind::Argument { .. }));
    assert!(matches!(kind(u.at([NewAxis; 7])), ErrorKind::Rank { rank: 9 }));
    assert!(matches!(kind(iota([]).at(s![0])), ErrorKind::TooManySlices { .. }));
}

#[test]
fn parts_intersect_if_an_element_is_in_both() {
    use affinimath_array::Shape;
    use affinimath_array::slice::intersect;

    let bounds = [None, Some(0), Some(1), Some(3), Some(-2)];
    let mut slices = vec![Slice::Index(2), Slice::Index(-1)];
    for (start, end) in bounds.iter().flat_map(|start| bounds.map(|end| (*start, end))) {
        slices.extend([1, 2, 3, -1, -2].map(|step| Slice::Range { start, end, step }));
    }
    for extent in [4, 7] {
        let shape = Shape::new(&[extent]).unwrap();
        for (a, b) in slices.iter().flat_map(|a| slices.iter().map(move |b| (*a, *b))) {
            let (first, second) = (taken(extent, a), taken(extent, b));
            let expected = first.iter().any(|index| second.contains(index));
            assert_eq!(intersect(&shape, &[a], &[b]), expected, "{a:?} and {b:?} of {extent}");
        }
    }
    let square = Shape::new(&[5, 5]).unwrap();
    assert!(!intersect(&square, &s![0], &s![1.., 0]) && intersect(&square, &s![0], &s![.., 0]));
    assert!(intersect(&Shape::SCALAR, &[], &[]) && !intersect(&square, &s![7], &s![7]));
}
