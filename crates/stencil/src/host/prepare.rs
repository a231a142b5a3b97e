//! Passes of a stencil as programs.

use super::code::{Instruction, Output, Program, Reduced};
use super::compile::{Target, compile};
use super::lower::{Access, Lowering, Scene};
use super::memory::Memory;
use super::nodes::{Arithmetic, Known, NodeId};
use super::space::Space;
use crate::bound::Bound;
use crate::data::Layout;
use crate::definition::{Boundary, ExprId, Offsets, Reduction, Side, Statement};
use crate::run::Colour;

/// Grids with more bytes do not stay in the caches near a processor's core.
const PREFETCHED_BYTES: usize = 1024 * 1024;

/// A pass with its program.
pub(super) struct Prepared {
    pub(super) space: Space,
    pub(super) program: Program,
    /// Values that are kept beyond a face: they are the same in each step.
    pub(super) is_keep: bool,
    /// Bytes of the rows that a row's points read, in all planes.
    pub(super) row_bytes: usize,
    pub(super) is_streamed: bool,
    /// Added to the time of the step.
    pub(super) time: i32,
}

/// A stage's passes for parts of the domain.
pub(super) struct Windowed {
    /// Without reductions.
    pub(super) sweep: Prepared,
    /// The faces of what the stage assigns in their order, without those that keep their values.
    pub(super) faces: Vec<(Face, Prepared)>,
}

impl Windowed {
    /// A pass may read outside the range of a parameter, or outside a memory.
    pub(super) fn may_fail(&self) -> bool {
        let mut passes = self.faces.iter().map(|(_, pass)| pass).chain([&self.sweep]);
        passes.any(|pass| {
            let program = &pass.program;
            let mut instructions = program.pass.iter().chain(&program.row).chain(&program.strip);
            instructions.any(|instruction| matches!(instruction, Instruction::Check { .. }))
        })
    }
}

/// The stencil and the memory that passes are prepared for.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) bound: &'a Bound,
    pub(super) scene: Scene<'a>,
    pub(super) memory: &'a Memory,
    pub(super) arch: pulp::Arch,
    pub(super) last_cache: usize,
    /// Passes are executed in parts that stay in the caches, and cut rows along the last axis.
    pub(super) is_windowed: bool,
}

/// A face of a component at a level.
#[derive(Clone, Copy)]
pub(super) struct Face {
    pub(super) grid: usize,
    pub(super) component: usize,
    pub(super) axis: usize,
    pub(super) side: Side,
    pub(super) time: i32,
}

impl<'a> Source<'a> {
    fn space(&self, grid: Option<usize>, lower: &[i64], lengths: &[usize]) -> Space {
        let mut space = match grid {
            Some(grid) => Space::new(&self.bound.stencil().grids()[grid].axes, lower, lengths),
            None => Space::new(&(0..lower.len()).collect::<Vec<_>>(), lower, lengths),
        };
        let last = self.bound.lower().len() - 1;
        if self.is_windowed && space.axis == last {
            space.axis = (0..last).max_by_key(|&axis| (space.lengths[axis], last - axis)).unwrap_or(last);
        }
        space
    }

    fn finish(&self, lowering: Lowering<'_>, space: Space, outputs: &[Output], reduced: Vec<Reduced>) -> Prepared {
        let is_contiguous = |access: &Access| {
            space.row() == 1 || self.memory.stride(access.grid, space.axis) * space.step() as isize == 1
        };
        // Lines that two rows share would be written twice.
        let has_lines = |access: &Access| self.memory.has_whole_lines(access.grid, space.axis);
        let is_streamed = !self.is_windowed
            && self.memory.bytes() > self.last_cache
            && space.parity.is_none()
            && outputs.iter().all(|output| match output {
                Output::Store { access, .. } => has_lines(&lowering.accesses[*access]),
                _ => true,
            });
        let target = Target { arch: self.arch, is_contiguous: &is_contiguous, is_streamed };
        let mut program = compile(lowering, outputs, reduced, &target);
        if self.memory.bytes() > PREFETCHED_BYTES {
            program.ahead = leading(&program);
            // Results that go past the caches are not read.
            let is_result = |number: usize| {
                outputs.iter().any(|output| matches!(output, Output::Store { access, .. } if *access == number))
            };
            program.ahead.retain(|&access| !(is_streamed && is_result(access)));
        }
        let row_bytes = self.row_bytes(&program, &space);
        Prepared { space, program, is_keep: false, row_bytes, is_streamed, time: 0 }
    }

