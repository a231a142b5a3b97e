//! Reductions in a fixed order, which every strategy keeps.

use crate::definition::{Reduction, Type};
use crate::value::{Value, add, greater, lesser, multiply};

/// Points along the first axis that are combined one after the other.
pub const STRIP: usize = 256;

fn is_nan(value: Value) -> bool {
    matches!(value, Value::F32(value) if value.is_nan()) || matches!(value, Value::F64(value) if value.is_nan())
}

fn combined(reduction: Reduction, a: Value, b: Value) -> Value {
    match reduction {
        Reduction::Sum | Reduction::Norm2 | Reduction::Count => add(a, b),
        Reduction::Max | Reduction::Min if is_nan(a) => a,
        Reduction::Max | Reduction::Min if is_nan(b) => b,
        Reduction::Max => greater(a, b),
        Reduction::Min => lesser(a, b),
    }
}

/// The reduction of values at all points, the first axis fastest: rows are cut into strips of [`STRIP`] points, each is
/// combined from left to right, and strips by a binary tree of neighbours.
pub(crate) fn reduced(reduction: Reduction, kind: Type, values: Vec<Value>, row: usize) -> Value {
    let point = |value: Value| match reduction {
        Reduction::Norm2 => multiply(value, value),
        Reduction::Count => Value::constant(value.as_f64(), kind),
        _ => value,
    };
    let mut partial: Vec<Value> = Vec::new();
    for row in values.chunks(row) {
        for strip in row.chunks(STRIP) {
            let mut points = strip.iter().map(|&value| point(value));
            let first = points.next().expect("a strip has a point");
            partial.push(points.fold(first, |so_far, next| combined(reduction, so_far, next)));
        }
    }
    while partial.len() > 1 {
        let pairs = partial.chunks(2).map(|pair| match pair {
            [a, b] => combined(reduction, *a, *b),
            rest => rest[0],
        });
        partial = pairs.collect();
    }
    finished(reduction, partial[0])
}

/// The result of the last combination: the root of `norm2`.
pub(crate) fn finished(reduction: Reduction, combined: Value) -> Value {
    match (reduction, combined) {
        (Reduction::Norm2, Value::F32(sum)) => Value::F32(sum.sqrt()),
        (Reduction::Norm2, Value::F64(sum)) => Value::F64(sum.sqrt()),
        (_, value) => value,
    }
}
