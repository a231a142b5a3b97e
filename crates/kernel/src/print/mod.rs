//! Printing a kernel as text: the common part of the languages.
//!
//! A value with one use is printed there, unless memory that it reads changes before; other values get a name. The text
//! depends on the kernel only.

mod c99;
mod cuda;
mod dialect;
mod fortran;
mod heads;
mod helpers;
mod legal;
mod masks;
mod opencl;
mod operators;
mod regions;
mod statements;
mod vectors;

use std::collections::HashMap;
use std::fmt::Write;

use super::constant::Constant;
use super::finish;
use super::ir::{Block, Id, Op, Program, Statement};
use super::types::{ScalarType, ValueType};
use dialect::{Construct, Dialect};
use operators::Level;

pub(super) use c99::{c_vectors, c99};
pub(super) use cuda::{cuda, hip};
pub(super) use fortran::fortran;
pub(super) use fortran::fortran_with_entry;
pub(super) use opencl::opencl;

/// Longest expression before it gets a name.
const LONGEST: usize = 72;

/// Reserved words of the languages.
const RESERVED: &str = " \
    auto break case char const continue default do double else enum extern float for goto if inline int long \
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while \
    bool true false half kernel global local constant private uint uchar ulong ushort size_t sampler_t event_t \
    image2d_t vector pixel abs min max clamp select fma mad sqrt sin cos tan exp log pow floor ceil trunc rint fmin \
    fmax fmod fabs barrier dot cross length distance normalize mix step sign main printf item items threadIdx \
    blockIdx blockDim gridDim warpSize INFINITY NAN local_size groups group_0 group_1 group_2 local_0 local_1 \
    local_2 y0 y1 yn j0 j1 jn gamma signal index exp2 log2 round hypot cbrt erf template class new delete this \
    operator namespace using public protected try catch throw typename virtual friend and or not xor bitand bitor \
    compl explicit export mutable asin acos atan atan2 sinh cosh tanh asinh acosh atanh expm1 log10 log1p erfc tgamma \
    lgamma copysign signbit ldexp rotate mul_hi popcount clz any all memcpy fabsf affinimath_kernel_entry ";

/// True if a name is reserved.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.split_ascii_whitespace().any(|word| word == name)
        || opencl::is_access(name)
        || helpers::is_helper(name)
        || c99::is_vector(name)
}

/// An expression as text, with its precedence and the memory that it reads.
#[derive(Clone, Debug)]
struct Text {
    text: String,
    level: Level,
    /// Variables and memory that it reads.
    variables: Vec<usize>,
    memories: Vec<usize>,
}

impl Text {
    fn name(text: impl Into<String>) -> Self {
        Text::at(Level::Primary, text)
    }

    fn at(level: Level, text: impl Into<String>) -> Self {
        Text { text: text.into(), level, variables: Vec::new(), memories: Vec::new() }
    }
}

/// Uses of values: their number, and whether all are in the block of the definition.
struct Places {
    uses: Vec<usize>,
    defined_in: Vec<usize>,
    used_elsewhere: Vec<bool>,
}

impl Places {
    fn of(program: &Program) -> Self {
        let count = program.nodes.len();
        let uses = finish::uses(program);
        let mut slots = Places { uses, defined_in: vec![usize::MAX; count], used_elsewhere: vec![false; count] };
        let mut blocks = 0;
        slots.visit(program, &program.body, &mut blocks);
        for function in &program.functions {
            let block = slots.visit(program, &function.body, &mut blocks);
            slots.used_elsewhere[function.result] |= slots.defined_in[function.result] != block;
        }
        slots
    }

    fn visit(&mut self, program: &Program, block: &Block, blocks: &mut usize) -> usize {
        *blocks += 1;
        let number = *blocks;
        for statement in block {
            for id in statement.operands(&program.nodes) {
                self.used_elsewhere[id] |= self.defined_in[id] != number;
            }
            if let Statement::Let(id) = statement {
                self.defined_in[*id] = number;
            }
            for inner in statement.blocks() {
                self.visit(program, inner, blocks);
            }
        }
        number
    }
}

