//! Values while a graph is built.

use affinimath_array::{ElementType, Node, Number, Value as Element};

/// A number of the text, which takes the type of the arrays that it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Weak {
    Bool(bool),
    Integer(i64),
    Real(f64),
    Complex(f64, f64),
}

/// The value of a tree.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Array(Node),
    Number(Weak),
    List(Vec<Value>),
    Type(ElementType),
    None,
}

impl Weak {
    /// The number without the size of its type.
    pub(crate) const fn of(number: Number) -> Self {
        match number {
            Number::Real(Element::Bool(value)) => Weak::Bool(value),
            Number::Real(Element::U8(value)) => Weak::Integer(value as i64),
            Number::Real(Element::I32(value)) => Weak::Integer(value as i64),
            Number::Real(Element::U32(value)) => Weak::Integer(value as i64),
            Number::Real(Element::I64(value)) => Weak::Integer(value),
            Number::Real(value) => Weak::Real(real(value)),
            Number::Complex(re, im) => Weak::Complex(real(re), real(im)),
        }
    }

    /// The type of an array of it alone.
    pub(crate) const fn default_type(self) -> ElementType {
        match self {
            Weak::Bool(_) => ElementType::Bool,
            Weak::Integer(_) => ElementType::I64,
            Weak::Real(_) => ElementType::F64,
            Weak::Complex(..) => ElementType::C64,
        }
    }

    pub(crate) const fn parts(self) -> (f64, f64) {
        match self {
            Weak::Bool(value) => (value as u8 as f64, 0.0),
            Weak::Integer(value) => (value as f64, 0.0),
            Weak::Real(value) => (value, 0.0),
            Weak::Complex(re, im) => (re, im),
        }
    }

    /// The number in a type that can hold its kind.
    pub(crate) fn number(self, element: ElementType) -> Result<Number, String> {
        let (re, im) = self.parts();
        let integer = match self {
            Weak::Bool(value) => i128::from(value),
            Weak::Integer(value) => i128::from(value),
            Weak::Real(_) | Weak::Complex(..) => re as i128,
        };
        let real = |value: f64| {
            if element.part() == ElementType::F32 { Element::F32(value as f32) } else { Element::F64(value) }
        };
        let outside = || format!("{integer} is no number of type {element}");
        Ok(match element {
            ElementType::Bool => Number::Real(Element::Bool(integer != 0)),
            ElementType::U8 => Number::Real(Element::U8(u8::try_from(integer).map_err(|_| outside())?)),
            ElementType::I32 => Number::Real(Element::I32(i32::try_from(integer).map_err(|_| outside())?)),
            ElementType::U32 => Number::Real(Element::U32(u32::try_from(integer).map_err(|_| outside())?)),
            ElementType::I64 => Number::Real(Element::I64(i64::try_from(integer).map_err(|_| outside())?)),
            ElementType::F32 | ElementType::F64 => Number::Real(real(re)),
            ElementType::C32 | ElementType::C64 => Number::Complex(real(re), real(im)),
        })
    }
}

/// A real number of either precision.
const fn real(value: Element) -> f64 {
    match value {
        Element::F32(value) => value as f64,
        Element::F64(value) => value,
        _ => 0.0,
    }
}

impl Value {
    /// Values, of which a list has several.
    pub(crate) fn count(&self) -> usize {
        match self {
            Value::List(values) => values.iter().map(Value::count).sum(),
            _ => 1,
        }
    }

    /// A description for errors.
    pub(crate) fn describe(&self) -> String {
        match self {
            Value::Array(node) => format!("an array of type {} and shape {}", node.element(), node.shape()),
            Value::Number(Weak::Complex(..)) => "a complex number".to_owned(),
            Value::Number(Weak::Bool(_)) => "a truth value".to_owned(),
            Value::Number(_) => "a number".to_owned(),
            Value::List(values) => format!("a list of {} values", values.len()),
            Value::Type(element) => format!("the type {element}"),
            Value::None => "None".to_owned(),
        }
    }
}
