//! A kernel under construction: its arguments, points, and accesses to grids.

use std::cell::RefCell;

use affinimath_array::lower::operations::{Buffer, Emit, V, scalar_type};
use affinimath_kernel::dynamic::BinaryOp;
use affinimath_kernel::{Access, ScalarType};

use super::{Abilities, Form, KernelArgument, Level, Pass, Variant, element};
use crate::bound::Bound;
use crate::definition::{MAX_AXES, Offsets, Statement, Stencil, Type};
use crate::schedule::Tree;

/// Bytes of the vectors of rows.
const VECTOR_BYTES: usize = 64;

/// A point, or several neighbours along x.
#[derive(Clone, Copy)]
pub(super) struct Point<'k> {
    /// Coordinates relative to the domain's first ones, of the type of indices; none on axes that a pass has not.
    pub(super) local: [Option<V<'k>>; MAX_AXES],
    /// The number of neighbours.
    pub(super) lanes: usize,
}

/// A level of a component.
#[derive(Clone, Copy)]
pub(super) struct Slice {
    pub(super) grid: usize,
    pub(super) component: usize,
    pub(super) level: Level,
}

impl Slice {
    /// The slice of a tap, or of an assignment.
    pub(super) const fn at(grid: usize, component: usize, time: i32) -> Self {
        Slice { grid, component, level: Level::At(time) }
    }

    const fn memory(self) -> KernelArgument {
        KernelArgument::Slice { grid: self.grid, component: self.component, level: self.level }
    }

    pub(super) const fn origin(self) -> KernelArgument {
        KernelArgument::Origin { grid: self.grid, component: self.component, level: self.level }
    }
}

