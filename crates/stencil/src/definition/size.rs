//! Sizes: integer expressions of symbols that become arguments.

use std::collections::BTreeMap;
use std::ops;

/// An integer expression of size symbols: an end of the domain or of a memory box, or the number of steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// A number.
    Literal(i64),
    /// An argument, by name.
    Symbol(String),
    /// `-a`
    Negate(Box<Size>),
    /// An operation on two sizes.
    Operation(SizeOperator, Box<(Size, Size)>),
}

/// Operations on sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SizeOperator {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`, rounded down
    Divide,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
}

/// A range of coordinates, both ends inclusive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The first coordinate.
    pub lower: Size,
    /// The last coordinate.
    pub upper: Size,
}

/// A sum of symbols with integer factors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    /// The constant term.
    pub constant: i64,
    /// The factors that are not 0, by symbol.
    pub factors: BTreeMap<String, i64>,
}

impl Range {
    /// The coordinates from `lower` to `upper`, both inclusive.
    pub fn new(lower: impl Into<Size>, upper: impl Into<Size>) -> Self {
        Range { lower: lower.into(), upper: upper.into() }
    }
}

impl Size {
    /// The value for given symbols. Errors name a missing symbol, a division by 0, or an overflow.
    pub fn value(&self, symbols: &BTreeMap<String, i64>) -> Result<i64, String> {
        match self {
            Size::Literal(value) => Ok(*value),
            Size::Symbol(name) => symbols.get(name).copied().ok_or_else(|| format!("the size '{name}' is missing")),
            Size::Negate(a) => a.value(symbols)?.checked_neg().ok_or_else(overflow),
            Size::Operation(operator, operands) => {
                operator.apply(operands.0.value(symbols)?, operands.1.value(symbols)?)
            }
        }
    }

    /// Calls back for each symbol, from left to right.
    pub fn for_each_symbol<'a>(&'a self, visit: &mut impl FnMut(&'a str)) {
        match self {
            Size::Literal(_) => {}
            Size::Symbol(name) => visit(name),
            Size::Negate(a) => a.for_each_symbol(visit),
            Size::Operation(_, operands) => {
                operands.0.for_each_symbol(visit);
                operands.1.for_each_symbol(visit);
            }
        }
    }

    /// Calls back for each number.
    pub(crate) fn for_each_literal(&self, visit: &mut impl FnMut(i64)) {
        match self {
            Size::Literal(value) => visit(*value),
            Size::Symbol(_) => {}
            Size::Negate(a) => a.for_each_literal(visit),
            Size::Operation(_, operands) => {
                operands.0.for_each_literal(visit);
                operands.1.for_each_literal(visit);
            }
        }
    }

    /// The size as a sum of symbols, if it is one.
    pub fn linear(&self) -> Option<Linear> {
        match self {
            Size::Literal(constant) => Some(Linear { constant: *constant, factors: BTreeMap::new() }),
            Size::Symbol(name) => Some(Linear { constant: 0, factors: BTreeMap::from([(name.clone(), 1)]) }),
            Size::Negate(a) => Linear::default().plus(&a.linear()?, -1),
            Size::Operation(operator, operands) => {
                let (a, b) = (operands.0.linear()?, operands.1.linear()?);
                match operator {
                    SizeOperator::Add => a.plus(&b, 1),
                    SizeOperator::Subtract => a.plus(&b, -1),
                    SizeOperator::Multiply if b.factors.is_empty() => Linear::default().plus(&a, b.constant),
                    SizeOperator::Multiply if a.factors.is_empty() => Linear::default().plus(&b, a.constant),
                    _ if a.factors.is_empty() && b.factors.is_empty() => {
                        let constant = operator.apply(a.constant, b.constant).ok()?;
                        Some(Linear { constant, factors: BTreeMap::new() })
                    }
                    _ => None,
                }
            }
        }
    }
}

fn overflow() -> String {
    "a size is too large for 64 bits".to_owned()
}

impl SizeOperator {
    fn apply(self, a: i64, b: i64) -> Result<i64, String> {
        match self {
            SizeOperator::Add => a.checked_add(b),
            SizeOperator::Subtract => a.checked_sub(b),
            SizeOperator::Multiply => a.checked_mul(b),
            SizeOperator::Divide if b == 0 => return Err("a size is divided by 0".to_owned()),
            SizeOperator::Divide => {
                a.checked_div(b).map(|quotient| quotient - i64::from(a % b != 0 && (a < 0) != (b < 0)))
            }
            SizeOperator::Min => Some(a.min(b)),
            SizeOperator::Max => Some(a.max(b)),
        }
        .ok_or_else(overflow)
    }
}

impl Linear {
    fn plus(mut self, other: &Linear, factor: i64) -> Option<Linear> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (name, &times) in &other.factors {
            let sum = self.factors.entry(name.clone()).or_insert(0);
            *sum = sum.checked_add(times.checked_mul(factor)?)?;
        }
        self.factors.retain(|_, times| *times != 0);
        Some(self)
    }

    /// The difference; none beyond 64 bits.
    pub fn less(&self, other: &Linear) -> Option<Linear> {
        self.clone().plus(other, -1)
    }

    /// The difference, if it does not depend on symbols.
    pub fn minus(&self, other: &Linear) -> Option<i64> {
        let difference = self.less(other)?;
        difference.factors.is_empty().then_some(difference.constant)
    }
}

impl From<i64> for Size {
    fn from(value: i64) -> Self {
        Size::Literal(value)
    }
}

impl From<&str> for Size {
    fn from(name: &str) -> Self {
        Size::Symbol(name.to_owned())
    }
}

macro_rules! operators {
    ($($Trait:ident $method:ident $operator:ident,)*) => {$(
        impl<S: Into<Size>> ops::$Trait<S> for Size {
            type Output = Size;
            fn $method(self, other: S) -> Size {
                Size::Operation(SizeOperator::$operator, Box::new((self, other.into())))
            }
        }
    )*};
}

operators! { Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, }
