//! Reductions in a fixed order, which every strategy keeps.

use std::collections::BTreeMap;

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

/// Partial results of a reduction at nodes of the tree over the strips of a domain: those of one process, or of several
/// that have parts of the domain.
///
/// Strips are counted row by row, and along the first axis within a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Strips {
    reduction: Reduction,
    /// Strips of the whole domain.
    count: u64,
    /// Nodes by level and index. Level 0 has the strips.
    nodes: BTreeMap<(u32, u64), Value>,
}

impl Strips {
    /// No strips of a domain that has `count`.
    pub fn new(reduction: Reduction, count: u64) -> Self {
        Strips { reduction, count, nodes: BTreeMap::new() }
    }

    /// Adds the result of a node, which the tree does not have yet.
    pub fn add(&mut self, level: u32, index: u64, value: Value) {
        self.nodes.insert((level, index), value);
    }

    /// Nodes by level and index.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, u64, Value)> + '_ {
        self.nodes.iter().map(|(&(level, index), &value)| (level, index, value))
    }

    /// Combines neighbours as far as both are there.
    pub fn combine(&mut self) {
        for level in 0.. {
            let on_level = self.count.div_ceil(1 << level);
            if on_level <= 1 {
                return;
            }
            let nodes: Vec<u64> =
                self.nodes.range((level, 0)..=(level, u64::MAX)).map(|(&(_, index), _)| index).collect();
            for index in nodes.into_iter().filter(|index| index % 2 == 0) {
                let Some(&left) = self.nodes.get(&(level, index)) else { continue };
                let is_alone = index + 1 == on_level;
                let right = self.nodes.get(&(level, index + 1)).copied();
                let value = match right {
                    Some(right) => combined(self.reduction, left, right),
                    None if is_alone => left,
                    None => continue,
                };
                self.nodes.remove(&(level, index));
                self.nodes.remove(&(level, index + 1));
                self.nodes.insert((level + 1, index / 2), value);
            }
        }
    }

    /// The result, once all nodes are combined to one.
    pub fn result(&self) -> Option<Value> {
        let mut nodes = self.nodes.iter();
        let (&(level, _), &value) = nodes.next()?;
        (nodes.next().is_none() && self.count.div_ceil(1 << level) == 1).then(|| finished(self.reduction, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_of_several_owners_give_the_result_of_one() {
        for count in [1, 2, 3, 7, 8, 13, 64, 100] {
            let value = |strip: usize| Value::F64(1.0 / (strip as f64 + 0.3));
            let partial: Vec<Value> = (0..count).map(value).collect();
            let expected = reduced(Reduction::Sum, Type::F64, partial, 1);
            for owners in [1, 2, 3, 5] {
                let mut all = Strips::new(Reduction::Sum, count as u64);
                for owner in 0..owners {
                    let mut own = Strips::new(Reduction::Sum, count as u64);
                    (0..count).filter(|strip| strip / 4 % owners == owner).for_each(|strip| {
                        own.add(0, strip as u64, value(strip));
                    });
                    own.combine();
                    own.nodes().for_each(|(level, index, value)| all.add(level, index, value));
                }
                all.combine();
                assert_eq!(all.result(), Some(expected), "{count} strips of {owners} owners");
            }
        }
    }
}
