//! The terms of a plan: hash-consed operations, rewritten by exact identities.
//!
//! - `--x`, `!!x` and `conj conj x` are x; a conversion to the own type, a view of everything and a reduction over no
//!   axes are the operand; views of views are one view.
//! - A reduction of no elements is its neutral element. A product of complex elements is a tree of products.
//! - A reshape of operations is operations on reshapes, where leaves have strides for it.
//! - `a b + c`, `a b - c` and `c - a b` of reals are rounded once where nothing else uses the product; of two products
//!   the first one is taken.
//! - `alpha A B + beta C` is one product where nothing else uses its parts, also with vectors.

use super::walk::Walk;
use crate::element::{ElementType, Number, Value};
use crate::function::{Binary, Reduction, Unary};
use crate::key::{IdMap, Words};
use crate::node::{Complex, Op};
use crate::shape::{Axes, Shape, Strides};
use crate::view::{AxisMap, ViewMap};
use std::hash::{Hash, Hasher};

/// Operations one behind the other that a reshape passes.
const MAX_RESHAPED: usize = 6;

/// The index of a term; operands have lower ones.
pub(super) type Id = usize;

/// An operation on earlier terms.
#[derive(Clone)]
pub(super) struct Term {
    pub(super) op: TermOp,
    pub(super) args: Vec<Id>,
    pub(super) element: ElementType,
    pub(super) shape: Shape,
    /// Operands of live terms and outputs that are this term.
    pub(super) uses: u32,
    /// True if it is computed from scalars alone, so that the host computes it.
    pub(super) is_scalar: bool,
}

