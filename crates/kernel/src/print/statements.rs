//! Statements as text.

use super::super::constant::Constant;
use super::super::ir::{Alignment, Arm, AtomicOp, Block, Id, Op, Space, Statement, StoreMode, walk};
use super::super::types::ScalarType;
use super::dialect::Value;
use super::operators::{self, Level};
use super::{Printer, Text};

impl Printer<'_> {
    pub(super) fn atomic(&mut self, id: Id, op: AtomicOp, memory: usize, index: Id, values: &[Id]) {
        let index = self.take(index).text;
        let values: Vec<String> = values.iter().map(|value| self.take(*value).text).collect();
        self.flush(|text| text.memories.contains(&memory));
        let slot = format!("{}[{index}]", self.memory_name(memory));
        let name = (self.slots.uses[id] > 0).then(|| self.name_of(id));
        let value_type = self.program.nodes[id].value_type;
        let target = name.as_ref().map(|name| {
            if self.per_item.values.contains(&id) {
                (format!("{name}[item]"), String::new())
            } else {
                (name.clone(), self.type_name(value_type) + " ")
            }
        });
        for line in self.dialect.atomic(op, target.as_ref(), &slot, &values) {
            self.line(&line);
        }
        if let Some((name, _)) = target {
            self.texts.insert(id, Text::name(name));
        }
    }

    pub(super) fn block(&mut self, block: &Block) {
        // Values that wait outside are not defined in this block.
        let outside = std::mem::take(&mut self.pending);
        for statement in block {
            self.statement(statement);
        }
        self.flush(|_| true);
        self.pending = outside;
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(id) => self.let_value(*id),
            Statement::Declare(variable, value) | Statement::Assign(variable, value) => {
                let text = self.take(*value);
                let text = self.as_variable(*value, text).text;
                self.flush(|text| text.variables.contains(variable));
                let name = self.variable_name(*variable);
                let new = matches!(statement, Statement::Declare(..)) && !self.per_item.variables.contains(variable);
                let declared = self.program.variables[*variable].value_type;
                let head = if new { self.variable_type(declared) + " " } else { String::new() };
                self.line(&format!("{head}{name} = {text};"));
            }
            Statement::Store(memory, index, value, mode) => self.store(*memory, *index, *value, *mode),
            Statement::Barrier { global } => {
                self.flush(|text| !text.memories.is_empty());
                let line = self.dialect.barrier(*global);
                self.line(&line);
            }
            Statement::If { condition, then, otherwise } => self.branch(*condition, then, otherwise),
            Statement::Switch { selector, arms, default } => self.switch(*selector, arms, default),
            Statement::For { counter, from, to, step, body } => {
                let head = self.loop_head(*counter, *from, *to, *step);
                self.flush_changed(body);
                self.open(&head);
                self.block(body);
                self.close();
            }
            Statement::While { test, condition, body } => self.repeat(test, *condition, body),
        }
    }

    /// Names waiting values that read variables or memory that a block changes.
    pub(super) fn flush_changed(&mut self, block: &Block) {
        let (mut variables, mut memories, mut barrier) = (Vec::new(), Vec::new(), false);
        let nodes = &self.program.nodes;
        walk(block, &mut |statement| match statement {
            Statement::Assign(variable, _) => variables.push(*variable),
            Statement::Store(memory, ..) => memories.push(*memory),
            Statement::Barrier { .. } => barrier = true,
            Statement::Let(id) => {
                if let Op::Atomic(_, memory, ..) = nodes[*id].op {
                    memories.push(memory);
                }
            }
            _ => {}
        });
        self.flush(|text| {
            text.variables.iter().any(|variable| variables.contains(variable))
                || text.memories.iter().any(|memory| barrier || memories.contains(memory))
        });
    }

    pub(super) fn store(&mut self, memory: usize, index: Id, value: Id, mode: StoreMode) {
        let value_type = self.program.nodes[value].value_type;
        let (index, value) = (self.take(index), self.take(value).text);
        self.flush(|text| text.memories.contains(&memory));
        let name = self.memory_name(memory);
        let memory = &self.program.memories[memory];
        let line = if memory.element.scalar == ScalarType::F16 {
            let value = Value { text: &value, lanes: value_type.lanes };
            self.dialect.store_half(memory, &name, &index, &value, mode.alignment)
        } else {
            let (address, type_name) = (operators::address(&name, &index), self.type_name(value_type));
            let whole = value_type.lanes == memory.element.lanes;
            match (memory.space, mode.alignment) {
                (Space::Global, _) if whole && mode.streaming => self.dialect.store_streaming(&address, &value),
                _ if whole => format!("{name}[{}] = {value};", index.text),
                (Space::Global, Alignment::Element) => format!("store_{type_name}({value}, 0, {address});"),
                (Space::Global, Alignment::Vector) if mode.streaming => {
                    self.dialect.store_streaming(&format!("(__global {type_name} *)({address})"), &value)
                }
                (Space::Global, Alignment::Vector) => format!("*(__global {type_name} *)({address}) = {value};"),
                // Arrays have the alignment of their elements.
                _ => format!("vstore{}({value}, 0, {address});", value_type.lanes),
            }
        };
        self.line(&line);
    }

    fn switch(&mut self, selector: Id, arms: &[Arm], default: &Block) {
        let text = self.take(selector).text;
        arms.iter().for_each(|arm| self.flush_changed(&arm.body));
        self.flush_changed(default);
        self.open_switch(&text);
        for arm in arms {
            self.open_arm(&arm.values);
            self.block(&arm.body);
            self.close_arm();
        }
        self.open("default:");
        self.block(default);
        self.close_arm();
        self.line("}");
    }

    pub(super) fn open_switch(&mut self, selector: &str) {
        self.line(&format!("switch ({selector}) {{"));
    }

    pub(super) fn open_arm(&mut self, values: &[Constant]) {
        let labels: Vec<String> =
            values.iter().map(|value| format!("case {}:", self.dialect.literal(*value).0)).collect();
        self.open(&labels.join(" "));
    }

    pub(super) fn close_arm(&mut self) {
        self.line("break;");
        self.close();
    }

    pub(super) fn branch(&mut self, condition: Id, then: &Block, otherwise: &Block) {
        let condition = if then.is_empty() {
            let text = self.take(condition);
            format!("!{}", text.at_least(Level::Unary))
        } else {
            self.take(condition).text
        };
        self.flush_changed(then);
        self.flush_changed(otherwise);
        let [first, second] = if then.is_empty() { [otherwise, then] } else { [then, otherwise] };
        self.open(&format!("if ({condition})"));
        self.block(first);
        if !second.is_empty() {
            self.indent -= 1;
            self.open("} else");
            self.block(second);
        }
        self.close();
    }

    /// Bound and step are computed once, because the loop may change the variables that they read.
    pub(super) fn loop_head(&mut self, counter: Id, from: Id, to: Id, step: Id) -> String {
        for id in [to, step] {
            if self.pending.contains(&id) {
                self.pending.retain(|waiting| *waiting != id);
                self.define(id);
            }
        }
        let (from, to, step) = (self.take(from).text, self.take(to), self.counted(step));
        let name = self.take(counter).text;
        let counter_type = self.type_name(self.program.nodes[counter].value_type);
        let next = if step == "1" { format!("{name}++") } else { format!("{name} += {step}") };
        format!("for ({counter_type} {name} = {from}; {name} < {}; {next})", to.at_least(Level::Shift))
    }

    /// The text of a step, without the suffix of a constant.
    pub(super) fn counted(&mut self, step: Id) -> String {
        match self.program.nodes[step].op {
            Op::Constant(constant) => constant.integer().unwrap_or(1).to_string(),
            _ => self.take(step).text,
        }
    }

    pub(super) fn repeat(&mut self, test: &Block, condition: Id, body: &Block) {
        self.flush_changed(test);
        self.flush_changed(body);
        // A test of one expression is the loop's condition; one of several statements is a break.
        let (mark, names) = (self.out.len(), self.names);
        let outside = std::mem::take(&mut self.pending);
        for statement in test {
            self.statement(statement);
        }
        let whole = self.out.len() == mark;
        if whole {
            let text = self.take(condition).text;
            self.open(&format!("while ({text})"));
        } else {
            self.out.truncate(mark);
            self.names = names;
            self.open("while (true)");
            self.pending.clear();
            for statement in test {
                self.statement(statement);
            }
            let text = self.take(condition);
            self.open(&format!("if (!{})", text.at_least(Level::Unary)));
            self.line("break;");
            self.close();
        }
        self.pending = outside;
        self.block(body);
        self.close();
    }
}
