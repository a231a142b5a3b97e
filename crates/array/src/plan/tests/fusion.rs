//! Kernels of well-known expressions.

use super::storage::{Bytes, array, execute};
use super::{Buffer, Limits, Output, Plan, Step, checked, kernels, outputs};
use crate::element::{ElementType, Number, Value};
use crate::function::{Binary, Reduction, Unary};
use crate::node::{Node, Op, Routine};
use crate::shape::{Axes, Shape};
use std::sync::Arc;

fn doubles(extents: &[usize]) -> Node {
    array(ElementType::F64, extents, |i| ((i * 7919) % 101) as f64 / 16.0 - 2.0)
}

fn scalar(value: f64) -> Node {
    Node::scalar(Number::Real(Value::F64(value)))
}

fn sum(x: &Node, axis: usize, keep: bool) -> Node {
    x.reduce(Reduction::Sum, Axes::one(axis), keep)
}

#[test]
fn softmax_along_the_last_axis_is_one_kernel() {
    let x = doubles(&[6, 50]);
    let max = x.reduce(Reduction::Max, Axes::one(1), true);
    let exp = x.binary(Binary::Sub, &max).unary(Unary::Exp);
    let softmax = exp.binary(Binary::Div, &sum(&exp, 1, true));
    let plan = checked(&[softmax]);
    assert_eq!(plan.steps.len(), 1, "{}", plan.explain());
    assert!(plan.temporaries.is_empty());
}

#[test]
fn long_rows_have_one_loop_a_kernel() {
    let x = doubles(&[20_000]);
    let mean = sum(&x, 0, true).binary(Binary::Div, &scalar(20_000.0));
    let square = x.binary(Binary::Sub, &mean).unary(Unary::Square);
    let plan = checked(&[sum(&square, 0, false)]);
    assert_eq!(kernels(&plan), 2, "{}", plan.explain());
    for step in &plan.steps {
        let Step::Fused(fused) = step else { panic!() };
        assert_eq!(fused.structure.phases.iter().filter(|phase| phase.is_loop).count(), 1);
    }
}

#[test]
fn operations_after_a_reduction_are_in_its_kernel() {
    let x = doubles(&[7, 30]);
    let plan = checked(&[sum(&x.unary(Unary::Square), 1, false).unary(Unary::Sqrt)]);
    assert_eq!(plan.steps.len(), 1, "{}", plan.explain());
}

#[test]
fn reductions_over_the_same_rows_share_a_kernel() {
    let x = doubles(&[7, 30]);
    let y = x.unary(Unary::Exp);
    let plan = checked(&[sum(&x, 1, false), x.reduce(Reduction::Max, Axes::one(1), false), sum(&y, 1, false), y]);
    assert_eq!(plan.steps.len(), 1, "{}", plan.explain());
}

#[test]
fn several_outputs_share_a_kernel() {
    let (x, y) = (doubles(&[40]), doubles(&[40]));
    let product = x.binary(Binary::Mul, &y).unary(Unary::Exp);
    let plan = checked(&[product.binary(Binary::Add, &x), product.binary(Binary::Sub, &y), product]);
    assert_eq!(plan.steps.len(), 1, "{}", plan.explain());
}

#[test]
fn contiguous_axes_are_one() {
    let (x, y) = (doubles(&[4, 5, 6]), doubles(&[4, 5, 6]));
    let plan = checked(&[x.binary(Binary::Add, &y)]);
    let Step::Fused(fused) = &plan.steps[0] else { panic!() };
    assert_eq!(fused.extents, [120]);
    let column_sums = checked(&[sum(&x, 0, false)]);
    let Step::Fused(fused) = &column_sums.steps[0] else { panic!() };
    assert_eq!((fused.structure.parallel, &fused.extents[..], fused.structure.order.lanes), (1, &[30, 4][..], 1));
}

#[test]
fn scalars_and_shapes_leave_the_key_alone() {
    let key = |extent: usize, alpha: f64| {
        let x = doubles(&[extent]);
        let (plan, _) = Plan::new(&outputs(&[x.binary(Binary::Mul, &scalar(alpha))]), &Limits::default()).unwrap();
        let Step::Fused(fused) = &plan.steps[0] else { panic!() };
        fused.key
    };
    assert_eq!(key(10, 2.0), key(1000, 1.0));
}

#[test]
fn products_that_are_added_are_rounded_once() {
    let (x, y) = (doubles(&[30]), doubles(&[30]));
    let (plan, _) =
        Plan::new(&outputs(&[scalar(2.5).binary(Binary::Mul, &x).binary(Binary::Add, &y)]), &Limits::default())
            .unwrap();
    let Step::Fused(fused) = &plan.steps[0] else { panic!() };
    let code = &fused.structure.phases[0].code;
    assert!(code.iter().any(|i| matches!(i, crate::fused::Instruction::Fma(..))), "{}", plan.explain());
    assert_eq!(code.len(), 4);
}

