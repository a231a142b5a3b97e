//! Products: those of matrices with factors and an addend, and those of numbers that are added.

use super::graph::{Gemm, Graph, Id, MulAdd, Term, TermOp};
use crate::element::ElementType;
use crate::function::Binary;
use crate::node::Op;
use crate::shape::Shape;
use crate::view::{AxisMap, ViewMap};

impl Graph {
    pub(super) fn contract(&mut self) {
        for id in 0..self.terms.len() {
            let term = &self.terms[id];
            let TermOp::Op(Op::Binary(function @ (Binary::Add | Binary::Sub))) = term.op else { continue };
            if !term.element.is_real() || term.is_scalar || term.uses == 0 {
                continue;
            }
            let (x, y) = (term.args[0], term.args[1]);
            let (product, c, op) = match function {
                Binary::Add if self.is_lone_product(x) => (x, y, MulAdd::Add),
                Binary::Add if self.is_lone_product(y) => (y, x, MulAdd::Add),
                Binary::Sub if self.is_lone_product(x) => (x, y, MulAdd::Sub),
                Binary::Sub if self.is_lone_product(y) => (y, x, MulAdd::SubFrom),
                _ => continue,
            };
            let args = vec![self.terms[product].args[0], self.terms[product].args[1], c];
            // The product's use moves to its operands.
            self.terms[product].uses = 0;
            self.terms[id].op = TermOp::MulAdd(op);
            self.terms[id].args = args;
        }
    }

    fn is_lone_product(&self, id: Id) -> bool {
        let term = &self.terms[id];
        term.uses == 1 && !term.is_scalar && term.op == TermOp::Op(Op::Binary(Binary::Mul))
    }

    pub(super) fn find_matmuls(&mut self) {
        for id in 0..self.terms.len() {
            let term = &self.terms[id];
            if term.uses == 0 {
                continue;
            }
            match term.op {
                TermOp::Op(Op::Matmul) => self.terms[id].op = TermOp::Gemm(Gemm::default()),
                TermOp::Op(Op::Binary(Binary::Mul)) => self.scale_product(id),
                TermOp::Op(Op::Binary(function @ (Binary::Add | Binary::Sub))) => self.add_to_product(id, function),
                // Without axes of extent 1 a product is the same memory.
                TermOp::Op(Op::View(ref map)) if self.is_gemm(term.args[0]) && self.is_dropping(map, term) => {
                    self.terms[id].op = TermOp::Op(Op::Reshape);
                }
                _ => {}
            }
        }
    }

    /// The product that only the term `by` uses, of its type and shape.
    fn lone_gemm(&self, id: Id, by: &Term) -> Option<Gemm> {
        let term = &self.terms[id];
        match term.op {
            TermOp::Gemm(gemm) if term.uses == 1 && term.shape == by.shape && term.element == by.element => Some(gemm),
            _ => None,
        }
    }

    fn scale_product(&mut self, id: Id) {
        let term = &self.terms[id];
        for (product, factor) in [(term.args[0], term.args[1]), (term.args[1], term.args[0])] {
            if self.terms[factor].is_scalar
                && let Some(gemm) = self.lone_gemm(product, term)
                && !gemm.has_alpha
                && !gemm.has_c
            {
                let args = &self.terms[product].args;
                let args = vec![args[0], args[1], factor];
                self.replace_product(id, product, Gemm { has_alpha: true, ..gemm }, args);
                return;
            }
        }
    }

    fn add_to_product(&mut self, id: Id, function: Binary) {
        let term = &self.terms[id];
        let is_sub = function == Binary::Sub;
        for (position, product, c) in [(0, term.args[0], term.args[1]), (1, term.args[1], term.args[0])] {
            let Some(gemm) = self.lone_gemm(product, term) else { continue };
            let other = &self.terms[c];
            if gemm.has_c || product == c || other.shape != term.shape || other.element != term.element {
                continue;
            }
            let (is_product_negative, is_c_negative) = (is_sub && position == 1, is_sub && position == 0);
            let mut gemm = Gemm { has_c: true, is_product_negative, is_c_negative, ..gemm };
            let mut args = self.terms[product].args.clone();
            match self.scaled(c) {
                Some((beta, inner)) => {
                    gemm.has_beta = true;
                    self.terms[c].uses = 0;
                    args.extend([beta, inner]);
                }
                None => args.push(c),
            }
            self.replace_product(id, product, gemm, args);
            return;
        }
    }

