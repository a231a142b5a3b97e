//! Names, types and numbers in the texts of C and Fortran.

use crate::bound::Bound;
use crate::definition::{AXES, Type};
use crate::value::Value;

/// The name of a grid: its own with a prefix, so that it is no word of a language. Fortran has no case, so a number
/// makes a name unique without it.
pub(super) fn grid(bound: &Bound, grid: usize) -> String {
    let grids = bound.stencil().grids();
    unique("grid", grid, grids.iter().map(|grid| grid.name.as_str()))
}

/// The name of a parameter.
pub(super) fn parameter(bound: &Bound, parameter: usize) -> String {
    let parameters = bound.stencil().parameters();
    unique("parameter", parameter, parameters.iter().map(|parameter| parameter.name.as_str()))
}

/// The name of a result.
pub(super) fn result(bound: &Bound, result: usize) -> String {
    let results = bound.stencil().results();
    unique("result", result, results.iter().map(|result| result.name.as_str()))
}

fn unique<'a>(prefix: &str, index: usize, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let name = names.clone().nth(index).unwrap_or_default();
    let same = names.filter(|other| other.eq_ignore_ascii_case(name)).count();
    if same > 1 { format!("{prefix}_{name}_{index}") } else { format!("{prefix}_{name}") }
}

/// A coordinate.
pub(super) fn axis(axis: usize) -> String {
    AXES[axis].to_string()
}

/// The type of elements in C.
pub(super) const fn c_type(kind: Type) -> &'static str {
    match kind {
        Type::Bool => "int",
        Type::I32 => "int32_t",
        Type::I64 => "int64_t",
        Type::F32 => "float",
        Type::F64 => "double",
    }
}

/// The type of elements in Fortran.
pub(super) const fn fortran_type(kind: Type) -> &'static str {
    match kind {
        Type::Bool => "integer(c_int)",
        Type::I32 => "integer(c_int32_t)",
        Type::I64 => "integer(c_int64_t)",
        Type::F32 => "real(c_float)",
        Type::F64 => "real(c_double)",
    }
}

/// The end of a helper function's name.
pub(super) const fn suffix(kind: Type) -> &'static str {
    match kind {
        Type::Bool => "bool",
        Type::I32 => "i32",
        Type::I64 => "i64",
        Type::F32 => "f32",
        Type::F64 => "f64",
    }
}

/// A number in C, with all its bits.
pub(super) fn number(value: Value) -> String {
    match value {
        Value::Bool(value) => u8::from(value).to_string(),
        Value::I32(i32::MIN) => "INT32_MIN".to_owned(),
        Value::I32(value) => value.to_string(),
        Value::I64(value) => whole(value),
        Value::F32(value) => match real(f64::from(value)) {
            text if text.starts_with(['I', 'N', '-']) && !value.is_finite() => text,
            text => format!("{text}f"),
        },
        Value::F64(value) => real(value),
    }
}

/// A number of 64 bits in C.
pub(super) fn whole(value: i64) -> String {
    match value {
        i64::MIN => "INT64_MIN".to_owned(),
        value => format!("INT64_C({value})"),
    }
}

/// The shortest digits that give the bits back.
fn real(value: f64) -> String {
    if value.is_nan() {
        return "NAN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INFINITY" } else { "-INFINITY" }.to_owned();
    }
    let text = format!("{value:?}");
    if text.contains(['.', 'e']) { text } else { format!("{text}.0") }
}

/// A call in lines of at most 110 columns.
pub(super) fn call(indent: usize, head: &str, arguments: &[String], end: &str) -> String {
    let spaces = " ".repeat(indent);
    let mut text = format!("{spaces}{head}(");
    let mut column = text.len();
    for (index, argument) in arguments.iter().enumerate() {
        let piece = format!("{argument}{}", if index + 1 == arguments.len() { "" } else { "," });
        if index > 0 {
            if column + piece.len() + 1 > 110 {
                text += &format!("\n{spaces}    ");
                column = indent + 4;
            } else {
                text.push(' ');
                column += 1;
            }
        }
        column += piece.len();
        text += &piece;
    }
    text + ")" + end + "\n"
}
