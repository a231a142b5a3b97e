//! Graphs of a text's results.

use super::error::TextError;
use super::functions::{self, Arguments};
use super::index::{self, Item};
use super::syntax::{self, Kind, Statement, Tree};
use super::types::{array_of, named};
use super::value::{Value, Weak};
use super::{operators, types};
use affinimath_array::{Node, Slice};
use std::collections::HashMap;

/// The results of a text for given operands.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// Values of statements in order: assigned names, and values without one.
    pub outputs: Vec<Output>,
}

/// A value of the text.
#[derive(Clone, Debug)]
pub struct Output {
    /// The target.
    pub target: Target,
    /// The graph.
    pub node: Node,
}

/// The target of a value.
#[derive(Clone, Debug)]
pub enum Target {
    /// None: the value of the text.
    Value,
    /// A name, which an operand may have.
    Name(String),
    /// A part of an operand: its view, of the shape of the value.
    Part {
        /// The operand.
        name: String,
        /// The slices of the operand.
        slices: Vec<Slice>,
        /// The view.
        view: Node,
        /// The operand with the value in the part, and with those of earlier statements in theirs.
        whole: Node,
    },
}

impl Built {
    /// The value of the last statement without a target; else the one that a name was assigned last. `None` of a text
    /// that assigns parts of operands alone.
    pub fn value(&self) -> Option<&Node> {
        let find = |is_it: fn(&Target) -> bool| self.outputs.iter().rev().find(|output| is_it(&output.target));
        let value = find(|target| matches!(target, Target::Value));
        value.or_else(|| find(|target| matches!(target, Target::Name(_)))).map(|output| &output.node)
    }
}

pub(crate) fn build<'a>(
    text: &'a str,
    statements: &[Statement],
    numbers: impl Iterator<Item = (&'a str, Weak)>,
    operands: &'a [(&'a str, Node)],
) -> Result<Built, TextError> {
    let mut builder = Builder::new(text, operands);
    builder.values.extend(numbers.map(|(name, number)| (name.to_owned(), Value::Number(number))));
    let mut built = Built { outputs: Vec::with_capacity(statements.len()) };
    for statement in statements {
        builder.statement(statement, &mut built)?;
    }
    Ok(built)
}

/// The value of a text that is a number without operands.
pub(crate) fn number(text: &str, statements: &[Statement]) -> Result<Weak, TextError> {
    let builder = Builder::new(text, &[]);
    match statements {
        [Statement { targets, value, at }] if targets.is_empty() => match builder.value(value)? {
            Value::Number(number) => Ok(number),
            other => builder.error(*at, format!("{} is no number", other.describe())),
        },
        _ => builder.error(0, "a number is one value, without an assignment"),
    }
}

struct Builder<'a> {
    text: &'a str,
    operands: &'a [(&'a str, Node)],
    /// Indices of many operands by their names; few are searched.
    indices: HashMap<&'a str, usize>,
    values: HashMap<String, Value>,
    /// Operands of which a part was assigned, as they are then.
    changed: Vec<(String, Node)>,
}

/// Operands up to which a search is faster than a map.
const SEARCHED_OPERANDS: usize = 16;

type Placed<T> = Result<T, TextError>;

/// Values of a list, those of lists within it among them. Lists of lists would double with each statement.
const MAX_VALUES: usize = 4096;

/// Names of numbers, unless an operand has them.
const CONSTANTS: [(&str, Weak); 9] = [
    ("pi", Weak::Real(std::f64::consts::PI)),
    ("e", Weak::Real(std::f64::consts::E)),
    ("inf", Weak::Real(f64::INFINITY)),
    ("nan", Weak::Real(f64::NAN)),
    ("True", Weak::Bool(true)),
    ("False", Weak::Bool(false)),
    ("true", Weak::Bool(true)),
    ("false", Weak::Bool(false)),
    ("j", Weak::Complex(0.0, 1.0)),
];

