//! Large graphs, and the cache.

use super::storage::array;
use super::{Limits, Plan, Step, checked, checked_with, kernels, outputs};
use crate::element::{ElementType, Number, Value};
use crate::function::{Binary, Reduction, Unary};
use crate::node::Node;
use crate::plan::PlanCache;
use crate::shape::Axes;

fn singles(extents: &[usize], first: usize) -> Node {
    array(ElementType::F32, extents, |i| ((i + first) % 13) as f64 - 6.0)
}

fn are_within(plan: &Plan, limits: &Limits) {
    for step in &plan.steps {
        if let Step::Fused(fused) = step {
            assert!(fused.accesses.len() <= limits.operands, "{} accesses", fused.accesses.len());
            let code: usize = fused.structure.phases.iter().map(|phase| phase.code.len()).sum();
            assert!(code <= 4 * limits.nodes, "{code} instructions");
        }
    }
}

#[test]
fn sums_of_300_operands_are_cut() {
    for extents in [&[16][..], &[4, 3, 2]] {
        let all: Vec<Node> = (0..300).map(|k| singles(extents, k)).collect();
        let sum = all.into_iter().reduce(|x, y| x.binary(Binary::Add, &y)).unwrap();
        let plan = checked(&[sum]);
        are_within(&plan, &Limits::default());
        assert!(plan.steps.len() <= 20, "{} steps", plan.steps.len());
    }
}

#[test]
fn chains_of_5000_nodes_are_cut_in_little_time() {
    let x = singles(&[8], 0);
    let mut y = x.clone();
    for k in 0..2500 {
        y = y.binary(Binary::Add, &x).binary(if k % 2 == 0 { Binary::Min } else { Binary::Max }, &x);
    }
    let start = std::time::Instant::now();
    let (plan, _) = Plan::new(&outputs(std::slice::from_ref(&y)), &Limits::default()).unwrap();
    let elapsed = start.elapsed();
    println!("{elapsed:?}, {} steps", plan.steps.len());
    assert!(plan.steps.len() <= 24, "{} steps", plan.steps.len());
    assert!(elapsed.as_secs() < 20, "{elapsed:?}");
    are_within(&plan, &Limits::default());
    checked(&[y]);
}

#[test]
fn shared_operands_do_not_multiply() {
    let mut x = singles(&[8], 0);
    for _ in 0..200 {
        x = x.binary(Binary::Add, &x).binary(Binary::Mul, &Node::scalar(Number::Real(Value::F32(0.5))));
    }
    let plan = checked(&[x]);
    assert!(plan.steps.len() <= 4, "{} steps", plan.steps.len());
}

#[test]
fn cached_plans_serve_other_memory_and_scalars() {
    let mut cache = PlanCache::new(Limits::default(), 2);
    let expression = |extent: usize, alpha: f32| {
        let x = singles(&[extent], alpha as usize);
        x.binary(Binary::Mul, &Node::scalar(Number::Real(Value::F32(alpha)))).unary(Unary::Abs)
    };
    let (first, _) = cache.plan(&outputs(&[expression(8, 1.0)]), |_| false).unwrap();
    let node = expression(8, 3.0);
    let (second, bindings) = cache.plan(&outputs(std::slice::from_ref(&node)), |_| false).unwrap();
    assert!(std::sync::Arc::ptr_eq(&first, &second));
    super::compare(&second, &bindings, &[node]);
    let (third, _) = cache.plan(&outputs(&[expression(9, 3.0)]), |_| false).unwrap();
    assert!(!std::sync::Arc::ptr_eq(&first, &third));
    cache.plan(&outputs(&[expression(10, 3.0)]), |_| false).unwrap();
    assert_eq!(cache.len(), 2);
    // The same memory twice is another graph than two memories.
    let (x, y) = (singles(&[8], 0), singles(&[8], 1));
    let (once, _) = cache.plan(&outputs(&[x.binary(Binary::Mul, &x)]), |_| false).unwrap();
    let (twice, _) = cache.plan(&outputs(&[x.binary(Binary::Mul, &y)]), |_| false).unwrap();
    assert!(!std::sync::Arc::ptr_eq(&once, &twice));
}

#[test]
fn each_operation_has_a_kernel_where_it_is_asked_for() {
    let (x, y) = (singles(&[6, 8], 0), singles(&[6, 8], 1));
    let root = y.unary(Unary::Abs).unary(Unary::Sqrt);
    let sum = x.binary(Binary::Mul, &root).binary(Binary::Add, &y).transpose();
    let eager = Limits { is_eager: true, ..Limits::default() };
    let plan = checked_with(&[sum.reduce(Reduction::Sum, Axes::one(0), false), sum], &eager);
    // abs, sqrt, fma, sum, and the transposition, an output with memory of its own.
    assert_eq!(kernels(&plan), 5, "{}", plan.explain());
    let operands = plan.steps.iter().map(|step| step.operands().len());
    assert_eq!(operands.max(), Some(3), "{}", plan.explain());
}

#[test]
#[ignore = "prints the time of a cached call; run it alone, in release"]
fn time_of_a_cached_call() {
    let mut cache = PlanCache::new(Limits::default(), 64);
    let (x, y) = (singles(&[4096], 0), singles(&[4096], 1));
    let scalar = |value| Node::scalar(Number::Real(Value::F32(value)));
    let mut times = [f64::INFINITY; 3];
    let mut arguments = None;
    for _ in 0..200_000 {
        let start = std::time::Instant::now();
        let z = scalar(2.5).binary(Binary::Mul, &x).binary(Binary::Add, &y.unary(Unary::Abs).unary(Unary::Sqrt));
        let outputs = outputs(&[z]);
        let middle = std::time::Instant::now();
        let (plan, bindings) = cache.plan(&outputs, |_| false).unwrap();
        let late = std::time::Instant::now();
        let Step::Fused(fused) = &plan.steps[0] else { panic!() };
        fused.update(arguments.get_or_insert_with(|| fused.arguments(&bindings)), &bindings);
        let all = [middle.duration_since(start), late.duration_since(middle), late.elapsed()];
        for (least, time) in times.iter_mut().zip(all) {
            *least = least.min(time.as_secs_f64());
        }
    }
    let [nodes, plan, arguments] = times.map(|time| time * 1e9);
    println!("at best: nodes {nodes:.0} ns, plan {plan:.0} ns, arguments {arguments:.0} ns");
    for _ in 0..100 {
        let z = scalar(2.5).binary(Binary::Mul, &x).binary(Binary::Add, &y.unary(Unary::Abs).unary(Unary::Sqrt));
        let start = std::time::Instant::now();
        std::hint::black_box(Plan::new(&outputs(&[z]), &Limits::default()).unwrap());
        times[0] = start.elapsed().as_secs_f64();
    }
    println!("a new plan {:.0} ns", times[0] * 1e9);
}
