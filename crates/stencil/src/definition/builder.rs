//! Stencils built by programs.

mod values;

use std::cell::{Cell, OnceCell, RefCell};

pub use values::Array;

use super::*;
use crate::error::{Error, Result};

/// The most taps that a program makes.
const MAX_TAPS: usize = 10_000;

/// A stencil of `D` axes under construction. The first error is kept, and [`Stencil::build`] returns it.
///
/// Values of one builder do not fit into another:
///
/// ```compile_fail,E0521
/// use affinimath_stencil::definition::{Stencil, Type};
///
/// let outer = Stencil::build::<1>("outer", Type::F64, |s| {
///     let (u, a) = (s.grid("u"), s.parameter("a"));
///     let inner = Stencil::build::<1>("inner", Type::F64, |other| other.set(other.grid("v"), a));
///     s.set(u, a);
/// });
/// ```
pub struct Builder<'s, const D: usize> {
    shared: &'s Shared,
    taps: &'s Taps<'s, D>,
    kind: Type,
}

/// The state that handles refer to.
struct Shared {
    draft: RefCell<Draft>,
    stencil: RefCell<Stencil>,
    error: Cell<Option<String>>,
}

/// Taps at fixed addresses, as indexing gives references: a list that only grows.
struct Taps<'s, const D: usize> {
    first: OnceCell<Box<TapNode<'s, D>>>,
}

struct TapNode<'s, const D: usize> {
    tap: Tap<'s>,
    next: OnceCell<Box<TapNode<'s, D>>>,
}

/// A grid of a builder, at a level and a component: `u[[1, 0, 0]]` is an access.
#[derive(Clone, Copy)]
pub struct Grid<'s, const D: usize> {
    shared: &'s Shared,
    taps: &'s Taps<'s, D>,
    grid: usize,
    component: usize,
    time: i32,
}

/// An access to a grid of a builder.
#[derive(Clone, Copy)]
pub struct Tap<'s> {
    shared: &'s Shared,
    tap: super::Tap,
}

/// An expression of a builder.
#[derive(Clone, Copy)]
pub struct Value<'s> {
    shared: &'s Shared,
    id: ExprId,
}

impl Shared {
    /// The first error is kept; constants stand for what could not be built.
    fn take(&self, built: std::result::Result<ExprId, String>) -> ExprId {
        built.unwrap_or_else(|reason| {
            self.refuse(reason);
            self.draft.borrow_mut().literal(0.0).unwrap_or(ExprId(0))
        })
    }

    fn refuse(&self, reason: String) {
        let first = self.error.take();
        self.error.set(first.or(Some(reason)));
    }

    fn value(&self, build: impl FnOnce(&mut Draft) -> std::result::Result<ExprId, String>) -> Value<'_> {
        let built = build(&mut self.draft.borrow_mut());
        Value { shared: self, id: self.take(built) }
    }
}

/// An operand of expressions: a value, a tap, or a number.
pub trait Operand<'s>: Copy {
    #[doc(hidden)]
    fn id_in(self, builder: Handle<'s>) -> ExprId;
}

/// The builder that operands become expressions of.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Handle<'s>(&'s Shared);

impl Stencil {
    /// Builds a stencil of `D` axes whose grids have elements of a type by default. The domain is `1 .. nx`, `1 .. ny`
    /// and so on until [`Builder::domain`] sets another.
    ///
    /// ```
    /// use affinimath_stencil::definition::{Boundary, Stencil, Type};
    ///
    /// let heat = Stencil::build::<3>("heat", Type::F64, |s| {
    ///     let (u, k, dt) = (s.grid("u"), s.coefficient("k"), s.parameter("dt"));
    ///     let neighbours = u[[1, 0, 0]] + u[[-1, 0, 0]] + u[[0, 1, 0]] + u[[0, -1, 0]] + u[[0, 0, 1]] + u[[0, 0, -1]];
    ///     let lap = neighbours - 6.0 * u[[0, 0, 0]];
    ///     s.set(u, u[[0, 0, 0]] + dt * k[[0, 0, 0]] * lap);
    ///     s.boundary_of_axis(u, 0, Boundary::Periodic);
    /// })?;
    /// assert_eq!(heat.grids()[0].name, "u");
    /// # Ok::<(), affinimath_stencil::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first rule that is broken: of types, of names, of levels in time, and the others that texts obey.
    pub fn build<const D: usize>(
        name: &str,
        kind: Type,
        define: impl for<'s> FnOnce(&Builder<'s, D>),
    ) -> Result<Stencil> {
        let domain = ["nx", "ny", "nz", "nu", "nv", "nw"].iter().take(D).map(|&size| Range::new(1, size)).collect();
        let stencil = Stencil { name: name.to_owned(), domain, stages: vec![Stage::default()], ..Stencil::default() };
        let shared = Shared { draft: RefCell::default(), stencil: RefCell::new(stencil), error: Cell::new(None) };
        {
            let taps = Taps::<D> { first: OnceCell::new() };
            define(&Builder { shared: &shared, taps: &taps, kind });
        }
        if D == 0 || D > MAX_AXES {
            return Err(Error::new(format!("a stencil has 1 to {MAX_AXES} axes, not {D}")));
        }
        if let Some(reason) = shared.error.into_inner() {
            return Err(Error::new(reason));
        }
        let mut stencil = shared.stencil.into_inner();
        stencil.stages.retain(|stage| !stage.statements.is_empty());
        stencil.finish(shared.draft.into_inner()).map_err(|fault| Error::new(fault.reason))
    }
}

