//! Functions by name.

mod complex;
mod elementwise;
mod generators;
mod linear;
mod reductions;
mod shapes;

use super::index::integer;
use super::types::{array_of, floating, named, of_all};
use super::value::{Value, Weak};
use affinimath_array::{Axes, ElementType, Node, Shape};

type Result<T> = std::result::Result<T, String>;

/// A function: its name, the names of its arguments, how many of them must be given, and what computes it.
pub(crate) struct Function {
    name: &'static str,
    parameters: &'static [&'static str],
    required: usize,
    compute: fn(&[Option<Value>]) -> Result<Value>,
}

/// The arguments of a call.
pub(crate) struct Arguments<'a> {
    function: &'a str,
    positional: Vec<Value>,
    keywords: Vec<(&'a str, Value)>,
}

impl<'a> Arguments<'a> {
    pub(crate) const fn new(function: &'a str) -> Self {
        Arguments { function, positional: Vec::new(), keywords: Vec::new() }
    }

    pub(crate) fn push(&mut self, keyword: Option<&'a str>, value: Value) {
        match keyword {
            Some(keyword) => self.keywords.push((keyword, value)),
            None => self.positional.push(value),
        }
    }
}

fn tables() -> impl Iterator<Item = &'static Function> {
    [elementwise::TABLE, generators::TABLE, linear::TABLE, reductions::TABLE, shapes::TABLE].into_iter().flatten()
}

fn find(name: &str) -> Option<&'static Function> {
    tables().find(|function| function.name == name)
}

/// The names of all functions.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    tables().map(|function| function.name)
}

/// True for the name of a function.
pub(crate) fn exists(name: &str) -> bool {
    find(name).is_some()
}

/// The value of a function. Types are functions: they convert.
pub(crate) fn call(arguments: Arguments<'_>) -> Result<Value> {
    let Arguments { function: name, positional, keywords } = arguments;
    let Some(function) = find(name) else {
        if let (Some(element), [value], []) = (named(name), &positional[..], &keywords[..]) {
            return converted(value, element).map(Value::Array);
        }
        return Err(format!("no function is called {name:?}{}", suggestion(name, names())));
    };
    let parameters = function.parameters;
    // A single `...` takes all values of the call as a list.
    if parameters.len() < positional.len() {
        return Err(format!("{name} has at most {} arguments, not {}", parameters.len(), positional.len()));
    }
    let mut values: Vec<Option<Value>> = positional.into_iter().map(Some).collect();
    values.resize(parameters.len(), None);
    for (keyword, value) in keywords {
        match parameters.iter().position(|parameter| *parameter == keyword) {
            Some(position) if values[position].is_none() => values[position] = Some(value),
            Some(_) => return Err(format!("{name} has the argument {keyword:?} twice")),
            None => return Err(format!("{name} has no argument {keyword:?}; it has {}", parameters.join(", "))),
        }
    }
    if let Some(missing) = values[..function.required].iter().position(Option::is_none) {
        return Err(format!("{name} lacks its argument {:?}", parameters[missing]));
    }
    (function.compute)(&values)
}

/// Near names, as the end of a sentence.
pub(crate) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut near: Vec<(usize, &str)> = known.map(|other| (distance(name, other), other)).collect();
    near.retain(|(distance, other)| *distance < name.len() && *distance <= 1 + other.len() / 4);
    near.sort_unstable();
    near.dedup();
    let names: Vec<String> = near.iter().take(3).map(|(_, other)| format!("{other:?}")).collect();
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(" or ")) }
}

/// Edits between two words (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

// Arguments as the functions need them.

/// A required argument.
fn given(values: &[Option<Value>], position: usize) -> Result<&Value> {
    values[position].as_ref().ok_or_else(|| "an argument is missing".to_owned())
}

/// An argument as an array of its own type.
fn array(values: &[Option<Value>], position: usize) -> Result<Node> {
    let value = given(values, position)?;
    array_of(value, of_all(&[value])?)
}

