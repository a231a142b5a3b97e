//! A kernel under construction: its open blocks, and the values available in them.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

use super::constant::Constant;
use super::error::BuildError;
use super::expr::{Expr, IntoExpr};
use super::fold::{self, Folded};
use super::ir::{Block, Id, Memory, Node, Op, Program, Statement, Variable};
use super::types::{Type, ValueType};

/// A kernel under construction, the argument of the closure of [`Kernel::build`](super::Kernel::build).
///
/// A handle that can be copied, as are expressions, variables and memories. Its lifetime is that of one kernel: an
/// expression of one kernel does not compile in another.
#[derive(Clone, Copy)]
pub struct Builder<'k> {
    state: &'k RefCell<State>,
    /// Invariant, so that the lifetimes of two kernels differ.
    kernel: PhantomData<fn(&'k ()) -> &'k ()>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) program: Program,
    frames: Vec<Frame>,
    names: HashSet<String>,
    error: Option<BuildError>,
    pub(super) contract: bool,
}

/// An open block.
#[derive(Default)]
struct Frame {
    statements: Block,
    /// Values for common-subexpression elimination.
    known: HashMap<(Op, ValueType), Id>,
    /// Available values that depend on memory or variables.
    read: HashMap<(Op, ValueType), Id>,
    /// True if the block is the body of a function, which sees no outer values.
    closed: bool,
}

/// True for names that begin with a letter.
pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl State {
    fn known(&self, key: &(Op, ValueType)) -> Option<Id> {
        for frame in self.frames.iter().rev() {
            let table = if key.0.is_pure() { &frame.known } else { &frame.read };
            if let Some(id) = table.get(key) {
                return Some(*id);
            }
            if frame.closed {
                break;
            }
        }
        None
    }

    fn forget(&mut self, changed: impl Fn(&Op) -> bool) {
        for frame in &mut self.frames {
            frame.read.retain(|(op, _), _| !changed(op));
        }
    }

    /// The value of an operation: folded, available, or computed by a new statement.
    fn value(&mut self, op: Op, value_type: ValueType) -> Id {
        let op = match fold::fold(&self.program.nodes, op, value_type) {
            Folded::Known(id) => return id,
            Folded::Operation(op) => op,
        };
        let key = (op, value_type);
        if let Some(id) = self.known(&key) {
            return id;
        }
        let id = self.program.nodes.len();
        let given = key.0.is_given();
        self.program.nodes.push(Node { op: key.0.clone(), value_type, name: None });
        let Some(frame) = self.frames.last_mut() else { return id };
        if !given {
            frame.statements.push(Statement::Let(id));
        }
        // Counters and parameters are never equal.
        if !matches!(key.0, Op::Counter | Op::Parameter | Op::Atomic(..)) {
            let table = if key.0.is_pure() { &mut frame.known } else { &mut frame.read };
            table.insert(key, id);
        }
        id
    }

    /// Appends a statement, and invalidates the values that it changes.
    fn push(&mut self, statement: Statement) {
        match &statement {
            Statement::Assign(variable, _) => self.forget(|op| *op == Op::Read(*variable)),
            Statement::Store(memory, ..) => self.forget(|op| matches!(op, Op::Load(of, ..) if of == memory)),
            Statement::Barrier { .. } => self.forget(|op| matches!(op, Op::Load(..))),
            _ => {}
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.statements.push(statement);
        }
    }

    /// A unique name.
    fn unique(&mut self, wanted: &str) -> String {
        if !is_identifier(wanted) {
            self.fail(BuildError::Name(wanted.to_owned()));
        }
        let mut wanted = wanted.to_owned();
        // A number after the name leaves a reserved beginning.
        if super::print::is_reserved(&wanted) && super::print::is_reserved(&format!("{wanted}_3")) {
            wanted.insert_str(0, "own_");
        }
        let mut name = wanted.clone();
        let mut number = 1;
        while super::print::is_reserved(&name) || !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        name
    }

    fn fail(&mut self, error: BuildError) {
        self.error.get_or_insert(error);
    }
}

