//! Kernels as JSON: written where no function is foreign, and checked when they are read.
//!
//! A text from a stranger may be anything. What is read is as sound as what [`Kernel::build`] makes: the printers and
//! the interpreter index without looking.

use std::collections::HashSet;

use super::Kernel;
use super::builder::is_identifier;
use super::constant::Constant;
use super::finish::finish;
use super::ir::{AtomicOp, Block, Function, Id, Memory, Op, Parameter, Program, Space, Statement};
use super::types::ValueType;

/// Reason for which a text is no kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text is no kernel: {0}")]
pub struct LoadError(String);

type Checked = Result<(), LoadError>;

fn refuse<T>(reason: impl Into<String>) -> Result<T, LoadError> {
    Err(LoadError(reason.into()))
}

fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { refuse(reason()) }
}

impl Kernel {
    /// The kernel as JSON, for [`Kernel::from_json`] of the same version; `None` where it has functions given as text,
    /// whose values only the host's closures know.
    pub fn to_json(&self) -> Option<String> {
        if self.program.functions.iter().any(|function| function.foreign.is_some()) {
            return None;
        }
        serde_json::to_string(&self.program).ok()
    }

    /// The kernel of a text that [`Kernel::to_json`] made. Texts from elsewhere are checked.
    ///
    /// # Errors
    /// [`LoadError`] with the first reason.
    pub fn from_json(text: &str) -> Result<Self, LoadError> {
        let program: Program = serde_json::from_str(text).map_err(|error| LoadError(error.to_string()))?;
        Checker { program: &program, callable: 0, inner: false }.check()?;
        Ok(Kernel { program: finish(program, false).map_err(|error| LoadError(error.to_string()))? })
    }

    /// Memory in bytes that the interpreter takes beyond the buffers, for groups of `items` work-items.
    pub fn interpreter_bytes(&self, items: [usize; 3]) -> u64 {
        let all = items.iter().fold(1_u64, |all, items| all.saturating_mul(*items as u64));
        let program = &self.program;
        let lanes = program.nodes.iter().map(|node| node.value_type.lanes as u64).sum::<u64>()
            + program.variables.iter().map(|variable| variable.value_type.lanes as u64).sum::<u64>();
        let elements = |memory: &Memory| (memory.length as u64).saturating_mul(memory.element.lanes as u64);
        let mut bytes = lanes.saturating_mul(all);
        for memory in program.memories.iter().filter(|memory| memory.space != Space::Global) {
            let copies = if memory.space == Space::Private { all } else { 1 };
            // A record of accesses takes as much as several values.
            bytes = bytes.saturating_add(elements(memory).saturating_mul(copies).saturating_mul(8));
        }
        bytes.saturating_mul(size_of::<Constant>() as u64)
    }
}

/// The largest length of an array, as [`Kernel::build`] has it.
const MAX_LENGTH: usize = 1 << 31;

struct Checker<'p> {
    program: &'p Program,
    /// Functions that may be called here: those before the one that is checked.
    callable: usize,
    /// True inside of a function.
    inner: bool,
}