impl<'a> Builder<'a> {
    fn new(text: &'a str, operands: &'a [(&'a str, Node)]) -> Self {
        let indices = match operands.len() > SEARCHED_OPERANDS {
            true => operands.iter().enumerate().map(|(index, (name, _))| (*name, index)).collect(),
            false => HashMap::new(),
        };
        Builder { text, operands, indices, values: HashMap::new(), changed: Vec::new() }
    }

    /// The operand of a name; of several the last one.
    fn operand(&self, name: &str) -> Option<&'a Node> {
        let index = match self.operands.len() > SEARCHED_OPERANDS {
            true => self.indices.get(name).copied(),
            false => self.operands.iter().rposition(|(other, _)| *other == name),
        };
        index.map(|index| &self.operands[index].1)
    }

    /// An operand of which a part was assigned.
    fn changed(&self, name: &str) -> Option<&Node> {
        self.changed.iter().find(|(other, _)| other == name).map(|(_, node)| node)
    }

    fn error<T>(&self, at: usize, reason: impl Into<String>) -> Placed<T> {
        Err(TextError::at(self.text, at, reason))
    }

    /// The result, or its reason at the tree's place: also that of a graph without a value.
    fn placed(&self, at: usize, result: Result<Value, String>) -> Placed<Value> {
        let value = result.map_err(|reason| TextError::at(self.text, at, reason))?;
        let failed = match &value {
            Value::Array(node) => node.error(),
            Value::List(values) => values.iter().find_map(|value| match value {
                Value::Array(node) => node.error(),
                _ => None,
            }),
            _ => None,
        };
        match failed {
            Some(error) => self.error(at, error.kind.to_string()),
            None => Ok(value),
        }
    }

    fn statement(&mut self, statement: &Statement, built: &mut Built) -> Placed<()> {
        let value = self.value(&statement.value)?;
        let values = match (&statement.targets[..], value) {
            ([], Value::List(values)) => {
                for value in &values {
                    let node = self.array(statement.at, value)?;
                    built.outputs.push(Output { target: Target::Value, node });
                }
                return Ok(());
            }
            ([], value) => {
                let node = self.array(statement.at, &value)?;
                built.outputs.push(Output { target: Target::Value, node });
                return Ok(());
            }
            ([_], value) => vec![value],
            (targets, Value::List(values)) if targets.len() == values.len() => values,
            (targets, other) => {
                let reason = format!("{} is assigned to {} names", other.describe(), targets.len());
                return self.error(statement.at, reason);
            }
        };
        for (target, value) in statement.targets.iter().zip(values) {
            self.assign(target, value, built)?;
        }
        Ok(())
    }

    fn assign(&mut self, target: &syntax::Target, value: Value, built: &mut Built) -> Placed<()> {
        let name = target.name.clone();
        let Some(items) = &target.items else {
            if let Value::Array(_) | Value::Number(_) = value {
                let node = self.array(target.at, &value)?;
                built.outputs.retain(|output| !matches!(&output.target, Target::Name(other) if *other == name));
                built.outputs.push(Output { target: Target::Name(name.clone()), node });
            }
            self.values.insert(name, value);
            return Ok(());
        };
        let Some(operand) = self.operand(&name).filter(|_| !self.values.contains_key(&name)) else {
            return self.error(target.at, format!("{name:?} is no operand: a part of an operand is assigned"));
        };
        let items = items.iter().map(|item| self.item(item)).collect::<Placed<Vec<_>>>()?;
        let slices = index::slices(&items).map_err(|reason| TextError::at(self.text, target.at, reason))?;
        let view = operand.slice(&slices);
        let Value::Array(view) = self.placed(target.at, Ok(Value::Array(view)))? else { return Ok(()) };
        let node = array_of(&value, view.element()).and_then(|node| match value {
            Value::Array(ref given) if types::common(given.element(), view.element()) != view.element() => {
                Err(format!("{} elements are not assigned to {} elements", given.element(), view.element()))
            }
            Value::Number(number) if types::with_number(view.element(), number) != view.element() => {
                Err(format!("{} is not assigned to {} elements", value.describe(), view.element()))
            }
            _ => Ok(node.broadcast_to(view.shape())),
        });
        let Value::Array(node) = self.placed(target.at, node.map(Value::Array))? else { return Ok(()) };
        let before = self.changed(&name).unwrap_or(operand);
        let Value::Array(whole) = self.placed(target.at, Ok(Value::Array(before.with_part(&slices, &node))))? else {
            return Ok(());
        };
        self.changed.retain(|(other, _)| *other != name);
        self.changed.push((name.clone(), whole.clone()));
        built.outputs.push(Output { target: Target::Part { name, slices, view, whole }, node });
        Ok(())
    }

    /// A value as an array; a number of the text has its own type.
    fn array(&self, at: usize, value: &Value) -> Placed<Node> {
        let node = match value {
            Value::Array(node) => Ok(node.clone()),
            Value::Number(number) => array_of(value, number.default_type()),
            other => Err(format!("{} is no array", other.describe())),
        };
        node.map_err(|reason| TextError::at(self.text, at, reason))
    }

    fn value(&self, tree: &Tree) -> Placed<Value> {
        match &tree.kind {
            Kind::Number(number) => Ok(Value::Number(*number)),
            Kind::Name(name) => self.name(name, tree.at),
            Kind::Unary(operator, operand) => {
                let operand = self.value(operand)?;
                self.placed(tree.at, operators::unary(operator, &operand))
            }
            Kind::Power(operands) => {
                let (base, exponent) = (self.value(&operands[0])?, self.value(&operands[1])?);
                self.placed(tree.at, operators::binary("**", &base, &exponent))
            }
            Kind::Chain(first, others) => {
                let mut value = self.value(first)?;
                for (operator, at, right) in others {
                    let right = self.value(right)?;
                    value = self.placed(*at, operators::binary(operator, &value, &right))?;
                }
                Ok(value)
            }
            Kind::List(trees) => {
                let list = Value::List(trees.iter().map(|tree| self.value(tree)).collect::<Placed<_>>()?);
                match list.count() > MAX_VALUES {
                    true => self.error(tree.at, format!("a list has at most {MAX_VALUES} values")),
                    false => Ok(list),
                }
            }
            Kind::Index { of, items } => match self.value(of)? {
                Value::Array(node) => {
                    let items = items.iter().map(|item| self.item(item)).collect::<Placed<Vec<_>>>()?;
                    self.placed(tree.at, index::get(&node, &items).map(Value::Array))
                }
                Value::List(values) => self.element(tree.at, values, items),
                other => self.error(tree.at, format!("{} has no elements", other.describe())),
            },
            Kind::Call { function, arguments } => {
                let mut given = Arguments::new(function);
                for argument in arguments {
                    let value = self.value(&argument.value)?;
                    given.push(argument.keyword.as_deref(), value);
                }
                self.placed(tree.at, functions::call(given))
            }
        }
    }

    /// An element of a list: a result of a factorisation.
    fn element(&self, at: usize, mut values: Vec<Value>, items: &[syntax::Item]) -> Placed<Value> {
        let [item] = items else { return self.error(at, "a list has one axis") };
        match self.item(item)? {
            Item::Slice(Slice::Index(index)) => {
                let count = values.len() as i64;
                match if index < 0 { index + count } else { index } {
                    position if (0..count).contains(&position) => Ok(values.swap_remove(position as usize)),
                    _ => self.error(at, format!("index {index} of a list of {count} values")),
                }
            }
            _ => self.error(at, "an element of a list has a number"),
        }
    }

    fn item(&self, item: &syntax::Item) -> Placed<Item> {
        let bound = |tree: &Option<Tree>| -> Placed<Option<i64>> {
            let Some(tree) = tree else { return Ok(None) };
            match self.value(tree)? {
                Value::None => Ok(None),
                value => index::integer(&value, "a bound of a slice")
                    .map(Some)
                    .map_err(|reason| TextError::at(self.text, tree.at, reason)),
            }
        };
        Ok(match item {
            syntax::Item::NewAxis => Item::Slice(Slice::NewAxis),
            syntax::Item::Ellipsis => Item::Slice(Slice::Ellipsis),
            syntax::Item::Range { start, end, step } => {
                Item::Slice(Slice::Range { start: bound(start)?, end: bound(end)?, step: bound(step)?.unwrap_or(1) })
            }
            syntax::Item::Value(tree) => {
                let value = self.value(tree)?;
                Item::of(&value).map_err(|reason| TextError::at(self.text, tree.at, reason))?
            }
        })
    }

    fn name(&self, name: &str, at: usize) -> Placed<Value> {
        if let Some(value) = self.values.get(name) {
            return Ok(value.clone());
        }
        if let Some(node) = self.operand(name) {
            let node = self.changed(name).unwrap_or(node);
            return self.placed(at, Ok(Value::Array(node.clone())));
        }
        if name == "None" {
            return Ok(Value::None);
        }
        if let Some((_, number)) = CONSTANTS.iter().find(|(constant, _)| *constant == name) {
            return Ok(Value::Number(*number));
        }
        if let Some(element) = named(name) {
            return Ok(Value::Type(element));
        }
        if functions::exists(name) {
            return self.error(at, format!("{name:?} is a function: its arguments stand in parentheses"));
        }
        let known = self.operands.iter().map(|(name, _)| *name).chain(self.values.keys().map(String::as_str));
        self.error(at, format!("no operand is called {name:?}{}", functions::suggestion(name, known)))
    }
}
