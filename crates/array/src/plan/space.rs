//! Iteration spaces of kernels, and the maps from their points to the elements of terms.

use super::graph::{Graph, Id, TermOp};
use crate::fused::ReductionOrder;
use crate::node::Op;
use crate::shape::Shape;
use crate::view::AxisMap;

/// For each axis of a term, its index at a point of the kernel.
pub(super) type Map = Vec<AxisMap>;

/// The axes of a kernel, none of extent 1: parallel ones, then reduced ones.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Domain {
    pub(super) extents: Vec<usize>,
    pub(super) parallel: usize,
    pub(super) order: ReductionOrder,
    /// The axes in the order of the terms whose elements are the kernel's points.
    pub(super) full: Option<Vec<usize>>,
}

/// Lanes and chunk where nothing is reduced.
const NO_ORDER: ReductionOrder = ReductionOrder { lanes: 1, chunk: 256 };

impl Domain {
    /// The points are the elements of a shape.
    pub(super) fn elementwise(shape: &Shape) -> (Domain, Map) {
        let map = axes_in_order(shape, 0);
        let extents: Vec<usize> = shape.iter().copied().filter(|&extent| extent != 1).collect();
        let rank = extents.len();
        (Domain { extents, parallel: rank, order: NO_ORDER, full: Some((0..rank).collect()) }, map)
    }

    /// True if something is reduced.
    pub(super) fn is_reducing(&self) -> bool {
        self.parallel < self.extents.len()
    }

    pub(super) fn reduced_extents(&self) -> &[usize] {
        &self.extents[self.parallel..]
    }

    /// True if executors share its rows.
    pub(super) fn is_split(&self) -> bool {
        is_split(self.extents[..self.parallel].iter().product(), self.reduced_extents().iter().product())
    }

    /// True if kernels of both are one kernel.
    pub(super) fn is_same(&self, other: &Domain) -> bool {
        self.extents == other.extents && self.parallel == other.parallel && self.order == other.order
    }

    /// The map of a term whose elements are the points; `None` if the term has another shape.
    pub(super) fn full_map(&self, shape: &Shape) -> Option<Map> {
        let axes = self.full.as_ref()?;
        let extents: Vec<usize> = shape.iter().copied().filter(|&extent| extent != 1).collect();
        let is_same =
            extents.len() == axes.len() && extents.iter().zip(axes).all(|(&e, &axis)| e == self.extents[axis]);
        let mut axes = axes.iter();
        is_same.then(|| {
            let mut along = |&extent: &usize| if extent == 1 { None } else { axes.next() };
            shape.iter().map(|extent| along(extent).map_or(AxisMap::fixed(0), |&axis| AxisMap::along(axis))).collect()
        })
    }
}

/// The map of a term whose axes, but those of extent 1, are the kernel's axes from `first` on.
fn axes_in_order(shape: &Shape, first: usize) -> Map {
    let mut axis = first;
    shape
        .iter()
        .map(|&extent| match extent {
            1 => AxisMap::fixed(0),
            _ => {
                axis += 1;
                AxisMap::along(axis - 1)
            }
        })
        .collect()
}

/// The order in which the elements of a reduction are joined: it follows from the operand's shape and the axes.
///
/// Rows along the last axis have up to 256 accumulators, which neighbouring work-items or vector lanes are; other rows
/// have one, since neighbouring rows are neighbours in memory.
pub(crate) fn reduction_order(from: &Shape, axes: crate::shape::Axes) -> ReductionOrder {
    let last = (0..from.rank()).rev().find(|&axis| from[axis] != 1);
    let is_inner = last.is_some_and(|axis| axes.contains(axis));
    match from.len_of(axes) {
        _ if !is_inner => ReductionOrder { lanes: 1, chunk: 256 },
        ..32 => ReductionOrder { lanes: 1, chunk: 256 },
        32..1024 => ReductionOrder { lanes: 32, chunk: 16384 },
        _ => ReductionOrder { lanes: 256, chunk: 16384 },
    }
}

/// True if rows are so few and long that executors share a row: a kernel has one loop then.
pub(super) fn is_split(rows: usize, length: usize) -> bool {
    rows < 1024 && length > 16384
}

/// The map of an operand that broadcasts to a shape.
pub(super) fn broadcast_map(from: &Shape, to: &Shape, map: &Map) -> Map {
    let missing = to.rank() - from.rank();
    let along = |axis: usize| match from[axis] == 1 && to[axis + missing] != 1 {
        true => AxisMap::fixed(0),
        false => map[axis + missing],
    };
    (0..from.rank()).map(along).collect()
}

/// The map of the source of a view.
pub(super) fn view_map(axes: &[AxisMap], map: &Map) -> Map {
    axes.iter()
        .map(|inner| match inner.axis {
            None => AxisMap::fixed(inner.start),
            Some(axis) => {
                let outer = map[axis];
                let start = (inner.start as i64 + inner.step * outer.start as i64) as usize;
                match outer.axis {
                    None => AxisMap::fixed(start),
                    Some(axis) => AxisMap { start, step: inner.step * outer.step, axis: Some(axis) },
                }
            }
        })
        .collect()
}

