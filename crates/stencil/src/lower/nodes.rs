//! Expressions in the kernel language: the operations of the reference, in its order.
//!
//! A value may be unknown, where it depends on an element outside a range. Such elements are not loaded, and a
//! condition goes along that says whether the value is known.

use std::collections::HashMap;

use affinimath_array::ElementType;
use affinimath_array::function as array;
use affinimath_array::lower::operations::{Machine, V, own_binary, own_unary};
use affinimath_kernel::ScalarType;
use affinimath_kernel::dynamic::{AtomicOp, BinaryOp, UnaryOp};

use super::generator::{Generator, Point, Slice};
use super::{KernelArgument, Level, Pass, element};
use crate::definition::scalar::power;
use crate::definition::{Binary, Constant, ExprId, Function, Node, Tap, Type, Unary};
use crate::run::Colour;

/// A value, with the condition that it is known, unless it always is.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) value: V<'k>,
    pub(super) known: Option<V<'k>>,
}

/// The values that a pass has computed at a point.
#[derive(Default)]
pub(super) struct Scope<'k> {
    pub(super) temporaries: HashMap<usize, Known<'k>>,
    /// Values that this stage has assigned, by grid and component.
    pub(super) assigned: HashMap<(usize, usize), V<'k>>,
    /// Values of taps that are no loads from memory.
    pub(super) taps: HashMap<Tap, V<'k>>,
    /// Steps of the launch before this one.
    pub(super) steps: i64,
}

type Values<'k> = HashMap<ExprId, Known<'k>>;

