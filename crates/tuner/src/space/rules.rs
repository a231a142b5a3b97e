//! Rules as they are evaluated: parameters are axes, and values are codes.
//!
//! The code of an integer is itself, of a boolean 0 or 1, and of a name its number among all names of the space.

use std::collections::HashMap;

use super::term::{Constraint, Function, Operator, Term};
use super::value::Value;
use super::{Parameter, SpaceError};

/// Kind of a term's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Name,
}

#[derive(Clone, Debug)]
enum Node {
    Constant(i64),
    Axis(usize),
    Binary(Operator, Box<Node>, Box<Node>),
    Not(Box<Node>),
}

impl Node {
    /// The value; `None` where it is undefined.
    fn value(&self, codes: &[i64]) -> Option<i64> {
        match self {
            Node::Constant(value) => Some(*value),
            Node::Axis(axis) => Some(codes[*axis]),
            Node::Not(node) => Some(i64::from(node.value(codes)? == 0)),
            Node::Binary(Operator::And, a, b) => match a.value(codes)? {
                0 => Some(0),
                _ => Some(i64::from(b.value(codes)? != 0)),
            },
            Node::Binary(Operator::Or, a, b) => match a.value(codes)? {
                0 => Some(i64::from(b.value(codes)? != 0)),
                _ => Some(1),
            },
            Node::Binary(operator, a, b) => binary(*operator, a.value(codes)?, b.value(codes)?),
        }
    }
}

impl Term {
    /// Value of a term where names have integer values; `None` where it is undefined or a name has none.
    pub fn value(&self, meaning: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        match self {
            Term::Constant(value) => Some(*value),
            Term::Text(_) => None,
            Term::Parameter(name) => meaning(name),
            Term::Not(term) => Some(i64::from(term.value(meaning)? == 0)),
            Term::Binary(Operator::And, a, b) if a.value(meaning)? == 0 || b.value(meaning)? == 0 => Some(0),
            Term::Binary(Operator::Or, a, b) if a.value(meaning)? != 0 || b.value(meaning)? != 0 => Some(1),
            Term::Binary(operator, a, b) => binary(*operator, a.value(meaning)?, b.value(meaning)?),
        }
    }
}

fn binary(operator: Operator, a: i64, b: i64) -> Option<i64> {
    Some(match operator {
        Operator::Add => a.saturating_add(b),
        Operator::Subtract => a.saturating_sub(b),
        Operator::Multiply => a.saturating_mul(b),
        Operator::Divide if b == 0 => return None,
        // The one quotient that overflows is of the least integer and -1.
        Operator::Divide => {
            a.checked_div(b).map_or(i64::MAX, |quotient| quotient - i64::from(a % b != 0 && (a < 0) != (b < 0)))
        }
        Operator::Remainder if b == 0 => return None,
        Operator::Remainder => match a.wrapping_rem(b) {
            rest if rest != 0 && (rest < 0) != (b < 0) => rest + b,
            rest => rest,
        },
        Operator::Min => a.min(b),
        Operator::Max => a.max(b),
        Operator::Less => i64::from(a < b),
        Operator::AtMost => i64::from(a <= b),
        Operator::Equal => i64::from(a == b),
        Operator::NotEqual => i64::from(a != b),
        Operator::AtLeast => i64::from(a >= b),
        Operator::Greater => i64::from(a > b),
        Operator::And => i64::from(a != 0 && b != 0),
        Operator::Or => i64::from(a != 0 || b != 0),
    })
}

#[derive(Clone, Debug)]
enum Rule {
    Term(Node),
    /// A function, and the axes of its arguments.
    Function(Function, Vec<usize>),
}

/// The rules of a space, by the axis with which the last of a rule's parameters has a value.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// False if a rule without parameters does not hold.
    constants_hold: bool,
    by_axis: Vec<Vec<Rule>>,
    /// The codes of each parameter's values.
    pub(super) codes: Vec<Vec<i64>>,
}

impl Rules {
    /// Rules over parameters.
    ///
    /// # Errors
    /// [`SpaceError::UnknownParameter`] and [`SpaceError::MixedKinds`].
    pub(super) fn new(parameters: &[Parameter], constraints: &[Constraint]) -> Result<Self, SpaceError> {
        let mut names = HashMap::new();
        for value in parameters.iter().flat_map(|parameter| &parameter.values) {
            if let Value::Name(name) = value {
                let number = names.len() as i64;
                names.entry(name.as_str()).or_insert(number);
            }
        }
        let code = |value: &Value| value.as_integer().or_else(|| names.get(value.as_name()?).copied()).unwrap_or(-1);
        let codes = parameters.iter().map(|parameter| parameter.values.iter().map(code).collect()).collect();
        let mut rules = Rules { constants_hold: true, by_axis: vec![Vec::new(); parameters.len()], codes };
        for constraint in constraints {
            let (rule, last) = compile(constraint, parameters, &names)?;
            match (last, &rule) {
                (Some(axis), _) => rules.by_axis[axis].push(rule),
                (None, Rule::Term(node)) => rules.constants_hold &= node.value(&[]).is_some_and(|value| value != 0),
                (None, Rule::Function(function, _)) => rules.constants_hold &= function.call(&[]),
            }
        }
        Ok(rules)
    }

