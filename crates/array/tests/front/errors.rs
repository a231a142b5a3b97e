//! Errors: the caller's line, and what they become.

use affinimath_array::node::{ContextId, Storage};
use affinimath_array::{
    ElementType, ErrorKind, Expr, Node, Shape, Strides, complex, concatenate, eye, from_vec, full, integers, iota,
    linspace, normal, ones, s, stack, zeros,
};
use affinimath_core::{Error, error::status};
use std::panic::Location;
use std::sync::Arc;

/// The error of the expression, which must have been written in the line before the call.
#[track_caller]
fn kind<T: affinimath_array::Element>(expr: &Expr<T>) -> ErrorKind {
    let error = expr.error().unwrap_or_else(|| panic!("no error: {expr:?}"));
    let caller = Location::caller();
    assert_eq!((error.location.file(), error.location.line() + 1), (caller.file(), caller.line()), "{error}");
    error.kind.clone()
}

#[test]
fn each_operation_tells_the_line_that_wrote_it() {
    let (x, y) = (ones::<f64>([4, 3]), ones::<f64>([4, 2]));
    let e = &x + &y;
    assert!(matches!(kind(&e), ErrorKind::Broadcast { operation: "+", .. }));
    let e = 2.0 * &x - &y;
    assert!(matches!(kind(&e), ErrorKind::Broadcast { operation: "-", .. }));
    let e = x.maximum(&y);
    assert!(matches!(kind(&e), ErrorKind::Broadcast { operation: "maximum", .. }));
    let e = x.gt(&y);
    assert!(matches!(kind(&e), ErrorKind::Broadcast { operation: "gt", .. }));
    let e = x.clamp(0.0, &y);
    assert!(matches!(kind(&e), ErrorKind::Broadcast { operation: "minimum", .. }));
    let e = x.fma(&x, &y);
    assert!(matches!(kind(&e), ErrorKind::Broadcast { operation: "fma", .. }));
    let e = x.gt(0.0).select(&x, &y);
    assert!(matches!(kind(&e), ErrorKind::Broadcast { operation: "select", .. }));
    let e = complex(&x, &y);
    assert!(matches!(kind(&e), ErrorKind::Broadcast { operation: "complex", .. }));
    let mut e = x.clone();
    e += &y;
    assert!(matches!(kind(&e), ErrorKind::Broadcast { operation: "+", .. }));
    let e = complex(&x, &x).cast::<f64>();
    assert!(matches!(kind(&e), ErrorKind::Unsupported { element: ElementType::C64, .. }));
}

#[test]
fn views_tell_the_line_that_wrote_them() {
    let x = ones::<f64>([4, 3]);
    let e = x.at(s![4]);
    assert!(matches!(kind(&e), ErrorKind::Index { index: 4, axis: 0, extent: 4 }));
    let e = x.reshape([5, 2]);
    assert!(matches!(kind(&e), ErrorKind::Reshape { .. }));
    let e = x.reshape([1; 9]);
    assert!(matches!(kind(&e), ErrorKind::Rank { rank: 9 }));
    let e = x.broadcast_to([3, 4]);
    assert!(matches!(kind(&e), ErrorKind::BroadcastTo { .. }));
    let e = x.permute([0, 0]);
    assert!(matches!(kind(&e), ErrorKind::Axes { all: true, .. }));
    let e = x.permute([0]);
    assert!(matches!(kind(&e), ErrorKind::Axes { all: true, .. }));
    let e = x.permute([0, 2]);
    assert!(matches!(kind(&e), ErrorKind::Axis { axis: 2, rank: 2 }));
    let e = x.reverse(2);
    assert!(matches!(kind(&e), ErrorKind::Axis { axis: 2, rank: 2 }));
    let e = x.new_axis(4);
    assert!(matches!(kind(&e), ErrorKind::Axis { axis: 4, rank: 2 }));
}

#[test]
fn reductions_and_joins_tell_the_line_that_wrote_them() {
    let (x, none) = (ones::<f64>([4, 3]), zeros::<f64>([4, 0]));
    let e = x.sum(2);
    assert!(matches!(kind(&e), ErrorKind::Axis { axis: 2, rank: 2 }));
    let e = x.mean([0, 0]);
    assert!(matches!(kind(&e), ErrorKind::Axes { operation: "mean", all: false, .. }));
    let e = x.var(-3);
    assert!(matches!(kind(&e), ErrorKind::Axis { axis: -3, rank: 2 }));
    let e = none.min(1);
    assert!(matches!(kind(&e), ErrorKind::Empty { operation: "min", .. }));
    let e = none.argmax(..);
    assert!(matches!(kind(&e), ErrorKind::Empty { operation: "argmax", .. }));
    let e = x.cumsum(2);
    assert!(matches!(kind(&e), ErrorKind::Axis { axis: 2, rank: 2 }));
    let e = x.matmul(&x);
    assert!(matches!(kind(&e), ErrorKind::Shapes { operation: "matmul", .. }));
    let e = x.matmul(1.0);
    assert!(matches!(kind(&e), ErrorKind::Shapes { operation: "matmul", .. }));
    let e = concatenate(1, [&x, &ones([3, 3])]);
    assert!(matches!(kind(&e), ErrorKind::Shapes { operation: "concatenate", .. }));
    let e = concatenate(2, [&x, &x]);
    assert!(matches!(kind(&e), ErrorKind::Axis { axis: 2, rank: 2 }));
    let e = concatenate::<f64, &Expr<f64>>(0, []);
    assert!(matches!(kind(&e), ErrorKind::Argument { operation: "concatenate", .. }));
    let e = stack(0, [&x, &none]);
    assert!(matches!(kind(&e), ErrorKind::Shapes { operation: "stack", .. }));
    let e = x.index_along(2, 0);
    assert!(matches!(kind(&e), ErrorKind::Axis { axis: 2, rank: 2 }));
    let e = none.t().index(0);
    assert!(matches!(kind(&e), ErrorKind::Empty { operation: "index", .. }));
}

