mod fusion;
mod limits;
mod naive;
mod random;
mod storage;
mod text;

use super::{Bindings, Buffer, Limits, Output, Plan, Step};
use crate::element::{Number, Value};
use crate::node::Node;
use std::collections::HashMap;
use storage::execute;

fn outputs(nodes: &[Node]) -> Vec<Output> {
    nodes.iter().map(|node| Output { node: node.clone(), target: None }).collect()
}

/// A plan whose results are those of direct evaluation.
fn checked(nodes: &[Node]) -> Plan {
    checked_with(nodes, &Limits::default())
}

fn checked_with(nodes: &[Node], limits: &Limits) -> Plan {
    let (plan, bindings) = Plan::new(&outputs(nodes), limits).unwrap();
    compare(&plan, &bindings, nodes);
    plan
}

fn compare(plan: &Plan, bindings: &Bindings, nodes: &[Node]) {
    let results = execute(plan, bindings).unwrap_or_else(|error| panic!("{error}"));
    let mut memo = HashMap::new();
    for (node, result) in nodes.iter().zip(results) {
        let expected = naive::evaluate(node, &mut memo);
        assert_eq!(expected.len(), result.len());
        for (index, (&e, &r)) in expected.iter().zip(&result).enumerate() {
            assert!(is_close(e, r), "{node:?} element {index}: {r:?} instead of {e:?}\n{}", plan.explain());
        }
    }
}

/// Equal, but for the roundings of a few dozen operations.
fn is_close(x: Number, y: Number) -> bool {
    let close = |x: Value, y: Value| match (x, y) {
        (Value::F32(x), Value::F32(y)) => is_near(x.into(), y.into(), 64.0 * f64::from(f32::EPSILON)),
        (Value::F64(x), Value::F64(y)) => is_near(x, y, 64.0 * f64::EPSILON),
        (x, y) => x == y,
    };
    match (x, y) {
        (Number::Real(x), Number::Real(y)) => close(x, y),
        (Number::Complex(a, b), Number::Complex(c, d)) => close(a, c) && close(b, d),
        _ => false,
    }
}

fn is_near(x: f64, y: f64, tolerance: f64) -> bool {
    x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= tolerance * (1.0 + x.abs())
}

fn kernels(plan: &Plan) -> usize {
    plan.steps.iter().filter(|step| matches!(step, Step::Fused(_))).count()
}
