//! C99, with OpenMP over the work-groups.
//!
//! Barriers cut the kernel into regions, and each region is a loop over the work-items. The group executes a loop or
//! branch that contains a barrier as a whole, so its range or condition has to be uniform. Values that live across
//! regions are in arrays with an element for each work-item. Vectors become scalars, which the compiler vectorises
//! again.

use std::collections::HashMap;

use super::super::error::BuildError;
use super::super::ir::{
    Access, Alignment, AtomicOp, Block, Foreign, Id, Memory, Op, Program, Query, Space, Statement, walk,
};
use super::super::types::{ScalarType, ValueType};
use super::dialect::{Dialect, Value, with_type};
use super::operators::Level;
use super::{PerItem, Printer, Text, helpers, without_vectors};

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

    fn load_half(&self, _: &Memory, name: &str, index: &Text, _: usize, _: Alignment) -> String {
        format!("half_to_float({name}[{}])", index.text)
    }

    fn store_half(&self, _: &Memory, name: &str, index: &Text, value: &Value<'_>, _: Alignment) -> String {
        format!("{name}[{}] = float_to_half({});", index.text, value.text)
    }

    fn store_streaming(&self, address: &str, value: &str) -> String {
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

    fn atomic(&self, op: AtomicOp, target: Option<&(String, String)>, place: &str, values: &[String]) -> Vec<String> {
        let (old, declaration) = match target {
            Some((name, declared)) if declared.is_empty() => (name.clone(), None),
            Some((name, declared)) => (name.clone(), Some(format!("{declared}{name};"))),
            None => (place.to_owned(), None),
        };
        let value = &values[values.len() - 1];
        let new = match op {
            AtomicOp::Add => format!("{old} + ({value})"),
            AtomicOp::Min => format!("{old} < ({value}) ? {old} : ({value})"),
            AtomicOp::Max => format!("{old} > ({value}) ? {old} : ({value})"),
            AtomicOp::Exchange => value.clone(),
            AtomicOp::CompareExchange => format!("{old} == ({}) ? ({value}) : {old}", values[0]),
        };
        let read = target.map_or_else(String::new, |_| format!("{old} = {place}; "));
        let step = format!("{{ {read}{place} = {new}; }}");
        declaration.into_iter().chain(["#pragma omp critical (atomic_step)".to_owned(), step]).collect()
    }
}

/// The kernel in C99: a function of the number of groups and of work-items in a group, per dimension, and of the
/// arguments.
pub(in super::super) fn c99(program: &Program) -> Result<String, BuildError> {
    let program = &without_vectors(program);
    let barriers = program.body.iter().any(Statement::has_barrier);
    let uniform = Uniform::of(program);
    if barriers {
        uniform.check(&program.body)?;
    }
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
        if dimension == 0 { printer.open(&head) } else { printer.line(&head) }
    }
    printer.declare_arrays(Space::Local, "");
    if barriers {
        Regions { uniform, printer: &mut printer }.group(&program.body);
    } else {
        open_items(&mut printer, false);
        printer.declare_arrays(Space::Private, "");
        printer.block(&program.body);
        close_items(&mut printer);
    }
    printer.close();
    printer.close();
    Ok(printer.out)
}

fn open_items(printer: &mut Printer<'_>, numbered: bool) {
    if numbered {
        printer.line("item = 0;");
    }
    for dimension in (0..3).rev() {
        let name = format!("local_{dimension}");
        let next = if numbered && dimension == 0 { ", item++" } else { "" };
        let head = format!("for (int64_t {name} = 0; {name} < local_size[{dimension}]; {name}++{next})");
        if dimension == 0 { printer.open(&head) } else { printer.line(&head) }
    }
}

fn close_items(printer: &mut Printer<'_>) {
    printer.close();
}

/// Uniformity analysis: values that are equal for all work-items of a group.
struct Uniform {
    values: Vec<bool>,
}

