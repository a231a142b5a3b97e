//! Expressions as a graph in topological order: equal expressions are one node.

use std::collections::HashSet;

use super::types::{Binary, Function, Type, Unary};

/// The most axes of a stencil.
pub const MAX_AXES: usize = 6;

/// Offsets on the stencil's axes; those after its last axis are 0.
pub type Offsets = [i32; MAX_AXES];

/// An expression: the index of a node in its stencil's [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub(crate) u32);

impl ExprId {
    /// The index of the node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A constant, rounded to its node's type. Of `bool`, 1 or 0.
#[derive(Clone, Copy, Debug)]
pub struct Constant(pub f64);

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Constant {}

impl std::hash::Hash for Constant {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// An access to a grid near the current point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tap {
    /// The grid's index.
    pub grid: usize,
    /// The grid's component: indices of several dimensions are counted in row-major order.
    pub component: usize,
    /// The level relative to the time `t`: 1 is the level that a step computes. 0 for constant grids.
    pub time: i32,
    /// Offsets on the stencil's axes; 0 on those that the grid has not.
    pub offsets: Offsets,
}

/// One operation. Operands have the node's type, except in conversions, comparisons and the condition of a selection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A number.
    Constant(Constant),
    /// The value of a size symbol.
    Size(String),
    /// The coordinate of the current point on an axis.
    Coordinate(usize),
    /// The time `t`: the number of steps before this one, plus the time of the first.
    Time,
    /// A parameter, or an element of one at integer indices.
    Parameter {
        /// The parameter's index.
        parameter: usize,
        /// Indices within the parameter's ranges.
        indices: Vec<ExprId>,
    },
    /// A result's last value. It stands in the stop criterion alone.
    Result(usize),
    /// A temporary variable of the current point.
    Temporary(usize),
    /// An access to a grid.
    Tap(Tap),
    /// A conversion to the node's type. Real numbers become integers by truncation, saturating, NaN as 0.
    Convert(ExprId),
    /// An operator of one operand.
    Unary(Unary, ExprId),
    /// An operator of two operands.
    Binary(Binary, ExprId, ExprId),
    /// An integer power: square and multiply from the exponent's highest bit; a negative one is the reciprocal.
    Power(ExprId, i32),
    /// A function. Sources of more than two arguments of `min` and `max` are nested from left to right.
    Call(Function, Vec<ExprId>),
    /// `condition ? a : b`
    Select(ExprId, ExprId, ExprId),
}

impl Node {
    /// Calls back for each operand, in the order of the text.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            Node::Constant(_) | Node::Size(_) | Node::Coordinate(_) | Node::Time | Node::Result(_) => {}
            Node::Temporary(_) | Node::Tap(_) => {}
            Node::Parameter { indices: operands, .. } | Node::Call(_, operands) => {
                operands.iter().copied().for_each(visit)
            }
            Node::Convert(a) | Node::Unary(_, a) | Node::Power(a, _) => visit(*a),
            Node::Binary(_, a, b) => {
                visit(*a);
                visit(*b);
            }
            Node::Select(condition, a, b) => {
                visit(*condition);
                visit(*a);
                visit(*b);
            }
        }
    }

    /// The same operation on other operands.
    pub(crate) fn with_operands(&self, mut other: impl FnMut(ExprId) -> ExprId) -> Node {
        match self {
            Node::Parameter { parameter, indices } => {
                Node::Parameter { parameter: *parameter, indices: indices.iter().map(|&index| other(index)).collect() }
            }
            Node::Call(function, arguments) => {
                Node::Call(*function, arguments.iter().map(|&argument| other(argument)).collect())
            }
            Node::Convert(a) => Node::Convert(other(*a)),
            Node::Unary(operator, a) => Node::Unary(*operator, other(*a)),
            Node::Power(a, exponent) => Node::Power(other(*a), *exponent),
            Node::Binary(operator, a, b) => {
                let a = other(*a);
                Node::Binary(*operator, a, other(*b))
            }
            Node::Select(condition, a, b) => {
                let condition = other(*condition);
                let a = other(*a);
                Node::Select(condition, a, other(*b))
            }
            leaf => leaf.clone(),
        }
    }
}

/// The nodes of a stencil's expressions. Operands come before what uses them; equal nodes are one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) types: Vec<Type>,
}

impl Graph {
    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// No node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operation of an expression.
    pub fn node(&self, expression: ExprId) -> &Node {
        &self.nodes[expression.index()]
    }

    /// The type of an expression.
    pub fn type_of(&self, expression: ExprId) -> Type {
        self.types[expression.index()]
    }

    /// The nodes that expressions need, operands first.
    pub fn reachable(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        let mut needed = HashSet::new();
        let mut stack: Vec<ExprId> = roots.into_iter().collect();
        while let Some(expression) = stack.pop() {
            if needed.insert(expression) {
                self.node(expression).for_each_operand(|operand| stack.push(operand));
            }
        }
        let mut ordered: Vec<ExprId> = needed.into_iter().collect();
        ordered.sort_unstable();
        ordered
    }

    /// The taps of expressions, without those within temporaries.
    pub fn taps(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<Tap> {
        let taps = self.reachable(roots).into_iter().filter_map(|expression| match self.node(expression) {
            Node::Tap(tap) => Some(*tap),
            _ => None,
        });
        taps.collect()
    }
}