#[test]
fn products_of_scalars_are_computed_once() {
    let x = doubles(&[30]);
    let factor = scalar(2.0).binary(Binary::Mul, &scalar(3.0));
    let plan = checked(&[x.binary(Binary::Mul, &factor)]);
    let Step::Fused(fused) = &plan.steps[0] else { panic!() };
    assert_eq!(fused.structure.phases[0].code.len(), 3);
}

#[test]
fn alpha_a_b_plus_beta_c_is_one_product() {
    let (a, b, c) = (doubles(&[4, 5]), doubles(&[6, 5]), doubles(&[4, 6]));
    let product = a.matmul(&b.transpose());
    let scaled = scalar(2.0).binary(Binary::Mul, &product).binary(Binary::Sub, &scalar(0.5).binary(Binary::Mul, &c));
    let plan = checked(&[scaled]);
    assert_eq!(plan.steps.len(), 1, "{}", plan.explain());
    assert!(matches!(&plan.steps[0], Step::Matmul(m) if m.c.is_some() && m.beta.is_negative));
    // Vectors are matrices of one column.
    let b = doubles(&[5]);
    let product = scalar(2.0).binary(Binary::Mul, &doubles(&[5, 5]).matmul(&doubles(&[5])));
    let residual = checked(&[b.binary(Binary::Sub, &product)]);
    assert!(matches!(&residual.steps[0], Step::Matmul(m) if m.c.is_some() && m.alpha.is_negative));
    // Its memory is the array.
    assert_eq!(kernels(&residual), 0, "{}", residual.explain());
}

#[test]
fn targets_that_are_read_keep_their_meaning() {
    let numbers: Vec<Number> = (0..10).map(|i| Number::Real(Value::F64(i.into()))).collect();
    let storage = Bytes::storage(ElementType::F64, &numbers);
    let u = Node::contiguous(storage, Shape::new(&[10]).unwrap());
    let slice = |first: usize, last: usize| u.slice(&[crate::slice::Slice::from(first as i64..last as i64)]);
    let target = |node: &Node| match node.op() {
        Op::Leaf(leaf) => Some(leaf.clone()),
        _ => None,
    };
    // Shifted: a temporary stands between.
    let value = slice(0, 8).binary(Binary::Add, &slice(2, 10));
    let output = Output { node: value.clone(), target: target(&slice(1, 9)) };
    let (plan, bindings) = Plan::new(&[output], &Limits::default()).unwrap();
    super::compare(&plan, &bindings, &[value]);
    assert_eq!(plan.steps.len(), 2);
    // At the same elements: in place.
    let value = u.binary(Binary::Mul, &scalar(2.0));
    let output = Output { node: value.clone(), target: target(&u) };
    let (plan, bindings) = Plan::new(&[output], &Limits::default()).unwrap();
    super::compare(&plan, &bindings, &[value]);
    assert_eq!((plan.steps.len(), plan.temporaries.len()), (1, 0), "{}", plan.explain());
    // A copy within itself.
    let value = slice(0, 9);
    let output = Output { node: value.clone(), target: target(&slice(1, 10)) };
    let (plan, bindings) = Plan::new(&[output], &Limits::default()).unwrap();
    super::compare(&plan, &bindings, &[value]);
}

#[test]
fn products_are_added_to_their_target_in_place() {
    let (a, c) = (doubles(&[4, 4]), doubles(&[4, 4]));
    let value = a.matmul(&a).binary(Binary::Add, &scalar(0.5).binary(Binary::Mul, &c));
    let Op::Leaf(target) = c.op() else { panic!() };
    let output = Output { node: value.clone(), target: Some(target.clone()) };
    let (plan, bindings) = Plan::new(&[output], &Limits::default()).unwrap();
    super::compare(&plan, &bindings, &[value]);
    assert_eq!((plan.steps.len(), plan.temporaries.len()), (1, 0), "{}", plan.explain());
    // Not where the product reads the target.
    let value = a.matmul(&c);
    let output = Output { node: value.clone(), target: Some(target.clone()) };
    let (plan, bindings) = Plan::new(&[output], &Limits::default()).unwrap();
    super::compare(&plan, &bindings, &[value]);
    assert_eq!(plan.steps.len(), 2);
}

