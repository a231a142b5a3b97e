//! Differences between the languages. Where nothing else is said, they have the syntax of C.

use super::super::constant::Constant;
use super::super::ir::{Alignment, AtomicOp, Foreign, Id, Memory, Op, Program, Query, Space, StoreMode};
use super::super::types::{ScalarType, ValueType};
use super::operators::{Level, lane_name};
use super::{Printer, Text};

/// A compound statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Construct {
    If,
    Loop,
    Switch,
    Subprogram,
}

/// A loop that counts upwards, its bound excluded.
pub(super) struct Counting<'a> {
    pub(super) scalar: ScalarType,
    pub(super) name: &'a str,
    pub(super) from: &'a str,
    pub(super) to: &'a Text,
    pub(super) step: &'a str,
    /// The step where it is a constant.
    pub(super) constant_step: Option<i64>,
}

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

    /// The text of an operation that the language writes unlike C.
    fn operation(&self, _: &Printer<'_>, _: Id, _: &[(Id, Text)]) -> Option<Text> {
        None
    }

    /// Operands whose text an operation has more than once: they get names.
    fn repeated(&self, _: &Op, _: ValueType, _: &Program) -> Vec<Id> {
        Vec::new()
    }

    /// A vector of scalars.
    fn vector(&self, type_name: &str, lanes: &[String]) -> Text {
        Text::at(Level::Unary, format!("({type_name})({})", lanes.join(", ")))
    }

    /// A scalar in all lanes.
    fn splat(&self, type_name: &str, _: usize, scalar: &str) -> Text {
        Text::at(Level::Unary, format!("({type_name})({scalar})"))
    }

    /// A vector converted to a type.
    fn convert_vector(&self, type_name: &str, text: &str) -> String {
        format!("convert_{type_name}({text})")
    }

    /// Lanes of one vector or another, by a mask as wide as they are.
    fn select_vector(&self, _: &str, _: &str, mask: &str, if_true: &str, if_false: &str) -> Text {
        Text::name(format!("select({if_false}, {if_true}, {mask})"))
    }

    /// A lane of a vector.
    fn lane(&self, vector: &str, lanes: usize, lane: usize) -> String {
        format!("{vector}.{}", lane_name(lanes, lane))
    }

    /// True if lanes of named vectors may be selected in one expression.
    fn has_component_selection(&self) -> bool {
        true
    }

    /// Elements of a memory as a vector.
    fn load_vector(&self, space: Space, alignment: Alignment, value_type: ValueType, address: &str) -> Text {
        let type_name = self.type_name(value_type);
        match (space, alignment) {
            (Space::Global, Alignment::Element) => Text::name(format!("load_{type_name}({address})")),
            (Space::Global, Alignment::Vector) => {
                Text::at(Level::Unary, format!("*(__global const {type_name} *)({address})"))
            }
            // Arrays have the alignment of their elements.
            _ => Text::name(format!("vload{}(0, {address})", value_type.lanes)),
        }
    }

    /// A statement that stores a vector.
    fn store_vector(&self, space: Space, mode: StoreMode, value_type: ValueType, address: &str, value: &str) -> String {
        let type_name = self.type_name(value_type);
        match (space, mode.alignment) {
            (Space::Global, Alignment::Element) => format!("store_{type_name}({value}, 0, {address});"),
            (Space::Global, Alignment::Vector) if mode.streaming => {
                self.store_streaming("", &format!("(__global {type_name} *)({address})"), value)
            }
            (Space::Global, Alignment::Vector) => format!("*(__global {type_name} *)({address}) = {value};"),
            // Arrays have the alignment of their elements.
            _ => format!("vstore{}({value}, 0, {address});", value_type.lanes),
        }
    }

    /// True if names are declared at the head of a subprogram: a definition is an assignment then.
    fn declares_first(&self) -> bool {
        false
    }

    fn comment(&self, line: &str) -> String {
        format!("// {line}")
    }

    fn assignment(&self, target: &str, value: &str) -> String {
        format!("{target} = {value};")
    }

    /// The declaration of an array, the dimension of its elements last.
    fn array(&self, type_name: &str, name: &str, dimensions: &[String]) -> String {
        let dimensions: String = dimensions.iter().map(|length| format!("[{length}]")).collect();
        format!("{type_name} {name}{dimensions};")
    }

    /// The element of an array, which may be each work-item's own.
    fn element(&self, name: &str, per_item: bool, index: &Text, _: ScalarType) -> String {
        if per_item { format!("{name}[item][{}]", index.text) } else { format!("{name}[{}]", index.text) }
    }

    /// The current work-item's value of a name that each of them has.
    fn of_item(&self, name: &str) -> String {
        format!("{name}[item]")
    }

    fn negated(&self, condition: &Text) -> String {
        format!("!{}", condition.at_least(Level::Unary))
    }

    fn if_head(&self, condition: &str) -> String {
        format!("if ({condition}) {{")
    }

    fn or_else(&self) -> &'static str {
        "} else {"
    }

    /// The head of a loop, endless where there is no condition.
    fn while_head(&self, condition: Option<&str>) -> String {
        format!("while ({}) {{", condition.unwrap_or("true"))
    }

    /// A statement that leaves a loop if a condition does not hold.
    fn leave_unless(&self, condition: &Text) -> Vec<String> {
        vec![self.if_head(&self.negated(condition)), "    break;".to_owned(), "}".to_owned()]
    }

    /// The lines before a loop, and its head.
    fn loop_head(&self, counting: &Counting<'_>) -> Vec<String> {
        let Counting { name, from, to, step, .. } = counting;
        let type_name = self.scalar_name(counting.scalar);
        // A constant is printed without its suffix.
        let next = match counting.constant_step {
            Some(1) => format!("{name}++"),
            constant => format!("{name} += {}", constant.map_or((*step).to_owned(), |step| step.to_string())),
        };
        vec![format!("for ({type_name} {name} = {from}; {name} < {}; {next}) {{", to.at_least(Level::Shift))]
    }

    /// The last statement of a loop's body.
    fn loop_tail(&self, _: &Counting<'_>) -> Option<String> {
        None
    }

    fn switch_head(&self, selector: &str) -> String {
        format!("switch ({selector}) {{")
    }

    /// The head of a switch's arm, which is the default without values.
    fn arm_head(&self, values: &[Constant]) -> String {
        let labels: Vec<String> = values.iter().map(|value| format!("case {}:", self.literal(*value).0)).collect();
        if values.is_empty() { "default: {".to_owned() } else { format!("{} {{", labels.join(" ")) }
    }

    /// The end of a switch's arm.
    fn arm_end(&self) -> &'static [&'static str] {
        &["    break;", "}"]
    }

    fn end(&self, _: Construct) -> &'static str {
        "}"
    }

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
    fn load_half(&self, access: &HalfAccess<'_>) -> String;

    /// A statement that rounds a `float`, or a vector of them, to half precision in memory.
    fn store_half(&self, access: &HalfAccess<'_>, value: &str) -> String;

    /// A statement that stores a value past the caches, in an element or at an address.
    fn store_streaming(&self, element: &str, address: &str, value: &str) -> String;

    fn query(&self, query: Query, dimension: usize) -> (String, Level);

    fn barrier(&self, global: bool) -> String;

    /// The statements of an atomic operation.
    fn atomic(&self, atomic: &Atomic<'_>) -> Vec<String>;

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

/// An atomic operation on an element.
pub(super) struct Atomic<'a> {
    pub(super) op: AtomicOp,
    /// The target of the old value, and the type to declare it with; nothing where it is declared.
    pub(super) target: Option<(String, String)>,
    pub(super) element: &'a str,
    pub(super) scalar: ScalarType,
    pub(super) values: &'a [String],
}

/// An access to elements of half precision.
pub(super) struct HalfAccess<'a> {
    pub(super) memory: &'a Memory,
    /// The first element.
    pub(super) element: &'a str,
    /// The memory's name, and the first element's index.
    pub(super) name: &'a str,
    pub(super) index: &'a Text,
    pub(super) lanes: usize,
    pub(super) alignment: Alignment,
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
