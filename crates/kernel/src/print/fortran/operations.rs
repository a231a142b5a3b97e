//! Operations in Fortran. Those on unsigned and on short integers, which wrap around, are functions of the module.

use super::super::super::ir::{Id, Op};
use super::super::super::operations::{BinaryOp, UnaryOp};
use super::super::super::types::ScalarType;
use super::super::operators::Level;
use super::super::{Printer, Text};
use super::helpers::Helper;
use super::{Fortran, bare, is_unsigned, kind};

/// The text of an operation; `None` for those that are printed as in C.
pub(super) fn operation(dialect: &Fortran, printer: &Printer<'_>, id: Id, operands: &[(Id, Text)]) -> Option<Text> {
    let writer = Writer { dialect };
    let node = &printer.program.nodes[id];
    let scalar = node.value_type.scalar;
    let of = |slot: usize| printer.program.nodes[operands[slot].0].value_type.scalar;
    let text = |slot: usize| &operands[slot].1;
    Some(match &node.op {
        Op::Unary(op, _) => writer.unary(*op, of(0), text(0)),
        Op::Binary(op, ..) => writer.binary(*op, of(0), text(0), text(1)),
        Op::Fma(..) => {
            let function = dialect.helper(Helper::External("fma", scalar));
            Text::name(format!("{function}({}, {}, {})", text(0).text, text(1).text, text(2).text))
        }
        Op::Select(..) => Text::name(format!("merge({}, {}, {})", text(1).text, text(2).text, text(0).text)),
        Op::Convert(_) => writer.convert(of(0), scalar, text(0)),
        Op::ConvertSat(_) => writer.call(Helper::Saturate(of(0), scalar), &[text(0)]),
        Op::Bitcast(_) if of(0).is_float() == scalar.is_float() => text(0).clone(),
        Op::Bitcast(_) => {
            let zero = if scalar.is_float() { "0.0" } else { "0" };
            Text::name(format!("transfer({}, {zero}_{})", text(0).text, kind(scalar)))
        }
        _ => return None,
    })
}

/// An unsigned integer of less than 64 bits as one of 64 bits.
pub(super) fn zero_extended(text: &Text, scalar: ScalarType) -> Text {
    let mask = (1_u64 << scalar.bits()) - 1;
    Text::name(format!("iand(int({}, c_int64_t), {mask}_c_int64_t)", text.text))
}

struct Writer<'a> {
    dialect: &'a Fortran,
}

