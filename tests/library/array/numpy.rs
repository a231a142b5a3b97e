//! Random expressions against NumPy: a script evaluates their graphs in `longdouble`, with bounds of their errors.

use super::{random, reference};
use affinimath::Context;
use affinimath_array::element::Number;
use affinimath_array::{Node, Op, Value};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;
use std::process::{Command, Stdio};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/array/numpy_oracle.py");

const TAME: random::Elements = random::Elements { has_doubles: true, is_tame: true };

/// The results are within the script's bounds. `AFFINIMATH_TEST_NUMPY` demands a Python with NumPy.
pub fn check(context: &Context, seeds: Range<u64>) {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "/usr/bin/python3".to_owned());
    let probe = Command::new(&python).args(["-c", "import numpy"]).stderr(Stdio::null()).status();
    if !probe.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("AFFINIMATH_TEST_NUMPY").is_none(), "NumPy is demanded, and {python} has none");
        return;
    }
    let cases: Vec<Json> = seeds.map(|seed| case(context, seed)).collect();
    let mut child = Command::new(&python).arg(SCRIPT).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(json!(cases).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    println!("{text}");
}

/// The graph of a seed's expressions, with operands and results.
fn case(context: &Context, seed: u64) -> Json {
    let nodes = random::in_reference(seed, TAME);
    let results = random::evaluate(context, seed, TAME);
    let mut list = Vec::new();
    let mut positions = HashMap::new();
    let outputs: Vec<usize> = nodes.iter().map(|node| add(node, &mut list, &mut positions)).collect();
    let results: Vec<Json> =
        results.into_iter().map(|elements| json!(elements.into_iter().map(number).collect::<Vec<_>>())).collect();
    json!({ "seed": seed, "nodes": list, "outputs": outputs, "results": results })
}

/// The position of a node in the list, to which it and its operands are added.
fn add(node: &Node, list: &mut Vec<Json>, positions: &mut HashMap<usize, usize>) -> usize {
    if let Some(&position) = positions.get(&node.id()) {
        return position;
    }
    let operands: Vec<usize> = node.operands().iter().map(|operand| add(operand, list, positions)).collect();
    let mut json = json!({ "type": node.element().name(), "shape": node.shape().to_vec(), "args": operands });
    let (name, data) = operation(node);
    json["op"] = name.into();
    json["data"] = data;
    list.push(json);
    positions.insert(node.id(), list.len() - 1);
    list.len() - 1
}

/// The name of a node's operation, and its parameters.
fn operation(node: &Node) -> (String, Json) {
    let plain = |name: &str| (name.to_owned(), Json::Null);
    match node.op() {
        Op::Leaf(_) => {
            let elements = reference::evaluate(std::slice::from_ref(node)).remove(0);
            ("Elements".to_owned(), json!(elements.into_iter().map(number).collect::<Vec<_>>()))
        }
        Op::Scalar(scalar) => ("Elements".to_owned(), json!([number(*scalar)])),
        Op::Iota => plain("Iota"),
        Op::Unary(function) => plain(&format!("{function:?}")),
        Op::Binary(function) => plain(&format!("{function:?}")),
        Op::Complex(function) => plain(&format!("{function:?}")),
        Op::Select => plain("Select"),
        Op::Fma => plain("Fma"),
        Op::Convert => plain("Convert"),
        Op::Reshape => plain("Reshape"),
        Op::View(map) => {
            let axes = map.axes().iter().map(|axis| json!([axis.start, axis.step, axis.axis]));
            ("View".to_owned(), axes.collect())
        }
        Op::Gather { axis } => ("Gather".to_owned(), json!(axis)),
        Op::Concatenate { axis } => ("Concatenate".to_owned(), json!(axis)),
        Op::Reduce { reduction, axes, keep } => {
            (format!("Reduce{reduction:?}"), json!([axes.iter().collect::<Vec<_>>(), keep]))
        }
        Op::Scan { reduction, axis } => (format!("Scan{reduction:?}"), json!(axis)),
        op => panic!("no case has {op:?}"),
    }
}

/// Reals are texts, which have NaN and infinities and keep each bit.
fn number(number: Number) -> Json {
    let of = |value: Value| match value {
        Value::Bool(x) => json!(x),
        Value::U8(x) => json!(x),
        Value::I32(x) => json!(x),
        Value::U32(x) => json!(x),
        Value::I64(x) => json!(x),
        // The shortest decimal of an `f32` is not its value.
        Value::F32(x) => json!(format!("{:?}", f64::from(x))),
        Value::F64(x) => json!(format!("{x:?}")),
    };
    match number {
        Number::Real(value) => of(value),
        Number::Complex(re, im) => json!([of(re), of(im)]),
    }
}
