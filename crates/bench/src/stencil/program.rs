//! A step of a stencil as a list of operations, from which peers make their code.

use std::collections::{BTreeMap, HashMap};

use affinimath::stencil::Stencil;
use affinimath::stencil::analysis::Analysis;
use affinimath::stencil::definition::{
    Binary, Constant, ExprId, Function, Grid, Node, Offsets, Statement, Sweep, Tap, Unary,
};
use serde_json::{Value, json};

use super::domain::parameter_value;

/// Operations of one step, those of later ones on the results of earlier ones by their numbers.
#[derive(Debug, PartialEq)]
pub struct Program {
    /// Operations, such as `["+", 0, 3]`.
    pub code: Vec<Value>,
    /// Grids that get a value: the grid, the component, and the number of the operation.
    pub outputs: Vec<[usize; 3]>,
    /// Components, levels, and the newest level of each grid.
    pub grids: Vec<Value>,
    /// The farthest that a tap reaches on any axis.
    pub radius: i32,
}

impl Program {
    /// The step of a stencil, with the values of its parameters.
    ///
    /// # Errors
    /// The reason for which peers are not asked.
    pub fn new(stencil: &Stencil, parameters: &[(String, f64)]) -> Result<Self, &'static str> {
        let [stage] = stencil.stages() else { return Err("several stages") };
        let whole = |grid: &Grid| grid.axes.len() == stencil.dimension() && grid.kind.is_real();
        match () {
            () if stage.sweep != Sweep::Jacobi => return Err("a sweep in two colours"),
            () if !stencil.boundaries().is_empty() => return Err("boundary conditions"),
            () if !stencil.filter().is_empty() => return Err("filters"),
            () if !stencil.results().is_empty() => return Err("results"),
            () if !stencil.grids().iter().all(whole) => return Err("grids of integers or of fewer axes"),
            () => {}
        }
        let facts = Analysis::new(stencil);
        let reach = facts.grids.iter().flat_map(|grid| grid.radius.iter().flatten());
        let grids = stencil.grids().iter().zip(&facts.grids).map(|(grid, facts)| {
            json!({ "components": grid.component_count(), "levels": facts.levels, "newest": facts.newest })
        });
        let mut program = Writer {
            stencil,
            parameters,
            numbers: vec![None; stencil.graph().len()],
            temporaries: vec![None; stencil.temporaries().len()],
            newest: facts.grids.iter().map(|grid| grid.newest).collect(),
            assigned: HashMap::new(),
            code: Vec::new(),
        };
        let mut outputs = Vec::new();
        for statement in &stage.statements {
            match statement {
                Statement::Let { temporary, value } => {
                    program.temporaries[*temporary] = Some(program.number(*value)?);
                }
                Statement::Assign { target, value } => {
                    let number = program.number(*value)?;
                    program.assigned.insert((target.grid, target.component), number);
                    outputs.push([target.grid, target.component, number]);
                }
                Statement::Reduce { .. } => return Err("results"),
            }
            // Expressions of what the statement changes have other values behind it.
            program.numbers.fill(None);
        }
        let radius = reach.copied().max().unwrap_or(0);
        Ok(Program { code: program.code, outputs, grids: grids.collect(), radius })
    }
}

struct Writer<'a> {
    stencil: &'a Stencil,
    parameters: &'a [(String, f64)],
    /// The operation of each expression that has one.
    numbers: Vec<Option<usize>>,
    temporaries: Vec<Option<usize>>,
    /// The newest level of each grid.
    newest: Vec<i32>,
    /// The operations whose values grids have got, by grid and component.
    assigned: HashMap<(usize, usize), usize>,
    code: Vec<Value>,
}

