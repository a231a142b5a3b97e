//! The accesses, reductions and levels of a kernel, before its code is written.

use super::Buffer;
use super::cuts::Cuts;
use super::graph::{Graph, Id, TermOp};
use super::space::{self, Domain, Map};
use crate::element::ElementType;
use crate::node::Op;
use crate::view::AxisMap;
use std::collections::HashMap;

/// Elements of a buffer, with a stride for each axis of a term.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Location {
    pub(super) buffer: Buffer,
    pub(super) offset: i64,
    pub(super) strides: Vec<i64>,
}

/// A term that a kernel stores.
#[derive(Clone)]
pub(super) struct Root {
    pub(super) term: Id,
    pub(super) map: Map,
    pub(super) target: Location,
    /// True if the kernel computes it, false if it copies what is materialised already.
    pub(super) is_computed: bool,
}

/// The roots of one kernel.
#[derive(Clone)]
pub(super) struct Group {
    pub(super) domain: Domain,
    pub(super) roots: Vec<Root>,
}

/// Terms and where the materialised ones lie.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) graph: &'a Graph,
    pub(super) cuts: &'a Cuts,
    pub(super) locations: &'a [Option<Location>],
}

/// Memory of a kernel, with a stride for each of its axes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RawAccess {
    pub(super) buffer: Buffer,
    pub(super) element: ElementType,
    pub(super) offset: i64,
    pub(super) strides: Vec<i64>,
    /// The extents of an indexed access, whose strides are those of its own axes.
    pub(super) indexed: Option<Vec<usize>>,
}

/// A value at the points of a map.
pub(super) type Key = (Id, usize);

/// A reduction of the kernel, filled in a loop.
pub(super) struct RowSlot {
    pub(super) key: Key,
    pub(super) level: usize,
}

/// The contents of a kernel.
pub(super) struct Contents<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) domain: &'a Domain,
    maps: Vec<Map>,
    map_ids: HashMap<Map, usize>,
    levels: HashMap<Key, usize>,
    roots: Vec<Key>,
    computed: Vec<Key>,
    pub(super) slots: Vec<RowSlot>,
    pub(super) accesses: Vec<RawAccess>,
    /// Stride vectors over the kernel's axes: collapsed axes keep them.
    pub(super) vectors: Vec<Vec<i64>>,
    /// Materialised terms that it loads.
    pub(super) loads: Vec<Id>,
    /// Scalars and numbers that depend on shapes.
    pub(super) scalars: usize,
}