/// An argument as an array of real or complex numbers.
fn numbers(values: &[Option<Value>], position: usize) -> Result<Node> {
    let value = given(values, position)?;
    array_of(value, floating(of_all(&[value])?))
}

/// Two arguments as arrays of one type.
fn pair(values: &[Option<Value>]) -> Result<[Node; 2]> {
    let (a, b) = (given(values, 0)?, given(values, 1)?);
    let element = of_all(&[a, b])?;
    Ok([array_of(a, element)?, array_of(b, element)?])
}

/// Two arguments as arrays of real or complex numbers of one type.
fn pair_of_numbers(values: &[Option<Value>]) -> Result<[Node; 2]> {
    let (a, b) = (given(values, 0)?, given(values, 1)?);
    let element = floating(of_all(&[a, b])?);
    Ok([array_of(a, element)?, array_of(b, element)?])
}

/// The elements in another type; the imaginary part is dropped as in NumPy.
fn converted(value: &Value, element: ElementType) -> Result<Node> {
    let node = array_of(value, of_all(&[value])?)?;
    if !node.element().is_complex() || element.is_complex() {
        return Ok(node.convert(element));
    }
    if element == ElementType::Bool {
        return Ok(node.binary(affinimath_array::function::Binary::Ne, &super::operators::constant(0.0, &node)));
    }
    Ok(node.complex(affinimath_array::node::Complex::Re).convert(element))
}

/// An optional whole number.
fn whole(values: &[Option<Value>], position: usize, default: i64) -> Result<i64> {
    match &values[position] {
        None | Some(Value::None) => Ok(default),
        Some(value) => integer(value, "the argument"),
    }
}

/// An optional truth value.
fn flag(values: &[Option<Value>], position: usize) -> Result<bool> {
    match &values[position] {
        None | Some(Value::None) => Ok(false),
        Some(Value::Number(Weak::Bool(value))) => Ok(*value),
        Some(other) => Err(format!("the argument is True or False, not {}", other.describe())),
    }
}

/// An optional type.
fn element_type(values: &[Option<Value>], position: usize, default: ElementType) -> Result<ElementType> {
    match &values[position] {
        None | Some(Value::None) => Ok(default),
        Some(Value::Type(element)) => Ok(*element),
        Some(other) => Err(format!("the type of elements is one as float64, not {}", other.describe())),
    }
}

/// Whole numbers: one, or a list.
fn whole_list(value: &Value) -> Result<Vec<i64>> {
    match value {
        Value::List(values) => values.iter().map(|value| integer(value, "an element of the list")).collect(),
        value => Ok(vec![integer(value, "the argument")?]),
    }
}

/// An optional axis or list of axes; all without one.
fn axes(values: &[Option<Value>], position: usize, shape: &Shape) -> Result<Axes> {
    let list = match &values[position] {
        None | Some(Value::None) => return Ok(Axes::all(shape.rank())),
        Some(value) => whole_list(value)?,
    };
    let mut axes = Axes::default();
    for axis in list {
        let axis = shape.axis(axis).map_err(|error| error.to_string())?;
        if axes.contains(axis) {
            return Err(format!("axis {axis} stands twice"));
        }
        axes = axes.with(axis);
    }
    Ok(axes)
}

/// A shape: one extent, or a list.
fn shape_of(value: &Value) -> Result<Shape> {
    let extents: Vec<usize> = whole_list(value)?
        .into_iter()
        .map(|extent| usize::try_from(extent).map_err(|_| format!("an extent is not negative, and {extent} is")))
        .collect::<Result<_>>()?;
    Shape::new(&extents).map_err(|error| error.to_string())
}

/// The values of a list, or of an argument alone.
fn list(value: &Value) -> Vec<&Value> {
    match value {
        Value::List(values) => values.iter().collect(),
        value => vec![value],
    }
}

/// Arrays of a list, in one type.
fn arrays(value: &Value) -> Result<Vec<Node>> {
    let values = list(value);
    let element = of_all(&values)?;
    values.into_iter().map(|value| array_of(value, element)).collect()
}
