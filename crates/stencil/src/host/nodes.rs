//! Values of a pass as a graph: equal values are one node, operands come first.

use std::collections::HashMap;

use super::loops::Link;
use crate::definition::{Binary, Function, Type};

/// A node of [`Nodes`].
pub(super) type NodeId = u32;

/// A value of an expression, and the condition under which it is known; none where it always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) value: NodeId,
    pub(super) valid: Option<NodeId>,
}

/// Operations of which chains are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Min,
    Max,
}

/// An operation. Operands have the node's type but for conditions and what they compare.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// The bits of a number of the node's type; of a condition, 0 or 1.
    Constant(u64),
    /// The time of the pass.
    Time,
    /// The coordinate on an axis.
    Coordinate(usize),
    /// An access to memory by its number, which is within memory at all points of the pass.
    Load(usize),
    /// An access that may be outside memory: 0 there.
    Checked(usize),
    /// The access is within memory.
    IsInside(usize),
    /// An element of a parameter at indices of type `long`; 0 outside its ranges.
    Element { parameter: usize, indices: Vec<NodeId> },
    /// Indices are within a parameter's ranges.
    IsElement { parameter: usize, indices: Vec<NodeId> },
    /// Two operands.
    Arithmetic(Arithmetic, NodeId, NodeId),
    /// One operand; the link is one without operands.
    Alone(AloneLink, NodeId),
    /// From another type.
    Convert(Type, NodeId),
    /// A comparison of numbers of a type.
    Compare(Binary, Type, NodeId, NodeId),
    /// `&&` or `||` of known conditions.
    Logical(Binary, NodeId, NodeId),
    /// `!`
    Not(NodeId),
    /// A remainder.
    Remainder(NodeId, NodeId),
    /// A quotient of integers, rounded down.
    WholeQuotient(NodeId, NodeId),
    /// A function that is no link; a function of one argument has it twice.
    Call(Function, NodeId, NodeId),
    /// The condition, and the values that it selects.
    Select(NodeId, NodeId, NodeId),
}

/// Links of one operand that stand alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum AloneLink {
    Negate,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
}

impl AloneLink {
    pub(super) fn link(self) -> Link {
        match self {
            AloneLink::Negate => Link::Negate,
            AloneLink::Abs => Link::Abs,
            AloneLink::Sqrt => Link::Sqrt,
            AloneLink::Floor => Link::Floor,
            AloneLink::Ceil => Link::Ceil,
            AloneLink::Trunc => Link::Trunc,
        }
    }
}

impl Op {
    /// Calls back for each operand.
    pub(super) fn for_each_operand(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            Op::Constant(_) | Op::Time | Op::Coordinate(_) | Op::Load(_) | Op::Checked(_) | Op::IsInside(_) => {}
            Op::Element { indices, .. } | Op::IsElement { indices, .. } => indices.iter().copied().for_each(visit),
            Op::Alone(_, a) | Op::Convert(_, a) | Op::Not(a) => visit(*a),
            Op::Arithmetic(_, a, b)
            | Op::Compare(_, _, a, b)
            | Op::Logical(_, a, b)
            | Op::Remainder(a, b)
            | Op::WholeQuotient(a, b)
            | Op::Call(_, a, b) => {
                visit(*a);
                visit(*b);
            }
            Op::Select(condition, a, b) => {
                visit(*condition);
                visit(*a);
                visit(*b);
            }
        }
    }
}

/// How often a value changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Once in a pass.
    Pass,
    /// From row to row.
    Row,
    /// Along the row.
    Strip,
}

/// The graph.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    ops: Vec<Op>,
    kinds: Vec<Type>,
    levels: Vec<Level>,
    known: HashMap<(Op, Type), NodeId>,
}

impl Nodes {
    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    pub(super) fn op(&self, node: NodeId) -> &Op {
        &self.ops[node as usize]
    }

    pub(super) fn kind(&self, node: NodeId) -> Type {
        self.kinds[node as usize]
    }

    pub(super) fn level(&self, node: NodeId) -> Level {
        self.levels[node as usize]
    }

    /// The node of an operation. `own` is the level that it has without operands.
    pub(super) fn add(&mut self, op: Op, kind: Type, own: Level) -> NodeId {
        if let Some(&node) = self.known.get(&(op.clone(), kind)) {
            return node;
        }
        let mut level = own;
        op.for_each_operand(|operand| level = level.max(self.levels[operand as usize]));
        let node = self.ops.len() as NodeId;
        self.known.insert((op.clone(), kind), node);
        self.ops.push(op);
        self.kinds.push(kind);
        self.levels.push(level);
        node
    }

    /// A number's bits.
    pub(super) fn constant(&mut self, bits: u64, kind: Type) -> NodeId {
        self.add(Op::Constant(bits), kind, Level::Pass)
    }

    /// An operation on nodes.
    pub(super) fn of(&mut self, op: Op, kind: Type) -> NodeId {
        self.add(op, kind, Level::Pass)
    }

    /// A condition that is known when this program is compiled.
    pub(super) fn fixed(&self, node: NodeId) -> Option<bool> {
        match self.op(node) {
            Op::Constant(bits) => Some(*bits != 0),
            _ => None,
        }
    }

    /// Both conditions; none stands for one that always holds.
    pub(super) fn both(&mut self, a: Option<NodeId>, b: Option<NodeId>) -> Option<NodeId> {
        match (a, b) {
            (Some(a), Some(b)) if a != b => Some(self.and(a, b)),
            (a, b) => a.or(b),
        }
    }

    pub(super) fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.fixed(a), self.fixed(b)) {
            (Some(true), _) | (_, Some(false)) => b,
            (Some(false), _) | (_, Some(true)) => a,
            _ => self.of(Op::Logical(Binary::And, a, b), Type::Bool),
        }
    }

    pub(super) fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.fixed(a), self.fixed(b)) {
            (Some(false), _) | (_, Some(true)) => b,
            (Some(true), _) | (_, Some(false)) => a,
            _ => self.of(Op::Logical(Binary::Or, a, b), Type::Bool),
        }
    }

    pub(super) fn not(&mut self, a: NodeId) -> NodeId {
        match self.fixed(a) {
            Some(value) => self.constant(u64::from(!value), Type::Bool),
            None => self.of(Op::Not(a), Type::Bool),
        }
    }

    /// A condition as a node; one that always holds is a constant.
    pub(super) fn condition(&mut self, condition: Option<NodeId>) -> NodeId {
        condition.unwrap_or_else(|| self.constant(1, Type::Bool))
    }
}
