//! The shape of a stencil's steps on tiles: fields, their neighbours, and what of them goes through local memory.

use std::collections::{BTreeMap, BTreeSet};

use super::stream::points;
use crate::analysis::values;
use crate::bound::Bound;
use crate::definition::{AXES, Boundary, ExprId, Node, Side, Statement, Stencil, Sweep, Tap, Type};
use crate::strategy::Tile;

/// A level of a component that a step reads: the newest one (0), or as many before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Field {
    pub(super) grid: usize,
    pub(super) component: usize,
    pub(super) back: usize,
}

/// Neighbours of a field.
#[derive(Clone, Debug)]
pub(super) struct Neighbours {
    pub(super) field: Field,
    pub(super) kind: Type,
    /// The lowest plane that a work-item keeps of its own points, relative to the current one: 0 or less.
    pub(super) low: i32,
    /// The plane that goes through local memory, where others read one.
    pub(super) shared: Option<i32>,
    /// Points of other work-items, relative to the own first point, with the lowest plane that is read.
    pub(super) columns: BTreeMap<[i32; 2], i32>,
    /// Points of each work-item that go through local memory.
    pub(super) slots: Vec<[usize; 2]>,
}

/// Steps of a stencil on tiles.
pub(super) struct Shape {
    pub(super) dimension: usize,
    pub(super) tile: Tile,
    pub(super) taps: Vec<Tap>,
    pub(super) fields: Vec<Neighbours>,
    /// Planes that a step reads ahead on the last axis.
    pub(super) ahead: i32,
    /// Planes that a step reads behind.
    pub(super) behind: i32,
    /// Points beyond a tile that a step reads, by axis and side.
    reach: [[i32; 2]; 2],
    /// Values beyond faces on x and y come from the domain.
    pub(super) has_mirrors: [bool; 2],
}

/// Conditions whose values beyond a face are made of the same plane's, or row's, values within.
pub(super) const fn is_mirror(boundary: Boundary) -> bool {
    matches!(
        boundary,
        Boundary::Neumann(_) | Boundary::Reflect | Boundary::Symmetric | Boundary::Antireflect | Boundary::Clamp
    )
}

impl Shape {
    /// The shape; none where several steps of a stencil do not fit tiles.
    pub(super) fn new(bound: &Bound, tile: Tile) -> Option<Self> {
        let stencil = bound.stencil();
        let dimension = stencil.dimension();
        let [stage] = stencil.stages() else { return None };
        let assigned = stencil.assigned_in(0);
        let is_plain = stage.sweep == Sweep::Jacobi
            && !assigned.is_empty()
            && stencil.filter().is_empty()
            && matches!(dimension, 2 | 3)
            && assigned.iter().all(|&grid| has_all_levels(bound, grid));
        is_plain.then_some(())?;
        let taps: Vec<Tap> = stencil.graph().taps(values(&stage.statements));
        has_sure_elements(stencil).then_some(())?;
        let written = |tap: &Tap| stencil.written_level(tap.grid).unwrap_or(0);
        let is_assigned = |tap: &Tap| assigned.contains(&tap.grid);
        let taps: Vec<Tap> = taps.into_iter().filter(|tap| is_assigned(tap) && tap.time < written(tap)).collect();
        has_fitting_faces(stencil, &assigned, &taps).then_some(())?;
        let mirrors = |axis: usize| has_mirror(stencil, &assigned, axis);
        let mut reach = [[0; 2]; 3];
        for tap in &taps {
            for (axis, reach) in reach.iter_mut().enumerate() {
                reach[0] = reach[0].max(-tap.offsets[axis]);
                reach[1] = reach[1].max(tap.offsets[axis]);
            }
        }
        for axis in (0..dimension).filter(|&axis| mirrors(axis)) {
            reach[axis] = [reach[axis][0].max(reach[axis][1]); 2];
        }
        let last = dimension - 1;
        let has_mirrors = [0, 1].map(|axis| axis < last && mirrors(axis));
        let [behind, ahead] = reach[last];
        let mut planar = [[0; 2]; 2];
        planar[..last].copy_from_slice(&reach[..last]);
        let mut shape = Shape { dimension, tile, taps, fields: Vec::new(), ahead, behind, reach: planar, has_mirrors };
        shape.fields = shape.neighbours(bound, &assigned, mirrors(last));
        Some(shape)
    }

