//! The syntax tree of a strategy's text.

use std::hash::{Hash, Hasher};

/// A byte of the text. Trees that differ in nothing else are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct At(pub(super) usize);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for At {}

impl Hash for At {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A strategy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Definition {
    pub(super) name: String,
    /// The name of the root domain.
    pub(super) domain: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Vec<Statement>,
}

/// A parameter that a tuner chooses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The values of components: the last set is that of all further ones, and sets behind the last component
    /// are those of stencils with more axes. Without sets any value is possible.
    pub(super) sets: Vec<Vec<Values>>,
    pub(super) at: At,
}

/// The type of a number or a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Int,
    /// A component for each axis.
    Dim,
    /// As many components fewer.
    Codim(usize),
}

/// Values of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Values {
    One(Expr),
    /// `first : step : last`, or `first : *step : last`.
    Range {
        first: Expr,
        step: Option<Expr>,
        is_geometric: bool,
        last: Expr,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Statement {
    Block(Vec<Statement>),
    Declare {
        kind: Kind,
        name: String,
        value: Option<Expr>,
        at: At,
    },
    /// A domain with memory of its own.
    Domain {
        name: String,
        ranges: Vec<Range>,
        at: At,
    },
    Assign {
        name: String,
        value: Expr,
        at: At,
    },
    /// `v[p; t+1] = stencil(v[p; t])`.
    Apply {
        to: Access,
        from: Access,
        at: At,
    },
    /// An assignment to a grid that is no call of the stencil, or `memcpy`.
    Copy {
        to: Access,
        from: Access,
        is_call: bool,
        at: At,
    },
    If {
        condition: Condition,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    Loop {
        iterator: Iterator,
        parallel: Option<Parallel>,
        body: Box<Statement>,
        at: At,
    },
}

/// Iterations may run at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parallel {
    /// The most threads.
    pub(super) threads: Option<Expr>,
    /// Consecutive iterations of a thread.
    pub(super) chunk: Option<Expr>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Iterator {
    Range { variable: String, first: Expr, last: Expr, step: Option<Expr> },
    Boxes { shape: Shape, name: String, parent: String, range: Option<Range>, time: Option<Expr> },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Point,
    /// All points of a parent at one coordinate of the last axis.
    Plane,
    Subdomain(Range),
}

/// A vector, or a range on each axis.
pub(super) type Range = Vec<Item>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Item {
    pub(super) part: Part,
    /// The last of its components fills the vector.
    pub(super) repeats: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// `:`, all of the parent, with borders.
    All(Vec<ScaledBorder>),
    /// A number, or the components of a vector.
    One(Expr),
    Span(Expr, Expr),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScaledBorder {
    pub(super) is_negative: bool,
    /// The product of factors.
    pub(super) factor: Option<Expr>,
    pub(super) border: Border,
    pub(super) at: At,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Border {
    /// Neighbours that the stencil reads, on some axes.
    Box(Option<Range>),
    Literal(Range, Range),
}

/// Points of a domain at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Access {
    pub(super) domain: String,
    pub(super) index: Range,
    pub(super) rest: Vec<Expr>,
    /// It is written in round brackets.
    pub(super) is_round: bool,
    pub(super) at: At,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Expr {
    pub(super) node: Node,
    pub(super) at: At,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Number(i64),
    /// A variable, some of its components, or a function of operands.
    Name(String, Option<Range>),
    Property(String, Property, Option<Range>),
    Negative(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Vector(Range),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Property {
    Dim,
    Size,
    Min,
    Max,
    Box,
    Steps,
}

impl Property {
    pub(super) const ALL: [(&'static str, Property); 6] = [
        ("dim", Property::Dim),
        ("size", Property::Size),
        ("min", Property::Min),
        ("max", Property::Max),
        ("box", Property::Box),
        ("t_max", Property::Steps),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, own)| *own == self).map_or("", |(name, _)| name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    pub(super) const ALL: [(&'static str, Operator); 5] = [
        ("+", Operator::Add),
        ("-", Operator::Subtract),
        ("*", Operator::Multiply),
        ("/", Operator::Divide),
        ("%", Operator::Remainder),
    ];

    pub(super) fn symbol(self) -> &'static str {
        Self::ALL.iter().find(|(_, own)| *own == self).map_or("", |(symbol, _)| symbol)
    }

    /// It binds as a product does.
    pub(super) const fn is_product(self) -> bool {
        matches!(self, Operator::Multiply | Operator::Divide | Operator::Remainder)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Condition {
    Compare(Comparison, Expr, Expr),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
    NotEqual,
}

impl Comparison {
    pub(super) const ALL: [(&'static str, Comparison); 6] = [
        ("<", Comparison::Less),
        ("<=", Comparison::LessOrEqual),
        ("==", Comparison::Equal),
        (">=", Comparison::GreaterOrEqual),
        (">", Comparison::Greater),
        ("!=", Comparison::NotEqual),
    ];

    pub(super) fn symbol(self) -> &'static str {
        Self::ALL.iter().find(|(_, own)| *own == self).map_or("", |(symbol, _)| symbol)
    }

    /// The comparison of two numbers.
    pub(crate) const fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Comparison::Less => a < b,
            Comparison::LessOrEqual => a <= b,
            Comparison::Equal => a == b,
            Comparison::GreaterOrEqual => a >= b,
            Comparison::Greater => a > b,
            Comparison::NotEqual => a != b,
        }
    }
}