    /// Bytes of the rows of one position across all planes that a program reads.
    fn row_bytes(&self, program: &Program, space: &Space) -> usize {
        let mut planes: Vec<(usize, usize, i32, Vec<i32>)> = Vec::new();
        let Some(first) = (0..crate::definition::MAX_AXES).find(|&axis| axis != space.axis && space.lengths[axis] > 1)
        else {
            return 0;
        };
        let mut bytes = 0;
        for access in &program.accesses {
            let others = (first + 1..crate::definition::MAX_AXES).map(|axis| access.offsets[axis]).collect();
            let plane = (access.grid, access.component, access.time, others);
            if !planes.contains(&plane) {
                bytes += self.bound.stencil().grids()[access.grid].kind.bytes() * space.row();
                planes.push(plane);
            }
        }
        bytes
    }

    /// The statements of a stage at all points, or at those of one colour.
    pub(super) fn sweep(&self, stage: usize, colour: Option<Colour>) -> Prepared {
        let stencil = self.bound.stencil();
        let mut space = self.space(None, self.bound.lower(), self.bound.lengths());
        space.parity = colour.map(Colour::parity);
        let has_reductions = !self.is_windowed
            && stencil.stages()[stage].statements.iter().any(|statement| matches!(statement, Statement::Reduce { .. }));
        if has_reductions {
            space.axis = 0;
        }
        let mut lowering = Lowering::new(self.scene, &space);
        if colour == Some(Colour::Black) {
            let newest = |grid: usize| self.bound.facts().grids[grid].newest;
            lowering.coupled = stencil.assigned_in(stage).into_iter().map(|grid| (grid, newest(grid))).collect();
        }
        let (mut outputs, mut reduced) = (Vec::new(), Vec::new());
        let mut stores: Vec<(usize, NodeId)> = Vec::new();
        for statement in &stencil.stages()[stage].statements {
            match statement {
                Statement::Let { temporary, value } => {
                    let value = lowering.lower(*value);
                    lowering.bind(*temporary, value);
                }
                Statement::Assign { target, value } => {
                    let known = lowering.lower(*value);
                    outputs.extend(known.valid.map(Output::Check));
                    let (grid, component, time) = (target.grid, target.component, target.time);
                    let offsets = Offsets::default();
                    let access = lowering.access(Access { grid, component, time, offsets });
                    // The last assignment is the one that stays.
                    stores.retain(|(other, _)| *other != access);
                    stores.push((access, known.value));
                    lowering.assign(grid, component, time, known.value);
                }
                Statement::Reduce { result, reduction, value } => {
                    let known = lowering.lower(*value);
                    outputs.extend(known.valid.map(Output::Check));
                    if self.is_windowed {
                        continue;
                    }
                    let kind = stencil.results()[*result].kind;
                    let value = match reduction {
                        Reduction::Norm2 => lowering.arithmetic(Arithmetic::Multiply, known.value, known.value),
                        Reduction::Count => lowering.convert(known.value, kind),
                        _ => known.value,
                    };
                    outputs.push(Output::Reduce { number: reduced.len(), value });
                    reduced.push(Reduced { result: *result, reduction: *reduction, kind });
                }
            }
        }
        outputs.extend(stores.into_iter().map(|(access, value)| Output::Store { access, value }));
        let copy = space.clone();
        self.finish(lowering, copy, &outputs, reduced)
    }

    /// A stage's passes for parts of the domain.
    pub(super) fn windowed(&self, stage: usize, layouts: &[Layout]) -> Windowed {
        let own = Source { is_windowed: true, ..*self };
        let mut faces = Vec::new();
        for grid in self.bound.stencil().assigned_in(stage) {
            let time = self.bound.facts().grids[grid].newest;
            faces.extend(own.faces(grid, time, &layouts[grid], false).into_iter().filter(|(_, pass)| !pass.is_keep));
        }
        Windowed { sweep: own.sweep(stage, None), faces }
    }

    /// A stage's sweep for boxes of the domain, without reductions.
    pub(super) fn boxes(&self, stage: usize, colour: Option<Colour>) -> Prepared {
        Source { is_windowed: true, ..*self }.sweep(stage, colour)
    }

