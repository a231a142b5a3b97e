//! Values of parameters, and points by their names.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A parameter's value. In JSON it is a number, `true` or `false`, or a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A switch.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// One of several choices, by its name.
    Name(String),
}

impl Value {
    /// The integer; a boolean is 0 or 1. `None` for a name.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Value::Boolean(value) => Some(i64::from(*value)),
            Value::Integer(value) => Some(*value),
            Value::Name(_) => None,
        }
    }

    /// The boolean. `None` for other kinds.
    pub fn as_boolean(&self) -> Option<bool> {
        if let Value::Boolean(value) = self { Some(*value) } else { None }
    }

    /// The name. `None` for other kinds.
    pub fn as_name(&self) -> Option<&str> {
        if let Value::Name(name) = self { Some(name) } else { None }
    }

    /// The integer of [`Value::as_integer`], for rules and kernels that know the parameter.
    ///
    /// # Panics
    /// For a name.
    pub fn integer(&self) -> i64 {
        match self.as_integer() {
            Some(value) => value,
            None => panic!("the value '{self}' is no integer"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Boolean(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Name(name) => f.write_str(name),
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Integer(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Value::Integer(value.into())
    }
}

impl From<usize> for Value {
    /// Values above `i64::MAX` become that.
    fn from(value: usize) -> Self {
        Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Boolean(value)
    }
}

impl From<&str> for Value {
    fn from(name: &str) -> Self {
        Value::Name(name.to_owned())
    }
}

impl From<String> for Value {
    fn from(name: String) -> Self {
        Value::Name(name)
    }
}

impl PartialEq<i64> for Value {
    fn eq(&self, other: &i64) -> bool {
        matches!(self, Value::Integer(value) if value == other)
    }
}

/// Values of parameters by their names: a point of a space, as it is kept and sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Configuration(pub BTreeMap<String, Value>);

impl Configuration {
    /// Values of one kind with their names.
    pub fn new<V: Into<Value>, const N: usize>(values: [(&str, V); N]) -> Self {
        Configuration(values.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect())
    }

    /// The value of an integer or a switch; `None` when it is missing, negative or a name.
    pub fn get(&self, name: &str) -> Option<usize> {
        usize::try_from(self.0.get(name)?.as_integer()?).ok()
    }

    /// A parameter's value.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            write!(f, "{}{name}={value}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}
