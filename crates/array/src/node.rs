//! Graphs of array expressions: nodes with shared operands.
//!
//! A [`Node`] is an operation on operands, whose type and shape are known when it is made. Its operands are shared,
//! so that a graph is acyclic and equal parts can be one. Constructors check types and shapes; what they find wrong is
//! an [`Op::Error`], which every operation on it passes on.

use super::element::ElementType;
use super::error::ArrayError;
use super::executor::Executor;
use super::expr::executor_of;
use super::op::address;
use super::shape::Shape;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::Arc;

pub use super::op::{Complex, ContextId, Leaf, Op, Routine, Storage};

/// An operation on operands, shared by the expressions that contain it.
#[derive(Clone)]
pub struct Node(Arc<Inner>);

struct Inner {
    op: Op,
    operands: Operands,
    element: ElementType,
    shape: Shape,
    context: Option<ContextId>,
    /// The executor of the context, of a node whose operands have none.
    executor: Option<Arc<dyn Executor>>,
    hash: u64,
    size: u64,
    depth: u32,
    location: &'static Location<'static>,
}

/// Operands, without an allocation of their own up to three.
pub(crate) enum Operands {
    Zero,
    One([Node; 1]),
    Two([Node; 2]),
    Three([Node; 3]),
    Many(Vec<Node>),
}

impl Operands {
    pub(crate) fn as_slice(&self) -> &[Node] {
        match self {
            Operands::Zero => &[],
            Operands::One(nodes) => nodes,
            Operands::Two(nodes) => nodes,
            Operands::Three(nodes) => nodes,
            Operands::Many(nodes) => nodes,
        }
    }

    /// The operands at the end of the list.
    fn move_to(self, list: &mut Vec<Node>) {
        match self {
            Operands::Zero => (),
            Operands::One(nodes) => list.extend(nodes),
            Operands::Two(nodes) => list.extend(nodes),
            Operands::Three(nodes) => list.extend(nodes),
            Operands::Many(nodes) => list.extend(nodes),
        }
    }
}

impl From<&[Node]> for Operands {
    fn from(nodes: &[Node]) -> Self {
        match nodes {
            [] => Operands::Zero,
            [a] => Operands::One([a.clone()]),
            [a, b] => Operands::Two([a.clone(), b.clone()]),
            [a, b, c] => Operands::Three([a.clone(), b.clone(), c.clone()]),
            _ => Operands::Many(nodes.to_vec()),
        }
    }
}

impl Node {
    /// A node whose type, shape and operands were checked.
    #[track_caller]
    pub(crate) fn new(op: Op, operands: Operands, element: ElementType, shape: Shape) -> Self {
        let mut state = Mixer::default();
        std::mem::discriminant(&op).hash(&mut state);
        op.hash_data(&mut state);
        (element, shape).hash(&mut state);
        let (mut size, mut depth) = (1u64, 0u32);
        let mut context = match &op {
            Op::Leaf(leaf) => leaf.storage.context(),
            _ => None,
        };
        for operand in operands.as_slice() {
            state.write_u64(operand.hash());
            size = size.saturating_add(operand.size());
            depth = depth.max(operand.depth());
            context = context.or(operand.context());
        }
        let (hash, depth) = (state.finish(), depth.saturating_add(1));
        let location = Location::caller();
        let executor = None;
        Node(Arc::new(Inner { op, operands, element, shape, context, executor, hash, size, depth, location }))
    }

    /// The node, which nobody else holds yet, as one of another's context: for a value that does not depend on memory,
    /// in the place of one that does.
    pub(crate) fn in_context_of(mut self, other: &Node) -> Node {
        if let (Some(inner), Ok(executor)) = (Arc::get_mut(&mut self.0), executor_of(std::slice::from_ref(other))) {
            (inner.context, inner.executor) = (other.context(), Some(executor));
        }
        self
    }

    /// The same operation, of the same line, on other operands of the same types, whose result has this shape.
    pub(crate) fn with_operands(&self, operands: &[Node], shape: Shape) -> Node {
        let mut node = Node::new(self.op().clone(), operands.into(), self.element(), shape);
        if let Some(inner) = Arc::get_mut(&mut node.0) {
            inner.location = self.location();
        }
        node
    }

    /// The executor of the context, of a node whose operands have none.
    pub(crate) fn executor(&self) -> Option<&Arc<dyn Executor>> {
        self.0.executor.as_ref()
    }

    /// The operation.
    pub fn op(&self) -> &Op {
        &self.0.op
    }

    /// The operands, in the order that the operation names them.
    pub fn operands(&self) -> &[Node] {
        self.0.operands.as_slice()
    }

    /// The type of the elements.
    pub fn element(&self) -> ElementType {
        self.0.element
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.0.shape
    }

    /// The context of the memory below, if one is set.
    pub fn context(&self) -> Option<ContextId> {
        self.0.context
    }

    /// A hash of the operation, its data, its type, its shape and its operands' hashes. Nodes with equal values by
    /// structure have equal ones: the same operations on the same memory and the same scalars.
    pub fn hash(&self) -> u64 {
        self.0.hash
    }

    /// Nodes of the expression, where a shared one counts each time that it is used. Saturates.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// Nodes on the longest path to a node without operands, both ends included. Saturates.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The line that wrote the operation.
    pub fn location(&self) -> &'static Location<'static> {
        self.0.location
    }

    /// The identity of the node, which no other node has while this one is held.
    pub fn id(&self) -> usize {
        address(&self.0)
    }

    /// Holders of the node.
    pub(crate) fn references(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    /// True if both have the same operation, type, shape and (by identity) operands.
    pub fn is_same_operation(&self, other: &Node) -> bool {
        self.id() == other.id()
            || self.hash() == other.hash()
                && self.element() == other.element()
                && self.shape() == other.shape()
                && self.op() == other.op()
                && self.operands().len() == other.operands().len()
                && self.operands().iter().zip(other.operands()).all(|(a, b)| a.id() == b.id())
    }

    /// The expression's error, if it has no value.
    pub fn error(&self) -> Option<&ArrayError> {
        match self.op() {
            Op::Error(error) => Some(error),
            _ => None,
        }
    }
}

/// Without the operands: they can be many.
impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {} {}", self.op(), self.element(), self.shape())
    }
}

// Operands are dropped in a loop: a chain of nodes would take a frame of the stack for each.
impl Drop for Inner {
    fn drop(&mut self) {
        let mut list = Vec::new();
        std::mem::replace(&mut self.operands, Operands::Zero).move_to(&mut list);
        while let Some(node) = list.pop() {
            if let Some(mut inner) = Arc::into_inner(node.0) {
                std::mem::replace(&mut inner.operands, Operands::Zero).move_to(&mut list);
            }
        }
    }
}

/// A hasher of integers by folded multiplication, with the same result in each run for the same data.
struct Mixer(u64);

impl Default for Mixer {
    fn default() -> Self {
        // Digits of π.
        Mixer(0x243f_6a88_85a3_08d3)
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word) ^ chunk.len() as u64);
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(value.rotate_left(32));
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
