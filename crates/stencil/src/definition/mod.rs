//! A stencil as plain data: grids, expressions, stages, boundaries, results.
//!
//! A [`Stencil`] comes from a text ([`Stencil::parse`]) or from a program ([`Stencil::build`]). Both are checked in the
//! same way, and equal stencils compare equal. Fields are read through methods, as other code relies on the checks.

mod builder;
mod check;
mod draft;
mod graph;
pub(crate) mod scalar;
mod size;
mod types;

pub use builder::{Array, Builder, Grid as GridHandle, Operand, Tap as TapHandle, Value};
pub use graph::{Constant, ExprId, Graph, MAX_AXES, Node, Offsets, Tap};
pub use size::{Linear, Range, Size, SizeOperator};
pub use types::{Binary, Function, Reduction, Type, Unary};

pub(crate) use check::{Fault, Part, count_of_indices};
pub(crate) use draft::{Draft, precedence};

/// Names of the axes. Texts may also write `x0`, `x1`, ...
pub const AXES: [&str; MAX_AXES] = ["x", "y", "z", "u", "v", "w"];

/// A stencil: what one step computes at each point of a domain, and what surrounds the steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stencil {
    pub(crate) name: String,
    pub(crate) options: Options,
    pub(crate) domain: Vec<Range>,
    pub(crate) steps: Option<Size>,
    pub(crate) grids: Vec<Grid>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) results: Vec<ResultScalar>,
    pub(crate) temporaries: Vec<Temporary>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) initial: Vec<Initial>,
    pub(crate) boundaries: Vec<BoundaryRule>,
    pub(crate) filter: Vec<Filter>,
    pub(crate) stop: Option<Stop>,
    pub(crate) graph: Graph,
}

/// Options of a stencil.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Expressions may be evaluated in another order than written. Results then differ by rounding.
    pub reassociate: bool,
}

/// A grid: an array over some or all axes, with levels in time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// The name.
    pub name: String,
    /// The type of its elements.
    pub kind: Type,
    /// Its values do not change in time, and it has one level.
    pub constant: bool,
    /// The stencil's axes that it has, ascending.
    pub axes: Vec<usize>,
    /// The coordinates in memory on its axes. Without them memory holds the domain and the border that taps need.
    pub memory: Option<Vec<Range>>,
    /// Lengths of an array of grids; empty for one grid.
    pub components: Vec<usize>,
    /// Shifts against the domain's points on its axes in halves of a step, -1 to 1; empty without a shift. They are
    /// documentation: indices stay integers.
    pub shift: Vec<i8>,
}

impl Grid {
    /// The number of components: 1 of a grid that is no array.
    pub fn component_count(&self) -> usize {
        self.components.iter().product()
    }
}

/// A parameter: an argument, or a table of constants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The type.
    pub kind: Type,
    /// Ranges of the indices; empty for a scalar. Elements are in row-major order: the last index is contiguous.
    pub ranges: Vec<Range>,
    /// The elements of a table, which is no argument.
    pub values: Option<Vec<Constant>>,
}

/// A scalar that each step computes from all points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResultScalar {
    /// The name.
    pub name: String,
    /// The type, in which is accumulated.
    pub kind: Type,
}

/// A variable of one point within a stage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Temporary {
    /// The name.
    pub name: String,
    /// The type.
    pub kind: Type,
}

/// The order in which a stage visits points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sweep {
    /// All points read the level before: the order does not matter.
    #[default]
    Jacobi,
    /// Points whose coordinates have an even sum, then the others, which read the new values of the first.
    RedBlack,
}

/// A pass over the domain. A stage sees the levels that stages before it have written, with offsets too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stage {
    /// The name, where it has one.
    pub name: Option<String>,
    /// The order of the points.
    pub sweep: Sweep,
    /// The statements, executed in this order at each point.
    pub statements: Vec<Statement>,
}

