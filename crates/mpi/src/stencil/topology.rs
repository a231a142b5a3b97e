//! Memory of each rank, and the points that it needs of others.

use affinimath_stencil::analysis::StageFacts;
use affinimath_stencil::definition::{Boundary, ExprId, MAX_AXES, Node, Side, Statement, Stencil, Sweep};
use affinimath_stencil::{Bound, STRIP};

use super::blocks::{Cut, StencilBlock, parts_of};
use crate::error::{Error, Result};

/// Points below and above on each axis.
pub(super) type Reach = [[i64; 2]; MAX_AXES];

/// The cut of a bound stencil's grids.
#[derive(Debug)]
pub(super) struct Topology {
    pub(super) bound: Bound,
    pub(super) domain: StencilBlock,
    pub(super) cut: Cut,
    /// Steps from an exchange to the next.
    pub(super) steps: usize,
    /// Memory of each whole grid.
    memory: Vec<StencilBlock>,
    /// Points of other ranks that each grid has.
    depths: Vec<Reach>,
    /// Blocks at faces are thinner than what conditions read there.
    pub(super) is_thin: bool,
}

/// Points of a component that go from one rank to another.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) component: usize,
    /// Their coordinates on the sender, and on the receiver: they differ where a periodic axis wraps.
    pub(super) source: StencilBlock,
    pub(super) target: StencilBlock,
}

impl Topology {
    /// Cuts the grids of a stencil for some ranks.
    pub(super) fn new(bound: Bound, ranks: usize, wish: Option<&[usize]>, steps: usize) -> Result<Self> {
        let signed = |lengths: &[usize]| lengths.iter().map(|&length| length as i64).collect();
        let stencil = bound.stencil();
        let domain = StencilBlock::new(bound.lower().to_vec(), signed(bound.lengths()));
        // Sums are made of strips of points along x, of which each is one rank's.
        let has_results = !stencil.results().is_empty();
        let unit = |axis: usize| if axis == 0 && has_results { STRIP as i64 } else { 1 };
        let units: Vec<i64> = (0..stencil.dimension()).map(unit).collect();
        let whole: Vec<bool> = (0..stencil.dimension()).map(|axis| must_be_whole(stencil, axis)).collect();
        let parts = parts_of(wish, &domain, (&units, &whole), ranks)?;
        let cut = Cut::new(&domain, &parts, &units);
        let mut memory = Vec::new();
        for grid in 0..stencil.grids().len() {
            let layout = bound.layout(grid).map_err(|error| Error::argument("sizes", error.reason))?;
            memory.push(StencilBlock::new(layout.lower.clone(), signed(&layout.lengths)));
        }
        let depths = vec![Reach::default(); memory.len()];
        let mut topology = Topology { bound, domain, cut, steps: steps.max(1), memory, depths, is_thin: false };
        topology.is_thin = topology.has_thin_faces();
        if !topology.may_widen() {
            topology.steps = 1;
        }
        topology.depths = (0..topology.memory.len()).map(|grid| topology.depth(grid)).collect();
        Ok(topology)
    }

    pub(super) fn stencil(&self) -> &Stencil {
        self.bound.stencil()
    }

    pub(super) fn is_split(&self, axis: usize) -> bool {
        self.cut.parts(axis) > 1
    }

    /// A component repeats itself on an axis that is cut: other ranks have what lies beyond its faces.
    pub(super) fn wraps(&self, grid: usize, component: usize, axis: usize) -> bool {
        self.is_split(axis) && self.stencil().boundary(grid, component, axis, Side::Lower) == Boundary::Periodic
    }

    /// A grid that steps change repeats itself on an axis that is cut.
    pub(super) fn any_wraps(&self, axis: usize) -> bool {
        let mut changing = (0..self.memory.len()).filter(|&grid| self.is_changing(grid));
        changing.any(|grid| (0..self.components(grid)).any(|component| self.wraps(grid, component, axis)))
    }

    fn components(&self, grid: usize) -> usize {
        self.stencil().grids()[grid].component_count()
    }

    /// Grids that steps change.
    pub(super) fn is_changing(&self, grid: usize) -> bool {
        self.stencil().written_level(grid).is_some()
    }