impl Writer<'_> {
    fn call(&self, helper: Helper, arguments: &[&Text]) -> Text {
        let arguments: Vec<&str> = arguments.iter().map(|text| text.text.as_str()).collect();
        Text::name(format!("{}({})", self.dialect.helper(helper), arguments.join(", ")))
    }

    fn unary(&self, op: UnaryOp, scalar: ScalarType, a: &Text) -> Text {
        let text = &a.text;
        let function = match op {
            UnaryOp::Neg if wraps(scalar) => {
                return Text::name(format!(
                    "{}(0_{}, {text})",
                    self.dialect.helper(Helper::Sub(scalar.bits())),
                    kind(scalar)
                ));
            }
            UnaryOp::Neg => return Text::at(Level::Sum, format!("-{}", a.at_least(Level::Product))),
            UnaryOp::Not if scalar == ScalarType::Bool => {
                return Text::at(Level::Bits, format!(".not. {}", a.at_least(Level::Relation)));
            }
            UnaryOp::Not => "not",
            UnaryOp::SignBit => {
                let word = kind(scalar.unsigned());
                return Text::at(Level::Relation, format!("transfer({text}, 0_{word}) < 0_{word}"));
            }
            UnaryOp::Popcount => return Text::name(format!("int(popcnt({text}), {})", kind(scalar))),
            UnaryOp::LeadingZeros => return Text::name(format!("int(leadz({text}), {})", kind(scalar))),
            UnaryOp::Floor => return self.call(Helper::Floor(scalar), &[a]),
            UnaryOp::Ceil => return self.call(Helper::Ceil(scalar), &[a]),
            UnaryOp::Rint => return self.call(Helper::Rint(scalar), &[a]),
            UnaryOp::Cbrt => return self.call(Helper::External("cbrt", scalar), &[a]),
            UnaryOp::Exp2 => return self.call(Helper::External("exp2", scalar), &[a]),
            UnaryOp::Expm1 => return self.call(Helper::External("expm1", scalar), &[a]),
            UnaryOp::Log2 => return self.call(Helper::External("log2", scalar), &[a]),
            UnaryOp::Log1p => return self.call(Helper::External("log1p", scalar), &[a]),
            UnaryOp::Trunc => "aint",
            UnaryOp::Tgamma => "gamma",
            UnaryOp::Lgamma => "log_gamma",
            UnaryOp::Abs => "abs",
            UnaryOp::Sqrt => "sqrt",
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
            UnaryOp::Log => "log",
            UnaryOp::Log10 => "log10",
            UnaryOp::Erf => "erf",
            UnaryOp::Erfc => "erfc",
        };
        Text::name(format!("{function}({text})"))
    }

    fn binary(&self, op: BinaryOp, scalar: ScalarType, a: &Text, b: &Text) -> Text {
        if scalar == ScalarType::Bool {
            return logical(op, a, b);
        }
        if op.is_comparison() {
            return comparison(op, scalar, a, b);
        }
        let bits = scalar.bits();
        let helper = match op {
            BinaryOp::Add if wraps(scalar) => Helper::Add(bits),
            BinaryOp::Sub if wraps(scalar) => Helper::Sub(bits),
            BinaryOp::Mul if wraps(scalar) => Helper::Mul(bits),
            BinaryOp::Div if is_unsigned(scalar) => Helper::Div(bits),
            BinaryOp::Rem if is_unsigned(scalar) => Helper::Rem(bits),
            BinaryOp::Min if is_unsigned(scalar) => Helper::MinUnsigned(bits),
            BinaryOp::Max if is_unsigned(scalar) => Helper::MaxUnsigned(bits),
            BinaryOp::Min if scalar.is_float() => Helper::MinReal(scalar),
            BinaryOp::Max if scalar.is_float() => Helper::MaxReal(scalar),
            BinaryOp::MulHigh => Helper::MulHigh(scalar),
            _ => return self.infix(op, scalar, a, b),
        };
        self.call(helper, &[a, b])
    }

    /// Operators, and functions of the language.
    fn infix(&self, op: BinaryOp, scalar: ScalarType, a: &Text, b: &Text) -> Text {
        // Compilers may evaluate a + b + c in another order, but for parentheses.
        let first = if scalar.is_float() { Level::Product } else { Level::Sum };
        let (sign, level, left, right) = match op {
            BinaryOp::Add => ("+", Level::Sum, first, Level::Product),
            BinaryOp::Sub => ("-", Level::Sum, first, Level::Product),
            BinaryOp::Mul => ("*", Level::Product, Level::Primary, Level::Primary),
            BinaryOp::Div => ("/", Level::Product, Level::Primary, Level::Primary),
            BinaryOp::Pow => ("**", Level::Product, Level::Primary, Level::Primary),
            _ => return functions(op, scalar, a, b),
        };
        let (a, b) = (a.at_least(left), b.at_least(right));
        let is_index = scalar == ScalarType::I64;
        let (a, b) = if is_index { either_bare(&a, &b) } else { (a.as_str(), b.as_str()) };
        Text::at(level, format!("{a} {sign} {b}"))
    }

    fn convert(&self, from: ScalarType, to: ScalarType, a: &Text) -> Text {
        let (text, target) = (&a.text, kind(to));
        if to == ScalarType::Bool {
            let zero = if from.is_float() { "0.0" } else { "0" };
            return Text::at(Level::Relation, format!("{} /= {zero}_{}", a.at_least(Level::Sum), kind(from)));
        }
        if from == ScalarType::Bool {
            let zero = if to.is_float() { ".0" } else { "" };
            return Text::name(format!("merge(1{zero}_{target}, 0{zero}_{target}, {text})"));
        }
        match (from.is_float(), to.is_float()) {
            (true, true) => Text::name(format!("real({text}, {target})")),
            (false, true) if from == ScalarType::U64 => self.call(Helper::ToReal(to), &[a]),
            (false, true) if is_unsigned(from) => {
                Text::name(format!("real({}, {target})", zero_extended(a, from).text))
            }
            (false, true) => Text::name(format!("real({text}, {target})")),
            (true, false) if to == ScalarType::U64 => self.call(Helper::FromReal(from), &[a]),
            (true, false) if is_unsigned(to) => {
                self.call(Helper::Narrow(to.bits()), &[&Text::name(format!("int({text}, c_int64_t)"))])
            }
            (true, false) => Text::name(format!("int({text}, {target})")),
            (false, false) => self.resized(from, to, a),
        }
    }

    /// An integer with the bits of another size.
    fn resized(&self, from: ScalarType, to: ScalarType, a: &Text) -> Text {
        let target = kind(to);
        if from.bits() == to.bits() {
            return a.clone();
        }
        if from.bits() > to.bits() {
            let wide = if from.bits() == 64 { a.clone() } else { Text::name(format!("int({}, c_int64_t)", a.text)) };
            return self.call(Helper::Narrow(to.bits()), &[&wide]);
        }
        if is_unsigned(from) {
            let mask = (1_u64 << from.bits()) - 1;
            return Text::name(format!("iand(int({}, {target}), {mask}_{target})", a.text));
        }
        Text::name(format!("int({}, {target})", a.text))
    }
}

