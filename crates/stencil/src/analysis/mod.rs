//! Facts about a stencil: shapes, levels, work and traffic, linearity, dependences.

mod dependences;
mod description;
mod flops;
mod linear;
mod sizes;

pub use dependences::{StageFacts, StageRead};
pub use description::description;
pub use linear::Linearity;
pub use sizes::sizes_of_shapes;

use crate::definition::{AXES, MAX_AXES, Node, Range, Side, Size, Statement, Stencil, Tap};

/// Points that taps reach, by axis: how far below and above the current point, 0 or more.
pub type Radius = [[i32; 2]; MAX_AXES];

/// Facts that do not depend on values of sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Facts about each grid, in the order of declaration.
    pub grids: Vec<GridFacts>,
    /// Facts about each stage.
    pub stages: Vec<StageFacts>,
    /// Operations per point and step, as written: + - * / %, signs, functions, multiplications of powers, and those of
    /// reductions. Constants are folded, and temporaries that depend on no point are not counted.
    pub flops: u64,
    /// Elements per point and step that are read at least: one of each component and level that a stage reads of grids
    /// with all axes.
    pub elements_read: usize,
    /// Elements per point and step that are written: one of each component that a stage assigns.
    pub elements_written: usize,
    /// Bytes of these elements, without those that caches read before a store.
    pub bytes: usize,
    /// The new levels as functions of the older ones.
    pub linearity: Linearity,
    /// Neither coefficients nor terms depend on the point or on the time.
    pub constant_coefficients: bool,
    /// Sizes that become arguments, in their order.
    pub symbols: Vec<String>,
}

/// Facts about a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridFacts {
    /// The reach of all taps, on the stencil's axes.
    pub radius: Radius,
    /// Levels that are kept in memory, those that a step reads and the one that it writes.
    pub levels: usize,
    /// The newest level, relative to `t`: the one that a step writes, or 0.
    pub newest: i32,
    /// A stage or a filter reads it.
    pub is_read: bool,
    /// A stage assigns it.
    pub is_written: bool,
    /// The coordinates in memory on its axes: as declared, or the domain and the reach of its taps.
    pub memory: Vec<Range>,
}

impl Analysis {
    /// The facts about a stencil.
    pub fn new(stencil: &Stencil) -> Self {
        let (elements_read, elements_written, bytes) = dependences::traffic(stencil);
        let (linearity, constant_coefficients) = linear::linearity(stencil);
        Analysis {
            grids: (0..stencil.grids().len()).map(|grid| grid_facts(stencil, grid)).collect(),
            stages: dependences::stages(stencil),
            flops: flops::flops(stencil),
            elements_read,
            elements_written,
            bytes,
            linearity,
            constant_coefficients,
            symbols: stencil.symbols().into_iter().map(str::to_owned).collect(),
        }
    }

    /// Elements per point and step: read and written.
    pub fn elements(&self) -> usize {
        self.elements_read + self.elements_written
    }
}

/// Values that statements of a stage compute.
pub(crate) fn values(statements: &[Statement]) -> impl Iterator<Item = crate::definition::ExprId> + '_ {
    statements.iter().map(|statement| match statement {
        Statement::Let { value, .. } | Statement::Assign { value, .. } | Statement::Reduce { value, .. } => *value,
    })
}

/// All taps of stages and filters.
pub(crate) fn all_taps(stencil: &Stencil) -> Vec<Tap> {
    let stages = stencil.stages().iter().flat_map(|stage| values(&stage.statements));
    let filters = stencil.filter().iter().map(|filter| filter.value);
    stencil.graph().taps(stages.chain(filters))
}

pub(crate) fn widen(radius: &mut Radius, tap: &Tap) {
    for (axis, reach) in radius.iter_mut().enumerate() {
        reach[0] = reach[0].max(-tap.offsets[axis]);
        reach[1] = reach[1].max(tap.offsets[axis]);
    }
}

fn shifted(size: &Size, by: i32) -> Size {
    match (size, by) {
        (size, 0) => size.clone(),
        (Size::Literal(value), by) => Size::Literal(value.saturating_add(i64::from(by))),
        (size, by) if by > 0 => size.clone() + i64::from(by),
        (size, by) => size.clone() - i64::from(-by),
    }
}

