//! The iteration space of each kernel: the domain of a root, and of roots that share a kernel.

use super::graph::{Graph, Id, TermOp};
use super::kernel::{Group, Root};
use super::space::{self, Domain, Map};
use super::steps::Steps;
use crate::node::Op;

impl Steps<'_> {
    /// Materialises reductions that are not of the domain of the kernel that uses them.
    pub(super) fn cut_reductions(&mut self) {
        for id in (0..self.graph.terms.len()).rev() {
            let term = &self.graph.terms[id];
            if term.uses == 0 || !self.cuts.is_materialised[id] {
                continue;
            }
            match &term.op {
                TermOp::Op(Op::Concatenate { .. } | Op::Reshape) => {
                    for &arg in &term.args {
                        if !self.cuts.is_materialised[arg] {
                            self.domain(arg, true);
                        }
                    }
                }
                op if is_fused(op) => {
                    self.domain(id, true);
                }
                _ => {}
            }
        }
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
        let mut seen: std::collections::HashSet<(Id, Map)> = std::collections::HashSet::new();
        let mut stack = vec![(root, map.clone())];
        while let Some((id, map)) = stack.pop() {
            if id != root && self.cuts.is_source(self.graph, id) || !seen.insert((id, map.clone())) {
                continue;
            }
            let term = &self.graph.terms[id];
            let shape = |arg: Id| &self.graph.terms[arg].shape;
            match &term.op {
                &TermOp::Op(Op::Reduce { axes, keep, .. }) => {
                    found.push((id, map.clone()));
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
        found
    }
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
