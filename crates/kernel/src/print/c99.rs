//! C99, with OpenMP over the work-groups. Vectors become scalars, which the compiler vectorises again, or are those
//! of an extension.

use super::super::error::BuildError;
use super::super::ir::{Access, Alignment, AtomicOp, Foreign, Id, Memory, Op, Program, Query, Space, StoreMode};
use super::super::types::{ScalarType, ValueType};
use super::dialect::{Atomic, Construct, Dialect, HalfAccess, with_type};
use super::operators::Level;
use super::regions::{HostDialect, Regions};
use super::{Printer, Text, helpers, without_vectors};

/// C99; with `vectors` as the extensions of GCC and Clang have them.
struct C99 {
    vectors: bool,
}

impl Dialect for C99 {
    fn scalar_name(&self, scalar: ScalarType) -> &'static str {
        match scalar {
            ScalarType::Bool => "bool",
            ScalarType::I8 => "int8_t",
            ScalarType::U8 => "uint8_t",
            ScalarType::I16 => "int16_t",
            // The bits of half precision, which C99 has no type for.
            ScalarType::U16 | ScalarType::F16 => "uint16_t",
            ScalarType::I32 => "int32_t",
            ScalarType::U32 => "uint32_t",
            ScalarType::I64 => "int64_t",
            ScalarType::U64 => "uint64_t",
            ScalarType::F32 => "float",
            ScalarType::F64 => "double",
        }
    }

    fn type_name(&self, value_type: ValueType) -> String {
        let ValueType { scalar, lanes } = value_type;
        if lanes == 1 { self.scalar_name(scalar).to_owned() } else { format!("{}x{lanes}", scalar.name()) }
    }

    fn operation(&self, printer: &Printer<'_>, id: Id, operands: &[(Id, Text)]) -> Option<Text> {
        let node = &printer.program.nodes[id];
        match node.op {
            // The type of a comparison's lanes is another one of the same size.
            Op::Binary(op, a, _) if node.value_type.is_mask() && op.is_comparison() => {
                let compared = printer.binary(op, printer.program.nodes[a].value_type, operands);
                Some(Text::at(Level::Unary, format!("({})({})", printer.node_type(id), compared.text)))
            }
            _ => None,
        }
    }

    /// The condition of a selection and the scalar of a splat.
    fn repeated(&self, op: &Op, value_type: ValueType, program: &Program) -> Vec<Id> {
        match op {
            Op::Select(condition, ..) if program.nodes[*condition].value_type.is_mask() => vec![*condition],
            Op::Splat(scalar) if value_type.lanes > 1 => vec![*scalar],
            _ => Vec::new(),
        }
    }

    fn vector(&self, type_name: &str, lanes: &[String]) -> Text {
        Text::name(format!("(({type_name}){{{}}})", lanes.join(", ")))
    }

    fn splat(&self, type_name: &str, lanes: usize, scalar: &str) -> Text {
        self.vector(type_name, &vec![scalar.to_owned(); lanes])
    }

    fn convert_vector(&self, type_name: &str, text: &str) -> String {
        format!("__builtin_convertvector({text}, {type_name})")
    }

    /// C has no operator for it, as C++ has: the bits of one or the other.
    fn select_vector(&self, type_name: &str, words: &str, mask: &str, if_true: &str, if_false: &str) -> Text {
        let text = format!("({type_name})((({words})({if_true}) & {mask}) | (({words})({if_false}) & ~{mask}))");
        Text::at(Level::Unary, text)
    }

    fn lane(&self, vector: &str, _: usize, lane: usize) -> String {
        format!("{vector}[{lane}]")
    }

    fn has_component_selection(&self) -> bool {
        false
    }

    fn load_vector(&self, _: Space, _: Alignment, value_type: ValueType, address: &str) -> Text {
        Text::at(Level::Unary, format!("*(const {}_at *)({address})", self.type_name(value_type)))
    }

    fn store_vector(&self, _: Space, _: StoreMode, value_type: ValueType, address: &str, value: &str) -> String {
        format!("*({}_at *)({address}) = {value};", self.type_name(value_type))
    }

    fn foreign<'f>(&self, function: &'f Foreign) -> &'f str {
        &function.c99
    }

    fn long_suffix(&self) -> &'static str {
        "LL"
    }

    fn function(&self, name: &str, scalar: ScalarType) -> String {
        match scalar {
            ScalarType::F32 | ScalarType::F64 => super::cuda::with_suffix(name, scalar),
            _ => with_type(name, scalar),
        }
    }

    fn bitcast(&self, from: ScalarType, to: ValueType) -> String {
        if to.lanes > 1 {
            return format!("({})", self.type_name(to));
        }
        if from.is_float() == to.scalar.is_float() {
            return format!("({})", self.scalar_name(to.scalar));
        }
        helpers::bitcast_name(from, to.scalar)
    }

    fn load_half(&self, access: &HalfAccess<'_>) -> String {
        format!("half_to_float({})", access.element)
    }

    fn store_half(&self, access: &HalfAccess<'_>, value: &str) -> String {
        format!("{} = float_to_half({value});", access.element)
    }

    fn store_streaming(&self, _: &str, address: &str, value: &str) -> String {
        format!("*({address}) = {value};")
    }

    fn query(&self, query: Query, dimension: usize) -> (String, Level) {
        match query {
            Query::GlobalId => (format!("group_{dimension} * local_size[{dimension}] + local_{dimension}"), Level::Sum),
            Query::GlobalSize => (format!("groups[{dimension}] * local_size[{dimension}]"), Level::Product),
            Query::LocalId => (format!("local_{dimension}"), Level::Primary),
            Query::GroupId => (format!("group_{dimension}"), Level::Primary),
            Query::LocalSize => (format!("local_size[{dimension}]"), Level::Primary),
            Query::GroupCount => (format!("groups[{dimension}]"), Level::Primary),
        }
    }

    fn barrier(&self, _: bool) -> String {
        String::new()
    }

    fn atomic(&self, atomic: &Atomic<'_>) -> Vec<String> {
        let Atomic { op, target, element, scalar, values } = atomic;
        let (old, declaration) = match target {
            Some((name, declared)) if declared.is_empty() => (name.clone(), None),
            Some((name, declared)) => (name.clone(), Some(format!("{declared}{name};"))),
            None => ((*element).to_owned(), None),
        };
        let value = &values[values.len() - 1];
        let new = match op {
            // Sums wrap around, also those of signed integers.
            AtomicOp::Add if scalar.is_signed() => {
                let (signed, unsigned) = (self.scalar_name(*scalar), self.scalar_name(scalar.unsigned()));
                format!("({signed})(({unsigned}){old} + ({unsigned})({value}))")
            }
            AtomicOp::Add => format!("{old} + ({value})"),
            AtomicOp::Min => format!("{old} < ({value}) ? {old} : ({value})"),
            AtomicOp::Max => format!("{old} > ({value}) ? {old} : ({value})"),
            AtomicOp::Exchange => value.clone(),
            AtomicOp::CompareExchange => format!("{old} == ({}) ? ({value}) : {old}", values[0]),
        };
        let read = target.as_ref().map_or_else(String::new, |_| format!("{old} = {element}; "));
        let step = format!("{{ {read}{element} = {new}; }}");
        declaration.into_iter().chain(["#pragma omp critical (atomic_step)".to_owned(), step]).collect()
    }
}

