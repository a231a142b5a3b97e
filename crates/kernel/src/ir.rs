//! The intermediate representation: what a kernel is once Rust has run, and what printers and the interpreter read.
//!
//! Every value is a [`Node`], computed once, where a [`Statement::Let`] says so; constants, arguments and the counters of loops are
//! known without one. What changes is in variables and memories, and only statements change it.

use super::constant::Constant;
use super::types::{ScalarType, ValueType};

/// A value's number.
pub(super) type Id = usize;

/// Statements in their order.
pub(super) type Block = Vec<Statement>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) op: Op,
    pub(super) value_type: ValueType,
    /// The name that the kernel's author gave it.
    pub(super) name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// A constant in all lanes.
    Constant(Constant),
    /// A scalar argument of the kernel: its place in [`Program::parameters`].
    Argument(usize),
    /// A parameter of a helper function.
    Parameter,
    /// The counter of a loop.
    Counter,
    Query(Query, usize),
    Unary(UnaryOp, Id),
    Binary(BinaryOp, Id, Id),
    /// a*b + c, rounded once.
    Fma(Id, Id, Id),
    /// Condition, value if true, value if false.
    Select(Id, Id, Id),
    Convert(Id),
    /// A scalar in all lanes.
    Splat(Id),
    /// A vector of scalars.
    Gather(Vec<Id>),
    Lane(Id, usize),
    Read(usize),
    /// Of a memory, the element at an index; or, where the value is wider than an element, the elements from there on.
    Load(usize, Id),
    /// The old value of a memory's element, which another takes the place of.
    Atomic(AtomicOp, usize, Id, Vec<Id>),
    Call(usize, Vec<Id>),
}

/// What a work-item knows of its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Query {
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    GroupCount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum UnaryOp {
    Neg,
    /// Of `bool` and of integers' bits.
    Not,
    Abs,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Exp,
    Log,
    Floor,
    Ceil,
    Trunc,
    Rint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Min,
    Max,
    Pow,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl BinaryOp {
    pub(super) const fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Lt | Le | Gt | Ge | Eq | Ne)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum AtomicOp {
    Add,
    Min,
    Max,
    Exchange,
    /// Takes the expected value, then the new one.
    CompareExchange,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    Let(Id),
    /// A new variable and its first value.
    Declare(usize, Id),
    Assign(usize, Id),
    /// A memory, an index and a value; as wide as the value.
    Store(usize, Id, Id),
    If {
        condition: Id,
        then: Block,
        otherwise: Block,
    },
    For {
        counter: Id,
        from: Id,
        to: Id,
        /// At least 1.
        step: Id,
        body: Block,
    },
    While {
        test: Block,
        condition: Id,
        body: Block,
    },
    Barrier {
        /// Whether it orders global memory too, and not local memory only.
        global: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Space {
    Global,
    Local,
    Private,
}

/// What a kernel may do with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// Both.
    ReadWrite,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) name: String,
    pub(super) element: ValueType,
    pub(super) space: Space,
    pub(super) access: Access,
    /// Elements, of local and private arrays.
    pub(super) length: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) value_type: ValueType,
}

/// A pure function of scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Vec<Id>,
    pub(super) body: Block,
    pub(super) result: Id,
}

/// An argument of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    /// The value's node.
    Scalar(Id),
    /// The buffer's number.
    Memory(usize),
}

/// A kernel's parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) name: String,
    pub(super) comment: Option<String>,
    pub(super) group: Option<[usize; 3]>,
    pub(super) nodes: Vec<Node>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) memories: Vec<Memory>,
    pub(super) variables: Vec<Variable>,
    pub(super) functions: Vec<Function>,
    pub(super) body: Block,
}

impl Program {
    pub(super) fn needs_doubles(&self) -> bool {
        self.nodes.iter().any(|node| node.value_type.scalar == ScalarType::F64)
            || self.memories.iter().any(|memory| memory.element.scalar == ScalarType::F64)
    }
}

impl Op {
    /// The values that it is computed from.
    pub(super) fn operands(&self) -> Vec<Id> {
        match self {
            Op::Constant(_) | Op::Argument(_) | Op::Parameter | Op::Counter | Op::Query(..) | Op::Read(_) => Vec::new(),
            Op::Unary(_, a) | Op::Convert(a) | Op::Splat(a) | Op::Lane(a, _) | Op::Load(_, a) => vec![*a],
            Op::Binary(_, a, b) => vec![*a, *b],
            Op::Fma(a, b, c) | Op::Select(a, b, c) => vec![*a, *b, *c],
            Op::Gather(ids) | Op::Call(_, ids) => ids.clone(),
            Op::Atomic(_, _, index, values) => std::iter::once(*index).chain(values.iter().copied()).collect(),
        }
    }

    /// Whether it needs no statement to be known.
    pub(super) const fn is_given(&self) -> bool {
        matches!(self, Op::Constant(_) | Op::Argument(_) | Op::Parameter | Op::Counter)
    }

    /// Whether it depends on its operands and nothing else.
    pub(super) const fn is_pure(&self) -> bool {
        !matches!(self, Op::Read(_) | Op::Load(..) | Op::Atomic(..))
    }
}

impl Statement {
    /// The values that the statement itself uses, without those of its blocks.
    pub(super) fn operands(&self, nodes: &[Node]) -> Vec<Id> {
        match self {
            Statement::Let(id) => nodes[*id].op.operands(),
            Statement::Declare(_, value) | Statement::Assign(_, value) => vec![*value],
            Statement::Store(_, index, value) => vec![*index, *value],
            Statement::If { condition, .. } => vec![*condition],
            Statement::For { from, to, step, .. } => vec![*from, *to, *step],
            // The condition is used in the block `test`.
            Statement::While { .. } | Statement::Barrier { .. } => Vec::new(),
        }
    }

    /// The blocks within.
    pub(super) fn blocks(&self) -> Vec<&Block> {
        match self {
            Statement::If { then, otherwise, .. } => vec![then, otherwise],
            Statement::For { body, .. } => vec![body],
            Statement::While { test, body, .. } => vec![test, body],
            _ => Vec::new(),
        }
    }

    /// Whether a barrier is in it.
    pub(super) fn has_barrier(&self) -> bool {
        matches!(self, Statement::Barrier { .. }) || self.blocks().into_iter().flatten().any(Statement::has_barrier)
    }
}

/// Calls `visit` for every statement, outer ones before those in their blocks.
pub(super) fn walk<'a>(block: &'a [Statement], visit: &mut impl FnMut(&'a Statement)) {
    for statement in block {
        visit(statement);
        for inner in statement.blocks() {
            walk(inner, visit);
        }
    }
}
