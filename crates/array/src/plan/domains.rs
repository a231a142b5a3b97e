//! The iteration space of each kernel: the domain of a root, and of roots that share a kernel.

use super::graph::{Graph, Id, TermOp};
use super::kernel::{Group, Root};
use super::space::{self, Domain, Map};
use super::steps::Steps;
use crate::node::Op;
use std::collections::HashSet;

impl Steps<'_> {
    /// Materialises what the kernel of a root cannot hold: reductions of other domains, and what passes the limits.
    pub(super) fn cut_kernels(&mut self) {
        for id in (0..self.graph.terms.len()).rev() {
            let term = &self.graph.terms[id];
            if term.uses == 0 || !self.cuts.is_materialised[id] {
                continue;
            }
            match &term.op {
                TermOp::Op(Op::Concatenate { .. } | Op::Reshape) => {
                    for &arg in &term.args {
                        if !self.cuts.is_materialised[arg] {
                            self.cut_kernel(arg);
                        }
                    }
                }
                op if is_fused(op) => self.cut_kernel(id),
                _ => {}
            }
        }
    }

    fn cut_kernel(&mut self, root: Id) {
        loop {
            let (domain, map) = self.domain(root, true);
            let footprint = self.footprint(root, &map, &domain);
            let limits = self.limits;
            let is_within = footprint.accesses < limits.operands.max(4)
                && footprint.nodes <= limits.nodes
                && footprint.bytes <= limits.argument_bytes;
            let args = self.graph.terms[root].args.iter().copied();
            let inner = args.filter(|&arg| {
                let is_alone =
                    matches!(self.graph.terms[arg].op, TermOp::Op(Op::Iota | Op::Gather { .. } | Op::View(_)));
                !is_alone && !self.cuts.is_source(self.graph, arg)
            });
            let largest = inner.max_by_key(|&arg| {
                let (elements, map) = Domain::elementwise(&self.graph.terms[arg].shape);
                let footprint = self.footprint(arg, &map, &elements);
                (footprint.accesses, footprint.nodes)
            });
            match largest {
                Some(largest) if !is_within => self.cuts.is_materialised[largest] = true,
                _ => return,
            }
        }
    }

    /// The contents of a kernel that computes the root alone.
    fn footprint(&self, root: Id, map: &Map, domain: &Domain) -> Footprint {
        let rank = domain.extents.len();
        let mut footprint = Footprint { accesses: 0, nodes: 0, bytes: 24 + 16 * rank };
        self.walk(root, map, domain, true, |id, map, is_source| {
            let term = &self.graph.terms[id];
            footprint.nodes += usize::from(!is_source);
            match term.op {
                TermOp::Constant(_) => {}
                TermOp::Op(Op::Gather { .. }) if !is_source => {
                    footprint.accesses += 2;
                    footprint.bytes += 32 + 24 * term.shape.rank() + 8 * rank;
                }
                TermOp::Op(Op::Iota) if !is_source => footprint.bytes += 8 * rank,
                _ if term.is_scalar => footprint.bytes += 16,
                _ if is_source => {
                    let strides = match term.op {
                        TermOp::Leaf(_, strides) => strides.is_row_major(&term.shape),
                        _ => true,
                    };
                    let is_contiguous = strides && domain.full_map(&term.shape).as_ref() == Some(map);
                    footprint.accesses += 1;
                    footprint.bytes += if is_contiguous { 16 } else { 16 + 8 * rank };
                }
                _ => {}
            }
        });
        footprint
    }

    /// The iteration space of a kernel that computes a term. `marks` materialises reductions that it cannot hold.
    pub(super) fn domain(&mut self, root: Id, marks: bool) -> (Domain, Map) {
        let shape = self.graph.terms[root].shape;
        let (elements, map) = Domain::elementwise(&shape);
        let mut found: Option<(Domain, Map)> = None;
        for (id, map) in self.reductions(root, &map, &elements, false) {
            if self.cuts.is_materialised[id] && id != root {
                continue;
            }
            found = space::domain_of(self.graph, id, &shape, &map, &elements);
            if found.is_some() {
                break;
            }
            if marks {
                self.cuts.is_materialised[id] = true;
            }
        }
        let Some((domain, map)) = found else { return (elements, map) };
        if marks {
            for (id, map) in self.reductions(root, &map, &domain, true) {
                if id != root && !space::is_of_domain(self.graph, id, &map, &domain) {
                    self.cuts.is_materialised[id] = true;
                }
            }
        }
        (domain, map)
    }

    /// The reductions that a kernel up to the root meets, with their maps; in a domain also those below others.
    fn reductions(&self, root: Id, map: &Map, domain: &Domain, is_deep: bool) -> Vec<(Id, Map)> {
        let mut found = Vec::new();
        self.walk(root, map, domain, is_deep, |id, map, is_source| {
            if !is_source && matches!(self.graph.terms[id].op, TermOp::Op(Op::Reduce { .. })) {
                found.push((id, map.clone()));
            }
        });
        found
    }

    /// Visits the values of a kernel that computes the root, once each, with their maps; sources too.
    fn walk(&self, root: Id, map: &Map, domain: &Domain, is_deep: bool, mut visit: impl FnMut(Id, &Map, bool)) {
        let mut seen: HashSet<(Id, Map)> = HashSet::new();
        let mut stack = vec![(root, map.clone())];
        while let Some((id, map)) = stack.pop() {
            if !seen.insert((id, map.clone())) {
                continue;
            }
            let is_source = id != root && self.cuts.is_source(self.graph, id);
            visit(id, &map, is_source);
            let term = &self.graph.terms[id];
            let shape = |arg: Id| &self.graph.terms[arg].shape;
            match &term.op {
                _ if is_source || term.is_scalar => {}
                &TermOp::Op(Op::Reduce { axes, keep, .. }) => {
                    if is_deep && (id == root || space::is_of_domain(self.graph, id, &map, domain)) {
                        let arg = term.args[0];
                        stack.push((arg, space::reduced_map(shape(arg), axes, keep, &map, domain)));
                    }
                }
                TermOp::Op(Op::View(view)) => stack.push((term.args[0], space::view_map(view.axes(), &map))),
                // Sources and indices of gathers are materialised.
                TermOp::Op(Op::Gather { .. }) | TermOp::Leaf(..) => {}
                _ => {
                    let args = term.args.iter().rev();
                    stack.extend(args.map(|&arg| (arg, space::broadcast_map(shape(arg), &term.shape, &map))));
                }
            }
        }
    }
}

