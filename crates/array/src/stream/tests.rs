//! Pieces are the rows of the whole.

use super::*;
use crate::eager::Eager;
use crate::expr::Expr;
use crate::{AsExecutor, Element, concatenate, from_vec, s};
use std::convert::Infallible;

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 7 + 3) % 101) as f64 - 50.0).collect()
}

fn matrix(rows: usize, columns: usize) -> Expr<f64> {
    from_vec([rows, columns], numbers(rows * columns))
}

fn values<T: Element>(node: Node) -> Vec<T> {
    Expr::<T>::new(node).eval_on(&Eager::new(1)).unwrap().to_vec().unwrap()
}

/// The memory of an operand's part: a copy of exactly the elements of its span.
fn copied(leaf: &Leaf, shape: &Shape) -> Result<Leaf, Infallible> {
    let (first, last) = leaf.strides.span(shape).unwrap();
    let host = leaf.storage.host().unwrap();
    let from = (leaf.offset as i128 + first) as usize;
    let storage = Eager::new(1).as_executor().upload(host.range(from..from + (last - first + 1) as usize)).unwrap();
    Ok(Leaf { storage, offset: -first as usize, strides: leaf.strides })
}

fn pieces(expr: &Expr<f64>) -> Option<Pieces> {
    let keep = |storage: &Arc<dyn Storage>| Ok::<_, Infallible>(storage.clone());
    Pieces::of(&[expr.node().clone()], keep).unwrap()
}

#[track_caller]
fn check(expr: &Expr<f64>) {
    let whole: Vec<f64> = values(expr.node().clone());
    let pieces = pieces(expr).expect("the expression can be cut");
    for rows in [1, 2, 3, 7, 1000] {
        let mut all = Vec::new();
        let mut next = 0;
        for range in pieces.ranges(rows) {
            assert!(range.start == next && (range.len() >= 2 || pieces.extent() < 4), "{range:?}");
            next = range.end;
            all.extend(values::<f64>(pieces.piece(range, copied).unwrap().remove(0)));
        }
        assert_eq!((next, &all), (pieces.extent(), &whole), "{rows} rows");
    }
}

#[test]
fn pieces_are_rows_of_the_whole() {
    let (x, y) = (matrix(23, 5), matrix(23, 5));
    let row = from_vec([5], numbers(5));
    let column = from_vec([23, 1], numbers(23));
    check(&(2.5 * &x + y.abs().sqrt()));
    check(&(&x * &row + &column));
    check(&x.lt(0.0).select(&y, &x));
    check(&(x.at(s![1..-1, 1..]) + y.at(s![..-2, ..-1])));
    check(&(x.at(s![..;-1]) - &y));
    check(&(&x + 1.0).at(s![3..;2, ..]));
    check(&(&x + 1.0).at(s![..;-2, 1..]));
    check(&(&x * &y).sum(1).sqrt());
    check(&(crate::coordinates([23, 5], 0).cast::<f64>() * &x));
    check(&(crate::iota([23, 5]).cast::<f64>() + &x));
    check(&(&x + &row).reshape([23, 5, 1]));
    check(&concatenate(1, [&x, &y]));
    check(&x.cumsum(1));
}

#[test]
fn what_depends_on_other_rows_is_not_cut() {
    let x = matrix(23, 5);
    for expr in [x.cumsum(0), &x - x.mean(0), &x - x.at(s![0]), x.t().matmul(&x), (&x + 1.0).t().reshape([115])] {
        let is_cut = pieces(&expr).is_some_and(|pieces| pieces.row_bytes() > 0);
        let whole = pieces(&expr).map(|pieces| values::<f64>(pieces.piece(2..4, copied).unwrap().remove(0)));
        assert!(!is_cut || whole.is_some_and(|part| part == values::<f64>(expr.node().clone())[10..20]), "{expr:?}");
    }
}

#[test]
fn chunks_of_reductions_are_joined_to_the_whole() {
    let n = 3 * 16384 + 5;
    let (x, y) = (from_vec(n, numbers(n)), from_vec([n, 1], numbers(n)));
    let check = |expr: &Expr<f64>| {
        let reducible = Reducible::find(&[expr.node().clone()], 1).pop().expect("a reduction");
        assert_eq!((reducible.len(), reducible.chunks()), (n, 3));
        let bytes = |values: Vec<f64>| values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>();
        let parts = [0..2, 2..3].map(|chunks| bytes(values(reducible.piece(chunks, copied).unwrap()))).concat();
        let rest = reducible.rest(copied).unwrap().map(|rest| bytes(values(rest))).unwrap_or_default();
        let found = values::<f64>(reducible.value(&parts, &rest));
        assert_eq!(found, values::<f64>(expr.node().clone()));
    };
    check(&(&x * &x).sum(..));
    check(&(2.0 * &y + 1.0).sum(..));
    check(&x.abs().max(..));
    check(&x.at(s![..;-1]).min(..));
    assert!(Reducible::find(&[matrix(2000, 100).sum(0).node().clone()], 1).is_empty());
}

#[test]
fn a_reduction_within_another_comes_first() {
    let n = 3 * 16384;
    let x = from_vec(n, numbers(n));
    let mean = x.sum(..) / n as f64;
    let nodes = [(&x - &mean).square().sum(..).node().clone()];
    let [inner] = &Reducible::find(&nodes, 1)[..] else { panic!("one reduction") };
    assert!(inner.node().is_same_operation(x.sum(..).node()));
    let value = Node::scalar(crate::Number::of_real(1.0, crate::ElementType::F64));
    let nodes = substitute(&nodes, &[(inner.node().clone(), value)]);
    let [outer] = &Reducible::find(&nodes, 1)[..] else { panic!("one reduction") };
    assert_eq!(outer.node().id(), nodes[0].id());
    assert!(Reducible::find(&nodes, usize::MAX).is_empty());
}

#[test]
fn memory_is_replaced_once() {
    let x = matrix(4, 4);
    let mut count = 0;
    let nodes = replace(&[(&x * &x + x.t()).node().clone()], |storage| {
        count += 1;
        let storage: Arc<dyn Storage> = storage.clone();
        Ok::<_, Infallible>(Some(storage))
    });
    assert_eq!((nodes.unwrap().len(), count, host_bytes(&[(&x + x.t()).node().clone()])), (1, 1, 128));
}