/// The coordinates on a grid's axes that taps reach.
pub(crate) fn needed_memory(stencil: &Stencil, grid: usize, radius: &Radius) -> Vec<Range> {
    let needed = stencil.grids()[grid].axes.iter().map(|&axis| {
        let Range { lower, upper } = &stencil.domain()[axis];
        Range { lower: shifted(lower, -radius[axis][0]), upper: shifted(upper, radius[axis][1]) }
    });
    needed.collect()
}

/// The reach of the taps of a grid.
pub(crate) fn radius(stencil: &Stencil, grid: usize) -> Radius {
    let mut radius = Radius::default();
    all_taps(stencil).iter().filter(|tap| tap.grid == grid).for_each(|tap| widen(&mut radius, tap));
    radius
}

fn grid_facts(stencil: &Stencil, grid: usize) -> GridFacts {
    let written = stencil.written_level(grid);
    let taps: Vec<Tap> = all_taps(stencil).into_iter().filter(|tap| tap.grid == grid).collect();
    let radius = radius(stencil, grid);
    let newest = written.unwrap_or(0);
    let oldest = taps.iter().map(|tap| tap.time).min().unwrap_or(newest).min(newest);
    let declared = stencil.grids()[grid].memory.clone();
    GridFacts {
        radius,
        levels: (newest - oldest) as usize + 1,
        newest,
        is_read: !taps.is_empty(),
        is_written: written.is_some(),
        memory: declared.unwrap_or_else(|| needed_memory(stencil, grid, &radius)),
    }
}

/// A declared memory box that is surely too small, if sizes need not be known for that.
pub(crate) fn short_memory(stencil: &Stencil, grid: usize) -> Option<String> {
    let declared = stencil.grids()[grid].memory.as_ref()?;
    let needed = needed_memory(stencil, grid, &radius(stencil, grid));
    for ((own, needed), &axis) in declared.iter().zip(&needed).zip(&stencil.grids()[grid].axes) {
        for side in [Side::Lower, Side::Upper] {
            let (own, needed, sign) = match side {
                Side::Lower => (&own.lower, &needed.lower, 1),
                Side::Upper => (&own.upper, &needed.upper, -1),
            };
            let missing = own.linear().zip(needed.linear()).and_then(|(own, needed)| own.minus(&needed));
            if let Some(missing) = missing.map(|missing| missing.saturating_mul(sign)).filter(|missing| *missing > 0) {
                let end = if side == Side::Lower { "begins too late" } else { "ends too early" };
                let (name, axis) = (&stencil.grids()[grid].name, AXES[axis]);
                return Some(format!("the memory of '{name}' {end} on {axis}: its taps reach {missing} farther"));
            }
        }
    }
    None
}

/// Depends on the current point: on grids or coordinates, directly or through temporaries.
pub(crate) fn depends_on_point(node: &Node, operands: bool, temporaries: &[bool]) -> bool {
    match node {
        Node::Tap(_) | Node::Coordinate(_) => true,
        Node::Temporary(temporary) => temporaries[*temporary],
        _ => operands,
    }
}

/// For each expression of a stage whether it depends on the current point, and for each temporary.
pub(crate) fn point_dependence(stencil: &Stencil) -> (Vec<bool>, Vec<bool>) {
    let graph = stencil.graph();
    let mut temporaries = vec![false; stencil.temporaries().len()];
    let mut nodes = vec![false; graph.len()];
    // Temporaries are defined before their use.
    for statement in stencil.stages().iter().flat_map(|stage| &stage.statements) {
        for expression in graph.reachable(values(std::slice::from_ref(statement))) {
            let node = graph.node(expression);
            let mut operands = false;
            node.for_each_operand(|operand| operands |= nodes[operand.index()]);
            nodes[expression.index()] = depends_on_point(node, operands, &temporaries);
        }
        if let Statement::Let { temporary, value } = statement {
            temporaries[*temporary] = nodes[value.index()];
        }
    }
    (nodes, temporaries)
}