/// Counts of a kernel's contents.
struct Footprint {
    accesses: usize,
    nodes: usize,
    bytes: usize,
}

/// True for a term that a kernel computes.
fn is_fused(op: &TermOp) -> bool {
    !matches!(
        op,
        TermOp::Leaf(..)
            | TermOp::Gemm(_)
            | TermOp::Op(Op::Scan { .. } | Op::Routine { .. } | Op::Concatenate { .. } | Op::Reshape)
    )
}

/// Both groups in one domain; their roots are those of the first, then those of the second.
pub(super) fn join_domains(graph: &Graph, first: &Group, second: &Group) -> Option<Group> {
    let moved = |group: &Group, domain: &Domain| -> Option<Vec<Root>> {
        let mut roots = group.roots.clone();
        for root in &mut roots {
            root.map = domain.full_map(&graph.terms[root.term].shape)?;
        }
        Some(roots)
    };
    // Elementwise roots become values of the other kernel's elements.
    let (domain, mut roots, others) = match (first.domain.is_reducing(), second.domain.is_reducing()) {
        _ if first.domain.is_same(&second.domain) => {
            let full = first.domain.full.clone().or(second.domain.full.clone());
            (Domain { full, ..first.domain.clone() }, first.roots.clone(), second.roots.clone())
        }
        (true, false) => (first.domain.clone(), first.roots.clone(), moved(second, &first.domain)?),
        (false, true) => (second.domain.clone(), moved(first, &second.domain)?, second.roots.clone()),
        _ => return None,
    };
    roots.extend(others);
    Some(Group { domain, roots })
}
