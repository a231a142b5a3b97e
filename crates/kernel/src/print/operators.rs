//! Expressions as text.

use super::super::ir::{Alignment, Id, Op, Query};
use super::super::operations::{BinaryOp, UnaryOp};
use super::super::types::{ScalarType, ValueType};
use super::dialect::HalfAccess;
use super::{Printer, Text};

/// C's operator precedence, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Conditional,
    Or,
    And,
    Bits,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

impl Text {
    /// The text, in parentheses if its precedence is lower.
    pub(super) fn at_least(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// The address of an element.
pub(super) fn address(memory: &str, index: &Text) -> String {
    if index.text == "0" { memory.to_owned() } else { format!("{memory} + {}", index.at_least(Level::Product)) }
}

/// A binary operator's sign, its level, and the levels of its operands. Bitwise operators and shifts take nothing bare
/// but names, calls and signs: few know their precedence.
fn operator(op: BinaryOp, value_type: ValueType) -> Option<(&'static str, Level, Level, Level)> {
    let scalar = value_type.scalar;
    // The lanes of boolean vectors are 0 and -1.
    let logical = scalar == ScalarType::Bool && value_type.lanes == 1;
    Some(match op {
        BinaryOp::Add => ("+", Level::Sum, Level::Sum, Level::Product),
        BinaryOp::Sub => ("-", Level::Sum, Level::Sum, Level::Product),
        BinaryOp::Mul => ("*", Level::Product, Level::Product, Level::Unary),
        BinaryOp::Div => ("/", Level::Product, Level::Product, Level::Unary),
        BinaryOp::Rem if !scalar.is_float() => ("%", Level::Product, Level::Product, Level::Unary),
        BinaryOp::And if logical => ("&&", Level::And, Level::And, Level::Equality),
        BinaryOp::Or if logical => ("||", Level::Or, Level::Bits, Level::Bits),
        BinaryOp::Xor if logical => ("!=", Level::Equality, Level::Shift, Level::Shift),
        BinaryOp::And => ("&", Level::Bits, Level::Unary, Level::Unary),
        BinaryOp::Or => ("|", Level::Bits, Level::Unary, Level::Unary),
        BinaryOp::Xor => ("^", Level::Bits, Level::Unary, Level::Unary),
        BinaryOp::Shl => ("<<", Level::Shift, Level::Unary, Level::Unary),
        BinaryOp::Shr => (">>", Level::Shift, Level::Unary, Level::Unary),
        BinaryOp::Lt => ("<", Level::Relation, Level::Sum, Level::Sum),
        BinaryOp::Le => ("<=", Level::Relation, Level::Sum, Level::Sum),
        BinaryOp::Gt => (">", Level::Relation, Level::Sum, Level::Sum),
        BinaryOp::Ge => (">=", Level::Relation, Level::Sum, Level::Sum),
        BinaryOp::Eq => ("==", Level::Equality, Level::Sum, Level::Sum),
        BinaryOp::Ne => ("!=", Level::Equality, Level::Sum, Level::Sum),
        _ => return None,
    })
}

impl Printer<'_> {
    /// The text of the operation that computes a value.
    pub(super) fn expression(&mut self, id: Id) -> Text {
        let program = self.program;
        let node = &program.nodes[id];
        let operands: Vec<(Id, Text)> = node.op.operands().into_iter().map(|id| (id, self.take(id))).collect();
        let mut text = self.operation(id, &operands);
        for (_, operand) in &operands {
            text.variables.extend(&operand.variables);
            text.memories.extend(&operand.memories);
        }
        match node.op {
            Op::Read(variable) => text.variables.push(variable),
            Op::Load(memory, ..) => text.memories.push(memory),
            _ => {}
        }
        text
    }

    fn operation(&self, id: Id, operands: &[(Id, Text)]) -> Text {
        let (op, value_type) = (&self.program.nodes[id].op, self.program.nodes[id].value_type);
        if let Some(text) = self.dialect.operation(self, id, operands) {
            return text;
        }
        if let Some(text) = self.mask_operation(id, operands) {
            return text;
        }
        let of = |slot: usize| self.program.nodes[operands[slot].0].value_type;
        let all = || operands.iter().map(|(_, text)| text.text.as_str()).collect::<Vec<_>>().join(", ");
        match op {
            Op::Query(query, dimension) => self.query(*query, *dimension),
            Op::Unary(unary, _) => self.unary(*unary, of(0), &operands[0].1),
            Op::Binary(binary, ..) => self.binary(*binary, of(0), operands),
            Op::Fma(..) => Text::name(format!("{}({})", self.dialect.function("fma", value_type.scalar), all())),
            Op::Select(..) => {
                let [condition, a, b] = [0, 1, 2].map(|number| operands[number].1.at_least(Level::Or));
                self.promoted(value_type, Text::at(Level::Conditional, format!("{condition} ? {a} : {b}")))
            }
            Op::Convert(_) if value_type.lanes > 1 => {
                Text::name(self.dialect.convert_vector(&self.type_name(value_type), &all()))
            }
            Op::Convert(_) => {
                let cast = format!("({}){}", self.type_name(value_type), operands[0].1.at_least(Level::Unary));
                Text::at(Level::Unary, cast)
            }
            Op::ConvertSat(_) => {
                Text::name(format!("{}({})", self.dialect.saturating(of(0).scalar, value_type), all()))
            }
            Op::Bitcast(_) => {
                let function = self.dialect.bitcast(of(0).scalar, value_type);
                let level = if function.starts_with('(') { Level::Unary } else { Level::Primary };
                Text::at(level, format!("{function}({})", all()))
            }
            // Checks are taken out before.
            Op::Within(..) => operands[0].1.clone(),
            Op::Any(_) => Text::name(format!("any({})", all())),
            Op::All(_) => Text::name(format!("all({})", all())),
            Op::Splat(_) => self.dialect.splat(&self.type_name(value_type), value_type.lanes, &operands[0].1.text),
            Op::Gather(lanes) => self.gather(lanes, value_type, operands),
            Op::Lane(_, lane) => {
                Text::name(self.dialect.lane(&operands[0].1.at_least(Level::Primary), of(0).lanes, *lane))
            }
            Op::Read(variable) => Text::name(self.variable_name(*variable)),
            Op::Load(memory, index, alignment) => {
                let element = self.element(*memory, &operands[0].1, self.program.nodes[*index].value_type.scalar);
                self.load(*memory, &element, value_type, &operands[0].1, *alignment)
            }
            Op::Call(function, _) => Text::name(format!("{}({})", self.program.functions[*function].name, all())),
            Op::Constant(_) | Op::Argument(_) | Op::Parameter | Op::Counter | Op::Atomic(..) => Text::name(""),
        }
    }

    fn query(&self, query: Query, dimension: usize) -> Text {
        let (text, level) = self.dialect.query(query, dimension);
        Text { level, ..Text::name(text) }
    }

    fn load(&self, memory: usize, element: &str, value_type: ValueType, index: &Text, alignment: Alignment) -> Text {
        let name = self.memory_name(memory);
        let memory = &self.program.memories[memory];
        if memory.element.scalar == ScalarType::F16 {
            let access = HalfAccess { memory, element, name: &name, index, lanes: value_type.lanes, alignment };
            return Text::name(self.dialect.load_half(&access));
        }
        if value_type.lanes == memory.element.lanes {
            return Text::name(element);
        }
        self.dialect.load_vector(memory.space, alignment, value_type, &address(&name, index))
    }

    /// C promotes integers of 8 and 16 bits to `int`: a cast makes them what they are.
    fn promoted(&self, value_type: ValueType, text: Text) -> Text {
        if value_type.lanes > 1 || !value_type.scalar.is_promoted() {
            return text;
        }
        Text::at(Level::Unary, format!("({})({})", self.type_name(value_type), text.text))
    }

    fn unary(&self, op: UnaryOp, value_type: ValueType, operand: &Text) -> Text {
        let sign = match op {
            UnaryOp::Neg => "-",
            UnaryOp::Not if value_type.scalar == ScalarType::Bool => "!",
            UnaryOp::Not => "~",
            // The value of the macro is any other than 0.
            UnaryOp::SignBit => return Text::at(Level::Equality, format!("signbit({}) != 0", operand.text)),
            _ => {
                let function = self.dialect.function(function_name(op), value_type.scalar);
                return Text::name(format!("{function}({})", operand.text));
            }
        };
        if let Some(text) = self.wrapping(value_type, op == UnaryOp::Neg, |cast| format!("-{cast}({})", operand.text)) {
            return text;
        }
        // Two adjacent minus signs would be the operator --.
        let operand =
            if operand.text.starts_with('-') { format!("({})", operand.text) } else { operand.at_least(Level::Unary) };
        self.promoted(value_type, Text::at(Level::Unary, format!("{sign}{operand}")))
    }

    /// Arithmetic of vectors of 8 or 16 bits, signed, as unsigned: then it wraps around. `operation` takes the cast.
    fn wrapping(&self, value_type: ValueType, overflows: bool, operation: impl Fn(&str) -> String) -> Option<Text> {
        let scalar = value_type.scalar;
        if !overflows || value_type.lanes == 1 || !scalar.is_promoted() || !scalar.is_signed() {
            return None;
        }
        let unsigned = self.dialect.bitcast(scalar, value_type.of(scalar.unsigned()));
        let signed = self.dialect.bitcast(scalar.unsigned(), value_type);
        let level = if signed.starts_with('(') { Level::Unary } else { Level::Primary };
        Some(Text::at(level, format!("{signed}({})", operation(&unsigned))))
    }

    pub(super) fn binary(&self, op: BinaryOp, value_type: ValueType, operands: &[(Id, Text)]) -> Text {
        let scalar = value_type.scalar;
        let [(_, a), (_, b)] = operands else { return Text::name("") };
        let Some((sign, level, left, right)) = operator(op, value_type) else {
            let name = match (op, scalar.is_float()) {
                (BinaryOp::Rem, _) => "fmod",
                (BinaryOp::Min, true) => "fmin",
                (BinaryOp::Max, true) => "fmax",
                (BinaryOp::Min, false) => "min",
                (BinaryOp::Max, false) => "max",
                (BinaryOp::RotateLeft, _) => "rotate",
                (BinaryOp::MulHigh, _) => "mul_hi",
                (BinaryOp::Atan2, _) => "atan2",
                (BinaryOp::Hypot, _) => "hypot",
                (BinaryOp::Copysign, _) => "copysign",
                (BinaryOp::Ldexp, _) => "ldexp",
                _ => "pow",
            };
            return Text::name(format!("{}({}, {})", self.dialect.function(name, scalar), a.text, b.text));
        };
        let overflows = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl);
        let wrapped =
            self.wrapping(value_type, overflows, |cast| format!("{cast}({}) {sign} {cast}({})", a.text, b.text));
        if let Some(text) = wrapped {
            return text;
        }
        let (mut first, second) = (a.at_least(left), self.right_operand(b, right));
        let promotes = value_type.lanes == 1 && scalar.is_promoted() && !op.is_comparison();
        if promotes && matches!(op, BinaryOp::Mul | BinaryOp::Shl) {
            // As an int, a product of 16 bits or a negative value overflows.
            first = format!("({}){}", self.dialect.scalar_name(ScalarType::U32), a.at_least(Level::Unary));
        }
        let text = Text::at(level, format!("{first} {sign} {second}"));
        if promotes { self.promoted(value_type, text) } else { text }
    }