/// The map of a reduction's operand, whose reduced axes are those of the domain.
pub(super) fn reduced_map(from: &Shape, axes: crate::shape::Axes, keep: bool, map: &Map, domain: &Domain) -> Map {
    let (mut kept, mut reduced) = (0, domain.parallel);
    (0..from.rank())
        .map(|axis| {
            let own = kept;
            kept += usize::from(keep || !axes.contains(axis));
            match axes.contains(axis) {
                true if from[axis] == 1 => AxisMap::fixed(0),
                true => {
                    reduced += 1;
                    AxisMap::along(reduced - 1)
                }
                false => map[own],
            }
        })
        .collect()
}

/// Extents of the reduced axes, but 1.
pub(super) fn reduced_extents(from: &Shape, axes: crate::shape::Axes) -> Vec<usize> {
    axes.iter().map(|axis| from[axis]).filter(|&extent| extent != 1).collect()
}

/// The axes that a map follows, if each axis of the term follows another one over its whole extent.
fn followed(shape: &Shape, map: &Map, extents: &[usize]) -> Option<Vec<usize>> {
    let mut axes = Vec::new();
    for (&extent, along) in shape.iter().zip(map) {
        match along.axis {
            None if extent == 1 => {}
            Some(axis) if extents[axis] == extent && !axes.contains(&axis) => axes.push(axis),
            _ => return None,
        }
    }
    Some(axes)
}

/// True if the reduction is one of the domain's: its rows are the kernel's rows, once each, and its reduced axes the
/// kernel's.
pub(super) fn is_of_domain(graph: &Graph, id: Id, map: &Map, domain: &Domain) -> bool {
    let term = &graph.terms[id];
    let TermOp::Op(Op::Reduce { axes, .. }) = term.op else { return false };
    let from = &graph.terms[term.args[0]].shape;
    let Some(rows) = followed(&term.shape, map, &domain.extents) else { return false };
    rows.len() == domain.parallel
        && rows.iter().all(|&axis| axis < domain.parallel)
        && reduced_extents(from, axes) == domain.reduced_extents()
        && reduction_order(from, axes) == domain.order
}

/// The domain of a kernel whose root has the shape, and in which the reduction is met with the map from the root's
/// elements; and the root's map. `None` if the reduction needs a kernel of its own.
pub(super) fn domain_of(graph: &Graph, id: Id, root: &Shape, map: &Map, elements: &Domain) -> Option<(Domain, Map)> {
    let term = &graph.terms[id];
    let TermOp::Op(Op::Reduce { axes, keep, .. }) = term.op else { return None };
    let from = &graph.terms[term.args[0]].shape;
    let order = reduction_order(from, axes);
    let reduced = reduced_extents(from, axes);
    let rows = followed(&term.shape, map, &elements.extents)?;
    let others: Vec<usize> = (0..elements.extents.len()).filter(|axis| !rows.contains(axis)).collect();
    if others.is_empty() {
        // The root has a value for each row.
        let parallel = elements.extents.len();
        let extents = [elements.extents.as_slice(), &reduced].concat();
        let mut domain = Domain { extents, parallel, order, full: None };
        domain.full = full_axes(&reduced_map(from, axes, keep, map, &domain));
        return Some((domain, axes_in_order(root, 0)));
    }
    // The root has a value for each element of a row.
    let is_whole = others.iter().map(|&axis| elements.extents[axis]).eq(reduced.iter().copied());
    let (count, length) = (rows.iter().map(|&axis| elements.extents[axis]).product(), from.len_of(axes));
    if !is_whole || is_split(count, length) {
        return None;
    }
    let rows_in_order: Vec<usize> = (0..elements.extents.len()).filter(|axis| rows.contains(axis)).collect();
    let axes_of_root = [rows_in_order.as_slice(), &others].concat();
    let extents = axes_of_root.iter().map(|&axis| elements.extents[axis]).collect();
    let kernel_axis = |axis: usize| axes_of_root.iter().position(|&other| other == axis);
    let full: Option<Vec<usize>> = (0..elements.extents.len()).map(kernel_axis).collect();
    let domain = Domain { extents, parallel: rows.len(), order, full };
    let root_map = domain.full_map(root)?;
    Some((domain, root_map))
}

/// The kernel's axes in the order of a term that has all of them, forward and from the first element.
fn full_axes(map: &Map) -> Option<Vec<usize>> {
    let mut axes = Vec::new();
    for along in map {
        match along.axis {
            Some(axis) if along.start == 0 && along.step == 1 => axes.push(axis),
            Some(_) => return None,
            None => {}
        }
    }
    Some(axes)
}
