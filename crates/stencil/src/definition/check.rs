//! The rules that every stencil obeys. A fault names its part, which a parser maps to the text.

mod outside;

use std::collections::{HashMap, HashSet};

use super::scalar::rounded;
use super::*;
use outside::{boundary, filter, initial_values, stop_criterion};

/// The most components of an array of grids, and of levels of a grid.
const MAX_COMPONENTS: usize = 4096;
const MAX_LEVELS: i32 = 16;
const MAX_STATEMENTS: usize = 4096;
const MAX_DECLARED: usize = 1024;
/// Whole numbers below it are exact in texts.
const MAX_WHOLE: f64 = 9.0e15;
/// The greatest offset of a tap.
const MAX_OFFSET: u32 = 1000;
/// Words that name nothing else.
pub(crate) const RESERVED: [&str; 13] =
    ["t", "const", "grid", "param", "table", "result", "int", "long", "float", "double", "sequence", "stage", "sweep"];

/// A part of a stencil, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Stencil,
    Grid(usize),
    Parameter(usize),
    Result(usize),
    Statement(usize, usize),
    Initial(usize),
    Boundary(usize, usize, usize, Side),
    Filter(usize),
    Stop,
}

/// A rule that is broken, and where.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) part: Part,
    /// The access that breaks it, where it is one.
    pub(crate) tap: Option<Tap>,
    pub(crate) reason: String,
}

/// The reason why a part breaks a rule, and the access that does.
struct Broken {
    reason: String,
    tap: Option<Tap>,
}

impl From<String> for Broken {
    fn from(reason: String) -> Self {
        Broken { reason, tap: None }
    }
}

impl From<&str> for Broken {
    fn from(reason: &str) -> Self {
        reason.to_owned().into()
    }
}

type Checked = Result<(), Broken>;

/// The rule is one of this access.
fn by_tap(checked: Checked, tap: &Tap) -> Checked {
    checked.map_err(|broken| Broken { tap: Some(*tap), ..broken })
}

trait At {
    fn at(self, part: Part) -> Result<(), Fault>;
}

impl At for Checked {
    fn at(self, part: Part) -> Result<(), Fault> {
        self.map_err(|Broken { reason, tap }| Fault { part, tap, reason })
    }
}

fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(reason().into()) }
}

/// Checks all rules that do not depend on values of sizes.
pub(crate) fn check(stencil: &Stencil) -> Result<(), Fault> {
    shape(stencil).at(Part::Stencil)?;
    names(stencil)?;
    for (index, grid) in stencil.grids.iter().enumerate() {
        grid_shape(stencil, index, grid).at(Part::Grid(index))?;
    }
    for (index, parameter) in stencil.parameters.iter().enumerate() {
        parameter_shape(parameter).at(Part::Parameter(index))?;
    }
    targets(stencil)?;
    for index in 0..stencil.grids.len() {
        all_components(stencil, index).at(Part::Grid(index))?;
    }
    Statements::new(stencil).check()?;
    for (index, result) in stencil.results.iter().enumerate() {
        reduced_once(stencil, index, result).at(Part::Result(index))?;
    }
    for (index, initial) in stencil.initial.iter().enumerate() {
        initial_values(stencil, initial).at(Part::Initial(index))?;
    }
    for rule in &stencil.boundaries {
        boundary(stencil, rule).at(Part::Boundary(rule.grid, rule.component, rule.axis, rule.side))?;
    }
    for (index, each) in stencil.filter.iter().enumerate() {
        filter(stencil, each).at(Part::Filter(index))?;
    }
    stencil.stop.map_or(Ok(()), |stop| stop_criterion(stencil, stop)).at(Part::Stop)?;
    for index in 0..stencil.grids.len() {
        crate::analysis::short_memory(stencil, index)
            .map_or(Ok(()), |reason| Err(reason.into()))
            .at(Part::Grid(index))?;
    }
    Ok(())
}