impl<'k> Builder<'k> {
    /// Runs `construct`, and returns the program.
    pub(super) fn run(name: &str, construct: impl for<'b> FnOnce(Builder<'b>)) -> Result<(Program, bool), BuildError> {
        let state = RefCell::new(State::default());
        let kernel_name = state.borrow_mut().unique(name);
        state.borrow_mut().program.name = kernel_name;
        state.borrow_mut().frames.push(Frame::default());
        construct(Builder { state: &state, kernel: PhantomData });
        let mut state = state.into_inner();
        if let Some(error) = state.error {
            return Err(error);
        }
        state.program.body = state.frames.pop().map(|frame| frame.statements).unwrap_or_default();
        Ok((state.program, state.contract))
    }

    pub(super) fn with<V>(self, change: impl FnOnce(&mut State) -> V) -> V {
        change(&mut self.state.borrow_mut())
    }

    /// The value of an operation of type `T`.
    pub(super) fn emit<T: Type>(self, op: Op) -> Expr<'k, T> {
        Expr::new(self, self.with(|state| state.value(op, T::TYPE)))
    }

    /// The value of an operation of a type that is run-time data.
    pub(super) fn emit_as(self, op: Op, value_type: ValueType) -> Id {
        self.with(|state| state.value(op, value_type))
    }

    pub(super) fn push(self, statement: Statement) {
        self.with(|state| state.push(statement));
    }

    pub(super) fn fail(self, error: BuildError) {
        self.with(|state| state.fail(error));
    }

    pub(super) fn unique(self, wanted: &str) -> String {
        self.with(|state| state.unique(wanted))
    }

    /// Invalidates values of memory and variables, at both ends of a loop.
    pub(super) fn forget_memory(self) {
        self.with(|state| state.forget(|_| true));
    }

    pub(super) fn forget_memory_of(self, memory: usize) {
        self.with(|state| state.forget(|op| matches!(op, Op::Load(of, ..) if *of == memory)));
    }

    /// The block of statements that `construct` makes.
    pub(super) fn block<V>(self, closed: bool, construct: impl FnOnce() -> V) -> (Block, V) {
        self.with(|state| state.frames.push(Frame { closed, ..Frame::default() }));
        let value = construct();
        let block = self.with(|state| state.frames.pop()).map(|frame| frame.statements).unwrap_or_default();
        (block, value)
    }

    pub(super) fn add_memory(self, mut memory: Memory) -> usize {
        memory.name = self.unique(&memory.name);
        self.with(|state| {
            state.program.memories.push(memory);
            state.program.memories.len() - 1
        })
    }

    pub(super) fn add_variable(self, name: &str, value_type: ValueType) -> usize {
        let name = self.unique(name);
        self.with(|state| {
            state.program.variables.push(Variable { name, value_type });
            state.program.variables.len() - 1
        })
    }

    /// A constant, or any other value, as an expression.
    pub fn value<T: Type>(self, value: impl IntoExpr<'k, T>) -> Expr<'k, T> {
        value.into_expr(self)
    }

    /// A value with a name in the text.
    pub fn named<T: Type>(self, name: &str, value: impl IntoExpr<'k, T>) -> Expr<'k, T> {
        let expr = value.into_expr(self);
        self.give_name(expr.id, name);
        expr
    }

    pub(super) fn give_name(self, id: Id, name: &str) {
        let name = self.unique(name);
        self.with(|state| {
            let node = &mut state.program.nodes[id];
            if !node.op.is_given() {
                node.name.get_or_insert(name);
            }
        });
    }

    /// Sets the comment above the kernel in the text.
    pub fn comment(self, text: &str) {
        self.with(|state| state.program.comment = Some(text.to_owned()));
    }

    /// Fixes the size of work-groups. Launches with another size are refused.
    pub fn group_size(self, sizes: [usize; 3]) {
        if sizes.contains(&0) || sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size)).is_none() {
            self.fail(BuildError::GroupSize(sizes));
        }
        self.with(|state| state.program.group = Some(sizes));
    }

    /// Contracts `a * b + c` to `fma(a, b, c)`, if the product has no other use. All backends contract alike. Without
    /// it, only [`Expr::mul_add`] makes an fma.
    pub fn contract(self) {
        self.with(|state| state.contract = true);
    }

    pub(super) fn constant_of(self, id: Id) -> Option<Constant> {
        self.with(|state| match state.program.nodes[id].op {
            Op::Constant(constant) => Some(constant),
            _ => None,
        })
    }
}
