//! Differences between the three languages.

use super::super::constant::Constant;
use super::super::ir::{Alignment, AtomicOp, Foreign, Memory, Query};
use super::super::types::{ScalarType, ValueType};
use super::Text;
use super::operators::Level;

/// One of the languages.
pub(super) trait Dialect {
    fn scalar_name(&self, scalar: ScalarType) -> &'static str;

    fn type_name(&self, value_type: ValueType) -> String {
        let scalar = self.scalar_name(value_type.scalar);
        if value_type.lanes == 1 { scalar.to_owned() } else { format!("{scalar}{}", value_type.lanes) }
    }

    /// The type of an array's elements.
    fn array_type(&self, element: ValueType) -> String {
        self.type_name(element)
    }

    /// The body of a foreign function.
    fn foreign<'f>(&self, function: &'f Foreign) -> &'f str;

    /// The suffix of 64-bit integers.
    fn long_suffix(&self) -> &'static str;

    /// The name of a function of real numbers or of integers.
    fn function(&self, name: &str, scalar: ScalarType) -> String;

    /// The function, or the cast, that keeps the bits.
    fn bitcast(&self, from: ScalarType, to: ValueType) -> String;

    /// The function that converts with saturation.
    fn saturating(&self, from: ScalarType, to: ValueType) -> String {
        saturating_name(from, to.scalar)
    }

    /// An element of half precision as a `float`, or more elements than one as a vector.
    fn load_half(&self, memory: &Memory, name: &str, index: &Text, lanes: usize, alignment: Alignment) -> String;

    /// A statement that rounds a `float`, or a vector of them, to half precision in memory.
    fn store_half(&self, memory: &Memory, name: &str, index: &Text, value: &Value<'_>, alignment: Alignment) -> String;

    /// A statement that stores a value past the caches.
    fn store_streaming(&self, address: &str, value: &str) -> String;

    fn query(&self, query: Query, dimension: usize) -> (String, Level);

    fn barrier(&self, global: bool) -> String;

    /// The statements of an atomic operation on `place`. The target of the old value is a name and the type to declare
    /// it with.
    fn atomic(&self, op: AtomicOp, target: Option<&(String, String)>, place: &str, values: &[String]) -> Vec<String>;

    fn literal(&self, constant: Constant) -> (String, Level) {
        let text = match constant {
            Constant::Bool(value) => value.to_string(),
            // The literal 2147483648 is no int.
            Constant::I32(i32::MIN) => "(-2147483647 - 1)".to_owned(),
            Constant::I32(value) => value.to_string(),
            Constant::I8(value) => self.cast_literal(constant, value.into()),
            Constant::U8(value) => self.cast_literal(constant, value.into()),
            Constant::I16(value) => self.cast_literal(constant, value.into()),
            Constant::U16(value) => self.cast_literal(constant, value.into()),
            Constant::U32(value) => format!("{value}u"),
            Constant::I64(i64::MIN) => format!("(-{}{suffix} - 1{suffix})", i64::MAX, suffix = self.long_suffix()),
            Constant::I64(value) => format!("{value}{}", self.long_suffix()),
            Constant::U64(value) => format!("{value}U{}", self.long_suffix()),
            // A value has no half precision.
            Constant::F16(_) => real(constant.float(), format!("{:?}f", constant.float()), "float"),
            Constant::F32(bits) => real(f32::from_bits(bits).into(), format!("{:?}f", f32::from_bits(bits)), "float"),
            Constant::F64(bits) => real(f64::from_bits(bits), format!("{:?}", f64::from_bits(bits)), "double"),
        };
        let cast = constant.scalar_type().is_promoted();
        let level = if cast || text.starts_with('-') { Level::Unary } else { Level::Primary };
        (text, level)
    }

    /// C has no literals of fewer than 32 bits.
    fn cast_literal(&self, constant: Constant, value: i32) -> String {
        format!("({}){value}", self.scalar_name(constant.scalar_type()))
    }
}

/// A value to be stored, and its lanes.
pub(super) struct Value<'a> {
    pub(super) text: &'a str,
    pub(super) lanes: usize,
}

/// The name of a helper function for a type.
pub(super) fn with_type(name: &str, scalar: ScalarType) -> String {
    format!("{name}_{}", scalar.name())
}

/// The name of the helper function that converts with saturation.
pub(super) fn saturating_name(from: ScalarType, to: ScalarType) -> String {
    format!("saturate_{}_{}", from.name(), to.name())
}

/// Rust's shortest decimal that reads back as the same number.
fn real(value: f64, shortest: String, name: &str) -> String {
    match value {
        _ if value.is_nan() => format!("(({name})NAN)"),
        f64::INFINITY => format!("(({name})INFINITY)"),
        f64::NEG_INFINITY => format!("(-({name})INFINITY)"),
        _ => shortest,
    }
}
