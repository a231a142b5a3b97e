//! The choice of chains: which operation goes on with the result of which in registers.

use super::loops::Link;
use super::nodes::{Arithmetic, Level, NodeId, Nodes, Op};

/// A link without the forms of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// acc and x
    Arithmetic(Arithmetic),
    /// x and acc
    Reversed(Arithmetic),
    /// acc + x y
    AddProduct,
    /// acc - x y
    SubtractProduct,
    /// x y - acc
    FromProduct,
    /// Without operands.
    Alone(Link),
}

/// How an operation continues a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Continuation {
    /// The operation before it; none begins the chain with `start`.
    pub(super) previous: Option<NodeId>,
    pub(super) start: NodeId,
    pub(super) operation: Operation,
    pub(super) x: NodeId,
    pub(super) y: NodeId,
    /// Operations of the chain.
    length: usize,
}

/// The chains of a graph.
pub(super) struct Chains {
    pub(super) continuations: Vec<Option<Continuation>>,
    /// Nodes that others compute in registers.
    pub(super) is_absorbed: Vec<bool>,
}

/// Chains of the nodes that are needed. `uses` counts operands and results that a node is.
pub(super) fn chains(nodes: &Nodes, uses: &[usize]) -> Chains {
    let mut chains = Chains { continuations: vec![None; nodes.len()], is_absorbed: vec![false; nodes.len()] };
    for node in 0..nodes.len() as NodeId {
        if uses[node as usize] > 0 && is_link(nodes, node) {
            let continuation = chains.choose(nodes, uses, node);
            chains.continuations[node as usize] = Some(continuation);
        }
    }
    chains
}

/// An operation along strips that chains have.
fn is_link(nodes: &Nodes, node: NodeId) -> bool {
    nodes.level(node) == Level::Strip && matches!(nodes.op(node), Op::Arithmetic(..) | Op::Alone(..))
}

impl Chains {
    fn is_free(&self, nodes: &Nodes, uses: &[usize], node: NodeId) -> bool {
        uses[node as usize] == 1 && is_link(nodes, node)
    }

    /// A product of two operands that are computed before.
    fn product(&self, nodes: &Nodes, uses: &[usize], node: NodeId) -> Option<(NodeId, NodeId)> {
        let continuation = self.continuations[node as usize].filter(|_| self.is_free(nodes, uses, node))?;
        match nodes.op(node) {
            Op::Arithmetic(Arithmetic::Multiply, x, y) if continuation.previous.is_none() => Some((*x, *y)),
            _ => None,
        }
    }

    fn length(&self, node: NodeId) -> usize {
        self.continuations[node as usize].map_or(0, |continuation| continuation.length)
    }

    /// Goes on with an operand where that one has no other use.
    fn after(&mut self, nodes: &Nodes, uses: &[usize], operand: NodeId, operation: Operation) -> Continuation {
        let previous = self.is_free(nodes, uses, operand).then_some(operand);
        if previous.is_some() {
            self.is_absorbed[operand as usize] = true;
        }
        let length = 1 + previous.map_or(0, |previous| self.length(previous));
        Continuation { previous, start: operand, operation, x: operand, y: operand, length }
    }

    fn choose(&mut self, nodes: &Nodes, uses: &[usize], node: NodeId) -> Continuation {
        let (operation, a, b) = match nodes.op(node) {
            Op::Alone(link, a) => return self.after(nodes, uses, *a, Operation::Alone(link.link())),
            Op::Arithmetic(Arithmetic::Multiply, a, b) if a == b => {
                return self.after(nodes, uses, *a, Operation::Alone(Link::Square));
            }
            Op::Arithmetic(operation, a, b) => (*operation, *a, *b),
            other => unreachable!("{other:?} is no link"),
        };
        let product = |chains: &Self, node| match operation {
            Arithmetic::Add | Arithmetic::Subtract if a != b => chains.product(nodes, uses, node),
            _ => None,
        };
        if let Some((x, y)) = product(self, b) {
            self.is_absorbed[b as usize] = true;
            let is_sum = operation == Arithmetic::Add;
            let operation = if is_sum { Operation::AddProduct } else { Operation::SubtractProduct };
            return Continuation { x, y, ..self.after(nodes, uses, a, operation) };
        }
        if let Some((x, y)) = product(self, a) {
            self.is_absorbed[a as usize] = true;
            let is_sum = operation == Arithmetic::Add;
            let operation = if is_sum { Operation::AddProduct } else { Operation::FromProduct };
            return Continuation { x, y, ..self.after(nodes, uses, b, operation) };
        }
        let length = |node| if self.is_free(nodes, uses, node) { 1 + self.length(node) } else { 0 };
        let is_reversed = length(b) > length(a);
        if is_reversed {
            Continuation { x: a, ..self.after(nodes, uses, b, Operation::Reversed(operation)) }
        } else {
            Continuation { x: b, ..self.after(nodes, uses, a, Operation::Arithmetic(operation)) }
        }
    }
}

/// The link of an operation. `is_uniform` says it of x; of products, x is uniform where one factor is.
pub(super) fn link(operation: Operation, is_uniform: bool) -> Link {
    let pair = |strip, uniform| if is_uniform { uniform } else { strip };
    use Arithmetic::*;
    match operation {
        Operation::Arithmetic(Add) | Operation::Reversed(Add) => pair(Link::AddS, Link::AddU),
        Operation::Arithmetic(Multiply) | Operation::Reversed(Multiply) => pair(Link::MulS, Link::MulU),
        Operation::Arithmetic(Subtract) => pair(Link::SubS, Link::SubU),
        Operation::Reversed(Subtract) => pair(Link::FromS, Link::FromU),
        Operation::Arithmetic(Divide) => pair(Link::DivS, Link::DivU),
        Operation::Reversed(Divide) => pair(Link::OverS, Link::OverU),
        Operation::Arithmetic(Min) => pair(Link::MinS, Link::MinU),
        Operation::Reversed(Min) => pair(Link::MinToS, Link::MinToU),
        Operation::Arithmetic(Max) => pair(Link::MaxS, Link::MaxU),
        Operation::Reversed(Max) => pair(Link::MaxToS, Link::MaxToU),
        Operation::AddProduct => pair(Link::AddSS, Link::AddUS),
        Operation::SubtractProduct => pair(Link::SubSS, Link::SubUS),
        Operation::FromProduct => pair(Link::FromSS, Link::FromUS),
        Operation::Alone(link) => link,
    }
}
