//! The intermediate representation of a kernel, read by the printers and the interpreter.
//!
//! Every value is a [`Node`], computed once by a [`Statement::Let`]; constants, arguments and loop counters need no
//! statement. Only statements change variables and memory.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::constant::Constant;
use super::operations::{BinaryOp, UnaryOp};
use super::options::BuildOption;
use super::types::{ScalarType, ValueType};

/// Id of a value.
pub(super) type Id = usize;

pub(super) type Block = Vec<Statement>;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Node {
    pub(super) op: Op,
    pub(super) value_type: ValueType,
    /// Name in the text.
    pub(super) name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub(super) enum Op {
    /// A constant in all lanes.
    Constant(Constant),
    /// A scalar argument: index into [`Program::parameters`].
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
    /// Condition, value if true, value if false. The condition is one `bool`, or one for each lane.
    Select(Id, Id, Id),
    Convert(Id),
    /// A conversion to an integer with saturation.
    ConvertSat(Id),
    /// The same bits as a value of another type.
    Bitcast(Id),
    /// An index that is not outside of two bounds: the interpreter checks it.
    Within(Id, Id, Id),
    /// True if any lane of a boolean vector is.
    Any(Id),
    /// True if all lanes of a boolean vector are.
    All(Id),
    /// A scalar in all lanes.
    Splat(Id),
    /// A vector of scalars.
    Gather(Vec<Id>),
    Lane(Id, usize),
    Read(usize),
    /// A load of an element; of a wider value, the elements from an index on.
    Load(usize, Id, Alignment),
    /// An atomic exchange: the old value of an element.
    Atomic(AtomicOp, usize, Id, Vec<Id>),
    Call(usize, Vec<Id>),
}

/// The alignment of an access to several elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Alignment {
    /// That of an element.
    #[default]
    Element,
    /// That of the access: the index is a multiple of its lanes.
    Vector,
}

/// The kind of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub struct StoreMode {
    /// The alignment of the elements that it writes.
    pub alignment: Alignment,
    /// True if it passes the caches where the device can: nobody reads the value soon.
    pub streaming: bool,
}

/// Work-item queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Query {
    /// The id among all work-items.
    GlobalId,
    /// The id in the group.
    LocalId,
    /// The group's id.
    GroupId,
    /// The number of work-items.
    GlobalSize,
    /// The number of work-items in a group.
    LocalSize,
    /// The number of groups.
    GroupCount,
}

/// An atomic operation on an element; it gives the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum AtomicOp {
    /// Adds to the element; sums wrap around.
    Add,
    /// The minimum of both.
    Min,
    /// The maximum of both.
    Max,
    /// Replaces the element.
    Exchange,
    /// Replaces the element if it is the first operand, by the second.
    CompareExchange,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) enum Statement {
    Let(Id),
    /// A variable and its initial value.
    Declare(usize, Id),
    Assign(usize, Id),
    /// A store of a value at an index, as wide as it is.
    Store(usize, Id, Id, StoreMode),
    If {
        condition: Id,
        then: Block,
        otherwise: Block,
    },
    /// The arm with the selector's value, or else the default.
    Switch {
        selector: Id,
        arms: Vec<Arm>,
        default: Block,
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
        /// True if it also orders global memory.
        global: bool,
    },
}

/// One case of a [`Statement::Switch`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Arm {
    /// Constants of the selector's type.
    pub(super) values: Vec<Constant>,
    pub(super) body: Block,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
pub(super) enum Space {
    Global,
    Local,
    Private,
}

/// Access of a kernel to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Access {
    /// Read only.
    Read,
    /// Write only.
    Write,
    /// Read and write.
    ReadWrite,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Memory {
    pub(super) name: String,
    pub(super) element: ValueType,
    pub(super) space: Space,
    pub(super) access: Access,
    /// Elements, of local and private arrays.
    pub(super) length: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) value_type: ValueType,
}

/// A pure function of scalars.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Vec<Id>,
    pub(super) body: Block,
    pub(super) result: Id,
    /// A body given as text instead; the result is a parameter, for its type.
    #[serde(skip)]
    pub(super) foreign: Option<Foreign>,
}

/// A function of the host, for the interpreter.
pub(super) type Evaluate = Arc<dyn Fn(&[Constant]) -> Constant + Send + Sync>;

/// The body of a function, given as text.
#[derive(Clone)]
pub(super) struct Foreign {
    pub(super) parameters: Vec<String>,
    pub(super) opencl: String,
    pub(super) cuda: String,
    pub(super) c99: String,
    pub(super) fortran: Option<String>,
    pub(super) evaluate: Evaluate,
}

impl Foreign {
    fn texts(&self) -> [&str; 4] {
        [&self.opencl, &self.cuda, &self.c99, self.fortran.as_deref().unwrap_or_default()]
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Foreign").field("parameters", &self.parameters).field("texts", &self.texts()).finish()
    }
}

/// Functions of equal texts are equal.
impl PartialEq for Foreign {
    fn eq(&self, other: &Self) -> bool {
        self.parameters == other.parameters && self.texts() == other.texts()
    }
}

impl Eq for Foreign {}

/// An argument of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) enum Parameter {
    /// The value's node.
    Scalar(Id),
    /// The buffer's number.
    Memory(usize),
}

/// A complete kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
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
    pub(super) options: BTreeSet<BuildOption>,
}

