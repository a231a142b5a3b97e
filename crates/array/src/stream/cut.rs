//! Rows of expressions: the same operations on the rows of operands.

use super::is_host;
use crate::element::{Number, Value};
use crate::function::Binary;
use crate::node::{Leaf, Node, Op, Operands, Storage};
use crate::shape::{MAX_RANK, Shape};
use crate::slice::Slice;
use crate::view::{AxisMap, ViewMap};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Cuts a range along one axis out of expressions.
pub(super) struct Cutter<F> {
    rows: Range<usize>,
    /// Memory for the rows of an operand of the host.
    memory: F,
    /// Nodes that were cut, by their identity, axis and range.
    known: HashMap<(usize, usize, usize, usize), Node>,
    /// Leaves of the host that were asked for.
    leaves: Vec<(Leaf, Shape, Leaf)>,
    /// Operands that stay whole.
    whole: Vec<Node>,
}

/// The cut expression, or `None` where it cannot be cut.
type Cut<E> = Result<Option<Node>, E>;

impl<F, E> Cutter<F>
where
    F: FnMut(&Leaf, &Shape) -> Result<Leaf, E>,
{
    pub(super) fn new(rows: Range<usize>, memory: F) -> Self {
        Cutter { rows, memory, known: HashMap::new(), leaves: Vec::new(), whole: Vec::new() }
    }

    /// The range of an output along its axis.
    pub(super) fn cut(&mut self, output: &Node, axis: usize) -> Cut<E> {
        let rows = self.rows.clone();
        self.range(output, axis, &rows)
    }

    /// Memory of the host of the operands that stayed whole.
    pub(super) fn whole(&self) -> Vec<Arc<dyn Storage>> {
        let mut found = Vec::new();
        let mut known = HashMap::new();
        for node in &self.whole {
            let mut visit = |storage: &Arc<dyn Storage>| {
                found.push(storage.clone());
                Ok::<_, std::convert::Infallible>(None)
            };
            let _ = super::replaced(node, &mut known, &mut visit);
        }
        found
    }

    fn range(&mut self, node: &Node, axis: usize, rows: &Range<usize>) -> Cut<E> {
        let key = (node.id(), axis, rows.start, rows.end);
        if let Some(known) = self.known.get(&key) {
            return Ok(Some(known.clone()));
        }
        let cut = self.operation(node, axis, rows)?;
        if let Some(cut) = &cut {
            self.known.insert(key, cut.clone());
        }
        Ok(cut)
    }

    fn operation(&mut self, node: &Node, axis: usize, rows: &Range<usize>) -> Cut<E> {
        let shape = with_extent(node.shape(), axis, rows.len());
        match node.op() {
            Op::Leaf(leaf) => self.leaf(node, leaf, axis, rows).map(Some),
            Op::Iota if axis == 0 => {
                let before = rows.start * node.shape()[1..].iter().product::<usize>();
                let before = Node::scalar(Number::Real(Value::I64(before as i64)));
                Ok(Some(Node::iota(&shape).binary(Binary::Add, &before)))
            }
            op if op.is_elementwise() => self.elementwise(node, axis, rows, shape),
            Op::View(map) => self.view(node, map, axis, rows, shape),
            Op::Reshape if axis == 0 && node.operands()[0].shape().first() == node.shape().first() => {
                let operand = self.range(&node.operands()[0], 0, rows)?;
                Ok(operand.map(|operand| operand.reshape(&shape)))
            }
            &Op::Gather { axis: along } => self.gather(node, along, axis, rows, shape),
            &Op::Concatenate { axis: along } if along != axis => self.all(node, axis, rows, shape),
            &Op::Scan { axis: along, .. } if along != axis => self.all(node, axis, rows, shape),
            &Op::Reduce { axes, keep, .. } => {
                let mut outer = (0..node.operands()[0].shape().rank()).filter(|axis| keep || !axes.contains(*axis));
                match outer.nth(axis).filter(|source| !axes.contains(*source)) {
                    Some(source) => self.all(node, source, rows, shape),
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// Rows of memory.
    fn leaf(&mut self, node: &Node, leaf: &Leaf, axis: usize, rows: &Range<usize>) -> Result<Node, E> {
        let mut slices = vec![Slice::FULL; axis];
        slices.push(Slice::from(rows.start as i64..rows.end as i64));
        let part = node.slice(&slices);
        let Op::Leaf(cut) = part.op() else { return Ok(part) };
        if !is_host(leaf) {
            return Ok(part);
        }
        let shape = *part.shape();
        let is_it = |(of, of_shape, _): &&(Leaf, Shape, Leaf)| {
            (of.id(), of.offset, of.strides, *of_shape) == (cut.id(), cut.offset, cut.strides, shape)
        };
        let there = match self.leaves.iter().find(is_it) {
            Some((_, _, there)) => there.clone(),
            None => {
                let there = (self.memory)(cut, &shape)?;
                self.leaves.push((cut.clone(), shape, there.clone()));
                there
            }
        };
        Ok(Node::new(Op::Leaf(there), Operands::Zero, node.element(), shape))
    }

    /// The same rows of all operands.
    fn all(&mut self, node: &Node, axis: usize, rows: &Range<usize>, shape: Shape) -> Cut<E> {
        let mut operands = Vec::with_capacity(node.operands().len());
        for operand in node.operands() {
            let Some(cut) = self.range(operand, axis, rows)? else { return Ok(None) };
            operands.push(cut);
        }
        Ok(Some(node.with_operands(&operands, shape)))
    }

    /// The rows of those operands that have them: others are repeated along the axis.
    fn elementwise(&mut self, node: &Node, axis: usize, rows: &Range<usize>, shape: Shape) -> Cut<E> {
        let (rank, extent) = (node.shape().rank(), node.shape()[axis]);
        let mut operands = Vec::with_capacity(node.operands().len());
        for operand in node.operands() {
            let own = (axis + operand.shape().rank()).checked_sub(rank);
            match own.filter(|&own| operand.shape()[own] == extent && extent != 1) {
                Some(own) => {
                    let Some(cut) = self.range(operand, own, rows)? else { return Ok(None) };
                    operands.push(cut);
                }
                None => operands.push(self.keep(operand)),
            }
        }
        Ok(Some(node.with_operands(&operands, shape)))
    }

    fn keep(&mut self, node: &Node) -> Node {
        self.whole.push(node.clone());
        node.clone()
    }

    /// A view of the rows that the view's rows are.
    fn view(&mut self, node: &Node, map: &ViewMap, axis: usize, rows: &Range<usize>, shape: Shape) -> Cut<E> {
        let source = &node.operands()[0];
        let mut along = map.axes().iter().enumerate().filter(|(_, map)| map.axis == Some(axis));
        let Some((own, &AxisMap { start, step, .. })) = along.next() else {
            // Repeated along the axis.
            let source = self.keep(source);
            return Ok(Some(source.mapped(ViewMap::new(map.axes().to_vec(), &shape), shape)));
        };
        if along.next().is_some() || rows.is_empty() {
            return Ok(None);
        }
        let at = |row: usize| (start as i64 + row as i64 * step) as usize;
        let (low, high) = (at(rows.start).min(at(rows.end - 1)), at(rows.start).max(at(rows.end - 1)));
        let Some(source) = self.range(source, own, &(low..high + 1))? else { return Ok(None) };
        let mut axes = map.axes().to_vec();
        axes[own].start = at(rows.start) - low;
        Ok(Some(source.mapped(ViewMap::new(axes, &shape), shape)))
    }

    fn gather(&mut self, node: &Node, along: usize, axis: usize, rows: &Range<usize>, shape: Shape) -> Cut<E> {
        let [source, indices] = node.operands() else { return Ok(None) };
        let after = along + indices.shape().rank();
        let (source, indices) = if (along..after).contains(&axis) {
            (Some(self.keep(source)), self.range(indices, axis - along, rows)?)
        } else {
            let own = if axis < along { axis } else { axis + 1 - indices.shape().rank() };
            (self.range(source, own, rows)?, Some(self.keep(indices)))
        };
        let (Some(source), Some(indices)) = (source, indices) else { return Ok(None) };
        Ok(Some(node.with_operands(&[source, indices], shape)))
    }
}

/// The shape with another extent along an axis.
fn with_extent(shape: &Shape, axis: usize, extent: usize) -> Shape {
    let mut extents = [0; MAX_RANK];
    extents[..shape.rank()].copy_from_slice(shape.extents());
    extents[axis] = extent;
    Shape::new(&extents[..shape.rank()]).expect("a part of a shape is a shape")
}
