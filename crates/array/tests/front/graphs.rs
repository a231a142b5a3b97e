//! Graphs: sharing, hashes, depth, deep chains, and folded views.

use affinimath_array::node::{Op, Storage};
use affinimath_array::{Expr, Node, Shape, from_vec, iota, normal, ones, s};

fn x() -> Expr<f64> {
    from_vec([3, 4], (0..12).map(f64::from).collect())
}

#[test]
fn equal_structures_have_equal_hashes() {
    let (a, b) = (x(), x());
    let built =
        |a: &Expr<f64>, b: &Expr<f64>| (2.5 * a + b.abs().sqrt()).at(s![1.., ..;2]).sum(1) - normal::<f64>(7, [2]);
    assert_eq!(built(&a, &b).node().hash(), built(&a, &b).node().hash());
    // Memory counts by identity, though its contents are equal.
    assert_ne!(built(&a, &b).node().hash(), built(&b, &a).node().hash());
    assert_ne!(built(&a, &a).node().hash(), built(&a, &b).node().hash());
}

#[test]
fn different_structures_have_different_hashes() {
    let a = x();
    let all = [
        &a + 1.0,
        &a + 2.0,
        &a + -0.0,
        &a + 0.0,
        &a - 1.0,
        1.0 - &a,
        a.at(s![1..]),
        a.at(s![..-1]),
        a.reverse(0),
        a.reverse(1),
        a.t(),
        a.reshape([4, 3]),
        a.sum(0),
        a.sum(1),
        a.sum(affinimath_array::keep(0)),
        a.prod(0),
        a.cumsum(0),
        a.cumsum(1),
        a.exp(),
        (&a + 1.0).exp().at(s![1..]),
        (&a + 1.0).exp().at(s![..-1]),
        a.index(iota(2)),
        a.index_along(1, iota(2)),
        a.equal(1.0).cast(),
    ];
    for (i, left) in all.iter().enumerate() {
        for right in &all[..i] {
            assert_ne!(left.node().hash(), right.node().hash(), "{left:?} {right:?}");
            assert!(!left.node().is_same_operation(right.node()));
        }
    }
}

#[test]
fn the_same_operation_is_seen_by_its_operands() {
    let a = x();
    let (first, second) = (a.exp(), a.exp());
    assert_ne!(first.node().id(), second.node().id());
    assert!(first.node().is_same_operation(second.node()));
    // Of operands that are equal but not one node, the hash alone tells.
    assert!(!(&first + 1.0).node().is_same_operation((&second + 1.0).node()));
    assert_eq!((&first + 1.0).node().hash(), (&second + 1.0).node().hash());
    let nan = Expr::scalar(f64::NAN);
    assert!(nan.node().is_same_operation(Expr::scalar(f64::NAN).node()));
    assert!(!Expr::scalar(0.0).node().is_same_operation(Expr::scalar(-0.0).node()));
}

#[test]
fn size_and_depth_count_nodes() {
    let a = x();
    assert_eq!((a.node().size(), a.node().depth()), (1, 1));
    let e = (&a + &a).exp() * 2.0;
    assert_eq!((e.node().size(), e.node().depth()), (6, 4));
    // A shared operand counts each time: 2^70 saturates.
    let mut e = a.clone();
    for _ in 0..70 {
        e = &e + &e;
    }
    assert_eq!((e.node().size(), e.node().depth()), (u64::MAX, 71));
}

#[test]
fn a_chain_of_a_million_nodes_is_made_and_dropped() {
    let mut e = x();
    for _ in 0..1_000_000 {
        e += 1.0;
    }
    assert_eq!(e.node().depth(), 1_000_001);
    let other = e.clone();
    drop(e);
    assert_eq!(other.shape(), &[3, 4]);
    drop(other);
}

#[test]
fn a_wide_and_deep_graph_is_dropped_without_recursion() {
    let mut e = ones::<f64>([2]);
    for _ in 0..100_000 {
        e = affinimath_array::concatenate(0, [&e, &e, &e, &e]).at(s![..2]) + &e;
    }
    drop(e);
}