    /// The fields of grids, each with its neighbours.
    fn neighbours(&self, bound: &Bound, grids: &[usize], has_mirror: bool) -> Vec<Neighbours> {
        let mut fields = Vec::new();
        for &grid in grids {
            let definition = &bound.stencil().grids()[grid];
            for component in 0..definition.component_count() {
                for back in 0..bound.levels(grid) - 1 {
                    let field = Field { grid, component, back };
                    fields.push(self.neighbours_of(bound, field, definition.kind, has_mirror));
                }
            }
        }
        fields
    }

    fn neighbours_of(&self, bound: &Bound, field: Field, kind: Type, has_mirror: bool) -> Neighbours {
        let last = self.dimension - 1;
        let newest = bound.facts().grids[field.grid].newest;
        let mut result = Neighbours { field, kind, low: 0, shared: None, columns: BTreeMap::new(), slots: Vec::new() };
        let own = |tap: &&Tap| {
            (tap.grid, tap.component, tap.time) == (field.grid, field.component, newest - 1 - field.back as i32)
        };
        for tap in self.taps.iter().filter(own) {
            // A face on the last axis may need the plane on the other side.
            let distance = tap.offsets[last];
            let (low, high) = if has_mirror { (-distance.abs(), distance.abs()) } else { (distance, distance) };
            result.low = result.low.min(low);
            for point in points(self.tile) {
                let column = self.column(tap, point);
                if self.slot(column).1 == [0, 0] {
                    continue;
                }
                result.shared = Some(result.shared.map_or(high, |known: i32| known.max(high)));
                let known = result.columns.entry(column).or_insert(low);
                *known = low.min(*known);
            }
        }
        result.low = result.low.min(result.shared.unwrap_or(0));
        let needed: BTreeSet<[usize; 2]> = result.columns.keys().map(|&column| self.slot(column).0).collect();
        // Values at faces are exchanged through local memory.
        let all = self.has_mirrors.contains(&true) && field.back == 0;
        result.slots = if all { points(self.tile).collect() } else { needed.into_iter().collect() };
        result
    }

    /// A tap's column, relative to the work-item's first point.
    pub(super) fn column(&self, tap: &Tap, [i, j]: [usize; 2]) -> [i32; 2] {
        let y = if self.dimension == 3 { tap.offsets[1] } else { 0 };
        [tap.offsets[0] + i as i32, y + j as i32]
    }

    /// The point of a column in its work-item, and that work-item's distance.
    pub(super) fn slot(&self, column: [i32; 2]) -> ([usize; 2], [i32; 2]) {
        let [px, py] = self.tile.points.map(|points| points as i32);
        let [x, y] = column;
        ([x.rem_euclid(px) as usize, y.rem_euclid(py) as usize], [x.div_euclid(px), y.div_euclid(py)])
    }

    /// Planes from a step to the one behind it.
    pub(super) const fn delay(&self) -> i32 {
        self.ahead + 1
    }

    /// Points of a tile that are computed by a neighbour, by axis and side.
    pub(super) fn rims(&self, steps: usize) -> [[usize; 2]; 2] {
        self.reach.map(|sides| sides.map(|reach| reach as usize * steps))
    }

    /// Elements of a field's array in local memory for one step, for two planes.
    pub(super) fn array_length(&self, field: &Neighbours) -> usize {
        2 * field.slots.len() * self.tile.items[0] * self.tile.items[1]
    }

    /// Bytes of local memory.
    pub(super) fn local_bytes(&self, steps: usize) -> usize {
        self.fields.iter().map(|field| self.array_length(field) * field.kind.bytes() * steps).sum()
    }
}