    fn right_operand(&self, text: &Text, level: Level) -> String {
        if text.text.starts_with('-') { format!("({})", text.text) } else { text.at_least(level) }
    }

    /// Lanes of one vector as a selection of its components, and as many lanes of each of two vectors as a selection of
    /// both.
    fn selection(&self, picked: &[(Id, usize)], value_type: ValueType) -> Option<Text> {
        let components =
            |lanes: &mut dyn Iterator<Item = usize>| lanes.map(|lane| format!("{lane:x}")).collect::<String>();
        let of = |vector: Id| {
            let lanes = picked.iter().filter(|(from, _)| *from == vector).map(|(_, lane)| *lane);
            let digits = components(&mut lanes.clone());
            let text = self.texts.get(&vector)?.at_least(Level::Primary);
            Some((lanes.count(), format!("{text}.s{digits}")))
        };
        let first = picked.first()?.0;
        let second = picked.iter().map(|(vector, _)| *vector).find(|vector| *vector != first);
        let (count, low) = of(first)?;
        let Some(second) = second else { return Some(Text::name(low)) };
        let (others, high) = of(second)?;
        if count != others || count < 2 || count + others != picked.len() {
            return None;
        }
        let both = format!("({})({low}, {high})", self.type_name(value_type));
        let (mut from_low, mut from_high) = (0..count, count..picked.len());
        let mut turn = |vector: Id| if vector == first { from_low.next() } else { from_high.next() };
        let order: Vec<usize> = picked.iter().filter_map(|(vector, _)| turn(*vector)).collect();
        if order.is_sorted() {
            return Some(Text { level: Level::Unary, ..Text::name(both) });
        }
        Some(Text::name(format!("({both}).s{}", components(&mut order.into_iter()))))
    }