impl HostDialect for C99 {
    fn language(&self) -> &'static str {
        "C99"
    }

    fn declare_item(&self, printer: &mut Printer<'_>) {
        printer.line("int64_t item;");
    }

    fn local_size(&self, dimension: usize) -> String {
        format!("local_size[{dimension}]")
    }

    fn open_items(&self, printer: &mut Printer<'_>, numbered: bool) {
        if numbered {
            printer.line("item = 0;");
        }
        for dimension in (0..3).rev() {
            let name = format!("local_{dimension}");
            let next = if numbered && dimension == 0 { ", item++" } else { "" };
            let head = format!("for (int64_t {name} = 0; {name} < local_size[{dimension}]; {name}++{next})");
            if dimension == 0 { printer.open(&format!("{head} {{")) } else { printer.line(&head) }
        }
    }

    fn close_items(&self, printer: &mut Printer<'_>) {
        printer.close(Construct::Loop);
    }
}

/// True if C with vector extensions may define a type of this name.
pub(super) fn is_vector(name: &str) -> bool {
    let name = name.strip_suffix("_at").unwrap_or(name);
    vector_types().any(|value_type| (C99 { vectors: true }).type_name(value_type) == name)
}

fn vector_types() -> impl Iterator<Item = ValueType> {
    use ScalarType::{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    let scalars = [I8, U8, I16, U16, I32, U32, I64, U64, F32, F64];
    scalars.into_iter().flat_map(|scalar| [2, 4, 8, 16].map(|lanes| ValueType::vector(scalar, lanes)))
}

/// Declares the vector types of a text, and those of vectors in memory with the alignment of their elements.
fn vector_declarations(text: &str) -> String {
    let dialect = C99 { vectors: true };
    let mut out = String::new();
    for value_type in vector_types() {
        let (scalar, name) = (dialect.scalar_name(value_type.scalar), dialect.type_name(value_type));
        let has = |suffix: &str| text.match_indices(&name).any(|(at, _)| text[at + name.len()..].starts_with(suffix));
        let bytes = value_type.scalar.bits() as usize / 8;
        if has("") {
            let size = bytes * value_type.lanes;
            out += &format!("typedef {scalar} {name} __attribute__((vector_size({size})));\n");
        }
        if has("_at ") {
            out += &format!("typedef {name} {name}_at __attribute__((aligned({bytes}), may_alias));\n");
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// The kernel in C99: a function of the number of groups and of work-items in a group, per dimension, and of the
/// arguments.
pub(in super::super) fn c99(program: &Program) -> Result<String, BuildError> {
    print(&without_vectors(program), &C99 { vectors: false })
}

/// The kernel in C with vector extensions.
pub(in super::super) fn c_vectors(program: &Program) -> Result<String, BuildError> {
    print(&super::legal::with_plain_vectors(program), &C99 { vectors: true })
}

fn print(program: &Program, dialect: &C99) -> Result<String, BuildError> {
    let regions = Regions::of(program, dialect)?;
    let mut printer = Printer::new(program, dialect);
    for line in ["#include <math.h>", "#include <stdbool.h>", "#include <stdint.h>"] {
        printer.line(line);
    }
    if helpers::needs_memcpy(program) {
        printer.line("#include <string.h>");
    }
    for line in ["", "#pragma STDC FP_CONTRACT OFF", ""] {
        printer.line(line);
    }
    let head = printer.out.len();
    helpers::declare(&mut printer, dialect, &helpers::C99);
    printer.functions("static inline");
    printer.comment();
    let buffer = |memory: &Memory| {
        let read = if memory.access == Access::Read { "const " } else { "" };
        format!("{read}{} *restrict {}", dialect.type_name(memory.element), memory.name)
    };
    let parameters = printer.parameters(buffer);
    let sizes = ["const int64_t groups[3]".to_owned(), "const int64_t local_size[3]".to_owned()];
    let parameters: Vec<String> = sizes.into_iter().chain(parameters).collect();
    printer.open_kernel(&format!("void {}", program.name), &parameters);
    printer.line("#pragma omp parallel for collapse(3)");
    for dimension in (0..3).rev() {
        let name = format!("group_{dimension}");
        let head = format!("for (int64_t {name} = 0; {name} < groups[{dimension}]; {name}++)");
        if dimension == 0 { printer.open(&format!("{head} {{")) } else { printer.line(&head) }
    }
    printer.declare_arrays(Space::Local, "");
    regions.print(&mut printer);
    printer.close(Construct::Loop);
    printer.close(Construct::Subprogram);
    if dialect.vectors {
        let declarations = vector_declarations(&printer.out);
        printer.out.insert_str(head, &declarations);
    }
    Ok(printer.out)
}