#[test]
fn generators_tell_the_line_that_wrote_them() {
    let e = full([1 << 40, 1 << 40], 1.0);
    assert!(matches!(kind(&e), ErrorKind::TooLarge { .. }));
    let e = ones::<f64>([1 << 40, 1 << 40]);
    assert!(matches!(kind(&e), ErrorKind::TooLarge { .. }));
    let e = iota([1; 9]);
    assert!(matches!(kind(&e), ErrorKind::Rank { rank: 9 }));
    let e = eye::<f64>([3, 3, 3], 0);
    assert!(matches!(kind(&e), ErrorKind::Argument { operation: "eye", .. }));
    let e = linspace(0.0, 1.0, usize::MAX);
    assert!(matches!(kind(&e), ErrorKind::TooLarge { .. }));
    let e = normal::<f64>(1, [1; 9]);
    assert!(matches!(kind(&e), ErrorKind::Rank { rank: 9 }));
    let e = integers(1, [3], 5..5);
    assert!(matches!(kind(&e), ErrorKind::Argument { operation: "integers", .. }));
    let e = from_vec([3], vec![1, 2]);
    assert!(matches!(kind(&e), ErrorKind::Argument { operation: "from_vec", .. }));
}

#[test]
fn the_first_error_is_passed_on_by_every_operation() {
    let x = ones::<f64>([4, 3]);
    let first = &x + ones([5]);
    let location = first.error().unwrap().location;
    let later = first.abs().sum(7).exp() + x.at(s![9]);
    assert_eq!(later.error().unwrap().location, location);
    let mask = later.gt(0.0);
    assert_eq!(mask.node().element(), ElementType::Bool);
    let counted = mask.count(..).cast::<u8>().reshape([9]).permute([1]).t().reverse(4).powi(3).new_axis(9);
    assert_eq!(counted.error().unwrap().location, location);
    let joined = stack(0, [&later, &x]).matmul(&x).var(3).norm().index(0).cumsum(1);
    assert_eq!(joined.error().unwrap().location, location);
    assert!(format!("{}", joined.error().unwrap()).contains("errors.rs:"));
}

/// Memory of a context that cannot be read.
struct Elsewhere(u64);

impl Storage for Elsewhere {
    fn element(&self) -> ElementType {
        ElementType::F64
    }

    fn len(&self) -> usize {
        12
    }

    fn context(&self) -> Option<ContextId> {
        Some(ContextId(self.0))
    }
}

fn elsewhere(context: u64) -> Expr<f64> {
    Expr::from_node(Node::contiguous(Arc::new(Elsewhere(context)), Shape::new(&[3, 4]).unwrap()))
}

#[test]
fn operands_of_two_contexts_are_an_error() {
    let (a, b) = (elsewhere(1), elsewhere(2));
    assert!((&a + &a * 2.0 + from_vec(4, vec![0.0; 4])).error().is_none());
    let e = (&a * 2.0).exp() + &b;
    assert!(matches!(kind(&e), ErrorKind::Memory { operation: "+" }));
    let e = a.matmul(b.t());
    assert!(matches!(kind(&e), ErrorKind::Memory { operation: "matmul" }));
    let error: Error = e.error().unwrap().clone().into();
    assert_eq!(error.status(), status::MIXED_MEMORY);
}

#[test]
fn a_leaf_lies_within_its_memory() {
    let leaf = |offset: usize, extents: &[usize], strides: &[i64]| {
        let (shape, strides) = (Shape::new(extents).unwrap(), Strides::new(strides).unwrap());
        Node::leaf(Arc::new(Elsewhere(1)), offset, shape, strides).error().map(|error| error.kind.clone())
    };
    assert_eq!(leaf(0, &[3, 4], &[4, 1]), None);
    assert_eq!(leaf(11, &[12], &[-1]), None);
    assert_eq!(leaf(11, &[12], &[0]), None);
    assert_eq!(leaf(usize::MAX, &[0], &[1]), None);
    assert!(matches!(leaf(1, &[3, 4], &[4, 1]), Some(ErrorKind::OutOfMemory { available: 12, .. })));
    assert!(matches!(leaf(10, &[12], &[-1]), Some(ErrorKind::OutOfMemory { .. })));
    assert!(matches!(leaf(12, &[1], &[1]), Some(ErrorKind::OutOfMemory { .. })));
    assert!(matches!(leaf(0, &[3], &[i64::MAX]), Some(ErrorKind::OutOfMemory { .. })));
    assert!(matches!(leaf(0, &[3, 4], &[1]), Some(ErrorKind::Argument { .. })));
}

#[test]
fn errors_become_those_of_the_library() {
    let x = ones::<f64>([4, 3]);
    let of = |expr: Expr<f64>| Error::from(expr.error().unwrap().clone());
    assert_eq!(of(&x + ones([5])).status(), status::SHAPE_MISMATCH);
    assert_eq!(of(x.sum(5)).status(), -1);
    let text = of(&x + ones([5])).to_string();
    assert!(text.contains("[4, 3] and [5]") && text.contains("errors.rs:"), "{text}");
    let text = of(x.permute([0, 0])).to_string();
    assert!(text.contains("each must stand once"), "{text}");
}