fn shape(stencil: &Stencil) -> Checked {
    let axes = stencil.dimension();
    ensure((1..=MAX_AXES).contains(&axes), || format!("a domain has 1 to {MAX_AXES} axes, not {axes}"))?;
    let mut is_small = true;
    let memory = stencil.grids.iter().filter_map(|grid| grid.memory.as_deref()).flatten();
    let ranges = stencil.domain.iter().chain(memory);
    let ranges = ranges.chain(stencil.parameters.iter().flat_map(|parameter| &parameter.ranges));
    let ends = ranges.flat_map(|range| [&range.lower, &range.upper]).chain(&stencil.steps);
    ends.for_each(|size| size.for_each_literal(&mut |value| is_small &= value.unsigned_abs() < MAX_WHOLE as u64));
    ensure(is_small, || "a size is beyond 64 bits".to_owned())?;
    let statements: usize = stencil.stages.iter().map(|stage| stage.statements.len()).sum();
    let declared = stencil.grids.len() + stencil.parameters.len() + stencil.results.len();
    ensure(statements <= MAX_STATEMENTS, || format!("a stencil has at most {MAX_STATEMENTS} statements"))?;
    ensure(declared <= MAX_DECLARED, || format!("a stencil has at most {MAX_DECLARED} grids and parameters"))?;
    let is_empty = stencil.stages.iter().any(|stage| stage.statements.is_empty());
    ensure(!is_empty && !stencil.stages.is_empty(), || "the operation has no statement".to_owned())?;
    let statements = stencil.stages.iter().flat_map(|stage| &stage.statements);
    let does_something = statements.into_iter().any(|statement| !matches!(statement, Statement::Let { .. }));
    ensure(does_something, || "the operation assigns neither a grid nor a result".to_owned())
}

fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|next| next.is_ascii_alphanumeric() || next == '_')
}

fn names(stencil: &Stencil) -> Result<(), Fault> {
    let mut taken: HashSet<&str> = HashSet::new();
    let check = |name: &str, is_new: bool| -> Checked {
        ensure(is_name(name), || format!("'{name}' is no name: letters, digits and '_', not a digit first"))?;
        ensure(!RESERVED.contains(&name), || format!("'{name}' is reserved"))?;
        ensure(is_new, || format!("'{name}' is declared twice"))
    };
    check(&stencil.name, true).at(Part::Stencil)?;
    for (index, grid) in stencil.grids.iter().enumerate() {
        check(&grid.name, taken.insert(&grid.name)).at(Part::Grid(index))?;
    }
    for (index, parameter) in stencil.parameters.iter().enumerate() {
        check(&parameter.name, taken.insert(&parameter.name)).at(Part::Parameter(index))?;
    }
    for (index, result) in stencil.results.iter().enumerate() {
        check(&result.name, taken.insert(&result.name)).at(Part::Result(index))?;
    }
    for symbol in stencil.symbols() {
        check(symbol, taken.insert(symbol)).at(Part::Stencil)?;
    }
    let mut defined = HashSet::new();
    for (number, stage) in stencil.stages.iter().enumerate() {
        if let Some(name) = &stage.name {
            check(name, true).at(Part::Stencil)?;
        }
        let mut own = HashSet::new();
        for (index, statement) in stage.statements.iter().enumerate() {
            if let Statement::Let { temporary, .. } = statement {
                let name = stencil.temporaries[*temporary].name.as_str();
                let is_new = !taken.contains(name) && own.insert(name) && defined.insert(*temporary);
                check(name, is_new).at(Part::Statement(number, index))?;
                let is_number = stencil.temporaries[*temporary].kind != Type::Bool;
                ensure(is_number, || format!("'{name}' is a condition: a temporary is a number"))
                    .at(Part::Statement(number, index))?;
            }
        }
    }
    Ok(())
}