#[test]
fn reshapes_of_contiguous_operands_need_no_step() {
    let (x, y) = (doubles(&[4, 6]), doubles(&[4, 6]));
    let z = x.binary(Binary::Mul, &y).unary(Unary::Exp).reshape(&Shape::new(&[3, 8]).unwrap());
    let plan = checked(&[sum(&z, 1, false)]);
    assert_eq!((plan.steps.len(), plan.temporaries.len()), (1, 0), "{}", plan.explain());
    let transposed = x.transpose().unary(Unary::Exp).reshape(&Shape::new(&[24]).unwrap());
    assert_eq!(checked(&[transposed]).steps.len(), 1);
}

#[test]
fn random_arrays_need_one_kernel_and_no_operand() {
    let normal = crate::random::normal::<f64>(7, [40, 3]) * 2.0;
    let plan = checked(&[normal.node().clone(), crate::random::uniform::<f32>(7, [40, 3]).node().clone()]);
    assert_eq!(plan.steps.len(), 1, "{}", plan.explain());
}

#[test]
fn dying_operands_give_their_memory() {
    let x = doubles(&[30]);
    let y = x.unary(Unary::Exp);
    let (plan, _) = Plan::reusing(&outputs(std::slice::from_ref(&y)), &Limits::default(), |_| true).unwrap();
    assert_eq!(plan.outputs[0].in_place, Some(0));
    // Not where another element is read.
    let y = x.binary(Binary::Add, &x.reverse(Axes::one(0)));
    let (plan, _) = Plan::reusing(&outputs(&[y]), &Limits::default(), |_| true).unwrap();
    assert_eq!(plan.outputs[0].in_place, None);
}

/// Copies its operand to both outputs.
struct Twice;

impl Routine for Twice {
    fn name(&self) -> &'static str {
        "twice"
    }

    fn hash_parameters(&self, _: &mut dyn std::hash::Hasher) {}

    fn outputs(&self, inputs: &[(ElementType, Shape)]) -> Result<Vec<(ElementType, Shape)>, crate::ErrorKind> {
        Ok(vec![inputs[0], inputs[0]])
    }
}

#[test]
fn outputs_of_a_routine_are_one_call() {
    let x = doubles(&[12]);
    let outputs = crate::build::routine(Arc::new(Twice), &[x.unary(Unary::Exp)], ElementType::F64);
    let plan = checked(&[outputs[1].binary(Binary::Add, &outputs[0])]);
    assert_eq!(plan.steps.len(), 3, "{}", plan.explain());
    // An output that nobody wants has memory too.
    let plan = checked(&[outputs[1].clone()]);
    assert_eq!((plan.steps.len(), plan.temporaries.len()), (2, 2), "{}", plan.explain());
}

#[test]
fn indices_out_of_range_are_errors() {
    let x = doubles(&[5]);
    for (index, is_legal) in [(4.0, true), (-5.0, true), (5.0, false), (-6.0, false)] {
        let indices = array(ElementType::I64, &[3], |i| if i == 1 { index } else { 0.0 });
        let (plan, bindings) = Plan::new(&outputs(&[x.gather(0, &indices)]), &Limits::default()).unwrap();
        assert_eq!(execute(&plan, &bindings).is_ok(), is_legal, "{index}");
    }
}

#[test]
fn empty_arrays_have_neutral_sums() {
    let x = doubles(&[0, 3]);
    let plan = checked(&[sum(&x, 0, false), sum(&x, 1, false), x.clone().unary(Unary::Exp)]);
    assert!(plan.steps.len() <= 1, "{}", plan.explain());
    assert!(x.reduce(Reduction::Min, Axes::one(0), false).error().is_some());
}

#[test]
fn complex_products_are_trees() {
    let part = |f: fn(usize) -> f64| array(ElementType::F64, &[3, 7], f);
    let z = part(|i| i as f64 % 3.0 - 1.0).complex_of(crate::node::Complex::FromParts, &part(|i| i as f64 % 2.0));
    checked(&[
        z.reduce(Reduction::Product, Axes::one(1), true),
        z.reduce(Reduction::Product, Axes::one(0), false),
        z.reduce(Reduction::Product, Axes::all(2), false),
    ]);
}

#[test]
fn errors_of_expressions_are_those_of_plans() {
    let wrong = doubles(&[3]).binary(Binary::Add, &doubles(&[4]));
    assert!(Plan::new(&outputs(&[wrong.unary(Unary::Exp)]), &Limits::default()).is_err());
}

#[test]
fn each_result_has_memory_of_its_own() {
    let x = doubles(&[6]);
    let y = x.unary(Unary::Exp);
    let plan = checked(&[
        x.unary(Unary::Neg).unary(Unary::Neg),
        y.clone(),
        y.clone(),
        y.reshape(&Shape::new(&[2, 3]).unwrap()),
    ]);
    for (index, output) in plan.outputs.iter().enumerate() {
        assert_eq!((output.result.buffer, output.result.offset), (Buffer::Output(index), 0));
    }
}
