//! The order in which planning and caching meet the nodes of expressions.

use super::Output;
use crate::element::Number;
use crate::error::ArrayError;
use crate::key::{IdMap, Words};
use crate::node::{Leaf, Node, Op};
use std::hash::Hash;

/// The operands of an evaluation, in the order in which plans number them.
#[derive(Clone, Default)]
pub struct Bindings {
    /// Memory that is read.
    pub leaves: Vec<Leaf>,
    /// True for a leaf whose memory nobody uses afterwards.
    pub dies: Vec<bool>,
    /// Scalars; equal ones are one.
    pub scalars: Vec<Number>,
    /// Memory of assigned outputs.
    pub targets: Vec<Leaf>,
}

/// The nodes of expressions, operands first, and the words that tell one graph from another.
pub(super) struct Walk<'a> {
    pub(super) nodes: Vec<Visited<'a>>,
    /// The node of each output.
    pub(super) outputs: Vec<usize>,
    pub(super) bindings: Bindings,
    /// All that a plan depends on. The memory's identity and the scalars' values are not among it.
    pub(super) words: Vec<u64>,
}

/// A node, with what it is in the walk.
pub(super) struct Visited<'a> {
    pub(super) node: &'a Node,
    /// The index of its leaf or scalar.
    pub(super) binding: usize,
    /// Indices of its operands.
    pub(super) operands: Vec<usize>,
}

impl<'a> Walk<'a> {
    pub(super) fn of(outputs: &'a [Output], dies: &impl Fn(&Leaf) -> bool) -> Result<Walk<'a>, ArrayError> {
        let mut walk = Walk {
            nodes: Vec::new(),
            outputs: Vec::new(),
            bindings: Bindings::default(),
            words: Vec::with_capacity(64),
        };
        let mut index: IdMap<usize> = IdMap::default();
        let mut stack: Vec<(&Node, bool)> = Vec::new();
        for output in outputs {
            stack.push((&output.node, false));
            while let Some((node, has_operands)) = stack.pop() {
                if index.contains_key(&node.id()) {
                    continue;
                }
                if has_operands || node.operands().is_empty() {
                    let operands = node.operands().iter().map(|operand| index[&operand.id()]).collect();
                    index.insert(node.id(), walk.nodes.len());
                    walk.visit(node, operands, dies)?;
                } else {
                    stack.push((node, true));
                    stack.extend(node.operands().iter().rev().map(|operand| (operand, false)));
                }
            }
            walk.outputs.push(index[&output.node.id()]);
        }
        for (output, &node) in outputs.iter().zip(&walk.outputs) {
            walk.words.push(node as u64);
            walk.words.push(output.target.is_some().into());
            if let Some(target) = &output.target {
                walk.bindings.targets.push(target.clone());
                write_memory(&mut walk.words, &walk.bindings, target);
            }
        }
        Ok(walk)
    }

    fn visit(&mut self, node: &'a Node, operands: Vec<usize>, dies: &impl Fn(&Leaf) -> bool) -> Result<(), ArrayError> {
        let mut words = Words(std::mem::take(&mut self.words));
        let mut binding = 0;
        std::mem::discriminant(node.op()).hash(&mut words);
        (node.element(), node.shape()).hash(&mut words);
        match node.op() {
            Op::Error(error) => return Err((**error).clone()),
            Op::Leaf(leaf) => {
                binding = self.bindings.leaves.len();
                write_memory(&mut words.0, &self.bindings, leaf);
                self.bindings.leaves.push(leaf.clone());
                self.bindings.dies.push(dies(leaf));
                words.0.push(self.bindings.dies[binding].into());
            }
            Op::Scalar(number) => {
                let is_same =
                    |other: &Number| (other.element_type(), other.bits()) == (number.element_type(), number.bits());
                binding = self.bindings.scalars.iter().position(is_same).unwrap_or(self.bindings.scalars.len());
                if binding == self.bindings.scalars.len() {
                    self.bindings.scalars.push(*number);
                }
                words.0.push(binding as u64);
            }
            op => write_data(op, &mut words),
        }
        words.0.extend(operands.iter().map(|&operand| operand as u64));
        self.words = words.0;
        self.nodes.push(Visited { node, binding, operands });
        Ok(())
    }
}

/// The first binding of the same memory, and the distance to it.
fn write_memory(words: &mut Vec<u64>, bindings: &Bindings, leaf: &Leaf) {
    let mut known = bindings.leaves.iter().chain(&bindings.targets).enumerate();
    let (first, distance) = match known.find(|(_, other)| other.id() == leaf.id()) {
        Some((first, other)) => (first, leaf.offset.wrapping_sub(other.offset)),
        None => (usize::MAX, 0),
    };
    words.extend([first as u64, distance as u64]);
    // Whole memory can be taken over by an output.
    words.push((leaf.offset == 0).into());
    words.extend(leaf.strides.iter().map(|&stride| stride as u64));
    words.push(leaf.storage.len() as u64);
}

fn write_data(op: &Op, words: &mut Words) {
    match op {
        Op::Unary(function) => function.hash(words),
        Op::Binary(function) => function.hash(words),
        Op::Complex(function) => function.hash(words),
        Op::Philox(word) => word.hash(words),
        Op::View(map) => map.hash(words),
        Op::Gather { axis } | Op::Concatenate { axis } => axis.hash(words),
        Op::Reduce { reduction, axes, keep } => (reduction, axes, keep).hash(words),
        Op::Scan { reduction, axis } => (reduction, axis).hash(words),
        // The plan holds the routine, so that no other one has the address while the plan is cached.
        Op::Routine { routine, output } => (std::sync::Arc::as_ptr(routine).cast::<()>() as usize, output).hash(words),
        _ => {}
    }
}