impl<'a> Contents<'a> {
    pub(super) fn of(scope: Scope<'a>, group: &'a Group) -> Contents<'a> {
        let mut contents = Contents {
            scope,
            domain: &group.domain,
            maps: Vec::new(),
            map_ids: HashMap::new(),
            levels: HashMap::new(),
            roots: Vec::new(),
            computed: Vec::new(),
            slots: Vec::new(),
            accesses: Vec::new(),
            vectors: Vec::new(),
            loads: Vec::new(),
            scalars: 0,
        };
        let keys: Vec<Key> = group.roots.iter().map(|root| (root.term, contents.map_id(root.map.clone()))).collect();
        contents.computed =
            keys.iter().zip(&group.roots).filter(|(_, root)| root.is_computed).map(|(&key, _)| key).collect();
        contents.roots.clone_from(&keys);
        for (key, root) in keys.into_iter().zip(&group.roots) {
            contents.visit(key);
            contents.access(root.term, &root.map, &root.target);
        }
        contents
    }

    /// Distinct values.
    pub(super) fn nodes(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn map(&self, id: usize) -> &Map {
        &self.maps[id]
    }

    pub(super) fn map_id(&mut self, map: Map) -> usize {
        if let Some(&id) = self.map_ids.get(&map) {
            return id;
        }
        self.maps.push(map.clone());
        self.map_ids.insert(map, self.maps.len() - 1);
        self.maps.len() - 1
    }

    pub(super) fn level(&self, key: Key) -> usize {
        self.levels.get(&key).copied().unwrap_or(0)
    }

    /// True if the value is loaded from memory.
    pub(super) fn is_load(&self, key: Key) -> bool {
        let is_leaf = matches!(self.scope.graph.terms[key.0].op, TermOp::Leaf(..));
        is_leaf || self.scope.cuts.is_materialised[key.0] && !self.computed.contains(&key)
    }

    /// The operands of a value that is computed, at the points of its map.
    pub(super) fn operands(&mut self, key: Key) -> Vec<Key> {
        let graph = self.scope.graph;
        let term = &graph.terms[key.0];
        let map = self.maps[key.1].clone();
        let (domain, args) = (self.domain, &term.args);
        let from = |arg: Id| &graph.terms[arg].shape;
        match &term.op {
            TermOp::Op(Op::View(view)) => vec![(args[0], self.map_id(space::view_map(view.axes(), &map)))],
            &TermOp::Op(Op::Reduce { axes, keep, .. }) => {
                let map = space::reduced_map(from(args[0]), axes, keep, &map, domain);
                vec![(args[0], self.map_id(map))]
            }
            &TermOp::Op(Op::Gather { axis }) => {
                let map = map[axis..axis + from(args[1]).rank()].to_vec();
                vec![(args[1], self.map_id(map))]
            }
            _ => {
                let shape = &term.shape;
                args.iter().map(|&arg| (arg, self.map_id(space::broadcast_map(from(arg), shape, &map)))).collect()
            }
        }
    }

    fn visit(&mut self, key: Key) -> usize {
        if let Some(&level) = self.levels.get(&key) {
            return level;
        }
        let term = &self.scope.graph.terms[key.0];
        let level = match &term.op {
            _ if term.is_scalar => {
                self.scalars += 1 + usize::from(term.element.is_complex());
                0
            }
            TermOp::Constant(_) => 0,
            _ if self.is_load(key) => {
                if !matches!(term.op, TermOp::Leaf(..)) {
                    self.loads.push(key.0);
                }
                if let Some(location) = &self.scope.locations[key.0] {
                    let map = self.maps[key.1].clone();
                    self.access(key.0, &map, location);
                }
                0
            }
            TermOp::Op(Op::Iota) => {
                let (_, vector) = affine(&self.maps[key.1], &row_major(&term.shape), self.domain.extents.len());
                self.scalars += 1 + vector.len();
                self.vectors.push(vector);
                0
            }
            &TermOp::Op(Op::Gather { axis }) => self.visit_gather(key, axis),
            TermOp::Op(Op::Reduce { .. }) => {
                let operands = self.operands(key);
                let level = self.visit(operands[0]);
                self.slots.push(RowSlot { key, level });
                level + 1
            }
            _ => {
                let operands = self.operands(key);
                operands.into_iter().map(|operand| self.visit(operand)).max().unwrap_or(0)
            }
        };
        self.levels.insert(key, level);
        level
    }

    fn visit_gather(&mut self, key: Key, axis: usize) -> usize {
        let term = &self.scope.graph.terms[key.0];
        let source = term.args[0];
        if !matches!(self.scope.graph.terms[source].op, TermOp::Leaf(..)) {
            self.loads.extend(materialised_base(self.scope, source));
        }
        for index in self.gather_axes(key, axis).into_iter().flatten() {
            let (_, vector) = affine(&[index], &[1], self.domain.extents.len());
            self.scalars += 1 + vector.len();
            self.vectors.push(vector);
        }
        if let Some(access) = self.gathered(source) {
            self.add(access);
        }
        let index = self.operands(key)[0];
        self.visit(index)
    }

    /// The index along each axis of a gather's source; `None` for the axis that is indexed.
    pub(super) fn gather_axes(&self, key: Key, axis: usize) -> Vec<Option<AxisMap>> {
        let graph = self.scope.graph;
        let term = &graph.terms[key.0];
        let (rank, index_rank) = (graph.terms[term.args[0]].shape.rank(), graph.terms[term.args[1]].shape.rank());
        let map = &self.maps[key.1];
        let along = |k: usize| if k < axis { Some(map[k]) } else { Some(map[k + index_rank - 1]) };
        (0..rank).map(|k| if k == axis { None } else { along(k) }).collect()
    }

    /// The access of a gather's source.
    pub(super) fn gathered(&self, source: Id) -> Option<RawAccess> {
        let term = &self.scope.graph.terms[source];
        let location = locate(self.scope, source)?;
        let Location { buffer, offset, strides } = location;
        Some(RawAccess { buffer, element: term.element, offset, strides, indexed: Some(term.shape.to_vec()) })
    }

    /// The access of a term at a location, and its index.
    pub(super) fn access(&mut self, id: Id, map: &Map, location: &Location) -> usize {
        let (offset, strides) = affine(map, &location.strides, self.domain.extents.len());
        self.vectors.push(strides.clone());
        let element = self.scope.graph.terms[id].element;
        let offset = location.offset + offset;
        self.add(RawAccess { buffer: location.buffer, element, offset, strides, indexed: None })
    }

    pub(super) fn add(&mut self, access: RawAccess) -> usize {
        match self.accesses.iter().position(|other| *other == access) {
            Some(index) => index,
            None => {
                self.accesses.push(access);
                self.accesses.len() - 1
            }
        }
    }

    /// Loops over a row.
    pub(super) fn loops(&self) -> usize {
        let is_row = |map: &Map| map.iter().all(|along| along.axis.is_none_or(|axis| axis < self.domain.parallel));
        let elements = self.roots.iter().filter(|root| !is_row(self.map(root.1)));
        let levels = elements.map(|&root| self.level(root)).chain(self.slots.iter().map(|slot| slot.level));
        1 + levels.max().unwrap_or(0)
    }

    /// Bytes of the arguments at most: axes are not collapsed yet.
    pub(super) fn argument_bytes(&self) -> usize {
        let rank = self.domain.extents.len();
        let strides = |access: &RawAccess| match () {
            () if access.indexed.is_some() => 16 * access.strides.len(),
            () if is_row_major(&access.strides, &self.domain.extents) => 0,
            () if access.strides.iter().all(|&stride| stride == 0) => 0,
            () => 8 * rank,
        };
        8 * (rank + self.scalars) + self.accesses.iter().map(|access| 16 + strides(access)).sum::<usize>()
    }
}