impl Uniform {
    fn of(program: &Program) -> Self {
        let mut values = vec![false; program.nodes.len()];
        for (id, node) in program.nodes.iter().enumerate() {
            values[id] = matches!(node.op, Op::Constant(_) | Op::Argument(_));
        }
        let mut uniform = Uniform { values };
        uniform.visit(program, &program.body);
        uniform
    }

    fn visit(&mut self, program: &Program, block: &Block) {
        for statement in block {
            match statement {
                Statement::Let(id) => self.values[*id] = self.is_uniform(program, *id),
                Statement::For { counter, from, to, step, .. } => {
                    let range = [from, to, step].into_iter().all(|id| self.values[*id]);
                    self.values[*counter] = range && statement.has_barrier();
                }
                _ => {}
            }
            for inner in statement.blocks() {
                self.visit(program, inner);
            }
        }
    }

    fn is_uniform(&self, program: &Program, id: Id) -> bool {
        let op = &program.nodes[id].op;
        let varies = matches!(op, Op::Query(Query::GlobalId | Query::LocalId, _) | Op::Call(..));
        op.is_pure() && !varies && op.operands().into_iter().all(|operand| self.values[operand])
    }

    /// Refuses a loop or branch around a barrier that is not uniform.
    fn check(&self, block: &Block) -> Result<(), BuildError> {
        for statement in block.iter().filter(|statement| statement.has_barrier()) {
            let (what, known) = match statement {
                Statement::If { condition, .. } => ("a branch's condition", self.values[*condition]),
                Statement::Switch { selector, .. } => ("a switch's selector", self.values[*selector]),
                Statement::For { counter, .. } => ("a loop's range", self.values[*counter]),
                Statement::While { .. } => ("a while loop's condition", false),
                _ => continue,
            };
            if !known {
                let reason = format!(
                    "{what}, with a barrier inside, must be made of constants, arguments and the numbers of groups: \
                     then it is the same for all work-items"
                );
                return Err(BuildError::Target { target: "C99", reason });
            }
            statement.blocks().into_iter().try_for_each(|inner| self.check(inner))?;
        }
        Ok(())
    }
}

/// A kernel with barriers, cut into regions.
struct Regions<'a, 'p> {
    uniform: Uniform,
    printer: &'a mut Printer<'p>,
}

/// Regions of uses.
#[derive(Default)]
struct Crossings {
    region: usize,
    values: HashMap<Id, usize>,
    variables: HashMap<usize, usize>,
    crossing: PerItem,
}

impl Crossings {
    fn note(seen: &mut HashMap<usize, usize>, crossing: &mut Vec<usize>, thing: usize, region: usize) {
        if *seen.entry(thing).or_insert(region) != region && !crossing.contains(&thing) {
            crossing.push(thing);
        }
    }

    fn statement(&mut self, program: &Program, statement: &Statement) {
        let region = self.region;
        let defined = if let Statement::Let(id) = statement { Some(*id) } else { None };
        for id in statement.operands(&program.nodes).into_iter().chain(defined) {
            let node = &program.nodes[id];
            if !node.op.is_given() && !matches!(node.op, Op::Query(..)) {
                Self::note(&mut self.values, &mut self.crossing.values, id, region);
            }
        }
        let (variable, memory) = match statement {
            Statement::Declare(variable, _) | Statement::Assign(variable, _) => (Some(*variable), None),
            Statement::Store(memory, ..) => (None, Some(*memory)),
            Statement::Let(id) => match program.nodes[*id].op {
                Op::Read(variable) => (Some(variable), None),
                Op::Load(memory, ..) | Op::Atomic(_, memory, ..) => (None, Some(memory)),
                _ => (None, None),
            },
            _ => (None, None),
        };
        if let Some(variable) = variable {
            Self::note(&mut self.variables, &mut self.crossing.variables, variable, region);
        }
        if let Some(memory) = memory.filter(|memory| program.memories[*memory].space == Space::Private) {
            // A loop around barriers may carry a value between iterations, within one region.
            self.crossing.memories.push(memory);
        }
    }