    /// The level before at all points in memory, as the level that a step writes.
    pub(super) fn carry_over(&self, grid: usize, layout: &Layout) -> Vec<Prepared> {
        let newest = self.bound.facts().grids[grid].newest;
        let components = 0..self.bound.stencil().grids()[grid].component_count();
        let each = components.map(|component| {
            let space = self.space(Some(grid), &layout.lower, &layout.lengths);
            self.copy((grid, component), space, newest - 1, newest)
        });
        each.collect()
    }

    fn copy(&self, (grid, component): (usize, usize), space: Space, from: i32, to: i32) -> Prepared {
        let offsets = Offsets::default();
        let mut lowering = Lowering::new(self.scene, &space);
        let value = lowering.load(Access { grid, component, time: from, offsets }).value;
        let access = lowering.access(Access { grid, component, time: to, offsets });
        let copy = space.clone();
        self.finish(lowering, copy, &[Output::Store { access, value }], Vec::new())
    }

    /// A rule for initial values at one level.
    pub(super) fn initial(&self, rule: usize, time: i32, layout: &Layout) -> Prepared {
        let initial = &self.bound.stencil().initial()[rule];
        let (grid, component) = (initial.grid, initial.component);
        let space = self.space(Some(grid), &layout.lower, &layout.lengths);
        let mut lowering = Lowering::new(self.scene, &space);
        let target = Access { grid, component, time, offsets: Offsets::default() };
        let kind = self.bound.stencil().grids()[grid].kind;
        let mut value = lowering.lower(initial.value);
        if let Some(condition) = initial.condition {
            let condition = lowering.lower(condition);
            let old = lowering.load(target);
            value = lowering.select(condition, value, old, kind);
        }
        let access = lowering.access(target);
        let outputs = stored(access, value);
        let copy = space.clone();
        Prepared { time, ..self.finish(lowering, copy, &outputs, Vec::new()) }
    }

    /// A filter at all points of the domain, or at one.
    pub(super) fn filter(&self, number: usize, point: Option<&[i64]>) -> Prepared {
        let filter = &self.bound.stencil().filter()[number];
        let ones = vec![1; self.bound.lower().len()];
        let space = match point {
            None => self.space(None, self.bound.lower(), self.bound.lengths()),
            Some(point) => self.space(None, point, &ones),
        };
        let mut lowering = Lowering::new(self.scene, &space);
        let (grid, component, time) = (filter.target.grid, filter.target.component, filter.target.time);
        let target = Access { grid, component, time, offsets: Offsets::default() };
        let mut value = lowering.lower(filter.value);
        if let Some(operator) = filter.operator {
            let old = lowering.load(target);
            let kind = self.bound.stencil().grids()[grid].kind;
            value.value = lowering.binary(operator, kind, old.value, value.value);
        }
        let access = lowering.access(target);
        let outputs = stored(access, value);
        let copy = space.clone();
        Prepared { is_streamed: false, ..self.finish(lowering, copy, &outputs, Vec::new()) }
    }

    /// The passes of all faces of a grid in their order.
    pub(super) fn faces(&self, grid: usize, time: i32, layout: &Layout, is_initial: bool) -> Vec<(Face, Prepared)> {
        let definition = &self.bound.stencil().grids()[grid];
        let mut passes = Vec::new();
        for component in 0..definition.component_count() {
            for (&axis, side) in definition.axes.iter().flat_map(|axis| [(axis, Side::Lower), (axis, Side::Upper)]) {
                let face = Face { grid, component, axis, side, time };
                passes.extend(self.face(face, layout, is_initial).into_iter().map(|pass| (face, pass)));
            }
        }
        passes
    }