/// A kernel's argument that was declared.
#[derive(Clone, Copy)]
enum Declared<'k> {
    Value(V<'k>),
    Buffer(Buffer<'k>),
}

/// A kernel under construction.
pub(super) struct Generator<'g, 'k> {
    pub(super) e: Emit<'g, 'k>,
    pub(super) bound: &'g Bound,
    pub(super) pass: Pass,
    pub(super) variant: Variant,
    pub(super) device: Abilities,
    /// The loops of the plan's strategy.
    pub(super) schedule: Option<&'g Tree>,
    declared: RefCell<Vec<(KernelArgument, Declared<'k>)>>,
}

impl<'g, 'k> Generator<'g, 'k> {
    pub(super) const fn new(
        e: Emit<'g, 'k>,
        bound: &'g Bound,
        pass: Pass,
        variant: Variant,
        (device, schedule): (Abilities, Option<&'g Tree>),
    ) -> Self {
        Generator { e, bound, pass, variant, device, schedule, declared: RefCell::new(Vec::new()) }
    }

    pub(super) fn stencil(&self) -> &'g Stencil {
        self.bound.stencil()
    }

    /// The arguments in the order of the kernel's parameters.
    pub(super) fn arguments(&self) -> Vec<KernelArgument> {
        self.declared.borrow().iter().map(|(argument, _)| argument.clone()).collect()
    }

    /// The type of indices.
    pub(super) const fn index_type(&self) -> ScalarType {
        if self.variant.is_wide { ScalarType::I64 } else { ScalarType::I32 }
    }

    /// A whole number of the type of indices.
    pub(super) fn index(&self, number: i64) -> V<'k> {
        self.e.whole(self.index_type(), number, 1)
    }

    fn find(&self, argument: &KernelArgument) -> Option<Declared<'k>> {
        let declared = self.declared.borrow();
        declared.iter().find(|(known, _)| known == argument).map(|(_, declared)| *declared)
    }

    /// A scalar argument.
    pub(super) fn value(&self, argument: KernelArgument) -> V<'k> {
        if let Some(Declared::Value(value)) = self.find(&argument) {
            return value;
        }
        let (name, scalar) = self.scalar_of(&argument);
        let value = self.e.argument(&name, scalar);
        self.declared.borrow_mut().push((argument, Declared::Value(value)));
        value
    }

    /// The name and the type of a scalar argument.
    fn scalar_of(&self, argument: &KernelArgument) -> (String, ScalarType) {
        let index = self.index_type();
        let grid = |grid: usize| self.stencil().grids()[grid].name.as_str();
        let parameter = |number: usize| self.stencil().parameters()[number].name.as_str();
        match argument {
            KernelArgument::Code => ("code".to_owned(), ScalarType::I32),
            KernelArgument::Origin { grid: number, component, level } => {
                (format!("{}_{component}_{}_origin", grid(*number), level_name(*level)), index)
            }
            KernelArgument::Stride(number, position) => (format!("{}_stride_{position}", grid(*number)), index),
            KernelArgument::First(number, position) => (format!("{}_first_{position}", grid(*number)), ScalarType::I64),
            KernelArgument::Last(number, position) => (format!("{}_last_{position}", grid(*number)), ScalarType::I64),
            KernelArgument::Start(axis) => (format!("start_{axis}"), index),
            KernelArgument::Length(axis) => (format!("length_{axis}"), index),
            KernelArgument::Chunk => ("chunk".to_owned(), index),
            KernelArgument::BeforeLower => ("before_lower".to_owned(), index),
            KernelArgument::BehindUpper => ("behind_upper".to_owned(), index),
            KernelArgument::Reach(side) => (format!("reach_{side}"), index),
            KernelArgument::Lower(axis) => (format!("lower_{axis}"), ScalarType::I64),
            KernelArgument::Extent(axis) => (format!("extent_{axis}"), index),
            KernelArgument::Size(name) => (format!("size_{name}"), ScalarType::I64),
            KernelArgument::Time => ("time".to_owned(), ScalarType::I64),
            KernelArgument::Scalar(number) => {
                let kind = self.stencil().parameters()[*number].kind;
                (parameter(*number).to_owned(), scalar_type(element(kind)))
            }
            KernelArgument::RangeFirst(number, range) => {
                (format!("{}_first_{range}", parameter(*number)), ScalarType::I64)
            }
            KernelArgument::RangeLength(number, range) => {
                (format!("{}_length_{range}", parameter(*number)), ScalarType::I64)
            }
            KernelArgument::Strips => ("strips".to_owned(), index),
            KernelArgument::Distance => ("distance".to_owned(), index),
            KernelArgument::Loop(variable) => (format!("loop_{variable}"), index),
            buffer => unreachable!("{buffer:?} is a buffer"),
        }
    }

    /// A buffer argument.
    pub(super) fn buffer(&self, argument: KernelArgument) -> Buffer<'k> {
        if let Some(Declared::Buffer(buffer)) = self.find(&argument) {
            return buffer;
        }
        let result = |number: usize| {
            let result = &self.stencil().results()[number];
            (result.name.as_str(), result.kind)
        };
        let (name, kind, access) = match &argument {
            KernelArgument::Slice { grid, component, level } => {
                let definition = &self.stencil().grids()[*grid];
                let name = format!("{}_{component}_{}", definition.name, level_name(*level));
                let access = if self.is_written(*grid, *component, *level) { Access::ReadWrite } else { Access::Read };
                (name, definition.kind, access)
            }
            KernelArgument::Elements(number) => {
                let parameter = &self.stencil().parameters()[*number];
                (parameter.name.clone(), parameter.kind, Access::Read)
            }
            KernelArgument::Values(number) => {
                let access = if matches!(self.pass, Pass::Strips { .. }) { Access::Read } else { Access::Write };
                (format!("{}_values", result(*number).0), result(*number).1, access)
            }
            KernelArgument::Partials(number) => {
                let access = if matches!(self.pass, Pass::Strips { .. }) { Access::Write } else { Access::ReadWrite };
                (format!("{}_partials", result(*number).0), result(*number).1, access)
            }
            KernelArgument::Flag => ("flag".to_owned(), Type::I32, Access::ReadWrite),
            value => unreachable!("{value:?} is no buffer"),
        };
        let buffer = self.e.buffer(&name, scalar_type(element(kind)), access).expect("numbers are elements of buffers");
        self.declared.borrow_mut().push((argument, Declared::Buffer(buffer)));
        buffer
    }

    /// The pass stores to a slice.
    fn is_written(&self, grid: usize, component: usize, level: Level) -> bool {
        match self.pass {
            Pass::Initial { .. } | Pass::Faces { .. } | Pass::CarryOver { .. } => level == Level::Own,
            Pass::Overlap { .. } => matches!(level, Level::After(_)),
            Pass::Sweep { stage, .. } | Pass::Stream { stage, .. } | Pass::Loops { stage, .. } => {
                self.stencil().stages()[stage].statements.iter().any(|statement| {
                    matches!(statement, Statement::Assign { target, .. }
                    if (target.grid, target.component, Level::At(target.time)) == (grid, component, level))
                })
            }
            Pass::Filter { filter } => {
                let target = self.stencil().filter()[filter].target;
                (target.grid, target.component, Level::At(target.time)) == (grid, component, level)
            }
            Pass::Strips { .. } | Pass::Tree { .. } => false,
        }
    }

    /// The lanes of vectors along x for values of some types.
    pub(super) fn lanes(&self, kinds: impl Iterator<Item = Type>) -> usize {
        if self.device.form == Form::Points || !self.variant.is_unit {
            return 1;
        }
        let widest = kinds.map(Type::bytes).max().unwrap_or(8);
        VECTOR_BYTES / widest.max(4)
    }

    pub(super) fn add(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Add, a, b)
    }

    pub(super) fn subtract(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Sub, a, b)
    }

    pub(super) fn multiply(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Mul, a, b)
    }

    pub(super) fn both(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::And, a, b)
    }

    pub(super) fn less(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Lt, a, b)
    }

    pub(super) fn not_above(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Le, a, b)
    }

    /// The coordinate of a point on an axis: 0 on an axis that the pass has not.
    pub(super) fn coordinate(&self, point: &Point<'k>, axis: usize) -> V<'k> {
        let Some(local) = point.local[axis] else { return self.e.whole(ScalarType::I64, 0, 1) };
        let first = self.add(self.e.convert(local, ScalarType::I64), self.value(KernelArgument::Lower(axis)));
        if axis > 0 || point.lanes == 1 {
            return first;
        }
        let steps: Vec<V<'k>> = (0..point.lanes).map(|lane| self.e.whole(ScalarType::I64, lane as i64, 1)).collect();
        self.add(first, self.e.gather(&steps))
    }

    /// The stride of a grid on one of its axes; none where it is 1.
    pub(super) fn stride(&self, grid: usize, position: usize) -> Option<V<'k>> {
        let is_unit = self.variant.is_unit && self.stencil().grids()[grid].axes[position] == 0;
        (!is_unit).then(|| self.value(KernelArgument::Stride(grid, position)))
    }

    /// The element of a point in a slice, at offsets. The grid's axes are those of the pass.
    pub(super) fn element_of(&self, slice: Slice, point: &Point<'k>, offsets: &Offsets) -> V<'k> {
        let axes = &self.stencil().grids()[slice.grid].axes;
        let mut element = None;
        // What slices of a grid have in common comes first.
        let steps = |local: bool| {
            let each = axes.iter().enumerate().rev().filter(move |(_, axis)| local || offsets[**axis] != 0);
            each.map(move |(position, &axis)| {
                let own = if local {
                    point.local[axis].expect("an axis of the pass")
                } else {
                    self.index(i64::from(offsets[axis]))
                };
                self.stride(slice.grid, position).map_or(own, |stride| self.multiply(own, stride))
            })
        };
        for step in steps(true) {
            element = Some(element.map_or(step, |so_far| self.add(so_far, step)));
        }
        let mut element = self.add(element.expect("a grid has an axis"), self.value(slice.origin()));
        for step in steps(false) {
            element = self.add(element, step);
        }
        element
    }

    /// Loads a point's value, or those of its neighbours along x.
    pub(super) fn load(&self, slice: Slice, element: V<'k>, lanes: usize) -> V<'k> {
        let buffer = self.buffer(slice.memory());
        let has_x = self.stencil().grids()[slice.grid].axes[0] == 0;
        if lanes == 1 || !has_x {
            return self.e.load(buffer, element, 1, false);
        }
        self.e.load(buffer, element, lanes, false)
    }

    /// Loads the values of neighbours along x, from a multiple of their number on.
    pub(super) fn load_aligned(&self, slice: Slice, element: V<'k>, lanes: usize) -> V<'k> {
        self.e.load(self.buffer(slice.memory()), element, lanes, lanes > 1)
    }

    /// Stores the values of neighbours along x, from a multiple of their number on.
    pub(super) fn store_aligned(&self, slice: Slice, element: V<'k>, values: V<'k>) {
        self.e.store(self.buffer(slice.memory()), element, values, self.e.lanes(values) > 1);
    }

    /// Stores a point's value, or those of its neighbours along x.
    pub(super) fn store(&self, slice: Slice, element: V<'k>, value: V<'k>, lanes: usize) {
        self.e.store(self.buffer(slice.memory()), element, self.e.widen(value, lanes), false);
    }
}

fn level_name(level: Level) -> String {
    match level {
        Level::At(0) => "t".to_owned(),
        Level::At(time) if time > 0 => format!("t_plus_{time}"),
        Level::At(time) => format!("t_minus_{}", -time),
        Level::Own => "own".to_owned(),
        Level::Before => "before".to_owned(),
        Level::After(0) => "after".to_owned(),
        Level::After(before) => format!("after_minus_{before}"),
    }
}
