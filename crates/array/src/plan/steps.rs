//! From cuts to steps: each materialised term gets memory and a root, roots get kernels, routines get operands.

use super::build::{build, scalar_sources};
use super::cuts::{self, Cuts};
use super::domains::join_domains;
use super::graph::{Gemm, Graph, Id, TermOp};
use super::kernel::{Contents, Group, Location, Root, Scope, is_row_major, locate, row_major};
use super::space::Domain;
use super::{Bindings, Buffer, Factor, Limits, Matmul, Operand, Output, Plan, PlannedOutput, Step, Temporary};
use crate::node::{Op, Routine};
use crate::op::is_same_routine;
use crate::shape::Shape;
use std::sync::Arc;

/// Kernels before the last one that a root may join.
const JOINED_KERNELS: usize = 6;

enum Draft {
    Kernel(Box<Group>),
    Step(Step),
}

pub(super) struct Steps<'a> {
    pub(super) graph: &'a Graph,
    pub(super) cuts: Cuts,
    pub(super) limits: &'a Limits,
    outputs: &'a [Output],
    bindings: &'a Bindings,
    drafts: Vec<Draft>,
    locations: Vec<Option<Location>>,
    /// The draft after which a term's memory is complete.
    ready: Vec<usize>,
    temporaries: Vec<Temporary>,
    /// Memory that a term must be computed to.
    wanted: Vec<Option<Location>>,
    checks: Vec<(Id, Id, usize)>,
}

