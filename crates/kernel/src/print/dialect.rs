//! Differences between the three languages.

use super::super::constant::Constant;
use super::super::ir::{AtomicOp, Query};
use super::super::types::{ScalarType, ValueType};
use super::operators::Level;

/// One of the languages.
pub(super) trait Dialect {
    fn scalar_name(&self, scalar: ScalarType) -> &'static str;

    fn type_name(&self, value_type: ValueType) -> String {
        let scalar = self.scalar_name(value_type.scalar);
        if value_type.lanes == 1 { scalar.to_owned() } else { format!("{scalar}{}", value_type.lanes) }
    }

    /// The suffix of 64-bit integers.
    fn long_suffix(&self) -> &'static str;

    /// The name of a function of real numbers, or of `min` and `max` of integers.
    fn function(&self, name: &str, scalar: ScalarType) -> String;

    fn query(&self, query: Query, dimension: usize) -> (String, Level);

    fn barrier(&self, global: bool) -> String;

    /// The statements of an atomic operation on `location`. The target of the old value is a name and the type to
    /// declare it with.
    fn atomic(&self, op: AtomicOp, target: Option<&(String, String)>, location: &str, values: &[String])
    -> Vec<String>;

    fn literal(&self, constant: Constant) -> (String, Level) {
        let text = match constant {
            Constant::Bool(value) => value.to_string(),
            // The literal 2147483648 is no int.
            Constant::I32(i32::MIN) => "(-2147483647 - 1)".to_owned(),
            Constant::I32(value) => value.to_string(),
            Constant::U32(value) => format!("{value}u"),
            Constant::I64(i64::MIN) => format!("(-{}{suffix} - 1{suffix})", i64::MAX, suffix = self.long_suffix()),
            Constant::I64(value) => format!("{value}{}", self.long_suffix()),
            Constant::F32(bits) => real(f32::from_bits(bits).into(), format!("{:?}f", f32::from_bits(bits)), "float"),
            Constant::F64(bits) => real(f64::from_bits(bits), format!("{:?}", f64::from_bits(bits)), "double"),
        };
        let level = if text.starts_with('-') { Level::Unary } else { Level::Primary };
        (text, level)
    }
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