    /// A block that the group executes as a whole.
    fn group(&mut self, program: &Program, block: &Block, uniform: &Uniform) {
        self.region += 1;
        for statement in block {
            match statement {
                Statement::Let(id) if uniform.values[*id] => {}
                _ if statement.has_barrier() => {
                    for inner in statement.blocks() {
                        self.group(program, inner, uniform);
                    }
                    self.region += 1;
                }
                _ => walk(std::slice::from_ref(statement), &mut |inner| self.statement(program, inner)),
            }
        }
    }
}

impl Regions<'_, '_> {
    fn group(&mut self, body: &Block) {
        let program = self.printer.program;
        let mut crossings = Crossings::default();
        crossings.group(program, body, &self.uniform);
        // Uniform values are computed once for the group.
        crossings.crossing.values.retain(|id| !self.uniform.values[*id]);
        self.printer.per_item = crossings.crossing;
        self.printer.repeats_queries = true;
        let items = program.group.map_or_else(
            || "local_size[0] * local_size[1] * local_size[2]".to_owned(),
            |[x, y, z]| (x * y * z).to_string(),
        );
        self.printer.line("int64_t item;");
        self.declare(&items);
        self.regions(body);
    }

    /// Values that live across regions, and arrays used within one.
    fn declare(&mut self, items: &str) {
        let program = self.printer.program;
        for id in self.printer.per_item.values.clone() {
            let node = &program.nodes[id];
            let name = node.name.clone().unwrap_or_else(|| self.printer.fresh_name());
            self.printer.line(&format!("{} {name}[{items}];", C99.type_name(node.value_type)));
            self.printer.given_names.insert(id, name);
        }
        for variable in self.printer.per_item.variables.clone() {
            let variable = &program.variables[variable];
            self.printer.line(&format!("{} {}[{items}];", C99.type_name(variable.value_type), variable.name));
        }
        for memory in self.printer.arrays(Space::Private) {
            let crosses = self.printer.per_item.memories.contains(&memory);
            let memory = &program.memories[memory];
            let items = if crosses { format!("[{items}]") } else { String::new() };
            self.printer.line(&format!("{} {}{items}[{}];", C99.type_name(memory.element), memory.name, memory.length));
        }
    }

    fn regions(&mut self, block: &Block) {
        let mut region = Block::new();
        for statement in block {
            match statement {
                Statement::Let(id) if self.uniform.values[*id] => {
                    // It reads nothing that changes, so it may precede its region.
                    self.printer.group_value(*id);
                }
                _ if statement.has_barrier() => {
                    self.items(&mut region);
                    self.whole(statement);
                }
                _ => region.push(statement.clone()),
            }
        }
        self.items(&mut region);
    }

    fn items(&mut self, region: &mut Block) {
        if !region.is_empty() {
            open_items(self.printer, true);
            self.printer.block(&std::mem::take(region));
            close_items(self.printer);
        }
    }

    fn whole(&mut self, statement: &Statement) {
        match statement {
            Statement::If { condition, then, otherwise } => {
                let text = self.printer.take(*condition).text;
                self.printer.open(&format!("if ({text})"));
                self.regions(then);
                self.printer.close();
                if !otherwise.is_empty() {
                    self.printer.open(&format!("if (!({text}))"));
                    self.regions(otherwise);
                    self.printer.close();
                }
            }
            Statement::Switch { selector, arms, default } => {
                let text = self.printer.take(*selector).text;
                self.printer.open_switch(&text);
                for arm in arms {
                    self.printer.open_arm(&arm.values);
                    self.regions(&arm.body);
                    self.printer.close_arm();
                }
                self.printer.open("default:");
                self.regions(default);
                self.printer.close_arm();
                self.printer.line("}");
            }
            Statement::For { counter, from, to, step, body } => {
                let head = self.printer.loop_head(*counter, *from, *to, *step);
                self.printer.open(&head);
                self.regions(body);
                self.printer.close();
            }
            _ => {}
        }
    }
}
