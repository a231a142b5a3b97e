//! Terms over parameters, and the constraints that are made of them.

use std::fmt;
use std::ops::{Add, Div, Mul, Rem, Sub};
use std::sync::Arc;

use super::value::Value;

/// Operator of two terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Floor of the quotient: -7 / 2 is -4. Undefined for a divisor 0.
    Divide,
    /// Remainder of the floor: -7 % 2 is 1. Undefined for a divisor 0.
    Remainder,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `==`, also of names.
    Equal,
    /// `!=`, also of names.
    NotEqual,
    /// `>=`
    AtLeast,
    /// `>`
    Greater,
    /// True if both are; the second is not looked at if the first is false.
    And,
    /// True if one is; the second is not looked at if the first is true.
    Or,
}

impl Operator {
    /// The operator in a text; `None` for the functions `min` and `max`.
    pub(super) const fn symbol(self) -> Option<&'static str> {
        Some(match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "//",
            Operator::Remainder => "%",
            Operator::Less => "<",
            Operator::AtMost => "<=",
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::AtLeast => ">=",
            Operator::Greater => ">",
            Operator::And => "and",
            Operator::Or => "or",
            Operator::Min | Operator::Max => return None,
        })
    }
}

/// Integer arithmetic, comparisons and logic on parameters. Sums and products saturate; truth is 1 or 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// An integer.
    Constant(i64),
    /// A name of a choice.
    Text(String),
    /// A parameter, by its name.
    Parameter(String),
    /// Two terms with an operator.
    Binary(Operator, Box<Term>, Box<Term>),
    /// True if the term is 0.
    Not(Box<Term>),
}

impl From<i64> for Term {
    fn from(value: i64) -> Self {
        Term::Constant(value)
    }
}

impl From<&str> for Term {
    /// The parameter of this name.
    fn from(name: &str) -> Self {
        Term::Parameter(name.to_owned())
    }
}

macro_rules! arithmetic {
    ($($trait:ident $method:ident $operator:ident;)*) => {$(
        impl<T: Into<Term>> $trait<T> for Term {
            type Output = Term;

            fn $method(self, other: T) -> Term {
                self.with(Operator::$operator, other)
            }
        }
    )*};
}

arithmetic! {
    Add add Add;
    Sub sub Subtract;
    Mul mul Multiply;
    Div div Divide;
    Rem rem Remainder;
}

impl Term {
    /// The name of a choice, as in `Term::from("temporary").with(Operator::Equal, Term::text("i16"))`.
    pub fn text(name: impl Into<String>) -> Self {
        Term::Text(name.into())
    }

    /// This term and another one with an operator between them.
    #[must_use]
    pub fn with(self, operator: Operator, other: impl Into<Term>) -> Term {
        Term::Binary(operator, Box::new(self), Box::new(other.into()))
    }

    /// True where this term is 0.
    #[must_use]
    pub fn negated(self) -> Term {
        Term::Not(Box::new(self))
    }

    fn parameters<'t>(&'t self, names: &mut Vec<&'t str>) {
        match self {
            Term::Constant(_) | Term::Text(_) => {}
            Term::Parameter(name) => {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
            Term::Binary(_, a, b) => {
                a.parameters(names);
                b.parameters(names);
            }
            Term::Not(term) => term.parameters(names),
        }
    }

    /// True if brackets are needed around it, beside any operator.
    const fn is_loose(&self) -> bool {
        match self {
            Term::Constant(value) => *value < 0,
            Term::Text(_) | Term::Parameter(_) => false,
            // Sums have brackets of their own, and products bind as operands of products.
            Term::Binary(operator, ..) => !matches!(operator, Operator::Min | Operator::Max | Operator::Add),
            Term::Not(_) => true,
        }
    }
}

/// An operand with the brackets that it needs.
struct Operand<'t>(&'t Term);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.is_loose() {
            true => write!(f, "({})", self.0),
            false => self.0.fmt(f),
        }
    }
}

/// A summand with the brackets that it needs: a product needs none.
struct Summand<'t>(&'t Term);