/// True for integers that wrap around.
fn wraps(scalar: ScalarType) -> bool {
    is_unsigned(scalar) || scalar.is_promoted()
}

/// One operand without its kind, which the other one has.
fn either_bare<'t>(a: &'t str, b: &'t str) -> (&'t str, &'t str) {
    let short = bare(b);
    if short.len() < b.len() && bare(a).len() == a.len() { (a, short) } else { (bare_before(a, b), b) }
}

fn bare_before<'t>(a: &'t str, b: &str) -> &'t str {
    // Two constants would be of another kind.
    if bare(b).len() == b.len() && !b.chars().all(|c| c.is_ascii_digit()) { bare(a) } else { a }
}

fn logical(op: BinaryOp, a: &Text, b: &Text) -> Text {
    let (sign, level, operand) = match op {
        BinaryOp::And => (".and.", Level::And, Level::And),
        BinaryOp::Or => (".or.", Level::Or, Level::Bits),
        BinaryOp::Eq => (".eqv.", Level::Conditional, Level::Bits),
        _ => (".neqv.", Level::Conditional, Level::Bits),
    };
    Text::at(level, format!("{} {sign} {}", a.at_least(operand), b.at_least(operand)))
}

fn comparison(op: BinaryOp, scalar: ScalarType, a: &Text, b: &Text) -> Text {
    let (sign, bitwise) = match op {
        BinaryOp::Lt => ("<", "blt"),
        BinaryOp::Le => ("<=", "ble"),
        BinaryOp::Gt => (">", "bgt"),
        BinaryOp::Ge => (">=", "bge"),
        BinaryOp::Eq => ("==", ""),
        _ => ("/=", ""),
    };
    if is_unsigned(scalar) && !bitwise.is_empty() {
        return Text::name(format!("{bitwise}({}, {})", a.text, b.text));
    }
    let (a, b) = (a.at_least(Level::Sum), b.at_least(Level::Sum));
    let (a, b) = if scalar == ScalarType::I64 { either_bare(&a, &b) } else { (a.as_str(), b.as_str()) };
    Text::at(Level::Relation, format!("{a} {sign} {b}"))
}

fn functions(op: BinaryOp, scalar: ScalarType, a: &Text, b: &Text) -> Text {
    let (a, b) = (&a.text, &b.text);
    let function = match op {
        BinaryOp::And => "iand",
        BinaryOp::Or => "ior",
        BinaryOp::Xor => "ieor",
        BinaryOp::Shl => "shiftl",
        BinaryOp::Shr if is_unsigned(scalar) => "shiftr",
        BinaryOp::Shr => "shifta",
        BinaryOp::RotateLeft => {
            let mask = scalar.bits() - 1;
            return Text::name(format!("ishftc({a}, iand({b}, {mask}_{}))", kind(scalar)));
        }
        BinaryOp::Atan2 => "atan2",
        BinaryOp::Hypot => "hypot",
        BinaryOp::Copysign => "sign",
        BinaryOp::Ldexp => "scale",
        BinaryOp::Min => "min",
        BinaryOp::Max => "max",
        // The remainder of truncated division, as C's.
        _ => "mod",
    };
    Text::name(format!("{function}({a}, {b})"))
}