fn grid_shape(stencil: &Stencil, index: usize, grid: &Grid) -> Checked {
    let name = &grid.name;
    ensure(grid.kind != Type::Bool, || format!("'{name}' holds conditions: a grid holds numbers"))?;
    let ascend = grid.axes.windows(2).all(|pair| pair[0] < pair[1]);
    let fit = grid.axes.iter().all(|&axis| axis < stencil.dimension());
    ensure(ascend && fit && !grid.axes.is_empty(), || format!("the axes of '{name}' are not those of the domain"))?;
    let is_boxed = grid.memory.as_ref().is_none_or(|memory| memory.len() == grid.axes.len());
    ensure(is_boxed, || format!("the memory of '{name}' has not as many ranges as the grid has axes"))?;
    let components = grid.components.iter().try_fold(1, |so_far: usize, &length| so_far.checked_mul(length));
    ensure(components.is_some_and(|count| (1..=MAX_COMPONENTS).contains(&count)), || {
        format!("'{name}' has 1 to {MAX_COMPONENTS} components")
    })?;
    let is_shifted =
        grid.shift.is_empty() || grid.shift.len() == grid.axes.len() && grid.shift.iter().all(|half| half.abs() <= 1);
    ensure(is_shifted, || format!("the shift of '{name}' is 0 or 1/2 on each of its axes"))?;
    let is_lower = grid.axes.len() < stencil.dimension();
    ensure(!is_lower || stencil.written_level(index).is_none(), || {
        format!("'{name}' has fewer axes than the domain: many points would assign one")
    })
}

fn parameter_shape(parameter: &Parameter) -> Checked {
    let name = &parameter.name;
    ensure(parameter.kind != Type::Bool, || format!("'{name}' is a condition: a parameter is a number"))?;
    let Some(values) = &parameter.values else { return Ok(()) };
    let kind = parameter.kind;
    ensure(values.iter().all(|value| is_exact(value.0, kind)), || {
        format!("the table '{name}' holds a value that is no finite number of {kind}")
    })?;
    let count = parameter.ranges.iter().try_fold(1i64, |so_far, range| match (&range.lower.linear(), &range.upper) {
        (Some(lower), upper) => {
            let length = upper.linear()?.minus(lower)?.checked_add(1)?;
            so_far.checked_mul(length).filter(|_| length > 0 && lower.factors.is_empty())
        }
        _ => None,
    });
    match count {
        None => Err(format!("the ranges of the table '{name}' are numbers, the first not after the last").into()),
        Some(count) => ensure(count == values.len() as i64, || {
            format!("the table '{name}' has {count} elements, and {} values", values.len())
        }),
    }
}

/// A finite number that a type holds as it is.
fn is_exact(value: f64, kind: Type) -> bool {
    let fits = match kind {
        Type::I32 => value.abs() <= f64::from(i32::MAX),
        Type::I64 => value.abs() < MAX_WHOLE,
        _ => true,
    };
    value.is_finite() && fits && (kind.is_real() || value.fract() == 0.0) && rounded(value, kind) == value
}

/// Assignments are to levels of grids that change, the same one in all statements.
fn targets(stencil: &Stencil) -> Result<(), Fault> {
    for (number, stage) in stencil.stages.iter().enumerate() {
        for (index, statement) in stage.statements.iter().enumerate() {
            if let Statement::Assign { target, .. } = statement {
                target_level(stencil, target).at(Part::Statement(number, index))?;
            }
        }
    }
    Ok(())
}

fn target_level(stencil: &Stencil, target: &Target) -> Checked {
    let grid = &stencil.grids[target.grid];
    let name = &grid.name;
    ensure(!grid.constant, || format!("'{name}' is constant: it cannot be assigned"))?;
    ensure((0..=1).contains(&target.time), || format!("a step assigns '{name}' at t+1 or t"))?;
    ensure(target.component < grid.component_count(), || format!("'{name}' has no such component"))?;
    let first = stencil.written_level(target.grid);
    ensure(first == Some(target.time), || format!("'{name}' is assigned at different times: t+1 and t"))
}

