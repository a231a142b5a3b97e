//! Spaces made step by step.

use std::fmt;

use super::parse::{RuleError, Symbol};
use super::term::{Constraint, Term};
use super::value::Value;
use super::{Parameter, Space};

/// A space that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpaceError {
    /// A text that is no rule.
    Rule(RuleError),
    /// Two parameters have one name.
    SameName(String),
    /// A parameter has no values.
    NoValues(String),
    /// Values of a parameter are of several kinds.
    SeveralKinds(String),
    /// A rule is about a parameter that is not there.
    UnknownParameter {
        /// The parameter's name.
        name: String,
        /// The rule.
        rule: String,
    },
    /// A rule calculates with names of choices, or compares them with integers.
    MixedKinds {
        /// The rule.
        rule: String,
    },
    /// The values' combinations, without rules, are more than 2^63.
    TooLarge,
}

impl fmt::Display for SpaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpaceError::Rule(error) => error.fmt(f),
            SpaceError::SameName(name) => write!(f, "there are two parameters '{name}'"),
            SpaceError::NoValues(name) => write!(f, "the parameter '{name}' has no values"),
            SpaceError::SeveralKinds(name) => {
                write!(f, "the values of '{name}' are neither all integers, nor all booleans, nor all names")
            }
            SpaceError::UnknownParameter { name, rule } => {
                write!(f, "there is no parameter '{name}', which the rule '{rule}' is about")
            }
            SpaceError::MixedKinds { rule } => {
                write!(f, "the rule '{rule}' uses names of choices as integers; names can only be equal or not")
            }
            SpaceError::TooLarge => f.write_str("the space has more than 2^63 combinations of values"),
        }
    }
}

impl std::error::Error for SpaceError {}

impl From<RuleError> for SpaceError {
    fn from(error: RuleError) -> Self {
        SpaceError::Rule(error)
    }
}

/// The parameters and rules of a space to be.
#[derive(Clone, Debug, Default)]
pub struct SpaceBuilder {
    parameters: Vec<Parameter>,
    constraints: Vec<Constraint>,
    /// Rules as texts: they are read when all parameters are known.
    texts: Vec<String>,
}

impl SpaceBuilder {
    /// A parameter with integer values. Searches see them in rising order, each one once.
    #[must_use]
    pub fn values(self, name: &str, values: impl IntoIterator<Item = i64>) -> Self {
        self.parameter(name, values.into_iter().map(Value::Integer).collect())
    }

    /// A parameter that is false or true.
    #[must_use]
    pub fn flag(self, name: &str) -> Self {
        self.parameter(name, vec![Value::Boolean(false), Value::Boolean(true)])
    }

    /// A parameter whose values are names, in this order.
    #[must_use]
    pub fn choice<N: Into<String>>(self, name: &str, names: impl IntoIterator<Item = N>) -> Self {
        self.parameter(name, names.into_iter().map(|name| Value::Name(name.into())).collect())
    }

    /// A parameter with values of one kind.
    #[must_use]
    pub fn parameter(mut self, name: &str, values: Vec<Value>) -> Self {
        self.parameters.push(Parameter { name: name.to_owned(), values, group: 0 });
        self
    }

    /// Puts the last parameter into a group: groups are searched one after the other.
    #[must_use]
    pub fn in_group(mut self, group: usize) -> Self {
        if let Some(parameter) = self.parameters.last_mut() {
            parameter.group = group;
        }
        self
    }

    /// A rule as a text over the parameters' names; see [`Constraint::parse`].
    #[must_use]
    pub fn rule(mut self, text: &str) -> Self {
        self.texts.push(text.to_owned());
        self
    }

    /// A rule as a term or a constraint.
    #[must_use]
    pub fn constraint(mut self, constraint: impl Into<Constraint>) -> Self {
        self.constraints.push(constraint.into());
        self
    }

    /// A rule that a function decides from the values of some parameters; see [`Constraint::function`].
    #[must_use]
    pub fn rule_fn<const N: usize>(
        self,
        name: &str,
        parameters: [&str; N],
        holds: impl Fn([&Value; N]) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.constraint(Constraint::function(name, parameters, holds))
    }

    /// The space.
    ///
    /// # Errors
    /// Each kind of [`SpaceError`]. A space without points is no error.
    pub fn build(mut self) -> Result<Space, SpaceError> {
        for parameter in &mut self.parameters {
            parameter.sort()?;
        }
        for (index, parameter) in self.parameters.iter().enumerate() {
            if self.parameters[..index].iter().any(|other| other.name == parameter.name) {
                return Err(SpaceError::SameName(parameter.name.clone()));
            }
        }
        for text in &self.texts {
            self.constraints.push(self.read(text)?);
        }
        Space::make(self.parameters, self.constraints)
    }

    fn read(&self, text: &str) -> Result<Constraint, RuleError> {
        let names = || self.parameters.iter().map(|parameter| parameter.name.as_str()).collect::<Vec<_>>().join(", ");
        let known = |name: &str| self.parameters.iter().any(|parameter| parameter.name == name);
        Constraint::parse_with(text, |symbol| match symbol {
            Symbol::Name(name) if known(name) => Ok(Term::from(name)),
            Symbol::Name(name) => Err(format!("'{name}' is no parameter: there are {}", names())),
            // A parameter may have a name such as $2.
            Symbol::Position(position) if known(&format!("${position}")) => Ok(Term::from(&*format!("${position}"))),
            Symbol::Position(position) => Err(format!("'${position}' is no parameter: there are {}", names())),
            Symbol::Variable(name) => Err(format!("'${name}' stands for nothing here")),
        })
    }
}