impl fmt::Display for Summand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Term::Binary(Operator::Multiply, ..) => self.0.fmt(f),
            _ => Operand(self.0).fmt(f),
        }
    }
}

/// An expression of Python, for the format T1; [`Constraint::parse`] reads it too.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Constant(value) => write!(f, "{value}"),
            Term::Text(text) if text.contains('\'') => write!(f, "\"{text}\""),
            Term::Text(text) => write!(f, "'{text}'"),
            Term::Parameter(name) => f.write_str(name),
            Term::Binary(Operator::Add, a, b) => write!(f, "({} + {})", Summand(a), Summand(b)),
            // A product as the first factor needs no brackets.
            Term::Binary(Operator::Multiply, a, b) => match **a {
                Term::Binary(Operator::Multiply, ..) => write!(f, "{a} * {}", Operand(b)),
                _ => write!(f, "{} * {}", Operand(a), Operand(b)),
            },
            Term::Binary(operator, a, b) => match operator.symbol() {
                Some(symbol) => write!(f, "{} {symbol} {}", Operand(a), Operand(b)),
                None => write!(f, "{}({a}, {b})", if *operator == Operator::Min { "min" } else { "max" }),
            },
            Term::Not(term) => write!(f, "not {}", Operand(term)),
        }
    }
}

/// A function of the values of some parameters.
type Decides = dyn Fn(&[&Value]) -> bool + Send + Sync;

/// Rule that a function decides.
#[derive(Clone)]
pub struct Function {
    name: String,
    parameters: Vec<String>,
    holds: Arc<Decides>,
}

impl Function {
    pub(super) fn call(&self, values: &[&Value]) -> bool {
        (self.holds)(values)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.parameters.join(", "))
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.holds, &other.holds) && self.name == other.name && self.parameters == other.parameters
    }
}

impl Eq for Function {}

/// Constraint on the values of several parameters. One whose value is undefined does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The first is at most as large as the second.
    AtMost(Term, Term),
    /// The first is a multiple of the second.
    MultipleOf(Term, Term),
    /// The term is not 0.
    Holds(Term),
    /// A function says so.
    Function(Function),
}

impl From<Term> for Constraint {
    fn from(term: Term) -> Self {
        Constraint::Holds(term)
    }
}

impl Constraint {
    /// A rule that a function decides, from the values of some parameters. T1 leaves it out.
    pub fn function<const N: usize>(
        name: &str,
        parameters: [&str; N],
        holds: impl Fn([&Value; N]) -> bool + Send + Sync + 'static,
    ) -> Self {
        let call = move |values: &[&Value]| values.try_into().is_ok_and(&holds);
        Constraint::Function(Function {
            name: name.to_owned(),
            parameters: parameters.map(str::to_owned).to_vec(),
            holds: Arc::new(call),
        })
    }

    /// The parameters that it is about.
    pub fn parameters(&self) -> Vec<&str> {
        let mut names = Vec::new();
        match self {
            Constraint::AtMost(a, b) | Constraint::MultipleOf(a, b) => {
                a.parameters(&mut names);
                b.parameters(&mut names);
            }
            Constraint::Holds(term) => term.parameters(&mut names),
            Constraint::Function(function) => names.extend(function.parameters.iter().map(String::as_str)),
        }
        names
    }

    /// The rule as one term; `None` for a function.
    pub(super) fn term(&self) -> Option<Term> {
        match self.clone() {
            Constraint::AtMost(small, large) => Some(small.with(Operator::AtMost, large)),
            Constraint::MultipleOf(whole, part) => Some((whole % part).with(Operator::Equal, 0)),
            Constraint::Holds(term) => Some(term),
            Constraint::Function(_) => None,
        }
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constraint::AtMost(small, large) => write!(f, "{small} <= {large}"),
            Constraint::MultipleOf(whole, part) => write!(f, "({whole}) % ({part}) == 0"),
            Constraint::Holds(term) => term.fmt(f),
            Constraint::Function(function) => write!(f, "{function:?}"),
        }
    }
}