fn all_components(stencil: &Stencil, index: usize) -> Checked {
    let grid = &stencil.grids[index];
    if stencil.written_level(index).is_none() {
        return Ok(());
    }
    let mut missing: HashSet<usize> = (0..grid.component_count()).collect();
    for statement in stencil.stages.iter().flat_map(|stage| &stage.statements) {
        if let Statement::Assign { target, .. } = statement
            && target.grid == index
        {
            missing.remove(&target.component);
        }
    }
    let first = missing.into_iter().min();
    ensure(first.is_none(), || format!("component {} of '{}' is never assigned", first.unwrap_or(0), grid.name))
}

fn reduced_once(stencil: &Stencil, index: usize, result: &ResultScalar) -> Checked {
    let statements = stencil.stages.iter().flat_map(|stage| &stage.statements);
    let times = statements
        .filter(|statement| matches!(statement, Statement::Reduce { result, .. } if *result == index))
        .count();
    ensure(result.kind != Type::Bool, || format!("'{}' is a condition: a result is a number", result.name))?;
    let is_root = |statement: &Statement| match statement {
        Statement::Reduce { result, reduction, .. } => (*result, *reduction) == (index, Reduction::Norm2),
        _ => false,
    };
    let has_root = stencil.stages.iter().flat_map(|stage| &stage.statements).any(is_root);
    ensure(!has_root || result.kind.is_real(), || {
        format!("'norm2' needs a real result, and '{}' is none", result.name)
    })?;
    ensure(times == 1, || format!("the result '{}' is computed {times} times, not once", result.name))
}

/// Names of a time for messages.
pub(crate) fn time_name(time: i32) -> String {
    match time {
        0 => "t".to_owned(),
        time => format!("t{time:+}"),
    }
}

/// The knowledge at a statement while the stages are walked.
struct Statements<'a> {
    stencil: &'a Stencil,
    /// Grids that stages before have assigned.
    earlier: HashSet<usize>,
    /// Components assigned in this stage so far.
    so_far: HashSet<(usize, usize)>,
    /// Grids that this stage assigns.
    own: HashSet<usize>,
    defined: HashSet<usize>,
    sweep: Sweep,
    /// Temporaries of the stage that are not defined yet give an error that says so.
    names: HashMap<usize, &'a str>,
}

impl<'a> Statements<'a> {
    fn new(stencil: &'a Stencil) -> Self {
        let names = stencil.temporaries.iter().enumerate().map(|(index, each)| (index, each.name.as_str())).collect();
        Statements {
            stencil,
            earlier: HashSet::new(),
            so_far: HashSet::new(),
            own: HashSet::new(),
            defined: HashSet::new(),
            sweep: Sweep::Jacobi,
            names,
        }
    }