/// A grid has all axes and a level that is read, and the stage assigns all its components.
fn has_all_levels(bound: &Bound, grid: usize) -> bool {
    let stencil = bound.stencil();
    let definition = &stencil.grids()[grid];
    let is_target = |component: usize| {
        let own = (grid, component);
        stencil.stages()[0].statements.iter().any(
            |statement| matches!(statement, Statement::Assign { target, .. } if (target.grid, target.component) == own),
        )
    };
    definition.axes.len() == stencil.dimension()
        && bound.levels(grid) > 1
        && (0..definition.component_count()).all(is_target)
}

/// Indices of parameters depend on no grid: values beyond the domain are no indices.
fn has_sure_elements(stencil: &Stencil) -> bool {
    let graph = stencil.graph();
    let depends = |root: &ExprId| {
        let nodes = graph.reachable([*root]);
        nodes.iter().any(|node| matches!(graph.node(*node), Node::Tap(_) | Node::Temporary(_)))
    };
    let nodes = graph.reachable(values(&stencil.stages()[0].statements));
    nodes.iter().all(|node| match graph.node(*node) {
        Node::Parameter { indices, .. } => !indices.iter().any(depends),
        _ => true,
    })
}

fn has_mirror(stencil: &Stencil, grids: &[usize], axis: usize) -> bool {
    boundaries(stencil, grids, axis).any(is_mirror)
}

/// The conditions of grids on an axis.
fn boundaries<'s>(stencil: &'s Stencil, grids: &'s [usize], axis: usize) -> impl Iterator<Item = Boundary> + 's {
    grids.iter().flat_map(move |&grid| {
        let components = 0..stencil.grids()[grid].component_count();
        components.flat_map(move |component| {
            [Side::Lower, Side::Upper].map(|side| stencil.boundary(grid, component, axis, side))
        })
    })
}

/// Conditions of faces need no grid, and corners are the same on tiles that repeat the domain.
fn has_fitting_faces(stencil: &Stencil, grids: &[usize], taps: &[Tap]) -> bool {
    let graph = stencil.graph();
    let needs = |root: ExprId, is_bad: &dyn Fn(&Node) -> bool| {
        graph.reachable([root]).into_iter().any(|node| is_bad(graph.node(node)))
    };
    let is_simple = |boundary: Boundary| match boundary {
        Boundary::Value(value) | Boundary::Neumann(value) => {
            !needs(value, &|node| matches!(node, Node::Tap(_) | Node::Parameter { .. } if has_indices(node)))
        }
        _ => true,
    };
    let axes = 0..stencil.dimension();
    if !axes.clone().all(|axis| boundaries(stencil, grids, axis).all(is_simple)) {
        return false;
    }
    // All components have the same kind of axis: the domain repeats itself, or it does not.
    let periodic = axes.clone().map(|axis| {
        let mut all = boundaries(stencil, grids, axis).map(|boundary| boundary == Boundary::Periodic);
        let first = all.next().unwrap_or(false);
        all.all(|other| other == first).then_some(first)
    });
    let Some(periodic) = periodic.collect::<Option<Vec<bool>>>() else { return false };
    let is_diagonal = |a: usize, b: usize| taps.iter().any(|tap| tap.offsets[a] != 0 && tap.offsets[b] != 0);
    let is_even = |axis: usize, b: usize| {
        boundaries(stencil, grids, b).all(|boundary| match boundary {
            Boundary::Keep => false,
            Boundary::Value(value) | Boundary::Neumann(value) => {
                !needs(value, &|node| matches!(node, Node::Coordinate(own) if *own == axis))
            }
            _ => true,
        })
    };
    debug_assert!(AXES.len() >= stencil.dimension());
    axes.clone()
        .all(|a| axes.clone().skip(a + 1).all(|b| !(periodic[a] && !periodic[b] && is_diagonal(a, b)) || is_even(a, b)))
}

const fn has_indices(node: &Node) -> bool {
    match node {
        Node::Parameter { indices, .. } => !indices.is_empty(),
        _ => true,
    }
}
