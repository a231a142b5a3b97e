//! Functions, parameters and arrays around the statements of a kernel.

use super::super::ir::{Block, Function, Memory, Op, Parameter, Program, Space, Statement, walk};
use super::dialect::Construct;
use super::{LONGEST, Printer, Text};

/// The functions that the kernel calls, by itself or in another function.
pub(super) fn called(program: &Program) -> impl Iterator<Item = &Function> {
    let mut is_called = vec![false; program.functions.len()];
    let mark = |block: &Block, is_called: &mut Vec<bool>| {
        walk(block, &mut |statement| {
            if let Statement::Let(id) = statement
                && let Op::Call(function, _) = program.nodes[*id].op
            {
                is_called[function] = true;
            }
        });
    };
    mark(&program.body, &mut is_called);
    // A function calls earlier ones.
    for number in (0..program.functions.len()).rev() {
        if is_called[number] {
            mark(&program.functions[number].body, &mut is_called);
        }
    }
    program.functions.iter().zip(is_called).filter(|(_, is_called)| *is_called).map(|(function, _)| function)
}

impl Printer<'_> {
    pub(super) fn functions(&mut self, head: &str) {
        for function in called(self.program) {
            let mut parameters = Vec::new();
            for (number, id) in function.parameters.iter().enumerate() {
                let given = function.foreign.as_ref().map(|foreign| foreign.parameters[number].clone());
                let name = given.unwrap_or_else(|| self.parameter_name(number));
                parameters.push(format!("const {} {name}", self.type_name(self.program.nodes[*id].value_type)));
                self.texts.insert(*id, Text::name(name));
            }
            let result = self.type_name(self.program.nodes[function.result].value_type);
            self.open(&format!("{head} {result} {}({}) {{", function.name, parameters.join(", ")));
            if let Some(foreign) = &function.foreign {
                for line in self.dialect.foreign(foreign).lines() {
                    self.line(line);
                }
                self.close(Construct::Subprogram);
                self.line("");
                continue;
            }
            for statement in &function.body {
                self.statement(statement);
            }
            let text = self.take(function.result).text;
            self.flush(|_| true);
            self.line(&format!("return {text};"));
            self.close(Construct::Subprogram);
            self.line("");
        }
    }

    /// The kernel's parameters; `buffer` writes one of memory.
    pub(super) fn parameters(&self, buffer: impl Fn(&Memory) -> String) -> Vec<String> {
        let program = self.program;
        let one = |parameter: &Parameter| match parameter {
            Parameter::Scalar(id) => {
                let node = &program.nodes[*id];
                format!("const {} {}", self.type_name(node.value_type), node.name.as_deref().unwrap_or_default())
            }
            Parameter::Memory(memory) => buffer(&program.memories[*memory]),
        };
        program.parameters.iter().map(one).collect()
    }

    /// The head of the kernel's function, with a line for each parameter where they are many.
    pub(super) fn open_kernel(&mut self, head: &str, parameters: &[String]) {
        let line = format!("{head}({})", parameters.join(", "));
        if line.len() <= LONGEST {
            return self.open(&format!("{line} {{"));
        }
        self.line(&format!("{head}("));
        for (index, parameter) in parameters.iter().enumerate() {
            let end = if index + 1 == parameters.len() { "" } else { "," };
            self.line(&format!("    {parameter}{end}"));
        }
        self.open(") {");
    }

    pub(super) fn comment(&mut self) {
        for line in self.program.comment.iter().flat_map(|comment| comment.lines()) {
            self.line(&self.dialect.comment(line.trim()));
        }
    }

    /// The arrays of a space that are used.
    pub(super) fn arrays(&self, space: Space) -> Vec<usize> {
        let program = self.program;
        let mut used = vec![false; program.memories.len()];
        walk(&program.body, &mut |statement| match statement {
            Statement::Store(memory, ..) => used[*memory] = true,
            Statement::Let(id) => {
                if let Op::Load(memory, ..) | Op::Atomic(_, memory, ..) = &program.nodes[*id].op {
                    used[*memory] = true;
                }
            }
            _ => {}
        });
        (0..used.len()).filter(|memory| used[*memory] && program.memories[*memory].space == space).collect()
    }

    pub(super) fn declare_arrays(&mut self, space: Space, qualifier: &str) {
        for memory in self.arrays(space) {
            let memory = &self.program.memories[memory];
            let element = self.dialect.array_type(memory.element);
            self.declare(qualifier, &element, &memory.name, &[memory.length.to_string()]);
        }
    }
}