    /// The scalar and the other operand of a product that is used once.
    fn scaled(&self, id: Id) -> Option<(Id, Id)> {
        let term = &self.terms[id];
        if term.uses != 1 || term.op != TermOp::Op(Op::Binary(Binary::Mul)) {
            return None;
        }
        let fits = |scalar: Id, other: Id| {
            let other = &self.terms[other];
            self.terms[scalar].is_scalar && other.shape == term.shape && other.element == term.element
        };
        let (x, y) = (term.args[0], term.args[1]);
        if fits(x, y) {
            Some((x, y))
        } else if fits(y, x) {
            Some((y, x))
        } else {
            None
        }
    }

    fn replace_product(&mut self, id: Id, product: Id, gemm: Gemm, args: Vec<Id>) {
        self.terms[product].uses = 0;
        self.terms[id].op = TermOp::Gemm(gemm);
        self.terms[id].args = args;
    }

    /// The operation on a matrix product before the view that drops axes of extent 1: products with vectors have one.
    pub(super) fn behind_view(
        &mut self,
        op: &TermOp,
        args: &[Id],
        position: usize,
        element: ElementType,
        shape: Shape,
    ) -> Option<Id> {
        let (view, other) = (self.terms[args[position]].clone(), &self.terms[args[1 - position]]);
        let TermOp::Op(Op::View(map)) = &view.op else { return None };
        let product = view.args[0];
        let from = self.terms[product].shape;
        let fits = other.is_scalar || other.shape == shape && other.element == element;
        if !self.is_dropping(map, &view)
            || !fits
            || view.shape != shape
            || view.element != element
            || !self.is_matmul(product)
        {
            return None;
        }
        let mut operands = [product, args[1 - position]];
        if !self.terms[operands[1]].is_scalar {
            let along = |axis: usize| {
                let source = map.axes().iter().position(|along| along.axis == Some(axis));
                source.map_or(AxisMap::fixed(0), AxisMap::along)
            };
            let lifted = ViewMap::new((0..shape.rank()).map(along).collect(), &from);
            operands[1] = self.simplified(TermOp::Op(Op::View(lifted)), vec![operands[1]], element, from);
        }
        if position == 1 {
            operands.swap(0, 1);
        }
        let result = self.simplified(op.clone(), operands.to_vec(), element, from);
        Some(self.simplified(view.op, vec![result], element, shape))
    }

    /// True if a view with the map lacks nothing but axes of extent 1.
    fn is_dropping(&self, map: &ViewMap, view: &Term) -> bool {
        let named_axes: Vec<usize> = map.axes().iter().filter_map(|along| along.axis).collect();
        let is_plain = map.axes().iter().all(|along| along.start == 0 && along.step == 1);
        let is_whole = self.terms[view.args[0]].shape.len() == view.shape.len();
        is_plain && is_whole && named_axes.windows(2).all(|pair| pair[0] < pair[1])
    }

    fn is_gemm(&self, id: Id) -> bool {
        matches!(self.terms[id].op, TermOp::Gemm(_))
    }

    /// True for a matrix product, also one that is scaled.
    fn is_matmul(&self, id: Id) -> bool {
        let is_product = |id: Id| self.terms[id].op == TermOp::Op(Op::Matmul);
        let term = &self.terms[id];
        let is_scaled = term.op == TermOp::Op(Op::Binary(Binary::Mul)) && term.args.iter().any(|&arg| is_product(arg));
        is_product(id) || is_scaled
    }
}