    /// How far a stage reads grids that steps change.
    pub(super) fn stage_reach(&self, stage: usize) -> Reach {
        let facts: &StageFacts = &self.bound.facts().stages[stage];
        let reads = facts.reads.iter().filter(|read| self.is_changing(read.grid));
        reads.fold(Reach::default(), |reach, read| largest(reach, read.radius.map(|pair| pair.map(i64::from))))
    }

    /// Points beyond its own that a rank computes of a stage, `left` steps before the next exchange. Only axes that are
    /// cut have some.
    pub(super) fn extension(&self, stage: usize, left: usize) -> Reach {
        let stages = self.stencil().stages().len();
        let mut reach = Reach::default();
        let later = (stage + 1..stages).map(|stage| (stage, 1)).chain((0..stages).map(|stage| (stage, left as i64)));
        for (stage, times) in later {
            let own = self.stage_reach(stage);
            for axis in (0..MAX_AXES).filter(|&axis| axis < self.domain.lower().len() && self.is_split(axis)) {
                (0..2).for_each(|side| reach[axis][side] += times * own[axis][side]);
            }
        }
        reach
    }

    /// Points of other ranks that a rank's passes read of a grid.
    fn depth(&self, grid: usize) -> Reach {
        let stencil = self.stencil();
        let reach: Reach = std::array::from_fn(|axis| match axis < self.domain.lower().len() {
            true => [Side::Lower, Side::Upper].map(|side| self.bound.reach(grid, axis, side)),
            false => [0; 2],
        });
        let conditions = stencil.graph().taps(conditions(stencil)).into_iter().filter(|tap| tap.grid == grid);
        let own = conditions.fold(reach, |reach, tap| {
            let offsets = tap.offsets.map(i64::from);
            largest(reach, offsets.map(|offset| [(-offset).max(0), offset.max(0)]))
        });
        let mut depth = Reach::default();
        for stage in 0..stencil.stages().len() {
            let extension = if self.steps > 1 { self.extension(stage, self.steps - 1) } else { Reach::default() };
            let beyond = std::array::from_fn(|axis| [0, 1].map(|side| extension[axis][side] + own[axis][side]));
            depth = largest(depth, beyond);
        }
        for (axis, depth) in depth.iter_mut().enumerate() {
            // Conditions of thin faces read as far inwards as taps reach outwards.
            if self.is_thin {
                *depth = [depth[0].max(depth[1]); 2];
            }
            if axis >= self.domain.lower().len() || !self.is_split(axis) {
                *depth = [0; 2];
            }
        }
        depth
    }

    /// Blocks of several axes may be thin where conditions of faces read inwards.
    fn has_thin_faces(&self) -> bool {
        let stencil = self.stencil();
        let ranks = (0..self.domain.lower().len()).map(|axis| self.cut.parts(axis)).product::<usize>();
        let reach = |grid: usize, axis: usize| {
            let reach = [Side::Lower, Side::Upper].map(|side| self.bound.reach(grid, axis, side));
            let own = stencil.boundaries().iter().filter(|rule| (rule.grid, rule.axis) == (grid, axis));
            let values = own.filter_map(|rule| match rule.boundary {
                Boundary::Value(value) => Some(value),
                _ => None,
            });
            let inward = stencil.graph().taps(values).into_iter().map(|tap| i64::from(tap.offsets[axis].abs())).max();
            (reach[0].max(reach[1]) + 1).max(inward.unwrap_or(0))
        };
        (0..self.domain.lower().len()).filter(|&axis| self.is_split(axis)).any(|axis| {
            let needed = (0..stencil.grids().len()).map(|grid| reach(grid, axis)).max().unwrap_or(0);
            let blocks = (0..ranks).map(|rank| self.cut.block(rank)).filter(|block| !block.is_empty());
            let lengths = blocks.filter(|block| {
                block.lower()[axis] == self.domain.lower()[axis] || block.end(axis) == self.domain.end(axis)
            });
            lengths.map(|block| block.length(axis)).any(|length| length < needed)
        })
    }

