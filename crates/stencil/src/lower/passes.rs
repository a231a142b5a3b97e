//! The kernels of passes over points.

use affinimath_array::lower::operations::V;
use affinimath_kernel::dynamic::BinaryOp;

use super::generator::{Generator, Point, Slice};
use super::nodes::Scope;
use super::{KernelArgument, Level, Pass};
use crate::analysis::values;
use crate::definition::{Binary, Boundary, ExprId, Offsets, Reduction, Side, Statement, Target, Type};
use crate::run::Colour;

/// Offsets of the point itself.
const CENTRE: Offsets = [0; crate::definition::MAX_AXES];

impl<'k> Generator<'_, 'k> {
    /// Emits the pass.
    pub(super) fn emit(&self) {
        match self.pass {
            Pass::Initial { rule } => self.initial(rule),
            Pass::Faces { grid, component, position, keeps } => self.faces(grid, component, position, keeps),
            Pass::CarryOver { grid, component } => self.carry_over(grid, component),
            Pass::Sweep { stage, colour, reduces } => self.sweep(stage, colour, reduces),
            Pass::Stream { stage, tile, is_local: false } => self.stream(stage, tile),
            Pass::Stream { stage, tile, is_local: true } => self.stream_local(stage, tile),
            Pass::Overlap { steps, tile } => self.overlap(steps, tile),
            Pass::Loops { stage, colour, number } => self.loops(stage, colour, number),
            Pass::Filter { filter } => self.filter(filter),
            Pass::Strips { result } => self.strips(result),
            Pass::Tree { result } => self.tree(result),
        }
    }

    /// The types of all values that expressions have, and of grids.
    fn kinds(&self, roots: impl IntoIterator<Item = ExprId>, other: Option<Type>) -> Vec<Type> {
        let graph = self.stencil().graph();
        graph.reachable(roots).into_iter().map(|each| graph.type_of(each)).chain(other).collect()
    }

    fn initial(&self, rule: usize) {
        let initial = &self.stencil().initial()[rule];
        let axes = &self.stencil().grids()[initial.grid].axes;
        let slice = Slice { grid: initial.grid, component: initial.component, level: Level::Own };
        self.for_each_point(axes, 1, None, &|point| {
            let set = || {
                let value = self.evaluate(initial.value, point, &Scope::default());
                self.demand(value.known);
                let element = self.element_of(slice, point, &CENTRE);
                self.store(slice, element, value.value, 1);
            };
            match initial.condition {
                None => set(),
                Some(condition) => {
                    let holds = self.evaluate(condition, point, &Scope::default());
                    self.demand(holds.known);
                    self.e.when(holds.value, set);
                }
            }
        });
    }

    fn carry_over(&self, grid: usize, component: usize) {
        let definition = &self.stencil().grids()[grid];
        let lanes = self.lanes([definition.kind].into_iter());
        let [own, before] = [Level::Own, Level::Before].map(|level| Slice { grid, component, level });
        self.for_each_point(&definition.axes, lanes, None, &|point| {
            let value = self.load(before, self.element_of(before, point, &CENTRE), point.lanes);
            self.store(own, self.element_of(own, point, &CENTRE), value, point.lanes);
        });
    }

    fn sweep(&self, stage: usize, colour: Option<Colour>, reduces: bool) {
        let statements = &self.stencil().stages()[stage].statements;
        let axes: Vec<usize> = (0..self.stencil().dimension()).collect();
        let kinds = self.kinds(values(statements), None);
        let lanes = if colour.is_some() { 1 } else { self.lanes(kinds.into_iter()) };
        self.for_each_point(&axes, lanes, colour, &|point| {
            self.statements(statements, point, reduces);
        });
    }

    /// The statements of a stage. Stores follow them: what a statement reads at a level that the stage assigns is a
    /// value that it has assigned at the point.
    pub(super) fn statements(&self, statements: &[Statement], point: &Point<'k>, reduces: bool) {
        let (targets, scope) = self.values_of(statements, point, Scope::default(), reduces);
        self.store_values(&targets, &scope, point);
    }

    /// The values of statements at a point, and what they assign. Values of reductions are stored where results are
    /// wanted.
    pub(super) fn values_of(
        &self,
        statements: &[Statement],
        point: &Point<'k>,
        mut scope: Scope<'k>,
        reduces: bool,
    ) -> (Vec<Target>, Scope<'k>) {
        let mut targets = Vec::new();
        for statement in statements {
            match statement {
                Statement::Let { temporary, value } => {
                    let value = self.evaluate(*value, point, &scope);
                    scope.temporaries.insert(*temporary, value);
                }
                Statement::Assign { target, value } => {
                    let value = self.evaluate(*value, point, &scope);
                    self.demand(value.known);
                    scope.assigned.insert((target.grid, target.component), value.value);
                    if !targets.contains(target) {
                        targets.push(*target);
                    }
                }
                Statement::Reduce { result, reduction, value } => {
                    let value = self.evaluate(*value, point, &scope);
                    self.demand(value.known);
                    if reduces {
                        self.collect(*result, *reduction, value.value, point);
                    }
                }
            }
        }
        (targets, scope)
    }

    /// Stores what statements have assigned at a point.
    pub(super) fn store_values(&self, targets: &[Target], scope: &Scope<'k>, point: &Point<'k>) {
        for target in targets {
            let slice = Slice::at(target.grid, target.component, target.time);
            let value = scope.assigned[&(target.grid, target.component)];
            self.store(slice, self.element_of(slice, point, &CENTRE), value, point.lanes);
        }
    }

    /// Stores a point's value of a reduction at the point's number.
    fn collect(&self, result: usize, reduction: Reduction, value: V<'k>, point: &Point<'k>) {
        let kind = self.stencil().results()[result].kind;
        let value = match reduction {
            Reduction::Norm2 => self.operator(Binary::Multiply, kind, value, value),
            Reduction::Count => self.counted(value, kind),
            _ => value,
        };
        let mut number = self.index(0);
        for axis in (0..self.stencil().dimension()).rev() {
            let local = point.local[axis].expect("an axis of the domain");
            number = self.add(self.multiply(number, self.value(KernelArgument::Extent(axis))), local);
        }
        let value = self.e.widen(value, point.lanes);
        self.e.store(self.buffer(KernelArgument::Values(result)), number, value, false);
    }

    fn filter(&self, number: usize) {
        let filter = &self.stencil().filter()[number];
        let target = filter.target;
        let kind = self.stencil().grids()[target.grid].kind;
        let axes: Vec<usize> = (0..self.stencil().dimension()).collect();
        let kinds = self.kinds([filter.value], Some(kind));
        let lanes = if filter.point.is_some() { 1 } else { self.lanes(kinds.into_iter()) };
        let slice = Slice::at(target.grid, target.component, target.time);
        self.for_each_point(&axes, lanes, None, &|point| {
            let value = self.evaluate(filter.value, point, &Scope::default());
            self.demand(value.known);
            let element = self.element_of(slice, point, &CENTRE);
            let value = match filter.operator {
                None => value.value,
                Some(operator) => {
                    let old = self.load(slice, element, point.lanes);
                    self.operator(operator, kind, old, value.value)
                }
            };
            self.store(slice, element, value, point.lanes);
        });
    }

    /// Both faces of a component on an axis. A work-item has all points beyond the faces at one point of the other
    /// axes.
    fn faces(&self, grid: usize, component: usize, position: usize, keeps: bool) {
        let definition = &self.stencil().grids()[grid];
        let axis = definition.axes[position];
        let others: Vec<usize> = definition.axes.iter().copied().filter(|&other| other != axis).collect();
        let sides = [Side::Lower, Side::Upper];
        let boundaries = sides.map(|side| self.stencil().boundary(grid, component, axis, side));
        let has_value = boundaries.iter().any(|each| matches!(each, Boundary::Value(_) | Boundary::Neumann(_)));
        let lanes = if has_value { 1 } else { self.lanes([definition.kind].into_iter()) };
        self.for_each_point(&others, lanes, None, &|point| {
            for (side, boundary) in sides.into_iter().zip(boundaries) {
                let face = Face { grid, component, axis, side };
                let one = self.index(1);
                let (reach, beyond) = match side {
                    Side::Lower => (KernelArgument::Reach(0), KernelArgument::BeforeLower),
                    Side::Upper => (KernelArgument::Reach(1), KernelArgument::BehindUpper),
                };
                let mut first = one;
                if boundary != Boundary::Keep {
                    let reach = self.value(reach);
                    first = self.add(reach, one);
                    self.e.for_each("distance", one, first, one, |distance| {
                        self.beyond(&face, boundary, point, distance);
                    });
                }
                if keeps {
                    let end = self.add(self.value(beyond.clone()), one);
                    self.e.for_each("distance", first, end, one, |distance| self.keep(&face, point, distance));
                }
            }
        });
    }

    fn face_slice(&self, face: &Face, level: Level) -> Slice {
        Slice { grid: face.grid, component: face.component, level }
    }

    /// The point at a distance beyond the face; a negative one of -1 - k is k points within.
    fn outwards(&self, face: &Face, point: &Point<'k>, distance: V<'k>) -> Point<'k> {
        let mut point = *point;
        point.local[face.axis] = Some(match face.side {
            Side::Lower => self.subtract(self.index(0), distance),
            Side::Upper => {
                self.add(self.subtract(self.value(KernelArgument::Extent(face.axis)), self.index(1)), distance)
            }
        });
        point
    }

    /// The value k points from the face into the domain.
    fn inside(&self, face: &Face, point: &Point<'k>, k: V<'k>) -> V<'k> {
        let point = self.outwards(face, point, self.subtract(self.index(0), k));
        let slice = self.face_slice(face, Level::Own);
        self.load(slice, self.element_of(slice, &point, &CENTRE), point.lanes)
    }

    /// The value of the level before.
    fn keep(&self, face: &Face, point: &Point<'k>, distance: V<'k>) {
        let point = self.outwards(face, point, distance);
        let [own, before] = [Level::Own, Level::Before].map(|level| self.face_slice(face, level));
        let value = self.load(before, self.element_of(before, &point, &CENTRE), point.lanes);
        self.store(own, self.element_of(own, &point, &CENTRE), value, point.lanes);
    }

    /// Sets the point at a distance beyond the face.
    fn beyond(&self, face: &Face, boundary: Boundary, point: &Point<'k>, distance: V<'k>) {
        let kind = self.stencil().grids()[face.grid].kind;
        let one = self.index(1);
        let outside = self.outwards(face, point, distance);
        let expression = |value: ExprId| {
            let value = self.evaluate(value, &outside, &Scope::default());
            self.demand(value.known);
            value.value
        };
        let value = match boundary {
            Boundary::Keep => unreachable!("values that are kept are copied"),
            Boundary::Periodic => {
                // k points beyond the face is (k - 1) modulo the domain from the other face.
                let extent = self.value(KernelArgument::Extent(face.axis));
                let turn = self.e.binary(BinaryOp::Rem, self.subtract(distance, one), extent);
                self.inside(face, point, self.subtract(self.subtract(extent, one), turn))
            }
            Boundary::Reflect => self.inside(face, point, distance),
            Boundary::Symmetric => self.inside(face, point, self.subtract(distance, one)),
            Boundary::Clamp => self.inside(face, point, self.index(0)),
            Boundary::Antireflect => {
                let edge = self.inside(face, point, self.index(0));
                let twice = self.sum(kind, edge, edge);
                self.operator(Binary::Subtract, kind, twice, self.inside(face, point, distance))
            }
            Boundary::Value(value) => expression(value),
            Boundary::Neumann(derivative) => {
                let mirrored = self.inside(face, point, self.subtract(distance, one));
                let factor = self.neumann_factor(kind, distance);
                let outwards = self.operator(Binary::Multiply, kind, factor, expression(derivative));
                self.sum(kind, mirrored, outwards)
            }
        };
        let slice = self.face_slice(face, Level::Own);
        self.store(slice, self.element_of(slice, &outside, &CENTRE), value, outside.lanes);
    }
}

/// A face of a component.
#[derive(Clone, Copy)]
struct Face {
    grid: usize,
    component: usize,
    axis: usize,
    side: Side,
}