#[derive(Clone, PartialEq)]
pub(super) enum TermOp {
    /// A leaf of the bindings, with the strides of the term's shape.
    Leaf(usize, Strides),
    /// A scalar of the bindings.
    Scalar(usize),
    /// One value at all points.
    Constant(Number),
    /// Of a b + c, a b - c, c - a b, with the operands a, b, c.
    MulAdd(MulAdd),
    /// Operands A, B, then those that the factors and `has_c` name: alpha, beta, C.
    Gemm(Gemm),
    /// All others.
    Op(Op),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MulAdd {
    Add,
    Sub,
    SubFrom,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Gemm {
    pub(super) has_alpha: bool,
    pub(super) has_beta: bool,
    pub(super) has_c: bool,
    pub(super) is_product_negative: bool,
    pub(super) is_c_negative: bool,
}

pub(super) struct Graph {
    pub(super) terms: Vec<Term>,
    /// The term of each output.
    pub(super) outputs: Vec<Id>,
    /// The least and the greatest index of a gather.
    pub(super) ranges: IdMap<(Id, Id)>,
    /// The index of a routine's line in the bindings.
    pub(super) calls: IdMap<usize>,
    known: IdMap<Vec<Id>>,
}

impl Graph {
    pub(super) fn of(walk: &Walk<'_>) -> Graph {
        let mut graph = Graph {
            terms: Vec::with_capacity(walk.nodes.len()),
            outputs: Vec::new(),
            ranges: IdMap::default(),
            calls: IdMap::default(),
            known: IdMap::default(),
        };
        let mut terms: Vec<Id> = Vec::with_capacity(walk.nodes.len());
        for &(node, binding) in &walk.nodes {
            let operands = node.operands().iter().filter_map(|operand| walk.position(operand));
            let args: Vec<Id> = operands.map(|operand| terms[operand]).collect();
            let range = match node.op() {
                Op::Gather { .. } => graph.range(args[1]),
                _ => None,
            };
            let op = match node.op() {
                Op::Leaf(leaf) => {
                    let first = walk.bindings.leaves.iter().position(|other| {
                        (other.id(), other.offset, other.strides) == (leaf.id(), leaf.offset, leaf.strides)
                    });
                    TermOp::Leaf(first.unwrap_or(binding), leaf.strides)
                }
                Op::Scalar(_) => TermOp::Scalar(binding),
                op => TermOp::Op(op.clone()),
            };
            let term = graph.simplified(op, args, node.element(), *node.shape());
            terms.push(term);
            if let Some(range) = range {
                graph.ranges.insert(term, range);
            }
            if let Op::Routine { .. } = node.op() {
                graph.calls.entry(term).or_insert(binding);
            }
        }
        graph.outputs = walk.outputs.iter().map(|&output| terms[output]).collect();
        graph.count_uses();
        graph.find_matmuls();
        graph.contract();
        graph.count_uses();
        graph
    }

    /// The extrema of indices, if there are any.
    fn range(&mut self, indices: Id) -> Option<(Id, Id)> {
        let from = self.terms[indices].shape;
        let axes = Axes::all(from.rank());
        let mut of = |reduction| self.reduced(reduction, axes, false, (indices, from), ElementType::I64, Shape::SCALAR);
        (!from.is_empty()).then(|| (of(Reduction::Min), of(Reduction::Max)))
    }

    /// The term, or an earlier one that is equal.
    pub(super) fn add(&mut self, op: TermOp, args: Vec<Id>, element: ElementType, shape: Shape) -> Id {
        let mut words = Words(Vec::with_capacity(8));
        std::mem::discriminant(&op).hash(&mut words);
        match &op {
            TermOp::Leaf(leaf, strides) => (leaf, strides).hash(&mut words),
            TermOp::Scalar(scalar) => scalar.hash(&mut words),
            TermOp::Op(op) => std::mem::discriminant(op).hash(&mut words),
            _ => {}
        }
        (&args, element, shape).hash(&mut words);
        let same = self.known.entry(words.finish() as usize).or_default();
        let terms = &self.terms;
        let is_same = |id: &&Id| {
            let term = &terms[**id];
            term.op == op && term.args == args && term.element == element && term.shape == shape
        };
        if let Some(&id) = same.iter().find(is_same) {
            return id;
        }
        let is_elementwise = match &op {
            TermOp::Scalar(_) => true,
            TermOp::Op(op) => op.is_elementwise() && !args.is_empty() && shape.rank() == 0,
            _ => false,
        };
        let is_scalar = is_elementwise && args.iter().all(|&arg| terms[arg].is_scalar);
        self.terms.push(Term { op, args, element, shape, uses: 0, is_scalar });
        same.push(self.terms.len() - 1);
        self.terms.len() - 1
    }

    pub(super) fn simplified(&mut self, op: TermOp, args: Vec<Id>, element: ElementType, shape: Shape) -> Id {
        let TermOp::Op(node) = &op else { return self.add(op, args, element, shape) };
        let inner = args.first().map(|&arg| self.terms[arg].clone());
        match (node, inner) {
            (Op::Unary(Unary::Neg | Unary::Not) | Op::Complex(Complex::Conj), Some(inner)) if inner.op == op => {
                inner.args[0]
            }
            (Op::Convert, Some(inner)) if inner.element == element => args[0],
            (Op::View(map), Some(inner)) => match inner.op {
                _ if map.is_identity(&inner.shape, &shape) => args[0],
                TermOp::Constant(_) => self.add(inner.op, vec![], element, shape),
                TermOp::Op(Op::View(first)) => {
                    let map = first.then(map, &shape);
                    self.simplified(TermOp::Op(Op::View(map)), inner.args, element, shape)
                }
                _ => self.add(op, args, element, shape),
            },
            (Op::Reshape, Some(_)) => match self.reshaped(args[0], shape, MAX_RESHAPED) {
                Some(reshaped) => reshaped,
                None => self.add(op, args, element, shape),
            },
            (Op::Binary(Binary::Add | Binary::Sub | Binary::Mul), Some(_)) => {
                match (0..2).find_map(|position| self.behind_view(&op, &args, position, element, shape)) {
                    Some(term) => term,
                    None => self.add(op, args, element, shape),
                }
            }
            (&Op::Reduce { reduction, axes, keep }, Some(inner)) => {
                self.reduced(reduction, axes, keep, (args[0], inner.shape), element, shape)
            }
            _ => self.add(op, args, element, shape),
        }
    }

    /// The term's elements in another shape without a step of their own: leaves with other strides, and operations on
    /// such. `None` if there are no such strides, or more operations than `depth` one behind the other.
    fn reshaped(&mut self, id: Id, shape: Shape, depth: usize) -> Option<Id> {
        let term = self.terms[id].clone();
        match &term.op {
            _ if term.shape == shape => Some(id),
            TermOp::Constant(_) => Some(self.add(term.op, vec![], term.element, shape)),
            &TermOp::Leaf(leaf, strides) => {
                let strides = strides.reshaped(&term.shape, &shape)?;
                Some(self.add(TermOp::Leaf(leaf, strides), vec![], term.element, shape))
            }
            TermOp::Op(Op::Reshape) => {
                let inner = term.args[0];
                let reshaped = self.reshaped(inner, shape, depth);
                Some(reshaped.unwrap_or_else(|| self.add(term.op.clone(), vec![inner], term.element, shape)))
            }
            TermOp::Op(op) if op.is_elementwise() && depth > 0 => {
                let mut args = Vec::with_capacity(term.args.len());
                for &arg in &term.args {
                    let from = self.terms[arg].shape;
                    args.push(match from.rank() {
                        0 => arg,
                        _ if from == term.shape => self.reshaped(arg, shape, depth - 1)?,
                        _ => return None,
                    });
                }
                Some(self.simplified(term.op, args, term.element, shape))
            }
            _ => None,
        }
    }

    fn reduced(
        &mut self,
        reduction: Reduction,
        axes: Axes,
        keep: bool,
        (arg, from): (Id, Shape),
        element: ElementType,
        shape: Shape,
    ) -> Id {
        match from.len_of(axes) {
            0 => match neutral(reduction, element) {
                Some(number) => self.add(TermOp::Constant(number), vec![], element, shape),
                None => self.add(TermOp::Op(Op::Reduce { reduction, axes, keep }), vec![arg], element, shape),
            },
            1 if matches!(reduction, Reduction::ArgMin | Reduction::ArgMax) => {
                self.add(TermOp::Constant(Number::Real(Value::I64(0))), vec![], element, shape)
            }
            1 => {
                let mut axis = 0;
                let maps = (0..from.rank()).map(|k| {
                    let map = if axes.contains(k) { AxisMap::fixed(0) } else { AxisMap::along(axis) };
                    axis += usize::from(keep || !axes.contains(k));
                    map
                });
                let map = ViewMap::new(maps.collect(), &shape);
                self.simplified(TermOp::Op(Op::View(map)), vec![arg], element, shape)
            }
            _ if reduction == Reduction::Product && element.is_complex() => self.complex_product(arg, axes, shape),
            _ => self.add(TermOp::Op(Op::Reduce { reduction, axes, keep }), vec![arg], element, shape),
        }
    }

    /// The product along axes by halving them, one after the other: reductions join real values alone.
    fn complex_product(&mut self, mut id: Id, axes: Axes, to: Shape) -> Id {
        let element = self.terms[id].element;
        for axis in axes.iter() {
            while self.terms[id].shape[axis] > 1 {
                let extent = self.terms[id].shape[axis];
                let half = extent / 2;
                let (first, second) = (self.slice(id, axis, 0, half), self.slice(id, axis, half, half));
                let shape = self.terms[first].shape;
                let product = self.add(TermOp::Op(Op::Binary(Binary::Mul)), vec![first, second], element, shape);
                id = match extent % 2 {
                    0 => product,
                    _ => {
                        let rest = self.slice(id, axis, extent - 1, 1);
                        let shape = self.slice_shape(id, axis, half + 1);
                        self.add(TermOp::Op(Op::Concatenate { axis }), vec![product, rest], element, shape)
                    }
                };
            }
        }
        let from = self.terms[id].shape;
        let mut axis = 0;
        let maps = (0..from.rank()).map(|k| match axes.contains(k) && to.rank() < from.rank() {
            true => AxisMap::fixed(0),
            false => {
                axis += 1;
                AxisMap::along(axis - 1)
            }
        });
        let map = ViewMap::new(maps.collect(), &to);
        self.simplified(TermOp::Op(Op::View(map)), vec![id], element, to)
    }

    fn slice_shape(&self, id: Id, axis: usize, extent: usize) -> Shape {
        let mut extents = self.terms[id].shape.to_vec();
        extents[axis] = extent;
        // It has fewer elements than a legal shape.
        Shape::new(&extents).unwrap_or_default()
    }

    fn slice(&mut self, id: Id, axis: usize, start: usize, extent: usize) -> Id {
        let (element, shape) = (self.terms[id].element, self.slice_shape(id, axis, extent));
        let maps = (0..shape.rank()).map(|k| AxisMap { start: if k == axis { start } else { 0 }, ..AxisMap::along(k) });
        let map = ViewMap::new(maps.collect(), &shape);
        self.simplified(TermOp::Op(Op::View(map)), vec![id], element, shape)
    }

    /// Counts uses by terms that an output needs; others have none.
    fn count_uses(&mut self) {
        self.terms.iter_mut().for_each(|term| term.uses = 0);
        for &output in &self.outputs {
            self.terms[output].uses += 1;
        }
        for id in (0..self.terms.len()).rev() {
            if self.terms[id].uses > 0 {
                for arg in self.terms[id].args.clone() {
                    self.terms[arg].uses += 1;
                }
                if let Some(&(least, greatest)) = self.ranges.get(&id) {
                    self.terms[least].uses += 1;
                    self.terms[greatest].uses += 1;
                }
            }
        }
    }
}

/// The result of a reduction of no elements.
fn neutral(reduction: Reduction, element: ElementType) -> Option<Number> {
    match reduction {
        Reduction::Sum => Some(number(element, 0)),
        Reduction::Any => Some(Number::Real(Value::Bool(false))),
        Reduction::All => Some(Number::Real(Value::Bool(true))),
        Reduction::Product => Some(number(element, 1)),
        _ => None,
    }
}

/// The small number as an element.
fn number(element: ElementType, value: u8) -> Number {
    let single = Value::F32(value.into());
    let double = Value::F64(value.into());
    Number::Real(match element {
        ElementType::Bool => Value::Bool(value != 0),
        ElementType::U8 => Value::U8(value),
        ElementType::I32 => Value::I32(value.into()),
        ElementType::U32 => Value::U32(value.into()),
        ElementType::I64 => Value::I64(value.into()),
        ElementType::F32 => single,
        ElementType::F64 => double,
        ElementType::C32 => return Number::Complex(single, Value::F32(0.0)),
        ElementType::C64 => return Number::Complex(double, Value::F64(0.0)),
    })
}