/// The offset and the strides over the kernel's axes of what has strides over a term's axes.
pub(super) fn affine(map: &[AxisMap], strides: &[i64], rank: usize) -> (i64, Vec<i64>) {
    let (mut offset, mut result) = (0, vec![0; rank]);
    for (along, &stride) in map.iter().zip(strides) {
        offset += along.start as i64 * stride;
        if let Some(axis) = along.axis {
            result[axis] += along.step * stride;
        }
    }
    (offset, result)
}

pub(super) fn row_major(extents: &[usize]) -> Vec<i64> {
    let mut strides = vec![1; extents.len()];
    for axis in (1..extents.len()).rev() {
        strides[axis - 1] = strides[axis] * extents[axis].max(1) as i64;
    }
    strides
}

pub(super) fn is_row_major(strides: &[i64], extents: &[usize]) -> bool {
    let own = row_major(extents);
    strides.iter().zip(&own).zip(extents).all(|((stride, own), &extent)| extent == 1 || stride == own)
}

/// The location of a leaf, a materialised term or a view of one.
pub(super) fn locate(scope: Scope<'_>, id: Id) -> Option<Location> {
    let term = &scope.graph.terms[id];
    match &term.op {
        _ if scope.locations[id].is_some() => scope.locations[id].clone(),
        TermOp::Op(Op::View(view)) => {
            let source = locate(scope, term.args[0])?;
            let (offset, strides) = affine(view.axes(), &source.strides, term.shape.rank());
            Some(Location { buffer: source.buffer, offset: source.offset + offset, strides })
        }
        _ => None,
    }
}

/// The materialised term that a view is one of.
fn materialised_base(scope: Scope<'_>, id: Id) -> Option<Id> {
    let term = &scope.graph.terms[id];
    match &term.op {
        TermOp::Leaf(..) => None,
        _ if scope.cuts.is_materialised[id] => Some(id),
        TermOp::Op(Op::View(_)) => materialised_base(scope, term.args[0]),
        _ => None,
    }
}