struct Printer<'p> {
    program: &'p Program,
    dialect: &'p dyn Dialect,
    slots: Places,
    /// Bits of the lanes of boolean vectors.
    mask_bits: Vec<u32>,
    texts: HashMap<Id, Text>,
    /// Values that wait for their only use, in order.
    pending: Vec<Id>,
    out: String,
    indent: usize,
    names: usize,
    taken: Vec<&'p str>,
    /// Names given before definitions.
    given_names: HashMap<Id, String>,
    /// True if work-item queries are printed at each use.
    repeats_queries: bool,
    /// Types and names to be declared at the head of the subprogram, where the language wants them there.
    locals: Vec<(String, String)>,
    /// Suffix of names of variables, values and arrays of which each work-item has its own.
    per_item: PerItem,
}

/// Values that [`regions`] store for each work-item, because they live across a barrier.
#[derive(Default)]
struct PerItem {
    values: Vec<Id>,
    variables: Vec<usize>,
    memories: Vec<usize>,
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program, dialect: &'p dyn Dialect) -> Self {
        let variables = program.variables.iter().map(|variable| variable.name.as_str());
        let memories = program.memories.iter().map(|memory| memory.name.as_str());
        let functions = program.functions.iter().map(|function| function.name.as_str());
        let nodes = program.nodes.iter().filter_map(|node| node.name.as_deref());
        let taken = variables.chain(memories).chain(functions).chain(nodes).chain([program.name.as_str()]).collect();
        let mut printer = Printer {
            program,
            dialect,
            slots: Places::of(program),
            mask_bits: masks::widths(program),
            texts: HashMap::new(),
            pending: Vec::new(),
            out: String::new(),
            indent: 0,
            names: 0,
            taken,
            given_names: HashMap::new(),
            repeats_queries: false,
            locals: Vec::new(),
            per_item: PerItem::default(),
        };
        for node in &program.nodes {
            for id in dialect.repeated(&node.op, node.value_type, program) {
                printer.slots.uses[id] += 1;
            }
        }
        for (id, node) in program.nodes.iter().enumerate() {
            if let (Op::Argument(_) | Op::Counter, Some(name)) = (&node.op, &node.name) {
                printer.texts.insert(id, Text::name(name));
            }
        }
        printer
    }

    fn line(&mut self, text: &str) {
        let indent = 4 * self.indent;
        writeln!(self.out, "{:indent$}{text}", "").expect("a String takes every write");
    }

    fn open(&mut self, head: &str) {
        self.line(head);
        self.indent += 1;
    }

    fn close(&mut self, construct: Construct) {
        self.indent -= 1;
        self.line(self.dialect.end(construct));
    }

    fn assign(&mut self, target: &str, value: &str) {
        self.line(&self.dialect.assignment(target, value));
    }

    /// Declares a name, and gives it its value.
    fn introduce(&mut self, qualifier: &str, type_name: &str, name: &str, value: &str) {
        let assignment = self.dialect.assignment(name, value);
        if self.dialect.declares_first() {
            self.locals.push((type_name.to_owned(), name.to_owned()));
            self.line(&assignment);
        } else {
            self.line(&format!("{qualifier}{type_name} {assignment}"));
        }
    }

    /// Declares an array, of which each of `items` work-items may have one, or of one element for each.
    fn declare(&mut self, qualifier: &str, type_name: &str, name: &str, dimensions: &[String]) {
        let declaration = self.dialect.array(type_name, name, dimensions);
        if self.dialect.declares_first() {
            self.locals.push((type_name.to_owned(), declaration));
        } else {
            self.line(&format!("{qualifier}{declaration}"));
        }
    }

    fn type_name(&self, value_type: ValueType) -> String {
        self.dialect.type_name(value_type)
    }

    /// The name of a function's parameter, which is none of the program's names.
    fn parameter_name(&self, number: usize) -> String {
        let mut name = format!("p{number}");
        while self.taken.contains(&name.as_str()) {
            name.push('_');
        }
        name
    }

    fn fresh_name(&mut self) -> String {
        loop {
            let name = format!("v{}", self.names);
            self.names += 1;
            if !self.taken.contains(&name.as_str()) {
                return name;
            }
        }
    }

    /// The name of a value, new if it has none.
    fn name_of(&mut self, id: Id) -> String {
        let given = self.program.nodes[id].name.clone().or_else(|| self.given_names.get(&id).cloned());
        given.unwrap_or_else(|| self.fresh_name())
    }

    /// The text of a value at a use.
    fn take(&mut self, id: Id) -> Text {
        self.pending.retain(|waiting| *waiting != id);
        if let Op::Constant(constant) = self.program.nodes[id].op {
            return self.constant(constant, self.program.nodes[id].value_type);
        }
        self.texts.get(&id).cloned().unwrap_or_else(|| Text::name("undefined"))
    }

    fn constant(&self, constant: Constant, value_type: ValueType) -> Text {
        let (text, level) = self.dialect.literal(constant);
        if value_type.lanes == 1 {
            return Text::at(level, text);
        }
        let text = if value_type.is_mask() { masks::mask_lane(constant).to_owned() } else { text };
        self.dialect.splat(&self.variable_type(value_type), value_type.lanes, &text)
    }

    /// Names the waiting values for which `is_changed` holds, before the memory that they read changes.
    fn flush(&mut self, is_changed: impl Fn(&Text) -> bool) {
        let waiting = std::mem::take(&mut self.pending);
        for id in waiting {
            if self.texts.get(&id).is_some_and(&is_changed) {
                self.define(id);
            } else {
                self.pending.push(id);
            }
        }
    }

    /// Prints the definition of a value, and makes its name its text.
    fn define(&mut self, id: Id) {
        let Some(text) = self.texts.get(&id).map(|text| text.text.clone()) else { return };
        let name = self.name_of(id);
        if self.per_item.values.contains(&id) {
            let name = self.dialect.of_item(&name);
            self.assign(&name, &text);
            self.texts.insert(id, Text::name(name));
        } else {
            self.introduce("const ", &self.node_type(id), &name, &text);
            self.texts.insert(id, Text::name(name));
        }
    }

    fn let_value(&mut self, id: Id) {
        let node = &self.program.nodes[id];
        if let Op::Atomic(op, memory, index, values) = &node.op {
            return self.atomic(id, *op, *memory, *index, values);
        }
        let text = self.expression(id);
        let short = text.text.len() <= LONGEST;
        self.texts.insert(id, text);
        let once = self.slots.uses[id] == 1 && !self.slots.used_elsewhere[id];
        if self.is_as_good_as_a_name(id) {
            return;
        }
        if node.name.is_none() && once && short && !self.per_item.values.contains(&id) {
            self.pending.push(id);
        } else {
            self.define(id);
        }
    }

    /// A value that is computed once for a group, which gets a name.
    fn group_value(&mut self, id: Id) {
        let text = self.expression(id);
        self.texts.insert(id, text);
        if !self.is_as_good_as_a_name(id) {
            self.define(id);
        }
    }

    /// True if the text may be repeated at each use.
    fn is_as_good_as_a_name(&self, id: Id) -> bool {
        let node = &self.program.nodes[id];
        match node.op {
            Op::Query(..) => node.name.is_none() && self.repeats_queries,
            // A component of a named vector. A waiting vector is computed once, at the use of its only lane.
            Op::Lane(vector, _) => {
                node.name.is_none() && self.slots.uses[vector] > 1 && !self.per_item.values.contains(&id)
            }
            _ => false,
        }
    }

    fn memory_name(&self, memory: usize) -> String {
        let name = &self.program.memories[memory].name;
        if self.per_item.memories.contains(&memory) { self.dialect.of_item(name) } else { name.clone() }
    }

    /// The element of a memory at an index.
    fn element(&self, memory: usize, index: &Text, index_type: ScalarType) -> String {
        let per_item = self.per_item.memories.contains(&memory);
        self.dialect.element(&self.program.memories[memory].name, per_item, index, index_type)
    }

    fn variable_name(&self, variable: usize) -> String {
        let name = &self.program.variables[variable].name;
        if self.per_item.variables.contains(&variable) { self.dialect.of_item(name) } else { name.clone() }
    }
}

/// The scalar program for a target without vectors.
fn without_vectors(program: &Program) -> Program {
    let has_vectors = program.nodes.iter().any(|node| node.value_type.lanes > 1)
        || program.memories.iter().any(|memory| memory.element.lanes > 1);
    if has_vectors { vectors::scalarise(program) } else { program.clone() }
}