impl<'a> Steps<'a> {
    pub(super) fn of(
        graph: &'a Graph,
        cuts: Cuts,
        limits: &'a Limits,
        outputs: &'a [Output],
        bindings: &'a Bindings,
    ) -> Steps<'a> {
        let count = graph.terms.len();
        let mut steps = Steps {
            graph,
            cuts,
            limits,
            outputs,
            bindings,
            drafts: Vec::new(),
            locations: vec![None; count],
            ready: vec![0; count],
            temporaries: Vec::new(),
            wanted: vec![None; count],
            checks: Vec::new(),
        };
        steps.cut_kernels();
        steps.choose_memory();
        steps
    }

    /// Memory that outputs ask for: targets that nothing reads, and new arrays.
    fn choose_memory(&mut self) {
        let mut target_index = 0;
        for (index, output) in self.outputs.iter().enumerate() {
            let id = self.graph.outputs[index];
            match &output.target {
                Some(target) => {
                    let is_read = self.bindings.leaves.iter().any(|leaf| leaf.id() == target.id());
                    let writers = self.bindings.targets.iter().filter(|other| other.id() == target.id()).count();
                    if !is_read && writers == 1 && self.wanted[id].is_none() {
                        let strides = target.strides.to_vec();
                        self.wanted[id] = Some(Location { buffer: Buffer::Target(target_index), offset: 0, strides });
                    }
                    target_index += 1;
                }
                None => {
                    let id = self.memory_of(id);
                    if self.wanted[id].is_none() {
                        let strides = row_major(&self.graph.terms[id].shape);
                        self.wanted[id] = Some(Location { buffer: Buffer::Output(index), offset: 0, strides });
                    }
                }
            }
        }
    }

    /// The term whose memory a reshape takes over; other terms have their own.
    fn memory_of(&self, id: Id) -> Id {
        let term = &self.graph.terms[id];
        match term.op {
            TermOp::Op(Op::Reshape) => {
                let arg = term.args[0];
                if self.cuts.is_materialised[arg] && !self.graph.outputs.contains(&arg) {
                    self.memory_of(arg)
                } else {
                    id
                }
            }
            _ => id,
        }
    }

    pub(super) fn plan(mut self) -> Plan {
        for id in 0..self.graph.terms.len() {
            let term = &self.graph.terms[id];
            if term.uses == 0 {
                continue;
            }
            if let TermOp::Leaf(leaf, strides) = term.op {
                let strides = strides.to_vec();
                self.locations[id] = Some(Location { buffer: Buffer::Leaf(leaf), offset: 0, strides });
            }
            if let TermOp::Op(Op::Gather { axis }) = term.op {
                self.check_indices(id, axis);
            }
            if self.cuts.is_materialised[id] {
                self.materialise(id);
            }
        }
        let outputs = self.finish_outputs();
        let locations = std::mem::take(&mut self.locations);
        let scope = Scope { graph: self.graph, cuts: &self.cuts, locations: &locations };
        let drafts = self.drafts.into_iter();
        let steps = drafts.map(|draft| match draft {
            Draft::Kernel(group) => Step::Fused(build(scope, &group)),
            Draft::Step(step) => step,
        });
        let mut plan = Plan { steps: steps.collect(), temporaries: self.temporaries, outputs };
        super::in_place::measure(&mut plan);
        plan
    }

    fn scope(&self) -> Scope<'_> {
        Scope { graph: self.graph, cuts: &self.cuts, locations: &self.locations }
    }

    /// Memory for a term: what an output asks for, or a temporary.
    fn allocate(&mut self, id: Id) -> Location {
        if let Some(wanted) = self.wanted[id].take() {
            return wanted;
        }
        let term = &self.graph.terms[id];
        self.temporary(term.element, &term.shape)
    }

    fn temporary(&mut self, element: crate::ElementType, shape: &Shape) -> Location {
        self.temporaries.push(Temporary { element, len: shape.len(), first: 0, last: 0 });
        Location { buffer: Buffer::Temporary(self.temporaries.len() - 1), offset: 0, strides: row_major(shape) }
    }

    fn materialise(&mut self, id: Id) {
        let term = &self.graph.terms[id];
        match &term.op {
            TermOp::Op(Op::Reshape) => self.reshape(id),
            &TermOp::Op(Op::Concatenate { axis }) => {
                let location = self.allocate(id);
                let mut offset = location.offset;
                for &arg in &term.args {
                    let target = Location { offset, ..location.clone() };
                    offset += location.strides[axis] * self.graph.terms[arg].shape[axis] as i64;
                    self.root(arg, target, id);
                }
                self.locations[id] = Some(location);
            }
            &TermOp::Gemm(gemm) => self.gemm(id, gemm),
            &TermOp::Op(Op::Scan { reduction, axis }) => {
                let output = self.allocate(id);
                self.locations[id] = Some(output.clone());
                let (input, output) = (self.operand(term.args[0]), self.operand_at(id, output));
                self.push_step(id, Step::Scan { reduction, axis, input, output });
            }
            TermOp::Op(Op::Routine { routine, .. }) => self.routine(id, routine),
            _ => {
                let location = self.allocate(id);
                self.root(id, location.clone(), id);
                self.locations[id] = Some(location);
            }
        }
    }

    fn reshape(&mut self, id: Id) {
        let term = &self.graph.terms[id];
        let arg = term.args[0];
        let shape = &self.graph.terms[arg].shape;
        if self.wanted[id].is_none()
            && let Some(Location { buffer, offset, strides }) = locate(self.scope(), arg)
            && is_row_major(&strides, shape)
        {
            self.locations[id] = Some(Location { buffer, offset, strides: row_major(&term.shape) });
            self.ready[id] = self.ready[arg];
            return;
        }
        // An array of the operand's shape in the result's memory.
        let wanted = self.wanted[id].take();
        let is_contiguous = wanted.as_ref().is_some_and(|wanted| is_row_major(&wanted.strides, &term.shape));
        let location = match wanted {
            Some(wanted) if is_contiguous => wanted,
            wanted => {
                self.wanted[id] = wanted;
                self.temporary(term.element, &term.shape)
            }
        };
        self.root(arg, Location { strides: row_major(shape), ..location.clone() }, id);
        self.locations[id] = Some(location);
    }

    fn push_step(&mut self, id: Id, step: Step) {
        self.drafts.push(Draft::Step(step));
        self.ready[id] = self.drafts.len();
    }

    fn operand_at(&self, id: Id, location: Location) -> Operand {
        let term = &self.graph.terms[id];
        let Location { buffer, offset, strides } = location;
        Operand { buffer, element: term.element, offset, extents: term.shape.to_vec(), strides, is_conjugate: false }
    }

    fn operand(&self, id: Id) -> Operand {
        let Some(location) = locate(self.scope(), id) else {
            unreachable!("operands of routines are materialised before");
        };
        self.operand_at(id, location)
    }

    fn gemm(&mut self, id: Id, gemm: Gemm) {
        let matrix = |steps: &Self, arg: Id| {
            let (inner, is_conjugate) = cuts::conjugated(steps.graph, arg);
            match is_conjugate && locate(steps.scope(), arg).is_none() {
                true => Operand { is_conjugate, ..steps.operand(inner) },
                false => steps.operand(arg),
            }
        };
        let args = &self.graph.terms[id].args;
        let (a, b) = (matrix(self, args[0]), matrix(self, args[1]));
        let factor = |has_scalar: bool, position: usize, is_negative: bool| Factor {
            scalar: has_scalar.then(|| scalar_sources(self.graph, args[position])),
            is_negative,
        };
        let alpha = factor(gemm.has_alpha, 2, gemm.is_product_negative);
        let beta = factor(gemm.has_beta, 2 + usize::from(gemm.has_alpha), gemm.is_c_negative);
        let c = gemm.has_c.then(|| self.operand(args[args.len() - 1]));
        let location = self.allocate(id);
        self.locations[id] = Some(location.clone());
        let output = self.operand_at(id, location);
        self.push_step(id, Step::Matmul(Box::new(Matmul { alpha, a, b, beta, c, output })));
    }

    /// The call of a routine, with memory for all of its outputs.
    fn routine(&mut self, id: Id, routine: &Arc<dyn Routine>) {
        if self.locations[id].is_some() {
            return; // It was called for another output.
        }
        let args = &self.graph.terms[id].args;
        let inputs: Vec<Operand> = args.iter().map(|&arg| self.operand(arg)).collect();
        let signature = |&arg: &Id| (self.graph.terms[arg].element, self.graph.terms[arg].shape);
        // The node's constructor has asked for the outputs before.
        let all = routine.outputs(&args.iter().map(signature).collect::<Vec<_>>()).unwrap_or_default();
        let (mut outputs, step) = (Vec::with_capacity(all.len()), self.drafts.len());
        for (index, (element, shape)) in all.into_iter().enumerate() {
            let wanted = (id..self.graph.terms.len()).find(|&other| {
                let term = &self.graph.terms[other];
                let is_output = |other: &Arc<dyn Routine>, output| output == index && is_same_routine(other, routine);
                term.uses > 0
                    && term.args == self.graph.terms[id].args
                    && matches!(&term.op, TermOp::Op(Op::Routine { routine, output }) if is_output(routine, *output))
            });
            outputs.push(match wanted {
                Some(term) => {
                    let location = self.allocate(term);
                    self.locations[term] = Some(location.clone());
                    self.ready[term] = step + 1;
                    self.operand_at(term, location)
                }
                None => {
                    let Location { buffer, offset, strides } = self.temporary(element, &shape);
                    Operand { buffer, element, offset, extents: shape.to_vec(), strides, is_conjugate: false }
                }
            });
        }
        let call = self.graph.calls.get(&id).copied().unwrap_or(0);
        self.drafts.push(Draft::Step(Step::Library { routine: routine.clone(), inputs, outputs, call }));
    }

    /// Computes a term to a location, in a kernel that others may share. `of` is complete afterwards.
    fn root(&mut self, term: Id, target: Location, of: Id) {
        if self.graph.terms[term].shape.is_empty() {
            self.ready[of] = self.ready[of].max(self.drafts.len());
            return;
        }
        let is_computed = self.locations[term].is_none();
        let (domain, map) = match is_computed {
            true => self.domain(term, false),
            false => Domain::elementwise(&self.graph.terms[term].shape),
        };
        let group = Group { domain, roots: vec![Root { term, map, target, is_computed }] };
        let first = self.drafts.len().saturating_sub(JOINED_KERNELS);
        for draft in (first..self.drafts.len()).rev() {
            if let Some(joined) = self.joined(draft, &group) {
                self.drafts[draft] = Draft::Kernel(Box::new(joined));
                self.ready[of] = self.ready[of].max(draft + 1);
                return;
            }
        }
        self.drafts.push(Draft::Kernel(Box::new(group)));
        self.ready[of] = self.drafts.len();
    }

    /// The kernel of a draft with another root, where it holds both.
    fn joined(&self, draft: usize, group: &Group) -> Option<Group> {
        let Draft::Kernel(first) = &self.drafts[draft] else { return None };
        if self.limits.is_eager {
            return None;
        }
        let joined = match join_domains(self.graph, first, group) {
            Some(joined) => joined,
            None => self.join_rows(first, group)?,
        };
        let contents = Contents::of(self.scope(), &joined);
        let is_before = |&id: &Id| self.ready[id] <= draft;
        let fits = contents.loads.iter().all(is_before)
            && contents.loops() <= cuts::MAX_LEVEL + 1
            && !(contents.loops() > 1 && joined.domain.is_split())
            && contents.nodes() <= self.limits.nodes
            && contents.accesses.len() <= self.limits.operands
            && contents.argument_bytes() <= self.limits.argument_bytes;
        fits.then_some(joined)
    }

    /// Both groups, where the second one computes values of the first one's rows from its results.
    fn join_rows(&self, first: &Group, second: &Group) -> Option<Group> {
        let domain = &first.domain;
        let is_elementwise = !second.domain.is_reducing();
        if !domain.is_reducing() || !is_elementwise || second.domain.extents != domain.extents[..domain.parallel] {
            return None;
        }
        let loads = Contents::of(self.scope(), second).loads;
        let follows = first.roots.iter().any(|root| loads.contains(&root.term));
        let roots = first.roots.iter().chain(&second.roots).cloned().collect();
        follows.then(|| Group { domain: domain.clone(), roots })
    }

    /// Checks that indices are within an axis, before the kernel that follows them.
    fn check_indices(&mut self, id: Id, axis: usize) {
        let term = &self.graph.terms[id];
        let extent = self.graph.terms[term.args[0]].shape[axis];
        let Some(&(least, greatest)) = self.graph.ranges.get(&id) else { return };
        if self.checks.contains(&(least, greatest, extent)) {
            return;
        }
        self.checks.push((least, greatest, extent));
        self.temporaries.push(Temporary { element: crate::ElementType::I64, len: 2, first: 0, last: 0 });
        let buffer = Buffer::Temporary(self.temporaries.len() - 1);
        for (offset, bound) in [(0, least), (1, greatest)] {
            self.root(bound, Location { buffer, offset, strides: Vec::new() }, bound);
        }
        let element = crate::ElementType::I64;
        let range = Operand { buffer, element, offset: 0, extents: vec![2], strides: vec![1], is_conjugate: false };
        self.drafts.push(Draft::Step(Step::CheckIndices { range, axis, extent }));
    }

    fn finish_outputs(&mut self) -> Vec<PlannedOutput> {
        let mut outputs = Vec::new();
        let mut target_index = 0;
        for (index, output) in self.outputs.iter().enumerate() {
            let id = self.graph.outputs[index];
            let (element, shape) = (self.graph.terms[id].element, self.graph.terms[id].shape);
            let own = self.operand(id);
            let result = match &output.target {
                None if own.buffer == Buffer::Output(index) => own,
                None => {
                    let strides = row_major(&shape);
                    let to = self.operand_at(id, Location { buffer: Buffer::Output(index), offset: 0, strides });
                    if !shape.is_empty() {
                        self.drafts.push(Draft::Step(Step::Copy { from: own, to: to.clone() }));
                    }
                    to
                }
                Some(target) => {
                    let location =
                        Location { buffer: Buffer::Target(target_index), offset: 0, strides: target.strides.to_vec() };
                    target_index += 1;
                    let to = self.operand_at(id, location);
                    if own != to && !shape.is_empty() {
                        self.copy_to_target(own, &to, target.id());
                    }
                    to
                }
            };
            outputs.push(PlannedOutput { element, shape, result, in_place: None });
        }
        outputs
    }

    /// Copies a result to memory that the expressions read. It may be the result's own: a copy stands between then.
    fn copy_to_target(&mut self, from: Operand, to: &Operand, target: usize) {
        let is_own = matches!(from.buffer, Buffer::Leaf(leaf) if self.bindings.leaves[leaf].id() == target);
        let mut from = from;
        if is_own {
            let shape = Shape::new(&from.extents).unwrap_or_default();
            let Location { buffer, strides, .. } = self.temporary(from.element, &shape);
            let between = Operand { buffer, offset: 0, strides, ..from.clone() };
            self.drafts.push(Draft::Step(Step::Copy { from, to: between.clone() }));
            from = between;
        }
        self.drafts.push(Draft::Step(Step::Copy { from, to: to.clone() }));
    }
}