impl Checker<'_> {
    fn check(mut self) -> Checked {
        let program = self.program;
        let named = |name: &String| ensure(is_identifier(name), || format!("'{name}' is no name"));
        named(&program.name)?;
        if let Some(group) = program.group {
            let product = group.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
            ensure(product.is_some_and(|items| items > 0), || format!("groups of {group:?} work-items"))?;
        }
        for memory in &program.memories {
            named(&memory.name)?;
            self.legal(memory.element)?;
            let given = memory.space == Space::Global;
            let length = if given { memory.length == 0 } else { (1..=MAX_LENGTH).contains(&memory.length) };
            ensure(length, || format!("'{}' cannot have {} elements", memory.name, memory.length))?;
        }
        for variable in &program.variables {
            named(&variable.name)?;
            self.legal(variable.value_type)?;
        }
        self.parameters()?;
        for (id, node) in program.nodes.iter().enumerate() {
            node.name.as_ref().map_or(Ok(()), &named)?;
            self.legal(node.value_type)?;
            self.operands_exist(id)?;
        }
        for (number, function) in program.functions.iter().enumerate() {
            named(&function.name)?;
            (self.callable, self.inner) = (number, true);
            self.function(function)?;
        }
        (self.callable, self.inner) = (program.functions.len(), false);
        self.block(&program.body)
    }

    fn legal(&self, value_type: ValueType) -> Checked {
        ensure(value_type.is_legal(), || format!("a value has {} lanes", value_type.lanes))
    }

    fn parameters(&self) -> Checked {
        let (program, mut buffers) = (self.program, HashSet::new());
        for (index, parameter) in program.parameters.iter().enumerate() {
            let sound = match *parameter {
                Parameter::Scalar(id) => program
                    .nodes
                    .get(id)
                    .is_some_and(|node| node.op == Op::Argument(index) && node.value_type.lanes == 1),
                Parameter::Memory(memory) => {
                    let global = program.memories.get(memory).is_some_and(|memory| memory.space == Space::Global);
                    global && buffers.insert(memory)
                }
            };
            ensure(sound, || format!("parameter {index} is neither a scalar nor a buffer"))?;
        }
        let global = program.memories.iter().filter(|memory| memory.space == Space::Global).count();
        ensure(global == buffers.len(), || "a buffer is no parameter".to_owned())
    }

    fn function(&self, function: &Function) -> Checked {
        for id in &function.parameters {
            let one = self.program.nodes.get(*id).is_some_and(|node| node.op == Op::Parameter);
            ensure(one && self.lanes(*id)? == 1, || format!("a parameter of '{}' is none", function.name))?;
        }
        self.block(&function.body)?;
        self.scalar(function.result)
    }

    /// Lanes of a value.
    fn lanes(&self, id: Id) -> Result<usize, LoadError> {
        match self.program.nodes.get(id) {
            Some(node) => Ok(node.value_type.lanes),
            None => refuse(format!("there is no value {id}")),
        }
    }

    fn scalar(&self, id: Id) -> Checked {
        self.wide(id, 1)
    }

    fn wide(&self, id: Id, lanes: usize) -> Checked {
        let own = self.lanes(id)?;
        ensure(own == lanes, || format!("value {id} has {own} lanes and not {lanes}"))
    }

    fn operands_exist(&self, id: Id) -> Checked {
        self.program.nodes[id].op.operands().into_iter().try_for_each(|operand| self.lanes(operand).map(drop))
    }

    /// An access of `width` lanes to a memory.
    fn access(&self, memory: usize, index: Id, width: usize) -> Checked {
        ensure(!self.inner, || "a function has memory".to_owned())?;
        self.scalar(index)?;
        let Some(memory) = self.program.memories.get(memory) else {
            return refuse(format!("there is no array {memory}"));
        };
        let whole = width >= memory.element.lanes && width.is_multiple_of(memory.element.lanes);
        ensure(whole, || format!("an access of {width} lanes to '{}'", memory.name))
    }

    /// The value of a `Let`.
    fn value(&self, id: Id) -> Checked {
        let lanes = self.lanes(id)?;
        let node = &self.program.nodes[id];
        let all = |ids: &[Id]| ids.iter().try_for_each(|id| self.wide(*id, lanes));
        match &node.op {
            Op::Constant(constant) => {
                let own = constant.scalar_type() == node.value_type.scalar;
                ensure(own, || format!("a constant of {} is {constant:?}", node.value_type))
            }
            Op::Argument(_) | Op::Parameter | Op::Counter => Ok(()),
            Op::Query(_, dimension) => {
                ensure(*dimension < 3 && lanes == 1 && !self.inner, || format!("a query of dimension {dimension}"))
            }
            Op::Unary(_, a) | Op::Convert(a) | Op::ConvertSat(a) | Op::Bitcast(a) => all(&[*a]),
            Op::Binary(_, a, b) => all(&[*a, *b]),
            Op::Fma(a, b, c) | Op::Within(a, b, c) => all(&[*a, *b, *c]),
            Op::Select(condition, a, b) => {
                all(&[*a, *b])?;
                let width = self.lanes(*condition)?;
                ensure(width == 1 || width == lanes, || format!("a condition of {width} lanes selects {lanes}"))
            }
            Op::Any(a) | Op::All(a) => self.lanes(*a).and_then(|_| self.scalar(id)),
            Op::Splat(a) => self.scalar(*a),
            Op::Gather(ids) => {
                ensure(ids.len() == lanes, || format!("{} scalars make {lanes} lanes", ids.len()))?;
                ids.iter().try_for_each(|id| self.scalar(*id))
            }
            Op::Lane(vector, lane) => {
                let width = self.lanes(*vector)?;
                ensure(*lane < width && lanes == 1, || format!("lane {lane} of {width}"))
            }
            Op::Read(variable) => self.variable(*variable, lanes),
            Op::Load(memory, index, _) => self.access(*memory, *index, lanes),
            Op::Atomic(op, memory, index, values) => {
                self.access(*memory, *index, 1)?;
                let wanted = if *op == AtomicOp::CompareExchange { 2 } else { 1 };
                ensure(values.len() == wanted && lanes == 1, || format!("an atomic operation on {values:?}"))?;
                values.iter().try_for_each(|id| self.scalar(*id))
            }
            Op::Call(number, arguments) => {
                // One that calls itself would never end.
                let earlier = *number < self.callable;
                ensure(earlier && lanes == 1, || format!("a call of function {number} before it is there"))?;
                let wanted = self.program.functions[*number].parameters.len();
                ensure(wanted == arguments.len(), || format!("{} arguments for {wanted}", arguments.len()))?;
                arguments.iter().try_for_each(|id| self.scalar(*id))
            }
        }
    }

    fn variable(&self, variable: usize, lanes: usize) -> Checked {
        let own = self.program.variables.get(variable).map(|variable| variable.value_type.lanes);
        ensure(own == Some(lanes), || format!("there is no variable {variable} of {lanes} lanes"))
    }

    fn block(&self, block: &Block) -> Checked {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&self, statement: &Statement) -> Checked {
        match statement {
            Statement::Let(id) => self.value(*id)?,
            Statement::Declare(variable, value) | Statement::Assign(variable, value) => {
                self.variable(*variable, self.lanes(*value)?)?;
            }
            Statement::Store(memory, index, value, _) => self.access(*memory, *index, self.lanes(*value)?)?,
            Statement::If { condition: id, .. }
            | Statement::While { condition: id, .. }
            | Statement::Switch { selector: id, .. } => self.scalar(*id)?,
            Statement::For { counter, from, to, step, .. } => {
                [counter, from, to, step].into_iter().try_for_each(|id| self.scalar(*id))?;
                let counts = self.program.nodes[*counter].op == Op::Counter;
                ensure(counts, || format!("value {counter} is no counter"))?;
            }
            Statement::Barrier { .. } => ensure(!self.inner, || "a function has a barrier".to_owned())?,
        }
        statement.blocks().into_iter().try_for_each(|inner| self.block(inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ForeignBody, Index, Launch};

    /// Sums of rows by way of local memory: loops, a barrier, a function, a vector, a switch.
    fn sums() -> Kernel {
        Kernel::build("sums", |k| {
            k.group_size([4, 1, 1]);
            let n = k.argument::<Index>("n");
            let (x, y) = (k.input::<f32>("x"), k.output::<f32>("y"));
            let square = k.function("square", |(v,): (crate::Expr<'_, f32>,)| v * v);
            let partial = k.local::<f32>("partial", 4);
            let sum = k.var::<f32>("sum", 0.0);
            k.range(k.local_id(0), n).step_by(4).each("i", |i| {
                let value: crate::Expr<'_, f32> = square.call((x.at(i),));
                sum.set(sum.get() + value);
            });
            partial.store(k.local_id(0), sum.get());
            k.barrier();
            k.when(k.local_id(0).lt(1), || {
                y.store(0, partial.at(0) + partial.at(1) + partial.at(2) + partial.at(3));
            });
        })
        .unwrap()
    }

    #[test]
    fn a_kernel_comes_back_and_does_the_same() {
        let kernel = sums();
        let again = Kernel::from_json(&kernel.to_json().unwrap()).unwrap();
        assert_eq!(again, kernel);
        let (x, mut y) = ([1.0_f32, 2.0, 3.0, 4.0, 5.0], [0.0_f32]);
        Launch::new(&again, [1; 3], [4, 1, 1]).run([5_i64.into(), (&x).into(), (&mut y).into()]).unwrap();
        assert_eq!(y, [55.0]);
        assert!(again.interpreter_bytes([4, 1, 1]) < 1 << 16);
        assert!(again.interpreter_bytes([usize::MAX; 3]) == u64::MAX);
    }

    #[test]
    fn functions_given_as_text_are_not_written() {
        let kernel = Kernel::build("foreign", |k| {
            let body = ForeignBody::same("return 2.0f * x;");
            let twice = k.foreign("twice", ["x"], body, |(x,): (f32,)| 2.0 * x);
            let x = k.in_out::<f32>("x");
            let value: crate::Expr<'_, f32> = twice.call((x.at(0),));
            x.store(0, value);
        });
        assert_eq!(kernel.unwrap().to_json(), None);
    }

    /// Every number of the text replaced by others: a refusal, or a kernel that ends with a result or a fault.
    #[test]
    fn a_text_with_other_numbers_is_refused_or_sound() {
        let text = sums().to_json().unwrap();
        let numbers: Vec<usize> = text
            .char_indices()
            .filter(|(at, c)| c.is_ascii_digit() && !text[..*at].ends_with(|c: char| c.is_ascii_alphanumeric()))
            .map(|(at, _)| at)
            .collect();
        assert!(numbers.len() > 50);
        let mut refused = 0;
        for at in numbers {
            let end = at + text[at..].find(|c: char| !c.is_ascii_digit()).unwrap();
            for other in ["0", "1", "2", "3", "5", "16", "17", "4096"] {
                let changed = format!("{}{other}{}", &text[..at], &text[end..]);
                let Ok(kernel) = Kernel::from_json(&changed) else {
                    refused += 1;
                    continue;
                };
                drop((kernel.opencl(), kernel.cuda(), kernel.c99()));
                let (x, mut y) = ([1.0_f32; 5], [0.0_f32; 1]);
                let items = kernel.group_size().unwrap_or([4, 1, 1]);
                if kernel.interpreter_bytes(items) < 1 << 24 {
                    drop(Launch::new(&kernel, [1; 3], items).run([5_i64.into(), (&x).into(), (&mut y).into()]));
                }
            }
        }
        assert!(refused > 100, "{refused}");
    }

    #[test]
    fn other_texts_are_refused_with_a_reason() {
        let text = sums().to_json().unwrap();
        for (from, to, reason) in [
            ("{", "", "expected"),
            ("\"sums\"", "\"no name\"", "'no name' is no name"),
            ("\"lanes\":1", "\"lanes\":3", "parameter 0 is neither"),
            ("\"Local\"", "\"Global\"", "elements"),
        ] {
            let error = Kernel::from_json(&text.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
