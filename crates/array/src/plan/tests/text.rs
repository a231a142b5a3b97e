//! The text of plans.

use super::storage::array;
use super::{Limits, Plan, outputs};
use crate::element::{ElementType, Number, Value};
use crate::function::{Binary, Reduction, Unary};
use crate::node::Node;
use crate::shape::Axes;

fn singles(extents: &[usize]) -> Node {
    array(ElementType::F32, extents, |i| i as f64)
}

fn explain(nodes: &[Node]) -> String {
    let (plan, _) = Plan::new(&outputs(nodes), &Limits::default()).unwrap();
    plan.explain()
}

#[test]
fn an_axpy_like_expression() {
    let (x, y) = (singles(&[1000]), singles(&[1000]));
    let alpha = Node::scalar(Number::Real(Value::F32(2.5)));
    insta::assert_snapshot!(explain(&[alpha
        .binary(Binary::Mul, &x)
        .binary(Binary::Add, &y.unary(Unary::Abs).unary(Unary::Sqrt))]));
}

#[test]
fn softmax() {
    let x = singles(&[64, 1000]);
    let exp = x.binary(Binary::Sub, &x.reduce(Reduction::Max, Axes::one(1), true)).unary(Unary::Exp);
    insta::assert_snapshot!(explain(&[exp.binary(Binary::Div, &exp.reduce(Reduction::Sum, Axes::one(1), true))]));
}

#[test]
fn the_norm_of_a_residual() {
    let (a, x, b) = (singles(&[50, 30]), singles(&[30]), singles(&[50]));
    let residual = b.binary(Binary::Sub, &a.matmul(&x));
    let square = residual.unary(Unary::Square).reduce(Reduction::Sum, Axes::all(1), false);
    insta::assert_snapshot!(explain(&[square.unary(Unary::Sqrt)]));
}
