//! Kernels on a host: loops over the work-items of a group.
//!
//! Barriers cut the kernel into regions, and each region is a loop over the work-items. The group executes a loop or
//! branch that contains a barrier as a whole, so its range or condition has to be uniform. Values that live across
//! regions are in arrays with an element for each work-item.

use std::collections::HashMap;

use super::super::error::BuildError;
use super::super::ir::{Block, Id, Op, Program, Query, Space, Statement, walk};
use super::dialect::{Construct, Dialect};
use super::{PerItem, Printer};

/// A language for hosts.
pub(super) trait HostDialect: Dialect {
    /// The language's name in errors.
    fn language(&self) -> &'static str;

    /// Declares the number of a work-item in its group.
    fn declare_item(&self, printer: &mut Printer<'_>);

    /// The work-items of a group in a dimension.
    fn local_size(&self, dimension: usize) -> String;

    /// Opens the loops over the work-items; `numbered` ones count themselves.
    fn open_items(&self, printer: &mut Printer<'_>, numbered: bool);

    fn close_items(&self, printer: &mut Printer<'_>);
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
    fn check(&self, block: &Block, target: &'static str) -> Result<(), BuildError> {
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
                return Err(BuildError::Target { target, reason });
            }
            statement.blocks().into_iter().try_for_each(|inner| self.check(inner, target))?;
        }
        Ok(())
    }
}

/// A kernel, cut into regions where it has barriers.
pub(super) struct Regions<'d> {
    uniform: Uniform,
    barriers: bool,
    dialect: &'d dyn HostDialect,
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

impl<'d> Regions<'d> {
    /// The regions of a program.
    ///
    /// # Errors
    /// A barrier in a loop or branch that is not uniform.
    pub(super) fn of(program: &Program, dialect: &'d dyn HostDialect) -> Result<Self, BuildError> {
        let barriers = program.body.iter().any(Statement::has_barrier);
        let uniform = Uniform::of(program);
        if barriers {
            uniform.check(&program.body, dialect.language())?;
        }
        Ok(Regions { uniform, barriers, dialect })
    }

    /// Prints the body of a group.
    pub(super) fn print(&self, printer: &mut Printer<'_>) {
        let body = &printer.program.body;
        if self.barriers {
            return self.group(printer, body);
        }
        self.dialect.open_items(printer, false);
        printer.declare_arrays(Space::Private, "");
        printer.block(body);
        self.dialect.close_items(printer);
    }

    fn group(&self, printer: &mut Printer<'_>, body: &Block) {
        let program = printer.program;
        let mut crossings = Crossings::default();
        crossings.group(program, body, &self.uniform);
        // Uniform values are computed once for the group.
        crossings.crossing.values.retain(|id| !self.uniform.values[*id]);
        printer.per_item = crossings.crossing;
        printer.repeats_queries = true;
        let items = program.group.map_or_else(
            || [0, 1, 2].map(|dimension| self.dialect.local_size(dimension)).join(" * "),
            |[x, y, z]| (x * y * z).to_string(),
        );
        self.dialect.declare_item(printer);
        self.declare(printer, &items);
        self.regions(printer, body);
    }

    /// Values that live across regions, and arrays used within one.
    fn declare(&self, printer: &mut Printer<'_>, items: &str) {
        let program = printer.program;
        for id in printer.per_item.values.clone() {
            let name = program.nodes[id].name.clone().unwrap_or_else(|| printer.fresh_name());
            printer.declare("", &printer.node_type(id), &name, &[items.to_owned()]);
            printer.given_names.insert(id, name);
        }
        for variable in printer.per_item.variables.clone() {
            let variable = &program.variables[variable];
            printer.declare("", &printer.variable_type(variable.value_type), &variable.name, &[items.to_owned()]);
        }
        for memory in printer.arrays(Space::Private) {
            let crosses = printer.per_item.memories.contains(&memory);
            let memory = &program.memories[memory];
            let dimensions = [items.to_owned(), memory.length.to_string()];
            let element = self.dialect.array_type(memory.element);
            printer.declare("", &element, &memory.name, &dimensions[usize::from(!crosses)..]);
        }
    }

    fn regions(&self, printer: &mut Printer<'_>, block: &Block) {
        let mut region = Block::new();
        for statement in block {
            match statement {
                Statement::Let(id) if self.uniform.values[*id] => {
                    // It reads nothing that changes, so it may precede its region.
                    printer.group_value(*id);
                }
                _ if statement.has_barrier() => {
                    self.items(printer, &mut region);
                    self.whole(printer, statement);
                }
                _ => region.push(statement.clone()),
            }
        }
        self.items(printer, &mut region);
    }

    fn items(&self, printer: &mut Printer<'_>, region: &mut Block) {
        if !region.is_empty() {
            self.dialect.open_items(printer, true);
            printer.block(&std::mem::take(region));
            self.dialect.close_items(printer);
        }
    }

    fn whole(&self, printer: &mut Printer<'_>, statement: &Statement) {
        match statement {
            Statement::If { condition, then, otherwise } => {
                let condition = printer.take(*condition);
                printer.open(&self.dialect.if_head(&condition.text));
                self.regions(printer, then);
                if !otherwise.is_empty() {
                    printer.indent -= 1;
                    printer.open(self.dialect.or_else());
                    self.regions(printer, otherwise);
                }
                printer.close(Construct::If);
            }
            Statement::Switch { selector, arms, default } => {
                let text = printer.take(*selector).text;
                printer.open_switch(&text);
                for arm in arms {
                    printer.open_arm(&arm.values);
                    self.regions(printer, &arm.body);
                    printer.close_arm();
                }
                printer.open_arm(&[]);
                self.regions(printer, default);
                printer.close_arm();
                printer.line(self.dialect.end(Construct::Switch));
            }
            Statement::For { counter, from, to, step, body } => {
                let end = printer.open_loop([*counter, *from, *to, *step], None);
                self.regions(printer, body);
                printer.close_loop(end);
            }
            _ => {}
        }
    }
}