impl Program {
    pub(super) fn needs_doubles(&self) -> bool {
        self.nodes.iter().any(|node| node.value_type.scalar == ScalarType::F64)
            || self.memories.iter().any(|memory| memory.element.scalar == ScalarType::F64)
    }

    /// True if memory has elements of half precision.
    pub(super) fn has_halves(&self) -> bool {
        self.memories.iter().any(|memory| memory.element.scalar == ScalarType::F16)
    }
}

impl Op {
    /// Operands.
    pub(super) fn operands(&self) -> Vec<Id> {
        match self {
            Op::Constant(_) | Op::Argument(_) | Op::Parameter | Op::Counter | Op::Query(..) | Op::Read(_) => Vec::new(),
            Op::Unary(_, a) | Op::Splat(a) | Op::Lane(a, _) | Op::Load(_, a, _) => vec![*a],
            Op::Convert(a) | Op::ConvertSat(a) | Op::Bitcast(a) | Op::Any(a) | Op::All(a) => vec![*a],
            Op::Binary(_, a, b) => vec![*a, *b],
            Op::Fma(a, b, c) | Op::Select(a, b, c) | Op::Within(a, b, c) => vec![*a, *b, *c],
            Op::Gather(ids) | Op::Call(_, ids) => ids.clone(),
            Op::Atomic(_, _, index, values) => std::iter::once(*index).chain(values.iter().copied()).collect(),
        }
    }

    /// Operands, to be changed.
    pub(super) fn operands_mut(&mut self) -> Vec<&mut Id> {
        match self {
            Op::Constant(_) | Op::Argument(_) | Op::Parameter | Op::Counter | Op::Query(..) | Op::Read(_) => Vec::new(),
            Op::Unary(_, a) | Op::Splat(a) | Op::Lane(a, _) | Op::Load(_, a, _) => vec![a],
            Op::Convert(a) | Op::ConvertSat(a) | Op::Bitcast(a) | Op::Any(a) | Op::All(a) => vec![a],
            Op::Binary(_, a, b) => vec![a, b],
            Op::Fma(a, b, c) | Op::Select(a, b, c) | Op::Within(a, b, c) => vec![a, b, c],
            Op::Gather(ids) | Op::Call(_, ids) => ids.iter_mut().collect(),
            Op::Atomic(_, _, index, values) => std::iter::once(index).chain(values).collect(),
        }
    }

    /// True if it needs no statement.
    pub(super) const fn is_given(&self) -> bool {
        matches!(self, Op::Constant(_) | Op::Argument(_) | Op::Parameter | Op::Counter)
    }

    /// True if it is a pure function of its operands.
    pub(super) const fn is_pure(&self) -> bool {
        !matches!(self, Op::Read(_) | Op::Load(..) | Op::Atomic(..))
    }
}

impl Statement {
    /// Operands of the statement, without those of its blocks.
    pub(super) fn operands(&self, nodes: &[Node]) -> Vec<Id> {
        match self {
            Statement::Let(id) => nodes[*id].op.operands(),
            Statement::Declare(_, value) | Statement::Assign(_, value) => vec![*value],
            Statement::Store(_, index, value, _) => vec![*index, *value],
            Statement::If { condition, .. } => vec![*condition],
            Statement::Switch { selector, .. } => vec![*selector],
            Statement::For { from, to, step, .. } => vec![*from, *to, *step],
            // The block `test` uses the condition.
            Statement::While { .. } | Statement::Barrier { .. } => Vec::new(),
        }
    }

    /// Operands of the statement itself, to be changed; those of a `Let` belong to its node.
    pub(super) fn operands_mut(&mut self) -> Vec<&mut Id> {
        match self {
            Statement::Let(_) | Statement::Barrier { .. } => Vec::new(),
            Statement::Declare(_, value) | Statement::Assign(_, value) => vec![value],
            Statement::Store(_, index, value, _) => vec![index, value],
            Statement::If { condition, .. } | Statement::While { condition, .. } => vec![condition],
            Statement::Switch { selector, .. } => vec![selector],
            Statement::For { from, to, step, .. } => vec![from, to, step],
        }
    }

    /// Nested blocks, to be changed.
    pub(super) fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Statement::If { then, otherwise, .. } => vec![then, otherwise],
            Statement::Switch { arms, default, .. } => {
                arms.iter_mut().map(|arm| &mut arm.body).chain([default]).collect()
            }
            Statement::For { body, .. } => vec![body],
            Statement::While { test, body, .. } => vec![test, body],
            _ => Vec::new(),
        }
    }

    /// Nested blocks.
    pub(super) fn blocks(&self) -> Vec<&Block> {
        match self {
            Statement::If { then, otherwise, .. } => vec![then, otherwise],
            Statement::Switch { arms, default, .. } => arms.iter().map(|arm| &arm.body).chain([default]).collect(),
            Statement::For { body, .. } => vec![body],
            Statement::While { test, body, .. } => vec![test, body],
            _ => Vec::new(),
        }
    }

    /// True if it contains a barrier.
    pub(super) fn has_barrier(&self) -> bool {
        matches!(self, Statement::Barrier { .. }) || self.blocks().into_iter().flatten().any(Statement::has_barrier)
    }
}

/// Visits every statement in pre-order.
pub(super) fn walk<'a>(block: &'a [Statement], visit: &mut impl FnMut(&'a Statement)) {
    for statement in block {
        visit(statement);
        for inner in statement.blocks() {
            walk(inner, visit);
        }
    }
}