/// A statement at one point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// A temporary gets its value.
    Let {
        /// The temporary's index.
        temporary: usize,
        /// The value, of its type.
        value: ExprId,
    },
    /// The point of a grid gets its value.
    Assign {
        /// The grid, its component and its level.
        target: Target,
        /// The value, of the grid's type.
        value: ExprId,
    },
    /// A result takes the point's value in.
    Reduce {
        /// The result's index.
        result: usize,
        /// The kind of reduction.
        reduction: Reduction,
        /// The value, of the result's type; of `count`, a condition.
        value: ExprId,
    },
}

/// The left side of an assignment: the current point of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The grid's index.
    pub grid: usize,
    /// The component.
    pub component: usize,
    /// The level relative to `t`: 1, or 0.
    pub time: i32,
}

/// Values before the first step, at all points in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Initial {
    /// The grid's index.
    pub grid: usize,
    /// The component.
    pub component: usize,
    /// The level, 0 or less; all input levels without one.
    pub time: Option<i32>,
    /// The points that are set; all without one.
    pub condition: Option<ExprId>,
    /// The value, in terms of coordinates, sizes and parameters.
    pub value: ExprId,
}

/// A side of the domain on one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Before the first coordinate.
    Lower,
    /// After the last coordinate.
    Upper,
}

/// The boundary condition of one face of one grid. Faces without a rule keep their values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundaryRule {
    /// The grid's index.
    pub grid: usize,
    /// The component.
    pub component: usize,
    /// The axis.
    pub axis: usize,
    /// The side.
    pub side: Side,
    /// The condition.
    pub boundary: Boundary,
}

/// A boundary condition: the values at the points beyond a face. k counts them from 1 at the face outwards, and u(0) is
/// the domain's point at the face, u(1) the next one within.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// u(-k) is that of the level before: values on the border do not change.
    Keep,
    /// An expression of coordinates, the time of the level, and neighbours towards the domain at the same level.
    Value(ExprId),
    /// The domain repeats itself. Both faces of an axis have it.
    Periodic,
    /// The derivative outwards per step of the grid, about the face: u(-k) = u(k - 1) + (2 k - 1) g.
    Neumann(ExprId),
    /// About the point at the face: u(-k) = u(k).
    Reflect,
    /// About the face: u(-k) = u(k - 1).
    Symmetric,
    /// Odd about the point at the face: u(-k) = 2 u(0) - u(k).
    Antireflect,
    /// u(-k) = u(0).
    Clamp,
}

/// A change of the new level after a step: of all points, or of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Filter {
    /// The grid, its component and the level that the step has written.
    pub target: Target,
    /// The coordinates of one point of the domain; all points without them. They depend on no point.
    pub point: Option<Vec<ExprId>>,
    /// The operator of `+=` and the like.
    pub operator: Option<Binary>,
    /// The value.
    pub value: ExprId,
}

/// The criterion that ends a run before its last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stop {
    /// A condition on results and parameters, after a step.
    pub condition: ExprId,
    /// Steps from one check to the next.
    pub every: u32,
}

impl Stencil {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Options.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The number of axes, 1 to 6.
    pub fn dimension(&self) -> usize {
        self.domain.len()
    }

    /// The coordinates of the points that a step computes, by axis, both ends inclusive.
    pub fn domain(&self) -> &[Range] {
        &self.domain
    }

    /// The number of steps of a run, where the stencil fixes it.
    pub fn steps(&self) -> Option<&Size> {
        self.steps.as_ref()
    }

    /// Grids in the order of their declaration.
    pub fn grids(&self) -> &[Grid] {
        &self.grids
    }

    /// Parameters in the order of their declaration, tables included.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Results in the order of their declaration.
    pub fn results(&self) -> &[ResultScalar] {
        &self.results
    }

    /// Temporaries of all stages.
    pub fn temporaries(&self) -> &[Temporary] {
        &self.temporaries
    }

    /// The passes of a step, in their order.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Values before the first step, later ones over earlier ones.
    pub fn initial(&self) -> &[Initial] {
        &self.initial
    }

    /// Boundary conditions, by grid, component, axis and side.
    pub fn boundaries(&self) -> &[BoundaryRule] {
        &self.boundaries
    }