#[test]
fn views_of_memory_are_memory() {
    let a = x();
    let Op::Leaf(leaf) = a.node().op() else { panic!("a leaf") };
    let views = [
        a.at(s![1.., ..;2]),
        a.t(),
        a.reverse(..),
        a.broadcast_to([5, 3, 4]),
        a.reshape([2, 6]),
        a.reshape([12]),
        a.new_axis(1),
        a.t().reshape([4, 1, 3]),
        a.at(s![3..]),
    ];
    for view in views {
        let Op::Leaf(other) = view.node().op() else { panic!("{view:?}") };
        assert_eq!(other.id(), leaf.id());
    }
    let Op::Leaf(other) = a.at(s![1.., ..;-2]).node().op().clone() else { panic!("a leaf") };
    assert_eq!((other.offset, &other.strides[..]), (7, &[4, -2][..]));
    // A copy is left to the evaluation.
    assert!(matches!(a.t().reshape([12]).node().op(), Op::Reshape));
}

#[test]
fn views_that_change_nothing_are_the_same_node() {
    let e = x().exp();
    for same in [
        e.at(s![.., ..]),
        e.at([]),
        e.permute([0, 1]),
        e.reshape([3, 4]),
        e.broadcast_to([3, 4]),
        e.t().t(),
        e.reverse(..).reverse(..),
        e.new_axis(0).at(s![0]),
        e.cast::<f64>(),
        affinimath_array::concatenate(0, [&e]),
    ] {
        let same = match same.node().op() {
            // Two views that cancel each other leave one that is the identity.
            Op::View(_) => panic!("{same:?}"),
            _ => same,
        };
        assert_eq!(same.node().id(), e.node().id());
    }
}

#[test]
fn axes_of_extent_one_come_and_go_as_views() {
    let e = x().exp();
    let unit = e.reshape([1, 3, 1, 4]);
    assert!(matches!(unit.node().op(), Op::View(_)));
    assert_eq!(unit.reshape([3, 4, 1]).reshape([3, 4]).node().id(), e.node().id());
    assert!(matches!(e.reshape([4, 3]).node().op(), Op::Reshape));
    let twice = e.reshape([4, 3]).reshape([2, 6]);
    assert_eq!(twice.node().operands()[0].id(), e.node().id());
}

#[test]
fn trivial_reductions_leave_nothing_to_join() {
    let e = x().exp();
    let one = e.new_axis(1);
    assert_eq!(one.sum(1).node().id(), e.node().id());
    assert!(matches!(one.argmax(1).node().operands()[0].op(), Op::Scalar(_)));
    let none = ones::<f64>([3, 0]);
    assert!(matches!(none.sum(1).node().operands()[0].op(), Op::Scalar(_)));
    assert_eq!(ones::<f64>([0, 3]).max(1).shape(), &[0]);
}

#[test]
fn memory_is_shared_until_the_last_expression_is_dropped() {
    let a = x();
    let Op::Leaf(leaf) = a.node().op() else { panic!("a leaf") };
    let storage: std::sync::Weak<dyn Storage> = std::sync::Arc::downgrade(&leaf.storage);
    let e = a.at(s![1]).exp().sum(..);
    drop(a);
    assert!(storage.upgrade().is_some());
    drop(e);
    assert!(storage.upgrade().is_none());
}

#[test]
fn nodes_are_sent_between_threads() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Node>();
    is_shared::<Expr<f64>>();
    is_shared::<affinimath_array::Array<f64>>();
    is_shared::<Shape>();
}

#[test]
fn explain_tells_the_plan_or_the_error() {
    let a = x();
    let text = (2.0 * &a + 1.0).sum(1).explain();
    assert!(text.contains("output 0: f64 [3]"), "{text}");
    let text = affinimath_array::expr::explain((&a.exp(), &(&a.exp() + 1.0)));
    assert!(text.contains("output 1: f64 [3, 4]"), "{text}");
    assert!((&a + ones([5])).explain().contains("do not broadcast"));
}
