//! Promotion of types, as NumPy's for the types that there are.

use super::value::{Value, Weak};
use affinimath_array::{ElementType, Node};

/// The type that two arrays' elements are converted to.
pub fn common(a: ElementType, b: ElementType) -> ElementType {
    use ElementType::{Bool, C32, C64, F32, F64, I32, I64, U8, U32};
    match (a, b) {
        _ if a == b => a,
        (Bool, other) | (other, Bool) => other,
        (U8, other) | (other, U8) => other,
        (I64 | I32 | U32, I64 | I32 | U32) => I64,
        (I64 | I32 | U32, F32 | F64) | (F32 | F64, I64 | I32 | U32) => F64,
        (F32, F64) | (F64, F32) => F64,
        (F32, C32) | (C32, F32) => C32,
        _ => C64,
    }
}

/// The type of an operation on an array's elements and a number of the text.
pub(crate) fn with_number(element: ElementType, number: Weak) -> ElementType {
    let is_whole = element == ElementType::Bool || element.is_integer();
    match number {
        Weak::Bool(_) => element,
        Weak::Integer(_) if element == ElementType::Bool => ElementType::I64,
        Weak::Integer(_) => element,
        Weak::Real(_) if is_whole => ElementType::F64,
        Weak::Real(_) => element,
        Weak::Complex(..) => match element {
            ElementType::F32 | ElementType::C32 => ElementType::C32,
            _ => ElementType::C64,
        },
    }
}

/// The type of an operation on values.
pub(crate) fn of_all(values: &[&Value]) -> Result<ElementType, String> {
    let mut found: Option<ElementType> = None;
    for value in values {
        if let Value::Array(node) = value {
            found = Some(found.map_or(node.element(), |found| common(found, node.element())));
        }
    }
    let has_array = found.is_some();
    for value in values {
        match value {
            Value::Number(number) => {
                found = Some(match found {
                    Some(found) if has_array => with_number(found, *number),
                    Some(found) => common(found, number.default_type()),
                    None => number.default_type(),
                });
            }
            Value::Array(_) => {}
            other => return Err(format!("{} is no array", other.describe())),
        }
    }
    found.ok_or_else(|| "there is no operand".to_owned())
}

/// A value as an array of a type that holds its kind.
pub(crate) fn array_of(value: &Value, element: ElementType) -> Result<Node, String> {
    match value {
        Value::Array(node) if node.element() == element => Ok(node.clone()),
        Value::Array(node) => Ok(node.convert(element)),
        Value::Number(number) => Ok(Node::scalar(number.number(element)?)),
        other => Err(format!("{} is no array", other.describe())),
    }
}

/// The type of a function of real or complex numbers: integers are doubles.
pub(crate) const fn floating(element: ElementType) -> ElementType {
    match element {
        ElementType::F32 | ElementType::F64 | ElementType::C32 | ElementType::C64 => element,
        _ => ElementType::F64,
    }
}

/// The type with this name.
pub(crate) fn named(name: &str) -> Option<ElementType> {
    Some(match name {
        "bool" | "bool_" => ElementType::Bool,
        "uint8" | "u8" => ElementType::U8,
        "int32" | "i32" => ElementType::I32,
        "uint32" | "u32" => ElementType::U32,
        "int64" | "i64" | "int" => ElementType::I64,
        "float32" | "f32" => ElementType::F32,
        "float64" | "f64" | "float" | "double" => ElementType::F64,
        "complex64" => ElementType::C32,
        "complex128" => ElementType::C64,
        _ => return None,
    })
}
