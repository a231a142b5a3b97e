//! Types of values, operators and functions.

use std::fmt;

/// The type of a value. Grids, parameters and results have any but `Bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A comparison's result: it stands in conditions alone.
    Bool,
    /// `int`: 32 bits, arithmetic wraps.
    I32,
    /// `long`: 64 bits, arithmetic wraps. Coordinates, the time and sizes have this type.
    I64,
    /// `float`.
    F32,
    /// `double`.
    F64,
}

impl Type {
    /// The keyword in texts.
    pub fn keyword(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::I32 => "int",
            Type::I64 => "long",
            Type::F32 => "float",
            Type::F64 => "double",
        }
    }

    /// Bytes of an element in memory.
    pub fn bytes(self) -> usize {
        match self {
            Type::Bool => 1,
            Type::I32 | Type::F32 => 4,
            Type::I64 | Type::F64 => 8,
        }
    }

    /// One of `int` and `long`.
    pub fn is_integer(self) -> bool {
        matches!(self, Type::I32 | Type::I64)
    }

    /// One of `float` and `double`.
    pub fn is_real(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// The type in which two numbers meet: a real type beside an integer, else the wider one.
    pub(crate) fn promoted(self, other: Type) -> Type {
        self.max(other)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.keyword())
    }
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-a`
    Negate,
    /// `!a`, of a condition
    Not,
}

/// Operators of two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`, of real numbers: integers are converted to `double` before.
    Divide,
    /// `a % b`: the remainder has the divisor's sign. An integer modulo 0 is 0.
    Remainder,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a && b`, of conditions
    And,
    /// `a || b`, of conditions
    Or,
}

impl Binary {
    /// The operator in texts.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::Equal => "==",
            Binary::NotEqual => "!=",
            Binary::And => "&&",
            Binary::Or => "||",
        }
    }

    /// A comparison of numbers, which gives a condition.
    pub fn is_comparison(self) -> bool {
        use Binary::*;
        matches!(self, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
    }

    /// An operator of conditions.
    pub fn is_logical(self) -> bool {
        matches!(self, Binary::And | Binary::Or)
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $variant:ident $name:literal $arguments:literal,)*) => {
        /// Functions of one or two numbers of one type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Function { $($(#[$doc])* $variant,)* }

        impl Function {
            /// All of them.
            pub const ALL: &[Function] = &[$(Function::$variant,)*];

            /// The name in texts.
            pub fn name(self) -> &'static str {
                match self { $(Function::$variant => $name,)* }
            }

            /// The number of arguments.
            pub fn arguments(self) -> usize {
                match self { $(Function::$variant => $arguments,)* }
            }
        }
    };
}

functions! {
    /// The absolute value.
    Abs "abs" 1,
    /// The lesser: `b < a ? b : a`.
    Min "min" 2,
    /// The greater: `a < b ? b : a`.
    Max "max" 2,
    /// The quotient of integers, rounded down; 0 by 0.
    Quotient "div" 2,
    /// The square root.
    Sqrt "sqrt" 1,
    /// The exponential function.
    Exp "exp" 1,
    /// The natural logarithm.
    Log "log" 1,
    /// The sine.
    Sin "sin" 1,
    /// The cosine.
    Cos "cos" 1,
    /// The tangent.
    Tan "tan" 1,
    /// The inverse of the sine.
    Asin "asin" 1,
    /// The inverse of the cosine.
    Acos "acos" 1,
    /// The inverse of the tangent.
    Atan "atan" 1,
    /// The angle of the point (b, a).
    Atan2 "atan2" 2,
    /// The hyperbolic sine.
    Sinh "sinh" 1,
    /// The hyperbolic cosine.
    Cosh "cosh" 1,
    /// The hyperbolic tangent.
    Tanh "tanh" 1,
    /// Rounded down.
    Floor "floor" 1,
    /// Rounded up.
    Ceil "ceil" 1,
    /// Rounded towards 0.
    Trunc "trunc" 1,
    /// `a` to the power `b`, of real numbers.
    Power "pow" 2,
}

impl Function {
    /// The function of a name; C's `fabs`, `fmin` and `fmax` are known too.
    pub fn named(name: &str) -> Option<Function> {
        let name = match name {
            "fabs" => "abs",
            "fmin" => "min",
            "fmax" => "max",
            other => other,
        };
        Function::ALL.iter().copied().find(|function| function.name() == name)
    }

    /// Defined for integers as well.
    pub(crate) fn takes_integers(self) -> bool {
        matches!(self, Function::Abs | Function::Min | Function::Max | Function::Quotient)
    }
}

/// Reductions of one number per point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The sum.
    Sum,
    /// The greatest number, NaN where there is one.
    Max,
    /// The least number, NaN where there is one.
    Min,
    /// The square root of the sum of squares.
    Norm2,
    /// The number of points at which a condition holds.
    Count,
}

impl Reduction {
    /// All of them.
    pub const ALL: &[Reduction] = &[Reduction::Sum, Reduction::Max, Reduction::Min, Reduction::Norm2, Reduction::Count];

    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Max => "max",
            Reduction::Min => "min",
            Reduction::Norm2 => "norm2",
            Reduction::Count => "count",
        }
    }

    /// The reduction of a name.
    pub fn named(name: &str) -> Option<Reduction> {
        Reduction::ALL.iter().copied().find(|reduction| reduction.name() == name)
    }
}
