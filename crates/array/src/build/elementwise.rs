//! Elementwise operations.

use super::broadcast;
use crate::element::ElementType;
use crate::error::ErrorKind;
use crate::function::{Binary, Unary};
use crate::node::{Complex, Node, Op, Operands};

impl Node {
    /// A function of each element. [`Op::Unary`] tells the types it is defined for.
    #[track_caller]
    pub fn unary(&self, function: Unary) -> Node {
        let element = unary_type(function, self.element());
        let operation = function.name();
        Node::build(Operands::One([self.clone()]), operation, fallback(&element, self), |nodes| {
            Ok((Op::Unary(function), element?, *nodes[0].shape()))
        })
    }

    /// A function of elements of both operands, which broadcast. [`Op::Binary`] tells the types it is defined for. A
    /// real operand that was converted to the other one's complex type is taken as the real one, for + - * and /.
    #[track_caller]
    pub fn binary(&self, function: Binary, other: &Node) -> Node {
        if self.element().is_complex() && matches!(function, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div) {
            match (self.converted_part(), other.converted_part()) {
                (_, Some(part)) => return self.real_or_complex(function, part),
                (Some(part), None) => return part.real_or_complex(function, other),
                _ => (),
            }
        }
        self.real_or_complex(function, other)
    }

    /// The real operand of a conversion to a complex type.
    fn converted_part(&self) -> Option<&Node> {
        let part = self.operands().first().filter(|_| matches!(self.op(), Op::Convert))?;
        (self.element().is_complex() && part.element() == self.element().part()).then_some(part)
    }

    #[track_caller]
    fn real_or_complex(&self, function: Binary, other: &Node) -> Node {
        let element = binary_type(function, self.element(), other.element());
        let operation = function.name();
        Node::build(Operands::Two([self.clone(), other.clone()]), operation, fallback(&element, self), |nodes| {
            Ok((Op::Binary(function), element?, broadcast(nodes, operation)?))
        })
    }

    /// A function of a complex value, or of one real value that is taken for one.
    #[track_caller]
    pub fn complex(&self, function: Complex) -> Node {
        let element = complex_type(function, &[self.element()]);
        Node::build(Operands::One([self.clone()]), function.name(), fallback(&element, self), |nodes| {
            Ok((Op::Complex(function), element?, *nodes[0].shape()))
        })
    }

    /// Complex values of two real ones, which broadcast: `FromParts` or `Polar`.
    #[track_caller]
    pub fn complex_of(&self, function: Complex, other: &Node) -> Node {
        let element = complex_type(function, &[self.element(), other.element()]);
        let operation = function.name();
        Node::build(Operands::Two([self.clone(), other.clone()]), operation, fallback(&element, self), |nodes| {
            Ok((Op::Complex(function), element?, broadcast(nodes, operation)?))
        })
    }

    /// `on_true` where this mask is true, `on_false` elsewhere; all broadcast.
    #[track_caller]
    pub fn select(&self, on_true: &Node, on_false: &Node) -> Node {
        let operation = "select";
        let operands = Operands::Three([self.clone(), on_true.clone(), on_false.clone()]);
        Node::build(operands, operation, on_true.element(), |nodes| {
            let [mask, left, right] = [0, 1, 2].map(|operand| nodes[operand].element());
            if mask != ElementType::Bool {
                return Err(ErrorKind::Unsupported { operation, element: mask });
            }
            Ok((Op::Select, same(operation, left, right)?, broadcast(nodes, operation)?))
        })
    }

    /// a b + c of real operands, rounded once; all broadcast.
    #[track_caller]
    pub fn fma(&self, factor: &Node, addend: &Node) -> Node {
        let operation = "fma";
        let operands = Operands::Three([self.clone(), factor.clone(), addend.clone()]);
        Node::build(operands, operation, self.element(), |nodes| {
            let element = same(operation, nodes[0].element(), nodes[1].element())?;
            same(operation, element, nodes[2].element())?;
            supported(operation, element, element.is_real())?;
            Ok((Op::Fma, element, broadcast(nodes, operation)?))
        })
    }

    /// Each element converted, as [`Op::Convert`] has it.
    #[track_caller]
    pub fn convert(&self, element: ElementType) -> Node {
        if self.element() == element {
            return self.clone();
        }
        Node::build(Operands::One([self.clone()]), "cast", element, |nodes| {
            let from = nodes[0].element();
            supported("cast to a real type", from, element.is_complex() || !from.is_complex())?;
            Ok((Op::Convert, element, *nodes[0].shape()))
        })
    }

    /// Word 0 to 3 of Philox 4x32-10; this node is the counter. All are of type `I64` and broadcast.
    #[track_caller]
    pub fn philox(&self, stream: &Node, key: &Node, word: u8) -> Node {
        let operation = "philox";
        let operands = Operands::Three([self.clone(), stream.clone(), key.clone()]);
        Node::build(operands, operation, ElementType::U32, |nodes| {
            for node in nodes {
                supported(operation, node.element(), node.element() == ElementType::I64)?;
            }
            if word > 3 {
                return Err(ErrorKind::Argument { operation, reason: format!("word {word} of 4") });
            }
            Ok((Op::Philox(word), ElementType::U32, broadcast(nodes, operation)?))
        })
    }
}

