//! Expressions at one point.

use super::Machine;
use super::data::Value;
use crate::definition::scalar::{Number, power};
use crate::definition::{Binary, Constant, ExprId, Function, MAX_AXES, Node, Tap, Type, Unary};

/// A point of evaluation: coordinates on the stencil's axes, and the time `t`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) coordinates: [i64; MAX_AXES],
    pub(super) time: i64,
    /// The level that taps at `t` read: boundaries read the level that they complete.
    pub(super) shift: i32,
}

/// An expression with the nodes that it needs, operands first.
pub(super) struct Compiled {
    root: ExprId,
    order: Vec<ExprId>,
}

impl Compiled {
    pub(super) fn new(machine: &Machine<'_, '_>, root: ExprId) -> Self {
        Compiled { root, order: machine.stencil.graph().reachable([root]) }
    }
}

macro_rules! same {
    ($a:expr, $b:expr, $x:ident, $y:ident => $result:expr) => {
        match ($a, $b) {
            (Value::I32($x), Value::I32($y)) => Some(Value::I32($result)),
            (Value::I64($x), Value::I64($y)) => Some(Value::I64($result)),
            (Value::F32($x), Value::F32($y)) => Some(Value::F32($result)),
            (Value::F64($x), Value::F64($y)) => Some(Value::F64($result)),
            (a, b) => unreachable!("operands of one type, not {a:?} and {b:?}"),
        }
    };
}

macro_rules! compare {
    ($a:expr, $b:expr, $x:ident, $y:ident => $result:expr) => {
        match ($a, $b) {
            (Value::I32($x), Value::I32($y)) => $result,
            (Value::I64($x), Value::I64($y)) => $result,
            (Value::F32($x), Value::F32($y)) => $result,
            (Value::F64($x), Value::F64($y)) => $result,
            (a, b) => unreachable!("operands of one type, not {a:?} and {b:?}"),
        }
    };
}

pub(super) fn add(a: Value, b: Value) -> Value {
    same!(a, b, a, b => a.add(b)).unwrap_or(a)
}

pub(super) fn subtract(a: Value, b: Value) -> Value {
    same!(a, b, a, b => a.subtract(b)).unwrap_or(a)
}

pub(super) fn multiply(a: Value, b: Value) -> Value {
    same!(a, b, a, b => a.multiply(b)).unwrap_or(a)
}

pub(super) fn lesser(a: Value, b: Value) -> Value {
    same!(a, b, a, b => a.lesser(b)).unwrap_or(a)
}

pub(super) fn greater(a: Value, b: Value) -> Value {
    same!(a, b, a, b => a.greater(b)).unwrap_or(a)
}

fn divide(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::F32(a), Value::F32(b)) => Value::F32(a / b),
        (Value::F64(a), Value::F64(b)) => Value::F64(a / b),
        (a, b) => unreachable!("real numbers are divided, not {a:?} and {b:?}"),
    }
}

/// An operator on two numbers, or two conditions.
pub(super) fn binary(operator: Binary, a: Value, b: Value) -> Option<Value> {
    Some(match operator {
        Binary::Add => add(a, b),
        Binary::Subtract => subtract(a, b),
        Binary::Multiply => multiply(a, b),
        Binary::Divide => divide(a, b),
        Binary::Remainder => return same!(a, b, a, b => a.remainder(b)),
        Binary::Less => Value::Bool(compare!(a, b, a, b => a < b)),
        Binary::LessEqual => Value::Bool(compare!(a, b, a, b => a <= b)),
        Binary::Greater => Value::Bool(compare!(a, b, a, b => a > b)),
        Binary::GreaterEqual => Value::Bool(compare!(a, b, a, b => a >= b)),
        Binary::Equal => Value::Bool(compare!(a, b, a, b => a == b)),
        Binary::NotEqual => Value::Bool(compare!(a, b, a, b => a != b)),
        Binary::And | Binary::Or => unreachable!("logical operators know what they do not need"),
    })
}

/// `&&` and `||`: an unknown operand does not matter where the other one decides.
fn logical(operator: Binary, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    let decides = Value::Bool(operator == Binary::Or);
    if a == Some(decides) || b == Some(decides) {
        return Some(decides);
    }
    a.and(b)
}