impl<'s, const D: usize> Taps<'s, D> {
    /// The tap, at an address that stays.
    fn keep(&self, tap: Tap<'s>) -> &Tap<'s> {
        let mut slot = &self.first;
        let mut count = 0;
        while let Some(node) = slot.get() {
            count += 1;
            if node.tap.tap == tap.tap {
                return &node.tap;
            }
            // The list is dropped by recursion.
            if count == MAX_TAPS {
                tap.shared.refuse(format!("the stencil has more than {MAX_TAPS} different taps"));
                return &node.tap;
            }
            slot = &node.next;
        }
        &slot.get_or_init(|| Box::new(TapNode { tap, next: OnceCell::new() })).tap
    }
}

impl<'s, const D: usize> Builder<'s, D> {
    fn change<R>(&self, change: impl FnOnce(&mut Stencil) -> R) -> R {
        change(&mut self.shared.stencil.borrow_mut())
    }

    fn id_in(&self, operand: impl Operand<'s>) -> ExprId {
        operand.id_in(Handle(self.shared))
    }

    /// An operand as a value of a type.
    fn assigned(&self, operand: impl Operand<'s>, kind: Type) -> ExprId {
        let id = self.id_in(operand);
        let built = self.shared.draft.borrow_mut().assigned(id, kind);
        self.shared.take(built)
    }

    fn kind_of(&self, grid: usize) -> Type {
        self.change(|stencil| stencil.grids[grid].kind)
    }

    /// Sets the coordinates that a step computes, by axis.
    pub fn domain(&self, domain: [Range; D]) {
        self.change(|stencil| stencil.domain = domain.to_vec());
    }

    /// Fixes the number of steps of a run.
    pub fn steps(&self, steps: impl Into<Size>) {
        self.change(|stencil| stencil.steps = Some(steps.into()));
    }

    /// Permits another order of evaluation than written.
    pub fn reassociate(&self) {
        self.change(|stencil| stencil.options.reassociate = true);
    }

    /// A grid of the default type on all axes that changes in time.
    pub fn grid(&self, name: &str) -> Grid<'s, D> {
        self.declare(self.plain_grid(name, false))
    }