    fn check(mut self) -> Result<(), Fault> {
        for (number, stage) in self.stencil.stages.iter().enumerate() {
            self.own = self.stencil.assigned_in(number).into_iter().collect();
            self.so_far.clear();
            self.defined.clear();
            self.sweep = stage.sweep;
            for (index, statement) in stage.statements.iter().enumerate() {
                self.statement(statement).at(Part::Statement(number, index))?;
            }
            self.earlier.extend(&self.own);
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Checked {
        let (Statement::Let { value, .. } | Statement::Assign { value, .. } | Statement::Reduce { value, .. }) =
            statement;
        for expression in self.stencil.graph.reachable([*value]) {
            match self.stencil.graph.node(expression) {
                Node::Tap(tap) => by_tap(self.tap(tap), tap)?,
                Node::Temporary(temporary) => ensure(self.defined.contains(temporary), || {
                    format!("'{}' is used before its definition", self.names[temporary])
                })?,
                Node::Result(result) => refuse_result(self.stencil, *result)?,
                node => indices(self.stencil, node)?,
            }
        }
        match statement {
            Statement::Let { temporary, .. } => {
                self.defined.insert(*temporary);
            }
            Statement::Assign { target, .. } => {
                self.so_far.insert((target.grid, target.component));
            }
            Statement::Reduce { .. } => {}
        }
        Ok(())
    }

    /// Explicit methods alone: a value is read that is known when the point is computed.
    fn tap(&self, tap: &Tap) -> Checked {
        plain_tap(self.stencil, tap)?;
        let name = &self.stencil.grids[tap.grid].name;
        let Some(written) = self.stencil.written_level(tap.grid) else { return Ok(()) };
        let is_centre = tap.offsets == Offsets::default();
        let time = time_name(tap.time);
        if tap.time == written {
            if !self.earlier.contains(&tap.grid) {
                return ensure(is_centre && self.so_far.contains(&(tap.grid, tap.component)), || {
                    format!(
                        "'{name}' at {time} is being computed: only its centre is known, after its assignment; \
                         a stage of its own would know its neighbours"
                    )
                });
            }
            return ensure(is_centre || !self.own.contains(&tap.grid), || {
                format!("'{name}' at {time} is assigned in this stage: only its centre is known")
            });
        }
        ensure(tap.time < written, || format!("'{name}' at {time} is never computed: the method is not explicit"))?;
        ensure(written.saturating_sub(tap.time) < MAX_LEVELS, || format!("'{name}' has at most {MAX_LEVELS} levels"))?;
        let sum: i32 = tap.offsets.iter().sum();
        let is_coupled = self.sweep == Sweep::RedBlack && self.own.contains(&tap.grid) && tap.time == written - 1;
        ensure(!is_coupled || is_centre || sum % 2 != 0, || {
            format!("a red-black sweep reads '{name}' at its centre and at neighbours of the other colour alone")
        })
    }
}

fn refuse_result(stencil: &Stencil, result: usize) -> Checked {
    let name = &stencil.results[result].name;
    Err(format!("the result '{name}' is known after the step: only 'stop' can read it").into())
}

/// Rules of all taps.
fn plain_tap(stencil: &Stencil, tap: &Tap) -> Checked {
    let Some(grid) = stencil.grids.get(tap.grid) else { return Err("a tap of another stencil".into()) };
    let name = &grid.name;
    ensure(tap.component < grid.component_count(), || format!("'{name}' has no such component"))?;
    let misses = (0..MAX_AXES).any(|axis| tap.offsets[axis] != 0 && !grid.axes.contains(&axis));
    ensure(!misses, || format!("'{name}' has an offset on an axis that it has not"))?;
    ensure(tap.offsets.iter().all(|offset| offset.unsigned_abs() <= MAX_OFFSET), || {
        format!("an offset of '{name}' is greater than {MAX_OFFSET}")
    })?;
    if grid.constant {
        return ensure(tap.time == 0, || format!("'{name}' is constant: it has no time"));
    }
    ensure(stencil.written_level(tap.grid).is_some() || tap.time == 0, || {
        format!("'{name}' is never assigned: it has the level t alone")
    })
}

/// The reason why indices of a parameter are too few or too many.
pub(crate) fn count_of_indices(name: &str, wanted: usize, given: usize) -> String {
    let noun = if wanted == 1 { "index" } else { "indices" };
    format!("'{name}' takes {wanted} {noun}, not {given}")
}

/// Indices of parameters are integers, and constant ones lie within constant ranges.
fn indices(stencil: &Stencil, node: &Node) -> Checked {
    let Node::Parameter { parameter, indices } = node else { return Ok(()) };
    let Some(parameter) = stencil.parameters.get(*parameter) else {
        return Err("a parameter of another stencil".into());
    };
    let (name, axes) = (&parameter.name, parameter.ranges.len());
    ensure(indices.len() == axes, || count_of_indices(name, axes, indices.len()))?;
    for (index, range) in indices.iter().zip(&parameter.ranges) {
        ensure(stencil.graph.type_of(*index).is_integer(), || format!("an index of '{name}' is not an integer"))?;
        if let (Node::Constant(Constant(value)), Some(lower), Some(upper)) =
            (stencil.graph.node(*index), range.lower.linear(), range.upper.linear())
        {
            let is_below = lower.factors.is_empty() && *value < lower.constant as f64;
            let is_above = upper.factors.is_empty() && *value > upper.constant as f64;
            ensure(!is_below && !is_above, || format!("the index {value} of '{name}' is out of its range"))?;
        }
    }
    Ok(())
}