    /// The boundary condition of a face.
    pub fn boundary(&self, grid: usize, component: usize, axis: usize, side: Side) -> Boundary {
        let wanted = (grid, component, axis, side);
        let rule = self.boundaries.iter().find(|rule| (rule.grid, rule.component, rule.axis, rule.side) == wanted);
        rule.map_or(Boundary::Keep, |rule| rule.boundary)
    }

    /// Changes after each step, in their order.
    pub fn filter(&self) -> &[Filter] {
        &self.filter
    }

    /// The criterion that ends a run early.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// The expressions.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The level that a step writes of a grid, relative to `t`: none of a grid that no stage assigns.
    pub fn written_level(&self, grid: usize) -> Option<i32> {
        self.stages.iter().flat_map(|stage| &stage.statements).find_map(|statement| match statement {
            Statement::Assign { target, .. } if target.grid == grid => Some(target.time),
            _ => None,
        })
    }

    /// The grids that a stage assigns.
    pub fn assigned_in(&self, stage: usize) -> Vec<usize> {
        let mut grids: Vec<usize> = Vec::new();
        for statement in &self.stages[stage].statements {
            if let Statement::Assign { target, .. } = statement
                && !grids.contains(&target.grid)
            {
                grids.push(target.grid);
            }
        }
        grids
    }

    /// The sizes that a run needs, in the order of their first appearance: in the domain, the steps, memory boxes and
    /// parameters.
    pub fn symbols(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        let mut note = |name| {
            if !found.contains(&name) {
                found.push(name);
            }
        };
        let ranges = self.grids.iter().filter_map(|grid| grid.memory.as_deref()).flatten();
        let ranges = ranges.chain(self.parameters.iter().flat_map(|parameter| &parameter.ranges));
        for range in &self.domain {
            range.lower.for_each_symbol(&mut note);
            range.upper.for_each_symbol(&mut note);
        }
        if let Some(steps) = &self.steps {
            steps.for_each_symbol(&mut note);
        }
        for range in ranges {
            range.lower.for_each_symbol(&mut note);
            range.upper.for_each_symbol(&mut note);
        }
        found
    }

    /// A rule takes the place of one for the same face.
    pub(crate) fn set_boundary(&mut self, rule: BoundaryRule) {
        let face = |rule: &BoundaryRule| (rule.grid, rule.component, rule.axis, rule.side);
        self.boundaries.retain(|other| face(other) != face(&rule));
        self.boundaries.push(rule);
    }

    /// Every expression that statements and conditions begin with.
    fn roots(&mut self) -> Vec<&mut ExprId> {
        let mut roots: Vec<&mut ExprId> = Vec::new();
        for statement in self.stages.iter_mut().flat_map(|stage| &mut stage.statements) {
            match statement {
                Statement::Let { value, .. } | Statement::Assign { value, .. } | Statement::Reduce { value, .. } => {
                    roots.push(value)
                }
            }
        }
        for initial in &mut self.initial {
            roots.extend(initial.condition.as_mut());
            roots.push(&mut initial.value);
        }
        for rule in &mut self.boundaries {
            if let Boundary::Value(value) | Boundary::Neumann(value) = &mut rule.boundary {
                roots.push(value);
            }
        }
        for filter in &mut self.filter {
            roots.extend(filter.point.iter_mut().flatten());
            roots.push(&mut filter.value);
        }
        roots.extend(self.stop.as_mut().map(|stop| &mut stop.condition));
        roots
    }

    /// A checked stencil: its expressions are put into the order of their use. Places of faults count from 0.
    pub(crate) fn finish(mut self, draft: Draft) -> Result<Stencil, Fault> {
        self.boundaries.retain(|rule| rule.boundary != Boundary::Keep);
        self.boundaries.sort_by_key(|rule| (rule.grid, rule.component, rule.axis, rule.side));
        self.graph = draft.finish(&mut self.roots());
        check::check(&self)?;
        Ok(self)
    }
}
