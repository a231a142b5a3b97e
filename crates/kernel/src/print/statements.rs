//! Statements as text.

use super::super::constant::Constant;
use super::super::ir::{Arm, AtomicOp, Block, Id, Op, Space, Statement, StoreMode, walk};
use super::super::types::ScalarType;
use super::dialect::{Atomic, Construct, Counting, HalfAccess};
use super::{Printer, Text, operators};

impl Printer<'_> {
    pub(super) fn atomic(&mut self, id: Id, op: AtomicOp, memory: usize, index_id: Id, values: &[Id]) {
        let index = self.take(index_id);
        let values: Vec<String> = values.iter().map(|value| self.take(*value).text).collect();
        self.flush(|text| text.memories.contains(&memory));
        let index_type = self.program.nodes[index_id].value_type.scalar;
        let element = self.element(memory, &index, index_type);
        let name = (self.slots.uses[id] > 0).then(|| self.name_of(id));
        let scalar = self.program.nodes[id].value_type.scalar;
        let target = name.map(|name| {
            if self.per_item.values.contains(&id) {
                (self.dialect.of_item(&name), String::new())
            } else if self.dialect.declares_first() {
                self.locals.push((self.dialect.scalar_name(scalar).to_owned(), name.clone()));
                (name, String::new())
            } else {
                (name, self.dialect.scalar_name(scalar).to_owned() + " ")
            }
        });
        let atomic = Atomic { op, target, element: &element, scalar, values: &values };
        for line in self.dialect.atomic(&atomic) {
            self.line(&line);
        }
        if let Some((name, _)) = atomic.target {
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
                if new {
                    self.introduce("", &self.variable_type(declared), &name, &text);
                } else if name != text {
                    self.assign(&name, &text);
                }
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
                let end = self.open_loop([*counter, *from, *to, *step], Some(body));
                self.block(body);
                self.close_loop(end);
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
        let index_type = self.program.nodes[index].value_type.scalar;
        let (index, value) = (self.take(index), self.take(value).text);
        self.flush(|text| text.memories.contains(&memory));
        let element = self.element(memory, &index, index_type);
        let name = self.memory_name(memory);
        let memory = &self.program.memories[memory];
        let line = if memory.element.scalar == ScalarType::F16 {
            let (lanes, alignment) = (value_type.lanes, mode.alignment);
            let access = HalfAccess { memory, element: &element, name: &name, index: &index, lanes, alignment };
            self.dialect.store_half(&access, &value)
        } else {
            let address = operators::address(&name, &index);
            let whole = value_type.lanes == memory.element.lanes;
            match memory.space {
                Space::Global if whole && mode.streaming => self.dialect.store_streaming(&element, &address, &value),
                _ if whole => self.dialect.assignment(&element, &value),
                space => self.dialect.store_vector(space, mode, value_type, &address, &value),
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
        self.open_arm(&[]);
        self.block(default);
        self.close_arm();
        self.line(self.dialect.end(Construct::Switch));
    }

    pub(super) fn open_switch(&mut self, selector: &str) {
        self.line(&self.dialect.switch_head(selector));
    }

    pub(super) fn open_arm(&mut self, values: &[Constant]) {
        self.open(&self.dialect.arm_head(values));
    }

    pub(super) fn close_arm(&mut self) {
        self.indent -= 1;
        for line in self.dialect.arm_end() {
            self.line(line);
        }
    }

    pub(super) fn branch(&mut self, condition: Id, then: &Block, otherwise: &Block) {
        let condition = if then.is_empty() {
            let text = self.take(condition);
            self.dialect.negated(&text)
        } else {
            self.take(condition).text
        };
        self.flush_changed(then);
        self.flush_changed(otherwise);
        let [first, second] = if then.is_empty() { [otherwise, then] } else { [then, otherwise] };
        self.open(&self.dialect.if_head(&condition));
        self.block(first);
        if !second.is_empty() {
            self.indent -= 1;
            self.open(self.dialect.or_else());
            self.block(second);
        }
        self.close(Construct::If);
    }

    /// Opens a loop of a counter, a first value, a bound and a step, and returns the last statement of its body. Bound
    /// and step are computed once, because the loop may change the variables that they read.
    pub(super) fn open_loop(&mut self, [counter, from, to, step]: [Id; 4], changes: Option<&Block>) -> Option<String> {
        for id in [to, step] {
            if self.pending.contains(&id) {
                self.pending.retain(|waiting| *waiting != id);
                self.define(id);
            }
        }
        let (from, to, step_text) = (self.take(from).text, self.take(to), self.take(step).text);
        if let Some(body) = changes {
            self.flush_changed(body);
        }
        let name = self.take(counter).text;
        let scalar = self.program.nodes[counter].value_type.scalar;
        if self.dialect.declares_first() {
            self.locals.push((self.dialect.scalar_name(scalar).to_owned(), name.clone()));
        }
        let constant_step = match self.program.nodes[step].op {
            Op::Constant(constant) => Some(constant.integer().unwrap_or(1)),
            _ => None,
        };
        let counting = Counting { scalar, name: &name, from: &from, to: &to, step: &step_text, constant_step };
        let head = self.dialect.loop_head(&counting);
        if let Some((last, before)) = head.split_last() {
            before.iter().for_each(|line| self.line(line));
            self.open(last);
        }
        self.dialect.loop_tail(&counting)
    }

    pub(super) fn close_loop(&mut self, last: Option<String>) {
        if let Some(last) = last {
            self.line(&last);
        }
        self.close(Construct::Loop);
    }

    pub(super) fn repeat(&mut self, test: &Block, condition: Id, body: &Block) {
        self.flush_changed(test);
        self.flush_changed(body);
        // A test of one expression is the loop's condition; one of several statements is a break.
        let (mark, names, locals) = (self.out.len(), self.names, self.locals.len());
        let outside = std::mem::take(&mut self.pending);
        for statement in test {
            self.statement(statement);
        }
        let whole = self.out.len() == mark;
        if whole {
            let text = self.take(condition).text;
            self.open(&self.dialect.while_head(Some(&text)));
        } else {
            self.out.truncate(mark);
            self.names = names;
            self.locals.truncate(locals);
            self.open(&self.dialect.while_head(None));
            self.pending.clear();
            for statement in test {
                self.statement(statement);
            }
            let text = self.take(condition);
            for line in self.dialect.leave_unless(&text) {
                self.line(&line);
            }
        }
        self.pending = outside;
        self.block(body);
        self.close(Construct::Loop);
    }
}
