//! C99, with OpenMP over the work-groups. Vectors become scalars, which the compiler vectorises again.

use super::super::error::BuildError;
use super::super::ir::{Access, AtomicOp, Foreign, Memory, Program, Query, Space};
use super::super::types::{ScalarType, ValueType};
use super::dialect::{Atomic, Construct, Dialect, HalfAccess, with_type};
use super::operators::Level;
use super::regions::{HostDialect, Regions};
use super::{Printer, helpers, without_vectors};

struct C99;

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

/// The kernel in C99: a function of the number of groups and of work-items in a group, per dimension, and of the
/// arguments.
pub(in super::super) fn c99(program: &Program) -> Result<String, BuildError> {
    let program = &without_vectors(program);
    let regions = Regions::of(program, &C99)?;
    let mut printer = Printer::new(program, &C99);
    for line in ["#include <math.h>", "#include <stdbool.h>", "#include <stdint.h>"] {
        printer.line(line);
    }
    if helpers::needs_memcpy(program) {
        printer.line("#include <string.h>");
    }
    for line in ["", "#pragma STDC FP_CONTRACT OFF", ""] {
        printer.line(line);
    }
    helpers::declare(&mut printer, &C99, &helpers::C99);
    printer.functions("static inline");
    printer.comment();
    let buffer = |memory: &Memory| {
        let read = if memory.access == Access::Read { "const " } else { "" };
        format!("{read}{} *restrict {}", C99.type_name(memory.element), memory.name)
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
    Ok(printer.out)
}