    /// Several steps may follow one exchange: ranks compute points of others as those do.
    fn may_widen(&self) -> bool {
        let stencil = self.stencil();
        let is_jacobi = stencil.stages().iter().all(|stage| stage.sweep == Sweep::Jacobi);
        // Grids that are only read repeat themselves as well, where steps go beyond a periodic face.
        let wrapping = |axis: usize| {
            let is_used = |grid: usize| self.is_changing(grid) || self.bound.facts().grids[grid].is_read;
            let all = (0..stencil.grids().len())
                .filter(move |&grid| is_used(grid) && stencil.grids()[grid].axes.contains(&axis));
            all.flat_map(move |grid| (0..self.components(grid)).map(move |component| self.wraps(grid, component, axis)))
        };
        let is_uniform = (0..self.domain.lower().len()).all(|axis| {
            let mut all = wrapping(axis);
            let first = all.next();
            all.all(|other| Some(other) == first)
        });
        let values = stencil.stages().iter().flat_map(|stage| &stage.statements).map(|statement| match statement {
            Statement::Let { value, .. } | Statement::Assign { value, .. } | Statement::Reduce { value, .. } => *value,
        });
        let all = stencil.graph().reachable(values.chain(conditions(stencil)));
        // Coordinates beyond a periodic face are not those of the points that lie there.
        let has_coordinate = all.into_iter().any(
            |expression| matches!(stencil.graph().node(expression), Node::Coordinate(axis) if self.any_wraps(*axis)),
        );
        is_jacobi && is_uniform && !has_coordinate && stencil.filter().is_empty() && !self.is_thin
    }

    /// Points of a component's memory whose values are a rank's to compute: its block, and what lies beyond those faces
    /// of the domain where it ends.
    pub(super) fn owned(&self, rank: usize, grid: usize, component: usize) -> StencilBlock {
        self.completed(&self.cut.block(rank), grid, |axis| self.wraps(grid, component, axis))
    }

    /// The points of a grid's memory that passes on a box of points complete.
    fn completed(&self, block: &StencilBlock, grid: usize, wraps: impl Fn(usize) -> bool) -> StencilBlock {
        let axes = &self.stencil().grids()[grid].axes;
        let memory = &self.memory[grid];
        let mut own = memory.clone();
        for (position, &axis) in axes.iter().enumerate() {
            let (mut first, mut end) = (block.lower()[axis], block.end(axis));
            if first < end && !wraps(axis) {
                if first <= self.domain.lower()[axis] {
                    first = first.min(memory.lower()[position]);
                }
                if end >= self.domain.end(axis) {
                    end = end.max(memory.end(position));
                }
            }
            own.set(position, first, end);
        }
        own
    }

    /// Memory of a rank.
    pub(super) fn memory(&self, rank: usize, grid: usize) -> StencilBlock {
        let axes = &self.stencil().grids()[grid].axes;
        let any_wraps = |axis: usize| (0..self.components(grid)).any(|component| self.wraps(grid, component, axis));
        let mut own = self.completed(&self.cut.block(rank), grid, |_| false);
        let whole = &self.memory[grid];
        let block = self.cut.block(rank);
        for (position, &axis) in axes.iter().enumerate() {
            let [below, above] = self.depths[grid][axis];
            let (mut first, mut end) = (block.lower()[axis] - below, block.end(axis) + above);
            if !any_wraps(axis) {
                (first, end) = (first.max(whole.lower()[position]), end.min(whole.end(position)));
            }
            own.set(position, first.min(own.lower()[position]), end.max(own.end(position)));
        }
        own
    }

    /// The points that a rank computes of a stage, `left` steps before the next exchange, and the memory that passes on
    /// them complete, by grid.
    pub(super) fn part(&self, rank: usize, extension: Reach) -> (StencilBlock, Vec<StencilBlock>) {
        let mut block = self.cut.block(rank);
        for (axis, [below, above]) in extension.into_iter().enumerate().take(self.domain.lower().len()) {
            let (mut first, mut end) = (block.lower()[axis] - below, block.end(axis) + above);
            if !self.any_wraps(axis) {
                (first, end) = (first.max(self.domain.lower()[axis]), end.min(self.domain.end(axis)));
            }
            block.set(axis, first, end);
        }
        let all_wrap = |grid: usize, axis: usize| (0..self.components(grid)).all(|each| self.wraps(grid, each, axis));
        let completed = (0..self.memory.len()).map(|grid| {
            let completed = self.completed(&block, grid, |axis| all_wrap(grid, axis));
            completed.intersection(&self.memory(rank, grid))
        });
        let completed = completed.collect();
        (block, completed)
    }