fn raised(base: Value, exponent: i32) -> Value {
    let magnitude = exponent.unsigned_abs();
    match base {
        Value::I32(base) => Value::I32(power(base, magnitude, Number::ONE, Number::multiply)),
        Value::I64(base) => Value::I64(power(base, magnitude, Number::ONE, Number::multiply)),
        Value::F32(base) => {
            let result = power(base, magnitude, Number::ONE, Number::multiply);
            Value::F32(if exponent < 0 { 1.0 / result } else { result })
        }
        Value::F64(base) => {
            let result = power(base, magnitude, Number::ONE, Number::multiply);
            Value::F64(if exponent < 0 { 1.0 / result } else { result })
        }
        Value::Bool(_) => unreachable!("conditions have no powers"),
    }
}

fn call(function: Function, a: Value, b: Value) -> Option<Value> {
    same!(a, b, a, b => Number::call(function, a, b))
}

impl Machine<'_, '_> {
    /// The value at a point; none where it depends on an element outside its range or its memory.
    pub(super) fn value(&mut self, compiled: &Compiled, point: &Point) -> Option<Value> {
        for &expression in &compiled.order {
            let value = self.node(expression, point);
            self.registers[expression.index()] = value;
        }
        self.registers[compiled.root.index()]
    }

    fn node(&self, expression: ExprId, point: &Point) -> Option<Value> {
        let graph = self.stencil.graph();
        let kind = graph.type_of(expression);
        let of = |operand: &ExprId| self.registers[operand.index()];
        match graph.node(expression) {
            Node::Constant(Constant(value)) => Some(Value::constant(*value, kind)),
            Node::Size(name) => self.sizes.get(name).map(|&size| Value::I64(size)),
            Node::Coordinate(axis) => Some(Value::I64(point.coordinates[*axis])),
            Node::Time => Some(Value::I64(point.time)),
            Node::Parameter { parameter, indices } => self.element(*parameter, indices),
            Node::Result(result) => self.results[*result],
            Node::Temporary(temporary) => self.temporaries[*temporary],
            Node::Tap(tap) => self.tap(tap, point),
            Node::Convert(a) => Some(of(a)?.converted(kind)),
            Node::Unary(Unary::Negate, a) => {
                let a = of(a)?;
                same!(a, a, a, _b => a.negate())
            }
            Node::Unary(Unary::Not, a) => Some(Value::Bool(of(a)? != Value::Bool(true))),
            Node::Binary(operator, a, b) if operator.is_logical() => logical(*operator, of(a), of(b)),
            Node::Binary(operator, a, b) => binary(*operator, of(a)?, of(b)?),
            Node::Power(a, exponent) => Some(raised(of(a)?, *exponent)),
            Node::Call(function, arguments) => {
                let a = of(&arguments[0])?;
                call(*function, a, of(arguments.last().unwrap_or(&arguments[0]))?)
            }
            Node::Select(condition, a, b) => {
                if of(condition)? == Value::Bool(true) {
                    of(a)
                } else {
                    of(b)
                }
            }
        }
    }

    fn element(&self, parameter: usize, indices: &[ExprId]) -> Option<Value> {
        let argument = &self.parameters[parameter];
        let mut position = 0usize;
        for (index, range) in indices.iter().zip(&argument.ranges) {
            let Value::I64(index) = self.registers[index.index()]?.converted(Type::I64) else { return None };
            let offset = usize::try_from(index.checked_sub(range.0)?).ok().filter(|&offset| offset < range.1)?;
            position = position * range.1 + offset;
        }
        argument.values.get(position).copied()
    }

    fn tap(&self, tap: &Tap, point: &Point) -> Option<Value> {
        let mut coordinates = [0; MAX_AXES];
        let axes = &self.stencil.grids()[tap.grid].axes;
        for (position, &axis) in axes.iter().enumerate() {
            coordinates[position] = point.coordinates[axis] + i64::from(tap.offsets[axis]);
        }
        let grid = &self.grids[tap.grid];
        let index = grid.data.layout.index(&coordinates[..axes.len()])?;
        let time = if grid.constant { 0 } else { tap.time + point.shift };
        // The black half of a red-black sweep reads the red half's new values.
        let centre = tap.offsets.iter().all(|&offset| offset == 0);
        let is_new = grid.is_coupled && !centre && tap.time == grid.newest - 1;
        let slot = grid.slot(if is_new { grid.newest } else { time });
        Some(grid.data.slices[tap.component][slot].get(index))
    }
}