    /// A grid of the default type on all axes that is constant in time.
    pub fn coefficient(&self, name: &str) -> Grid<'s, D> {
        self.declare(self.plain_grid(name, true))
    }

    fn plain_grid(&self, name: &str, constant: bool) -> super::Grid {
        super::Grid {
            name: name.to_owned(),
            kind: self.kind,
            constant,
            axes: (0..D).collect(),
            memory: None,
            components: Vec::new(),
            shift: Vec::new(),
        }
    }

    /// Any grid: of another type, of fewer axes, of several components, or with its own memory box.
    pub fn declare(&self, grid: super::Grid) -> Grid<'s, D> {
        let grid = self.change(|stencil| {
            stencil.grids.push(grid);
            stencil.grids.len() - 1
        });
        Grid { shared: self.shared, taps: self.taps, grid, component: 0, time: 0 }
    }

    /// A scalar parameter of the default type.
    pub fn parameter(&self, name: &str) -> Value<'s> {
        self.array(Parameter { name: name.to_owned(), kind: self.kind, ranges: Vec::new(), values: None }).at(&[])
    }

    /// Any parameter: a scalar of another type, an array, or a table.
    pub fn array(&self, parameter: Parameter) -> Array<'s> {
        let kind = parameter.kind;
        let parameter = self.change(|stencil| {
            stencil.parameters.push(parameter);
            stencil.parameters.len() - 1
        });
        Array::new(self.shared, parameter, kind)
    }

    /// A number.
    pub fn constant(&self, value: f64) -> Value<'s> {
        self.shared.value(|draft| draft.literal(value))
    }

    /// The coordinate of the point on an axis, of type `long`.
    pub fn coordinate(&self, axis: usize) -> Value<'s> {
        if axis >= D {
            self.shared.refuse(format!("there is no axis {axis} of {D}"));
        }
        self.shared.value(|draft| draft.leaf(Node::Coordinate(axis), Type::I64))
    }

    /// The time, of type `long`.
    pub fn time(&self) -> Value<'s> {
        self.shared.value(|draft| draft.leaf(Node::Time, Type::I64))
    }

    /// The value of a size symbol, of type `long`. The symbol stands in the domain, a memory box, or a range as well.
    pub fn size(&self, name: &str) -> Value<'s> {
        self.shared.value(|draft| draft.leaf(Node::Size(name.to_owned()), Type::I64))
    }

    /// Begins a stage; statements before the first one are a stage without a name.
    pub fn stage(&self, name: &str, sweep: Sweep) {
        let stage = Stage { name: Some(name.to_owned()), sweep, statements: Vec::new() };
        self.change(|stencil| stencil.stages.push(stage));
    }

    fn state(&self, statement: Statement) {
        self.change(|stencil| {
            let stage = stencil.stages.last_mut().expect("there is one from the start");
            stage.statements.push(statement);
        });
    }

    /// A temporary of a value's type: it is computed once for each point.
    pub fn temporary(&self, name: &str, value: impl Operand<'s>) -> Value<'s> {
        let value = self.id_in(value);
        let kind = self.shared.draft.borrow().kind(value).unwrap_or(self.kind);
        let value = self.assigned(Value { shared: self.shared, id: value }, kind);
        let temporary = self.change(|stencil| {
            stencil.temporaries.push(Temporary { name: name.to_owned(), kind });
            stencil.temporaries.len() - 1
        });
        self.state(Statement::Let { temporary, value });
        self.shared.value(|draft| draft.leaf(Node::Temporary(temporary), kind))
    }

    /// The grid at t+1 gets a value.
    pub fn set(&self, grid: Grid<'s, D>, value: impl Operand<'s>) {
        self.set_at(grid, 1, value);
    }

    /// The grid at a level, t+1 (1) or t (0), gets a value.
    pub fn set_at(&self, grid: Grid<'s, D>, time: i32, value: impl Operand<'s>) {
        let value = self.assigned(value, self.kind_of(grid.grid));
        self.state(Statement::Assign { target: Target { grid: grid.grid, component: grid.component, time }, value });
    }

    /// A result of the default type.
    pub fn result(&self, name: &str, reduction: Reduction, value: impl Operand<'s>) -> Value<'s> {
        let value = self.assigned(value, if reduction.takes_condition() { Type::Bool } else { self.kind });
        let result = self.change(|stencil| {
            stencil.results.push(ResultScalar { name: name.to_owned(), kind: self.kind });
            stencil.results.len() - 1
        });
        self.state(Statement::Reduce { result, reduction, value });
        self.shared.value(|draft| draft.leaf(Node::Result(result), self.kind))
    }

    /// The boundary condition of a face. Its value is that of [`Value::expression`].
    pub fn boundary(&self, grid: Grid<'s, D>, axis: usize, side: Side, boundary: Boundary) {
        let kind = self.kind_of(grid.grid);
        let assigned = |id| self.assigned(Value { shared: self.shared, id }, kind);
        let boundary = match boundary {
            Boundary::Value(value) => Boundary::Value(assigned(value)),
            Boundary::Neumann(value) => Boundary::Neumann(assigned(value)),
            other => other,
        };
        let rule = BoundaryRule { grid: grid.grid, component: grid.component, axis, side, boundary };
        self.change(|stencil| stencil.set_boundary(rule));
    }

    /// The boundary condition of both faces of an axis.
    pub fn boundary_of_axis(&self, grid: Grid<'s, D>, axis: usize, boundary: Boundary) {
        self.boundary(grid, axis, Side::Lower, boundary);
        self.boundary(grid, axis, Side::Upper, boundary);
    }

    /// Values before the first step, at the points where a condition holds, or at all.
    pub fn initial(&self, grid: Grid<'s, D>, condition: Option<Value<'s>>, value: impl Operand<'s>) {
        let condition = condition.map(|condition| self.assigned(condition, Type::Bool));
        let value = self.assigned(value, self.kind_of(grid.grid));
        let initial = Initial { grid: grid.grid, component: grid.component, time: None, condition, value };
        self.change(|stencil| stencil.initial.push(initial));
    }

    /// A change of the level t+1 of a grid after each step: `operator` is that of `+=` and the like.
    pub fn filter(&self, grid: Grid<'s, D>, operator: Option<Binary>, value: impl Operand<'s>) {
        self.filtered(grid, None, operator, value);
    }

    /// A change of one point of the level t+1 of a grid after each step, such as a source.
    pub fn source(&self, grid: Grid<'s, D>, at: [Value<'s>; D], operator: Option<Binary>, value: impl Operand<'s>) {
        let point = at.iter().map(|&coordinate| self.assigned(coordinate, Type::I64)).collect();
        self.filtered(grid, Some(point), operator, value);
    }

    fn filtered(
        &self,
        grid: Grid<'s, D>,
        point: Option<Vec<ExprId>>,
        operator: Option<Binary>,
        value: impl Operand<'s>,
    ) {
        let value = self.assigned(value, self.kind_of(grid.grid));
        let target = Target { grid: grid.grid, component: grid.component, time: 1 };
        self.change(|stencil| stencil.filter.push(Filter { target, point, operator, value }));
    }

    /// Ends a run where a condition on results and parameters holds, checked after each n-th step.
    pub fn stop(&self, condition: Value<'s>, every: u32) {
        let condition = self.assigned(condition, Type::Bool);
        self.change(|stencil| stencil.stop = Some(Stop { condition, every }));
    }
}
