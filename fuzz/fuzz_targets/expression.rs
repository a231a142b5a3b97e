//! Text expressions. A text is refused with a place within it, or gives graphs for operands of all types, which are
//! planned with their launches. Parsing a text twice gives the same names and results.
#![no_main]

use std::str;

use affinimath_array::plan::{Limits, Output, Plan};
use affinimath_array::{Element, Node, Op, from_vec};
use affinimath_core::Complex32;
use affinimath_expression::{Built, Expression, Target, TextError};
use libfuzzer_sys::fuzz_target;

/// Nodes above which a graph is not planned: a short text doubles them with each statement.
const MAX_PLANNED: u64 = 20_000;

fn array<T: Element>(shape: &[usize]) -> Node {
    from_vec(shape, vec![T::default(); shape.iter().product()]).node().clone()
}

fn operands() -> Vec<(&'static str, Node)> {
    vec![
        ("x", array::<f32>(&[3, 4])),
        ("y", array::<f64>(&[4])),
        ("i", array::<i32>(&[3, 4])),
        ("k", array::<i64>(&[2])),
        ("u", array::<u8>(&[4])),
        ("w", array::<u32>(&[2, 1, 4])),
        ("b", array::<bool>(&[3, 4])),
        ("z", array::<Complex32>(&[3, 4])),
        ("a", array::<f64>(&[4, 4])),
        ("s", array::<f64>(&[])),
        ("v", array::<f32>(&[0, 4])),
    ]
}

/// An error lies within its text, and its caret under the line that it shows.
fn check_error(text: &str, error: &TextError) {
    let line = text.split('\n').nth(error.line - 1).expect("a line of the text");
    assert!(error.column <= line.chars().count() + 1, "{error}");
    let shown = error.to_string();
    let (shown, caret) = shown.rsplit_once('\n').expect("three lines");
    let shown = shown.rsplit_once('\n').expect("three lines").1;
    assert!(caret.ends_with('^') && caret.len() <= shown.chars().count() + 1, "{error}");
}

fn plan(built: &Built) {
    let outputs: Vec<Output> = built
        .outputs
        .iter()
        .map(|output| {
            let target = match &output.target {
                Target::Part { view, .. } => match view.op() {
                    Op::Leaf(leaf) => Some(leaf.clone()),
                    other => panic!("a part of an operand is {other:?}"),
                },
                _ => None,
            };
            Output { node: output.node.clone(), target }
        })
        .collect();
    if outputs.iter().map(|output| output.node.size()).fold(0, u64::saturating_add) > MAX_PLANNED {
        return;
    }
    if let Ok((plan, bindings)) = Plan::new(&outputs, &Limits::default()) {
        assert!(!plan.explain().is_empty());
        for step in &plan.steps {
            for operand in step.operands() {
                let _ = operand.view(&bindings);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = str::from_utf8(data) else { return };
    let expression = match Expression::parse(text) {
        Ok(expression) => expression,
        Err(error) => return check_error(text, &error),
    };
    assert_eq!(expression.text(), text);
    let operands = operands();
    match expression.build(&operands) {
        Ok(built) => {
            assert!(built.outputs.iter().all(|output| output.node.error().is_none()));
            plan(&built);
            let again = Expression::parse(text).and_then(|again| again.build(&operands)).expect("the same text");
            assert_eq!(again.outputs.len(), built.outputs.len());
        }
        Err(error) => check_error(text, &error),
    }
});
