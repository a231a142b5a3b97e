//! Reductions of all elements, chunk by chunk of their order.

use super::is_host;
use crate::element::{Number, Value};
use crate::function::{Binary, Reduction};
use crate::fused::ReductionOrder;
use crate::node::{Leaf, Node, Op, Operands};
use crate::plan::space::reduction_order;
use crate::reference::{self, join_row};
use crate::shape::{Axes, Shape};
use std::collections::HashMap;
use std::ops::Range;

/// A reduction of all elements of an expression to one value, whose operands are memory without gaps.
pub struct Reducible {
    node: Node,
    reduction: Reduction,
    order: ReductionOrder,
    host_bytes: usize,
}

impl Reducible {
    /// The reductions in expressions that read at least this many bytes of the host, each once. None contains another
    /// such one: with the values of these in their place, the next ones are found.
    pub fn find(nodes: &[Node], min_bytes: usize) -> Vec<Reducible> {
        let (mut found, mut known) = (Vec::new(), std::collections::HashSet::new());
        let mut stack: Vec<&Node> = nodes.iter().collect();
        while let Some(node) = stack.pop() {
            if known.insert(node.id()) {
                match Reducible::of(node).filter(|reducible| reducible.host_bytes >= min_bytes) {
                    Some(reducible) if Reducible::find(node.operands(), min_bytes).is_empty() => found.push(reducible),
                    _ => stack.extend(node.operands()),
                }
            }
        }
        found
    }

    fn of(node: &Node) -> Option<Reducible> {
        let &Op::Reduce { reduction, axes, .. } = node.op() else { return None };
        let [operand] = node.operands() else { return None };
        let shape = operand.shape();
        let order = reduction_order(shape, axes);
        // Products of complex elements have no parts that are joined by themselves.
        let is_joined = if operand.element().is_complex() { reduction == Reduction::Sum } else { !reduction.is_arg() };
        if node.shape().len() != 1 || !is_joined || shape.len() < 2 * order.chunk || operand.depth() > super::MAX_DEPTH
        {
            return None;
        }
        let mut bytes = 0;
        let mut leaf = |leaf: &Leaf, shape: &Shape| {
            bytes += if is_host(leaf) { shape.len() * leaf.storage.element().bytes() } else { 0 };
            Ok::<_, std::convert::Infallible>(leaf.clone())
        };
        let whole = Shape::new(&[shape.len()]).ok()?;
        Flat { range: 0..shape.len(), to: whole, memory: &mut leaf, known: HashMap::new() }.part(operand).ok()??;
        (bytes > 0).then(|| Reducible { node: node.clone(), reduction, order, host_bytes: bytes })
    }

    /// The reduction.
    pub const fn node(&self) -> &Node {
        &self.node
    }

    /// Bytes that the host gives.
    pub const fn host_bytes(&self) -> usize {
        self.host_bytes
    }

    /// Elements that are reduced.
    pub fn len(&self) -> usize {
        self.operand().shape().len()
    }

    /// True if no element is reduced.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whole chunks of the order.
    pub fn chunks(&self) -> usize {
        self.len() / self.order.chunk
    }

    /// Elements of a chunk.
    pub const fn chunk(&self) -> usize {
        self.order.chunk
    }

    fn operand(&self) -> &Node {
        &self.node.operands()[0]
    }

    /// The results of chunks. `memory` is as for [`super::Pieces::piece`].
    ///
    /// # Errors
    /// Those of `memory`.
    pub fn piece<E>(
        &self,
        chunks: Range<usize>,
        mut memory: impl FnMut(&Leaf, &Shape) -> Result<Leaf, E>,
    ) -> Result<Node, E> {
        let range = chunks.start * self.order.chunk..chunks.end * self.order.chunk;
        let to =
            Shape::new(&[chunks.len(), self.order.chunk]).expect("the chunks of an expression are no more than it");
        let part = Flat { range, to, memory: &mut memory, known: HashMap::new() }.part(self.operand())?;
        Ok(part.expect("the whole expression is flat").reduce(self.reduction, Axes::one(1), false))
    }