    /// Shuffles of one or two vectors are component selections.
    fn gather(&self, lanes: &[Id], value_type: ValueType, operands: &[(Id, Text)]) -> Text {
        let lane_of = |id: &Id| match self.program.nodes[*id].op {
            Op::Lane(vector, lane) if self.slots.uses[vector] > 1 => Some((vector, lane)),
            _ => None,
        };
        let picked: Option<Vec<(Id, usize)>> = lanes.iter().map(lane_of).collect();
        let picked = picked.filter(|_| self.dialect.has_component_selection());
        if let Some(selection) = picked.and_then(|picked| self.selection(&picked, value_type)) {
            return selection;
        }
        let lanes: Vec<String> = operands.iter().map(|(_, text)| text.text.clone()).collect();
        self.dialect.vector(&self.type_name(value_type), &lanes)
    }
}

/// A component's name in OpenCL C.
pub(super) fn lane_name(lanes: usize, lane: usize) -> String {
    if lanes == 2 { ["x", "y"][lane].to_owned() } else { format!("s{lane:x}") }
}

fn function_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Abs => "fabs",
        UnaryOp::Sqrt => "sqrt",
        UnaryOp::Cbrt => "cbrt",
        UnaryOp::Sin => "sin",
        UnaryOp::Cos => "cos",
        UnaryOp::Tan => "tan",
        UnaryOp::Asin => "asin",
        UnaryOp::Acos => "acos",
        UnaryOp::Atan => "atan",
        UnaryOp::Sinh => "sinh",
        UnaryOp::Cosh => "cosh",
        UnaryOp::Tanh => "tanh",
        UnaryOp::Asinh => "asinh",
        UnaryOp::Acosh => "acosh",
        UnaryOp::Atanh => "atanh",
        UnaryOp::Exp => "exp",
        UnaryOp::Exp2 => "exp2",
        UnaryOp::Expm1 => "expm1",
        UnaryOp::Log => "log",
        UnaryOp::Log2 => "log2",
        UnaryOp::Log10 => "log10",
        UnaryOp::Log1p => "log1p",
        UnaryOp::Erf => "erf",
        UnaryOp::Erfc => "erfc",
        UnaryOp::Tgamma => "tgamma",
        UnaryOp::Lgamma => "lgamma",
        UnaryOp::Floor => "floor",
        UnaryOp::Ceil => "ceil",
        UnaryOp::Trunc => "trunc",
        UnaryOp::Rint => "rint",
        UnaryOp::Popcount => "popcount",
        UnaryOp::LeadingZeros => "clz",
        UnaryOp::SignBit => "signbit",
        UnaryOp::Neg | UnaryOp::Not => "",
    }
}
