//! The order in which planning and caching meet the nodes of expressions.

use super::Output;
use crate::element::Number;
use crate::error::ArrayError;
use crate::key::{IdMap, Words};
use crate::node::{Leaf, Node, Op};
use crate::op::hash_routine;
use std::hash::Hash;
use std::panic::Location;

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
    /// The lines that wrote the routines, for errors.
    pub calls: Vec<&'static Location<'static>>,
}

/// The nodes of expressions, operands first, and the words that tell one graph from another.
pub(super) struct Walk<'a> {
    /// Each node with the index of its leaf, scalar or call.
    pub(super) nodes: Vec<(&'a Node, usize)>,
    /// The node of each output.
    pub(super) outputs: Vec<usize>,
    pub(super) bindings: Bindings,
    /// All that a plan depends on. The memory's identity and the scalars' values are not among it.
    pub(super) words: Vec<u64>,
    index: IdMap<usize>,
}

/// Nodes up to which a search is faster than a map.
const SEARCHED_NODES: usize = 24;

impl<'a> Walk<'a> {
    pub(super) fn of(outputs: &'a [Output], dies: &impl Fn(&Leaf) -> bool) -> Result<Walk<'a>, ArrayError> {
        let mut walk = Walk {
            nodes: Vec::with_capacity(16),
            outputs: Vec::with_capacity(outputs.len()),
            bindings: Bindings::default(),
            words: Vec::with_capacity(128),
            index: IdMap::default(),
        };
        let mut stack: Vec<(&Node, bool)> = Vec::with_capacity(16);
        for output in outputs {
            stack.push((&output.node, false));
            while let Some((node, has_operands)) = stack.pop() {
                if has_operands || node.operands().is_empty() {
                    if walk.position(node).is_none() {
                        walk.visit(node, dies)?;
                    }
                } else if walk.position(node).is_none() {
                    stack.push((node, true));
                    stack.extend(node.operands().iter().rev().map(|operand| (operand, false)));
                }
            }
            let node = walk.position(&output.node).unwrap_or(0);
            walk.outputs.push(node);
            walk.words.extend([node as u64, output.target.is_some().into()]);
        }
        for target in outputs.iter().filter_map(|output| output.target.as_ref()) {
            write_memory(&mut walk.words, &walk.bindings, target);
            walk.bindings.targets.push(target.clone());
        }
        Ok(walk)
    }

    /// The index of a node that was visited.
    pub(super) fn position(&self, node: &Node) -> Option<usize> {
        match self.nodes.len() <= SEARCHED_NODES {
            true => self.nodes.iter().rposition(|(other, _)| other.id() == node.id()),
            false => self.index.get(&node.id()).copied(),
        }
    }

    fn visit(&mut self, node: &'a Node, dies: &impl Fn(&Leaf) -> bool) -> Result<(), ArrayError> {
        let mut words = Words(std::mem::take(&mut self.words));
        let mut binding = 0;
        std::mem::discriminant(node.op()).hash(&mut words);
        let shape = node.shape();
        words.0.push((node.element() as u64) << 8 | shape.rank() as u64);
        words.0.extend(shape.iter().map(|&extent| extent as u64));
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
            op @ Op::Routine { .. } => {
                binding = self.bindings.calls.len();
                self.bindings.calls.push(node.location());
                write_data(op, &mut words);
            }
            op => write_data(op, &mut words),
        }
        for operand in node.operands() {
            words.0.push(self.position(operand).unwrap_or(0) as u64);
        }
        self.words = words.0;
        self.nodes.push((node, binding));
        if self.nodes.len() == SEARCHED_NODES + 1 {
            self.index = self.nodes.iter().enumerate().map(|(index, (node, _))| (node.id(), index)).collect();
        } else if self.nodes.len() > SEARCHED_NODES {
            self.index.insert(node.id(), self.nodes.len() - 1);
        }
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
        Op::Routine { routine, output } => {
            hash_routine(&**routine, words);
            output.hash(words);
        }
        _ => {}
    }
}