    /// The elements behind the last chunk, if there are some.
    ///
    /// # Errors
    /// Those of `memory`.
    pub fn rest<E>(&self, mut memory: impl FnMut(&Leaf, &Shape) -> Result<Leaf, E>) -> Result<Option<Node>, E> {
        let range = self.chunks() * self.order.chunk..self.len();
        if range.is_empty() {
            return Ok(None);
        }
        let to = Shape::new(&[range.len()]).expect("a part of an expression is no more than it");
        Flat { range, to, memory: &mut memory, known: HashMap::new() }.part(self.operand())
    }

    /// The value, from the bytes of all chunks' results and of the elements behind them.
    pub fn value(&self, results: &[u8], rest: &[u8]) -> Node {
        let element = self.operand().element();
        let part = element.part();
        let parts = if element.is_complex() { 2 } else { 1 };
        let join = |index: usize| {
            let values = |bytes: &[u8]| -> Vec<Value> {
                let numbers = bytes.chunks_exact(part.bytes()).skip(index).step_by(parts);
                numbers.filter_map(|number| reference::read(part, number)).collect()
            };
            let mut row = values(results);
            row.extend(join_row(self.order, &values(rest), |x, y| self.join(x, y)));
            join_row(self.order, &row, |x, y| self.join(x, y)).unwrap_or(Value::Bool(false))
        };
        let number = if parts == 2 { Number::Complex(join(0), join(1)) } else { Number::Real(join(0)) };
        Node::scalar(number).in_context_of(&self.node).broadcast_to(self.node.shape())
    }

    fn join(&self, x: Value, y: Value) -> Value {
        let function = match self.reduction {
            Reduction::Sum => Binary::Add,
            Reduction::Product => Binary::Mul,
            Reduction::Min | Reduction::ArgMin => Binary::Min,
            Reduction::Max | Reduction::ArgMax => Binary::Max,
            Reduction::Any => Binary::Or,
            Reduction::All => Binary::And,
        };
        reference::binary(function, x, y).unwrap_or(x)
    }
}

/// A range of an expression's elements in row-major order, in another shape.
struct Flat<'a, F> {
    range: Range<usize>,
    to: Shape,
    memory: &'a mut F,
    known: HashMap<usize, Node>,
}

impl<F, E> Flat<'_, F>
where
    F: FnMut(&Leaf, &Shape) -> Result<Leaf, E>,
{
    /// `None` where operands are repeated in parts, moved, or not memory without gaps.
    fn part(&mut self, node: &Node) -> Result<Option<Node>, E> {
        if let Some(known) = self.known.get(&node.id()) {
            return Ok(Some(known.clone()));
        }
        let part = match node.op() {
            Op::Leaf(_) => self.leaf(node)?,
            Op::Iota => {
                let before = Node::scalar(Number::Real(Value::I64(self.range.start as i64)));
                Some(Node::iota(&self.to).binary(Binary::Add, &before))
            }
            op if op.is_elementwise() => self.elementwise(node)?,
            _ => None,
        };
        if let Some(part) = &part {
            self.known.insert(node.id(), part.clone());
        }
        Ok(part)
    }

    fn leaf(&mut self, node: &Node) -> Result<Option<Node>, E> {
        let Ok(line) = Shape::new(&[node.shape().len()]) else { return Ok(None) };
        let range = self.range.start as i64..self.range.end as i64;
        let flat = node.reshape(&line).slice(&[range.into()]);
        let Op::Leaf(leaf) = flat.op() else { return Ok(None) };
        if !is_host(leaf) {
            return Ok(Some(flat.reshape(&self.to)));
        }
        let there = (self.memory)(leaf, flat.shape())?;
        let part = Node::new(Op::Leaf(there), Operands::Zero, node.element(), *flat.shape());
        Ok(Some(part.reshape(&self.to)))
    }

    fn elementwise(&mut self, node: &Node) -> Result<Option<Node>, E> {
        let mut operands = Vec::with_capacity(node.operands().len());
        for operand in node.operands() {
            operands.push(match operand.shape().len() {
                1 => operand.reshape(&Shape::SCALAR),
                n if n == node.shape().len() => match self.part(operand)? {
                    Some(part) => part,
                    None => return Ok(None),
                },
                _ => return Ok(None),
            });
        }
        Ok(Some(node.with_operands(&operands, self.to)))
    }
}