impl<'k> Generator<'_, 'k> {
    fn sure(&self, value: V<'k>) -> Known<'k> {
        Known { value, known: None }
    }

    /// Both are known.
    fn both_known(&self, a: Option<V<'k>>, b: Option<V<'k>>) -> Option<V<'k>> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.both(a, b)),
            (a, b) => a.or(b),
        }
    }

    /// The value of an expression at a point.
    pub(super) fn evaluate(&self, root: ExprId, point: &Point<'k>, scope: &Scope<'k>) -> Known<'k> {
        let graph = self.stencil().graph();
        let mut values: Values<'k> = HashMap::new();
        for expression in graph.reachable([root]) {
            let value = self.node(expression, point, scope, &values);
            values.insert(expression, value);
        }
        values[&root]
    }

    fn node(&self, expression: ExprId, point: &Point<'k>, scope: &Scope<'k>, values: &Values<'k>) -> Known<'k> {
        let graph = self.stencil().graph();
        let kind = graph.type_of(expression);
        let of = |operand: &ExprId| values[operand];
        match graph.node(expression) {
            Node::Constant(Constant(value)) => self.sure(self.constant(*value, kind)),
            Node::Size(name) => self.sure(self.value(KernelArgument::Size(name.clone()))),
            Node::Coordinate(axis) => self.sure(self.coordinate(point, *axis)),
            Node::Time => self.sure(self.time(scope.steps)),
            Node::Parameter { parameter, indices } => {
                let indices: Vec<(Known<'k>, Type)> =
                    indices.iter().map(|index| (of(index), graph.type_of(*index))).collect();
                self.parameter(*parameter, &indices)
            }
            Node::Result(_) => unreachable!("only the stop criterion reads results, on the host"),
            Node::Temporary(temporary) => scope.temporaries[temporary],
            Node::Tap(tap) => self.tap(tap, point, scope),
            Node::Convert(a) => {
                let from = element(graph.type_of(*a));
                let a = of(a);
                Known { value: self.e.convert_as_rust(from, element(kind), a.value), ..a }
            }
            Node::Unary(Unary::Negate, a) => self.exact(array::Unary::Neg, kind, of(a)),
            Node::Unary(Unary::Not, a) => {
                let a = of(a);
                Known { value: self.e.unary(UnaryOp::Not, a.value), ..a }
            }
            Node::Binary(operator, a, b) if operator.is_logical() => self.logical(*operator, of(a), of(b)),
            Node::Binary(operator, a, b) => {
                let (known, type_of) = (self.both_known(of(a).known, of(b).known), graph.type_of(*a));
                Known { value: self.operator(*operator, type_of, of(a).value, of(b).value), known }
            }
            Node::Power(a, exponent) => {
                let a = of(a);
                Known { value: self.power(kind, a.value, *exponent), ..a }
            }
            Node::Call(function, arguments) => {
                let a = of(&arguments[0]);
                let b = of(arguments.last().unwrap_or(&arguments[0]));
                Known { value: self.call(*function, kind, a.value, b.value), known: self.both_known(a.known, b.known) }
            }
            Node::Select(condition, a, b) => self.selection(of(condition), of(a), of(b), kind),
        }
    }

    /// A constant of a type.
    pub(super) fn constant(&self, value: f64, kind: Type) -> V<'k> {
        let bits = match kind {
            Type::Bool => u64::from(value != 0.0),
            Type::I32 => u64::from(value as i32 as u32),
            Type::I64 => value as i64 as u64,
            Type::F32 => u64::from((value as f32).to_bits()),
            Type::F64 => value.to_bits(),
        };
        self.e.bits(element(kind), bits)
    }

    fn exact(&self, function: array::Unary, kind: Type, a: Known<'k>) -> Known<'k> {
        let value = self.e.exact_unary(function, element(kind), a.value).expect("an operation of numbers");
        Known { value, ..a }
    }

    /// An operation of the array engine, which has the same rounding and wraps integers as Rust does.
    fn arithmetic(&self, function: array::Binary, kind: Type, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.exact_binary(function, element(kind), a, b).expect("an operation of numbers")
    }

    /// The sum of two numbers.
    pub(super) fn sum(&self, kind: Type, a: V<'k>, b: V<'k>) -> V<'k> {
        self.arithmetic(array::Binary::Add, kind, a, b)
    }

    /// An operator on two numbers.
    pub(super) fn operator(&self, operator: Binary, kind: Type, a: V<'k>, b: V<'k>) -> V<'k> {
        let function = match operator {
            Binary::Add => array::Binary::Add,
            Binary::Subtract => array::Binary::Sub,
            Binary::Multiply => array::Binary::Mul,
            Binary::Divide => {
                self.e.demand_rounding();
                array::Binary::Div
            }
            Binary::Remainder => return self.remainder(kind, a, b),
            Binary::Less => array::Binary::Lt,
            Binary::LessEqual => array::Binary::Le,
            Binary::Greater => array::Binary::Gt,
            Binary::GreaterEqual => array::Binary::Ge,
            Binary::Equal => array::Binary::Eq,
            Binary::NotEqual => array::Binary::Ne,
            Binary::And | Binary::Or => unreachable!("logical operators know what they do not need"),
        };
        self.arithmetic(function, kind, a, b)
    }

    /// The remainder with the divisor's sign.
    fn remainder(&self, kind: Type, a: V<'k>, b: V<'k>) -> V<'k> {
        let zero = self.constant(0.0, kind);
        let rest = self.arithmetic(array::Binary::Rem, kind, a, b);
        self.e.select(self.is_of_other_sign(rest, b, zero), self.sum(kind, rest, b), rest)
    }

    /// A remainder that is not 0 and has not the divisor's sign.
    fn is_of_other_sign(&self, rest: V<'k>, divisor: V<'k>, zero: V<'k>) -> V<'k> {
        let differ = self.e.binary(BinaryOp::Xor, self.less(rest, zero), self.less(divisor, zero));
        self.both(self.e.binary(BinaryOp::Ne, rest, zero), differ)
    }

    /// `&&` and `||`: an unknown operand does not matter where the other one decides.
    fn logical(&self, operator: Binary, a: Known<'k>, b: Known<'k>) -> Known<'k> {
        let op = if operator == Binary::And { BinaryOp::And } else { BinaryOp::Or };
        if a.known.is_none() && b.known.is_none() {
            return self.sure(self.e.binary(op, a.value, b.value));
        }
        let truth = |known: Option<V<'k>>| known.unwrap_or_else(|| self.e.truth(true, 1));
        let (a_known, b_known) = (truth(a.known), truth(b.known));
        let not = |value| self.e.unary(UnaryOp::Not, value);
        let or = |a, b| self.e.binary(BinaryOp::Or, a, b);
        let decides = |value: V<'k>, known| {
            let decisive = if operator == Binary::And { not(value) } else { value };
            self.both(decisive, known)
        };
        let is_decided = or(decides(a.value, a_known), decides(b.value, b_known));
        // A decided value is false of `&&`, true of `||`.
        let plain = self.e.binary(op, a.value, b.value);
        let value = if operator == Binary::And { self.both(not(is_decided), plain) } else { or(is_decided, plain) };
        Known { value, known: Some(or(is_decided, self.both(a_known, b_known))) }
    }

    fn selection(&self, condition: Known<'k>, a: Known<'k>, b: Known<'k>, kind: Type) -> Known<'k> {
        let chosen = |a: V<'k>, b: V<'k>, is_bool: bool| {
            if !is_bool {
                return self.e.select(condition.value, a, b);
            }
            let other = self.both(self.e.unary(UnaryOp::Not, condition.value), b);
            self.e.binary(BinaryOp::Or, self.both(condition.value, a), other)
        };
        let known = (a.known.is_some() || b.known.is_some()).then(|| {
            let [a, b] = [a, b].map(|each| each.known.unwrap_or_else(|| self.e.truth(true, 1)));
            chosen(a, b, true)
        });
        Known { value: chosen(a.value, b.value, kind == Type::Bool), known: self.both_known(condition.known, known) }
    }

    fn power(&self, kind: Type, base: V<'k>, exponent: i32) -> V<'k> {
        let one = self.constant(1.0, kind);
        let multiply = |a, b| self.arithmetic(array::Binary::Mul, kind, a, b);
        let result = power(base, exponent.unsigned_abs(), one, multiply);
        if exponent < 0 && kind.is_real() { self.operator(Binary::Divide, kind, one, result) } else { result }
    }

    fn call(&self, function: Function, kind: Type, a: V<'k>, b: V<'k>) -> V<'k> {
        let exact = |function| self.exact(function, kind, self.sure(a)).value;
        match function {
            Function::Abs => exact(array::Unary::Abs),
            Function::Min => self.e.select(self.less(b, a), b, a),
            Function::Max => self.e.select(self.less(a, b), b, a),
            Function::Quotient if kind.is_integer() => {
                let [zero, one] = [0.0, 1.0].map(|value| self.constant(value, kind));
                let quotient = self.arithmetic(array::Binary::Div, kind, a, b);
                let rest = self.arithmetic(array::Binary::Rem, kind, a, b);
                let below = self.arithmetic(array::Binary::Sub, kind, quotient, one);
                self.e.select(self.is_of_other_sign(rest, b, zero), below, quotient)
            }
            Function::Quotient => self.e.unary(UnaryOp::Floor, self.operator(Binary::Divide, kind, a, b)),
            Function::Sqrt => {
                self.e.demand_rounding();
                exact(array::Unary::Sqrt)
            }
            Function::Floor => exact(array::Unary::Floor),
            Function::Ceil => exact(array::Unary::Ceil),
            Function::Trunc => exact(array::Unary::Trunc),
            function => self.elementary(function, kind, a, b),
        }
    }

    /// A function of `affinimath-math`.
    fn elementary(&self, function: Function, kind: Type, a: V<'k>, b: V<'k>) -> V<'k> {
        // Its divisions are correctly rounded.
        self.e.demand_rounding();
        let lanes = self.e.lanes(a).max(self.e.lanes(b));
        let [a, b] = [a, b].map(|value| self.e.widen(value, lanes));
        let single = kind == Type::F32;
        let binary = match function {
            Function::Atan2 => Some(array::Binary::Atan2),
            Function::Power => Some(array::Binary::Pow),
            _ => None,
        };
        let value = match (binary, single) {
            (Some(function), true) => own_binary(Machine::<f32>::new(self.e, lanes), function, a, b),
            (Some(function), false) => own_binary(Machine::<f64>::new(self.e, lanes), function, a, b),
            (None, true) => own_unary(Machine::<f32>::new(self.e, lanes), unary_of(function), a),
            (None, false) => own_unary(Machine::<f64>::new(self.e, lanes), unary_of(function), a),
        };
        value.expect("a function of affinimath-math")
    }

    /// A parameter, or the element at indices.
    fn parameter(&self, number: usize, indices: &[(Known<'k>, Type)]) -> Known<'k> {
        if indices.is_empty() && self.stencil().parameters()[number].values.is_none() {
            return self.sure(self.value(KernelArgument::Scalar(number)));
        }
        let wide = ScalarType::I64;
        let mut position = self.e.whole(wide, 0, 1);
        let mut known = None;
        for (range, (index, kind)) in indices.iter().enumerate() {
            let index_value = self.e.convert_as_rust(element(*kind), ElementType::I64, index.value);
            let first = self.value(KernelArgument::RangeFirst(number, range));
            let length = self.value(KernelArgument::RangeLength(number, range));
            // A difference that wraps is outside as well: ranges end at 2^48.
            let offset = self.arithmetic(array::Binary::Sub, Type::I64, index_value, first);
            let zero = self.e.whole(wide, 0, 1);
            let is_inside = self.both(self.not_above(zero, offset), self.less(offset, length));
            known = self.both_known(known, self.both_known(index.known, Some(is_inside)));
            let offset = self.e.select(is_inside, offset, zero);
            position = self.add(self.multiply(position, length), offset);
        }
        let buffer = self.buffer(KernelArgument::Elements(number));
        let lanes: Vec<V<'k>> = (0..self.e.lanes(position))
            .map(|lane| self.e.load(buffer, self.e.lane(position, lane), 1, false))
            .collect();
        Known { value: self.e.gather(&lanes), known }
    }

    fn tap(&self, tap: &Tap, point: &Point<'k>, scope: &Scope<'k>) -> Known<'k> {
        let is_centre = tap.offsets.iter().all(|&offset| offset == 0);
        let grids = self.stencil().grids();
        let is_written = self.stencil().written_level(tap.grid) == Some(tap.time) && !grids[tap.grid].constant;
        if let Some(value) = scope.assigned.get(&(tap.grid, tap.component)).filter(|_| is_centre && is_written) {
            return self.sure(*value);
        }
        if let Some(value) = scope.taps.get(tap) {
            return self.sure(*value);
        }
        let own = match self.pass {
            Pass::Faces { grid, .. } => grid == tap.grid,
            _ => true,
        };
        if !own {
            return self.foreign_tap(tap, point);
        }
        let level = match self.pass {
            Pass::Faces { .. } => Level::Own,
            _ if grids[tap.grid].constant => Level::At(0),
            _ => Level::At(self.level_of(tap, is_centre)),
        };
        let slice = Slice { grid: tap.grid, component: tap.component, level };
        let element = self.element_of(slice, point, &tap.offsets);
        self.sure(self.load(slice, element, point.lanes))
    }

    /// The time, some steps after the launch's first one.
    fn time(&self, steps: i64) -> V<'k> {
        let first = self.value(KernelArgument::Time);
        if steps == 0 { first } else { self.add(first, self.e.whole(ScalarType::I64, steps, 1)) }
    }

    /// The black half of a red-black sweep reads the red half's new values.
    fn level_of(&self, tap: &Tap, is_centre: bool) -> i32 {
        let newest = self.bound.facts().grids[tap.grid].newest;
        let is_coupled = match self.pass {
            Pass::Sweep { stage, colour: Some(Colour::Black), .. }
            | Pass::Loops { stage, colour: Some(Colour::Black), .. } => {
                self.stencil().assigned_in(stage).contains(&tap.grid)
            }
            _ => false,
        };
        if is_coupled && !is_centre && tap.time == newest - 1 { newest } else { tap.time }
    }

    /// A constant grid at a point beyond another one's face: its memory may end before.
    fn foreign_tap(&self, tap: &Tap, point: &Point<'k>) -> Known<'k> {
        let wide = ScalarType::I64;
        let axes = &self.stencil().grids()[tap.grid].axes;
        let mut known = None;
        let slice = Slice::at(tap.grid, tap.component, 0);
        let mut element = self.value(slice.origin());
        for (position, &axis) in axes.iter().enumerate() {
            let offset = self.e.whole(wide, i64::from(tap.offsets[axis]), 1);
            let lane = Point { lanes: 1, ..*point };
            let coordinate = self.add(self.coordinate(&lane, axis), offset);
            let [first, last] = [KernelArgument::First(tap.grid, position), KernelArgument::Last(tap.grid, position)]
                .map(|argument| self.value(argument));
            let is_inside = self.both(self.not_above(first, coordinate), self.not_above(coordinate, last));
            known = self.both_known(known, Some(is_inside));
            let local = self.subtract(coordinate, self.value(KernelArgument::Lower(axis)));
            let local = self.e.select(is_inside, local, self.e.whole(wide, 0, 1));
            let local = self.e.convert(local, self.index_type());
            let stride = self.value(KernelArgument::Stride(tap.grid, position));
            element = self.add(element, self.multiply(local, stride));
        }
        Known { value: self.load(slice, element, 1), known }
    }

    /// Notes an unknown value that is used. The first pass that does so is told.
    pub(super) fn demand(&self, known: Option<V<'k>>) {
        let Some(known) = known else { return };
        let is_unknown = self.e.any(self.e.unary(UnaryOp::Not, known));
        let (flag, code) = (self.buffer(KernelArgument::Flag), self.value(KernelArgument::Code));
        self.e.when(is_unknown, || {
            let (index, none) = (self.index(0), self.e.whole(ScalarType::I32, 0, 1));
            if let Err(error) = flag.atomic(AtomicOp::CompareExchange, index, &[none, code]) {
                self.e.record(error);
            }
        });
    }

    /// 1 where a condition holds, else 0.
    pub(super) fn counted(&self, condition: V<'k>, kind: Type) -> V<'k> {
        self.e.convert_as_rust(ElementType::Bool, element(kind), condition)
    }
}

const fn unary_of(function: Function) -> array::Unary {
    match function {
        Function::Exp => array::Unary::Exp,
        Function::Log => array::Unary::Ln,
        Function::Sin => array::Unary::Sin,
        Function::Cos => array::Unary::Cos,
        Function::Tan => array::Unary::Tan,
        Function::Asin => array::Unary::Asin,
        Function::Acos => array::Unary::Acos,
        Function::Atan => array::Unary::Atan,
        Function::Sinh => array::Unary::Sinh,
        Function::Cosh => array::Unary::Cosh,
        Function::Tanh => array::Unary::Tanh,
        // Others are operations.
        _ => array::Unary::IsNan,
    }
}