impl Writer<'_> {
    fn push(&mut self, operation: Value) -> usize {
        self.code.push(operation);
        self.code.len() - 1
    }

    /// The number of an expression's operation.
    fn number(&mut self, root: ExprId) -> Result<usize, &'static str> {
        // Operands come first: sums of many terms need no recursion.
        for expression in self.stencil.graph().reachable([root]) {
            if self.numbers[expression.index()].is_none() {
                self.numbers[expression.index()] = Some(self.operation(expression)?);
            }
        }
        self.numbers[root.index()].ok_or("an expression without an operation")
    }

    fn operation(&mut self, expression: ExprId) -> Result<usize, &'static str> {
        let graph = self.stencil.graph();
        let of = |operand: &ExprId| self.numbers[operand.index()].ok_or("operands of another order");
        let operation = match graph.node(expression) {
            Node::Constant(Constant(value)) => json!(["number", value]),
            Node::Parameter { parameter, indices } => json!(["number", self.parameter(*parameter, indices)?]),
            Node::Temporary(temporary) => return self.temporaries[*temporary].ok_or("a temporary without a value"),
            Node::Tap(tap) if self.is_written(tap) => match self.assigned.get(&(tap.grid, tap.component)) {
                Some(number) if tap.offsets == Offsets::default() => return Ok(*number),
                None if tap.offsets == Offsets::default() => self.tap(tap),
                _ => return Err("neighbours of what the step writes"),
            },
            Node::Tap(tap) => self.tap(tap),
            Node::Convert(a) if graph.type_of(*a).is_real() || matches!(graph.node(*a), Node::Constant(_)) => {
                return of(a);
            }
            Node::Unary(Unary::Negate, a) => json!(["negative", of(a)?]),
            Node::Binary(operator, a, b) => json!([symbol(*operator)?, of(a)?, of(b)?]),
            Node::Power(a, exponent @ 1..=16) => {
                let a = of(a)?;
                return Ok(self.power(a, exponent.unsigned_abs()));
            }
            Node::Call(function, arguments) => {
                let arguments = arguments.iter().map(of).collect::<Result<Vec<_>, _>>()?;
                match (function, &arguments[..]) {
                    (Function::Sqrt | Function::Exp | Function::Abs, [a]) => json!([function.name(), a]),
                    (Function::Min | Function::Max, [a, b]) => json!([function.name(), a, b]),
                    _ => return Err("functions beyond sqrt, exp, abs, min and max"),
                }
            }
            Node::Select(condition, a, b) => json!(["select", of(condition)?, of(a)?, of(b)?]),
            _ => return Err("coordinates, the time, or integers"),
        };
        Ok(self.push(operation))
    }

    /// Squares and products, from the highest bit of the exponent.
    fn power(&mut self, a: usize, exponent: u32) -> usize {
        let mut power = a;
        for bit in (0..exponent.ilog2()).rev() {
            power = self.push(json!(["*", power, power]));
            if exponent >> bit & 1 == 1 {
                power = self.push(json!(["*", power, a]));
            }
        }
        power
    }

    /// The step writes the tap's level.
    fn is_written(&self, tap: &Tap) -> bool {
        self.stencil.written_level(tap.grid).is_some() && tap.time == self.newest[tap.grid]
    }

    /// Grid, component, level, and offsets in the order of memory: x last.
    fn tap(&self, tap: &Tap) -> Value {
        let offsets: Vec<i32> = tap.offsets[..self.stencil.dimension()].iter().rev().copied().collect();
        json!(["tap", tap.grid, tap.component, tap.time, offsets])
    }

    /// The value of a parameter, or of a table at constant indices.
    fn parameter(&self, number: usize, indices: &[ExprId]) -> Result<f64, &'static str> {
        let parameter = &self.stencil.parameters()[number];
        let Some(values) = &parameter.values else {
            return Ok(parameter_value(self.parameters, &parameter.name, parameter.kind));
        };
        let mut position = 0;
        for (index, range) in indices.iter().zip(&parameter.ranges) {
            let symbols = BTreeMap::new();
            let (Node::Constant(Constant(index)), Ok(lower), Ok(upper)) =
                (self.stencil.graph().node(*index), range.lower.value(&symbols), range.upper.value(&symbols))
            else {
                return Err("tables at indices that change");
            };
            position = position * (upper - lower + 1) + (*index as i64 - lower);
        }
        let value = usize::try_from(position).ok().and_then(|position| values.get(position));
        value.map(|Constant(value)| *value).ok_or("tables at indices beyond them")
    }
}

fn symbol(operator: Binary) -> Result<&'static str, &'static str> {
    match operator {
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide => Ok(operator.symbol()),
        Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => Ok(operator.symbol()),
        _ => Err("remainders, equality or conditions joined"),
    }
}