    /// The passes of a face in their order: points nearest to it first, and then those that are kept.
    fn face(&self, face: Face, layout: &Layout, is_initial: bool) -> Vec<Prepared> {
        let axes = &self.bound.stencil().grids()[face.grid].axes;
        let (mut lower, mut lengths) = (layout.lower.clone(), layout.lengths.clone());
        for (position, &axis) in axes.iter().enumerate().filter(|(_, axis)| **axis > face.axis) {
            (lower[position], lengths[position]) = (self.bound.lower()[axis], self.bound.lengths()[axis]);
        }
        let position = axes.iter().position(|&axis| axis == face.axis).expect("a face of the grid's axes");
        let first = self.bound.lower()[face.axis];
        let last = first + self.bound.lengths()[face.axis] as i64 - 1;
        let beyond = match face.side {
            Side::Lower => first - lower[position],
            Side::Upper => lower[position] + lengths[position] as i64 - 1 - last,
        };
        let boundary = self.bound.stencil().boundary(face.grid, face.component, face.axis, face.side);
        let computed = match boundary {
            Boundary::Keep => 0,
            _ => self.bound.reach(face.grid, face.axis, face.side).min(beyond),
        };
        let mut passes = Vec::new();
        lengths[position] = 1;
        for distance in 1..=computed {
            lower[position] = if face.side == Side::Lower { first - distance } else { last + distance };
            passes.push(self.beyond(face, boundary, self.space(Some(face.grid), &lower, &lengths), distance));
        }
        if beyond > computed && !is_initial && self.bound.levels(face.grid) > 1 {
            lengths[position] = (beyond - computed) as usize;
            lower[position] = if face.side == Side::Lower { first - beyond } else { last + computed + 1 };
            let space = self.space(Some(face.grid), &lower, &lengths);
            let copy = self.copy((face.grid, face.component), space, face.time - 1, face.time);
            passes.push(Prepared { is_keep: true, is_streamed: false, ..copy });
        }
        passes
    }

    /// The points at a distance from a face.
    fn beyond(&self, face: Face, boundary: Boundary, space: Space, distance: i64) -> Prepared {
        let (first, count) = (self.bound.lower()[face.axis], self.bound.lengths()[face.axis] as i64);
        let kind = self.bound.stencil().grids()[face.grid].kind;
        let mut lowering = Lowering::new(self.scene, &space);
        lowering.shift = face.time;
        // The point k steps from the face into the domain.
        let read = |lowering: &mut Lowering<'_>, k: i64| {
            let offset = if face.side == Side::Lower { distance + k } else { -(distance + k) };
            lowering.load(at(face, offset))
        };
        let value_of = |lowering: &mut Lowering<'_>, value: ExprId| lowering.lower(value);
        let value = match boundary {
            Boundary::Keep | Boundary::Clamp => read(&mut lowering, 0),
            Boundary::Periodic => {
                let cell = space.lower[face.axis];
                lowering.load(at(face, first + (cell - first).rem_euclid(count) - cell))
            }
            Boundary::Reflect => read(&mut lowering, distance),
            Boundary::Symmetric => read(&mut lowering, distance - 1),
            Boundary::Antireflect => {
                let (edge, mirrored) = (read(&mut lowering, 0), read(&mut lowering, distance));
                let twice = lowering.arithmetic(Arithmetic::Add, edge.value, edge.value);
                let value = lowering.arithmetic(Arithmetic::Subtract, twice, mirrored.value);
                Known { value, valid: None }
            }
            Boundary::Value(value) => value_of(&mut lowering, value),
            Boundary::Neumann(value) => {
                let (mirrored, derivative) = (read(&mut lowering, distance - 1), value_of(&mut lowering, value));
                let factor = lowering.number((2 * distance - 1) as f64, kind);
                let change = lowering.arithmetic(Arithmetic::Multiply, factor, derivative.value);
                let value = lowering.arithmetic(Arithmetic::Add, mirrored.value, change);
                Known { value, valid: derivative.valid }
            }
        };
        let access = lowering.access(at(face, 0));
        let outputs = stored(access, value);
        let copy = space.clone();
        let prepared = self.finish(lowering, copy, &outputs, Vec::new());
        Prepared { time: face.time, is_streamed: false, ..prepared }
    }
}

/// Of each level that a program reads in place, the access that comes to a row first; and the levels that it writes.
fn leading(program: &Program) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let level = |access: &Access| (access.grid, access.component, access.time);
    let order = |access: &Access| access.offsets.iter().rev().copied().collect::<Vec<_>>();
    for &number in &program.in_place {
        let access = &program.accesses[number];
        match found.iter_mut().find(|other| level(&program.accesses[**other]) == level(access)) {
            Some(other) if order(&program.accesses[*other]) < order(access) => *other = number,
            Some(_) => {}
            None => found.push(number),
        }
    }
    found
}

/// The point of a face's grid at an offset on its axis.
fn at(face: Face, offset: i64) -> Access {
    let mut offsets = Offsets::default();
    offsets[face.axis] = offset as i32;
    Access { grid: face.grid, component: face.component, time: face.time, offsets }
}

/// A value goes to memory, and is known.
fn stored(access: usize, value: Known) -> Vec<Output> {
    let mut outputs: Vec<Output> = value.valid.map(Output::Check).into_iter().collect();
    outputs.push(Output::Store { access, value: value.value });
    outputs
}
