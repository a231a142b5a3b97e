//! Gathers, joins, matrix products and routines.

use crate::element::ElementType;
use crate::error::ErrorKind;
use crate::node::{Node, Op, Operands, Routine};
use crate::shape::Shape;
use crate::slice::Slice;
use std::sync::Arc;

impl Node {
    /// Elements at `indices`, an `I64`, along the axis, which the indices' axes replace.
    #[track_caller]
    pub fn gather(&self, axis: i64, indices: &Node) -> Node {
        let operation = "index";
        Node::build(Operands::Two([self.clone(), indices.clone()]), operation, self.element(), |nodes| {
            let (shape, indices) = (nodes[0].shape(), nodes[1].signature());
            if indices.0 != ElementType::I64 {
                return Err(ErrorKind::Unsupported { operation: "an index", element: indices.0 });
            }
            let axis = shape.axis(axis)?;
            if shape[axis] == 0 && !indices.1.is_empty() {
                return Err(ErrorKind::Empty { operation, shape: *shape });
            }
            let extents = [&shape[..axis], &indices.1, &shape[axis + 1..]].concat();
            Ok((Op::Gather { axis }, nodes[0].element(), Shape::new(&extents)?))
        })
    }

    /// The nodes one after the other along the axis; their other extents are equal. At least one node.
    #[track_caller]
    pub fn concatenate(axis: i64, nodes: &[Node]) -> Node {
        let operation = "concatenate";
        let element = nodes.first().map_or(ElementType::F64, Node::element);
        if let [node] = nodes
            && (node.error().is_some() || node.shape().axis(axis).is_ok())
        {
            return node.clone();
        }
        Node::build(Operands::from(nodes), operation, element, |nodes| {
            let Some(first) = nodes.first() else {
                return Err(ErrorKind::Argument { operation, reason: "there is no array".into() });
            };
            let axis = first.shape().axis(axis)?;
            let mut extents = first.shape().to_vec();
            for node in &nodes[1..] {
                if node.element() != element {
                    return Err(ErrorKind::Types { operation, left: element, right: node.element() });
                }
                let (left, right) = (first.shape(), node.shape());
                let fits = left.rank() == right.rank() && (0..left.rank()).all(|k| k == axis || left[k] == right[k]);
                if !fits {
                    return Err(shapes(operation, left, right));
                }
                extents[axis] = extents[axis].saturating_add(right[axis]);
            }
            Ok((Op::Concatenate { axis }, element, Shape::new(&extents)?))
        })
    }

    /// Nodes of one shape along a new axis, which stands before `axis`; -1 is behind the last one.
    #[track_caller]
    pub fn stack(axis: i64, nodes: &[Node]) -> Node {
        let operation = "stack";
        if let Some(other) = nodes.iter().find(|node| node.shape() != nodes[0].shape())
            && nodes.iter().all(|node| node.error().is_none())
        {
            return Node::from_error(shapes(operation, nodes[0].shape(), other.shape()), nodes[0].element());
        }
        let mut parts = Vec::with_capacity(nodes.len());
        for node in nodes {
            parts.push(node.new_axis(axis));
        }
        Node::concatenate(axis, &parts)
    }

    /// The matrix product of the last two axes, by NumPy's rules: an operand of rank 1 is a row on the left and a
    /// column on the right, whose axis the result lacks; other axes broadcast.
    #[track_caller]
    pub fn matmul(&self, other: &Node) -> Node {
        let operation = "matmul";
        let element = self.element();
        if self.error().is_some() || other.error().is_some() {
            return Node::build(Operands::Two([self.clone(), other.clone()]), operation, element, |_| {
                unreachable!("an operand is an error")
            });
        }
        let (left, right) = (*self.shape(), *other.shape());
        let batches = match matmul_batches(&left, &right) {
            Ok(batches) => batches,
            Err(kind) => return Node::from_error(kind, element),
        };
        let (row, column) = (left.rank() == 1, right.rank() == 1);
        let left = if row { self.new_axis(0) } else { self.clone() };
        let right = if column { other.new_axis(1) } else { other.clone() };
        let ([m, k], n) = (last_two(left.shape()), last_two(right.shape())[1]);
        let whole = |rows, columns| Shape::new(&[&batches[..], &[rows, columns]].concat());
        let (shapes, shape) = match (whole(m, k), whole(k, n), whole(m, n)) {
            (Ok(a), Ok(b), Ok(c)) => ([a, b], c),
            (Err(kind), ..) | (_, Err(kind), _) | (.., Err(kind)) => return Node::from_error(kind, element),
        };
        let operands = Operands::Two([left.broadcast_to(&shapes[0]), right.broadcast_to(&shapes[1])]);
        let product = Node::build(operands, operation, element, |nodes| {
            let (left, right) = (nodes[0].element(), nodes[1].element());
            if left != right {
                return Err(ErrorKind::Types { operation, left, right });
            }
            if !left.is_real() && !left.is_complex() {
                return Err(ErrorKind::Unsupported { operation, element: left });
            }
            Ok((Op::Matmul, left, shape))
        });
        let selection = |vector: bool| if vector { Slice::Index(0) } else { Slice::FULL };
        match row || column {
            true => product.slice(&[Slice::Ellipsis, selection(row), selection(column)]),
            false => product,
        }
    }
}

fn shapes(operation: &'static str, left: &Shape, right: &Shape) -> ErrorKind {
    ErrorKind::Shapes { operation, left: (*left).into(), right: (*right).into() }
}

/// The axes before the last two, or why there is no product.
fn matmul_batches(left: &Shape, right: &Shape) -> Result<Shape, ErrorKind> {
    let operation = "matmul";
    let misfit = || shapes(operation, left, right);
    let inner = match right.rank() {
        0 => return Err(misfit()),
        1 => right[0],
        rank => right[rank - 2],
    };
    if left.last() != Some(&inner) {
        return Err(misfit());
    }
    let batch = |shape: &Shape| Shape::new(&shape[..shape.rank().saturating_sub(2)]);
    batch(left)?.broadcast(&batch(right)?, operation)
}

fn last_two(shape: &Shape) -> [usize; 2] {
    [shape[shape.rank() - 2], shape[shape.rank() - 1]]
}

/// The outputs of a routine on operands. An operand's error, or the routine's, is that of one output of type `element`.
#[track_caller]
pub fn routine(routine: Arc<dyn Routine>, operands: &[Node], element: ElementType) -> Vec<Node> {
    let inputs: Vec<_> = operands.iter().map(Node::signature).collect();
    let outputs = match routine.outputs(&inputs) {
        Ok(outputs) if operands.iter().all(|node| node.error().is_none()) => outputs,
        Ok(outputs) => outputs.into_iter().map(|(element, _)| (element, Shape::SCALAR)).collect(),
        Err(kind) => match operands.iter().find(|node| node.error().is_some()) {
            Some(failed) => return vec![failed.same_error(element)],
            None => return vec![Node::from_error(kind, element)],
        },
    };
    let mut nodes = Vec::with_capacity(outputs.len());
    for (output, (element, shape)) in outputs.into_iter().enumerate() {
        let op = Op::Routine { routine: routine.clone(), output };
        nodes.push(Node::build(Operands::from(operands), routine.name(), element, |_| Ok((op, element, shape))));
    }
    nodes
}