/// The type of an expression without a value.
fn fallback(element: &Result<ElementType, ErrorKind>, operand: &Node) -> ElementType {
    *element.as_ref().unwrap_or(&operand.element())
}

fn supported(operation: &'static str, element: ElementType, holds: bool) -> Result<ElementType, ErrorKind> {
    if holds { Ok(element) } else { Err(ErrorKind::Unsupported { operation, element }) }
}

fn same(operation: &'static str, left: ElementType, right: ElementType) -> Result<ElementType, ErrorKind> {
    if left == right { Ok(left) } else { Err(ErrorKind::Types { operation, left, right }) }
}

/// The type of a function's result.
pub(super) fn unary_type(function: Unary, element: ElementType) -> Result<ElementType, ErrorKind> {
    use Unary::*;
    let (real, complex, integer) = (element.is_real(), element.is_complex(), element.is_integer());
    let holds = match function {
        Not => !real && !complex,
        Neg | Abs | Square => element.is_number(),
        Sign => real || integer,
        Recip | Sqrt | Exp | Ln | IsNan | IsInfinite | IsFinite => real || complex,
        _ => real,
    };
    supported(function.name(), element, holds)?;
    Ok(match function {
        Abs => element.part(),
        IsNan | IsInfinite | IsFinite | SignBit => ElementType::Bool,
        _ => element,
    })
}

/// The type of a function's result.
pub(super) fn binary_type(function: Binary, left: ElementType, right: ElementType) -> Result<ElementType, ErrorKind> {
    use Binary::*;
    let operation = function.name();
    let element = match function {
        Add | Sub | Mul | Div if left.is_complex() && left.part() == right => left,
        Add | Sub | Mul | Div if right.is_complex() && right.part() == left => right,
        _ => same(operation, left, right)?,
    };
    let (real, integer) = (element.is_real(), element.is_integer());
    let holds = match function {
        Add | Sub | Mul | Div => element.is_number(),
        Rem | Min | Max | Lt | Le | Gt | Ge => real || integer,
        Pow | Atan2 | Hypot | CopySign => real,
        And | Or | Xor => integer || element == ElementType::Bool,
        Shl | Shr => integer,
        Eq | Ne => true,
    };
    supported(operation, element, holds)?;
    Ok(if function.is_comparison() { ElementType::Bool } else { element })
}

/// The type of a complex function's result.
fn complex_type(function: Complex, operands: &[ElementType]) -> Result<ElementType, ErrorKind> {
    let operation = function.name();
    let of_two = matches!(function, Complex::FromParts | Complex::Polar);
    if operands.len() != 1 + usize::from(of_two) {
        let reason = format!("it has {} operands", 1 + usize::from(of_two));
        return Err(ErrorKind::Argument { operation, reason });
    }
    match operands {
        [element] => {
            supported(operation, *element, element.is_complex())?;
            Ok(if function == Complex::Conj { *element } else { element.part() })
        }
        _ => match same(operation, operands[0], operands[1])? {
            ElementType::F32 => Ok(ElementType::C32),
            ElementType::F64 => Ok(ElementType::C64),
            element => Err(ErrorKind::Unsupported { operation, element }),
        },
    }
}

impl Unary {
    /// Its name in expressions.
    pub const fn name(self) -> &'static str {
        use Unary::*;
        match self {
            Neg => "neg",
            Not => "not",
            Abs => "abs",
            Sign => "sign",
            Recip => "recip",
            Square => "square",
            Sqrt => "sqrt",
            Cbrt => "cbrt",
            Exp => "exp",
            Exp2 => "exp2",
            Expm1 => "expm1",
            Ln => "ln",
            Log2 => "log2",
            Log10 => "log10",
            Log1p => "log1p",
            Sin => "sin",
            Cos => "cos",
            Tan => "tan",
            Asin => "asin",
            Acos => "acos",
            Atan => "atan",
            Sinh => "sinh",
            Cosh => "cosh",
            Tanh => "tanh",
            Erf => "erf",
            Erfc => "erfc",
            Normcdf => "normcdf",
            Gamma => "gamma",
            Lgamma => "lgamma",
            Floor => "floor",
            Ceil => "ceil",
            Trunc => "trunc",
            Round => "round",
            IsNan => "is_nan",
            IsInfinite => "is_infinite",
            IsFinite => "is_finite",
            SignBit => "sign_bit",
            SinPi => "sin_pi",
            CosPi => "cos_pi",
        }
    }
}

impl Binary {
    /// Its name in expressions.
    pub const fn name(self) -> &'static str {
        use Binary::*;
        match self {
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Rem => "%",
            Min => "minimum",
            Max => "maximum",
            Pow => "pow",
            Atan2 => "atan2",
            Hypot => "hypot",
            CopySign => "copysign",
            And => "&",
            Or => "|",
            Xor => "^",
            Shl => "<<",
            Shr => ">>",
            Lt => "lt",
            Le => "le",
            Gt => "gt",
            Ge => "ge",
            Eq => "equal",
            Ne => "not_equal",
        }
    }
}

impl Complex {
    /// Its name in expressions.
    pub const fn name(self) -> &'static str {
        match self {
            Complex::FromParts => "complex",
            Complex::Polar => "polar",
            Complex::Re => "re",
            Complex::Im => "im",
            Complex::Conj => "conj",
            Complex::Arg => "arg",
            Complex::NormSquared => "norm_squared",
        }
    }
}