    /// No rules, over parameters with these codes.
    pub(super) fn none(codes: Vec<Vec<i64>>) -> Self {
        Rules { constants_hold: true, by_axis: vec![Vec::new(); codes.len()], codes }
    }

    /// True if the rules without parameters hold.
    pub(super) const fn constants_hold(&self) -> bool {
        self.constants_hold
    }

    /// Axes from which on there are no more rules.
    pub(super) fn end(&self) -> usize {
        self.by_axis.iter().rposition(|rules| !rules.is_empty()).map_or(0, |axis| axis + 1)
    }

    /// True if the rules hold whose last parameter is this axis. `at` are the values' numbers and `codes` their codes,
    /// up to that axis.
    pub(super) fn hold_at(&self, axis: usize, parameters: &[Parameter], at: &[usize], codes: &[i64]) -> bool {
        self.by_axis[axis].iter().all(|rule| match rule {
            Rule::Term(node) => node.value(codes).is_some_and(|value| value != 0),
            Rule::Function(function, axes) => {
                let values: Vec<&Value> = axes.iter().map(|&axis| &parameters[axis].values[at[axis]]).collect();
                function.call(&values)
            }
        })
    }

    /// True if all rules hold at a point.
    pub(super) fn hold(&self, parameters: &[Parameter], at: &[usize]) -> bool {
        let codes: Vec<i64> = at.iter().zip(&self.codes).map(|(&value, codes)| codes[value]).collect();
        self.constants_hold && (0..at.len()).all(|axis| self.hold_at(axis, parameters, at, &codes))
    }
}

/// A rule and its last axis.
fn compile(
    constraint: &Constraint,
    parameters: &[Parameter],
    names: &HashMap<&str, i64>,
) -> Result<(Rule, Option<usize>), SpaceError> {
    let axis = |name: &str| {
        let found = parameters.iter().position(|parameter| parameter.name == name);
        found.ok_or_else(|| SpaceError::UnknownParameter { name: name.to_owned(), rule: constraint.to_string() })
    };
    let axes = constraint.parameters().into_iter().map(axis).collect::<Result<Vec<usize>, _>>()?;
    let last = axes.iter().copied().max();
    let rule = match constraint {
        Constraint::Function(function) => Rule::Function(function.clone(), axes),
        other => {
            let term = other.term().unwrap_or(Term::Constant(1));
            let mixed = || SpaceError::MixedKinds { rule: constraint.to_string() };
            match node(&term, parameters, names).ok_or_else(mixed)? {
                (node, Kind::Integer) => Rule::Term(node),
                (_, Kind::Name) => return Err(mixed()),
            }
        }
    };
    Ok((rule, last))
}

/// A term with its kind; `None` where names are calculated with or compared with integers.
fn node(term: &Term, parameters: &[Parameter], names: &HashMap<&str, i64>) -> Option<(Node, Kind)> {
    Some(match term {
        Term::Constant(value) => (Node::Constant(*value), Kind::Integer),
        Term::Text(name) => (Node::Constant(names.get(name.as_str()).copied().unwrap_or(-1)), Kind::Name),
        Term::Parameter(name) => {
            let axis = parameters.iter().position(|parameter| parameter.name == *name)?;
            let is_name = matches!(parameters[axis].values.first(), Some(Value::Name(_)));
            (Node::Axis(axis), if is_name { Kind::Name } else { Kind::Integer })
        }
        Term::Not(term) => match node(term, parameters, names)? {
            (node, Kind::Integer) => (Node::Not(Box::new(node)), Kind::Integer),
            (_, Kind::Name) => return None,
        },
        Term::Binary(operator, a, b) => {
            let ((a, kind), (b, other)) = (node(a, parameters, names)?, node(b, parameters, names)?);
            let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
            if kind != other || kind == Kind::Name && !is_equality {
                return None;
            }
            (Node::Binary(*operator, Box::new(a), Box::new(b)), Kind::Integer)
        }
    })
}