    /// Points that one rank needs of a grid from another one.
    pub(super) fn pieces(&self, receiver: usize, sender: usize, grid: usize) -> Vec<Piece> {
        let axes = &self.stencil().grids()[grid].axes;
        let is_idle = |rank: usize| self.cut.block(rank).is_empty();
        let [to, from] = [receiver, sender].map(|rank| self.cut.position(rank));
        // A grid without an axis is the same on all ranks along it.
        let along_others = (0..to.len()).any(|axis| !axes.contains(&axis) && to[axis] != from[axis]);
        if along_others || is_idle(receiver) || is_idle(sender) {
            return Vec::new();
        }
        let memory = self.memory(receiver, grid);
        let mut pieces = Vec::new();
        for component in 0..self.components(grid) {
            let owned = self.owned(sender, grid, component);
            let mut shifts: Vec<Vec<i64>> = vec![Vec::new()];
            for &axis in axes {
                let period = self.domain.length(axis);
                let most = match self.wraps(grid, component, axis) {
                    true => self.depths[grid][axis].into_iter().max().unwrap_or(0) / period + 1,
                    false => 0,
                };
                let extended = shifts
                    .iter()
                    .flat_map(|shift| (-most..=most).map(move |times| [shift.as_slice(), &[times * period]].concat()));
                shifts = extended.collect();
            }
            for shift in shifts {
                if receiver == sender && shift.iter().all(|by| *by == 0) {
                    continue;
                }
                let target = owned.shifted(&shift).intersection(&memory);
                if !target.is_empty() {
                    let back: Vec<i64> = shift.iter().map(|by| -by).collect();
                    pieces.push(Piece { component, source: target.shifted(&back), target });
                }
            }
        }
        pieces
    }
}

fn largest(one: Reach, other: Reach) -> Reach {
    std::array::from_fn(|axis| std::array::from_fn(|side| one[axis][side].max(other[axis][side])))
}

/// Expressions of boundary conditions.
fn conditions(stencil: &Stencil) -> impl Iterator<Item = ExprId> + '_ {
    stencil.boundaries().iter().filter_map(|rule| match rule.boundary {
        Boundary::Value(value) | Boundary::Neumann(value) => Some(value),
        _ => None,
    })
}

/// An axis that repeats itself cannot be cut where diagonal taps read corners beyond its faces that a condition of a
/// later axis sets otherwise than those at the other end: values that are kept, or that depend on the coordinate.
fn must_be_whole(stencil: &Stencil, axis: usize) -> bool {
    let corner = |grid: usize, later: usize| {
        let values = stencil.stages().iter().flat_map(|stage| &stage.statements).map(|statement| match statement {
            Statement::Let { value, .. } | Statement::Assign { value, .. } | Statement::Reduce { value, .. } => *value,
        });
        let all = stencil.graph().taps(values.chain(stencil.filter().iter().map(|filter| filter.value)));
        all.iter().any(|tap| tap.grid == grid && tap.offsets[axis] != 0 && tap.offsets[later] != 0)
    };
    let differs = |boundary: Boundary| match boundary {
        Boundary::Keep => true,
        Boundary::Value(value) | Boundary::Neumann(value) => {
            let mut nodes = stencil.graph().reachable([value]).into_iter().map(|each| stencil.graph().node(each));
            nodes.any(|node| match node {
                Node::Coordinate(own) => *own == axis,
                Node::Tap(tap) => stencil.grids()[tap.grid].constant,
                _ => false,
            })
        }
        _ => false,
    };
    stencil.grids().iter().enumerate().any(|(grid, definition)| {
        (0..definition.component_count()).any(|component| {
            stencil.boundary(grid, component, axis, Side::Lower) == Boundary::Periodic
                && definition.axes.iter().filter(|later| **later > axis).any(|&later| {
                    let mut sides = [Side::Lower, Side::Upper].into_iter();
                    sides.any(|side| differs(stencil.boundary(grid, component, later, side))) && corner(grid, later)
                })
        })
    })
}
